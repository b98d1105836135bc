"""Partitions that go from table to table, and frozen ones, are second names of the same files: nothing is read or written."""

from pathlib import Path

from runner import gristmill

COLUMNS = "k UInt32, s String, INDEX i s TYPE set(10), PROJECTION p (SELECT s, count() GROUP BY s)"
TABLE = f"({COLUMNS}) ENGINE = MergeTree PARTITION BY k % 2 ORDER BY k"


def parts(data) -> dict[str, list[Path]]:
    """Objects of parts by the table's folder, those of projections and of frozen parts too."""
    found: dict[str, list[Path]] = {}
    store = Path(data) / "store"
    for path in sorted(store.rglob("*.parquet")):
        found.setdefault(path.relative_to(store).parts[0], []).append(path)
    return found


def inodes(paths: list[Path]) -> list[int]:
    return sorted(path.stat().st_ino for path in paths)


def test_what_is_carried_over_are_the_same_files(data):
    gristmill(
        f"CREATE TABLE a {TABLE}",
        "CREATE TABLE b AS a",
        "INSERT INTO a SELECT number, toString(number % 7) FROM numbers(1000)",
        "ALTER TABLE b REPLACE PARTITION 1 FROM a",
        "ALTER TABLE b ATTACH PARTITION 0 FROM a",
        path=data,
    ).ok()
    (one, other) = parts(data).values()
    assert len(one) == 4 and inodes(one) == inodes(other)
    # Each table goes on alone.
    checks = [
        "SELECT count(), sum(k), sum(length(s)), sum(k * (s = '3')) FROM b",
        "SELECT s, count() FROM b GROUP BY s ORDER BY s LIMIT 1",
    ]
    before = gristmill(*checks, path=data).ok().rows
    assert before == [["1000", "499500", "1000", "71500"], ["0", "143"]]
    gristmill("ALTER TABLE a DELETE WHERE 1 SETTINGS mutations_sync = 1", "DROP TABLE a SYNC", path=data).ok()
    assert gristmill(*checks, path=data).ok().rows == before


def test_a_moved_partition_is_in_one_table(data):
    gristmill(
        f"CREATE TABLE a {TABLE} SETTINGS old_parts_lifetime = 1",
        "CREATE TABLE b AS a",
        "INSERT INTO a SELECT number, '' FROM numbers(10)",
        "ALTER TABLE a MOVE PARTITION 1 TO TABLE b",
        path=data,
    ).ok()
    rows = "SELECT * FROM (SELECT 'a' AS t, groupArray(k) FROM a UNION ALL SELECT 'b', groupArray(k) FROM b) ORDER BY t"
    assert gristmill(rows, path=data).ok().rows == [["a", "[0,2,4,6,8]"], ["b", "[1,3,5,7,9]"]]


def test_rows_are_written_anew_where_the_tables_know_columns_by_other_keys(data):
    gristmill(
        f"CREATE TABLE a {TABLE}",
        "CREATE TABLE b AS a",
        "INSERT INTO a SELECT number, 'old' FROM numbers(10)",
        "ALTER TABLE b ADD COLUMN x UInt8, DROP COLUMN x, ADD COLUMN x UInt16 DEFAULT 7",
        "ALTER TABLE a ADD COLUMN x UInt16 DEFAULT 8",
        "ALTER TABLE b ATTACH PARTITION 1 FROM a",
        path=data,
    ).ok()
    assert gristmill("SELECT DISTINCT x, s FROM b", path=data).ok().rows == [["8", "old"]]
    (one, other) = parts(data).values()
    assert not set(inodes(one)) & set(inodes(other))


def test_frozen_parts_outlive_the_rows(data):
    gristmill(
        f"CREATE TABLE a {TABLE} SETTINGS old_parts_lifetime = 0",
        "INSERT INTO a SELECT number, '' FROM numbers(10)",
        "ALTER TABLE a FREEZE WITH NAME 'monday'",
        path=data,
    ).ok()
    (files,) = parts(data).values()
    frozen = [path for path in files if "shadow" in path.parts]
    live = [path for path in files if "shadow" not in path.parts]
    assert len(frozen) == 4 and inodes(frozen) == inodes(live)
    gristmill("TRUNCATE TABLE a SYNC", "OPTIMIZE TABLE a FINAL", path=data).ok()
    assert all(path.stat().st_size > 100 for path in frozen)
