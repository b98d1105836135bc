-- Types of columns in binary form, in the headers of RowBinary and of Native.
INSERT INTO FUNCTION file('types.bin', 'RowBinaryWithNamesAndTypes') SELECT 1::UInt8 AS a, 'x' AS b, [1, NULL] AS c, (1, 'y')::Tuple(p UInt8, `q r` String) AS d, CAST('b', 'Enum8(\'a\' = 1, \'b\' = -2)') AS e, toDateTime64('2024-01-01', 3, 'UTC') AS f, toDecimal64(1.5, 3) AS g, map('k', toLowCardinality('v')) AS h, toIntervalDay(3) AS i SETTINGS engine_file_truncate_on_insert = 1, output_format_binary_encode_types_in_binary_format = 1;
SELECT hex(raw_blob) FROM file('types.bin', 'RawBLOB', 'raw_blob String');
SELECT * FROM file('types.bin', 'RowBinaryWithNamesAndTypes') SETTINGS input_format_binary_decode_types_in_binary_format = 1;
DESCRIBE file('types.bin', 'RowBinaryWithNamesAndTypes') SETTINGS input_format_binary_decode_types_in_binary_format = 1;
INSERT INTO FUNCTION file('types.native', 'Native') SELECT 1::UInt8 AS a, 'x' AS b, [1, NULL] AS c, toFixedString('z', 3) AS d, toUUID('61f0c404-5cb3-11e7-907b-a6006ad3dba0') AS e SETTINGS engine_file_truncate_on_insert = 1, output_format_native_encode_types_in_binary_format = 1;
SELECT hex(raw_blob) FROM file('types.native', 'RawBLOB', 'raw_blob String');
SELECT * FROM file('types.native', 'Native') SETTINGS input_format_native_decode_types_in_binary_format = 1;
SELECT toTypeName(a), toTypeName(c), toTypeName(d) FROM file('types.native', 'Native') SETTINGS input_format_native_decode_types_in_binary_format = 1;
INSERT INTO FUNCTION file('states.bin', 'RowBinaryWithNamesAndTypes') SELECT quantilesState(0.5, 0.9)(number) AS q, uniqState(number, toString(number)) AS u, countState() AS c FROM numbers(3) SETTINGS engine_file_truncate_on_insert = 1, output_format_binary_encode_types_in_binary_format = 1;
SELECT finalizeAggregation(q), finalizeAggregation(u), finalizeAggregation(c) FROM file('states.bin', 'RowBinaryWithNamesAndTypes') SETTINGS input_format_binary_decode_types_in_binary_format = 1;
SELECT * FROM format(RowBinaryWithNamesAndTypes, 'a UInt8, b String', unhex('02016101620115010178')) SETTINGS input_format_binary_decode_types_in_binary_format = 1;
-- error: CANNOT_EXTRACT_TABLE_STRUCTURE
SELECT * FROM format(RowBinaryWithNamesAndTypes, unhex('010161ff')) SETTINGS input_format_binary_decode_types_in_binary_format = 1;
-- error: CANNOT_EXTRACT_TABLE_STRUCTURE
SELECT * FROM format(RowBinaryWithNamesAndTypes, unhex('010161231e01')) SETTINGS input_format_binary_decode_types_in_binary_format = 1;
