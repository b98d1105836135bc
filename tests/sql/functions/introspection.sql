SET allow_introspection_functions = 1;
SELECT demangle('_ZN3foo3barEv'), demangle('_ZN9gristmill4mainE'), demangle('__ZN3fooEv'), demangle('_ZTV3Foo'), demangle('_Z3fooi.cold');
SELECT demangle('main'), demangle(''), demangle('_Z'), demangle('foo bar'), demangle('?foo@@YAHXZ');
SELECT demangle('_ZN3foo3BarIiE4findEPKc'), demangle('_ZNK3foo3Bar4sizeEv'), demangle('_ZN3fooC1Ev'), demangle('_ZplRK3fooS1_');
SELECT arrayMap(x -> demangle(x), ['_Z1fv', 'name']), demangle(materialize('_Z1fi')), demangle(NULL), demangle(toNullable('_Z1fv'));
SELECT toTypeName(demangle('x')), toTypeName(addressToSymbol(1::UInt64)), toTypeName(addressToLine(1::UInt64)), toTypeName(addressToLineWithInlines(1::UInt64));
SELECT addressToSymbol(1::UInt64), arrayMap(x -> demangle(addressToSymbol(x)), [1, 2]::Array(UInt64));
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT demangle(1);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT demangle(toFixedString('a', 1));
-- error: NUMBER_OF_ARGUMENTS_DOESNT_MATCH
SELECT demangle('a', 'b');
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT addressToSymbol(1);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT addressToLine('a');
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT addressToLineWithInlines(1.5);
SET allow_introspection_functions = 0;
-- error: FUNCTION_NOT_ALLOWED
SELECT addressToSymbol(1::UInt64);
-- error: FUNCTION_NOT_ALLOWED
SELECT addressToLine(1::UInt64);
-- error: FUNCTION_NOT_ALLOWED
SELECT addressToLineWithInlines(1::UInt64);
