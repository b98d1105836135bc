//! Statements about users, roles, settings profiles and privileges: what they say. How each is read stands in `entities`
//! (CREATE, ALTER, DROP), `grants` (GRANT, REVOKE) and `show` (SET ROLE, SHOW).

mod entities;
mod grants;
mod show;

use gristmill_access::Privileges;
use gristmill_access::entity::{Chosen, SettingsElement};
use gristmill_access::rights::Name;

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
    /// VALID of all methods.
    pub valid: Option<Valid>,
    pub hosts: Option<Vec<HostText>>,
    pub default_roles: Option<Chosen>,
    pub default_database: Option<String>,
    pub settings: Option<Vec<SettingsElement>>,
    /// ADD, MODIFY and DROP of ALTER, in order.
    pub settings_steps: Vec<SettingsStep>,
    /// ADD HOST (true) and DROP HOST, in order.
    pub host_steps: Vec<(bool, Vec<HostText>)>,
    /// RESET AUTHENTICATION METHODS TO NEW: of the methods the last one stays.
    pub resets_methods: bool,
    /// TO of a profile.
    pub to: Option<Chosen>,
    /// To whom a user may hand rights on.
    pub grantees: Option<Chosen>,
}

/// How long a method is one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Valid {
    Forever,
    /// VALID UNTIL 'time'
    Until(String),
    /// VALID FOR INTERVAL: so many of a unit.
    For(u32, Unit),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    Seconds(u32),
    Months(u32),
}

/// What ALTER does with the settings that are there.
#[derive(Clone, Debug, PartialEq)]
pub enum SettingsStep {
    /// In the place of those of the same names.
    Add(Vec<SettingsElement>),
    /// What is not said of those of the same names stays.
    Modify(Vec<SettingsElement>),
    Drop(Vec<String>),
    DropProfiles(Vec<String>),
    DropAll,
    DropAllProfiles,
}

/// `IDENTIFIED WITH kind BY 'value' [SALT 'salt'] [VALID …]`
#[derive(Clone, PartialEq)]
pub struct MethodText {
    /// `sha256_password`, `sha256_hash`, …; empty: the server chooses.
    pub kind: String,
    pub value: String,
    pub salt: String,
    pub valid: Option<Valid>,
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
    /// Of addresses, with `%` and `_`.
    Like(String),
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
    /// CURRENT GRANTS: of the elements what whoever grants may hand on.
    pub current: bool,
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
    /// Whether whoever asks has all of it.
    CheckGrant(Vec<GrantElement>),
    /// `None`: the default ones.
    SetRole(Option<Chosen>),
    SetDefaultRole {
        roles: Chosen,
        users: Vec<String>,
    },
    /// `None`: of whoever asks. FINAL: with what roles bring, and without those. WITH IMPLICIT: with what follows from others, and what is
    /// everybody's.
    ShowGrants {
        of: Option<Chosen>,
        is_final: bool,
        with_implicit: bool,
    },
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
            AccessStatement::CheckGrant(_) => "Check",
            AccessStatement::ShowGrants { .. } | AccessStatement::ShowCreate { .. } | AccessStatement::ShowAccess => "Show",
        }
    }

    /// Whether it changes what others may do.
    pub fn writes(&self) -> bool {
        use AccessStatement::{CheckGrant, SetRole, ShowAccess, ShowCreate, ShowGrants};
        !matches!(self, CheckGrant(_) | SetRole(_) | ShowGrants { .. } | ShowCreate { .. } | ShowAccess)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use gristmill_access::entity::Writability;
    use gristmill_base::ErrorCode;

    use super::*;
    use crate::statement::Statement;

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
    fn each_method_has_its_end() {
        let found = change(
            "CREATE USER alice IDENTIFIED WITH sha256_password BY 'a' VALID UNTIL '2030-01-01', BY 'b', plaintext_password BY 'c' \
             VALID FOR INTERVAL 2 QUARTER HOST LOCAL GRANTEES bob",
        );
        let methods = found.methods.expect("methods");
        let valid: Vec<_> = methods.iter().map(|method| method.valid.clone()).collect();
        let expected = [Some(Valid::Until("2030-01-01".into())), None, Some(Valid::For(2, Unit::Months(3)))];
        assert_eq!((valid, found.valid), (expected.to_vec(), None));
        assert_eq!(found.grantees, Some(Chosen::These(vec!["bob".into()])));
        let found = change("ALTER USER alice VALID UNTIL 'infinity' GRANTEES ANY EXCEPT bob");
        assert_eq!((found.methods, found.valid), (None, Some(Valid::Forever)));
        assert_eq!(found.grantees, Some(Chosen::AllExcept(vec!["bob".into()])));
        let found = change("ALTER USER alice GRANTEES bob, carol EXCEPT bob");
        assert_eq!(found.grantees, Some(Chosen::These(vec!["carol".into()])));
        assert_eq!(change("ALTER USER alice GRANTEES bob EXCEPT bob").grantees, Some(Chosen::None));
        for proof in ["ldap SERVER 's'", "ssl_certificate CN 'c'", "kerberos", "ssh_key BY KEY 'k' TYPE 't'"] {
            let error = crate::statement::parse(&format!("CREATE USER a IDENTIFIED WITH {proof}"), &BTreeMap::new());
            assert_eq!(error.expect_err(proof).code(), ErrorCode::NOT_IMPLEMENTED);
        }
        let twice = "CREATE USER a IDENTIFIED BY 'x' IDENTIFIED BY 'y'";
        assert!(crate::statement::parse(twice, &BTreeMap::new()).is_err());
    }

    #[test]
    fn settings_and_hosts_change_one_by_one() {
        let found = change(
            "ALTER USER alice ADD SETTINGS max_threads = 4, MODIFY SETTING max_rows_to_read MAX 10, DROP SETTINGS a, b, \
             ADD PROFILES 'p', DROP PROFILE q, DROP ALL SETTINGS, DROP ALL PROFILES ADD HOST LIKE '10.%' DROP HOST LOCAL \
             RESET AUTHENTICATION METHODS TO NEW",
        );
        use SettingsStep as S;
        assert!(matches!(&found.settings_steps[..2], [S::Add(added), S::Modify(_)] if added.len() == 1));
        assert_eq!(
            found.settings_steps[2..],
            [
                S::Drop(vec!["a".into(), "b".into()]),
                S::Add(vec![SettingsElement::Profile("p".into())]),
                S::DropProfiles(vec!["q".into()]),
                S::DropAll,
                S::DropAllProfiles
            ]
        );
        let hosts = [(true, vec![HostText::Like("10.%".into())]), (false, vec![HostText::Local])];
        assert_eq!(found.host_steps, hosts);
        assert!(found.resets_methods);
        let found = change("CREATE USER bob@'10.%' IDENTIFIED BY 'x'");
        assert_eq!(found.names, ["bob@10.%"]);
        assert_eq!(found.hosts, Some(vec![HostText::Like("10.%".into())]));
        // Of several users it holds where it is that of all; what HOST says goes before.
        let found = change("CREATE USER a@'10.%', b@'10.%'");
        assert_eq!(found.hosts, Some(vec![HostText::Like("10.%".into())]));
        let found = change("CREATE USER a@'10.%', b");
        assert_eq!((found.names, found.hosts), (vec!["a@10.%".to_string(), "b".to_string()], None));
        let found = change("CREATE USER a@'10.%', b@'localhost' HOST LOCAL");
        assert_eq!(found.hosts, Some(vec![HostText::Local]));
        let found = change("ALTER USER a@'10.%', b HOST ANY");
        assert_eq!(found.hosts, Some(vec![HostText::Any]));
        assert_eq!(change("ALTER USER a@'10.%' GRANTEES NONE").hosts, None);
    }

    #[test]
    fn grants_are_handed_on_and_asked_about() {
        let found = grant("GRANT CURRENT GRANTS(SELECT, INSERT ON db.*, SHOW ON *.*) TO alice");
        assert!(found.current && found.elements.len() == 2);
        let found = grant("GRANT CURRENT GRANTS ON db.* TO alice WITH GRANT OPTION");
        assert!(found.current && found.option && found.elements[0].privileges[0].0 == Privileges::all());
        assert!(
            matches!(parse("CHECK GRANT SELECT(a), INSERT ON db.t"), AccessStatement::CheckGrant(elements) if elements.len() == 1)
        );
    }

    #[test]
    fn roles_can_be_chosen() {
        assert_eq!(parse("SET ROLE NONE"), AccessStatement::SetRole(Some(Chosen::None)));
        assert_eq!(parse("SET ROLE DEFAULT"), AccessStatement::SetRole(None));
        let users = vec!["alice".to_string()];
        let roles = Chosen::These(vec!["r1".into(), "r2".into()]);
        assert_eq!(parse("SET DEFAULT ROLE r1, r2 TO alice"), AccessStatement::SetDefaultRole { roles, users });
        let show_with = |of: Option<&[&str]>, is_final, with_implicit| {
            let these = |names: &[&str]| Chosen::These(names.iter().map(ToString::to_string).collect());
            AccessStatement::ShowGrants { of: of.map(these), is_final, with_implicit }
        };
        let show = |of, is_final| show_with(of, is_final, false);
        assert_eq!(parse("SHOW GRANTS FOR alice, bob@'10.%'"), show(Some(&["alice", "bob@10.%"]), false));
        assert_eq!(parse("SHOW GRANTS FOR current_user FINAL"), show(Some(&[CURRENT_USER]), true));
        assert_eq!(parse("SHOW GRANTS FOR currentUser() WITH IMPLICIT FINAL"), show_with(Some(&[CURRENT_USER]), true, true));
        assert_eq!(parse("SHOW GRANTS FINAL WITH IMPLICIT"), show_with(None, true, true));
        assert_eq!(parse("SHOW GRANTS FINAL"), show(None, true));
        let of = Some(Chosen::AllExcept(vec!["bob".into()]));
        let except_bob = AccessStatement::ShowGrants { of, is_final: false, with_implicit: false };
        assert_eq!(parse("SHOW GRANTS FOR ALL EXCEPT bob"), except_bob);
        assert!(crate::statement::parse("CREATE ROW POLICY p ON t", &BTreeMap::new()).is_err());
    }
}
