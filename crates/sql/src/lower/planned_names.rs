//! The names by which ClickHouse's servers know the columns that they send each other: who asked for a stage of a query takes them by
//! these.
//!
//! Tables are `__table1` and so on, as the query of such a server calls them; names of functions are those of their expressions; a
//! constant has its type behind it. (A set of IN is a hash there of its own, which is not made here.)

use datafusion::common::ScalarValue;
use datafusion::logical_expr::lit;
use gristmill_base::Result;
use gristmill_functions::lambda_parameter_types;
use gristmill_types::SqlType;
use gristmill_types::default::default_scalar;
use gristmill_types::sql_type::quote;

use super::scope::{Context, DepthGuard, Scope, ScopeColumn};
use super::{Analyzer, Typed};
use crate::ast::{Call, InSet, Literal, Node, SortKey, Window};

impl Analyzer<'_> {
    pub(super) fn planned_name(&self, node: &Node, context: &Context<'_>) -> Result<String> {
        let _guard = DepthGuard::enter()?;
        if !context.expanding.is_empty() {
            self.count_expanded(1)?;
        }
        match node {
            Node::Literal(literal) => Ok(format!("{}_{}", literal_text(literal), self.literal(literal)?.kind)),
            Node::Name(parts) => self.planned_name_of(parts, context),
            Node::Aliased(inner, alias) => self.planned_name(inner, &context.expanding(alias)),
            Node::Call(call) => match node.defined() {
                Some(expression) => self.planned_name(expression, context),
                None => self.planned_call(node, call, context),
            },
            Node::In { left, set, negated } => {
                let set = match set {
                    InSet::List(list) => match &self.planned_names(list, context)?[..] {
                        [one] => one.clone(),
                        all => format!("({})", all.join(", ")),
                    },
                    InSet::Other(node) => self.planned_name(node, context)?,
                    InSet::Query(_) => "_subquery".to_string(),
                };
                let function = if *negated { "notIn" } else { "in" };
                Ok(format!("{function}({}, {set})", self.planned_name(left, context)?))
            }
            other => Ok(format!("{other:#}")),
        }
    }

    fn planned_names(&self, nodes: &[Node], context: &Context<'_>) -> Result<Vec<String>> {
        nodes.iter().map(|node| self.planned_name(node, context)).collect()
    }

    fn planned_name_of(&self, parts: &[String], context: &Context<'_>) -> Result<String> {
        if let [name] = parts {
            if context.lambda.iter().any(|(parameter, _)| parameter == name) {
                return Ok(name.clone());
            }
            if let Some(definition) = context.alias(name) {
                return self.planned_name(definition, &context.expanding(name));
            }
        }
        // What is behind a column's name is a part of the column.
        for end in (1..=parts.len()).rev() {
            if let Some(column) = context.scope.column_of(&parts[..end]) {
                let part: String = parts[end..].iter().map(|part| format!(".{part}")).collect();
                return Ok(format!("{}{part}", planned_column(column, context.scope)));
            }
        }
        Ok(parts.join("."))
    }

    fn planned_call(&self, node: &Node, call: &Call, context: &Context<'_>) -> Result<String> {
        if let ("_CAST", [value, Node::Literal(Literal::Text(kind))]) = (call.name.as_str(), &call.arguments[..])
            && let Some(text) = constant_text(value)
        {
            let kind = String::from_utf8_lossy(kind);
            let text = self.day_number(node, &kind, context).unwrap_or(text);
            return Ok(format!("_CAST({text}_{kind}, '{kind}'_String)"));
        }
        if let Some(text) = constant_text(node) {
            return Ok(format!("{text}_{}", self.expr(node, context)?.kind));
        }
        let plain = self.is_aggregate(&call.name).then(|| self.with_combinators(call));
        let call = plain.as_ref().unwrap_or(call);
        let mut name = self.registry.canonical(&call.name).to_string();
        let arguments = match &call.arguments[..] {
            [Node::Lambda { parameters, body }, arrays @ ..] => {
                let mut names = vec![self.planned_lambda(&name, parameters, body, arrays, context)?];
                names.extend(self.planned_names(arrays, context)?);
                names
            }
            arguments => self.planned_names(arguments, context)?,
        };
        if !call.parameters.is_empty() {
            name.push_str(&format!("({})", self.planned_names(&call.parameters, context)?.join(", ")));
        }
        name.push_str(&format!("({})", arguments.join(", ")));
        if let Some(window) = &call.over {
            name.push_str(&format!(" OVER ({})", self.planned_window(window, context)?));
        }
        Ok(name)
    }

    /// Its parameters have their types before them, which are those of the arrays' elements.
    fn planned_lambda(
        &self,
        function: &str,
        parameters: &[String],
        body: &Node,
        arrays: &[Node],
        context: &Context<'_>,
    ) -> Result<String> {
        let kinds: Vec<SqlType> = arrays.iter().map(|array| Ok(self.expr(array, context)?.kind)).collect::<Result<_>>()?;
        let kinds = lambda_parameter_types(function, &kinds)?;
        let named = parameters.iter().zip(kinds);
        let typed: Vec<(String, Typed)> =
            named.map(|(name, kind)| (name.clone(), Typed::new(lit(default_scalar(&kind)), kind))).collect();
        let head: Vec<String> = typed.iter().map(|(name, typed)| format!("{name} {}", typed.kind)).collect();
        Ok(format!("{} -> {}", head.join(", "), self.planned_name(body, &context.with_lambda(typed))?))
    }

    fn planned_window(&self, window: &Window, context: &Context<'_>) -> Result<String> {
        let mut parts = Vec::new();
        if !window.partition_by.is_empty() {
            parts.push(format!("PARTITION BY {}", self.planned_names(&window.partition_by, context)?.join(", ")));
        }
        let key = |key: &SortKey| -> Result<String> {
            let direction = if key.descending { "DESC" } else { "ASC" };
            let collation = key.collation.as_ref().map(|locale| format!(" COLLATE {}", locale.to_ascii_lowercase()));
            let collation = collation.unwrap_or_default();
            Ok(format!("{} {direction}{collation}", self.planned_name(&key.node, context)?))
        };
        if !window.order_by.is_empty() {
            let keys = window.order_by.iter().map(key).collect::<Result<Vec<_>>>()?;
            parts.push(format!("ORDER BY {}", keys.join(", ")));
        }
        Ok(parts.join(" "))
    }

    /// The number that a constant day is named by, in whatever form it is written.
    fn day_number(&self, node: &Node, kind: &str, context: &Context<'_>) -> Option<String> {
        if !matches!(kind, "Date" | "Date32") {
            return None;
        }
        match self.constant_in(node, context).ok()?.0 {
            ScalarValue::Date32(days) => days.map(|days| days.to_string()),
            _ => None,
        }
    }
}

/// What such servers call their tables.
fn is_planned_table(name: &str) -> bool {
    let number = name.strip_prefix("__table").unwrap_or_default();
    !number.is_empty() && number.bytes().all(|digit| digit.is_ascii_digit())
}

/// A column with its table, which is a number in the order of FROM unless it is called so.
pub(super) fn planned_column(column: &ScopeColumn, scope: &Scope) -> String {
    if let Some(table) = column.qualifier.last().filter(|table| is_planned_table(table)) {
        return format!("{table}.{}", column.name);
    }
    let mut tables: Vec<&[String]> = Vec::new();
    for other in &scope.columns {
        if !tables.contains(&&other.qualifier[..]) {
            tables.push(&other.qualifier);
        }
    }
    let place = tables.iter().position(|table| *table == column.qualifier).unwrap_or_default();
    format!("__table{}.{}", place + 1, column.name)
}

/// A constant that is written as one.
fn constant_text(node: &Node) -> Option<String> {
    match node.bare() {
        Node::Literal(literal) => Some(literal_text(literal)),
        Node::Call(call) if matches!(call.name.as_str(), "array" | "tuple") && !call.arguments.is_empty() => {
            let (open, close) = if call.name == "array" { ('[', ']') } else { ('(', ')') };
            let elements = call.arguments.iter().map(constant_text).collect::<Option<Vec<_>>>()?;
            Some(format!("{open}{}{close}", elements.join(", ")))
        }
        _ => None,
    }
}

fn literal_text(literal: &Literal) -> String {
    match literal {
        Literal::Bool(value) => u8::from(*value).to_string(),
        Literal::Text(bytes) => quote(&String::from_utf8_lossy(bytes)),
        other => other.to_string(),
    }
}
