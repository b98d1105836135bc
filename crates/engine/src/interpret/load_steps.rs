//! The steps of a load: which groups of which files go into one commit.
//!
//! Files come in the order of their listing and are opened ahead of the steps. What an earlier run loaded is left out; what
//! is left is put together until a step has its bytes: small files many at a time, large ones in several steps. A file that
//! cannot be opened is noted with the step it would have been in, or ends the load (`load_on_error`).

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use futures::StreamExt;
use gristmill_base::error::ErrorKind;
use gristmill_base::runtime::{self, Task};
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_catalog::{FileProgress, Groups, LoadedGroups, TableLoad};
use gristmill_introspect::{Event, QueryContext};
use gristmill_sources::object::file::SourceFile;
use gristmill_sources::object::load::{Found, LoadFile, LoadSource, StepGroups, listed_version};
use tokio::sync::mpsc::{Receiver, Sender, channel};

/// Files of one step: what is known of each is held while it runs.
const FILES_MAX: usize = 1024;

/// What to do with a file that cannot be read.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum OnError {
    Abort,
    SkipFile,
}

impl OnError {
    /// Errors: BAD_ARGUMENTS.
    pub fn of(text: &str) -> Result<OnError> {
        match text.to_ascii_lowercase().as_str() {
            "abort" => Ok(OnError::Abort),
            "skip_file" => Ok(OnError::SkipFile),
            _ => Err(Error::new(ErrorCode::BAD_ARGUMENTS, format!("load_on_error is abort or skip_file, not '{text}'"))),
        }
    }
}

#[derive(Debug, Default)]
pub(crate) struct Step {
    pub files: Vec<StepGroups>,
    /// The tables that have the groups already: `TableLoad::by_holders`.
    pub holders: Vec<usize>,
    /// Files that could not be opened.
    pub failed: Vec<LoadedGroups>,
}

impl Step {
    pub fn is_empty(&self) -> bool {
        self.files.is_empty() && self.failed.is_empty()
    }

    /// Two of half as many files each. Which of several files cannot be read is found so: errors come up through
    /// expressions and casts, which know no files.
    pub fn halves(mut self) -> [Step; 2] {
        let second = self.files.split_off(self.files.len() / 2);
        let holders = self.holders.clone();
        [self, Step { files: second, holders, failed: Vec::new() }]
    }
}

/// Whether an error says that a file (its bytes, its values, access to it) is bad, so that others may be good.
pub(crate) fn is_of_file(error: &Error) -> bool {
    const OF_THE_QUERY: [ErrorCode; 4] =
        [ErrorCode::TOO_MANY_ROWS, ErrorCode::TOO_MANY_BYTES, ErrorCode::TOO_MANY_ROWS_OR_BYTES, ErrorCode::LIMIT_EXCEEDED];
    error.kind() == ErrorKind::User && !OF_THE_QUERY.contains(&error.code())
}

/// What the ledger gets of a file that is left out.
pub(crate) fn failure(
    known: Option<&FileProgress>,
    file: &SourceFile,
    version: Option<String>,
    groups_total: u32,
    error: &Error,
) -> LoadedGroups {
    let known = known.filter(|known| !known.done.is_empty());
    LoadedGroups {
        path: file.path.clone(),
        version: known.map_or_else(|| version.unwrap_or_default(), |known| known.version.clone()),
        groups_total: known.map_or(groups_total, |known| known.groups_total),
        error: Some(error.to_string()),
        ..LoadedGroups::default()
    }
}

/// Puts groups together.
struct Builder {
    step_bytes: u64,
    bytes: u64,
    step: Step,
}

impl Builder {
    fn new(step_bytes: u64) -> Builder {
        Builder { step_bytes, bytes: 0, step: Step::default() }
    }

    /// Adds groups of a file; gives the steps that are full with them.
    fn add(&mut self, file: &Arc<SourceFile>, version: &str, group_bytes: &[u64], groups: &Groups) -> Vec<Step> {
        let mut full = Vec::new();
        let of_file = |groups| StepGroups {
            file: file.clone(),
            version: version.to_string(),
            groups_total: group_bytes.len() as u32,
            groups,
        };
        let mut taken = Groups::default();
        for group in groups.iter() {
            let bytes = group_bytes.get(group as usize).copied().unwrap_or(0);
            if self.bytes > 0 && self.bytes.saturating_add(bytes) > self.step_bytes {
                if !taken.is_empty() {
                    self.step.files.push(of_file(std::mem::take(&mut taken)));
                }
                full.push(self.finish());
            }
            self.bytes += bytes;
            taken = taken.union(&Groups::range(group, group + 1));
        }
        // A file without groups is noted too: it is loaded.
        if !taken.is_empty() || groups.is_empty() {
            self.step.files.push(of_file(taken));
        }
        if self.step.files.len() >= FILES_MAX {
            full.push(self.finish());
        }
        full
    }

    fn finish(&mut self) -> Step {
        self.bytes = 0;
        let holders = self.step.holders.clone();
        std::mem::replace(&mut self.step, Step { holders, ..Step::default() })
    }

    /// What is added from here on is had by these tables; gives what was put together for others.
    fn turn_to(&mut self, holders: Vec<usize>) -> Option<Step> {
        if self.step.holders == holders {
            return None;
        }
        let before = self.finish();
        self.step.holders = holders;
        (!before.is_empty()).then_some(before)
    }
}

/// The steps of a run, made one ahead of where they are taken.
pub(crate) struct Steps {
    receiver: Receiver<Result<Step>>,
    _task: Task<()>,
}

impl Steps {
    pub fn begin(
        source: Arc<LoadSource>,
        load: Arc<dyn TableLoad>,
        on_error: OnError,
        step_bytes: u64,
        context: Arc<QueryContext>,
    ) -> Steps {
        let (sender, receiver) = channel(1);
        let planner = Planner { source, load, on_error, context, seen: HashSet::new(), builder: Builder::new(step_bytes) };
        let task = Task::on(&runtime::cpu(), async move {
            if let Err(error) = planner.run(&sender).await {
                let _ = sender.send(Err(error)).await;
            }
        });
        Steps { receiver, _task: task }
    }

    pub async fn next(&mut self, context: &QueryContext) -> Result<Option<Step>> {
        context.cancellable(async { self.receiver.recv().await.transpose() }).await
    }
}

struct Planner {
    source: Arc<LoadSource>,
    load: Arc<dyn TableLoad>,
    on_error: OnError,
    context: Arc<QueryContext>,
    /// Paths by which files are known.
    seen: HashSet<String>,
    builder: Builder,
}

impl Planner {
    async fn run(mut self, sender: &Sender<Result<Step>>) -> Result<()> {
        self.look_at_known()?;
        let (load, context) = (self.load.clone(), self.context.clone());
        let mut files = self
            .source
            .files(move |file| Ok(is_loaded(load.as_ref(), file)?.inspect(|_| skipped(&context, file)).is_some()));
        while let Some(found) = self.context.cancellable(async { files.next().await.transpose() }).await? {
            let full = match found {
                Found::Known => Vec::new(),
                Found::File(file) => self.add(file)?,
                Found::Failed(file, error) => {
                    if self.on_error == OnError::Abort || !is_of_file(&error) {
                        return Err(error);
                    }
                    let known = self.load.known(&file.path);
                    self.builder.step.failed.push(failure(known.as_ref(), &file, listed_version(&file), 0, &error));
                    Vec::new()
                }
            };
            for step in full {
                if sender.send(Ok(step)).await.is_err() {
                    return Ok(());
                }
            }
        }
        let last = self.builder.finish();
        if !last.is_empty() {
            let _ = sender.send(Ok(last)).await;
        }
        Ok(())
    }

    /// What can be said before anything is read: files that changed end the load before it begins, and the bytes to read.
    fn look_at_known(&self) -> Result<()> {
        for file in self.source.known() {
            is_loaded(self.load.as_ref(), file)?;
            self.context.progress.total_bytes_to_read.fetch_add(file.size.unwrap_or(0), Relaxed);
        }
        Ok(())
    }

    fn add(&mut self, mut found: LoadFile) -> Result<Vec<Step>> {
        let path = found.file.path.clone();
        if !self.seen.insert(path.clone()) {
            return Err(Error::new(
                ErrorCode::BAD_ARGUMENTS,
                format!("load_id: '{path}' is named twice by the source, its rows could not be told apart"),
            ));
        }
        let known = self.load.known(&path).filter(|known| !known.done.is_empty());
        let all = Groups::first(found.group_bytes.len() as u32);
        let left = match &known {
            Some(known) if known.version != found.version => return Err(changed(known, &found.file, &found.version)),
            Some(known) => all.without(&known.done),
            None => all,
        };
        if left.is_empty() && known.is_some() {
            skipped(&self.context, &found.file);
            return Ok(Vec::new());
        }
        self.source.hand_on(&mut found, self.builder.step.files.len());
        let mut full = Vec::new();
        for (holders, groups) in self.load.by_holders(&path, &left) {
            full.extend(self.builder.turn_to(holders));
            full.extend(self.builder.add(&found.file, &found.version, &found.group_bytes, &groups));
        }
        Ok(full)
    }
}

/// Whether the listing tells that a file was loaded wholly. Errors: INCORRECT_DATA where it tells that the file changed.
fn is_loaded(load: &dyn TableLoad, file: &SourceFile) -> Result<Option<()>> {
    let (Some(known), Some(etag)) = (load.known(&file.path), file.etag.as_deref()) else { return Ok(None) };
    let version = etag.trim_matches('"');
    if !known.done.is_empty() && known.version != version {
        return Err(changed(&known, file, version));
    }
    Ok((known.version == version && known.is_whole()).then_some(()))
}

fn skipped(context: &QueryContext, file: &SourceFile) {
    context.counters.add(Event::LoadFilesKnown, 1);
    context.progress.file_bytes_read.fetch_add(file.size.unwrap_or(0), Relaxed);
}

fn changed(known: &FileProgress, file: &SourceFile, version: &str) -> Error {
    Error::new(
        ErrorCode::INCORRECT_DATA,
        format!(
            "File '{}' changed since this load brought {} rows of it (its ETag was {} and now is {version}). To keep those \
             rows, leave the file out of the pattern; to have its new rows instead, delete the old ones and load the file \
             under another load_id",
            file.path, known.rows, known.version
        ),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(name: &str) -> Arc<SourceFile> {
        Arc::new(SourceFile { key: name.to_string(), path: name.to_string(), size: Some(1), modified: None, etag: None })
    }

    fn told(steps: &[Step]) -> Vec<String> {
        let of_step = |step: &Step| {
            let files = step.files.iter().map(|file| format!("{}{:?}", file.file.key, file.groups.ranges()));
            files.collect::<Vec<_>>().join(" ")
        };
        steps.iter().map(of_step).collect()
    }

    #[test]
    fn small_files_share_a_step_and_large_ones_have_several() {
        let mut builder = Builder::new(100);
        let mut steps = builder.add(&file("a"), "1", &[40], &Groups::first(1));
        steps.extend(builder.add(&file("b"), "1", &[40], &Groups::first(1)));
        steps.extend(builder.add(&file("c"), "1", &[50, 60, 500, 10], &Groups::first(4)));
        steps.push(builder.finish());
        assert_eq!(told(&steps), ["a[(0, 1)] b[(0, 1)]", "c[(0, 1)]", "c[(1, 2)]", "c[(2, 3)]", "c[(3, 4)]"]);
    }

    #[test]
    fn what_was_loaded_is_left_out_and_a_file_without_groups_is_noted() {
        let mut builder = Builder::new(100);
        builder.add(&file("a"), "1", &[10; 5], &Groups::of_ranges(&[(0, 1), (3, 5)]));
        builder.add(&file("empty"), "1", &[], &Groups::default());
        assert_eq!(told(&[builder.finish()]), ["a[(0, 1), (3, 5)] empty[]"]);
    }

    #[test]
    fn groups_that_other_tables_have_are_in_steps_of_their_own() {
        let mut builder = Builder::new(100);
        assert!(builder.turn_to(vec![]).is_none());
        builder.add(&file("a"), "1", &[10; 4], &Groups::first(4));
        let mut steps = vec![builder.turn_to(vec![1]).unwrap()];
        steps.extend(builder.add(&file("b"), "1", &[60; 2], &Groups::first(2)));
        assert!(builder.turn_to(vec![1]).is_none(), "of the same sort");
        steps.extend(builder.turn_to(vec![]));
        builder.add(&file("b"), "1", &[60; 3], &Groups::range(2, 3));
        steps.push(builder.finish());
        assert_eq!(told(&steps), ["a[(0, 4)]", "b[(0, 1)]", "b[(1, 2)]", "b[(2, 3)]"]);
        let holders: Vec<_> = steps.into_iter().map(|step| step.holders).collect();
        assert_eq!(holders, [vec![], vec![1], vec![1], vec![]]);
    }

    #[test]
    fn a_step_is_halved_until_one_file_is_left() {
        let mut builder = Builder::new(100);
        for name in ["a", "b", "c"] {
            builder.add(&file(name), "1", &[1], &Groups::first(1));
        }
        let [first, second] = builder.finish().halves();
        assert_eq!(told(&[first, second]), ["a[(0, 1)]", "b[(0, 1)] c[(0, 1)]"]);
    }
}
