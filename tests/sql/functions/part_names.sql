SELECT mergeTreePartInfo('all_12_25_7_4') AS i, toTypeName(i);
SELECT mergeTreePartInfo('all_12_25_7') AS i;
-- error: BAD_ARGUMENTS
SELECT mergeTreePartInfo('foo');
SELECT mergeTreePartInfo(materialize('202001_12_25_7'));
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT mergeTreePartInfo(1);
SELECT mergeTreePartInfo(toNullable('all_1_1_0')) AS x, toTypeName(x);
SELECT mergeTreePartInfo(toFixedString('all_1_1_0', 9)) AS x, toTypeName(x);
SELECT mergeTreePartInfo(toLowCardinality('all_1_1_0')) AS x, toTypeName(x);
SELECT isMergeTreePartCoveredBy('all_12_25_7_4', 'all_7_100_10_20') AS a, isMergeTreePartCoveredBy('all_7_100_10_20', 'all_12_25_7_4') AS b, isMergeTreePartCoveredBy('all_1_1_0', 'all_1_1_0'), isMergeTreePartCoveredBy('a_1_1_0', 'all_1_1_0'), toTypeName(a);
-- error: BAD_ARGUMENTS
SELECT isMergeTreePartCoveredBy('foo', 'all_1_1_0');
SELECT isMergeTreePartCoveredBy('all_1_1_0', materialize('all_1_1_1')), isMergeTreePartCoveredBy('all_1_1_1', 'all_1_1_0'), isMergeTreePartCoveredBy('all_1_1_0_5', 'all_1_1_0'), isMergeTreePartCoveredBy('all_1_1_0', 'all_1_1_0_5'), isMergeTreePartCoveredBy('all_1_1_2', 'all_1_4_1');
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT isMergeTreePartCoveredBy(1, 2);
SELECT mergeTreePartInfo('ignored_all_1_1_0'), mergeTreePartInfo('broken-on-start_all_1_1_0'), mergeTreePartInfo('broken-on-start_all_1_1_0_try2'), mergeTreePartInfo('attaching_all_1_1_0_7_try3'), mergeTreePartInfo('attaching_all_1_1_0_try3');
SELECT mergeTreePartInfo('foo_all_1_1_0');
-- error: BAD_ARGUMENTS
SELECT mergeTreePartInfo('all_1_1_0_7_8');
-- error: BAD_ARGUMENTS
SELECT mergeTreePartInfo('all_1_1_x');
SELECT mergeTreePartInfo('all_-1_1_0');
-- error: BAD_ARGUMENTS
SELECT mergeTreePartInfo('all_2_1_0');
-- error: BAD_ARGUMENTS
SELECT mergeTreePartInfo('');
-- error: BAD_ARGUMENTS
SELECT mergeTreePartInfo('_1_1_0');
SELECT mergeTreePartInfo('all_1_1_999999999'), mergeTreePartInfo('all_1_1_1000000000'), mergeTreePartInfo('all_1_99999999999_4294967295');
-- error: BAD_ARGUMENTS
SELECT mergeTreePartInfo('all_1_1_99999999999');
SELECT mergeTreePartInfo('20200101_20200131_1_1_0');
SELECT mergeTreePartInfo('all_01_1_0');
-- error: BAD_ARGUMENTS
SELECT mergeTreePartInfo('all_1_1_0_');
SELECT mergeTreePartInfo('unexpected_all_1_1_0_0'), mergeTreePartInfo('noquorum_all_1_1_0_0'), mergeTreePartInfo('broken_all_1_1_0_0'), mergeTreePartInfo('deleting_all_1_1_0'), mergeTreePartInfo('merge-not-byte-identical_all_1_1_0'), mergeTreePartInfo('mutate-not-byte-identical_all_1_1_0'), mergeTreePartInfo('covered-by-broken_all_1_1_0'), mergeTreePartInfo('clone_all_1_1_0'), mergeTreePartInfo('tmp-fetch_all_1_1_0'), mergeTreePartInfo('broken-from-backup_all_1_1_0');
SELECT mergeTreePartInfo('all_-5_-3_0');
SELECT mergeTreePartInfo('patch-abc-all_1_1_0');
SELECT isMergeTreePartCoveredBy('ignored_all_1_1_0', 'all_1_1_0');
SELECT isMergeTreePartCoveredBy('all_1_1_0_try1', 'all_1_1_0');
SELECT isMergeTreePartCoveredBy('all_1_1_0', 'all_1_1_0_try1');
