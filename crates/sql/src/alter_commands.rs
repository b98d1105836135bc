//! ALTER TABLE, DELETE FROM, and what takes tables and their parts out and puts them back: the words of these statements.

use gristmill_base::{Error, ErrorCode, Result};
use sqlparser::tokenizer::Token;

use crate::alter::{AlterCommand, PartName, Place, Property};
use crate::create::{CreateTable, Declares};
use crate::statement::{Cursor, DetachKind, Partition, Statement, TableName};
use crate::statistics::StatisticsChange;
use crate::tokens::is_word;

impl Cursor<'_> {
    /// `ALTER TABLE t command, command, …`
    pub(crate) fn alter(&mut self) -> Result<Statement> {
        let temporary = self.eat("TEMPORARY");
        self.expect("TABLE")?;
        let name = self.table_name_of(temporary)?;
        self.on_cluster()?;
        let mut commands = Vec::new();
        loop {
            let in_parentheses = self.eat_token(&Token::LParen);
            commands.push(self.alter_command()?);
            if in_parentheses {
                self.expect_token(&Token::RParen)?;
            }
            if !self.eat_token(&Token::Comma) {
                return Ok(Statement::Alter { name, commands });
            }
        }
    }

    fn alter_command(&mut self) -> Result<AlterCommand> {
        if self.eat("ADD") {
            if self.eat("INDEX") {
                let if_not_exists = self.if_not_exists();
                let index = self.skip_index()?;
                return Ok(AlterCommand::AddIndex { index, place: self.place()?, if_not_exists });
            }
            if self.eat("PROJECTION") {
                let if_not_exists = self.if_not_exists();
                let projection = self.projection()?;
                return Ok(AlterCommand::AddProjection { projection, place: self.place()?, if_not_exists });
            }
            if self.eat("CONSTRAINT") {
                let if_not_exists = self.if_not_exists();
                return Ok(AlterCommand::AddConstraint { constraint: self.constraint()?, if_not_exists });
            }
            if self.eat("STATISTICS") {
                return self.statistics(StatisticsChange::Add);
            }
            self.expect("COLUMN")?;
            let if_not_exists = self.if_not_exists();
            let column = self.column(&mut CreateTable::default(), Declares::New)?;
            if column.kind.is_none() {
                let text = format!("Data type have to be specified for column `{}` to add", column.name);
                return Err(Error::new(ErrorCode::BAD_ARGUMENTS, text));
            }
            return Ok(AlterCommand::AddColumn { column, place: self.place()?, if_not_exists });
        }
        if self.eat("MODIFY") {
            return self.modify();
        }
        if self.eat("ALTER") {
            // `ALTER COLUMN c TYPE t` of other systems.
            self.expect("COLUMN")?;
            return self.modify_column(Declares::Altered);
        }
        if self.eat("RENAME") {
            self.expect("COLUMN")?;
            let if_exists = self.if_exists();
            let from = self.column_name()?;
            self.expect("TO")?;
            return Ok(AlterCommand::RenameColumn { from, to: self.column_name()?, if_exists });
        }
        if self.eat("COMMENT") {
            self.expect("COLUMN")?;
            let if_exists = self.if_exists();
            let name = self.column_name()?;
            return Ok(AlterCommand::CommentColumn { name, comment: self.string()?, if_exists });
        }
        if self.eat("CLEAR") {
            if self.eat("INDEX") {
                let (if_exists, name) = (self.if_exists(), self.identifier()?);
                return Ok(AlterCommand::ClearIndex { name, if_exists, partition: self.in_partition()? });
            }
            if self.eat("PROJECTION") {
                let (if_exists, name) = (self.if_exists(), self.identifier()?);
                return Ok(AlterCommand::ClearProjection { name, if_exists, partition: self.in_partition()? });
            }
            if self.eat("STATISTICS") {
                return self.statistics(StatisticsChange::Clear);
            }
            self.expect("COLUMN")?;
            let if_exists = self.if_exists();
            let name = self.column_name()?;
            return Ok(AlterCommand::ClearColumn { name, if_exists, partition: self.in_partition()? });
        }
        if self.eat_all(&["APPLY", "DELETED", "MASK"]) {
            return Ok(AlterCommand::ApplyDeletedMask { partition: self.in_partition()? });
        }
        if self.eat_all(&["APPLY", "PATCHES"]) {
            return Ok(AlterCommand::ApplyPatches { partition: self.in_partition()? });
        }
        if self.eat("MATERIALIZE") {
            if self.eat("INDEX") {
                let (if_exists, name) = (self.if_exists(), self.identifier()?);
                return Ok(AlterCommand::MaterializeIndex { name, if_exists, partition: self.in_partition()? });
            }
            if self.eat("TTL") {
                return Ok(AlterCommand::MaterializeTtl { partition: self.in_partition()? });
            }
            if self.eat("PROJECTION") {
                let (if_exists, name) = (self.if_exists(), self.identifier()?);
                return Ok(AlterCommand::MaterializeProjection { name, if_exists, partition: self.in_partition()? });
            }
            if self.eat("STATISTICS") {
                return self.statistics(StatisticsChange::Materialize);
            }
            self.expect("COLUMN")?;
            let name = self.column_name()?;
            return Ok(AlterCommand::MaterializeColumn { name, partition: self.in_partition()? });
        }
        if self.eat("RESET") {
            self.expect("SETTING")?;
            return Ok(AlterCommand::ResetSetting(self.identifiers()?));
        }
        if self.eat_all(&["REWRITE", "PARTS"]) {
            return Ok(AlterCommand::RewriteParts { partition: self.in_partition()? });
        }
        if self.eat("UPDATE") {
            return self.new_values();
        }
        if self.eat("DELETE") {
            let partition = self.in_partitions()?;
            self.expect("WHERE")?;
            return Ok(AlterCommand::Delete { partition, condition: self.shown_expression()? });
        }
        if self.eat("DROP") {
            if self.eat("DETACHED") {
                return Ok(AlterCommand::DropParts { parts: self.part_name()?, detached: true });
            }
            if self.peeks("PARTITION") || self.peeks("PART") {
                return Ok(AlterCommand::DropParts { parts: self.part_name()?, detached: false });
            }
            if self.eat("INDEX") {
                let if_exists = self.if_exists();
                return Ok(AlterCommand::DropIndex { name: self.identifier()?, if_exists });
            }
            if self.eat("PROJECTION") {
                let if_exists = self.if_exists();
                return Ok(AlterCommand::DropProjection { name: self.identifier()?, if_exists });
            }
            if self.eat("CONSTRAINT") {
                let if_exists = self.if_exists();
                return Ok(AlterCommand::DropConstraint { name: self.identifier()?, if_exists });
            }
            if self.eat("STATISTICS") {
                return self.statistics(StatisticsChange::Drop);
            }
            self.expect("COLUMN")?;
            let if_exists = self.if_exists();
            return Ok(AlterCommand::DropColumn { name: self.column_name()?, if_exists });
        }
        if self.eat("DETACH") {
            return Ok(AlterCommand::DetachParts(self.part_name()?));
        }
        if self.eat("ATTACH") {
            return Ok(match self.part_name()? {
                PartName::Partition(partition) if self.eat("FROM") => {
                    AlterCommand::CopyPartition { partition, from: self.table_name()?, replaces: false }
                }
                parts => AlterCommand::AttachParts(parts),
            });
        }
        if self.eat_all(&["REPLACE", "PARTITION"]) {
            let partition = self.partition()?;
            self.expect("FROM")?;
            return Ok(AlterCommand::CopyPartition { partition, from: self.table_name()?, replaces: true });
        }
        if self.eat("MOVE") {
            let parts = self.part_name()?;
            self.expect("TO")?;
            let volume = self.eat("VOLUME");
            if volume || self.eat("DISK") {
                return Ok(AlterCommand::MoveParts { parts, volume, name: self.string()? });
            }
            let PartName::Partition(partition) = parts else { return Err(self.unexpected("DISK or VOLUME")) };
            self.expect("TABLE")?;
            return Ok(AlterCommand::MovePartition { partition, to: self.table_name()? });
        }
        if self.eat("FETCH") {
            let parts = self.part_name()?;
            self.expect("FROM")?;
            self.string()?;
            return Ok(AlterCommand::OfReplicas { parts, fetches: true });
        }
        if self.eat_all(&["FORGET", "PARTITION"]) {
            return Ok(AlterCommand::OfReplicas { parts: PartName::Partition(self.partition()?), fetches: false });
        }
        if self.eat("FREEZE") {
            let partition = if self.eat("PARTITION") { Some(self.partition()?) } else { None };
            let name = if self.eat_all(&["WITH", "NAME"]) { Some(self.string()?) } else { None };
            return Ok(AlterCommand::Freeze { partition, name });
        }
        if self.eat("UNFREEZE") {
            let partition = if self.eat("PARTITION") { Some(self.partition()?) } else { None };
            self.expect("WITH")?;
            self.expect("NAME")?;
            return Ok(AlterCommand::Unfreeze { partition, name: self.string()? });
        }
        if self.eat_all(&["REMOVE", "SAMPLE", "BY"]) {
            return Ok(AlterCommand::RemoveSampleBy);
        }
        if self.eat_all(&["REMOVE", "TTL"]) {
            return Ok(AlterCommand::RemoveTtl);
        }
        for word in ["REPLACE", "REMOVE"] {
            if self.peeks(word) {
                return Err(Error::not_implemented(format!("ALTER TABLE … {word}")));
            }
        }
        Err(self.unexpected("a command of ALTER TABLE (ADD COLUMN, MODIFY, DROP, UPDATE, DELETE, …)"))
    }

    pub(crate) fn identifiers(&mut self) -> Result<Vec<String>> {
        let mut names = vec![self.identifier()?];
        while self.eat_token(&Token::Comma) {
            names.push(self.identifier()?);
        }
        Ok(names)
    }

    fn modify(&mut self) -> Result<AlterCommand> {
        if self.eat("SETTING") {
            return Ok(AlterCommand::ModifySetting(self.assignments_of_table()?));
        }
        if self.eat_all(&["ORDER", "BY"]) {
            let key = self.sorting_key()?;
            return Ok(AlterCommand::ModifyOrderBy { keys: key.keys, descending: key.descending, form: key.form });
        }
        if self.eat_all(&["SAMPLE", "BY"]) {
            return Ok(AlterCommand::ModifySampleBy(self.expression()?));
        }
        if self.eat("COMMENT") {
            return Ok(AlterCommand::ModifyComment(self.string()?));
        }
        if self.eat("TTL") {
            return Ok(AlterCommand::ModifyTtl(self.ttl()?));
        }
        if self.eat("QUERY") {
            let place = |cursor: &Self| {
                let start = cursor.parser.peek_token_ref().span.start;
                (start.line, start.column)
            };
            let start = place(self);
            let query = self.query()?;
            let end = (!self.at_end()).then(|| place(self));
            return Ok(AlterCommand::ModifyQuery { query, text: String::new(), start, end });
        }
        if self.eat("STATISTICS") {
            return self.statistics(StatisticsChange::Modify);
        }
        for what in ["REFRESH", "DEFINER", "SQL"] {
            if self.peeks(what) {
                return Err(Error::not_implemented(format!("ALTER TABLE … MODIFY {what}")));
            }
        }
        self.expect("COLUMN")?;
        self.modify_column(Declares::Modified)
    }

    fn modify_column(&mut self, declares: Declares) -> Result<AlterCommand> {
        let if_exists = self.if_exists();
        let column = self.column(&mut CreateTable::default(), declares)?;
        if self.eat("REMOVE") {
            let property = match () {
                () if self.eat("DEFAULT") => Property::Default,
                () if self.eat("MATERIALIZED") => Property::Materialized,
                () if self.eat("ALIAS") => Property::Alias,
                () if self.eat("COMMENT") => Property::Comment,
                () if self.eat("CODEC") => Property::Codec,
                () if self.eat("TTL") => Property::Ttl,
                () if self.eat("SETTINGS") => Property::Settings,
                () => return Err(self.unexpected("DEFAULT, MATERIALIZED, ALIAS, COMMENT, CODEC, TTL or SETTINGS")),
            };
            return Ok(AlterCommand::RemoveProperty { name: column.name, property, if_exists });
        }
        if self.eat_all(&["MODIFY", "SETTING"]) {
            let settings = self.assignments()?;
            return Ok(AlterCommand::ModifyColumnSettings { name: column.name, settings, if_exists });
        }
        if self.eat_all(&["RESET", "SETTING"]) {
            let settings = self.identifiers()?;
            return Ok(AlterCommand::ResetColumnSettings { name: column.name, settings, if_exists });
        }
        Ok(AlterCommand::ModifyColumn { column, place: self.place()?, if_exists })
    }

    fn place(&mut self) -> Result<Option<Place>> {
        if self.eat("FIRST") {
            return Ok(Some(Place::First));
        }
        if self.eat("AFTER") { Ok(Some(Place::After(self.column_name()?))) } else { Ok(None) }
    }

    /// `a = value, b = value [IN PARTITION p] WHERE condition`
    fn new_values(&mut self) -> Result<AlterCommand> {
        let mut assignments = Vec::new();
        loop {
            let column = self.identifier()?;
            if self.parser.peek_token_ref().token == Token::Period {
                return Err(self.unexpected("= (the name of a column of a Nested stands in quotes: `n.a`)"));
            }
            self.expect_token(&Token::Eq)?;
            assignments.push((column, self.shown_expression()?));
            if !self.eat_token(&Token::Comma) {
                break;
            }
        }
        let partition = self.in_partitions()?;
        self.expect("WHERE")?;
        Ok(AlterCommand::Update { assignments, partition, condition: self.shown_expression()? })
    }

    /// `UPDATE t SET a = value, … [IN PARTITION p] WHERE condition`
    pub(crate) fn update(&mut self) -> Result<Statement> {
        let name = self.table_name()?;
        self.on_cluster()?;
        self.expect("SET")?;
        Ok(Statement::Update { name, command: Box::new(self.new_values()?) })
    }

    fn in_partition(&mut self) -> Result<Option<Partition>> {
        if self.eat_all(&["IN", "PARTITION"]) { self.partition().map(Some) } else { Ok(None) }
    }

    /// `IN PARTITION p, q`
    fn in_partitions(&mut self) -> Result<Option<Partition>> {
        let Some(first) = self.in_partition()? else { return Ok(None) };
        let mut partitions = vec![first];
        while self.eat_token(&Token::Comma) {
            partitions.push(self.partition()?);
        }
        Ok(if partitions.len() == 1 { partitions.pop() } else { Some(Partition::Several(partitions)) })
    }

    /// `PARTITION p` or `PART 'name'`
    fn part_name(&mut self) -> Result<PartName> {
        if self.eat("PART") {
            return Ok(PartName::Part(self.string()?));
        }
        self.expect("PARTITION")?;
        Ok(PartName::Partition(self.partition()?))
    }

    /// `DELETE FROM t [IN PARTITION p, …] WHERE condition`
    pub(crate) fn delete(&mut self) -> Result<Statement> {
        self.expect("FROM")?;
        let name = self.table_name()?;
        self.on_cluster()?;
        let partition = self.in_partitions()?;
        self.expect("WHERE")?;
        Ok(Statement::Delete { name, partition, condition: Box::new(self.shown_expression()?) })
    }

    /// `ATTACH TABLE t` of a detached table, `ATTACH DATABASE d` of a detached database; with a definition behind it, as CREATE.
    pub(crate) fn attach(&mut self) -> Result<Statement> {
        let name_at = 1 + if is_word(&self.parser.peek_nth_token_ref(1).token, "IF") { 3 } else { 0 };
        let dot = self.parser.peek_nth_token_ref(name_at + 1).token == Token::Period;
        let end = name_at + if dot { 3 } else { 1 };
        let alone = matches!(self.parser.peek_nth_token_ref(end).token, Token::EOF | Token::SemiColon)
            || is_word(&self.parser.peek_nth_token_ref(end).token, "ON");
        if alone && self.eat("DATABASE") {
            let if_not_exists = self.if_not_exists();
            let name = self.identifier()?;
            self.on_cluster()?;
            return Ok(Statement::AttachDatabase { name, if_not_exists });
        }
        if !alone || !(self.peeks("TABLE") || self.peeks("VIEW")) {
            let or_replace = self.eat_all(&["OR", "REPLACE"]);
            return self.create(or_replace);
        }
        self.parser.next_token();
        let if_not_exists = self.if_not_exists();
        let name = self.table_name()?;
        self.on_cluster()?;
        Ok(Statement::Attach { name, if_not_exists })
    }

    /// `DETACH DATABASE d [SYNC]`
    fn detach_database(&mut self) -> Result<Statement> {
        let if_exists = self.if_exists();
        let name = self.identifier()?;
        self.on_cluster()?;
        if self.eat("PERMANENTLY") {
            return Err(Error::not_implemented("DETACH PERMANENTLY for databases: DETACH their tables PERMANENTLY"));
        }
        self.eat("SYNC");
        Ok(Statement::DetachDatabase { name, if_exists })
    }

    /// `DETACH TABLE|VIEW|DICTIONARY t [PERMANENTLY] [SYNC]`
    pub(crate) fn detach(&mut self) -> Result<Statement> {
        if self.eat("DATABASE") {
            return self.detach_database();
        }
        if self.peeks("TEMPORARY") {
            let text = "DETACH of TEMPORARY tables are not supported: DROP the table";
            return Err(Error::new(ErrorCode::SYNTAX_ERROR, text));
        }
        let kind = if self.eat("VIEW") {
            DetachKind::View
        } else if self.eat("DICTIONARY") {
            DetachKind::Dictionary
        } else {
            self.expect("TABLE")?;
            DetachKind::Table
        };
        let if_exists = self.if_exists();
        let name: TableName = self.table_name()?;
        self.on_cluster()?;
        let permanently = self.eat("PERMANENTLY");
        self.eat("SYNC");
        Ok(Statement::Detach { name, if_exists, kind, permanently })
    }
}
