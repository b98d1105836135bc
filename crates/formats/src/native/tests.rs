//! Blocks as ClickHouse writes them, and blocks that lie.

use ::bytes::Bytes;
use gristmill_introspect::Settings;
use gristmill_types::text::{Escaping, TextOptions, ValueWriter};
use proptest::prelude::*;

use super::*;
use crate::input::RowParser;

/// `expression or query <TAB> bytes in hex`, made by ClickHouse 26.9: one block a line.
const GOLDEN: &str = include_str!("golden/blocks.tsv");

pub(super) fn golden() -> impl Iterator<Item = (&'static str, Vec<u8>)> {
    GOLDEN.lines().map(|line| {
        let (query, bytes) = line.split_once('\t').expect("two fields");
        (query, hex::decode(bytes).expect("hex"))
    })
}

/// The blocks of bytes that come in chunks of that length.
pub(super) fn read(bytes: &[u8], chunk: usize, revision: u64) -> gristmill_base::Result<Vec<Block>> {
    let chunks: Vec<_> = bytes.chunks(chunk.max(1)).map(|chunk| Ok(Bytes::copy_from_slice(chunk))).collect();
    let mut reader = ByteReader::new(futures::stream::iter(chunks));
    futures::executor::block_on(async move {
        let mut blocks = Vec::new();
        while let Some(block) = read_block(&mut reader, Revision(revision)).await? {
            blocks.push(block);
        }
        Ok(blocks)
    })
}

pub(super) fn written(block: &Block, revision: u64) -> Vec<u8> {
    let schema = block.columns.arrow();
    let batch = arrow::array::RecordBatch::try_new(schema, block.arrays.clone()).expect("a batch");
    let mut out = Vec::new();
    write_block(&block.columns, Some(&batch), Revision(revision), &mut out).expect("writes");
    out
}

fn text(block: &Block, column: usize, row: usize) -> String {
    let options = TextOptions::new(Escaping::Plain, chrono_tz::Tz::UTC);
    let mut out = Vec::new();
    ValueWriter::new(&block.arrays[column], &block.columns.0[column].kind, &options).expect("a writer").write(row, &mut out);
    String::from_utf8_lossy(&out).into_owned()
}

#[test]
fn clickhouse_s_blocks_are_read_and_written_to_the_byte() {
    for (query, bytes) in golden() {
        for chunk in [1, 3, bytes.len()] {
            let blocks = read(&bytes, chunk, 0).unwrap_or_else(|error| panic!("{query}: {error}"));
            assert_eq!(blocks.len(), 1, "{query}");
            // What lies under a NULL is nobody's value: ClickHouse has what an expression left there, we a default.
            if query.contains("NULL,number") {
                let again = read(&written(&blocks[0], 0), chunk, 0).expect("what was written");
                assert_eq!(again[0].arrays, blocks[0].arrays, "{query}");
                continue;
            }
            assert_eq!(hex::encode(written(&blocks[0], 0)), hex::encode(&bytes), "{query}");
        }
    }
}

#[test]
fn values_are_what_they_were() {
    let values: Vec<(&str, &str)> = vec![
        ("toInt128(-2)", "-2"),
        ("toUInt256(1)", "1"),
        ("toDate('2024-03-15')", "2024-03-15"),
        ("toDate32('1900-01-01')", "1900-01-01"),
        ("toDateTime('2024-03-15 14:30:00','UTC')", "2024-03-15 14:30:00"),
        ("toDateTime64('1969-12-31 23:59:59.5',1,'UTC')", "1969-12-31 23:59:59.5"),
        ("toUUID('550e8400-e29b-41d4-a716-446655440000')", "550e8400-e29b-41d4-a716-446655440000"),
        ("toIPv4('192.168.1.10')", "192.168.1.10"),
        ("toIPv6('2001:db8::1')", "2001:db8::1"),
        ("CAST('b' AS Enum16('a'=1,'b'=300))", "b"),
        ("toDecimal64('-1.5',1)", "-1.5"),
        ("['a',NULL]", "['a',NULL]"),
        ("map('k',[1,2])", "{'k':[1,2]}"),
        ("CAST(['a','b','a'] AS Array(LowCardinality(String)))", "['a','b','a']"),
        ("true", "true"),
    ];
    for (query, expected) in values {
        let (_, bytes) = golden().find(|(known, _)| *known == query).expect(query);
        assert_eq!(text(&read(&bytes, 100, 0).expect("reads")[0], 0, 0), expected, "{query}");
    }
}

/// Types that are narrower in blocks than in memory, three rows of each: the lowest, the highest, and zero.
#[test]
fn narrow_values_stand_where_they_belong() {
    let low_high_zero = |bytes: usize, signed: bool| {
        let mut low = vec![0; bytes];
        let mut high = vec![0xff; bytes];
        if signed {
            low[bytes - 1] = 0x80;
            high[bytes - 1] = 0x7f;
        }
        [low, high, vec![0; bytes]].concat()
    };
    for (kind, bytes, signed, texts) in [
        ("Date", 2, false, ["1970-01-01", "2149-06-06", "1970-01-01"]),
        ("DateTime", 4, false, ["1970-01-01 00:00:00", "2106-02-07 06:28:15", "1970-01-01 00:00:00"]),
        ("Decimal(9, 0)", 4, true, ["-2147483648", "2147483647", "0"]),
        ("Decimal(18, 0)", 8, true, ["-9223372036854775808", "9223372036854775807", "0"]),
        ("UInt128", 16, false, ["0", "340282366920938463463374607431768211455", "0"]),
        ("Int128", 16, true, ["-170141183460469231731687303715884105728", "170141183460469231731687303715884105727", "0"]),
    ] {
        let values = low_high_zero(bytes, signed);
        let mut block = vec![1, 3, 1, b'c'];
        write_string(kind.as_bytes(), &mut block);
        block.extend_from_slice(&values);
        let read = read(&block, 5, 0).expect(kind).remove(0);
        assert_eq!([0, 1, 2].map(|row| text(&read, 0, row)), texts.map(str::to_string), "{kind}");
        assert_eq!(written(&read, 0), block, "{kind}");
        let columns = read.columns.clone();
        assert_eq!(through_rows(crate::Format::RowBinary, &columns, &values, 3).expect(kind), values, "{kind} by rows");
    }
}

#[test]
fn every_revision_reads_what_it_writes() {
    for (query, bytes) in golden() {
        let block = read(&bytes, 100, 0).expect("reads").remove(0);
        for revision in [54406, 54468, 54480] {
            let twice = [written(&block, revision), written(&block, revision)].concat();
            let blocks = read(&twice, 7, revision).unwrap_or_else(|error| panic!("{query} at {revision}: {error}"));
            assert_eq!(blocks.len(), 2, "{query} at {revision}");
            assert_eq!(blocks[1].arrays, block.arrays, "{query} at {revision}");
        }
    }
}

#[test]
fn old_clients_get_no_dictionaries_and_no_zones() {
    let (_, dictionary) = golden().find(|(query, _)| query.starts_with("CAST(['a','b','a']")).expect("golden");
    let block = read(&dictionary, 100, 0).expect("reads").remove(0);
    let old = read(&written(&block, 54404), 100, 54404).expect("reads").remove(0);
    assert_eq!(old.columns.structure(), "c Array(String)");
    assert_eq!(old.arrays, block.arrays);
}

/// A column of which only places 2 and 5 of 7 hold something.
#[test]
fn sparse_columns_are_read() {
    let mut bytes = vec![1, 0, 2, 0xff, 0xff, 0xff, 0xff, 0, 1, 7];
    write_string(b"c", &mut bytes);
    write_string(b"UInt16", &mut bytes);
    bytes.extend_from_slice(&[1, 1]);
    for gap in [2, 2, (1 << 62) | 1] {
        write_varuint(gap, &mut bytes);
    }
    bytes.extend_from_slice(&[9, 0, 8, 0]);
    let block = read(&bytes, 2, 54468).expect("reads").remove(0);
    let values: Vec<String> = (0..7).map(|row| text(&block, 0, row)).collect();
    assert_eq!(values, ["0", "0", "9", "0", "0", "8", "0"]);
}

#[test]
fn a_block_that_lies_is_refused_before_memory_is_taken() {
    let head = |rows: u64, kind: &str| {
        let mut bytes = vec![1];
        write_varuint(rows, &mut bytes);
        write_string(b"c", &mut bytes);
        write_string(kind.as_bytes(), &mut bytes);
        bytes
    };
    let dictionary = |size: u64, flags: u64, key: u8| {
        let mut bytes = head(1, "LowCardinality(String)");
        for number in [1, flags, size] {
            bytes.extend_from_slice(&number.to_le_bytes());
        }
        bytes.extend_from_slice(&[0, 1, b'x']);
        bytes.extend_from_slice(&1u64.to_le_bytes());
        bytes.push(key);
        bytes
    };
    assert!(read(&dictionary(2, 0x600, 1), 5, 0).is_ok(), "the dictionary itself is good");
    for (what, bytes) in [
        ("more rows than bytes", head(100_000_000, "UInt64")),
        ("more rows than any block", head(1 << 40, "Nothing")),
        ("a string longer than any", [head(1, "String"), vec![0xff, 0xff, 0xff, 0xff, 0x7f]].concat()),
        ("arrays that end before they begin", {
            let mut bytes = head(2, "Array(UInt8)");
            bytes.extend_from_slice(&[5u64.to_le_bytes(), 3u64.to_le_bytes()].concat());
            bytes
        }),
        ("a huge array", [head(1, "Array(UInt8)"), vec![0xff; 8]].concat()),
        ("a key behind its dictionary", dictionary(2, 0x600, 2)),
        ("a dictionary of another block", dictionary(2, 0x700, 1)),
        ("a name that no enum has", [head(1, "Enum8('a' = 1)"), vec![7]].concat()),
        ("a type that is none", head(1, "Strng")),
        ("types without end", head(1, &"Array(".repeat(5000))),
        ("values without bytes", head(5, "FixedString(0)")),
    ] {
        assert!(read(&bytes, 64, 0).is_err(), "{what}");
    }
}

#[test]
fn the_format_matches_columns_by_name() {
    let (_, bytes) = golden().find(|(query, _)| query.starts_with("select number::UInt8 as a")).expect("golden");
    let columns = gristmill_types::parse::structure("b String, x Int64, a Int32").expect("columns");
    let mut parser = NativeInput::new(&columns, &Settings::default(), chrono_tz::Tz::UTC, "test");
    let mut batches = Vec::new();
    for byte in &bytes {
        batches.extend(parser.push(&[*byte]).expect("parses"));
    }
    batches.extend(parser.finish().expect("ends"));
    assert_eq!(batches.len(), 1);
    assert_eq!((batches[0].num_rows(), batches[0].schema()), (3, columns.arrow()));
    assert_eq!(columns_of_sample(&bytes, &Settings::default()).expect("columns").structure(), "a UInt8, b String");
    let mut cut = NativeInput::new(&columns, &Settings::default(), chrono_tz::Tz::UTC, "test");
    cut.push(&bytes[..bytes.len() - 1]).expect("waits for more");
    assert!(cut.finish().is_err());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    /// Whatever is changed, cut or put in: a block or an error.
    #[test]
    fn changed_blocks_never_panic(
        which in 0..75usize, at in any::<prop::sample::Index>(), byte in any::<u8>(), cut in any::<prop::sample::Index>(),
        put_in in prop::collection::vec(any::<u8>(), 0..4), chunk in 1..40usize, revision in prop::sample::select(vec![0, 54468]),
    ) {
        let Some((_, golden)) = golden().nth(which) else { return Ok(()) };
        let block = read(&golden, 100, 0).expect("reads").remove(0);
        let mut bytes = written(&block, revision);
        let place = at.index(bytes.len());
        bytes[place] = byte;
        bytes.splice(place..place, put_in);
        bytes.truncate(cut.index(bytes.len() + 1).max(bytes.len() / 2));
        if let Ok(blocks) = read(&bytes, chunk, revision) {
            for block in blocks {
                for array in &block.arrays {
                    prop_assert_eq!(array.len(), block.rows);
                    prop_assert!(array.to_data().validate_full().is_ok());
                }
            }
        }
    }
}

/// `type <TAB> the bytes of one value`, by ClickHouse 26.9.
pub(super) const GOLDEN_VALUES: &str = include_str!("golden/values.tsv");
/// `query <TAB> RowBinaryWithNamesAndTypes`, by ClickHouse 26.9.
const GOLDEN_ROWS: &str = include_str!("golden/rows.tsv");

/// Reads rows that come in chunks, and writes them again.
fn through_rows(
    format: crate::Format,
    columns: &gristmill_types::Columns,
    bytes: &[u8],
    chunk: usize,
) -> gristmill_base::Result<Vec<u8>> {
    let settings = Settings::default();
    let mut parser = crate::parser(format, columns, &settings, chrono_tz::Tz::UTC, "test")?;
    let mut batches = Vec::new();
    for chunk in bytes.chunks(chunk) {
        batches.extend(parser.push(chunk)?);
    }
    batches.extend(parser.finish()?);
    let context = crate::OutputContext {
        settings: std::sync::Arc::new(settings),
        timezone: chrono_tz::Tz::UTC,
        terminal: false,
        width: None,
    };
    let mut writer = crate::writer(format, columns, context)?;
    let mut out = Vec::new();
    writer.start(&mut out)?;
    for batch in &batches {
        writer.write(batch, &mut out)?;
    }
    Ok(out)
}

#[test]
fn rows_of_clickhouse_are_read_and_written_to_the_byte() {
    use crate::Format;
    for line in GOLDEN_VALUES.lines() {
        let (kind, bytes) = line.split_once('\t').expect("two fields");
        let columns = gristmill_types::Columns::of([("c", kind.parse().expect(kind))]);
        let three = hex::decode(bytes.repeat(3)).expect("hex");
        for chunk in [1, 2, 1000] {
            let again =
                through_rows(Format::RowBinary, &columns, &three, chunk).unwrap_or_else(|error| panic!("{kind}: {error}"));
            assert_eq!(hex::encode(again), bytes.repeat(3), "{kind}");
        }
    }
    for line in GOLDEN_ROWS.lines() {
        let (query, bytes) = line.split_once('\t').expect("two fields");
        let bytes = hex::decode(bytes).expect("hex");
        let columns = columns_of_header(&bytes, &Settings::default()).expect("columns");
        for chunk in [1, 7, 1000] {
            let again = through_rows(Format::RowBinaryWithNamesAndTypes, &columns, &bytes, chunk);
            assert_eq!(again.unwrap_or_else(|error| panic!("{query}: {error}")), bytes, "{query}");
        }
    }
}

#[test]
fn rows_without_bytes_do_not_go_on_for_ever() {
    let columns = gristmill_types::Columns::of([("c", "Tuple()".parse().expect("a type"))]);
    assert!(through_rows(crate::Format::RowBinary, &columns, &[], 1).expect("no rows").is_empty());
    let error = through_rows(crate::Format::RowBinary, &columns, &[7], 1).expect_err("a byte of no row");
    assert_eq!(error.code(), gristmill_base::ErrorCode::INCORRECT_DATA);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn changed_rows_never_panic(
        which in 0..64usize, bytes in prop::collection::vec(any::<u8>(), 0..60), chunk in 1..40usize,
    ) {
        let Some((kind, golden)) = GOLDEN_VALUES.lines().nth(which).and_then(|line| line.split_once('\t')) else { return Ok(()) };
        let columns = gristmill_types::Columns::of([("c", kind.parse().expect(kind))]);
        let mut all = hex::decode(golden).expect("hex");
        all.extend(bytes);
        let _ = through_rows(crate::Format::RowBinary, &columns, &all, chunk);
    }
}
