-- An empty text is zero for a whole number, and nothing else; NULL is only what the format says it is.
SELECT * FROM format(TSV, 'a Int32, b Nullable(Int32), c String, d Nullable(String), e Decimal(9, 2), z String', '\t\t\t\t\tz\n');
SELECT * FROM format(TSV, 'a Int32, b Nullable(Int32)', '\\N\t\\N\n');
-- error: CANNOT_PARSE_NUMBER
SELECT * FROM format(TSV, 'a Float64, z String', '\tz\n');
-- error: CANNOT_PARSE_NUMBER
SELECT * FROM format(TSV, 'a Nullable(Float64), z String', '\tz\n');
-- error: CANNOT_PARSE_DATE
SELECT * FROM format(TSV, 'a Nullable(Date), z String', '\tz\n');
-- error: CANNOT_PARSE_DATETIME
SELECT * FROM format(TSV, 'a Nullable(DateTime), z String', '\tz\n');
-- error: CANNOT_PARSE_BOOL
SELECT * FROM format(TSV, 'a Nullable(Bool), z String', '\tz\n');
-- error: CANNOT_PARSE_UUID
SELECT * FROM format(TSV, 'a Nullable(UUID), z String', '\tz\n');
-- error: UNKNOWN_ELEMENT_OF_ENUM
SELECT * FROM format(TSV, 'a Nullable(Enum8(\'a\' = 1)), z String', '\tz\n');
-- error: CANNOT_READ_ARRAY_FROM_TEXT
SELECT * FROM format(TSV, 'a Array(Int32), z String', '\tz\n');
SELECT * FROM format(TSV, 'a Float64, b Nullable(Float64), c Array(Int32), z String', '\t\t\tz\n') SETTINGS input_format_tsv_empty_as_default = 1;
SELECT * FROM format(TSV, 'a Nullable(String), b Nullable(String), z String', '\\N\tnil\tz\n') SETTINGS format_tsv_null_representation = 'nil' FORMAT JSONCompactEachRow;
-- error: CANNOT_PARSE_INPUT_ASSERTION_FAILED
SELECT * FROM format(TSV, 'a Nullable(Int32), z String', '\\N\tz\n') SETTINGS format_tsv_null_representation = 'nil';
-- error: CANNOT_PARSE_INPUT_ASSERTION_FAILED
SELECT * FROM format(TSV, 'a Nullable(Int32), z String', 'NULL\tz\n');
-- error: ATTEMPT_TO_READ_AFTER_EOF
SELECT * FROM format(TSVRaw, 'a Int32, z String', '\tz\n');
SELECT * FROM format(TSKV, 'a Int32, b Nullable(Int32), c Nullable(String)', 'a=\tb=\tc=\n') FORMAT JSONCompactEachRow;
-- error: CANNOT_PARSE_NUMBER
SELECT * FROM format(TSKV, 'a Float64, b String', 'a=\tb=\n');
SELECT * FROM format(TSKV, 'a Int32, b Nullable(Int32)', 'a=nil\tb=nil\n') SETTINGS format_tsv_null_representation = 'nil' FORMAT JSONCompactEachRow;
SELECT * FROM format(CSV, 'a Int32, b Nullable(Int32), c Nullable(String), d Array(Int32), z String', ',,,,z\n');
SELECT * FROM format(CSV, 'a Int32, b Nullable(Int32), c Nullable(String), z String', ',,,z\n') SETTINGS input_format_csv_empty_as_default = 0;
-- error: CANNOT_PARSE_NUMBER
SELECT * FROM format(CSV, 'a Nullable(Float64), z String', ',z\n') SETTINGS input_format_csv_empty_as_default = 0;
SELECT * FROM format(CSV, 'a Int32, b Nullable(Int32), c Nullable(String), z String', '"","","",z\n');
SELECT * FROM format(CSV, 'a Int32, z String', '\'\',z\n');
-- error: CANNOT_PARSE_NUMBER
SELECT * FROM format(CSV, 'a Float64, z String', '"",z\n');
-- error: CANNOT_PARSE_INPUT_ASSERTION_FAILED
SELECT * FROM format(CSV, 'a Nullable(Int32), z String', 'NULL,z\n');
SELECT * FROM format(CSV, 'a Nullable(Int32), b Nullable(String), z String', '\\N,NULL,z\n');
SELECT * FROM format(CustomSeparated, 'a Int32, b Nullable(Int32), c Nullable(String)', '\t\t\n');
-- error: CANNOT_PARSE_NUMBER
SELECT * FROM format(CustomSeparated, 'a Float64, b Nullable(Int32)', '\t\n');
SELECT * FROM format(CustomSeparated, 'a Int32, b Nullable(Int32), c Nullable(String)', ',,\n') SETTINGS format_custom_escaping_rule = 'CSV', format_custom_field_delimiter = ',';
SELECT * FROM format(JSONEachRow, 'a Int32, b Nullable(Int32), c Nullable(String)', '{"a":"","b":"","c":""}');
-- error: CANNOT_PARSE_NUMBER
SELECT * FROM format(JSONEachRow, 'a Float64', '{"a":""}');
-- error: CANNOT_PARSE_INPUT_ASSERTION_FAILED
SELECT * FROM format(JSONEachRow, 'a Nullable(Int32)', '{"a":"NULL"}');
SELECT * FROM format(JSONCompactStringsEachRow, 'a Nullable(String), b Nullable(Int32), c Int32, d Nullable(String)', '["NULL", "null", "ᴺᵁᴸᴸ", ""]') FORMAT JSONCompactEachRow;
-- error: ATTEMPT_TO_READ_AFTER_EOF
SELECT * FROM format(JSONCompactStringsEachRow, 'a Int32', '[""]');
SELECT * FROM format(TSV, 'a Array(Nullable(Int32)), z String', '[NULL,1]\tz\n');
SELECT CAST('' AS Nullable(Int32)), CAST('NULL' AS Nullable(Date)), toInt32OrNull('');
