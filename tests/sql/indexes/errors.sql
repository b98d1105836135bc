CREATE TABLE t (k UInt64, v UInt32, s String, a Array(String), m Map(String, String), d Decimal(10, 2), p Tuple(Int32, String), n Array(Nullable(Int32)), aa Array(Array(String))) ENGINE = MergeTree ORDER BY k;
-- error: UNKNOWN_IDENTIFIER
ALTER TABLE t ADD INDEX x nocol TYPE minmax;
-- error: INCORRECT_QUERY
ALTER TABLE t ADD INDEX x v TYPE foo;
-- error: INCORRECT_QUERY
ALTER TABLE t ADD INDEX x v TYPE set;
-- error: INCORRECT_QUERY
ALTER TABLE t ADD INDEX x v TYPE set(-1);
-- error: INCORRECT_QUERY
ALTER TABLE t ADD INDEX x v TYPE set(1, 2);
-- error: BAD_ARGUMENTS
ALTER TABLE t ADD INDEX x v TYPE bloom_filter(2);
-- error: NUMBER_OF_ARGUMENTS_DOESNT_MATCH
ALTER TABLE t ADD INDEX x v TYPE bloom_filter(0.1, 2);
-- error: ILLEGAL_COLUMN
ALTER TABLE t ADD INDEX x d TYPE bloom_filter;
-- error: ILLEGAL_COLUMN
ALTER TABLE t ADD INDEX x p TYPE bloom_filter;
-- error: ILLEGAL_COLUMN
ALTER TABLE t ADD INDEX x m TYPE bloom_filter;
-- error: ILLEGAL_COLUMN
ALTER TABLE t ADD INDEX x n TYPE bloom_filter;
-- error: BAD_ARGUMENTS
ALTER TABLE t ADD INDEX x aa TYPE bloom_filter;
-- error: BAD_ARGUMENTS
ALTER TABLE t ADD INDEX x v TYPE tokenbf_v1(256, 2, 0);
-- error: BAD_ARGUMENTS
ALTER TABLE t ADD INDEX x m TYPE tokenbf_v1(256, 2, 0);
-- error: BAD_ARGUMENTS
ALTER TABLE t ADD INDEX x s TYPE tokenbf_v1(256, 2);
-- error: BAD_ARGUMENTS
ALTER TABLE t ADD INDEX x s TYPE tokenbf_v1(0, 2, 0);
-- error: BAD_ARGUMENTS
ALTER TABLE t ADD INDEX x s TYPE tokenbf_v1(256, 0, 0);
-- error: BAD_ARGUMENTS
ALTER TABLE t ADD INDEX x s TYPE tokenbf_v1(256, 'a', 0);
-- error: BAD_ARGUMENTS
ALTER TABLE t ADD INDEX x s TYPE ngrambf_v1(256, 2, 0);
-- error: BAD_ARGUMENTS
ALTER TABLE t ADD INDEX x s TYPE ngrambf_v1(0, 256, 2, 0);
-- error: BAD_ARGUMENTS
ALTER TABLE t ADD INDEX x v TYPE minmax GRANULARITY 0;
-- error: BAD_ARGUMENTS
ALTER TABLE t ADD INDEX x rand() TYPE minmax;
-- error: BAD_ARGUMENTS
ALTER TABLE t ADD INDEX x v TYPE minmax AFTER nope;
-- error: INCORRECT_QUERY
ALTER TABLE t ADD INDEX x 1 TYPE minmax;
-- error: ILLEGAL_AGGREGATION
ALTER TABLE t ADD INDEX x sum(v) TYPE minmax;
-- error: SYNTAX_ERROR
ALTER TABLE t ADD INDEX x v;
-- error: BAD_ARGUMENTS
CREATE TABLE mm (a Int32, INDEX x a TYPE minmax) ENGINE = Memory;
-- error: ILLEGAL_INDEX
CREATE TABLE t3 (a Int32, INDEX x a TYPE minmax, INDEX x a TYPE minmax) ENGINE = MergeTree ORDER BY a;
-- error: INCORRECT_QUERY
CREATE TABLE t3 (a Int32, INDEX x a TYPE foo) ENGINE = MergeTree ORDER BY a;
ALTER TABLE t ADD INDEX x (s, a) TYPE ngrambf_v1(3, 256, 2, 0), ADD INDEX y p TYPE set(0), ADD INDEX z a TYPE minmax;
SELECT name, type_full, expr FROM system.data_skipping_indices WHERE table = 't' ORDER BY name;
SELECT count() FROM t;
