-- joinGet by keys of several columns, of times and of floats, and settings that a table of the engine Join keeps.
CREATE TABLE by_time (t DateTime('Europe/Berlin'), s String, v UInt8) ENGINE = Join(ANY, LEFT, t, s);
INSERT INTO by_time VALUES (1603584000, 'a', 1), (1603587600, 'a', 2), (1603591200, 'a', 3);
SELECT number, joinGet('by_time', 'v', toDateTime(1603584000 + number * 3600, 'Europe/Berlin'), 'a') FROM numbers(4) ORDER BY number;
SELECT joinGet('by_time', 'v', toDateTime(1603587600, 'UTC'), 'a');
CREATE TABLE by_one_time (t DateTime64(3, 'Asia/Tokyo'), v UInt8) ENGINE = Join(ANY, LEFT, t);
INSERT INTO by_one_time VALUES (1603587600.123, 7);
SELECT joinGet('by_one_time', 'v', toDateTime64(1603587600.123, 3, 'Asia/Tokyo')), joinGet('by_one_time', 'v', toDateTime64(1603587600.124, 3, 'Asia/Tokyo'));
CREATE TABLE by_float (k Float64, v String) ENGINE = Join(ANY, LEFT, k);
INSERT INTO by_float VALUES (1.5, 'a'), (-2.25, 'b'), (1e100, 'c');
SELECT joinGet('by_float', 'v', 1.5), joinGet('by_float', 'v', -2.25), joinGet('by_float', 'v', 1e100), joinGet('by_float', 'v', 3.5);
CREATE TABLE with_nulls (k UInt8, v String) ENGINE = Join(ANY, LEFT, k) SETTINGS join_use_nulls = 1;
INSERT INTO with_nulls VALUES (1, 'a');
SELECT joinGet('with_nulls', 'v', 1), joinGet('with_nulls', 'v', 2), toTypeName(joinGet('with_nulls', 'v', 2));
SHOW CREATE TABLE with_nulls FORMAT TSVRaw;
SELECT quantilesIfOrNull(0.5)(number, 0), quantilesExactIfOrNull(0.5, 0.9)(number, 0), quantilesExactOrNullIf(0.5)(number, 0) FROM numbers(3);
SELECT finalizeAggregation(sumState(number) * true), finalizeAggregation(false * countState()) FROM numbers(3);
SELECT tuple(number), untuple(tuple(number)), (number,) FROM numbers(1) FORMAT TSVWithNames;
-- error: INVALID_TEMPLATE_FORMAT
SELECT number AS `a b` FROM numbers(3) FORMAT Template SETTINGS format_template_row_format = '${a b:CSV}';
-- error: INVALID_TEMPLATE_FORMAT
SELECT number AS a FROM numbers(2) FORMAT Template SETTINGS format_template_row_format = '${a:CSV}', format_template_resultset_format = '${data} ${data}';
-- error: NOT_FOUND_COLUMN_IN_BLOCK
SELECT * FROM format(JSONEachRow, 't Tuple(a UInt8, b String)', '{"t":{"a":1,"c":5}}') SETTINGS input_format_json_ignore_unknown_keys_in_named_tuple = 0;
-- error: INCORRECT_DATA
SELECT * FROM format(JSONEachRow, 't Tuple(a UInt8, b String)', '{"t":{"a":1,"b":"x","c":5}}') SETTINGS input_format_json_ignore_unknown_keys_in_named_tuple = 0;
-- error: INCORRECT_DATA
SELECT * FROM format(JSONEachRow, 'm Map(String, UInt8)', '{"m":[{"keys":"a"}]}') SETTINGS input_format_json_map_as_array_of_tuples = 1, input_format_json_defaults_for_missing_elements_in_named_tuple = 0;
-- error: INCORRECT_DATA
SELECT * FROM format(JSONEachRow, 'm Map(String, UInt8)', '{"m":[{"keys":"a","values":1,"z":3}]}') SETTINGS input_format_json_map_as_array_of_tuples = 1, input_format_json_ignore_unknown_keys_in_named_tuple = 0;
SELECT NULL AS b, true AS c FORMAT Template SETTINGS format_template_row_format = '${b:XML} ${c:XML}', format_tsv_null_representation = 'nil', bool_true_representation = 'yes';
SELECT NULL AS b, true AS c FORMAT CustomSeparated SETTINGS format_custom_escaping_rule = 'XML', format_tsv_null_representation = 'nil', bool_true_representation = 'yes';
SET param_one = '(1)', param_bits = '[1, 0]';
SELECT {one:Tuple(UInt8)} AS one, {bits:Array(Bool)}, tuple(1), untuple(tuple(1)) FORMAT TSVWithNames;
