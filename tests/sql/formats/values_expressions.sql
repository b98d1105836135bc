-- Expressions in the data of Values.
SELECT * FROM format(Values, 'a UInt8, b String, c Array(UInt8)', '(1, \'x\', [1,2]), (1+1, concat(\'a\',\'b\'), [])');
SELECT * FROM format(Values, 'a UInt8', '(1), (1 + 1), (toUInt8(3));');
SELECT * FROM format(Values, 'a Date, b DateTime(\'UTC\')', '(toDate(\'2024-01-01\') + 1, \'2024-01-02 03:04:05\')');
