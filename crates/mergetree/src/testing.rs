//! What tests of this crate, and of crates above it, build tables with.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};

use arrow::array::RecordBatch;
use arrow::datatypes::Schema;
use datafusion::common::DFSchema;
use datafusion::execution::SessionStateBuilder;
use datafusion::execution::context::SessionContext;
use datafusion::logical_expr::expr::AggregateFunction;
use datafusion::logical_expr::{Expr, ident, lit};
use datafusion::prelude::{SessionConfig, col};
use futures::TryStreamExt;
use gristmill_base::env::system_env;
use gristmill_base::{Error, Result};
use gristmill_catalog::{
    AggregateExpression, ColumnExpression, ColumnKeys, CompiledProjection, EngineSpec, ExpressionCompiler, KeyExpression,
    ProjectedAggregate, ProjectionContents, ProjectionDefinition, SkipIndexDefinition, Table, TableDefinition, TtlRule,
    TtlSpec, Wanted, WrittenKeys,
};
use gristmill_functions::{Argument, BoundAggregate, Registry, resolve_aggregate};
use gristmill_introspect::{QueryContext, Settings};
use gristmill_types::{Columns, SqlType};
use uuid::Uuid;

use crate::read::{PART_OFFSET, physical_rules};
use crate::{MemoryStore, MergeTree, MergeTreeEnvironment, PartStore};

/// A table's description, whose keys are plain columns or expressions that the caller made.
#[derive(Clone, Debug)]
pub struct TableSpec {
    pub columns: Columns,
    pub sorting: Vec<KeyExpression>,
    pub partition: Option<Vec<KeyExpression>>,
    pub settings: BTreeMap<String, String>,
    pub engine: EngineSpec,
    pub column_keys: ColumnKeys,
    pub skip_indexes: Vec<SkipIndexDefinition>,
    pub projections: Vec<ProjectionDefinition>,
    pub ttl: TtlSpec,
}

/// What expressions are compiled in: a session takes milliseconds to make, and these need nothing of it that changes.
static COMPILING: LazyLock<SessionContext> = LazyLock::new(SessionContext::new);

/// Expressions in DataFusion's own SQL, for tests that have no engine.
#[derive(Debug)]
pub struct PlainSql;

impl ExpressionCompiler for PlainSql {
    fn compile(
        &self,
        text: &str,
        wanted: Wanted<'_>,
        columns: &Columns,
        _context: &QueryContext,
    ) -> Result<ColumnExpression> {
        let schema = DFSchema::try_from(columns.arrow().as_ref().clone())?;
        let expr = COMPILING.parse_sql_expr(text, &schema)?;
        let logical = match wanted {
            Wanted::Value(kind) => datafusion::logical_expr::cast(expr, kind.arrow()),
            Wanted::Condition => expr,
            Wanted::Time => datafusion::logical_expr::cast(expr, SqlType::DateTime64(0, None).arrow()),
        };
        let names = logical.column_refs();
        let inputs: Vec<String> =
            columns.names().into_iter().filter(|name| names.iter().any(|column| column.name == *name)).collect();
        let fields = inputs.iter().filter_map(|name| columns.get(name)).map(|column| column.kind.field(&column.name));
        let schema = DFSchema::try_from(Schema::new(fields.collect::<Vec<_>>()))?;
        Ok(ColumnExpression { physical: COMPILING.create_physical_expr(logical.clone(), &schema)?, inputs, logical })
    }

    /// Columns alone: `a`, `(a, b)`.
    fn compile_index(&self, text: &str, stored: &Columns) -> Result<Vec<KeyExpression>> {
        let names = text.trim_start_matches('(').trim_end_matches(')').split(',').map(str::trim);
        names.map(|name| column_key(stored, name)).collect()
    }

    /// None: the engine understands them.
    fn compile_preprocessed(&self, index: &SkipIndexDefinition, _stored: &Columns) -> Result<KeyExpression> {
        Err(Error::not_implemented(format!("the preprocessor of index {}", index.name)))
    }

    /// Columns alone, and aggregates of a column or of none: `a`, `sum(a)`, `count()`.
    fn compile_projection(&self, definition: &ProjectionDefinition, columns: &Columns) -> Result<CompiledProjection> {
        let keys = |names: &[String]| names.iter().map(|name| column_key(columns, name)).collect::<Result<Vec<_>>>();
        let is_call = |text: &&String| text.ends_with(')');
        let calls: Vec<&String> = definition.select.iter().filter(is_call).collect();
        if calls.is_empty() && definition.group_by.is_empty() {
            let named = |name: &String| definition.select.contains(name) || definition.order_by.contains(name);
            let all = definition.select.iter().any(|name| name == "*");
            let columns = columns.names().into_iter().filter(|name| all || named(name)).collect();
            return Ok(CompiledProjection {
                keys: keys(&definition.order_by)?,
                contents: ProjectionContents::Normal { columns, has_offsets: named(&PART_OFFSET.to_string()) },
            });
        }
        let aggregates = calls.into_iter().map(|call| projected_aggregate(call, columns)).collect::<Result<_>>()?;
        Ok(CompiledProjection { keys: keys(&definition.group_by)?, contents: ProjectionContents::Aggregate(aggregates) })
    }

    fn compile_aggregates(
        &self,
        text: &str,
        kind: &SqlType,
        columns: &Columns,
        _context: &QueryContext,
    ) -> Result<AggregateExpression> {
        let schema = DFSchema::try_from(columns.arrow().as_ref().clone())?;
        let expr = SessionContext::new().parse_sql_expr(text, &schema)?;
        AggregateExpression::new(datafusion::logical_expr::cast(expr, kind.arrow()), columns)
    }
}

/// The state of `name(column)`.
fn projected_aggregate(call: &str, columns: &Columns) -> Result<ProjectedAggregate> {
    let unknown = || Error::logical(format!("no aggregate {call}"));
    let (name, argument) = call.trim_end_matches(')').split_once('(').ok_or_else(unknown)?;
    let registry = Registry::standard()?;
    let state = format!("{name}State");
    let function = resolve_aggregate(&registry, &state).ok_or_else(unknown)?;
    let column = columns.get(argument);
    let described: Vec<Argument> =
        column.iter().map(|column| Argument { kind: column.kind.clone(), constant: None }).collect();
    let bound = function.bind(&state, &[], &described)?;
    let arguments = match column {
        Some(column) => vec![ident(&column.name)],
        None => vec![lit(1_i64)],
    };
    let apply = |bound: BoundAggregate, arguments: Vec<Expr>| {
        Expr::AggregateFunction(AggregateFunction::new_udf(bound.udaf, arguments, false, None, Vec::new(), None))
    };
    let kind = bound.result.clone();
    let logical = apply(bound, arguments.clone());
    let state = AggregateExpression::new(logical.clone(), columns)?;
    let merge = format!("{name}Merge");
    let function = resolve_aggregate(&registry, &merge).ok_or_else(unknown)?;
    let merging = function.bind(&merge, &[], &[Argument { kind: kind.clone(), constant: None }])?;
    let merged = apply(merging, vec![ident(call)]);
    let function = resolve_aggregate(&registry, name).ok_or_else(unknown)?;
    let plain = apply(function.bind(name, &[], &described)?, arguments);
    let name = call.to_string();
    Ok(ProjectedAggregate { name, kind, plain, merged, logical, state })
}

/// A key that is a column.
pub fn column_key(columns: &Columns, name: &str) -> Result<KeyExpression> {
    let column = columns.get(name).ok_or_else(|| Error::logical(format!("no column {name}")))?;
    let schema = DFSchema::try_from(columns.arrow().as_ref().clone())?;
    let logical = col(format!("\"{name}\""));
    let physical = COMPILING.create_physical_expr(logical.clone(), &schema)?;
    Ok(KeyExpression { text: name.to_string(), kind: column.kind.clone(), descending: false, logical, physical })
}

impl TableSpec {
    /// Sorted by the columns named, in partitions by the others named.
    pub fn new(columns: Columns, sorting: &[&str], partition: &[&str]) -> Result<TableSpec> {
        let keys = |names: &[&str]| names.iter().map(|name| column_key(&columns, name)).collect::<Result<Vec<_>>>();
        let partition = if partition.is_empty() { None } else { Some(keys(partition)?) };
        let engine = EngineSpec { name: "MergeTree".to_string(), arguments: Vec::new() };
        let (settings, column_keys) = (BTreeMap::new(), ColumnKeys::default());
        Ok(TableSpec {
            sorting: keys(sorting)?,
            partition,
            columns,
            settings,
            engine,
            column_keys,
            skip_indexes: Vec::new(),
            projections: Vec::new(),
            ttl: TtlSpec::default(),
        })
    }

    /// With an index of this name over a column or several.
    pub fn with_skip_index(mut self, name: &str, expression: &str, kind: &str, granularity: u64) -> TableSpec {
        self.skip_indexes.push(SkipIndexDefinition {
            name: name.to_string(),
            expression: expression.to_string(),
            kind: kind.to_string(),
            granularity,
            key: name.to_string(),
        });
        self
    }

    /// With a projection of these columns or aggregates, in the order of the columns behind `by`, or grouped by them.
    pub fn with_projection(mut self, name: &str, select: &[&str], by: &[&str]) -> TableSpec {
        let texts = |texts: &[&str]| texts.iter().map(ToString::to_string).collect::<Vec<_>>();
        let (group_by, order_by) = match select.iter().any(|text| text.ends_with(')')) {
            true => (texts(by), Vec::new()),
            false => (Vec::new(), texts(by)),
        };
        let projection = ProjectionDefinition {
            name: name.to_string(),
            select: texts(select),
            group_by,
            order_by,
            is_index: false,
            settings: Vec::new(),
        };
        self.projections.push(projection);
        self
    }

    pub fn with_engine(mut self, name: &str, arguments: &[&str]) -> TableSpec {
        self.engine = EngineSpec { name: name.to_string(), arguments: arguments.iter().map(ToString::to_string).collect() };
        self
    }

    pub fn with_setting(mut self, name: &str, value: impl ToString) -> TableSpec {
        self.settings.insert(name.to_string(), value.to_string());
        self
    }

    pub fn with_ttl(mut self, rule: TtlRule) -> TableSpec {
        self.ttl.rules.push(rule);
        self
    }

    pub fn with_column_ttl(mut self, column: &str, expression: &str) -> TableSpec {
        self.ttl.columns.insert(column.to_string(), expression.to_string());
        self
    }

    /// The same keys over other columns.
    pub fn with_columns(&self, columns: Columns) -> Result<TableSpec> {
        let keys =
            |keys: &[KeyExpression]| keys.iter().map(|key| column_key(&columns, &key.text)).collect::<Result<Vec<_>>>();
        let (sorting, partition) = (keys(&self.sorting)?, self.partition.as_deref().map(keys).transpose()?);
        Ok(TableSpec { sorting, partition, columns, ..self.clone() })
    }

    /// ALTER: the table as this describes it.
    pub fn alter(&self, table: &MergeTree) -> Result<Arc<MergeTree>> {
        let definition = self.definition();
        let sorting = self.whole_sorting(&definition)?;
        let altered = table.under(definition, sorting, self.partition.clone())?;
        altered.adopted();
        Ok(Arc::new(altered))
    }

    pub async fn open(&self, store: Arc<dyn PartStore>) -> Result<Arc<MergeTree>> {
        self.open_in(store, MergeTreeEnvironment::for_tests()).await
    }

    pub async fn open_in(
        &self,
        store: Arc<dyn PartStore>,
        environment: Arc<MergeTreeEnvironment>,
    ) -> Result<Arc<MergeTree>> {
        let definition = self.definition();
        let sorting = self.whole_sorting(&definition)?;
        MergeTree::open(definition, sorting, self.partition.clone(), store, environment).await
    }

    /// The sorting key with what the engine adds to it.
    fn whole_sorting(&self, definition: &TableDefinition) -> Result<Vec<KeyExpression>> {
        let mut sorting = self.sorting.clone();
        for name in definition.sorting_key().iter().skip(sorting.len()) {
            sorting.push(column_key(&self.columns, name)?);
        }
        Ok(sorting)
    }

    fn definition(&self) -> Arc<TableDefinition> {
        let order_by: Vec<String> = self.sorting.iter().map(|key| key.text.clone()).collect();
        Arc::new(TableDefinition {
            uuid: Uuid::nil(),
            database: "default".to_string(),
            name: "t".to_string(),
            engine: self.engine.clone(),
            columns: self.columns.clone(),
            partition_by: None,
            primary_key: order_by.clone(),
            order_by,
            sample_by: None,
            written_keys: WrittenKeys::default(),
            settings: self.settings.clone().into_iter().collect(),
            comment: String::new(),
            temporary: false,
            column_keys: self.column_keys.clone(),
            skip_indexes: self.skip_indexes.clone(),
            projections: self.projections.clone(),
            ttl: self.ttl.clone(),
            constraints: Vec::new(),
        })
    }
}

/// A query's context with settings changed.
pub fn context(settings: &[(&str, &str)]) -> Result<Arc<QueryContext>> {
    let mut changed = Settings::default();
    for (name, value) in settings {
        changed.set(name, value)?;
    }
    Ok(QueryContext::new("test", "", "default", "default", Arc::new(changed), system_env()))
}

/// One INSERT of the batches through one lane.
pub async fn insert(table: &MergeTree, context: &Arc<QueryContext>, batches: Vec<RecordBatch>) -> Result<()> {
    let writer = table.write(context).await?;
    let mut lane = writer.lane().await?;
    for batch in batches {
        lane.write(batch).await?;
    }
    lane.finish().await?;
    writer.commit().await
}

/// As `select`, from the table with FINAL.
pub async fn select_final(table: &MergeTree, context: &Arc<QueryContext>, query: &str) -> Result<Vec<RecordBatch>> {
    let session = session(context);
    session.register_table("t", table.read_final(context).await?)?;
    Ok(session.sql(query).await?.execute_stream().await?.try_collect().await?)
}

/// A session that runs queries under the context.
pub fn session(context: &Arc<QueryContext>) -> SessionContext {
    let mut config = SessionConfig::new().with_extension(context.clone()).with_target_partitions(context.threads());
    let rules = physical_rules(&context.settings, context.threads(), &mut config);
    let state = SessionStateBuilder::new().with_config(config).with_default_features();
    SessionContext::new_with_state(state.with_physical_optimizer_rules(rules).build())
}

/// Rows of a query over the table, which it calls `t`.
pub async fn select(table: &MergeTree, context: &Arc<QueryContext>, query: &str) -> Result<Vec<RecordBatch>> {
    let session = session(context);
    session.register_table("t", table.read(context).await?)?;
    Ok(session.sql(query).await?.execute_stream().await?.try_collect().await?)
}

/// All objects of a store, by their keys: to be damaged, or kept as golden files.
pub async fn objects(context: &Arc<QueryContext>, store: &MemoryStore) -> Result<BTreeMap<String, Vec<u8>>> {
    let mut all = BTreeMap::new();
    for object in store.list(context, "").await? {
        let data = store.read_whole(context, &object.key).await?;
        let gone = || Error::logical(format!("The object {} is listed and not there", object.key));
        all.insert(object.key.clone(), data.ok_or_else(gone)?.to_vec());
    }
    Ok(all)
}

/// The folder of golden files of a format.
fn golden_folder(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name)
}

/// Golden files that are checked in, by key.
pub fn golden(name: &str) -> Result<BTreeMap<String, Vec<u8>>> {
    fn load(folder: &Path, prefix: &str, objects: &mut BTreeMap<String, Vec<u8>>) -> Result<()> {
        for entry in std::fs::read_dir(folder)? {
            let entry = entry?;
            let key = format!("{prefix}{}", entry.file_name().to_string_lossy());
            if entry.file_type()?.is_dir() {
                load(&entry.path(), &format!("{key}/"), objects)?;
            } else {
                objects.insert(key, std::fs::read(entry.path())?);
            }
        }
        Ok(())
    }
    let mut objects = BTreeMap::new();
    load(&golden_folder(name), "", &mut objects)?;
    Ok(objects)
}

/// Writes golden files, to be checked in.
pub fn write_golden(name: &str, objects: BTreeMap<String, Vec<u8>>) -> Result<()> {
    for (key, data) in objects {
        let path = golden_folder(name).join(key);
        std::fs::create_dir_all(path.parent().unwrap_or(&path))?;
        std::fs::write(path, data)?;
    }
    Ok(())
}

/// A store of these objects.
pub async fn store_of(context: &Arc<QueryContext>, objects: BTreeMap<String, Vec<u8>>) -> Result<Arc<MemoryStore>> {
    let store = MemoryStore::new();
    for (key, data) in objects {
        store.put_if_absent(context, &key, data.into()).await?;
    }
    Ok(store)
}
