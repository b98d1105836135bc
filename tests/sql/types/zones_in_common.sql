-- Of two times alike the first's zone stays, be it the session's; a Date has none of its own.
CREATE TABLE zones (id UInt8, a DateTime, b DateTime('UTC'), c DateTime64(3), d DateTime64(3, 'UTC'), e DateTime64(6), f DateTime64(6, 'Asia/Tokyo'), g DateTime('Asia/Tokyo'), h Date, i Date32, n Nullable(DateTime64(3))) ENGINE = Memory;
INSERT INTO zones (id) VALUES (1);
SELECT toTypeName(if(id > 0, a, b)), toTypeName(if(id > 0, b, a)), toTypeName(if(id > 0, g, b)), toTypeName(if(id > 0, b, g)) FROM zones;
SELECT toTypeName(if(id > 0, c, d)), toTypeName(if(id > 0, d, c)), toTypeName(if(id > 0, c, f)), toTypeName(if(id > 0, f, c)) FROM zones;
SELECT toTypeName(if(id > 0, e, f)), toTypeName(if(id > 0, f, e)), toTypeName(if(id > 0, d, f)), toTypeName(if(id > 0, a, d)) FROM zones;
SELECT toTypeName(if(id > 0, h, b)), toTypeName(if(id > 0, i, b)), toTypeName(if(id > 0, h, d)), toTypeName(if(id > 0, i, d)) FROM zones;
SELECT toTypeName(if(id > 0, n, d)), toTypeName(if(id > 0, d, n)), toTypeName(coalesce(n, d)), toTypeName(greatest(a, b)) FROM zones;
SELECT toTypeName(multiIf(id = 1, a, id = 2, b, g)), toTypeName(multiIf(id = 1, h, id = 2, a, b)), toTypeName([d, a]) FROM zones;
SELECT toTypeName(x) FROM (SELECT c AS x FROM zones UNION ALL SELECT d FROM zones);
SELECT toTypeName(if(id > 2, addHours(date_trunc('month', d), 3), d)), toTypeName(if(id > 2, addHours(date_trunc('month', b), 3), b)) FROM zones;
