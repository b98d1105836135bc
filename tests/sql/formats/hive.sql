INSERT INTO FUNCTION file('year=2023/month=1/a.parquet') SELECT number AS n FROM numbers(2);
INSERT INTO FUNCTION file('year=2024/month=2/b.parquet') SELECT number + 10 AS n FROM numbers(2);
SELECT n, year, month FROM file('year=*/month=*/*.parquet') ORDER BY n;
SELECT count() FROM file('year=*/month=*/*.parquet') WHERE year = 2024;
SELECT toTypeName(year) FROM file('year=*/month=*/*.parquet') LIMIT 1;
SELECT * FROM file('year=*/month=*/*.parquet') WHERE month = 1 ORDER BY n;
SELECT n FROM file('**/*.parquet') ORDER BY n;
SELECT count() FROM file('**/b.parquet');
SELECT * FROM file('year=2024/month=2/b.parquet') ORDER BY n SETTINGS use_hive_partitioning = 0;
