//! A source of files as plans see it: which filters it takes, and the scan it becomes.

use std::sync::Arc;

use arrow::array::{RecordBatch, RecordBatchOptions};
use arrow::datatypes::{Schema, SchemaRef};
use async_trait::async_trait;
use datafusion::catalog::{Session, TableProvider};
use datafusion::common::tree_node::{TreeNode, TreeNodeRecursion};
use datafusion::common::{DFSchema, Result as DataFusionResult};
use datafusion::logical_expr::{Expr, TableProviderFilterPushDown, TableType};
use datafusion::physical_plan::ExecutionPlan;
use gristmill_base::{Result, units};
use gristmill_introspect::tracing::Level;
use gristmill_introspect::{Event, QueryContext, tell};

use super::exec::{ObjectScanExec, ScanDescription};
use super::file::SourceFile;
use super::files::Files;
use super::filter::ScanFilter;
use super::layout::{Layout, Origin, VirtualColumn};
use super::parquet::columns::FileColumns;
use super::source::ObjectSource;
use crate::caches::{FileKey, SourceCaches};

#[derive(Debug)]
pub struct ObjectProvider {
    pub source: Arc<ObjectSource>,
    pub files: Files,
    pub layout: Arc<Layout>,
    pub context: Arc<QueryContext>,
    pub caches: Arc<SourceCaches>,
}

#[async_trait]
impl TableProvider for ObjectProvider {
    fn schema(&self) -> SchemaRef {
        self.layout.schema.clone()
    }

    fn table_type(&self) -> TableType {
        TableType::Base
    }

    fn supports_filters_pushdown(&self, filters: &[&Expr]) -> DataFusionResult<Vec<TableProviderFilterPushDown>> {
        filters
            .iter()
            .map(|filter| {
                Ok(if is_plain(filter)? {
                    TableProviderFilterPushDown::Exact
                } else {
                    TableProviderFilterPushDown::Unsupported
                })
            })
            .collect()
    }

    async fn scan(
        &self,
        session: &dyn Session,
        projection: Option<&Vec<usize>>,
        filters: &[Expr],
        limit: Option<usize>,
    ) -> DataFusionResult<Arc<dyn ExecutionPlan>> {
        let schema = DFSchema::try_from(self.layout.schema.as_ref().clone())?;
        let expressions = filters
            .iter()
            .map(|filter| session.create_physical_expr(filter.clone(), &schema))
            .collect::<DataFusionResult<Vec<_>>>()?;
        let projection = projection.cloned().unwrap_or_else(|| (0..self.layout.columns.len()).collect());
        let (files, filter) = self.matching(ScanFilter::new(expressions))?;
        let rows = self.known_rows(&files);
        if self.context.is_told(Level::DEBUG) {
            self.tell(&files, &projection);
        }
        let description = ScanDescription {
            source: self.source.clone(),
            partitions: self.partitions(&files),
            files,
            layout: self.layout.clone(),
            projection,
            filter,
            limit,
            rows,
            step: None,
        };
        Ok(Arc::new(ObjectScanExec::new(description, self.caches.clone())?))
    }
}

/// Whether a filter gives the same answer however often and wherever it is computed.
fn is_plain(filter: &Expr) -> DataFusionResult<bool> {
    let mut plain = !filter.is_volatile();
    filter.apply(|node| {
        if matches!(
            node,
            Expr::ScalarSubquery(_)
                | Expr::InSubquery(_)
                | Expr::Exists(_)
                | Expr::OuterReferenceColumn(..)
                | Expr::Placeholder(_)
        ) {
            plain = false;
            return Ok(TreeNodeRecursion::Stop);
        }
        Ok(TreeNodeRecursion::Continue)
    })?;
    Ok(plain)
}

impl ObjectProvider {
    /// The files that the filter's conjuncts over paths (and over what the listing told) leave, and the rest of the filter.
    fn matching(&self, filter: ScanFilter) -> Result<(Files, ScanFilter)> {
        let known = |file: &Arc<SourceFile>| file.size.is_some() && file.etag.is_some() && file.modified.is_some();
        let all_known = self.files.known().iter().all(known);
        let answered = |index: usize| match self.layout.origins[index] {
            Origin::Data => false,
            Origin::Hive | Origin::Virtual(VirtualColumn::Path | VirtualColumn::File) => true,
            Origin::Virtual(_) => all_known,
        };
        let (by_path, rest) = filter.split(answered);
        if by_path.is_empty() {
            return Ok((self.files.clone(), rest));
        }
        let needed = by_path.columns();
        let block_filter = by_path.over(&self.layout, &needed)?;
        let one_row = RecordBatch::try_new_with_options(
            Arc::new(Schema::empty()),
            Vec::new(),
            &RecordBatchOptions::new().with_row_count(Some(1)),
        )?;
        let (layout, context) = (self.layout.clone(), self.context.clone());
        let files = self.files.filtered(move |file| {
            let columns = FileColumns::new(&layout, &needed, &Schema::empty(), file, &context.settings)?;
            let row = columns.assemble(&needed, &one_row, &[])?;
            let is_wanted = block_filter.evaluate(&row)?.value(0);
            if !is_wanted {
                context.counters.add(Event::ObjectStoragePredicateFilteredObjects, 1);
            }
            Ok(is_wanted)
        })?;
        Ok((files, rest))
    }

    /// Tells the query's log what is going to be read.
    fn tell(&self, files: &Files, projection: &[usize]) {
        let bytes = files.bytes().map_or_else(String::new, |bytes| format!(", {}", units::bytes_binary(bytes as f64)));
        let columns: Vec<&str> = projection.iter().map(|index| self.layout.name(*index)).collect();
        let get = |event| self.context.counters.get(event);
        tell!(
            self.context,
            DEBUG,
            "ReadFromObjectStorage",
            "{} {}: {files} of {} files are wanted by their paths{bytes}; {} listings; columns: {}; {} streams, up to {} connections",
            self.source.function,
            self.source.format.name(),
            self.files,
            get(Event::ObjectListingCacheMisses),
            columns.join(", "),
            self.partitions(files),
            self.context.settings.s3_max_connections
        );
    }

    /// As many streams as the query has threads; fewer where there is not that much to share out.
    fn partitions(&self, files: &Files) -> usize {
        let threads = self.context.threads();
        match files.bytes() {
            Some(bytes) if bytes < 1 << 20 => threads.min(files.known().len().max(1)),
            _ => threads,
        }
        .max(1)
    }

    /// Rows of all files, where every footer is in memory already.
    fn known_rows(&self, files: &Files) -> Option<u64> {
        if !self.source.is_parquet() || !files.is_complete() {
            return None;
        }
        let location = &self.source.location;
        let known = files.known().iter();
        known
            .map(|file| {
                let place = format!("{}\n{}\n{}", location.endpoint, location.bucket, file.key);
                let footer = self.caches.footer(&FileKey { place, version: file.version()? })?;
                u64::try_from(footer.metadata().file_metadata().num_rows()).ok()
            })
            .sum()
    }
}
