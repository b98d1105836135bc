//! Which databases and tables a statement names, for the query log. Tables that a query reads, and those that an INSERT fills,
//! are told where they are found; these are the others: of statements that make, change, show and remove them.

use gristmill_sql::statement::{Checked, Renamed, Statement, TableName};

use super::Interpreter;

impl Interpreter {
    /// Database and table; no table where the statement is about the database.
    pub(super) fn tables_named(&self, statement: &Statement) -> Vec<(String, String)> {
        let full = |name: &TableName| {
            let (database, table) = self.full(name);
            (database.to_string(), table.to_string())
        };
        let database = |name: &String| vec![(name.clone(), String::new())];
        match statement {
            Statement::CreateTable(create) => create.name.iter().chain(&create.like).map(full).collect(),
            Statement::DropTable { names, .. } => names.iter().map(full).collect(),
            Statement::Rename { pairs, .. } => {
                pairs.iter().flat_map(|Renamed { from, to, .. }| [full(from), full(to)]).collect()
            }
            Statement::CreateDatabase { name, .. }
            | Statement::DropDatabase { name, .. }
            | Statement::DetachDatabase { name, .. }
            | Statement::AttachDatabase { name, .. }
            | Statement::TruncateDatabase { name, .. }
            | Statement::ShowCreateDatabase(name) => database(name),
            Statement::RenameDatabase { from, to, .. } => [database(from), database(to)].concat(),
            Statement::Truncate { name, .. }
            | Statement::Optimize { name, .. }
            | Statement::Alter { name, .. }
            | Statement::Delete { name, .. }
            | Statement::Update { name, .. }
            | Statement::Detach { name, .. }
            | Statement::Undrop { name, .. }
            | Statement::Attach { name, .. }
            | Statement::ShowCreateTable(name)
            | Statement::Check(Checked::Partition(name, _) | Checked::Part(name, _))
            | Statement::DropLoadLedger { name, .. } => vec![full(name)],
            Statement::Exists { name, .. } => vec![full(&self.asked_for(name))],
            Statement::Shown { statement, .. } => self.tables_named(statement),
            _ => Vec::new(),
        }
    }
}
