"""The profiler: a query of each kind has the function in its samples that does its work, and each wait has its name."""

import re

import pytest
from fault_proxy import Fault, FaultProxy
from runner import gristmill

WATCHED = "SET log_comment = 'watched', query_profiler_cpu_time_period_ns = 1000000, query_profiler_real_time_period_ns = 1000000"
IDS = "query_id IN (SELECT query_id FROM system.query_log WHERE log_comment = 'watched' AND query NOT LIKE 'SET %')"


def stacks(query: str, *before: str, kind: str, path=None, more: str = "", flags=()) -> list[str]:
    """The stacks of a query's samples, the outermost function first."""
    told = f"SELECT arrayStringConcat(arrayReverse(symbols), ';') FROM system.trace_log WHERE trace_type = '{kind}' AND {IDS} FORMAT TSVRaw"
    answer = gristmill(*before, WATCHED + more, query, "SET log_comment = '', memory_profiler_sample_probability = 0", "SELECT '--'", told, path=path, flags=flags).ok()
    return answer.out.split("--\n", 1)[1].splitlines()


def has(function: str, stacks: list[str]) -> bool:
    return any(re.search(function, stack) for stack in stacks)


def rows(number: int) -> str:
    return f"(SELECT number AS n, cityHash64(number) AS h, concat('key', toString(cityHash64(number) % 50000)) AS s FROM numbers({number}))"


@pytest.mark.parametrize(
    "query, function",
    [
        (f"SELECT s, h FROM {rows(2_000_000)} ORDER BY s, h FORMAT Null", r"sorts?::"),
        (f"SELECT s, sum(h) FROM {rows(3_000_000)} GROUP BY s FORMAT Null", r"(aggregat|group)"),
        (f"SELECT count() FROM {rows(1_000_000)} AS a JOIN {rows(1_000_000)} AS b ON a.h = b.h", r"joins::hash_join"),
        (f"SELECT countIf(match(s, 'k[a-f]?ey(1|2)+.*9$')) FROM {rows(2_000_000)}", r"regex"),
    ],
    ids=["sort", "group by", "hash join", "regular expression"],
)
def test_a_query_has_the_function_that_does_its_work(query, function):
    found = stacks(query, kind="CPU")
    assert has(function, found), found[:20]
    # Stacks reach from where the thread began.
    assert has(r"(^|;)[^;]*(__rust_begin_short_backtrace|thread_start|clone)[^;]*;.*" + function, found), found[:5]


def test_parquet_is_decompressed(tmp_path):
    file = tmp_path / "a.parquet"
    # Texts that a compressor has work with, and dictionaries do not help.
    wide = f"SELECT concat(hex(cityHash64(number)), repeat(hex(number), 5)) AS s FROM numbers(500000) INTO OUTFILE '{file}' FORMAT Parquet SETTINGS output_format_parquet_compression_method = 'zstd'"
    found = stacks(f"SELECT max(length(s)) FROM file('{file}') FORMAT Null", wide, kind="CPU")
    assert has(r"ZSTD_decompress|HUF_decompress|ZSTD_", found), found[:20]


@pytest.mark.parametrize("codec, function", [("ZSTD(3)", r"ZSTD_compress|ZSTD_"), ("LZ4", r"LZ4_compress|lz4")])
def test_an_insert_compresses(tmp_path, codec, function):
    table = f"CREATE TABLE t (n UInt64, s String CODEC({codec})) ENGINE = MergeTree ORDER BY n"
    insert = "INSERT INTO t SELECT number, concat(hex(cityHash64(number)), repeat(hex(number), 10)) FROM numbers(700000)"
    found = stacks(insert, table, kind="CPU", path=tmp_path)
    assert has(function, found), found[:20]


def test_a_wait_for_a_slow_store_is_in_the_graph_by_the_clock(s3):
    slow = Fault("slow", seconds=0.3)
    with FaultProxy(s3.port, lambda request: slow if request.method == "GET" else None) as proxy:
        source = f"s3('http://127.0.0.1:{proxy.port}/data/posts/by_month/*.parquet', {s3.keys})"
        query = f"SELECT count(), sum(length(Body)) FROM {source} FORMAT Null"
        found = stacks(query, kind="Real")
    waits = [stack for stack in found if stack == "[waiting for the network]"]
    assert len(waits) > len(found) * 0.3, found[:20]


def test_a_thread_that_sleeps_is_in_the_graph_by_the_clock_alone():
    query = "SELECT sleepEachRow(0.01) FROM numbers(30) FORMAT Null"
    by_clock, computing = stacks(query, kind="Real"), stacks(query, kind="CPU")
    asleep = [sum("nanosleep" in stack for stack in found) for found in (by_clock, computing)]
    # To handle a signal is to compute, a little.
    assert asleep[0] > len(by_clock) * 0.3 and asleep[1] < asleep[0] * 0.3, asleep


def test_memory_is_told_where_it_is_allocated():
    query = f"SELECT groupArray(s) FROM {rows(1_000_000)} FORMAT Null"
    found = stacks(query, kind="Memory", more=", memory_profiler_step = 1000000")
    assert has(r"alloc", found) and has(r"aggregat|group", found), found[:20]
    # The profiler itself is not where memory goes.
    assert not has(r"gristmill_base::sampling", found)


def test_samples_by_chance_are_of_both_directions():
    query = f"SELECT s, count() FROM {rows(300_000)} GROUP BY s FORMAT Null"
    told = f"SELECT countIf(size > 0) > 0, countIf(size < 0) > 0 FROM system.trace_log WHERE trace_type = 'MemorySample' AND {IDS}"
    more = ", memory_profiler_sample_probability = 0.05, max_untracked_memory = 4096"
    answer = gristmill(WATCHED + more, query, "SET log_comment = ''", told).ok()
    assert answer.rows == [["1", "1"]]


def test_peaks_are_told_with_what_there_is_then():
    query = f"SELECT groupArray(s) FROM {rows(1_000_000)} FORMAT Null"
    told = f"SELECT countIf(trace_type = 'Memory') > 3, countIf(trace_type = 'Memory') = countIf(trace_type = 'MemoryPeak'), countIf(trace_type = 'MemoryPeak' AND size < 1000000) FROM system.trace_log WHERE {IDS}"
    answer = gristmill(WATCHED + ", memory_profiler_step = 1000000", query, "SET log_comment = ''", told).ok()
    assert answer.rows == [["1", "1", "0"]]


def test_what_is_switched_off_is_not_there():
    off = "SET log_comment = 'watched', query_profiler_cpu_time_period_ns = 0, query_profiler_real_time_period_ns = 0, memory_profiler_step = 0"
    answer = gristmill(off, "SELECT sum(sipHash64(number)) FROM numbers(3000000) FORMAT Null", f"SELECT count() FROM system.trace_log WHERE {IDS}").ok()
    assert answer.value == "0"


def test_addresses_have_names_and_lines():
    query = f"SELECT s, sum(h) FROM {rows(2_000_000)} GROUP BY s FORMAT Null"
    # The program alone: what libraries have is where this process has them.
    told = f"""
        SELECT uniqExact(arrayMap(a -> demangle(addressToSymbol(a)), trace) = symbols), countIf(length(trace) != length(lines)),
            countIf(arrayExists(l -> l LIKE '%.rs:%', arrayMap(a -> addressToLine(a), trace))) > 0,
            countIf(arrayExists(a -> length(addressToLineWithInlines(a)) > 1, trace)) > 0
        FROM system.trace_log WHERE trace_type = 'CPU' AND {IDS}"""
    answer = gristmill(WATCHED, query, "SET log_comment = '', allow_introspection_functions = 1", told).ok()
    same, unlike, has_lines, has_inlined = answer.rows[0]
    assert (same, unlike, has_lines) == ("1", "0", "1"), answer
    assert has_inlined in "01"


def test_the_graph_in_sql():
    query = f"SELECT s, sum(h) FROM {rows(2_000_000)} GROUP BY s FORMAT Null"
    lines = f"SELECT arrayJoin(flameGraph(arrayReverse(trace))) FROM system.trace_log WHERE trace_type = 'CPU' AND {IDS} FORMAT TSVRaw"
    count = f"SELECT count() FROM system.trace_log WHERE trace_type = 'CPU' AND {IDS}"
    answer = gristmill(WATCHED, query, "SET log_comment = '', query_profiler_cpu_time_period_ns = 0, query_profiler_real_time_period_ns = 0, allow_introspection_functions = 1", lines, "SELECT '--'", count).ok()
    graph, number = answer.out.split("--\n")
    lines = [line.rsplit(" ", 1) for line in graph.splitlines()]
    assert sum(int(weight) for _, weight in lines) == int(number) > 0
    assert has(r"aggregat|group", [stack for stack, _ in lines])


def test_who_may_not_ask_is_told_so():
    for query in ("SELECT demangle('main')", "SELECT addressToSymbol(1::UInt64)", "SELECT flameGraph([1::UInt64])"):
        assert gristmill("SET allow_introspection_functions = 0", query).error == (446, "FUNCTION_NOT_ALLOWED")


def test_where_each_thread_is_can_be_asked():
    """The query that asks is at work itself, and has its own name."""
    answer = gristmill(
        "SELECT count() > 3, countIf(length(trace) > 2) > 3, countIf(query_id = queryID()) >= 1, countIf(thread_name = '') FROM system.stack_trace",
        "SELECT count() > 0 FROM system.stack_trace ARRAY JOIN trace AS address WHERE demangle(addressToSymbol(address)) LIKE '%gristmill%' SETTINGS allow_introspection_functions = 1",
    ).ok()
    assert answer.rows == [["1", "1", "1", "0"], ["1"]], answer


def test_the_functions_of_the_program_are_a_table():
    wanted = "countIf(symbol != '' AND address_begin <= address_end), countIf(demangle(symbol) LIKE '%gristmill%'), countIf(addressToSymbol(address_begin) = symbol)"
    answer = gristmill(f"SELECT count(), {wanted} FROM system.symbols SETTINGS allow_introspection_functions = 1").ok()
    [[all_of_them, whole, own, found]] = [[int(cell) for cell in row] for row in answer.rows]
    # Functions of one content are one, and have several names.
    assert all_of_them == whole > 10_000 and own > 1_000 and found > all_of_them * 0.5, answer
