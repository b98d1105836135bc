"""clickhouse-connect: what Superset, dbt and many scripts use, over HTTP."""

import threading
import time

import clickhouse_connect
import pyarrow
import pytest
from clickhouse_connect.driver.exceptions import DatabaseError
from values import VALUES, plain


def test_it_speaks_a_revision_of_blocks(connect):
    assert connect.server_version == "26.9.2.1"
    assert connect.protocol_version > 0, "the check of the block's bytes failed"
    assert connect.query("SELECT 1 AS a, 'x' AS b").result_rows == [(1, "x")]
    assert connect.command("SELECT 13") == 13
    assert connect.ping()


@pytest.mark.parametrize("kind, values", VALUES, ids=[kind for kind, _ in VALUES])
def test_types_round_trip(connect, table, kind, values):
    connect.command(f"CREATE TABLE {table} (n UInt8, v {kind}) ENGINE = Memory")
    connect.insert(table, [[n, value] for n, value in enumerate(values)], column_names=["n", "v"])
    result = connect.query(f"SELECT v FROM {table} ORDER BY n")
    assert [plain(row[0]) for row in result.result_rows] == [plain(value) for value in values]


def test_a_million_rows(connect, table):
    connect.command(f"CREATE TABLE {table} (a UInt64, s String, f Nullable(Float64)) ENGINE = MergeTree ORDER BY a")
    rows = 1_000_000
    columns = [list(range(rows)), [f"row {n % 1000}" for n in range(rows)], [None if n % 3 else n / 2 for n in range(rows)]]
    connect.insert(table, columns, column_names=["a", "s", "f"], column_oriented=True)
    assert connect.query(f"SELECT count(), sum(a), uniqExact(s), count(f) FROM {table}").result_rows == [
        (rows, rows * (rows - 1) // 2, 1000, 333_334)
    ]
    back = connect.query(f"SELECT a, s, f FROM {table} ORDER BY a", column_oriented=True).result_columns
    assert [list(column) for column in back] == columns


def test_parameters(connect):
    asked = "SELECT {a:UInt32} + 1, {s:String}, {l:Array(String)}, {d:Date}"
    given = {"a": 5, "s": "it's\t\\", "l": ["x", "it's"], "d": "2024-03-15"}
    row = connect.query(asked, parameters=given).result_rows[0]
    assert (row[0], row[1], list(row[2]), str(row[3])) == (6, "it's\t\\", ["x", "it's"], "2024-03-15")


def test_errors(connect):
    with pytest.raises(DatabaseError, match="UNKNOWN_TABLE"):
        connect.query("SELECT * FROM nowhere")
    with pytest.raises(DatabaseError, match="SYNTAX_ERROR"):
        connect.command("SELEC 1")
    with pytest.raises(DatabaseError, match="FUNCTION_THROW_IF_VALUE_IS_NON_ZERO"):
        connect.query("SELECT throwIf(number = 900000) FROM numbers(1000000)")
    assert connect.command("SELECT 1") == 1


def test_streams_and_frames(connect):
    with connect.query_row_block_stream("SELECT number FROM numbers(300000)") as stream:
        assert sum(len(block) for block in stream) == 300_000
    table = connect.query_arrow("SELECT number, toString(number) AS s FROM numbers(10)")
    assert isinstance(table, pyarrow.Table) and table.num_rows == 10
    assert connect.raw_query("SELECT 1 FORMAT CSV") == b"1\n"
    assert connect.query("SELECT number FROM numbers(10) LIMIT 0").column_names == ("number",)


def test_describe_and_sessions(server, connect, table):
    connect.command(f"CREATE TABLE {table} (a Int32, b String DEFAULT 'x') ENGINE = Memory")
    described = connect.query(f"DESCRIBE TABLE {table}")
    assert len(described.column_names) == 7
    connect.command("SET max_block_size = 1234")
    assert int(connect.command("SELECT getSetting('max_block_size')")) == 1234
    failures = []

    def slow():
        try:
            connect.query("SELECT sleep(1)")
        except Exception as error:  # Told to the test.
            failures.append(error)

    running = threading.Thread(target=slow)
    running.start()
    time.sleep(0.3)
    with pytest.raises(Exception, match="SESSION_IS_LOCKED|concurrent"):
        other = clickhouse_connect.get_client(host="127.0.0.1", port=server.http_port, session_id=connect.params["session_id"])
        other.query("SELECT 1")
    running.join()
    assert not failures


def test_a_query_is_killed(server, connect):
    killer = clickhouse_connect.get_client(host="127.0.0.1", port=server.http_port)
    failures = []

    def endless():
        try:
            connect.query("SELECT sum(number) FROM numbers(100000000000000)", settings={"query_id": "to-be-killed"})
        except DatabaseError as error:
            failures.append(str(error))

    running = threading.Thread(target=endless)
    running.start()
    until = time.time() + 30
    while not killer.query("SELECT 1 FROM system.processes WHERE query_id = 'to-be-killed'").result_rows:
        assert time.time() < until
    killer.command("KILL QUERY WHERE query_id = 'to-be-killed'")
    running.join(30)
    assert failures and "QUERY_WAS_CANCELLED" in failures[0]
