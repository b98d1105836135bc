-- With the columns of MySQL's answers.
CREATE TABLE t (a UInt64, b Nullable(String) DEFAULT 'x' COMMENT 'text', c Date, d UInt8, INDEX i c TYPE minmax GRANULARITY 2, INDEX s a + d TYPE set(10)) ENGINE = MergeTree ORDER BY (a, c, d) PRIMARY KEY (a, c);
SHOW COLUMNS FROM t;
SHOW FULL COLUMNS FROM t LIKE '%b%';
SHOW EXTENDED FULL FIELDS IN t WHERE type = 'Date';
SHOW COLUMNS FROM t LIMIT 2;
SHOW COLUMNS FROM one FROM system;
SHOW INDEX FROM t;
SHOW EXTENDED KEYS IN t WHERE key_name = 'PRIMARY';
