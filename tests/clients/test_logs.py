"""The server's logs: tables in `system` that it fills by itself."""

import re
import time
import uuid
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection

import clickhouse_driver
import pytest
from log_queries import asked, until

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


# What the time of threads is parted into.
TIMES_OF_THREADS = [
    "UserTimeMicroseconds",
    "SystemTimeMicroseconds",
    "OSCPUWaitMicroseconds",
    "OSIOWaitMicroseconds",
    "LockWaitMicroseconds",
    "SleepFunctionElapsedMicroseconds",
    "UnattributedTimeMicroseconds",
]


def test_every_log_is_a_table(http):
    http.ok("SYSTEM FLUSH LOGS")
    names = ", ".join(f"'{name}'" for name in LOGS)
    told = http.ok(f"SELECT name, engine, partition_key FROM system.tables WHERE database = 'system' AND name IN ({names}) ORDER BY name")
    day = {"opentelemetry_span_log": "finish_date"}
    assert told == "".join(f"{name}\tMergeTree\t(toYYYYMM({day.get(name, 'event_date')}))\n" for name in LOGS)
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


def test_what_clients_ask_of_logs_by_other_names(http):
    query_id = asked(http, "SELECT 1", log_comment="mine", log_query_threads=1)
    events = "has(ProfileEvents.Names, '{}'), length(ProfileEvents.Names) = length(ProfileEvents.Values)"
    settings = "Settings.Values[indexOf(Settings.Names, 'log_comment')]"
    server = "clickhouse_version = version(), system_processor != '', connection_address = address, http_request_url, is_internal"
    log = f"FROM system.query_log WHERE type = 'QueryFinish' AND query_id = '{query_id}'"
    assert http.ok(f"SELECT {events.format('SelectQuery')}, {settings}, {server} {log}") == "1\t1\tmine\t1\t1\t1\t/\t0\n"
    threads = f"FROM system.query_thread_log WHERE query_id = '{query_id}'"
    of_client = "any(interface), any(http_method), any(initial_address = address), any(clickhouse_version = version())"
    assert http.ok(f"SELECT {of_client}, max(has(ProfileEvents.Names, 'RealTimeMicroseconds')) {threads}") == "HTTP\tPOST\t1\t1\t1\n"
    http.ok("SELECT name, ProfileEvents.Names FROM system.part_log LIMIT 1")
    http.ok("SELECT attribute.names, attribute.values FROM system.opentelemetry_span_log LIMIT 1")


def test_spans_tell_how_they_ended(http):
    trace = uuid.uuid4()
    for query in ["SELECT 1", "SELECT throwIf(1)"]:
        http(query, headers={"traceparent": f"00-{trace.hex}-b7ad6b7169203331-01"})
    http.ok("SYSTEM FLUSH LOGS opentelemetry_span_log")
    log = f"FROM system.opentelemetry_span_log WHERE trace_id = '{trace}' AND operation_name = 'query'"
    told = http.ok(f"SELECT status_code, status_message LIKE '%throwIf%' {log} ORDER BY status_code")
    assert told == "UNSET\t0\nERROR\t1\n"


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
    assert told("formatted_query", "select  1+1", log_formatted_queries=1).startswith("SELECT 1 + 1\n")


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
    rows = http.ok(f"SELECT sum(read_rows), sum(read_bytes), sum(written_rows), countIf(memory_usage > peak_memory_usage OR peak_memory_usage < 0), max(peak_memory_usage) > 0 {log}")
    assert rows == "3000000\t24000000\t0\t0\t1\n"
    assert http.ok(f"SELECT count() FROM system.query_thread_log WHERE query_id = '{asked(http, query)}'") == "0\n"


def test_threads_tell_the_rows_that_they_wrote(http, table):
    http.ok(f"CREATE TABLE {table} (a UInt32) ENGINE = MergeTree ORDER BY a")
    query_id = asked(http, f"INSERT INTO {table} SELECT number FROM numbers(1000)", log_query_threads=1)
    told = http.ok(f"SELECT sum(read_rows), sum(written_rows), sum(written_bytes) FROM system.query_thread_log WHERE query_id = '{query_id}'")
    whole = http.ok(f"SELECT read_rows, written_rows, written_bytes FROM system.query_log WHERE query_id = '{query_id}' AND type = 'QueryFinish'")
    assert told == whole and told.startswith("1000\t1000\t")


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
    told = http.ok(f"SELECT status, exception_code, stack_trace LIKE '0. %' FROM system.query_views_log WHERE initial_query_id = '{query_id}'")
    assert told == "ExceptionWhileProcessing\t395\t1\n"
    http.ok(f"DROP TABLE {view}")


def test_a_view_tells_its_own_events(http, table):
    """Not those of the whole INSERT: one view computes much and keeps little, the other the other way round."""
    http.ok(f"CREATE TABLE {table} (a UInt64) ENGINE = MergeTree ORDER BY a")
    computes = "SELECT sum(sipHash64(concat(toString(a), toString(a + 1), toString(a + 2)))) AS s FROM"
    http.ok(f"CREATE MATERIALIZED VIEW {table}_computes ENGINE = MergeTree ORDER BY s AS {computes} {table}")
    http.ok(f"CREATE MATERIALIZED VIEW {table}_keeps ENGINE = MergeTree ORDER BY a AS SELECT a FROM {table} WHERE a < 1000")
    query_id = asked(http, f"INSERT INTO {table} SELECT number FROM numbers(300000)")
    events = "ProfileEvents['InsertedRows'], ProfileEvents['MergeTreeDataWriterRows'], ProfileEvents['InsertQuery'], ProfileEvents['Query']"
    log = f"FROM system.query_views_log WHERE initial_query_id = '{query_id}'"
    assert http.ok(f"SELECT {events} {log} ORDER BY view_name") == "1\t1\t0\t0\n1000\t1000\t0\t0\n"
    whole = f"FROM system.query_log WHERE query_id = '{query_id}' AND type = 'QueryFinish'"
    assert http.ok(f"SELECT {events} {whole}") == "301001\t301001\t1\t1\n"
    computed = "ProfileEvents['UserTimeMicroseconds'] + ProfileEvents['SystemTimeMicroseconds']"
    views = [int(micros) for micros in http.ok(f"SELECT {computed} {log} ORDER BY view_name").split()]
    assert views[0] > views[1] > 0 and sum(views) < int(http.ok(f"SELECT {computed} {whole}")), views
    parts = " + ".join(f"ProfileEvents['{name}']" for name in TIMES_OF_THREADS)
    told = http.ok(f"SELECT countIf(abs({parts} - ProfileEvents['RealTimeMicroseconds']) > 50) {log}")
    assert told == "0\n", http.ok(f"SELECT ProfileEvents {log}")
    peaks = f"SELECT countIf(peak_memory_usage <= 0), max(peak_memory_usage) <= (SELECT memory_usage {whole}) {log}"
    assert http.ok(peaks) == "0\t1\n"
    http.ok(f"DROP TABLE {table}_computes")
    http.ok(f"DROP TABLE {table}_keeps")


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
    until(http, "SELECT countIf(metric LIKE 'OSUserTimeCPU%') FROM system.asynchronous_metric_log")


def test_metrics_tell_what_there_is(server, http, table):
    """Each has a description, connections and queries count themselves, and Prometheus gets the same ones."""
    both = " UNION ALL ".join(f"SELECT description, name FROM system.{kind}" for kind in ("metrics", "asynchronous_metrics"))
    assert http.ok(f"SELECT countIf(description = '' OR name = '') FROM ({both})") == "0\n"
    metric = "SELECT value FROM system.metrics WHERE metric = '{}'"
    client = clickhouse_driver.Client("127.0.0.1", port=server.tcp_port)
    [[connections]] = client.execute(metric.format("TCPConnection"))
    assert connections >= 1 and client.execute(metric.format("Query"))[0][0] >= 1
    client.disconnect()
    assert int(http.ok(metric.format("HTTPConnection"))) >= 1 and int(http.ok(metric.format("MemoryTracking"))) > 0
    http.ok(f"CREATE TABLE {table} (a UInt32) ENGINE = MergeTree ORDER BY a SETTINGS old_parts_lifetime = 600")
    # Of every table: the logs' own parts are counted too, and a merge of theirs takes some away.
    http.ok("SYSTEM STOP MERGES")
    before = int(http.ok(metric.format("PartsActive")))
    for row in range(3):
        http.ok(f"INSERT INTO {table} VALUES ({row})", async_insert=0)
    assert int(http.ok(metric.format("PartsActive"))) >= before + 3
    http.ok("SYSTEM START MERGES")
    http.ok(f"OPTIMIZE TABLE {table} FINAL")
    assert int(http.ok(metric.format("PartsOutdated"))) >= 3
    names = set(http.ok("SELECT metric FROM system.metrics").split())
    page = http(path="/metrics", method="GET").text
    assert {name for name in names if f"\nClickHouseMetrics_{name} " in page} == names
    for name in ("OSUserTime", "MemoryVirtual", "TotalRowsOfMergeTreeTables", "NetworkReceiveBytes_lo", "OSMemoryTotal"):
        assert f"\nClickHouseAsyncMetrics_{name} " in page, name
    assert "\nClickHouseProfileEvents_InterfaceHTTPReceiveBytes 0\n" not in page


def test_the_log_names_tables_and_rights(http, table):
    """Of statements that change tables, as of queries; and which rights were asked about."""
    database, other = http.ok("SELECT currentDatabase()").strip(), f"{table}_other"
    log = "SELECT databases, tables, used_privileges, missing_privileges FROM system.query_log WHERE type != 'QueryStart' AND query_id = '{}'"

    def told(statement: str, **settings) -> list[str]:
        return http.ok(log.format(asked(http, statement, **settings))).strip("\n").split("\t")

    full, full_other = f"{database}.{table}", f"{database}.{other}"
    for statement, right, tables in [
        (f"CREATE TABLE {table} (a UInt32, b String) ENGINE = MergeTree ORDER BY a", f"CREATE TABLE ON {full}", [full]),
        (f"INSERT INTO {table} VALUES (1, 'x')", f"INSERT(a, b) ON {full}", [full]),
        (f"SELECT a FROM {table} WHERE b = 'x'", f"SELECT(a, b) ON {full}", [full]),
        (f"ALTER TABLE {table} UPDATE b = 'y' WHERE a = 1", f"ALTER UPDATE(b) ON {full}", [full]),
        (f"OPTIMIZE TABLE {table}", f"OPTIMIZE ON {full}", [full]),
        (f"CREATE TABLE {other} ENGINE = MergeTree ORDER BY a AS SELECT * FROM {table}", f"CREATE TABLE ON {full_other}", [full, full_other]),
        (f"DROP TABLE {other}", f"DROP TABLE ON {full_other}", [full_other]),
        (f"RENAME TABLE {table} TO {other}", f"DROP TABLE ON {full}", [full, full_other]),
        (f"RENAME TABLE {other} TO {table}", f"CREATE TABLE ON {full}", [full, full_other]),
    ]:
        databases, tables_told, used, missing = told(statement, async_insert=0, mutations_sync=1)
        assert (databases, missing) == (f"['{database}']", "[]"), statement
        assert tables_told == str(tables).replace(", ", ","), statement
        assert f"'{right}'" in used, (statement, used)
    user = "u" + uuid.uuid4().hex
    http.ok(f"CREATE USER {user} IDENTIFIED WITH plaintext_password BY 'p'")
    refused = uuid.uuid4().hex
    assert http(f"DROP TABLE {table}", query_id=refused, headers={"X-ClickHouse-User": user, "X-ClickHouse-Key": "p"}).status == 403
    http.ok("SYSTEM FLUSH LOGS")
    assert http.ok(log.format(refused)) == f"['{database}']\t['{full}']\t[]\t['DROP TABLE ON {full}']\n"
    # The log names the columns that a refused query wants, and whoever is refused is not told which there are.
    stranger = {"X-ClickHouse-User": user, "X-ClickHouse-Key": "p"}
    for query, right in [
        (f"SELECT a FROM {database}.{table} WHERE b = 'x'", f"SELECT(a, b) ON {full}"),
        (f"SELECT * FROM {database}.{table}", f"SELECT(a, b) ON {full}"),
        (f"SELECT 1 FROM numbers(3) WHERE number IN (SELECT a FROM {database}.{table})", f"SELECT ON {full}"),
        (f"SELECT no_such_column FROM {database}.{table}", f"SELECT ON {full}"),
        (f"SELECT * FROM {database}.no_such_table", f"SELECT ON {database}.no_such_table"),
    ]:
        refused = uuid.uuid4().hex
        answer = http(query, query_id=refused, headers=stranger)
        assert answer.error == (497, "ACCESS_DENIED") and "SELECT(" not in answer.text, answer
        http.ok("SYSTEM FLUSH LOGS query_log")
        missing = http.ok(f"SELECT missing_privileges FROM system.query_log WHERE type != 'QueryStart' AND query_id = '{refused}'")
        assert missing == f"['{right}']\n", query
    http.ok(f"DROP USER {user}")


def test_parts_tell_their_mutations_and_projections(http, table):
    http.ok(f"CREATE TABLE {table} (a UInt32, b UInt32, PROJECTION p (SELECT b ORDER BY b)) ENGINE = MergeTree ORDER BY a")
    http.ok(f"INSERT INTO {table} VALUES (1, 1)", async_insert=0)
    http.ok(f"ALTER TABLE {table} UPDATE b = 2 WHERE a = 1", mutations_sync=1)
    [mutation] = http.ok(f"SELECT mutation_id FROM system.mutations WHERE table = '{table}'").split()
    log = f"FROM system.part_log WHERE table = '{table}'"
    http.ok("SYSTEM FLUSH LOGS")
    assert http.ok(f"SELECT event_type, mutation_ids, projections {log} AND event_type IN ('NewPart', 'MutatePart') ORDER BY event_type") == (
        f"NewPart\t[]\t['p']\nMutatePart\t['{mutation}']\t['p']\n"
    )


def test_new_parts_tell_what_was_counted_of_each(http, table):
    http.ok(f"CREATE TABLE {table} (p UInt8, a UInt32) ENGINE = MergeTree PARTITION BY p ORDER BY a")
    query_id = asked(http, f"INSERT INTO {table} SELECT number < 3, number FROM numbers(10)")
    http.ok("SYSTEM FLUSH LOGS part_log")
    events = "ProfileEvents['MergeTreeDataWriterBlocks'], ProfileEvents['MergeTreeDataWriterRows']"
    log = f"FROM system.part_log WHERE table = '{table}' AND event_type = 'NewPart'"
    assert http.ok(f"SELECT rows, {events} {log} ORDER BY rows") == "3\t1\t3\n7\t1\t7\n"
    whole = http.ok(f"SELECT {events} FROM system.query_log WHERE type = 'QueryFinish' AND query_id = '{query_id}'")
    assert whole == "2\t10\n"


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


def test_errors_tell_where_they_began(http):
    failing = "SELECT throwIf(number = 5, 'began there') FROM numbers(10)"
    query_id = asked(http, failing)
    row = f"FROM system.query_log WHERE query_id = '{query_id}'"
    shown = http.ok(f"SELECT stack_trace {row} AND exception_code = 395 FORMAT RawBLOB")
    lines = shown.splitlines()
    assert len(lines) > 5 and lines[0].startswith("0. ") and " @ 0x" in lines[0], shown
    assert "gristmill_functions::" in shown and "gristmill_base::error::" not in shown, shown
    assert http.ok(f"SELECT count() {row} AND exception_code = 0 AND stack_trace != ''") == "0\n"
    without = asked(http, failing, calculate_text_stack_trace=0)
    assert http.ok(f"SELECT DISTINCT stack_trace FROM system.query_log WHERE query_id = '{without}'") == "\n"
    named = "arrayExists(address -> demangle(addressToSymbol(address)) LIKE '%gristmill_functions::%', last_error_trace)"
    settings = {"allow_introspection_functions": 1}
    assert http.ok(f"SELECT {named}, length(last_error_trace) > 5 FROM system.errors WHERE code = 395", **settings) == "1\t1\n"
    of_log = f"FROM system.error_log WHERE last_error_query_id = '{without}'"
    assert http.ok(f"SELECT DISTINCT {named} {of_log}", **settings) == "1\n"
    before_start = asked(http, "SELECT * FROM there_is_no_such_table")
    told = http.ok(f"SELECT type, stack_trace LIKE '0. %' FROM system.query_log WHERE query_id = '{before_start}'")
    assert told == "ExceptionBeforeStart\t1\n"


def test_errors_of_the_native_protocol_tell_where_they_began(server):
    client = clickhouse_driver.Client("127.0.0.1", port=server.tcp_port)
    failing = "SELECT throwIf(number = 5) FROM numbers(10)"
    with pytest.raises(clickhouse_driver.errors.ServerException) as failed:
        client.execute(failing)
    message, stack = failed.value.message.split("Stack trace:\n\n")
    assert "throwIf" in message and stack.startswith("0. ") and "gristmill_functions::" in stack, failed.value.message
    with pytest.raises(clickhouse_driver.errors.ServerException) as failed:
        client.execute(failing, settings={"calculate_text_stack_trace": 0})
    assert failed.value.message.endswith("Stack trace:\n\n"), failed.value.message
    with pytest.raises(clickhouse_driver.errors.ServerException) as failed:
        client.execute("SELECT * FROM there_is_no_such_table")
    assert "Stack trace:\n\n0. " in failed.value.message, failed.value.message
    client.disconnect()
    stranger = clickhouse_driver.Client("127.0.0.1", port=server.tcp_port, user="nobody", password="x")
    with pytest.raises(clickhouse_driver.errors.ServerException) as failed:
        stranger.execute("SELECT 1")
    assert failed.value.message.endswith("Stack trace:\n\n"), "whoever may not come in is told nothing of the program"


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
    assert http.ok(f"SELECT type, auth_type, profiles {log} ORDER BY type") == "LoginFailure\t\\N\t[]\nLoginSuccess\tSHA256_PASSWORD\t['default']\nLogout\tSHA256_PASSWORD\t[]\n"
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


def test_columns_that_have_the_same_for_all_rows_have_it(http, table):
    http.ok(f"CREATE TABLE {table} (n UInt64) ENGINE = MergeTree ORDER BY n")
    http.ok(f"INSERT INTO {table} VALUES (1)")
    http.ok("SYSTEM FLUSH LOGS")
    assert http.ok(f"SELECT DISTINCT part_type, part_storage_type FROM system.part_log WHERE table = '{table}'") == "Wide\tFull\n"
    assert http.ok("SELECT DISTINCT revision > 0 FROM system.text_log") == "1\n"


def test_lines_at_the_end_of_a_query_name_their_thread(http):
    answer = http("SELECT sum(number) FROM numbers(1000) FORMAT JSONEachRowWithProgress", explain_limit=1)
    threads = {int(id) for id in re.findall(r'"thread_id":(\d+),"level":"Information","logger_name":"limit"', answer.text)}
    lines = http.ok("SELECT thread_id FROM system.stack_trace").split()
    assert threads and threads <= {int(line) for line in lines}, (threads, lines)


def test_queries_that_share_the_threads_say_that_they_waited_for_them(http):
    """Twelve at a time, on fewer threads: what each waits for is a thread, and nothing is left without a name."""
    comment = uuid.uuid4().hex
    query = "SELECT number % 100 AS k, sum(sipHash64(number, toString(number))) FROM numbers(400000) GROUP BY k FORMAT Null"
    with ThreadPoolExecutor(12) as pool:
        list(pool.map(lambda _: http.ok(query, log_comment=comment), range(24)))
    http.ok("SYSTEM FLUSH LOGS")
    sums = ", ".join(f"sum(ProfileEvents['Wall{part}Microseconds'])" for part in ["Runnable", "Unattributed"])
    told = http.ok(f"SELECT count(), sum(query_duration_ms) * 1000, {sums} FROM system.query_log WHERE type = 'QueryFinish' AND log_comment = '{comment}'")
    queries, all_of_it, runnable, unattributed = map(int, told.split())
    assert queries == 24 and runnable > all_of_it * 0.3 and unattributed < all_of_it * 0.05 + 24 * 2000, told


def test_a_client_that_takes_the_last_rows_slowly_is_named(http):
    """They are made, and only the socket has no room."""
    query_id = uuid.uuid4().hex
    connection = HTTPConnection("127.0.0.1", http.port)
    connection.request("POST", f"/?query_id={query_id}", body=b"SELECT repeat('x', 3000) FROM numbers(8192)")
    answer = connection.getresponse()
    while answer.read(1 << 20):
        time.sleep(0.1)
    connection.close()
    http.ok("SYSTEM FLUSH LOGS")
    told = http.ok(f"SELECT ProfileEvents['WallClientMicroseconds'], ProfileEvents['WallUnattributedMicroseconds'], query_duration_ms * 1000 FROM system.query_log WHERE type = 'QueryFinish' AND query_id = '{query_id}'")
    client, unattributed, all_of_it = map(int, told.split())
    assert client > 300_000 and unattributed < all_of_it * 0.05 + 3000, told
