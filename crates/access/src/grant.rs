//! GRANT and REVOKE as values, what somebody was granted, and both as text.

use std::collections::BTreeMap;
use std::fmt::Write;

use gristmill_base::{Error, ErrorCode, Result};
use serde::{Deserialize, Serialize};

use crate::privilege::Privileges;
use crate::rights::{Name, Object, Rights, identifier};

/// `SELECT(a, b), INSERT ON db.t`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Element {
    /// With columns; none: all.
    pub privileges: Vec<(Privileges, Vec<String>)>,
    pub object: Object,
}

/// A privilege of an element and what it is on.
pub fn parts(element: &Element) -> Vec<(Privileges, Object)> {
    let mut parts = Vec::new();
    for (set, columns) in &element.privileges {
        match (&element.object, columns.is_empty()) {
            (Object::Data(path), false) => parts.extend(columns.iter().map(|column| {
                let path = path.iter().cloned().chain([Name::from(column.as_str())]);
                (*set, Object::Data(path.collect()))
            })),
            (object, _) => parts.push((*set, object.clone())),
        }
    }
    parts
}

/// Error: INVALID_GRANT where a privilege is of no use on the object. A group is granted as far as it is.
pub fn check(element: &Element) -> Result<()> {
    for (set, object) in parts(element) {
        let level = object.level();
        // S3 and the like are of everything, and a list of users and databases is none.
        let usable = set & Privileges::grantable_on(level);
        if usable.is_empty() && !set.is_empty() {
            let on = format!("{level:?}").to_lowercase();
            return Err(Error::new(ErrorCode::INVALID_GRANT, format!("{set} cannot be granted on the {on} level")));
        }
    }
    Ok(())
}

/// What a user or a role was granted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Granted {
    pub rights: Rights,
    /// What may be handed on.
    pub with_option: Rights,
}

impl Granted {
    pub fn all() -> Granted {
        Granted { rights: Rights::all(), with_option: Rights::all() }
    }

    pub fn grant(&mut self, element: &Element, with_option: bool) {
        for (set, object) in parts(element) {
            self.rights.add(set, &object);
            if with_option {
                self.with_option.add(set, &object);
            }
        }
    }

    /// `only_option`: the right stays, and may be handed on no more.
    pub fn revoke(&mut self, element: &Element, only_option: bool) {
        for (set, object) in parts(element) {
            self.with_option.remove(set, &object);
            if !only_option {
                self.rights.remove(set, &object);
            }
        }
    }

    pub fn union(&self, other: &Granted) -> Granted {
        Granted { rights: self.rights.union(&other.rights), with_option: self.with_option.union(&other.with_option) }
    }

    /// Of these elements what may be handed on. `with_option`: whether whoever gets it may, too.
    pub fn to_hand_on(&self, elements: &[Element], with_option: bool) -> Granted {
        let own = Granted { rights: self.with_option.clone(), with_option: Rights::default() };
        let mut given = Granted::default();
        for (line, (set, object)) in
            own.lines().iter().flat_map(|line| elements.iter().flat_map(parts).map(move |part| (line.clone(), part)))
        {
            let both = match (line.object.covers(&object), object.covers(&line.object)) {
                (true, _) => object,
                (false, true) => line.object.clone(),
                (false, false) => continue,
            };
            let set = line.set & set & Privileges::grantable_on(both.level());
            match line.kind {
                Kind::Grant | Kind::GrantWithOption => given.rights.add(set, &both),
                Kind::Revoke | Kind::RevokeOption => given.rights.remove(set, &both),
            }
        }
        if with_option {
            given.with_option = given.rights.clone();
        }
        given
    }

    /// Each change as a row, the whole before its parts.
    pub fn lines(&self) -> Vec<Line> {
        let mut changes: BTreeMap<Object, [Privileges; 4]> = BTreeMap::new();
        for difference in self.rights.differences() {
            let entry = changes.entry(difference.object).or_default();
            entry[0] = difference.granted;
            entry[2] = difference.revoked;
        }
        for difference in self.with_option.differences() {
            let entry = changes.entry(difference.object).or_default();
            entry[0] = entry[0] & !difference.granted;
            entry[1] = difference.granted;
            entry[3] = difference.revoked & !entry[2];
        }
        let mut lines = Vec::new();
        for (object, sets) in changes {
            for (kind, set) in [Kind::Grant, Kind::GrantWithOption, Kind::Revoke, Kind::RevokeOption].into_iter().zip(sets) {
                if !set.is_empty() {
                    lines.push(Line { object: object.clone(), kind, set });
                }
            }
        }
        lines
    }

    /// The statements that make it: what `SHOW GRANTS` prints.
    pub fn statements(&self, whose: &str) -> Vec<String> {
        let mut statements = Vec::new();
        let lines = self.lines();
        let mut at = 0;
        while let Some(first) = lines.get(at) {
            let table = table_of(&first.object);
            let same = lines[at..].iter().take_while(|line| table_of(&line.object) == table).count();
            for kind in [Kind::Grant, Kind::GrantWithOption, Kind::Revoke, Kind::RevokeOption] {
                let of_kind: Vec<&Line> = lines[at..at + same].iter().filter(|line| line.kind == kind).collect();
                if !of_kind.is_empty() {
                    statements.push(statement(&of_kind, kind, &table, whose));
                }
            }
            at += same;
        }
        statements
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    Grant,
    GrantWithOption,
    Revoke,
    RevokeOption,
}

/// What is granted, or taken from what holds above the object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    pub object: Object,
    pub kind: Kind,
    pub set: Privileges,
}

/// The object, a column's table.
fn table_of(object: &Object) -> Object {
    match object {
        Object::Data(path) => Object::Data(path.iter().take(2).cloned().collect()),
        named => named.clone(),
    }
}

fn statement(lines: &[&Line], kind: Kind, table: &Object, whose: &str) -> String {
    let mut names: Vec<String> = Vec::new();
    let mut of_columns: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for line in lines {
        match &line.object {
            Object::Data(path) if path.len() == 3 => {
                for name in line.set.names() {
                    of_columns.entry(name).or_default().push(path[2].to_string());
                }
            }
            _ => names.extend(line.set.names().into_iter().map(str::to_string)),
        }
    }
    names.extend(of_columns.into_iter().map(|(name, columns)| format!("{name}({})", columns.join(", "))));
    let (verb, preposition) = match kind {
        Kind::Grant | Kind::GrantWithOption => ("GRANT", "TO"),
        Kind::Revoke => ("REVOKE", "FROM"),
        Kind::RevokeOption => ("REVOKE GRANT OPTION FOR", "FROM"),
    };
    let mut text = format!("{verb} {} ON {table} {preposition} {}", names.join(", "), identifier(whose));
    if kind == Kind::GrantWithOption {
        let _ = write!(text, " WITH GRANT OPTION");
    }
    text
}

/// As it is kept: the privileges by name.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct KeptLine {
    on: Object,
    kind: Kind,
    privileges: Vec<String>,
}

impl Serialize for Granted {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let kept = |line: Line| KeptLine {
            privileges: line.set.names().into_iter().map(str::to_string).collect(),
            on: line.object,
            kind: line.kind,
        };
        serializer.collect_seq(self.lines().into_iter().map(kept))
    }
}

impl<'de> Deserialize<'de> for Granted {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> std::result::Result<Granted, D::Error> {
        let mut granted = Granted::default();
        for line in Vec::<KeptLine>::deserialize(deserializer)? {
            let mut set = Privileges::NONE;
            for name in &line.privileges {
                set = set | Privileges::named(name).map_err(serde::de::Error::custom)?;
            }
            let on = &line.on;
            match line.kind {
                Kind::Grant => granted.rights.add(set, on),
                Kind::GrantWithOption => {
                    granted.rights.add(set, on);
                    granted.with_option.add(set, on);
                }
                Kind::Revoke => {
                    granted.rights.remove(set, on);
                    granted.with_option.remove(set, on);
                }
                Kind::RevokeOption => granted.with_option.remove(set, on),
            }
        }
        Ok(granted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn element(privileges: &[(&str, &[&str])], object: Object) -> Element {
        let named = |name: &str| Privileges::named(name).expect("a privilege");
        let columns = |columns: &[&str]| columns.iter().map(|column| column.to_string()).collect();
        Element { privileges: privileges.iter().map(|(name, of)| (named(name), columns(of))).collect(), object }
    }

    /// What ClickHouse 26.9 prints for these (`SHOW GRANTS FOR alice`).
    #[test]
    fn grants_are_told_as_clickhouse_tells_them() {
        let mut granted = Granted::default();
        granted.grant(&element(&[("SELECT", &[])], Object::database("db1")), false);
        granted.revoke(&element(&[("SELECT", &["a"])], Object::table("db1", "t")), false);
        assert_eq!(granted.statements("alice"), ["GRANT SELECT ON db1.* TO alice", "REVOKE SELECT(a) ON db1.t FROM alice"]);
        let mut granted = Granted::default();
        granted.grant(&element(&[("SELECT", &["a"]), ("INSERT", &["a", "b"])], Object::table("db1", "t")), true);
        assert_eq!(granted.statements("alice"), ["GRANT INSERT(a, b), SELECT(a) ON db1.t TO alice WITH GRANT OPTION"]);
        let mut granted = Granted::default();
        granted.grant(&element(&[("ALTER UPDATE", &["a"]), ("DELETE", &[])], Object::table("db", "t")), false);
        assert_eq!(granted.statements("alice"), ["GRANT ALTER DELETE, ALTER UPDATE(a) ON db.t TO alice"]);
        assert_eq!(Granted::all().statements("alice"), ["GRANT ALL ON *.* TO alice WITH GRANT OPTION"]);
        let mut granted = Granted::default();
        granted.grant(&element(&[("SELECT", &[])], Object::table("we ird", "t-1")), false);
        assert_eq!(granted.statements("alice"), ["GRANT SELECT ON `we ird`.`t-1` TO alice"]);
    }

    #[test]
    fn the_option_can_be_taken_alone() {
        let mut granted = Granted::default();
        granted.grant(&element(&[("SELECT", &[])], Object::EVERYTHING), true);
        granted.revoke(&element(&[("SELECT", &[])], Object::database("db")), true);
        assert_eq!(
            granted.statements("alice"),
            ["GRANT SELECT ON *.* TO alice WITH GRANT OPTION", "REVOKE GRANT OPTION FOR SELECT ON db.* FROM alice"]
        );
    }

    #[test]
    fn grants_are_kept_as_they_are() {
        let mut granted = Granted::default();
        granted.grant(&element(&[("ALTER", &[]), ("SELECT", &[])], Object::EVERYTHING), true);
        granted.revoke(&element(&[("SELECT", &["key"])], Object::table("db", "t")), false);
        granted.grant(&element(&[("CREATE USER", &[])], Object::named("bob")), false);
        let kept = serde_json::to_string(&granted).expect("writes");
        assert_eq!(serde_json::from_str::<Granted>(&kept).expect("reads"), granted);
    }

    #[test]
    fn what_is_of_no_use_on_an_object_is_refused() {
        let error = check(&element(&[("SYSTEM RELOAD CONFIG", &[])], Object::database("db"))).expect_err("refused");
        assert_eq!(error.message(), "SYSTEM RELOAD CONFIG cannot be granted on the database level");
        assert!(check(&element(&[("ALL", &[])], Object::table("db", "t"))).is_ok());
    }
}
