"""Queries that are too much, with a running server: each gets its answer or ClickHouse's error, soon, and whoever asks beside
them is served.
"""

import gzip
import threading
import time

import pytest
from http_client import Http
from server import Server

# What a query beside a hard one may take; a server of a debug build on a busy machine answers in a tenth of it.
BESIDE_SECONDS = 20


@pytest.fixture(scope="module")
def target(tmp_path_factory):
    """A server that nobody else uses, as it was killed by each of these once."""
    server = Server(tmp_path_factory.mktemp("limits"))
    yield Http(server.http_port)
    assert server.stop() == 0


def aliases(levels: int) -> str:
    steps = ", ".join(f"a{i} + a{i} AS a{i + 1}" for i in range(levels))
    return f"WITH number AS a0, {steps} SELECT a{levels} FROM numbers(1)"


CHAINS = {
    "or": ("SELECT count() FROM numbers(1) WHERE " + " OR ".join(f"number={i}" for i in range(5000)), "1"),
    "or of several columns": (
        "SELECT count() FROM numbers(9) WHERE " + " OR ".join(f"number * {i} = 7" for i in range(2000)),
        "2",
    ),
    "and": ("SELECT count() FROM numbers(9) WHERE " + " AND ".join(f"number!={i}" for i in range(3000)), "0"),
    "in of tuples": (
        "SELECT count() FROM numbers(9) WHERE (number, number + 1) IN (" + ",".join(f"({i},{i + 1})" for i in range(4000)) + ")",
        "9",
    ),
    "in of arrays": (
        "SELECT count() FROM numbers(9) WHERE [number] IN (" + ",".join(f"[{i}]" for i in range(2000)) + ")",
        "9",
    ),
    "in of expressions": (
        "SELECT count() FROM numbers(9) WHERE number IN (" + ",".join(f"number + {i}" for i in range(3000)) + ")",
        "9",
    ),
    "constants": ("SELECT " + " OR ".join(["0"] * 3000), "0"),
    "concat": ("SELECT length(" + " || ".join(["'a'"] * 3000) + ")", "3000"),
    "concat of columns": ("SELECT length(" + " || ".join(["toString(number)"] * 1000) + ") FROM numbers(1)", "1000"),
    "plus": ("SELECT " + " + ".join(["1"] * 400), "400"),
    "plus of columns": ("SELECT number + " + " + ".join(["1"] * 400) + " FROM numbers(1)", "400"),
    "casts": ("SELECT 1" + "::Int8" * 300, "1"),
    "union": ("SELECT count() FROM (SELECT 1" + " UNION ALL SELECT 1" * 1000 + ")", "1001"),
    "functions": ("SELECT " + "abs(" * 200 + "1" + ")" * 200, "1"),
    "subqueries": ("SELECT * FROM (" * 40 + "SELECT 1" + ")" * 40, "1"),
}


@pytest.mark.parametrize(("query", "expected"), CHAINS.values(), ids=CHAINS.keys())
def test_long_chains_are_computed(target, query, expected):
    assert target.ok(body=query.encode()).strip() == expected


@pytest.mark.parametrize(
    ("query", "code", "name"),
    [
        ("SELECT " + "+".join(["1"] * 1000), 167, "TOO_DEEP_AST"),
        ("SELECT " + "+".join(["1"] * 100_000), 167, "TOO_DEEP_AST"),
        ("SELECT number" + "+1" * 20_000 + " FROM numbers(1)", 167, "TOO_DEEP_AST"),
        ("SELECT 1" + "::Int8" * 1000, 167, "TOO_DEEP_AST"),
        ("SELECT 1" + "::Int8" * 20_000, 167, "TOO_DEEP_AST"),
        ("SELECT 1" + " IS NULL" * 20_000, 167, "TOO_DEEP_AST"),
        ("SELECT count() FROM numbers(1) WHERE " + " OR ".join(f"number={i}" for i in range(16_000)), 168, "TOO_BIG_AST"),
        ("SELECT " + ",".join(["1"] * 60_000), 168, "TOO_BIG_AST"),
        ("SELECT 1" + " UNION ALL SELECT 1" * 12_000, 168, "TOO_BIG_AST"),
        ("SELECT " + "(" * 5000 + "1" + ")" * 5000, 306, "TOO_DEEP_RECURSION"),
        ("SELECT " + "[" * 5000 + "1" + "]" * 5000, 306, "TOO_DEEP_RECURSION"),
        ("SELECT * FROM (" * 5000 + "SELECT 1" + ")" * 5000, 306, "TOO_DEEP_RECURSION"),
        ("SELECT " + "NOT " * 20_000 + "1", 62, "SYNTAX_ERROR"),
        ("SELECT " + " " * 300_000 + "1", 62, "SYNTAX_ERROR"),
        (aliases(40), 36, "BAD_ARGUMENTS"),
        ("SELECT length(range(100000000)) SETTINGS max_memory_usage = 100000000", 241, "MEMORY_LIMIT_EXCEEDED"),
        (
            "SELECT arrayMap(x -> toString(x), range(100000000)) FORMAT Null SETTINGS max_memory_usage = 100000000",
            241,
            "MEMORY_LIMIT_EXCEEDED",
        ),
        (
            "SELECT range(number + 100000000) FROM numbers(1) FORMAT Null SETTINGS max_memory_usage = 100000000",
            241,
            "MEMORY_LIMIT_EXCEEDED",
        ),
        (
            "SELECT arrayWithConstant(50000000, 'abc') FORMAT Null SETTINGS max_memory_usage = 100000000",
            241,
            "MEMORY_LIMIT_EXCEEDED",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) and len(value) < 30 else "",
)
def test_what_is_too_much_is_an_error(target, query, code, name):
    assert target(body=query.encode()).error == (code, name)
    assert target.ok("SELECT 1") == "1\n"


def test_the_text_of_an_insert_is_limited_without_its_data(target):
    target.ok("CREATE TABLE IF NOT EXISTS long (a UInt64) ENGINE = Memory")
    target.ok("INSERT INTO long VALUES", body=",".join(f"({i})" for i in range(50_000)).encode())
    assert target.ok("SELECT count() FROM long") == "50000\n"
    assert target(body=b"INSERT INTO long VALUES (" + b"1+" * 20_000 + b"1)").error[1] == "TOO_DEEP_AST"
    target.ok("DROP TABLE long")


def run_beside(work, *arguments, **named):
    """A thread that works, and where what it gets will be."""
    answers = []
    thread = threading.Thread(target=lambda: answers.append(work(*arguments, **named)))
    thread.start()
    return thread, answers


def test_others_are_answered_while_queries_are_planned(target):
    hard = [run_beside(target, aliases(40), max_expanded_ast_elements=0, max_execution_time=10) for _ in range(3)]
    time.sleep(0.5)
    start = time.monotonic()
    assert target.ok(path="/ping", method="GET") == "Ok.\n"
    assert target.ok("SELECT 1") == "1\n"
    assert time.monotonic() - start < BESIDE_SECONDS
    for thread, answers in hard:
        thread.join(120)
        assert answers[0].error == (159, "TIMEOUT_EXCEEDED")


def test_planning_ends_when_it_is_killed(target):
    thread, answers = run_beside(target, aliases(40), max_expanded_ast_elements=0, query_id="planned")
    until = time.monotonic() + BESIDE_SECONDS
    while "planned" not in target.ok("KILL QUERY WHERE query_id = 'planned' ASYNC") and time.monotonic() < until:
        time.sleep(0.1)
    thread.join(60)
    assert answers[0].error == (394, "QUERY_WAS_CANCELLED")


def test_one_array_is_left_alone_when_its_query_is_out_of_time(target):
    query = "SELECT arrayMap(x -> sipHash64(toString(x)), range(200000000)) FORMAT Null SETTINGS max_execution_time = 1"
    start = time.monotonic()
    assert target(query).error[1] in ("TIMEOUT_EXCEEDED", "MEMORY_LIMIT_EXCEEDED")
    assert time.monotonic() - start < 60


def test_a_running_query_is_replaced(target):
    endless = "SELECT count() FROM numbers(1000000000000) WHERE NOT ignore(sipHash64(number)) SETTINGS max_threads = 1"
    thread, answers = run_beside(target, endless, query_id="same")
    until = time.monotonic() + BESIDE_SECONDS
    while target.ok("SELECT count() FROM system.processes WHERE query_id = 'same'") != "1\n" and time.monotonic() < until:
        time.sleep(0.05)
    assert target("SELECT 2", query_id="same").error[1] == "QUERY_WITH_SAME_ID_IS_ALREADY_RUNNING"
    assert target.ok("SELECT 2", query_id="same", replace_running_query=1) == "2\n"
    thread.join(60)
    assert answers[0].error == (394, "QUERY_WAS_CANCELLED")


def test_a_query_out_of_time_ends_with_what_it_has(target):
    query = "SELECT count(sipHash64(number)) > 0 FROM numbers(1000000000000)"
    start = time.monotonic()
    assert target.ok(query, max_execution_time=1, timeout_overflow_mode="break") == "1\n"
    assert time.monotonic() - start < BESIDE_SECONDS
    assert target(query, max_execution_time=1).error == (159, "TIMEOUT_EXCEEDED")


def test_a_query_is_held_back_to_its_speed(target):
    start = time.monotonic()
    query = "SELECT sum(number) FROM numbers(200000)"
    paced = {"max_execution_speed": 100000, "max_block_size": 10000, "timeout_before_checking_execution_speed": 0}
    assert target.ok(query, **paced) == "19999900000\n"
    assert time.monotonic() - start > 1.5
    thread, answers = run_beside(target, query, query_id="paced", **paced | {"max_execution_speed": 100})
    until = time.monotonic() + BESIDE_SECONDS
    while "paced" not in target.ok("KILL QUERY WHERE query_id = 'paced' ASYNC") and time.monotonic() < until:
        time.sleep(0.1)
    thread.join(20)
    assert answers[0].error == (394, "QUERY_WAS_CANCELLED")


def test_as_many_queries_as_all_users_may_have(target):
    thread, answers = run_beside(target, "SELECT sleep(3) FORMAT Null", query_id="sleeps")
    until = time.monotonic() + BESIDE_SECONDS
    while target.ok("SELECT count() FROM system.processes WHERE query_id = 'sleeps'") != "1\n" and time.monotonic() < until:
        time.sleep(0.05)
    assert target("SELECT 1", max_concurrent_queries_for_all_users=1).error == (202, "TOO_MANY_SIMULTANEOUS_QUERIES")
    assert target.ok("SELECT 1", max_concurrent_queries_for_all_users=2) == "1\n"
    thread.join(60)
    assert answers[0].status == 200


# Twenty million values take 160 MB, and the array that is made of them as much again.
LARGE_STATES = {
    "groupArray": ("length(groupArray(number))", 250_000_000, 900_000_000),
    "groupArrayIf": ("length(groupArrayIf(number, number >= 0))", 250_000_000, 900_000_000),
    "groupUniqArray": ("length(groupUniqArray(number))", 500_000_000, None),
    "quantileExact": ("quantileExact(number) > 0", 250_000_000, None),
    "uniqExact": ("uniqExact(number)", 250_000_000, None),
    "groupConcat": ("length(groupConcat(toString(number)))", 250_000_000, None),
}


@pytest.mark.parametrize(("result", "few", "enough"), LARGE_STATES.values(), ids=LARGE_STATES.keys())
def test_states_and_what_is_made_of_them_count(target, result, few, enough):
    query = f"SELECT {result} FROM numbers(20000000)"
    answer = target(query, max_memory_usage=few, query_id=f"few-{result[:20]}")
    assert answer.error == (241, "MEMORY_LIMIT_EXCEEDED"), answer
    if enough:
        assert target.ok(query, max_memory_usage=enough) == "20000000\n"


@pytest.mark.parametrize("format", ["TSV", "CSV", "LineAsString", "JSONEachRow"])
def test_a_row_without_an_end_is_refused_before_it_is_held(target, format):
    """A megabyte that unpacks into a row of hundreds."""
    target.ok("CREATE TABLE IF NOT EXISTS long_rows (s String) ENGINE = MergeTree ORDER BY tuple()")
    begin = b'{"s": "' if format == "JSONEachRow" else b""
    bomb = gzip.compress(begin + b"x" * (400 << 20), 1)
    query_id = f"bomb-{format}"
    insert = f"INSERT INTO long_rows (s) FORMAT {format}"
    answer = target(insert, bomb, headers={"Content-Encoding": "gzip"}, max_memory_usage=100_000_000, query_id=query_id)
    assert answer.error == (241, "MEMORY_LIMIT_EXCEEDED"), answer
    target.ok("SYSTEM FLUSH LOGS")
    peak = target.ok(f"SELECT max(memory_usage) FROM system.query_log WHERE query_id = '{query_id}'")
    assert int(peak) < 200_000_000, peak
    assert target.ok("SELECT count() FROM long_rows") == "0\n"


def test_an_error_of_a_limit_names_nothing_of_the_inside(target):
    answer = target("SELECT name, value FROM system.settings", max_columns_to_read=1)
    assert answer.error == (161, "TOO_MANY_COLUMNS") and "maximum: 1. (TOO_MANY_COLUMNS)" in answer.text, answer.text
