-- Of no rows ClickHouse has NULL here: see docs/differences.md.
SELECT number, (SELECT count() FROM numbers(5) AS i WHERE i.number <= o.number) FROM numbers(3) AS o ORDER BY number;
SELECT number, (SELECT count() + 1 FROM numbers(5) AS i WHERE i.number <= o.number) FROM numbers(3) AS o ORDER BY number;
SELECT number, (SELECT count() FROM numbers(5) AS i WHERE i.number < o.number) AS c FROM numbers(3) AS o WHERE c > 0 ORDER BY number;
