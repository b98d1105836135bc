//! Settings of ClickHouse's that change nothing here: their names, types and defaults, as ClickHouse 26.9 tells them.
//!
//! Scripts, drivers and definitions of tables carry hundreds of them, mostly advice on how to be fast. A name that
//! ClickHouse has is taken, and its value checked by the type; a name that nobody has is an error.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use gristmill_base::{Error, ErrorCode, Result};

use crate::settings::{SettingInfo, SettingValue, bad_value};

#[derive(Debug)]
pub struct Setting {
    pub name: &'static str,
    pub kind: &'static str,
    pub default: String,
    /// The name that it is another one of.
    pub alias_for: Option<&'static str>,
}

/// By name, from lines `name, type, default, the name that it is an alias of`, with tabs between.
pub struct WithoutEffect(BTreeMap<&'static str, Setting>);

impl WithoutEffect {
    pub fn read(lines: &'static str) -> Self {
        let setting = |line: &'static str| {
            let mut cells = line.split('\t');
            let (name, kind) = (cells.next()?, cells.next()?);
            let default = cells.next().unwrap_or_default().replace("\\t", "\t").replace("\\n", "\n");
            Some((name, Setting { name, kind, default, alias_for: cells.next() }))
        };
        WithoutEffect(lines.lines().filter_map(setting).collect())
    }

    pub fn get(&self, name: &str) -> Option<&Setting> {
        self.0.get(name)
    }

    pub fn infos(&self, description: &'static str) -> impl Iterator<Item = SettingInfo> {
        self.0.values().map(move |setting| SettingInfo {
            name: setting.name,
            kind: setting.kind,
            default: setting.default.clone(),
            description,
            no_effect: true,
            alias_for: setting.alias_for,
        })
    }
}

/// Those of queries.
pub static OF_QUERIES: LazyLock<WithoutEffect> = LazyLock::new(|| WithoutEffect::read(include_str!("without_effect.tsv")));

/// They would leave rows out of a result: who sets one must not get the others.
const CHANGE_ROWS: &[&str] = &["parallel_replicas_custom_key"];

/// Settings whose values are words, the name of their type, and the words.
const CHOICES: &[(&str, &str, &[&str])] = &[
    ("deduplicate_insert", "DeduplicateInsertMode", &["disable", "enable", "backward_compatible_choice"]),
    (
        "deduplicate_insert_select",
        "DeduplicateInsertSelectMode",
        &["enable_even_for_bad_queries", "force_enable", "disable", "enable_when_possible"],
    ),
    ("alter_update_mode", "AlterUpdateMode", &["lightweight_force", "lightweight", "heavy"]),
    (
        "lightweight_delete_mode",
        "LightweightDeleteMode",
        &["lightweight_update_force", "lightweight_update", "alter_update"],
    ),
    ("update_parallel_mode", "UpdateParallelMode", &["auto", "async", "sync"]),
    ("format_custom_escaping_rule", "EscapingRule", &["None", "Escaped", "Quoted", "CSV", "JSON", "XML", "Raw"]),
    ("format_regexp_escaping_rule", "EscapingRule", &["None", "Escaped", "Quoted", "CSV", "JSON", "XML", "Raw"]),
    ("send_logs_level", "LogsLevel", &["none", "fatal", "error", "warning", "information", "debug", "trace", "test"]),
    ("aggregate_function_input_format", "AggregateFunctionInputFormat", &["value", "array", "state"]),
    ("date_time_output_format", "DateTimeOutputFormat", &["simple", "iso", "unix_timestamp"]),
    ("date_time_input_format", "DateTimeInputFormat", &["basic", "best_effort", "best_effort_us"]),
    ("cast_string_to_date_time_mode", "DateTimeInputFormat", &["basic", "best_effort", "best_effort_us"]),
    ("date_time_overflow_behavior", "DateTimeOverflowBehavior", &["throw", "ignore", "saturate"]),
    ("interval_output_format", "IntervalOutputFormat", &["numeric", "kusto"]),
    (
        "input_format_column_name_matching_mode",
        "InputFormatColumnMatchingCaseSensitivity",
        &["ignore_case", "match_case", "auto"],
    ),
    (
        "log_queries_min_type",
        "LogQueriesType",
        &["QUERY_START", "QUERY_FINISH", "EXCEPTION_BEFORE_START", "EXCEPTION_WHILE_PROCESSING"],
    ),
    ("output_format_orc_compression_method", "ORCCompression", &["none", "snappy", "zstd", "lz4", "zlib"]),
    ("schema_inference_mode", "SchemaInferenceMode", &["default", "union"]),
];

/// As `CHOICES`, where ClickHouse has an error of its own for another word.
const CHOICES_OF_OTHER_ERRORS: &[(&str, &str, ErrorCode, &[&str])] = &[
    ("join_default_strictness", "JoinStrictness", ErrorCode::UNKNOWN_JOIN, &["", "ALL", "ANY"]),
    ("union_default_mode", "SetOperationMode", ErrorCode::UNKNOWN_UNION, &["", "ALL", "DISTINCT"]),
    ("except_default_mode", "SetOperationMode", ErrorCode::UNKNOWN_UNION, &["", "ALL", "DISTINCT"]),
    ("intersect_default_mode", "SetOperationMode", ErrorCode::UNKNOWN_UNION, &["", "ALL", "DISTINCT"]),
    (
        "distributed_product_mode",
        "DistributedProductMode",
        ErrorCode::UNKNOWN_DISTRIBUTED_PRODUCT_MODE,
        &["deny", "local", "global", "allow"],
    ),
    (
        "totals_mode",
        "TotalsMode",
        ErrorCode::UNKNOWN_TOTALS_MODE,
        &["before_having", "after_having_inclusive", "after_having_exclusive", "after_having_auto"],
    ),
    (
        "load_balancing",
        "LoadBalancing",
        ErrorCode::UNKNOWN_LOAD_BALANCING,
        &[
            "random",
            "nearest_hostname",
            "hostname_levenshtein_distance",
            "hostname_longest_common_prefix",
            "hostname_longest_common_suffix",
            "in_order",
            "first_or_random",
            "round_robin",
        ],
    ),
];

/// Words of `join_algorithm`, which is a list of them.
const JOIN_ALGORITHMS: &[&str] = &[
    "default",
    "auto",
    "hash",
    "partial_merge",
    "prefer_partial_merge",
    "parallel_hash",
    "grace_hash",
    "direct",
    "full_sorting_merge",
    "parallel_full_sorting_merge",
    "ie_join",
];

/// Declared settings that ClickHouse has as NonZeroUInt64.
const NEVER_ZERO: &[&str] = &["max_block_size", "max_insert_block_size", "input_format_parquet_max_block_size"];

fn is_zero(name: &str) -> Error {
    Error::new(ErrorCode::BAD_ARGUMENTS, format!("A setting's value has to be greater than 0 (setting '{name}')"))
}

/// Errors: UNKNOWN_OVERFLOW_MODE; BAD_ARGUMENTS where the setting is a choice and this is none of its words, or is never 0; NOT_IMPLEMENTED where it would
/// change which rows a result has.
pub fn check_choice(name: &str, value: &str) -> Result<()> {
    if CHANGE_ROWS.contains(&name) && !matches!(value.trim(), "" | "{}" | "''") {
        return Err(Error::not_implemented(format!("Setting {name}")).with_context("write the condition into the query"));
    }
    if NEVER_ZERO.contains(&name) && u64::parse(value) == Some(0) {
        return Err(is_zero(name));
    }
    if name.ends_with("_overflow_mode") || name.ends_with("_overflow_mode_leaf") {
        let (kind, words) = match name {
            "group_by_overflow_mode" => ("OverflowModeGroupBy", &["any", "break", "throw"][..]),
            _ => ("OverflowMode", &["break", "throw"][..]),
        };
        return one_of(kind, ErrorCode::UNKNOWN_OVERFLOW_MODE, value, words);
    }
    if name == "format_csv_delimiter" && value.len() > 1 {
        return Err(too_long(name));
    }
    if name == "join_algorithm" {
        let mut words = value.split(',').map(str::trim).filter(|word| !word.is_empty());
        return words.try_for_each(|word| one_of("JoinAlgorithm", ErrorCode::UNKNOWN_JOIN, word, JOIN_ALGORITHMS));
    }
    if let Some((_, kind, code, words)) = CHOICES_OF_OTHER_ERRORS.iter().find(|(of, ..)| *of == name) {
        return one_of(kind, *code, value, words);
    }
    match CHOICES.iter().find(|(of, ..)| *of == name) {
        Some((_, kind, words)) => one_of(kind, ErrorCode::BAD_ARGUMENTS, value, words),
        None => Ok(()),
    }
}

fn one_of(kind: &str, code: ErrorCode, value: &str, words: &[&str]) -> Result<()> {
    if words.contains(&value) {
        return Ok(());
    }
    let text = format!("Unexpected value of {kind}: '{value}'. Must be one of ['{}']", words.join("', '"));
    Err(Error::new(code, text))
}

fn too_long(name: &str) -> Error {
    let text = format!("A setting's value string has to be an exactly one character long (setting '{name}')");
    Error::new(ErrorCode::SIZE_OF_FIXED_STRING_DOESNT_MATCH, text)
}

/// The value as it is shown. Errors: those of values that are none of the type.
pub fn checked(name: &str, kind: &str, value: &str) -> Result<String> {
    let bad = || bad_value(name, kind, value);
    let is_auto = value.trim() == "auto" || value.trim().starts_with("auto(");
    Ok(match kind {
        "Bool" => bool::parse(value).ok_or_else(|| bad_value(name, "Bool", value))?.show(),
        "BoolAuto" if !is_auto => bool::parse(value).ok_or_else(|| bad_value(name, "Bool", value))?.show(),
        "UInt64" | "UInt32" | "UInt64Auto" | "MaxThreads" if !is_auto => u64::parse(value).ok_or_else(bad)?.show(),
        "Int64" | "Int32" => i64::parse(value).ok_or_else(bad)?.show(),
        "NonZeroUInt64" => match u64::parse(value).ok_or_else(bad)? {
            0 => return Err(is_zero(name)),
            number => number.show(),
        },
        "Float" | "Double" | "FloatAuto" if !is_auto => {
            f64::parse(value).ok_or_else(|| bad_value(name, "Float", value))?.show()
        }
        "Seconds" | "Milliseconds" => f64::parse(value).ok_or_else(|| bad_value(name, "Float", value))?.show(),
        "Char" if value.chars().count() > 1 => {
            return Err(too_long(name));
        }
        _ => value.to_string(),
    })
}

/// Whether values of the type are numbers where a protocol has no text for settings.
pub fn is_number(kind: &str) -> bool {
    const NUMBERS: &[&str] = &[
        "Bool",
        "UInt64",
        "UInt32",
        "Int64",
        "Int32",
        "NonZeroUInt64",
        "Seconds",
        "Milliseconds",
        "MaxThreads",
        "UInt64Auto",
        "BoolAuto",
    ];
    NUMBERS.contains(&kind)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Settings;

    #[test]
    fn a_setting_is_declared_once() {
        let declared = Settings::declared();
        let mut names: Vec<&str> = declared.iter().map(|info| info.name).collect();
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
        assert!(count > 1800, "{count}");
    }

    #[test]
    fn a_name_of_clickhouse_is_taken_and_its_value_checked() {
        let mut settings = Settings::default();
        settings.set("use_skip_indexes_on_data_read", "true").expect("known");
        assert_eq!(settings.get("use_skip_indexes_on_data_read").as_deref(), Some("1"));
        settings.set("max_download_threads", "auto").expect("a number of threads");
        let code = |name: &str, value: &str| Settings::default().set(name, value).expect_err("refused").code();
        assert_eq!(code("use_skip_indexes_on_data_read", "2"), ErrorCode::CANNOT_PARSE_BOOL);
        assert_eq!(code("connect_timeout", "abc"), ErrorCode::CANNOT_PARSE_NUMBER);
        assert_eq!(code("max_parallel_replicas", "0"), ErrorCode::BAD_ARGUMENTS);
        assert_eq!(code("deduplicate_insert", "force_enable"), ErrorCode::BAD_ARGUMENTS);
        assert_eq!(code("alter_update_mode", "x"), ErrorCode::BAD_ARGUMENTS);
        assert_eq!(code("lightweight_delete_mode", "x"), ErrorCode::BAD_ARGUMENTS);
        assert_eq!(code("timeout_overflow_mode", "any"), ErrorCode::UNKNOWN_OVERFLOW_MODE);
        Settings::default().set("group_by_overflow_mode", "any").expect("groups may be any");
        assert_eq!(code("parallel_replicas_custom_key", "a"), ErrorCode::NOT_IMPLEMENTED);
        assert_eq!(code("use_skip_indexes_on_data_reads", "1"), ErrorCode::UNKNOWN_SETTING);
    }

    #[test]
    fn an_alias_is_the_setting_that_it_is_another_name_of() {
        let mut settings = Settings::default();
        settings.set("max_insert_block_size_rows", "7").expect("known");
        assert_eq!(settings.max_insert_block_size, 7);
        assert_eq!(settings.get("max_insert_block_size_rows").as_deref(), Some("7"));
        settings.reset("max_insert_block_size_rows").expect("known");
        assert!(!settings.is_changed("max_insert_block_size"));
    }
}
