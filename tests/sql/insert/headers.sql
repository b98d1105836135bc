-- A first row that names every column is a header, whatever else it names.
CREATE TABLE h (a UInt8, b String) ENGINE = Memory;
INSERT INTO h FORMAT TSV
b	c	a
x	7	1
y	8	2
;
SELECT * FROM h ORDER BY a;
TRUNCATE TABLE h;
INSERT INTO h FORMAT CSV
c,a,d,b
7,1,,x
;
SELECT * FROM h ORDER BY a;
