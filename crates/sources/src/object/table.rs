//! A source of files as a table.

use std::sync::Arc;

use async_trait::async_trait;
use datafusion::catalog::TableProvider;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_catalog::{Table, TableDefinition, TableWriter};
use gristmill_formats::Format;
use gristmill_introspect::QueryContext;
use gristmill_objstore::{Glob, Provider, Store};
use gristmill_types::{Column, Columns, DefaultKind};

use super::fetch::Fetcher;
use super::file::SourceFile;
use super::files::{Files, LOCAL_FILES_KNOWN_MAX, ListQuery, REMOTE_FILES_KNOWN_MAX};
use super::layout::{Layout, VirtualColumn};
use super::provider::ObjectProvider;
use super::source::ObjectSource;
use super::{hive, infer};
use crate::arguments::{ObjectArguments, as_declared};
use crate::caches::SourceCaches;
use crate::function_table::definition;
use crate::generate::format::carried_as;

#[derive(Debug)]
pub struct ObjectTable {
    source: Arc<ObjectSource>,
    definition: Arc<TableDefinition>,
    layout: Arc<Layout>,
    caches: Arc<SourceCaches>,
    /// What the structure was taken from; a function's table lives for one query, which sees these files. `None`: listed
    /// when it is read.
    files: Option<Files>,
}

/// Which structure a function without one gets.
pub enum StructureHint<'a> {
    None,
    /// Of the table that an INSERT SELECT writes to.
    InsertTarget(&'a Columns),
    /// Of the rows that are written into the function.
    Writing(&'a Columns),
}

impl ObjectTable {
    pub async fn open_function(
        arguments: ObjectArguments,
        hint: StructureHint<'_>,
        caches: &Arc<SourceCaches>,
        context: &Arc<QueryContext>,
    ) -> Result<Arc<dyn Table>> {
        let source = arguments.source;
        let format = arguments.format.or_else(|| Format::by_extension(&source.location.key));
        let function = source.function.clone();
        let given = match (arguments.structure, &hint) {
            (Some(columns), _) => Some(as_declared(columns, &context.settings)),
            (None, StructureHint::Writing(columns)) => Some((*columns).clone()),
            (None, _) => None,
        };
        let writing = matches!(hint, StructureHint::Writing(_));
        if let (Some(columns), true) = (&given, writing) {
            let source = Arc::new(with_format(source, format)?);
            let definition = definition(source.engine(), &function, columns.clone());
            let layout = Arc::new(Layout::new(columns, &[]));
            return Ok(Arc::new(ObjectTable { source, definition, layout, caches: caches.clone(), files: None }));
        }
        let fetcher = fetcher(&source, caches, context)?;
        let files = list(&source, &fetcher, given.is_some()).await?;
        // A pattern like `folder/*` says nothing; the files that it matches do.
        let format = match format.or_else(|| files.known().iter().find_map(|file| Format::by_extension(&file.key))) {
            Some(format) => Some(format),
            None => infer::format(&source, &fetcher, &files).await?,
        };
        let source = Arc::new(with_format(source, format)?);
        let hive_columns = match files.known().first() {
            Some(file) if context.settings.use_hive_partitioning => hive::columns(file)?,
            _ => Vec::new(),
        };
        // A load that goes on may have no need of most files.
        let reads_all = context.settings.load_id.is_empty();
        if reads_all && source.is_parquet() && fetcher.store.is_remote() && reads_every_file(&context.query, &hive_columns) {
            files.opening().begin(&fetcher, files.known());
        }
        let columns = match given {
            Some(columns) => columns,
            None => {
                let inferred = match hint {
                    StructureHint::InsertTarget(target) => from_target(&source, &fetcher, &files, target).await?,
                    _ => infer::structure(&source, &fetcher, &files).await?,
                };
                let of_path = |column: &&Column| hive_columns.iter().any(|other| other.name == column.name);
                let data = inferred.iter().filter(|column| !of_path(column)).cloned();
                Columns::new(data.chain(hive_columns.iter().cloned()).collect())
            }
        };
        let definition = definition(source.engine(), &function, columns.clone());
        let layout = Arc::new(Layout::new(&carried_as(source.format, &columns, &context.settings), &hive_columns));
        Ok(Arc::new(ObjectTable { source, definition, layout, caches: caches.clone(), files: Some(files) }))
    }

    /// A table of an engine. Its structure is that of the definition; files are listed whenever it is read.
    pub fn open_engine(
        arguments: ObjectArguments,
        definition: Arc<TableDefinition>,
        caches: &Arc<SourceCaches>,
    ) -> Result<Arc<dyn Table>> {
        let source = Arc::new(with_format(arguments.source, arguments.format)?);
        let layout = Arc::new(Layout::new(&definition.columns, &[]));
        Ok(Arc::new(ObjectTable { source, definition, layout, caches: caches.clone(), files: None }))
    }

    /// The structure that an engine's definition without columns gets.
    pub async fn infer(
        arguments: ObjectArguments,
        caches: &Arc<SourceCaches>,
        context: &Arc<QueryContext>,
    ) -> Result<Columns> {
        let source = Arc::new(with_format(arguments.source, arguments.format)?);
        let fetcher = fetcher(&source, caches, context)?;
        let files = list(&source, &fetcher, false).await?;
        infer::structure(&source, &fetcher, &files).await
    }
}

/// Whether a statement reads rows, and says nothing by which files might be left out: nothing of paths, and no LIMIT
/// which the rows of a few files meet.
fn reads_every_file(statement: &str, hive_columns: &[Column]) -> bool {
    let words: Vec<&str> =
        statement.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|word| !word.is_empty()).collect();
    let is = |word: &&str, known: &[&str]| known.iter().any(|known| word.eq_ignore_ascii_case(known));
    let reads = words.first().is_some_and(|first| is(first, &["select", "insert", "with", "from"]));
    let is_of_path = |word: &&str| {
        VirtualColumn::ALL.iter().any(|column| column.name() == *word)
            || hive_columns.iter().any(|column| column.name == *word)
    };
    // What sorts or groups reads all rows before it gives the first.
    let takes_first_rows = words.iter().any(|word| is(word, &["limit"]))
        && !words.iter().any(|word| is(word, &["by", "distinct", "join", "union"]));
    reads && !takes_first_rows && !words.iter().any(is_of_path)
}

fn fetcher(source: &ObjectSource, caches: &Arc<SourceCaches>, context: &Arc<QueryContext>) -> Result<Fetcher> {
    Ok(Fetcher {
        store: Store::open(&source.location, &source.credentials, &source.headers, &context.settings)?,
        location: Arc::new(source.location.clone()),
        context: context.clone(),
        caches: caches.clone(),
    })
}

/// `format`, or that which the name tells.
fn with_format(mut source: ObjectSource, format: Option<Format>) -> Result<ObjectSource> {
    let Some(format) = format.or_else(|| Format::by_extension(&source.location.key)) else {
        return Err(Error::new(
            ErrorCode::CANNOT_DETECT_FORMAT,
            format!(
                "The data format cannot be detected by the name '{}' or the contents of the files. You can specify the format \
                 manually",
                source.location.display(&source.location.key)
            ),
        ));
    };
    source.format = format;
    Ok(source)
}

/// The target's columns, where the data has them; else what the data says.
async fn from_target(source: &ObjectSource, fetcher: &Fetcher, files: &Files, target: &Columns) -> Result<Columns> {
    match fetcher.context.settings.use_structure_from_insertion_table_in_table_functions {
        0 => infer::structure(source, fetcher, files).await,
        1 => Ok(given_by_files(target)),
        // Formats whose files name their columns are asked: with another set of columns the target's is not theirs.
        _ if source.format.carries_schema() => {
            let inferred = infer::structure(source, fetcher, files).await?;
            let columns = inferred.iter().map(|column| target.get(&column.name).unwrap_or(column).clone());
            Ok(Columns::new(
                columns
                    .map(|mut column| {
                        column.default = None;
                        column
                    })
                    .collect(),
            ))
        }
        _ => Ok(given_by_files(target)),
    }
}

/// A table's columns as a file gives them: one that the table computes is a column like any other.
fn given_by_files(target: &Columns) -> Columns {
    let given = |column: &Column| match &column.default {
        Some((DefaultKind::Default, _)) => column.clone(),
        _ => Column { default: None, ..column.clone() },
    };
    Columns::new(target.iter().map(given).collect())
}

/// The files that the key's pattern matches, in the order of their keys.
async fn list(source: &ObjectSource, fetcher: &Fetcher, structure_known: bool) -> Result<Files> {
    let context = &fetcher.context;
    let location = &source.location;
    let glob = Glob::parse(&location.key)?;
    let names = match location.provider {
        Provider::Http => braces_expanded(&location.key)?,
        _ => glob.expansions(),
    };
    if let Some(names) = names {
        let infos = names.into_iter().map(gristmill_objstore::ObjectInfo::named);
        return Ok(Files::all(infos.map(|info| Arc::new(SourceFile::of(location, &info))).collect()));
    }
    let skips_empty = if location.provider == Provider::File {
        context.settings.engine_file_skip_empty_files
    } else {
        context.settings.s3_skip_empty_files
    };
    let query = ListQuery {
        store: fetcher.store.clone(),
        location: fetcher.location.clone(),
        glob: Arc::new(glob),
        skips_empty,
        known_max: if fetcher.store.is_remote() { REMOTE_FILES_KNOWN_MAX } else { LOCAL_FILES_KNOWN_MAX },
    };
    let files = fetcher.caches.listings.files(&query, context).await?;
    if files.known().is_empty() && structure_known && context.settings.s3_throw_on_zero_files_match {
        return Err(Error::new(
            ErrorCode::FILE_DOESNT_EXIST,
            format!("Can not match any files with path {}", location.display(&location.key)),
        ));
    }
    Ok(files)
}

/// The URLs that a pattern of braces names. `*` and `?` are characters of a URL like any other: for the while of the
/// expansion two characters stand for them that no URL has.
fn braces_expanded(key: &str) -> Result<Option<Vec<String>>> {
    let masked = key.replace('*', "\u{e000}").replace('?', "\u{e001}");
    let names = Glob::parse(&masked)?.expansions();
    let names = names.map(|names| names.iter().map(|name| name.replace('\u{e000}', "*").replace('\u{e001}', "?")).collect());
    Ok(names)
}

/// A file gives its columns: a function over files has none that are computed when it is read, or are only there for others.
fn refuse_computed(columns: &Columns) -> Result<()> {
    let is_special = |column: &&Column| !matches!(column.default, None | Some((DefaultKind::Default, _)));
    match columns.iter().find(is_special) {
        None => Ok(()),
        Some(column) => {
            let text =
                format!("Column '{}' of files cannot be MATERIALIZED, ALIAS or EPHEMERAL: write DEFAULT", column.name);
            Err(Error::new(ErrorCode::BAD_ARGUMENTS, text))
        }
    }
}

#[async_trait]
impl Table for ObjectTable {
    fn definition(&self) -> Arc<TableDefinition> {
        self.definition.clone()
    }

    fn virtual_columns(&self) -> Columns {
        self.layout.virtual_columns()
    }

    async fn read(&self, context: &Arc<QueryContext>) -> Result<Arc<dyn TableProvider>> {
        if !self.source.format.is_input() {
            return Err(Error::new(
                ErrorCode::BAD_ARGUMENTS,
                format!("Format {} is not suitable for input", self.source.format.name()),
            ));
        }
        let (files, layout) = match &self.files {
            Some(files) => {
                refuse_computed(&self.definition.columns)?;
                (files.clone(), self.layout.clone())
            }
            None => {
                let fetcher = fetcher(&self.source, &self.caches, context)?;
                let files = list(&self.source, &fetcher, true).await?;
                let hive_columns = match files.known().first() {
                    Some(file) if context.settings.use_hive_partitioning => hive::columns(file)?,
                    _ => Vec::new(),
                };
                (files, Arc::new(Layout::new(&self.definition.columns, &hive_columns)))
            }
        };
        Ok(Arc::new(ObjectProvider {
            source: self.source.clone(),
            files,
            layout,
            context: context.clone(),
            caches: self.caches.clone(),
        }))
    }

    async fn write(&self, context: &Arc<QueryContext>) -> Result<Arc<dyn TableWriter>> {
        super::write::open(&self.source, &self.definition, context).await
    }

    fn renamed(&self, definition: Arc<TableDefinition>) -> Result<Arc<dyn Table>> {
        Ok(Arc::new(ObjectTable {
            source: self.source.clone(),
            definition,
            layout: self.layout.clone(),
            caches: self.caches.clone(),
            files: self.files.clone(),
        }))
    }
}

#[cfg(test)]
mod tests {
    use gristmill_types::SqlType;

    use super::*;

    #[test]
    fn a_head_start_is_for_statements_that_read_every_file() {
        let month = [Column::new("month", SqlType::String)];
        assert!(reads_every_file("SELECT sum(a) FROM s3('https://h/b/my_file/*.parquet')", &month));
        assert!(reads_every_file("INSERT INTO t SELECT * FROM s3('…')", &month));
        assert!(!reads_every_file("SELECT a FROM s3('…') WHERE _path LIKE '%x%'", &month));
        assert!(!reads_every_file("SELECT a FROM s3('…') WHERE month = '2024'", &month));
        assert!(!reads_every_file("SELECT a FROM s3('…') LIMIT 10", &month));
        assert!(reads_every_file("SELECT a, count() FROM s3('…') GROUP BY a ORDER BY 2 LIMIT 10", &month));
        assert!(!reads_every_file("DESCRIBE TABLE s3('…')", &month));
        assert!(!reads_every_file("EXPLAIN SELECT 1", &[]));
    }
}
