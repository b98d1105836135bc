//! KILL QUERY and KILL MUTATION: what a condition over the system table chooses is cancelled, or shown with TEST.

use std::collections::BTreeMap;
use std::time::Duration;

use arrow::array::{AsArray, RecordBatch};
use futures::TryStreamExt;
use gristmill_access::rights::Object;
use gristmill_base::spending::Wait;
use gristmill_base::{Error, Result};
use gristmill_introspect::processes;
use gristmill_sql::ast::Node;
use gristmill_sql::sql_text::sql;
use gristmill_sql::statement::Statement;

use super::{Interpreter, Outcome, privilege};
use crate::plan;

/// How often KILL QUERY SYNC looks whether a query has ended.
const ENDED_EVERY: Duration = Duration::from_millis(5);

impl Interpreter {
    /// `KILL QUERY WHERE user = '…'`, any condition over `system.processes`. The statement itself goes on.
    /// With `waits` it ends when they have.
    pub(crate) async fn kill_queries(&self, condition: &Node, test: bool, waits: bool) -> Result<Outcome> {
        let chosen = self.texts_of(&format!("SELECT query_id FROM system.processes WHERE {}", sql(condition))).await?;
        let own = &self.context.query_id;
        let kills_all = self.context.rights().has(privilege("KILL QUERY"), &Object::EVERYTHING);
        let mut killed = Vec::new();
        let mut ending = Vec::new();
        for query in processes::snapshot() {
            if query.query_id == *own
                || (query.user != self.context.user && !kills_all)
                || !chosen.iter().any(|row| row[..] == [query.query_id.as_str()])
            {
                continue;
            }
            let mut status = String::new();
            if !test {
                query.cancel.cancel();
                status = if waits { "finished" } else { "waiting" }.to_string();
            }
            killed.push(vec![status, query.query_id.clone(), query.user.clone(), query.query.clone()]);
            ending.push(query);
        }
        if waits && !test {
            let _waiting = self.context.waits_for(Wait::Lock);
            for query in &ending {
                while processes::is_running(query) {
                    self.context.check()?;
                    tokio::time::sleep(ENDED_EVERY).await;
                }
            }
        }
        Outcome::texts(&["kill_status", "query_id", "user", "query"], &killed)
    }

    /// `KILL MUTATION WHERE database = '…' AND table = '…' AND mutation_id = '…'`
    pub(crate) async fn kill_mutations(&self, condition: &Node, test: bool) -> Result<Outcome> {
        let query = format!(
            "SELECT database, table, mutation_id, command FROM system.mutations WHERE ({}) AND NOT is_done",
            sql(condition)
        );
        let mut killed = Vec::new();
        for row in self.texts_of(&query).await? {
            let [database, table, id, _] = &row[..] else { return Err(Error::logical("A mutation of other columns")) };
            let status = match test {
                true => "",
                false if self.table(database, table)?.kill_mutation(&self.context, id).await? => {
                    // Parts that it was changing are finished, or given up, after the statement.
                    "waiting"
                }
                false => continue,
            };
            killed.push([vec![status.to_string()], row].concat());
        }
        Outcome::texts(&["kill_status", "database", "table", "mutation_id", "command"], &killed)
    }

    /// The rows of a query of system tables whose columns are strings.
    async fn texts_of(&self, query: &str) -> Result<Vec<Vec<String>>> {
        let Statement::Select(select) = gristmill_sql::statement::parse(query, &BTreeMap::new())? else {
            return Err(Error::logical("The query of a KILL is none"));
        };
        let planned = self.plan_query(&select.query, self.hints(None, None), &mut Vec::new()).await?;
        let batches: Vec<RecordBatch> = plan::run(&planned.state, planned.physical, &self.context)?.try_collect().await?;
        let mut rows = Vec::new();
        for batch in &batches {
            for row in 0..batch.num_rows() {
                let cell = |at: usize| {
                    let column = batch.column(at).as_binary_view_opt();
                    column.map_or_else(String::new, |column| String::from_utf8_lossy(column.value(row)).into_owned())
                };
                rows.push((0..batch.num_columns()).map(cell).collect());
            }
        }
        Ok(rows)
    }
}
