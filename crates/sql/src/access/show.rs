//! Reads SET ROLE, SHOW GRANTS, SHOW USERS and their like, and SHOW CREATE of what access is made of.

use gristmill_base::Result;

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
            let names = if self.eat("FOR") { Some(self.entity_names()?) } else { None };
            let _ = self.eat_all(&["WITH", "IMPLICIT"]) || self.eat("FINAL");
            return Ok(Some(Statement::Access(AccessStatement::ShowGrants(names))));
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
