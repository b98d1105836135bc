-- A number of more digits than the column has is refused, NULL or not.
CREATE TABLE d (a Decimal(9, 0), n Nullable(Decimal(4, 1)), r Array(Decimal(4, 1))) ENGINE = Memory;
INSERT INTO d (a) VALUES (999999999), (-999999999);
-- error: ARGUMENT_OUT_OF_BOUND
INSERT INTO d (a) VALUES (1000000000);
-- error: ARGUMENT_OUT_OF_BOUND
INSERT INTO d (a) VALUES (-1000000000);
-- error: ARGUMENT_OUT_OF_BOUND
INSERT INTO d (n) VALUES (1000);
-- error: ARGUMENT_OUT_OF_BOUND
INSERT INTO d (n) VALUES (1e3);
-- error: ARGUMENT_OUT_OF_BOUND
INSERT INTO d (r) VALUES ([1, 1000]);
INSERT INTO d (n, r) VALUES (999.9, [1, 2.5]), (NULL, []);
SELECT * FROM d ORDER BY ALL;
