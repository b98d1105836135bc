-- Text formats read states of aggregate functions in format() and file() too, by aggregate_function_input_format.
SELECT finalizeAggregation(a) FROM format(TSV, 'a AggregateFunction(sum, UInt64)', '5\n7\n') SETTINGS aggregate_function_input_format = 'value';
SELECT finalizeAggregation(a) FROM format(CSV, 'a AggregateFunction(sum, UInt64)', '"[1,2]"\n"[]"\n') SETTINGS aggregate_function_input_format = 'array';
SELECT finalizeAggregation(a), b FROM format(JSONEachRow, 'b UInt8, a AggregateFunction(argMax, String, UInt64)', '{"a":"(\'x\',3)","b":1}') SETTINGS aggregate_function_input_format = 'value';
SELECT finalizeAggregation(a) FROM format(TSV, 'a AggregateFunction(sum, UInt64)', '\\x05\\0\\0\\0\\0\\0\\0\\0\n');
INSERT INTO FUNCTION file('values.tsv', 'TSV', 'k UInt8, a UInt64') SELECT number % 2, number FROM numbers(6) SETTINGS engine_file_truncate_on_insert = 1;
SELECT k, avgMerge(a), sum(k) FROM file('values.tsv', 'TSV', 'k UInt8, a AggregateFunction(avg, UInt64)') GROUP BY k ORDER BY k SETTINGS aggregate_function_input_format = 'value';
SELECT k, finalizeAggregation(a), c FROM file('values.tsv', 'TSV', 'k UInt8, a AggregateFunction(max, UInt64), c UInt8 DEFAULT k + 1') ORDER BY ALL LIMIT 2 SETTINGS aggregate_function_input_format = 'value', input_format_tsv_allow_variable_number_of_columns = 1;
INSERT INTO FUNCTION file('states.tsv', 'TSV') SELECT number % 2 AS k, uniqState(number) AS u FROM numbers(10) GROUP BY k ORDER BY k SETTINGS engine_file_truncate_on_insert = 1;
SELECT uniqMerge(u) FROM file('states.tsv', 'TSV', 'k UInt8, u AggregateFunction(uniq, UInt64)');
