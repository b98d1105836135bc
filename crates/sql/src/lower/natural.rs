//! NATURAL JOIN: by the columns that both sides show by one name; without any, every pair of rows.

use std::collections::HashMap;
use std::rc::Rc;

use gristmill_base::Result;
use sqlparser::ast::{Ident, JoinConstraint, JoinOperator, ObjectName, Query, TableFactor};

use super::Analyzer;
use super::from::Relation;

fn names(relation: &Relation) -> Vec<String> {
    relation.columns.iter().filter(|column| !column.hidden).map(|column| column.name.clone()).collect()
}

impl Analyzer<'_> {
    /// A NATURAL JOIN as one with USING; `None`: it is none.
    pub(super) fn natural(
        &self,
        left: &Relation,
        factor: &TableFactor,
        operator: &JoinOperator,
        ctes: &Rc<HashMap<String, Query>>,
    ) -> Result<Option<JoinOperator>> {
        let of: fn(JoinConstraint) -> JoinOperator = match operator {
            JoinOperator::Join(JoinConstraint::Natural) | JoinOperator::Inner(JoinConstraint::Natural) => {
                JoinOperator::Inner
            }
            JoinOperator::Left(JoinConstraint::Natural) | JoinOperator::LeftOuter(JoinConstraint::Natural) => {
                JoinOperator::Left
            }
            JoinOperator::Right(JoinConstraint::Natural) | JoinOperator::RightOuter(JoinConstraint::Natural) => {
                JoinOperator::Right
            }
            JoinOperator::FullOuter(JoinConstraint::Natural) => JoinOperator::FullOuter,
            _ => return Ok(None),
        };
        let right = names(&self.factor(factor, ctes)?);
        let shared = names(left).into_iter().filter(|name| right.contains(name));
        let using: Vec<ObjectName> =
            shared.map(|name| ObjectName::from(vec![Ident::with_quote('`', name.replace('`', "\\`"))])).collect();
        Ok(Some(match using.is_empty() {
            true => JoinOperator::CrossJoin(JoinConstraint::None),
            false => of(JoinConstraint::Using(using)),
        }))
    }
}
