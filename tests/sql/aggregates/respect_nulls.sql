-- RESPECT NULLS and IGNORE NULLS choose a form of the function; the column is called as the call is written.
CREATE VIEW three AS SELECT arrayJoin([NULL, 1, NULL]) AS x;
SELECT any(x), any(x) RESPECT NULLS, anyLast(x) RESPECT NULLS, first_value(x) RESPECT NULLS, anyOrNull(x) RESPECT NULLS FROM three FORMAT TSVWithNames;
SELECT any_respect_nulls(x) IGNORE NULLS, last_value_respect_nulls(x) IGNORE NULLS, anyRespectNulls(x) IGNORE NULLS FROM three;
SELECT toTypeName(anyState(x) RESPECT NULLS), toTypeName(first_valueIfState(x, isNull(x)) RESPECT NULLS) FROM three;
SELECT anyMerge(s) RESPECT NULLS FROM (SELECT anyState(x) RESPECT NULLS AS s FROM three);
SELECT any(DISTINCT x) RESPECT NULLS, any(x) FILTER (WHERE isNull(x)) RESPECT NULLS FROM three FORMAT TSVWithNames;
SELECT n, any(x) RESPECT NULLS OVER (ORDER BY n), last_value(x) IGNORE NULLS OVER (ORDER BY n) FROM values('n UInt8, x Nullable(UInt8)', (1, NULL), (2, 5), (3, NULL)) ORDER BY n FORMAT TSVWithNames;
SELECT sum(x) IGNORE NULLS, lag(n) IGNORE NULLS OVER (ORDER BY n) FROM (SELECT 1 AS x, 2 AS n) GROUP BY n;
-- error: NOT_IMPLEMENTED
SELECT sum(x) RESPECT NULLS FROM three;
-- error: NOT_IMPLEMENTED
SELECT row_number() RESPECT NULLS OVER () FROM three;
-- error: SYNTAX_ERROR
SELECT toString(x) RESPECT NULLS FROM three;
