-- Quotes of documents.
SELECT ‘such text’ AS “a b”, 'a ‘b’ c' FORMAT TSVWithNames;
-- HAVING beside totals multiplies no rows.
-- error: ILLEGAL_COLUMN
SELECT number FROM numbers(4) GROUP BY number WITH TOTALS HAVING sum(number) <= arrayJoin([3, 2]);
SELECT arrayJoin([number, 5]) AS k, count() FROM numbers(2) GROUP BY k WITH TOTALS HAVING k > 0 ORDER BY k;
-- A window of nothing.
-- error: BAD_ARGUMENTS
SELECT groupArrayMovingAvg(0)(toDecimal32(1, 1));
