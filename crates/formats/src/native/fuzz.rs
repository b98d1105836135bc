//! Blocks, frames and rows that were changed at random: each is read or refused, in memory that its own bytes pay for.
//!
//! The examples are ClickHouse's golden blocks of every type, as they are and at the revision of the native protocol, plain and
//! in compressed frames. What is checked of each round: no panic; arrays that hold what they say; little memory and time
//! (`bounded`).

use std::alloc::System;

use ::bytes::Bytes;
use futures::StreamExt;
use gristmill_base::allocations::CountingAllocator;
use gristmill_base::mutations::{Mutations, Rounds, bounded};
use gristmill_introspect::Settings;

use super::tests::{GOLDEN_VALUES, golden, read, written};
use super::*;

/// Counts what a round takes.
#[global_allocator]
static ALLOCATOR: CountingAllocator<System> = CountingAllocator(System);

const ROUNDS: u64 = 20_000;
const REVISIONS: [u64; 4] = [0, 54_032, 54_405, 54_468];

fn examples(revision: u64) -> Vec<Vec<u8>> {
    golden().map(|(_, bytes)| written(&read(&bytes, 1 << 20, 0).expect("golden")[0], revision)).collect()
}

#[test]
fn changed_blocks_are_read_or_refused() {
    let examples: Vec<Vec<Vec<u8>>> = REVISIONS.iter().map(|revision| examples(*revision)).collect();
    for round in Rounds::at_least(ROUNDS) {
        let mut mutations = Mutations::of(round);
        let which = mutations.below(REVISIONS.len());
        let bytes = mutations.changed(&examples[which]);
        let chunk = 1 + mutations.below(64);
        bounded("a block", round, &bytes, || {
            let Ok(blocks) = read(&bytes, chunk, REVISIONS[which]) else { return };
            for block in blocks {
                for array in &block.arrays {
                    assert_eq!(array.len(), block.rows, "round {round}: {}", hex::encode(&bytes));
                    let valid = array.to_data().validate_full();
                    assert!(valid.is_ok(), "round {round}: {valid:?} of {}", hex::encode(&bytes));
                }
            }
        });
    }
}

fn framed(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    frames::write(bytes, &mut out).expect("frames");
    out
}

#[test]
fn changed_frames_are_read_or_refused() {
    let plain = examples(0);
    let whole: Vec<Vec<u8>> = plain.iter().map(|bytes| framed(bytes)).collect();
    for round in Rounds::at_least(ROUNDS) {
        let mut mutations = Mutations::of(round);
        // A changed frame fails at its checksum; one whose data was changed before comes to the block, and one with a checksum of
        // its own to the codec.
        let bytes = match mutations.below(3) {
            0 => mutations.changed(&whole),
            1 => framed(&mutations.changed(&plain)),
            _ => {
                let mut bytes = mutations.changed(&whole);
                frames::tests::seal(&mut bytes);
                bytes
            }
        };
        bounded("a frame", round, &bytes, || {
            let chunks: Vec<_> =
                bytes.chunks(1 + mutations.below(64)).map(|piece| Ok(Bytes::copy_from_slice(piece))).collect();
            let pieces = frames::decoded(futures::stream::iter(chunks)).map(|piece| piece).collect::<Vec<_>>();
            let pieces: Vec<_> = futures::executor::block_on(pieces);
            let mut reader = ByteReader::new(futures::stream::iter(pieces));
            while let Ok(Some(_)) = futures::executor::block_on(read_block(&mut reader, Revision(0))) {}
        });
    }
}

#[test]
fn changed_rows_are_read_or_refused() {
    let kinds: Vec<(gristmill_types::Columns, Vec<u8>)> = GOLDEN_VALUES
        .lines()
        .filter_map(|line| line.split_once('\t'))
        .map(|(kind, bytes)| {
            let columns = gristmill_types::Columns::of([("c", kind.parse().expect(kind))]);
            (columns, hex::decode(bytes).expect("hex"))
        })
        .collect();
    let examples: Vec<Vec<u8>> = kinds.iter().map(|(_, bytes)| bytes.clone()).collect();
    let settings = Settings::default();
    for round in Rounds::at_least(ROUNDS) {
        let mut mutations = Mutations::of(round);
        let columns = &kinds[mutations.below(kinds.len())].0;
        let bytes = mutations.changed(&examples);
        let format =
            if mutations.below(4) == 0 { crate::Format::RowBinaryWithNamesAndTypes } else { crate::Format::RowBinary };
        bounded("rows", round, &bytes, || {
            let Ok(mut parser) = crate::parser(format, columns, &settings, chrono_tz::Tz::UTC, "fuzz") else { return };
            if parser.push(&bytes).is_ok() {
                let _ = parser.finish();
            }
        });
    }
}
