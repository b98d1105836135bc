//! Which statement it is, by its first words. Short ones are read here, each other where its words are.

use gristmill_base::{Error, ErrorCode, Result};
use sqlparser::tokenizer::Token;

use crate::access::Verb;
use crate::create::CreateTable;
use crate::cursor::Cursor;
use crate::statement::{ObjectKind, Statement, parse_select};
use crate::tokens::is_word;

impl Cursor<'_> {
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
        if self.peeks("REPLACE") && is_word(&self.parser.peek_nth_token_ref(1).token, "TABLE") {
            self.expect("REPLACE")?;
            return Ok(match self.create(true)? {
                Statement::CreateTable(create) => {
                    Statement::CreateTable(Box::new(CreateTable { replaces: true, ..*create }))
                }
                other => other,
            });
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
        if self.eat("UNDROP") {
            return self.undrop();
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
        if self.eat("UPDATE") {
            return self.update();
        }
        if self.eat("DROP") {
            return self.drop_statement();
        }
        if self.eat("TRUNCATE") {
            return self.truncate();
        }
        if self.eat("RENAME") {
            return self.rename();
        }
        if self.eat("EXCHANGE") {
            self.expect("TABLES")?;
            return Ok(Statement::Rename { pairs: self.pairs("AND")?, exchange: true });
        }
        if self.eat("DESCRIBE") || self.eat("DESC") {
            self.eat("TABLE");
            return Ok(Statement::Describe(self.table_expression()?));
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
        self.no_transaction()?;
        if self.eat("SET") {
            if let Some(statement) = self.set_role()? {
                return Ok(statement);
            }
            return self.set();
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
            let waits = self.eat("SYNC");
            if !waits {
                self.eat("ASYNC");
            }
            return Ok(Statement::KillQuery { condition, test, waits });
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

    /// What ClickHouse says of transactions where `allow_experimental_transactions` is off: drivers tell by it that there are none.
    /// Errors: NOT_IMPLEMENTED, INVALID_TRANSACTION.
    fn no_transaction(&mut self) -> Result<()> {
        if self.eat_all(&["BEGIN", "TRANSACTION"]) || self.eat_all(&["START", "TRANSACTION"]) {
            return Err(Error::not_implemented("Transactions are not supported"));
        }
        let is_whole = matches!(self.parser.peek_nth_token_ref(1).token, Token::EOF | Token::SemiColon);
        let ends_one = is_whole && (self.peeks("COMMIT") || self.peeks("ROLLBACK"));
        if ends_one || self.eat_all(&["SET", "TRANSACTION", "SNAPSHOT"]) {
            return Err(Error::new(ErrorCode::INVALID_TRANSACTION, "There is no current transaction"));
        }
        Ok(())
    }
}
