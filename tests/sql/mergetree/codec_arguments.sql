-- error: BAD_ARGUMENTS
CREATE TABLE c (a UInt64 CODEC(Gorilla, LZ4)) ENGINE = MergeTree ORDER BY tuple();
-- error: BAD_ARGUMENTS
CREATE TABLE c (a DateTime CODEC(Gorilla)) ENGINE = MergeTree ORDER BY tuple();
-- error: BAD_ARGUMENTS
CREATE TABLE c (a Float64 CODEC(DoubleDelta, FPC)) ENGINE = MergeTree ORDER BY tuple();
-- error: BAD_ARGUMENTS
CREATE TABLE c (a Float64 CODEC(Delta, Gorilla, LZ4)) ENGINE = MergeTree ORDER BY tuple();
-- error: BAD_ARGUMENTS
CREATE TABLE c (a Map(String, UInt64) CODEC(Delta, LZ4)) ENGINE = MergeTree ORDER BY tuple();
-- error: BAD_ARGUMENTS
CREATE TABLE c (a Tuple(Float64, UInt8) CODEC(FPC)) ENGINE = MergeTree ORDER BY tuple();
-- error: ILLEGAL_SYNTAX_FOR_CODEC_TYPE
CREATE TABLE c (a Tuple(UInt8, Float32) CODEC(T64)) ENGINE = MergeTree ORDER BY tuple();
-- error: BAD_ARGUMENTS
CREATE TABLE c (a BFloat16 CODEC(FPC)) ENGINE = MergeTree ORDER BY tuple();
-- error: BAD_ARGUMENTS
CREATE TABLE c (a UUID CODEC(GCD, LZ4)) ENGINE = MergeTree ORDER BY tuple();
-- error: ILLEGAL_CODEC_PARAMETER
CREATE TABLE c (a Float64 CODEC(FPC(29))) ENGINE = MergeTree ORDER BY tuple();
-- error: ILLEGAL_CODEC_PARAMETER
CREATE TABLE c (a Float64 CODEC(FPC(2, 3))) ENGINE = MergeTree ORDER BY tuple();
-- error: ILLEGAL_CODEC_PARAMETER
CREATE TABLE c (a UInt64 CODEC(ZSTD(1, 99))) ENGINE = MergeTree ORDER BY tuple();
-- error: ILLEGAL_CODEC_PARAMETER
CREATE TABLE c (a UInt64 CODEC(T64('x'))) ENGINE = MergeTree ORDER BY tuple();
-- error: ILLEGAL_SYNTAX_FOR_CODEC_TYPE
CREATE TABLE c (a UInt64 CODEC(Delta(1, 2))) ENGINE = MergeTree ORDER BY tuple();
-- error: ILLEGAL_SYNTAX_FOR_CODEC_TYPE
CREATE TABLE c (a UInt64 CODEC(ZSTD(1, 2, 3))) ENGINE = MergeTree ORDER BY tuple();
-- error: ILLEGAL_SYNTAX_FOR_CODEC_TYPE
CREATE TABLE c (a UInt64 CODEC(GCD(8), LZ4)) ENGINE = MergeTree ORDER BY tuple();

CREATE TABLE c (a UInt64 CODEC(T64('byte')), b Float64 CODEC(Gorilla, Delta, LZ4), c Float32 CODEC(FPC(28)), d Tuple(UInt64, Float32) CODEC(Gorilla, LZ4), e Array(Tuple(UInt8, UInt32)) CODEC(T64, LZ4), f Decimal(9, 2) CODEC(GCD, LZ4)) ENGINE = MergeTree ORDER BY tuple();
SHOW CREATE TABLE c;
INSERT INTO c SELECT number, number / 3, number / 7, (number, number / 2), [(number, number)], number / 4 FROM numbers(1000);
SELECT sum(a), round(sum(b), 3), round(sum(c), 1), sum(d.1), sum(e[1].2), sum(f) FROM c;
CREATE TABLE s (a UInt64 CODEC(Gorilla, LZ4), b Float64 CODEC(Delta, FPC)) ENGINE = MergeTree ORDER BY tuple() SETTINGS allow_suspicious_codecs = 1;
