-- RawBLOB has the bytes of numbers, dates, times, addresses and UUIDs; NULL is nothing.
INSERT INTO FUNCTION file('a.bin', RawBLOB) SELECT toInt128(-2), toDate('2020-01-01'), toDate32('1960-01-01'), toDateTime('2020-01-01 00:00:00', 'UTC'), toDateTime64('2020-01-01 00:00:00.5', 3, 'UTC');
SELECT hex(raw_blob) FROM file('a.bin', RawBLOB);
INSERT INTO FUNCTION file('b.bin', RawBLOB) SELECT true, toDecimal32(1.5, 2), toDecimal64(-1.5, 2), CAST('b', 'Enum8(\'a\' = 1, \'b\' = 2)'), toIPv4('1.2.3.4'), toIPv6('2001:db8::1'), toUUID('61f0c404-5cb3-11e7-907b-a6006ad3dba0');
SELECT hex(raw_blob) FROM file('b.bin', RawBLOB);
INSERT INTO FUNCTION file('c.bin', RawBLOB) SELECT 'x', CAST(NULL, 'Nullable(String)'), NULL, CAST(7, 'Nullable(UInt16)'), toFixedString('ab', 3), toLowCardinality('lc'), toBFloat16(1.5);
SELECT hex(raw_blob) FROM file('c.bin', RawBLOB);
