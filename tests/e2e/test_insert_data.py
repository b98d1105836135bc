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


def left_out(query_kind: str, path, *queries: str, stdin=None) -> list[list[str]]:
    """Values and rows that the last statement of a kind left out, as its log says."""
    logged = f"""SELECT ProfileEvents['InputFieldsLeftOut'], ProfileEvents['InputRowsLeftOut'] FROM system.query_log
        WHERE type = 'QueryFinish' AND query_kind = '{query_kind}' ORDER BY event_time_microseconds DESC LIMIT 1"""
    return gristmill(*queries, logged, path=path, stdin=stdin).ok().rows[-1]


def test_what_no_column_takes_is_counted(tmp_path):
    gristmill(CREATE, path=tmp_path).ok()
    rows = b'{"id": 1, "name": "a", "more": 5, "most": 6}\n{"id": 2, "more": null}\n{"id": 3}\n'
    settings = "SETTINGS input_format_skip_unknown_fields = 1"
    assert left_out("Insert", tmp_path, f"INSERT INTO t {settings} FORMAT JSONEachRow", stdin=rows) == ["3", "0"]
    wide = TABLE.append_column("more", pyarrow.array([7, 8, 9]))
    for name, data in (("Parquet", parquet(wide)), ("Arrow", arrow(wide))):
        assert left_out("Insert", tmp_path, f"INSERT INTO t FORMAT {name}", stdin=data) == ["3", "0"], name
    assert left_out("Insert", tmp_path, "INSERT INTO t FORMAT Parquet", stdin=parquet(TABLE)) == ["0", "0"]
    mistakes = b"1,a,1\nx,b,2\n3,c,3\n"
    assert left_out("Insert", tmp_path, "INSERT INTO t SETTINGS input_format_allow_errors_num = 1 FORMAT CSV", stdin=mistakes) == ["0", "1"]


def test_keys_of_files_that_no_column_takes_are_counted(tmp_path):
    (tmp_path / "rows.jsonl").write_text('{"id": 1, "more": 5}\n{"id": 2, "more": 6, "most": 1}\n')
    file = f"file('{tmp_path / 'rows.jsonl'}', JSONEachRow, 'id UInt64, name String')"
    assert left_out("Select", tmp_path / "data", f"SELECT * FROM {file}") == ["3", "0"]
    # A column that the query does not ask for has a place.
    wide = f"file('{tmp_path / 'rows.jsonl'}', JSONEachRow, 'id UInt64, name String, more Int8, most Int8')"
    assert left_out("Select", tmp_path / "data", f"SELECT name FROM {wide}") == ["0", "0"]
