CREATE TABLE seen (a UInt32, b String) ENGINE = MergeTree ORDER BY a;
INSERT INTO seen SELECT number, toString(number % 3) FROM numbers(10);
SELECT a FROM seen WHERE b = '1' ORDER BY a SETTINGS additional_table_filters = {'seen': 'a != 4'};
SELECT count(), sum(a) FROM seen SETTINGS additional_table_filters = {'default.seen': 'a > 3', 'other': 'nothing'};
SELECT count() FROM seen AS s JOIN seen AS t ON s.a = t.a SETTINGS additional_table_filters = {'t': 'a > 3'};
SELECT count() FROM seen AS s JOIN seen AS t ON s.a = t.a SETTINGS additional_table_filters = {'seen': 'a > 6'};
SELECT count() FROM (SELECT * FROM seen) SETTINGS additional_table_filters = {'seen': 'b = \'2\''};
SELECT count() FROM seen PREWHERE a < 8 SETTINGS additional_table_filters = {'seen': 'a % 2'};
-- error: UNKNOWN_IDENTIFIER
SELECT count() FROM seen SETTINGS additional_table_filters = {'seen': 'nothing = 1'};
SELECT count() FROM seen SETTINGS additional_table_filters = {};
SELECT a FROM seen ORDER BY a SETTINGS additional_result_filter = 'a % 4 = 1';
SELECT count() AS c FROM seen GROUP BY b SETTINGS additional_result_filter = 'c > 3';
SELECT * FROM (SELECT a FROM seen ORDER BY a) ORDER BY a LIMIT 3 SETTINGS additional_result_filter = 'a != 1';
SELECT a FROM seen WHERE a < 2 UNION ALL SELECT a FROM seen WHERE a > 7 ORDER BY a SETTINGS additional_result_filter = 'a != 1';
