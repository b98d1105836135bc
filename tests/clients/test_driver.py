"""clickhouse-driver: the native protocol, as Python programs speak it."""

import time

import clickhouse_driver
import pytest
from clickhouse_driver.errors import ErrorCodes, ServerException
from clickhouse_driver.protocol import ServerPacketTypes
from values import VALUES, plain

TEXTS = ("UUID", "IPv4", "IPv6")


def test_it_connects(driver):
    assert driver.execute("SELECT 1 AS a, 'x'", with_column_types=True) == ([(1, "x")], [("a", "UInt8"), ("'x'", "String")])
    assert driver.execute("SELECT 1 WHERE 0", with_column_types=True) == ([], [("1", "UInt8")])
    assert driver.connection.server_info.used_revision == 54468


@pytest.mark.parametrize("kind, values", VALUES, ids=[kind for kind, _ in VALUES])
def test_types_round_trip(driver, table, kind, values):
    driver.execute(f"CREATE TABLE {table} (n UInt8, v {kind}) ENGINE = Memory")
    sent = driver.execute(f"INSERT INTO {table} (n, v) VALUES", [(n, value) for n, value in enumerate(values)])
    assert sent == len(values)
    rows = driver.execute(f"SELECT v FROM {table} ORDER BY n", settings={"use_numpy": False})
    back, expected = [plain(row[0]) for row in rows], [plain(value) for value in values]
    if kind in TEXTS:
        back, expected = [str(value) for value in back], [str(value) for value in expected]
    assert back == expected


def test_a_million_rows(driver, table):
    driver.execute(f"CREATE TABLE {table} (a UInt64, s String) ENGINE = MergeTree ORDER BY a")
    rows = 1_000_000
    assert driver.execute(f"INSERT INTO {table} VALUES", ((n, f"row {n % 1000}") for n in range(rows))) == rows
    assert driver.execute(f"SELECT count(), sum(a), uniqExact(s) FROM {table}") == [(rows, rows * (rows - 1) // 2, 1000)]
    total = sum(n for n, _ in driver.execute_iter(f"SELECT a, s FROM {table}"))
    assert total == rows * (rows - 1) // 2
    assert driver.last_query.progress.rows >= 0


def test_columns_in_other_orders_and_with_defaults(driver, table):
    driver.execute(f"CREATE TABLE {table} (a Int32, b String DEFAULT concat('b', toString(a)), c Int32 MATERIALIZED a * 2) ENGINE = Memory")
    driver.execute(f"INSERT INTO {table} (b, a) VALUES", [("x", 1)])
    driver.execute(f"INSERT INTO {table} (a) VALUES", [(2,)])
    driver.execute(f"INSERT INTO {table} VALUES (3, 'three')")
    driver.execute(f"INSERT INTO {table} SELECT 4, 'four'")
    assert driver.execute(f"SELECT a, b, c FROM {table} ORDER BY a") == [(1, "x", 2), (2, "b2", 4), (3, "three", 6), (4, "four", 8)]


def test_a_nested_that_is_not_flattened_takes_dictionaries(driver, table):
    columns = "id UInt8, n Nested(a UInt8, b String)"
    driver.execute(f"CREATE TABLE {table} ({columns}) ENGINE = MergeTree ORDER BY id", settings={"flatten_nested": 0})
    rows = [{"id": 1, "n": [{"a": 1, "b": "x"}, {"a": 2, "b": "y"}]}, {"id": 2, "n": []}]
    assert driver.execute(f"INSERT INTO {table} VALUES", rows) == 2
    back, kinds = driver.execute(f"SELECT n, n.a FROM {table} ORDER BY id", with_column_types=True)
    assert back == [([(1, "x"), (2, "y")], [1, 2]), ([], [])]
    assert kinds == [("n", "Nested(a UInt8, b String)"), ("n.a", "Array(UInt8)")]


def test_rows_go_through_a_query(driver, table):
    driver.execute(f"CREATE TABLE {table} (a UInt32, s String) ENGINE = MergeTree ORDER BY a")
    query = f"INSERT INTO {table} SELECT a * 2, upper(s) FROM input('a UInt32, s String') WHERE a > 1 FORMAT Native"
    assert driver.execute(query, [(1, "x"), (2, "y"), (3, "z")]) == 3
    assert driver.execute(f"SELECT * FROM {table}") == [(4, "Y"), (6, "Z")]
    with pytest.raises(ServerException, match="throwIf"):
        driver.execute(f"INSERT INTO {table} SELECT throwIf(a = 2), '' FROM input('a UInt32') FORMAT Native", [(1,), (2,)])
    assert driver.execute(f"SELECT count() FROM {table}") == [(2,)]


def test_parameters_and_settings(server):
    client = clickhouse_driver.Client("127.0.0.1", port=server.tcp_port, settings={"server_side_params": True})
    rows = client.execute("SELECT {a:UInt32} + 1, {s:String}", {"a": 5, "s": "it's\t\\"})
    assert rows == [(6, "it's\t\\")]
    assert client.execute("SELECT getSetting('max_result_rows')", settings={"max_result_rows": 3}) == [(3,)]
    assert client.execute("SELECT getSetting('max_result_rows')") == [(0,)]


def test_a_running_query_tells_its_memory(driver):
    connection = driver.connection
    connection.force_connect()
    connection.send_query("SELECT sleepEachRow(0.2) FROM numbers(8) SETTINGS interactive_delay = 100000, max_block_size = 1")
    connection.send_external_tables(None)
    packets = []
    while not packets or packets[-1] != ServerPacketTypes.END_OF_STREAM:
        packets.append(connection.receive_packet().type)
    told = [place for place, kind in enumerate(packets) if kind == ServerPacketTypes.PROFILE_EVENTS]
    # Not only when it is over.
    assert len(told) > 2 and ServerPacketTypes.PROGRESS in packets[told[0] :], packets


def test_who_says_a_key_of_its_quota_is_shown_with_it(http):
    query = "SELECT quota_key, length(thread_ids) > 0, peak_threads_usage > 0, normalized_query_hash > 0 FROM system.processes WHERE query_id = queryID()"
    assert http.ok(query, quota_key="of mine") == "of mine\t1\t1\t1\n"
    assert http.ok(query, headers={"X-ClickHouse-Quota": "by a header"}).startswith("by a header\t")


def test_errors(driver, table):
    with pytest.raises(ServerException) as error:
        driver.execute("SELECT * FROM nowhere")
    assert error.value.code == ErrorCodes.UNKNOWN_TABLE
    driver.execute(f"CREATE TABLE {table} (a UInt8) ENGINE = Memory")
    with pytest.raises(ServerException) as error:
        driver.execute(f"INSERT INTO {table} (nothing) VALUES", [(1,)])
    assert error.value.code == ErrorCodes.NO_SUCH_COLUMN_IN_TABLE
    assert driver.execute("SELECT 1") == [(1,)]


def test_external_tables(driver):
    tables = [{"name": "ids", "structure": [("id", "UInt64"), ("name", "String")], "data": [{"id": 1, "name": "one"}, {"id": 3, "name": "three"}]}]
    rows = driver.execute("SELECT name FROM ids WHERE id IN (SELECT number FROM numbers(3))", external_tables=tables)
    assert rows == [("one",)]


def test_totals_and_extremes(driver):
    result = driver.execute_with_progress("SELECT number % 2 AS k, count() AS c FROM numbers(5) GROUP BY k WITH TOTALS ORDER BY k")
    assert result.get_result() == [(0, 3), (1, 2), (0, 5)]
    rows = driver.execute("SELECT number FROM numbers(5)", settings={"extremes": 1})
    assert rows[:5] == [(0,), (1,), (2,), (3,), (4,)] and rows[5:] in ([], [(0,), (4,)])


def test_logs_reach_the_client(server, caplog):
    client = clickhouse_driver.Client("127.0.0.1", port=server.tcp_port, settings={"send_logs_level": "debug"})
    with caplog.at_level("INFO", logger="clickhouse_driver.log"):
        client.execute("SELECT 1 AS logged")
    assert "SELECT 1 AS logged" in caplog.text


def test_a_query_is_cancelled(server):
    client = clickhouse_driver.Client("127.0.0.1", port=server.tcp_port)
    other = clickhouse_driver.Client("127.0.0.1", port=server.tcp_port)
    progress = client.execute_with_progress("SELECT sum(number) FROM numbers(100000000000000)", query_id="to-be-cancelled")
    until = time.time() + 30
    while not other.execute("SELECT 1 FROM system.processes WHERE query_id = 'to-be-cancelled'"):
        assert time.time() < until
    assert progress is not None
    client.cancel()
    while other.execute("SELECT 1 FROM system.processes WHERE query_id = 'to-be-cancelled'"):
        assert time.time() < until


def test_a_client_that_leaves_within_an_insert_leaves_nothing(server, table):
    client = clickhouse_driver.Client("127.0.0.1", port=server.tcp_port)
    client.execute(f"CREATE TABLE {table} (a UInt64) ENGINE = MergeTree ORDER BY a")

    def rows():
        yield from ((n,) for n in range(200_000))
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        client.execute(f"INSERT INTO {table} VALUES", rows(), settings={"insert_block_size": 10_000})
    client.disconnect()
    other = clickhouse_driver.Client("127.0.0.1", port=server.tcp_port)
    time.sleep(0.5)
    assert other.execute(f"SELECT count() FROM {table}") == [(0,)]
