//! What processes were told, in the order in which they were told it: begin and end of whatever brings rows (inserts, row
//! groups of the load) and of whatever changes them (UPDATE, DELETE, DROP PARTITION). From these alone follows what each
//! row may look like.
//!
//! Of a source and a change one of three holds. The change began after the source was through: then it concerns its rows,
//! for certain once it is known to be done. It ended before the source began: then it does not. Else they overlap, or one
//! is in doubt because its process was killed or its answer lost: then both are right.

use std::collections::BTreeMap;

/// Rows of an insert, and of a row group.
pub const ROWS: i64 = 4;
/// Files of the load, and row groups of each.
pub const FILES: u32 = 12;
pub const GROUPS: u32 = 4;
/// The first row of the load; inserts have rows below it.
pub const LOADED_FROM: i64 = 1_000_000_000;
/// UPDATEs of a run: each sets a bit of its own in `v`.
pub const UPDATES: u32 = 62;

/// Where rows come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Source {
    /// By its number.
    Insert(i64),
    /// File and row group.
    Group(u32, u32),
}

impl Source {
    pub fn rows(self) -> std::ops::Range<i64> {
        let from = match self {
            Source::Insert(number) => number * ROWS,
            Source::Group(file, group) => LOADED_FROM + i64::from(file * GROUPS + group) * ROWS,
        };
        from..from + ROWS
    }
}

/// The partition that a row lies in.
pub fn partition_of(row: i64) -> i64 {
    row % 2
}

/// What happened to a source. Moments are numbers of the journal's events.
#[derive(Clone, Debug, Default)]
struct Brought {
    begun: u64,
    /// Tries that run.
    running: u32,
    ended: u64,
    acknowledged: Option<u64>,
}

impl Brought {
    /// From when on no rows come any more; `None`: a try still runs. (That another was acknowledged is no end of it: a table that was
    /// emptied meanwhile knows of neither, and takes the rows again.)
    fn settled(&self) -> Option<u64> {
        (self.running == 0).then_some(self.ended)
    }
}

/// What changes rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    DropPartition(i64),
    /// Sets the bit of `v` in rows of its class.
    Update(u32),
    /// Removes rows of a class.
    Delete(i64),
}

/// Classes that UPDATE and DELETE choose among.
const UPDATE_CLASSES: i64 = 3;
const DELETE_CLASSES: i64 = 29;

impl Change {
    fn concerns(self, row: i64) -> bool {
        match self {
            Change::DropPartition(partition) => partition_of(row) == partition,
            Change::Update(bit) => row % UPDATE_CLASSES == i64::from(bit) % UPDATE_CLASSES,
            Change::Delete(class) => row % DELETE_CLASSES == class % DELETE_CLASSES,
        }
    }

    /// Its condition in SQL. (Of a partition there is none.)
    pub fn condition(self) -> String {
        match self {
            Change::DropPartition(partition) => format!("n % 2 = {partition}"),
            Change::Update(bit) => format!("n % {UPDATE_CLASSES} = {}", i64::from(bit) % UPDATE_CLASSES),
            Change::Delete(class) => format!("n % {DELETE_CLASSES} = {}", class % DELETE_CLASSES),
        }
    }
}

#[derive(Clone, Debug)]
struct Changing {
    change: Change,
    begun: u64,
    /// When it was answered, or its process was killed: rows that come later are not concerned.
    ended: Option<u64>,
    /// It is known to have been done to all rows that were there.
    done: bool,
}

/// Whether a change was made to a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Made {
    No,
    Perhaps,
    Yes,
}

/// What must hold of a row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fate {
    /// Something removed it; perhaps something did.
    pub gone: bool,
    pub perhaps_gone: bool,
    /// Bits of `v` that are set, and those that may be.
    pub set: i64,
    pub perhaps_set: i64,
}

#[derive(Debug, Default)]
pub struct Journal {
    now: u64,
    sources: BTreeMap<Source, Brought>,
    changes: Vec<Changing>,
    updates: u32,
    inserts: i64,
}

impl Journal {
    fn tick(&mut self) -> u64 {
        self.now += 1;
        self.now
    }

    /// The number of a new insert.
    pub fn new_insert(&mut self) -> i64 {
        self.inserts += 1;
        self.inserts - 1
    }

    pub fn inserts(&self) -> usize {
        self.inserts as usize
    }

    /// Inserts that were begun, and whose end nobody knows.
    pub fn in_doubt(&self) -> Vec<i64> {
        let open = self.sources.iter().filter(|(_, brought)| brought.acknowledged.is_none());
        open.filter_map(|(source, _)| if let Source::Insert(number) = source { Some(*number) } else { None }).collect()
    }

    /// A try begins.
    pub fn begin(&mut self, source: Source) {
        let now = self.tick();
        let brought = self.sources.entry(source).or_insert_with(|| Brought { begun: now, ..Brought::default() });
        brought.running += 1;
        // A row group may be brought a second time, after all partitions were dropped; an insert that was acknowledged is not.
        if matches!(source, Source::Group(..)) {
            brought.acknowledged = None;
        }
    }

    /// A try ended, well or not.
    pub fn end(&mut self, source: Source, acknowledged: bool) {
        let now = self.tick();
        if let Some(brought) = self.sources.get_mut(&source) {
            brought.running -= 1;
            brought.ended = now;
            if acknowledged {
                brought.acknowledged.get_or_insert(now);
            }
        }
    }

    /// A number of the UPDATE that begins, while there are bits left.
    pub fn new_update(&mut self) -> Option<u32> {
        (self.updates < UPDATES).then(|| {
            self.updates += 1;
            self.updates - 1
        })
    }

    /// Its place among all changes.
    pub fn begin_change(&mut self, change: Change) -> usize {
        let begun = self.tick();
        self.changes.push(Changing { change, begun, ended: None, done: false });
        self.changes.len() - 1
    }

    pub fn end_change(&mut self, place: usize) {
        let now = self.tick();
        self.changes[place].ended.get_or_insert(now);
    }

    pub fn change_is_done(&mut self, place: usize) {
        self.changes[place].done = true;
    }

    pub fn changes(&self) -> usize {
        self.changes.len()
    }

    pub fn sources(&self) -> impl Iterator<Item = (Source, bool)> {
        self.sources.iter().map(|(source, brought)| (*source, brought.acknowledged.is_some()))
    }

    /// Whether a partition was dropped since the source began, or perhaps was.
    pub fn dropped_since(&self, source: Source) -> bool {
        let Some(brought) = self.sources.get(&source) else { return false };
        let mut drops = self.changes.iter().filter(|changing| matches!(changing.change, Change::DropPartition(_)));
        drops.any(|changing| changing.ended.is_none_or(|ended| ended > brought.begun))
    }

    pub fn fate(&self, source: Source, row: i64) -> Fate {
        let mut fate = Fate::default();
        let Some(brought) = self.sources.get(&source) else { return fate };
        for changing in self.changes.iter().filter(|changing| changing.change.concerns(row)) {
            let made = made(changing, brought);
            let (gone, bit) = match changing.change {
                Change::Update(bit) => (false, 1 << bit),
                _ => (true, 0),
            };
            match made {
                Made::No => {}
                Made::Perhaps => {
                    fate.perhaps_gone |= gone;
                    fate.perhaps_set |= bit;
                }
                Made::Yes => {
                    fate.gone |= gone;
                    fate.set |= bit;
                }
            }
        }
        fate
    }
}

fn made(changing: &Changing, brought: &Brought) -> Made {
    if changing.ended.is_some_and(|ended| ended < brought.begun) {
        return Made::No;
    }
    let settled = match changing.change {
        // A partition without a part is dropped without a commit. What is in doubt may arrive after that: no version has
        // taken its place.
        Change::DropPartition(_) => brought.acknowledged.and(brought.settled()),
        _ => brought.settled(),
    };
    match changing.done && settled.is_some_and(|settled| settled < changing.begun) {
        true => Made::Yes,
        false => Made::Perhaps,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_concerns_what_was_there_before_it_and_nothing_that_came_after() {
        let mut journal = Journal::default();
        let (before, during, after) = (Source::Insert(0), Source::Insert(1), Source::Insert(2));
        journal.begin(before);
        journal.end(before, true);
        let change = journal.begin_change(Change::DropPartition(0));
        journal.begin(during);
        journal.end_change(change);
        journal.end(during, true);
        journal.begin(after);
        let gone = |journal: &Journal, source: Source| {
            let fate = journal.fate(source, source.rows().start);
            (fate.gone, fate.perhaps_gone)
        };
        // Nobody was told that it was done.
        assert_eq!(gone(&journal, before), (false, true));
        journal.change_is_done(change);
        assert_eq!(gone(&journal, before), (true, false));
        assert_eq!(gone(&journal, during), (false, true));
        assert_eq!(gone(&journal, after), (false, false));
        assert_eq!(journal.fate(before, before.rows().start + 1), Fate::default(), "it lies in the other partition");
    }

    #[test]
    fn rows_of_a_second_try_may_come_after_they_were_dropped() {
        let mut journal = Journal::default();
        let source = Source::Insert(0);
        journal.begin(source);
        journal.begin(source);
        journal.end(source, true);
        let change = journal.begin_change(Change::DropPartition(0));
        journal.end_change(change);
        journal.change_is_done(change);
        let fate = journal.fate(source, source.rows().start);
        assert_eq!((fate.gone, fate.perhaps_gone), (false, true));
    }
}
