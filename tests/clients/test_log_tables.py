"""What the configuration says of the server's logs, and what becomes of their tables when it starts again."""

import re
import time
import uuid
from pathlib import Path

import pytest
from http_client import Http
from log_queries import asked
from server import Server


@pytest.fixture
def started(tmp_path):
    """Starts a server on one folder of data, again and again."""
    servers = []

    def start(text: str = "", *flags) -> tuple[Server, Http]:
        config = tmp_path / "config.xml"
        config.write_text(f"<clickhouse>{text}</clickhouse>")
        server = Server(tmp_path / "data", "--config-file", config, *flags)
        servers.append(server)
        return server, Http(server.http_port)

    yield start
    for server in servers:
        assert server.stop() == 0


def test_the_configuration_keeps_stacks_from_http(started):
    _, http = started("<enable_http_stacktrace>0</enable_http_stacktrace>")
    failed = http("SELECT throwIf(1)", stacktrace=1)
    assert failed.error == (395, "FUNCTION_THROW_IF_VALUE_IS_NON_ZERO") and "Stack trace" not in failed.text, failed
    assert http.ok("SELECT value, changed FROM system.server_settings WHERE name = 'enable_http_stacktrace'") == "0\t1\n"


def test_names_of_a_stack_take_little_memory(started):
    """The debug information, which has them as well, takes hundreds of megabytes."""
    server, http = started()
    http.ok("SYSTEM FLUSH LOGS")
    before = server.memory_bytes()
    query_id = asked(http, "SELECT throwIf(1)")
    assert http.ok(f"SELECT countIf(stack_trace LIKE '0. %') FROM system.query_log WHERE query_id = '{query_id}'") == "1\n"
    status = Path(f"/proc/{server.process.pid}/status").read_text()
    most = int(re.search(r"VmHWM:\s+(\d+) kB", status)[1]) * 1024
    assert most - before < 160 << 20, (before, most)


def test_what_users_may_do_with_logs(started):
    _, http = started()
    query_id = asked(http, "SELECT 1")
    http.ok("ALTER TABLE system.query_log MODIFY TTL event_date + INTERVAL 5 DAY")
    assert "5" in http.ok("SELECT extract(engine_full, 'TTL.*?(\\\\d+)') FROM system.tables WHERE name = 'query_log'")
    http.ok("CREATE MATERIALIZED VIEW starts ENGINE = MergeTree ORDER BY id AS SELECT query_id AS id FROM system.query_log WHERE type = 'QueryStart'")
    http.ok("TRUNCATE TABLE system.query_log")
    assert http.ok(f"SELECT count() FROM system.query_log WHERE query_id = '{query_id}'") == "0\n"
    query_id = asked(http, "SELECT 2")
    assert http.ok(f"SELECT count() FROM starts WHERE id = '{query_id}'") == "1\n"
    http.ok("ALTER TABLE system.query_log DROP COLUMN stack_trace, ADD COLUMN more UInt8 DEFAULT 7")
    query_id = asked(http, "SELECT 3")
    assert http.ok(f"SELECT more FROM system.query_log WHERE query_id = '{query_id}'") == "7\n7\n"
    http.ok("DROP TABLE system.query_log")
    query_id = asked(http, "SELECT 4")
    assert http.ok(f"SELECT count() FROM system.query_log WHERE query_id = '{query_id}'") == "2\n"
    http.ok("CREATE USER guest IDENTIFIED BY 'g'")
    guest = {"X-ClickHouse-User": "guest", "X-ClickHouse-Key": "g"}
    for query in ("SELECT * FROM system.query_log", "TRUNCATE TABLE system.query_log", "DROP TABLE system.query_log"):
        assert http(query, headers=guest).error == (497, "ACCESS_DENIED")
    for query in ("DROP TABLE system.tables", "TRUNCATE TABLE system.tables", "CREATE TABLE system.mine (a Int8) ENGINE = Memory", "DROP DATABASE system"):
        assert http(query).status != 200, query


def test_logs_last(started):
    server, http = started()
    query_id = uuid.uuid4().hex
    http.ok("SELECT 'before'", query_id=query_id)
    # What is not in the table yet is written when the server ends.
    assert server.stop() == 0
    _, http = started()
    assert http.ok(f"SELECT count() FROM system.query_log WHERE query_id = '{query_id}'") == "2\n"
    query_id = asked(http, "SELECT 'after'")
    assert http.ok(f"SELECT count() FROM system.query_log WHERE query_id = '{query_id}'") == "2\n"
    assert http.ok("SELECT name FROM system.tables WHERE name LIKE 'query\\_log%'") == "query_log\n"


def test_a_log_of_another_structure_is_put_aside(started):
    server, http = started()
    query_id = asked(http, "SELECT 'before'")
    http.ok("ALTER TABLE system.query_log DROP COLUMN stack_trace")
    assert server.stop() == 0
    server, http = started("<query_log><ttl>event_date + INTERVAL 3 DAY</ttl></query_log>")
    asked(http, "SELECT 'after'")
    tables = "SELECT name FROM system.tables WHERE database = 'system' AND name LIKE 'query\\_log%' ORDER BY name"
    assert http.ok(tables) == "query_log\nquery_log_0\n"
    assert http.ok(f"SELECT count() FROM system.query_log_0 WHERE query_id = '{query_id}'") == "2\n"
    assert http.ok(f"SELECT count() FROM system.query_log WHERE query_id = '{query_id}'") == "0\n"
    assert server.stop() == 0
    # Another sorting key is another structure, another TTL is none.
    server, http = started("<query_log><order_by>event_time</order_by><ttl>event_date + INTERVAL 4 DAY</ttl></query_log>")
    asked(http, "SELECT 'later'")
    assert http.ok(tables) == "query_log\nquery_log_0\nquery_log_1\n"
    assert server.stop() == 0
    _, http = started("<query_log><order_by>event_time</order_by><ttl>event_date + INTERVAL 6 DAY</ttl></query_log>")
    asked(http, "SELECT 'last'")
    assert http.ok(tables) == "query_log\nquery_log_0\nquery_log_1\n"
    shown = http.ok("SELECT engine_full FROM system.tables WHERE name = 'query_log'")
    assert "6" in shown.split("TTL")[1] and "ORDER BY (event_time)" in shown, shown


def test_rows_go_when_they_are_old(started):
    _, http = started("<query_log><ttl>event_time + INTERVAL 1 SECOND</ttl><settings>merge_with_ttl_timeout = 0</settings></query_log>")
    query_id = asked(http, "SELECT 1")
    for _ in range(100):
        http.ok("OPTIMIZE TABLE system.query_log FINAL")
        if http.ok(f"SELECT count() FROM system.query_log WHERE query_id = '{query_id}'") == "0\n":
            return
        time.sleep(0.1)
    raise AssertionError("they are still there")


def test_logs_can_be_switched_off(started):
    server, http = started('<query_log remove="1"/><text_log remove="1"/>')
    http.ok("SELECT 1")
    http.ok("SYSTEM FLUSH LOGS")
    names = "SELECT name FROM system.tables WHERE database = 'system' AND name IN ('query_log', 'text_log', 'part_log')"
    assert http.ok(names) == "part_log\n"
    assert http("SELECT * FROM system.query_log").error == (60, "UNKNOWN_TABLE")
    assert http("SYSTEM FLUSH LOGS query_log").error == (36, "BAD_ARGUMENTS")


def test_a_full_queue_drops(started):
    server, http = started("<query_log><max_size_rows>10</max_size_rows><buffer_size_rows_flush_threshold>1000</buffer_size_rows_flush_threshold><flush_interval_milliseconds>3600000</flush_interval_milliseconds></query_log>")
    for n in range(20):
        http.ok(f"SELECT {n}")
    http.ok("SYSTEM FLUSH LOGS")
    assert http.ok("SELECT count() FROM system.query_log") == "10\n"
    assert int(http.ok("SELECT value FROM system.events WHERE event = 'SystemLogDroppedRows'")) >= 30
    assert any("were dropped" in line for line in server.log), server.log


def test_many_entries_are_written_before_their_time(started):
    _, http = started("<query_log><max_size_rows>1000</max_size_rows><buffer_size_rows_flush_threshold>10</buffer_size_rows_flush_threshold><flush_interval_milliseconds>3600000</flush_interval_milliseconds></query_log>")
    for n in range(10):
        http.ok(f"SELECT {n}")
    for _ in range(100):
        if http("SELECT count() FROM system.query_log").text.startswith("1"):
            return
        time.sleep(0.1)
    raise AssertionError("nothing was written")


def test_a_log_of_its_own_engine(started):
    _, http = started("<query_log><engine>ENGINE = MergeTree PARTITION BY toMonday(event_date) ORDER BY event_time SETTINGS index_granularity = 1024</engine></query_log>")
    asked(http, "SELECT 1")
    assert http.ok("SELECT partition_key, sorting_key FROM system.tables WHERE name = 'query_log'") == "toMonday(event_date)\tevent_time\n"


def test_a_log_that_cannot_be_made_keeps_no_query_waiting(started):
    server, http = started("<query_log><order_by>no_such_column</order_by></query_log>")
    http.ok("SELECT 1")
    http.ok("SYSTEM FLUSH LOGS")
    assert http("SELECT count() FROM system.query_log").error == (60, "UNKNOWN_TABLE")
    assert any("no_such_column" in line and "system.query_log" in line for line in server.log), server.log
    assert int(http.ok("SELECT value FROM system.events WHERE event = 'SystemLogErrorOnFlush'")) > 0
