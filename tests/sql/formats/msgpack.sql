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
SELECT * FROM format(MsgPack, 'a UInt8, b String', unhex('01a16102a162'));
SELECT * FROM format(MsgPack, 'a UInt8, b Int8, c UInt8, d Bool', unhex('cd0100fbfb01'));
SELECT * FROM format(MsgPack, 'a UInt8, b Nullable(UInt8), c Tuple(UInt8, String), d LowCardinality(String)', unhex('c0c09201a161a161'));
SELECT * FROM format(MsgPack, 'a Date, b Decimal(9, 2), c Int128, d IPv4, e IPv6, f Enum8(\'x\' = 1), g Date32', unhex('cd4d0bcc96c41005000000000000000000000000000000ce01020304c4100000000000000000000000000000000101d1f1bb'));
SELECT * FROM format(MsgPack, 'a UUID, b UUID', unhex('d80261f0c4045cb311e7907ba6006ad3dba0d92436316630633430342d356362332d313165372d393037622d613630303661643364626130'));
-- error: ILLEGAL_COLUMN
SELECT * FROM format(MsgPack, 'a String', unhex('05'));
-- error: ILLEGAL_COLUMN
SELECT * FROM format(MsgPack, 'a Float64', unhex('ca3fc00000'));
-- error: ILLEGAL_COLUMN
SELECT * FROM format(MsgPack, 'a UInt8', unhex('c0')) SETTINGS input_format_null_as_default = 0;
-- error: ILLEGAL_COLUMN
SELECT * FROM format(MsgPack, 'a Tuple(UInt8, String)', unhex('9101'));
-- error: TOO_LARGE_STRING_SIZE
SELECT * FROM format(MsgPack, 'a FixedString(2)', unhex('a3616263'));
-- error: INCORRECT_DATA
SELECT * FROM format(MsgPack, 'a UInt8, b String', unhex('01a16102'));
-- error: INCORRECT_DATA
SELECT * FROM format(MsgPack, 'a UInt8', unhex('c1'));
-- Its structure, where the number of columns is known.
DESCRIBE format(MsgPack, unhex('01a161cb400400000000000092010281a16b01c3d80261f0c4045cb311e7907ba6006ad3dba0fb9201a161')) SETTINGS input_format_msgpack_number_of_columns = 9;
SELECT * FROM format(MsgPack, unhex('c005')) SETTINGS input_format_msgpack_number_of_columns = 1;
DESCRIBE format(MsgPack, unhex('920102')) SETTINGS input_format_msgpack_number_of_columns = 1, schema_inference_make_columns_nullable = 0;
-- error: CANNOT_EXTRACT_TABLE_STRUCTURE
SELECT * FROM format(MsgPack, unhex('c005'));
-- error: CANNOT_EXTRACT_TABLE_STRUCTURE
SELECT * FROM format(MsgPack, unhex('05a161')) SETTINGS input_format_msgpack_number_of_columns = 1;
SELECT name, is_input, is_output, content_type FROM system.formats WHERE name IN ('MsgPack', 'TSV', 'JSONL', 'NDJSON', 'MD', 'Raw', 'TSVWithNames') ORDER BY name;
