-- error: BAD_TTL_EXPRESSION
CREATE TABLE b (k Int32, d Date) ENGINE = MergeTree ORDER BY k TTL k;
-- error: BAD_ARGUMENTS
CREATE TABLE b (k Int32, d Date) ENGINE = MergeTree ORDER BY k TTL toDateTime('2000-01-01 00:00:00');
-- error: BAD_ARGUMENTS
CREATE TABLE b (k Int32, d DateTime) ENGINE = MergeTree ORDER BY k TTL d + rand();
-- error: BAD_TTL_EXPRESSION
CREATE TABLE b (k Int32, d Nullable(DateTime)) ENGINE = MergeTree ORDER BY k TTL d;
-- error: ILLEGAL_COLUMN
CREATE TABLE b (k Int32, d Date, l Date TTL d) ENGINE = MergeTree ORDER BY (k, l);
-- error: BAD_TTL_EXPRESSION
CREATE TABLE b (k Int32, d Date) ENGINE = MergeTree ORDER BY k TTL d, d + 1;
-- error: BAD_TTL_EXPRESSION
CREATE TABLE b (k Int32, d Date, v Int32) ENGINE = MergeTree ORDER BY k TTL d GROUP BY v SET k = max(k);
-- error: BAD_TTL_EXPRESSION
CREATE TABLE b (k Int32, d Date, v Int32) ENGINE = MergeTree ORDER BY k TTL d GROUP BY k SET v = v + 1;
-- error: BAD_TTL_EXPRESSION
CREATE TABLE b (k Int32, d Date, v Int32) ENGINE = MergeTree ORDER BY k TTL d GROUP BY k SET v = max(v), v = min(v);
-- error: BAD_TTL_EXPRESSION
CREATE TABLE b (k Int32, d DateTime) ENGINE = MergeTree ORDER BY k TTL d TO DISK 'slow';
-- error: BAD_TTL_EXPRESSION
CREATE TABLE b (k Int32, d DateTime) ENGINE = MergeTree ORDER BY k TTL d + INTERVAL 1 DAY TO VOLUME 'slow';
-- error: UNKNOWN_IDENTIFIER
CREATE TABLE b (k Int32, d DateTime) ENGINE = MergeTree ORDER BY k TTL missing;
-- error: BAD_ARGUMENTS
CREATE TABLE b (k Int32, d Date) ENGINE = Memory TTL d;
-- error: BAD_ARGUMENTS
CREATE TABLE b (k Int32, d Date, v Int32 TTL d) ENGINE = Memory;
-- error: SYNTAX_ERROR
CREATE TABLE b (k Int32, d Date, v Int32) ENGINE = MergeTree ORDER BY k TTL d WHERE v RECOMPRESS CODEC(LZ4);
-- error: SYNTAX_ERROR
CREATE TABLE b (k Int32, d Date, v Int32) ENGINE = MergeTree ORDER BY k TTL d WHERE v > 1 GROUP BY k SET v = sum(v);
