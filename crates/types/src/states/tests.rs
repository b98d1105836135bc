//! States that ClickHouse wrote.

use arrow::array::{Array, ArrayRef, AsArray, BinaryArray};
use gristmill_base::ErrorCode;

use super::*;

/// `type <TAB> one state in hex`, by ClickHouse 26.9.
const GOLDEN: &str = include_str!("golden/states.tsv");

fn bytes_of(hex: &str) -> Vec<u8> {
    let digit = |c: u8| (c as char).to_digit(16).expect("hex") as u8;
    hex.as_bytes().chunks_exact(2).map(|pair| digit(pair[0]) << 4 | digit(pair[1])).collect()
}

fn golden() -> impl Iterator<Item = (&'static str, Vec<u8>)> {
    GOLDEN.lines().map(|line| {
        let (kind, state) = line.split_once('\t').expect("two fields");
        (kind, bytes_of(state))
    })
}

fn codec(kind: &str) -> Codec {
    match kind.parse().expect(kind) {
        SqlType::AggregateFunction(function, kinds) => {
            Codec::of(&function, &kinds).unwrap_or_else(|error| panic!("{kind}: {error}"))
        }
        other => panic!("{other} holds no states"),
    }
}

fn held(codec: &Codec, bytes: &[u8], times: usize) -> gristmill_base::Result<ArrayRef> {
    let mut reader = codec.reader()?;
    for _ in 0..times {
        codec.take_whole(&mut reader, bytes)?;
    }
    reader.finish()
}

#[test]
fn clickhouse_s_states_are_read_and_written_to_the_byte() {
    for (kind, bytes) in golden() {
        let codec = codec(kind);
        let held = held(&codec, &bytes, 3).unwrap_or_else(|error| panic!("{kind}: {error}"));
        let written = codec.encoded(held.as_binary()).expect(kind);
        assert_eq!(written.len(), 3, "{kind}");
        assert!(written.iter().flatten().all(|state| state == bytes), "{kind}: {:02x?}, not {bytes:02x?}", written.value(0));
    }
}

#[test]
fn a_state_without_rows_is_written_as_clickhouse_has_it() {
    let nothing = BinaryArray::from(vec![&b""[..]]);
    for (kind, expected) in [
        ("AggregateFunction(sum, UInt8)", "0000000000000000"),
        ("AggregateFunction(sum, Nullable(UInt64))", "00"),
        ("AggregateFunction(min, UInt16)", "00"),
        ("AggregateFunction(max, String)", "ffffffff"),
        ("AggregateFunction(argMax, String, UInt64)", "ffffffff00"),
        ("AggregateFunction(groupBitAnd, Int32)", "ffffffff"),
        ("AggregateFunction(groupArray, String)", "00"),
        ("AggregateFunction(uniqExact, Int64)", "00"),
        ("AggregateFunction(groupBitmap, UInt32)", "0000"),
        ("AggregateFunction(uniq, String)", "0000"),
        ("AggregateFunction(uniq, Nullable(UInt8))", "010000"),
        ("AggregateFunction(uniqHLL12, Nullable(UInt8))", "010000"),
        ("AggregateFunction(uniqCombined(13), UInt8)", "0100"),
        ("AggregateFunction(uniqCombined, Nullable(UInt8))", "00"),
        ("AggregateFunction(sumOrNull, UInt64)", "000000000000000000"),
        (
            "AggregateFunction(quantile, UInt64)",
            "002000000000000000000000000000001c36333634313336323233383436373933303035203020313233343539",
        ),
    ] {
        assert_eq!(codec(kind).encoded(&nothing).expect(kind).value(0), bytes_of(expected), "{kind}");
    }
}

#[test]
fn states_that_clickhouse_keeps_otherwise_are_refused_by_name() {
    for kind in [
        "AggregateFunction(topK(3), UInt8)",
        "AggregateFunction(uniqExact, String)",
        "AggregateFunction(groupArray, Array(UInt8))",
        "AggregateFunction(sumIf, UInt8, Nullable(UInt8))",
        "AggregateFunction(sumOrNullArray, UInt8)",
    ] {
        let SqlType::AggregateFunction(function, kinds) = kind.parse().expect(kind) else { panic!("{kind} holds states") };
        let error = Codec::of(&function, &kinds).err().expect(kind);
        assert_eq!(error.code(), ErrorCode::NOT_IMPLEMENTED, "{kind}");
        assert!(error.to_string().contains(&function), "{error}");
    }
}

#[test]
fn states_that_are_cut_or_go_on_are_refused() {
    for (kind, bytes) in golden().filter(|(_, bytes)| bytes.len() < 1000) {
        let codec = codec(kind);
        for length in 0..bytes.len() {
            let error = held(&codec, &bytes[..length], 1).expect_err(kind);
            assert_eq!(error.code(), ErrorCode::CANNOT_READ_ALL_DATA, "{kind}: {length} bytes");
        }
        let error = held(&codec, &[&bytes[..], &[0]].concat(), 1).expect_err(kind);
        assert_eq!(error.code(), ErrorCode::BAD_ARGUMENTS, "{kind}");
    }
}

#[test]
fn states_that_were_changed_are_read_or_refused() {
    for (kind, bytes) in golden().filter(|(_, bytes)| bytes.len() < 200) {
        let codec = codec(kind);
        for place in 0..bytes.len() {
            for byte in [0, 1, 2, 0x7f, 0x80, 0xff] {
                let mut changed = bytes.clone();
                changed[place] = byte;
                let Ok(held) = held(&codec, &changed, 1) else { continue };
                assert_eq!(codec.encoded(held.as_binary()).expect(kind).len(), 1, "{kind}");
            }
        }
    }
}
