"""A part is a Parquet file where it lies: others read it and get the same rows."""

import duckdb
import polars
import pyarrow.parquet
import pytest
from runner import gristmill
from storage import part_files

CREATE = """CREATE TABLE t (k UInt8, id UInt64, i Int16, f Float64, s String, n Nullable(Int32), d Date,
    t DateTime64(3, 'UTC'), b Bool, a Array(String), dec Decimal(12, 2), lc LowCardinality(String))
    ENGINE = MergeTree PARTITION BY k ORDER BY id SETTINGS index_granularity = 1000"""
LOAD = """INSERT INTO t SELECT number % 2, number * 7 % 10007, number % 1000 - 500, number / 4, concat('ж', toString(number)),
    if(number % 3 = 0, NULL, number), toDate('2024-01-01') + number % 100, toDateTime64('2024-01-01 00:00:00.5', 3, 'UTC') + number,
    number % 5 = 0, arrayMap(x -> toString(x), range(number % 3)), toDecimal64(number, 2) / 4, toString(number % 10) FROM numbers(10007)"""


@pytest.fixture(scope="module", params=["inserted", "merged"])
def parts(request, tmp_path_factory):
    data = tmp_path_factory.mktemp("parts") / "database"
    statements = [CREATE, LOAD] + (["OPTIMIZE TABLE t FINAL"] if request.param == "merged" else [])
    gristmill(*statements, path=data).ok()
    files = [row[0] for row in gristmill("SELECT path FROM system.parts WHERE table = 't' AND active", path=data).ok().rows]
    assert set(files) <= {str(file) for file in part_files(data)}
    assert len(files) >= 2 if request.param == "inserted" else len(files) == 2
    return data, files


def ours(data, query: str) -> list[list[str]]:
    return gristmill(query, path=data).ok().rows


SUMS = "count(*), sum(id), sum(i), sum(f), sum(n), count(n)"


def test_duckdb_gets_the_same_rows(parts):
    data, files = parts
    theirs = duckdb.sql(f"SELECT {SUMS}, min(d)::VARCHAR, max(s), sum(len(a)), sum(dec), sum(b::INT) FROM read_parquet({files})").fetchall()[0]
    mine = ours(data, f"SELECT {SUMS}, min(d), max(s), sum(length(a)), sum(dec), sum(b) FROM t")[0]
    assert [str(float(x)) if not isinstance(x, str) else x for x in theirs] == [
        cell if cell.startswith(("20", "ж")) and not cell.replace(".", "").isdigit() else str(float(cell)) for cell in mine
    ]
    rows = duckdb.sql(f"SELECT id, s, epoch_ms(t) FROM read_parquet({files}) ORDER BY id").fetchall()
    mine = ours(data, "SELECT id, s, toUnixTimestamp64Milli(t) FROM t ORDER BY id")
    assert [[str(cell) for cell in row] for row in rows] == mine


def test_polars_gets_the_same_rows(parts):
    data, files = parts
    frame = polars.read_parquet(files).sort("id").select("id", "i", "n", "s", "lc", "dec")
    mine = ours(data, "SELECT id, i, n, s, lc, toDecimal64(dec, 2) FROM t ORDER BY id")
    theirs = [["\\N" if cell is None else str(cell) for cell in row] for row in frame.iter_rows()]
    assert [row[:5] for row in theirs] == [row[:5] for row in mine]
    assert [float(row[5]) for row in theirs] == [float(row[5]) for row in mine]


def test_text_is_text_and_rows_lie_sorted(parts):
    _, files = parts
    for file in files:
        table = pyarrow.parquet.read_table(file)
        assert str(table.schema.field("s").type) in ("string", "large_string", "string_view")
        ids = table["id"].to_pylist()
        assert ids == sorted(ids)


def test_bytes_that_are_no_text_stay_bytes(data):
    gristmill("CREATE TABLE b (s String) ENGINE = MergeTree ORDER BY tuple()", "INSERT INTO b SELECT unhex('FF00FE')", path=data).ok()
    (file,) = part_files(data)
    (value,) = pyarrow.parquet.read_table(file)["s"].to_pylist()
    assert value == b"\xff\x00\xfe"
    assert gristmill("SELECT hex(s) FROM b", path=data).ok().value == "FF00FE"
