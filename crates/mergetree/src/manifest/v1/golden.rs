//! Records as programs write them, kept in `golden/records.jsonl` with every field that a record can have: what one program
//! wrote, each later one reads, and writes in the same bytes. (Their envelope is in the folders of tests/golden.)

use super::{PartEntry, Record};
use crate::invariants;
use crate::manifest::State;

/// One table's versions, a line each; the first and the last with a snapshot.
const RECORDS: &str = include_str!("golden/records.jsonl");
/// Block hashes that the table keeps.
const WINDOW: usize = 100;

fn records() -> Vec<Record> {
    RECORDS.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{line}: {error}"))).collect()
}

#[test]
fn records_are_read_and_written_as_ever() {
    for (line, record) in RECORDS.lines().zip(records()) {
        assert_eq!(serde_json::to_string(&record).expect("writes"), line);
        let data = record.encode().expect("encodes");
        assert_eq!(Record::decode(record.version, &data).expect("decodes"), record);
    }
}

/// A field that no record here has would be one that nobody notices to be read otherwise.
#[test]
fn every_field_is_there() {
    for field in [
        "added",
        "removed",
        "insert_id",
        "block_hashes",
        "ledger",
        "dropped",
        "detached",
        "retrieved",
        "begun",
        "passed",
        "names_passed",
        "projected",
        "deleted",
        "killed",
        "snapshot",
        "statistics",
        "skip_indexes",
        "tail_hash",
        "mutation",
        "ttl",
        "wide",
        "codec",
        "projections",
        "applies_ttl",
        "partition_id",
        "finished_ms",
        "mutations",
        "loads",
        "removed_objects",
        "error",
    ] {
        assert!(RECORDS.contains(&format!("\"{field}\":")), "{field}");
    }
    for operation in ["insert", "merge", "truncate", "mutate", "detach", "attach"] {
        assert!(RECORDS.contains(&format!("\"operation\":\"{operation}\"")), "{operation}");
    }
}

#[test]
fn records_one_after_another_lead_to_the_state_that_they_led_to() {
    let mut state = State::default();
    let mut records = records();
    let last = records.pop().expect("a last one");
    for record in &records {
        if let Some(snapshot) = &record.snapshot {
            let without = Record { snapshot: None, ..record.clone() };
            assert_eq!(state.apply(&without, WINDOW).expect("applies").snapshot(), *snapshot, "{}", record.version);
        }
        state = state.apply(record, WINDOW).expect("applies");
        invariants::check_state(&state).expect("what was promised");
    }
    let snapshot = last.snapshot.clone().expect("the whole state");
    let without = Record { snapshot: None, ..last.clone() };
    assert_eq!(state.apply(&without, WINDOW).expect("applies").snapshot(), snapshot);
    let opened = State::default().apply(&last, WINDOW).expect("opens");
    assert_eq!(opened.snapshot(), snapshot);
    assert_eq!((opened.rows, opened.bytes), (150, 6100));
    assert!(opened.has_insert("token") && !opened.has_block("1_0123456789abcdef0123456789abcdef"));
}

/// The names of parts that passed a mutation: records of before left them as they were.
#[test]
fn parts_that_passed_are_called_as_their_record_says() {
    let mut state = State::default();
    let mut names = Vec::new();
    for record in records().iter().take(6) {
        state = state.apply(record, WINDOW).expect("applies");
        names.push(state.parts.values().map(|part| part.name.clone()).collect::<Vec<_>>().join(" "));
    }
    assert_eq!(
        names,
        [
            "0_1_1_0",
            "0_1_1_0 0_3_3_0 1_2_2_0",
            "0_1_1_0 0_3_3_0 1_2_2_0",
            "0_1_1_0 0_3_3_0 1_2_2_0",
            "0_1_1_0 0_3_3_0_4 1_2_2_0",
            "0_1_1_0_5 0_3_3_0_5 1_2_2_0_5",
        ]
    );
}

/// A part as the first program wrote it has none of the fields that came later, and gets none by being read.
#[test]
fn parts_of_before_have_the_defaults_of_what_came_later() {
    let of_before = concat!(
        r#"{"name":"all_1_1_0","key":"parts/p","partition_id":"all","partition":"tuple()","min_block":1,"max_block":1,"#,
        r#""level":0,"rows":1,"bytes":2,"uncompressed_bytes":3,"granules":1,"tail_offset":4,"index_bytes":5,"created_ms":6,"#,
        r#""ranges":[],"ttl":{"d":{"min":7}}}"#
    );
    let part: PartEntry = serde_json::from_str(of_before).expect("reads");
    assert!(!part.ttl["d"].wide && part.ttl["d"].pending.is_none(), "times of dates that may have wrapped");
    assert!(part.deleted.is_none() && part.mutation == 0 && part.tail_hash == 0 && part.codec.is_empty());
    assert_eq!(serde_json::to_string(&part).expect("writes"), of_before);
}
