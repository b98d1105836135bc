//! CREATE MATERIALIZED VIEW, what ALTER does with one, and to which table other statements about one go.

use std::collections::HashSet;
use std::sync::Arc;

use gristmill_base::{Error, ErrorCode, Result, ResultExt};
use gristmill_catalog::databases::full_name;
use gristmill_catalog::{ColumnKeys, EngineSpec, MaterializedView, Table, TableDefinition, TtlSpec, ViewTarget};
use gristmill_sql::create::CreateTable;
use gristmill_sql::lower::{LeftTable, left_table};
use gristmill_sql::statement::AlterCommand;
use gristmill_types::Columns;
use sqlparser::ast::Query;

use super::select::Planned;
use super::{Interpreter, Outcome, write_all};
use crate::views::Shape;
use crate::views::query::taken_of_view;

impl Interpreter {
    /// The query is planned now, so that a view whose query is wrong, or gives what its target cannot take, is not made.
    pub(super) async fn create_materialized_view(
        &self,
        create: &CreateTable,
        database: &str,
        name: &str,
    ) -> Result<Outcome> {
        let (Some(text), Some(query)) = (&create.view, &create.query) else {
            return Err(Error::logical("CREATE MATERIALIZED VIEW without a query"));
        };
        let source = self.source_of(query)?;
        let mut view = TableDefinition {
            uuid: self.engine.env.uuid_by_time(),
            database: database.to_string(),
            name: name.to_string(),
            engine: EngineSpec { name: MaterializedView::ENGINE.to_string(), arguments: Vec::new() },
            columns: Columns::default(),
            partition_by: None,
            order_by: Vec::new(),
            primary_key: Vec::new(),
            sample_by: None,
            written_keys: gristmill_catalog::WrittenKeys::default(),
            settings: Default::default(),
            comment: create.comment.clone(),
            temporary: false,
            column_keys: ColumnKeys::default(),
            skip_indexes: Vec::new(),
            projections: Vec::new(),
            ttl: TtlSpec::default(),
            constraints: Vec::new(),
        };
        let kept = |target| MaterializedView {
            query: text.clone(),
            database: self.context.database.clone(),
            source: source.clone(),
            target,
        };
        let (inner, takes) = match &create.to {
            Some(to) => {
                if create.engine.is_some() || create.order_by.is_some() || create.partition_by.is_some() {
                    let text = "A materialized view has TO or an ENGINE with its clauses, not both";
                    return Err(Error::new(ErrorCode::SYNTAX_ERROR, text));
                }
                // The view outlives the session, whose temporary tables it cannot feed.
                let (of, target) = (to.database.as_deref().unwrap_or(&self.context.database), &to.table);
                let table = self.engine.databases.stored(of, target)?;
                view.columns = match create.columns.is_empty() {
                    true => self.columns_of(query).await?,
                    false => self.declared_columns(create)?,
                };
                view.engine = kept(ViewTarget::Table(of.to_string(), target.to_string())).spec();
                (None, table.definition().columns.clone())
            }
            None => {
                let mut inner = self.definition(create, database, &format!(".inner_id.{}", view.uuid)).await?;
                inner.comment = String::new();
                view.columns = inner.columns.clone();
                (view.partition_by, view.order_by) = (inner.partition_by.clone(), inner.order_by.clone());
                (view.primary_key, view.settings) = (inner.primary_key.clone(), inner.settings.clone());
                view.written_keys = inner.written_keys.clone();
                (view.sample_by, view.constraints) = (inner.sample_by.clone(), inner.constraints.clone());
                view.engine = kept(ViewTarget::Inner(inner.engine.clone())).spec();
                let columns = inner.columns.clone();
                (Some(inner), columns)
            }
        };
        let unknown = |column: &str| {
            let text = format!(
                "SELECT query outputs column with name '{column}', which is not found in the target table. Use 'AS' to assign \
                 alias that matches a column name"
            );
            Some(Error::new(ErrorCode::THERE_IS_NO_COLUMN, text))
        };
        self.check_view_query(query, &takes, unknown).await?;
        if !create.populate {
            self.engine.databases.create_view(view, inner, create.if_not_exists, create.or_replace).await?;
            return Ok(Outcome::done());
        }
        self.populate(create, query, view, inner, &source, &takes).await
    }

    /// A view that begins with the rows that are there. Where they cannot be written, the view does not stay.
    async fn populate(
        &self,
        create: &CreateTable,
        query: &Query,
        view: TableDefinition,
        inner: Option<TableDefinition>,
        source: &(String, String),
        takes: &Columns,
    ) -> Result<Outcome> {
        let databases = &self.engine.databases;
        let (database, name) = (view.database.clone(), view.name.clone());
        let source = databases.table(&source.0, &source.1)?;
        let closing = async { Ok(self.engine.gates.close(source.definition().uuid).await) };
        let closed = self.context.cancellable(closing).await?;
        // Resolving pins what is read.
        let Planned { state, physical, .. } = self.plan_rows_of_view(query, takes).await?;
        databases.create_view(view, inner, create.if_not_exists, create.or_replace).await?;
        drop(closed);
        let filled = async {
            let target = databases.stored(&database, &name)?;
            let shape = Shape::of(&self.engine, &self.context, &target).await?;
            let writer = shape.write(&self.context).await?;
            write_all(writer, physical, state.task_ctx(), self.context.clone(), usize::MAX).await
        };
        if let Err(error) = filled.await {
            databases.drop_table(&database, &name, true).await?;
            return Err(error.with_context(format!("while populating view {}", full_name(&database, &name))));
        }
        Ok(Outcome::done())
    }

    async fn plan_rows_of_view(&self, query: &Query, takes: &Columns) -> Result<Planned> {
        let lowered = self.lower(query, self.hints(None, None), &mut Vec::new()).await?;
        let shaped = self.shape_view(lowered, takes)?;
        self.plan_lowered(shaped).await
    }

    /// Database and name of the table whose inserts feed a query.
    /// Errors: QUERY_IS_NOT_SUPPORTED_IN_MATERIALIZED_VIEW of a table function.
    fn source_of(&self, query: &Query) -> Result<(String, String)> {
        match left_table(query)? {
            LeftTable::Table { database, name } => {
                let database = database.unwrap_or_else(|| self.context.database.clone());
                Ok((database, name))
            }
            LeftTable::None => Ok(("system".to_string(), "one".to_string())),
            LeftTable::Function(name) => Err(Error::new(
                ErrorCode::QUERY_IS_NOT_SUPPORTED_IN_MATERIALIZED_VIEW,
                format!(
                    "StorageMaterializedView cannot be created from table functions ({name}): nothing is inserted there"
                ),
            )),
        }
    }

    /// That the query's columns are the target's, each once, and convert to them. `unknown`: the error of one that is not,
    /// where it is one.
    async fn check_view_query(&self, query: &Query, takes: &Columns, unknown: impl Fn(&str) -> Option<Error>) -> Result<()> {
        let lowered = self.lower(query, self.hints(None, None), &mut Vec::new()).await?;
        let mut seen = HashSet::new();
        let given = taken_of_view(takes);
        for column in &lowered.columns {
            if given.get(&column.name).is_none()
                && let Some(error) = unknown(&column.name)
            {
                return Err(error);
            }
            if !seen.insert(column.name.as_str()) {
                let text = format!("Column {} appears twice in the query of the view", column.name);
                return Err(Error::new(ErrorCode::DUPLICATE_COLUMN, text));
            }
        }
        self.shape_view(lowered, takes).map(drop)
    }

    /// ALTER TABLE v MODIFY QUERY: blocks that are inserted from now on go through the new query.
    pub(super) async fn modify_query(&self, database: &str, name: &str, query: &Query, text: &str) -> Result<()> {
        let full = full_name(database, name);
        let change = |table: Arc<dyn Table>| async move {
            let mut definition = (*table.definition()).clone();
            let Some(mut view) = definition.materialized_view() else {
                let engine = &definition.engine.name;
                let text = format!("Alter of type 'MODIFY_QUERY' is not supported by storage {engine}");
                return Err(Error::new(ErrorCode::NOT_IMPLEMENTED, text));
            };
            let target = self.databases(database).stored(database, name)?.definition();
            // A table that is not the view's own may get the column later.
            let has_own = matches!(view.target, ViewTarget::Inner(_));
            let unknown = |column: &str| {
                let text = format!("Column {column} does not exist in the materialized view's inner table");
                has_own.then(|| Error::new(ErrorCode::NO_SUCH_COLUMN_IN_TABLE, text))
            };
            self.check_view_query(query, &target.columns, unknown).await?;
            view.query = text.to_string();
            view.database = self.context.database.clone();
            view.source = self.source_of(query)?;
            // The columns of a view over a table of its own are that table's.
            if let ViewTarget::Table(..) = view.target {
                definition.columns = self.columns_of(query).await?;
            }
            definition.engine = view.spec();
            table.renamed(Arc::new(definition)).map(Some)
        };
        self.databases(database).alter_table(database, name, change).await.context(|| format!("while altering view {full}"))
    }

    /// Where statements about the rows of a table go: to itself, or to the table of a materialized view's own.
    /// Errors: INCORRECT_QUERY where the view's rows lie in another table.
    pub(crate) fn rows_of(&self, database: &str, name: &str) -> Result<(String, String)> {
        let definition = self.table(database, name)?.definition();
        if let Some(inner) = definition.inner_name() {
            return Ok((definition.database.clone(), inner));
        }
        match definition.view_target() {
            Some((of, target)) => Err(Error::new(
                ErrorCode::INCORRECT_QUERY,
                format!(
                    "MATERIALIZED VIEW targets existing table {}. Execute the statement directly on it",
                    full_name(&of, &target)
                ),
            )),
            None => Ok((database.to_string(), name.to_string())),
        }
    }

    /// Commands of ALTER that a materialized view has nothing for. Errors: NOT_IMPLEMENTED.
    pub(super) fn check_view_commands(&self, definition: &TableDefinition, commands: &[AlterCommand]) -> Result<()> {
        let only_comments = commands.iter().all(|command| matches!(command, AlterCommand::ModifyComment(_)));
        if definition.materialized_view().is_some() && !only_comments {
            return Err(Error::new(
                ErrorCode::NOT_IMPLEMENTED,
                "Alter of columns, keys and settings is not supported by storage MaterializedView: alter its target, then \
                 MODIFY QUERY",
            ));
        }
        Ok(())
    }
}
