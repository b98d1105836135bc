//! A table's definition while ALTER changes it, command by command, in memory.

use std::collections::BTreeSet;
use std::sync::Arc;

use arrow::array::{RecordBatch, RecordBatchOptions};
use arrow::datatypes::Schema;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_catalog::create_query::key_clause;
use gristmill_catalog::engines::memory_bounds::Bounds;
use gristmill_catalog::{ColumnKeys, ExpressionCompiler, SkipIndexDefinition, TableDefinition, Wanted, directed, direction};
use gristmill_mergetree::settings::{TableSettings, check_given};
use gristmill_sql::alter::Place;
use gristmill_sql::ast::Node;
use gristmill_sql::create::KeyForm;
use gristmill_sql::sql_text::sql;
use gristmill_sql::statement::{AlterCommand, Assignments, Property, parse_expression};
use gristmill_types::{Column, Columns, SqlType, nested};

use super::super::create::{constraint as declared_constraint, skip_index};
use super::super::{Interpreter, ttl};
use crate::compiler::Compiler;
use crate::projections::compile;

/// Settings on which the parts that are there depend.
const READONLY_SETTINGS: &[&str] = &["index_granularity", "index_granularity_bytes", "enable_mixed_granularity_parts"];

pub struct Alteration {
    pub(super) definition: TableDefinition,
    pub(super) columns: Vec<Column>,
    pub(super) keys: ColumnKeys,
    /// Added by this statement.
    pub(super) added: BTreeSet<String>,
    /// Dropped, renamed, emptied or of another type after this statement, under the names from before.
    pub touched: Vec<String>,
    /// Name before, name after, and the new type.
    pub retyped: Vec<(String, String, SqlType)>,
    /// Name before, name after.
    pub(super) renamed: Vec<(String, String)>,
    pub only_comments: bool,
    /// Commands that `system.mutations` tells of, as texts.
    pub listed: Vec<String>,
    pub(super) skip_indexes: Vec<SkipIndexDefinition>,
}

impl Alteration {
    pub fn of(definition: &TableDefinition) -> Alteration {
        Alteration {
            definition: definition.clone(),
            columns: definition.columns.iter().cloned().collect(),
            keys: definition.column_keys.clone(),
            added: BTreeSet::new(),
            touched: Vec::new(),
            retyped: Vec::new(),
            renamed: Vec::new(),
            only_comments: true,
            listed: Vec::new(),
            skip_indexes: definition.skip_indexes.clone(),
        }
    }

    pub fn finish(&self) -> Result<TableDefinition> {
        Ok(TableDefinition {
            columns: Columns::new(self.columns.clone()),
            column_keys: self.keys.clone(),
            skip_indexes: self.skip_indexes.clone(),
            ..self.definition.clone()
        })
    }

    /// Columns that are there no more, under any name.
    pub fn dropped(&self, old: &TableDefinition) -> Vec<String> {
        let names = old.columns.iter().map(|column| column.name.clone());
        let stays = |name: &String| {
            let now = self.renamed.iter().rev().find(|(from, _)| from == name).map_or(name, |(_, to)| to);
            self.find(now).is_some_and(|at| now != name || !self.added.contains(&self.columns[at].name))
        };
        names.filter(|name| !stays(name)).collect()
    }

    pub(super) fn all(&self) -> Columns {
        Columns::new(self.columns.clone())
    }

    /// Names in the keys of the table, and the columns by which its engine tells rows of one key apart: changed in the parts that
    /// are there, they would no longer fit the rows of others.
    pub(super) fn key_columns(&self) -> Result<BTreeSet<String>> {
        let mut names = self.order_columns()?;
        let engine = &self.definition.engine;
        if ["ReplacingMergeTree", "CollapsingMergeTree", "VersionedCollapsingMergeTree"].contains(&&engine.name[..]) {
            names.extend(engine.arguments.iter().map(|name| name.trim_matches('`').to_string()));
        }
        if let Some(text) = &self.definition.partition_by {
            names.extend(named(&parse_expression(text)?));
        }
        Ok(names)
    }

    /// Names in the sorting key.
    pub(super) fn order_columns(&self) -> Result<BTreeSet<String>> {
        let mut names = BTreeSet::new();
        for key in &self.definition.order_by {
            names.extend(named(&parse_expression(direction(key).0)?));
        }
        Ok(names)
    }

    fn modify_order_by(&mut self, keys: &[Node], descending: &[bool], form: KeyForm) -> Result<()> {
        let wrong = |text: String| Err(Error::new(ErrorCode::BAD_ARGUMENTS, text));
        let new: Vec<String> = keys.iter().zip(descending).map(|(key, down)| directed(&sql(key), *down)).collect();
        let texts: Vec<&str> = new.iter().map(|key| direction(key).0).collect();
        let primary: Vec<&str> = self.definition.primary_key.iter().map(String::as_str).collect();
        if !texts.starts_with(&primary) {
            return wrong(format!(
                "Primary key must be a prefix of the sorting key, but the sorting key is ({}) and the primary key ({})",
                texts.join(", "),
                primary.join(", ")
            ));
        }
        let kept = new.iter().zip(&self.definition.order_by).take_while(|(new, old)| new == old).count();
        // Rows of the parts that are there stay in order only where what is added is the same in all of them.
        for key in &keys[kept..] {
            for name in named(key) {
                if !self.added.contains(&name) {
                    return wrong(format!(
                        "Existing column {name} is used in the expression that was added to the sorting key. You can add \
                         expressions that use only the newly added columns"
                    ));
                }
                if self.columns.iter().any(|column| column.name == name && column.default.is_some()) {
                    return wrong(format!(
                        "Newly added column {name} has a default expression, so adding expressions that use it to the \
                         sorting key is forbidden"
                    ));
                }
            }
        }
        let written = &mut self.definition.written_keys;
        if self.definition.order_by.iter().map(|key| direction(key).0).eq(primary) && written.primary_key.is_none() {
            // It was the sorting key, and is what that was.
            let was = written.order_by.take().unwrap_or_else(|| key_clause(&self.definition.primary_key));
            written.primary_key = Some(was);
        }
        written.order_by = form.text(&new);
        self.definition.order_by = new;
        Ok(())
    }

    fn modify_settings(&mut self, changed: &Assignments) -> Result<()> {
        if self.definition.engine.name == "Memory" {
            self.definition.settings.extend(changed.iter().cloned());
            return Bounds::of(&self.definition.settings).map(drop);
        }
        // It is shown of every table, and what is set later stands behind it.
        self.definition.settings.entry("index_granularity".to_string()).or_insert_with(|| "8192".to_string());
        check_given(changed.iter().map(|(name, value)| (name, value)))?;
        for (name, value) in changed {
            self.check_setting(name)?;
            self.definition.settings.insert(name.clone(), value.clone());
        }
        Ok(())
    }

    fn reset_settings(&mut self, names: &[String]) -> Result<()> {
        for name in names {
            self.check_setting(name).map_err(|error| match error.code() {
                ErrorCode::UNKNOWN_SETTING => Error::new(ErrorCode::BAD_ARGUMENTS, error.message().to_string()),
                _ => error,
            })?;
            self.definition.settings.shift_remove(name);
        }
        Ok(())
    }

    fn check_setting(&self, name: &str) -> Result<()> {
        if READONLY_SETTINGS.contains(&name) {
            let engine = &self.definition.engine.name;
            let text = format!("Setting '{name}' is readonly for storage '{engine}'");
            return Err(Error::new(ErrorCode::READONLY_SETTING, text));
        }
        // Errors of unknown ones are made where settings are parsed.
        let known = std::collections::BTreeMap::from([(name.to_string(), "0".to_string())]);
        match TableSettings::parse(&known) {
            Err(error) if error.code() == ErrorCode::UNKNOWN_SETTING => Err(error),
            _ => Ok(()),
        }
    }
}

/// Names of columns in an expression; of `a.b` both `a` and `a.b`, because either may be one.
pub(in crate::interpret) fn named(node: &Node) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    node.walk(&mut |node| match node {
        Node::Name(parts) => {
            names.extend((1..=parts.len()).map(|length| parts[..length].join(".")));
            true
        }
        Node::Lambda { parameters, body } => {
            names.extend(named(body).into_iter().filter(|name| !parameters.contains(name)));
            false
        }
        _ => true,
    });
    names
}

impl Interpreter {
    /// Where a column can be NULL no more, its default of today stands for NULL in the values that there are. Errors:
    /// BAD_ARGUMENTS.
    fn stand_for_null(&self, alteration: &mut Alteration, before: &Column) -> Result<()> {
        let Some(column) = alteration.without_null(before).cloned() else { return Ok(()) };
        let Some((_, default)) = column.default.filter(|(_, text)| !text.is_empty()) else {
            let (name, from, to) = (&column.name, &before.kind, &column.kind);
            let text = format!(
                "Cannot convert column '{name}' from nullable type {from} to non-nullable type {to}. Please specify \
                 `DEFAULT` expression in ALTER MODIFY COLUMN statement"
            );
            return Err(Error::new(ErrorCode::BAD_ARGUMENTS, text));
        };
        if let Some(constant) = self.constant_of(&default, &column.kind)? {
            alteration.keys.stand_for_null(&column.name, &constant);
        }
        Ok(())
    }

    /// The value of an expression, as a text; `None`: it is of columns, or NULL.
    fn constant_of(&self, expression: &str, kind: &SqlType) -> Result<Option<String>> {
        let node = parse_expression(expression)?;
        if !named(&node).is_empty() || node.has_subquery() {
            return Ok(None);
        }
        let compiler = Compiler { registry: self.engine.registry.clone() };
        let compiled = compiler.compile(expression, Wanted::Value(kind), &Columns::default(), &self.context)?;
        let options = RecordBatchOptions::new().with_row_count(Some(1));
        let row = RecordBatch::try_new_with_options(Arc::new(Schema::empty()), Vec::new(), &options)?;
        Ok(self.constants(&compiled.evaluate(&row)?, kind)?.first().map(sql))
    }

    pub(super) fn apply(&self, alteration: &mut Alteration, command: &AlterCommand) -> Result<()> {
        let is_comment = matches!(
            command,
            AlterCommand::ModifyComment(_)
                | AlterCommand::CommentColumn { .. }
                | AlterCommand::Statistics { .. }
                | AlterCommand::ModifyColumnSettings { .. }
                | AlterCommand::ResetColumnSettings { .. }
                | AlterCommand::RemoveProperty { property: Property::Settings, .. }
        );
        alteration.only_comments &= is_comment;
        match command {
            AlterCommand::ModifyComment(comment) => alteration.definition.comment = comment.clone(),
            AlterCommand::ModifyTtl(elements) => alteration.definition.ttl.replace_rules(ttl::rules(elements)?),
            AlterCommand::RemoveTtl => {
                if alteration.definition.ttl.rules.is_empty() {
                    let text = "Table doesn't have any table TTL expression, cannot remove";
                    return Err(Error::new(ErrorCode::BAD_ARGUMENTS, text));
                }
                alteration.definition.ttl.replace_rules(Vec::new());
            }
            AlterCommand::Statistics { change, columns, kinds, if_exists } => {
                alteration.change_statistics(*change, columns, kinds, *if_exists)?;
            }
            AlterCommand::ModifyColumnSettings { name, settings, if_exists } => {
                alteration.set_of_column(name, settings, *if_exists)?;
            }
            AlterCommand::ResetColumnSettings { name, settings, if_exists } => {
                alteration.reset_of_column(name, settings, *if_exists)?;
            }
            AlterCommand::ModifySetting(changed) => alteration.modify_settings(changed)?,
            AlterCommand::ResetSetting(names) => alteration.reset_settings(names)?,
            AlterCommand::ModifyOrderBy { keys, descending, form } => {
                alteration.modify_order_by(keys, descending, *form)?;
            }
            AlterCommand::AddColumn { column, place, if_not_exists } => {
                let mut place = place.clone();
                for column in self.flattened(column) {
                    let declared = self.declared(&column, &alteration.all())?;
                    let is_new = alteration.columns.iter().all(|known| known.name != column.name);
                    alteration.add(declared, place.as_ref(), *if_not_exists)?;
                    if let Some(expression) = column.ttl.as_ref().filter(|_| is_new) {
                        alteration.definition.ttl.columns.insert(column.name.clone(), sql(expression));
                    }
                    place = place.map(|_| Place::After(column.name.clone()));
                }
            }
            AlterCommand::DropColumn { name, if_exists } => {
                let all = alteration.all();
                let fields = if all.get(name).is_some() { Vec::new() } else { nested::fields(&all, name) };
                if fields.is_empty() {
                    alteration.drop(name, &[], *if_exists)?;
                }
                let names: Vec<String> = fields.iter().map(|(field, _)| format!("{name}.{field}")).collect();
                for field in &names {
                    alteration.drop(field, &names, *if_exists)?;
                }
            }
            AlterCommand::ClearColumn { name, if_exists, .. } => alteration.clear(name, *if_exists)?,
            AlterCommand::ModifyColumn { column, place, if_exists } => {
                let before = alteration.columns.iter().find(|known| known.name == column.name).cloned();
                alteration.modify(column, place.as_ref(), *if_exists)?;
                if let Some(before) = before {
                    self.stand_for_null(alteration, &before)?;
                }
                if let Some(changed) = alteration.columns.iter_mut().find(|known| known.name == column.name) {
                    let default = changed.default.as_ref().map(|(kind, _)| *kind);
                    changed.codec = self.codec(&changed.codec, &changed.kind, default)?;
                    if let Some(expression) = &column.ttl {
                        alteration.definition.ttl.columns.insert(column.name.clone(), sql(expression));
                    }
                }
            }
            AlterCommand::RemoveProperty { name, property, if_exists } => {
                alteration.remove(name, *property, *if_exists)?;
            }
            AlterCommand::CommentColumn { name, comment, if_exists } => {
                alteration.comment(name, comment, *if_exists)?;
            }
            AlterCommand::RenameColumn { from, to, if_exists } => alteration.rename(from, to, *if_exists)?,
            AlterCommand::AddIndex { index, place, if_not_exists } => {
                alteration.add_index(skip_index(index), place.as_ref(), *if_not_exists)?;
            }
            AlterCommand::DropIndex { name, if_exists } => alteration.drop_index(name, *if_exists)?,
            AlterCommand::ClearIndex { name, .. } => alteration.clear_index(name),
            AlterCommand::AddProjection { projection, place, if_not_exists } => {
                alteration.add_projection(compile::definition(projection), place.as_ref(), *if_not_exists)?;
            }
            AlterCommand::DropProjection { name, if_exists } => alteration.drop_projection(name, *if_exists)?,
            AlterCommand::AddConstraint { constraint, if_not_exists } => {
                alteration.add_constraint(declared_constraint(constraint), *if_not_exists)?;
            }
            AlterCommand::DropConstraint { name, if_exists } => alteration.drop_constraint(name, *if_exists)?,
            AlterCommand::ModifySampleBy(expression) => {
                alteration.definition.sample_by = Some(sql(expression));
                alteration.definition.written_keys.sample_by = None;
            }
            AlterCommand::RemoveSampleBy => {
                alteration.definition.written_keys.sample_by = None;
                if alteration.definition.sample_by.take().is_none() {
                    let text = "Table doesn't have SAMPLE BY, cannot remove";
                    return Err(Error::new(ErrorCode::BAD_ARGUMENTS, text));
                }
            }
            AlterCommand::ModifyQuery { .. } => {
                return Err(Error::not_implemented("MODIFY QUERY beside other commands of ALTER TABLE"));
            }
            _ => return Err(Error::logical("A command that is not about the definition")),
        }
        Ok(())
    }
}
