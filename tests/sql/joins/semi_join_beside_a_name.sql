-- What is asked of a key that a semi join shows is not asked of another column of its name on the side that it does not show.
CREATE TABLE few (k UInt32) ENGINE = MergeTree ORDER BY k;
CREATE TABLE shown (k UInt32, x UInt32) ENGINE = MergeTree ORDER BY k;
CREATE TABLE hidden (j UInt32, k UInt32) ENGINE = MergeTree ORDER BY j;
INSERT INTO few VALUES (0), (1), (2);
INSERT INTO shown SELECT number, 1000000 FROM numbers(50000);
INSERT INTO hidden SELECT number, 500000 - number FROM numbers(50000);
SELECT few.k FROM few JOIN (SELECT shown.k AS k FROM shown LEFT SEMI JOIN hidden ON shown.k = hidden.j AND shown.x > hidden.k) AS s
ON few.k = s.k ORDER BY few.k;
SELECT few.k FROM few JOIN (SELECT shown.k AS k FROM hidden RIGHT SEMI JOIN shown ON shown.k = hidden.j AND shown.x > hidden.k) AS s
ON few.k = s.k ORDER BY few.k;
-- Of a key of one name on both sides it may be asked.
SELECT count() FROM few JOIN (SELECT shown.k AS k FROM shown LEFT SEMI JOIN hidden ON shown.k + 450001 = hidden.k) AS s ON few.k = s.k;
