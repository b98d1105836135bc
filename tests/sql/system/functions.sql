-- What is told of functions. Longer texts are shortened here, and so not compared.
SELECT name, syntax, introduced_in, categories FROM system.functions WHERE name IN ('tanh', 'arrayMap', 'toDate', 'concat', 'quantile', 'windowFunnel', 'positiveModulo', 'JSONExtract', 'uniq', 'dateDiff', 'substr', 'now') ORDER BY name;
SELECT name, case_insensitive, alias_to, is_aggregate FROM system.functions WHERE case_insensitive AND name NOT LIKE 'array\_%' AND name NOT IN ('fqdn', 'strpos', 'chdb') AND name NOT LIKE '%Transposed' ORDER BY name;
SELECT name, case_insensitive, alias_to, is_aggregate FROM system.functions WHERE name IN ('DATE', 'DATE_DIFF', 'MD5', 'SHA256', 'anyRespectNulls', 'array_concat_agg', 'arrayConcat', 'authUser', 'connection_id', 'conv', 'currentQueryID', 'current_query_id', 'fullHostName', 'hostname', 'leftPad', 'localtime', 'ltrim', 'or', 'substringIndex', 'svg', 'SVG', 'trim', '__toYearCalendarOnly') ORDER BY name;
SELECT name, description, returned_value FROM system.functions WHERE name IN ('substr', 'ucase') ORDER BY name;
SELECT count() FROM system.functions WHERE name IN ('tanh', 'arrayMap', 'concat') AND description != '' AND arguments LIKE '- `%' AND returned_value != '' AND examples LIKE '**%**\n\n```sql%';
CREATE FUNCTION of_my_own AS x -> x + 1;
SELECT name, is_aggregate, origin, description FROM system.functions WHERE name = 'of_my_own';
DROP FUNCTION of_my_own;
-- Names of functions in other cases.
SELECT TANH(0), POSITIVEMODULO(-7, 3), positivemoduloornull(7, 0), MidPoint(1, 2), AVG2(1, 3), byteslice('abc', 2), COUNTSUBSTRINGS('aba', 'a'), FIRSTNONDEFAULT(0, 2), hastokencaseinsensitive('a b', 'B');
SELECT HasTokenCaseInsensitiveOrNull('a b', 'B'), ModOrNull(1, 0), RegexpInstr('abc', 'c'), SCALARPRODUCT([1, 2], [3, 4]), pggetuserbyid(1) != '', PGTABLEISVISIBLE(1);
SELECT UNNEST([1, 2]);
SELECT Trim(' a '), LTRIM(' a '), rTrim(' a '), Date_Diff('day', toDate('2024-01-01'), toDate('2024-01-03')), TIMESTAMPDIFF(day, toDate('2024-01-01'), toDate('2024-01-03')), DATE('2024-01-02');
SELECT MergeTreePartInfo('all_1_2_3').level, ISMERGETREEPARTCOVEREDBY('all_1_1_0', 'all_1_2_1');
-- error: UNKNOWN_FUNCTION
SELECT md5('a');
-- error: UNKNOWN_FUNCTION
SELECT Sha256('a');
-- error: UNKNOWN_FUNCTION
SELECT AND(1, 1);
-- error: UNKNOWN_FUNCTION
SELECT xOr(1, 0);
-- error: UNKNOWN_FUNCTION
SELECT ARRAYCONCAT([1], [2]);
-- error: UNKNOWN_FUNCTION
SELECT LEFTPAD('a', 3);
-- error: UNKNOWN_FUNCTION
SELECT SUBSTRINGINDEX('a.b', '.', 1);
-- error: UNKNOWN_FUNCTION
SELECT CONV('a', 16, 10);
-- error: UNKNOWN_FUNCTION
SELECT sumcount(1);
-- error: UNKNOWN_FUNCTION
SELECT anyrespectnulls(1);
-- error: UNKNOWN_FUNCTION
SELECT regexpextract('ab', 'a');
-- error: UNKNOWN_FUNCTION
SELECT HOSTNAME();
SELECT toTypeName(localtime()), localtime() = CAST(now() AS Time);
