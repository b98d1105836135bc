-- What a period of time is compared with may be NULL, or of a type that may be.
SELECT toDate(t) = toDateOrNull('2000-02-29') AS e, toTypeName(e) FROM values('t DateTime', '2000-02-29 01:02:03');
SELECT toDate(t) = toDateOrNull('x') AS e, toTypeName(e) FROM values('t DateTime', '2000-02-29 01:02:03');
SELECT toDate(t) < toDateOrNull('x') AS e, toTypeName(e) FROM values('t DateTime64(3)', '2000-02-29 01:02:03');
SELECT toYear(t) = toUInt16OrNull('2000') AS e, toTypeName(e) FROM values('t DateTime', '2000-02-29 01:02:03');
SELECT toYYYYMM(t) >= CAST(NULL AS Nullable(UInt32)) AS e, toTypeName(e) FROM values('t Date', '2000-02-29');
SELECT toDate(t) = toDate32OrNull('2000-02-29') AS e, toTypeName(e) FROM values('t Nullable(DateTime)', '2000-02-29 01:02:03', NULL);
SELECT count() FROM values('t DateTime', '2000-02-29 01:02:03') WHERE toDate(t) != toDateOrNull('');
CREATE TABLE moments (t DateTime('UTC')) ENGINE = MergeTree ORDER BY t;
INSERT INTO moments VALUES ('2000-02-29 01:02:03'), ('2000-03-01 00:00:00');
SELECT count() FROM moments WHERE toDate(t) >= toDateOrNull('2000-03-01');
SELECT count() FROM moments WHERE NOT toDate(t) >= toDateOrNull('');
SELECT toDate(t) = toDateOrNull('2000-03-01'), toDate(t) > toDateOrNull('') FROM moments ORDER BY t;
