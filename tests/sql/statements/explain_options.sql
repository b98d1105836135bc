-- Options of EXPLAIN that ClickHouse 26.9 knows.
EXPLAIN SYNTAX SELECT 1, 2 FROM numbers(3);
EXPLAIN SYNTAX single_record = 0 SELECT 1, 2 FROM numbers(3);
EXPLAIN SYNTAX single_record = 0, oneline = 1 SELECT 1, 2 FROM numbers(3);
SELECT count() FROM (EXPLAIN SYNTAX SELECT 1, 2 FROM numbers(3));
-- error: INVALID_SETTING_VALUE
EXPLAIN SYNTAX single_record = 2 SELECT 1;
SELECT count() > 0 FROM (EXPLAIN PLAN estimates = 1 SELECT 1);
SELECT count() > 0 FROM (EXPLAIN PLAN header = 1, description = 1, indexes = 1, projections = 1, actions = 1, sorting = 1 SELECT 1);
SELECT count() > 0 FROM (EXPLAIN PLAN pretty = 1, compact = 1, keep_logical_steps = 1, input_headers = 1, column_structure = 1, distributed = 1 SELECT 1);
CREATE TABLE told (a UInt64, b UInt64) ENGINE = MergeTree ORDER BY a SETTINGS index_granularity = 10;
INSERT INTO told SELECT number, number FROM numbers(1000);
SELECT countIf(explain LIKE '%Granules: 1/100%') > 0 FROM (EXPLAIN ANALYZE indexes = 1 SELECT * FROM told WHERE a = 5);
SELECT countIf(explain LIKE '%a UInt64%') > 0 FROM (EXPLAIN ANALYZE header = 1 SELECT a FROM told);
SELECT count() > 0 FROM (EXPLAIN ANALYZE processors = 1, pretty = 0, compact = 0, matches = 1 SELECT a FROM told);
SELECT count() > 0 FROM (EXPLAIN ANALYZE sorting = 1, actions = 1, projections = 1, input_headers = 1, column_structure = 1 SELECT a FROM told);
-- error: UNKNOWN_SETTING
EXPLAIN ANALYZE keep_logical_steps = 1 SELECT 1;
