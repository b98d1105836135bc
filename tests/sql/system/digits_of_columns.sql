-- What system.columns tells of numbers and times.
CREATE TABLE t (id Int64, h UInt128, s String, f Float32, f64 Float64, fs FixedString(10), d Decimal(10, 2), nd Nullable(Decimal(5, 4)), dt Date, t DateTime, t64 DateTime64(3), b Bool, u8 Nullable(UInt8), e Enum8('a' = 1), uu UUID, d32 Date32, lc LowCardinality(String), a Array(Int8)) ENGINE = MergeTree ORDER BY tuple();
SELECT name, character_octet_length, numeric_precision, numeric_precision_radix, numeric_scale, datetime_precision FROM system.columns WHERE table = 't' AND database = currentDatabase() ORDER BY position;
