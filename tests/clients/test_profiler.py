"""The profiler of a server: rows of system.trace_log, and the graphs that `gristmill flamegraph` makes of them."""

import re
import subprocess
import uuid

import pytest
from client_process import environment
from http_client import Http
from server import BINARY, Server

QUERY = "SELECT concat('key', toString(cityHash64(number) % 50000)) AS s, sum(sipHash64(number)) FROM numbers(2000000) GROUP BY s FORMAT Null"
OFTEN = {"query_profiler_cpu_time_period_ns": 1_000_000, "query_profiler_real_time_period_ns": 1_000_000, "memory_profiler_step": 1_000_000}


@pytest.fixture
def started(tmp_path):
    """Starts a server on one folder of data, again and again."""
    servers = []

    def start(text: str = "") -> tuple[Server, Http]:
        config = tmp_path / "config.xml"
        config.write_text(f"<clickhouse>{text}</clickhouse>")
        server = Server(tmp_path / "data", "--config-file", config)
        servers.append(server)
        return server, Http(server.http_port)

    yield start
    for server in servers:
        assert server.stop() == 0


def profiled(http: Http, **settings) -> str:
    query_id = uuid.uuid4().hex
    http.ok(QUERY, query_id=query_id, **(OFTEN | settings))
    http.ok("SYSTEM FLUSH LOGS")
    return query_id


def graph(home, *words, code=0) -> str:
    line = [BINARY, "flamegraph", *map(str, words)]
    ran = subprocess.run(line, env=environment(home), cwd=home, capture_output=True, text=True, timeout=120)
    assert ran.returncode == code and "panicked" not in ran.stderr, ran
    return ran.stdout if code == 0 else ran.stderr


def test_samples_are_rows(http):
    query_id = profiled(http)
    log = f"FROM system.trace_log WHERE query_id = '{query_id}'"
    assert http.ok(f"SELECT DISTINCT trace_type {log} ORDER BY trace_type") == "Real\nCPU\nMemory\nMemoryPeak\n"
    known = "countIf(event_date != toDate(event_time_microseconds, 'UTC')), countIf(empty(trace)), countIf(notEmpty(symbols) OR notEmpty(lines))"
    assert http.ok(f"SELECT {known} {log}") == "0\t0\t0\n"
    of_threads = "countIf(thread_id = 0), countIf(thread_name = ''), uniqExact(thread_id) > 0, max(length(trace)) > 10"
    assert http.ok(f"SELECT {of_threads} {log} AND trace_type = 'CPU'") == "0\t0\t1\t1\n"
    assert http.ok(f"SELECT countIf(size <= 0), sum(size) > 1000000 {log} AND trace_type = 'Memory'") == "0\t1\n"
    assert int(http.ok("SELECT value FROM system.events WHERE event = 'QueryProfilerRuns'")) > 0


def test_allocations_are_known_again_when_they_are_freed(http):
    query_id = uuid.uuid4().hex
    each = {"memory_profiler_sample_probability": 1, "max_untracked_memory": 0, "memory_profiler_step": 0}
    http.ok("SELECT count() FROM numbers(10)", query_id=query_id, query_profiler_real_time_period_ns=0, query_profiler_cpu_time_period_ns=0, **each)
    http.ok("SYSTEM FLUSH LOGS")
    log = f"FROM system.trace_log WHERE query_id = '{query_id}' AND trace_type = 'MemorySample'"
    assert int(http.ok(f"SELECT countIf(size > 0 AND ptr > 0) {log}")) > 10
    # Samples that find no room are left out, so that not every one has its other half.
    both = f"SELECT count() FROM (SELECT ptr {log} AND ptr != 0 GROUP BY ptr HAVING countIf(size > 0) > 0 AND countIf(size < 0) > 0)"
    assert int(http.ok(both)) > 0
    assert http.ok(f"SELECT countIf(revision = 0) {log}") == "0\n"


def test_settings_of_one_query_hold(http):
    query_id = uuid.uuid4().hex
    query = QUERY.replace(" FORMAT", " SETTINGS query_profiler_cpu_time_period_ns = 1000000, query_profiler_real_time_period_ns = 0, memory_profiler_step = 0 FORMAT")
    http.ok(query, query_id=query_id)
    http.ok("SYSTEM FLUSH LOGS")
    assert http.ok(f"SELECT DISTINCT trace_type FROM system.trace_log WHERE query_id = '{query_id}'") == "CPU\n"


def test_a_graph_is_drawn(server, http, tmp_path):
    query_id = profiled(http)
    for kind, unit in (("CPU", "samples"), ("Real", "samples"), ("Memory", "bytes")):
        svg = graph(tmp_path, query_id, "--type", kind, "--port", server.tcp_port)
        assert svg.startswith("<?xml") and svg.rstrip().endswith("</svg>"), kind
        assert f"Query {query_id}" in svg and f" {unit}, " in svg and re.search("aggregat|text_keys", svg, re.IGNORECASE), kind
    lines = graph(tmp_path, query_id, "--collapsed", "--port", server.tcp_port).splitlines()
    assert sum(int(line.rsplit(" ", 1)[1]) for line in lines) == int(http.ok(f"SELECT count() FROM system.trace_log WHERE query_id = '{query_id}' AND trace_type = 'CPU'"))
    assert "There is no sample CPU of a query nobody's" in graph(tmp_path, "nobody's", "--port", server.tcp_port, code=36)


def test_samples_survive_a_restart(started, tmp_path):
    named = "<trace_log><symbolize>true</symbolize></trace_log>"
    server, http = started(named)
    query_id = profiled(http)
    assert http.ok(f"SELECT countIf(length(trace) != length(symbols) OR length(trace) != length(lines)) FROM system.trace_log WHERE query_id = '{query_id}'") == "0\n"
    port = ("--port", server.tcp_port)
    before = graph(tmp_path, query_id, "--collapsed", *port)
    assert server.stop() == 0
    # Nobody serves them: the folder itself tells.
    assert graph(tmp_path, query_id, "--collapsed", "--path", tmp_path / "data") == before
    server, http = started(named)
    assert graph(tmp_path, query_id, "--collapsed", "--port", server.tcp_port) == before
    # Addresses are those of the file, wherever it is loaded.
    of_program = "arrayFilter((symbol, address) -> address < 0x100000000, symbols, trace) = arrayMap(a -> demangle(addressToSymbol(a)), arrayFilter(a -> a < 0x100000000, trace))"
    told = http.ok(f"SELECT uniqExact({of_program}), any({of_program}) FROM system.trace_log WHERE query_id = '{query_id}' AND trace_type = 'CPU'", allow_introspection_functions=1)
    assert told == "1\t1\n"


def test_names_are_looked_up_where_somebody_looks(started, tmp_path):
    server, http = started()
    query_id = profiled(http)
    told = http.ok(f"SELECT countIf(notEmpty(symbols)), countIf(empty(trace)), count() > 0 FROM system.trace_log WHERE query_id = '{query_id}' AND trace_type = 'CPU'")
    assert told == "0\t0\t1\n"
    # The server that has the program tells the names when it is asked.
    assert "aggregat" in graph(tmp_path, query_id, "--collapsed", "--port", server.tcp_port).lower()


def test_no_samples_without_the_log(started):
    _, http = started('<trace_log remove="1"/>')
    profiled(http)
    assert http.ok("SELECT count() FROM system.events WHERE event = 'QueryProfilerRuns' AND value > 0") == "0\n"


def test_each_count_of_an_event_has_a_stack(http):
    query_id = uuid.uuid4().hex
    http.ok("SELECT 1 SETTINGS trace_profile_events = 1, trace_profile_events_list = ' Query, SelectQuery,'", query_id=query_id)
    http.ok("SYSTEM FLUSH LOGS trace_log")
    log = f"FROM system.trace_log WHERE query_id = '{query_id}' AND trace_type = 'ProfileEvent'"
    told = http.ok(f"SELECT event, count(), sum(increment), countIf(empty(trace)) {log} GROUP BY event ORDER BY event")
    assert told == "Query\t1\t1\t0\nSelectQuery\t1\t1\t0\n"
    named = "arrayExists(address -> demangle(addressToSymbol(address)) LIKE 'gristmill_engine::%', trace)"
    assert http.ok(f"SELECT DISTINCT {named} {log}", allow_introspection_functions=1) == "1\n"
    query_id = uuid.uuid4().hex
    http.ok("SELECT sum(number) FROM numbers(10)", query_id=query_id, trace_profile_events=1)
    http.ok("SYSTEM FLUSH LOGS trace_log")
    log = f"FROM system.trace_log WHERE query_id = '{query_id}' AND trace_type = 'ProfileEvent'"
    assert http.ok(f"SELECT sum(increment) {log} AND event = 'SelectedRows'") == "10\n"
    failed = http("SELECT 1", trace_profile_events=1, trace_profile_events_list="Query,SelectQuary")
    assert failed.error == (36, "BAD_ARGUMENTS")
    assert "Unknown profile event: SelectQuary. Maybe you meant: ['SelectQuery']" in failed.text, failed
