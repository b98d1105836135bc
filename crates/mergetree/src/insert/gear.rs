//! The gear of an INSERT: lanes × bytes of a block × parts written at a time.
//!
//! Large blocks make few parts, which spares merges; they take memory, and lanes share it: a lane holds the block that
//! fills, the block that is written and the encoded copy of it. So a block is as large as the largest of these asks, up to
//! what memory allows:
//!
//! - a least size, from which on parts are worth their objects, and twice that once the INSERT has brought a gigabyte. Blocks of
//!   one size find the memory of those before them free; while they grew with the load, a sixteenth of what was loaded, each
//!   was too large for it, and a load of five gigabytes took a quarter more time and 1.7 times the memory;
//! - enough for every partition that the blocks fall into to get a part of some size;
//! - twice and four times that, where parts pile up in the fullest partition.
//!
//! Lanes begin as cores. Twice a second they are looked at: lanes that wait for rows most of the time are too many (fewer
//! lanes have larger blocks), and where rows wait for lanes while cores idle there are too few. What is set by a setting is
//! left alone. Accounted memory rules over all of it: a lane writes early when its budget ends (`lane.rs`).

use std::sync::Arc;
use std::time::Duration;

use gristmill_base::machine;
use gristmill_introspect::insert_gear::{InsertGear, InsertLimit};
use gristmill_introspect::tracing::Level;
use gristmill_introspect::{Event, QueryContext, tell};
use parking_lot::Mutex;

use crate::settings::TableSettings;

/// A block is not smaller than that by choice. (Blocks of 256 MiB load no faster: they touch more fresh memory, a load of
/// posts spent 1.4 times as long in the kernel.)
const LEAST_BYTES: u64 = 64 << 20;
/// An INSERT that has brought so much has blocks of twice the least size.
const LONG_LOAD_BYTES: u64 = 1 << 30;
/// Bytes in memory that a partition should get of a block.
const PARTITION_BYTES: u64 = 16 << 20;
/// Blocks that a lane holds: the one that fills, the one that is written, and a copy in pieces.
const BLOCKS_HELD: u64 = 3;
/// What an open part takes for each of its columns: encoders and their pages.
const COLUMN_BYTES: u64 = 128 << 10;
const PARTS_AT_ONCE: usize = 16;
const LOOK_EVERY: Duration = Duration::from_millis(500);

pub struct Gear {
    context: Arc<QueryContext>,
    fixed: Fixed,
    state: Mutex<State>,
}

/// What does not change while the INSERT runs.
struct Fixed {
    cores: usize,
    /// Bytes for blocks and parts of all lanes.
    budget: u64,
    columns: u64,
    set_lanes: Option<usize>,
    /// Rows and bytes, as set.
    set_block: Option<(u64, u64)>,
    /// Rows and bytes at which a block is cut, of `use_strict_insert_block_limits`; 0: at none.
    most: Option<(u64, u64)>,
    set_parts_at_once: Option<usize>,
    set: Vec<&'static str>,
    parts_to_delay: u64,
    /// Lanes that make sense at most.
    lanes_most: usize,
}

impl Fixed {
    /// Lanes for whose open parts half of the memory is enough: one of two thousand columns takes a quarter of a gigabyte.
    fn lanes_with_room(&self) -> usize {
        match self.budget {
            0 => usize::MAX,
            budget => (budget / 2 / (self.columns * COLUMN_BYTES)).max(1) as usize,
        }
    }
}

struct State {
    lanes: usize,
    block_bytes: u64,
    reason: &'static str,
    limit: InsertLimit,
    shifts: u64,
    /// Bytes that blocks have taken so far.
    loaded: u64,
    /// Partitions of the latest block.
    partitions: u64,
    /// Those of them that the block before it had, too.
    partitions_again: u64,
    /// Parts of the fullest partition.
    parts: u64,
    looked: Look,
}

/// Counters at one time.
#[derive(Clone, Copy, Default)]
struct Look {
    at: Duration,
    cpu: Duration,
    rows_waited: u64,
    lanes_waited: u64,
    delayed_ms: u64,
}

impl Gear {
    pub fn new(context: &Arc<QueryContext>, settings: &TableSettings, columns: usize) -> Gear {
        let of_query = &context.settings;
        let mut set = Vec::new();
        let mut note = |name: &'static str| {
            let changed = of_query.is_changed(name);
            if changed {
                set.push(name);
            }
            changed
        };
        let lanes = of_query.max_insert_threads > 0 && note("max_insert_threads");
        let rows = note("min_insert_block_size_rows");
        let bytes = note("min_insert_block_size_bytes");
        let is_strict = of_query.use_strict_insert_block_limits;
        if is_strict {
            note("use_strict_insert_block_limits");
        }
        // Blocks that are to be known again are not cut by how fast things go.
        let known_again = settings.non_replicated_deduplication_window > 0 && of_query.insert_deduplicate;
        let parts_at_once = of_query.max_insert_delayed_streams_for_parallel_write as usize;
        let parts = parts_at_once > 0 && note("max_insert_delayed_streams_for_parallel_write");
        if known_again && !rows && !bytes {
            set.push("non_replicated_deduplication_window");
        }
        let account = context.memory.limit_bytes();
        // The other half is for whatever the rows come from. Where nobody set a limit the machine's is not there to be used up by one INSERT.
        let budget = if of_query.max_memory_usage > 0 { account / 2 } else { account / 4 };
        let fixed = Fixed {
            cores: context.threads(),
            budget,
            columns: columns.max(1) as u64,
            set_lanes: lanes.then_some(of_query.max_insert_threads as usize),
            set_block: (rows || bytes || known_again || is_strict)
                .then_some((of_query.min_insert_block_size_rows, of_query.min_insert_block_size_bytes)),
            most: is_strict.then_some((of_query.max_insert_block_size, of_query.max_insert_block_size_bytes)),
            set_parts_at_once: parts.then_some(parts_at_once),
            set,
            parts_to_delay: match of_query.parts_to_delay_insert {
                0 => settings.parts_to_delay_insert,
                of_query => of_query,
            },
            lanes_most: context.threads() * 2,
        };
        let fixed = Fixed { lanes_most: fixed.lanes_most.min(fixed.lanes_with_room()), ..fixed };
        let lanes = fixed.set_lanes.unwrap_or(fixed.cores.min(fixed.lanes_most)).clamp(1, 256);
        let state = State {
            lanes,
            block_bytes: 0,
            reason: "",
            limit: InsertLimit::Unknown,
            shifts: 0,
            loaded: 0,
            partitions: 1,
            partitions_again: 1,
            parts: 0,
            looked: Look::default(),
        };
        let gear = Gear { context: context.clone(), fixed, state: Mutex::new(state) };
        {
            let mut state = gear.state.lock();
            state.looked = gear.look();
            gear.choose_block(&mut state);
            state.shifts = 0;
            gear.show(&state);
        }
        gear
    }

    /// Lanes that should work now.
    pub fn lanes(&self) -> usize {
        let mut state = self.state.lock();
        // Asked for every batch; the system is asked for processor times only when it is time to look.
        if self.context.elapsed().saturating_sub(state.looked.at) >= LOOK_EVERY {
            let now = self.look();
            self.retune(&mut state, now);
        }
        state.lanes
    }

    /// Whether a block of that size is to be written.
    pub fn is_full(&self, rows: u64, bytes: u64) -> bool {
        let reached = |limit: u64, now: u64| limit > 0 && now >= limit;
        match (self.fixed.set_block, self.fixed.most) {
            (Some(least), Some(most)) => {
                (rows >= least.0 && bytes >= least.1) || reached(most.0, rows) || reached(most.1, bytes)
            }
            (Some((0, 0)), None) => true,
            (Some(set), None) => reached(set.0, rows) || reached(set.1, bytes),
            (None, _) => bytes >= self.state.lock().block_bytes,
        }
    }

    /// How many of a batch's rows the block takes until it is cut, at least one. Both are told by their rows and bytes.
    pub fn rows_that_fit(&self, block: (u64, u64), batch: (u64, u64)) -> u64 {
        let Some((most_rows, most_bytes)) = self.fixed.most else { return batch.0 };
        let left = |most: u64, taken: u64| if most == 0 { u64::MAX } else { most.saturating_sub(taken) };
        // Rows of one batch are taken to be of one size.
        let by_bytes = u128::from(left(most_bytes, block.1)) * u128::from(batch.0) / u128::from(batch.1.max(1));
        let by_bytes = by_bytes.min(u128::from(batch.0)) as u64;
        left(most_rows, block.0).min(by_bytes).clamp(1, batch.0.max(1))
    }

    /// A lane hands a block over; the fullest partition has so many parts.
    pub fn block(&self, bytes: u64, parts: u64) {
        let mut state = self.state.lock();
        state.loaded += bytes;
        state.parts = parts;
        self.choose_block(&mut state);
        self.show(&state);
    }

    /// A block fell into so many partitions, of which so many had rows of the lane's last block too: larger blocks would make
    /// larger parts of those alone. Gives the parts to be written at a time.
    pub fn parts_at_once(&self, partitions: usize, again: usize) -> usize {
        let mut state = self.state.lock();
        state.partitions = partitions as u64;
        state.partitions_again = again as u64;
        self.choose_block(&mut state);
        self.show(&state);
        self.open_parts(&state)
    }

    /// Partitions of the latest block, at least one.
    pub fn partitions(&self) -> u64 {
        self.state.lock().partitions.max(1)
    }

    /// Blocks that an INSERT of so many bytes would make, about; `None` where settings decide.
    pub fn blocks_of(&self, bytes: u64) -> Option<u64> {
        if self.fixed.set_block.is_some() {
            return None;
        }
        let room = self.room(self.state.lock().lanes);
        let (mut loaded, mut blocks) = (0, 0);
        while loaded < bytes {
            let block = block_of_load(loaded).0.min(room);
            if loaded >= LONG_LOAD_BYTES || block == room {
                // From here on all are as large as this one.
                return Some(blocks + (bytes - loaded).div_ceil(block));
            }
            loaded += block;
            blocks += 1;
        }
        Some(blocks)
    }

    fn open_parts(&self, state: &State) -> usize {
        if let Some(set) = self.fixed.set_parts_at_once {
            return set.max(1);
        }
        let room = self.fixed.budget / 4 / state.lanes as u64;
        match self.fixed.budget {
            0 => PARTS_AT_ONCE,
            _ => (room / (self.fixed.columns * COLUMN_BYTES)).clamp(1, PARTS_AT_ONCE as u64) as usize,
        }
    }

    /// What memory allows a block to be.
    fn room(&self, lanes: usize) -> u64 {
        match self.fixed.budget {
            0 => u64::MAX,
            budget => {
                let parts = (self.fixed.columns * COLUMN_BYTES).saturating_mul(lanes as u64);
                (budget.saturating_sub(parts) / (BLOCKS_HELD * lanes as u64)).max(1 << 20)
            }
        }
    }

    fn choose_block(&self, state: &mut State) {
        let mut wanted = block_of_load(state.loaded);
        let by_partitions = state.partitions_again.saturating_mul(PARTITION_BYTES);
        if by_partitions > wanted.0 {
            wanted = (by_partitions, "a share for every partition");
        }
        let delay = self.fixed.parts_to_delay;
        if delay > 0 && state.parts * 4 >= delay {
            let factor = if state.parts * 2 >= delay { 4 } else { 2 };
            wanted = (wanted.0.saturating_mul(factor), "parts pile up: larger ones");
        }
        let room = self.room(state.lanes);
        if room < wanted.0 {
            wanted = (room, "what memory allows");
        }
        // Small steps would only be told, not felt.
        let before = state.block_bytes;
        if wanted.0 >= before.saturating_add(before / 4) || wanted.0 < before {
            state.shifts += u64::from(before > 0);
            state.block_bytes = wanted.0;
            state.reason = wanted.1;
        }
    }

    fn look(&self) -> Look {
        let get = |event| self.context.counters.get(event);
        Look {
            at: self.context.elapsed(),
            cpu: machine::cpu_time(),
            rows_waited: get(Event::InsertRowsWaitedForLanesMicroseconds),
            lanes_waited: get(Event::InsertLanesWaitedForRowsMicroseconds),
            delayed_ms: get(Event::DelayedInsertsMilliseconds),
        }
    }

    fn retune(&self, state: &mut State, now: Look) {
        let before = std::mem::replace(&mut state.looked, now);
        let share = |part: u64, of: Duration| part as f64 / of.as_micros().max(1) as f64;
        let time = now.at.saturating_sub(before.at);
        let lanes_idle = share(now.lanes_waited - before.lanes_waited, time * state.lanes as u32);
        let rows_wait = now.rows_waited > before.rows_waited;
        let busy = share(now.cpu.saturating_sub(before.cpu).as_micros() as u64, time * self.fixed.cores as u32);
        let delayed = now.delayed_ms > before.delayed_ms;
        let lanes = state.lanes;
        state.limit = if delayed {
            InsertLimit::Merges
        } else if busy > 0.9 {
            InsertLimit::Cores
        } else if lanes_idle > 0.5 {
            InsertLimit::Source
        } else {
            InsertLimit::Storage
        };
        if self.fixed.set_lanes.is_none() {
            // Before its first block is full a lane only waits, however fast the rows come.
            if lanes_idle > 0.6 && lanes > 1 && state.loaded > 0 {
                state.lanes -= 1;
            } else if rows_wait && lanes_idle < 0.1 && busy < 0.7 && !delayed && lanes < self.fixed.lanes_most {
                // Another lane has blocks of its own: the others' must not become smaller than they should be.
                state.lanes += usize::from(self.room(lanes + 1) >= LEAST_BYTES);
            }
        }
        if state.lanes != lanes {
            state.shifts += 1;
            self.choose_block(state);
        }
        let bound_by_memory = self.fixed.set_block.is_none() && self.room(state.lanes) < LEAST_BYTES;
        if bound_by_memory && state.limit != InsertLimit::Source {
            state.limit = InsertLimit::Memory;
        }
        self.show(state);
    }

    fn show(&self, state: &State) {
        let (block_rows, block_bytes) = self.fixed.set_block.unwrap_or((0, state.block_bytes));
        let gear = InsertGear {
            lanes: state.lanes,
            block_bytes,
            block_rows,
            parts_at_once: self.open_parts(state),
            shifts: state.shifts,
            limit: state.limit,
            set: self.fixed.set.clone(),
            reason: if self.fixed.set_block.is_none() { state.reason } else { "" },
        };
        if self.context.is_told(Level::DEBUG) {
            let before = self.context.insert_gear.shown();
            if before.as_ref() != Some(&gear) {
                let how = if before.is_none() { "The INSERT begins with" } else { "The INSERT goes on with" };
                tell!(self.context, DEBUG, "InsertGear", "{how} {gear}");
            }
        }
        self.context.insert_gear.show(gear);
    }
}

/// The bytes of a block that an INSERT asks for which has brought so many, and why.
fn block_of_load(loaded: u64) -> (u64, &'static str) {
    if loaded < LONG_LOAD_BYTES {
        (LEAST_BYTES, "the least that is worth a part")
    } else {
        (2 * LEAST_BYTES, "the load is long")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::context;

    const MIB: u64 = 1 << 20;

    fn gear(settings: &[(&str, &str)], columns: usize) -> Gear {
        Gear::new(&context(settings).expect("context"), &TableSettings::default(), columns)
    }

    fn shown(gear: &Gear) -> InsertGear {
        gear.context.insert_gear.shown().expect("a gear")
    }

    /// Bytes from which on a block is full.
    fn block(gear: &Gear) -> u64 {
        assert!(!gear.is_full(u64::MAX, shown(gear).block_bytes - 1) && gear.is_full(1, shown(gear).block_bytes));
        shown(gear).block_bytes
    }

    #[test]
    fn a_long_load_has_larger_blocks_all_of_one_size() {
        let gear = gear(&[("max_threads", "2"), ("max_memory_usage", "100000000000")], 10);
        assert_eq!((shown(&gear).lanes, block(&gear)), (2, LEAST_BYTES));
        for _ in 0..15 {
            gear.block(LEAST_BYTES, 1);
        }
        assert_eq!(block(&gear), LEAST_BYTES, "a load that is not yet long");
        gear.block(LEAST_BYTES, 1);
        assert_eq!((block(&gear), shown(&gear).reason, shown(&gear).shifts), (2 * LEAST_BYTES, "the load is long", 1));
        gear.block(100 * LONG_LOAD_BYTES, 1);
        assert_eq!((block(&gear), shown(&gear).shifts), (2 * LEAST_BYTES, 1));
    }

    #[test]
    fn the_blocks_of_a_load_are_told_before() {
        let gear = gear(&[("max_threads", "2"), ("max_memory_usage", "100000000000")], 10);
        assert_eq!(gear.blocks_of(1), Some(1));
        assert_eq!(gear.blocks_of(16 * LEAST_BYTES), Some(16));
        assert_eq!(gear.blocks_of(LONG_LOAD_BYTES + 2 * LEAST_BYTES + 1), Some(16 + 2));
        assert_eq!(gear.blocks_of(1 << 40), Some(16 + (1 << 40) / (2 * LEAST_BYTES) - 8));
        let little = self::gear(&[("max_threads", "2"), ("max_memory_usage", "300000000")], 10);
        assert_eq!(little.blocks_of(400_000_001), Some(17));
        assert_eq!(self::gear(&[("min_insert_block_size_rows", "1000")], 10).blocks_of(1), None);
    }

    #[test]
    fn every_partition_gets_its_share() {
        let gear = gear(&[("max_memory_usage", "1000000000000")], 10);
        assert_eq!(gear.parts_at_once(1000, 1000), PARTS_AT_ONCE);
        assert_eq!(block(&gear), 1000 * PARTITION_BYTES);
        gear.parts_at_once(1, 1);
        assert_eq!(block(&gear), LEAST_BYTES);
        gear.parts_at_once(1000, 2);
        assert_eq!(block(&gear), LEAST_BYTES, "partitions that come one after another");
    }

    #[test]
    fn parts_that_pile_up_make_larger_blocks() {
        let gear = gear(&[("max_memory_usage", "100000000000")], 10);
        let delay = TableSettings::default().parts_to_delay_insert;
        gear.block(MIB, delay / 4);
        assert_eq!(block(&gear), 2 * LEAST_BYTES);
        gear.block(MIB, delay / 2);
        assert_eq!(block(&gear), 4 * LEAST_BYTES);
        gear.block(MIB, 1);
        assert_eq!(block(&gear), LEAST_BYTES);
    }

    #[test]
    fn memory_bounds_blocks_and_open_parts() {
        let gear = gear(&[("max_threads", "2"), ("max_memory_usage", "800000000")], 1700);
        assert_eq!(shown(&gear).lanes, 1, "open parts of two lanes would take all");
        assert_eq!(block(&gear), (400_000_000 - 1700 * COLUMN_BYTES) / 3);
        assert_eq!(shown(&gear).reason, "what memory allows");
        assert_eq!(gear.parts_at_once(1000, 1000), 1, "open parts of 1,700 columns each");
        let narrow = self::gear(&[("max_threads", "2"), ("max_memory_usage", "1000000000")], 8);
        assert_eq!(narrow.parts_at_once(1000, 1000), PARTS_AT_ONCE);
    }

    #[test]
    fn what_is_set_wins() {
        let set =
            [("max_insert_threads", "5"), ("min_insert_block_size_rows", "1000"), ("min_insert_block_size_bytes", "0")];
        let gear = gear(&set, 10);
        assert_eq!((shown(&gear).lanes, gear.lanes()), (5, 5));
        assert!(gear.is_full(1000, 1) && !gear.is_full(999, u64::MAX));
        gear.parts_at_once(1000, 1000);
        assert!(gear.is_full(1000, 1) && !gear.is_full(999, u64::MAX));
        assert_eq!(shown(&gear).set, ["max_insert_threads", "min_insert_block_size_rows", "min_insert_block_size_bytes"]);
        let rows = self::gear(&[("min_insert_block_size_rows", "1000")], 10);
        assert!(rows.is_full(1, 268_402_944), "the other limit is ClickHouse's");
        let open = self::gear(&[("max_insert_delayed_streams_for_parallel_write", "3")], 10);
        assert_eq!(open.parts_at_once(1000, 1000), 3);
    }

    #[test]
    fn strict_limits_are_two_to_reach_and_two_to_be_cut_at() {
        let least = [("min_insert_block_size_rows", "100"), ("min_insert_block_size_bytes", "1600")];
        let most = [("max_insert_block_size", "300"), ("max_insert_block_size_bytes", "8000")];
        let strict = [("use_strict_insert_block_limits", "1")];
        let gear = gear(&[&least[..], &most, &strict].concat(), 10);
        assert!(!gear.is_full(299, 1599) && !gear.is_full(99, 7999));
        assert!(gear.is_full(100, 1600) && gear.is_full(300, 1) && gear.is_full(1, 8000));
        assert_eq!(gear.rows_that_fit((0, 0), (1000, 8000)), 300);
        assert_eq!(gear.rows_that_fit((50, 400), (1000, 80_000)), 95);
        assert_eq!(gear.rows_that_fit((50, 7999), (1000, 80_000)), 1, "there is always one");
        assert_eq!(gear.rows_that_fit((0, 0), (10, 80)), 10);
        let loose = self::gear(&[&least[..], &most].concat(), 10);
        assert!(loose.is_full(100, 1) && loose.rows_that_fit((0, 0), (1000, 8000)) == 1000);
        let alone = self::gear(&strict, 10);
        assert!(!alone.is_full(1_048_448, 1 << 40) && alone.is_full(1_048_449, 1), "ClickHouse's defaults");
    }

    /// Counters as if half a second had gone by.
    fn after(gear: &Gear, rows_waited: u64, lanes_waited: u64, cpu: Duration) -> Look {
        let before = gear.state.lock().looked;
        Look {
            at: before.at + LOOK_EVERY,
            cpu: before.cpu + cpu,
            rows_waited: before.rows_waited + rows_waited,
            lanes_waited: before.lanes_waited + lanes_waited,
            ..before
        }
    }

    #[test]
    fn lanes_that_wait_for_rows_become_fewer_and_lanes_that_rows_wait_for_more() {
        let gear = gear(&[("max_threads", "4"), ("max_memory_usage", "100000000000")], 10);
        let retune = |rows_waited, lanes_waited, cpu| {
            let now = after(&gear, rows_waited, lanes_waited, cpu);
            gear.retune(&mut gear.state.lock(), now);
            (shown(&gear).lanes, shown(&gear).limit)
        };
        let half = Duration::from_millis(500);
        assert_eq!(retune(0, 4 * 400_000, half), (4, InsertLimit::Source), "no block is full yet");
        gear.block(MIB, 1);
        assert_eq!(retune(0, 4 * 400_000, half), (3, InsertLimit::Source));
        assert_eq!(retune(0, 3 * 400_000, half), (2, InsertLimit::Source));
        assert_eq!(retune(100_000, 1000, 4 * half), (2, InsertLimit::Cores), "no lane helps");
        assert_eq!(retune(100_000, 1000, half), (3, InsertLimit::Storage));
        assert_eq!(retune(0, 1000, half), (3, InsertLimit::Storage), "no row waits");
    }
}
