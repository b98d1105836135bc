//! Who may do what to which object.
//!
//! A tree: everything, its databases, their tables, their columns. A node holds the privileges that hold for its object and for
//! everything below that has no node of its own; so a partial REVOKE (`REVOKE SELECT ON db.secret` behind `GRANT SELECT ON *.*`)
//! is a node with fewer privileges than the one above it. A grant on an object adds to its node and to all below. Names may
//! be beginnings (`db*`): of several that fit, the longest counts, and a whole name before all of them.
//!
//! Privileges on names that are no databases (users, named collections) lie in a tree of their own, of one level.

mod implied;

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::fmt;

use gristmill_base::{Error, ErrorCode, Result};
use serde::{Deserialize, Serialize};

use crate::privilege::{Level, Privileges};

/// A name, or the beginning of names. Beginnings come first: what is granted on them covers whole names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Name {
    pub text: String,
    pub is_prefix: bool,
}

impl Name {
    fn covers(&self, other: &Name) -> bool {
        if self.is_prefix { other.text.starts_with(&self.text) } else { self == other }
    }
}

impl Ord for Name {
    fn cmp(&self, other: &Name) -> Ordering {
        other.is_prefix.cmp(&self.is_prefix).then_with(|| self.text.cmp(&other.text))
    }
}

impl PartialOrd for Name {
    fn partial_cmp(&self, other: &Name) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl From<&str> for Name {
    fn from(text: &str) -> Name {
        Name { text: text.to_string(), is_prefix: false }
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", identifier(&self.text), if self.is_prefix { "*" } else { "" })
    }
}

/// A name as it stands in a statement: in backticks where it is no plain word.
pub fn identifier(name: &str) -> String {
    let mut letters = name.chars();
    let begins = letters.next().is_some_and(|first| first.is_ascii_alphabetic() || first == '_');
    match begins && letters.all(|letter| letter.is_ascii_alphanumeric() || letter == '_') {
        true => name.to_string(),
        false => format!("`{}`", name.replace('\\', "\\\\").replace('`', "\\`")),
    }
}

/// What rights are on.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Object {
    /// Database, table and column, as far as they are named: none of them is everything.
    Data(Vec<Name>),
    /// A user, a named collection, an engine; `None`: any.
    Named(Option<Name>),
}

impl Object {
    pub const EVERYTHING: Object = Object::Data(Vec::new());

    pub fn database(name: &str) -> Object {
        Object::Data(vec![name.into()])
    }

    pub fn table(database: &str, table: &str) -> Object {
        Object::Data(vec![database.into(), table.into()])
    }

    pub fn column(database: &str, table: &str, column: &str) -> Object {
        Object::Data(vec![database.into(), table.into(), column.into()])
    }

    pub fn named(name: &str) -> Object {
        Object::Named(Some(name.into()))
    }

    pub fn level(&self) -> Level {
        match self {
            Object::Named(_) => Level::Name,
            Object::Data(path) => [Level::Global, Level::Database, Level::Table, Level::Column][path.len().min(3)],
        }
    }

    /// Whether the other is it, or a part of it.
    pub fn covers(&self, other: &Object) -> bool {
        let covers = |name: &Name, other: &Name| match name.is_prefix {
            true => other.text.starts_with(&name.text),
            false => name == other,
        };
        let same_kind = matches!((self, other), (Object::Data(_), Object::Data(_)) | (Object::Named(_), Object::Named(_)));
        let (path, of_other) = (self.path(), other.path());
        *self == Object::EVERYTHING
            || same_kind
                && path.len() <= of_other.len()
                && path.iter().zip(of_other).all(|(name, other)| covers(name, other))
    }

    fn path(&self) -> &[Name] {
        match self {
            Object::Named(name) => name.as_slice(),
            Object::Data(path) => path,
        }
    }
}

/// As it stands behind ON, without a column.
impl fmt::Display for Object {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Object::Named(Some(name)) => write!(f, "{name}"),
            Object::Named(None) => f.write_str("*"),
            Object::Data(path) => match &path[..] {
                [] => f.write_str("*.*"),
                [database] => write!(f, "{database}.*"),
                [database, table, ..] => write!(f, "{database}.{table}"),
            },
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Node {
    has: Privileges,
    below: BTreeMap<Name, Node>,
}

impl Node {
    /// The node that tells of a name below this one: itself where there is none.
    fn of(&self, name: &Name) -> Option<&Node> {
        self.below.get(name).or_else(|| {
            let fitting = self.below.iter().filter(|(known, _)| known.is_prefix && known.covers(name));
            fitting.max_by_key(|(known, _)| known.text.len()).map(|(_, node)| node)
        })
    }

    fn change(&mut self, path: &[Name], change: &impl Fn(Privileges) -> Privileges) {
        match path {
            [] => self.change_all(change),
            [name, rest @ ..] => {
                if !self.below.contains_key(name) {
                    let like = self.of(name).cloned().unwrap_or_else(|| Node { has: self.has, ..Node::default() });
                    self.below.insert(name.clone(), like);
                }
                for (known, node) in &mut self.below {
                    if name.covers(known) {
                        node.change(rest, change);
                    }
                }
            }
        }
    }

    fn change_all(&mut self, change: &impl Fn(Privileges) -> Privileges) {
        self.has = change(self.has);
        self.below.values_mut().for_each(|node| node.change_all(change));
    }

    /// Takes nodes away that say what the ones above them say.
    fn tidy(&mut self) {
        self.below.values_mut().for_each(Node::tidy);
        let names: Vec<Name> = self.below.keys().cloned().collect();
        for name in names {
            let Some(node) = self.below.remove(&name) else { continue };
            // Without it the name would be told of by the next longest beginning, or by this node.
            let above = self.of(&name).map_or(self.has, |node| node.has);
            if !(node.below.is_empty() && node.has == above && self.of(&name).is_none_or(|node| node.below.is_empty())) {
                self.below.insert(name, node);
            }
        }
    }

    /// Whether all of it, down to what has a node of its own, has them.
    fn has_all(&self, wanted: Privileges) -> bool {
        self.has.contains(wanted) && self.below.values().all(|node| node.has_all(wanted))
    }

    fn has_some(&self, wanted: Privileges) -> bool {
        !(self.has & wanted).is_empty() || self.below.values().any(|node| node.has_some(wanted))
    }

    fn at(&self, path: &[Name]) -> (&Node, bool) {
        let mut node = self;
        for name in path {
            match node.of(name) {
                Some(below) => node = below,
                None => return (node, false),
            }
        }
        (node, true)
    }

    fn has(&self, wanted: Privileges, path: &[Name]) -> bool {
        match self.at(path) {
            (node, true) => node.has_all(wanted),
            (node, false) => node.has.contains(wanted),
        }
    }

    fn union(&self, other: &Node) -> Node {
        let mut names: Vec<&Name> = self.below.keys().chain(other.below.keys()).collect();
        names.sort();
        names.dedup();
        let below = names.into_iter().map(|name| {
            let plain = |node: &Node| Node { has: node.has, ..Node::default() };
            let (a, b) = (self.of(name), other.of(name));
            let a = a.cloned().unwrap_or_else(|| plain(self));
            (name.clone(), a.union(&b.cloned().unwrap_or_else(|| plain(other))))
        });
        Node { has: self.has | other.has, below: below.collect() }
    }

    fn walk(&self, path: &mut Vec<Name>, above: Privileges, visit: &mut impl FnMut(&[Name], Privileges, Privileges)) {
        visit(path, above, self.has);
        for (name, node) in &self.below {
            path.push(name.clone());
            // A longer beginning stands on a shorter one.
            let stands_on = self.below.iter().filter(|(known, _)| known.is_prefix && *known != name && known.covers(name));
            let above = stands_on.max_by_key(|(known, _)| known.text.len()).map_or(self.has, |(_, node)| node.has);
            node.walk(path, above, visit);
            path.pop();
        }
    }
}

/// A change of rights against what holds above the object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    pub object: Object,
    pub granted: Privileges,
    pub revoked: Privileges,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rights {
    data: Node,
    names: Node,
}

impl Rights {
    /// Everything.
    pub fn all() -> Rights {
        let mut rights = Rights::default();
        rights.add(Privileges::all(), &Object::EVERYTHING);
        rights
    }

    /// Adds what can be granted on the object.
    pub fn add(&mut self, set: Privileges, object: &Object) {
        self.change(object, set, |has, set| has | set);
    }

    pub fn remove(&mut self, set: Privileges, object: &Object) {
        self.change(object, set, |has, set| has & !set);
    }

    fn change(&mut self, object: &Object, set: Privileges, change: impl Fn(Privileges, Privileges) -> Privileges) {
        let (names, data) = (set & Privileges::of_names(), set & !Privileges::of_names());
        let everything = *object == Object::EVERYTHING;
        if matches!(object, Object::Named(_)) || (everything && !names.is_empty()) {
            let path = if everything { &[] } else { object.path() };
            self.names.change(path, &|has| change(has, names));
            self.names.tidy();
        }
        if matches!(object, Object::Data(_)) {
            let data = data & Privileges::grantable_on(object.level());
            self.data.change(object.path(), &|has| change(has, data));
            self.data.tidy();
        }
    }

    /// Whether all of these may be done to all of the object.
    pub fn has(&self, wanted: Privileges, object: &Object) -> bool {
        let (names, data) = (wanted & Privileges::of_names(), wanted & !Privileges::of_names());
        let has_names = names.is_empty() || {
            let path = if matches!(object, Object::Named(_)) { object.path() } else { &[] };
            self.names.has(names, path)
        };
        let path = if matches!(object, Object::Data(_)) { object.path() } else { &[] };
        has_names && (data.is_empty() || self.data.has(data, path))
    }

    /// Whether any of these may be done to the object or to a part of it.
    pub fn has_some(&self, wanted: Privileges, object: &Object) -> bool {
        let node = if matches!(object, Object::Named(_)) { &self.names } else { &self.data };
        match node.at(object.path()) {
            (node, true) => node.has_some(wanted),
            (node, false) => !(node.has & wanted).is_empty(),
        }
    }

    /// Error: ACCESS_DENIED, which names the user and what is missing.
    pub fn check(&self, user: &str, wanted: Privileges, object: &Object) -> Result<()> {
        match self.has(wanted, object) {
            true => Ok(()),
            false => Err(denied(user, &format!("{wanted} ON {object}"))),
        }
    }

    pub fn union(&self, other: &Rights) -> Rights {
        let mut rights = Rights { data: self.data.union(&other.data), names: self.names.union(&other.names) };
        rights.data.tidy();
        rights.names.tidy();
        rights
    }

    /// What they are, against nothing: the whole before its parts.
    pub fn differences(&self) -> Vec<Difference> {
        let mut all = Vec::new();
        let names_everywhere = self.names.has;
        self.data.walk(&mut Vec::new(), Privileges::NONE, &mut |path, above, has| {
            let has = if path.is_empty() { has | names_everywhere } else { has };
            all.push(Difference { object: Object::Data(path.to_vec()), granted: has & !above, revoked: above & !has });
        });
        self.names.walk(&mut Vec::new(), Privileges::NONE, &mut |path, above, has| {
            if let [name] = path {
                let object = Object::Named(Some(name.clone()));
                all.push(Difference { object, granted: has & !above, revoked: above & !has });
            }
        });
        all.retain(|difference| !(difference.granted.is_empty() && difference.revoked.is_empty()));
        all
    }

    pub fn is_none(&self) -> bool {
        !self.data.has_some(Privileges::all()) && !self.names.has_some(Privileges::all())
    }
}

/// ACCESS_DENIED, as ClickHouse words it. `grant`: what is missing, `SELECT(a) ON db.t`.
pub fn denied(user: &str, grant: &str) -> Error {
    let text = format!("{user}: Not enough privileges. To execute this query, it's necessary to have the grant {grant}");
    Error::new(ErrorCode::ACCESS_DENIED, text)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn set(names: &str) -> Privileges {
        names.split(", ").map(|name| Privileges::named(name).expect("a privilege")).fold(Privileges::NONE, |a, b| a | b)
    }

    #[test]
    fn what_is_granted_on_a_database_holds_for_its_tables() {
        let mut rights = Rights::default();
        rights.add(set("SELECT"), &Object::database("db"));
        assert!(rights.has(set("SELECT"), &Object::column("db", "t", "a")));
        assert!(!rights.has(set("SELECT"), &Object::table("other", "t")));
        assert!(!rights.has(set("SELECT, INSERT"), &Object::table("db", "t")));
        assert!(!rights.has(set("SELECT"), &Object::EVERYTHING));
    }

    #[test]
    fn a_part_can_be_taken_away_again() {
        let mut rights = Rights::default();
        rights.add(set("SELECT"), &Object::EVERYTHING);
        rights.remove(set("SELECT"), &Object::database("secret"));
        rights.add(set("SELECT"), &Object::table("secret", "open"));
        rights.remove(set("SELECT"), &Object::column("secret", "open", "key"));
        assert!(rights.has(set("SELECT"), &Object::table("db", "t")));
        assert!(!rights.has(set("SELECT"), &Object::table("secret", "t")));
        assert!(rights.has(set("SELECT"), &Object::column("secret", "open", "a")));
        assert!(!rights.has(set("SELECT"), &Object::column("secret", "open", "key")));
        assert!(!rights.has(set("SELECT"), &Object::table("secret", "open")));
        assert!(rights.has_some(set("SELECT"), &Object::table("secret", "open")));
        // A later grant of the whole wins.
        rights.add(set("SELECT"), &Object::EVERYTHING);
        assert!(rights.has(set("SELECT"), &Object::EVERYTHING));
        assert_eq!(rights.differences().len(), 1);
    }

    #[test]
    fn the_longest_beginning_counts() {
        let prefix = |text: &str| Object::Data(vec![Name { text: text.to_string(), is_prefix: true }]);
        let mut rights = Rights::default();
        rights.add(set("SELECT, INSERT"), &prefix("log"));
        rights.remove(set("INSERT"), &prefix("log_old"));
        rights.remove(set("SELECT"), &Object::database("logs"));
        assert!(rights.has(set("SELECT, INSERT"), &Object::table("log1", "t")));
        assert!(rights.has(set("SELECT"), &Object::table("log_old_1", "t")));
        assert!(!rights.has(set("INSERT"), &Object::table("log_old_1", "t")));
        assert!(!rights.has(set("SELECT"), &Object::table("logs", "t")));
        assert!(rights.has(set("INSERT"), &Object::table("logs", "t")));
    }

    #[test]
    fn names_of_users_are_no_databases() {
        let mut rights = Rights::default();
        rights.add(set("CREATE USER"), &Object::named("bob"));
        assert!(rights.has(set("CREATE USER"), &Object::named("bob")));
        assert!(!rights.has(set("CREATE USER"), &Object::named("eve")));
        assert!(Rights::all().has(set("CREATE USER, SELECT"), &Object::EVERYTHING));
        assert!(Rights::all().has(set("CREATE USER"), &Object::named("eve")));
    }

    #[test]
    fn roles_add_up() {
        let (mut a, mut b) = (Rights::default(), Rights::default());
        a.add(set("SELECT"), &Object::EVERYTHING);
        a.remove(set("SELECT"), &Object::table("db", "t"));
        b.add(set("SELECT"), &Object::column("db", "t", "a"));
        b.add(set("INSERT"), &Object::database("db"));
        let both = a.union(&b);
        assert!(both.has(set("SELECT"), &Object::column("db", "t", "a")));
        assert!(!both.has(set("SELECT"), &Object::column("db", "t", "b")));
        assert!(both.has(set("SELECT, INSERT"), &Object::table("db", "u")));
        assert!(both.has(set("INSERT"), &Object::table("db", "t")));
    }

    /// Names of which some begin with others.
    fn object() -> impl Strategy<Value = Object> {
        let name = || ("[ab]{1,2}", any::<bool>()).prop_map(|(text, is_prefix)| Name { text, is_prefix });
        (0..4_usize, name(), name(), name()).prop_map(|(depth, database, table, column)| {
            let mut path = [database, table, column][..depth.min(3)].to_vec();
            // Only the last name may be a beginning.
            let last = path.len();
            path.iter_mut().take(last.saturating_sub(1)).for_each(|name| name.is_prefix = false);
            Object::Data(path)
        })
    }

    fn covers(a: &Object, b: &Object) -> bool {
        let (a, b) = (a.path(), b.path());
        a.len() <= b.len() && a.iter().zip(b).all(|(a, b)| a.covers(b))
    }

    proptest! {
        /// A right is there where the last change of all that cover the object gave it.
        #[test]
        fn changes_hold_in_their_order(changes in prop::collection::vec((object(), any::<bool>()), 0..8)) {
            let select = set("SELECT");
            let mut rights = Rights::default();
            for (object, grants) in &changes {
                if *grants { rights.add(select, object) } else { rights.remove(select, object) }
            }
            let names = ["a", "b", "aa", "ab", "ba", "bb", "abc"];
            for (database, table, column) in names.iter().flat_map(|d| names.iter().map(move |t| (d, t, "ab"))) {
                let one = Object::column(database, table, column);
                let last = changes.iter().rev().find(|(object, _)| covers(object, &one));
                prop_assert_eq!(rights.has(select, &one), last.is_some_and(|(_, grants)| *grants), "{:?} {:?}", one, rights);
                prop_assert!(rights.has_some(select, &one) == rights.has(select, &one));
            }
            // What is said of them makes them anew.
            let mut again = Rights::default();
            for difference in rights.differences() {
                again.add(difference.granted, &difference.object);
                again.remove(difference.revoked, &difference.object);
            }
            for (database, table) in names.iter().flat_map(|d| names.iter().map(move |t| (d, t))) {
                let one = Object::column(database, table, "ab");
                prop_assert_eq!(rights.has(select, &one), again.has(select, &one), "{:?}", rights);
            }
        }
    }
}
