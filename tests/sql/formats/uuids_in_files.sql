-- UUIDs say in a file what they are.
INSERT INTO FUNCTION file('u.parquet') SELECT toUUID('61f0c404-5cb3-11e7-907b-a6006ad3dba0') AS u, NULL::Nullable(UUID) AS n, [generateUUIDv4()] AS a, map('k', u) AS m, (1, u)::Tuple(x UInt8, y UUID) AS t, toFixedString('0123456789abcdef', 16) AS f;
SELECT u, n, length(toString(a[1])), m, t, f FROM file('u.parquet');
SELECT toTypeName(u), toTypeName(n), toTypeName(f) FROM file('u.parquet') SETTINGS schema_inference_make_columns_nullable = 0;
SELECT count() FROM file('u.parquet') WHERE u = '61f0c404-5cb3-11e7-907b-a6006ad3dba0';
INSERT INTO FUNCTION file('u.arrow') SELECT toUUID('61f0c404-5cb3-11e7-907b-a6006ad3dba0') AS u, toFixedString('0123456789abcdef', 16) AS f;
SELECT u, toTypeName(u), f FROM file('u.arrow') SETTINGS schema_inference_make_columns_nullable = 0;
