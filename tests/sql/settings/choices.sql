-- error: BAD_ARGUMENTS
SET send_logs_level = 'nosuch';
SET send_logs_level = 'warning';
-- error: UNKNOWN_JOIN
SET join_algorithm = 'nosuch';
-- error: UNKNOWN_JOIN
SELECT 1 SETTINGS join_algorithm = 'hash,nosuch';
SELECT 1 SETTINGS join_algorithm = 'hash,full_sorting_merge';
-- error: UNKNOWN_DISTRIBUTED_PRODUCT_MODE
SET distributed_product_mode = 'xx';
SET distributed_product_mode = 'global';
-- error: BAD_ARGUMENTS
SET date_time_output_format = 'zz';
-- error: BAD_ARGUMENTS
SET date_time_input_format = 'zz';
-- error: UNKNOWN_TOTALS_MODE
SET totals_mode = 'zz';
SET totals_mode = 'after_having_auto';
-- error: UNKNOWN_LOAD_BALANCING
SET load_balancing = 'zz';
SET load_balancing = 'in_order';
-- error: UNKNOWN_JOIN
SET join_default_strictness = 'zz';
-- error: UNKNOWN_UNION
SET union_default_mode = 'zz';
SET union_default_mode = 'ALL';
-- error: BAD_ARGUMENTS
SET interval_output_format = 'zz';
-- error: BAD_ARGUMENTS
SET log_queries_min_type = 'zz';
-- error: BAD_ARGUMENTS
SET schema_inference_mode = 'zz';
-- error: BAD_ARGUMENTS
SET format_regexp_escaping_rule = 'zz';
-- error: SIZE_OF_FIXED_STRING_DOESNT_MATCH
SET format_csv_delimiter = 'ab';
SET format_csv_delimiter = ';';
SELECT 1, 2 FORMAT CSV;
