-- A command that fails leaves nothing of the others that stand in the same statement. (ClickHouse carries out those before it.)
CREATE TABLE pp (k UInt32, g UInt32, v UInt32, PROJECTION n (SELECT g, k ORDER BY g)) ENGINE = MergeTree ORDER BY k;
INSERT INTO pp SELECT number, number % 10, number FROM numbers(100);
CREATE TABLE other (k UInt32) ENGINE = MergeTree ORDER BY k;
-- error: NO_SUCH_DATA_PART
ALTER TABLE pp DROP PART 'all_9_9_0', DROP PROJECTION n;
SELECT name FROM system.projections WHERE table = 'pp';
-- error: NO_SUCH_DATA_PART
ALTER TABLE pp ADD COLUMN a1 UInt8, DETACH PART 'all_9_9_0';
-- error: BAD_DATA_PART_NAME
ALTER TABLE pp ADD COLUMN a2 UInt8, ATTACH PART 'all_9_9_0';
-- error: NO_SUCH_COLUMN_IN_TABLE
ALTER TABLE pp ADD COLUMN a3 UInt8, UPDATE nothing = 1 WHERE 1;
-- error: UNKNOWN_IDENTIFIER
ALTER TABLE pp ADD COLUMN a4 UInt8, UPDATE v = nothing WHERE 1;
-- error: UNKNOWN_TABLE
ALTER TABLE pp ADD COLUMN a5 UInt8, ATTACH PARTITION tuple() FROM nothing;
-- error: NO_SUCH_DATA_PART
ALTER TABLE pp DELETE WHERE k = 1, DROP PART 'all_9_9_0' SETTINGS mutations_sync = 2;
-- gap: no column was added
SELECT name FROM system.columns WHERE table = 'pp';
-- gap: no row was deleted
SELECT count() FROM pp;
-- error: NO_SUCH_DATA_PART
ALTER TABLE other DROP PART 'all_1_1_0', DROP PART 'all_9_9_0';
INSERT INTO other VALUES (1);
-- error: NO_SUCH_DATA_PART
ALTER TABLE other DETACH PARTITION ID 'all', DROP PART 'all_9_9_0';
SELECT count() FROM other;
-- What is right is carried out, all of it.
ALTER TABLE other ADD COLUMN w UInt8 DEFAULT 3, DETACH PARTITION ID 'all', ATTACH PARTITION ID 'all';
SELECT * FROM other ORDER BY k;
