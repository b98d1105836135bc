//! Checksums of a part's pages.
//!
//! Parquet has room for a checksum in each page's header, but the crate that writes the headers leaves it empty. So a block
//! behind the embedded one keeps 32 bits of the XXH3-64 of every page, dictionaries among them, in the order of the
//! file. Pages are what is read of a column, so whatever is read is checked, and nothing else has to be read for that.

use std::collections::VecDeque;
use std::ops::Range;

use gristmill_base::{Error, ErrorCode, Result};
use parquet::column::writer::ColumnCloseResult;
use parquet::file::metadata::ParquetMetaData;
use parquet::file::page_index::offset_index::PageLocation;
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

const MAGIC: &[u8; 8] = b"GMSUMS1\n";
const FIXED_LENGTH: usize = MAGIC.len() + 4;

fn sum(page: &[u8]) -> u32 {
    xxh3_64(page) as u32
}

/// Sums pages while their bytes go by.
#[derive(Default)]
pub struct PageSummer {
    /// Pages that come, by their places in the file.
    expected: VecDeque<Range<u64>>,
    /// Of the first of them, as far as it came.
    under_way: Xxh3,
    sums: Vec<u32>,
}

impl PageSummer {
    /// Pages lie here; to be said before their bytes come.
    pub fn expect(&mut self, pages: impl IntoIterator<Item = Range<u64>>) {
        self.expected.extend(pages);
    }

    /// The bytes of the file from `at` on.
    pub fn see(&mut self, mut at: u64, mut bytes: &[u8]) {
        while let Some(page) = self.expected.front()
            && !bytes.is_empty()
        {
            let before = page.start.saturating_sub(at).min(bytes.len() as u64);
            let within = page.end.saturating_sub(at + before).min(bytes.len() as u64 - before);
            let end = (before + within) as usize;
            self.under_way.update(&bytes[before as usize..end]);
            at += end as u64;
            bytes = &bytes[end..];
            if at >= page.end {
                self.sums.push(self.under_way.digest() as u32);
                self.under_way.reset();
                self.expected.pop_front();
            }
        }
    }

    /// The block that keeps the sums.
    pub fn encode(&self) -> Result<Vec<u8>> {
        if !self.expected.is_empty() {
            return Err(Error::logical("Pages of a part were announced and not written"));
        }
        let mut out = Vec::with_capacity(FIXED_LENGTH + 4 * self.sums.len() + 8);
        out.extend_from_slice(MAGIC);
        out.extend_from_slice(&(self.sums.len() as u32).to_le_bytes());
        self.sums.iter().for_each(|sum| out.extend_from_slice(&sum.to_le_bytes()));
        out.extend_from_slice(&xxh3_64(&out).to_le_bytes());
        Ok(out)
    }
}

/// The pages of a column that was encoded and will lie from `at` on. They follow one another in the order of their rows; what
/// else was written of the column is its dictionary, which comes first. (Offsets are not final yet.)
pub fn pages_of_chunk(close: &ColumnCloseResult, mut at: u64) -> Vec<Range<u64>> {
    let Some(index) = &close.offset_index else { return Vec::new() };
    let lengths: Vec<u64> = index.page_locations().iter().map(|page| page.compressed_page_size.max(0) as u64).collect();
    let dictionary = Some(close.bytes_written.saturating_sub(lengths.iter().sum())).filter(|length| *length > 0);
    let page = |length: u64| {
        at += length;
        at - length..at
    };
    dictionary.into_iter().chain(lengths).map(page).collect()
}

/// Where pages lie, by the metadata of their column.
fn pages(dictionary: Option<i64>, data: &[PageLocation]) -> impl Iterator<Item = Range<u64>> {
    let dictionary = dictionary.zip(data.first()).map(|(at, first)| at as u64..(first.offset as u64).max(at as u64));
    let data = data.iter().map(|page| page.offset as u64..page.offset as u64 + page.compressed_page_size.max(0) as u64);
    dictionary.into_iter().chain(data)
}

/// The sums of a part that is read.
#[derive(Debug, Default)]
pub struct PageSums {
    /// Ascending.
    pages: Vec<(Range<u64>, u32)>,
}

impl PageSums {
    /// Of a part whose embedded block `tail` goes on behind; nothing where the part has none, as older ones. Errors:
    /// CORRUPTED_DATA.
    pub fn decode(tail: &[u8], metadata: &ParquetMetaData) -> Result<PageSums> {
        if !tail.starts_with(MAGIC) {
            return Ok(PageSums::default());
        }
        let corrupt =
            |what: &str| Error::new(ErrorCode::CORRUPTED_DATA, format!("The sums of its pages are damaged: {what}"));
        let count = tail.get(MAGIC.len()..FIXED_LENGTH).and_then(|count| Some(u32::from_le_bytes(count.try_into().ok()?)));
        let end = FIXED_LENGTH + 4 * count.ok_or_else(|| corrupt("they are cut off"))? as usize;
        let (Some(sums), Some(checksum)) = (tail.get(FIXED_LENGTH..end), tail.get(end..end + 8)) else {
            return Err(corrupt("they are cut off"));
        };
        if checksum != xxh3_64(&tail[..end]).to_le_bytes() {
            return Err(corrupt("their own checksum does not fit"));
        }
        let mut sums = sums.chunks_exact(4).map(|sum| u32::from_le_bytes([sum[0], sum[1], sum[2], sum[3]]));
        let mut all = Vec::with_capacity(sums.len());
        for (group, row_group) in metadata.row_groups().iter().enumerate() {
            for (leaf, column) in row_group.columns().iter().enumerate() {
                let index = metadata.offset_index().and_then(|index| index.get(group)?.get(leaf));
                let data = index.map_or(&[][..], |index| index.page_locations().as_slice());
                for page in pages(column.dictionary_page_offset(), data) {
                    all.push((page, sums.next().ok_or_else(|| corrupt("there are more pages"))?));
                }
            }
        }
        if sums.next().is_some() || !all.is_sorted_by_key(|(page, _)| page.start) {
            return Err(corrupt("they are those of other pages"));
        }
        Ok(PageSums { pages: all })
    }

    pub fn memory_bytes(&self) -> u64 {
        (self.pages.len() * size_of::<(Range<u64>, u32)>()) as u64
    }

    /// All pages in runs of so many bytes, about, of whole pages: to be read one after another.
    pub fn runs(&self, bytes: u64) -> Vec<Range<u64>> {
        let mut runs: Vec<Range<u64>> = Vec::new();
        for (page, _) in &self.pages {
            match runs.last_mut().filter(|run| page.end - run.start <= bytes) {
                Some(run) => run.end = page.end,
                None => runs.push(page.clone()),
            }
        }
        runs
    }

    /// Checks the pages that lie in what was read. Error: CHECKSUM_DOESNT_MATCH.
    pub fn check(&self, range: &Range<u64>, data: &[u8], metadata: &ParquetMetaData) -> Result<()> {
        let first = self.pages.partition_point(|(page, _)| page.start < range.start);
        for (page, expected) in self.pages[first..].iter().take_while(|(page, _)| page.end <= range.end) {
            let bytes = data.get((page.start - range.start) as usize..(page.end - range.start) as usize);
            if bytes.is_none_or(|bytes| sum(bytes) != *expected) {
                return Err(damaged(page, metadata));
            }
        }
        Ok(())
    }
}

fn damaged(page: &Range<u64>, metadata: &ParquetMetaData) -> Error {
    let mut place = String::new();
    for (group, row_group) in metadata.row_groups().iter().enumerate() {
        let column = row_group.columns().iter().find(|column| {
            let (start, length) = column.byte_range();
            start <= page.start && page.start < start + length
        });
        if let Some(column) = column {
            place = format!(" of column {}, row group {group}", column.column_path().string());
        }
    }
    Error::new(
        ErrorCode::CHECKSUM_DOESNT_MATCH,
        format!(
            "The page at byte {}{place} is not what was written ({} bytes): the object is damaged. Other columns and rows of it \
             can be read; restore the object, or drop its partition",
            page.start,
            page.end - page.start
        ),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_of_whole_pages() {
        let page = |range: Range<u64>| (range, 0);
        let sums = PageSums { pages: vec![page(4..10), page(10..40), page(55..90), page(90..300)] };
        assert_eq!(sums.runs(86), [4..90, 90..300]);
        assert_eq!(sums.runs(1), [4..10, 10..40, 55..90, 90..300]);
        assert!(PageSums::default().runs(1).is_empty());
    }

    #[test]
    fn pages_are_summed_however_their_bytes_are_cut() {
        let bytes: Vec<u8> = (0..100).collect();
        let pages = [4..10, 10..40, 55..90];
        let expected: Vec<u32> = pages.iter().map(|page| sum(&bytes[page.clone()])).collect();
        for piece in [1, 3, 7, 50, 100] {
            let mut summer = PageSummer::default();
            summer.expect(pages.iter().map(|page| page.start as u64..page.end as u64));
            for (at, piece) in bytes.chunks(piece).enumerate().map(|(number, bytes)| (number * piece, bytes)) {
                summer.see(at as u64, piece);
            }
            assert_eq!(summer.sums, expected, "pieces of {piece}");
        }
    }
}
