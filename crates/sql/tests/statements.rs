//! Each kind of statement, as it is read.

use std::collections::BTreeMap;

use gristmill_base::ErrorCode;
use gristmill_sql::ast::{ColumnChoice, Literal, Node, StarStep};
use gristmill_sql::statement::{
    AlterCommand, InsertColumn, InsertSource, PartName, Place, Property, Statement, TableExpression, TableName, parse,
};

fn read(text: &str) -> Statement {
    parse(text, &BTreeMap::new()).unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn refused(text: &str) -> ErrorCode {
    parse(text, &BTreeMap::new()).expect_err(text).code()
}

#[test]
fn a_query_takes_format_and_settings_in_any_order() {
    for text in ["SELECT 1 FORMAT CSV SETTINGS max_threads = 1", "SELECT 1 SETTINGS max_threads = 1 FORMAT CSV"] {
        let Statement::Select(select) = read(text) else { panic!("{text}") };
        assert_eq!(select.format.as_deref(), Some("CSV"));
        assert_eq!(select.settings, [("max_threads".to_string(), "1".to_string())]);
    }
}

#[test]
fn other_statements_take_a_format_too() {
    let Statement::Shown { statement, after } = read("SHOW CREATE TABLE t FORMAT TSVRaw") else { panic!("no format") };
    assert!(matches!(*statement, Statement::ShowCreateTable(_)));
    assert_eq!(after.format.as_deref(), Some("TSVRaw"));
}

#[test]
fn into_outfile_says_how_the_file_is_made() {
    let text = "SELECT 1 INTO OUTFILE 'a.csv.gz' TRUNCATE COMPRESSION 'gzip' FORMAT CSV";
    let Statement::Select(select) = read(text) else { panic!("no query") };
    let file = select.outfile.expect("INTO OUTFILE");
    assert!(file.truncate && !file.append);
    assert_eq!((file.path.as_str(), file.compression.as_deref()), ("a.csv.gz", Some("gzip")));
    assert!(!file.and_stdout);
    let Statement::Select(select) = read("SELECT 1 INTO OUTFILE 'a' APPEND AND STDOUT") else { panic!("no query") };
    assert!(select.outfile.is_some_and(|file| file.append && file.and_stdout));
}

#[test]
fn insert_takes_rows_queries_and_data() {
    let text = "INSERT INTO d.t (a, b) SETTINGS max_threads = 2 VALUES (1, DEFAULT), (1 + 1, 'x')";
    let Statement::Insert(insert) = read(text) else { panic!("no INSERT") };
    let named = |name: &str| InsertColumn::Named(name.split('.').map(str::to_string).collect());
    assert_eq!(insert.columns, Some(vec![named("a"), named("b")]));
    assert_eq!(insert.column_names(), ["a", "b"]);
    assert_eq!(insert.settings.len(), 1);
    let InsertSource::Values(rows) = insert.source else { panic!("no VALUES") };
    assert_eq!(rows.len(), 2);
    assert_eq!(rows[0][0], Node::Literal(Literal::Integer(1)));

    let Statement::Insert(insert) = read("INSERT INTO t (* EXCEPT (c)) SELECT 1") else { panic!("no INSERT") };
    let Some([InsertColumn::Chosen(star)]) = insert.columns.as_deref() else { panic!("no star") };
    assert_eq!(star.steps, [StarStep::Except { names: vec!["c".to_string()], strict: false }]);
    assert!(insert.column_names().is_empty());

    let Statement::Insert(insert) = read("INSERT INTO t (t.a, * EXCEPT b, f, t.*, t.COLUMNS('x'), ) VALUES (1)") else {
        panic!("no INSERT")
    };
    let columns = insert.columns.expect("columns");
    assert_eq!((&columns[0], &columns[2], columns.len()), (&named("t.a"), &named("f"), 5));
    let InsertColumn::Chosen(star) = &columns[4] else { panic!("no COLUMNS") };
    assert_eq!(
        (&star.qualifier[..], &star.columns),
        (&["t".to_string()][..], &Some(ColumnChoice::Pattern("x".to_string())))
    );
    assert!(gristmill_sql::statement::parse("INSERT INTO t () VALUES (1)", &Default::default()).is_err());

    let Statement::Insert(insert) = read("INSERT INTO t (* EXCEPT (c)) SELECT 1") else { panic!("no INSERT") };
    assert!(matches!(insert.source, InsertSource::Query { .. }));

    let text = "INSERT INTO FUNCTION file('a.csv') WITH x AS (SELECT 1) SELECT * FROM x";
    let Statement::Insert(insert) = read(text) else { panic!("no INSERT") };
    assert!(matches!(insert.target, TableExpression::Function { .. }));

    let Statement::Insert(insert) = read("INSERT INTO t FORMAT JSONEachRow") else { panic!("no INSERT") };
    assert_eq!(insert.source, InsertSource::Data { format: Some("JSONEachRow".to_string()) });
}

#[test]
fn create_table_has_keys_inside_and_outside_of_its_columns() {
    let text = "CREATE TABLE test_s3 (p UInt16, s String DEFAULT 'x', PRIMARY KEY s) ENGINE = MergeTree() PARTITION BY p";
    let Statement::CreateTable(create) = read(text) else { panic!("no CREATE") };
    assert_eq!(create.columns.len(), 2);
    assert_eq!(create.primary_key, Some(vec![Node::Name(vec!["s".to_string()])]));
    assert_eq!(create.partition_by, Some(Node::Name(vec!["p".to_string()])));
    assert_eq!(refused("CREATE TABLE t (a UInt8, a UInt8) ENGINE = Memory"), ErrorCode::ILLEGAL_COLUMN);
    assert_eq!(refused("CREATE TABLE t () ENGINE = Memory"), ErrorCode::SYNTAX_ERROR);
}

#[test]
fn set_takes_numbers_and_texts() {
    let text = "SET max_threads = '8', max_insert_threads = 4, log_comment = 'a b', readonly";
    let Statement::Set(values) = read(text) else { panic!("no SET") };
    let shown: Vec<(&str, &str)> = values.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    assert_eq!(shown, [("max_threads", "8"), ("max_insert_threads", "4"), ("log_comment", "a b"), ("readonly", "1")]);
}

#[test]
fn each_statement_has_its_kind() {
    for (text, kind) in [
        ("WITH 1 AS x SELECT x", "Select"),
        ("EXPLAIN indexes = 1 SELECT 1", "Explain"),
        ("CREATE DATABASE IF NOT EXISTS d ENGINE = Atomic", "Create"),
        ("DROP TABLE IF EXISTS a, b SYNC", "Drop"),
        ("TRUNCATE TABLE a", "Drop"),
        ("RENAME TABLE a TO b, c TO d", "Rename"),
        ("EXCHANGE TABLES a AND b", "Rename"),
        ("DESC (SELECT 1)", "Describe"),
        ("SHOW TABLES FROM d LIKE 'a%'", "Show"),
        ("EXISTS TABLE a", "Exists"),
        ("OPTIMIZE TABLE a PARTITION 1 FINAL DEDUPLICATE", "Optimize"),
        ("ALTER TABLE t ADD COLUMN IF NOT EXISTS a UInt8 DEFAULT 1 + 2 AFTER b, DROP COLUMN c", "Alter"),
        ("DELETE FROM t WHERE a = 1", "Delete"),
        ("DETACH TABLE t", "Detach"),
        ("UNDROP TABLE d.t UUID '12345678-1234-1234-1234-123456789012'", "Undrop"),
        ("DROP TABLE IF EXISTS t NO DELAY", "Drop"),
        ("DETACH VIEW IF EXISTS d.v PERMANENTLY SYNC", "Detach"),
        ("ATTACH TABLE IF NOT EXISTS d.t", "Attach"),
        ("KILL MUTATION WHERE mutation_id = 'mutation_1.txt'", "KillQuery"),
        ("USE d", "Use"),
        ("KILL QUERY WHERE query_id = 'x' SYNC", "KillQuery"),
        ("SYSTEM FLUSH LOGS", "System"),
    ] {
        assert_eq!(read(text).kind(), kind, "{text}");
    }
}

#[test]
fn alter_takes_several_commands_and_keeps_their_text() {
    let text = "ALTER TABLE d.t MODIFY COLUMN a String DEFAULT 'x' CODEC(ZSTD(3)) FIRST, (RENAME COLUMN n.a TO b), \
                MODIFY COLUMN c REMOVE COMMENT, UPDATE e = e + 1 IN PARTITION 3 WHERE f IN (1, 2), RESET SETTING x, y";
    let Statement::Alter { name, commands } = read(text) else { panic!("no ALTER") };
    assert_eq!(name.database.as_deref(), Some("d"));
    let AlterCommand::ModifyColumn { column, place, if_exists: false } = &commands[0] else { panic!("{commands:?}") };
    assert_eq!((column.codec.as_str(), place), ("ZSTD(3)", &Some(Place::First)));
    let rename = AlterCommand::RenameColumn { from: "n.a".to_string(), to: "b".to_string(), if_exists: false };
    assert_eq!(commands[1], rename);
    let remove = AlterCommand::RemoveProperty { name: "c".to_string(), property: Property::Comment, if_exists: false };
    assert_eq!(commands[2], remove);
    assert_eq!(commands[3].text(), "(UPDATE e = e + 1 IN PARTITION 3 WHERE f IN (1, 2))");
    assert_eq!(commands[4], AlterCommand::ResetSetting(vec!["x".to_string(), "y".to_string()]));
    let Statement::Alter { commands, .. } = read("ALTER TABLE t DROP PART 'all_1_1_0', DROP PARTITION ID '3'") else {
        panic!("no ALTER")
    };
    let part = AlterCommand::DropParts { parts: PartName::Part("all_1_1_0".to_string()), detached: false };
    assert_eq!(commands[0], part);
}

#[test]
fn indexes_are_declared_in_create_alter_and_by_themselves() {
    let text = "CREATE TABLE t (a UInt8, INDEX i (lower(s), a % 7) TYPE tokenbf_v1(256, 2, 0) GRANULARITY 4, index UInt8, \
                INDEX j a TYPE minmax) ENGINE = MergeTree ORDER BY a";
    let Statement::CreateTable(create) = read(text) else { panic!("no CREATE") };
    let shown: Vec<_> =
        create.skip_indexes.iter().map(|index| (index.name.as_str(), index.kind.as_str(), index.granularity)).collect();
    assert_eq!(shown, [("i", "tokenbf_v1(256, 2, 0)", 4), ("j", "minmax", 1)]);
    assert_eq!(create.columns.len(), 2);
    let text =
        "ALTER TABLE t ADD INDEX IF NOT EXISTS i a TYPE set(3) AFTER j, CLEAR INDEX i, MATERIALIZE INDEX j IN PARTITION 1";
    let Statement::Alter { commands, .. } = read(text) else { panic!("no ALTER") };
    let AlterCommand::AddIndex { index, place, if_not_exists: true } = &commands[0] else { panic!("{commands:?}") };
    assert_eq!((index.kind.as_str(), place), ("set(3)", &Some(Place::After("j".to_string()))));
    assert_eq!(commands[1].text(), "(CLEAR INDEX i)");
    assert_eq!(commands[2].text(), "(MATERIALIZE INDEX j IN PARTITION 1)");
    let Statement::Alter { commands, .. } = read("CREATE INDEX i ON t (a + 1) TYPE minmax") else { panic!("no ALTER") };
    assert!(matches!(&commands[..], [AlterCommand::AddIndex { .. }]));
    let dropped = AlterCommand::DropIndex { name: "i".to_string(), if_exists: true };
    let Statement::Alter { commands, .. } = read("DROP INDEX IF EXISTS i ON t") else { panic!("no ALTER") };
    assert_eq!(commands, [dropped]);
    assert_eq!(refused("ALTER TABLE t ADD INDEX i a TYPE minmax GRANULARITY 0"), ErrorCode::BAD_ARGUMENTS);
    assert_eq!(refused("ALTER TABLE t ADD INDEX i a"), ErrorCode::SYNTAX_ERROR);
}

#[test]
fn materialized_views_with_what_stands_around_their_query() {
    let text = "CREATE MATERIALIZED VIEW IF NOT EXISTS d.v TO e.t (a Int8, b String) AS SELECT a, b FROM u -- all\n ;";
    let Statement::CreateTable(create) = read(text) else { panic!("no CREATE") };
    assert!(create.materialized && create.if_not_exists && !create.populate);
    assert_eq!(create.to, Some(TableName { database: Some("e".to_string()), table: "t".to_string() }));
    assert_eq!(create.columns.len(), 2);
    assert_eq!(create.view.as_deref(), Some("SELECT a, b FROM u -- all"));
    let text = "CREATE MATERIALIZED VIEW v ENGINE = ReplacingMergeTree(b) ORDER BY a SETTINGS index_granularity = 1 POPULATE \
                AS SELECT a, b FROM u SETTINGS max_threads = 1 COMMENT 'mine'";
    let Statement::CreateTable(create) = read(text) else { panic!("no CREATE") };
    assert!(create.materialized && create.populate && create.to.is_none());
    assert_eq!(create.engine.as_ref().map(|(name, _)| name.as_str()), Some("ReplacingMergeTree"));
    assert_eq!(create.comment, "mine");
    assert_eq!(create.view.as_deref(), Some("SELECT a, b FROM u SETTINGS max_threads = 1"));
    let Statement::Alter { commands, .. } = read("ALTER TABLE v MODIFY QUERY SELECT a\nFROM u WHERE a > 'é;'; ") else {
        panic!("no ALTER")
    };
    let AlterCommand::ModifyQuery { text, .. } = &commands[0] else { panic!("{commands:?}") };
    assert_eq!(text, "SELECT a\nFROM u WHERE a > 'é;'");
}

#[test]
fn projections_are_queries_without_a_table() {
    let Statement::CreateTable(create) = read(
        "CREATE TABLE t (projection UInt8, a Int32, PROJECTION p (SELECT *, a + 1 AS b ORDER BY (a, b)), \
         PROJECTION `q q` (SELECT a, sum(b) GROUP BY a)) ENGINE = MergeTree ORDER BY a",
    ) else {
        panic!("no CREATE")
    };
    let counts: Vec<(&str, usize, usize, usize)> = create
        .projections
        .iter()
        .map(|known| (known.name.as_str(), known.select.len(), known.group_by.len(), known.order_by.len()))
        .collect();
    assert_eq!(counts, [("p", 2, 0, 2), ("q q", 2, 1, 0)]);
    assert_eq!(create.columns.len(), 2);
    let Statement::Alter { commands, .. } = read(
        "ALTER TABLE t ADD PROJECTION IF NOT EXISTS p (SELECT a ORDER BY a) AFTER q, DROP PROJECTION IF EXISTS p, \
         MATERIALIZE PROJECTION p IN PARTITION 1, CLEAR PROJECTION p",
    ) else {
        panic!("no ALTER")
    };
    assert_eq!(commands.len(), 4);
    assert_eq!(commands[2].text(), "(MATERIALIZE PROJECTION p IN PARTITION 1)");
    assert_eq!(refused("ALTER TABLE t ADD PROJECTION p (SELECT a ORDER BY a DESC)"), ErrorCode::SYNTAX_ERROR);
}

#[test]
fn what_is_not_built_says_so() {
    for text in [
        "DETACH DATABASE d PERMANENTLY",
        "ALTER TABLE t ADD PROJECTION p (SELECT a WHERE a > 1 ORDER BY a)",
        "CREATE MATERIALIZED VIEW v REFRESH EVERY 1 HOUR AS SELECT 1",
    ] {
        assert_eq!(refused(text), ErrorCode::NOT_IMPLEMENTED, "{text}");
    }
    for text in ["SELEC 1", "SELECT 1 +", "SELECT (1", "INSERT INTO t VALUES (1", ""] {
        assert_eq!(refused(text), ErrorCode::SYNTAX_ERROR, "{text}");
    }
}
