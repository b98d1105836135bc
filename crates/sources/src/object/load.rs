//! What a load that can be run again asks of its source: the files with their row groups, told before they are read, and
//! the plan of the load narrowed to some of them.
//!
//! Files are opened as the scan would open them, and handed on to it: a step reads no footer that was read here, except
//! where a step has very many files, of which only the footers (not the ends of the files that came with them) are kept.

use std::sync::Arc;

use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::physical_plan::ExecutionPlan;
use futures::future::BoxFuture;
use futures::stream::BoxStream;
use futures::{FutureExt, StreamExt, TryStreamExt};
use gristmill_base::{Error, ErrorCode, Result, ResultExt};
use gristmill_catalog::Groups;
use gristmill_introspect::QueryContext;
use gristmill_objstore::Provider;

use super::exec::{ObjectScanExec, ScanDescription};
use super::fetch::{Fetcher, Opened};
use super::file::SourceFile;
use super::parquet::columns::FileColumns;
use super::parquet::footer::Footer;
use super::parquet::unit::memory_bytes;
use super::step::ScanStep;

/// Files that are opened at a time, and ahead of the steps.
const FILES_OPENING: usize = 64;
/// Files of a step whose ends are kept from the opening to the scan.
const FILES_HANDED_ON: usize = 256;
/// Bytes in memory of a byte of compressed text, about.
const TEXT_EXPANDS: u64 = 4;

/// A file of a load, opened as far as it takes to know its groups.
pub struct LoadFile {
    pub file: Arc<SourceFile>,
    /// What tells this version of the file apart.
    pub version: String,
    /// Bytes of each group as they lie in memory, about.
    pub group_bytes: Vec<u64>,
    opened: Option<Opened>,
}

/// What became of opening a file.
pub enum Found {
    File(LoadFile),
    /// It need not be opened.
    Known,
    Failed(Arc<SourceFile>, Error),
}

/// Some groups of a file.
#[derive(Clone, Debug, PartialEq)]
pub struct StepGroups {
    pub file: Arc<SourceFile>,
    pub version: String,
    pub groups_total: u32,
    pub groups: Groups,
}

/// Bytes of a text file's rows as they lie in memory, about.
pub(super) fn text_memory_bytes(description: &ScanDescription, key: &str, size: u64) -> u64 {
    let is_plain = description.source.compression_of(key) == gristmill_formats::Compression::None;
    size.saturating_mul(if is_plain { 1 } else { TEXT_EXPANDS })
}

/// What tells the version of a file apart, as far as the listing says it.
pub fn listed_version(file: &SourceFile) -> Option<String> {
    file.version().map(|version| version.trim_matches('"').to_string())
}

/// Whether an operator makes of each row, by itself, any number of rows. If not: what it is to the user.
fn row_wise(operator: &str) -> std::result::Result<(), &'static str> {
    Err(match operator {
        "ProjectionExec" | "FilterExec" | "ArrayJoinExec" | "UnnestExec" => return Ok(()),
        "RepartitionExec" | "CoalescePartitionsExec" | "CoalesceBatchesExec" | "CooperativeExec" => return Ok(()),
        "AggregateExec" => "an aggregation or DISTINCT",
        "SortExec" | "ParallelSort" | "SortPreservingMergeExec" | "PartialSortExec" => "ORDER BY",
        "GlobalLimitExec" | "LocalLimitExec" => "LIMIT",
        "UnionExec" | "InterleaveExec" => "UNION",
        "WindowAggExec" | "BoundedWindowAggExec" => "a window function",
        join if join.ends_with("JoinExec") => "a JOIN",
        "SequenceExec" | "EmptyExec" | "PlaceholderRowExec" => "a source that is not files",
        source if source.ends_with("SourceExec") || source.ends_with("TableExec") || source.ends_with("ScanExec") => {
            "a source that is not files"
        }
        _ => "an operator over several rows",
    })
}

/// The source of a load.
pub struct LoadSource {
    description: ScanDescription,
    fetcher: Fetcher,
}

impl LoadSource {
    /// The files that a plan reads, where each of its rows comes from one row of one file. Else: what is in the way.
    pub fn of(
        plan: &Arc<dyn ExecutionPlan>,
        context: &Arc<QueryContext>,
    ) -> Result<std::result::Result<Arc<LoadSource>, &'static str>> {
        let mut node = plan;
        loop {
            if node.fetch().is_some() {
                return Ok(Err("LIMIT"));
            }
            if let Some(scan) = node.downcast_ref::<ObjectScanExec>() {
                let source = LoadSource { description: scan.description().clone(), fetcher: scan.fetcher(context)? };
                return Ok(Ok(Arc::new(source)));
            }
            match (row_wise(node.name()), &node.children()[..]) {
                (Ok(()), [child]) => node = *child,
                (Ok(()), _) => return Ok(Err("a source that is not files")),
                (Err(obstacle), _) => return Ok(Err(obstacle)),
            }
        }
    }

    /// Files that are known before anything is read; the listing may bring more.
    pub fn known(&self) -> &[Arc<SourceFile>] {
        self.description.files.known()
    }

    /// Every file, opened, in the order of the listing. `is_known`: whether a file, of which the listing told what is
    /// needed, need not be opened.
    pub fn files(
        self: &Arc<Self>,
        is_known: impl Fn(&SourceFile) -> Result<bool> + Send + Sync + 'static,
    ) -> BoxStream<'static, Result<Found>> {
        let (source, is_known) = (self.clone(), Arc::new(is_known));
        let open = move |file: Arc<SourceFile>| -> BoxFuture<'static, Result<Found>> {
            let (source, is_known) = (source.clone(), is_known.clone());
            async move {
                if is_known(&file)? {
                    return Ok(Found::Known);
                }
                Ok(match source.open(&file).await.context(|| format!("(in file/uri {})", file.path)) {
                    Ok(opened) => Found::File(opened),
                    Err(error) => Found::Failed(file, error),
                })
            }
            .boxed()
        };
        self.description.files.stream(&self.fetcher.context).map_ok(open).try_buffered(FILES_OPENING).boxed()
    }

    async fn open(&self, file: &Arc<SourceFile>) -> Result<LoadFile> {
        if self.description.source.is_parquet() {
            let opened = self.description.files.opening().footer(&self.fetcher, file).await?;
            let (file, version) = (opened.file.clone(), self.version(&opened.file)?);
            let group_bytes = self.group_bytes(&opened.footer, &file)?;
            return Ok(LoadFile { file, version, group_bytes, opened: Some(opened) });
        }
        let mut file = file.clone();
        if file.version().is_none() || file.size.is_none() {
            let info = self.fetcher.store.head(&self.fetcher.context, &file.key).await?;
            file = self.fetcher.told(&file, &info)?;
        }
        let bytes = text_memory_bytes(&self.description, &file.key, file.size.unwrap_or(0));
        Ok(LoadFile { version: self.version(&file)?, file, group_bytes: vec![bytes], opened: None })
    }

    /// Errors: NOT_IMPLEMENTED where nothing tells versions of a file apart.
    fn version(&self, file: &SourceFile) -> Result<String> {
        listed_version(file).ok_or_else(|| {
            let who = match self.description.source.location.provider {
                Provider::Http => "the server tells neither ETag nor time",
                _ => "the store tells neither ETag nor time",
            };
            Error::not_implemented(format!("load_id for '{}': {who}, so a changed file could not be told", file.path))
        })
    }

    fn group_bytes(&self, footer: &Footer, file: &SourceFile) -> Result<Vec<u64>> {
        let mut needed = self.description.filter.columns();
        needed.extend(&self.description.projection);
        needed.sort_unstable();
        needed.dedup();
        let settings = &self.fetcher.context.settings;
        let columns = FileColumns::new(&self.description.layout, &needed, footer.schema(), file, settings)?;
        let roots = columns.file_columns(&needed);
        Ok((0..footer.metadata().num_row_groups()).map(|group| memory_bytes(footer, group, &roots)).collect())
    }

    /// The plan narrowed to groups of files, and what will be told of them.
    pub fn step(
        &self,
        plan: &Arc<dyn ExecutionPlan>,
        files: &[StepGroups],
    ) -> Result<(Arc<dyn ExecutionPlan>, Arc<ScanStep>)> {
        let step = Arc::new(ScanStep::new(files.iter().map(|file| (file.file.key.clone(), file.groups.clone()))));
        let description = ScanDescription {
            files: self.description.files.only(files.iter().map(|file| file.file.clone()).collect()),
            rows: None,
            step: Some(step.clone()),
            ..self.description.clone()
        };
        let scan: Arc<dyn ExecutionPlan> = Arc::new(ObjectScanExec::new(description, self.fetcher.caches.clone())?);
        let narrowed = plan.clone().transform_up(|node| {
            let is_scan = node.downcast_ref::<ObjectScanExec>().is_some();
            Ok(if is_scan { Transformed::yes(scan.clone()) } else { Transformed::no(node) })
        })?;
        if !narrowed.transformed {
            return Err(Error::new(ErrorCode::LOGICAL_ERROR, "The plan of a load reads no files"));
        }
        Ok((narrowed.data, step))
    }

    /// Leaves an opened file to the scan of the step it is read in first, as the `place`th file of it.
    pub fn hand_on(&self, file: &mut LoadFile, place: usize) {
        if let Some(mut opened) = file.opened.take() {
            if place >= FILES_HANDED_ON {
                opened.tail = None;
            }
            self.description.files.opening().keep(&file.file, opened);
        }
    }
}
