//! Mutations: UPDATE and DELETE of rows in parts that never change.
//!
//! A mutation is a commit of its own (`MutationEntry`), with a block number as its number: it concerns the parts of lower
//! block numbers, which are those that were there, and no row that is inserted later. Then each of these parts is
//! rewritten, one at a time, wherever a place for background work is free (`background`), and put in the place of the
//! old one by a commit "this out, this in", which gives up where the part is gone. A part without a row to change is
//! not rewritten: a commit says that it went through. What is to be done is in the manifest alone, so a mutation goes on
//! after a crash; what is half done is an object without a name, for the sweeper.
//!
//! A part goes through all mutations that it has before it at once, in their order (`program`, `part`). A merge joins
//! only parts that have the same ones before them (M-6).
//!
//! DELETE FROM and UPDATE t SET (`at_once`) do all parts before they return, with one commit for all of them; the one mostly writes down which
//! rows are deleted in place of writing parts anew (`mask`).

mod at_once;
pub mod background;
mod mask;
mod of_part;
mod part;
mod program;

pub use of_part::nameable;

use std::collections::{BTreeMap, HashSet};
use std::sync::{Arc, Weak};
use std::time::Duration;

use futures::FutureExt;
use futures::stream::{StreamExt, TryStreamExt};
use gristmill_base::spending::Wait;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_catalog::{MutationRequest, MutationRow, RowChange};
use gristmill_introspect::QueryContext;
use parking_lot::Mutex;

use crate::insert::partition;
use crate::manifest::v1::Operation;
use crate::manifest::{Change, Commit, MutationEntry, PartEntry, RowsChange, State};
use crate::merge::log;
use crate::merge::task::Claim;
use crate::settings::TableSettings;
use crate::table::Core;

/// Parts that a statement has for itself.
pub struct Held<'a> {
    claims: Vec<Claim>,
    _turn: tokio::sync::MutexGuard<'a, ()>,
}

impl Held<'_> {
    pub fn parts(&self) -> Vec<Arc<PartEntry>> {
        self.claims.iter().flat_map(|claim| claim.parts.clone()).collect()
    }
}

/// Takes all parts that are wanted, each as soon as nobody works on it. New ones can come only from inserts then.
pub async fn hold<'a>(
    core: &'a Arc<Core>,
    context: &Arc<QueryContext>,
    wanted: &(dyn Fn(&PartEntry) -> bool + Sync),
) -> Result<Held<'a>> {
    // Of two statements that take parts one by one, each would wait for what the other has.
    let _waiting = context.waits_for(Wait::Lock);
    let _turn = context.cancellable(async { Ok(core.mutating.turn.lock().await) }).await?;
    let mut claims: Vec<Claim> = Vec::new();
    loop {
        context.check()?;
        let ended = core.merge_end();
        let state = core.manifest.refresh(context).await?;
        let mut left = false;
        for part in state.parts.values().filter(|part| wanted(part)) {
            if claims.iter().any(|claim| claim.parts[0].key == part.key) {
                continue;
            }
            match Claim::take(core, vec![part.clone()]) {
                Some(claim) => claims.push(claim),
                None => left = true,
            }
        }
        // Those that are gone were taken when their merge had not yet been seen to end.
        let live: HashSet<&str> = state.parts.values().map(|part| part.key.as_str()).collect();
        claims.retain(|claim| live.contains(claim.parts[0].key.as_str()));
        if !left {
            return Ok(Held { claims, _turn });
        }
        wait(context, ended).await?;
    }
}

/// How long a wait for others lasts until they are looked at again.
const WAIT: Duration = Duration::from_millis(200);

/// What a process knows of mutations beyond the manifest: it is forgotten when the process ends.
#[derive(Debug, Default)]
pub struct Progress {
    /// The last failure of each mutation, by its number.
    failures: Mutex<BTreeMap<i64, Failure>>,
    /// Statements that wait for a mutation, by its number, and are to tell where their time went: what is done of it in the
    /// background is done for them.
    judged: Mutex<BTreeMap<i64, Weak<QueryContext>>>,
    /// Statements that take all parts for themselves, one at a time: two of them would wait for each other's parts.
    turn: tokio::sync::Mutex<()>,
}

#[derive(Clone, Debug)]
struct Failure {
    part: String,
    time_ms: u64,
    error: Error,
}

pub fn id(number: i64) -> String {
    format!("mutation_{number}.txt")
}

fn number_of(id: &str) -> Option<i64> {
    id.strip_prefix("mutation_")?.strip_suffix(".txt")?.parse().ok()
}

/// The parts as the state has them, where it still has them all: perhaps under other names, since mutations may have passed
/// them by.
fn current(state: &State, parts: &[Arc<PartEntry>]) -> Option<Vec<Arc<PartEntry>>> {
    let known = |part: &Arc<PartEntry>| {
        let place = (Arc::from(part.partition_id.as_str()), part.min_block);
        let same = |known: &&Arc<PartEntry>| {
            known.key == part.key && known.deleted == part.deleted && known.projections == part.projections
        };
        state.parts.get(&place).filter(same).cloned()
    };
    parts.iter().map(known).collect()
}

/// Whether parts may become one: the number of the last mutation that the one went through, and their names now. `None`: one
/// is gone, or a mutation has changed some of them and not all.
pub fn joined(state: &State, parts: &[Arc<PartEntry>]) -> Option<(i64, Vec<String>)> {
    let parts = current(state, parts)?;
    let first = state.next_mutation(parts.first()?);
    let same = parts.iter().all(|part| state.next_mutation(part) == first);
    let last = parts.iter().map(|part| part.mutation).max().unwrap_or_default();
    same.then(|| (last, parts.iter().map(|part| part.name.clone()).collect()))
}

/// Begins a mutation, or carries it out where it is to be seen at once; gives its id.
pub async fn begin(core: &Arc<Core>, context: &Arc<QueryContext>, request: MutationRequest) -> Result<String> {
    // What only tells of a change that was made adds no work.
    if !request.changes.is_empty() {
        keep_pace(core, context).await?;
    }
    let partition_id = match &request.partition {
        Some(choice) => partition::chosen_id(&core.layout, choice)?,
        None => None,
    };
    if request.at_once {
        return at_once::run(core, context, &request, partition_id).await;
    }
    let (mut number, mut passing) = (0, Vec::new());
    let decide = |state: &State| {
        number = state.next_block;
        let begun = entry(&request, partition_id.clone(), number, context.env.now_ms());
        passing = untouched(state, &begun);
        let passed = passing.iter().map(|part| (part.name.clone(), number)).collect();
        let rows = RowsChange { begun: Some(Arc::new(begun)), passed, ..RowsChange::default() };
        Ok(Some(change(Vec::new(), Vec::new(), rows)))
    };
    if let Commit::Unknown(error) = core.manifest.commit(context, decide).await? {
        return Err(error.with_context("it is unknown whether the mutation began: look into system.mutations"));
    }
    passing.iter().for_each(|part| log::passed(core, context, part, number));
    if context.settings.explain_limit && context.settings.mutations_sync > 0 {
        core.mutating.done_for(number, context);
    }
    core.wake_merger();
    Ok(id(number))
}

/// Parts that the mutation passes by when it begins: all, where it only tells of a change of the definition, else those of other
/// partitions. One with other mutations before it goes through these first.
fn untouched(state: &State, begun: &MutationEntry) -> Vec<Arc<PartEntry>> {
    let changes_rows = begun.all_changes().next().is_some();
    let passes = |part: &&Arc<PartEntry>| {
        !(changes_rows && begun.concerns(part)) && begun.is_after(part) && state.next_mutation(part).is_none()
    };
    state.parts.values().filter(passes).cloned().collect()
}

/// Slows a mutation down, or refuses it, where many are unfinished. Errors: TOO_MANY_MUTATIONS.
async fn keep_pace(core: &Arc<Core>, context: &Arc<QueryContext>) -> Result<()> {
    let or_table = |of_query: u64, of_table: u64| if of_query > 0 { of_query } else { of_table };
    let delays = or_table(context.settings.number_of_mutations_to_delay, core.settings.number_of_mutations_to_delay);
    let refuses = or_table(context.settings.number_of_mutations_to_throw, core.settings.number_of_mutations_to_throw);
    let state = core.manifest.current();
    let unfinished = state.mutations.iter().filter(|mutation| mutation.finished_ms.is_none()).count() as u64;
    if refuses > 0 && unfinished >= refuses {
        return Err(Error::new(
            ErrorCode::TOO_MANY_MUTATIONS,
            format!("Too many unfinished mutations ({unfinished}) in table {}", core.name()),
        )
        .with_context("wait for them, or end them with KILL MUTATION: they are in system.mutations"));
    }
    if delays == 0 || unfinished < delays {
        return Ok(());
    }
    core.wake_merger();
    let ms = delay_ms(&core.settings, unfinished, (delays, refuses));
    let _waiting = context.waits_for(Wait::Lock);
    let sleep = async {
        tokio::time::sleep(Duration::from_millis(ms)).await;
        Ok(())
    };
    context.cancellable(sleep).await
}

/// From the least to the most, as far as the unfinished are on the way from those that delay to those that refuse.
fn delay_ms(settings: &TableSettings, unfinished: u64, (delays, refuses): (u64, u64)) -> u64 {
    let (least, most) =
        (settings.min_delay_to_mutate_ms, settings.max_delay_to_mutate_ms.max(settings.min_delay_to_mutate_ms));
    let room = refuses.saturating_sub(delays).max(1);
    let over = unfinished.saturating_sub(delays).min(room);
    least + u64::try_from(u128::from(most - least) * u128::from(over) / u128::from(room)).unwrap_or(0)
}

fn entry(request: &MutationRequest, partition_id: Option<String>, number: i64, created_ms: u64) -> MutationEntry {
    MutationEntry {
        number,
        commands: request.commands.clone(),
        changes: request.changes.iter().filter(|change| is_of_rows(change)).cloned().collect(),
        skip_indexes: request.changes.iter().filter_map(of_index).collect(),
        projections: request.changes.iter().filter_map(of_projection).collect(),
        applies_ttl: request.changes.contains(&RowChange::MaterializeTtl),
        partition_id,
        created_ms,
        finished_ms: None,
    }
}

/// Whether the manifest keeps the change among those of rows.
fn is_of_rows(change: &RowChange) -> bool {
    of_index(change).is_none() && of_projection(change).is_none() && *change != RowChange::MaterializeTtl
}

/// The key of a skip index, and whether parts get it.
fn of_index(change: &RowChange) -> Option<(String, bool)> {
    match change {
        RowChange::MaterializeIndex { key } => Some((key.clone(), true)),
        RowChange::ClearIndex { key } => Some((key.clone(), false)),
        _ => None,
    }
}

/// The name of a projection, and whether parts get it.
fn of_projection(change: &RowChange) -> Option<(String, bool)> {
    match change {
        RowChange::MaterializeProjection { name } => Some((name.clone(), true)),
        RowChange::ClearProjection { name } => Some((name.clone(), false)),
        _ => None,
    }
}

fn change(added: Vec<Arc<PartEntry>>, removed: Vec<String>, rows: RowsChange) -> Change {
    Change {
        operation: Operation::Mutate,
        added,
        removed,
        insert_id: None,
        block_hashes: Vec::new(),
        ledger: None,
        keeps_rows: false,
        rows,
    }
}

/// Takes part in a mutation until it is done. Errors: UNFINISHED where it failed for a part, or was killed.
pub async fn finish(core: &Arc<Core>, context: &Arc<QueryContext>, id: &str) -> Result<()> {
    let missing = || Error::new(ErrorCode::BAD_ARGUMENTS, format!("There is no mutation '{id}'"));
    let number = number_of(id).ok_or_else(missing)?;
    loop {
        context.check()?;
        let core = &newest(core)?;
        let ended = core.merge_end();
        let state = core.manifest.refresh(context).await?;
        let Some(mutation) = state.mutations.iter().find(|mutation| mutation.number == number) else {
            return Err(Error::new(ErrorCode::UNFINISHED, format!("Mutation {id} was killed")));
        };
        if mutation.finished_ms.is_some() {
            return Ok(());
        }
        if let Some(failure) = core.mutating.failures.lock().get(&number) {
            return Err(unfinished(number, failure));
        }
        let left: Vec<Arc<PartEntry>> = state.parts.values().filter(|part| mutation.concerns(part)).cloned().collect();
        match left.iter().find_map(|part| Claim::take(core, vec![part.clone()])) {
            Some(claim) => {
                // A failure is kept, and told when it is seen above.
                if let Err(error) = part::mutate(&claim, context).await {
                    tracing::debug!("a mutation of {} failed: {error}", core.name());
                    context.check()?;
                }
            }
            None => {
                let _waiting = context.waits_for(Wait::Lock);
                wait(context, ended).await?;
            }
        }
    }
}

/// With `apply_mutations_on_fly` a query sees what was asked for before it: it takes part in mutations until those are done. Its
/// answer is that of the rows as they lie then, whatever reads them.
pub async fn before_reading(core: &Arc<Core>, context: &Arc<QueryContext>) -> Result<()> {
    if !context.settings.apply_mutations_on_fly {
        return Ok(());
    }
    let unfinished = |state: &State| {
        let unfinished = state.mutations.iter().filter(|mutation| mutation.finished_ms.is_none());
        unfinished.map(|mutation| mutation.number).max()
    };
    let Some(last) = unfinished(core.manifest.refresh(context).await?.as_ref()) else { return Ok(()) };
    core.check_writable()?;
    loop {
        let state = core.manifest.refresh(context).await?;
        let has_to_change = |part: &&Arc<PartEntry>| state.mutations_of(part).any(|mutation| mutation.number <= last);
        let left: Vec<Arc<PartEntry>> = state.parts.values().filter(has_to_change).cloned().collect();
        if left.is_empty() {
            return Ok(());
        }
        // Collected: the compiler does not find the lifetimes of futures that are made on the way.
        let finishing: Vec<_> =
            left.iter().map(|part| finish_parts(core, context, std::slice::from_ref(part)).boxed()).collect();
        futures::stream::iter(finishing).buffer_unordered(context.threads()).try_collect::<Vec<()>>().await?;
    }
}

/// Leads parts through whatever mutations they have before them.
pub async fn finish_parts(core: &Arc<Core>, context: &Arc<QueryContext>, parts: &[Arc<PartEntry>]) -> Result<()> {
    for part in parts {
        loop {
            context.check()?;
            let core = &newest(core)?;
            let ended = core.merge_end();
            let state = core.manifest.refresh(context).await?;
            let Some(known) = current(&state, std::slice::from_ref(part)).and_then(|mut parts| parts.pop()) else { break };
            if state.next_mutation(&known).is_none() {
                break;
            }
            match Claim::take(core, vec![known]) {
                Some(claim) => {
                    part::mutate(&claim, context).await?;
                }
                None => {
                    let _waiting = context.waits_for(Wait::Lock);
                    wait(context, ended).await?;
                }
            }
        }
    }
    Ok(())
}

/// The table as ALTER left it.
fn newest(core: &Arc<Core>) -> Result<Arc<Core>> {
    let gone = || Error::new(ErrorCode::UNKNOWN_TABLE, format!("Table {} was dropped meanwhile", core.name()));
    core.newest().ok_or_else(gone)
}

async fn wait(context: &Arc<QueryContext>, ended: impl Future<Output = ()>) -> Result<()> {
    let waiting = async {
        let _ = tokio::time::timeout(WAIT, ended).await;
        Ok(())
    };
    context.cancellable(waiting).await
}

fn unfinished(number: i64, failure: &Failure) -> Error {
    Error::new(
        ErrorCode::UNFINISHED,
        format!(
            "Exception happened during execution of mutation '{}' with part '{}' reason: '{}'. This error maybe retryable or \
             not. In case of unretryable error, mutation can be killed with KILL MUTATION query",
            id(number),
            failure.part,
            failure.error
        ),
    )
}

impl Progress {
    /// The mutation of this number is done for a statement, as long as that waits.
    fn done_for(&self, number: i64, context: &Arc<QueryContext>) {
        let mut judged = self.judged.lock();
        judged.retain(|_, context| context.strong_count() > 0);
        judged.insert(number, Arc::downgrade(context));
    }

    /// Whom the mutation is done for, where that is anybody.
    fn judged(&self, number: i64) -> Option<Arc<QueryContext>> {
        self.judged.lock().get(&number)?.upgrade().filter(|context| !context.cancel.is_cancelled())
    }

    fn failed(&self, numbers: &[i64], part: &str, time_ms: u64, error: &Error) {
        let failure = Failure { part: part.to_string(), time_ms, error: error.clone() };
        self.failures.lock().extend(numbers.iter().map(|number| (*number, failure.clone())));
    }

    fn succeeded(&self, numbers: &[i64], part: &str) {
        let mut failures = self.failures.lock();
        for number in numbers {
            if failures.get(number).is_some_and(|failure| failure.part == part) {
                failures.remove(number);
            }
        }
    }
}

/// Ends a mutation where it stands. False: there is none of this id that is not done.
pub async fn kill(core: &Arc<Core>, context: &Arc<QueryContext>, id: &str) -> Result<bool> {
    let Some(number) = number_of(id) else { return Ok(false) };
    let decide = |state: &State| {
        let unfinished = |mutation: &&Arc<MutationEntry>| mutation.number == number && mutation.finished_ms.is_none();
        let rows = RowsChange { killed: vec![number], ..RowsChange::default() };
        Ok(state.mutations.iter().find(unfinished).map(|_| change(Vec::new(), Vec::new(), rows)))
    };
    match core.manifest.commit(context, decide).await? {
        Commit::Done(_) => {
            core.mutating.failures.lock().remove(&number);
            core.merge_ended();
            Ok(true)
        }
        Commit::Nothing => Ok(false),
        Commit::Unknown(error) => Err(error),
    }
}

/// For `system.mutations`.
pub fn rows(core: &Core) -> Vec<MutationRow> {
    let state = core.manifest.current();
    let merging = core.merging.lock().clone();
    let row = |mutation: &Arc<MutationEntry>| {
        let failure = core.mutating.failures.lock().get(&mutation.number).cloned();
        let left: Vec<_> = state.parts.values().filter(|part| mutation.concerns(part)).collect();
        MutationRow {
            id: id(mutation.number),
            command: String::new(),
            create_time: mutation.created_ms / 1000,
            finish_time: mutation.finished_ms.unwrap_or_default() / 1000,
            block_number: mutation.number,
            parts_in_progress: left
                .iter()
                .filter(|part| merging.contains(&part.key))
                .map(|part| part.name.clone())
                .collect(),
            parts_to_do: left.iter().map(|part| part.name.clone()).collect(),
            changes_rows: !mutation.changes.is_empty(),
            is_done: mutation.finished_ms.is_some(),
            latest_failed_part: failure.as_ref().map_or_else(String::new, |failure| failure.part.clone()),
            latest_fail_time: failure.as_ref().map_or(0, |failure| failure.time_ms / 1000),
            latest_fail_reason: failure.as_ref().map_or_else(String::new, |failure| failure.error.to_string()),
            latest_fail_error: failure.map_or_else(String::new, |failure| failure.error.code().name().to_string()),
        }
    };
    let rows = state.mutations.iter().flat_map(|mutation| {
        let row = row(mutation);
        mutation.commands.iter().map(move |command| MutationRow { command: command.clone(), ..row.clone() })
    });
    rows.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_more_mutations_are_unfinished_the_longer_a_new_one_waits() {
        let settings =
            TableSettings { min_delay_to_mutate_ms: 10, max_delay_to_mutate_ms: 1000, ..TableSettings::default() };
        assert_eq!([500, 750, 1000].map(|unfinished| delay_ms(&settings, unfinished, (500, 1000))), [10, 505, 1000]);
        assert_eq!(delay_ms(&settings, 501, (500, 0)), 1000);
    }
}
