//! TTL clauses of tables and columns.

use gristmill_base::Result;
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
    /// TO DISK, or TO VOLUME.
    Move {
        volume: bool,
        name: String,
        if_exists: bool,
    },
}

impl Cursor<'_> {
    /// What follows TTL: `expr [DELETE] [WHERE c] | GROUP BY k, … [SET c = agg(…), …] | RECOMPRESS CODEC(…), …`
    pub(crate) fn ttl(&mut self) -> Result<Vec<TtlElement>> {
        let mut elements = Vec::new();
        loop {
            let expression = self.ttl_time()?;
            let action = if self.eat("TO") {
                let volume = self.eat("VOLUME");
                if !volume {
                    self.expect("DISK")?;
                }
                let if_exists = self.if_exists();
                TtlElementAction::Move { volume, name: self.string()?, if_exists }
            } else if self.eat_all(&["GROUP", "BY"]) {
                self.ttl_group_by()?
            } else if self.eat("RECOMPRESS") {
                self.expect("CODEC")?;
                let codecs = self.call_arguments()?;
                TtlElementAction::Recompress(codecs.iter().map(codec_text).collect::<Vec<_>>().join(", "))
            } else {
                self.eat("DELETE");
                let condition = if self.eat("WHERE") { Some(self.shown_expression()?) } else { None };
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

    /// The time of an element. What stands before TO DISK is read by itself: behind an interval, TO would be taken for a part of
    /// its unit (`DAY TO SECOND`).
    fn ttl_time(&mut self) -> Result<Node> {
        let (mut depth, mut tokens) = (0, Vec::new());
        for ahead in 0.. {
            let token = self.parser.peek_nth_token_ref(ahead);
            let place = &self.parser.peek_nth_token_ref(ahead + 1).token;
            match &token.token {
                Token::LParen | Token::LBracket => depth += 1,
                Token::RParen | Token::RBracket => depth -= 1,
                word if depth == 0 && is_word(word, "TO") && (is_word(place, "DISK") || is_word(place, "VOLUME")) => break,
                _ => {}
            }
            if depth < 0
                || matches!(token.token, Token::EOF | Token::SemiColon)
                || (depth == 0 && token.token == Token::Comma)
            {
                return self.shown_expression();
            }
            tokens.push(token.clone());
        }
        for _ in &tokens {
            self.parser.next_token();
        }
        let mut before = Cursor::over(tokens);
        let time = before.shown_expression()?;
        if before.at_end() { Ok(time) } else { Err(before.unexpected("TO DISK or TO VOLUME")) }
    }
}
