//! Encodes one column of integers, dates or times of one row group: values in, Parquet pages of version 2 out, one page a
//! granule.
//!
//! A page is whichever of these is best: binary packed deltas, in parts that stay perhaps compressed; plain values, compressed;
//! plain values as they are. Packed ones are read several times as fast as ZSTD's plain ones, and what is sorted or lies close
//! together takes fewer bytes so; random values gain by nothing, and a reader then finds them where they lie in the file.
//! Every sixteenth page tries them, and so does one after a page that took far more than was expected; those between are
//! written like the last that tried. Where few values come often, pages are places in a dictionary as long as that is small.
//!
//! Columns with a codec, and numbers that can be NULL or lie in arrays, go the Parquet crate's way.

use std::hash::Hash;
use std::ops::Range;

use arrow::array::{Array, ArrayRef, ArrowPrimitiveType, AsArray};
use arrow::datatypes::{
    ArrowNativeType, DataType, Date32Type, Int8Type, Int16Type, Int32Type, Int64Type, TimeUnit, TimestampMicrosecondType,
    TimestampMillisecondType, TimestampNanosecondType, ToByteSlice, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use bytes::Bytes;
use gristmill_base::{Error, Result};
use parquet::basic::Encoding;
use parquet::file::statistics::Statistics;
use parquet::schema::types::ColumnDescPtr;

use super::chunk::{ChunkBuilder, EncodedChunk, Order, PageForm};
use super::delta_packing::{Word, pack};
use super::encode::Codec;
use super::interning::Numbers;
use super::places;

/// How often the forms are compared.
const TRY_EVERY: usize = 16;
/// Values that compress to more than this share of a hundred are left as they are.
const WORTH_COMPRESSING: usize = 95;

/// The width of a column's values in Parquet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Width {
    Narrow,
    Wide,
}

impl Width {
    /// Of a column as it is stored; `None`: no integers.
    pub fn of(stored: &DataType) -> Option<Width> {
        use DataType as D;
        match stored {
            D::Int8 | D::Int16 | D::Int32 | D::UInt8 | D::UInt16 | D::UInt32 | D::Date32 => Some(Width::Narrow),
            D::Int64 | D::UInt64 => Some(Width::Wide),
            D::Timestamp(TimeUnit::Millisecond | TimeUnit::Microsecond | TimeUnit::Nanosecond, _) => Some(Width::Wide),
            _ => None,
        }
    }
}

/// Values of an array, as Parquet's words.
pub trait Number: Word + ArrowNativeType + Hash + Eq + Into<i64> {
    fn extend(out: &mut Vec<Self>, array: &ArrayRef, rows: Range<usize>) -> Result<()>;
    fn statistics(least: Self, greatest: Self) -> Statistics;
    /// In whose order unsigned values are.
    fn flipped(self) -> Self;
}

fn values<A: ArrowPrimitiveType>(array: &ArrayRef, rows: Range<usize>) -> Result<&[A::Native]> {
    let values = array.as_primitive_opt::<A>().filter(|values| values.null_count() == 0);
    let values = values.ok_or_else(|| Error::logical(format!("{} is encoded as numbers", array.data_type())))?;
    Ok(&values.values()[rows])
}

macro_rules! extend {
    ($out:expr, $array:expr, $rows:expr, $word:ty, $($pattern:pat => $arrow:ty),+) => {
        match $array.data_type() {
            $($pattern => $out.extend(values::<$arrow>($array, $rows)?.iter().map(|&value| value as $word)),)+
            other => return Err(Error::logical(format!("{other} is encoded as numbers"))),
        }
    };
}

impl Number for i32 {
    fn extend(out: &mut Vec<i32>, array: &ArrayRef, rows: Range<usize>) -> Result<()> {
        use DataType as D;
        extend!(out, array, rows, i32,
            D::Int8 => Int8Type, D::Int16 => Int16Type, D::Int32 => Int32Type, D::Date32 => Date32Type,
            D::UInt8 => UInt8Type, D::UInt16 => UInt16Type, D::UInt32 => UInt32Type);
        Ok(())
    }

    fn statistics(least: i32, greatest: i32) -> Statistics {
        Statistics::int32(Some(least), Some(greatest), None, Some(0), false)
    }

    fn flipped(self) -> i32 {
        self ^ i32::MIN
    }
}

impl Number for i64 {
    fn extend(out: &mut Vec<i64>, array: &ArrayRef, rows: Range<usize>) -> Result<()> {
        use DataType as D;
        use TimeUnit as U;
        extend!(out, array, rows, i64,
            D::Int64 => Int64Type, D::UInt64 => UInt64Type,
            D::Timestamp(U::Millisecond, _) => TimestampMillisecondType,
            D::Timestamp(U::Microsecond, _) => TimestampMicrosecondType,
            D::Timestamp(U::Nanosecond, _) => TimestampNanosecondType);
        Ok(())
    }

    fn statistics(least: i64, greatest: i64) -> Statistics {
        Statistics::int64(Some(least), Some(greatest), None, Some(0), false)
    }

    fn flipped(self) -> i64 {
        self ^ i64::MIN
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Packed,
    PackedCompressed,
    Compressed,
    Plain,
}

/// The bytes of a page in each form but the plain one.
#[derive(Clone, Copy)]
struct Lengths {
    packed: usize,
    packed_compressed: usize,
    compressed: usize,
}

pub struct NumbersEncoder<W> {
    chunk: ChunkBuilder,
    granule_rows: usize,
    is_unsigned: bool,
    /// Of the page under way.
    values: Vec<W>,
    packed: Vec<u8>,
    dictionary: Option<Dictionary<W>>,
    form: Form,
    /// Bytes of a thousand rows when the forms were compared last.
    expected: usize,
    /// Pages until they are compared again.
    tries_in: usize,
    /// The least and greatest value of the last page and of all, in the order of the column.
    last_page: Option<(W, W)>,
    bounds: Option<(W, W)>,
}

/// Values that come often.
struct Dictionary<W> {
    numbers: Numbers<W>,
    /// The page under way as places among them.
    places: Vec<u32>,
    values_max: usize,
    /// It takes values; else it is full, and pages are of the other forms since.
    is_open: bool,
}

impl<W: Number> NumbersEncoder<W> {
    /// `stored`: what the arrays are. `dictionary_bytes`: a dictionary of so many bytes at most.
    pub fn new(
        descriptor: ColumnDescPtr,
        codec: Codec,
        stored: &DataType,
        granule_rows: usize,
        dictionary_bytes: Option<usize>,
    ) -> NumbersEncoder<W> {
        NumbersEncoder {
            chunk: ChunkBuilder::new(descriptor, codec),
            granule_rows,
            is_unsigned: stored.is_unsigned_integer(),
            values: Vec::new(),
            packed: Vec::new(),
            dictionary: dictionary_bytes.map(|bytes| Dictionary {
                numbers: Numbers::new(),
                places: Vec::new(),
                values_max: bytes / size_of::<W>(),
                is_open: true,
            }),
            form: Form::Plain,
            expected: 0,
            tries_in: 0,
            last_page: None,
            bounds: None,
        }
    }

    /// Appends values, as they are stored.
    pub fn write(&mut self, stored: &ArrayRef) -> Result<()> {
        let mut at = 0;
        while at < stored.len() {
            let length = (self.granule_rows - self.values.len()).min(stored.len() - at);
            W::extend(&mut self.values, stored, at..at + length)?;
            at += length;
            if self.values.len() == self.granule_rows {
                self.end_page()?;
            }
        }
        Ok(())
    }

    /// Packs what comes instead; to be said before anything is written.
    pub fn without_dictionary(&mut self) {
        self.dictionary = None;
    }

    /// Bytes held: pages that are done and the one under way.
    pub fn memory_bytes(&self) -> u64 {
        let dictionary = self.dictionary.as_ref().map_or(0, |dictionary| {
            dictionary.numbers.memory_bytes() + (dictionary.places.capacity() * size_of::<u32>()) as u64
        });
        self.chunk.memory_bytes() + dictionary + (self.values.capacity() * size_of::<W>() + self.packed.capacity()) as u64
    }

    /// The page as places. False: the dictionary is full, or there is none.
    fn end_places(&mut self) -> Result<bool> {
        let Some(dictionary) = self.dictionary.as_mut().filter(|dictionary| dictionary.is_open) else { return Ok(false) };
        let Dictionary { numbers, places, values_max, is_open } = dictionary;
        for value in &self.values {
            let Some(place) = numbers.place(*value, *values_max) else {
                *is_open = false;
                places.clear();
                return Ok(false);
            };
            places.push(place);
        }
        self.packed.clear();
        places::encode(places, numbers.values().len(), &mut self.packed);
        places.clear();
        let length = self.chunk.compress(&self.packed)?;
        self.chunk.push_compressed(length, PageForm::Places { value_bytes: None }, self.packed.len(), self.values.len())?;
        self.index_page();
        self.values.clear();
        Ok(true)
    }

    fn end_page(&mut self) -> Result<()> {
        if self.end_places()? {
            return Ok(());
        }
        let (rows, plain) = (self.values.len(), self.values.as_slice().to_byte_slice());
        self.packed.clear();
        let mut compressed = None;
        if self.tries_in == 0 {
            pack(&self.values, &mut self.packed);
            // LZ4 finds nothing in packed bits.
            let is_tried = self.chunk.codec() != Codec::Lz4;
            let packed_compressed = if is_tried { self.chunk.compress(&self.packed)? } else { self.packed.len() };
            let length = self.chunk.compress(plain)?;
            let lengths = Lengths { packed: self.packed.len(), packed_compressed, compressed: length };
            self.form = choose(self.chunk.codec(), plain.len(), lengths);
            compressed = Some(length);
        }
        if matches!(self.form, Form::Packed | Form::PackedCompressed) && self.packed.is_empty() {
            pack(&self.values, &mut self.packed);
        }
        let bytes = match self.form {
            Form::PackedCompressed => {
                let length = self.chunk.compress(&self.packed)?;
                let form = PageForm::Numbers { encoding: Encoding::DELTA_BINARY_PACKED, is_compressed: true };
                self.chunk.push_compressed(length, form, self.packed.len(), rows)?;
                length
            }
            Form::Packed => {
                let form = PageForm::Numbers { encoding: Encoding::DELTA_BINARY_PACKED, is_compressed: false };
                self.chunk.push(Bytes::copy_from_slice(&self.packed), form, self.packed.len(), rows)?;
                self.packed.len()
            }
            Form::Compressed => {
                let length = compressed.map_or_else(|| self.chunk.compress(plain), Ok)?;
                let form = PageForm::Numbers { encoding: Encoding::PLAIN, is_compressed: true };
                self.chunk.push_compressed(length, form, plain.len(), rows)?;
                length
            }
            Form::Plain => {
                let form = PageForm::Numbers { encoding: Encoding::PLAIN, is_compressed: false };
                self.chunk.push(Bytes::copy_from_slice(plain), form, plain.len(), rows)?;
                plain.len()
            }
        };
        let of_thousand = bytes * 1000 / rows;
        if self.tries_in == 0 {
            (self.expected, self.tries_in) = (of_thousand, TRY_EVERY);
        }
        self.tries_in = if of_thousand > self.expected + self.expected / 2 { 0 } else { self.tries_in - 1 };
        self.index_page();
        self.values.clear();
        Ok(())
    }

    fn index_page(&mut self) {
        let flip = |value: W| if self.is_unsigned { value.flipped() } else { value };
        let ordered = self.values.iter().map(|&value| flip(value));
        let (least, greatest) = (ordered.clone().min().unwrap_or_default(), ordered.max().unwrap_or_default());
        let order = self.last_page.map_or(Order::FIRST, |last| Order {
            ascends: last.0 <= least && last.1 <= greatest,
            descends: last.0 >= least && last.1 >= greatest,
        });
        let bytes = |value: W| [flip(value)].to_byte_slice().to_vec();
        self.chunk.index_page(bytes(least), bytes(greatest), order);
        self.last_page = Some((least, greatest));
        self.bounds = Some(self.bounds.map_or((least, greatest), |all| (all.0.min(least), all.1.max(greatest))));
    }

    /// The column of the row group, whose last page ends here.
    pub fn finish(mut self) -> Result<EncodedChunk> {
        if !self.values.is_empty() {
            self.end_page()?;
        }
        if let Some(Dictionary { numbers, .. }) = &self.dictionary
            && !numbers.values().is_empty()
        {
            self.chunk.push_dictionary(numbers.values().to_byte_slice(), numbers.values().len())?;
        }
        let flip = |value: W| if self.is_unsigned { value.flipped() } else { value };
        self.chunk.finish(self.bounds.map(|(least, greatest)| W::statistics(flip(least), flip(greatest))))
    }
}

/// What a page is written as, by the bytes that it would take.
fn choose(codec: Codec, plain: usize, lengths: Lengths) -> Form {
    let Lengths { packed, packed_compressed, compressed } = lengths;
    // Some bytes more are read sooner than ZSTD has given the fewer ones back. LZ4 is as fast as unpacking.
    let (accepted, is_zstd) = match codec {
        Codec::Zstd | Codec::ZstdAt(_) => (compressed + compressed / 8, true),
        Codec::Lz4 => (compressed, false),
        // Who wants no codec wants values as they are.
        Codec::Uncompressed => return Form::Plain,
    };
    let worth = plain * WORTH_COMPRESSING / 100;
    let (form, bytes) = if packed <= accepted && packed <= worth {
        (Form::Packed, packed)
    } else if compressed <= worth {
        (Form::Compressed, compressed)
    } else {
        (Form::Plain, plain)
    };
    // Two decoders, one after the other, are for what a fifth of the bytes is saved by: days that repeat a pattern of steps.
    if is_zstd && packed_compressed + packed_compressed / 4 <= bytes { Form::PackedCompressed } else { form }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow::array::{PrimitiveArray, TimestampSecondArray};
    use arrow::compute::concat;
    use proptest::prelude::*;

    use super::super::one_column::{Making, batches, file, metadata, page_rows};
    use super::super::storage_type::to_storage;
    use super::*;

    const GRANULE_ROWS: usize = 300;

    fn making(kind: &'static str, codec: Codec, by_own: bool) -> Making {
        Making { kind, text: false, dictionary: false, codec, granule_rows: GRANULE_ROWS, by_own }
    }

    fn encodings(file: &Bytes) -> Vec<Encoding> {
        let metadata = metadata(file);
        let pages = metadata.row_group(0).column(0).page_encoding_stats().expect("pages").clone();
        pages.iter().flat_map(|pages| std::iter::repeat_n(pages.encoding, pages.count as usize)).collect()
    }

    /// The rows come back, and the metadata says what the Parquet crate's encoder would have said.
    fn check(kind: &'static str, blocks: &[ArrayRef], codec: Codec) {
        let (ours, theirs) = (file(making(kind, codec, true), blocks), file(making(kind, codec, false), blocks));
        let (a, b) = (metadata(&ours), metadata(&theirs));
        let (ours_column, theirs_column) = (a.row_group(0).column(0), b.row_group(0).column(0));
        assert_eq!(ours_column.statistics(), theirs_column.statistics());
        assert_eq!(ours_column.num_values(), theirs_column.num_values());
        assert_eq!(ours_column.compression(), theirs_column.compression());
        assert_eq!(a.column_index(), b.column_index());
        assert_eq!(page_rows(&a), page_rows(&b));
        assert_eq!(batches(ours), batches(theirs));
    }

    fn array<A: ArrowPrimitiveType>(values: &[i64], cast: impl Fn(i64) -> A::Native) -> ArrayRef {
        Arc::new(PrimitiveArray::<A>::from_iter_values(values.iter().map(|&value| cast(value))))
    }

    /// Values of every kind: close together, far apart, at the ends, ascending, all alike.
    fn values() -> impl Strategy<Value = Vec<i64>> {
        let ends = prop::sample::select(vec![i64::MIN, i64::MAX, -1, 0, 1, i64::from(i32::MIN), i64::from(i32::MAX)]);
        let one = prop_oneof![any::<i64>(), -20..20i64, ends];
        let mixed = prop::collection::vec(one, 1..900);
        let near = (any::<i64>(), prop::collection::vec(0..1000i64, 1..900));
        let near = near.prop_map(|(base, steps)| steps.iter().map(|step| base.wrapping_add(*step)).collect());
        let rising = (any::<i64>(), any::<i64>(), 1..900i64);
        let rising =
            rising.prop_map(|(base, step, rows)| (0..rows).map(|row| base.wrapping_add(step.wrapping_mul(row))).collect());
        prop_oneof![mixed, near, rising]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn a_file_says_what_the_parquet_crate_says(
            blocks in prop::collection::vec(values(), 1..4),
            codec in prop::sample::select(vec![Codec::Lz4, Codec::Zstd, Codec::ZstdAt(3), Codec::Uncompressed]),
        ) {
            let made = |make: &dyn Fn(&[i64]) -> ArrayRef| -> Vec<ArrayRef> { blocks.iter().map(|block| make(block)).collect() };
            check("Int64", &made(&|block| array::<Int64Type>(block, |value| value)), codec);
            check("UInt64", &made(&|block| array::<UInt64Type>(block, |value| value as u64)), codec);
            check("Int32", &made(&|block| array::<Int32Type>(block, |value| value as i32)), codec);
            check("UInt32", &made(&|block| array::<UInt32Type>(block, |value| value as u32)), codec);
            check("UInt16", &made(&|block| array::<UInt16Type>(block, |value| value as u16)), codec);
            check("Int8", &made(&|block| array::<Int8Type>(block, |value| value as i8)), codec);
            check("Date32", &made(&|block| array::<Date32Type>(block, |value| value as i32)), codec);
            let seconds = |block: &[i64]| Arc::new(TimestampSecondArray::from_iter_values(block.iter().map(|value| value / 1000))) as ArrayRef;
            check("DateTime", &made(&seconds), codec);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]
        #[test]
        fn with_a_dictionary_as_well(
            // Without an order, so that the first rows do not ask for packing; more values than the dictionary holds, or fewer.
            rows in prop::collection::vec(any::<u32>(), 300..1500),
            distinct in prop::sample::select(vec![1_u32, 2, 3, 100, 20_000]),
            codec in prop::sample::select(vec![Codec::Lz4, Codec::Zstd]),
        ) {
            let values: Vec<i64> = rows.iter().map(|row| i64::from((row % distinct).wrapping_mul(2_654_435_761))).collect();
            let blocks = [array::<Int64Type>(&values, |value| value)];
            let file = |by_own| file(Making { dictionary: true, ..making("Int64", codec, by_own) }, &blocks);
            let (ours, theirs) = (file(true), file(false));
            let (a, b) = (metadata(&ours), metadata(&theirs));
            prop_assert_eq!(a.row_group(0).column(0).statistics(), b.row_group(0).column(0).statistics());
            prop_assert_eq!(a.column_index(), b.column_index());
            prop_assert_eq!(page_rows(&a), page_rows(&b));
            let first = a.row_group(0).column(0).page_encoding_stats().expect("pages")[0].page_type;
            if distinct > 1 && distinct < 200 {
                prop_assert_eq!(first, parquet::basic::PageType::DICTIONARY_PAGE);
            }
            prop_assert_eq!(batches(ours), batches(theirs));
        }
    }

    #[test]
    fn a_page_takes_the_form_that_suits_its_values() {
        let rows = 0..GRANULE_ROWS as i64;
        // The finalizer of splitmix64: neither values nor steps between them repeat anything.
        let scatter = |row: i64| {
            let mixed = (row as u64).wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            (mixed ^ (mixed >> 31)) as i64
        };
        let random: Vec<i64> = rows.clone().map(scatter).collect();
        let times: Vec<i64> = rows.clone().map(|row| 1_700_000_000 + row * 37 % 1009).collect();
        let seldom: Vec<i64> = rows.map(|row| if row % 100 == 0 { random[row as usize] } else { 0 }).collect();
        let of = |values: &[i64], codec| {
            let file = file(making("Int64", codec, true), &[array::<Int64Type>(values, |value| value)]);
            (encodings(&file), file.len())
        };
        // Steps of 1 or 2, one pattern of them again and again.
        let days: Vec<i64> = (0..GRANULE_ROWS as i64).map(|row| 19_000 + row + row / 3 + row / 7).collect();
        assert_eq!(
            (of(&days, Codec::Zstd).0, of(&days, Codec::Lz4).0),
            (of(&times, Codec::Zstd).0, of(&times, Codec::Lz4).0)
        );
        assert!(of(&days, Codec::Zstd).1 + 20 < of(&days, Codec::Lz4).1, "packed, and compressed as well");
        assert_eq!(of(&seldom, Codec::Lz4).0, [Encoding::PLAIN]);
        for codec in [Codec::Lz4, Codec::Zstd] {
            assert_eq!(of(&times, codec).0, [Encoding::DELTA_BINARY_PACKED]);
            assert_eq!(of(&random, codec).0, [Encoding::PLAIN]);
            assert!(of(&seldom, codec).1 < of(&random, codec).1 - GRANULE_ROWS * 6, "compressed");
        }
    }

    #[test]
    fn forms_are_compared_again_where_pages_become_larger() {
        let close = (0..GRANULE_ROWS as i64 * 2).map(|row| row * 37 % 1009);
        let far = (0..GRANULE_ROWS as i64 * 2).map(|row| (row * row).wrapping_mul(0x9e37_79b9_7f4a_7c15_u64 as i64));
        let values: Vec<i64> = close.chain(far).collect();
        let arrays = [array::<Int64Type>(&values, |value| value)];
        let file = file(making("Int64", Codec::Lz4, true), &arrays);
        // The third page is packed as those before it were; it is so large that the fourth tries again.
        let (packed, plain) = (Encoding::DELTA_BINARY_PACKED, Encoding::PLAIN);
        assert_eq!(encodings(&file), [packed, packed, packed, plain]);
        let read: Vec<ArrayRef> = batches(file).iter().map(|batch| batch.column(0).clone()).collect();
        let read: Vec<&dyn Array> = read.iter().map(|array| array.as_ref()).collect();
        let stored = to_storage(&gristmill_types::SqlType::Int64, &arrays[0]).expect("stored");
        assert_eq!(&concat(&read).expect("one array"), &stored);
    }
}
