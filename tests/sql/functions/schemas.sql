SELECT structureToProtobufSchema('s String, x UInt32, a Array(Int64), m Map(String, UInt8), t Tuple(a Int8, b String), e Enum8(\'a\' = 1, \'b\' = 2), n Nullable(Float64), d Date, dt DateTime, dt64 DateTime64(3), ip IPv4, ip6 IPv6, u UUID, fs FixedString(5), dec Decimal(10,2), i128 Int128, nest Nested(x Int8, y String), b Bool, lc LowCardinality(String), f Float32', 'MessageName') FORMAT TSVRaw;
SELECT structureToProtobufSchema('my_col UInt8, camelCase Int8, aa Array(Array(UInt8)), tt Tuple(UInt8, Tuple(x UInt8)), at Array(Tuple(q UInt8)), an Array(Nullable(UInt8)), e16 Enum16(\'x y\' = -1, \'z\' = 0), snake_case_name Tuple(a_b UInt8), i8 Int8, i16 Int16, i64 Int64, u64 UInt64, lcn LowCardinality(Nullable(String)), mm Map(UInt8, Array(String))', 'my_message') FORMAT TSVRaw;
SELECT structureToProtobufSchema('a Array(Tuple(q UInt8, r Array(Tuple(z UInt8)))), m Map(String, Tuple(x UInt8)), n Tuple(x UInt8), d32 Date32, u16 UInt16, dec9 Decimal(9,2), dec76 Decimal(76,2), u128 UInt128', 'M') FORMAT TSVRaw;
SELECT structureToProtobufSchema('a UInt8') FORMAT TSVRaw;
SELECT structureToProtobufSchema('a UInt8', '') FORMAT TSVRaw;
-- error: ILLEGAL_COLUMN
SELECT structureToProtobufSchema(materialize('a UInt8'), 'M');
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT structureToProtobufSchema(1, 'M');
-- error: BAD_ARGUMENTS
SELECT structureToProtobufSchema('a IntervalDay', 'M');
-- error: BAD_ARGUMENTS
SELECT structureToProtobufSchema('a AggregateFunction(sum, UInt8)', 'M');
SELECT replaceRegexpOne(structureToCapnProtoSchema('s String, x UInt32, a Array(Int64), m Map(String, UInt8), t Tuple(a Int8, b String), e Enum8(\'a\' = 1, \'b\' = 2), n Nullable(Float64), d Date, dt DateTime, dt64 DateTime64(3), ip IPv4, ip6 IPv6, u UUID, fs FixedString(5), dec Decimal(10,2), i128 Int128, nest Nested(x Int8, y String), b Bool, lc LowCardinality(String), f Float32', 'MessageName'), '^@0x[0-9a-f]+;', 'id') FORMAT TSVRaw;
SELECT replaceRegexpOne(structureToCapnProtoSchema('camelCase Int8, aa Array(Array(UInt8)), tt Tuple(UInt8, Tuple(x UInt8)), at Array(Tuple(q UInt8)), an Array(Nullable(UInt8)), e16 Enum16(\'x y\' = -1, \'z\' = 0), i8 Int8, u64 UInt64, lcn LowCardinality(Nullable(String)), mm Map(UInt8, Array(String)), snake_case_name Tuple(a_b UInt8)', 'my_message'), '^@0x[0-9a-f]+;', 'id') FORMAT TSVRaw;
SELECT replaceRegexpOne(structureToCapnProtoSchema('d32 Date32, u16 UInt16, dec9 Decimal(9,2), dec38 Decimal(38,2), dec76 Decimal(76,2), u128 UInt128, i256 Int256', 'M'), '^@0x[0-9a-f]+;', 'id') FORMAT TSVRaw;
