-- EXTRACT and date_part. A week is that of the ISO.
SELECT EXTRACT(week FROM toDate('2024-01-01')), EXTRACT(doy FROM toDate('2024-02-01')), EXTRACT(isoyear FROM toDate('2024-12-31'));
SELECT EXTRACT(century FROM toDate('2024-02-01')), EXTRACT(century FROM toDate('2000-02-01')), EXTRACT(decade FROM toDate('1999-02-01'));
SELECT EXTRACT(isodow FROM toDate('2024-02-04')), EXTRACT(dow FROM toDate('2024-02-04')), EXTRACT(epoch FROM toDate('2024-02-01'));
SELECT EXTRACT(week FROM toDate('2024-01-01')), EXTRACT(century FROM toDate('2024-01-01')), EXTRACT(dow FROM toDate('2024-01-01')) FORMAT TSVWithNames;
SELECT toTypeName(EXTRACT(century FROM toDate('2024-01-01'))), toTypeName(EXTRACT(decade FROM toDate('2024-01-01'))), toTypeName(EXTRACT(dow FROM toDate('2024-01-01')));
SELECT EXTRACT(MI FROM toDateTime('2024-01-01 01:02:03', 'UTC')), EXTRACT(hours FROM toDateTime('2024-01-01 01:02:03', 'UTC')), EXTRACT(D FROM toDate('2024-04-09'));
SELECT EXTRACT(quarter FROM toDate('2024-04-01')), EXTRACT(YEAR FROM toDate('2024-04-01')), EXTRACT(MONTH FROM toDate('2024-04-01'));
SELECT EXTRACT(millisecond FROM toDateTime64('2024-01-01 00:00:00.123', 3, 'UTC')), EXTRACT(epoch FROM toDateTime64('2024-01-01 00:00:00.5', 3, 'UTC'));
SELECT date_part('year', toDate('2024-01-01')), datePart('day', toDate('2024-01-05')), DATE_PART('week', toDate('2024-01-05')), date_part('dow', toDate('2024-01-07')), date_part('dd', toDate('2024-01-07'));
SELECT extract('abc', 'b');
-- error: SYNTAX_ERROR
SELECT EXTRACT(nosuch FROM toDate('2024-01-01'));
-- error: SYNTAX_ERROR
SELECT date_part(year, toDate('2024-01-01'));
-- error: SYNTAX_ERROR
SELECT date_part('nosuch', toDate('2024-01-01'));
SELECT date '2024-01-01', DATE '2024-01-01', timestamp '2024-01-01 00:00:00' FORMAT TSVWithNames;
