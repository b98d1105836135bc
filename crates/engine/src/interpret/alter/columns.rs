//! Commands of ALTER about columns, and what they may not do.

use std::collections::{BTreeMap, BTreeSet};

use gristmill_base::{Error, ErrorCode, Result, ResultExt};
use gristmill_catalog::{TtlAction, TtlSpec, direction};
use gristmill_sql::ast::Node;
use gristmill_sql::create::ColumnDefinition;
use gristmill_sql::lower::{Analyzer, ResolvedTables, substituted};
use gristmill_sql::sql_text::sql;
use gristmill_sql::statement::{Place, Property, parse_expression};
use gristmill_types::{Column, Columns, DefaultKind, SqlType, nested, statistics};

use super::super::{Interpreter, column_rules};
use super::check_settings;
use super::definition::{Alteration, named};
use crate::engine::Engine;
use crate::keys::elements;

/// Whether every value of one type has its like in another.
pub fn always_converts(from: &SqlType, to: &SqlType) -> bool {
    if from.is_nullable() && !to.is_nullable() {
        return false;
    }
    let (from, to) = (from.plain(), to.plain());
    let is_number = |kind: &SqlType| kind.is_integer() || kind.is_float();
    from == to || *to == SqlType::String || (is_number(from) && is_number(to))
}

fn is_stored(column: &Column) -> bool {
    !matches!(column.default, Some((DefaultKind::Alias | DefaultKind::Ephemeral, _)))
}

fn missing(what: &str, name: &str, to_do: &str) -> Error {
    Error::new(ErrorCode::NOT_FOUND_COLUMN_IN_BLOCK, format!("{what}. Cannot find column `{name}` to {to_do}"))
}

fn forbidden(text: String) -> Error {
    Error::new(ErrorCode::ALTER_OF_COLUMN_IS_FORBIDDEN, text)
}

/// The column and those that are computed from it, MATERIALIZED and ALIAS: their values change with its own.
pub(super) fn computed_from(columns: &[Column], name: &str) -> Result<BTreeSet<String>> {
    let mut changed = BTreeSet::from([name.to_string()]);
    loop {
        let before = changed.len();
        for column in columns {
            if let Some((DefaultKind::Materialized | DefaultKind::Alias, text)) = &column.default
                && !changed.is_disjoint(&named(&parse_expression(text)?))
            {
                changed.insert(column.name.clone());
            }
        }
        if changed.len() == before {
            return Ok(changed);
        }
    }
}

impl Alteration {
    pub(super) fn find(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column.name == name)
    }

    fn key(&self, name: &str, what: &str) -> Result<()> {
        if self.key_columns()?.contains(name) {
            return Err(forbidden(format!("Trying to ALTER {what} key {name} column which is a part of key expression")));
        }
        Ok(())
    }

    /// The first column, none of those that go with this one, whose default names it.
    fn dependent(&self, name: &str, together: &[String]) -> Result<Option<&str>> {
        let stays = |column: &&Column| column.name != name && !together.contains(&column.name);
        for column in self.columns.iter().filter(stays) {
            if let Some((_, text)) = &column.default
                && !text.is_empty()
                && named(&parse_expression(text)?).contains(name)
            {
                return Ok(Some(&column.name));
            }
        }
        Ok(None)
    }

    fn has_parts(&self) -> bool {
        self.definition.engine.name.ends_with("MergeTree")
    }

    fn position(&self, place: Option<&Place>) -> Result<usize> {
        match place {
            None => Ok(self.columns.len()),
            Some(Place::First) => Ok(0),
            Some(Place::After(name)) => {
                let missing = || {
                    let text = format!("Wrong column name. Cannot find column {name} to insert after");
                    Error::new(ErrorCode::NO_SUCH_COLUMN_IN_TABLE, text)
                };
                Ok(self.find(name).ok_or_else(missing)? + 1)
            }
        }
    }

    pub(super) fn add(&mut self, column: Column, place: Option<&Place>, if_not_exists: bool) -> Result<()> {
        if self.find(&column.name).is_some() {
            if if_not_exists {
                return Ok(());
            }
            return Err(Error::new(
                ErrorCode::DUPLICATE_COLUMN,
                format!("Cannot add column `{}`: column with this name already exists", column.name),
            ));
        }
        column_rules::check_name(&column.name, self.has_parts(), || {
            format!("Cannot add column `{}`: this column name", column.name)
        })?;
        column_rules::check_type(&column.name, &column.kind)?;
        let at = self.position(place)?;
        if is_stored(&column) {
            let before = self.all();
            self.keys.renew(&column.name, &before);
        }
        self.added.insert(column.name.clone());
        self.columns.insert(at, column);
        Ok(())
    }

    /// `together`: columns that this command drops, this one among them or not.
    pub(super) fn drop(&mut self, name: &str, together: &[String], if_exists: bool) -> Result<()> {
        let Some(at) = self.find(name) else {
            return if if_exists { Ok(()) } else { Err(missing("Wrong column name", name, "drop")) };
        };
        if let Some(dependent) = self.dependent(name, together)? {
            return Err(Error::new(
                ErrorCode::ILLEGAL_COLUMN,
                format!("Cannot drop column `{name}`, because column `{dependent}` depends on it"),
            ));
        }
        self.key(name, "DROP")?;
        if self.is_last(at) {
            return Err(Error::new(ErrorCode::BAD_ARGUMENTS, "Cannot drop or clear all columns"));
        }
        self.check_no_index(name)?;
        self.check_no_projection(name)?;
        self.columns.remove(at);
        self.keys.drop(name);
        self.definition.ttl.columns.remove(name);
        self.added.remove(name);
        self.touched.push(name.to_string());
        Ok(())
    }

    /// Whether no other column is stored.
    fn is_last(&self, at: usize) -> bool {
        is_stored(&self.columns[at]) && self.columns.iter().filter(|column| is_stored(column)).count() == 1
    }

    /// CLEAR COLUMN: what is kept of it, and of columns that are computed from it, is forgotten.
    pub(super) fn clear(&mut self, name: &str, if_exists: bool) -> Result<()> {
        let Some(at) = self.find(name) else {
            return if if_exists { Ok(()) } else { Err(missing("Wrong column name", name, "clear")) };
        };
        self.check_clear(name)?;
        if self.is_last(at) {
            return Err(Error::new(ErrorCode::BAD_ARGUMENTS, "Cannot drop or clear all columns"));
        }
        if is_stored(&self.columns[at]) {
            let changed = computed_from(&self.columns, name)?;
            let stored = self.columns.iter().filter(|column| is_stored(column) && changed.contains(&column.name));
            for name in stored.map(|column| column.name.clone()).collect::<Vec<_>>() {
                let all = self.all();
                self.keys.renew(&name, &all);
                self.renew_indexes(&name)?;
                self.touched.push(name);
            }
        }
        Ok(())
    }

    /// Errors: ALTER_OF_COLUMN_IS_FORBIDDEN, and CANNOT_UPDATE_COLUMN where a key is computed from the column.
    pub(super) fn check_clear(&self, name: &str) -> Result<()> {
        self.key(name, "CLEAR")?;
        if self.find(name).is_none_or(|at| !is_stored(&self.columns[at])) {
            return Ok(());
        }
        let keys = self.key_columns()?;
        match computed_from(&self.columns, name)?.intersection(&keys).next() {
            Some(key) => Err(Error::new(
                ErrorCode::CANNOT_UPDATE_COLUMN,
                format!("Column `{name}` affects MATERIALIZED column `{key}`, which is a key column. Cannot CLEAR it"),
            )),
            None => Ok(()),
        }
    }

    pub(super) fn modify(&mut self, new: &ColumnDefinition, place: Option<&Place>, if_exists: bool) -> Result<()> {
        let Some(at) = self.find(&new.name) else {
            return if if_exists { Ok(()) } else { Err(missing("Wrong column", &new.name, "modify")) };
        };
        let old = self.columns[at].clone();
        let mut column = old.clone();
        if let Some(kind) = &new.kind {
            column_rules::check_type(&new.name, kind)?;
            column.kind = kind.clone();
        }
        if let Some((kind, node)) = &new.default {
            column.default = Some((*kind, node.as_ref().map_or_else(String::new, sql)));
        }
        if !new.comment.is_empty() {
            column.comment = new.comment.clone();
        }
        if !new.codec.is_empty() {
            column.codec = new.codec.clone();
        }
        if !new.statistics.is_empty() {
            column.statistics = statistics::checked(&new.statistics, &column.name, &column.kind)?;
        }
        if !new.settings.is_empty() {
            check_settings(&new.settings)?;
            column.settings = new.settings.clone();
        }
        self.replace(at, column)?;
        if let Some(place) = place {
            let column = self.columns.remove(at);
            let to = self.position(Some(place))?;
            self.columns.insert(to, column);
        }
        Ok(())
    }

    /// Puts a changed column of the same name in its place.
    fn replace(&mut self, at: usize, column: Column) -> Result<()> {
        let old = self.columns[at].clone();
        let name = &column.name;
        let is_key = self.key_columns()?.contains(name);
        if old.kind != column.kind && is_key && !self.keeps_order(name, &old.kind, &column.kind)? {
            return Err(forbidden(format!(
                "ALTER of key column {name} from type {} to type {} is not safe because it can change the representation of \
                 primary key",
                old.kind, column.kind
            )));
        }
        let (was_stored, is_stored) = (is_stored(&old), is_stored(&column));
        if is_key && (was_stored != is_stored || (old.default != column.default && self.keys.keys.contains_key(name))) {
            // Older parts do not have the column: their rows would get another order.
            return Err(forbidden(format!("ALTER of the default of key column {name} can change the order of rows")));
        }
        let all = self.all();
        match (was_stored, is_stored) {
            (true, true) if old.kind != column.kind => {
                self.check_no_aggregate_of(name, &old.kind, &column.kind)?;
                let before = match self.touched_as(name) {
                    // Added by this statement: there are no values.
                    _ if self.added.contains(name) => None,
                    before => Some(before),
                };
                // Of two types in one statement, no value is ever of the first.
                if !self.retyped.iter().any(|(known, _, _)| Some(known) == before.as_ref()) {
                    self.keys.retype(name, &all);
                }
                self.renew_indexes(name)?;
                if let Some(before) = before {
                    self.retyped.retain(|(known, _, _)| *known != before);
                    self.retyped.push((before.clone(), name.clone(), column.kind.clone()));
                    self.touched.push(before);
                }
            }
            (false, true) => self.keys.renew(name, &all),
            (true, false) => self.keys.drop(name),
            _ => {}
        }
        self.columns[at] = column;
        Ok(())
    }

    /// Whether rows stay in order, and in their partitions, where a column that decides about it becomes one of the new type.
    fn keeps_order(&self, name: &str, old: &SqlType, new: &SqlType) -> Result<bool> {
        if extends(old, new) {
            return Ok(true);
        }
        let mut keys: Vec<String> = self.definition.order_by.iter().map(|key| direction(key).0.to_string()).collect();
        if let Some(partition) = &self.definition.partition_by {
            keys.extend(elements(partition)?);
        }
        let mut is_in_key = false;
        for key in &keys {
            let node = parse_expression(key)?;
            if !named(&node).contains(name) {
                continue;
            }
            // A function may make something else of the new type.
            if !matches!(&node, Node::Name(parts) if parts.join(".") == *name) {
                return Ok(false);
            }
            is_in_key = true;
        }
        Ok(match (is_in_key, self.version() == Some(name)) {
            (true, false) => is_kept_alike(old, new),
            (false, true) => widens(old, new),
            _ => false,
        })
    }

    /// The column by which rows of one key are told apart.
    fn version(&self) -> Option<&str> {
        let engine = &self.definition.engine;
        let version = engine.arguments.first().filter(|_| engine.name == "ReplacingMergeTree")?;
        Some(version.trim_matches('`'))
    }

    /// The column as it is now, where it could be NULL before.
    pub(super) fn without_null(&self, before: &Column) -> Option<&Column> {
        let column = &self.columns[self.find(&before.name)?];
        let loses = is_stored(before) && is_stored(column) && before.kind.is_nullable() && !column.kind.is_nullable();
        loses.then_some(column)
    }

    /// The column's name before this statement.
    fn touched_as(&self, name: &str) -> String {
        let renamed = self.renamed.iter().rev().find(|(_, to)| to == name);
        renamed.map_or_else(|| name.to_string(), |(from, _)| from.clone())
    }

    pub(super) fn remove(&mut self, name: &str, property: Property, if_exists: bool) -> Result<()> {
        let Some(at) = self.find(name) else {
            return if if_exists { Ok(()) } else { Err(missing("Wrong column", name, "modify")) };
        };
        let mut column = self.columns[at].clone();
        let has = |wanted: DefaultKind| matches!(&column.default, Some((kind, _)) if *kind == wanted);
        let (there, word) = match property {
            Property::Default => (has(DefaultKind::Default), "DEFAULT"),
            Property::Materialized => (has(DefaultKind::Materialized), "MATERIALIZED"),
            Property::Alias => (has(DefaultKind::Alias), "ALIAS"),
            Property::Comment => (!column.comment.is_empty(), "COMMENT"),
            Property::Codec => (!column.codec.is_empty(), "CODEC"),
            Property::Ttl => (self.definition.ttl.columns.contains_key(name), "TTL"),
            // ClickHouse does not ask whether there are any.
            Property::Settings => (true, "SETTINGS"),
        };
        if !there {
            return Err(Error::new(
                ErrorCode::BAD_ARGUMENTS,
                format!("Column `{name}` doesn't have {word}, cannot remove it"),
            ));
        }
        match property {
            Property::Comment => column.comment.clear(),
            Property::Codec => column.codec.clear(),
            Property::Settings => column.settings.clear(),
            Property::Ttl => {
                self.definition.ttl.columns.remove(name);
            }
            Property::Default | Property::Materialized | Property::Alias => column.default = None,
        }
        self.replace(at, column)
    }

    pub(super) fn comment(&mut self, name: &str, comment: &str, if_exists: bool) -> Result<()> {
        match self.find(name) {
            Some(at) => self.columns[at].comment = comment.to_string(),
            None if if_exists => {}
            None => return Err(missing("Wrong column name", name, "comment")),
        }
        Ok(())
    }

    pub(super) fn rename(&mut self, from: &str, to: &str, if_exists: bool) -> Result<()> {
        let Some(at) = self.find(from) else {
            if !nested::fields(&self.all(), from).is_empty() {
                let text = format!("Renaming `{from}`, whose fields are columns: give each of them its name (`{from}.a`)");
                return Err(Error::not_implemented(text));
            }
            return if if_exists { Ok(()) } else { Err(missing("Wrong column name", from, "rename")) };
        };
        if self.find(to).is_some() {
            return Err(Error::new(
                ErrorCode::DUPLICATE_COLUMN,
                format!("Cannot rename to `{to}`: column with this name already exists"),
            ));
        }
        column_rules::check_name(to, self.has_parts(), || format!("Cannot rename to `{to}`: this column name"))?;
        self.check_rename(from, to)?;
        self.key(from, "RENAME")?;
        self.check_no_projection(from)?;
        if is_stored(&self.columns[at]) {
            self.keys.rename(from, to);
        }
        self.columns[at].name = to.to_string();
        for column in &mut self.columns {
            if let Some((_, text)) = &mut column.default
                && !text.is_empty()
            {
                let node = parse_expression(text)?;
                if named(&node).contains(from) {
                    *text = sql(&substituted(&node, from, &Node::Name(vec![to.to_string()])));
                }
            }
        }
        self.rename_in_indexes(from, to)?;
        self.definition.ttl.rename(from, to, |ttl| rename_in_ttl(ttl, from, to))?;
        self.rename_in_constraints(from, to)?;
        let before = self.touched_as(from);
        self.touched.push(before.clone());
        self.renamed.push((before, to.to_string()));
        if self.added.remove(from) {
            self.added.insert(to.to_string());
        }
        Ok(())
    }
}

impl Alteration {
    /// Errors: NOT_IMPLEMENTED, BAD_ARGUMENTS.
    fn check_rename(&self, from: &str, to: &str) -> Result<()> {
        let refused = |code: ErrorCode, text: &str| Err(Error::new(code, text));
        if self.renamed.iter().any(|(_, known)| known == from) {
            let text = "Transitive renames in a single ALTER query are not allowed: rename the column once";
            return refused(ErrorCode::NOT_IMPLEMENTED, text);
        }
        match (from.split_once('.'), to.split_once('.')) {
            (Some((one, _)), Some((other, _))) if one != other => {
                refused(ErrorCode::BAD_ARGUMENTS, "Cannot rename column from one nested name to another")
            }
            (Some(_), None) | (None, Some(_)) => {
                refused(ErrorCode::BAD_ARGUMENTS, "Cannot rename column from nested struct to normal column and vice versa")
            }
            _ => Ok(()),
        }
    }
}

fn rename_in_ttl(ttl: &mut TtlSpec, from: &str, to: &str) -> Result<()> {
    if let Some(expression) = ttl.columns.remove(from) {
        ttl.columns.insert(to.to_string(), expression);
    }
    let mut texts: Vec<&mut String> = ttl.columns.values_mut().collect();
    for rule in &mut ttl.rules {
        texts.push(&mut rule.expression);
        match &mut rule.action {
            TtlAction::Delete { condition } => texts.extend(condition),
            TtlAction::GroupBy { keys, set } => {
                texts.extend(keys);
                for (column, value) in set {
                    if column == from {
                        *column = to.to_string();
                    }
                    texts.push(value);
                }
            }
            TtlAction::Recompress { .. } | TtlAction::Move { .. } => {}
        }
    }
    for text in texts {
        let node = parse_expression(text)?;
        if named(&node).contains(from) {
            *text = sql(&substituted(&node, from, &Node::Name(vec![to.to_string()])));
        }
    }
    Ok(())
}

/// Rows get their defaults where they are read, without any query. Errors: THERE_IS_NO_DEFAULT_VALUE.
pub(in crate::interpret) fn check_no_query(default: &Node) -> Result<()> {
    match default.has_subquery() {
        false => Ok(()),
        true => Err(Error::new(
            ErrorCode::THERE_IS_NO_DEFAULT_VALUE,
            "Select query is not allowed in columns DEFAULT expression: compute the value where rows are inserted",
        )),
    }
}

/// That no default needs itself. Errors: CYCLIC_ALIASES.
fn check_cycles(columns: &Columns) -> Result<()> {
    let mut needs: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for column in columns {
        if let Some((_, text)) = column.default.as_ref().filter(|(_, text)| !text.is_empty()) {
            needs.insert(&column.name, named(&parse_expression(text)?));
        }
    }
    // Columns whose needs are all met go, until none does.
    while !needs.is_empty() {
        let before = needs.len();
        let waiting: BTreeSet<String> = needs.keys().map(ToString::to_string).collect();
        needs.retain(|_, needed| needed.iter().any(|name| waiting.contains(name)));
        if needs.len() == before {
            let names: Vec<&str> = needs.keys().copied().collect();
            return Err(Error::new(
                ErrorCode::CYCLIC_ALIASES,
                format!("Cyclic defaults: to compute each of {} another of them is needed", names.join(", ")),
            ));
        }
    }
    Ok(())
}

/// Whether the new type only adds names to an enum: what is stored and its order stay.
fn extends(old: &SqlType, new: &SqlType) -> bool {
    match (old, new) {
        (SqlType::Enum8(old), SqlType::Enum8(new)) | (SqlType::Enum16(old), SqlType::Enum16(new)) => {
            old.0.iter().all(|value| new.0.contains(value))
        }
        _ => false,
    }
}

/// Whether values of both types are the same where parts keep keys, and in one order: in indexes and names of partitions.
fn is_kept_alike(old: &SqlType, new: &SqlType) -> bool {
    let alike = match (&old.without_low_cardinality(), &new.without_low_cardinality()) {
        (SqlType::DateTime(_), SqlType::DateTime(_)) => true,
        (SqlType::DateTime64(old, _), SqlType::DateTime64(new, _)) => old == new,
        (SqlType::Enum8(_), SqlType::Int8) | (SqlType::Enum16(_), SqlType::Int16) => true,
        (old, new) => old == new,
    };
    alike && old.arrow() == new.arrow()
}

/// Whether an integer type holds all values of another of its sort.
fn widens(old: &SqlType, new: &SqlType) -> bool {
    let both = old.integer_bits().zip(new.integer_bits());
    both.is_some_and(|((old, old_signed), (new, new_signed))| old_signed == new_signed && new >= old)
}

impl Interpreter {
    /// A column as ADD COLUMN declares it, with the type of its default where it has none.
    pub(super) fn declared(&self, declared: &ColumnDefinition, others: &Columns) -> Result<Column> {
        let default = declared.default.as_ref().map(|(kind, node)| (*kind, node.as_ref().map_or_else(String::new, sql)));
        let kind = match (&declared.kind, &declared.default) {
            (Some(kind), _) => kind.clone(),
            (None, Some((_, Some(node)))) => {
                check_no_query(node)?;
                let tables = ResolvedTables::default();
                let env = Engine::function_env(&self.context);
                let analyzer = Analyzer::new(&self.engine.registry, env, &self.context.settings, &tables);
                let typed = analyzer.over_columns(node, others);
                typed.context(|| format!("in the default of column {}", declared.name))?.kind
            }
            (None, _) => SqlType::String,
        };
        let codec = self.codec(&declared.codec, &kind, default.as_ref().map(|(kind, _)| *kind))?;
        let statistics = statistics::checked(&declared.statistics, &declared.name, &kind)?;
        check_settings(&declared.settings)?;
        let (name, comment, settings) = (declared.name.clone(), declared.comment.clone(), declared.settings.clone());
        Ok(Column { name, kind, default, comment, codec, statistics, settings })
    }

    /// A default that cannot be computed is refused now and not when a row needs it.
    pub(in crate::interpret) fn check_defaults(&self, columns: &Columns) -> Result<()> {
        check_cycles(columns)?;
        let tables = ResolvedTables::default();
        let env = Engine::function_env(&self.context);
        let analyzer = Analyzer::new(&self.engine.registry, env, &self.context.settings, &tables);
        for column in columns {
            let Some((_, text)) = &column.default else { continue };
            if text.is_empty() {
                continue;
            }
            let place = || format!("in the default of column {}", column.name);
            let node = parse_expression(text)?;
            check_no_query(&node).context(place)?;
            let typed = analyzer.over_columns(&node, columns).context(place)?;
            analyzer.cast_to(typed, &column.kind).context(place)?;
        }
        Ok(())
    }
}
