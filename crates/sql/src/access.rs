//! Statements about users, roles, settings profiles and privileges.

use gristmill_access::Privileges;
use gristmill_access::entity::{Chosen, SettingsElement, Writability};
use gristmill_access::rights::Name;
use gristmill_base::{Error, ErrorCode, Result};
use sqlparser::tokenizer::Token;

use crate::ast::unescape_identifier;
use crate::cursor::{Cursor, constant, syntax};
use crate::statement::Statement;

/// The word for whoever runs the statement.
pub const CURRENT_USER: &str = "CURRENT_USER";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntityKind {
    User,
    Role,
    Profile,
}

impl EntityKind {
    /// As statements call it.
    pub fn words(self) -> &'static str {
        match self {
            EntityKind::User => "USER",
            EntityKind::Role => "ROLE",
            EntityKind::Profile => "SETTINGS PROFILE",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verb {
    Create,
    Alter,
}

/// CREATE or ALTER of one kind of entity. `None`: not said.
#[derive(Clone, Debug, PartialEq)]
pub struct EntityChange {
    pub kind: EntityKind,
    pub verb: Verb,
    pub names: Vec<String>,
    pub or_replace: bool,
    /// IF NOT EXISTS of CREATE, IF EXISTS of ALTER.
    pub if_fits: bool,
    pub rename_to: Option<String>,
    pub methods: Option<Vec<MethodText>>,
    /// ADD IDENTIFIED: beside those that are there.
    pub adds_methods: bool,
    /// VALID UNTIL; empty: for ever.
    pub valid_until: Option<String>,
    pub hosts: Option<Vec<HostText>>,
    pub default_roles: Option<Chosen>,
    pub default_database: Option<String>,
    pub settings: Option<Vec<SettingsElement>>,
    /// TO of a profile.
    pub to: Option<Chosen>,
}

/// `IDENTIFIED WITH kind BY 'value' [SALT 'salt']`
#[derive(Clone, PartialEq)]
pub struct MethodText {
    /// `sha256_password`, `sha256_hash`, …; empty: the server chooses.
    pub kind: String,
    pub value: String,
    pub salt: String,
}

/// Passwords are not shown (A-1).
impl std::fmt::Debug for MethodText {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.kind)
    }
}

#[derive(Clone, Debug, PartialEq)]
pub enum HostText {
    Any,
    Local,
    Ip(String),
}

/// What stands behind ON.
#[derive(Clone, Debug, PartialEq)]
pub enum GrantObject {
    /// `*.*`
    Everything,
    /// `*`: the current database, or any name.
    Star,
    /// `db.*`
    Database(Name),
    Table(Name, Name),
    /// A table of the current database, or a name.
    One(Name),
}

#[derive(Clone, Debug, PartialEq)]
pub struct GrantElement {
    pub privileges: Vec<(Privileges, Vec<String>)>,
    pub object: GrantObject,
}

#[derive(Clone, Debug, PartialEq)]
pub struct GrantStatement {
    pub revokes: bool,
    pub elements: Vec<GrantElement>,
    /// Roles instead of privileges.
    pub roles: Option<Chosen>,
    pub grantees: Chosen,
    /// WITH GRANT OPTION, WITH ADMIN OPTION; of REVOKE: the option alone.
    pub option: bool,
    /// WITH REPLACE OPTION: in place of all that was granted.
    pub replaces: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub enum AccessStatement {
    Change(Box<EntityChange>),
    Drop {
        kind: EntityKind,
        names: Vec<String>,
        if_exists: bool,
    },
    Grant(GrantStatement),
    /// `None`: the default ones.
    SetRole(Option<Chosen>),
    SetDefaultRole {
        roles: Chosen,
        users: Vec<String>,
    },
    /// `None`: of whoever asks.
    ShowGrants(Option<Vec<String>>),
    /// No names: all of them; of users, whoever asks.
    ShowCreate {
        kind: EntityKind,
        names: Vec<String>,
    },
    ShowAccess,
    CreateCollection {
        name: String,
        if_not_exists: bool,
        values: Vec<CollectionEntry>,
    },
    AlterCollection {
        name: String,
        if_exists: bool,
        set: Vec<CollectionEntry>,
        delete: Vec<String>,
    },
    DropCollection {
        name: String,
        if_exists: bool,
    },
}

/// `key = 'value' [[NOT] OVERRIDABLE]`
#[derive(Clone, PartialEq)]
pub struct CollectionEntry {
    pub key: String,
    pub value: String,
    pub overridable: Option<bool>,
}

/// It may be a secret (A-1).
impl std::fmt::Debug for CollectionEntry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.key)
    }
}

impl AccessStatement {
    /// The `query_kind` of the query log.
    pub fn kind(&self) -> &'static str {
        match self {
            AccessStatement::Change(change) if change.verb == Verb::Create => "Create",
            AccessStatement::Change(_) => "Alter",
            AccessStatement::Drop { .. } => "Drop",
            AccessStatement::Grant(grant) if grant.revokes => "Revoke",
            AccessStatement::Grant(_) => "Grant",
            AccessStatement::SetRole(_) | AccessStatement::SetDefaultRole { .. } => "Set",
            AccessStatement::CreateCollection { .. } => "Create",
            AccessStatement::AlterCollection { .. } => "Alter",
            AccessStatement::DropCollection { .. } => "Drop",
            AccessStatement::ShowGrants(_) | AccessStatement::ShowCreate { .. } | AccessStatement::ShowAccess => "Show",
        }
    }

    /// Whether it changes what others may do.
    pub fn writes(&self) -> bool {
        use AccessStatement::{SetRole, ShowAccess, ShowCreate, ShowGrants};
        !matches!(self, SetRole(_) | ShowGrants(_) | ShowCreate { .. } | ShowAccess)
    }
}

impl Cursor<'_> {
    /// USER, ROLE or [SETTINGS] PROFILE, if it is next.
    pub(crate) fn entity_kind(&mut self) -> Result<Option<EntityKind>> {
        for (words, kind) in [
            (&["USER"][..], EntityKind::User),
            (&["ROLE"], EntityKind::Role),
            (&["SETTINGS", "PROFILE"], EntityKind::Profile),
            (&["PROFILE"], EntityKind::Profile),
        ] {
            if self.eat_all(words) {
                return Ok(Some(kind));
            }
        }
        for words in [&["ROW", "POLICY"][..], &["POLICY"], &["QUOTA"], &["MASKING", "POLICY"]] {
            if words.iter().enumerate().all(|(n, word)| self.peeks_nth(n, word)) {
                return Err(Error::not_implemented(words.join(" ")));
            }
        }
        Ok(None)
    }

    fn peeks_nth(&self, n: usize, word: &str) -> bool {
        crate::tokens::is_word(&self.parser.peek_nth_token_ref(n).token, word)
    }

    /// From behind `CREATE USER [OR REPLACE]` or `ALTER USER`.
    pub(crate) fn entity_change(&mut self, kind: EntityKind, verb: Verb, or_replace: bool) -> Result<Statement> {
        let or_replace = or_replace || self.eat_all(&["OR", "REPLACE"]);
        let if_fits = if verb == Verb::Create { self.if_not_exists() } else { self.if_exists() };
        let mut change = EntityChange {
            kind,
            verb,
            names: self.entity_names()?,
            or_replace,
            if_fits,
            rename_to: None,
            methods: None,
            adds_methods: false,
            valid_until: None,
            hosts: None,
            default_roles: None,
            default_database: None,
            settings: None,
            to: None,
        };
        self.on_cluster()?;
        loop {
            if verb == Verb::Alter && self.eat_all(&["RENAME", "TO"]) {
                change.rename_to = Some(self.entity_name()?);
            } else if self.eat("IN") {
                let storage = self.identifier()?;
                if storage != "local_directory" {
                    let text = format!("Access storage {storage} is not found: local_directory is where statements write");
                    return Err(Error::new(ErrorCode::ACCESS_STORAGE_FOR_INSERTION_NOT_FOUND, text));
                }
            } else if self.eat("SETTINGS") || (kind == EntityKind::Profile && self.peeks("PROFILE")) {
                change.settings = Some(self.settings_elements()?);
            } else if kind == EntityKind::Profile && self.eat("TO") {
                change.to = Some(self.chosen()?);
            } else if kind != EntityKind::User || !self.user_clause(&mut change)? {
                return Ok(Statement::Access(AccessStatement::Change(Box::new(change))));
            }
        }
    }

    /// A clause that only users have; false: there is none.
    fn user_clause(&mut self, change: &mut EntityChange) -> Result<bool> {
        if self.eat_all(&["NOT", "IDENTIFIED"]) {
            change.methods =
                Some(vec![MethodText { kind: "no_password".into(), value: String::new(), salt: String::new() }]);
        } else if self.eat_all(&["ADD", "IDENTIFIED"]) {
            change.adds_methods = true;
            change.methods = Some(self.methods()?);
        } else if self.eat("IDENTIFIED") {
            change.methods = Some(self.methods()?);
        } else if self.eat("HOST") {
            change.hosts = Some(self.hosts()?);
        } else if self.eat_all(&["VALID", "UNTIL"]) {
            let until = self.string()?;
            change.valid_until = Some(if until == "infinity" { String::new() } else { until });
        } else if self.eat_all(&["DEFAULT", "ROLE"]) {
            change.default_roles = Some(self.chosen()?);
        } else if self.eat_all(&["DEFAULT", "DATABASE"]) {
            change.default_database = Some(if self.eat("NONE") { String::new() } else { self.identifier()? });
        } else if self.eat("GRANTEES") {
            // Any, the default, is the only one that is there: others would have to be kept to.
            if self.chosen_of("ANY")? != Chosen::All {
                return Err(Error::not_implemented("GRANTEES other than ANY"));
            }
        } else {
            return Ok(false);
        }
        Ok(true)
    }

    fn methods(&mut self) -> Result<Vec<MethodText>> {
        let mut methods = Vec::new();
        loop {
            let kind = if self.eat("WITH") || !methods.is_empty() && !self.peeks("BY") {
                self.identifier()?.to_ascii_lowercase()
            } else {
                String::new()
            };
            let value = if kind == "no_password" {
                String::new()
            } else {
                self.expect("BY")?;
                self.string()?
            };
            let salt = if self.eat("SALT") { self.string()? } else { String::new() };
            methods.push(MethodText { kind, value, salt });
            if !self.eat_token(&Token::Comma) {
                return Ok(methods);
            }
        }
    }

    fn hosts(&mut self) -> Result<Vec<HostText>> {
        if self.eat("NONE") {
            return Ok(Vec::new());
        }
        let mut hosts = Vec::new();
        loop {
            if self.eat("ANY") {
                hosts.push(HostText::Any);
            } else if self.eat("LOCAL") {
                hosts.push(HostText::Local);
            } else if self.eat("IP") {
                loop {
                    hosts.push(HostText::Ip(self.string()?));
                    let more = self.parser.peek_token_ref().token == Token::Comma
                        && matches!(self.parser.peek_nth_token_ref(1).token, Token::SingleQuotedString(_));
                    if !more {
                        break;
                    }
                    self.eat_token(&Token::Comma);
                }
            } else if ["NAME", "REGEXP", "LIKE"].iter().any(|word| self.peeks(word)) {
                return Err(Error::not_implemented("HOST by name: names of hosts are not looked up; HOST IP is there"));
            } else {
                return Err(self.unexpected("ANY, LOCAL, IP or NONE"));
            }
            if !self.eat_token(&Token::Comma) {
                return Ok(hosts);
            }
        }
    }

    /// `max_threads = 4 MIN 1 MAX 8 CONST, PROFILE 'p'`; NONE: none.
    fn settings_elements(&mut self) -> Result<Vec<SettingsElement>> {
        if self.eat("NONE") {
            return Ok(Vec::new());
        }
        let mut elements = Vec::new();
        loop {
            if self.eat("PROFILE") || self.eat("INHERIT") {
                elements.push(SettingsElement::Profile(self.entity_name()?));
            } else {
                elements.push(self.settings_element()?);
            }
            if !self.eat_token(&Token::Comma) {
                return Ok(elements);
            }
        }
    }

    fn settings_element(&mut self) -> Result<SettingsElement> {
        let name = self.identifier()?;
        let (mut value, mut min, mut max, mut writability) = (None, None, None, None);
        loop {
            let bound = if self.eat("MIN") {
                &mut min
            } else if self.eat("MAX") {
                &mut max
            } else if self.parser.peek_token_ref().token == Token::Eq {
                &mut value
            } else {
                let words = [
                    ("READONLY", Writability::Const),
                    ("CONST", Writability::Const),
                    ("WRITABLE", Writability::Writable),
                    ("CHANGEABLE_IN_READONLY", Writability::ChangeableInReadonly),
                ];
                match words.iter().find(|(word, _)| self.eat(word)) {
                    Some((_, kind)) => writability = Some(*kind),
                    None => return Ok(SettingsElement::Setting { name, value, min, max, writability }),
                }
                continue;
            };
            self.eat_token(&Token::Eq);
            *bound = Some(self.value()?);
        }
    }

    /// A number or a string: no more than that, because MIN and MAX stand behind it.
    fn value(&mut self) -> Result<String> {
        if matches!(self.parser.peek_token_ref().token, Token::SingleQuotedString(_)) {
            return self.string();
        }
        let value = self.parser.parse_prefix().map_err(syntax)?;
        constant(&crate::translate::node(&value)?)
    }

    /// A name, or a string that is one.
    pub(crate) fn entity_name(&mut self) -> Result<String> {
        match self.parser.peek_token_ref().token {
            Token::SingleQuotedString(_) => self.string(),
            _ => self.identifier(),
        }
    }

    fn entity_names(&mut self) -> Result<Vec<String>> {
        let mut names = vec![self.entity_name()?];
        while self.eat_token(&Token::Comma) {
            names.push(self.entity_name()?);
        }
        Ok(names)
    }

    fn chosen(&mut self) -> Result<Chosen> {
        self.chosen_of("ALL")
    }

    /// `a, b`, `ALL`, `ALL EXCEPT a, b`, `NONE`; `all`: the word for all.
    fn chosen_of(&mut self, all: &str) -> Result<Chosen> {
        if self.eat("NONE") {
            return Ok(Chosen::None);
        }
        if self.eat(all) {
            return Ok(if self.eat("EXCEPT") { Chosen::AllExcept(self.entity_names()?) } else { Chosen::All });
        }
        Ok(Chosen::These(self.entity_names()?))
    }

    /// What follows CREATE, ALTER or DROP; `None`: it is no NAMED COLLECTION.
    pub(crate) fn named_collection(&mut self, verb: &str) -> Result<Option<Statement>> {
        if !self.eat_all(&["NAMED", "COLLECTION"]) {
            return Ok(None);
        }
        let is_conditional = if verb == "CREATE" { self.if_not_exists() } else { self.if_exists() };
        let name = self.identifier()?;
        self.on_cluster()?;
        Ok(Some(Statement::Access(match verb {
            "CREATE" => {
                self.expect("AS")?;
                AccessStatement::CreateCollection { name, if_not_exists: is_conditional, values: self.collection_entries()? }
            }
            "ALTER" => {
                let set = if self.eat("SET") { self.collection_entries()? } else { Vec::new() };
                let delete = if self.eat("DELETE") { self.entity_names()? } else { Vec::new() };
                AccessStatement::AlterCollection { name, if_exists: is_conditional, set, delete }
            }
            _ => AccessStatement::DropCollection { name, if_exists: is_conditional },
        })))
    }

    fn collection_entries(&mut self) -> Result<Vec<CollectionEntry>> {
        let mut entries = Vec::new();
        loop {
            let key = self.identifier()?;
            self.expect_token(&Token::Eq)?;
            let value = self.value()?;
            let overridable =
                if self.eat_all(&["NOT", "OVERRIDABLE"]) { Some(false) } else { self.eat("OVERRIDABLE").then_some(true) };
            entries.push(CollectionEntry { key, value, overridable });
            if !self.eat_token(&Token::Comma) {
                return Ok(entries);
            }
        }
    }

    /// From behind DROP and the kind.
    pub(crate) fn drop_entity(&mut self, kind: EntityKind) -> Result<Statement> {
        let if_exists = self.if_exists();
        let names = self.entity_names()?;
        self.on_cluster()?;
        Ok(Statement::Access(AccessStatement::Drop { kind, names, if_exists }))
    }

    /// From behind GRANT or REVOKE.
    pub(crate) fn grant(&mut self, revokes: bool) -> Result<Statement> {
        self.on_cluster()?;
        let mut option = revokes && (self.eat_all(&["GRANT", "OPTION", "FOR"]) || self.eat_all(&["ADMIN", "OPTION", "FOR"]));
        let end = if revokes { "FROM" } else { "TO" };
        let (mut elements, mut roles) = (Vec::new(), None);
        if self.comes_before("ON", end) {
            loop {
                elements.push(self.grant_element()?);
                if !self.eat_token(&Token::Comma) {
                    break;
                }
            }
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
        let grant = GrantStatement { revokes, elements, roles, grantees, option, replaces };
        Ok(Statement::Access(AccessStatement::Grant(grant)))
    }

    /// Whether a word stands before another.
    fn comes_before(&self, word: &str, other: &str) -> bool {
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
    fn grant_element(&mut self) -> Result<GrantElement> {
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

    fn privilege(&mut self) -> Result<Privileges> {
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

    fn grant_object(&mut self) -> Result<GrantObject> {
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

    fn granted_name(&mut self) -> Result<Name> {
        let ident = self.parser.parse_identifier().map_err(syntax)?;
        let text = unescape_identifier(&ident);
        Ok(Name { text, is_prefix: self.eat_token(&Token::Mul) })
    }

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

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn parse(text: &str) -> AccessStatement {
        match crate::statement::parse(text, &BTreeMap::new()) {
            Ok(Statement::Access(statement)) => statement,
            other => panic!("{text}: {other:?}"),
        }
    }

    fn grant(text: &str) -> GrantStatement {
        match parse(text) {
            AccessStatement::Grant(grant) => grant,
            other => panic!("{text}: {other:?}"),
        }
    }

    fn change(text: &str) -> EntityChange {
        match parse(text) {
            AccessStatement::Change(change) => *change,
            other => panic!("{text}: {other:?}"),
        }
    }

    fn set(name: &str) -> Privileges {
        Privileges::named(name).expect("a privilege")
    }

    #[test]
    fn privileges_and_roles_are_told_apart() {
        let found = grant("GRANT SELECT(a, b), ALTER UPDATE ON db.t, SHOW ON *.* TO alice, bob WITH GRANT OPTION");
        assert_eq!(found.elements[0].privileges[0], (set("SELECT"), vec!["a".to_string(), "b".to_string()]));
        assert_eq!(found.elements[0].privileges[1], (set("ALTER UPDATE"), Vec::new()));
        assert_eq!(found.elements[0].object, GrantObject::Table("db".into(), "t".into()));
        assert_eq!(found.elements[1].object, GrantObject::Everything);
        assert_eq!(found.grantees, Chosen::These(vec!["alice".into(), "bob".into()]));
        assert!(found.option && found.roles.is_none());
        let found = grant("GRANT select_all, `insert it` TO current_user WITH ADMIN OPTION WITH REPLACE OPTION");
        assert_eq!(found.roles, Some(Chosen::These(vec!["select_all".into(), "insert it".into()])));
        assert_eq!(found.grantees, Chosen::These(vec![CURRENT_USER.into()]));
        assert!(found.option && found.replaces);
        let found = grant("REVOKE GRANT OPTION FOR ALL PRIVILEGES ON db*.* FROM ALL EXCEPT root");
        assert!(found.revokes && found.option);
        assert_eq!(found.elements[0].object, GrantObject::Database(Name { text: "db".into(), is_prefix: true }));
        assert_eq!(found.grantees, Chosen::AllExcept(vec!["root".into()]));
    }

    #[test]
    fn users_have_passwords_places_and_settings() {
        let found = change(
            "CREATE USER IF NOT EXISTS alice, bob IDENTIFIED WITH sha256_password BY 'a', bcrypt_password BY 'b' \
             HOST IP '10.0.0.0/8', '::1', LOCAL VALID UNTIL '2030-01-01' DEFAULT ROLE ALL EXCEPT r DEFAULT DATABASE db \
             SETTINGS max_threads = 4 MIN 1 MAX = 8 CONST, PROFILE 'readonly'",
        );
        assert_eq!(found.names, ["alice", "bob"]);
        let methods = found.methods.expect("methods");
        assert_eq!((methods[1].kind.as_str(), methods[1].value.as_str()), ("bcrypt_password", "b"));
        assert!(!format!("{methods:?}").contains("'b'"));
        assert_eq!(
            found.hosts.expect("hosts"),
            [HostText::Ip("10.0.0.0/8".into()), HostText::Ip("::1".into()), HostText::Local]
        );
        assert_eq!(found.default_roles, Some(Chosen::AllExcept(vec!["r".into()])));
        let settings = found.settings.expect("settings");
        let limited = SettingsElement::Setting {
            name: "max_threads".into(),
            value: Some("4".into()),
            min: Some("1".into()),
            max: Some("8".into()),
            writability: Some(Writability::Const),
        };
        assert_eq!(settings, [limited, SettingsElement::Profile("readonly".into())]);
        let found = change("ALTER USER alice RENAME TO eve NOT IDENTIFIED HOST NONE DEFAULT DATABASE NONE");
        assert_eq!(found.rename_to.as_deref(), Some("eve"));
        assert_eq!(found.hosts, Some(Vec::new()));
        assert_eq!(found.methods.expect("methods")[0].kind, "no_password");
    }

    #[test]
    fn roles_can_be_chosen() {
        assert_eq!(parse("SET ROLE NONE"), AccessStatement::SetRole(Some(Chosen::None)));
        assert_eq!(parse("SET ROLE DEFAULT"), AccessStatement::SetRole(None));
        let users = vec!["alice".to_string()];
        let roles = Chosen::These(vec!["r1".into(), "r2".into()]);
        assert_eq!(parse("SET DEFAULT ROLE r1, r2 TO alice"), AccessStatement::SetDefaultRole { roles, users });
        assert_eq!(parse("SHOW GRANTS FOR alice"), AccessStatement::ShowGrants(Some(vec!["alice".into()])));
        assert!(crate::statement::parse("CREATE ROW POLICY p ON t", &BTreeMap::new()).is_err());
    }
}
