"""The limit of a query, as each client sees it, and the log that keeps it."""

import json
import time

import clickhouse_driver
import pytest
from client_process import Client
from http_client import Http
from server import Server

QUERY = "SELECT number % 100 AS k, count() FROM numbers(100000) GROUP BY k ORDER BY k"


@pytest.fixture(scope="module")
def calibrated(tmp_path_factory):
    """A server that has measured its machine."""
    server = Server(tmp_path_factory.mktemp("calibrated"), "--calibrate-when-idle-seconds", "0")
    Http(server.http_port).ok("SYSTEM CALIBRATE QUICK")
    yield server
    assert server.stop() == 0


def test_explain_gives_rows(calibrated):
    rows = Http(calibrated.http_port).ok(f"EXPLAIN LIMIT {QUERY}").splitlines()
    assert rows[0].startswith("Took ") and any(row.startswith("aggregate ") for row in rows), rows
    assert any(row.startswith("processor ") for row in rows), rows


def test_the_log_has_a_row(calibrated):
    http = Http(calibrated.http_port)
    http.ok(f"{QUERY} SETTINGS explain_limit = 1", query_id="judged")
    http.ok("SYSTEM FLUSH LOGS")
    asked = "SELECT taken_microseconds > 0, least_microseconds > 0, has(stages.name, 'aggregate'), length(resources.name) FROM system.query_limit_log WHERE query_id = 'judged'"
    assert http.ok(asked) == "1\t1\t1\t9\n"


def test_an_insert_is_judged_with_what_it_wrote(calibrated, tmp_path):
    http = Http(calibrated.http_port)
    http.ok("CREATE TABLE judged (k UInt32, s String) ENGINE = MergeTree ORDER BY k")
    insert = "INSERT INTO judged SELECT cityHash64(number) % 100000, toString(number) FROM numbers(200000)"
    answer = Client(tmp_path, calibrated.tcp_port)(f"{insert} SETTINGS explain_limit = 1")
    assert answer.code == 0 and "limit: Took " in answer.err and "limit: write " in answer.err, answer
    http.ok(insert, query_id="judged insert", explain_limit=1)
    http.ok("SYSTEM FLUSH LOGS")
    rows = "arrayElement(stages.rows_in, indexOf(stages.name, 'write'))"
    assert http.ok(f"SELECT {rows}, least_microseconds > 0, ratio > 1 FROM system.query_limit_log WHERE query_id = 'judged insert'") == "200000\t1\t1\n"
    plan = "SELECT plan_hash > 0 FROM system.query_log WHERE query_id = 'judged insert' AND type = 'QueryFinish'"
    assert http.ok(plan) == "1\n"


def test_our_client_shows_it_on_standard_error(calibrated, tmp_path):
    answer = Client(tmp_path, calibrated.tcp_port)(f"{QUERY} SETTINGS explain_limit = 1")
    assert answer.code == 0 and len(answer.out.splitlines()) == 100, answer
    assert "limit: Took " in answer.err and "limit: aggregate " in answer.err, answer
    quiet = Client(tmp_path, calibrated.tcp_port)(QUERY)
    assert quiet.code == 0 and not quiet.err, quiet


def test_http_tells_it_as_lines_of_the_log(calibrated):
    http = Http(calibrated.http_port)
    told = http.ok(f"{QUERY} FORMAT JSONEachRowWithProgress", explain_limit=1)
    lines = [line["log"] for line in map(json.loads, told.splitlines()) if "log" in line]
    assert {line["logger_name"] for line in lines} == {"limit"}, told
    assert lines[0]["message"].startswith("Took ") and any(line["message"].startswith("aggregate ") for line in lines), lines
    answer = http(QUERY, explain_limit=1, wait_end_of_query=1)
    assert json.loads(answer.headers["x-clickhouse-logs"])[0]["message"].startswith("Took "), answer
    assert "x-clickhouse-logs" not in http(QUERY, wait_end_of_query=1).headers


def test_drivers_take_the_rows_as_ever(calibrated):
    client = clickhouse_driver.Client("127.0.0.1", port=calibrated.tcp_port)
    assert len(client.execute(QUERY, settings={"explain_limit": 1})) == 100
    client.disconnect()


def test_a_server_with_nothing_to_do_measures_its_machine(tmp_path):
    server = Server(tmp_path, "--calibrate-when-idle-seconds", "1")
    file = tmp_path / "calibration/v1.json"
    for _ in range(1200):
        if file.exists():
            break
        time.sleep(0.1)
    assert '"form": "full"' in file.read_text()
    assert server.stop() == 0
