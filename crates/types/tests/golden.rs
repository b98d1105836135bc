//! Bytes that ClickHouse wrote: each value is read from its literal and written again in every form.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use gristmill_types::SqlType;
use gristmill_types::builder::{ColumnBuilder, Escaping, ParseOptions};
use gristmill_types::scan::quoted::unescape;
use gristmill_types::text::{TextOptions, ValueWriter};

fn bytes(literal: &str) -> Vec<u8> {
    let mut out = Vec::new();
    unescape(literal.as_bytes(), &mut out).unwrap();
    out
}

#[test]
fn every_value_is_read_and_written_as_clickhouse_does() {
    let file = include_str!("golden/values.tsv");
    let rows: Vec<Vec<&str>> =
        file.lines().filter(|line| !line.starts_with('#')).map(|line| line.split('\t').collect()).collect();
    let mut checked = 0;
    for group in rows.chunk_by(|a, b| a[..2] == b[..2]) {
        let [kind, expression] = group[0][..2] else { panic!("a line has too few columns") };
        let kind: SqlType = kind.parse().unwrap();
        let literal = bytes(group.iter().find(|row| row[2] == "Values").unwrap()[3]);
        let mut column = ColumnBuilder::new(&kind, &ParseOptions::default()).unwrap();
        column.append_text(&literal[1..literal.len() - 1], Escaping::Quoted).unwrap();
        let array = column.finish();
        assert_eq!(array.data_type(), &kind.arrow(), "{kind}");
        let options = TextOptions { json_escape_forward_slashes: true, ..TextOptions::default() };
        let writer = ValueWriter::new(&array, &kind, &options).unwrap();
        for row in group {
            let (escaping, before, after) = match row[2] {
                "TSV" => (Escaping::TsvEscaped, "", "\n"),
                "CSV" => (Escaping::Csv, "", "\n"),
                "JSONEachRow" => (Escaping::Json, "{\"c\":", "}\n"),
                "Values" => (Escaping::Quoted, "(", ")"),
                other => panic!("unknown format {other}"),
            };
            let mut out = before.as_bytes().to_vec();
            writer.write_as(0, escaping, &mut out);
            out.extend_from_slice(after.as_bytes());
            let expected = bytes(row[3]);
            assert_eq!(
                String::from_utf8_lossy(&out),
                String::from_utf8_lossy(&expected),
                "{expression} of type {kind} as {}",
                row[2]
            );
            checked += 1;
            // What JSON says reads back, where JSON can say it.
            if escaping == Escaping::Json && !matches!(kind.plain(), SqlType::Float64) {
                let json = &out[before.len()..out.len() - after.len()];
                let mut back = ColumnBuilder::new(&kind, &ParseOptions::default()).unwrap();
                back.append_json(json).unwrap();
                assert_eq!(&back.finish(), &array, "{expression} from JSON");
            }
        }
    }
    assert!(checked > 250, "only {checked} values were compared");
}
