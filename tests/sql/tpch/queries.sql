-- TPC-H's tables, made of hashes so that every engine makes the same, and its 22 queries in ClickHouse's spelling.
CREATE TABLE region (r_regionkey Int32, r_name String, r_comment String) ENGINE = MergeTree ORDER BY r_regionkey;
INSERT INTO region SELECT number, ['AFRICA', 'AMERICA', 'ASIA', 'EUROPE', 'MIDDLE EAST'][number + 1], '' FROM numbers(5);
CREATE TABLE nation (n_nationkey Int32, n_name String, n_regionkey Int32, n_comment String) ENGINE = MergeTree ORDER BY n_nationkey;
INSERT INTO nation SELECT number,
    ['ALGERIA', 'ARGENTINA', 'BRAZIL', 'CANADA', 'EGYPT', 'ETHIOPIA', 'FRANCE', 'GERMANY', 'INDIA', 'INDONESIA', 'IRAN', 'IRAQ', 'JAPAN', 'JORDAN', 'KENYA', 'MOROCCO', 'MOZAMBIQUE', 'PERU', 'CHINA', 'ROMANIA', 'SAUDI ARABIA', 'VIETNAM', 'RUSSIA', 'UNITED KINGDOM', 'UNITED STATES'][number + 1],
    [0, 1, 1, 1, 4, 0, 3, 3, 2, 2, 4, 4, 2, 4, 0, 0, 0, 1, 2, 3, 4, 2, 3, 3, 1][number + 1], '' FROM numbers(25);
CREATE TABLE part (p_partkey Int32, p_name String, p_mfgr String, p_brand String, p_type String, p_size Int32, p_container String, p_retailprice Decimal(15, 2), p_comment String) ENGINE = MergeTree ORDER BY p_partkey;
INSERT INTO part WITH ['almond', 'azure', 'beige', 'blue', 'brown', 'coral', 'cream', 'dark', 'forest', 'green', 'grey', 'ivory', 'khaki', 'lime', 'navy', 'pink', 'plum', 'red', 'rose', 'tan'] AS words,
    number + 1 AS k, 1 + cityHash64('mfgr', k) % 5 AS m
SELECT k, arrayStringConcat(arrayMap(i -> words[1 + cityHash64('name', k, i) % 20], range(3)), ' '),
    concat('Manufacturer#', toString(m)), concat('Brand#', toString(m), toString(1 + cityHash64('brand', k) % 5)),
    concat(['STANDARD', 'SMALL', 'MEDIUM', 'LARGE', 'ECONOMY', 'PROMO'][1 + cityHash64('t1', k) % 6], ' ', ['ANODIZED', 'BURNISHED', 'PLATED', 'POLISHED', 'BRUSHED'][1 + cityHash64('t2', k) % 5], ' ', ['TIN', 'NICKEL', 'BRASS', 'STEEL', 'COPPER'][1 + cityHash64('t3', k) % 5]),
    1 + cityHash64('size', k) % 50,
    concat(['SM', 'LG', 'MED', 'JUMBO', 'WRAP'][1 + cityHash64('c1', k) % 5], ' ', ['CASE', 'BOX', 'BAG', 'JAR', 'PKG', 'PACK', 'CAN', 'DRUM'][1 + cityHash64('c2', k) % 8]),
    toDecimal64(90000 + k % 20001 + 100 * (k % 1000), 2) / 100, '' FROM numbers(2000);
CREATE TABLE supplier (s_suppkey Int32, s_name String, s_address String, s_nationkey Int32, s_phone String, s_acctbal Decimal(15, 2), s_comment String) ENGINE = MergeTree ORDER BY s_suppkey;
INSERT INTO supplier WITH number + 1 AS k, toInt32(cityHash64('sn', k) % 25) AS nation
SELECT k, concat('Supplier#', leftPad(toString(k), 9, '0')), hex(cityHash64('sa', k)), nation,
    concat(toString(nation + 10), '-', toString(100 + cityHash64('sp', k) % 900)), toDecimal64(cityHash64('sb', k) % 1100000, 2) / 100 - 999,
    if(k % 20 = 0, 'slow Customer and many Complaints', 'quick') FROM numbers(100);
CREATE TABLE partsupp (ps_partkey Int32, ps_suppkey Int32, ps_availqty Int32, ps_supplycost Decimal(15, 2), ps_comment String) ENGINE = MergeTree ORDER BY (ps_partkey, ps_suppkey);
INSERT INTO partsupp SELECT intDiv(number, 4) + 1 AS p, 1 + (p + (number % 4) * 25 + intDiv(p, 100)) % 100 AS s, 1 + cityHash64('qty', number) % 9999, toDecimal64(100 + cityHash64('cost', number) % 99900, 2) / 100, '' FROM numbers(8000);
CREATE TABLE customer (c_custkey Int32, c_name String, c_address String, c_nationkey Int32, c_phone String, c_acctbal Decimal(15, 2), c_mktsegment String, c_comment String) ENGINE = MergeTree ORDER BY c_custkey;
INSERT INTO customer WITH number + 1 AS k, toInt32(cityHash64('cn', k) % 25) AS nation
SELECT k, concat('Customer#', leftPad(toString(k), 9, '0')), hex(cityHash64('ca', k)), nation,
    concat(toString(nation + 10), '-', toString(100 + cityHash64('cp', k) % 900)), toDecimal64(cityHash64('cb', k) % 1100000, 2) / 100 - 999,
    ['AUTOMOBILE', 'BUILDING', 'FURNITURE', 'MACHINERY', 'HOUSEHOLD'][1 + cityHash64('cs', k) % 5], '' FROM numbers(1500);
CREATE TABLE orders (o_orderkey Int32, o_custkey Int32, o_orderstatus String, o_totalprice Decimal(15, 2), o_orderdate Date, o_orderpriority String, o_clerk String, o_shippriority Int32, o_comment String) ENGINE = MergeTree ORDER BY o_orderkey;
INSERT INTO orders WITH number + 1 AS k
SELECT k, 1 + 3 * (cityHash64('oc', k) % 500) + cityHash64('od', k) % 2, ['O', 'F', 'P'][1 + cityHash64('os', k) % 3], toDecimal64(100000 + cityHash64('op', k) % 40000000, 2) / 100,
    toDate('1992-01-01') + cityHash64('day', k) % 2406, ['1-URGENT', '2-HIGH', '3-MEDIUM', '4-NOT SPECIFIED', '5-LOW'][1 + cityHash64('pr', k) % 5], concat('Clerk#', toString(cityHash64('cl', k) % 15)), 0,
    if(cityHash64('cm', k) % 50 = 0, 'the special and unusual requests', 'plain') FROM numbers(15000);
CREATE TABLE lineitem (l_orderkey Int32, l_partkey Int32, l_suppkey Int32, l_linenumber Int32, l_quantity Decimal(15, 2), l_extendedprice Decimal(15, 2), l_discount Decimal(15, 2), l_tax Decimal(15, 2), l_returnflag String, l_linestatus String, l_shipdate Date, l_commitdate Date, l_receiptdate Date, l_shipinstruct String, l_shipmode String, l_comment String) ENGINE = MergeTree ORDER BY (l_orderkey, l_linenumber);
INSERT INTO lineitem WITH cityHash64('l', o_orderkey, n) AS h, toInt32(1 + cityHash64('lp', o_orderkey, n) % 2000) AS p, toInt32(1 + cityHash64('lq', o_orderkey, n) % 50) AS q,
    o_orderdate + 1 + cityHash64('ls', o_orderkey, n) % 121 AS shipped, shipped + 1 + cityHash64('lr', o_orderkey, n) % 30 AS received
SELECT o_orderkey, p, 1 + (p + (h % 4) * 25 + intDiv(p, 100)) % 100, n, q, toDecimal64(q * (90000 + p % 20001 + 100 * (p % 1000)), 2) / 100, toDecimal64(h % 11, 2) / 100, toDecimal64(cityHash64('tax', h) % 9, 2) / 100,
    if(received <= toDate('1995-06-17'), ['R', 'A'][1 + h % 2], 'N'), if(shipped > toDate('1995-06-17'), 'O', 'F'), shipped, o_orderdate + 30 + cityHash64('lc', o_orderkey, n) % 61, received,
    ['DELIVER IN PERSON', 'COLLECT COD', 'NONE', 'TAKE BACK RETURN'][1 + cityHash64('li', h) % 4], ['REG AIR', 'AIR', 'RAIL', 'SHIP', 'TRUCK', 'MAIL', 'FOB'][1 + cityHash64('lm', h) % 7], ''
FROM (SELECT o_orderkey, o_orderdate, arrayJoin(range(1, 2 + cityHash64('lines', o_orderkey) % 7)) AS n FROM orders);
SELECT count(), sum(l_extendedprice), sum(cityHash64(l_orderkey, l_partkey, l_suppkey, l_shipdate, l_shipmode) % 1000) FROM lineitem;
-- 1
SELECT l_returnflag, l_linestatus, sum(l_quantity) AS sum_qty, sum(l_extendedprice) AS sum_base_price, sum(l_extendedprice * (1 - l_discount)) AS sum_disc_price, sum(l_extendedprice * (1 - l_discount) * (1 + l_tax)) AS sum_charge, avg(l_quantity) AS avg_qty, avg(l_extendedprice) AS avg_price, avg(l_discount) AS avg_disc, count(*) AS count_order
FROM lineitem WHERE l_shipdate <= DATE '1998-12-01' - INTERVAL 90 DAY GROUP BY l_returnflag, l_linestatus ORDER BY l_returnflag, l_linestatus;
-- 2
SELECT s_acctbal, s_name, n_name, p_partkey, p_mfgr, s_address, s_phone, s_comment FROM part, supplier, partsupp, nation, region
WHERE p_partkey = ps_partkey AND s_suppkey = ps_suppkey AND p_size = 15 AND p_type LIKE '%BRASS' AND s_nationkey = n_nationkey AND n_regionkey = r_regionkey AND r_name = 'EUROPE'
AND ps_supplycost = (SELECT min(ps_supplycost) FROM partsupp, supplier, nation, region WHERE p_partkey = ps_partkey AND s_suppkey = ps_suppkey AND s_nationkey = n_nationkey AND n_regionkey = r_regionkey AND r_name = 'EUROPE')
ORDER BY s_acctbal DESC, n_name, s_name, p_partkey LIMIT 100;
-- 3
SELECT l_orderkey, sum(l_extendedprice * (1 - l_discount)) AS revenue, o_orderdate, o_shippriority FROM customer, orders, lineitem
WHERE c_mktsegment = 'BUILDING' AND c_custkey = o_custkey AND l_orderkey = o_orderkey AND o_orderdate < DATE '1995-03-15' AND l_shipdate > DATE '1995-03-15'
GROUP BY l_orderkey, o_orderdate, o_shippriority ORDER BY revenue DESC, o_orderdate, l_orderkey LIMIT 10;
-- 4
SELECT o_orderpriority, count(*) AS order_count FROM orders WHERE o_orderdate >= DATE '1993-07-01' AND o_orderdate < DATE '1993-07-01' + INTERVAL '3' MONTH
AND EXISTS (SELECT * FROM lineitem WHERE l_orderkey = o_orderkey AND l_commitdate < l_receiptdate) GROUP BY o_orderpriority ORDER BY o_orderpriority;
-- 5
SELECT n_name, sum(l_extendedprice * (1 - l_discount)) AS revenue FROM customer, orders, lineitem, supplier, nation, region
WHERE c_custkey = o_custkey AND l_orderkey = o_orderkey AND l_suppkey = s_suppkey AND c_nationkey = s_nationkey AND s_nationkey = n_nationkey AND n_regionkey = r_regionkey AND r_name = 'ASIA'
AND o_orderdate >= DATE '1994-01-01' AND o_orderdate < DATE '1994-01-01' + INTERVAL '1' YEAR GROUP BY n_name ORDER BY revenue DESC;
-- 6
SELECT sum(l_extendedprice * l_discount) AS revenue FROM lineitem WHERE l_shipdate >= DATE '1994-01-01' AND l_shipdate < DATE '1994-01-01' + INTERVAL '1' YEAR AND l_discount BETWEEN 0.06::Decimal64(2) - 0.01::Decimal64(2) AND 0.06::Decimal64(2) + 0.01::Decimal64(2) AND l_quantity < 24;
-- 7
SELECT supp_nation, cust_nation, l_year, sum(volume) AS revenue FROM (
    SELECT n1.n_name AS supp_nation, n2.n_name AS cust_nation, extract(year FROM l_shipdate) AS l_year, l_extendedprice * (1 - l_discount) AS volume
    FROM supplier, lineitem, orders, customer, nation n1, nation n2
    WHERE s_suppkey = l_suppkey AND o_orderkey = l_orderkey AND c_custkey = o_custkey AND s_nationkey = n1.n_nationkey AND c_nationkey = n2.n_nationkey
    AND ((n1.n_name = 'FRANCE' AND n2.n_name = 'GERMANY') OR (n1.n_name = 'GERMANY' AND n2.n_name = 'FRANCE')) AND l_shipdate BETWEEN DATE '1995-01-01' AND DATE '1996-12-31') AS shipping
GROUP BY supp_nation, cust_nation, l_year ORDER BY supp_nation, cust_nation, l_year;
-- 8
SELECT o_year, sum(CASE WHEN nation = 'BRAZIL' THEN volume ELSE 0 END) / sum(volume) AS mkt_share FROM (
    SELECT extract(year FROM o_orderdate) AS o_year, l_extendedprice * (1 - l_discount) AS volume, n2.n_name AS nation
    FROM part, supplier, lineitem, orders, customer, nation n1, nation n2, region
    WHERE p_partkey = l_partkey AND s_suppkey = l_suppkey AND l_orderkey = o_orderkey AND o_custkey = c_custkey AND c_nationkey = n1.n_nationkey AND n1.n_regionkey = r_regionkey AND r_name = 'AMERICA' AND s_nationkey = n2.n_nationkey
    AND o_orderdate BETWEEN DATE '1995-01-01' AND DATE '1996-12-31' AND p_type = 'ECONOMY ANODIZED STEEL') AS all_nations
GROUP BY o_year ORDER BY o_year;
-- 9
SELECT nation, o_year, sum(amount) AS sum_profit FROM (
    SELECT n_name AS nation, extract(year FROM o_orderdate) AS o_year, l_extendedprice * (1 - l_discount) - ps_supplycost * l_quantity AS amount
    FROM part, supplier, lineitem, partsupp, orders, nation
    WHERE s_suppkey = l_suppkey AND ps_suppkey = l_suppkey AND ps_partkey = l_partkey AND p_partkey = l_partkey AND o_orderkey = l_orderkey AND s_nationkey = n_nationkey AND p_name LIKE '%green%') AS profit
GROUP BY nation, o_year ORDER BY nation, o_year DESC;
-- 10
SELECT c_custkey, c_name, sum(l_extendedprice * (1 - l_discount)) AS revenue, c_acctbal, n_name, c_address, c_phone, c_comment FROM customer, orders, lineitem, nation
WHERE c_custkey = o_custkey AND l_orderkey = o_orderkey AND o_orderdate >= DATE '1993-10-01' AND o_orderdate < DATE '1993-10-01' + INTERVAL '3' MONTH AND l_returnflag = 'R' AND c_nationkey = n_nationkey
GROUP BY c_custkey, c_name, c_acctbal, c_phone, n_name, c_address, c_comment ORDER BY revenue DESC, c_custkey LIMIT 20;
-- 11
SELECT ps_partkey, sum(ps_supplycost * ps_availqty) AS value FROM partsupp, supplier, nation WHERE ps_suppkey = s_suppkey AND s_nationkey = n_nationkey AND n_name = 'GERMANY'
GROUP BY ps_partkey HAVING sum(ps_supplycost * ps_availqty) > (SELECT sum(ps_supplycost * ps_availqty) * 0.005 FROM partsupp, supplier, nation WHERE ps_suppkey = s_suppkey AND s_nationkey = n_nationkey AND n_name = 'GERMANY')
ORDER BY value DESC, ps_partkey;
-- 12
SELECT l_shipmode, sum(CASE WHEN o_orderpriority = '1-URGENT' OR o_orderpriority = '2-HIGH' THEN 1 ELSE 0 END) AS high_line_count, sum(CASE WHEN o_orderpriority <> '1-URGENT' AND o_orderpriority <> '2-HIGH' THEN 1 ELSE 0 END) AS low_line_count
FROM orders, lineitem WHERE o_orderkey = l_orderkey AND l_shipmode IN ('MAIL', 'SHIP') AND l_commitdate < l_receiptdate AND l_shipdate < l_commitdate AND l_receiptdate >= DATE '1994-01-01' AND l_receiptdate < DATE '1994-01-01' + INTERVAL '1' YEAR
GROUP BY l_shipmode ORDER BY l_shipmode;
-- 13
SELECT c_count, count(*) AS custdist FROM (
    SELECT c_custkey, count(o_orderkey) AS c_count FROM customer LEFT OUTER JOIN orders ON c_custkey = o_custkey AND o_comment NOT LIKE '%special%requests%' GROUP BY c_custkey) AS c_orders
GROUP BY c_count ORDER BY custdist DESC, c_count DESC SETTINGS join_use_nulls = 1;
-- 14
SELECT 100.00 * sum(CASE WHEN p_type LIKE 'PROMO%' THEN l_extendedprice * (1 - l_discount) ELSE 0 END) / sum(l_extendedprice * (1 - l_discount)) AS promo_revenue
FROM lineitem, part WHERE l_partkey = p_partkey AND l_shipdate >= DATE '1995-09-01' AND l_shipdate < DATE '1995-09-01' + INTERVAL '1' MONTH;
-- 15
CREATE VIEW revenue0 AS SELECT l_suppkey AS supplier_no, sum(l_extendedprice * (1 - l_discount)) AS total_revenue FROM lineitem WHERE l_shipdate >= DATE '1996-01-01' AND l_shipdate < DATE '1996-01-01' + INTERVAL '3' MONTH GROUP BY l_suppkey;
SELECT s_suppkey, s_name, s_address, s_phone, total_revenue FROM supplier, revenue0 WHERE s_suppkey = supplier_no AND total_revenue = (SELECT max(total_revenue) FROM revenue0) ORDER BY s_suppkey;
DROP VIEW revenue0;
-- 16
SELECT p_brand, p_type, p_size, count(DISTINCT ps_suppkey) AS supplier_cnt FROM partsupp, part
WHERE p_partkey = ps_partkey AND p_brand <> 'Brand#45' AND p_type NOT LIKE 'MEDIUM POLISHED%' AND p_size IN (49, 14, 23, 45, 19, 3, 36, 9) AND ps_suppkey NOT IN (SELECT s_suppkey FROM supplier WHERE s_comment LIKE '%Customer%Complaints%')
GROUP BY p_brand, p_type, p_size ORDER BY supplier_cnt DESC, p_brand, p_type, p_size LIMIT 40;
-- 17
SELECT sum(l_extendedprice) / 7.0 AS avg_yearly FROM lineitem, part WHERE p_partkey = l_partkey AND p_brand = 'Brand#23' AND p_container = 'MED BOX' AND l_quantity < (SELECT 0.2 * avg(l_quantity) FROM lineitem WHERE l_partkey = p_partkey);
-- 18
SELECT c_name, c_custkey, o_orderkey, o_orderdate, o_totalprice, sum(l_quantity) FROM customer, orders, lineitem
WHERE o_orderkey IN (SELECT l_orderkey FROM lineitem GROUP BY l_orderkey HAVING sum(l_quantity) > 270) AND c_custkey = o_custkey AND o_orderkey = l_orderkey
GROUP BY c_name, c_custkey, o_orderkey, o_orderdate, o_totalprice ORDER BY o_totalprice DESC, o_orderdate, o_orderkey LIMIT 100;
-- 19
SELECT sum(l_extendedprice * (1 - l_discount)) AS revenue FROM lineitem, part
WHERE (p_partkey = l_partkey AND p_brand = 'Brand#12' AND p_container IN ('SM CASE', 'SM BOX', 'SM PACK', 'SM PKG') AND l_quantity >= 1 AND l_quantity <= 11 AND p_size BETWEEN 1 AND 5 AND l_shipmode IN ('AIR', 'AIR REG', 'REG AIR') AND l_shipinstruct = 'DELIVER IN PERSON')
OR (p_partkey = l_partkey AND p_brand = 'Brand#23' AND p_container IN ('MED BAG', 'MED BOX', 'MED PKG', 'MED PACK') AND l_quantity >= 10 AND l_quantity <= 20 AND p_size BETWEEN 1 AND 10 AND l_shipmode IN ('AIR', 'AIR REG', 'REG AIR') AND l_shipinstruct = 'DELIVER IN PERSON')
OR (p_partkey = l_partkey AND p_brand = 'Brand#34' AND p_container IN ('LG CASE', 'LG BOX', 'LG PACK', 'LG PKG') AND l_quantity >= 20 AND l_quantity <= 30 AND p_size BETWEEN 1 AND 15 AND l_shipmode IN ('AIR', 'AIR REG', 'REG AIR') AND l_shipinstruct = 'DELIVER IN PERSON');
-- 20
SELECT s_name, s_address FROM supplier, nation WHERE s_suppkey IN (
    SELECT ps_suppkey FROM partsupp WHERE ps_partkey IN (SELECT p_partkey FROM part WHERE p_name LIKE 'forest%')
    AND ps_availqty > (SELECT 0.5 * sum(l_quantity) FROM lineitem WHERE l_partkey = ps_partkey AND l_suppkey = ps_suppkey AND l_shipdate >= DATE '1994-01-01' AND l_shipdate < DATE '1994-01-01' + INTERVAL '1' YEAR))
AND s_nationkey = n_nationkey AND n_name = 'CANADA' ORDER BY s_name;
-- 21
SELECT s_name, count(*) AS numwait FROM supplier, lineitem l1, orders, nation
WHERE s_suppkey = l1.l_suppkey AND o_orderkey = l1.l_orderkey AND o_orderstatus = 'F' AND l1.l_receiptdate > l1.l_commitdate
AND EXISTS (SELECT * FROM lineitem l2 WHERE l2.l_orderkey = l1.l_orderkey AND l2.l_suppkey <> l1.l_suppkey)
AND NOT EXISTS (SELECT * FROM lineitem l3 WHERE l3.l_orderkey = l1.l_orderkey AND l3.l_suppkey <> l1.l_suppkey AND l3.l_receiptdate > l3.l_commitdate)
AND s_nationkey = n_nationkey AND n_name = 'SAUDI ARABIA' GROUP BY s_name ORDER BY numwait DESC, s_name LIMIT 100;
-- 22
SELECT cntrycode, count(*) AS numcust, sum(c_acctbal) AS totacctbal FROM (
    SELECT substring(c_phone FROM 1 FOR 2) AS cntrycode, c_acctbal FROM customer
    WHERE substring(c_phone FROM 1 FOR 2) IN ('13', '31', '23', '29', '30', '18', '17')
    AND c_acctbal > (SELECT avg(c_acctbal) FROM customer WHERE c_acctbal > 0.00 AND substring(c_phone FROM 1 FOR 2) IN ('13', '31', '23', '29', '30', '18', '17'))
    AND NOT EXISTS (SELECT * FROM orders WHERE o_custkey = c_custkey)) AS custsale
GROUP BY cntrycode ORDER BY cntrycode;
