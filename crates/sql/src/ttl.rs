//! TTL clauses of tables and columns.

use gristmill_base::{Error, ErrorCode, Result};
use sqlparser::tokenizer::Token;

use crate::ast::Node;
use crate::create::codec_text;
use crate::statement::Cursor;
use crate::tokens::is_word;

/// One element of a table's TTL clause.
#[derive(Clone, Debug, PartialEq)]
pub struct TtlElement {
    pub expression: Node,
    pub action: TtlElementAction,
}

#[derive(Clone, Debug, PartialEq)]
pub enum TtlElementAction {
    Delete {
        condition: Option<Node>,
    },
    GroupBy {
        keys: Vec<Node>,
        set: Vec<(String, Node)>,
    },
    /// The codec's text.
    Recompress(String),
}

impl Cursor<'_> {
    /// What follows TTL: `expr [DELETE] [WHERE c] | GROUP BY k, … [SET c = agg(…), …] | RECOMPRESS CODEC(…), …`
    pub(crate) fn ttl(&mut self) -> Result<Vec<TtlElement>> {
        self.refuse_moves()?;
        let mut elements = Vec::new();
        loop {
            let expression = self.expression()?;
            let action = if self.eat_all(&["GROUP", "BY"]) {
                self.ttl_group_by()?
            } else if self.eat("RECOMPRESS") {
                self.expect("CODEC")?;
                let codecs = self.call_arguments()?;
                TtlElementAction::Recompress(codecs.iter().map(codec_text).collect::<Vec<_>>().join(", "))
            } else {
                self.eat("DELETE");
                let condition = if self.eat("WHERE") { Some(self.expression()?) } else { None };
                TtlElementAction::Delete { condition }
            };
            elements.push(TtlElement { expression, action });
            if !self.eat_token(&Token::Comma) {
                return Ok(elements);
            }
        }
    }

    fn ttl_group_by(&mut self) -> Result<TtlElementAction> {
        let mut keys = vec![self.expression()?];
        while self.eat_token(&Token::Comma) {
            keys.push(self.expression()?);
        }
        let mut set = Vec::new();
        if self.eat("SET") {
            loop {
                let column = self.column_name()?;
                self.expect_token(&Token::Eq)?;
                set.push((column, self.expression()?));
                // Another element may follow the comma as well as another assignment.
                let assigns = self.parser.peek_token_ref().token == Token::Comma
                    && matches!(self.parser.peek_nth_token_ref(1).token, Token::Word(_))
                    && self.parser.peek_nth_token_ref(2).token == Token::Eq;
                if !assigns {
                    break;
                }
                self.parser.next_token();
            }
        }
        Ok(TtlElementAction::GroupBy { keys, set })
    }

    /// A table lies in one place: there is no disk or volume to move parts to.
    fn refuse_moves(&self) -> Result<()> {
        for ahead in 0.. {
            let token = &self.parser.peek_nth_token_ref(ahead).token;
            if matches!(token, Token::EOF | Token::SemiColon) {
                break;
            }
            let place = &self.parser.peek_nth_token_ref(ahead + 1).token;
            let moves = is_word(token, "TO") && (is_word(place, "DISK") || is_word(place, "VOLUME"));
            if moves {
                let (what, name) = (place.to_string().to_lowercase(), &self.parser.peek_nth_token_ref(ahead + 2).token);
                let name = name.to_string();
                return Err(Error::new(
                    ErrorCode::BAD_TTL_EXPRESSION,
                    format!(
                        "No such {what} `{}` for given storage policy: a table lies in one place, and its TTL cannot move parts. \
                         Leave TO {} out",
                        name.trim_matches('\''),
                        what.to_uppercase()
                    ),
                ));
            }
        }
        Ok(())
    }
}
