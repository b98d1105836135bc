"""EXPLAIN: each figure of ANALYZE made on purpose and found; the other kinds in the shapes that programs read."""

import json
import subprocess
import threading

import pytest
from fault_proxy import Fault, FaultProxy
from runner import BINARY, environment, gristmill


def analyzed(query: str, *before: str, options: str = "", path=None) -> dict:
    """The answer of EXPLAIN ANALYZE json = 1."""
    explain = f"EXPLAIN ANALYZE json = 1{options} {query} FORMAT TSVRaw"
    answer = gristmill(*before, explain, path=path).ok()
    [whole] = json.loads(answer.out)
    return whole


def nodes(plan: dict) -> list[dict]:
    """The operators of a plan, each before those it reads."""
    return [plan, *(node for below in plan.get("Plans", []) for node in nodes(below))]


def node(whole: dict, kind: str) -> dict:
    found = [node for node in nodes(whole["Plan"]) if node["Node Type"] == kind]
    assert found, whole
    return found[0]


def test_a_filter_has_the_rows_that_go_in_and_come_out():
    query = "FROM numbers(100000) WHERE sipHash64(number) % 2 = 0 AND number % 10 = 3"
    whole = analyzed(f"SELECT max(number) {query}")
    rows = int(gristmill(f"SELECT count() {query}").value)
    shown = node(whole, "FilterExec")
    assert (shown["Input Rows"], shown["Rows"], whole["Rows"]) == (100000, rows, 1)
    assert (shown["Input Bytes"], shown["Bytes"]) == (800000, 8 * rows)
    assert shown["Batches"] > 0 and shown["Streams"] >= 1 and shown["At Once"] >= 1
    # Nothing else is in what the operators computed.
    computed = sum(node["Elapsed Microseconds"] for node in nodes(whole["Plan"]))
    assert abs(computed - whole["Computed Microseconds"]) <= len(nodes(whole["Plan"])), whole
    assert abs(sum(node["Share"] for node in nodes(whole["Plan"])) - 100) < 1, whole
    assert whole["Total Microseconds"] >= whole["Planning Microseconds"] > 0


def test_what_an_operator_gives_is_what_the_next_one_takes():
    whole = analyzed("SELECT number % 7 AS k, count(), max(toString(number)) FROM numbers(50000) GROUP BY k ORDER BY k LIMIT 3")
    for shown in nodes(whole["Plan"]):
        inputs = shown.get("Plans", [])
        assert shown["Input Rows"] == sum(input["Rows"] for input in inputs), shown
        assert shown["Input Bytes"] == sum(input["Bytes"] for input in inputs), shown
    assert whole["Rows"] == 3 and nodes(whole["Plan"])[-1]["Rows"] == 50000


def test_the_operator_that_computes_most_is_marked():
    query = "SELECT sum(sipHash64(toString(number))) FROM (SELECT number FROM numbers(300000) ORDER BY reverse(toString(number)))"
    whole = analyzed(query)
    most = max(nodes(whole["Plan"]), key=lambda node: node["Elapsed Microseconds"])
    assert whole["Longest"] == most["Node Id"]
    lines = gristmill(f"EXPLAIN ANALYZE {query}").ok().out.splitlines()
    assert [line for line in lines if line.startswith("►") and "%" in line], lines
    assert sum("%" in line and "►" in line for line in lines) == 1, lines
    assert "planning" in lines[0] and "1 rows" in lines[0]


def test_a_slow_store_makes_a_scan_wait_for_input(s3):
    slow = Fault("slow", seconds=0.3)
    with FaultProxy(s3.port, lambda request: slow if request.method == "GET" else None) as proxy:
        source = f"s3('http://127.0.0.1:{proxy.port}/data/posts/by_month/*.parquet', {s3.keys})"
        whole = analyzed(f"SELECT count(), sum(length(Body)) FROM {source}")
    scan = nodes(whole["Plan"])[-1]
    assert scan["Node Type"] == "ObjectScanExec", whole
    # One answer at least had to be waited for.
    assert scan["Pending Microseconds"] >= 250_000, scan
    assert scan["Requests"] >= 3 and scan["Requested Bytes"] > 100_000, scan
    assert all(shown["Requests"] == 0 for shown in nodes(whole["Plan"])[:-1]), whole
    # Those above wait for the same.
    assert whole["Plan"]["Input Wait Microseconds"] >= 250_000, whole


def test_a_client_that_takes_its_time_makes_operators_wait_for_output():
    log = """SELECT max(output_wait_elapsed_us), max(elapsed_us) FROM system.processors_profile_log
        WHERE query_id IN (SELECT query_id FROM system.query_log WHERE log_comment = 'watched')"""
    query = "SELECT number, repeat('x', 1000) FROM numbers(100000) SETTINGS log_comment = 'watched'"
    line = [BINARY, "local", "-q", query, "-q", "SELECT '--'", "-q", log]
    process = subprocess.Popen(line, stdout=subprocess.PIPE, env=environment())
    pause, out, pauses = threading.Event(), [], 0
    while piece := process.stdout.read(1 << 20):
        out.append(piece)
        pauses += 1
        pause.wait(0.02)
    assert process.wait(60) == 0
    waited, _ = (int(cell) for cell in b"".join(out).split(b"\n--\n")[1].split())
    # Some of what was paused is behind the last rows.
    assert waited > pauses * 20_000 * 0.3, (waited, pauses)


def test_a_sort_that_does_not_fit_spills():
    query = "SELECT number, sipHash64(number) AS h FROM numbers(3000000) ORDER BY h"
    whole = analyzed(query, "SET max_memory_usage = 90000000, max_threads = 2")
    sort = node(whole, "ParallelSort")
    assert sort["Spilled Files"] > 0 and sort["Spilled Rows"] > 0 and sort["Spilled Bytes"] > 1_000_000, sort
    assert sort["Rows"] == 3000000
    assert all(shown["Spilled Files"] == 0 for shown in nodes(whole["Plan"]) if shown["Node Type"] in ("ProjectionExec", "SequenceExec"))
    text = gristmill("SET max_memory_usage = 90000000, max_threads = 2", f"EXPLAIN ANALYZE {query}").ok()
    assert "spilled" in text.out
    roomy = analyzed("SELECT number FROM numbers(30000) ORDER BY sipHash64(number)")
    assert node(roomy, "ParallelSort")["Spilled Files"] == 0


def test_a_join_has_its_build_side():
    query = "SELECT count() FROM numbers(70000) AS l JOIN (SELECT number * 2 AS k, toString(number) AS s FROM numbers(1000)) AS r ON l.number = r.k"
    whole = analyzed(query, options=", metrics = 1")
    join = node(whole, "HashJoinExec")
    assert join["Metrics"]["build_input_rows"] == 1000, join
    assert join["Input Rows"] >= 1000 + 1000 and join["Rows"] == 1000, join


def test_streams_are_told_apart():
    whole = analyzed("SELECT max(sipHash64(number)) FROM numbers(1000000) WHERE number % 2 = 0", "SET max_threads = 2", options=", streams = 1")
    shown = node(whole, "FilterExec")
    assert shown["Streams"] == len(shown["Of Streams"]) == 2
    assert sum(stream["Rows"] for stream in shown["Of Streams"]) == shown["Rows"] == 500000
    assert 1 <= shown["At Once"] and 0 < shown["Parallelism"] <= 8, shown
    text = gristmill("SET max_threads = 2", "EXPLAIN ANALYZE streams = 1, metrics = 1 SELECT max(sipHash64(number)) FROM numbers(100000) WHERE number % 2 = 0").ok()
    assert "stream 1" in text.out and "output_rows" not in text.out


def test_subqueries_that_are_needed_first_are_plans_of_their_own():
    query = "SELECT count() FROM numbers(1000) WHERE number IN (SELECT number * 3 FROM numbers(100))"
    whole = analyzed(query)
    assert whole["Plan"]["Rows"] == 1
    assert any(nodes(subquery["Plan"])[0]["Rows"] == 100 for subquery in whole["Subqueries"]), whole
    text = gristmill(f"EXPLAIN ANALYZE {query}").ok().out
    assert "Subquery 1" in text and "\nQuery" in text


def test_an_insert_is_run_without_its_table(tmp_path):
    answer = gristmill(
        "CREATE TABLE t (n UInt64) ENGINE = MergeTree ORDER BY n",
        "SELECT countIf(explain LIKE '%of 1%') > 0 FROM (EXPLAIN ANALYZE INSERT INTO t SELECT number FROM numbers(10))",
        "EXPLAIN PLAN INSERT INTO t SELECT number FROM numbers(10)",
        "SELECT count() FROM t",
        path=tmp_path,
    ).ok()
    assert answer.rows[0] == ["1"] and answer.rows[-1] == ["0"]
    assert answer.rows[1] == ["InsertInto (t)"], answer.rows
    refused = gristmill("CREATE TABLE t (n UInt64) ENGINE = Memory", "EXPLAIN ANALYZE INSERT INTO t VALUES (1)")
    assert refused.error == (80, "INCORRECT_QUERY")
    planned = gristmill("EXPLAIN CREATE TABLE c ENGINE = Memory AS SELECT 1 AS x", "EXISTS TABLE c").ok()
    assert planned.rows[0] == ["CreateTable (c)"] and planned.rows[-1] == ["0"]


def test_a_query_that_fails_while_it_is_analyzed_gives_its_error():
    answer = gristmill("EXPLAIN ANALYZE SELECT throwIf(number = 500) FROM numbers(1000)")
    assert answer.error == (395, "FUNCTION_THROW_IF_VALUE_IS_NON_ZERO")


LOG = """SELECT name, input_rows, output_rows FROM system.processors_profile_log
    WHERE query_id IN (SELECT query_id FROM system.query_log WHERE log_comment = 'watched') ORDER BY plan_group, id"""


@pytest.mark.parametrize(
    "query",
    [
        "SELECT count() FROM numbers(1000) WHERE sipHash64(number) % 3 = 0 SETTINGS log_comment = 'watched' FORMAT Null",
        "INSERT INTO t SELECT number FROM numbers(1000) SETTINGS log_comment = 'watched'",
    ],
)
def test_operators_of_queries_and_inserts_are_logged(query):
    answer = gristmill("CREATE TABLE t (n UInt64) ENGINE = Memory", query, LOG).ok()
    assert answer.rows and any(row[2] == "1000" for row in answer.rows), answer


def test_operators_of_views_and_of_queries_that_end_early_are_logged(tmp_path):
    views = (
        "CREATE TABLE t (n UInt64) ENGINE = Memory",
        "CREATE TABLE s (k UInt64, c UInt64) ENGINE = Memory",
        "CREATE MATERIALIZED VIEW v TO s AS SELECT n % 3 AS k, count() AS c FROM t GROUP BY k",
    )
    answer = gristmill(*views, "INSERT INTO t SELECT number FROM numbers(1000) SETTINGS log_comment = 'watched'", LOG).ok()
    assert any("Aggregate" in row[0] and row[2] == "3" for row in answer.rows), answer
    for failing in (
        "SELECT throwIf(number = 90000) FROM numbers(100000) SETTINGS log_comment = 'watched' FORMAT Null",
        "SELECT sleepEachRow(0.1), number FROM numbers(100) SETTINGS log_comment = 'watched', max_execution_time = 0.3, max_block_size = 1 FORMAT Null",
        "INSERT INTO t SELECT throwIf(number = 90000) FROM numbers(100000) SETTINGS log_comment = 'watched'",
    ):
        answer = gristmill(views[0], failing, LOG, flags=["--ignore-error"])
        assert answer.err and len(answer.rows) > 0, (failing, answer)


def test_the_log_has_the_same_sums_as_the_plan():
    joined = """
        SELECT parent.input_rows = sum(child.output_rows), parent.input_bytes = sum(child.output_bytes), count()
        FROM system.processors_profile_log AS child
        JOIN system.processors_profile_log AS parent
        ON child.plan_group = parent.plan_group AND child.parent_ids[1] = parent.id
        WHERE NOT empty(child.parent_ids) GROUP BY parent.plan_group, parent.id, parent.input_rows, parent.input_bytes
        """
    query = "SELECT number % 5 AS k, uniq(toString(number)) FROM numbers(10000) WHERE number > 10 GROUP BY k ORDER BY k FORMAT Null"
    answer = gristmill(query, joined).ok()
    assert len(answer.rows) >= 3 and all(row[:2] == ["1", "1"] for row in answer.rows), answer


def test_json_has_the_shape_that_programs_draw(tmp_path):
    answer = gristmill(
        "CREATE TABLE t (a UInt64, b String) ENGINE = MergeTree ORDER BY a SETTINGS index_granularity = 10",
        "INSERT INTO t SELECT number, toString(number) FROM numbers(1000)",
        "EXPLAIN json = 1, indexes = 1, header = 1, actions = 1, sorting = 1 SELECT b FROM t WHERE a = 5 ORDER BY b FORMAT TSVRaw",
        path=tmp_path,
    ).ok()
    [whole] = json.loads(answer.out)
    plan = nodes(whole["Plan"])
    assert all(node["Node Type"] and node["Node Id"] for node in plan)
    assert whole["Plan"]["Header"] == [{"Name": "b", "Type": "String"}]
    [indexes] = [node["Indexes"] for node in plan if "Indexes" in node]
    key = next(index for index in indexes if index["Type"] == "PrimaryKey")
    assert key["Keys"] == ["a"] and (key["Initial Granules"], key["Selected Granules"]) == (100, 1)
    assert any("Sorting" in node for node in plan) and any("Actions" in node for node in plan)


def test_conditions_of_indexes_show_texts_as_text(tmp_path):
    answer = gristmill(
        "CREATE TABLE t (a UInt64) ENGINE = MergeTree ORDER BY a",
        "INSERT INTO t SELECT number FROM numbers(10)",
        "EXPLAIN indexes = 1 SELECT a FROM t WHERE a < -5 FORMAT TSVRaw",
        path=tmp_path,
    ).ok()
    assert "Condition: (CAST(a, 'Int128') in (-Inf, -5))" in answer.out, answer.out


def test_conditions_of_a_scan_show_texts_as_text(tmp_path):
    answer = gristmill(
        "CREATE TABLE t (s String) ENGINE = MergeTree ORDER BY tuple()",
        "INSERT INTO t SELECT toString(number) FROM numbers(10)",
        "EXPLAIN SELECT s FROM t WHERE s = '7' FORMAT TSVRaw",
        path=tmp_path,
    ).ok()
    assert "prewhere=[s = '7']" in answer.out, answer.out


def test_plans_are_drawn_as_trees_and_graphs():
    query = "SELECT number % 3 AS k, count() FROM numbers(10) GROUP BY k ORDER BY k"
    drawn = gristmill(f"EXPLAIN pretty = 1 {query}").ok().out
    assert "└─ " in drawn
    graph = gristmill(f"EXPLAIN ANALYZE graph = 1 {query} FORMAT TSVRaw").ok().out
    assert graph.startswith("digraph") and "10 rows" in graph and graph.rstrip().endswith("}")
    logical = gristmill(f"EXPLAIN keep_logical_steps = 1 {query}").ok().out
    assert "Aggregate:" in logical
    tree = gristmill(f"EXPLAIN QUERY TREE dump_passes = 1, dump_ast = 1 {query} FORMAT TSVRaw").ok().out
    assert "Pass 1 " in tree and "GROUP BY" in tree


def test_what_is_selected_from_shows_no_secret():
    source = "s3('http://127.0.0.1:1/b/x', 'AKIAKEY', 'SEKRIT50', 'CSV', 'a Int8')"
    for kind in ("AST", "SYNTAX", "PLAN", "PIPELINE"):
        answer = gristmill(f"SELECT * FROM (EXPLAIN {kind} SELECT * FROM {source})")
        assert "SEKRIT50" not in answer.out + answer.err, kind
        assert answer.code == 0 and answer.out, answer
