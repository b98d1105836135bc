SELECT * FROM format(Regexp, 'a Int32, b String', '1: x\n2: y\n') SETTINGS format_regexp = '(\\d+): (.*)';
SELECT b FROM format(Regexp, 'a Int32, b String', '1: x\r\n2: y') SETTINGS format_regexp = '(\\d+): (.*)';
-- error: INCORRECT_DATA
SELECT * FROM format(Regexp, 'a Int32, b String', '1: x\nnope\n2: y') SETTINGS format_regexp = '(\\d+): (.*)';
SELECT * FROM format(Regexp, 'a Int32, b String', '1: x\nnope\n2: y') SETTINGS format_regexp = '(\\d+): (.*)', format_regexp_skip_unmatched = 1;
-- error: INCORRECT_DATA
SELECT * FROM format(Regexp, 'a Int32, b String', 'z1: x\n') SETTINGS format_regexp = '(\\d+): (.*)';
-- error: INCORRECT_DATA
SELECT * FROM format(Regexp, 'a Int32, b String', '1: x\n') SETTINGS format_regexp = '(\\d+): .*';
-- error: BAD_ARGUMENTS
SELECT * FROM format(Regexp, 'a Int32, b String', '1: x\n');
-- error: BAD_ARGUMENTS
SELECT * FROM format(Regexp, 'a Int32, b String', '1: x\n') SETTINGS format_regexp = '(\\d+: (.*)';
SELECT * FROM format(Regexp, 'a Int32, b String, c Array(Int32)', '1: \'x\' [1,2]\n') SETTINGS format_regexp = '(\\d+): (.*) (.*)', format_regexp_escaping_rule = 'Quoted';
SELECT * FROM format(Regexp, 'a Int32, b String', '1: "x"\n') SETTINGS format_regexp = '(\\d+): (.*)', format_regexp_escaping_rule = 'JSON';
SELECT * FROM format(Regexp, 'a Int32, b String', '1: "x"\n') SETTINGS format_regexp = '(\\d+): (.*)', format_regexp_escaping_rule = 'CSV';
SELECT * FROM format(Regexp, 'a Int32, b String', '1: x\\ty\n') SETTINGS format_regexp = '(\\d+): (.*)', format_regexp_escaping_rule = 'Escaped';
SELECT * FROM format(Regexp, 'a Nullable(Int32), b String', '\\N: \n') SETTINGS format_regexp = '(.*): (.*)';
DESCRIBE format(Regexp, '1: x\n2: y\n') SETTINGS format_regexp = '(\\d+): (.*)';
DESCRIBE format(Regexp, '1: \'x\'\n2: \'y\'\n') SETTINGS format_regexp = '(\\d+): (.*)', format_regexp_escaping_rule = 'Quoted';
-- error: FORMAT_IS_NOT_SUITABLE_FOR_OUTPUT
SELECT 1 FORMAT Regexp;
SELECT * FROM format(Form, 'a Int32, b String, c Nullable(Int32), `n.a` Array(Int32)', 'a=1&b=x%20y%26+z&c=3&n.a=%5B1%2C2%5D&zz=1');
SELECT * FROM format(Form, 'a Int32, b String', 'b=');
-- error: INCORRECT_DATA
SELECT * FROM format(Form, 'a Int32, b String', 'a=1&a=2');
-- error: CANNOT_PARSE_INPUT_ASSERTION_FAILED
SELECT * FROM format(Form, 'a Int32, b String', 'a=1&zz=2&b');
-- error: ATTEMPT_TO_READ_AFTER_EOF
SELECT * FROM format(Form, 'a Int32, c Nullable(Int32)', 'a=1&c=');
SELECT * FROM format(Form, 'a Int32, b String', '');
DESCRIBE format(Form, 'a=1&b=x&c=2020-01-01&d=%5B1%5D');
-- error: FORMAT_IS_NOT_SUITABLE_FOR_OUTPUT
SELECT 1 FORMAT Form;
