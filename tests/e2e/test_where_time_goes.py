"""Where the time of a query went: each kind of wait is made on purpose, and has to be found under its name."""

import contextlib
import os
import subprocess
import sys
import threading

import pytest
from fault_proxy import Fault, FaultProxy
from runner import gristmill

PARTS = """
SELECT k, v FROM system.query_log ARRAY JOIN mapKeys(ProfileEvents) AS k, mapValues(ProfileEvents) AS v
WHERE type = 'QueryFinish' AND log_comment = 'watched' AND (k LIKE 'Wall%' OR k LIKE 'OS%' OR k LIKE '%TimeMicroseconds' OR k LIKE 'SleepFunction%' OR k LIKE '%Wait%')
UNION ALL SELECT 'all', query_duration_ms * 1000 FROM system.query_log WHERE type = 'QueryFinish' AND log_comment = 'watched'
"""

# What the time of a thread is parted into.
OF_THREADS = ["UserTimeMicroseconds", "SystemTimeMicroseconds", "OSCPUWaitMicroseconds", "OSIOWaitMicroseconds", "LockWaitMicroseconds", "SleepFunctionElapsedMicroseconds", "UnattributedTimeMicroseconds"]


def watched(query: str, *before: str, path=None) -> dict[str, int]:
    """What the query log says of the time of a query."""
    answer = gristmill(*before, f"{query} SETTINGS log_comment = 'watched' FORMAT Null", PARTS, path=path).ok()
    parts = {name: int(micros) for name, micros in answer.rows}
    wall = sum(micros for name, micros in parts.items() if name.startswith("Wall"))
    # Milliseconds are cut off, and the log is written a moment later.
    assert abs(wall - parts["all"]) <= parts["all"] * 0.05 + 3000, parts
    return parts


@contextlib.contextmanager
def hogs():
    """Processes that want every processor for themselves, several times."""
    processes = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(4 * (os.cpu_count() or 1))]
    try:
        yield
    finally:
        for process in processes:
            process.kill()
            process.wait()


COMPUTES = "SELECT sum(sipHash64(number, toString(number))) FROM numbers(3000000)"


def test_computing_is_named():
    parts = watched(COMPUTES)
    computed = parts["WallUserMicroseconds"] + parts.get("WallSystemMicroseconds", 0) + parts.get("WallRunnableMicroseconds", 0)
    assert computed > parts["all"] * 0.5, parts
    assert parts["WallUserMicroseconds"] > parts.get("WallNetworkMicroseconds", 0) + parts.get("WallDiskMicroseconds", 0), parts
    assert parts["OSCPUVirtualTimeMicroseconds"] == parts["UserTimeMicroseconds"] + parts.get("SystemTimeMicroseconds", 0)
    assert parts["RealTimeMicroseconds"] >= parts["OSCPUVirtualTimeMicroseconds"] * 0.9


@pytest.mark.parametrize("query", ["SELECT sleep(1)", "SELECT sum(sleepEachRow(0.01)) FROM numbers(100)"])
def test_sleep_is_named(query):
    parts = watched(query)
    assert parts["WallSleepMicroseconds"] > 900_000 and parts["SleepFunctionElapsedMicroseconds"] > 900_000, parts
    assert parts.get("WallUnattributedMicroseconds", 0) <= parts["all"] * 0.05 + 3000, parts


def test_what_holds_a_query_back_is_named():
    """It may read so many rows a second, and is done much sooner."""
    log = "SELECT ProfileEvents['WallSleepMicroseconds'], ProfileEvents['WallUnattributedMicroseconds'], query_duration_ms * 1000 FROM system.query_log WHERE type = 'QueryFinish' AND log_comment = 'watched'"
    limits = "max_execution_speed = 1000000, max_block_size = 65536, timeout_before_checking_execution_speed = 0, log_comment = 'watched'"
    answer = gristmill(f"SELECT sum(number) FROM numbers(1000000) SETTINGS {limits} FORMAT Null", log).ok()
    slept, unattributed, all_of_it = map(int, answer.rows[-1])
    assert slept > 400_000 and unattributed <= all_of_it * 0.05 + 3000, answer


def test_what_measures_the_machine_is_named(tmp_path):
    """Threads of its own compute and read the disk; the statement's waits for them."""
    kinds = "sum(v), sumIf(v, k IN ('WallUserMicroseconds', 'WallSystemMicroseconds', 'WallRunnableMicroseconds')), sumIf(v, k = 'WallDiskMicroseconds'), sumIf(v, k = 'WallUnattributedMicroseconds')"
    log = f"SELECT {kinds} FROM system.query_log ARRAY JOIN mapKeys(ProfileEvents) AS k, mapValues(ProfileEvents) AS v WHERE type = 'QueryFinish' AND query LIKE 'SYSTEM CALIBRATE%' AND k LIKE 'Wall%'"
    answer = gristmill("SYSTEM CALIBRATE QUICK", log, path=tmp_path).ok()
    all_of_it, computed, disk, unattributed = map(int, answer.rows[-1])
    assert computed > 0 and disk > 0, answer
    assert unattributed <= all_of_it * 0.05 + 3000, answer


def test_processors_that_others_have_are_named():
    with hogs():
        parts = watched(COMPUTES)
    assert parts["OSCPUWaitMicroseconds"] > parts["OSCPUVirtualTimeMicroseconds"], parts
    assert parts["WallRunnableMicroseconds"] > parts["all"] * 0.3, parts


@pytest.mark.parametrize(
    "query",
    [
        COMPUTES,
        "SELECT number % 1000 AS k, count(), uniq(number) FROM numbers(1000000) GROUP BY k",
        "SELECT number FROM numbers(1000000) ORDER BY sipHash64(number) LIMIT 10",
    ],
)
def test_a_task_that_is_woken_and_has_no_thread_is_named(query):
    """The threads that would go on with what was woken wait for a processor themselves."""
    with hogs():
        parts = watched(query)
    assert parts.get("WallUnattributedMicroseconds", 0) <= parts["all"] * 0.05 + 3000, parts
    assert parts["WallRunnableMicroseconds"] > parts["all"] * 0.3, parts


THREADS = f"""
SELECT ProfileEvents['RealTimeMicroseconds'] AS real, real - ({" + ".join(f"ProfileEvents['{name}']" for name in OF_THREADS)}) AS rest, read_rows
FROM system.query_thread_log
"""


@pytest.mark.parametrize("beside", [contextlib.nullcontext, hogs])
def test_the_parts_of_a_thread_add_up(beside):
    """However much of the processors others have: what a thread waits for between two stretches of work is not its work."""
    with beside():
        answer = gristmill(f"{COMPUTES} SETTINGS log_comment = 'watched', log_query_threads = 1 FORMAT Null", THREADS).ok()
    threads = [[int(cell) for cell in row] for row in answer.rows]
    assert threads and sum(rows for _, _, rows in threads) == 3_000_000, threads
    assert all(abs(rest) <= max(real * 0.05, 20) for real, rest, _ in threads), threads
    assert max(real for real, _, _ in threads) > 10_000, threads


def perf(settings: str) -> dict[str, int]:
    """The events of the processor and of the kernel that a query counted."""
    log = "SELECT k, v FROM system.query_log ARRAY JOIN mapKeys(ProfileEvents) AS k, mapValues(ProfileEvents) AS v WHERE type = 'QueryFinish' AND log_comment = 'watched' AND k LIKE 'Perf%'"
    answer = gristmill(f"{COMPUTES} SETTINGS log_comment = 'watched'{settings} FORMAT Null", log)
    assert answer.code == 0, answer
    return {name: int(value) for name, value in answer.rows}


def test_the_processor_is_asked_where_somebody_wants_to_know():
    assert perf("") == {}
    counted = perf(", metrics_perf_events_enabled = 1")
    if not counted:
        pytest.skip("this kernel gives no counters")
    assert counted["PerfTaskClock"] > 10_000_000 and counted["PerfMinEnabledTime"] > 0, counted
    assert counted.get("PerfMinEnabledRunningTime", 0) <= counted["PerfMinEnabledTime"], counted
    one = perf(", metrics_perf_events_enabled = 1, metrics_perf_events_list = 'PerfTaskClock, PerfNothing'")
    assert set(one) == {"PerfTaskClock", "PerfMinEnabledTime", "PerfMinEnabledRunningTime"}, one
    if "PerfInstructions" in counted and "PerfCPUCycles" in counted:
        shown = gristmill(f"EXPLAIN ANALYZE {COMPUTES} SETTINGS metrics_perf_events_enabled = 1")
        assert "instructions per cycle" in shown.out, shown


def test_what_the_processor_did_is_told_by_thread_too():
    log = "SELECT sum(ProfileEvents['PerfTaskClock']), sum(ProfileEvents['OSCPUVirtualTimeMicroseconds']) * 1000 FROM system.query_thread_log"
    answer = gristmill(f"{COMPUTES} SETTINGS log_query_threads = 1, metrics_perf_events_enabled = 1, metrics_perf_events_list = 'PerfTaskClock' FORMAT Null", log)
    assert answer.code == 0, answer
    clock, computed = map(int, answer.rows[0])
    if not clock:
        pytest.skip("this kernel gives no counters")
    assert abs(clock - computed) < computed * 0.1, answer


def test_a_slow_store_is_named(s3):
    slow = Fault("slow", seconds=0.3)
    with FaultProxy(s3.port, lambda request: slow if request.method == "GET" else None) as proxy:
        source = f"s3('http://127.0.0.1:{proxy.port}/data/posts/by_month/*.parquet', {s3.keys})"
        parts = watched(f"SELECT count(), sum(length(Body)) FROM {source}")
    assert parts["WallNetworkMicroseconds"] > parts["all"] * 0.5, parts


def test_a_slow_stream_is_named(s3):
    """A file of which the size is not known is read from its beginning to its end by one request."""

    def file(port: int) -> str:
        return f"s3('http://127.0.0.1:{port}/data/told/streamed.csv.gz', {s3.keys}, CSV, 'n UInt64')"

    gristmill(f"INSERT INTO FUNCTION {file(s3.port)} SELECT number FROM numbers(10)").ok()
    slow = Fault("slow", seconds=0.3)
    with FaultProxy(s3.port, lambda request: slow if request.method == "GET" else None) as proxy:
        parts = watched(f"SELECT sum(n) FROM {file(proxy.port)}")
    assert parts["WallNetworkMicroseconds"] > parts["all"] * 0.5, parts


def test_the_wait_for_a_store_is_told_by_thread(s3):
    """Of the threads that left the query last, and it adds up to the wait by the clock."""
    slow = Fault("slow", seconds=0.3)
    with FaultProxy(s3.port, lambda request: slow if request.method == "GET" else None) as proxy:
        source = f"s3('http://127.0.0.1:{proxy.port}/data/posts/by_month/*.parquet', {s3.keys})"
        of_query = "SELECT query_id FROM system.query_log WHERE log_comment = 'watched'"
        of_threads = f"SELECT sum(ProfileEvents['NetworkWaitMicroseconds']) FROM system.query_thread_log WHERE query_id IN ({of_query})"
        names = "ProfileEvents['NetworkWaitMicroseconds'], ProfileEvents['WallNetworkMicroseconds'], ProfileEvents['ClientWaitMicroseconds'], ProfileEvents['WallClientMicroseconds']"
        answer = gristmill(
            f"SELECT count(), sum(length(Body)) FROM {source} SETTINGS log_comment = 'watched', log_query_threads = 1 FORMAT Null",
            of_threads,
            f"SELECT {names} FROM system.query_log WHERE type = 'QueryFinish' AND log_comment = 'watched'",
        ).ok()
    [[threads], [network, by_the_clock, client, client_by_the_clock]] = [[int(cell) for cell in row] for row in answer.rows]
    assert threads == network > 200_000, answer
    assert abs(network - by_the_clock) <= 10 and abs(client - client_by_the_clock) <= 10, answer


def test_a_cold_disk_is_named(tmp_path):
    fill = (
        "CREATE TABLE t (n UInt64, s String) ENGINE = MergeTree ORDER BY n",
        "INSERT INTO t SELECT number, randomPrintableASCII(100) FROM numbers(400000)",
    )
    gristmill(*fill, path=tmp_path).ok()
    for part in tmp_path.glob("store/*/parts/*.parquet"):
        with open(part, "rb+") as file:
            os.fsync(file.fileno())
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    parts = watched("SELECT sum(cityHash64(s)) FROM t", path=tmp_path)
    assert parts["OSReadBytes"] > 30_000_000, parts
    assert parts["OSIOWaitMicroseconds"] > 0 and parts["WallDiskMicroseconds"] > 0, parts


def test_what_a_definition_waits_for_is_named(tmp_path):
    """It has to be on the disk."""
    create = [f"CREATE TABLE t{n} (n UInt64) ENGINE = MergeTree ORDER BY n" for n in range(5)]
    sums = "sum(ProfileEvents['WallUnattributedMicroseconds']), sum(ProfileEvents['WallDiskMicroseconds']), sum(query_duration_ms) * 1000"
    answer = gristmill(*create, f"SELECT {sums} FROM system.query_log WHERE type = 'QueryFinish' AND query_kind = 'Create'", path=tmp_path).ok()
    unattributed, disk, all_of_it = map(int, answer.rows[0])
    assert unattributed <= all_of_it * 0.05 + 5000 and disk > 0, answer


def test_a_lock_that_another_holds_is_named(tmp_path):
    gristmill(
        "CREATE TABLE t (n UInt64, v UInt64) ENGINE = MergeTree ORDER BY n",
        "INSERT INTO t SELECT number, 0 FROM numbers(20)",
        path=tmp_path,
    ).ok()
    # Within one process: the first holds the parts for two seconds, the second has to wait for them.
    answer = gristmill(
        "SET async_insert = 0",
        "ALTER TABLE t UPDATE v = 1 + sleepEachRow(0.1) WHERE 1 SETTINGS mutations_sync = 0",
        "DELETE FROM t WHERE n = 5 SETTINGS log_comment = 'watched'",
        PARTS,
        path=tmp_path,
    ).ok()
    parts = {name: int(micros) for name, micros in answer.rows}
    assert parts["WallLockMicroseconds"] > parts["all"] * 0.3, parts


def test_an_insert_that_is_held_back_says_so(tmp_path):
    limits = "parts_to_delay_insert = 1, parts_to_throw_insert = 100, min_delay_to_insert_ms = 400, max_delay_to_insert = 1"
    answer = gristmill(
        f"CREATE TABLE t (n UInt64) ENGINE = MergeTree ORDER BY n SETTINGS {limits}",
        "SYSTEM STOP MERGES t",
        "INSERT INTO t SELECT 1",
        "INSERT INTO t SELECT 2 SETTINGS log_comment = 'watched'",
        PARTS,
        path=tmp_path,
    ).ok()
    parts = {name: int(micros) for name, micros in answer.rows}
    assert parts["WallLockMicroseconds"] > 350_000 and parts.get("WallUnattributedMicroseconds", 0) < parts["all"] * 0.05 + 3000, parts


def test_a_client_that_takes_its_time_is_named(tmp_path):
    """Rows that nobody takes: the reader of a pipe sleeps between its reads."""
    from runner import BINARY, environment

    query = "SELECT number, repeat('x', 1000) FROM numbers(100000) SETTINGS log_comment = 'watched'"
    line = [BINARY, "local", "-q", query, "-q", "SELECT '--'", "-q", PARTS]
    process = subprocess.Popen(line, stdout=subprocess.PIPE, env=environment())
    pause, out = threading.Event(), []
    while piece := process.stdout.read(1 << 20):
        out.append(piece)
        pause.wait(0.02)
    assert process.wait(60) == 0
    told = b"".join(out).split(b"\n--\n")[1].decode()
    parts = {name: int(micros) for name, micros in (row.split("\t") for row in told.splitlines())}
    assert parts["WallClientMicroseconds"] > parts["all"] * 0.3, parts
