//! EXPLAIN: its kind, its options, and the statement that is explained.

use std::collections::BTreeMap;

use gristmill_base::{Error, ErrorCode, Result};
use sqlparser::tokenizer::Token;

use crate::ast::{Literal, Node};
use crate::statement::{self, Cursor, Statement};

/// What EXPLAIN may show; PLAN where it does not say.
const KINDS: &[&str] = &["AST", "SYNTAX", "QUERY TREE", "PLAN", "PIPELINE", "ESTIMATE", "ANALYZE", "LIMIT"];

/// What ClickHouse's EXPLAIN shows and this one does not, and why.
const ELSEWHERE: &[(&str, &str)] = &[
    ("TABLE OVERRIDE", "no table of another server is kept as a copy here, so there is nothing to override"),
    ("WHATIF", "EXPLAIN LIMIT names the index that would help, and what it would gain"),
];

impl Cursor<'_> {
    /// From behind EXPLAIN. Which options a kind has is asked when it runs.
    pub(crate) fn explain(&mut self) -> Result<Statement> {
        for (kind, reason) in ELSEWHERE {
            if self.eat_all(&kind.split(' ').collect::<Vec<_>>()) {
                return Err(Error::not_implemented(format!("EXPLAIN {kind}: {reason}")));
            }
        }
        if self.eat_all(&["CURRENT", "TRANSACTION"]) {
            // It explains no statement; a query that reads nothing stands for one.
            let statement = Box::new(statement::parse("SELECT 1", &BTreeMap::new())?);
            return Ok(Statement::Explain { kind: "CURRENT TRANSACTION".to_string(), options: Vec::new(), statement });
        }
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

/// The statement that a call of `viewExplain` explains. It has the whole text where it stands for `(EXPLAIN …)`, else the kind, the
/// options and the text of the query. Error: BAD_ARGUMENTS.
pub fn explained_text(arguments: &[Node]) -> Result<String> {
    let bad = |text: String| Error::new(ErrorCode::BAD_ARGUMENTS, text);
    let text = |node: &Node| match node {
        Node::Literal(Literal::Text(text)) => Ok(String::from_utf8_lossy(text).into_owned()),
        other => {
            Err(bad(format!("viewExplain takes a kind and options as texts, and a query in brackets, but not {other}")))
        }
    };
    let texts = arguments.iter().map(text).collect::<Result<Vec<_>>>()?;
    let (kind, options, query) = match &texts[..] {
        [whole] => return Ok(whole.clone()),
        [kind, options] if kind == "EXPLAIN CURRENT TRANSACTION" => (kind, options, ""),
        [_, _] => return Err(bad("viewExplain requires a query as its third argument".to_string())),
        [kind, options, query] => (kind, options, query.as_str()),
        _ => return Err(bad(format!("viewExplain requires 2 or 3 arguments, got {}", texts.len()))),
    };
    let is_known = match kind.strip_prefix("EXPLAIN ") {
        Some(kind) => KINDS.contains(&kind) || kind == "CURRENT TRANSACTION",
        None => kind == "EXPLAIN",
    };
    match is_known {
        true => Ok(format!("{kind} {options} {query}")),
        false => Err(bad(format!("Unknown explain kind '{kind}'"))),
    }
}
