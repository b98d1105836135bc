//! EXPLAIN: its kind, its options, and the statement that is explained.

use gristmill_base::Result;
use sqlparser::tokenizer::Token;

use crate::statement::{Cursor, Statement};

/// What EXPLAIN may show; PLAN where it does not say.
const KINDS: &[&str] = &["AST", "SYNTAX", "QUERY TREE", "PLAN", "PIPELINE", "ESTIMATE", "ANALYZE", "LIMIT"];

impl Cursor<'_> {
    /// From behind EXPLAIN. Which options a kind has is asked when it runs.
    pub(crate) fn explain(&mut self) -> Result<Statement> {
        let mut kind = "PLAN".to_string();
        for known in KINDS {
            if self.eat_all(&known.split(' ').collect::<Vec<_>>()) {
                kind = known.to_string();
                break;
            }
        }
        let mut options = Vec::new();
        while self.parser.peek_nth_token_ref(1).token == Token::Eq {
            options.extend(self.assignments()?);
        }
        Ok(Statement::Explain { kind, options, statement: Box::new(self.statement()?) })
    }
}
