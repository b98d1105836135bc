"""Data on standard input, whose directory is at its end, and what it leaves out."""

import io

import pyarrow
import pyarrow.feather
import pyarrow.parquet
from runner import gristmill

TABLE = pyarrow.table({"id": [1, 2, 3], "name": ["a", None, "c"]})
CREATE = "CREATE TABLE t (id UInt64, name String DEFAULT concat('row ', toString(id)), twice UInt64 DEFAULT id * 2) ENGINE = MergeTree ORDER BY id"
EXPECTED = [["1", "a", "2"], ["2", "row 2", "4"], ["3", "c", "6"]]


def parquet(table: pyarrow.Table) -> bytes:
    file = io.BytesIO()
    pyarrow.parquet.write_table(table, file, row_group_size=2)
    return file.getvalue()


def arrow(table: pyarrow.Table) -> bytes:
    file = io.BytesIO()
    pyarrow.feather.write_feather(table, file, compression="uncompressed")
    return file.getvalue()


def test_parquet_and_arrow_come_by_standard_input(tmp_path):
    for number, (name, data) in enumerate([("Parquet", parquet(TABLE)), ("Arrow", arrow(TABLE))]):
        path = tmp_path / str(number)
        gristmill(CREATE, f"INSERT INTO t FORMAT {name}", path=path, stdin=data).ok()
        assert gristmill("SELECT * FROM t ORDER BY id", path=path).ok().rows == EXPECTED, name


def test_a_parquet_file_that_is_cut_leaves_no_row(tmp_path):
    gristmill(CREATE, path=tmp_path).ok()
    failed = gristmill("INSERT INTO t FORMAT Parquet", path=tmp_path, stdin=parquet(TABLE)[:-20])
    assert failed.code != 0 and "data of INSERT" in failed.message, failed
    assert gristmill("SELECT count() FROM t", path=tmp_path).ok().rows == [["0"]]


def test_tuples_in_a_set_leave_granules_out(tmp_path):
    """Of 100 granules one is read for a key of two columns."""
    fill = "INSERT INTO k SELECT intDiv(number, 1000), number % 1000 FROM numbers(100000)"
    marks = "SELECT ProfileEvents['SelectedMarks'] FROM system.query_log WHERE type = 'QueryFinish' AND query LIKE '%IN ((%' AND query NOT LIKE '%log%'"
    answer = gristmill(
        "CREATE TABLE k (a UInt32, b UInt32) ENGINE = MergeTree ORDER BY (a, b) SETTINGS index_granularity = 1000",
        fill,
        "SELECT count() FROM k WHERE (a, b) IN ((7, 500), (7, 501), (7, 2000))",
        marks,
        path=tmp_path,
    ).ok()
    assert answer.rows == [["2"], ["1"]], answer
