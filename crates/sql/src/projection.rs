//! `PROJECTION name (SELECT … [GROUP BY …] [ORDER BY …])`: of a query only what can be kept up with part by part. There is
//! no FROM, because the table is known, and no direction in its order. `PROJECTION name INDEX a TYPE basic` is
//! `(SELECT _part_offset ORDER BY a)`.

use gristmill_base::{Error, ErrorCode, Result};
use sqlparser::tokenizer::Token;

use crate::ast::Node;
use crate::statement::{Assignments, Cursor, syntax};
use crate::translate;

#[derive(Clone, Debug, PartialEq, Default)]
pub struct ProjectionNode {
    pub name: String,
    pub select: Vec<Node>,
    pub group_by: Vec<Node>,
    pub order_by: Vec<Node>,
    /// Whether it is written as an index.
    pub is_index: bool,
    pub settings: Assignments,
}

impl Cursor<'_> {
    /// What follows PROJECTION in a definition.
    pub(crate) fn projection(&mut self) -> Result<ProjectionNode> {
        let name = self.identifier()?;
        let mut projection = if self.eat("INDEX") {
            self.projection_index()?
        } else {
            self.expect_token(&Token::LParen)?;
            let projection = self.projection_query()?;
            self.expect_token(&Token::RParen)?;
            projection
        };
        if self.eat_all(&["WITH", "SETTINGS"]) {
            self.expect_token(&Token::LParen)?;
            projection.settings = self.assignments()?;
            self.expect_token(&Token::RParen)?;
        }
        Ok(ProjectionNode { name, ..projection })
    }

    /// `a TYPE basic`, `(a, b) TYPE basic`
    fn projection_index(&mut self) -> Result<ProjectionNode> {
        let order_by = match self.expression()? {
            Node::Call(call) if call.name == "tuple" && !call.arguments.is_empty() => call.arguments,
            other => vec![other],
        };
        self.expect("TYPE")?;
        let kind = self.identifier()?;
        if kind != "basic" {
            let text = format!("Unknown projection index type '{kind}'. Available projection index types: basic");
            return Err(Error::new(ErrorCode::INCORRECT_QUERY, text));
        }
        let select = vec![Node::Name(vec!["_part_offset".to_string()])];
        Ok(ProjectionNode { select, order_by, is_index: true, ..ProjectionNode::default() })
    }

    /// `SELECT … [GROUP BY …] [ORDER BY …]`
    pub(crate) fn projection_query(&mut self) -> Result<ProjectionNode> {
        if self.peeks("WITH") {
            return Err(Error::not_implemented("WITH in a projection: write the expressions out"));
        }
        self.expect("SELECT")?;
        let mut projection = ProjectionNode::default();
        loop {
            let item = self.parser.parse_select_item().map_err(syntax)?;
            projection.select.push(translate::select_item(&item)?);
            if !self.eat_token(&Token::Comma) {
                break;
            }
        }
        if self.peeks("WHERE") {
            return Err(Error::not_implemented("WHERE in a projection: it is of all rows of its table"));
        }
        if self.eat_all(&["GROUP", "BY"]) {
            projection.group_by = self.elements()?;
        }
        if self.eat_all(&["ORDER", "BY"]) {
            projection.order_by = self.elements()?;
        }
        Ok(projection)
    }

    /// `a, b`, or a tuple of them.
    fn elements(&mut self) -> Result<Vec<Node>> {
        let mut elements = vec![self.expression()?];
        while self.eat_token(&Token::Comma) {
            elements.push(self.expression()?);
        }
        Ok(match &elements[..] {
            [Node::Call(call)] if call.name == "tuple" && !call.arguments.is_empty() => call.arguments.clone(),
            _ => elements,
        })
    }
}
