//! A condition under OR of which no index knows everything: `a = 5 OR b = 7` with an index of `a` and one of `b`. Each side is
//! asked by itself, of the sparse index, of the bounds of columns and of the indexes that know something of it; what is left
//! of a part is what any side leaves. Sides may be conjunctions with disjunctions of their own.

use datafusion::logical_expr::utils::split_conjunction;
use datafusion::logical_expr::{Expr, Operator};
use futures::future::BoxFuture;
use gristmill_base::Result;
use gristmill_introspect::QueryContext;

use super::select::{Asked, SkipSelector};
use crate::index::runs::{self, Runs};
use crate::index::select::Selector;
use crate::manifest::State;
use crate::table::Core;

pub struct Disjunction {
    sides: Vec<(Selector, SkipSelector)>,
}

impl Disjunction {
    /// `None`: the filter is none, or a side can be true anywhere, or no skip index knows anything of any side.
    pub fn new(core: &Core, state: &State, filter: &Expr, context: &QueryContext) -> Result<Option<Disjunction>> {
        let mut alternatives = Vec::new();
        split(filter, &mut alternatives);
        if alternatives.len() < 2 {
            return Ok(None);
        }
        let mut sides = Vec::with_capacity(alternatives.len());
        for alternative in alternatives {
            let conjuncts: Vec<Expr> = split_conjunction(alternative).into_iter().cloned().collect();
            let selector = Selector::new(core.layout.clone(), &conjuncts)?;
            let skip = selector.skip_indexes(core, state, context)?;
            if skip.is_empty() && !selector.needs_parts_open() {
                return Ok(None);
            }
            sides.push((selector, skip));
        }
        let helps = sides.iter().any(|(_, skip)| !skip.is_empty());
        Ok(helps.then_some(Disjunction { sides }))
    }

    /// Whether an index of the name is among those asked.
    pub fn asks(&self, name: &str) -> bool {
        self.sides.iter().any(|(_, skip)| skip.asks(name))
    }

    /// What is left of the part's granules.
    pub fn narrow<'a>(&'a self, asked: &'a Asked<'a>, granules: Runs) -> BoxFuture<'a, Result<Runs>> {
        Box::pin(async move {
            let mut left = Runs::new();
            for (selector, skip) in &self.sides {
                let of_side = runs::intersection(&granules, &selector.granules(asked.part).granules);
                let (_, of_side) = skip.steps_left(asked, of_side).await?;
                left = runs::union(&left, &of_side);
            }
            Ok(left)
        })
    }
}

/// The sides of an OR, and of those within it.
fn split<'a>(filter: &'a Expr, sides: &mut Vec<&'a Expr>) {
    match filter {
        Expr::Alias(alias) => split(&alias.expr, sides),
        Expr::BinaryExpr(binary) if binary.op == Operator::Or => {
            split(&binary.left, sides);
            split(&binary.right, sides);
        }
        side => sides.push(side),
    }
}
