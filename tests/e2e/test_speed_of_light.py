"""How far a query is from what this machine can do: the machine is measured and remembered, the resource that binds is named, and
the change that would help is the right one. No test looks at how long anything took."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from fault_proxy import Fault, FaultProxy
from runner import gristmill

JUDGED = "SELECT binds, arrayStringConcat(advices.rule, ','), arrayStringConcat(stages.name, ',') FROM system.query_limit_log WHERE query LIKE '%SETTINGS explain_limit = 1%'"


@pytest.fixture(scope="module")
def cache(tmp_path_factory) -> dict[str, str]:
    """A home for what is measured, so that it is measured once for all tests here."""
    folder = tmp_path_factory.mktemp("cache")
    gristmill("SYSTEM CALIBRATE QUICK", env={"XDG_CACHE_HOME": str(folder)}).ok()
    return {"XDG_CACHE_HOME": str(folder)}


def measured(folder: Path) -> dict:
    return json.loads((folder / "v1.json").read_text())


@pytest.fixture
def path(tmp_path, cache) -> Path:
    """A data folder that knows the machine already."""
    folder = tmp_path / "data" / "calibration"
    folder.mkdir(parents=True)
    (folder / "v1.json").write_text((Path(cache["XDG_CACHE_HOME"]) / "gristmill/calibration/v1.json").read_text())
    return tmp_path / "data"


def judged(query: str, *before: str, path=None, env=None, settings: str = "") -> tuple[str, list[str], list[str], str]:
    """What binds a query, the rules that know better, its stages, and what was told at its end."""
    answer = gristmill(*before, f"{query} SETTINGS explain_limit = 1{settings} FORMAT Null", JUDGED, path=path, env=env)
    assert answer.code == 0 and "Took " in answer.err, answer
    [[binds, rules, stages]] = answer.rows
    return binds, rules.split(","), stages.split(","), answer.err


def test_the_machine_is_measured_once_and_remembered(cache):
    folder = Path(cache["XDG_CACHE_HOME"]) / "gristmill/calibration"
    before = measured(folder)
    assert before["version"] == 1 and before["form"] == "quick" and before["fingerprint"]["cores"] == len(os.sched_getaffinity(0))
    query = "SELECT resource, count() FROM system.calibration WHERE value > 0 GROUP BY resource ORDER BY resource"
    resources = dict(gristmill(query, env=cache).ok().rows)
    assert {"memory_read", "memory_latency", "lz4_decode", "zstd_decode", "parquet_decode", "hash_build", "hash_probe", "sort"} <= set(resources)
    assert {"disk_sequential_read", "disk_random_read", "filter", "memory_copy"} <= set(resources)
    gristmill("EXPLAIN LIMIT SELECT 1", env=cache).ok()
    assert measured(folder) == before, "it was measured again"


def test_the_first_query_that_asks_has_the_machine_measured(tmp_path):
    answer = gristmill("EXPLAIN LIMIT SELECT sum(number) FROM numbers(1000000)", env={"XDG_CACHE_HOME": str(tmp_path)}).ok()
    assert answer.out.startswith("Took ") and "Stage" in answer.out and "aggregate" in answer.out, answer
    assert measured(tmp_path / "gristmill/calibration")["form"] == "quick"


def test_another_machine_is_measured_anew(path):
    kept = measured(path / "calibration")
    kept["fingerprint"]["processor"] = "another"
    (path / "calibration/v1.json").write_text(json.dumps(kept))
    assert gristmill("SELECT count() FROM system.calibration", path=path).ok().value == "0"
    gristmill("EXPLAIN LIMIT SELECT 1", path=path).ok()
    assert measured(path / "calibration")["fingerprint"]["processor"] != "another"


def test_computing_is_bound_by_the_processor(cache):
    binds, _, stages, told = judged("SELECT max(sipHash64(number, toString(number))) FROM numbers(2000000)", env=cache)
    assert binds == "processor", told
    assert {"scan", "aggregate", "output", "other"} <= set(stages), told


def test_a_slow_store_is_bound_by_its_requests(s3, cache):
    slow = Fault("slow", seconds=0.3)
    with FaultProxy(s3.port, lambda request: slow if request.method == "GET" else None) as proxy:
        source = f"s3('http://127.0.0.1:{proxy.port}/data/posts/by_month/*.parquet', {s3.keys})"
        binds, rules, stages, told = judged(f"SELECT count(), sum(length(Body)) FROM {source}", env=cache)
        assert binds == "request latency" and "network" in stages, told
        assert "s3_max_connections" not in rules, told
        _, rules, _, told = judged(f"SELECT count(), sum(length(Body)) FROM {source}", env=cache, settings=", s3_max_connections = 1")
        assert rules[0] == "s3_max_connections", told


def test_a_cold_disk_takes_its_part(path):
    fill = (
        "CREATE TABLE t (n UInt64, s String) ENGINE = MergeTree ORDER BY n",
        "INSERT INTO t SELECT number, randomPrintableASCII(100) FROM numbers(400000)",
    )
    gristmill(*fill, path=path).ok()
    for part in path.glob("store/*/parts/*.parquet"):
        with open(part, "rb+") as file:
            os.fsync(file.fileno())
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    query = "SELECT max(length(s)) FROM t SETTINGS explain_limit = 1 FORMAT Null"
    disk = "SELECT resources.taken_microseconds[i] > 0, resources.least_microseconds[i] > 0 FROM (SELECT *, indexOf(resources.name, 'disk') AS i FROM system.query_limit_log)"
    answer = gristmill(query, disk, path=path)
    assert answer.rows == [["1", "1"]], answer


ALONE = "SELECT max(sipHash64(number, toString(number))) FROM numbers(2000000)"


def processors() -> tuple[int, int]:
    """Ticks that the machine's processors computed so far, and all that there were."""
    ticks = [int(word) for word in Path("/proc/stat").read_text().splitlines()[0].split()[1:9]]
    return sum(ticks) - ticks[3] - ticks[4], sum(ticks)


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="there is one core")
def test_one_thread_is_told_to_become_more(cache):
    busy, all = processors()
    _, rules, _, told = judged(ALONE, env=cache, settings=", max_threads = 1")
    busy_now, all_now = processors()
    if (busy_now - busy) / (all_now - all) > 1.2 / os.cpu_count():
        pytest.skip("other work has the cores, which are not promised then")
    assert "max_threads" in rules and "SET max_threads = " in told, told


def test_cores_that_others_keep_busy_are_not_promised(cache):
    hogs = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(os.cpu_count())]
    try:
        _, rules, _, told = judged(ALONE, env=cache, settings=", max_threads = 1")
    finally:
        for hog in hogs:
            hog.kill()
            hog.wait()
    assert "max_threads" not in rules, told


TABLE = (
    "CREATE TABLE t (id UInt64, user UInt64, url String) ENGINE = MergeTree ORDER BY id SETTINGS index_granularity = 1024",
    "INSERT INTO t SELECT number, cityHash64(number) % 1000000, concat('https://example.com/', toString(cityHash64(number, 1))) FROM numbers(300000)",
)


def test_a_range_of_another_column_wants_another_order(path):
    _, rules, _, told = judged("SELECT max(url) FROM t WHERE user BETWEEN 1000 AND 2000", *TABLE, path=path)
    assert "sorting_key" in rules and "skip_index" not in rules, told
    change = "ALTER TABLE default.t ADD PROJECTION by_user (SELECT * ORDER BY user);\n    ALTER TABLE default.t MATERIALIZE PROJECTION by_user"
    assert change in told, told
    follow = [line.strip().rstrip(";") for line in change.split("\n")]
    told = judged("SELECT max(url) FROM t WHERE user BETWEEN 1000 AND 2000", *follow, path=path)
    assert "sorting_key" not in told[1], told


def test_a_rare_value_wants_an_index(path):
    value = gristmill(*TABLE, "SELECT url FROM t WHERE id = 1000", path=path).ok().value
    query = f"SELECT max(id) FROM t WHERE url = '{value}'"
    _, rules, _, told = judged(query, path=path)
    assert "skip_index" in rules and "sorting_key" not in rules, told
    follow = ["ALTER TABLE default.t ADD INDEX idx_url url TYPE bloom_filter GRANULARITY 1", "ALTER TABLE default.t MATERIALIZE INDEX idx_url"]
    assert all(statement in told for statement in follow), told
    _, rules, _, told = judged(query, *follow, path=path)
    assert "skip_index" not in rules, told


def test_what_went_to_disk_is_told(cache):
    """Whether that is worth more memory depends on the disk: the rule has tests of its own."""
    query = "SELECT number, sipHash64(number) AS h FROM numbers(3000000) ORDER BY h SETTINGS explain_limit = 1, max_threads = 2"
    spilled = "SELECT arraySum(stages.spilled_bytes) FROM system.query_limit_log"
    little = gristmill(f"{query}, max_memory_usage = 90000000 FORMAT Null", spilled, env=cache)
    assert int(little.value) > 1_000_000, little
    assert gristmill(f"{query} FORMAT Null", spilled, env=cache).value == "0"


def test_many_small_parts_want_to_be_one(path):
    inserts = [f"INSERT INTO s SELECT number + {n * 100} FROM numbers(100)" for n in range(60)]
    create = "CREATE TABLE s (id UInt64) ENGINE = MergeTree ORDER BY id"
    _, rules, _, told = judged("SELECT sum(id) FROM s", create, "SYSTEM STOP MERGES s", *inserts, path=path, settings=", async_insert = 0")
    assert "small_parts" in rules and "OPTIMIZE TABLE default.s FINAL" in told, told
    _, rules, _, told = judged("SELECT sum(id) FROM s", "OPTIMIZE TABLE default.s FINAL", path=path)
    assert "small_parts" not in rules, told


def test_many_small_files_want_to_be_few(tmp_path, cache):
    """The files of a folder, and what the advice makes of them, are read alike, and there is nothing more to say."""
    (tmp_path / "many").mkdir()
    one = tmp_path / "many/0.parquet"
    gristmill(f"INSERT INTO FUNCTION file('{one}') SELECT number FROM numbers(100)").ok()
    for copy in range(1, 200):
        shutil.copy(one, tmp_path / f"many/{copy}.parquet")
    many = f"SELECT count(), sum(number) FROM file('{tmp_path}/many/*.parquet')"
    _, rules, _, told = judged(many, env=cache)
    assert "small_files" in rules, told
    [change] = [line.strip() for line in told.split("\n") if "INSERT INTO FUNCTION file(" in line]
    few = many.replace("many/*", "many/joined/rows")
    answer = gristmill(change, many, few, env=cache).ok()
    assert answer.rows[0] == answer.rows[1] == ["20000", "990000"], answer
    _, rules, _, told = judged(few, env=cache)
    assert "small_files" not in rules, told


def test_requests_for_small_files_of_a_slow_store_are_saved(s3, cache):
    slow = Fault("slow", seconds=0.05)
    for number in range(40):
        s3.put(f"data/tiny/{number}.csv", f"{number}\n".encode())
    with FaultProxy(s3.port, lambda request: slow if request.method == "GET" else None) as proxy:
        source = f"s3('http://127.0.0.1:{proxy.port}/data/tiny/*.csv', {s3.keys}, 'CSV', 'n UInt64')"
        _, rules, _, told = judged(f"SELECT sum(n) FROM {source}", env=cache, settings=", s3_max_connections = 4")
    assert "small_files" in rules, told
    assert f"INSERT INTO FUNCTION s3('http://127.0.0.1:{proxy.port}/data/tiny/joined/rows.csv', 'CSV')" in told, told


def test_what_rewrites_parts_is_judged(path):
    """Statements that work on parts tell what they did as queries do."""
    asked = "explain_limit = 1, mutations_sync = 1"
    created = "CREATE TABLE made ENGINE = MergeTree ORDER BY id AS SELECT * FROM t"
    insert = "INSERT INTO t SELECT id + 1000000, user, url FROM t WHERE id < 1000"
    statements = [
        "SYSTEM STOP MERGES t",
        f"SET {asked}",
        "ALTER TABLE t UPDATE url = concat(url, '!') WHERE user % 2 = 0",
        "ALTER TABLE t DELETE WHERE id % 3 = 0",
        "SYSTEM START MERGES t",
        "OPTIMIZE TABLE t FINAL",
        created,
    ]
    rows = "arrayFirst((rows, name) -> name IN ('mutate', 'merge', 'write'), stages.rows_in, stages.name)"
    logged = f"SELECT arrayStringConcat(arrayFilter(name -> name IN ('mutate', 'merge', 'write'), stages.name), ','), {rows}, least_microseconds > 0 FROM system.query_limit_log WHERE NOT startsWith(query, 'INSERT') ORDER BY event_time_microseconds SETTINGS explain_limit = 0"
    answer = gristmill(*TABLE, insert, *statements, logged, path=path)
    assert answer.code == 0 and sum(line.startswith("Took ") for line in answer.err.splitlines()) == 4, answer
    update, delete, merge, write = answer.rows
    assert update[0] == delete[0] == "mutate" and int(update[1]) >= 300000, answer
    assert merge[0] == "merge" and int(merge[1]) >= 200000 and write[0] == "write" and int(write[1]) >= 200000, answer
    assert [row[2] for row in answer.rows] == ["1"] * 4, answer


def test_rows_that_are_noted_as_deleted_are_judged(path):
    """DELETE FROM writes no part anew where few rows go, and looks through the columns of its condition."""
    of = "arrayFirst((value, name) -> name = 'delete', stages.{}, stages.name)"
    numbers = ", ".join(of.format(column) for column in ("rows_in", "rows_out", "bytes", "least_microseconds"))
    logged = f"SELECT {numbers}, has(stages.name, 'mutate') FROM system.query_limit_log WHERE query LIKE 'DELETE%'"
    count = "SELECT count() FROM t WHERE user % 7 = 3"
    answer = gristmill(*TABLE, count, "DELETE FROM t WHERE user % 7 = 3 SETTINGS explain_limit = 1", logged, path=path)
    assert answer.code == 0 and "Took " in answer.err, answer
    [[deleted], [rows_in, rows_out, size, least, mutates]] = answer.rows
    assert (rows_in, rows_out, mutates) == ("300000", deleted, "0") and int(size) >= 300000 * 8 and int(least) > 0, answer


def test_what_is_decoded_each_time_wants_a_cache(path):
    _, rules, _, told = judged("SELECT max(length(url)) FROM t", *TABLE, path=path, settings=", use_uncompressed_cache = 0")
    assert "uncompressed_cache" in rules and "SET use_uncompressed_cache = 1" in told, told


def test_credentials_are_not_told(s3, cache):
    source = f"s3('http://127.0.0.1:{s3.port}/data/posts/by_month/*.parquet', {s3.keys})"
    answer = gristmill(
        f"SELECT count(), sum(length(Body)) FROM {source} SETTINGS explain_limit = 1 FORMAT Null",
        "SELECT query FROM system.query_limit_log",
        env=cache,
    )
    secret = s3.keys.split("'")[3]
    assert secret not in answer.out + answer.err and "HIDDEN" in answer.out, answer


def test_only_long_queries_are_logged_unasked(cache):
    logged = "SELECT query FROM system.query_limit_log"
    assert gristmill("SELECT 1", logged, env=cache).ok().out == "1\n"
    answer = gristmill("SELECT 1 SETTINGS log_query_limits_min_duration_ms = 1", "SELECT sleep(0.1) SETTINGS log_query_limits_min_duration_ms = 1", logged, env=cache)
    assert "sleep" in answer.ok().out, answer


def test_queries_that_became_slower_are_told_with_what_changed(tmp_path):
    ask = ["SELECT sum(cityHash64(n, toString(n))) FROM t WHERE n >= 0 FORMAT Null"]
    answer = gristmill(
        "CREATE TABLE t (n UInt64) ENGINE = MergeTree ORDER BY n",
        "INSERT INTO t SELECT number FROM numbers(1000)",
        *ask * 12,
        # Twelve runs of a millisecond differ, and by chance so that they look proven.
        "SELECT count() FROM system.query_regressions WHERE ratio > 2",
        "INSERT INTO t SELECT number FROM numbers(3000000)",
        *ask * 4,
        "SELECT newest_runs, runs_before, ratio > 2, confidence > 0.95, query, what_changed FROM system.query_regressions",
        path=tmp_path,
    ).ok()
    [[before], [newest, earlier, slower, sure, query, changed]] = answer.rows
    assert (before, slower, sure) == ("0", "1", "1"), answer
    assert int(newest) >= 3 and int(newest) + int(earlier) == 16 and "cityHash64" in query, answer
    assert "rows read: 3001.0 times as many (1000 before, 3001000 now)" in changed, answer
