-- A first row of words is one of names where a field below is none.
DESC format(TSV, 'a\tb\nx\t');
DESC format(TSV, 'a\tb\nx\t\\N');
DESC format(TSV, 'a\n\n1');
DESC format(TSV, 'a\tb\nx\t\nx\t1');
DESC format(TSV, 'a\tb\nx\t\n1\ty');
DESC format(CSV, 'a,b\nx,');
DESC format(CSV, 'a,b\n,');
DESC format(CSV, 'a,b\n,\n1,2');
DESC format(CSV, 'a\nx\n1');
-- Keys of maps.
DESC format(TSV, '{1:2}');
DESC format(CSV, '"{1.5:2}"');
DESC format(CSV, '"{\'2024-01-01\':2}"');
DESC format(CSV, '"{1:2,2.5:3}"');
DESC format(CSV, '"{1:2,\'x\':3}"');
DESC format(CSV, '"{}"\n"{1:2}"');
DESC format(CSV, '"{true:2}"');
DESC format(CSV, '"{NULL:2}"');
DESC format(Values, '({1:2})');
DESC format(CSV, '"{\'a\':1}"\n"{1:2}"');
SELECT * FROM format(TSV, '{1:\'2024-01-01\'}\n{}\n{2:NULL}');
