-- NULL inside of a tuple or an array comes behind all values, also where a limit tells what is left to read.
INSERT INTO FUNCTION file('nested.parquet') SELECT number AS k, if(number < 50000, NULL, number)::Nullable(Int32) AS a FROM numbers(100000)
    SETTINGS output_format_parquet_row_group_size = 1000;
SELECT k, a FROM file('nested.parquet') ORDER BY (1, a) LIMIT 2;
SELECT k, a FROM file('nested.parquet') ORDER BY [a] LIMIT 2;
