"""The server's logs: tables in `system` that it fills by itself."""

import time
import uuid

import clickhouse_driver
import pytest
from http_client import Http
from server import Server

LOGS = [
    "asynchronous_insert_log",
    "asynchronous_metric_log",
    "blob_storage_log",
    "crash_log",
    "error_log",
    "filesystem_cache_log",
    "metric_log",
    "opentelemetry_span_log",
    "part_log",
    "processors_profile_log",
    "query_limit_log",
    "query_log",
    "query_metric_log",
    "query_thread_log",
    "query_views_log",
    "session_log",
    "text_log",
    "trace_log",
]


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


def asked(http: Http, query: str, **settings) -> str:
    """Runs a query, and gives its id when the logs have it."""
    query_id = uuid.uuid4().hex
    http(query, query_id=query_id, **settings)
    http.ok("SYSTEM FLUSH LOGS")
    return query_id


def until(http: Http, query: str) -> str:
    """What is made by a job of its own comes a while later."""
    for _ in range(200):
        http.ok("SYSTEM FLUSH LOGS")
        if (answer := http.ok(query)) != "0\n":
            return answer
        time.sleep(0.1)
    raise AssertionError(query)


def test_every_log_is_a_table(http):
    http.ok("SYSTEM FLUSH LOGS")
    names = ", ".join(f"'{name}'" for name in LOGS)
    told = http.ok(f"SELECT name, engine, partition_key FROM system.tables WHERE database = 'system' AND name IN ({names}) ORDER BY name")
    day = {"opentelemetry_span_log": "finish_date"}
    assert told == "".join(f"{name}\tMergeTree\ttoYYYYMM({day.get(name, 'event_date')})\n" for name in LOGS)
    listed = http.ok("SHOW TABLES FROM system").split()
    assert set(LOGS) <= set(listed) and "tables" in listed
    shown = http.ok("SHOW CREATE TABLE system.query_log FORMAT TSVRaw")
    assert "ORDER BY (event_date, event_time)" in shown and "toIntervalDay(30)" in shown.replace("INTERVAL 30 DAY", "toIntervalDay(30)"), shown
    assert "COMMENT 'The text, with secrets hidden.'" in shown


def test_the_query_log(http):
    query_id = asked(http, "SELECT  sum(number) FROM numbers(1000)", log_comment="mine", max_block_size=100)
    columns = "type, read_rows, log_comment, Settings['max_block_size'], event_date = toDate(event_time_microseconds, 'UTC'), ProfileEvents['SelectQuery']"
    told = http.ok(f"SELECT {columns} FROM system.query_log WHERE query_id = '{query_id}' ORDER BY event_time_microseconds, type")
    assert told == "QueryStart\t0\tmine\t100\t1\t1\nQueryFinish\t1000\tmine\t100\t1\t1\n"
    query_id = asked(http, "SELECT throwIf(number = 5) FROM numbers(10)")
    told = http.ok(f"SELECT type, exception_code FROM system.query_log WHERE query_id = '{query_id}' AND exception_code != 0")
    assert told == "ExceptionWhileProcessing\t395\n"


def test_settings_of_the_query_log(http):
    def told(columns: str, query: str = "SELECT 1", **settings) -> str:
        query_id = asked(http, query, **settings)
        return http.ok(f"SELECT {columns} FROM system.query_log WHERE query_id = '{query_id}' ORDER BY type")

    assert told("type", log_queries=0) == ""
    assert told("type", log_queries_min_type="QUERY_FINISH") == "QueryFinish\n"
    assert told("type", "SELECT nothing", log_queries_min_type="EXCEPTION_BEFORE_START") == "ExceptionBeforeStart\n"
    assert told("type", log_queries_min_query_duration_ms=100_000) == ""
    assert told("type", "SELECT sleep(0.2)", log_queries_min_query_duration_ms=100) == "QueryFinish\n"
    assert told("type", log_queries_probability=0) == ""
    assert told("query", log_queries_cut_to_length=3) == "SEL\nSEL\n"
    assert told("length(ProfileEvents), length(Settings)", log_profile_events=0, log_query_settings=0) == "0\t0\n0\t0\n"
    assert told("formatted_query") == "\n\n"
    assert told("formatted_query", "select  1+1", log_formatted_queries=1).startswith("SELECT")


def test_threads_are_told_of(http):
    query = "SELECT sum(sipHash64(number)) FROM numbers(3000000)"
    query_id = asked(http, query, log_query_threads=1)
    log = f"FROM system.query_thread_log WHERE query_id = '{query_id}'"
    told = http.ok(f"SELECT count() > 0, countDistinct(thread_id) = count(), countIf(thread_name = ''), any(query) {log}")
    assert told == f"1\t1\t0\t{query}\n"
    by_threads = http.ok(f"SELECT sum(ProfileEvents['UserTimeMicroseconds']) {log}")
    whole = f"SELECT ProfileEvents['UserTimeMicroseconds'] FROM system.query_log WHERE query_id = '{query_id}' AND type = 'QueryFinish'"
    assert by_threads == http.ok(whole) and int(by_threads) > 0
    ids = f"SELECT arraySort(thread_ids) = (SELECT arraySort(groupArray(thread_id)) {log}), peak_threads_usage BETWEEN 1 AND length(thread_ids) FROM system.query_log WHERE query_id = '{query_id}' AND type = 'QueryFinish'"
    assert http.ok(ids) == "1\t1\n"
    assert http.ok(f"SELECT count() FROM system.query_thread_log WHERE query_id = '{asked(http, query)}'") == "0\n"


def test_views_are_told_of(http, table):
    http.ok(f"CREATE TABLE {table} (a UInt32) ENGINE = MergeTree ORDER BY a")
    view = f"{table}_view"
    http.ok(f"CREATE MATERIALIZED VIEW {view} ENGINE = MergeTree ORDER BY a AS SELECT a FROM {table} WHERE a % 2 = 0")
    columns = "view_name, view_type, status, read_rows, written_rows, exception_code, view_target LIKE '%inner%', view_query LIKE '%SELECT a%'"
    log = f"SELECT {columns} FROM system.query_views_log WHERE initial_query_id = '{{}}'"
    query_id = asked(http, f"INSERT INTO {table} SELECT number FROM numbers(10)")
    assert http.ok(log.format(query_id)) == f"default.{view}\tMaterialized\tQueryFinish\t10\t5\t0\t1\t1\n"
    query_id = asked(http, f"INSERT INTO {table} SELECT number FROM numbers(10)", log_query_views=0)
    assert http.ok(log.format(query_id)) == ""
    http.ok(f"DROP TABLE {view}")
    http.ok(f"CREATE MATERIALIZED VIEW {view} ENGINE = MergeTree ORDER BY a AS SELECT a, throwIf(a = 3) AS b FROM {table}")
    query_id = asked(http, f"INSERT INTO {table} SELECT number FROM numbers(10)")
    told = http.ok(f"SELECT status, exception_code FROM system.query_views_log WHERE initial_query_id = '{query_id}'")
    assert told == "ExceptionWhileProcessing\t395\n"
    http.ok(f"DROP TABLE {view}")


def test_the_part_log(http, table):
    http.ok(f"CREATE TABLE {table} (a UInt32) ENGINE = MergeTree ORDER BY a")
    query_id = asked(http, f"INSERT INTO {table} SELECT number FROM numbers(10)")
    told = http.ok(f"SELECT event_type, table, rows FROM system.part_log WHERE query_id = '{query_id}'")
    assert told == f"NewPart\t{table}\t10\n"
    # Each flush writes parts; to tell of them would need another flush.
    assert http.ok("SELECT count() FROM system.part_log WHERE database = 'system'") == "0\n"
    assert http.ok("SELECT count() FROM system.query_log WHERE query LIKE 'INSERT INTO system.%'") == "0\n"


def test_operators_are_told_of(http):
    query_id = asked(http, "SELECT number % 3 AS k, count() FROM numbers(1000) GROUP BY k")
    log = f"FROM system.processors_profile_log WHERE query_id = '{query_id}'"
    assert http.ok(f"SELECT countIf(empty(parent_ids)), count() > 2, countIf(output_rows = 3) > 0, countIf(input_rows = 1000) > 0 {log}") == "1\t1\t1\t1\n"
    assert http.ok(f"SELECT countIf(plan_step_description LIKE '%aggr=[count(1)%' AND plan_step_name = name) > 0 {log}") == "1\n"
    query_id = asked(http, "SELECT number % 3 AS k, count() FROM numbers(1000) GROUP BY k", log_processors_profiles=0)
    assert http.ok(f"SELECT count() FROM system.processors_profile_log WHERE query_id = '{query_id}'") == "0\n"


def test_metrics_are_collected(http):
    until(http, "SELECT sum(ProfileEvent_Query) FROM system.metric_log")
    until(http, "SELECT sum(CurrentMetric_AttachedDatabase) FROM system.metric_log")
    until(http, "SELECT count() FROM system.asynchronous_metric_log WHERE metric = 'Uptime'")


def test_a_query_that_runs_for_long(http):
    query_id = uuid.uuid4().hex
    http.ok("SELECT sleepEachRow(0.5) FROM numbers(5) SETTINGS max_block_size = 1", query_id=query_id)
    log = f"FROM system.query_metric_log WHERE query_id = '{query_id}'"
    http.ok("SYSTEM FLUSH LOGS")
    assert http.ok(f"SELECT count() > 0, sum(ProfileEvent_SelectQuery) {log}") == "1\t1\n"
    query_id = uuid.uuid4().hex
    http.ok("SELECT sleepEachRow(0.5) FROM numbers(5) SETTINGS max_block_size = 1, query_metric_log_interval = 0", query_id=query_id)
    http.ok("SYSTEM FLUSH LOGS")
    assert http.ok(f"SELECT count() FROM system.query_metric_log WHERE query_id = '{query_id}'") == "0\n"


def test_errors_are_counted(http):
    query_id = asked(http, "SELECT throwIf(number = 5, 'that one') FROM numbers(10)")
    found = f"FROM system.error_log WHERE last_error_query_id = '{query_id}'"
    told = http.ok(f"SELECT code, error, value > 0, last_error_message LIKE '%that one%' {found}")
    assert told == "395\tFUNCTION_THROW_IF_VALUE_IS_NON_ZERO\t1\t1\n"
    assert http.ok("SELECT value > 0 FROM system.errors WHERE code = 395") == "1\n"


def test_sessions(server, http):
    user = "u" + uuid.uuid4().hex
    http.ok(f"CREATE USER {user} IDENTIFIED BY 'right'")
    client = clickhouse_driver.Client("127.0.0.1", port=server.tcp_port, user=user, password="right")
    client.execute("SELECT 1")
    client.disconnect()
    assert http("SELECT 1", headers={"X-ClickHouse-User": user, "X-ClickHouse-Key": "wrong"}).status == 403
    log = f"FROM system.session_log WHERE user = '{user}'"
    until(http, f"SELECT countIf(type = 'Logout') {log}")
    told = http.ok(f"SELECT type, interface, client_address, failure_reason LIKE '%Authentication failed%' {log} ORDER BY type, interface")
    assert told == "LoginFailure\tHTTP\t::ffff:127.0.0.1\t1\nLoginSuccess\tTCP\t::ffff:127.0.0.1\t0\nLogout\tTCP\t::ffff:127.0.0.1\t0\n"
    assert http.ok(f"SELECT uniqExact(auth_id), count() {log} AND interface = 'TCP'") == "1\t2\n"
    assert "right" not in http.ok("SELECT * FROM system.session_log FORMAT JSONEachRow")
    http.ok(f"DROP USER {user}")


def test_asynchronous_inserts(http, table):
    http.ok(f"CREATE TABLE {table} (a UInt32) ENGINE = MergeTree ORDER BY a")
    query_id = asked(http, f"INSERT INTO {table} VALUES (1), (2)", async_insert=1, wait_for_async_insert=1)
    columns = "table, format, rows, bytes > 0, status, flush_time >= event_time"
    told = http.ok(f"SELECT {columns} FROM system.asynchronous_insert_log WHERE query_id = '{query_id}'")
    assert told == f"{table}\tValues\t2\t1\tOk\t1\n"
    told = http.ok(f"""SELECT query_kind FROM system.query_log WHERE type = 'QueryFinish' AND query_id =
        (SELECT flush_query_id FROM system.asynchronous_insert_log WHERE query_id = '{query_id}')""")
    assert told == "AsyncInsertFlush\n"


def test_lines_of_the_log(http):
    http.ok("SYSTEM FLUSH LOGS")
    told = http.ok("SELECT level, logger_name LIKE 'gristmill%', source_line > 0, thread_id > 0 FROM system.text_log WHERE message LIKE 'Ready for connections%'")
    assert told == "Information\t1\t1\t1\n"


def test_a_flush_may_name_logs(http):
    query_id = uuid.uuid4().hex
    http.ok("SELECT 1", query_id=query_id)
    http.ok("SYSTEM FLUSH LOGS query_log, system.`part_log`")
    assert http.ok(f"SELECT count() FROM system.query_log WHERE query_id = '{query_id}'") == "2\n"
    assert http("SYSTEM FLUSH LOGS no_log").error == (36, "BAD_ARGUMENTS")


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
    assert "6" in shown.split("TTL")[1] and "ORDER BY event_time" in shown, shown


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
