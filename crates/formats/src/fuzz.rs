//! Avro and ORC files that were changed at random: each is read or refused, in memory that its own bytes pay for.

use chrono_tz::Tz;
use gristmill_base::mutations::{Mutations, Rounds, bounded};
use gristmill_introspect::Settings;
use gristmill_types::Columns;

use crate::Format;
use crate::output::{OutputContext, ResultSummary, writer};

const ROUNDS: u64 = 20_000;

/// A file of each codec, and its columns.
fn examples(format: Format, codec_setting: &str, codecs: &[&str]) -> (Columns, Vec<Vec<u8>>) {
    let structure = "i Int32, l Nullable(Int64), s String, f FixedString(5), a Array(Nullable(String)), m Map(String, UInt8), \
        t Tuple(x Int64, y Array(Tuple(z Nullable(Float64)))), e Enum8('a' = 1, 'b' = 2), d Decimal(20, 3), b Bool";
    let columns = gristmill_types::parse::structure(structure).expect("a structure");
    let rows = r#"[1, null, "text", "fixed", ["x", null, "longer than twelve bytes"], {"k": 1}, {"x": 5, "y": [{"z": 1.5}, {"z": null}]}, "a", "1.25", true]
        [-1, 77, "", "", [], {}, {"x": 0, "y": []}, "b", "-99999999999999999.999", false]"#;
    let settings = Settings::default();
    let mut parser = crate::parser(Format::JsonCompactEachRow, &columns, &settings, Tz::UTC, "rows").expect("a parser");
    let mut batches = parser.push(rows.as_bytes()).expect("rows");
    batches.extend(parser.finish().expect("rows"));
    let file = |codec: &&str| {
        let mut settings = Settings::default();
        settings.set(codec_setting, codec).expect("known");
        let context = OutputContext { settings: settings.into(), timezone: Tz::UTC, terminal: false, width: None };
        let mut writer = writer(format, &columns, context).expect("a writer");
        let mut file = Vec::new();
        writer.start(&mut file).expect("begun");
        for batch in &batches {
            writer.write(batch, &mut file).expect("written");
        }
        writer.finish(&ResultSummary::default(), &mut file).expect("ended");
        file
    };
    let files = codecs.iter().map(file).collect();
    (columns, files)
}

fn read_or_refused(format: Format, (columns, examples): (Columns, Vec<Vec<u8>>)) {
    let settings = Settings::default();
    for round in Rounds::at_least(ROUNDS) {
        let mut mutations = Mutations::of(round);
        let bytes = mutations.changed(&examples);
        let chunk = 1 + mutations.below(4096);
        bounded(format.name(), round, &bytes, || {
            let inferred = crate::infer_schema(format, &bytes, true, &settings, "fuzz");
            for columns in [Some(columns.clone()), inferred.ok()].into_iter().flatten() {
                let mut parser = crate::parser(format, &columns, &settings, Tz::UTC, "fuzz").expect("a parser");
                let pushed = bytes.chunks(chunk).map(|piece| parser.push(piece)).collect::<gristmill_base::Result<Vec<_>>>();
                let batches = pushed.and_then(|pushed| Ok((pushed, parser.finish()?)));
                for batch in batches.into_iter().flat_map(|(pushed, last)| pushed.into_iter().flatten().chain(last)) {
                    for array in batch.columns() {
                        let valid = array.to_data().validate_full();
                        assert!(valid.is_ok(), "round {round}: {valid:?}");
                    }
                }
            }
        });
    }
}

#[test]
fn changed_avro_files_are_read_or_refused() {
    let codecs = ["null", "deflate", "snappy", "zstd"];
    read_or_refused(Format::Avro, examples(Format::Avro, "output_format_avro_codec", &codecs));
}

#[test]
fn changed_orc_files_are_read_or_refused() {
    let codecs = ["none", "zlib", "snappy", "lz4", "zstd"];
    read_or_refused(Format::Orc, examples(Format::Orc, "output_format_orc_compression_method", &codecs));
}
