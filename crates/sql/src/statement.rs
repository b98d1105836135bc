//! Statements: queries are sqlparser's, everything else is read here, with sqlparser's parser as the cursor over tokens.

use std::collections::BTreeMap;

use gristmill_base::{Error, ErrorCode, Result};
use sqlparser::ast::{FormatClause, Query, SetExpr, Setting};
use sqlparser::keywords::Keyword;
use sqlparser::parser::Parser;
use sqlparser::tokenizer::{Token, TokenWithSpan};

use crate::access::{AccessStatement, Verb};
use crate::ast::{Node, unescape_identifier};
use crate::dialect::Dialect;
use crate::tokens::{prepare, tokenize};
use crate::translate;

pub use crate::alter::{AlterCommand, PartName, Place, Property};
pub use crate::create::{ColumnDefinition, CreateTable, SkipIndexNode};
pub(crate) use crate::cursor::{Cursor, constant, setting_value, syntax};
pub use crate::projection::ProjectionNode;

pub type Assignments = Vec<(String, String)>;

#[derive(Clone, Debug, PartialEq)]
pub enum Statement {
    Select(SelectStatement),
    Insert(Insert),
    Explain {
        kind: String,
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
    DropTable {
        names: Vec<TableName>,
        if_exists: bool,
        /// DROP VIEW: the tables must be views.
        views: bool,
    },
    Truncate {
        name: TableName,
        if_exists: bool,
    },
    Rename {
        pairs: Vec<(TableName, TableName)>,
        exchange: bool,
    },
    RenameDatabase {
        from: String,
        to: String,
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
    Detach {
        name: TableName,
        if_exists: bool,
    },
    /// ATTACH of a table that was detached.
    Attach {
        name: TableName,
        if_not_exists: bool,
    },
    Set(Assignments),
    SetParameter {
        name: String,
        value: String,
    },
    Use(String),
    KillQuery {
        condition: Box<Node>,
        /// Shows what would be killed.
        test: bool,
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
    /// SHOW TEMPORARY TABLES: conditions and limit, as the end of a query of `name`.
    ShowTemporaryTables {
        filter: String,
        limit: String,
    },
    /// A query of system tables that stands for a SHOW of this database: it must exist.
    ShowOf {
        database: String,
        query: SelectStatement,
    },
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
    pub columns: Option<Vec<String>>,
    /// `(* EXCEPT (a, b))`
    pub except: Vec<String>,
    pub settings: Assignments,
    pub source: InsertSource,
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

impl Statement {
    /// The `query_kind` of the query log.
    pub fn kind(&self) -> &'static str {
        match self {
            Statement::Select(_) => "Select",
            Statement::Insert(_) => "Insert",
            Statement::Explain { .. } => "Explain",
            Statement::CreateTable(_) | Statement::CreateDatabase { .. } => "Create",
            Statement::DropTable { .. } | Statement::DropDatabase { .. } | Statement::Truncate { .. } => "Drop",
            Statement::Rename { .. } | Statement::RenameDatabase { .. } => "Rename",
            Statement::Describe(_) => "Describe",
            Statement::ShowCreateTable(_) | Statement::ShowCreateDatabase(_) => "Show",
            Statement::Exists { .. } => "Exists",
            Statement::Check(_) => "Check",
            Statement::Optimize { .. } => "Optimize",
            Statement::Alter { .. } => "Alter",
            Statement::Delete { .. } => "Delete",
            Statement::Detach { .. } => "Detach",
            Statement::Attach { .. } => "Attach",
            Statement::Set(_) | Statement::SetParameter { .. } => "Set",
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

static DIALECT: Dialect = Dialect { names_begin_with_dollar: false };

/// `max_parser_depth` where nobody says it.
const PARSER_DEPTH: u64 = 1_000;
/// Most that it may be: what a thread's stack holds.
const PARSER_DEPTH_MOST: u64 = 2_000;
/// Most queries of UNION, INTERSECT and EXCEPT in a statement: the parser makes a tree of them that is as deep as they are
/// many.
const SET_OPERATIONS_MOST: usize = 10_000;

/// Reads one statement. `parameters` are the values of `{name:Type}`.
pub fn parse(text: &str, parameters: &BTreeMap<String, String>) -> Result<Statement> {
    parse_within(text, parameters, PARSER_DEPTH)
}

/// As `parse`, with `max_parser_depth`. Errors: TOO_DEEP_RECURSION, TOO_DEEP_AST, TOO_BIG_AST, SYNTAX_ERROR, those of names.
pub fn parse_within(text: &str, parameters: &BTreeMap<String, String>, depth_most: u64) -> Result<Statement> {
    let tokens = prepare(tokenize(text)?, parameters)?;
    if tokens.is_empty() {
        return Err(Error::new(ErrorCode::SYNTAX_ERROR, "Empty query"));
    }
    let is_operation = |token: &&TokenWithSpan| matches!(&token.token, Token::Word(word) if matches!(word.keyword, Keyword::UNION | Keyword::INTERSECT | Keyword::EXCEPT));
    if tokens.iter().filter(is_operation).count() > SET_OPERATIONS_MOST {
        return Err(crate::size::too_big(SET_OPERATIONS_MOST as u64, "the number of queries that it is made of"));
    }
    let depth_most = if depth_most == 0 { PARSER_DEPTH_MOST } else { depth_most.min(PARSER_DEPTH_MOST) };
    // ClickHouse's parser goes through more functions for each level that is nested.
    let levels = (depth_most * 3 / 5).max(1) as usize;
    let mut cursor =
        Cursor { parser: Parser::new(&DIALECT).with_recursion_limit(levels).with_tokens_with_locations(tokens) };
    let mut statement = cursor.statement()?;
    if !cursor.at_end() {
        let mut after = AfterQuery::default();
        cursor.after_query(&mut after)?;
        if after != AfterQuery::default() {
            statement = Statement::Shown { statement: Box::new(statement), after };
        }
    }
    while cursor.parser.consume_token(&Token::SemiColon) {}
    if cursor.parser.peek_token_ref().token != Token::EOF {
        return Err(cursor.unexpected("end of query"));
    }
    // The settings behind the query of a view are the query's.
    if let Statement::Shown { statement: inner, .. } = &mut statement
        && matches!(inner.as_ref(), Statement::CreateTable(create) if create.view.is_some())
    {
        statement = std::mem::replace(inner.as_mut(), Statement::Use(String::new()));
    }
    match &mut statement {
        Statement::CreateTable(create) => {
            if let (Some(view), Some(start)) = (&mut create.view, create.query_start) {
                // Settings behind the query are the query's.
                let end = create.query_end.filter(|end| !is_word_at(text, *end, "SETTINGS"));
                *view = text_between(text, start, end);
            }
        }
        Statement::Alter { commands, .. } => {
            for command in commands {
                if let AlterCommand::ModifyQuery { text: query, start, end, .. } = command {
                    *query = text_between(text, *start, *end);
                }
            }
        }
        _ => {}
    }
    Ok(statement)
}

/// What stands between two places (line and column) of a text, without the semicolon at its end.
fn text_between(text: &str, start: (u64, u64), end: Option<(u64, u64)>) -> String {
    let lines = crate::tokens::line_starts(text);
    let start = crate::tokens::offset(text, &lines, start.0, start.1);
    let end = end.map_or(text.len(), |(line, column)| crate::tokens::offset(text, &lines, line, column));
    text[start..end.max(start)].trim_end_matches(|c: char| c == ';' || c.is_whitespace()).to_string()
}

fn is_word_at(text: &str, (line, column): (u64, u64), word: &str) -> bool {
    let at = crate::tokens::offset(text, &crate::tokens::line_starts(text), line, column);
    text[at..].get(..word.len()).is_some_and(|found| found.eq_ignore_ascii_case(word))
}

/// Reads one SELECT that is put together here.
fn parse_select(text: &str) -> Result<SelectStatement> {
    match parse(text, &BTreeMap::new())? {
        Statement::Select(select) => Ok(select),
        other => Err(Error::logical(format!("{text} is no query but a {} statement", other.kind()))),
    }
}

/// Reads one query that is put together here.
pub(crate) fn parse_query(text: &str) -> Result<Box<Query>> {
    Ok(parse_select(text)?.query)
}

/// Reads one expression, such as a key of a table's definition.
pub fn parse_expression(text: &str) -> Result<Node> {
    let tokens = prepare(tokenize(text)?, &BTreeMap::new())?;
    let mut parser = Parser::new(&DIALECT).with_tokens_with_locations(tokens);
    let expr = parser.parse_expr().map_err(syntax)?;
    if parser.peek_token_ref().token != Token::EOF {
        return Err(Error::new(
            ErrorCode::SYNTAX_ERROR,
            format!("Syntax error: unexpected text after the expression in '{text}'"),
        ));
    }
    translate::node(&expr)
}

/// Reads the query of a projection.
pub fn parse_projection(text: &str) -> Result<ProjectionNode> {
    let tokens = prepare(tokenize(text)?, &BTreeMap::new())?;
    let mut cursor = Cursor { parser: Parser::new(&DIALECT).with_recursion_limit(300).with_tokens_with_locations(tokens) };
    let projection = cursor.projection_query()?;
    if cursor.at_end() { Ok(projection) } else { Err(cursor.unexpected("the end of the projection")) }
}

impl<'a> Cursor<'a> {
    /// Over tokens of a statement that is being read.
    pub(crate) fn over(tokens: Vec<TokenWithSpan>) -> Cursor<'static> {
        Cursor { parser: Parser::new(&DIALECT).with_recursion_limit(300).with_tokens_with_locations(tokens) }
    }

    pub(crate) fn statement(&mut self) -> Result<Statement> {
        if self.peeks("SELECT")
            || self.peeks("WITH")
            || self.peeks("FROM")
            || self.parser.peek_token_ref().token == Token::LParen
            || self.peeks("VALUES")
        {
            return Ok(Statement::Select(self.select()?));
        }
        if self.eat("INSERT") {
            return self.insert();
        }
        if self.eat("EXPLAIN") {
            return self.explain();
        }
        if self.eat("CREATE") {
            if let Some(statement) = self.named_collection("CREATE")? {
                return Ok(statement);
            }
            let or_replace = self.eat_all(&["OR", "REPLACE"]);
            return match self.entity_kind()? {
                Some(kind) => self.entity_change(kind, Verb::Create, or_replace),
                None => self.create(or_replace),
            };
        }
        if self.eat("GRANT") {
            return self.grant(false);
        }
        if self.eat("REVOKE") {
            return self.grant(true);
        }
        if self.eat("ATTACH") {
            return self.attach();
        }
        if self.eat("DETACH") {
            return self.detach();
        }
        if self.eat("ALTER") {
            if let Some(statement) = self.named_collection("ALTER")? {
                return Ok(statement);
            }
            if let Some(kind) = self.entity_kind()? {
                return self.entity_change(kind, Verb::Alter, false);
            }
            return self.alter();
        }
        if self.eat("DELETE") {
            return self.delete();
        }
        if self.peeks("UPDATE") {
            return Err(Error::not_implemented("UPDATE: ALTER TABLE … UPDATE column = value WHERE …"));
        }
        if self.eat("DROP") {
            return self.drop_statement();
        }
        if self.eat("TRUNCATE") {
            self.eat("TABLE");
            let if_exists = self.if_exists();
            let name = self.table_name()?;
            self.on_cluster()?;
            self.eat("SYNC");
            return Ok(Statement::Truncate { name, if_exists });
        }
        if self.eat("RENAME") {
            if self.eat("DATABASE") {
                let from = self.identifier()?;
                self.expect("TO")?;
                return Ok(Statement::RenameDatabase { from, to: self.identifier()? });
            }
            self.expect("TABLE")?;
            return Ok(Statement::Rename { pairs: self.pairs("TO")?, exchange: false });
        }
        if self.eat("EXCHANGE") {
            self.expect("TABLES")?;
            return Ok(Statement::Rename { pairs: self.pairs("AND")?, exchange: true });
        }
        if self.eat("DESCRIBE") || self.eat("DESC") {
            self.eat("TABLE");
            let target = self.table_expression()?;
            if self.eat("SETTINGS") {
                self.assignments()?;
            }
            return Ok(Statement::Describe(target));
        }
        if self.eat("SHOW") {
            return self.show();
        }
        if self.eat("EXISTS") {
            let temporary = self.eat("TEMPORARY");
            let mut kind = if self.eat("DATABASE") { ObjectKind::Database } else { ObjectKind::Table };
            if self.eat("DICTIONARY") {
                self.table_name()?;
                return Ok(Statement::Select(parse_select("SELECT 0::UInt8 AS result")?));
            }
            if kind == ObjectKind::Table && !self.eat("TABLE") && self.eat("VIEW") {
                kind = ObjectKind::View;
            }
            return Ok(Statement::Exists { name: self.table_name_of(temporary)?, kind });
        }
        if self.eat_all(&["EXECUTE", "AS"]) {
            // What ClickHouse says where `allow_impersonate_user` is off, as it is unless configured.
            return Err(Error::new(
                ErrorCode::SUPPORT_IS_DISABLED,
                "IMPERSONATE feature is disabled: connect as the user instead of EXECUTE AS",
            ));
        }
        if self.eat_all(&["CHECK", "GRANT"]) {
            return self.check_grant();
        }
        if self.eat("CHECK") {
            return self.check();
        }
        if self.eat("OPTIMIZE") {
            return self.optimize();
        }
        if self.eat("SET") {
            if let Token::Word(word) = &self.parser.peek_token_ref().token
                && let Some(name) = word.value.strip_prefix("param_")
            {
                let name = name.to_string();
                self.parser.next_token();
                self.expect_token(&Token::Eq)?;
                let value = constant(&self.expression()?)?;
                return Ok(Statement::SetParameter { name, value });
            }
            if let Some(statement) = self.set_role()? {
                return Ok(statement);
            }
            return Ok(Statement::Set(self.assignments()?));
        }
        if self.eat("USE") {
            self.eat("DATABASE");
            return Ok(Statement::Use(self.identifier()?));
        }
        if self.eat("KILL") {
            if self.eat("MUTATION") {
                self.on_cluster()?;
                self.expect("WHERE")?;
                let condition = Box::new(self.expression()?);
                let test = self.eat("TEST");
                let _ = self.eat("SYNC") || self.eat("ASYNC");
                return Ok(Statement::KillMutation { condition, test });
            }
            self.expect("QUERY")?;
            self.on_cluster()?;
            self.expect("WHERE")?;
            let condition = Box::new(self.expression()?);
            let test = self.eat("TEST");
            let _ = self.eat("SYNC") || self.eat("ASYNC");
            return Ok(Statement::KillQuery { condition, test });
        }
        if self.eat("SYSTEM") {
            if self.eat_all(&["DROP", "LOAD", "LEDGER"]) {
                return self.drop_load_ledger();
            }
            if let Some(statement) = self.stop_or_start_merges()? {
                return Ok(statement);
            }
            if self.eat_all(&["FLUSH", "ASYNC", "INSERT", "QUEUE"]) {
                let mut names = Vec::new();
                while !self.at_end() {
                    names.push(self.table_name()?);
                    if !self.eat_token(&Token::Comma) {
                        break;
                    }
                }
                return Ok(Statement::FlushAsyncInserts(names));
            }
            let mut words = Vec::new();
            while !self.at_end() {
                words.push(self.parser.next_token().token.to_string());
            }
            return Ok(Statement::System(words));
        }
        Err(self.unexpected("a statement (SELECT, INSERT, CREATE, …)"))
    }

    /// A query with what may follow it: INTO OUTFILE, FORMAT, SETTINGS, in any order that clients write.
    pub(crate) fn select(&mut self) -> Result<SelectStatement> {
        let mut query = self.query()?;
        if matches!(*query.body, SetExpr::Insert(_) | SetExpr::Update(_) | SetExpr::Delete(_)) {
            // It would be run as a query of nothing.
            let text = "Syntax error: WITH before another statement than SELECT, or INSERT with SELECT";
            return Err(Error::new(ErrorCode::SYNTAX_ERROR, text));
        }
        let settings = query.settings.take().map(|list| settings_of(&list)).transpose()?.unwrap_or_default();
        // Settings of a lone SELECT inside of parentheses or of the last branch of a UNION count for the whole.
        let format = query.format_clause.take().map(|clause| match clause {
            FormatClause::Identifier(ident) => unescape_identifier(&ident),
            FormatClause::Null => "Null".to_string(),
        });
        let mut after = AfterQuery { settings, format, outfile: None };
        self.after_query(&mut after)?;
        Ok(SelectStatement { query, settings: after.settings, format: after.format, outfile: after.outfile })
    }

    fn after_query(&mut self, after: &mut AfterQuery) -> Result<()> {
        loop {
            if self.eat_all(&["INTO", "OUTFILE"]) {
                let path = self.string()?;
                let mut file = Outfile { path, truncate: false, append: false, compression: None };
                loop {
                    if self.eat("TRUNCATE") {
                        file.truncate = true;
                    } else if self.eat("APPEND") {
                        file.append = true;
                    } else if self.eat_all(&["AND", "STDOUT"]) {
                    } else if self.eat("COMPRESSION") {
                        file.compression = Some(self.string()?);
                        if self.eat("LEVEL") {
                            self.expression()?;
                        }
                    } else {
                        break;
                    }
                }
                after.outfile = Some(file);
            } else if self.eat("FORMAT") {
                after.format = Some(self.identifier()?);
            } else if self.eat("SETTINGS") {
                after.settings.extend(self.assignments()?);
            } else {
                return Ok(());
            }
        }
    }

    pub(crate) fn table_expression(&mut self) -> Result<TableExpression> {
        if self.parser.peek_token_ref().token == Token::LParen {
            self.parser.next_token();
            let query = self.query()?;
            self.expect_token(&Token::RParen)?;
            return Ok(TableExpression::Query(query));
        }
        if self.peeks("SELECT") || self.peeks("WITH") {
            return Ok(TableExpression::Query(self.query()?));
        }
        if self.parser.peek_nth_token_ref(1).token == Token::LParen {
            let name = self.identifier()?;
            return Ok(TableExpression::Function { name, arguments: self.call_arguments()? });
        }
        Ok(TableExpression::Table(self.table_name()?))
    }

    pub(crate) fn call_arguments(&mut self) -> Result<Vec<Node>> {
        self.expect_token(&Token::LParen)?;
        let list = self.parser.parse_comma_separated0(Parser::parse_expr, Token::RParen).map_err(syntax)?;
        self.expect_token(&Token::RParen)?;
        translate::nodes(&list)
    }
}

/// The SETTINGS clause of a query.
pub fn settings_of(list: &[Setting]) -> Result<Assignments> {
    list.iter()
        .map(|setting| {
            let name = unescape_identifier(&setting.key);
            let value = setting_value(&name, &translate::node(&setting.value)?)?;
            Ok((name, value))
        })
        .collect()
}
