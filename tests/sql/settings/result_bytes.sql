-- Rows that are sorted lie in buffers that many batches share: bytes of a result are those of its rows.
SELECT number, concat('a text that does not fit into a view ', toString(number)) AS text FROM numbers(200000) ORDER BY sipHash64(number) FORMAT Null SETTINGS max_result_bytes = 60000000;
SELECT number, text FROM (SELECT number, concat('a text that does not fit into a view ', toString(number)) AS text FROM numbers(200000) ORDER BY text) WHERE number % 7 = 0 FORMAT Null SETTINGS max_result_bytes = 20000000;
-- error: TOO_MANY_ROWS_OR_BYTES
SELECT number, concat('a text that does not fit into a view ', toString(number)) AS text FROM numbers(200000) ORDER BY sipHash64(number) FORMAT Null SETTINGS max_result_bytes = 1000000;
