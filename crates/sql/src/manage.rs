//! Statements about tables as wholes (RENAME, DROP, CHECK, OPTIMIZE) and their partitions.

use gristmill_base::Result;
use sqlparser::tokenizer::Token;

use crate::ast::Node;
use crate::statement::{AlterCommand, Checked, Cursor, NameFilter, Partition, Renamed, Statement};
use crate::tokens::is_word;

impl Cursor<'_> {
    /// `a TO b, IF EXISTS c TO d`, or with AND.
    pub(crate) fn pairs(&mut self, between: &str) -> Result<Vec<Renamed>> {
        let mut pairs = Vec::new();
        loop {
            let (if_exists, from) = (self.if_exists(), self.table_name()?);
            self.expect(between)?;
            pairs.push(Renamed { from, to: self.table_name()?, if_exists });
            if !self.eat_token(&Token::Comma) {
                self.on_cluster()?;
                return Ok(pairs);
            }
        }
    }

    pub(crate) fn drop_statement(&mut self) -> Result<Statement> {
        if self.eat("DATABASE") {
            let if_exists = self.if_exists();
            let name = self.identifier()?;
            self.on_cluster()?;
            self.eat("SYNC");
            return Ok(Statement::DropDatabase { name, if_exists });
        }
        if self.eat("INDEX") {
            let (if_exists, name) = (self.if_exists(), self.identifier()?);
            self.expect("ON")?;
            let table = self.table_name()?;
            self.on_cluster()?;
            return Ok(Statement::Alter { name: table, commands: vec![AlterCommand::DropIndex { name, if_exists }] });
        }
        if self.eat("FUNCTION") {
            let (if_exists, name) = (self.if_exists(), self.identifier()?);
            self.on_cluster()?;
            return Ok(Statement::DropFunction { name, if_exists });
        }
        if let Some(statement) = self.named_collection("DROP")? {
            return Ok(statement);
        }
        if let Some(kind) = self.entity_kind()? {
            return self.drop_entity(kind);
        }
        let temporary = self.eat("TEMPORARY");
        let views = self.eat("VIEW");
        if !views && !self.eat("TABLE") {
            return Err(self.unexpected("TABLE, VIEW or DATABASE"));
        }
        let if_exists = self.if_exists();
        let if_empty = self.eat_all(&["IF", "EMPTY"]);
        let mut names = vec![self.table_name_of(temporary)?];
        while self.eat_token(&Token::Comma) {
            names.push(self.table_name_of(temporary)?);
        }
        self.on_cluster()?;
        let sync = self.eat("SYNC") || self.eat_all(&["NO", "DELAY"]);
        Ok(Statement::DropTable { names, if_exists, if_empty, views, sync })
    }

    /// `UNDROP TABLE t [UUID '…']`
    pub(crate) fn undrop(&mut self) -> Result<Statement> {
        self.expect("TABLE")?;
        let name = self.table_name()?;
        let uuid = if self.eat("UUID") { Some(self.string()?) } else { None };
        self.on_cluster()?;
        Ok(Statement::Undrop { name, uuid })
    }

    /// From behind TRUNCATE.
    pub(crate) fn truncate(&mut self) -> Result<Statement> {
        if self.eat("DATABASE") {
            let if_exists = self.if_exists();
            return Ok(Statement::TruncateDatabase { name: self.identifier()?, if_exists, drops: true, filter: None });
        }
        if self.eat_all(&["ALL", "TABLES", "FROM"]) || self.eat_all(&["TABLES", "FROM"]) {
            let (if_exists, name) = (self.if_exists(), self.identifier()?);
            let negated = self.eat("NOT");
            let any_case = self.eat("ILIKE");
            let filter = match any_case || self.eat("LIKE") {
                true => Some(NameFilter { pattern: self.string()?, negated, any_case }),
                false if negated => return Err(self.unexpected("LIKE or ILIKE")),
                false => None,
            };
            return Ok(Statement::TruncateDatabase { name, if_exists, drops: false, filter });
        }
        let temporary = self.eat("TEMPORARY");
        self.eat("TABLE");
        let if_exists = self.if_exists();
        let name = self.table_name_of(temporary)?;
        self.on_cluster()?;
        self.eat("SYNC");
        Ok(Statement::Truncate { name, if_exists })
    }

    /// From behind RENAME.
    pub(crate) fn rename(&mut self) -> Result<Statement> {
        if self.eat("DATABASE") {
            let (if_exists, from) = (self.if_exists(), self.identifier()?);
            self.expect("TO")?;
            return Ok(Statement::RenameDatabase { from, to: self.identifier()?, if_exists });
        }
        let next = &self.parser.peek_nth_token_ref(1).token;
        if !is_word(next, "TO") {
            self.eat("TABLE");
        }
        Ok(Statement::Rename { pairs: self.pairs("TO")?, exchange: false })
    }

    /// `SYSTEM DROP LOAD LEDGER ['load id'] FROM t`, from behind LEDGER. (Not `FROM TABLE t`: `table` is a name there, that of the
    /// data on the input.)
    pub(crate) fn drop_load_ledger(&mut self) -> Result<Statement> {
        let load_id = if self.peeks("FROM") { None } else { Some(self.string()?) };
        self.expect("FROM")?;
        Ok(Statement::DropLoadLedger { name: self.table_name()?, load_id })
    }

    /// `SYSTEM STOP | START [TTL] MERGES [t]`, from behind SYSTEM.
    pub(crate) fn stop_or_start_merges(&mut self) -> Result<Option<Statement>> {
        for (words, ttl, starts) in [
            (&["STOP", "MERGES"][..], false, false),
            (&["START", "MERGES"], false, true),
            (&["STOP", "TTL", "MERGES"], true, false),
            (&["START", "TTL", "MERGES"], true, true),
        ] {
            if self.eat_all(words) {
                self.on_cluster()?;
                let name = if self.at_end() { None } else { Some(self.table_name()?) };
                return Ok(Some(Statement::Merges { name, ttl, starts }));
            }
        }
        Ok(None)
    }

    /// What follows PARTITION.
    pub(crate) fn partition(&mut self) -> Result<Partition> {
        Ok(if self.eat("ID") {
            Partition::Id(self.string()?)
        } else if self.eat("ALL") {
            Partition::All
        } else {
            Partition::Value(Box::new(self.expression()?))
        })
    }

    /// `CHECK TABLE t [PARTITION … | PART '…']`, `CHECK ALL TABLES`, from behind CHECK.
    pub(crate) fn check(&mut self) -> Result<Statement> {
        if self.eat_all(&["ALL", "TABLES"]) {
            return Ok(Statement::Check(Checked::All));
        }
        self.expect("TABLE")?;
        let name = self.table_name()?;
        self.on_cluster()?;
        Ok(Statement::Check(if self.eat("PARTITION") {
            Checked::Partition(name, self.partition()?)
        } else if self.eat("PART") {
            Checked::Part(name, self.string()?)
        } else {
            Checked::Partition(name, Partition::All)
        }))
    }

    pub(crate) fn optimize(&mut self) -> Result<Statement> {
        self.expect("TABLE")?;
        let name = self.table_name()?;
        self.on_cluster()?;
        let partition = if self.eat("PARTITION") { Some(self.partition()?) } else { None };
        let dry_run = if self.eat_all(&["DRY", "RUN"]) {
            self.expect("PARTS")?;
            let mut names = vec![self.string()?];
            while self.eat_token(&Token::Comma) {
                names.push(self.string()?);
            }
            Some(names)
        } else {
            None
        };
        let to_one_part = self.eat("FINAL") || self.eat("FORCE");
        let deduplicate = match self.eat("DEDUPLICATE") {
            true if self.eat("BY") => Some(self.compared_columns()?),
            true => Some(Vec::new()),
            false => None,
        };
        let cleanup = self.eat("CLEANUP");
        Ok(Statement::Optimize { name, partition, to_one_part, deduplicate, cleanup, dry_run })
    }

    /// `a, b`, `*`, `* EXCEPT (a)`, `COLUMNS('pattern')`
    fn compared_columns(&mut self) -> Result<Vec<Node>> {
        let mut columns = Vec::new();
        loop {
            let column = if self.eat_token(&Token::Mul) { Node::star() } else { self.expression()? };
            if !matches!(column, Node::Name(_) | Node::Star(_)) {
                return Err(self.unexpected("the name of a column"));
            }
            columns.push(column);
            if !self.eat_token(&Token::Comma) {
                return Ok(columns);
            }
        }
    }
}
