-- Only what is read as a time is inferred as one.
SET date_time_input_format = 'basic';
SELECT toTypeName(c1), toTypeName(c2), toTypeName(c3), toTypeName(c4) FROM format(TSV, '2022-04-22 03:45:06\t2022-04-22T03:45:06\t2022-04-22 03:45:06.5\t2022/04/22 03:45:06');
SELECT *, toTypeName(c1) FROM format(TSV, '2022-04-22T03:45:06.381Z\t01/12/1925\t2022-04-22 03:45\t22 Apr 2022 03:45:06\t2022-04-22 03:45:06+01:00');
SELECT *, toTypeName(x) FROM format(JSONEachRow, '{"x":"2022-04-22T03:45:06Z"}');
SET date_time_input_format = 'best_effort';
SELECT toTypeName(c1), toTypeName(c2) FROM format(TSV, '2022-04-22T03:45:06.381Z\t01/12/1925');
