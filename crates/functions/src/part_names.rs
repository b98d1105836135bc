//! What the names of a table's parts say: `mergeTreePartInfo`, `isMergeTreePartCoveredBy`.
//!
//! A name is `partition_least_greatest_level[_mutation]`: blocks from the least to the greatest are in the part. A detached one may
//! have `reason_` before that, and `_try2` after it.

use std::sync::Arc;

use SqlType as T;
use arrow::array::{ArrayRef, BinaryViewBuilder, Int64Builder};
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::SqlType;

use crate::columns::{Bytes, numbers};
use crate::define::{arity, expect_string, plain};
use crate::registry::Registry;
use crate::scalar::{Argument, Bound};
use crate::tuples::struct_array;

/// What a level beyond stands for: old servers wrote the greatest of 32 bits.
const LEVEL_GREATEST: i64 = 999_999_999;

pub fn register(registry: &mut Registry) {
    registry.scalar("mergeTreePartInfo", plain(|name, arguments, _| info(name, arguments)));
    registry.any_case("mergeTreePartInfo");
    registry.any_case("isMergeTreePartCoveredBy");
    registry.scalar(
        "isMergeTreePartCoveredBy",
        plain(|name, arguments, _| {
            arity(name, arguments, 2..=2)?;
            expect_string(name, arguments, 0)?;
            expect_string(name, arguments, 1)?;
            Ok(Bound::new(T::UInt8, |args, rows| {
                let (nested, covering) = (Bytes::of(&args[0])?, Bytes::of(&args[1])?);
                numbers::<arrow::datatypes::UInt8Type>(rows, |row| {
                    Ok(u8::from(Part::of(covering.get(row))?.covers(&Part::of(nested.get(row))?)))
                })
            }))
        }),
    );
}

#[derive(Debug, PartialEq)]
struct Part<'a> {
    partition: &'a str,
    prefix: &'a str,
    suffix: &'a str,
    /// Least and greatest block, level, mutation.
    numbers: [i64; 4],
}

impl<'a> Part<'a> {
    /// Error: BAD_ARGUMENTS.
    fn of(name: &'a [u8]) -> Result<Part<'a>> {
        let text = std::str::from_utf8(name).unwrap_or_default();
        Part::attached(text).or_else(|| Part::detached(text)).ok_or_else(|| {
            let text = format!("Invalid MergeTree part name: '{}'", String::from_utf8_lossy(name));
            Error::new(ErrorCode::BAD_ARGUMENTS, text)
        })
    }

    fn attached(name: &'a str) -> Option<Part<'a>> {
        let mut pieces = name.split('_');
        let partition = pieces.next().filter(|partition| !partition.is_empty())?;
        let mut number = || pieces.next()?.parse::<i64>().ok();
        let (least, greatest) = (number()?, number()?);
        let level = pieces.next()?.parse::<u32>().ok()?;
        let mutation = match pieces.next() {
            Some(piece) => piece.parse::<i64>().ok().filter(|mutation| *mutation >= 0)?,
            None => 0,
        };
        if pieces.next().is_some() || least > greatest {
            return None;
        }
        let level = if level == u32::MAX { LEVEL_GREATEST } else { i64::from(level) };
        Some(Part { partition, prefix: "", suffix: "", numbers: [least, greatest, level, mutation] })
    }

    fn detached(name: &'a str) -> Option<Part<'a>> {
        let (name, suffix) = match name.rsplit_once('_') {
            Some((name, suffix)) if suffix.starts_with("try") => (name, suffix),
            _ => (name, ""),
        };
        let whole = Part::attached(name).map(|part| Part { suffix, ..part });
        whole.or_else(|| {
            let (prefix, rest) = name.split_once('_')?;
            Part::attached(rest).map(|part| Part { prefix, suffix, ..part })
        })
    }

    /// Whether all of another's rows are in this one, after as many merges and mutations at least. More blocks than the other
    /// has come of one merge more.
    fn covers(&self, other: &Part<'_>) -> bool {
        let [least, greatest, level, mutation] = self.numbers;
        let [other_least, other_greatest, other_level, other_mutation] = other.numbers;
        let same_blocks = least == other_least && greatest == other_greatest;
        self.partition == other.partition
            && least <= other_least
            && greatest >= other_greatest
            && level >= other_level
            && mutation >= other_mutation
            && (same_blocks || level > other_level || level == LEVEL_GREATEST)
    }
}

fn info(name: &str, arguments: &[Argument]) -> Result<Bound> {
    arity(name, arguments, 1..=1)?;
    expect_string(name, arguments, 0)?;
    let texts = ["partition_id", "prefix", "suffix"].map(|field| (Some(field.to_string()), T::String));
    let counts = ["min_block", "max_block", "level", "mutation"].map(|field| (Some(field.to_string()), T::Int64));
    let kind = T::Tuple(texts.into_iter().chain(counts).collect());
    Ok(Bound::new(kind.clone(), move |args, rows| {
        let names = Bytes::of(&args[0])?;
        let mut texts: [BinaryViewBuilder; 3] = std::array::from_fn(|_| BinaryViewBuilder::with_capacity(rows));
        let mut counts: [Int64Builder; 4] = std::array::from_fn(|_| Int64Builder::with_capacity(rows));
        for row in 0..rows {
            let part = Part::of(names.get(row))?;
            for (column, text) in texts.iter_mut().zip([part.partition, part.prefix, part.suffix]) {
                column.append_value(text);
            }
            counts.iter_mut().zip(part.numbers).for_each(|(column, number)| column.append_value(number));
        }
        let texts = texts.iter_mut().map(|column| Arc::new(column.finish()) as ArrayRef);
        let counts = counts.iter_mut().map(|column| Arc::new(column.finish()) as ArrayRef);
        struct_array(&kind, texts.chain(counts).collect(), rows)
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn covered(nested: &str, covering: &str) -> bool {
        let (nested, covering) = (Part::of(nested.as_bytes()), Part::of(covering.as_bytes()));
        covering.expect("a part").covers(&nested.expect("a part"))
    }

    #[test]
    fn detached_parts_have_reasons_and_tries() {
        let part = Part::of(b"broken-on-start_all_1_2_3_4_try2").expect("a part");
        assert_eq!((part.partition, part.prefix, part.suffix), ("all", "broken-on-start", "try2"));
        assert_eq!(part.numbers, [1, 2, 3, 4]);
        for name in ["", "all", "all_1_1", "all_2_1_0", "_1_1_0", "all_1_1_0_7_8", "all_1_1_x", "all_1_1_0_"] {
            assert!(Part::of(name.as_bytes()).is_err(), "{name}");
        }
    }

    #[test]
    fn more_blocks_come_of_more_merges() {
        assert!(covered("all_12_25_7_4", "all_7_100_10_20"));
        assert!(covered("all_1_1_0", "all_1_1_0"));
        assert!(!covered("all_1_1_1", "all_1_4_1"));
        assert!(!covered("all_1_1_0_5", "all_1_1_0"));
    }
}
