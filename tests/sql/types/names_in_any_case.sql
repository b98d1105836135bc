-- Names of types with arguments, as ORMs and dumps of other databases write them.
CREATE TABLE in_any_case (a Datetime('Asia/Istanbul'), b INT(), c INT() UNSIGNED, d bigint(20) signed, e TIMESTAMP(3), f decimal64(2), g time64(1), h VARCHAR(), i YEAR(4), j BIT(1)) ENGINE = Memory;
DESCRIBE TABLE in_any_case;
SELECT CAST('2022-01-01 00:00:00' AS TIMESTAMP('UTC')) AS t, toTypeName(t);
SELECT CAST('1.25' AS DECIMAL128(3)) AS d, toTypeName(d), toTypeName(CAST(1 AS DOUBLE()));
-- FixedString and the families of nested values have one spelling.
-- error: UNKNOWN_TYPE
SELECT CAST('a' AS FIXEDSTRING(3));
-- The type may have a name, and the value an alias without AS.
WITH 'Array(UInt16)' AS type SELECT CAST([1, 2], type) AS v, toTypeName(v);
SELECT CAST('1' text AS UInt32) AS v, text;
