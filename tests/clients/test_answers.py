"""When an answer over HTTP leaves, and what the log says of who asked for it."""

import json
import uuid
from http.client import HTTPConnection, IncompleteRead

import clickhouse_driver
import pytest


def test_rows_of_a_slow_query_leave_as_they_come(server):
    query = "SELECT number, sleepEachRow(0.3) FROM numbers(8) SETTINGS max_block_size = 1, max_threads = 1 FORMAT TSV"
    connection = HTTPConnection("127.0.0.1", server.http_port, timeout=60)
    connection.request("POST", "/", body=query)
    answer = connection.getresponse()
    first = answer.read1()
    assert first.startswith(b"0\t0\n") and first.count(b"\n") < 8
    assert (first + answer.read()).count(b"\n") == 8
    connection.close()


def test_an_error_behind_rows_that_left_is_told_behind_them(http):
    query = "SELECT number, sleepEachRow(0.2), throwIf(number = 6) FROM numbers(10) SETTINGS max_block_size = 1, max_threads = 1"
    try:
        body = http(query).body
    except IncompleteRead as broken_off:
        body = broken_off.partial
    assert body.startswith(b"0\t0\t0\n") and b"FUNCTION_THROW_IF_VALUE_IS_NON_ZERO" in body
    # Who wants all of it or none asks for that.
    answer = http(query, wait_end_of_query=1)
    assert answer.status == 500 and answer.error[1] == "FUNCTION_THROW_IF_VALUE_IS_NON_ZERO"


def test_few_bytes_are_held_back_where_few_are_asked_for(http):
    query = "SELECT throwIf(number = 3) FROM system.numbers SETTINGS max_block_size = 1, max_threads = 1"
    try:
        body = http(query, http_response_buffer_size=1).body
    except IncompleteRead as broken_off:
        body = broken_off.partial
    assert body.startswith(b"0\n0\n") and b"FUNCTION_THROW_IF_VALUE_IS_NON_ZERO" in body


def test_the_log_tells_who_asked(http, server):
    http.ok("SELECT 'who'", query_id="asked over http", headers={"User-Agent": "teller/1.0", "Referer": "there"})
    client = clickhouse_driver.Client("127.0.0.1", port=server.tcp_port, client_name="mine")
    client.execute("SELECT 'who'", query_id="asked over tcp")
    client.disconnect()
    columns = "interface, client_name, http_method, http_request_url, http_user_agent, http_referer, address, port > 0"
    http.ok("SYSTEM FLUSH LOGS")
    log = "SELECT {} FROM system.query_log WHERE type = 'QueryFinish' AND query_id = '{}'"
    assert http.ok(log.format(columns, "asked over http")) == "HTTP\t\tPOST\t/\tteller/1.0\tthere\t::ffff:127.0.0.1\t1\n"
    assert http.ok(log.format(columns, "asked over tcp")) == "TCP\tClickHouse mine\tUNKNOWN\t\t\t\t::ffff:127.0.0.1\t1\n"


def test_ids_of_queries_are_random_uuids(http):
    assert uuid.UUID(http("SELECT 1").headers["x-clickhouse-query-id"]).version == 4


def test_rows_are_not_shown_that_a_setting_leaves_out(http):
    text = "SELECT number FROM system.numbers LIMIT 4"
    assert http.ok(text, additional_table_filters="{'system.numbers': 'number != 1'}") == "0\n2\n3\n4\n"
    assert http.ok(text, additional_result_filter="number > 1") == "2\n3\n"
    answer = http(text, parallel_replicas_custom_key="number")
    assert answer.error[1] == "NOT_IMPLEMENTED", answer


def test_clients_hear_how_many_rows_a_limit_left_out(http, server):
    http.ok("CREATE OR REPLACE TABLE before_limit (k UInt32, v UInt8) ENGINE = MergeTree ORDER BY k")
    http.ok("INSERT INTO before_limit SELECT number, number % 10 FROM numbers(1000)")
    client = clickhouse_driver.Client("127.0.0.1", port=server.tcp_port)

    def told(query: str) -> int | None:
        over_http = json.loads(http.ok(f"{query} FORMAT JSON")).get("rows_before_limit_at_least")
        client.execute(query)
        info = client.last_query.profile_info
        assert (info.rows_before_limit if info.applied_limit else None) == over_http
        return over_http

    assert told("SELECT k FROM before_limit WHERE v = 3 ORDER BY v, k DESC LIMIT 2") == 100
    assert told("SELECT k % 7, count() FROM before_limit GROUP BY k % 7 ORDER BY count(), k % 7 LIMIT 3 OFFSET 1") == 7
    assert told("SELECT k FROM before_limit LIMIT 3") >= 3
    assert told("SELECT k FROM before_limit") is None
    client.disconnect()


def test_a_query_without_a_table_reads_one_row(http):
    assert json.loads(http.ok("SELECT 1 FORMAT JSON"))["statistics"]["rows_read"] == 1


def test_rows_of_one_stream_come_in_their_order(http):
    rows = 300_000
    wanted = "".join(f"{number}\t{number}\n" for number in range(rows))
    answer = http.ok(f"SELECT number, toString(number) FROM numbers({rows}) FORMAT TSV")
    # No message that compares: the difference of texts so long takes hours.
    assert answer == wanted or pytest.fail("numbers() lost its order")

    http.ok("CREATE TABLE in_order (n UInt32, text String) ENGINE = Memory")
    http.ok("INSERT INTO in_order FORMAT TSV", body=wanted.encode())
    answer = http.ok("SELECT n, lower(text) FROM in_order SETTINGS max_threads = 1 FORMAT TSV")
    assert answer == wanted or pytest.fail("a Memory table lost the order of its data")
