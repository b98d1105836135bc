//! Changes of rows: ALTER TABLE … UPDATE | DELETE | CLEAR | MATERIALIZE, DELETE FROM, KILL MUTATION.
//!
//! What a mutation computes is kept as text and read again for each part, perhaps after a restart. Subqueries would give
//! another answer each time: they are run now, and their answers stand in the text.

use std::collections::BTreeSet;
use std::sync::Arc;

use gristmill_base::runtime::{self, Task};
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_catalog::databases::full_name;
use gristmill_catalog::{ExpressionCompiler, MutationRequest, RowChange, Table, TableDefinition, Wanted};
use gristmill_mergetree::mutate::nameable;
use gristmill_mergetree::read::ROW_EXISTS;
use gristmill_sql::ast::{Literal, Node, call, text};
use gristmill_sql::lower::{Analyzer, ResolvedTables};
use gristmill_sql::sql_text::sql;
use gristmill_sql::statement::{AlterCommand, Partition, TableName, parse_expression};
use gristmill_types::{DefaultKind, SqlType};

use super::super::{Interpreter, Outcome};
use super::columns::computed_from;
use super::definition::Alteration;
use super::qualified::unqualified;
use crate::compiler::Compiler;
use crate::engine::Engine;
use crate::temporary::TEMPORARY_DATABASE;

pub fn changes_rows(command: &AlterCommand) -> bool {
    matches!(
        command,
        AlterCommand::Update { .. }
            | AlterCommand::Delete { .. }
            | AlterCommand::MaterializeColumn { .. }
            | AlterCommand::MaterializeTtl { .. }
            | AlterCommand::ApplyDeletedMask { .. }
            | AlterCommand::ApplyPatches { .. }
            | AlterCommand::RewriteParts { .. }
            | AlterCommand::ClearColumn { partition: Some(_), .. }
            | AlterCommand::MaterializeIndex { .. }
            | AlterCommand::ClearIndex { partition: Some(_), .. }
            | AlterCommand::MaterializeProjection { .. }
            | AlterCommand::ClearProjection { .. }
    )
}

impl Interpreter {
    /// One mutation of all commands; of each, where they are about different partitions. `definition`: the table as it is when
    /// they begin. Errors: those of expressions, of names and of partitions; nothing has changed then.
    pub(super) async fn mutation_requests(
        &self,
        table: &Arc<dyn Table>,
        definition: &TableDefinition,
        commands: &[AlterCommand],
    ) -> Result<Vec<MutationRequest>> {
        let mut requests: Vec<(Option<Partition>, MutationRequest)> = Vec::new();
        for command in commands {
            let mut changes = Vec::new();
            let (deletes, rest) = split_deletes(&self.within_partitions(table, command)?);
            if let Some(delete) = &deletes {
                changes.extend(self.row_change(definition, delete).await?);
            }
            if let Some(rest) = &rest {
                changes.extend(self.row_change(definition, rest).await?);
            }
            let mut text = Some(command.text());
            if let Some(partition) = told_though_missing(command).filter(|_| changes.is_empty()) {
                let commands = text.take().into_iter().collect();
                let request = MutationRequest { changes: Vec::new(), commands, partition: None, at_once: false };
                requests.push((partition.clone(), request));
            }
            for (partition, change) in changes {
                match requests.last_mut().filter(|(known, _)| *known == partition) {
                    Some((_, request)) => {
                        request.changes.push(change);
                        request.commands.extend(text.take());
                    }
                    None => {
                        let commands = text.take().into_iter().collect();
                        let request = MutationRequest { changes: vec![change], commands, partition: None, at_once: false };
                        requests.push((partition, request));
                    }
                }
            }
        }
        let checked = requests.into_iter().map(|(partition, mut request)| -> Result<MutationRequest> {
            self.check_changes(definition, &request.changes)?;
            request.partition = partition.map(|partition| self.one_partition(table, &partition)).transpose()?;
            Ok(request)
        });
        checked.collect()
    }

    /// The command, of which several partitions are a part of the condition. Errors: those of partitions.
    fn within_partitions(&self, table: &Arc<dyn Table>, command: &AlterCommand) -> Result<AlterCommand> {
        let mut command = command.clone();
        if let AlterCommand::Update { partition, condition, .. } | AlterCommand::Delete { partition, condition } =
            &mut command
            && let Some(Partition::Several(partitions)) = partition
        {
            *condition = self.condition_within(table, partitions, condition)?;
            *partition = None;
        }
        Ok(command)
    }

    /// Begins mutations, and waits for them where the settings say so.
    pub(super) async fn mutate(&self, database: &str, name: &str, requests: Vec<MutationRequest>) -> Result<Outcome> {
        let mut begun: Vec<(Arc<dyn Table>, String)> = Vec::new();
        for request in requests {
            let begun = &mut begun;
            // The definition is another already: no part has to be waited for.
            let is_done = request.changes.is_empty();
            let begin = |table: Arc<dyn Table>| async move {
                // Under the lock of the definition: no ALTER takes away a column between the check and the beginning.
                self.check_changes(&table.definition(), &request.changes)?;
                let id = table.mutate(&self.context, request).await?;
                if !is_done {
                    begun.push((table, id));
                }
                Ok(None)
            };
            self.databases(database).alter_table(database, name, begin).await?;
        }
        if self.context.settings.mutations_sync == 0 {
            return Ok(Outcome::done());
        }
        let context = self.context.clone();
        Ok(Outcome::work(async move {
            let waiting = async move {
                for (table, id) in begun {
                    table.finish_mutation(&context, &id).await?;
                }
                Ok(())
            };
            Task::on(&runtime::cpu(), waiting).join().await?
        }))
    }

    /// DELETE FROM: the rows are gone, all at once, when it returns.
    pub(crate) async fn delete(&self, name: &TableName, partition: Option<&Partition>, condition: &Node) -> Result<Outcome> {
        if !self.context.settings.enable_lightweight_delete {
            return Err(Error::new(
                ErrorCode::SUPPORT_IS_DISABLED,
                "Lightweight delete mutate is disabled. Set `enable_lightweight_delete` setting to enable it",
            ));
        }
        let (database, name) = self.full(name);
        let table = self.table(database, name)?;
        if table.definition().materialized_view().is_some() {
            return Err(Error::new(
                ErrorCode::BAD_ARGUMENTS,
                format!(
                    "DELETE query is not supported for table {}, which is a view: delete of the table that has its rows, or \
                     by ALTER TABLE … DELETE",
                    full_name(database, name)
                ),
            ));
        }
        let shown = AlterCommand::Update {
            assignments: vec![(ROW_EXISTS.to_string(), Node::Literal(Literal::Integer(0)))],
            partition: partition.cloned(),
            condition: condition.clone(),
        };
        let within = self.database_of_subqueries(database);
        let definition = table.definition();
        let of_several;
        let (partition, condition) = match partition {
            Some(Partition::Several(partitions)) => {
                of_several = self.condition_within(&table, partitions, condition)?;
                (None, &of_several)
            }
            _ => (partition, condition),
        };
        let condition = unqualified(condition, &definition);
        let condition = sql(&self.answered(&condition, within).await?);
        self.check_condition(&definition, &condition)?;
        let changes = vec![RowChange::Delete { condition }];
        self.check_changes(&definition, &changes)?;
        let partition = partition.map(|partition| self.one_partition(&table, partition)).transpose()?;
        let request = MutationRequest { changes, commands: vec![shown.text()], partition, at_once: true };
        let context = self.context.clone();
        Ok(Outcome::work(async move {
            let deleting = async move { table.mutate(&context, request).await.map(drop) };
            Task::on(&runtime::cpu(), deleting).join().await?
        }))
    }

    /// UPDATE t SET: the rows are others, all at once, when it returns. Errors: SUPPORT_IS_DISABLED, NOT_IMPLEMENTED, those of
    /// `mutation_requests`.
    pub(crate) async fn update(&self, name: &TableName, command: &AlterCommand) -> Result<Outcome> {
        if !self.context.settings.enable_lightweight_update {
            return Err(Error::new(
                ErrorCode::SUPPORT_IS_DISABLED,
                "Lightweight updates are not allowed. Set 'enable_lightweight_update = 1' to allow them",
            ));
        }
        let (database, name) = self.full(name);
        let (database, name) = self.rows_of(database, name)?;
        let table = self.table(&database, &name)?;
        let definition = table.definition();
        if !definition.engine.name.ends_with("MergeTree") {
            let engine = &definition.engine.name;
            let text = format!(
                "Lightweight updates are not supported. Table with engine {engine} doesn't support lightweight updates: use \
                 ALTER TABLE … UPDATE"
            );
            return Err(Error::not_implemented(text));
        }
        let requests = self.mutation_requests(&table, &definition, std::slice::from_ref(command)).await?;
        let context = self.context.clone();
        Ok(Outcome::work(async move {
            let updating = async move {
                for request in requests {
                    table.mutate(&context, MutationRequest { at_once: true, ..request }).await?;
                }
                Ok(())
            };
            Task::on(&runtime::cpu(), updating).join().await?
        }))
    }

    /// `None`: there is nothing to do. Errors: NO_SUCH_COLUMN_IN_TABLE, CANNOT_UPDATE_COLUMN, MULTIPLE_ASSIGNMENTS_TO_COLUMN,
    /// BAD_ARGUMENTS.
    async fn row_change(
        &self,
        definition: &TableDefinition,
        command: &AlterCommand,
    ) -> Result<Option<(Option<Partition>, RowChange)>> {
        let database = self.database_of_subqueries(&definition.database);
        Ok(Some(match command {
            AlterCommand::Delete { partition, condition } => {
                let condition = unqualified(condition, definition);
                let condition = sql(&self.answered(&condition, database).await?);
                (partition.clone(), RowChange::Delete { condition })
            }
            AlterCommand::Update { assignments, partition, condition } => {
                let mut seen = BTreeSet::new();
                if let Some((twice, _)) = assignments.iter().find(|(column, _)| !seen.insert(column)) {
                    return Err(Error::new(
                        ErrorCode::MULTIPLE_ASSIGNMENTS_TO_COLUMN,
                        format!("Multiple assignments in the single statement to column `{twice}`"),
                    ));
                }
                let mut set = Vec::new();
                for (column, value) in assignments {
                    check_updatable(definition, column)?;
                    let value = unqualified(value, definition);
                    set.push((column.clone(), sql(&self.answered(&value, database).await?)));
                }
                let condition = unqualified(condition, definition);
                let condition = sql(&self.answered(&condition, database).await?);
                (partition.clone(), RowChange::Update { assignments: set, condition })
            }
            AlterCommand::RewriteParts { partition } => {
                // Every row changes, in no column.
                (partition.clone(), RowChange::Update { assignments: Vec::new(), condition: "1".to_string() })
            }
            AlterCommand::MaterializeColumn { name, partition } => {
                // What is computed when it is read has nothing to be stored.
                if let Some(column) = definition.columns.get(name)
                    && matches!(column.default, Some((DefaultKind::Alias | DefaultKind::Ephemeral, _)))
                {
                    return Ok(None);
                }
                check_stored(definition, name)?;
                check_order_stays(definition, name)?;
                let change = match definition.columns.get(name).and_then(|column| column.default.as_ref()) {
                    None => {
                        let text = format!("Cannot materialize column `{name}` because it doesn't have default expression");
                        return Err(Error::new(ErrorCode::BAD_ARGUMENTS, text));
                    }
                    // Parts that have the column may have it by an older expression. (Values of DEFAULT may have been given.)
                    Some((DefaultKind::Materialized, text)) if !Alteration::of(definition).key_columns()?.contains(name) => {
                        RowChange::Update { assignments: vec![(name.clone(), text.clone())], condition: "1".to_string() }
                    }
                    _ => RowChange::Materialize { column: name.clone() },
                };
                (partition.clone(), change)
            }
            AlterCommand::MaterializeIndex { name, partition, .. } | AlterCommand::ClearIndex { name, partition, .. } => {
                let wanted = matches!(command, AlterCommand::MaterializeIndex { .. });
                // Of an index that is not there nothing is done, which is no error in ClickHouse; nor of such a projection.
                let Some(index) = definition.skip_indexes.iter().find(|index| index.name == *name) else { return Ok(None) };
                let key = index.key.clone();
                let change = if wanted { RowChange::MaterializeIndex { key } } else { RowChange::ClearIndex { key } };
                (partition.clone(), change)
            }
            AlterCommand::MaterializeProjection { name, partition, .. }
            | AlterCommand::ClearProjection { name, partition, .. } => {
                if !definition.projections.iter().any(|projection| projection.name == *name) {
                    return Ok(None);
                }
                let name = name.clone();
                let change = match command {
                    AlterCommand::MaterializeProjection { .. } => RowChange::MaterializeProjection { name },
                    _ => RowChange::ClearProjection { name },
                };
                (partition.clone(), change)
            }
            AlterCommand::MaterializeTtl { partition } => {
                if definition.ttl.is_empty() {
                    let (database, name) = (&definition.database, &definition.name);
                    let text = format!("Cannot MATERIALIZE TTL as there is no TTL set for table {database}.{name}");
                    return Err(Error::new(ErrorCode::INCORRECT_QUERY, text));
                }
                (partition.clone(), RowChange::MaterializeTtl)
            }
            AlterCommand::ApplyDeletedMask { partition } => (partition.clone(), RowChange::ApplyDeletedMask),
            AlterCommand::ApplyPatches { .. } => return Ok(None),
            AlterCommand::ClearColumn { name, if_exists, partition } => {
                let Some(column) = definition.columns.get(name) else {
                    if *if_exists {
                        return Ok(None);
                    }
                    let text = format!("Wrong column name. Cannot find column `{name}` to clear");
                    return Err(Error::new(ErrorCode::NOT_FOUND_COLUMN_IN_BLOCK, text));
                };
                Alteration::of(definition).check_clear(name)?;
                let value = match &column.default {
                    Some((DefaultKind::Default | DefaultKind::Materialized, text)) => text.clone(),
                    _ => sql(&call("defaultValueOfTypeName", vec![text(&column.kind.to_string())])),
                };
                let change = RowChange::Update { assignments: vec![(name.clone(), value)], condition: "1".to_string() };
                (partition.clone(), change)
            }
            _ => return Err(Error::logical("A command that does not change rows")),
        }))
    }

    /// Where a mutation's subqueries look for tables named without a database: beside the table that is changed.
    fn database_of_subqueries<'n>(&'n self, database: &'n str) -> &'n str {
        if database == TEMPORARY_DATABASE { &self.context.database } else { database }
    }

    /// That a condition is one. A number would change every row in which it is not 0, which is hardly ever meant. (ALTER TABLE …
    /// DELETE takes it, as in ClickHouse.) Errors: ILLEGAL_TYPE_OF_ARGUMENT.
    fn check_condition(&self, definition: &TableDefinition, condition: &str) -> Result<()> {
        let is_family = definition.engine.name.ends_with("MergeTree");
        let columns = if is_family { nameable(&definition.columns) } else { definition.columns.clone() };
        let tables = ResolvedTables::default();
        let env = Engine::function_env(&self.context);
        let analyzer = Analyzer::new(&self.engine.registry, env, &self.context.settings, &tables);
        let kind = analyzer.over_columns(&parse_expression(condition)?, &columns)?.kind;
        match kind.plain() {
            SqlType::UInt8 | SqlType::Bool => Ok(()),
            _ if kind.is_null_literal() => Ok(()),
            _ => Err(Error::new(
                ErrorCode::ILLEGAL_TYPE_OF_ARGUMENT,
                format!(
                    "A condition must be UInt8 or Bool, but {condition} is {kind}: write the comparison that is meant, such as \
                     ({condition}) != 0"
                ),
            )),
        }
    }

    /// That the expressions can be computed over the table's columns.
    fn check_changes(&self, definition: &TableDefinition, changes: &[RowChange]) -> Result<()> {
        let compiler = Compiler { registry: self.engine.registry.clone() };
        let is_family = definition.engine.name.ends_with("MergeTree");
        let columns = if is_family { nameable(&definition.columns) } else { definition.columns.clone() };
        let check = |text: &str, wanted: Wanted<'_>| compiler.compile(text, wanted, &columns, &self.context).map(drop);
        for change in changes {
            match change {
                RowChange::Delete { condition } => check(condition, Wanted::Condition)?,
                RowChange::Materialize { column } => check_stored(definition, column)?,
                RowChange::MaterializeIndex { .. } | RowChange::ClearIndex { .. } => {}
                RowChange::MaterializeProjection { .. } | RowChange::ClearProjection { .. } => {}
                RowChange::MaterializeTtl | RowChange::ApplyDeletedMask => {}
                RowChange::Update { assignments, condition } => {
                    self.check_condition(definition, condition)?;
                    check(condition, Wanted::Condition)?;
                    for (column, value) in assignments {
                        check_stored(definition, column)?;
                        if let Some(column) = definition.columns.get(column) {
                            if !column.kind.is_nullable()
                                && matches!(parse_expression(value)?.bare(), Node::Literal(Literal::Null))
                            {
                                let (name, kind) = (&column.name, &column.kind);
                                let text = format!("Cannot convert NULL to {kind}: column {name} is not Nullable");
                                return Err(Error::new(ErrorCode::CANNOT_CONVERT_TYPE, text));
                            }
                            check(value, Wanted::Value(&column.kind))?;
                        }
                    }
                }
            }
        }
        Ok(())
    }
}

/// The partition of a command that ClickHouse tells of although what it is about is not there.
fn told_though_missing(command: &AlterCommand) -> Option<&Option<Partition>> {
    match command {
        AlterCommand::MaterializeIndex { partition, .. }
        | AlterCommand::ClearIndex { partition, .. }
        | AlterCommand::MaterializeProjection { partition, .. }
        | AlterCommand::ClearProjection { partition, .. }
        | AlterCommand::ApplyPatches { partition } => Some(partition),
        _ => None,
    }
}

/// Error: CANNOT_UPDATE_COLUMN where rows are sorted by the column.
fn check_order_stays(definition: &TableDefinition, name: &str) -> Result<()> {
    match Alteration::of(definition).order_columns()?.contains(name) {
        true => Err(Error::new(
            ErrorCode::CANNOT_UPDATE_COLUMN,
            format!(
                "Refused to materialize column `{name}` because it's in the sort key. Doing so could break the sort order"
            ),
        )),
        false => Ok(()),
    }
}

fn check_stored(definition: &TableDefinition, name: &str) -> Result<()> {
    match definition.columns.get(name).map(|column| &column.default) {
        None | Some(Some((DefaultKind::Alias | DefaultKind::Ephemeral, _))) => {
            Err(Error::new(ErrorCode::NO_SUCH_COLUMN_IN_TABLE, format!("There is no column `{name}` in table")))
        }
        Some(_) => Ok(()),
    }
}

fn check_updatable(definition: &TableDefinition, name: &str) -> Result<()> {
    check_stored(definition, name)?;
    let cannot =
        |what: &str| Err(Error::new(ErrorCode::CANNOT_UPDATE_COLUMN, format!("Cannot UPDATE {what} column `{name}`")));
    if definition.columns.get(name).is_some_and(|column| matches!(column.default, Some((DefaultKind::Materialized, _)))) {
        return cannot("materialized");
    }
    let keys = Alteration::of(definition).key_columns()?;
    if keys.contains(name) {
        return cannot("key");
    }
    // Whatever is computed from it changes with it.
    match computed_from(&definition.columns.0, name)?.intersection(&keys).next() {
        Some(key) => Err(Error::new(
            ErrorCode::CANNOT_UPDATE_COLUMN,
            format!("Updated column `{name}` affects MATERIALIZED column `{key}`, which is a key column. Cannot UPDATE it"),
        )),
        None => Ok(()),
    }
}

/// UPDATE of `_row_exists` deletes the rows that get 0. Gives that DELETE, and the command without it.
fn split_deletes(command: &AlterCommand) -> (Option<AlterCommand>, Option<AlterCommand>) {
    let AlterCommand::Update { assignments, partition, condition } = command else { return (None, Some(command.clone())) };
    let (existence, others): (Vec<_>, Vec<_>) = assignments.iter().cloned().partition(|(name, _)| name == ROW_EXISTS);
    let [(_, stays)] = &existence[..] else { return (None, Some(command.clone())) };
    let goes = call("and", vec![condition.clone(), call("not", vec![stays.clone()])]);
    let delete = AlterCommand::Delete { partition: partition.clone(), condition: goes };
    let (partition, condition) = (partition.clone(), condition.clone());
    let rest = AlterCommand::Update { assignments: others, partition, condition };
    (
        Some(delete),
        Some(rest).filter(|rest| !matches!(rest, AlterCommand::Update { assignments, .. } if assignments.is_empty())),
    )
}
