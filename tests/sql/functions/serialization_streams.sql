SELECT getTypeSerializationStreams('Array(Nullable(String))');
SELECT getTypeSerializationStreams('Map(LowCardinality(String), Tuple(x UInt8, y Array(Date)))');
SELECT getTypeSerializationStreams('Nested(a UInt8, b String)'), getTypeSerializationStreams('Point'), getTypeSerializationStreams('SimpleAggregateFunction(sum, UInt64)');
SELECT getTypeSerializationStreams(number), getTypeSerializationStreams((number, toString(number))) FROM numbers(2);
SELECT getTypeSerializationStreams(tuple()), getTypeSerializationStreams(materialize('UInt8')), getTypeSerializationStreams(NULL);
-- error: UNKNOWN_TYPE
SELECT getTypeSerializationStreams('Nope');
-- error: NUMBER_OF_ARGUMENTS_DOESNT_MATCH
SELECT getTypeSerializationStreams();
