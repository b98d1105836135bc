-- A Nested in the structure of a table function is several columns or one, as flatten_nested says.
DESCRIBE format(Values, 'id UInt32, n Nested(c1 Int8, c2 String)', '(1, [1], [''a''])');
DESCRIBE format(Values, 'id UInt32, n Nested(c1 Int8, c2 String)', '(1, [(1, ''a'')])') SETTINGS flatten_nested = 0;
SELECT * FROM format(Values, 'id UInt32, n Nested(c1 Int8, c2 String)', '(1, [1], [''a''])');
SELECT * FROM format(Values, 'id UInt32, n Nested(c1 Int8, c2 String)', '(1, [(1, ''a'')])') SETTINGS flatten_nested = 0;
SELECT id, n.c1, n.c2 FROM format(JSONEachRow, 'id UInt32, n Nested(c1 Int8, c2 LowCardinality(String))', '{"id": 2, "n": [{"c1": 3, "c2": "x"}, {"c1": 4, "c2": "y"}]}') SETTINGS flatten_nested = 0;
SELECT * FROM values('id UInt32, n Nested(c1 Int8, c2 String)', (1, [(1, 'a')])) SETTINGS flatten_nested = 0;
SELECT * FROM values('id UInt32, n Nested(c1 Int8, c2 String)', (1, [1], ['a']));
SET flatten_nested = 0;
DESCRIBE generateRandom('n Nested(c1 Int8, c2 String)');
DESCRIBE null('n Nested(c1 Int8, c2 String)');
CREATE TABLE nn (id UInt32, n Nested(c1 Int8, c2 LowCardinality(String))) ENGINE = Memory;
INSERT INTO nn SELECT id, n FROM format(Values, 'id UInt32, n Nested(c1 Int8, c2 String)', '(1, [(1, ''a''), (2, ''b'')])');
SELECT * FROM nn;
SET flatten_nested = 1;
DESCRIBE null('n Nested(c1 Int8, c2 String)');
