//! ClickHouse's names for the types of settings, where they say more than how a value is kept here.

/// Types, and the settings that have them.
const KINDS: &[(&str, &[&str])] = &[
    ("AggregateFunctionInputFormat", &["aggregate_function_input_format"]),
    ("ArrowCompression", &["output_format_arrow_compression_method"]),
    ("Char", &["format_csv_delimiter"]),
    ("DateTimeInputFormat", &["cast_string_to_date_time_mode", "date_time_input_format"]),
    ("DateTimeOutputFormat", &["date_time_output_format"]),
    ("DateTimeOverflowBehavior", &["date_time_overflow_behavior"]),
    ("DeduplicateInsertMode", &["deduplicate_insert"]),
    ("DeduplicateInsertSelectMode", &["deduplicate_insert_select"]),
    ("DefaultTableEngine", &["default_table_engine"]),
    (
        "Double",
        &[
            "async_insert_busy_timeout_decrease_rate",
            "async_insert_busy_timeout_increase_rate",
            "limit",
            "max_bytes_ratio_before_external_group_by",
            "max_bytes_ratio_before_external_sort",
            "offset",
        ],
    ),
    ("EscapingRule", &["format_custom_escaping_rule", "format_regexp_escaping_rule"]),
    ("InputFormatColumnMatchingCaseSensitivity", &["input_format_column_name_matching_mode"]),
    ("IntervalOutputFormat", &["interval_output_format"]),
    ("JoinStrictness", &["join_default_strictness"]),
    ("LocalFSReadMethod", &["storage_file_read_method"]),
    ("LogQueriesType", &["log_queries_min_type"]),
    ("LogsLevel", &["send_logs_level"]),
    ("Map", &["additional_table_filters"]),
    ("MaxThreads", &["max_download_threads", "max_final_threads", "max_insert_threads", "max_threads"]),
    (
        "Milliseconds",
        &[
            "async_insert_busy_timeout_max_ms",
            "async_insert_busy_timeout_min_ms",
            "async_insert_busy_timeout_ms",
            "log_queries_min_query_duration_ms",
            "queue_max_wait_ms",
        ],
    ),
    ("MsgPackUUIDRepresentation", &["output_format_msgpack_uuid_representation"]),
    ("NonZeroUInt64", &["input_format_parquet_max_block_size", "max_block_size", "max_insert_block_size"]),
    ("ORCCompression", &["output_format_orc_compression_method"]),
    (
        "OverflowMode",
        &[
            "distinct_overflow_mode",
            "join_overflow_mode",
            "read_overflow_mode",
            "read_overflow_mode_leaf",
            "result_overflow_mode",
            "set_overflow_mode",
            "sort_overflow_mode",
            "timeout_overflow_mode",
        ],
    ),
    ("OverflowModeGroupBy", &["group_by_overflow_mode"]),
    ("ParquetCompression", &["output_format_parquet_compression_method"]),
    ("SchemaInferenceMode", &["schema_inference_mode"]),
    (
        "Seconds",
        &[
            "http_receive_timeout",
            "http_send_timeout",
            "max_estimated_execution_time",
            "max_execution_time",
            "receive_timeout",
            "send_timeout",
            "timeout_before_checking_execution_speed",
            "wait_for_async_insert_timeout",
        ],
    ),
    ("SetOperationMode", &["except_default_mode", "intersect_default_mode", "union_default_mode"]),
    ("Timezone", &["session_timezone"]),
    ("TotalsMode", &["totals_mode"]),
    ("UInt64", &["output_format_pretty_display_footer_column_names"]),
    ("UInt64Auto", &["output_format_pretty_color", "schema_inference_make_columns_nullable"]),
];

/// The type of a setting; `None`: that of its value.
pub(super) fn of(name: &str) -> Option<&'static str> {
    KINDS.iter().find(|(_, names)| names.contains(&name)).map(|(kind, _)| *kind)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Settings;

    #[test]
    fn each_is_a_setting() {
        for name in KINDS.iter().flat_map(|(_, names)| *names) {
            assert!(Settings::declared().iter().any(|info| info.name == *name && !info.no_effect), "{name}");
        }
    }
}
