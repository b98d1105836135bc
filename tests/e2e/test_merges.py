"""What becomes of parts is told in `system.part_log`."""

from runner import gristmill

COLUMNS = ", ".join(f"c{at} UInt32" for at in range(12))
VALUES = ", ".join(f"number + {at}" for at in range(12))


def test_a_part_is_told_of_from_its_insert_to_its_end(data):
    settings = "old_parts_lifetime = 0, vertical_merge_algorithm_min_rows_to_activate = 1"
    statements = [
        f"CREATE TABLE t (k UInt32, {COLUMNS}) ENGINE = MergeTree ORDER BY k SETTINGS {settings}",
        f"INSERT INTO t SELECT number, {VALUES} FROM numbers(100)",
        f"INSERT INTO t SELECT number, {VALUES} FROM numbers(50)",
        "OPTIMIZE TABLE t FINAL",
        "ALTER TABLE t DELETE WHERE k < 10 SETTINGS mutations_sync = 1",
        "SELECT event_type, part_name, merge_reason, merge_algorithm, rows, merged_from, error FROM system.part_log"
        " WHERE database = 'default' AND table = 't' AND event_type != 'RemovePart' ORDER BY event_time_microseconds",
    ]
    rows = gristmill(*statements, path=data).ok().rows
    assert rows == [
        ["NewPart", "all_1_1_0", "NotAMerge", "Undecided", "100", "[]", "0"],
        ["NewPart", "all_2_2_0", "NotAMerge", "Undecided", "50", "[]", "0"],
        ["MergePartsStart", "all_1_2_1", "RegularMerge", "Undecided", "0", "['all_1_1_0','all_2_2_0']", "0"],
        ["MergeParts", "all_1_2_1", "RegularMerge", "Vertical", "150", "['all_1_1_0','all_2_2_0']", "0"],
        ["MutatePartStart", "all_1_2_1", "NotAMerge", "Undecided", "0", "['all_1_2_1']", "0"],
        ["MutatePart", "all_1_2_1_3", "NotAMerge", "Undecided", "130", "['all_1_2_1']", "0"],
    ]


def test_a_merge_tells_how_long_its_stages_took(data):
    def told(settings: str, projection: str = "") -> list[str]:
        events = [f"Merge{stage}StageExecuteMilliseconds" for stage in ("Horizontal", "Vertical", "Projection")]
        horizontal, vertical, projections = (f"ProfileEvents['{event}']" for event in events)
        statements = [
            f"CREATE TABLE t (k UInt32, {COLUMNS}{projection}) ENGINE = MergeTree ORDER BY k SETTINGS {settings}",
            f"INSERT INTO t SELECT number * 2, {VALUES} FROM numbers(300000)",
            f"INSERT INTO t SELECT number * 2 + 1, {VALUES} FROM numbers(300000)",
            "OPTIMIZE TABLE t FINAL",
            f"SELECT {horizontal} > 0, {vertical} > 0, {projections} > 0,"
            f" ProfileEvents['MergeExecuteMilliseconds'] >= {horizontal} + {vertical} + {projections}"
            " FROM system.part_log WHERE event_type = 'MergeParts' AND table = 't'",
            "DROP TABLE t",
        ]
        [row] = gristmill(*statements, path=data).ok().rows
        return row

    assert told("vertical_merge_algorithm_min_rows_to_activate = 1") == ["1", "1", "0", "1"]
    assert told("enable_vertical_merge_algorithm = 0") == ["1", "0", "0", "1"]
    ordered = ", PROJECTION p (SELECT * ORDER BY c0)"
    assert told("enable_vertical_merge_algorithm = 0", ordered) == ["1", "0", "1", "1"]


def test_a_merge_tells_what_it_did(data):
    statements = [
        "CREATE TABLE t (k UInt32) ENGINE = MergeTree ORDER BY k",
        "INSERT INTO t SELECT number FROM numbers(100)",
        "INSERT INTO t SELECT number + 100 FROM numbers(100)",
        "OPTIMIZE TABLE t FINAL",
        "SELECT read_rows, read_bytes = bytes_uncompressed, ProfileEvents['MergedRows'], ProfileEvents['MergeRowsNotCompared'],"
        " table_uuid = (SELECT uuid FROM system.tables WHERE name = 't'), path_on_disk LIKE '%.parquet', size_in_bytes > 0"
        " FROM system.part_log WHERE event_type = 'MergeParts'",
    ]
    assert gristmill(*statements, path=data).ok().rows == [["200", "1", "200", "200", "1", "1", "1"]]
