"""Traces: what clients say of them, and what a collector is sent."""

import json
import logging
import subprocess
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import clickhouse_driver
import pytest
from http_client import Http
from server import BINARY, Server

TRACE = "0af7651916cd43dd8448eb211c80319c"
PARENT = "b7ad6b7169203331"


class Collector:
    """Takes spans by OTLP over HTTP, as JSON."""

    def __init__(self):
        self.spans, self.status, self.requests = [], 200, 0
        self.lock = threading.Lock()
        collector = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["content-length"]))
                with collector.lock:
                    collector.requests += 1
                    status = collector.status
                    if status == 200:
                        assert (self.path, self.headers["content-type"]) == ("/v1/traces", "application/json")
                        for resource in json.loads(body)["resourceSpans"]:
                            about = {a["key"]: a["value"]["stringValue"] for a in resource["resource"]["attributes"]}
                            assert about["service.name"] == "gristmill" and about["host.name"]
                            collector.spans += [span for scope in resource["scopeSpans"] for span in scope["spans"]]
                self.send_response(status)
                self.send_header("content-length", "2")
                self.end_headers()
                self.wfile.write(b"{}")

            def log_message(self, *_):
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.http.server_port}"
        threading.Thread(target=self.http.serve_forever, daemon=True).start()

    def of(self, trace, count, seconds=30):
        """The spans of a trace, once there are so many."""
        deadline = time.monotonic() + seconds
        while True:
            with self.lock:
                found = [span for span in self.spans if span["traceId"] == trace]
            if len(found) >= count:
                return found
            assert time.monotonic() < deadline, (found, self.requests)
            time.sleep(0.05)

    def stop(self):
        self.http.shutdown()
        self.http.server_close()


@pytest.fixture(scope="module")
def traced(tmp_path_factory):
    """A server, and the collector that it sends spans to."""
    collector = Collector()
    server = Server(tmp_path_factory.mktemp("traced"), "--otlp-endpoint", collector.url)
    yield server, collector
    assert server.stop() == 0
    collector.stop()


def attributes(span):
    return {a["key"]: a["value"]["stringValue"] for a in span["attributes"]}


def events(http):
    rows = http.ok("SELECT event, value FROM system.events WHERE event LIKE 'OpenTelemetry%'")
    return {name: int(value) for name, value in (row.split("\t") for row in rows.splitlines())}


def test_a_query_over_http_is_a_part_of_its_clients_trace(traced):
    server, collector = traced
    http = Http(server.http_port)
    headers = {"traceparent": f"00-{TRACE}-{PARENT}-01", "tracestate": "vendor=1"}
    http.ok("SELECT sum(number) FROM numbers(1000)", headers=headers, query_id="traced-1")
    spans = {span["name"]: span for span in collector.of(TRACE, 4)}
    assert set(spans) == {"query", "parse", "plan", "execute"}
    query = spans["query"]
    assert (query["parentSpanId"], query["kind"], query["traceState"]) == (PARENT, 2, "vendor=1")
    about = attributes(query)
    assert about["db.statement"] == "SELECT sum(number) FROM numbers(1000)"
    assert (about["clickhouse.query_id"], about["clickhouse.query_status"]) == ("traced-1", "QueryFinish")
    assert (about["clickhouse.read_rows"], about["clickhouse.result_rows"]) == ("1000", "1")
    assert about["clickhouse.tracestate"] == "vendor=1"
    # The stages follow one another, from the query's beginning to its end.
    parts = [spans[name] for name in ("parse", "plan", "execute")]
    assert all(part["parentSpanId"] == query["spanId"] for part in parts)
    assert parts[0]["startTimeUnixNano"] == query["startTimeUnixNano"]
    assert parts[-1]["endTimeUnixNano"] == query["endTimeUnixNano"]
    for before, after in zip(parts, parts[1:]):
        assert before["endTimeUnixNano"] == after["startTimeUnixNano"]
    assert abs(int(query["endTimeUnixNano"]) / 1e9 - time.time()) < 300
    assert len({span["spanId"] for span in spans.values()}) == 4
    assert events(http)["OpenTelemetrySpansSent"] >= 4


def test_a_query_over_the_native_protocol_is_too(traced, caplog):
    server, collector = traced
    caplog.set_level(logging.INFO, logger="clickhouse_driver.log")
    trace = "1af7651916cd43dd8448eb211c80319c"
    # The driver sends the halves as servers of its time took them: the lower one first. ClickHouse has them the other way.
    said = {"opentelemetry_traceparent": f"00-{trace[16:]}{trace[:16]}-{PARENT}-01", "opentelemetry_tracestate": "a=b"}
    client = clickhouse_driver.Client("127.0.0.1", port=server.tcp_port, settings=said)
    client.execute("CREATE TABLE IF NOT EXISTS spans (a UInt32) ENGINE = Memory", settings={"send_logs_level": "trace"})
    assert f"OpenTelemetry traceparent '00-{trace}-{PARENT}-01'" in caplog.text
    collector.of(trace, 4)
    client.execute("INSERT INTO spans VALUES", [[1], [2]])
    spans = collector.of(trace, 8)
    insert = next(span for span in spans if span["name"] == "query" and attributes(span)["clickhouse.query_kind"] == "Insert")
    assert (insert["parentSpanId"], insert["traceState"]) == (PARENT, "a=b")
    assert attributes(insert)["clickhouse.written_rows"] == "2"
    assert any(span["name"] == "insert" and span["parentSpanId"] == insert["spanId"] for span in spans)
    client.disconnect()


def test_errors_are_told_and_secrets_are_not(traced):
    server, collector = traced
    http = Http(server.http_port)
    trace = "2af7651916cd43dd8448eb211c80319c"
    headers = {"traceparent": f"00-{trace}-{PARENT}-01"}
    assert http("SELECT throwIf(number = 2) FROM numbers(5)", headers=headers).status != 200
    spans = {span["name"]: span for span in collector.of(trace, 4)}
    assert spans["query"]["status"]["code"] == spans["execute"]["status"]["code"] == 2
    assert "code" not in spans["plan"]["status"]
    assert attributes(spans["query"])["clickhouse.exception_code"] == "395"
    trace = "3af7651916cd43dd8448eb211c80319c"
    assert http("SELEC 'x', s3('http://h/', 'key', 'topsecret')", headers={"traceparent": f"00-{trace}-{PARENT}-01"}).status != 200
    assert {span["name"] for span in collector.of(trace, 2)} == {"query", "parse"}
    trace = "4af7651916cd43dd8448eb211c80319c"
    http("SELECT * FROM s3('http://127.0.0.1:1/x.csv', 'key', 'topsecret')", headers={"traceparent": f"00-{trace}-{PARENT}-01"})
    collector.of(trace, 3)
    assert "topsecret" not in json.dumps(collector.spans)


def test_traces_begin_by_chance_where_nobody_says_anything(traced):
    server, collector = traced
    http = Http(server.http_port)
    for probability, query_id in ((0, "never"), (1, "always")):
        http.ok("SELECT 1", opentelemetry_start_trace_probability=probability, query_id=query_id)
    http.ok("SELECT 1", opentelemetry_start_trace_probability=1, query_id="told-not-to", headers={"traceparent": f"00-5{TRACE[1:]}-{PARENT}-00"})
    http.ok("SELECT 1", headers={"traceparent": "nonsense"}, query_id="nonsense")
    # What comes later is there when a later query's spans are.
    last = "6af7651916cd43dd8448eb211c80319c"
    http.ok("SELECT 1", headers={"traceparent": f"00-{last}-{PARENT}-01"}, query_id="last")
    collector.of(last, 4)
    ids = [attributes(span)["clickhouse.query_id"] for span in collector.spans if span["name"] == "query"]
    assert "always" in ids and not {"never", "told-not-to", "nonsense"} & set(ids)
    begun = next(span for span in collector.spans if span["name"] == "query" and attributes(span)["clickhouse.query_id"] == "always")
    assert "parentSpanId" not in begun and int(begun["traceId"], 16) > 0


def test_a_collector_that_is_away_costs_spans_and_no_query(tmp_path):
    collector = Collector()
    config = tmp_path / "config.xml"
    config.write_text(f"<clickhouse><opentelemetry><endpoint>{collector.url}/v1/traces</endpoint></opentelemetry></clickhouse>")
    server = Server(tmp_path / "data", "--config-file", config)
    try:
        http = Http(server.http_port)
        collector.status = 503
        http.ok("SELECT 1", headers={"traceparent": f"00-{TRACE}-{PARENT}-01"})
        deadline = time.monotonic() + 30
        while collector.requests < 2:
            assert time.monotonic() < deadline
            time.sleep(0.05)
        # It comes back before it is given up.
        collector.status = 200
        assert len(collector.of(TRACE, 4)) == 4
        # What it does not want is dropped and counted.
        collector.status = 400
        before = events(http).get("OpenTelemetrySpansDropped", 0)
        http.ok("SELECT 1", headers={"traceparent": f"00-{TRACE}-{PARENT}-01"})
        while events(http).get("OpenTelemetrySpansDropped", 0) != before + 4:
            assert time.monotonic() < deadline + 30
            time.sleep(0.05)
        # The last spans are sent when the server ends.
        collector.status = 200
        last = "7af7651916cd43dd8448eb211c80319c"
        http.ok("SELECT 1", headers={"traceparent": f"00-{last}-{PARENT}-01"})
    finally:
        assert server.stop() == 0
    assert len(collector.of(last, 4)) == 4
    collector.stop()


def test_an_address_that_is_none_is_refused(tmp_path):
    line = [BINARY, "server", "--path", tmp_path, "--http-port", 0, "--tcp-port", 0, "--otlp-endpoint", "ftp://me:topsecret@collector"]
    ran = subprocess.run([str(word) for word in line], capture_output=True, text=True, timeout=60)
    assert ran.returncode == 36, ran
    assert "--otlp-endpoint" in ran.stderr and "topsecret" not in ran.stderr
