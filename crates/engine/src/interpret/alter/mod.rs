//! ALTER TABLE and what else changes rows that are there.
//!
//! A statement's commands are of three sorts, carried out in this order: those that change the definition, all of them
//! at once (`definition`, `Databases::alter_table`); those that change rows (`rows`); those that take parts out and put
//! them back, one after the other (`parts`). Whatever can be known to fail is asked for before the first of them changes
//! anything: a statement with a wrong command leaves the table as it was.

mod by_engine;
mod columns;
mod constraints;
mod definition;
mod indexes;
mod listed;
mod parts;
mod projections;
mod qualified;
mod rows;
mod statistics;

use std::sync::Arc;

use datafusion::logical_expr::{Expr, LogicalPlanBuilder};
use futures::TryStreamExt;
use gristmill_base::{Error, ErrorCode, Result, ResultExt};
use gristmill_catalog::{Table, TableDefinition, column_keys};
use gristmill_sql::lower::{Analyzer, Lowered, OutputColumn, ResolvedTables, Typed};
use gristmill_sql::statement::{AlterCommand, TableName, parse_expression};
use gristmill_types::sql_type::quote_identifier;
use gristmill_types::{Columns, SqlType};

use super::{Interpreter, Outcome};
use crate::engine::Engine;
use crate::keys::check_declared;
use crate::merged_tables;
use crate::plan;
pub(super) use columns::check_no_query;
use definition::Alteration;
pub(super) use definition::named;
pub(super) use statistics::check_settings;

impl Interpreter {
    pub(crate) async fn alter(&self, name: &TableName, commands: Vec<AlterCommand>) -> Result<Outcome> {
        let (database, table) = self.full(name);
        if commands.is_empty() {
            return self.index_without_type();
        }
        if let [AlterCommand::ModifyQuery { query, text, .. }] = &commands[..] {
            self.modify_query(database, table, query, text).await?;
            return Ok(Outcome::done());
        }
        let (parts, others): (Vec<_>, Vec<_>) = commands.into_iter().partition(|command| {
            matches!(
                command,
                AlterCommand::DropParts { .. }
                    | AlterCommand::DetachParts(_)
                    | AlterCommand::AttachParts(_)
                    | AlterCommand::CopyPartition { .. }
                    | AlterCommand::MovePartition { .. }
                    | AlterCommand::MoveParts { .. }
                    | AlterCommand::OfReplicas { .. }
                    | AlterCommand::Freeze { .. }
                    | AlterCommand::Unfreeze { .. }
            )
        });
        let (rows, of_definition): (Vec<_>, Vec<_>) = others.into_iter().partition(rows::changes_rows);
        let current = self.table(database, table)?;
        let mut definition = current.definition();
        if !of_definition.iter().all(changes_settings) {
            current.check_writable()?;
        }
        let mut told = None;
        if !of_definition.is_empty() {
            self.check_view_commands(&definition, &of_definition)?;
            let alteration = self.altered(&definition, &of_definition)?;
            let altered = Arc::new(alteration.finish()?);
            if definition.engine.name.ends_with("MergeTree") {
                let materializes_ttl = self.context.settings.materialize_ttl_after_modify;
                told = listed::request((&definition, &altered), &of_definition, alteration.listed, materializes_ttl);
                if let (Some(request), false) = (&told, self.context.settings.allow_non_metadata_alters) {
                    return Err(Error::new(
                        ErrorCode::ALTER_OF_COLUMN_IS_FORBIDDEN,
                        format!(
                            "The following alter commands: '{}' will modify data on disk, but setting \
                             `allow_non_metadata_alters` is disabled",
                            request.commands.join(", ")
                        ),
                    ));
                }
            }
            definition = altered;
        }
        // Before the first change it is known of all of them that they can be made.
        let mut requests = Vec::new();
        let mut target = None;
        if told.is_some() || !rows.is_empty() || !parts.is_empty() {
            let place = self.rows_of(database, table)?;
            let rows_table = self.table(&place.0, &place.1)?;
            let is_same = (place.0.as_str(), place.1.as_str()) == (database, table);
            let of_rows = if is_same { definition } else { rows_table.definition() };
            requests.extend(told);
            requests.extend(self.mutation_requests(&rows_table, &of_rows, &rows).await?);
            self.check_parts(&rows_table, &parts, of_definition.is_empty()).await?;
            target = Some(place);
        }
        if !of_definition.is_empty() {
            self.alter_definition(database, table, &of_definition).await?;
        }
        let Some((database, table)) = target else { return Ok(Outcome::done()) };
        let outcome = if requests.is_empty() { Outcome::done() } else { self.mutate(&database, &table, requests).await? };
        for command in parts {
            self.change_parts(&database, &table, command).await?;
        }
        Ok(outcome)
    }

    /// CREATE INDEX without TYPE. Error: INCORRECT_QUERY.
    fn index_without_type(&self) -> Result<Outcome> {
        if self.context.settings.allow_create_index_without_type {
            return Ok(Outcome::done());
        }
        let text = "CREATE INDEX without TYPE is forbidden: say which, as in TYPE minmax, or set \
                    allow_create_index_without_type = 1, with which such a statement does nothing";
        Err(Error::new(ErrorCode::INCORRECT_QUERY, text))
    }

    /// A definition with the commands' changes. Errors: those of the commands.
    fn altered(&self, definition: &TableDefinition, commands: &[AlterCommand]) -> Result<Alteration> {
        let mut alteration = Alteration::of(definition);
        for command in commands {
            by_engine::check(&definition.engine.name, command)?;
            let is_listed = alteration.is_listed(command);
            self.apply(&mut alteration, command)?;
            if is_listed {
                alteration.listed.push(command.text());
            }
        }
        Ok(alteration)
    }

    async fn alter_definition(&self, database: &str, name: &str, commands: &[AlterCommand]) -> Result<()> {
        let change = |table: Arc<dyn Table>| async move {
            let old = table.definition();
            let alteration = self.altered(&old, commands)?;
            let new = Arc::new(alteration.finish()?);
            if new == old {
                return Ok(None);
            }
            self.check_defaults(&new.columns)?;
            let dropped = alteration.dropped(&old);
            if !dropped.is_empty() {
                self.check_not_read(&old, &dropped).await?;
            }
            self.check_ttl(&new).context(|| "ALTER would break the TTL of the table".to_string())?;
            // Words about a table are no business of its engine's.
            if alteration.only_comments {
                return table.renamed(new).map(Some);
            }
            for column in &alteration.touched {
                let waiting = table
                    .mutations()
                    .into_iter()
                    .find(|row| !row.is_done && row.changes_rows && names(&row.command, column));
                if let Some(mutation) = waiting {
                    return Err(Error::new(
                        ErrorCode::BAD_ARGUMENTS,
                        format!(
                            "Column {column} is used by the mutation {}, which is not done: wait for it (system.mutations), \
                             or end it with KILL MUTATION",
                            mutation.id
                        ),
                    ));
                }
            }
            crate::constraints::check_declared(&new, &self.engine.registry)?;
            if new.order_by != old.order_by || new.sample_by != old.sample_by {
                check_declared(&new, &self.engine.registry)?;
            }
            let (sorting, partition) = crate::opener::compile_keys(&new, &self.engine.registry)?;
            let altered = table.altered(new.clone(), sorting, partition)?;
            for (before, after, kind) in &alteration.retyped {
                let null_value = old.column_keys.of(before).first().and_then(|key| new.column_keys.null_values.get(key));
                self.check_conversion(table.as_ref(), before, kind, null_value.map(String::as_str))
                    .await
                    .context(|| format!("while changing the type of column {after}: nothing was changed"))?;
            }
            Ok(Some(altered))
        };
        self.databases(database).alter_table(database, name, change).await
    }

    /// That every value of a column has its like in another type: they are cast whenever they are read from then on.
    /// `null_value`: what stands for NULL.
    async fn check_conversion(&self, table: &dyn Table, column: &str, to: &SqlType, null_value: Option<&str>) -> Result<()> {
        let definition = table.definition();
        let stored = definition.stored_columns();
        let Some(place) = stored.index_of(column) else { return Ok(()) };
        let from = &stored.0[place].kind;
        // Tables that are merged have their own columns, which are cast when they are read.
        if columns::always_converts(from, to) || definition.engine.name == merged_tables::ENGINE {
            return Ok(());
        }
        let provider = table.read(&self.context).await?;
        let source = datafusion::datasource::provider_as_source(provider);
        let scan = LogicalPlanBuilder::scan("altered", source, Some(vec![place]))?.build()?;
        let cast = {
            let tables = ResolvedTables::default();
            let env = Engine::function_env(&self.context);
            let analyzer = Analyzer::new(&self.engine.registry, env, &self.context.settings, &tables);
            let values = Expr::Column(scan.schema().columns().swap_remove(0));
            let values = match null_value {
                Some(constant) => {
                    let text = column_keys::without_null(&quote_identifier(column), to, constant);
                    analyzer.over_columns(&parse_expression(&text)?, &Columns::of([(column, from.clone())]))?
                }
                None => Typed::new(values, from.clone()),
            };
            analyzer.cast_to(values, to)?.expr
        };
        let plan = LogicalPlanBuilder::from(scan).project([cast.alias("converted")])?.build()?;
        let expr = Expr::Column(plan.schema().columns().swap_remove(0));
        let columns = vec![OutputColumn { name: "converted".to_string(), kind: to.clone(), expr }];
        let planned = self.plan_lowered(Lowered { plan, columns }).await?;
        let rows = plan::run(&planned.state, planned.physical, &self.context)?;
        rows.try_for_each(|_| async { Ok(()) }).await.map_err(Error::from)
    }
}

/// What a table that may not be changed takes, so that it can be changed again.
fn changes_settings(command: &AlterCommand) -> bool {
    matches!(command, AlterCommand::ModifySetting(_) | AlterCommand::ResetSetting(_))
}

/// Whether a text has the name as a word of its own.
fn names(text: &str, name: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(name).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + name.len()..].chars().next();
        !before.is_some_and(is_word) && !after.is_some_and(is_word)
    })
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_name_in_a_text_is_a_whole_word() {
        for (text, found) in
            [("(UPDATE a = 1 WHERE b)", true), ("(DELETE WHERE aa = 1)", false), ("(DELETE WHERE `a`)", true)]
        {
            assert_eq!(super::names(text, "a"), found, "{text}");
        }
    }
}
