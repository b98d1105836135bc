//! Reads GRANT and REVOKE.

use gristmill_access::Privileges;
use gristmill_access::entity::Chosen;
use gristmill_access::rights::Name;
use gristmill_base::Result;
use sqlparser::tokenizer::Token;

use super::{AccessStatement, CURRENT_USER, GrantElement, GrantObject, GrantStatement};
use crate::ast::unescape_identifier;
use crate::cursor::{Cursor, syntax};
use crate::statement::Statement;

impl Cursor<'_> {
    /// From behind GRANT or REVOKE.
    pub(crate) fn grant(&mut self, revokes: bool) -> Result<Statement> {
        self.on_cluster()?;
        let mut option = revokes && (self.eat_all(&["GRANT", "OPTION", "FOR"]) || self.eat_all(&["ADMIN", "OPTION", "FOR"]));
        let end = if revokes { "FROM" } else { "TO" };
        let (mut elements, mut roles) = (Vec::new(), None);
        let current = !revokes && self.eat_all(&["CURRENT", "GRANTS"]);
        if current && self.eat("ON") {
            let privileges = vec![(Privileges::all(), Vec::new())];
            elements.push(GrantElement { privileges, object: self.grant_object()? });
        } else if current {
            self.expect_token(&Token::LParen)?;
            elements = self.grant_elements()?;
            self.expect_token(&Token::RParen)?;
        } else if self.comes_before("ON", end) {
            elements = self.grant_elements()?;
        } else {
            roles = Some(self.chosen()?);
        }
        self.expect(end)?;
        let mut grantees = self.chosen()?;
        if let Chosen::These(names) | Chosen::AllExcept(names) = &mut grantees {
            names
                .iter_mut()
                .filter(|name| name.eq_ignore_ascii_case(CURRENT_USER))
                .for_each(|name| *name = CURRENT_USER.into());
        }
        let mut replaces = false;
        while self.eat("WITH") {
            match self.eat("REPLACE") {
                true => replaces = true,
                false if self.eat("GRANT") || self.eat("ADMIN") => option = true,
                false => return Err(self.unexpected("GRANT OPTION, ADMIN OPTION or REPLACE OPTION")),
            }
            self.expect("OPTION")?;
        }
        let grant = GrantStatement { revokes, elements, roles, grantees, option, replaces, current };
        Ok(Statement::Access(AccessStatement::Grant(grant)))
    }

    /// From behind CHECK GRANT.
    pub(crate) fn check_grant(&mut self) -> Result<Statement> {
        Ok(Statement::Access(AccessStatement::CheckGrant(self.grant_elements()?)))
    }

    /// `SELECT ON a.*, INSERT ON b.*`
    fn grant_elements(&mut self) -> Result<Vec<GrantElement>> {
        let mut elements = vec![self.grant_element()?];
        while self.eat_token(&Token::Comma) {
            elements.push(self.grant_element()?);
        }
        Ok(elements)
    }

    /// Whether a word stands before another.
    pub(super) fn comes_before(&self, word: &str, other: &str) -> bool {
        for n in 0.. {
            if self.peeks_nth(n, word) {
                return true;
            }
            if self.peeks_nth(n, other) || matches!(self.parser.peek_nth_token_ref(n).token, Token::EOF | Token::SemiColon) {
                return false;
            }
        }
        false
    }

    /// `SELECT(a, b), INSERT ON db.t`
    pub(super) fn grant_element(&mut self) -> Result<GrantElement> {
        let mut privileges = Vec::new();
        loop {
            let set = self.privilege()?;
            let mut columns = Vec::new();
            if self.eat_token(&Token::LParen) {
                columns = self.entity_names()?;
                self.expect_token(&Token::RParen)?;
            }
            privileges.push((set, columns));
            if !self.eat_token(&Token::Comma) {
                break;
            }
        }
        self.expect("ON")?;
        Ok(GrantElement { privileges, object: self.grant_object()? })
    }

    pub(super) fn privilege(&mut self) -> Result<Privileges> {
        let mut name = String::new();
        while let Token::Word(word) = &self.parser.peek_token_ref().token {
            let longer = if name.is_empty() { word.value.clone() } else { format!("{name} {}", word.value) };
            if !Privileges::is_beginning(&longer) {
                break;
            }
            name = longer;
            self.parser.next_token();
        }
        if name.is_empty() { Err(self.unexpected("a privilege")) } else { Privileges::named(&name) }
    }

    pub(super) fn grant_object(&mut self) -> Result<GrantObject> {
        if self.eat_token(&Token::Mul) {
            if !self.eat_token(&Token::Period) {
                return Ok(GrantObject::Star);
            }
            self.expect_token(&Token::Mul)?;
            return Ok(GrantObject::Everything);
        }
        let first = self.granted_name()?;
        if !self.eat_token(&Token::Period) {
            return Ok(GrantObject::One(first));
        }
        if self.eat_token(&Token::Mul) {
            return Ok(GrantObject::Database(first));
        }
        Ok(GrantObject::Table(first, self.granted_name()?))
    }

    pub(super) fn granted_name(&mut self) -> Result<Name> {
        let ident = self.parser.parse_identifier().map_err(syntax)?;
        let text = unescape_identifier(&ident);
        Ok(Name { text, is_prefix: self.eat_token(&Token::Mul) })
    }
}
