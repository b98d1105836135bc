//! Statements: what they are once they are read. `parse` reads a text, `beginnings` knows each by its first words.

use gristmill_functions::user_defined::UserFunction;
use sqlparser::ast::{Query, SetExpr};

use crate::access::AccessStatement;
use crate::ast::{Node, Star};

pub use crate::alter::{AlterCommand, PartName, Place, Property};
pub use crate::create::{ColumnDefinition, CreateTable, SkipIndexNode};
pub(crate) use crate::cursor::{Cursor, constant, syntax};
pub use crate::parse::{Limits, parse, parse_expression, parse_projection, parse_within, parse_without_select};
pub(crate) use crate::parse::{parse_query, parse_select};
pub use crate::projection::ProjectionNode;
pub use crate::select_statement::settings_of;

pub type Assignments = Vec<(String, String)>;

/// Names that fit a pattern: `[NOT] LIKE | ILIKE 'pattern'`.
#[derive(Clone, Debug, PartialEq)]
pub struct NameFilter {
    pub pattern: String,
    pub negated: bool,
    pub any_case: bool,
}

/// One of the tables of RENAME or EXCHANGE.
#[derive(Clone, Debug, PartialEq)]
pub struct Renamed {
    pub from: TableName,
    pub to: TableName,
    pub if_exists: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Statement {
    Select(SelectStatement),
    Insert(Insert),
    Explain {
        kind: String,
        options: Assignments,
        statement: Box<Statement>,
    },
    CreateTable(Box<CreateTable>),
    CreateDatabase {
        name: String,
        if_not_exists: bool,
        comment: String,
    },
    DropDatabase {
        name: String,
        if_exists: bool,
    },
    CreateFunction {
        name: String,
        if_not_exists: bool,
        or_replace: bool,
        function: UserFunction,
    },
    DropFunction {
        name: String,
        if_exists: bool,
    },
    DropTable {
        names: Vec<TableName>,
        if_exists: bool,
        /// IF EMPTY: tables with rows stay.
        if_empty: bool,
        /// DROP VIEW: the tables must be views.
        views: bool,
        /// SYNC: the data goes at once.
        sync: bool,
    },
    /// UNDROP TABLE
    Undrop {
        name: TableName,
        uuid: Option<String>,
    },
    Truncate {
        name: TableName,
        if_exists: bool,
    },
    /// All tables of a database go, or their rows.
    TruncateDatabase {
        name: String,
        if_exists: bool,
        drops: bool,
        /// Of which tables: behind LIKE.
        filter: Option<NameFilter>,
    },
    Rename {
        pairs: Vec<Renamed>,
        exchange: bool,
    },
    RenameDatabase {
        from: String,
        to: String,
        if_exists: bool,
    },
    Describe(TableExpression),
    ShowCreateTable(TableName),
    ShowCreateDatabase(String),
    Exists {
        name: TableName,
        kind: ObjectKind,
    },
    Check(Checked),
    Optimize {
        name: TableName,
        partition: Option<Partition>,
        to_one_part: bool,
        /// DEDUPLICATE: the columns of BY, none where all are compared.
        deduplicate: Option<Vec<Node>>,
        cleanup: bool,
        /// DRY RUN PARTS
        dry_run: Option<Vec<String>>,
    },
    Alter {
        name: TableName,
        commands: Vec<AlterCommand>,
    },
    /// DELETE FROM
    Delete {
        name: TableName,
        partition: Option<Partition>,
        condition: Box<Node>,
    },
    /// UPDATE t SET: `AlterCommand::Update`, seen at once.
    Update {
        name: TableName,
        command: Box<AlterCommand>,
    },
    Detach {
        name: TableName,
        if_exists: bool,
        kind: DetachKind,
        /// The table stays away when the server starts again.
        permanently: bool,
    },
    DetachDatabase {
        name: String,
        if_exists: bool,
    },
    /// ATTACH of a database that was detached.
    AttachDatabase {
        name: String,
        if_not_exists: bool,
    },
    /// ATTACH of a table that was detached.
    Attach {
        name: TableName,
        if_not_exists: bool,
    },
    Set(Assignments),
    /// SET with values of `{name:Type}`, and with settings beside them.
    SetParameters {
        parameters: Vec<(String, String)>,
        settings: Assignments,
    },
    Use(String),
    KillQuery {
        condition: Box<Node>,
        /// Shows what would be killed.
        test: bool,
        /// SYNC: until the queries have ended.
        waits: bool,
    },
    KillMutation {
        condition: Box<Node>,
        /// Shows what would be killed.
        test: bool,
    },
    System(Vec<String>),
    /// SYSTEM FLUSH ASYNC INSERT QUEUE, of these tables; of all where none are named.
    FlushAsyncInserts(Vec<TableName>),
    /// SYSTEM DROP LOAD LEDGER
    DropLoadLedger {
        name: TableName,
        /// `None`: all loads.
        load_id: Option<String>,
    },
    /// SYSTEM STOP | START [TTL] MERGES
    Merges {
        /// `None`: of all tables.
        name: Option<TableName>,
        ttl: bool,
        starts: bool,
    },
    /// Another statement than a query, with FORMAT or SETTINGS behind it.
    Shown {
        statement: Box<Statement>,
        after: AfterQuery,
    },
    /// Users, roles, profiles and privileges.
    Access(AccessStatement),
    /// SHOW TEMPORARY TABLES: conditions and limit, as the end of a query of `name`. `full`: with their engines.
    ShowTemporaryTables {
        full: bool,
        filter: String,
        limit: String,
    },
    /// A query of system tables that stands for a SHOW of this database: it must exist.
    ShowOf {
        database: String,
        query: SelectStatement,
    },
}

/// What DETACH says that it puts away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DetachKind {
    /// Of any kind.
    Table,
    View,
    Dictionary,
}

/// What EXISTS asks about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ObjectKind {
    Database,
    Table,
    View,
}

/// `table`, or `database.table`.
#[derive(Clone, Debug, PartialEq)]
pub struct TableName {
    pub database: Option<String>,
    pub table: String,
}

/// What CHECK reads.
#[derive(Clone, Debug, PartialEq)]
pub enum Checked {
    /// All tables that can be checked.
    All,
    Partition(TableName, Partition),
    Part(TableName, String),
}

#[derive(Clone, Debug, PartialEq)]
pub enum Partition {
    Id(String),
    Value(Box<Node>),
    All,
    /// Of UPDATE and DELETE.
    Several(Vec<Partition>),
}

#[derive(Clone, Debug, PartialEq)]
pub struct SelectStatement {
    pub query: Box<Query>,
    pub settings: Assignments,
    pub format: Option<String>,
    pub outfile: Option<Outfile>,
}

/// What may follow any statement that shows something, in any order.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct AfterQuery {
    pub settings: Assignments,
    pub format: Option<String>,
    pub outfile: Option<Outfile>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Outfile {
    pub path: String,
    pub truncate: bool,
    pub append: bool,
    /// AND STDOUT: the result is shown as well.
    pub and_stdout: bool,
    pub compression: Option<String>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum TableExpression {
    Table(TableName),
    Function { name: String, arguments: Vec<Node> },
    Query(Box<Query>),
}

#[derive(Clone, Debug, PartialEq)]
pub struct Insert {
    pub target: TableExpression,
    pub columns: Option<Vec<InsertColumn>>,
    pub settings: Assignments,
    pub source: InsertSource,
}

/// An element of an INSERT's list of columns.
#[derive(Clone, Debug, PartialEq)]
pub enum InsertColumn {
    /// A column; or, with the table's name before it, its parts.
    Named(Vec<String>),
    /// `*`, `COLUMNS(…)`, and what EXCEPT leaves of them.
    Chosen(Box<Star>),
}

impl Insert {
    /// The columns that the statement names, by every name that it may mean; none where it takes others too.
    pub fn column_names(&self) -> Vec<String> {
        let TableExpression::Table(target) = &self.target else { return Vec::new() };
        let mut names = Vec::new();
        for column in self.columns.iter().flatten() {
            let InsertColumn::Named(parts) = column else { return Vec::new() };
            names.push(parts.join("."));
            names.extend(unqualified(parts, target).map(|parts| parts.join(".")));
        }
        names
    }
}

/// The parts of a name behind those of the table; `None`: it does not begin with them.
pub fn unqualified<'a>(parts: &'a [String], table: &TableName) -> Option<&'a [String]> {
    let rest = match parts {
        [database, name, rest @ ..] if table.database.as_ref() == Some(database) && *name == table.table => rest,
        [name, rest @ ..] if *name == table.table => rest,
        _ => return None,
    };
    (!rest.is_empty()).then_some(rest)
}

#[derive(Clone, Debug, PartialEq)]
pub enum InsertSource {
    /// `format`: of the data that `input()` reads.
    Query {
        query: Box<Query>,
        format: Option<String>,
    },
    Values(Vec<Vec<Node>>),
    /// Data in that format follows the statement, or comes from the client.
    Data {
        format: Option<String>,
    },
    Infile {
        path: String,
        format: Option<String>,
        compression: Option<String>,
    },
}

impl InsertSource {
    /// The format that the statement names for its rows.
    pub fn format(&self) -> Option<&str> {
        match self {
            InsertSource::Query { format, .. } | InsertSource::Data { format } | InsertSource::Infile { format, .. } => {
                format.as_deref()
            }
            InsertSource::Values(_) => Some("Values"),
        }
    }
}

impl Statement {
    /// Whether it is a query that names nothing to give, as one that begins with FROM and goes without SELECT.
    pub fn lists_nothing(&self) -> bool {
        match self {
            Statement::Shown { statement, .. } => statement.lists_nothing(),
            Statement::Select(select) => {
                matches!(select.query.body.as_ref(), SetExpr::Select(select) if select.projection.is_empty())
            }
            _ => false,
        }
    }

    /// SYSTEM FLUSH LOGS, of whichever logs.
    pub fn flushes_logs(&self) -> bool {
        let is =
            |at: usize, word: &str, words: &[String]| words.get(at).is_some_and(|found| found.eq_ignore_ascii_case(word));
        match self {
            Statement::System(words) => is(0, "FLUSH", words) && is(1, "LOGS", words),
            Statement::Shown { statement, .. } => statement.flushes_logs(),
            _ => false,
        }
    }

    /// The `query_kind` of the query log.
    pub fn kind(&self) -> &'static str {
        match self {
            Statement::Select(_) => "Select",
            Statement::Insert(_) => "Insert",
            Statement::Explain { .. } => "Explain",
            Statement::CreateTable(_) | Statement::CreateDatabase { .. } | Statement::CreateFunction { .. } => "Create",
            Statement::DropTable { .. } | Statement::DropDatabase { .. } | Statement::DropFunction { .. } => "Drop",
            Statement::Truncate { .. } | Statement::TruncateDatabase { .. } => "Drop",
            Statement::Rename { .. } | Statement::RenameDatabase { .. } => "Rename",
            Statement::Describe(_) => "Describe",
            Statement::ShowCreateTable(_) | Statement::ShowCreateDatabase(_) => "Show",
            Statement::Exists { .. } => "Exists",
            Statement::Check(_) => "Check",
            Statement::Optimize { .. } => "Optimize",
            Statement::Alter { .. } => "Alter",
            Statement::Delete { .. } => "Delete",
            Statement::Update { .. } => "Update",
            Statement::Detach { .. } | Statement::DetachDatabase { .. } => "Detach",
            Statement::Undrop { .. } => "Undrop",
            Statement::Attach { .. } | Statement::AttachDatabase { .. } => "Attach",
            Statement::Set(_) | Statement::SetParameters { .. } => "Set",
            Statement::Use(_) => "Use",
            Statement::KillQuery { .. } | Statement::KillMutation { .. } => "KillQuery",
            Statement::System(_)
            | Statement::DropLoadLedger { .. }
            | Statement::Merges { .. }
            | Statement::FlushAsyncInserts(_) => "System",
            Statement::Access(statement) => statement.kind(),
            Statement::Shown { statement, .. } => statement.kind(),
            Statement::ShowOf { .. } | Statement::ShowTemporaryTables { .. } => "Show",
        }
    }
}
