//! Chooses parts and granules by the conditions of a query.

use std::ops::Range;
use std::sync::Arc;

use datafusion::common::Column;
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::logical_expr::Expr;
use datafusion::logical_expr::utils::split_conjunction;
use gristmill_base::Result;

use crate::layout::Layout;
use crate::manifest::PartEntry;
use crate::part::OpenPart;

pub struct Selector {
    _layout: Arc<Layout>,
}

impl Selector {
    pub fn new(layout: Arc<Layout>, _filters: &[Expr]) -> Result<Selector> {
        Ok(Selector { _layout: layout })
    }

    pub fn parts<'a>(&self, parts: impl Iterator<Item = &'a Arc<PartEntry>>) -> Result<Vec<Arc<PartEntry>>> {
        Ok(parts.cloned().collect())
    }

    pub fn granules(&self, part: &OpenPart) -> Result<Vec<Range<usize>>> {
        Ok(vec![0..part.granules()])
    }
}

/// The conditions that must all hold.
pub fn conjuncts(filters: &[Expr]) -> Vec<Expr> {
    filters.iter().flat_map(split_conjunction).cloned().collect()
}

/// The same expression over columns without a table's name.
pub fn unqualified(filter: &Expr) -> Result<Expr> {
    let rewritten = filter.clone().transform(|part| {
        Ok(match part {
            Expr::Column(column) if column.relation.is_some() => {
                Transformed::yes(Expr::Column(Column::new_unqualified(column.name)))
            }
            other => Transformed::no(other),
        })
    })?;
    Ok(rewritten.data)
}
