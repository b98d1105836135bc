"""The log of a query, stage by stage, as its client hears it (`send_logs_level`): by the native protocol, and over HTTP."""

import json
import logging
import re
import time
import uuid

import clickhouse_driver
import pytest
from http_client import Http
from server import Server

ROWS = 200_000


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """With a log that has nothing but what is asked for: clients hear what they want whatever it has."""
    server = Server(tmp_path_factory.mktemp("lines"))
    http = Http(server.http_port)
    http.ok(
        """CREATE TABLE lines (day Date, id UInt64, user UInt64, word String, INDEX by_word word TYPE bloom_filter GRANULARITY 1)
        ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY id"""
    )
    for month in (1, 2, 3):
        http.ok(f"INSERT INTO lines SELECT '2026-0{month}-01', number, cityHash64(number) % 1000, toString(number * {month}) FROM numbers({ROWS})")
    http.ok("CREATE TABLE taken (n UInt64, s String) ENGINE = MergeTree ORDER BY n")
    http.ok("INSERT INTO FUNCTION file('lines.parquet') SELECT number AS n, toString(number) AS s FROM numbers(100000)")
    yield server
    assert server.stop() == 0


def by_tcp(server: Server, query: str, level: str, caplog, **settings) -> list[str]:
    client = clickhouse_driver.Client("127.0.0.1", port=server.tcp_port, settings={"send_logs_level": level, **settings})
    caplog.clear()
    with caplog.at_level(logging.INFO, logger="clickhouse_driver.log"):
        client.execute(query)
    client.disconnect()
    lines = [record.getMessage() for record in caplog.records if record.name == "clickhouse_driver.log"]
    return [found[1] for line in lines if (found := re.search(r"(<\w+> \w+: .*)", line, re.S))]


def shown(line: dict) -> str:
    assert line["thread_id"] > 0 and line["event_time_microseconds"] > 1_700_000_000_000_000, line
    return f"<{line['level']}> {line['logger_name']}: {line['message']}"


def by_header(server: Server, query: str, level: str, _, **settings) -> list[str]:
    answer = Http(server.http_port)(query, send_logs_level=level, wait_end_of_query=1, **settings)
    assert answer.status == 200, answer
    lines = json.loads(answer.headers.get("x-clickhouse-logs", "[]"))
    return [shown(line) for line in lines if "message" in line]


def by_rows(server: Server, query: str, level: str, _, **settings) -> list[str]:
    text = Http(server.http_port).ok(query, send_logs_level=level, default_format="JSONEachRowWithProgress", **settings)
    return [shown(line["log"]) for line in map(json.loads, text.splitlines()) if "log" in line]


WAYS = {"native": by_tcp, "header": by_header, "rows": by_rows}

SELECTED = (
    r"<Debug> SelectExecutor: default\.lines: Selected 1/3 parts by partition key, 1 parts by primary key, "
    r"\d+/\d+ marks by primary key, \d+ marks to read from 1 parts"
)
BY_DAY = "day = '2026-02-01' AND id BETWEEN 1000 AND 50000"
# What is asked, and lines of it.
KINDS = {
    "the beginning": ("SELECT 1 AS began", [r"<Debug> executeQuery: \(from 127\.0\.0\.1:\d+, user: default\) SELECT 1 AS began"]),
    "parsing and planning": (
        "SELECT sum(user) FROM lines",
        [r"<Trace> executeQuery: Parsed in \d", r"<Trace> Planner: Resolved tables and names in \d", r"<Debug> Planner: Planned in .*: \d+ operators"],
    ),
    "parts and granules": (
        f"SELECT sum(user) FROM lines WHERE {BY_DAY}",
        [
            SELECTED,
            r"<Debug> SelectExecutor: default\.lines: Primary key condition: .*id",
            r"<Debug> SelectExecutor: default\.lines: Reading approx\. \d+ rows with \d+ streams: \d+ marks from 1 ranges",
            r"<Trace> SelectExecutor: default\.lines: columns: user",
        ],
    ),
    "prewhere": ("SELECT sum(id) FROM lines WHERE user = 7", [r"<Debug> MergeTreeWhereOptimizer: default\.lines: moved to PREWHERE: .*user"]),
    "a skip index": (
        "SELECT count(), max(user) FROM lines WHERE word = '199999'",
        [r"<Debug> SelectExecutor: default\.lines: Index `by_word` has dropped [1-9]\d*/\d+ granules"],
    ),
    "a scan": (
        f"SELECT max(word) FROM lines WHERE {BY_DAY}",
        [r"<Debug> MergeTreeSelectProcessor: Read \d+ rows, gave 49001 .*columns of granules: \d+ decoded, \d+ found in memory"],
    ),
    "files": (
        "SELECT max(s) FROM file('lines.parquet') WHERE n > 10",
        [
            r"<Debug> ReadFromObjectStorage: file Parquet: 1 of 1 files are wanted",
            r"<Debug> ReadFromObjectStorage: Read 100000 rows, gave \d+ .*[1-9]\d* row groups read, \d+ pruned",
        ],
    ),
    "reading ahead of a table": (
        f"SELECT sum(user) FROM lines WHERE {BY_DAY} SETTINGS use_uncompressed_cache = 0",
        [
            r"<Debug> Prefetcher: default\.lines: \d+ units to read, of up to \d+ granules or .*; each of \d+ streams has its next unit fetched",
            r"<Trace> Prefetcher: \d+ ranges of parts/202602_.*\.parquet in \d+ reads, .*: they ",
        ],
    ),
    "reading ahead of files": (
        "SELECT max(s) FROM file('lines.parquet') WHERE n > 11",
        [
            r"<Debug> Prefetcher: Reads ahead as long as what is held fits .*, in up to \d+ fetches at once; .*requests take up to .*, and ranges up to",
            r"<Trace> Prefetcher: Fetches \d+ ranges, .*, of .*lines\.parquet",
            r"<Debug> Prefetcher: Fetched .* in [1-9]\d* fetches ahead of those who decode; held .* at most, and \d+ times",
        ],
    ),
    "a join": (
        "SELECT count() FROM lines AS a JOIN (SELECT number AS id FROM numbers(1000)) AS b USING (id) WHERE a.user < 900",
        [r"<Debug> HashJoin: Built the table of the kept side: \d+ rows in", r"<Debug> HashJoin: Joined\. \d+ rows of both sides .* to \d+ rows"],
    ),
    "an aggregation": (
        "SELECT user, count() FROM lines GROUP BY user FORMAT Null",
        [r"<Debug> Aggregator: Aggregated\. 600000 to \d+ rows \(from .*\) in .* rows/sec\.\)"],
    ),
    "a sort": ("SELECT word FROM lines WHERE id < 20000 ORDER BY word FORMAT Null", [r"<Debug> MergeSortingTransform: Sorted 60000 rows \(.*\) in .* by \d+ streams"]),
    "a sort that spills": (
        "SELECT word FROM lines WHERE id < 20000 ORDER BY word SETTINGS max_bytes_before_external_sort = 200000 FORMAT Null",
        [
            r"<Debug> MergeSortingTransform: Sorted 60000 rows .* spilled .* in [1-9]\d* files",
            r"<Debug> TemporaryDataOnDisk: .*rows go into a temporary file \(Sorting\)",
        ],
    ),
    "the best rows": ("SELECT word FROM lines ORDER BY word LIMIT 3", [r"<Debug> PartialSortingTransform: Kept the best \d+ of \d+ rows"]),
    "a window": ("SELECT sum(n) OVER (ORDER BY n) AS s FROM (SELECT number AS n FROM numbers(100)) FORMAT Null", [r"<Debug> WindowTransform: Computed windows over 100 rows"]),
    "other operators": ("SELECT count() FROM numbers(1000) WHERE number % 3 = 0", [r"<Trace> PipelineExecutor: FilterExec: 1000 to 334 rows"]),
    "the end": (
        "SELECT number FROM numbers(1000) WHERE number % 1000 >= 7 FORMAT Null",
        [
            r"<Information> executeQuery: Read 1000 rows, .* in [\d.]+ sec\., \d+ rows/sec\.",
            r"<Debug> executeQuery: Gave 993 rows",
            r"<Debug> executeQuery: Of the time, it computed for .* for the disk, .* for locks",
            r"<Debug> MemoryTracker: Peak memory usage \(for query\): ",
        ],
    ),
}
INSERTED = [
    r"<Debug> InsertGear: The INSERT begins with \d+ lanes?, blocks of .*, \d+ parts at a time",
    r"<Trace> Squashing: A block of 1000 rows, .* out of \d+ batches",
    r"<Debug> MergeTreeDataWriter: Wrote a part of partition all: 1000 rows, .* as .*",
    r"<Debug> MergeTreeSink: default\.taken: Committed 1 parts, 1000 rows, .* the table is at version \d+",
    r"<Trace> MergeTreeSink: default\.taken: part all_\d+_\d+_0: 1000 rows",
    r"<Debug> executeQuery: Wrote 1000 rows",
]


def missing(wanted: list[str], lines: list[str]) -> list[str]:
    return [one for one in wanted if not any(re.search(one, line, re.S) for line in lines)]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", KINDS)
def test_each_stage_is_told(server, caplog, way, kind):
    query, wanted = KINDS[kind]
    if way == "rows":
        query = query.removesuffix("FORMAT Null")
    lines = WAYS[way](server, query, "trace", caplog)
    assert not missing(wanted, lines), "\n".join(lines)


@pytest.mark.parametrize("way", ["native", "header"])
def test_each_stage_of_an_insert_is_told(server, caplog, way):
    lines = WAYS[way](server, "INSERT INTO taken SELECT number, toString(number) FROM numbers(1000)", "trace", caplog)
    assert not missing(INSERTED, lines), "\n".join(lines)


@pytest.mark.parametrize("way", WAYS)
def test_no_more_is_told_than_was_asked_for(server, caplog, way):
    query = f"SELECT sum(user) FROM lines WHERE {BY_DAY}"
    levels = {"fatal": set(), "information": {"Information"}, "debug": {"Information", "Debug"}, "trace": {"Information", "Debug", "Trace"}}
    for level, wanted in levels.items():
        lines = WAYS[way](server, query, level, caplog)
        assert {re.match(r"<(\w+)>", line)[1] for line in lines} == wanted, (level, lines)


def test_an_error_is_told_and_a_setting_of_the_query_counts(server):
    answer = Http(server.http_port)("SELECT throwIf(number = 3) FROM numbers(10) SETTINGS send_logs_level = 'error'")
    [line] = json.loads(answer.headers["x-clickhouse-logs"])
    assert line["level"] == "Error" and "FUNCTION_THROW_IF_VALUE_IS_NON_ZERO" in line["message"], line
    answer = Http(server.http_port)("SELECT nothing_of_that_name", send_logs_level="error")
    [line] = json.loads(answer.headers["x-clickhouse-logs"])
    assert "nothing_of_that_name" in line["message"], line


def test_lines_come_while_the_query_runs(server):
    """The first lines are here before the query is over, over HTTP as well."""
    import http.client
    from urllib.parse import urlencode

    query = "SELECT sleepEachRow(0.5) FROM numbers(5) SETTINGS max_block_size = 1"
    parameters = urlencode({"query": query, "send_logs_level": "debug", "default_format": "JSONEachRowWithProgress"})
    connection = http.client.HTTPConnection("127.0.0.1", server.http_port, timeout=60)
    begun = time.monotonic()
    connection.request("POST", f"/?{parameters}")
    answer = connection.getresponse()
    assert "meta" in json.loads(answer.readline())
    first = json.loads(answer.readline())
    at_first = time.monotonic() - begun
    rest = answer.read()
    whole = time.monotonic() - begun
    assert "log" in first and b"MemoryTracker" in rest, (first, rest)
    assert at_first < whole - 0.5, (at_first, whole)


def test_lines_come_while_the_query_runs_natively(server, caplog):
    client = clickhouse_driver.Client("127.0.0.1", port=server.tcp_port, settings={"send_logs_level": "debug"})
    try:
        with caplog.at_level(logging.INFO, logger="clickhouse_driver.log"):
            rows = client.execute_iter("SELECT sleepEachRow(0.5) FROM numbers(4) SETTINGS max_block_size = 1")
            next(rows)
            # What follows the first block is not read yet.
            with_the_first_row = [record.getMessage() for record in caplog.records]
            assert len(list(rows)) == 3
    finally:
        client.disconnect()
    told = [record.getMessage() for record in caplog.records]
    assert with_the_first_row and told[: len(with_the_first_row)] == with_the_first_row, told
    assert any("Read 4 rows" in line for line in told[len(with_the_first_row) :]), told


def test_rows_of_a_client_that_reads_nothing_meanwhile_are_taken(server, caplog):
    """An INSERT that tells of very many parts, while its client only sends."""
    http = Http(server.http_port)
    http.ok("CREATE OR REPLACE TABLE parted (n UInt64) ENGINE = MergeTree PARTITION BY n % 20 ORDER BY n")
    client = clickhouse_driver.Client("127.0.0.1", port=server.tcp_port, settings={"send_logs_level": "trace", "insert_block_size": 1000, "async_insert": 0})
    with caplog.at_level(logging.INFO, logger="clickhouse_driver.log"):
        client.execute("INSERT INTO parted VALUES", ((n,) for n in range(50_000)), settings={"min_insert_block_size_rows": 1000})
    client.disconnect()
    assert http.ok("SELECT count() FROM parted") == "50000\n"
    assert "Committed" in caplog.text


def test_no_secret_is_in_a_line(server, caplog):
    query = "SELECT count() FROM numbers(10) WHERE hex(encrypt('aes-128-ecb', toString(number), 'a key of 16 byte')) != 'x'"
    for way in WAYS.values():
        lines = way(server, query, "trace", caplog)
        assert lines and not [line for line in lines if "a key of 16 byte" in line], lines


@pytest.fixture
def logging_server(tmp_path):
    config = tmp_path / "config.xml"
    config.write_text("<clickhouse><text_log><level>trace</level></text_log></clickhouse>")
    server = Server(tmp_path / "data", "--config-file", config)
    yield server
    assert server.stop() == 0


def test_text_log_has_the_same_lines(logging_server):
    http = Http(logging_server.http_port)
    query_id = uuid.uuid4().hex
    http.ok("SELECT number % 7 AS k, count() FROM numbers(1000) GROUP BY k", query_id=query_id)
    http.ok("SYSTEM FLUSH LOGS")
    told = http.ok(f"SELECT level, logger_name, message FROM system.text_log WHERE query_id = '{query_id}' ORDER BY event_time_microseconds")
    for wanted in ("Debug\tAggregator\tAggregated. 1000 to 7 rows", "Debug\texecuteQuery\tRead 1000 rows", "Debug\tPlanner\tPlanned in", "Trace\tPipelineExecutor\t"):
        assert wanted in told, told
    # What writes the logs tells nothing: each flush would bring the next.
    for _ in range(3):
        http.ok("SYSTEM FLUSH LOGS")
    assert http.ok("SELECT count() FROM system.text_log WHERE message LIKE '%system.text_log: Committed%'") == "0\n"


def test_a_quiet_server_logs_no_lines_of_queries(server):
    http = Http(server.http_port)
    http.ok("SELECT count() FROM lines")
    http.ok("SYSTEM FLUSH LOGS")
    assert http.ok("SELECT count() FROM system.text_log WHERE logger_name IN ('Aggregator', 'Planner', 'SelectExecutor', 'executeQuery')") == "0\n"
    assert not [line for line in server.log if "gristmill_query" in line]
