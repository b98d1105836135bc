//! INSERT: rows of a query, of VALUES, or of data in a format, into a table or a table function.
//!
//! Here the statement becomes a plan. `insert_lanes` runs it into the table as one commit; `load` runs it file by file, in
//! commits that a later run goes on from.

use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use arrow::array::{ArrayRef, RecordBatch};
use arrow::datatypes::SchemaRef;
use datafusion::catalog::TableProvider;
use datafusion::catalog::streaming::StreamingTable;
use datafusion::error::DataFusionError;
use datafusion::execution::TaskContext;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::streaming::PartitionStream;
use datafusion::scalar::ScalarValue;
use futures::stream::BoxStream;
use futures::{StreamExt, TryStreamExt};
use gristmill_base::{Error, ErrorCode, Result, ResultExt};
use gristmill_formats::columnar::FileBytes;
use gristmill_formats::{Format, RowParser, count_left_out, file_batches, with_omitted_flags};
use gristmill_introspect::{Counters, QueryContext, Settings};
use gristmill_sql::ast::{Literal, Node, call, text as text_node};
use gristmill_sql::lower::{Analyzer, Lowered, ResolvedTables};
use gristmill_sql::statement::{Insert, InsertSource, TableExpression};
use gristmill_types::measure::batch_bytes;
use gristmill_types::{Column, Columns, SqlType};
use parking_lot::Mutex;

use super::data_blocks::{cut, in_blocks, is_set};
use super::insert_lanes::write_all;
use super::load::{self, LoadRun};
use super::select::Planned;
use super::state_texts::StateTexts;
use super::{Interpreter, Outcome};
use crate::engine::{Engine, timezone};
use crate::execution::{InputData, from_client, input_from, no_data, some_data};
use crate::limit::LimitWatch;
use crate::plan_hash;
use crate::resolver::{call_of, hints};
use crate::views::Shape;

/// An INSERT that is ready to run.
pub(crate) struct PlannedInsert {
    /// The table, with the views on it.
    pub shape: Arc<Shape>,
    /// The plan of the rows that go into it.
    pub rows: Planned,
    /// Lanes that may take the rows.
    pub lanes_max: usize,
}

impl Interpreter {
    pub(crate) async fn insert(
        &self,
        insert: Insert,
        input: Option<InputData>,
        tables: &mut Vec<(String, String)>,
    ) -> Result<Outcome> {
        let is_data = matches!(insert.source, InsertSource::Data { .. });
        let mut input = input.map(|input| if is_data { self.wanted_data(input) } else { input });
        if let Some(queued) = self.insert_async(&insert, &mut input, tables).await? {
            return Ok(queued);
        }
        let watch = LimitWatch::begin(&self.engine, &self.context, false).await?;
        let PlannedInsert { shape, rows, lanes_max } = self.plan_insert(&insert, input, tables).await?;
        self.context.plan_hash.store(plan_hash::of(&rows.physical), Relaxed);
        if let Some(mut watch) = watch {
            watch.planned(&rows.physical);
            *self.limit.lock() = Some(watch);
        }
        let context = self.context.clone();
        let task_context = rows.state.task_ctx();
        Ok(match load::planned(&insert, &shape.root.table, &rows.physical, &context)? {
            Some((request, source)) => {
                let run = LoadRun { shape, plan: rows.physical, source, task_context, context, request };
                Outcome::work(run.run())
            }
            None => Outcome::work(async move {
                let writer = shape.write(&context).await?;
                // The shape holds the gates of its tables until the rows are committed.
                let written = write_all(writer, rows.physical, task_context, context, lanes_max).await;
                drop(shape);
                written
            }),
        })
    }

    /// Data that may be empty, unless this process is the client.
    fn wanted_data(&self, input: InputData) -> InputData {
        let is_server = self.engine.hints.user_files_path.is_some();
        if is_server || !self.context.settings.throw_if_no_data_to_insert { input } else { some_data(input) }
    }

    /// The table, and the plan of the rows that go into it.
    pub(crate) async fn plan_insert(
        &self,
        insert: &Insert,
        input: Option<InputData>,
        tables: &mut Vec<(String, String)>,
    ) -> Result<PlannedInsert> {
        let (shape, given, lowered) = match &insert.target {
            TableExpression::Table(name) => {
                let (database, table_name) = self.full(name);
                let table = self.databases(database).stored(database, table_name)?;
                let shape = Shape::of(&self.engine, &self.context, &table).await?;
                tables.push((database.to_string(), table_name.to_string()));
                let columns = table.definition().columns.clone();
                let given = self.columns_of_insert(insert, &columns)?;
                let lowered = self.rows_to_insert(&insert.source, &given, &columns, input, tables).await?;
                (shape, given, lowered)
            }
            TableExpression::Function { name, arguments } => {
                let call = call_of(&self.engine, &self.context, name, arguments)?;
                // The function's structure, where it names none, is that of the rows.
                let unknown = Columns::default();
                let lowered = match &insert.source {
                    InsertSource::Query { .. } => {
                        Some(self.rows_to_insert(&insert.source, &unknown, &unknown, None, tables).await?)
                    }
                    _ => None,
                };
                let writing = lowered.as_ref().map(Lowered::columns);
                let mut source_hints = hints(&self.engine);
                source_hints.writing = writing;
                let table = gristmill_sources::open_table_function(&call, &self.context, &source_hints).await?;
                let columns = table.definition().columns.clone();
                let given = self.columns_of_insert(insert, &columns)?;
                let lowered = match lowered {
                    Some(lowered) => lowered,
                    None => self.rows_to_insert(&insert.source, &given, &columns, input, tables).await?,
                };
                (Shape::alone(&self.engine, &table), given, lowered)
            }
            TableExpression::Query(_) => {
                return Err(Error::new(
                    ErrorCode::SYNTAX_ERROR,
                    "Syntax error: INSERT INTO takes a table or FUNCTION name(…)",
                ));
            }
        };
        let definition = shape.root.table.definition();
        // Set once: the rows of one statement are given alike.
        let _ = self.context.given.set(given.iter().map(|column| column.name.clone()).collect());
        let shaped = self.shape_rows(lowered, &given, &definition.columns)?;
        let shaped = self.checked_rows(shaped, &definition)?;
        // Rows that have an order keep it where it decides which of them stay.
        let has_order = match &insert.source {
            InsertSource::Query { query, .. } => query.order_by.is_some(),
            InsertSource::Values(_) | InsertSource::Data { .. } | InsertSource::Infile { .. } => true,
        };
        let shape = Arc::new(shape);
        if has_order && shape.depends_on_order() {
            let rows = self.plan_in_order(shaped).await?;
            return Ok(PlannedInsert { shape, rows, lanes_max: 1 });
        }
        let rows = self.plan_lowered(shaped).await?;
        // Lanes would share out the blocks that settings ask for, and write each what it has at its end.
        let is_data = !matches!(insert.source, InsertSource::Query { .. });
        let lanes_max = if is_data && is_set(&self.context.settings) { 1 } else { usize::MAX };
        Ok(PlannedInsert { shape, rows, lanes_max })
    }

    /// The rows of an INSERT as a plan.
    pub(super) async fn rows_to_insert(
        &self,
        source: &InsertSource,
        given: &Columns,
        table: &Columns,
        input: Option<InputData>,
        tables: &mut Vec<(String, String)>,
    ) -> Result<Lowered> {
        match source {
            InsertSource::Query { query, format } => {
                let format = format.as_deref().map(Format::by_name).transpose()?;
                let mut source_hints = self.hints(input, format);
                source_hints.insert_target = (!given.is_empty()).then(|| given.clone());
                self.lower(query, source_hints, tables).await
            }
            InsertSource::Values(rows) => self.values(&self.values_answered(rows).await?, given, table),
            InsertSource::Data { format } => {
                let blocks = self.blocks.lock().take();
                if let Some(blocks) = blocks {
                    return self.streamed(from_client(blocks.begin(given, table, &self.context), &self.context), given);
                }
                let input = match input {
                    Some(input) => input,
                    None if !self.context.settings.throw_if_no_data_to_insert => futures::stream::empty().boxed(),
                    None => return Err(no_data()),
                };
                let format = Format::by_name(format.as_deref().unwrap_or("Values"))?;
                self.data(input, format, given)
            }
            InsertSource::Infile { path, format, compression } => {
                use gristmill_formats::compression::Compression;
                if self.engine.hints.user_files_path.is_some() {
                    return Err(Error::new(
                        ErrorCode::NOT_IMPLEMENTED,
                        "FROM INFILE is read by clients, not by a server: send the file's bytes behind FORMAT, or use file()",
                    ));
                }
                let file = tokio::fs::File::open(path).await.context(|| format!("while opening {path} of FROM INFILE"))?;
                let compression = match compression {
                    Some(name) => Compression::by_name(name, path)?,
                    None => Compression::by_extension(path),
                };
                let format = match format {
                    Some(name) => Format::by_name(name)?,
                    None => Format::by_extension(path).ok_or_else(|| {
                        Error::new(
                            ErrorCode::CANNOT_DETECT_FORMAT,
                            format!("Cannot tell the format of {path} by its name: add FORMAT"),
                        )
                    })?,
                };
                let decoded = compression.decoder(input_from(file));
                self.data(decoded, format, given)
            }
        }
    }

    fn values(&self, rows: &[Vec<Node>], given: &Columns, table: &Columns) -> Result<Lowered> {
        let batch = self.values_batch(rows, given, table)?;
        let blocks = cut(&batch, &self.context.settings)?;
        let provider = datafusion::datasource::MemTable::try_new(batch.schema(), vec![blocks])?;
        self.lowered_of(given, Arc::new(provider))
    }

    /// VALUES: constant expressions, cast to the columns they go to.
    pub(super) fn values_batch(&self, rows: &[Vec<Node>], given: &Columns, table: &Columns) -> Result<RecordBatch> {
        let texts = StateTexts::of_values(given, &self.context.settings)?;
        let given = texts.as_ref().map_or(given, StateTexts::read);
        let tables = ResolvedTables::default();
        let analyzer =
            Analyzer::new(&self.engine.registry, Engine::function_env(&self.context), &self.context.settings, &tables);
        let mut cells: Vec<Vec<ScalarValue>> = vec![Vec::with_capacity(rows.len()); given.len()];
        for (number, row) in rows.iter().enumerate() {
            if row.len() != given.len() {
                return Err(Error::new(
                    ErrorCode::SYNTAX_ERROR,
                    format!(
                        "Row {} of VALUES has {} values, and the INSERT takes {} columns",
                        number + 1,
                        row.len(),
                        given.len()
                    ),
                ));
            }
            for (at, (node, column)) in row.iter().zip(given).enumerate() {
                let no_default = !column.has_default_expression();
                let null_as_default = self.context.settings.input_format_null_as_default;
                let value = if is_default(node) && no_default {
                    Ok(gristmill_types::default::default_scalar(&column.kind))
                } else if is_default(node) || (null_as_default && !no_default && is_replaced_null(node, column)) {
                    let node = default_in_row(column, row, given, table, 0)?;
                    analyzer.constant_as_kind(&node, &column.kind, false)
                } else if !null_as_default && has_misplaced_null(node, &column.kind) {
                    let text = format!("Cannot insert NULL value into a column of type '{}'", column.kind);
                    Err(Error::new(ErrorCode::TYPE_MISMATCH, text))
                } else {
                    analyzer.constant_as_kind(node, &column.kind, null_as_default)
                };
                let value = value.context(|| format!("in row {} of VALUES, column {}", number + 1, column.name))?;
                cells[at].push(value);
            }
        }
        let schema = given.arrow();
        let arrays = cells
            .into_iter()
            .zip(schema.fields())
            .map(|(values, field)| {
                let array = ScalarValue::iter_to_array(values)?;
                Ok(if array.data_type() == field.data_type() {
                    array
                } else {
                    arrow::compute::cast(&array, field.data_type())?
                })
            })
            .collect::<Result<Vec<ArrayRef>>>()?;
        let batch = RecordBatch::try_new(schema, arrays)?;
        self.context.read(batch.num_rows() as u64, batch_bytes(&batch));
        match texts {
            Some(texts) => texts.states(&batch),
            None => Ok(batch),
        }
    }

    /// Data in a format, read as it comes.
    fn data(&self, input: InputData, format: Format, given: &Columns) -> Result<Lowered> {
        let given = &asked_of_data(given, &self.context.settings);
        if format.is_columnar_file() {
            let (context, columns) = (self.context.clone(), given.clone());
            let folder = self.engine.data_path.join("tmp");
            let whole = async move {
                let bytes = held(input, &folder, &context).await?;
                let zone = timezone(&context.settings)?;
                file_batches(format, &columns, &context.settings, zone, "data of INSERT", bytes, context.counters.clone())
            };
            let batches = futures::stream::once(whole).map_ok(futures::stream::iter).try_flatten();
            return self.streamed(batches.boxed(), given);
        }
        let settings = &self.context.settings;
        let texts = StateTexts::of(format, given, settings)?;
        let read = texts.as_ref().map_or(given, StateTexts::read);
        let parser = gristmill_formats::parser(format, read, settings, timezone(settings)?, "data of INSERT")?;
        let batches = parsed(input, parser, self.context.counters.clone());
        match texts {
            Some(texts) => self.streamed(batches.map(move |batch| texts.states(&batch?)).boxed(), given),
            None => self.streamed(batches, given),
        }
    }

    /// Rows as they come.
    fn streamed(&self, batches: BoxStream<'static, Result<RecordBatch>>, given: &Columns) -> Result<Lowered> {
        let batches = in_blocks(batches, given.arrow(), &self.context.settings)?;
        self.lowered_of(given, rows_once(batches, given, &self.context)?)
    }
}

/// Rows that come with a statement, as a table that is read once.
pub(crate) fn rows_once(
    batches: BoxStream<'static, Result<RecordBatch>>,
    columns: &Columns,
    context: &Arc<QueryContext>,
) -> Result<Arc<dyn TableProvider>> {
    let schema = columns.arrow();
    let rows = DataRows { schema: schema.clone(), source: Mutex::new(Some(batches)), context: context.clone() };
    Ok(Arc::new(StreamingTable::try_new(schema, vec![Arc::new(rows)])?))
}

/// What data is asked for: the columns, and where it leaves out values of those that have a default of their own.
pub(super) fn asked_of_data(given: &Columns, settings: &Settings) -> Columns {
    match settings.input_format_defaults_for_omitted_fields {
        true => with_omitted_flags(given),
        false => given.clone(),
    }
}

/// NULL for a column that cannot hold it.
fn is_replaced_null(node: &Node, column: &Column) -> bool {
    matches!(node.bare(), Node::Literal(Literal::Null)) && !column.kind.is_nullable()
}

/// NULL where the type has none: as the value, or within an array, a tuple or a map.
fn has_misplaced_null(node: &Node, kind: &SqlType) -> bool {
    match (node.bare(), kind.plain()) {
        (Node::Literal(Literal::Null), _) => !kind.is_nullable(),
        (Node::Call(list), SqlType::Array(element)) if list.name == "array" => {
            list.arguments.iter().any(|node| has_misplaced_null(node, element))
        }
        (Node::Call(tuple), SqlType::Tuple(fields)) if tuple.name == "tuple" => {
            tuple.arguments.iter().zip(fields).any(|(node, (_, kind))| has_misplaced_null(node, kind))
        }
        (Node::Call(map), SqlType::Map(key, value)) if map.name == "map" => {
            let mut places = map.arguments.iter().enumerate();
            places.any(|(at, node)| has_misplaced_null(node, if at % 2 == 0 { key } else { value }))
        }
        _ => false,
    }
}

fn is_default(node: &Node) -> bool {
    matches!(node, Node::Name(parts) if parts.len() == 1 && parts[0].eq_ignore_ascii_case("DEFAULT"))
}

/// What DEFAULT stands for in a row of VALUES: the column's default with the row's other values in the place of names.
fn default_in_row(column: &Column, row: &[Node], given: &Columns, table: &Columns, depth: usize) -> Result<Node> {
    let text = match &column.default {
        Some((_, text)) if !text.is_empty() => text,
        _ => return Ok(call("defaultValueOfTypeName", vec![text_node(&column.kind.to_string())])),
    };
    if depth > table.len() {
        return Err(Error::new(ErrorCode::BAD_ARGUMENTS, format!("The default of column {} needs itself", column.name)));
    }
    let mut node = gristmill_sql::statement::parse_expression(text)?;
    for other in table {
        let name = Node::Name(vec![other.name.clone()]);
        let mut named = false;
        node.walk(&mut |part| {
            named |= *part == name;
            true
        });
        if !named {
            continue;
        }
        let value = match given.names().iter().position(|known| *known == other.name).and_then(|at| row.get(at)) {
            Some(value) if !is_default(value) && !is_replaced_null(value, other) => value.clone(),
            _ => default_in_row(other, row, given, table, depth + 1)?,
        };
        let typed = call("CAST", vec![value, text_node(&other.kind.to_string())]);
        node = gristmill_sql::lower::substituted(&node, &other.name, &typed);
    }
    Ok(node)
}

/// Bytes of a file that are held in memory; of a longer one all lie in the folder of temporary files.
const HELD_BYTES_MAX: usize = 8 << 20;

/// All of the data: that of a file whose directory is at its end.
async fn held(mut input: InputData, folder: &Path, context: &QueryContext) -> Result<FileBytes> {
    let failed = |error: std::io::Error| {
        Error::from(error).with_context("while keeping the data of an INSERT in a temporary file until it is all there")
    };
    let mut held = Vec::new();
    let mut file: Option<File> = None;
    while let Some(chunk) = context.cancellable(async { input.next().await.transpose() }).await? {
        if file.is_none() && held.len() + chunk.len() > HELD_BYTES_MAX {
            std::fs::create_dir_all(folder).map_err(failed)?;
            let mut made = tempfile::tempfile_in(folder).map_err(failed)?;
            made.write_all(&std::mem::take(&mut held)).map_err(failed)?;
            file = Some(made);
        }
        match &mut file {
            Some(file) => file.write_all(&chunk).map_err(failed)?,
            None => held.extend_from_slice(&chunk),
        }
    }
    Ok(match file {
        Some(file) => FileBytes::File(Arc::new(file)),
        None => FileBytes::Memory(held.into()),
    })
}

/// Bytes that are parsed at a time: a chunk may hold all of the data, and its rows are not to be there at once.
const PARSED_BYTES: usize = 4 << 20;

/// Rows out of a stream of bytes.
fn parsed(input: InputData, parser: Box<dyn RowParser>, counters: Arc<Counters>) -> BoxStream<'static, Result<RecordBatch>> {
    let pieces = input.map_ok(|mut chunk| {
        futures::stream::iter(std::iter::from_fn(move || {
            let piece = chunk.split_to(chunk.len().min(PARSED_BYTES));
            (!piece.is_empty()).then_some(Ok::<_, Error>(piece))
        }))
    });
    let pieces = pieces.try_flatten().boxed();
    let begin = (pieces, Some(parser), counters);
    let batches = futures::stream::try_unfold(begin, |(mut pieces, parser, counters)| async move {
        let Some(mut parser) = parser else { return Ok::<_, Error>(None) };
        let (batches, parser) = match pieces.next().await {
            Some(piece) => (parser.push(&piece?)?, Some(parser)),
            None => {
                let batches = parser.finish()?;
                count_left_out(parser.as_ref(), &counters);
                (batches, None)
            }
        };
        Ok(Some((futures::stream::iter(batches.into_iter().map(Ok)), (pieces, parser, counters))))
    });
    batches.try_flatten().boxed()
}

/// Rows of a stream; read once.
struct DataRows {
    schema: SchemaRef,
    source: Mutex<Option<BoxStream<'static, Result<RecordBatch>>>>,
    context: Arc<QueryContext>,
}

impl std::fmt::Debug for DataRows {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("DataRows")
    }
}

impl PartitionStream for DataRows {
    fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    fn execute(&self, _task: Arc<TaskContext>) -> datafusion::execution::SendableRecordBatchStream {
        let schema = self.schema.clone();
        let Some(batches) = self.source.lock().take() else {
            let error = Error::logical("The data of an INSERT is read twice");
            return Box::pin(RecordBatchStreamAdapter::new(schema, futures::stream::iter([Err(error.into())])));
        };
        let context = self.context.clone();
        let counted = futures::stream::try_unfold(batches, move |mut batches| {
            let context = context.clone();
            async move {
                let Some(batch) = context.cancellable(async { batches.next().await.transpose() }).await? else {
                    return Ok(None);
                };
                context.read(batch.num_rows() as u64, batch_bytes(&batch));
                Ok::<_, DataFusionError>(Some((batch, batches)))
            }
        });
        Box::pin(RecordBatchStreamAdapter::new(schema, counted))
    }
}
