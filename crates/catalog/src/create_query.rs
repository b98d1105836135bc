//! A definition as a statement again, in ClickHouse's own layout: on many lines for SHOW CREATE TABLE, on one line for
//! `create_table_query` of `system.tables`. Credentials in the engine's arguments are hidden (A-1).

use gristmill_types::sql_type::{quote, quote_backticks, quote_identifier};
use gristmill_types::{Column, DefaultKind};

use crate::databases::{DatabaseInfo, full_name};
use crate::definition::{ConstraintDefinition, EngineSpec, SkipIndexDefinition, TableDefinition, direction};
use crate::materialized_view::{MaterializedView, ViewTarget};

/// The text of SHOW CREATE TABLE. `query`: that of a view as it is to be shown, where it is not to be as it was written.
pub fn create_query(definition: &TableDefinition, query: Option<&str>) -> String {
    statement(definition, query, "\n", "\n    ", "\n")
}

/// The same on one line.
pub fn create_query_line(definition: &TableDefinition, query: Option<&str>) -> String {
    statement(definition, query, " ", " ", "")
}

/// The text of SHOW CREATE DATABASE.
pub fn create_database_query(database: &DatabaseInfo) -> String {
    let mut text = format!("CREATE DATABASE {}\nENGINE = {}", quote_identifier(&database.name), database.engine());
    if !database.comment.is_empty() {
        text.push_str(&format!("\nCOMMENT {}", quote(&database.comment)));
    }
    text
}

/// `MergeTree ORDER BY a SETTINGS index_granularity = 8192`: the column of `system.tables`.
pub fn engine_full(definition: &TableDefinition) -> String {
    let is_view = definition.materialized_view().is_some() || definition.view_query().is_some();
    let is_of_server = definition.engine.name.starts_with("System");
    if is_view || is_of_server || definition.function_call().is_some() {
        return String::new();
    }
    gristmill_base::redact::statement(&clauses(definition, &definition.engine, " "))
}

/// The elements of a key as `sorting_key` of `system.tables` lists them: `a, toDate(b)`. `written`: the whole key. Parentheses
/// around a single element are shown.
pub fn key_text(key: &[String], written: Option<&str>) -> String {
    match (key, written) {
        ([_], Some(written)) if written.starts_with('(') => written.to_string(),
        _ => key.iter().map(|key| direction(key).0).collect::<Vec<_>>().join(", "),
    }
}

fn statement(definition: &TableDefinition, query: Option<&str>, between: &str, indent: &str, edge: &str) -> String {
    let columns: Vec<String> = definition
        .columns
        .iter()
        .map(|column| self::column(column, definition, edge.is_empty()))
        .chain(definition.skip_indexes.iter().map(skip_index))
        .chain(definition.constraints.iter().map(constraint))
        .chain(definition.projections.iter().map(|projection| projection.declared(!edge.is_empty())))
        .collect();
    let temporary = if definition.temporary { "TEMPORARY " } else { "" };
    let view = definition.materialized_view();
    let what = match (&view, definition.view_query()) {
        (Some(_), _) => "MATERIALIZED VIEW",
        (None, Some(_)) => "VIEW",
        (None, None) => "TABLE",
    };
    let name = match definition.temporary {
        // Where it lies is nobody's business: it is found by its name alone.
        true => quote_identifier(&definition.name),
        false => full_name(&definition.database, &definition.name),
    };
    let mut text = format!("CREATE {temporary}{what} {name}");
    if let Some(MaterializedView { target: ViewTarget::Table(database, name), .. }) = &view {
        text.push_str(&format!(" TO {}", full_name(database, name)));
    }
    // Those of a view with parameters are known only when it is called.
    let has_columns = !columns.is_empty();
    if has_columns {
        text.push_str(&format!("{between}("));
    }
    for (i, column) in columns.iter().enumerate() {
        text.push_str(match (i, edge) {
            (0, "") => "",
            (0, _) => indent,
            _ => ",",
        });
        if i > 0 {
            text.push_str(indent);
        }
        text.push_str(column);
    }
    if has_columns {
        text.push_str(&format!("{edge})"));
    }
    match &view {
        Some(MaterializedView { target: ViewTarget::Inner(engine), .. }) => {
            text.push_str(&format!("{between}ENGINE = {}", clauses(definition, engine, between)));
        }
        None if definition.function_call().is_some() => {
            text.push_str(&format!(" AS {}", definition.function_call().unwrap_or_default()));
        }
        None if definition.view_query().is_none() => {
            text.push_str(&format!("{between}ENGINE = {}", clauses(definition, &definition.engine, between)));
        }
        _ => {}
    }
    let comment = match definition.comment.is_empty() {
        true => String::new(),
        false => format!("{between}COMMENT {}", quote(&definition.comment)),
    };
    text.push_str(&comment);
    if let Some(query) = query.or(definition.select_text()) {
        text.push_str(&format!("{between}AS {query}"));
    }
    gristmill_base::redact::statement(&text)
}

/// `INDENT`, and one more for each tuple that a type is in.
const INDENT: &str = "    ";

/// A type with the elements of tuples on lines of their own, where there are several.
fn laid_out(kind: &str) -> String {
    let mut out = String::with_capacity(kind.len());
    // Of each open parenthesis whether it is that of such a tuple.
    let mut open: Vec<bool> = Vec::new();
    let mut quote = None;
    let mut chars = kind.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        out.push(c);
        let line = |out: &mut String, open: &[bool]| {
            let depth = 1 + open.iter().filter(|tuple| **tuple).count();
            out.push_str(&format!("\n{}", INDENT.repeat(depth)));
        };
        match (quote, c) {
            (Some(_), '\\') => out.extend(chars.next().map(|(_, escaped)| escaped)),
            (Some(end), _) if c == end => quote = None,
            (None, '\'' | '`') => quote = Some(c),
            (None, '(') => {
                let before = kind[..at].trim_end_matches(char::is_alphanumeric);
                let is_tuple = &kind[before.len()..at] == "Tuple" && has_several(&kind[at + 1..]);
                open.push(is_tuple);
                if is_tuple {
                    line(&mut out, &open);
                }
            }
            (None, ')') => {
                open.pop();
            }
            (None, ',') if open.last() == Some(&true) => {
                chars.next_if(|(_, next)| *next == ' ');
                line(&mut out, &open);
            }
            _ => {}
        }
    }
    out
}

/// Whether the parentheses that opened before this text have a comma of their own.
pub(crate) fn has_several(rest: &str) -> bool {
    let (mut depth, mut quote) = (0, None);
    let mut chars = rest.chars();
    while let Some(c) = chars.next() {
        match (quote, c) {
            (Some(_), '\\') => {
                chars.next();
            }
            (Some(end), _) if c == end => quote = None,
            (None, '\'' | '`') => quote = Some(c),
            (None, '(') => depth += 1,
            (None, ')') if depth == 0 => return false,
            (None, ')') => depth -= 1,
            (None, ',') if depth == 0 => return true,
            _ => {}
        }
    }
    false
}

fn column(column: &Column, definition: &TableDefinition, one_line: bool) -> String {
    let kind = column.kind.to_string();
    let kind = if one_line { kind } else { laid_out(&kind) };
    let mut text = format!("{} {kind}", quote_backticks(&column.name));
    if let Some((kind, expression)) = &column.default {
        text.push_str(&format!(" {}", kind.name()));
        // EPHEMERAL may have none.
        if *kind != DefaultKind::Ephemeral || !expression.is_empty() {
            text.push_str(&format!(" {expression}"));
        }
    }
    if !column.comment.is_empty() {
        text.push_str(&format!(" COMMENT {}", quote(&column.comment)));
    }
    if !column.codec.is_empty() {
        text.push_str(&format!(" CODEC({})", column.codec));
    }
    if !column.statistics.is_empty() {
        text.push_str(&format!(" STATISTICS({})", column.statistics.join(", ")));
    }
    if let Some(ttl) = definition.ttl.columns.get(&column.name) {
        text.push_str(&format!(" TTL {ttl}"));
    }
    if !column.settings.is_empty() {
        let settings: Vec<String> =
            column.settings.iter().map(|(name, value)| format!("{name} = {}", setting(value))).collect();
        text.push_str(&format!(" SETTINGS ({})", settings.join(", ")));
    }
    text
}

fn skip_index(index: &SkipIndexDefinition) -> String {
    let SkipIndexDefinition { name, expression, kind, granularity, .. } = index;
    format!("INDEX {} {expression} TYPE {kind} GRANULARITY {granularity}", quote_identifier(name))
}

fn constraint(constraint: &ConstraintDefinition) -> String {
    let ConstraintDefinition { name, kind, expression } = constraint;
    format!("CONSTRAINT {} {} {expression}", quote_identifier(name), kind.name())
}

fn clauses(definition: &TableDefinition, engine: &EngineSpec, between: &str) -> String {
    // `Null` is a word of the language.
    let mut text = quote_identifier(&engine.name);
    if definition.view_query().is_some() {
        return text;
    }
    if !engine.arguments.is_empty() {
        text.push_str(&format!("({})", engine.arguments.join(", ")));
    }
    let merge_tree = engine.name.ends_with("MergeTree");
    let written = &definition.written_keys;
    if let Some(partition) = written.partition_by.as_ref().or(definition.partition_by.as_ref()) {
        text.push_str(&format!("{between}PARTITION BY {partition}"));
    }
    let sorted_by = definition.order_by.iter().map(|key| direction(key).0);
    // Without words about it, it is the sorting key.
    let is_sorting_key = sorted_by.eq(definition.primary_key.iter().map(String::as_str));
    if merge_tree && (written.primary_key.is_some() || !is_sorting_key) {
        let primary = written.primary_key.clone().unwrap_or_else(|| key_clause(&definition.primary_key));
        text.push_str(&format!("{between}PRIMARY KEY {primary}"));
    }
    if merge_tree || !definition.order_by.is_empty() {
        let sorting = written.order_by.clone().unwrap_or_else(|| key_clause(&definition.order_by));
        text.push_str(&format!("{between}ORDER BY {sorting}"));
    }
    if let Some(expression) = written.sample_by.as_ref().or(definition.sample_by.as_ref()) {
        text.push_str(&format!("{between}SAMPLE BY {expression}"));
    }
    if !definition.ttl.rules.is_empty() {
        text.push_str(&format!("{between}TTL {}", definition.ttl.clause()));
    }
    let mut settings: Vec<String> =
        definition.settings.iter().map(|(name, value)| format!("{name} = {}", setting(value))).collect();
    if merge_tree && !definition.temporary && !definition.settings.contains_key("index_granularity") {
        settings.push("index_granularity = 8192".to_string());
    }
    if !settings.is_empty() {
        text.push_str(&format!("{between}SETTINGS {}", settings.join(", ")));
    }
    text
}

/// A key as a statement has it.
pub fn key_clause(key: &[String]) -> String {
    match key {
        [] => "tuple()".to_string(),
        [one] => one.clone(),
        several if several.iter().any(|key| direction(key).1) => format!("tuple({})", several.join(", ")),
        several => format!("({})", several.join(", ")),
    }
}

/// A value as a definition shows it.
pub(crate) fn setting(value: &str) -> String {
    let is_bare = value.parse::<f64>().is_ok() || matches!(value, "true" | "false");
    if is_bare { value.to_string() } else { quote(value) }
}

#[cfg(test)]
mod tests {
    use gristmill_types::{Columns, SqlType};

    use super::*;
    use crate::definition::tests::definition;

    fn example() -> TableDefinition {
        let mut columns = vec![
            Column::new("a", SqlType::Int32),
            Column::new("b c", SqlType::String),
            Column::new("d", SqlType::Date),
            Column::new("f", SqlType::UInt8),
        ];
        columns[1].default = Some((DefaultKind::Default, "'x'".into()));
        columns[1].comment = "it's".into();
        columns[1].codec = "ZSTD(1)".into();
        columns[2].default = Some((DefaultKind::Materialized, "today()".into()));
        columns[3].default = Some((DefaultKind::Ephemeral, String::new()));
        let mut table = definition("default", "t", "MergeTree");
        table.columns = Columns::new(columns);
        table.partition_by = Some("toYYYYMM(d)".into());
        table.primary_key = vec!["a".into()];
        table.order_by = vec!["a".into(), "`b c`".into()];
        table.settings.insert("min_bytes_for_wide_part".into(), "1".into());
        table.comment = "hello".into();
        table
    }

    #[test]
    fn a_table_reads_as_clickhouse_shows_it() {
        let text = "CREATE TABLE default.t\n(\n    `a` Int32,\n    \
                    `b c` String DEFAULT 'x' COMMENT 'it\\'s' CODEC(ZSTD(1)),\n    \
                    `d` Date MATERIALIZED today(),\n    `f` UInt8 EPHEMERAL\n)\n\
                    ENGINE = MergeTree\nPARTITION BY toYYYYMM(d)\nPRIMARY KEY a\nORDER BY (a, `b c`)\n\
                    SETTINGS min_bytes_for_wide_part = 1, index_granularity = 8192\nCOMMENT 'hello'";
        assert_eq!(create_query(&example(), None), text);
    }

    #[test]
    fn indexes_stand_behind_the_columns() {
        let mut table = definition("default", "t", "MergeTree");
        for (name, expression, kind) in [("a b", "(a, lower(b))", "set(100)"), ("i", "(a + 1) * (b)", "minmax")] {
            table.skip_indexes.push(SkipIndexDefinition {
                name: name.into(),
                expression: expression.into(),
                kind: kind.into(),
                granularity: 2,
                key: name.into(),
            });
        }
        let text = "CREATE TABLE default.t\n(\n    `a` Int32,\n    INDEX `a b` (a, lower(b)) TYPE set(100) GRANULARITY 2,\n    \
                    INDEX i (a + 1) * (b) TYPE minmax GRANULARITY 2\n)\nENGINE = MergeTree\nORDER BY tuple()\n\
                    SETTINGS index_granularity = 8192";
        assert_eq!(create_query(&table, None), text);
        let elements: Vec<&str> = table.skip_indexes.iter().map(SkipIndexDefinition::elements).collect();
        assert_eq!(elements, ["a, lower(b)", "(a + 1) * (b)"]);
        assert_eq!(table.skip_indexes[0].kind_name(), "set");
    }

    #[test]
    fn on_one_line_for_system_tables() {
        assert_eq!(
            create_query_line(&example(), None),
            "CREATE TABLE default.t (`a` Int32, `b c` String DEFAULT 'x' COMMENT 'it\\'s' CODEC(ZSTD(1)), \
             `d` Date MATERIALIZED today(), `f` UInt8 EPHEMERAL) ENGINE = MergeTree PARTITION BY toYYYYMM(d) \
             PRIMARY KEY a ORDER BY (a, `b c`) SETTINGS min_bytes_for_wide_part = 1, index_granularity = 8192 \
             COMMENT 'hello'"
        );
        assert_eq!(
            engine_full(&example()),
            "MergeTree PARTITION BY toYYYYMM(d) PRIMARY KEY a ORDER BY (a, `b c`) \
             SETTINGS min_bytes_for_wide_part = 1, index_granularity = 8192"
        );
    }

    #[test]
    fn elements_of_tuples_have_lines_of_their_own() {
        for (kind, shown) in [
            ("Tuple(UInt8)", "Tuple(UInt8)"),
            (
                "Array(Tuple(x UInt8, y Tuple(Decimal(9, 2), String)))",
                "Array(Tuple(\n        x UInt8,\n        y Tuple(\n            Decimal(9, 2),\n            String)))",
            ),
            (
                "Tuple(`a, b` Enum8('x(,\\'' = 1, 'Tuple(' = 2), d UInt8)",
                "Tuple(\n        `a, b` Enum8('x(,\\'' = 1, 'Tuple(' = 2),\n        d UInt8)",
            ),
            ("Map(String, UInt8)", "Map(String, UInt8)"),
        ] {
            assert_eq!(laid_out(kind), shown);
        }
    }

    #[test]
    fn keys_and_settings_are_shown_as_they_were_written() {
        let mut table = definition("default", "t", "MergeTree");
        (table.order_by, table.primary_key) = (vec!["a".into()], vec!["a".into()]);
        table.partition_by = Some("a".into());
        table.written_keys.partition_by = Some("(a)".into());
        table.written_keys.order_by = Some("tuple(a)".into());
        for (name, value) in [("ttl_only_drop_parts", "true"), ("index_granularity", "8192"), ("allow_nullable_key", "1")] {
            table.settings.insert(name.into(), value.into());
        }
        let settings = "SETTINGS ttl_only_drop_parts = true, index_granularity = 8192, allow_nullable_key = 1";
        assert_eq!(engine_full(&table), format!("MergeTree PARTITION BY (a) ORDER BY tuple(a) {settings}"));
        assert_eq!(key_text(&table.order_by, table.written_keys.order_by.as_deref()), "a");
        (table.written_keys.order_by, table.written_keys.primary_key) = (Some("(a)".into()), Some("a".into()));
        assert_eq!(engine_full(&table), format!("MergeTree PARTITION BY (a) PRIMARY KEY a ORDER BY (a) {settings}"));
        assert_eq!(key_text(&table.order_by, table.written_keys.order_by.as_deref()), "(a)");
        table.settings.clear();
        table.temporary = true;
        assert_eq!(engine_full(&table), "MergeTree PARTITION BY (a) PRIMARY KEY a ORDER BY (a)");
    }

    #[test]
    fn a_primary_key_of_nothing_is_shown() {
        let mut table = definition("default", "t", "MergeTree");
        table.order_by = vec!["a".into()];
        assert_eq!(engine_full(&table), "MergeTree PRIMARY KEY tuple() ORDER BY a SETTINGS index_granularity = 8192");
    }

    #[test]
    fn an_empty_key_is_tuple_and_other_engines_have_none() {
        let mut table = definition("default", "r", "ReplacingMergeTree");
        table.engine.arguments = vec!["v".into()];
        assert_eq!(engine_full(&table), "ReplacingMergeTree(v) ORDER BY tuple() SETTINGS index_granularity = 8192");
        assert_eq!(
            create_query(&definition("default", "select", "Memory"), None),
            "CREATE TABLE default.`select`\n(\n    `a` Int32\n)\nENGINE = Memory"
        );
    }

    #[test]
    fn keys_of_a_bucket_are_not_shown() {
        let mut table = definition("default", "t", "S3");
        table.engine.arguments = vec!["'http://h/b/x.csv'".into(), "'id'".into(), "'se%cret'".into(), "'CSV'".into()];
        let text = create_query(&table, None);
        assert!(text.contains("ENGINE = S3('http://h/b/x.csv', 'id', '[HIDDEN]', 'CSV')"), "{text}");
    }

    #[test]
    fn a_materialized_view_is_shown_with_its_target_or_with_its_engine() {
        let mut view = definition("d", "v", "");
        (view.order_by, view.primary_key) = (vec!["a".into()], vec!["a".into()]);
        let mut kept = MaterializedView {
            query: "SELECT a FROM d.t".into(),
            database: "d".into(),
            source: ("d".into(), "t".into()),
            target: ViewTarget::Inner(EngineSpec { name: "ReplacingMergeTree".into(), arguments: vec!["a".into()] }),
        };
        view.engine = kept.spec();
        assert_eq!(
            create_query(&view, None),
            "CREATE MATERIALIZED VIEW d.v\n(\n    `a` Int32\n)\nENGINE = ReplacingMergeTree(a)\nORDER BY a\n\
             SETTINGS index_granularity = 8192\nAS SELECT a FROM d.t"
        );
        kept.target = ViewTarget::Table("d".into(), "target".into());
        view.engine = kept.spec();
        view.comment = "c".into();
        assert_eq!(
            create_query_line(&view, None),
            "CREATE MATERIALIZED VIEW d.v TO d.target (`a` Int32) COMMENT 'c' AS SELECT a FROM d.t"
        );
        assert_eq!(engine_full(&view), "");
    }
}
