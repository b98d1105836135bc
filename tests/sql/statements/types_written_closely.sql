-- Types in casts and definitions are shown with their blanks, however they are written.
SELECT CAST(1 AS Enum8('a'=1,'b'=-2)) FORMAT TSVWithNames;
SELECT 1::Nullable(Enum('a','b'=2)), '2020-01-01'::DateTime64(3,'UTC') FORMAT TSVWithNames;
CREATE TABLE t (x UInt8, e Enum8('a' = 1, 'b' = 2) DEFAULT CAST(x AS Enum8('a'=1,'b'=2))) ENGINE = MergeTree ORDER BY x;
SHOW CREATE TABLE t;
CREATE TABLE states (k UInt8, s AggregateFunction(topKWeighted(10, 3,'counts'), String, UInt64)) ENGINE = MergeTree ORDER BY k;
INSERT INTO states SELECT 1, topKWeightedState(10, 3, 'counts')('a'::String, toUInt64(10));
DESCRIBE TABLE states;
SELECT topKWeightedMerge(10, 3, 'counts')(s) FROM states;
-- The primary key's elements in their order.
CREATE TABLE keyed (a UInt64, b DateTime, c UInt64, PRIMARY KEY (c, toDate(b), a)) ENGINE = MergeTree;
SHOW INDEX FROM keyed;
