"""What people type with curl, and what programs rely on."""

import json
import re
import time
import uuid
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection, IncompleteRead

import pytest
from http_client import http_connection


def test_a_query_in_the_url_or_in_the_body(http):
    assert http("SELECT 1", method="GET").text == "1\n"
    assert http.ok(body=b"SELECT 1 + 1") == "2\n"
    assert http.ok("SELECT number FROM numbers(3)", b" WHERE number > 0 FORMAT CSV") == "1\n2\n"
    assert http.ok("SELECT 1 AS a", default_format="JSONEachRow") == '{"a":1}\n'
    assert http.ok("SELECT 1 AS a", headers={"X-ClickHouse-Format": "CSVWithNames"}) == '"a"\n1\n'


def test_a_query_may_ask_for_its_request(http):
    assert http.ok(body=b"SELECT currentRequestURL()", path="/") == "/\n"
    assert http.ok(body=b"SELECT currentRequestURL()", default_format="CSV") == '"/?default_format=CSV"\n'
    assert http.ok("SELECT currentHandler(), getServerPort('http_port') > 0") == "\t1\n"
    assert http("SELECT getServerPort('no_such_port')").error == (701, "CLUSTER_DOESNT_EXIST")
    wanted = {"X-Colour": "blue", "Cookie": "a=b"}
    asked = "SELECT getClientHTTPHeader('x-colour'), getClientHTTPHeader('Cookie'), getClientHTTPHeader('none')"
    assert http(asked, headers=wanted).error == (446, "FUNCTION_NOT_ALLOWED")
    assert http.ok(f"{asked} SETTINGS allow_get_client_http_header = 1", headers=wanted) == "blue\ta=b\t\n"
    assert http("SELECT getClientHTTPHeader('X-ClickHouse-Key')", allow_get_client_http_header=1).error == (36, "BAD_ARGUMENTS")


def test_data_follows_the_query(http, table):
    http.ok(f"CREATE TABLE {table} (a UInt32, b String) ENGINE = MergeTree ORDER BY a")
    http.ok(f"INSERT INTO {table} FORMAT CSV", b'1,"one"\n2,two\n')
    http.ok(body=f"INSERT INTO {table} FORMAT JSONEachRow\n".encode() + b'{"a":3,"b":"three"}')
    http.ok(f"INSERT INTO {table} VALUES", b"(4, upper('four')), (5, 'five')")
    http.ok(body=f"INSERT INTO {table} (b, a) VALUES ('six', 5 + 1)".encode())
    http.ok(f"INSERT INTO {table} SELECT a, b FROM input('a UInt32, b String') FORMAT TSV", b"7\tseven\n")
    assert http.ok(f"SELECT b FROM {table} ORDER BY a") == "one\ntwo\nthree\nFOUR\nfive\nsix\nseven\n"
    summary = json.loads(http(f"INSERT INTO {table} FORMAT TSV", b"8\teight\n").headers["x-clickhouse-summary"])
    assert summary["written_rows"] == "1"


def test_a_load_tells_the_gear_it_ran_in(http, table):
    http.ok(f"CREATE TABLE {table} (a UInt64) ENGINE = MergeTree ORDER BY a")
    few = http(f"INSERT INTO {table} SELECT number FROM numbers(999)")
    assert few.status == 200 and "x-gristmill-insert-gear" not in few.headers
    gear = http(f"INSERT INTO {table} SELECT number FROM numbers(1000)").headers["x-gristmill-insert-gear"]
    assert "blocks of" in gear and "parts at a time" in gear
    forced = http(f"INSERT INTO {table} SELECT number FROM numbers(5000)", min_insert_block_size_rows=1000)
    assert "as set by min_insert_block_size_rows" in forced.headers["x-gristmill-insert-gear"]


@pytest.mark.parametrize("format", ["Parquet", "Arrow"])
def test_files_whose_directory_is_at_their_end_follow_the_query(http, table, format):
    http.ok(f"CREATE TABLE {table} (a UInt32, b String, c UInt8 DEFAULT 7) ENGINE = MergeTree ORDER BY a")
    file = http(f"SELECT number AS a, toString(number) AS b FROM numbers(1000) FORMAT {format}").body
    http.ok(f"INSERT INTO {table} (a, b) FORMAT {format}", file)
    assert http.ok(f"SELECT count(), sum(a), sum(length(b)), sum(c) FROM {table}") == "1000\t499500\t2890\t7000\n"
    cut = http(f"INSERT INTO {table} (a, b) FORMAT {format}", file[:-20])
    assert cut.status in (400, 500) and http.ok(f"SELECT count() FROM {table}") == "1000\n"


def test_large_data_streams_in_and_out_in_bounded_memory(server, http, table):
    http.ok(f"CREATE TABLE {table} (a UInt64, b String) ENGINE = MergeTree ORDER BY a")
    rows, chunk = 2_000_000, 100_000

    def chunks():
        for first in range(0, rows, chunk):
            yield b"".join(b"%d\ta string of the row %d\n" % (n, n) for n in range(first, first + chunk))

    connection = http_connection(http)
    connection.request("POST", f"/?query=INSERT+INTO+{table}+FORMAT+TSV", body=chunks(), encode_chunked=True,
                       headers={"Transfer-Encoding": "chunked"})
    assert connection.getresponse().read() == b""
    assert http.ok(f"SELECT count(), sum(a) FROM {table}") == f"{rows}\t{rows * (rows - 1) // 2}\n"
    # A slow reader of a large result holds the query back, and the server holds little of it.
    before = server.memory_bytes()
    connection.request("GET", "/?query=SELECT+number,+repeat('x',100)+FROM+numbers(5000000)")
    answer = connection.getresponse()
    answer.read(1000)
    time.sleep(1)
    assert server.memory_bytes() - before < 200 << 20
    total = 1000
    while piece := answer.read(1 << 20):
        total += len(piece)
    assert total == 5_000_000 * 102 + sum(len(str(n)) for n in range(5_000_000))


def test_parameters_have_types(http):
    asked = "SELECT {n:UInt8} + 1, {s:String}, {a:Array(String)}, {d:Nullable(Date)}, {i:Identifier} FROM (SELECT 7 AS x)"
    values = {"param_n": "5", "param_s": "a\\tb'", "param_a": "['x','it\\'s']", "param_d": "\\N", "param_i": "x"}
    assert http.ok(asked, **values) == "6\ta\\tb\\'\t['x','it\\'s']\t\\N\t7\n"
    assert http.ok("SELECT {n:Int8}, {s:String} FORMAT JSONEachRow", param_n="-5", param_s="x") == """{"_CAST(-5, 'Int8')":-5,"'x'":"x"}\n"""
    assert http("SELECT {n:UInt8}").error == (456, "UNKNOWN_QUERY_PARAMETER")


def test_settings_are_parameters_of_the_url(http):
    assert http.ok("SELECT getSetting('max_block_size')", max_block_size=77) == "77\n"
    # ClickHouse has it, and it changes nothing here.
    assert http.ok("SELECT 1", output_format_native_use_flattened_dynamic_and_json_serialization=1) == "1\n"
    answer = http("SELECT 1", no_such_setting=1)
    assert (answer.status, answer.error) == (404, (115, "UNKNOWN_SETTING"))


@pytest.mark.parametrize(
    "query, status, name",
    [
        ("SELECT * FROM nowhere", 404, "UNKNOWN_TABLE"),
        ("SELECT (", 400, "SYNTAX_ERROR"),
        ("SELECT no_such_function()", 404, "UNKNOWN_FUNCTION"),
        ("SELECT throwIf(1)", 500, "FUNCTION_THROW_IF_VALUE_IS_NON_ZERO"),
        ("SELECT 1 FORMAT Nothing", 404, "UNKNOWN_FORMAT"),
        ("SELECT 1; SELECT 2", 400, "SYNTAX_ERROR"),
        ("", 400, "SYNTAX_ERROR"),
    ],
)
def test_errors_have_a_status_and_a_code(http, query, status, name):
    answer = http(body=query.encode())
    assert (answer.status, answer.error[1]) == (status, name)


def test_errors_come_with_their_stack_where_that_is_asked_for(http):
    failing = "SELECT throwIf(number = 5) FROM numbers(10)"
    plain = http(failing)
    assert "Stack trace" not in plain.text and plain.error == (395, "FUNCTION_THROW_IF_VALUE_IS_NON_ZERO")
    shown = http(failing, stacktrace=1).text
    head, stack = shown.split(", Stack trace (when copying this message, always include the lines below):\n\n0. ")
    assert head.startswith("Code: 395. DB::Exception: ") and head.endswith("(FUNCTION_THROW_IF_VALUE_IS_NON_ZERO)"), shown
    assert "gristmill_functions::" in stack and stack.endswith(" (official build))\n"), shown
    assert "Stack trace" in http("SELECT * FROM there_is_no_such_table", stacktrace=1).text
    # Whoever may not come in is told nothing of the program.
    assert "Stack trace" not in http("SELECT 1", stacktrace=1, user="nobody", password="x").text
    assert http("SELECT 1", stacktrace="perhaps").error == (36, "BAD_ARGUMENTS")


def test_get_changes_nothing(http, table):
    answer = http(f"CREATE TABLE {table} (a Int8) ENGINE = Memory", method="GET")
    assert (answer.status, answer.error) == (500, (164, "READONLY"))


def test_credentials(http):
    assert http.ok("SELECT currentUser()", headers={"X-ClickHouse-User": "default"}) == "default\n"
    assert http.ok("SELECT 1", user="default", password="") == "1\n"
    assert http.ok("SELECT 1", headers={"Authorization": "Basic ZGVmYXVsdDo="}) == "1\n"
    for parameters in ({"user": "mallory"}, {"user": "default", "password": "guess"}):
        answer = http("SELECT 1", **parameters)
        assert (answer.status, answer.error) == (403, (516, "AUTHENTICATION_FAILED"))
    twice = http("SELECT 1", user="default", headers={"X-ClickHouse-User": "default"})
    assert twice.error == (516, "AUTHENTICATION_FAILED")


def test_headers_of_an_answer(http):
    answer = http("SELECT 1", query_id="my-query", default_format="JSON")
    headers = answer.headers
    assert headers["x-clickhouse-query-id"] == "my-query"
    assert headers["x-clickhouse-format"] == "JSON"
    assert headers["x-clickhouse-timezone"] == "UTC"
    assert headers["content-type"] == "application/json; charset=UTF-8"
    assert headers["x-clickhouse-server-display-name"]
    summary = json.loads(headers["x-clickhouse-summary"])
    assert summary["result_rows"] == "1" and all(isinstance(value, str) for value in summary.values())
    assert int(summary["real_time_microseconds"]) == int(summary["elapsed_ns"]) // 1000
    assert "x-clickhouse-format" not in http("CREATE DATABASE IF NOT EXISTS default").headers
    http.ok("SYSTEM FLUSH LOGS")
    logged = http.ok("SELECT type FROM system.query_log WHERE query_id = 'my-query' ORDER BY event_time_microseconds")
    assert logged == "QueryStart\nQueryFinish\n"


def test_system_tables_tell_a_session_of_its_own_temporary_tables(http):
    http.ok("CREATE TEMPORARY TABLE seen (a UInt64, b String)", session_id="has_one")
    http.ok("CREATE TEMPORARY TABLE other (a UInt64)", session_id="has_another")
    tables = "SELECT name FROM system.tables WHERE database = '' AND is_temporary ORDER BY name"
    columns = "SELECT count() FROM system.columns WHERE database = '' AND table = 'seen'"
    assert http.ok(tables, session_id="has_one") == "seen\n"
    assert http.ok(tables, session_id="has_another") == "other\n"
    assert http.ok(tables) == ""
    assert http.ok(columns, session_id="has_one") == "2\n"
    assert http.ok(columns, session_id="has_another") == http.ok(columns) == "0\n"


def test_sessions(http):
    assert http("SELECT 1", session_id="absent", session_check=1).error == (372, "SESSION_NOT_FOUND")
    http.ok("SET max_block_size = 99", session_id="mine")
    assert http.ok("SELECT getSetting('max_block_size')", session_id="mine", session_check=1) == "99\n"
    # A setting of one request is not the session's.
    assert http.ok("SELECT 1", session_id="mine", max_result_rows=3) == "1\n"
    assert http.ok("SELECT getSetting('max_result_rows')", session_id="mine") == "0\n"
    assert http("SELECT 1", session_id="mine", session_timeout=100_000).error == (374, "INVALID_SESSION_TIMEOUT")
    with ThreadPoolExecutor() as pool:
        slow = pool.submit(http, "SELECT sleep(2)", session_id="mine")
        time.sleep(0.5)
        assert http("SELECT 1", session_id="mine").error == (373, "SESSION_IS_LOCKED")
        assert slow.result().status == 200


def test_an_error_behind_rows_is_marked_and_breaks_the_answer_off(http):
    connection = http_connection(http)
    connection.request("GET", "/?query=SELECT+throwIf(number=3000000),repeat('x',20)+FROM+numbers(4000000)&max_threads=1")
    answer = connection.getresponse()
    assert answer.status == 200
    tag = answer.headers["X-ClickHouse-Exception-Tag"]
    assert len(tag) == 16 and tag.isalnum()
    with pytest.raises(IncompleteRead) as broken:
        answer.read()
    _, mark = broken.value.partial.split(f"\r\n__exception__\r\n{tag}\r\n".encode())
    text, ending = mark.split(b"\n", 1)
    assert text.startswith(b"Code: 395. DB::Exception: ")
    assert ending == f"{len(text) + 1} {tag}\r\n__exception__\r\n".encode()


def test_with_wait_end_of_query_an_error_has_its_status(http):
    answer = http("SELECT throwIf(number = 3000000), repeat('x', 20) FROM numbers(4000000)", wait_end_of_query=1, max_threads=1)
    assert (answer.status, answer.error[0]) == (500, 395)
    long = http("SELECT number, repeat('y', 100) FROM numbers(300000)", wait_end_of_query=1)
    assert long.text.count("\n") == 300_000
    assert json.loads(long.headers["x-clickhouse-summary"])["result_rows"] == "300000"


def test_external_tables(http):
    boundary = "xyz"
    body = (
        f'--{boundary}\r\nContent-Disposition: form-data; name="ids"; filename="ids.csv"\r\n\r\n1,one\n3,three\n\r\n--{boundary}--\r\n'
    ).encode()
    answer = http(
        "SELECT name FROM ids WHERE id IN (SELECT number FROM numbers(3))",
        body,
        headers={"Content-Type": f"multipart/form-data; boundary={boundary}"},
        ids_format="CSV",
        ids_structure="id UInt64, name String",
    )
    assert answer.text == "one\n", answer


def test_pages(http):
    assert http(method="GET", path="/ping").text == "Ok.\n"
    assert http(method="GET").text == "Ok.\n"
    assert http(method="GET", path="/replicas_status").text == "Ok.\n"
    assert http(method="GET", path="/nothing").status == 404
    metrics = http(method="GET", path="/metrics").text
    assert "# TYPE ClickHouseProfileEvents_Query counter\n" in metrics and "\nClickHouseMetrics_HTTPConnection " in metrics
    shown = dict(re.findall(r"^ClickHouseAsyncMetrics_(\w+) (\S+)$", metrics, re.M))
    listed = http.ok("SELECT metric FROM system.asynchronous_metrics").split()
    assert sorted(shown) == sorted(listed) and float(shown["MemoryResident"]) > 1e6 and float(shown["NumberOfDatabases"]) >= 1
    assert "# TYPE ClickHouseAsyncMetrics_Uptime gauge\n" in metrics
    allowed = http(method="OPTIONS", headers={"Origin": "http://example.com"})
    assert (allowed.status, allowed.headers["access-control-allow-origin"]) == (204, "*")
    shared = http("SELECT 1", add_http_cors_header=1, headers={"Origin": "http://example.com"})
    assert shared.headers["access-control-allow-origin"] == "*"


def test_what_a_flush_says_of_itself_comes_with_the_next(http):
    # clickhouse-java looks for a query's comment so: the flush has the query's id.
    same = uuid.uuid4().hex
    comments = f"SELECT log_comment, query FROM system.query_log WHERE query_id = '{same}' ORDER BY type FORMAT TSVRaw"
    http.ok("-- select something\nselect 1", query_id=same, log_comment="select something")
    http.ok("SYSTEM FLUSH LOGS", query_id=same)
    assert http.ok(comments) == "select something\t-- select something\nselect 1\n" * 2
    http.ok("SYSTEM FLUSH LOGS")
    assert http.ok(comments).count("SYSTEM FLUSH LOGS") == 2


def test_columns_of_system_tables_that_old_clients_ask_for(http):
    names = "toString(Settings.Names) = toString(mapKeys(Settings)), toString(Settings.Values) = toString(mapValues(Settings))"
    events = "toString(ProfileEvents.Names) = toString(mapKeys(ProfileEvents)), length(ProfileEvents.Values) = length(ProfileEvents)"
    query = f"SELECT {names}, {events}, has(Settings.Names, 'max_threads') FROM system.processes WHERE query_id = queryID()"
    assert http.ok(query, max_threads=2) == "1\t1\t1\t1\t1\n"
    http.ok("SELECT marks_size FROM system.parts")
    http.ok("SELECT description, syntax, examples, introduced_in, related FROM system.data_type_families")


def test_progress_comes_in_headers(http):
    answer = http("SELECT sleep(1), number FROM numbers(1)", send_progress_in_http_headers=1, http_headers_progress_interval_ms=100)
    progress = json.loads(answer.headers["x-clickhouse-progress"])
    assert progress["elapsed_ns"] and "real_time_microseconds" not in progress


def test_an_error_before_the_first_row_has_a_status_of_its_own(http):
    query = "SELECT sleep(2) FORMAT JSONCompactEachRowWithNames"
    answer = http(query, max_execution_time=1)
    assert (answer.status, answer.error) == (408, (159, "TIMEOUT_EXCEEDED"))


def test_rows_say_which_values_they_leave_out(http, table):
    http.ok(f"CREATE TABLE {table} (a UInt8, b String DEFAULT concat('b', toString(a)), c Nullable(UInt16) DEFAULT 7) ENGINE = Memory")
    rows = [b"\x00\x01\x01\x01", b"\x00\x02\x00\x01x\x00\x01", b"\x01\x00\x00\x00\x00\x03\x00"]
    http.ok(f"INSERT INTO {table} FORMAT RowBinaryWithDefaults", b"".join(rows))
    assert http.ok(f"SELECT * FROM {table} ORDER BY a") == "0\t\t3\n1\tb1\t7\n2\tx\t\\N\n"
    cut = http(f"INSERT INTO {table} FORMAT RowBinaryWithDefaults", rows[0] + b"\x00")
    assert (cut.status, cut.error) == (500, (33, "CANNOT_READ_ALL_DATA"))


def test_literals_hold_any_bytes(http, table):
    assert http.ok(body=b"SELECT hex('\xff\xfea\\\xff'), length('\xc3\xa4')") == "FFFE615CFF\t2\n"
    http.ok(f"CREATE TABLE {table} (a String) ENGINE = Memory")
    http.ok(body=f"INSERT INTO {table} VALUES (".encode() + b"'\x00\xff'), ('\xfe')")
    assert http.ok(f"SELECT hex(a) FROM {table} ORDER BY a") == "00FF\nFE\n"
    assert http(body=b"SELECT \xff").error == (62, "SYNTAX_ERROR")


def test_bytes_that_are_no_text_stay_as_they_are(http):
    def asked(url: str, body: bytes = b"", **headers: str) -> str:
        connection = HTTPConnection("127.0.0.1", http.port)
        connection.request("POST", url, body=body, headers=headers)
        answer = connection.getresponse()
        text = answer.read().decode()
        assert answer.status == 200, text
        return text

    assert asked("/?query=SELECT+hex('%ff%c3%a4+%2B')") == "FFC3A4202B\n"
    assert asked("/?query=SELECT+hex({x:String})&param_x=%ff%5Ct%80") == "FF0980\n"
    assert asked("/?query=SELECT+hex({x:Array(String)}[1])&param_x=['%ff']") == "FF\n"
    form = (
        b"--x\r\nContent-Disposition: form-data; name=\"query\"\r\n\r\nSELECT hex({p:String}), hex('\xfe')\r\n"
        b'--x\r\nContent-Disposition: form-data; name="param_p"\r\n\r\n\xff\r\n--x--\r\n'
    )
    assert asked("/", form, **{"Content-Type": "multipart/form-data; boundary=x"}) == "FF\tFE\n"


def test_kill_query_sync_waits_for_the_end(http):
    with ThreadPoolExecutor() as pool:
        running = pool.submit(http, "SELECT sum(number) FROM numbers(100000000000000)", query_id="waited_for")
        until = time.time() + 30
        while http.ok("SELECT count() FROM system.processes WHERE query_id = 'waited_for'") == "0\n":
            assert time.time() < until
        assert http.ok("KILL QUERY WHERE query_id = 'waited_for' SYNC").startswith("finished\twaited_for\t")
        assert http.ok("SELECT count() FROM system.processes WHERE query_id = 'waited_for'") == "0\n"
        assert running.result().error == (394, "QUERY_WAS_CANCELLED")


def test_external_tables_are_within_the_limits(http):
    rows = b"".join(b"%d\n" % n for n in range(200_000))
    body = b'--x\r\nContent-Disposition: form-data; name="t"; filename="t"\r\n\r\n' + rows + b"\r\n--x--\r\n"
    asked = {"headers": {"Content-Type": "multipart/form-data; boundary=x"}, "t_structure": "a UInt64"}
    query = "SELECT count(), sum(a) FROM t"
    answer = http(query, body, **asked)
    assert answer.text == "200000\t19999900000\n"
    assert json.loads(answer.headers["x-clickhouse-summary"])["read_rows"] == "200000"
    assert http(query, body, max_rows_to_read=1000, **asked).error == (158, "TOO_MANY_ROWS")
    assert http(query, body, max_memory_usage=100_000, **asked).error == (241, "MEMORY_LIMIT_EXCEEDED")


def test_a_reader_has_temporary_tables_of_its_own(http, table):
    http.ok(f"CREATE TABLE {table} (a UInt8) ENGINE = Memory")
    session = {"session_id": "reader", "readonly": 2}
    http.ok("CREATE TEMPORARY TABLE mine (a UInt8)", **session)
    session.pop("readonly")
    http.ok("INSERT INTO mine VALUES (1), (2)", readonly=2, **session)
    assert http.ok("SELECT sum(a) FROM mine", readonly=2, **session) == "3\n"
    assert http(f"INSERT INTO {table} VALUES (1)", readonly=2, **session).error == (164, "READONLY")
    assert http("INSERT INTO mine VALUES (1)", readonly=1, **session).error == (164, "READONLY")
    assert http(f"DROP TABLE {table}", readonly=2, **session).error == (164, "READONLY")
    http.ok("DROP TABLE mine", readonly=2, **session)
