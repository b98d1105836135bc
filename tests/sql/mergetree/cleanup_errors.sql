-- OPTIMIZE … FINAL CLEANUP is for ReplacingMergeTree alone, and for those that allow it.
CREATE TABLE plain (k UInt64, v UInt8) ENGINE = MergeTree ORDER BY k;
INSERT INTO plain VALUES (1, 1);
-- error: CANNOT_ASSIGN_OPTIMIZE
OPTIMIZE TABLE plain FINAL CLEANUP;
CREATE TABLE summed (k UInt64, v UInt8) ENGINE = SummingMergeTree ORDER BY k SETTINGS allow_experimental_replacing_merge_with_cleanup = 1;
-- error: CANNOT_ASSIGN_OPTIMIZE
OPTIMIZE TABLE summed FINAL CLEANUP;
CREATE TABLE forbidden (k UInt64, v UInt8) ENGINE = ReplacingMergeTree(v) ORDER BY k;
-- error: SUPPORT_IS_DISABLED
OPTIMIZE TABLE forbidden FINAL CLEANUP;
CREATE TABLE allowed (k UInt64, v UInt8) ENGINE = ReplacingMergeTree(v) ORDER BY k SETTINGS allow_experimental_replacing_merge_with_cleanup = 1;
INSERT INTO allowed VALUES (1, 1);
INSERT INTO allowed VALUES (1, 2), (2, 0);
OPTIMIZE TABLE allowed FINAL CLEANUP;
SELECT * FROM allowed ORDER BY k;
