//! Commands of ALTER TABLE about statistics of columns.

use gristmill_base::Result;
use sqlparser::tokenizer::Token;

use crate::alter::AlterCommand;
use crate::statement::Cursor;

/// What a command does with statistics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StatisticsChange {
    Add,
    Modify,
    Drop,
    Clear,
    Materialize,
}

impl Cursor<'_> {
    /// From behind STATISTICS: `[IF [NOT] EXISTS] a, b [TYPE uniq, tdigest]`, or ALL.
    pub(crate) fn statistics(&mut self, change: StatisticsChange) -> Result<AlterCommand> {
        use StatisticsChange as S;
        let if_exists = match change {
            S::Add => self.if_not_exists(),
            S::Modify => false,
            S::Drop | S::Clear | S::Materialize => self.if_exists(),
        };
        if matches!(change, S::Clear | S::Materialize) && self.eat("ALL") {
            return Ok(AlterCommand::Statistics { change, columns: Vec::new(), kinds: Vec::new(), if_exists });
        }
        let mut columns = vec![self.column_name()?];
        while self.eat_token(&Token::Comma) {
            columns.push(self.column_name()?);
        }
        let kinds = match change {
            S::Add | S::Modify => {
                self.expect("TYPE")?;
                self.identifiers()?
            }
            S::Drop | S::Clear | S::Materialize => Vec::new(),
        };
        Ok(AlterCommand::Statistics { change, columns, kinds, if_exists })
    }
}
