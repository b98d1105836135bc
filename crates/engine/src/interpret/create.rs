//! CREATE TABLE, with or without AS SELECT.

use futures::TryStreamExt;
use gristmill_base::{Error, ErrorCode, Result, ResultExt};
use gristmill_catalog::create_query::key_clause;
use gristmill_catalog::engines::{buffer, log};
use gristmill_catalog::{
    ColumnKeys, ConstraintDefinition, ConstraintKind, EngineSpec, MaterializedView, PartitionChoice, ProjectionDefinition,
    SkipIndexDefinition, TableDefinition, Transfer, TtlSpec, WrittenKeys, directed, direction, name_while_filled,
};
use gristmill_introspect::Use;
use gristmill_mergetree::TableSettings;
use gristmill_sources::CallArgument;
use gristmill_sql::access::CURRENT_USER;
use gristmill_sql::ast::Node;
use gristmill_sql::create::{ColumnDefinition, ConstraintNode, CreateTable, KeyForm, SkipIndexNode};
use gristmill_sql::lower::{Analyzer, ResolvedTables};
use gristmill_sql::sql_text::sql;
use gristmill_sql::statement::{Insert, InsertSource, TableExpression, TableName};
use gristmill_types::{Column, Columns, DefaultKind, SqlType, codec, statistics};
use indexmap::IndexMap;

use super::alter::{check_no_query, check_settings};
use super::{Interpreter, Outcome, column_rules, ttl};
use crate::constraints;
use crate::engine::Engine;
use crate::keys::check_declared;
use crate::merged_tables::{self, Merged};
use crate::opener::check_engine;
use crate::projections::compile;
use crate::resolver::{call_of, hints};
use crate::temporary::TEMPORARY_DATABASE;

impl Interpreter {
    /// `tables`: gets those that the query of AS SELECT reads.
    pub(crate) async fn create_table(&self, mut create: CreateTable, tables: &mut Vec<(String, String)>) -> Result<Outcome> {
        if let (None, Some((function, arguments))) = (&create.engine, &create.as_function) {
            // What it takes is dropped by the engine of that name as well.
            let arguments = if function.eq_ignore_ascii_case("null") { Vec::new() } else { arguments.clone() };
            create.engine = engine_of_function(function)?.map(|engine| (engine.to_string(), arguments));
        }
        let name = create.name.clone().ok_or_else(|| Error::logical("CREATE TABLE without a name"))?;
        if let Some(definer) = &create.definer
            && !definer.eq_ignore_ascii_case(CURRENT_USER)
            && *definer != self.context.user
        {
            let text =
                format!("DEFINER = {definer}: a materialized view is filled with the rights of the user who makes it");
            return Err(Error::not_implemented(text));
        }
        let (database, table) = self.named_anew(&create, &name).await?;
        let databases = self.databases(database);
        // What is detached has its name still.
        let has_name = || databases.has_table(database, table) || databases.is_detached(database, table);
        if create.if_not_exists && has_name() {
            return Ok(Outcome::done());
        }
        if create.or_replace {
            self.check_drops_named(database, table)?;
        }
        if create.materialized {
            return self.create_materialized_view(&create, database, table).await;
        }
        if create.view.is_some() {
            return self.create_view(&create, database, table).await;
        }
        let mut definition = self.definition(&create, database, table).await?;
        if create.clones {
            self.check_clone(&create, &definition)?;
        }
        if create.query.is_none() && !create.clones {
            self.databases(database).create_table(definition, create.if_not_exists, create.or_replace).await?;
            return Ok(Outcome::done());
        }
        // What is replaced is there, and may be read by the query, until its successor has all rows.
        let replaces = create.or_replace && self.databases(database).has_table(database, table);
        if replaces {
            definition.name = name_while_filled(definition.uuid);
        }
        let made = definition.name.clone();
        let databases = self.databases(database);
        databases.create_table(definition, create.if_not_exists, create.or_replace).await?;
        let filled = async {
            self.fill(&create, database, &made, tables).await?;
            if replaces { databases.replace_table(database, &made, table).await } else { Ok(()) }
        };
        if let Err(error) = filled.await {
            databases.drop_table(database, &made, true).await?;
            return Err(error);
        }
        Ok(Outcome::done())
    }

    /// The rows of CREATE … AS SELECT, or of CLONE AS.
    async fn fill(
        &self,
        create: &CreateTable,
        database: &str,
        table: &str,
        tables: &mut Vec<(String, String)>,
    ) -> Result<()> {
        if let Some(like) = create.like.as_ref().filter(|_| create.clones) {
            let made = self.databases(database).table(database, table)?;
            let (of, name) = self.full(like);
            let from = self.databases(of).table(of, name)?;
            return self.take_partition(made, from, PartitionChoice::All, Transfer::Add).await;
        }
        let Some(query) = create.query.clone() else { return Ok(()) };
        let insert = Insert {
            target: TableExpression::Table(TableName { database: Some(database.to_string()), table: table.to_string() }),
            columns: None,
            settings: Vec::new(),
            source: InsertSource::Query { query, format: None },
        };
        let outcome = self.insert(insert, None, tables).await?;
        // It has another name until it is filled, where it replaces one.
        let is_final = create.name.as_ref().is_some_and(|name| name.table == table);
        tables.retain(|(of, name)| is_final || (of.as_str(), name.as_str()) != (database, table));
        outcome.rows.try_for_each(|_| async { Ok(()) }).await.map_err(Error::from)
    }

    /// CLONE AS: both tables have parts. Errors: SUPPORT_IS_DISABLED.
    fn check_clone(&self, create: &CreateTable, definition: &TableDefinition) -> Result<()> {
        let Some(like) = &create.like else { return Ok(()) };
        let (database, name) = self.full(like);
        let from = self.databases(database).table(database, name)?.definition();
        let is_family = |engine: &str| gristmill_mergetree::engine::NAMES.contains(&engine);
        let of = match (is_family(&from.engine.name), is_family(&definition.engine.name)) {
            (true, true) => return Ok(()),
            (false, _) => "from",
            (true, false) => "with",
        };
        let text = format!("Only support CLONE AS {of} tables of the MergeTree family. CREATE … AS, then INSERT … SELECT");
        Err(Error::new(ErrorCode::SUPPORT_IS_DISABLED, text))
    }

    /// Database and name of a table that is made. Errors: BAD_DATABASE_FOR_TEMPORARY_TABLE.
    async fn named_anew<'n>(&'n self, create: &CreateTable, name: &'n TableName) -> Result<(&'n str, &'n str)> {
        if !create.temporary {
            return Ok((name.database.as_deref().unwrap_or(&self.context.database), &name.table));
        }
        if create.materialized {
            return Err(Error::not_implemented("CREATE TEMPORARY MATERIALIZED VIEW: a session fills no views of its own"));
        }
        if name.database.is_some() {
            return Err(Error::new(
                ErrorCode::BAD_DATABASE_FOR_TEMPORARY_TABLE,
                "Temporary tables cannot be inside a database. You should not specify a database for a temporary table",
            ));
        }
        self.temporary.made(&self.engine).await?;
        Ok((TEMPORARY_DATABASE, &name.table))
    }

    pub(crate) async fn definition(&self, create: &CreateTable, database: &str, table: &str) -> Result<TableDefinition> {
        if create.replaces && !self.databases(database).has_table(database, table) {
            let text = format!("Table {database}.{table} doesn't exist: CREATE OR REPLACE TABLE makes one");
            return Err(Error::new(ErrorCode::UNKNOWN_TABLE, text));
        }
        let like = match &create.like {
            None => None,
            Some(other) => {
                let (database, name) = self.full(other);
                let named = self.table(database, name)?.definition();
                // What holds the rows is not told by a view, unless it has a table of its own.
                let own = named.inner_name().map(|inner| self.table(&named.database, &inner)).transpose()?;
                let like = own.map_or(named, |own| own.definition());
                if like.is_view() && create.engine.is_none() && !create.temporary {
                    let text = format!("Cannot CREATE a table AS {database}.{name}, it is a View");
                    return Err(Error::new(ErrorCode::INCORRECT_QUERY, text));
                }
                Some(like)
            }
        };
        let columns = self.columns_for(create, like.as_deref()).await?;
        column_rules::check_takes_rows(&columns)?;
        let inherit = like.as_deref().filter(|like| create.engine.is_none() && !like.is_view());
        let engine = match (&create.engine, &inherit) {
            (Some((name, arguments)), _) => {
                let name = canonical_engine(name);
                // Those of MergeTree tables and of Join are names of columns; the others are read again as calls.
                let names_columns = name.ends_with("MergeTree") || name == log::JOIN;
                let text = |node: &Node| if names_columns { sql(node) } else { node.to_string() };
                let arguments = match self.collection_arguments(&name, arguments)? {
                    Some(of_collection) => of_collection,
                    None if name == merged_tables::ENGINE => self.merged_by_engine(arguments)?.arguments(),
                    None if name == buffer::ENGINE => self.buffer_engine(arguments)?.arguments,
                    None => arguments.iter().map(text).collect(),
                };
                EngineSpec { name, arguments }
            }
            (None, Some(like)) => like.engine.clone(),
            (None, None) if create.as_function.is_some() => self.function_engine(create).await?,
            (None, None) if create.temporary => EngineSpec { name: "Memory".to_string(), arguments: Vec::new() },
            (None, None) => EngineSpec { name: self.context.settings.default_table_engine.clone(), arguments: Vec::new() },
        };
        if [TableDefinition::VIEW, MaterializedView::ENGINE].contains(&engine.name.as_str()) {
            let text = format!("Engine {} stands for a query: CREATE VIEW, or CREATE MATERIALIZED VIEW", engine.name);
            return Err(Error::new(ErrorCode::INCORRECT_QUERY, text));
        }
        if create.as_function.is_none() || create.engine.is_some() {
            check_engine(&engine.name)?;
        }
        let sorted = engine.name.ends_with("MergeTree");
        column_rules::check(&columns, sorted)?;
        let texts = |nodes: &[Node]| nodes.iter().map(sql).collect::<Vec<_>>();
        let with_direction = |(key, descending): (String, &bool)| directed(&key, *descending);
        let with_directions =
            |keys: Vec<String>| keys.into_iter().zip(&create.descending).map(with_direction).collect::<Vec<_>>();
        let mut order_by = create.order_by.as_deref().map(texts).map(with_directions);
        let mut primary_key = create.primary_key.as_deref().map(texts);
        let mut partition_by = create.partition_by.as_ref().map(sql);
        let mut sample_by = create.sample_by.as_ref().map(sql);
        let mut written = written_keys(create);
        let keyed_alike =
            |like: &&TableDefinition| create.engine.is_none() || sorted && like.engine.name.ends_with("MergeTree");
        if let Some(like) = like.as_deref().filter(keyed_alike) {
            if order_by.is_none() {
                written.order_by.clone_from(&like.written_keys.order_by);
            }
            order_by = order_by.or_else(|| Some(like.order_by.clone()));
            // That of another sorting key is none of this one, unless it was written.
            let is_written = like.written_keys.primary_key.is_some();
            if primary_key.is_none() && (create.engine.is_none() || create.order_by.is_none() || is_written) {
                written.primary_key.clone_from(&like.written_keys.primary_key);
                primary_key = Some(like.primary_key.clone());
            }
            if partition_by.is_none() {
                written.partition_by.clone_from(&like.written_keys.partition_by);
                partition_by.clone_from(&like.partition_by);
            }
            if sample_by.is_none() {
                written.sample_by.clone_from(&like.written_keys.sample_by);
                sample_by.clone_from(&like.sample_by);
            }
        }
        let has_keys = create.order_by.is_some() || create.primary_key.is_some() || create.partition_by.is_some();
        if !sorted && (has_keys || create.sample_by.is_some()) {
            return Err(Error::new(
                ErrorCode::BAD_ARGUMENTS,
                format!("Engine {} doesn't support PARTITION_BY, PRIMARY_KEY, ORDER_BY or SAMPLE_BY clauses", engine.name),
            ));
        }
        let (order_by, primary_key) = match (order_by, primary_key) {
            (Some(order_by), None) => (order_by.clone(), undirected(&order_by)),
            (None, Some(primary_key)) => (primary_key.clone(), primary_key),
            (None, None) => (Vec::new(), Vec::new()),
            (Some(order_by), Some(primary_key)) => {
                if !undirected(&order_by).starts_with(&primary_key) {
                    return Err(Error::new(
                        ErrorCode::BAD_ARGUMENTS,
                        format!(
                            "Primary key must be a prefix of the sorting key, but the sorting key is ({}) and the primary key ({})",
                            order_by.join(", "),
                            primary_key.join(", ")
                        ),
                    ));
                }
                (order_by, primary_key)
            }
        };
        let mut skip_indexes: Vec<SkipIndexDefinition> = create.skip_indexes.iter().map(skip_index).collect();
        if let Some(like) = like.as_deref().filter(|_| sorted && create.columns.is_empty()) {
            let again = |index: &SkipIndexDefinition| SkipIndexDefinition { key: index.name.clone(), ..index.clone() };
            skip_indexes.extend(like.skip_indexes.iter().map(again));
        }
        let mut projections: Vec<ProjectionDefinition> = create.projections.iter().map(compile::definition).collect();
        if let Some(like) = like.as_deref().filter(|_| sorted && create.columns.is_empty()) {
            projections.extend(like.projections.iter().cloned());
        }
        let mut constraints: Vec<ConstraintDefinition> = create.constraints.iter().map(constraint).collect();
        if let Some(like) = like.as_deref().filter(|_| create.columns.is_empty()) {
            constraints.extend(like.constraints.iter().cloned());
        }
        if !sorted && !projections.is_empty() {
            let text = format!(
                "Engine {} doesn't support projections. Currently only the following engines have support for the feature: {}",
                engine.name,
                gristmill_mergetree::engine::NAMES.join(", ")
            );
            return Err(Error::new(ErrorCode::BAD_ARGUMENTS, text));
        }
        if !sorted && !skip_indexes.is_empty() {
            let text = format!(
                "Engine {} doesn't support skipping indices. Currently only the following engines have support for the feature: {}",
                engine.name,
                gristmill_mergetree::engine::NAMES.join(", ")
            );
            return Err(Error::new(ErrorCode::BAD_ARGUMENTS, text));
        }
        let ttl = match inherit {
            Some(like) if create.ttl.is_empty() && create.columns.is_empty() => like.ttl.clone(),
            _ => {
                // Those of columns go with the columns.
                let columns = match like.as_deref().filter(|_| sorted && create.columns.is_empty()) {
                    Some(like) => like.ttl.columns.clone(),
                    None => ttl::of_columns(&create.columns),
                };
                TtlSpec { rules: ttl::rules(&create.ttl)?, columns, ..TtlSpec::default() }
            }
        };
        let mut settings = match inherit {
            Some(like) if create.settings.is_empty() => like.settings.clone(),
            _ => table_settings(create),
        };
        if engine.name.ends_with("MergeTree") {
            // The table keeps it when the configuration changes.
            let configured = TableSettings::configured().into_iter().find(|(name, _)| *name == "index_granularity");
            if let Some((name, value)) = configured {
                settings.entry(name.to_string()).or_insert(value);
            }
        }
        let definition = TableDefinition {
            uuid: self.engine.env.uuid_by_time(),
            database: database.to_string(),
            name: table.to_string(),
            engine,
            columns,
            partition_by,
            order_by,
            primary_key,
            sample_by,
            written_keys: written,
            settings,
            comment: match like.as_deref().filter(|_| create.comment.is_empty() && !create.temporary) {
                Some(like) => like.comment.clone(),
                None => create.comment.clone(),
            },
            temporary: create.temporary,
            column_keys: ColumnKeys::default(),
            skip_indexes,
            projections,
            ttl,
            constraints,
        };
        let used = &self.context.used;
        used.note(Use::Storage, &definition.engine.name);
        for declared in create.columns.iter().filter_map(|column| column.kind.as_ref()) {
            declared.families(&mut |family| used.note(Use::DataTypeFamily, family));
        }
        check_declared(&definition, &self.engine.registry)?;
        constraints::check_declared(&definition, &self.engine.registry)?;
        self.check_ttl(&definition)?;
        Ok(definition)
    }

    async fn columns_for(&self, create: &CreateTable, like: Option<&TableDefinition>) -> Result<Columns> {
        if !create.columns.is_empty() {
            return self.declared_columns(create);
        }
        if let Some(like) = like {
            return Ok(like.columns.clone());
        }
        if let Some((name, arguments)) = &create.engine
            && canonical_engine(name) == merged_tables::ENGINE
        {
            let merged = self.merged_by_engine(arguments)?;
            return merged_tables::columns(&merged.tables(&self.engine.databases, &self.context, None)?);
        }
        if let Some((name, arguments)) = &create.engine
            && canonical_engine(name) == buffer::ENGINE
        {
            return self.columns_of_buffer(arguments);
        }
        if let Some((name, arguments)) = &create.as_function {
            let call = call_of(&self.engine, &self.context, name, arguments)?;
            let table = gristmill_sources::open_table_function(&call, &self.context, &hints(&self.engine)).await?;
            return Ok(table.definition().columns.clone());
        }
        if let Some(query) = &create.query {
            let columns = self.columns_of(query).await?;
            let mut seen = std::collections::HashSet::new();
            if let Some(twice) = columns.iter().find(|column| !seen.insert(column.name.clone())) {
                return Err(Error::new(
                    ErrorCode::DUPLICATE_COLUMN,
                    format!("Column {} appears twice in the query", twice.name),
                ));
            }
            return Ok(columns);
        }
        if let Some((name, arguments)) = &create.engine
            && let Some(function) = source_function(name)
        {
            let call = call_of(&self.engine, &self.context, function, arguments)?;
            let table = gristmill_sources::open_table_function(&call, &self.context, &hints(&self.engine)).await?;
            return Ok(table.definition().columns.clone());
        }
        Err(Error::new(
            ErrorCode::INCORRECT_QUERY,
            "Incorrect CREATE query: required list of column descriptions or AS section or SELECT",
        ))
    }

    /// The engine of `CREATE TABLE t AS f(…)` where the function is asked anew whenever the table is read.
    async fn function_engine(&self, create: &CreateTable) -> Result<EngineSpec> {
        let Some((name, arguments)) = &create.as_function else { return Err(Error::logical("No table function")) };
        let call = call_of(&self.engine, &self.context, name, arguments)?;
        let table = gristmill_sources::open_table_function(&call, &self.context, &hints(&self.engine)).await?;
        let arguments: Vec<String> = arguments.iter().map(sql).collect();
        let arguments = vec![format!("{name}({})", arguments.join(", ")), table.definition().engine.name.clone()];
        Ok(EngineSpec { name: TableDefinition::FUNCTION.to_string(), arguments })
    }

    /// What `ENGINE = Merge(…)` means.
    fn merged_by_engine(&self, arguments: &[Node]) -> Result<Merged> {
        Merged::of_engine_call(&call_of(&self.engine, &self.context, merged_tables::FUNCTION, arguments)?)
    }

    /// The arguments of an engine over files whose first names a collection: what stands in it now, as if written out.
    fn collection_arguments(&self, engine: &str, arguments: &[Node]) -> Result<Option<Vec<String>>> {
        let (Some(function), Some(Node::Name(name))) = (source_function(engine), arguments.first()) else { return Ok(None) };
        if !matches!(&name[..], [name] if self.engine.access.state().collections.contains_key(name)) {
            return Ok(None);
        }
        let mut call = call_of(&self.engine, &self.context, function, arguments)?;
        let mut take = |name: &str| {
            let at = call.named.iter().position(|(known, _)| known == name)?;
            Some(call.named.remove(at).1)
        };
        // The table says its structure itself.
        let (format, compression, _) = (take("format"), take("compression_method"), take("structure"));
        if let Some((key, _)) = call.named.first() {
            let text = format!("`{key}` of a named collection is no argument of the engine {engine}");
            return Err(Error::new(ErrorCode::BAD_ARGUMENTS, text));
        }
        let rest = format.into_iter().chain(compression);
        let text = |argument: CallArgument| match argument {
            CallArgument::Text(text) | CallArgument::Bytes(_, text) => gristmill_types::sql_type::quote(&text),
            other => other.word().to_string(),
        };
        Ok(Some(call.positional.into_iter().chain(rest).map(text).collect()))
    }

    /// A codec in canonical words, checked against the column.
    pub(super) fn codec(&self, text: &str, kind: &SqlType, default: Option<DefaultKind>) -> Result<String> {
        match default {
            _ if text.is_empty() => Ok(String::new()),
            Some(default @ (DefaultKind::Alias | DefaultKind::Ephemeral)) => {
                Err(Error::new(ErrorCode::BAD_ARGUMENTS, format!("Cannot specify codec for column type {}", default.name())))
            }
            _ => codec::parse(text, kind, self.context.settings.allow_suspicious_codecs).map(|(_, text)| text),
        }
    }

    /// The declared columns with types of those that have only a default.
    /// The columns that a declared one stands for.
    pub(super) fn flattened(&self, column: &ColumnDefinition) -> Vec<ColumnDefinition> {
        if self.context.settings.flatten_nested { column.flattened() } else { vec![column.clone()] }
    }

    pub(super) fn declared_columns(&self, create: &CreateTable) -> Result<Columns> {
        let tables = ResolvedTables::default();
        let analyzer =
            Analyzer::new(&self.engine.registry, Engine::function_env(&self.context), &self.context.settings, &tables);
        let mut columns: Vec<Column> = Vec::new();
        for declared in create.columns.iter().flat_map(|column| self.flattened(column)) {
            let default = declared.default.as_ref().map(|(kind, node)| (*kind, node.as_ref().map_or_else(String::new, sql)));
            let kind = match (&declared.kind, &declared.default) {
                (Some(kind), _) => kind.clone(),
                (None, Some((_, Some(node)))) => {
                    check_no_query(node)?;
                    let known = Columns::new(columns.clone());
                    analyzer
                        .over_columns(node, &known)
                        .context(|| format!("in the default of column {}", declared.name))?
                        .kind
                }
                (None, Some((DefaultKind::Ephemeral, None))) => SqlType::String,
                (None, _) => {
                    return Err(Error::new(
                        ErrorCode::EMPTY_LIST_OF_COLUMNS_QUERIED,
                        format!("Column {} has no type", declared.name),
                    ));
                }
            };
            let kind = match self.context.settings.data_type_default_nullable && !declared.says_null && !kind.is_nullable() {
                // By its name: some types cannot be.
                true => format!("Nullable({kind})").parse()?,
                false => kind,
            };
            let codec = self.codec(&declared.codec, &kind, default.as_ref().map(|(kind, _)| *kind))?;
            let (name, comment) = (declared.name.clone(), declared.comment.clone());
            if columns.iter().any(|known| known.name == name) {
                return Err(Error::new(ErrorCode::ILLEGAL_COLUMN, format!("Column {name} is declared twice")));
            }
            let statistics = statistics::checked(&declared.statistics, &name, &kind)?;
            let settings = declared.settings.clone();
            check_settings(&settings)?;
            columns.push(Column { name, kind, default, comment, codec, statistics, settings });
        }
        let all = Columns::new(columns);
        self.check_defaults(&all)?;
        Ok(all)
    }
}

/// A constraint as it is declared.
pub(super) fn constraint(constraint: &ConstraintNode) -> ConstraintDefinition {
    let kind = if constraint.assumed { ConstraintKind::Assume } else { ConstraintKind::Check };
    ConstraintDefinition { name: constraint.name.clone(), kind, expression: sql(&constraint.expression) }
}

/// An index as it is declared, under its name as its key.
pub(super) fn skip_index(index: &SkipIndexNode) -> SkipIndexDefinition {
    SkipIndexDefinition {
        name: index.name.clone(),
        expression: match (&index.expression, sql(&index.expression)) {
            (Node::Call(call), text) if call.name == "tuple" => text,
            (_, text) if index.in_parentheses => format!("({text})"),
            (_, text) => text,
        },
        kind: index.kind.clone(),
        granularity: index.granularity,
        key: index.name.clone(),
    }
}

/// The elements of a sorting key without their directions.
fn undirected(keys: &[String]) -> Vec<String> {
    keys.iter().map(|key| direction(key).0.to_string()).collect()
}

/// Without those of the query.
/// How the statement writes its keys, where that is not how they are kept.
fn written_keys(create: &CreateTable) -> WrittenKeys {
    let elements = |keys: &[Node]| keys.iter().map(sql).collect::<Vec<_>>();
    let one = |key: &Option<Node>, form: KeyForm| {
        let key = key.as_ref()?;
        match (form, key) {
            (KeyForm::Tuple, Node::Call(call)) => form.text(&elements(&call.arguments)),
            _ => form.text(&[sql(key)]),
        }
    };
    let directed = |keys: &[Node]| -> Vec<String> {
        elements(keys).iter().zip(&create.descending).map(|(key, descending)| directed(key, *descending)).collect()
    };
    let primary = create.primary_key.as_deref().map(elements);
    let primary_key = primary.map(|key| create.primary_form.text(&key).unwrap_or_else(|| key_clause(&key)));
    WrittenKeys {
        partition_by: one(&create.partition_by, create.partition_form),
        order_by: match &create.order_by {
            Some(keys) => create.order_form.text(&directed(keys)),
            None => primary_key.clone(),
        },
        primary_key,
        sample_by: one(&create.sample_by, create.sample_form),
    }
}

fn table_settings(create: &CreateTable) -> IndexMap<String, String> {
    let engine = create.engine.as_ref().map(|(name, _)| name.as_str());
    create.settings.iter().filter(|(name, _)| !crate::opener::is_query_setting(engine, name)).cloned().collect()
}

fn canonical_engine(name: &str) -> String {
    crate::opener::ENGINES
        .iter()
        .find(|known| known.eq_ignore_ascii_case(name))
        .map_or_else(|| name.to_string(), ToString::to_string)
}

/// Engines over files, and the table functions that read and write as they do.
const ENGINES_OF_FUNCTIONS: &[(&str, &str)] =
    &[("S3", "s3"), ("GCS", "gcs"), ("AzureBlobStorage", "azureBlobStorage"), ("URL", "url"), ("File", "file")];

/// Functions whose table is asked anew whenever it is read.
const FUNCTIONS_AS_TABLES: &[&str] = &[
    "format",
    "generateRandom",
    "generateSeries",
    "generate_series",
    "numbers",
    "numbers_mt",
    "one",
    "values",
    "zeros",
    "zeros_mt",
];

/// The engine of `CREATE TABLE t AS f(…)`; `None`: the function itself stands for the table. Errors: NOT_IMPLEMENTED,
/// UNKNOWN_FUNCTION.
fn engine_of_function(function: &str) -> Result<Option<&'static str>> {
    let mut engines = ENGINES_OF_FUNCTIONS.iter().chain(&[("Null", "null")]);
    let found = engines.find(|(_, name)| name.eq_ignore_ascii_case(function));
    let is = |names: &[&str]| names.iter().any(|name| name.eq_ignore_ascii_case(function));
    if found.is_some() || is(FUNCTIONS_AS_TABLES) {
        return Ok(found.map(|(engine, _)| *engine));
    }
    if !is(gristmill_sources::table_function_names()) {
        return Err(Error::new(ErrorCode::UNKNOWN_FUNCTION, format!("Unknown table function {function}")));
    }
    Err(Error::not_implemented(format!("CREATE TABLE AS {function}(…)"))
        .with_context("write AS SELECT * FROM it to copy its rows, or CREATE VIEW to read them anew"))
}

fn source_function(engine: &str) -> Option<&'static str> {
    let engine = canonical_engine(engine);
    ENGINES_OF_FUNCTIONS.iter().find(|(name, _)| *name == engine).map(|(_, function)| *function)
}
