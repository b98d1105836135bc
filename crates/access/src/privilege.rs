//! The names of what may be granted, those of ClickHouse, and sets of them.
//!
//! `privileges.tsv` declares them all: name, other names, level of the objects that it can be granted on, and the group that it
//! belongs to. A group has no level of its own: it stands for what is in it.

use std::collections::HashMap;
use std::fmt;
use std::ops::{BitAnd, BitOr, Not};
use std::sync::LazyLock;

use gristmill_base::{Error, ErrorCode, Result};

/// What a privilege can be granted on, at the finest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    Global,
    Database,
    Table,
    Column,
    /// One name that is no database: a user, a named collection, an engine.
    Name,
}

/// A privilege, or a group of them.
#[derive(Clone, Debug)]
pub struct Privilege {
    pub name: &'static str,
    pub aliases: Vec<&'static str>,
    /// As `system.privileges` tells it; empty: a group.
    pub level_name: &'static str,
    /// Empty: none.
    pub parent: &'static str,
    /// What it stands for.
    pub set: Privileges,
}

/// A set of privileges. There are fewer than 256.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Privileges([u64; 4]);

struct Known {
    all: Vec<Privilege>,
    by_name: HashMap<String, usize>,
    /// By level.
    of_level: [Privileges; 5],
}

static KNOWN: LazyLock<Known> = LazyLock::new(|| {
    let mut all: Vec<Privilege> = Vec::new();
    let mut of_level = [Privileges::NONE; 5];
    for (bit, line) in include_str!("privileges.tsv").lines().skip(1).enumerate() {
        let mut fields = line.split('\t');
        let mut field = || fields.next().unwrap_or_default();
        let (name, aliases, level_name, parent) = (field(), field(), field(), field());
        let aliases = aliases.split(',').filter(|alias| !alias.is_empty()).collect();
        let mut set = Privileges::NONE;
        if let Some(level) = level(level_name) {
            set.0[bit / 64] |= 1 << (bit % 64);
            of_level[level as usize] = of_level[level as usize] | set;
        }
        all.push(Privilege { name, aliases, level_name, parent, set });
    }
    // What is in a group is in that group's group: three levels at most, and ALL over them.
    for _ in 0..4 {
        let sets: Vec<(&str, Privileges)> = all.iter().map(|privilege| (privilege.parent, privilege.set)).collect();
        for (parent, set) in sets {
            if let Some(group) = all.iter_mut().find(|group| group.name == parent) {
                group.set = group.set | set;
            }
        }
    }
    let mut by_name = HashMap::new();
    for (at, privilege) in all.iter().enumerate() {
        for name in std::iter::once(&privilege.name).chain(&privilege.aliases) {
            by_name.entry(name.to_ascii_uppercase()).or_insert(at);
        }
    }
    Known { all, by_name, of_level }
});

fn level(name: &str) -> Option<Level> {
    Some(match name {
        "" => return None,
        "GLOBAL" => Level::Global,
        "DATABASE" => Level::Database,
        "TABLE" | "VIEW" | "DICTIONARY" => Level::Table,
        "COLUMN" => Level::Column,
        _ => Level::Name,
    })
}

/// All that there are, groups among them, in the order of `system.privileges`.
pub fn all() -> &'static [Privilege] {
    &KNOWN.all
}

impl Privileges {
    pub const NONE: Privileges = Privileges([0; 4]);

    /// What a name stands for, in any case. Error: SYNTAX_ERROR.
    pub fn named(name: &str) -> Result<Privileges> {
        Self::known(name).ok_or_else(|| {
            let text = format!("There is no privilege {name}: SELECT privilege FROM system.privileges has them all");
            Error::new(ErrorCode::SYNTAX_ERROR, text)
        })
    }

    pub fn known(name: &str) -> Option<Privileges> {
        KNOWN.by_name.get(&name.to_ascii_uppercase()).map(|at| KNOWN.all[*at].set)
    }

    /// Whether a name begins the name of some privilege: more words may follow.
    pub fn is_beginning(name: &str) -> bool {
        let name = name.to_ascii_uppercase();
        KNOWN
            .by_name
            .keys()
            .any(|known| known.strip_prefix(&name).is_some_and(|rest| rest.is_empty() || rest.starts_with(' ')))
    }

    pub fn all() -> Privileges {
        KNOWN.of_level.iter().fold(Privileges::NONE, |all, set| all | *set)
    }

    /// Those whose objects are names and not databases.
    pub fn of_names() -> Privileges {
        KNOWN.of_level[Level::Name as usize]
    }

    /// Those that can be granted on an object of this level.
    pub fn grantable_on(level: Level) -> Privileges {
        match level {
            Level::Name => Privileges::of_names(),
            Level::Global => Privileges::all(),
            level => {
                let finer = [Level::Database, Level::Table, Level::Column].into_iter().filter(|finer| *finer >= level);
                finer.fold(Privileges::NONE, |set, finer| set | KNOWN.of_level[finer as usize])
            }
        }
    }

    pub fn is_empty(self) -> bool {
        self == Privileges::NONE
    }

    pub fn contains(self, other: Privileges) -> bool {
        other & !self == Privileges::NONE
    }

    /// The fewest names that stand for the set, groups where all of them is in it.
    pub fn names(self) -> Vec<&'static str> {
        if self == Privileges::all() {
            return vec!["ALL"];
        }
        let whole = |privilege: &Privilege| !privilege.set.is_empty() && self.contains(privilege.set);
        let within = |mut parent: &str| {
            while let Some(group) = KNOWN.all.iter().find(|group| group.name == parent) {
                if whole(group) {
                    return true;
                }
                parent = group.parent;
            }
            false
        };
        KNOWN.all.iter().filter(|privilege| whole(privilege) && !within(privilege.parent)).map(|one| one.name).collect()
    }
}

impl BitOr for Privileges {
    type Output = Privileges;

    fn bitor(self, other: Privileges) -> Privileges {
        Privileges(std::array::from_fn(|at| self.0[at] | other.0[at]))
    }
}

impl BitAnd for Privileges {
    type Output = Privileges;

    fn bitand(self, other: Privileges) -> Privileges {
        Privileges(std::array::from_fn(|at| self.0[at] & other.0[at]))
    }
}

impl Not for Privileges {
    type Output = Privileges;

    /// Bits that no privilege has may be set in the result.
    fn not(self) -> Privileges {
        Privileges(self.0.map(|word| !word))
    }
}

impl fmt::Display for Privileges {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.is_empty() {
            true => f.write_str("USAGE"),
            false => f.write_str(&self.names().join(", ")),
        }
    }
}

impl fmt::Debug for Privileges {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(name: &str) -> Privileges {
        Privileges::named(name).expect("a privilege")
    }

    #[test]
    fn a_group_is_what_is_in_it() {
        assert!(named("ALTER").contains(named("ALTER ADD COLUMN")));
        assert!(named("alter table").contains(named("UPDATE")));
        assert!(!named("ALTER TABLE").contains(named("ALTER VIEW MODIFY QUERY")));
        assert_eq!(named("ALL PRIVILEGES"), Privileges::all());
        assert!(named("USAGE").is_empty());
        assert!(Privileges::named("FLY").is_err());
    }

    #[test]
    fn sets_are_told_by_the_fewest_names() {
        assert_eq!((named("SHOW") | named("SELECT")).to_string(), "SHOW, SELECT");
        let show = named("SHOW") & !named("SHOW TABLES");
        assert_eq!(show.to_string(), "SHOW DATABASES, SHOW COLUMNS, SHOW DICTIONARIES");
        assert_eq!(Privileges::all().to_string(), "ALL");
    }

    #[test]
    fn what_can_be_granted_follows_the_object() {
        assert!(Privileges::grantable_on(Level::Table).contains(named("SELECT")));
        assert!(!Privileges::grantable_on(Level::Table).contains(named("CREATE DATABASE")));
        assert!(!Privileges::grantable_on(Level::Database).contains(named("SYSTEM RELOAD CONFIG")));
        assert!(Privileges::grantable_on(Level::Name).contains(named("CREATE USER")));
        assert!(Privileges::is_beginning("ALTER MODIFY"));
        assert!(!Privileges::is_beginning("ALTER MODI"));
    }
}
