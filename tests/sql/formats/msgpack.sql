-- Written. Bytes are compared as hexadecimal digits of what a file of them holds.
INSERT INTO FUNCTION file('numbers.msgpack', 'MsgPack') SELECT 1::UInt8, 200::UInt8, 70000, -5, -200::Int16, toInt64(-3000000000), toInt8(-100), 5000000000, 1.5::Float32, 2.5, true SETTINGS engine_file_truncate_on_insert = 1;
SELECT hex(raw_blob) FROM file('numbers.msgpack', 'RawBLOB', 'raw_blob String');
INSERT INTO FUNCTION file('nested.msgpack', 'MsgPack') SELECT 'abc', toFixedString('ab', 3), NULL::Nullable(UInt8), [1, 2, 3], (1, 'a'), map('k', 1), [NULL, 1], range(20), repeat('a', 300), toLowCardinality('x'), [[1], []] SETTINGS engine_file_truncate_on_insert = 1;
SELECT hex(raw_blob) FROM file('nested.msgpack', 'RawBLOB', 'raw_blob String');
INSERT INTO FUNCTION file('times.msgpack', 'MsgPack') SELECT toDate('2024-01-01'), toDate32('1960-01-01'), toDateTime('2024-01-01 00:00:00', 'UTC'), toDateTime64('1960-01-01 00:00:00.123', 3, 'UTC'), toDecimal32('-1.5', 2), toDecimal64('50000000000', 2), toDecimal128('1.5', 2), toIPv4('1.2.3.4'), toIPv6('::1'), CAST('a', 'Enum8(\'a\' = 1)'), CAST('a', 'Enum16(\'a\' = 300)'), toInt128(5), toUInt256(5) SETTINGS engine_file_truncate_on_insert = 1;
SELECT hex(raw_blob) FROM file('times.msgpack', 'RawBLOB', 'raw_blob String');
INSERT INTO FUNCTION file('uuids.msgpack', 'MsgPack') SELECT toUUID('61f0c404-5cb3-11e7-907b-a6006ad3dba0') SETTINGS engine_file_truncate_on_insert = 1, output_format_msgpack_uuid_representation = 'str';
SELECT hex(raw_blob) FROM file('uuids.msgpack', 'RawBLOB', 'raw_blob String');
INSERT INTO FUNCTION file('uuids.msgpack', 'MsgPack') SELECT toUUID('61f0c404-5cb3-11e7-907b-a6006ad3dba0') SETTINGS engine_file_truncate_on_insert = 1, output_format_msgpack_uuid_representation = 'bin';
SELECT hex(raw_blob) FROM file('uuids.msgpack', 'RawBLOB', 'raw_blob String');
-- error: ILLEGAL_COLUMN
SELECT toIntervalDay(5) FORMAT MsgPack;
-- Read.
INSERT INTO FUNCTION file('rows.msgpack', 'MsgPack') SELECT number, toString(number), [number, 1], if(number % 2 = 0, NULL, number), map('k', number), toUUID('61f0c404-5cb3-11e7-907b-a6006ad3dba0'), toDateTime64(number, 3, 'UTC') FROM numbers(4) SETTINGS engine_file_truncate_on_insert = 1;
SELECT * FROM file('rows.msgpack', 'MsgPack', 'a UInt64, b String, c Array(UInt64), d Nullable(UInt64), e Map(String, UInt64), f UUID, g DateTime64(3, \'UTC\')') ORDER BY a;
SELECT d, a FROM file('rows.msgpack', 'MsgPack', 'a UInt64, b String, c Array(UInt64), d Nullable(UInt64), e Map(String, UInt64), f UUID, g DateTime64(3, \'UTC\')') WHERE a > 1 ORDER BY a;
INSERT INTO FUNCTION file('bytes_1.msgpack', 'RawBLOB', 's String') SELECT unhex('01a16102a162') SETTINGS engine_file_truncate_on_insert = 1;
SELECT * FROM file('bytes_1.msgpack', 'MsgPack', 'a UInt8, b String');
INSERT INTO FUNCTION file('bytes_2.msgpack', 'RawBLOB', 's String') SELECT unhex('cd0100fbfb01') SETTINGS engine_file_truncate_on_insert = 1;
SELECT * FROM file('bytes_2.msgpack', 'MsgPack', 'a UInt8, b Int8, c UInt8, d Bool');
INSERT INTO FUNCTION file('bytes_3.msgpack', 'RawBLOB', 's String') SELECT unhex('c0c09201a161a161') SETTINGS engine_file_truncate_on_insert = 1;
SELECT * FROM file('bytes_3.msgpack', 'MsgPack', 'a UInt8, b Nullable(UInt8), c Tuple(UInt8, String), d LowCardinality(String)');
INSERT INTO FUNCTION file('bytes_4.msgpack', 'RawBLOB', 's String') SELECT unhex('cd4d0bcc96c41005000000000000000000000000000000ce01020304c4100000000000000000000000000000000101d1f1bb') SETTINGS engine_file_truncate_on_insert = 1;
SELECT * FROM file('bytes_4.msgpack', 'MsgPack', 'a Date, b Decimal(9, 2), c Int128, d IPv4, e IPv6, f Enum8(\'x\' = 1), g Date32');
INSERT INTO FUNCTION file('bytes_5.msgpack', 'RawBLOB', 's String') SELECT unhex('d80261f0c4045cb311e7907ba6006ad3dba0d92436316630633430342d356362332d313165372d393037622d613630303661643364626130') SETTINGS engine_file_truncate_on_insert = 1;
SELECT * FROM file('bytes_5.msgpack', 'MsgPack', 'a UUID, b UUID');
INSERT INTO FUNCTION file('bytes_6.msgpack', 'RawBLOB', 's String') SELECT unhex('05') SETTINGS engine_file_truncate_on_insert = 1;
-- error: ILLEGAL_COLUMN
SELECT * FROM file('bytes_6.msgpack', 'MsgPack', 'a String');
INSERT INTO FUNCTION file('bytes_7.msgpack', 'RawBLOB', 's String') SELECT unhex('ca3fc00000') SETTINGS engine_file_truncate_on_insert = 1;
-- error: ILLEGAL_COLUMN
SELECT * FROM file('bytes_7.msgpack', 'MsgPack', 'a Float64');
INSERT INTO FUNCTION file('bytes_8.msgpack', 'RawBLOB', 's String') SELECT unhex('c0') SETTINGS engine_file_truncate_on_insert = 1;
-- error: ILLEGAL_COLUMN
SELECT * FROM file('bytes_8.msgpack', 'MsgPack', 'a UInt8') SETTINGS input_format_null_as_default = 0;
INSERT INTO FUNCTION file('bytes_9.msgpack', 'RawBLOB', 's String') SELECT unhex('9101') SETTINGS engine_file_truncate_on_insert = 1;
-- error: ILLEGAL_COLUMN
SELECT * FROM file('bytes_9.msgpack', 'MsgPack', 'a Tuple(UInt8, String)');
INSERT INTO FUNCTION file('bytes_10.msgpack', 'RawBLOB', 's String') SELECT unhex('a3616263') SETTINGS engine_file_truncate_on_insert = 1;
-- error: TOO_LARGE_STRING_SIZE
SELECT * FROM file('bytes_10.msgpack', 'MsgPack', 'a FixedString(2)');
INSERT INTO FUNCTION file('bytes_11.msgpack', 'RawBLOB', 's String') SELECT unhex('01a16102') SETTINGS engine_file_truncate_on_insert = 1;
-- error: INCORRECT_DATA
SELECT * FROM file('bytes_11.msgpack', 'MsgPack', 'a UInt8, b String');
INSERT INTO FUNCTION file('bytes_12.msgpack', 'RawBLOB', 's String') SELECT unhex('c1') SETTINGS engine_file_truncate_on_insert = 1;
-- error: INCORRECT_DATA
SELECT * FROM file('bytes_12.msgpack', 'MsgPack', 'a UInt8');
-- Its structure, where the number of columns is known.
INSERT INTO FUNCTION file('bytes_13.msgpack', 'RawBLOB', 's String') SELECT unhex('01a161cb400400000000000092010281a16b01c3d80261f0c4045cb311e7907ba6006ad3dba0fb9201a161') SETTINGS engine_file_truncate_on_insert = 1;
DESCRIBE file('bytes_13.msgpack', 'MsgPack') SETTINGS input_format_msgpack_number_of_columns = 9;
INSERT INTO FUNCTION file('bytes_14.msgpack', 'RawBLOB', 's String') SELECT unhex('c005') SETTINGS engine_file_truncate_on_insert = 1;
SELECT * FROM file('bytes_14.msgpack', 'MsgPack') SETTINGS input_format_msgpack_number_of_columns = 1;
INSERT INTO FUNCTION file('bytes_15.msgpack', 'RawBLOB', 's String') SELECT unhex('920102') SETTINGS engine_file_truncate_on_insert = 1;
DESCRIBE file('bytes_15.msgpack', 'MsgPack') SETTINGS input_format_msgpack_number_of_columns = 1, schema_inference_make_columns_nullable = 0;
INSERT INTO FUNCTION file('bytes_16.msgpack', 'RawBLOB', 's String') SELECT unhex('c005') SETTINGS engine_file_truncate_on_insert = 1;
-- error: CANNOT_EXTRACT_TABLE_STRUCTURE
SELECT * FROM file('bytes_16.msgpack', 'MsgPack');
INSERT INTO FUNCTION file('bytes_17.msgpack', 'RawBLOB', 's String') SELECT unhex('05a161') SETTINGS engine_file_truncate_on_insert = 1;
-- error: CANNOT_EXTRACT_TABLE_STRUCTURE
SELECT * FROM file('bytes_17.msgpack', 'MsgPack') SETTINGS input_format_msgpack_number_of_columns = 1;
SELECT name, is_input, is_output, content_type FROM system.formats WHERE name IN ('MsgPack', 'TSV', 'JSONL', 'NDJSON', 'MD', 'Raw', 'TSVWithNames') ORDER BY name;
