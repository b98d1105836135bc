-- The star of count stands for no columns, with combinators too.
SELECT countIf(*, number < 20), countIf(*, n = 2), countOrNull(*) FROM (SELECT number, 1 AS n, 2 FROM numbers(100)) FORMAT TSVWithNames;
