//! What a subquery may name of the queries around it beside their columns: what WITH and the SELECT lists give names to.
//!
//! Such a name stands for its expression as it is written, which is read where the name stands: `WITH number AS n SELECT x FROM
//! (SELECT n AS x FROM numbers(3))`. What the subquery itself has by that name comes first.

use std::collections::HashMap;
use std::rc::Rc;

use gristmill_base::Result;
use sqlparser::ast::Select;

use super::clauses::add_aliases_of_items;
use super::scope::{Context, DepthGuard};
use super::{Analyzer, Typed};
use crate::ast::Node;

/// Stands before a name from around, among those whose definitions are being read: the subquery may give the same name.
const FROM_AROUND: char = '\0';

/// The names that a SELECT gives, and those around it.
#[derive(Debug)]
pub struct Names {
    given: HashMap<String, Node>,
    around: Around,
}

pub type Around = Option<Rc<Names>>;

impl Analyzer<'_> {
    /// The names that the subqueries of a SELECT see.
    pub(super) fn seen_inside(&self, select: &Select, scalars: &HashMap<String, Node>) -> Around {
        if !self.settings.enable_global_with_statement {
            return None;
        }
        let around = self.around.borrow().clone();
        let mut given = scalars.clone();
        add_aliases_of_items(select, &mut given);
        if given.is_empty() {
            return around;
        }
        Some(Rc::new(Names { given, around }))
    }

    /// Lowers what stands within a SELECT that gives these names.
    pub(super) fn within<R>(&self, around: &Around, lower: impl FnOnce() -> R) -> R {
        let before = self.around.replace(around.clone());
        let lowered = lower();
        self.around.replace(before);
        lowered
    }

    pub(super) fn name_from_around(&self, name: &str, context: &Context<'_>) -> Result<Option<Typed>> {
        let Some((mark, node)) = self.given_around(name, context) else { return Ok(None) };
        self.expr(&node, &context.expanding(&mark)).map(Some)
    }

    /// What a name stands for that queries around give, where nothing of this one goes by it.
    pub(super) fn known_around(&self, name: &str, context: &Context<'_>) -> Option<(String, Node)> {
        self.given_around(name, context).filter(|_| context.scope.named(name, &[]).is_empty())
    }

    /// The lambda that a name is given, in this SELECT or around it, or by the lambda whose parameter it is.
    pub(super) fn lambda_named(&self, name: &str, context: &Context<'_>) -> Option<Node> {
        let of_parameter = context.functions.iter().find(|(parameter, _)| parameter == name);
        if let Some((_, lambda)) = of_parameter.filter(|_| !context.expanding.iter().any(|known| known == name)) {
            return Some(lambda.clone());
        }
        let (mark, meant) = match context.alias(name) {
            Some(own) => (name.to_string(), own.clone()),
            None => self.given_around(name, context)?,
        };
        self.lambda_of(&meant, &context.expanding(&mark))
    }

    /// The lambda that an expression is, be it by a name.
    pub(super) fn lambda_of(&self, node: &Node, context: &Context<'_>) -> Option<Node> {
        let _guard = DepthGuard::enter().ok()?;
        match node.bare() {
            lambda @ Node::Lambda { .. } => Some(lambda.clone()),
            Node::Name(parts) => match &parts[..] {
                [name] if !context.is_parameter(name) => self.lambda_named(name, context),
                _ => None,
            },
            _ => None,
        }
    }

    /// What the nearest query around gives a name to, with what notes that it is being read: `SELECT n + 1 AS n` in a query that
    /// gives the same name adds one to what that means.
    fn given_around(&self, name: &str, context: &Context<'_>) -> Option<(String, Node)> {
        let mut next = self.around.borrow().clone();
        let mut level = 0;
        while let Some(names) = next {
            if let Some(node) = names.given.get(name) {
                let mark = format!("{FROM_AROUND}{level} {name}");
                if !context.expanding.contains(&mark) {
                    return Some((mark, node.clone()));
                }
            }
            level += 1;
            next = names.around.clone();
        }
        None
    }
}
