"""`max_rows_to_read` and `max_bytes_to_read` hold for every source. (ClickHouse keeps to them in MergeTree and made-up rows only.)"""

import pytest
from runner import gristmill

ROWS = 300_000


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("limits")
    for name in ("rows.csv", "rows.parquet"):
        gristmill(f"INSERT INTO FUNCTION file('{name}', auto, 'n UInt32') SELECT number FROM numbers({ROWS})", cwd=folder).ok()
    return folder


@pytest.mark.parametrize("name", ["rows.csv", "rows.parquet"])
@pytest.mark.parametrize("where", ["", "WHERE n % 2 = 3", "WHERE n < 10 OR n % 2 = 3"])
def test_files(folder, name, where):
    query = f"SELECT count(), sum(n) FROM file('{name}', auto, 'n UInt32') {where} SETTINGS max_block_size = 1000, "
    for limit, code in (("max_rows_to_read = 5000", (158, "TOO_MANY_ROWS")), ("max_bytes_to_read = 5000", (307, "TOO_MANY_BYTES"))):
        assert gristmill(query + limit, cwd=folder).error == code
        broken_off = gristmill(f"{query} {limit}, read_overflow_mode = 'break'", cwd=folder).ok()
        assert int(broken_off.rows[0][0]) < ROWS
    assert gristmill(f"{query} max_rows_to_read = {ROWS}", cwd=folder).code == 0


def test_reading_stops_when_the_limit_is_passed(folder):
    """No batch of the result comes before the end, so only the source can stop."""
    query = "SELECT count() FROM numbers(1000000000000) WHERE NOT ignore(number)"
    assert gristmill(f"{query} SETTINGS max_rows_to_read = 1000000").error == (158, "TOO_MANY_ROWS")
    assert int(gristmill(f"{query} SETTINGS max_rows_to_read = 1000000, read_overflow_mode = 'break'").ok().value) < 10_000_000


def test_memory_tables():
    answer = gristmill(
        "CREATE TABLE m (a UInt64) ENGINE = Memory",
        "INSERT INTO m SELECT number FROM numbers(1000)",
        "SELECT sum(a) FROM m SETTINGS max_rows_to_read = 100",
    )
    assert answer.error == (158, "TOO_MANY_ROWS")
