//! CREATE TABLE, CREATE VIEW and CREATE DATABASE.

use gristmill_base::{Error, ErrorCode, Result};
use gristmill_functions::user_defined::UserFunction;
use gristmill_types::{DefaultKind, SqlType};
use sqlparser::ast::Query;
use sqlparser::parser::Parser;
use sqlparser::tokenizer::Token;

use crate::ast::{Node, unescape_identifier};
use crate::dialect::parse_type_text;
use crate::projection::ProjectionNode;
use crate::sql_text::{lambda_body, sql};
use crate::statement::{AlterCommand, Assignments, Cursor, Statement, TableName, constant, settings_of, syntax};
use crate::ttl::TtlElement;

pub use crate::create_keys::KeyForm;
use crate::create_keys::keys_of_engine;

/// What is said of a column by a list in a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Declares {
    New,
    /// MODIFY COLUMN: what is not named stays.
    Modified,
    /// ALTER COLUMN: as MODIFY, but a type stands behind TYPE.
    Altered,
}

#[derive(Clone, Debug, PartialEq)]
pub struct ColumnDefinition {
    pub name: String,
    /// `None`: the type of the default expression.
    pub kind: Option<SqlType>,
    /// NULL or NOT NULL stands behind the type.
    pub says_null: bool,
    pub default: Option<(DefaultKind, Option<Node>)>,
    pub comment: String,
    pub codec: String,
    pub ttl: Option<Node>,
    pub statistics: Vec<String>,
    pub settings: Assignments,
}

impl ColumnDefinition {
    /// The columns that a Nested is declared as, or the column itself.
    pub fn flattened(&self) -> Vec<ColumnDefinition> {
        let Some(nested @ SqlType::Nested(_)) = &self.kind else { return vec![self.clone()] };
        let column = |(name, kind): &(Option<String>, SqlType)| ColumnDefinition {
            name: format!("{}.{}", self.name, name.as_deref().unwrap_or_default()),
            kind: Some(SqlType::array(kind.clone())),
            ..self.clone()
        };
        nested.nested_fields().iter().map(column).collect()
    }
}

/// As which an index of type `text` is shown.
const TEXT_INDEX_GRANULARITY: u64 = 100_000_000;

/// `name expression TYPE kind [GRANULARITY g]`
#[derive(Clone, Debug, PartialEq)]
pub struct SkipIndexNode {
    pub name: String,
    pub expression: Node,
    /// The expression stands in parentheses of its own.
    pub in_parentheses: bool,
    /// The type with its parameters, as text.
    pub kind: String,
    pub granularity: u64,
}

/// `name CHECK expression`
#[derive(Clone, Debug, PartialEq)]
pub struct ConstraintNode {
    pub name: String,
    /// ASSUME, and not CHECK.
    pub assumed: bool,
    pub expression: Node,
}

/// The database that temporary tables are in, each session's in one of its own.
pub const TEMPORARY_DATABASE: &str = "_temporary_and_external_tables";

#[derive(Clone, Debug, PartialEq, Default)]
pub struct CreateTable {
    pub name: Option<TableName>,
    pub if_not_exists: bool,
    pub or_replace: bool,
    /// REPLACE TABLE: there has to be one.
    pub replaces: bool,
    pub temporary: bool,
    pub columns: Vec<ColumnDefinition>,
    pub skip_indexes: Vec<SkipIndexNode>,
    pub projections: Vec<ProjectionNode>,
    pub constraints: Vec<ConstraintNode>,
    /// `AS other_table`
    pub like: Option<TableName>,
    /// `CLONE AS other_table`, which is `like`: with its rows.
    pub clones: bool,
    /// `AS function(…)`
    pub as_function: Option<(String, Vec<Node>)>,
    pub query: Option<Box<Query>>,
    /// SETTINGS behind the query of a table, where it is filled by it.
    pub query_settings: Assignments,
    /// CREATE VIEW: names of its columns, where they are written without types.
    pub(crate) column_names: Vec<String>,
    /// CREATE VIEW: the text of `query`.
    pub view: Option<String>,
    pub materialized: bool,
    /// `TO` of a materialized view.
    pub to: Option<TableName>,
    /// DEFINER of a materialized view.
    pub definer: Option<String>,
    /// Whether a materialized view begins with the rows that are there.
    pub populate: bool,
    /// Lines and columns between which `query` stands; to the end of the statement where the second is not known.
    pub(crate) query_start: Option<(u64, u64)>,
    pub(crate) query_end: Option<(u64, u64)>,
    pub engine: Option<(String, Vec<Node>)>,
    pub partition_by: Option<Node>,
    pub order_by: Option<Vec<Node>>,
    /// For each element of `order_by`, whether its greater values come first.
    pub descending: Vec<bool>,
    pub primary_key: Option<Vec<Node>>,
    pub sample_by: Option<Node>,
    pub partition_form: KeyForm,
    pub order_form: KeyForm,
    pub primary_form: KeyForm,
    pub sample_form: KeyForm,
    pub ttl: Vec<TtlElement>,
    pub settings: Assignments,
    pub comment: String,
}

fn other_security(materialized: bool, kind: &str) -> Error {
    Error::not_implemented(match materialized {
        true => format!("SQL SECURITY {kind} of a materialized view: it is filled with the rights of who made it (DEFINER)"),
        false => format!("SQL SECURITY {kind} of a view: it is read with the rights of who reads it (INVOKER)"),
    })
}

impl Cursor<'_> {
    /// `[IF NOT EXISTS] name [ON CLUSTER …] AS parameters -> expression`, from behind FUNCTION. Error: BAD_ARGUMENTS.
    fn create_function(&mut self, or_replace: bool) -> Result<Statement> {
        let refused = |text: String| Err(Error::new(ErrorCode::BAD_ARGUMENTS, text));
        let if_not_exists = self.if_not_exists();
        let name = self.identifier()?;
        self.on_cluster()?;
        self.expect("AS")?;
        let mut parameters = Vec::new();
        if self.eat_token(&Token::LParen) {
            while !self.eat_token(&Token::RParen) {
                parameters.push(self.identifier()?);
                self.eat_token(&Token::Comma);
            }
        } else if matches!(self.parser.peek_token_ref().token, Token::Word(_)) {
            parameters.push(self.identifier()?);
        }
        if !self.eat_token(&Token::Arrow) {
            return refused(format!("Function {name} is not made of a lambda: write parameters -> expression behind AS"));
        }
        if let Some(twice) = parameters.iter().enumerate().find(|(at, name)| parameters[..*at].contains(name)) {
            return refused(format!("Identifier {} already used as function parameter", twice.1));
        }
        let function = UserFunction { parameters, body: lambda_body(&self.expression()?) };
        Ok(Statement::CreateFunction { name, if_not_exists, or_replace, function })
    }

    /// From behind CREATE [OR REPLACE].
    pub(crate) fn create(&mut self, or_replace: bool) -> Result<Statement> {
        if self.eat("DATABASE") {
            let if_not_exists = self.if_not_exists();
            let name = self.identifier()?;
            self.on_cluster()?;
            if self.eat("ENGINE") {
                self.eat_token(&Token::Eq);
                let engine = self.identifier()?;
                if !matches!(engine.as_str(), "Atomic" | "Ordinary" | "Memory") {
                    return Err(Error::new(
                        ErrorCode::UNKNOWN_STORAGE,
                        format!("Unknown database engine: {engine}. Use Atomic"),
                    ));
                }
                if self.parser.peek_token_ref().token == Token::LParen {
                    self.call_arguments()?;
                }
            }
            let comment = if self.eat("COMMENT") { self.string()? } else { String::new() };
            return Ok(Statement::CreateDatabase { name, if_not_exists, comment });
        }
        let temporary = self.eat("TEMPORARY") || self.eat("TEMP");
        if self.eat("INDEX") {
            return self.create_index();
        }
        if self.eat_all(&["UNIQUE", "INDEX"]) {
            let text = "CREATE UNIQUE INDEX is not supported: no index keeps keys unique. Write CREATE INDEX";
            return Err(Error::not_implemented(text));
        }
        if self.eat("FUNCTION") {
            return self.create_function(or_replace);
        }
        let materialized = self.eat("MATERIALIZED");
        for what in ["DICTIONARY", "USER", "ROLE"] {
            if self.peeks(what) {
                return Err(Error::not_implemented(format!("CREATE {what}")));
            }
        }
        let is_view = self.eat("VIEW");
        if !is_view && (materialized || !self.eat("TABLE")) {
            return Err(self.unexpected(if materialized { "VIEW" } else { "TABLE, VIEW or DATABASE" }));
        }
        let if_not_exists = self.if_not_exists();
        let mut create =
            CreateTable { if_not_exists, or_replace, temporary, name: Some(self.table_name()?), ..CreateTable::default() };
        if self.eat("UUID") {
            self.string()?;
        }
        self.on_cluster()?;
        create.materialized = materialized;
        if materialized && self.peeks("REFRESH") {
            return Err(Error::not_implemented("REFRESH of a materialized view"));
        }
        if is_view {
            self.security(&mut create)?;
        }
        if materialized && self.eat("TO") {
            create.to = Some(self.table_name()?);
        }
        let is_list = self.parser.peek_token_ref().token == Token::LParen
            && !crate::tokens::is_word(&self.parser.peek_nth_token_ref(1).token, "SELECT");
        let has_no_types = matches!(self.parser.peek_nth_token_ref(2).token, Token::Comma | Token::RParen);
        if is_list && is_view && !materialized && has_no_types {
            self.expect_token(&Token::LParen)?;
            create.column_names = self
                .parser
                .parse_comma_separated(Parser::parse_identifier)
                .map_err(syntax)?
                .iter()
                .map(unescape_identifier)
                .collect();
            self.expect_token(&Token::RParen)?;
        } else if is_list {
            // Either all columns of a view have types, or none has.
            self.column_list(&mut create).map_err(|error| {
                let lacks_type = is_view && error.code() == ErrorCode::EMPTY_LIST_OF_COLUMNS_QUERIED;
                if lacks_type { Error::new(ErrorCode::SYNTAX_ERROR, error.message()) } else { error }
            })?;
        }
        if is_view {
            self.security(&mut create)?;
        }
        self.clauses(&mut create)?;
        keys_of_engine(&mut create);
        if is_view {
            if create.query.is_none() {
                return Err(self.unexpected("AS and a query"));
            }
            // Its text is taken by whoever has the statement's.
            create.view = Some(String::new());
        }
        Ok(Statement::CreateTable(Box::new(create)))
    }

    /// `DEFINER = user` and `SQL SECURITY …` of a view, in any order. Taken is what views do anyway: plain ones are read with the
    /// rights of who reads, materialized ones filled with those of who made them. Error: NOT_IMPLEMENTED.
    fn security(&mut self, create: &mut CreateTable) -> Result<()> {
        loop {
            if self.eat("DEFINER") {
                self.eat_token(&Token::Eq);
                create.definer = Some(self.entity_name()?);
            } else if self.eat_all(&["SQL", "SECURITY"]) {
                let kind = self.identifier()?.to_ascii_uppercase();
                let fits = if create.materialized { "DEFINER" } else { "INVOKER" };
                match kind.as_str() {
                    "NONE" | "DEFINER" | "INVOKER" if kind != fits => {
                        return Err(other_security(create.materialized, &kind));
                    }
                    "DEFINER" | "INVOKER" => {}
                    _ => return Err(self.unexpected("DEFINER, INVOKER or NONE")),
                }
            } else {
                break;
            }
        }
        match create.definer {
            Some(_) if !create.materialized => Err(other_security(false, "DEFINER")),
            _ => Ok(()),
        }
    }

    /// `CREATE INDEX [IF NOT EXISTS] name ON t (expression) TYPE …`: ALTER TABLE t ADD INDEX.
    fn create_index(&mut self) -> Result<Statement> {
        let if_not_exists = self.if_not_exists();
        let name = self.identifier()?;
        self.expect("ON")?;
        let table = self.table_name()?;
        self.on_cluster()?;
        let expression = self.without_directions()?;
        if self.at_end() {
            // Other systems know no types of indexes: a setting says whether such a statement is an error, or does nothing.
            return Ok(Statement::Alter { name: table, commands: Vec::new() });
        }
        self.expect("TYPE")?;
        let index = self.skip_index_type(name, expression, KeyForm::Plain)?;
        let commands = vec![AlterCommand::AddIndex { index, place: None, if_not_exists }];
        Ok(Statement::Alter { name: table, commands })
    }

    fn column_list(&mut self, create: &mut CreateTable) -> Result<()> {
        self.expect_token(&Token::LParen)?;
        loop {
            if !create.columns.is_empty() && self.eat_token(&Token::RParen) {
                return Ok(());
            }
            if self.eat_all(&["PRIMARY", "KEY"]) {
                self.primary_key(create)?;
            } else if self.begins("INDEX") {
                self.expect("INDEX")?;
                let index = self.skip_index()?;
                create.skip_indexes.push(index);
            } else if self.begins("PROJECTION") {
                self.expect("PROJECTION")?;
                let projection = self.projection()?;
                create.projections.push(projection);
            } else if self.begins("CONSTRAINT") {
                self.expect("CONSTRAINT")?;
                let constraint = self.constraint()?;
                create.constraints.push(constraint);
            } else {
                let column = self.column(create, Declares::New)?;
                if create.columns.iter().any(|known| known.name == column.name) {
                    return Err(Error::new(ErrorCode::ILLEGAL_COLUMN, format!("Column {} is declared twice", column.name)));
                }
                create.columns.push(column);
            }
            if !self.eat_token(&Token::Comma) {
                return self.expect_token(&Token::RParen);
            }
        }
    }

    /// Whether an index or a projection is declared here, and not a column that is called so.
    fn begins(&self, what: &str) -> bool {
        let after_name = &self.parser.peek_nth_token_ref(2).token;
        self.peeks(what) && !matches!(after_name, Token::Comma | Token::RParen)
    }

    /// From the name on.
    pub(crate) fn constraint(&mut self) -> Result<ConstraintNode> {
        let name = self.identifier()?;
        let assumed = self.eat("ASSUME");
        if !assumed {
            self.expect("CHECK")?;
        }
        Ok(ConstraintNode { name, assumed, expression: self.shown_expression()? })
    }

    pub(crate) fn skip_index(&mut self) -> Result<SkipIndexNode> {
        let name = self.identifier()?;
        let form = self.key_form();
        let expression = self.expression()?;
        self.expect("TYPE")?;
        self.skip_index_type(name, expression, form)
    }

    /// What follows TYPE.
    fn skip_index_type(&mut self, name: String, expression: Node, form: KeyForm) -> Result<SkipIndexNode> {
        let mut kind = self.identifier()?;
        if self.parser.peek_token_ref().token == Token::LParen {
            let arguments: Vec<String> = self.call_arguments()?.iter().map(sql).collect();
            kind = format!("{kind}({})", arguments.join(", "));
        }
        let granularity = if self.eat("GRANULARITY") { constant(&self.expression()?)? } else { "1".to_string() };
        let Some(granularity) = granularity.parse().ok().filter(|granules| *granules > 0) else {
            return Err(Error::new(ErrorCode::BAD_ARGUMENTS, "Index GRANULARITY must be a positive integer"));
        };
        // What it knows, it knows of each granule; so much is shown, whatever was written.
        let is_text = kind.split('(').next() == Some("text");
        let granularity = if is_text { TEXT_INDEX_GRANULARITY } else { granularity };
        Ok(SkipIndexNode { name, expression, in_parentheses: form == KeyForm::Parentheses, kind, granularity })
    }

    /// A column's name, which may hold dots.
    pub(crate) fn column_name(&mut self) -> Result<String> {
        let mut name = self.identifier()?;
        while self.eat_token(&Token::Period) {
            name = format!("{name}.{}", self.identifier()?);
        }
        Ok(name)
    }

    /// `modifies`: a column that is there; any part of the definition may be missing.
    pub(crate) fn column(&mut self, create: &mut CreateTable, declares: Declares) -> Result<ColumnDefinition> {
        let name = self.column_name()?;
        let mut column = ColumnDefinition {
            name,
            kind: None,
            says_null: false,
            default: None,
            comment: String::new(),
            codec: String::new(),
            ttl: None,
            statistics: Vec::new(),
            settings: Vec::new(),
        };
        let begins_default =
            ["DEFAULT", "MATERIALIZED", "ALIAS", "EPHEMERAL", "CODEC", "COMMENT", "TTL", "STATISTICS", "SETTINGS"]
                .iter()
                .any(|word| self.peeks(word));
        let modifies = declares != Declares::New;
        let says_type = modifies && self.eat("TYPE");
        let begins_other = modifies && ["REMOVE", "FIRST", "AFTER", "MODIFY", "RESET"].iter().any(|word| self.peeks(word));
        let may_be_type = says_type || declares != Declares::Altered;
        let is_word = matches!(self.parser.peek_token_ref().token, Token::Word(_));
        let goes_on = begins_default || begins_other || may_be_type && is_word;
        if modifies && !goes_on {
            return Err(self.unexpected("a type or another property of the column (DEFAULT, COMMENT, CODEC, TTL, …)"));
        }
        if !begins_default && !begins_other && is_word {
            let text = parse_type_text(&mut self.parser).map_err(syntax)?;
            column.kind = Some(text.parse()?);
        }
        loop {
            if self.eat_all(&["NOT", "NULL"]) {
                check_says_null_once(column.kind.as_ref())?;
                column.says_null = true;
            } else if self.eat("NULL") {
                check_says_null_once(column.kind.as_ref())?;
                column.says_null = true;
                column.kind = column.kind.map(SqlType::nullable);
            } else if self.eat("DEFAULT") {
                column.default = Some((DefaultKind::Default, Some(self.shown_expression()?)));
            } else if self.eat("MATERIALIZED") {
                column.default = Some((DefaultKind::Materialized, Some(self.shown_expression()?)));
            } else if self.eat("ALIAS") {
                column.default = Some((DefaultKind::Alias, Some(self.shown_expression()?)));
            } else if self.eat("EPHEMERAL") {
                let none = matches!(self.parser.peek_token_ref().token, Token::Comma | Token::RParen)
                    || self.at_end()
                    || ["FIRST", "AFTER", "COMMENT", "CODEC", "TTL", "STATISTICS", "SETTINGS"]
                        .iter()
                        .any(|word| self.peeks(word));
                let value = if none { None } else { Some(self.shown_expression()?) };
                column.default = Some((DefaultKind::Ephemeral, value));
            } else if self.eat("CODEC") {
                let arguments = self.call_arguments()?;
                column.codec = arguments.iter().map(codec_text).collect::<Vec<_>>().join(", ");
            } else if self.eat("STATISTICS") {
                column.statistics = self.call_arguments()?.iter().map(codec_text).collect();
            } else if self.peeks("SETTINGS") && self.parser.peek_nth_token_ref(1).token == Token::LParen {
                self.expect("SETTINGS")?;
                self.expect_token(&Token::LParen)?;
                column.settings = self.assignments()?;
                self.expect_token(&Token::RParen)?;
            } else if self.eat("COMMENT") {
                column.comment = self.string()?;
            } else if self.eat_all(&["PRIMARY", "KEY"]) {
                let key = create.primary_key.get_or_insert_default();
                key.push(Node::Name(vec![column.name.clone()]));
                create.primary_form = if key.len() == 1 { KeyForm::Tuple } else { KeyForm::Plain };
            } else if column.ttl.is_none() && self.eat("TTL") {
                column.ttl = Some(self.shown_expression()?);
            } else {
                break;
            }
        }
        if column.kind.is_none() && column.default.is_none() && !modifies {
            return Err(Error::new(
                ErrorCode::EMPTY_LIST_OF_COLUMNS_QUERIED,
                format!("Column {} has neither a type nor a default", column.name),
            ));
        }
        Ok(column)
    }

    fn sees_query(&self) -> bool {
        self.peeks("SELECT") || self.peeks("WITH") || self.parser.peek_token_ref().token == Token::LParen
    }

    fn clauses(&mut self, create: &mut CreateTable) -> Result<()> {
        loop {
            if self.eat("ENGINE") {
                self.eat_token(&Token::Eq);
                let name = self.identifier()?;
                let arguments =
                    if self.parser.peek_token_ref().token == Token::LParen { self.call_arguments()? } else { Vec::new() };
                create.engine = Some((name, arguments));
            } else if self.eat_all(&["PARTITION", "BY"]) {
                create.partition_form = self.key_form();
                create.partition_by = Some(self.expression()?);
            } else if self.eat_all(&["ORDER", "BY"]) {
                let key = self.sorting_key()?;
                (create.order_by, create.descending, create.order_form) = (Some(key.keys), key.descending, key.form);
            } else if self.eat_all(&["PRIMARY", "KEY"]) {
                self.primary_key(create)?;
            } else if self.eat("SETTINGS") {
                let keeps_words = create.engine.as_ref().is_some_and(|(engine, _)| engine.ends_with("MergeTree"));
                let settings = if keeps_words { self.assignments_of_table()? } else { self.assignments()? };
                create.settings.extend(settings);
            } else if self.eat("COMMENT") {
                create.comment = self.string()?;
            } else if self.eat("TTL") {
                create.ttl = self.ttl()?;
            } else if self.eat_all(&["SAMPLE", "BY"]) {
                create.sample_form = self.key_form();
                create.sample_by = Some(self.expression()?);
            } else if create.materialized && self.eat("POPULATE") {
                create.populate = true;
            } else if !create.materialized && self.eat("EMPTY") {
                // CREATE … EMPTY AS SELECT: the structure alone, which is all that AS t takes.
                self.expect("AS")?;
                if !self.sees_query() {
                    create.like = Some(self.table_name()?);
                    continue;
                }
                let mut query = self.query()?;
                query.limit_clause = Some(sqlparser::ast::LimitClause::LimitOffset {
                    limit: Some(sqlparser::ast::Expr::value(sqlparser::ast::Value::Number("0".to_string(), false))),
                    offset: None,
                    limit_by: Vec::new(),
                });
                create.query = Some(query);
            } else if self.eat_all(&["CLONE", "AS"]) {
                create.like = Some(self.table_name()?);
                create.clones = true;
            } else if self.eat("AS") {
                if self.sees_query() {
                    let start = self.parser.peek_token_ref().span.start;
                    create.query_start = Some((start.line, start.column));
                    let mut query = self.query()?;
                    if create.view.is_none()
                        && let Some(settings) = query.settings.take()
                    {
                        create.query_settings = settings_of(&settings)?;
                    }
                    create.query = Some(query);
                    if !self.at_end() {
                        let end = self.parser.peek_token_ref().span.start;
                        create.query_end = Some((end.line, end.column));
                    }
                } else if self.parser.peek_nth_token_ref(1).token == Token::LParen {
                    create.as_function = Some((self.identifier()?, self.call_arguments()?));
                } else {
                    create.like = Some(self.table_name()?);
                }
            } else {
                return Ok(());
            }
        }
    }
}

/// That a type that says itself whether it holds NULL is not told again. Error: ILLEGAL_SYNTAX_FOR_DATA_TYPE.
fn check_says_null_once(kind: Option<&SqlType>) -> Result<()> {
    if matches!(kind, Some(SqlType::Nullable(_))) {
        let text = "Can't use [NOT] NULL modifier with Nullable type: leave the one or the other out";
        return Err(Error::new(ErrorCode::ILLEGAL_SYNTAX_FOR_DATA_TYPE, text));
    }
    Ok(())
}

pub(crate) fn codec_text(node: &Node) -> String {
    match node {
        Node::Name(parts) => parts.join("."),
        other => other.to_string(),
    }
}
