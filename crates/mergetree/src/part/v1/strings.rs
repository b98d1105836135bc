//! Encodes one String column of one row group: views in, Parquet pages out, one page a granule: PLAIN, or places in a dictionary
//! as long as that is small.
//!
//! Long text is most of what wide tables hold, so it takes the shortest way: values are copied once, from wherever the
//! sort's permutation finds them into the page, whose buffer is used again for the next one (`chunk.rs`: what becomes of
//! pages). The Parquet crate's encoder takes the sorted values as an array. What comes out is what that encoder would have
//! written, but for the bytes of the compression: statistics, column index and offset index are the same. (Where a dictionary
//! becomes full, that encoder ends a page within a granule; here the whole granule is PLAIN.)
//!
//! Strings that can be NULL or lie in arrays go the other way.

use std::cmp::Ordering;
use std::ops::Range;

use arrow::array::BinaryViewArray;
use gristmill_base::Result;
use parquet::data_type::ByteArray;
use parquet::file::statistics::{Statistics, ValueStatistics};
use parquet::schema::types::ColumnDescPtr;

use super::chunk::{ChunkBuilder, EncodedChunk, Order, PageForm, STRINGS_ZSTD_LEVEL};
use super::encode::{Codec, STATISTICS_BYTES_MAX};
use super::interning::Strings;
use super::places::{self, Places};

/// Values whose memory is fetched together.
const TOUCHED_AT_ONCE: usize = 32;

pub struct StringsEncoder {
    /// All values are valid UTF-8, and so have to be the bounds in the statistics.
    text: bool,
    granule_rows: usize,
    page: PageValues,
    dictionary: Option<Dictionary>,
    chunk: ChunkBuilder,
    bounds: Option<Bounds>,
    last_page: Option<Bounds>,
}

/// The page under way.
#[derive(Default)]
struct PageValues {
    /// Each value after its length, as PLAIN wants it.
    plain: Vec<u8>,
    rows: usize,
    least: Bound,
    greatest: Bound,
}

/// Of the values of a page the least or the greatest.
#[derive(Clone, Default)]
struct Bound {
    first_bytes: u64,
    /// Where it lies.
    at: Range<usize>,
}

/// Values that come often, and the page under way as places among them.
struct Dictionary {
    strings: Strings,
    places: Places,
    /// Bytes of the strings of the page.
    value_bytes: u64,
    encoded: Vec<u8>,
    bytes_max: usize,
    /// It takes values; else it is full, and pages are PLAIN since.
    is_open: bool,
}

#[derive(Clone)]
struct Bounds {
    least: Vec<u8>,
    greatest: Vec<u8>,
}

impl PageValues {
    fn push(&mut self, value: &[u8]) {
        self.plain.extend_from_slice(&(value.len() as u32).to_le_bytes());
        let at = self.plain.len()..self.plain.len() + value.len();
        self.plain.extend_from_slice(value);
        let bound = Bound { first_bytes: first_bytes(value), at };
        if self.rows == 0 {
            (self.least, self.greatest) = (bound.clone(), bound);
        } else if self.order(&bound, &self.least).is_lt() {
            self.least = bound;
        } else if self.order(&bound, &self.greatest).is_gt() {
            self.greatest = bound;
        }
        self.rows += 1;
    }

    /// Nearly all differ in their first bytes: to call for a comparison of slices, twice a value, took a twentieth of a load of
    /// short strings.
    fn order(&self, one: &Bound, other: &Bound) -> Ordering {
        let by_first = one.first_bytes.cmp(&other.first_bytes);
        by_first.then_with(|| self.plain[one.at.clone()].cmp(&self.plain[other.at.clone()]))
    }

    fn bounds(&self) -> Bounds {
        let value = |bound: &Bound| self.plain[bound.at.clone()].to_vec();
        Bounds { least: value(&self.least), greatest: value(&self.greatest) }
    }

    fn clear(&mut self) {
        self.plain.clear();
        self.rows = 0;
    }
}

/// The first eight bytes of a value as a number whose highest the first is; zeros where it has fewer.
fn first_bytes(value: &[u8]) -> u64 {
    match (value.first_chunk::<8>(), value) {
        (Some(first), _) => u64::from_be_bytes(*first),
        // Two reads that overlap: a copy of so few bytes is a call.
        (None, [_, _, _, _, ..]) => {
            let read = |at: usize| u64::from(u32::from_be_bytes(std::array::from_fn(|byte| value[at + byte])));
            read(0) << 32 | read(value.len() - 4) << (8 * (8 - value.len()))
        }
        (None, few) => few.iter().enumerate().map(|(at, byte)| u64::from(*byte) << (56 - 8 * at)).sum(),
    }
}

impl StringsEncoder {
    /// `dictionary_bytes`: a dictionary of so many bytes at most.
    pub fn new(
        descriptor: ColumnDescPtr,
        codec: Codec,
        text: bool,
        granule_rows: usize,
        dictionary_bytes: Option<usize>,
    ) -> StringsEncoder {
        let codec = if codec == Codec::Zstd { Codec::ZstdAt(STRINGS_ZSTD_LEVEL) } else { codec };
        StringsEncoder {
            text,
            granule_rows,
            page: PageValues::default(),
            dictionary: dictionary_bytes.map(|bytes_max| Dictionary {
                strings: Strings::new(),
                places: Places::default(),
                value_bytes: 0,
                encoded: Vec::new(),
                bytes_max,
                is_open: true,
            }),
            chunk: ChunkBuilder::new(descriptor, codec),
            bounds: None,
            last_page: None,
        }
    }

    /// Appends the values of these rows; gives their bytes in memory, with eight more each.
    pub fn write(&mut self, array: &BinaryViewArray, mut rows: impl Iterator<Item = usize>) -> Result<u64> {
        let mut bytes = self.write_places(array, &mut rows)?;
        let mut values: [&[u8]; TOUCHED_AT_ONCE] = [&[]; TOUCHED_AT_ONCE];
        loop {
            let mut count = 0;
            for (value, row) in values.iter_mut().zip(rows.by_ref()) {
                *value = array.value(row);
                count += 1;
            }
            if count == 0 {
                return Ok(bytes);
            }
            // Sorted rows lie anywhere. Reads that do not depend on one another wait for memory together, those between
            // copies one after the other: a load by a random key spent a fifth of its time so.
            let first = |value: &&[u8]| value.first().copied().unwrap_or_default();
            std::hint::black_box(values[..count].iter().map(first).fold(0, u8::wrapping_add));
            for value in &values[..count] {
                bytes += value.len() as u64 + 8;
                self.page.push(value);
                if self.page.rows == self.granule_rows {
                    self.end_page()?;
                }
            }
        }
    }

    /// Appends values as long as the dictionary takes them; gives their bytes as `write` does.
    fn write_places(&mut self, array: &BinaryViewArray, rows: &mut impl Iterator<Item = usize>) -> Result<u64> {
        let mut bytes = 0;
        if let Some(dictionary) = self.dictionary.as_mut().filter(|dictionary| dictionary.is_open) {
            dictionary.strings.begin_array();
        }
        let views = array.views();
        let mut taken = [(0, 0); TOUCHED_AT_ONCE];
        while self.dictionary.as_ref().is_some_and(|dictionary| dictionary.is_open) {
            // Views of sorted rows lie anywhere: they are fetched together, as values are.
            let mut count = 0;
            for (one, row) in taken.iter_mut().zip(rows.by_ref()) {
                *one = (row, views[row]);
                count += 1;
            }
            if count == 0 {
                break;
            }
            for (row, view) in &taken[..count] {
                // A view begins with the length.
                bytes += u64::from(*view as u32) + 8;
                self.push_place(*view, array, *row)?;
            }
        }
        Ok(bytes)
    }

    /// A row as a place, or plain, if the dictionary has become full.
    fn push_place(&mut self, view: u128, array: &BinaryViewArray, row: usize) -> Result<()> {
        if let Some(dictionary) = self.dictionary.as_mut().filter(|dictionary| dictionary.is_open) {
            let known = dictionary.strings.known(view);
            if let Some(place) = known.or_else(|| dictionary.strings.place(view, array.value(row), dictionary.bytes_max)) {
                dictionary.places.push(place);
                dictionary.value_bytes += u64::from(view as u32);
                return if dictionary.places.len() == self.granule_rows { self.end_places() } else { Ok(()) };
            }
            dictionary.is_open = false;
            for place in dictionary.places.rows() {
                self.page.push(dictionary.strings.value(*place));
            }
            dictionary.places.clear();
        }
        self.page.push(array.value(row));
        if self.page.rows == self.granule_rows { self.end_page() } else { Ok(()) }
    }

    /// Bytes held: pages that are done and the one under way.
    pub fn memory_bytes(&self) -> u64 {
        let dictionary = self.dictionary.as_ref().map_or(0, |dictionary| {
            dictionary.strings.memory_bytes() + dictionary.places.memory_bytes() + dictionary.encoded.capacity() as u64
        });
        self.chunk.memory_bytes() + self.page.plain.capacity() as u64 + dictionary
    }

    /// Ends a page of places.
    fn end_places(&mut self) -> Result<()> {
        let Some(dictionary) = &mut self.dictionary else { return Ok(()) };
        let Dictionary { strings, places, value_bytes, encoded, .. } = dictionary;
        encoded.clear();
        places::encode(places.rows(), strings.len(), encoded);
        let form = PageForm::Places { value_bytes: Some(std::mem::take(value_bytes)) };
        let length = self.chunk.compress(encoded)?;
        self.chunk.push_compressed(length, form, encoded.len(), places.len())?;
        let values = || places.distinct().iter().map(|place| strings.value(*place));
        let (least, greatest) = (values().min().unwrap_or_default(), values().max().unwrap_or_default());
        let bounds = Bounds { least: least.to_vec(), greatest: greatest.to_vec() };
        places.clear();
        self.index_page(bounds);
        Ok(())
    }

    fn end_page(&mut self) -> Result<()> {
        let plain = &self.page.plain;
        let length = self.chunk.compress(plain)?;
        self.chunk.push_compressed(length, PageForm::PlainStrings, plain.len(), self.page.rows)?;
        self.index_page(self.page.bounds());
        self.page.clear();
        Ok(())
    }

    fn index_page(&mut self, bounds: Bounds) {
        let order = self.last_page.as_ref().map_or(Order::FIRST, |last| Order {
            ascends: last.least <= bounds.least && last.greatest <= bounds.greatest,
            descends: last.least >= bounds.least && last.greatest >= bounds.greatest,
        });
        let least = truncated(&bounds.least, self.text).unwrap_or_else(|| bounds.least.clone());
        let greatest = truncated_up(&bounds.greatest, self.text).unwrap_or_else(|| bounds.greatest.clone());
        self.chunk.index_page(least, greatest, order);
        match &mut self.bounds {
            None => self.bounds = Some(bounds.clone()),
            Some(all) => {
                if bounds.least < all.least {
                    all.least.clone_from(&bounds.least);
                }
                if bounds.greatest > all.greatest {
                    all.greatest.clone_from(&bounds.greatest);
                }
            }
        }
        self.last_page = Some(bounds);
    }

    /// The column of the row group, whose last page ends here.
    pub fn finish(mut self) -> Result<EncodedChunk> {
        if self.page.rows > 0 {
            self.end_page()?;
        }
        if self.dictionary.as_ref().is_some_and(|dictionary| dictionary.places.len() > 0) {
            self.end_places()?;
        }
        if let Some(dictionary) = self.dictionary.as_ref().filter(|dictionary| dictionary.strings.len() > 0) {
            self.chunk.push_dictionary(dictionary.strings.plain(), dictionary.strings.len())?;
        }
        let statistics = self.bounds.as_ref().map(|bounds| statistics(bounds, self.text));
        self.chunk.finish(statistics)
    }
}

fn statistics(bounds: &Bounds, text: bool) -> Statistics {
    let (least, greatest) = (truncated(&bounds.least, text), truncated_up(&bounds.greatest, text));
    let exact = (least.is_none(), greatest.is_none());
    let value = |short: Option<Vec<u8>>, whole: &Vec<u8>| Some(ByteArray::from(short.unwrap_or_else(|| whole.clone())));
    let (least, greatest) = (value(least, &bounds.least), value(greatest, &bounds.greatest));
    Statistics::ByteArray(
        ValueStatistics::new(least, greatest, None, Some(0), false).with_min_is_exact(exact.0).with_max_is_exact(exact.1),
    )
}

/// A shorter text that is not greater; `None` where the whole one is short enough.
fn truncated(value: &[u8], text: bool) -> Option<Vec<u8>> {
    (value.len() > STATISTICS_BYTES_MAX).then(|| value[..border(value, text)].to_vec())
}

/// A shorter text that is not less; `None` where the whole one is short enough, or where there is none.
fn truncated_up(value: &[u8], text: bool) -> Option<Vec<u8>> {
    if value.len() <= STATISTICS_BYTES_MAX {
        return None;
    }
    let mut short = value[..border(value, text)].to_vec();
    if !text {
        while let Some(last) = short.pop() {
            if last < u8::MAX {
                short.push(last + 1);
                return Some(short);
            }
        }
        return None;
    }
    // The next character has to be as long, so that the text stays one.
    let mut short = String::from_utf8(short).ok()?;
    while let Some(last) = short.pop() {
        if let Some(next) = char::from_u32(last as u32 + 1).filter(|next| next.len_utf8() == last.len_utf8()) {
            short.push(next);
            return Some(short.into_bytes());
        }
    }
    None
}

/// Where to cut, so that no character is.
fn border(value: &[u8], text: bool) -> usize {
    let continues = |byte: u8| text && byte & 0xC0 == 0x80;
    (1..=STATISTICS_BYTES_MAX).rev().find(|&at| !continues(value[at])).unwrap_or(STATISTICS_BYTES_MAX)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow::array::{ArrayRef, AsArray};
    use parquet::basic::Encoding;
    use proptest::prelude::*;

    use super::super::one_column::{Making, batches, file, metadata, page_rows};
    use super::*;

    #[test]
    fn first_bytes_compare_as_values_do() {
        let value = b"abcdefghij";
        for length in 0..=value.len() {
            let mut filled = [0; 8];
            filled[..length.min(8)].copy_from_slice(&value[..length.min(8)]);
            assert_eq!(first_bytes(&value[..length]), u64::from_be_bytes(filled), "{length} bytes");
        }
    }

    #[test]
    fn a_first_value_larger_than_a_dictionary_leaves_none() {
        let values = ["a".repeat(2 << 20), "b".to_string()];
        let array = Arc::new(BinaryViewArray::from_iter_values(&values)) as ArrayRef;
        let making =
            Making { kind: "String", text: true, dictionary: true, codec: Codec::Lz4, granule_rows: 4, by_own: true };
        let file = file(making, &[array]);
        let column = metadata(&file).row_group(0).column(0).clone();
        assert_eq!(column.dictionary_page_offset(), None);
        assert_eq!(column.encodings().filter(|encoding| *encoding == Encoding::RLE_DICTIONARY).count(), 0);
        let batch = &batches(file)[0];
        let read: Vec<_> = batch.column(0).as_string::<i32>().iter().flatten().collect();
        assert_eq!(read, values);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn a_file_is_as_the_parquet_crate_writes_it(
            blocks in prop::collection::vec(prop::collection::vec("[a-bé\u{10ffff}]{0,50}", 1..12), 1..4),
            zstd in any::<bool>(),
            dictionary in any::<bool>(),
        ) {
            let codec = if zstd { Codec::Zstd } else { Codec::Lz4 };
            let array = |block: &Vec<String>| Arc::new(BinaryViewArray::from_iter_values(block)) as ArrayRef;
            let arrays: Vec<ArrayRef> = blocks.iter().map(array).collect();
            let making = |by_own| Making { kind: "String", text: true, dictionary, codec, granule_rows: 4, by_own };
            let (ours, theirs) = (file(making(true), &arrays), file(making(false), &arrays));
            let (a, b) = (metadata(&ours), metadata(&theirs));
            let (ours_column, theirs_column) = (a.row_group(0).column(0), b.row_group(0).column(0));
            prop_assert_eq!(ours_column.statistics(), theirs_column.statistics());
            prop_assert_eq!(ours_column.num_values(), theirs_column.num_values());
            prop_assert_eq!(ours_column.compression(), theirs_column.compression());
            prop_assert_eq!(ours_column.encodings().collect::<Vec<_>>(), theirs_column.encodings().collect::<Vec<_>>());
            prop_assert_eq!(ours_column.unencoded_byte_array_data_bytes(), theirs_column.unencoded_byte_array_data_bytes());
            prop_assert_eq!(a.column_index(), b.column_index());
            prop_assert_eq!(page_rows(&a), page_rows(&b));
            let read: Vec<String> = batches(ours)
                .iter()
                .flat_map(|batch| batch.column(0).as_string::<i32>().iter().map(|value| value.expect("no NULL").to_string()).collect::<Vec<_>>())
                .collect();
            let expected: Vec<String> = blocks.into_iter().flatten().collect();
            prop_assert_eq!(read, expected);
        }

        #[test]
        fn a_dictionary_that_is_full_ends(
            numbers in prop::collection::vec(0..5000_u32, 100..3000),
            length in prop::sample::select(vec![3_usize, 12, 13, 40]),
            blocks in 1..4_usize,
        ) {
            let value = |number: &u32| format!("{number:0length$}");
            let pieces: Vec<ArrayRef> = numbers
                .chunks(numbers.len().div_ceil(blocks))
                .map(|piece| Arc::new(BinaryViewArray::from_iter_values(piece.iter().map(value))) as ArrayRef)
                .collect();
            let making = Making { kind: "String", text: true, dictionary: true, codec: Codec::Lz4, granule_rows: 64, by_own: true };
            let (ours, theirs) = (file(making, &pieces), file(Making { by_own: false, ..making }, &pieces));
            let (a, b) = (metadata(&ours), metadata(&theirs));
            prop_assert_eq!(a.row_group(0).column(0).statistics(), b.row_group(0).column(0).statistics());
            // The crate ends a page where its dictionary is full, within a granule; ours are granules throughout.
            prop_assert_eq!(page_rows(&a), (0..numbers.len() as i64).step_by(64).collect::<Vec<_>>());
            if page_rows(&a) == page_rows(&b) {
                prop_assert_eq!(a.column_index(), b.column_index());
            }
            let read: Vec<String> = batches(ours)
                .iter()
                .flat_map(|batch| batch.column(0).as_string::<i32>().iter().map(|value| value.expect("no NULL").to_string()).collect::<Vec<_>>())
                .collect();
            prop_assert_eq!(read, numbers.iter().map(value).collect::<Vec<_>>());
        }

        #[test]
        fn bounds_of_bytes_are_cut_outwards(value in prop::collection::vec(prop::sample::select(vec![0u8, 1, 254, 255]), 0..40)) {
            if let Some(least) = truncated(&value, false) {
                prop_assert!(least <= value && least.len() <= STATISTICS_BYTES_MAX);
            }
            if let Some(greatest) = truncated_up(&value, false) {
                prop_assert!(greatest >= value && greatest.len() <= STATISTICS_BYTES_MAX);
            }
        }
    }
}
