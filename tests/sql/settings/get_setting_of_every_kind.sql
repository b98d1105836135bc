SELECT toTypeName(getSetting('max_execution_time')), toTypeName(getSetting('log_queries_min_query_duration_ms')), toTypeName(getSetting('http_receive_timeout')), toTypeName(getSetting('connect_timeout_with_failover_ms')), toTypeName(getSetting('format_csv_delimiter'));
SELECT toTypeName(getSetting('limit')), getSetting('limit'), toTypeName(getSetting('log_queries_probability')), getSetting('log_queries_probability');
SELECT getSetting('max_execution_time'), getSetting('http_receive_timeout') SETTINGS max_execution_time = 3.5;
SELECT getSetting('max_threads') > 0, getSetting('max_insert_threads') > 0, getSetting('max_final_threads') > 0, toTypeName(getSetting('max_threads'));
SELECT getSetting('max_threads') SETTINGS max_threads = 7;
