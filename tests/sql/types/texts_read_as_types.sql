CREATE TABLE t (d Date, dt DateTime('UTC'), u UUID, i IPv4, n Decimal(9, 2), e Enum8('a' = 1, 'b' = 2), d64 DateTime64(3, 'UTC'), w UInt256, k UInt32, s String, i6 IPv6, d3 Date32) ENGINE = Memory;
INSERT INTO t VALUES ('2024-01-01', '2024-01-01 00:00:00', '61f0c404-5cb3-11e7-907b-a6006ad3dba0', '1.2.3.4', 5.5, 'a', '2024-01-01 00:00:00.000', 5, 5, '5', '::1', '2024-01-01');
SELECT d = (SELECT '2024-01-01'), dt = (SELECT '2024-01-01 00:00:00'), u = (SELECT '61f0c404-5cb3-11e7-907b-a6006ad3dba0'), i = (SELECT '1.2.3.4'), n = (SELECT '5.5'), e = (SELECT 'a'), d64 = (SELECT '2024-01-01 00:00:00'), k = (SELECT '5'), d3 = (SELECT '2024-01-01'), i6 = (SELECT '::1') FROM t;
SELECT d > (SELECT max(x) FROM (SELECT '2024-01-01' AS x)), dt BETWEEN (SELECT '2024-01-01 00:00:00') AND (SELECT '2025-01-01 00:00:00') FROM t;
SELECT d = (SELECT '2024-01-01' WHERE 0), (SELECT '5') = k, (SELECT '2024-01-01') < d FROM t;
WITH (SELECT '2024-01-01') AS x SELECT d = x FROM t;
-- error: CANNOT_PARSE_DATE
SELECT d = (SELECT 'nonsense') FROM t;
SELECT i = 16909060, i < 16909061, i IN (16909060), i IN (1, 2), i <=> 16909060, i != 5, 16909060 = i, i BETWEEN 1 AND 5, i = materialize(16909060), i = k FROM t;
SELECT w < '6', w = '5', w > '6', (k, s) = '(5,\'5\')', (k, s) != '(5,\'5\')', (k, s) < '(6,\'5\')', nullIf(n, '5.5'), nullIf(k, '5'), nullIf(d, '2024-01-01') FROM t;
SELECT toDate(5) IN (5), 19723 IN (toDate('2024-01-01')), d IN (19723), d IN (19723, 5), dt IN (1704067200), d IN (toDateTime('2024-01-01 01:00:00', 'UTC')), dt IN (toDate('2024-01-01')) FROM t;
SELECT materialize(toDate('2024-03-10')) IN (toDateTime('2024-03-10 01:00:00')), materialize(toDate('2024-03-10')) NOT IN (toDateTime('2024-03-10 01:00:00'), toDate('2025-01-01'));
SELECT e = 'nope', e <= 'nope', e > 'nope', e <=> 'nope', e IN ('nope'), e IN ('nope', 'a'), e NOT IN ('nope'), e = '1', e = '7', e IN ('1') FROM t;
-- error: UNKNOWN_ELEMENT_OF_ENUM
SELECT e != 'nope' FROM t;
