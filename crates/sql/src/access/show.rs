//! Reads SET ROLE, SHOW GRANTS, SHOW USERS and their like, and SHOW CREATE of what access is made of.

use gristmill_access::entity::Chosen;
use gristmill_base::Result;
use sqlparser::tokenizer::Token;

use super::{AccessStatement, CURRENT_USER, EntityKind};
use crate::cursor::Cursor;
use crate::statement::Statement;

impl Cursor<'_> {
    /// `SET [DEFAULT] ROLE …`, from behind SET; `None`: it is a setting.
    pub(crate) fn set_role(&mut self) -> Result<Option<Statement>> {
        if self.eat_all(&["DEFAULT", "ROLE"]) {
            let roles = self.chosen()?;
            self.expect("TO")?;
            let users = self.entity_names()?;
            return Ok(Some(Statement::Access(AccessStatement::SetDefaultRole { roles, users })));
        }
        if !self.eat("ROLE") {
            return Ok(None);
        }
        let roles = if self.eat("DEFAULT") { None } else { Some(self.chosen()?) };
        Ok(Some(Statement::Access(AccessStatement::SetRole(roles))))
    }

    /// `SHOW GRANTS [FOR a, b]`, `SHOW ACCESS`, `SHOW USERS`, …, from behind SHOW.
    pub(crate) fn show_access(&mut self) -> Result<Option<Statement>> {
        let query = |text: &str| crate::statement::parse(text, &std::collections::BTreeMap::new()).map(Some);
        if self.eat("GRANTS") {
            let of = if self.eat("FOR") { Some(self.whose()?) } else { None };
            let mut is_final = self.eat("FINAL");
            let with_implicit = self.eat_all(&["WITH", "IMPLICIT"]);
            is_final |= self.eat("FINAL");
            return Ok(Some(Statement::Access(AccessStatement::ShowGrants { of, is_final, with_implicit })));
        }
        if self.eat("ACCESS") {
            return Ok(Some(Statement::Access(AccessStatement::ShowAccess)));
        }
        if self.eat("USERS") {
            return query("SELECT name FROM system.users ORDER BY name");
        }
        if self.eat("ROLES") {
            return query("SELECT name FROM system.roles ORDER BY name");
        }
        if self.eat_all(&["CURRENT", "ROLES"]) {
            return query("SELECT * FROM system.current_roles ORDER BY role_name");
        }
        if self.eat_all(&["ENABLED", "ROLES"]) {
            return query("SELECT * FROM system.enabled_roles ORDER BY role_name");
        }
        if self.eat_all(&["SETTINGS", "PROFILES"]) || self.eat("PROFILES") {
            return query("SELECT name FROM system.settings_profiles ORDER BY name");
        }
        // There are none, as in a server of ClickHouse in which nobody made any.
        if self.eat_all(&["ROW", "POLICIES"]) || self.eat("POLICIES") {
            if self.eat("ON") {
                self.table_name()?;
            }
            return query("SELECT name FROM system.row_policies ORDER BY name");
        }
        if self.eat("QUOTAS") {
            return query("SELECT name FROM system.quotas ORDER BY name");
        }
        if self.eat_all(&["CURRENT", "QUOTA"]) || self.eat("QUOTA") {
            return query("SELECT * FROM system.quota_usage");
        }
        if self.eat("PRIVILEGES") {
            return query("SELECT * FROM system.privileges");
        }
        Ok(None)
    }

    /// Users and roles, among them whoever asks: `CURRENT_USER`, `currentUser()`.
    fn whose(&mut self) -> Result<Chosen> {
        let mut chosen = Chosen::These(Vec::new());
        loop {
            let one = self.chosen()?;
            let Chosen::These(names) = one else { return Ok(one) };
            let is_function = self.eat_token(&Token::LParen);
            if is_function {
                self.expect_token(&Token::RParen)?;
            }
            if let Chosen::These(all) = &mut chosen {
                all.extend(names.into_iter().map(|name| match name.to_ascii_uppercase().as_str() {
                    CURRENT_USER => CURRENT_USER.to_string(),
                    "CURRENTUSER" if is_function => CURRENT_USER.to_string(),
                    _ => name,
                }));
            }
            if !self.eat_token(&Token::Comma) {
                return Ok(chosen);
            }
        }
    }

    /// `SHOW CREATE USER a, b`, from behind CREATE.
    pub(crate) fn show_create_entity(&mut self) -> Result<Option<Statement>> {
        let several = [
            (&["USERS"][..], EntityKind::User),
            (&["ROLES"], EntityKind::Role),
            (&["SETTINGS", "PROFILES"], EntityKind::Profile),
            (&["PROFILES"], EntityKind::Profile),
        ];
        let all = several.into_iter().find(|(words, _)| self.eat_all(words));
        let kind = match all {
            Some((_, kind)) => kind,
            None => match self.entity_kind()? {
                Some(kind) => kind,
                None => return Ok(None),
            },
        };
        let names = match all.is_some() || self.at_end() || self.peeks("FORMAT") {
            true => Vec::new(),
            false => self.entity_names()?,
        };
        let names = match names.is_empty() && all.is_none() && kind == EntityKind::User {
            true => vec![CURRENT_USER.to_string()],
            false => names,
        };
        Ok(Some(Statement::Access(AccessStatement::ShowCreate { kind, names })))
    }
}
