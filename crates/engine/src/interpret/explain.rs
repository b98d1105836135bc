//! EXPLAIN: the statement's tree, the logical plan, or the physical one (which tells of parts, granules and files left out);
//! ESTIMATE (`estimate`) tells what a query would read, and what an INSERT would write.

use std::collections::BTreeMap;

use datafusion::physical_plan::displayable;
use gristmill_base::redact::HIDDEN;
use gristmill_base::{Error, Result};
use gristmill_sql::format_query::explained_query;
use gristmill_sql::statement::{self, Statement};
use gristmill_sql::syntax_tree::syntax_tree;

use super::{Interpreter, Outcome};

impl Interpreter {
    pub(crate) async fn explain(&self, kind: &str, statement: &Statement) -> Result<Outcome> {
        if let (Statement::Insert(insert), "ESTIMATE") = (statement, kind) {
            return self.estimate_insert(insert).await;
        }
        if kind == "AST" {
            return lines(&self.syntax_tree(statement)?);
        }
        let Statement::Select(select) = statement else {
            return Err(Error::not_implemented(format!("EXPLAIN {kind} of a {} statement", statement.kind())));
        };
        match kind {
            // What the text was without its credentials need not be a query any more.
            "SYNTAX" => lines(&explained_query(&self.context.query).unwrap_or_else(|_| select.query.to_string())),
            "QUERY TREE" => {
                let lowered = self.lower(&select.query, self.hints(None, None), &mut Vec::new()).await?;
                lines(&lowered.plan.display_indent_schema().to_string())
            }
            "PLAN" => {
                let planned = self.plan_query(&select.query, self.hints(None, None), &mut Vec::new()).await?;
                let optimized = planned.state.optimize(&planned.lowered.plan)?;
                let indexes = gristmill_mergetree::read::explain_indexes(&planned.physical).join("\n");
                lines(&format!("{}\n{indexes}", optimized.display_indent()))
            }
            "PIPELINE" => {
                let planned = self.plan_query(&select.query, self.hints(None, None), &mut Vec::new()).await?;
                lines(&displayable(planned.physical.as_ref()).indent(false).to_string())
            }
            "INDEXES" => {
                let planned = self.plan_query(&select.query, self.hints(None, None), &mut Vec::new()).await?;
                let indexes = gristmill_mergetree::read::explain_indexes(&planned.physical).join("\n");
                lines(&format!("{}\n{indexes}", displayable(planned.physical.as_ref()).indent(false)))
            }
            // The text of the query is in it: secrets are hidden there already.
            "LIMIT" => {
                let report = self.explain_limit(select).await?;
                Outcome::texts(&["explain"], &report.lines().into_iter().map(|line| vec![line]).collect::<Vec<_>>())
            }
            "ESTIMATE" => {
                let planned = self.plan_query(&select.query, self.hints(None, None), &mut Vec::new()).await?;
                self.estimate_select(&planned.physical).await
            }
            other => Err(Error::not_implemented(format!("EXPLAIN {other}"))),
        }
    }

    /// The tree of the statement as it may be shown: nothing of a node tells that it is a credential, so the tree is
    /// that of the text in which they are hidden.
    fn syntax_tree(&self, statement: &Statement) -> Result<String> {
        if !self.context.query.contains(HIDDEN) {
            return syntax_tree(statement);
        }
        match statement::parse(&self.context.query, &BTreeMap::new()) {
            Ok(Statement::Explain { statement, .. }) => syntax_tree(&statement),
            Ok(Statement::Shown { statement: shown, .. }) => match *shown {
                Statement::Explain { statement, .. } => syntax_tree(&statement),
                _ => Ok(format!("{}Query\n", statement.kind())),
            },
            // Where the text is another, or none without its credentials, the kind must do.
            _ => Ok(format!("{}Query\n", statement.kind())),
        }
    }
}

fn lines(text: &str) -> Result<Outcome> {
    // A plan shows the arguments of its tables: credentials are hidden there as in any text that is shown.
    let text = gristmill_base::redact::statement(text);
    let rows: Vec<Vec<String>> = text.lines().map(|line| vec![line.to_string()]).collect();
    Outcome::texts(&["explain"], &rows)
}
