//! What clients send, changed at random: each packet, parameter and form is read or refused, in memory that its own bytes pay
//! for. (Blocks and frames by themselves: `fuzz.rs` of the formats. Whole conversations with a server that runs:
//! `tests/clients/test_malformed.py`.)

use std::alloc::System;

use bytes::Bytes;
use futures::{FutureExt, StreamExt};
use gristmill_base::Result;
use gristmill_base::allocations::CountingAllocator;
use gristmill_base::mutations::{Mutations, Rounds, bounded};
use gristmill_formats::native::{ByteReader, revision};
use gristmill_introspect::Settings;

use crate::http::{external, input, request::Parameters};
use crate::known_settings;
use crate::native::client::Words;
use crate::native::tests::{HELLO_2018, hello, query};

/// Counts what a round takes.
#[global_allocator]
static ALLOCATOR: CountingAllocator<System> = CountingAllocator(System);

const ROUNDS: u64 = 10_000;
const REVISIONS: [u64; 5] = [54_032, 54_412, 54_460, revision::SERVER, 54_493];

#[test]
fn changed_packets_are_read_or_refused() {
    let many: Vec<(String, String)> = (0..40).map(|at| (format!("custom_{at}"), "x".repeat(at))).collect();
    let many: Vec<(&str, &str)> = many.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    let examples: Vec<Vec<u8>> = [
        hello(revision::SERVER, "default"),
        hex::decode(HELLO_2018).expect("hex"),
        query("SELECT {a:UInt8}", &[("max_threads", "2")], &[("a", "'1'")]),
        query("INSERT INTO t VALUES", &[], &[]),
        query("SELECT 1", &many, &[("b", "'\\'")]),
    ]
    .into_iter()
    // Without the packet's code.
    .map(|bytes| bytes[1..].to_vec())
    .collect();
    for round in Rounds::at_least(ROUNDS) {
        let mut mutations = Mutations::of(round);
        let bytes = mutations.changed(&examples);
        let chunk = 1 + mutations.below(64);
        let revision = REVISIONS[mutations.below(REVISIONS.len())];
        let (which, compressed) = (mutations.below(5), mutations.below(2) == 0);
        bounded("a packet", round, &bytes, || {
            let chunks: Vec<_> = bytes.chunks(chunk).map(|piece| Ok(Bytes::copy_from_slice(piece))).collect();
            let mut reader = ByteReader::new(futures::stream::iter(chunks));
            let mut words = Words { reader: &mut reader, revision };
            let read = async {
                match which {
                    0 => drop(words.hello().await?),
                    1 => drop(words.addendum().await?),
                    2 => drop(words.tables_status().await?),
                    3 => drop(words.data(compressed).await?),
                    _ => {
                        let query = words.query().await?;
                        words.reader.byte().await?;
                        words.data(query.compressed).await?;
                    }
                }
                Ok(())
            };
            let _: Result<()> = futures::executor::block_on(read);
        });
    }
}

#[test]
fn changed_parameters_are_taken_or_refused() {
    let examples: Vec<Vec<u8>> = [
        "query=SELECT+1&database=default&max_threads=2&wait_end_of_query=1&query_id=a%20b&session_id=s&session_timeout=60",
        "query=SELECT%20%7Bx%3AArray(UInt8)%7D&param_x=%5B1%2C2%5D&compress=1&decompress=true&buffer_size=100&role=a&role=b",
        "t_format=CSV&t_structure=a+UInt8%2C+b+Nullable(String)&t_types=UInt8,Array(Tuple(a%20String,b%20Map(String,UInt8)))",
    ]
    .map(|text| text.as_bytes().to_vec())
    .to_vec();
    // Each looks through the names of all settings.
    for round in Rounds::at_least(ROUNDS / 50) {
        let bytes = Mutations::of(round).changed(&examples);
        bounded("parameters", round, &bytes, || {
            let parameters = Parameters::of(Some(&String::from_utf8_lossy(&bytes)));
            let _ = (parameters.flag("compress"), parameters.flag("decompress"), parameters.session());
            let mut settings = Settings::default();
            for (name, value) in &parameters.settings {
                let _ = known_settings::set(&mut settings, name, value);
            }
            for text in parameters.of_tables.values() {
                let _ = (gristmill_types::parse::structure(text), text.parse::<gristmill_types::SqlType>());
            }
        });
    }
}

#[test]
fn changed_forms_are_read_or_refused() {
    let form = |name: &str, file: &str, data: &str| {
        let file = if file.is_empty() { String::new() } else { format!("; filename=\"{file}\"") };
        format!("--x\r\nContent-Disposition: form-data; name=\"{name}\"{file}\r\n\r\n{data}\r\n")
    };
    let examples: Vec<Vec<u8>> = [
        form("query", "", "SELECT 1") + &form("ids", "ids.tsv", "1\ta\n2\tb\n") + "--x--\r\n",
        form("t", "t", "1,\"a\"\n2,\"b\"\n") + &form("param_x", "", "1") + &form("t_format", "", "CSV") + "--x--\r\n",
        form("t", "t", "{\"a\":1,\"b\":[1,2]}\n") + &form("t_format", "", "JSONEachRow") + "--x--\r\n",
    ]
    .map(String::into_bytes)
    .to_vec();
    let settings = Settings::default();
    for round in Rounds::at_least(ROUNDS / 4) {
        let mut mutations = Mutations::of(round);
        let bytes = mutations.changed(&examples);
        let chunk = 1 + mutations.below(64);
        bounded("a form", round, &bytes, || {
            let mut parameters = Parameters::of(Some("ids_types=UInt8,Nullable(String)"));
            let chunks: Vec<_> = bytes.chunks(chunk).map(|piece| Ok(Bytes::copy_from_slice(piece))).collect();
            let body = futures::stream::iter(chunks).boxed();
            if let Ok(parts) = futures::executor::block_on(external::read_form(body, "x".to_string(), &mut parameters)) {
                let _ = external::tables(parts, &parameters, &settings);
            }
        });
    }
}

#[test]
fn changed_texts_are_taken_apart() {
    let examples: Vec<Vec<u8>> = [
        "INSERT INTO t FORMAT CSV\n1,2\n",
        "insert /* a */ into `t` (a, b) settings x = 1 values (1, 'a;b'), (2, '')",
        "WITH 1 AS x INSERT INTO t SELECT a FROM input('a UInt8') FORMAT JSONEachRow {\"a\":1}",
        "SELECT $a$ text $a$, 'b', \"c\", `d` -- e\n/* f /* g */ */ FROM t FORMAT JSON",
    ]
    .map(|text| text.as_bytes().to_vec())
    .to_vec();
    for round in Rounds::at_least(ROUNDS) {
        let mut mutations = Mutations::of(round);
        let bytes = mutations.changed(&examples);
        let chunk = 1 + mutations.below(64);
        bounded("a text", round, &bytes, || {
            let chunks: Vec<_> = bytes.chunks(chunk).map(|piece| Ok(Bytes::copy_from_slice(piece))).collect();
            // All of the body is there: nothing is waited for.
            let taken = input::take(b"", futures::stream::iter(chunks).boxed()).now_or_never();
            let Some(Ok(taken)) = taken else { return };
            let _ = gristmill_sql::statement::parse(&taken.statement.text, &std::collections::BTreeMap::new());
        });
    }
}
