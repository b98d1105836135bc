//! Rights that follow from others, as in ClickHouse.
//!
//! Some do on the same object: who may make tables may make views. Others are of what lies above: who may read a column may see its
//! table and its database. The first hold for every statement. The second are listed for people; whether somebody may know of an
//! object is asked of what was granted itself, because a right to see that a database is there must not show all of its tables.

use std::sync::LazyLock;

use super::{Node, Rights};
use crate::privilege::{self, Level, Privileges};

/// Any of the first brings the second.
const FOLLOWING: &[(&str, &str)] = &[
    ("CREATE TABLE", "CREATE VIEW"),
    ("DROP TABLE", "DROP VIEW"),
    ("ALTER TABLE", "ALTER VIEW"),
    ("ALTER TTL", "ALTER MATERIALIZE TTL"),
];

/// Databases, their tables, columns of those.
const LEVELS: [Level; 4] = [Level::Global, Level::Database, Level::Table, Level::Column];

struct Sets {
    following: Vec<(Privileges, Privileges)>,
    of_columns: Privileges,
    of_tables: Privileges,
    of_dictionaries: Privileges,
    of_databases: Privileges,
}

static SETS: LazyLock<Sets> = LazyLock::new(|| {
    let of = |levels: &[&str]| {
        let all = privilege::all().iter().filter(|privilege| levels.contains(&privilege.level_name));
        all.fold(Privileges::NONE, |set, privilege| set | privilege.set)
    };
    Sets {
        following: FOLLOWING.iter().map(|(first, second)| (named(first), named(second))).collect(),
        of_columns: of(&["COLUMN"]),
        of_tables: of(&["TABLE", "VIEW"]),
        of_dictionaries: of(&["DICTIONARY"]),
        of_databases: of(&["DATABASE"]),
    }
});

fn named(name: &str) -> Privileges {
    Privileges::known(name).unwrap_or(Privileges::NONE)
}

fn has_any(has: Privileges, wanted: Privileges) -> bool {
    !(has & wanted).is_empty()
}

fn grantable(depth: usize) -> Privileges {
    LEVELS.get(depth).map_or(Privileges::NONE, |level| Privileges::grantable_on(*level))
}

/// What the rights on an object bring on the same object.
fn following(has: Privileges, depth: usize) -> Privileges {
    let found = SETS.following.iter().filter(|(first, _)| has_any(has, *first));
    let mut has = found.fold(has, |all, (_, second)| all | *second);
    if depth <= 2 && has.contains(named("SELECT") | named("ALTER DELETE")) {
        has = has | named("ALTER MOVE PARTITION");
    }
    has
}

impl Node {
    fn follow(&mut self, depth: usize) {
        self.has = self.has | (following(self.has, depth) & grantable(depth));
        self.below.values_mut().for_each(|node| node.follow(depth + 1));
    }

    /// Gives what there is here and below.
    fn imply(&mut self, depth: usize) -> Privileges {
        let below = self.below.values_mut().fold(Privileges::NONE, |all, node| all | node.imply(depth + 1));
        let mut has = following(self.has, depth);
        let everywhere = has | below;
        if depth == 0 && has_any(everywhere, named("CREATE TABLE")) {
            has = has | named("CREATE ARBITRARY TEMPORARY TABLE");
        }
        if depth == 0 && has_any(everywhere, named("CREATE VIEW")) {
            has = has | named("CREATE TEMPORARY VIEW");
        }
        if depth == 0 && has_any(has, named("SYSTEM RELOAD DICTIONARY")) {
            has = has | named("SYSTEM RELOAD EMBEDDED DICTIONARIES");
        }
        let show_columns = named("SHOW COLUMNS");
        if has_any(has, SETS.of_columns) {
            has = has | show_columns;
        }
        let sees_columns = depth <= 2 && has_any(has, show_columns) || depth == 2 && has_any(below, show_columns);
        if sees_columns || has_any(has, SETS.of_tables) {
            has = has | named("SHOW TABLES");
        }
        if has_any(has, SETS.of_dictionaries) {
            has = has | named("SHOW DICTIONARIES");
        }
        let show_tables = named("SHOW TABLES") | named("SHOW DICTIONARIES");
        let sees_tables = depth <= 1 && has_any(has, show_tables) || depth == 1 && has_any(below, show_tables);
        if sees_tables || has_any(has, SETS.of_databases) {
            has = has | named("SHOW DATABASES");
        }
        self.has = self.has | (has & grantable(depth));
        // What cannot be granted on a part holds for it all the same: it is no difference.
        let whole = self.has & !grantable(depth + 1);
        self.below.values_mut().for_each(|node| node.inherit(whole));
        self.has | below
    }

    fn inherit(&mut self, set: Privileges) {
        self.has = self.has | set;
        self.below.values_mut().for_each(|node| node.inherit(set));
    }
}

impl Rights {
    /// With those that follow on the same objects.
    pub fn with_following(mut self) -> Rights {
        self.data.follow(0);
        self.data.tidy();
        self
    }

    /// With all that follow.
    pub fn with_implied(mut self) -> Rights {
        self.data.imply(0);
        self.data.tidy();
        self
    }
}

#[cfg(test)]
mod tests {
    use super::super::Object;
    use super::*;
    use crate::grant::Granted;

    fn shown(rights: &[(&str, Object)], revoked: &[(&str, Object)]) -> Vec<String> {
        let mut granted = Granted::default();
        rights.iter().for_each(|(name, object)| granted.rights.add(named(name), object));
        revoked.iter().for_each(|(name, object)| granted.rights.remove(named(name), object));
        granted.rights = granted.rights.with_implied();
        granted.statements("a")
    }

    #[test]
    fn who_reads_sees_what_is_above() {
        let of_database = shown(&[("SELECT", Object::database("d"))], &[]);
        assert_eq!(of_database, ["GRANT SHOW DATABASES, SHOW TABLES, SHOW COLUMNS, SELECT ON d.* TO a"]);
        let of_column = shown(&[("SELECT", Object::column("d", "t", "x"))], &[]);
        assert_eq!(
            of_column,
            ["GRANT SHOW DATABASES ON d.* TO a", "GRANT SHOW TABLES, SELECT(x), SHOW COLUMNS(x) ON d.t TO a"]
        );
        let of_table = shown(&[("INSERT", Object::table("d", "t"))], &[]);
        assert_eq!(of_table, ["GRANT SHOW DATABASES ON d.* TO a", "GRANT SHOW TABLES, SHOW COLUMNS, INSERT ON d.t TO a"]);
    }

    #[test]
    fn what_was_taken_away_brings_nothing() {
        let lines = shown(&[("SELECT", Object::EVERYTHING)], &[("SELECT", Object::database("secret"))]);
        assert_eq!(
            lines,
            [
                "GRANT SHOW DATABASES, SHOW TABLES, SHOW COLUMNS, SELECT ON *.* TO a",
                "REVOKE SHOW DATABASES, SHOW TABLES, SHOW COLUMNS, SELECT ON secret.* FROM a"
            ]
        );
        assert_eq!(Rights::all().with_implied(), Rights::all());
        assert_eq!(Rights::default().with_implied(), Rights::default());
    }

    #[test]
    fn who_makes_tables_makes_views() {
        let mut rights = Rights::default();
        rights.add(named("CREATE TABLE"), &Object::database("d"));
        rights.add(named("ALTER UPDATE"), &Object::table("d", "t"));
        let rights = rights.with_following();
        assert!(rights.has(named("CREATE VIEW"), &Object::table("d", "v")));
        assert!(!rights.has(named("CREATE VIEW"), &Object::table("other", "v")));
        assert!(rights.has(named("ALTER VIEW"), &Object::table("d", "t")));
        assert!(!rights.has(named("ALTER VIEW"), &Object::table("d", "u")));
        // Nothing above becomes visible by it.
        assert!(!rights.has_some(named("SHOW DATABASES"), &Object::database("d")));
    }
}
