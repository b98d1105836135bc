CREATE TABLE t (k UInt32 CODEC(Delta, ZSTD), a String CODEC(LZ4HC(9)), b Float64 CODEC(Gorilla, LZ4), c UInt64 CODEC(DoubleDelta), d UInt64 CODEC(T64, ZSTD(5)), e String CODEC(NONE), f UInt8 CODEC(Default), g DateTime('UTC') CODEC(Delta(4), LZ4), h Float32 CODEC(FPC), i String CODEC(ZSTD(1, 24)), j Array(Nullable(Int16)) CODEC(Delta, LZ4)) ENGINE = MergeTree ORDER BY k SETTINGS index_granularity = 100;
SHOW CREATE TABLE t;
SELECT name, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't' ORDER BY position;
DESCRIBE TABLE t;
INSERT INTO t SELECT number, toString(number % 7), number / 3, number * number, 1000 - number, toString(number), number % 256, toDateTime('2024-01-01 00:00:00', 'UTC') + number * 60, number / 7, repeat('x', number % 5), [number, NULL] FROM numbers(1000);
SELECT sum(k), uniqExact(a), round(sum(b), 6), sum(c), sum(d), max(e), sum(f), max(g), round(sum(h), 2), max(i), sum(j[1]) FROM t;
SELECT k, c, g, h, j FROM t WHERE k IN (0, 99, 100, 999) ORDER BY k;
SELECT count() FROM t WHERE c > 250000 AND d < 100 AND g < '2024-01-02 00:00:00';
ALTER TABLE t MODIFY COLUMN e CODEC(ZSTD(3)), MODIFY COLUMN k REMOVE CODEC;
OPTIMIZE TABLE t FINAL;
SELECT sum(k), round(sum(b), 6), sum(c), sum(d), max(e), max(g) FROM t;
SELECT name, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't' AND name IN ('e', 'k') ORDER BY name;
-- error: UNKNOWN_CODEC
CREATE TABLE u (a String CODEC(Nope)) ENGINE = MergeTree ORDER BY a;
-- error: BAD_ARGUMENTS
CREATE TABLE u (a String CODEC(Delta)) ENGINE = MergeTree ORDER BY a;
-- error: BAD_ARGUMENTS
CREATE TABLE u (a UInt8 CODEC(ZSTD, LZ4)) ENGINE = MergeTree ORDER BY a;
-- error: ILLEGAL_CODEC_PARAMETER
CREATE TABLE u (a UInt8 CODEC(ZSTD(99))) ENGINE = MergeTree ORDER BY a;
-- error: BAD_ARGUMENTS
CREATE TABLE u (k UInt8, a String ALIAS 'x' CODEC(ZSTD)) ENGINE = MergeTree ORDER BY k;
-- error: ILLEGAL_SYNTAX_FOR_CODEC_TYPE
ALTER TABLE t ADD COLUMN z String CODEC(T64);
