//! Files that were changed at random: each is read or refused, in memory that its own bytes pay for.

use chrono_tz::Tz;
use gristmill_base::mutations::{Mutations, Rounds, bounded};
use gristmill_introspect::Settings;
use gristmill_types::Columns;

use crate::Format;
use crate::output::{OutputContext, ResultSummary, writer};

const ROUNDS: u64 = 20_000;

fn examples() -> (Columns, Vec<Vec<u8>>) {
    let structure = "i Int32, l Nullable(Int64), s String, f FixedString(5), a Array(Nullable(String)), m Map(String, UInt8), \
        t Tuple(x Int64, y Array(Tuple(z Nullable(Float64)))), e Enum8('a' = 1, 'b' = 2), d Decimal(20, 3), b Bool";
    let columns = gristmill_types::parse::structure(structure).expect("a structure");
    let rows = r#"[1, null, "text", "fixed", ["x", null, "longer than twelve bytes"], {"k": 1}, {"x": 5, "y": [{"z": 1.5}, {"z": null}]}, "a", "1.25", true]
        [-1, 77, "", "", [], {}, {"x": 0, "y": []}, "b", "-99999999999999999.999", false]"#;
    let settings = Settings::default();
    let mut parser = crate::parser(Format::JsonCompactEachRow, &columns, &settings, Tz::UTC, "rows").expect("a parser");
    let mut batches = parser.push(rows.as_bytes()).expect("rows");
    batches.extend(parser.finish().expect("rows"));
    let files = ["null", "deflate", "snappy", "zstd"].map(|codec| {
        let mut settings = Settings::default();
        settings.set("output_format_avro_codec", codec).expect("known");
        let context = OutputContext { settings: settings.into(), timezone: Tz::UTC, terminal: false, width: None };
        let mut writer = writer(Format::Avro, &columns, context).expect("a writer");
        let mut file = Vec::new();
        writer.start(&mut file).expect("begun");
        for batch in &batches {
            writer.write(batch, &mut file).expect("written");
        }
        writer.finish(&ResultSummary::default(), &mut file).expect("ended");
        file
    });
    (columns, files.to_vec())
}

#[test]
fn changed_files_are_read_or_refused() {
    let (columns, examples) = examples();
    let settings = Settings::default();
    for round in Rounds::at_least(ROUNDS) {
        let mut mutations = Mutations::of(round);
        let bytes = mutations.changed(&examples);
        let chunk = 1 + mutations.below(4096);
        bounded("an Avro file", round, &bytes, || {
            let inferred = crate::infer_schema(Format::Avro, &bytes, true, &settings, "fuzz");
            for columns in [Some(columns.clone()), inferred.ok()].into_iter().flatten() {
                let mut parser = crate::parser(Format::Avro, &columns, &settings, Tz::UTC, "fuzz").expect("a parser");
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
