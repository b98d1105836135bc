"""Whether the advice of EXPLAIN LIMIT is worth following: slow queries are judged, the change that is said to help most is made, and
the time that it saved is held against the gain that was promised.

    GRISTMILL=target/release/gristmill python bench/introspection/advice.py [group]

Each query runs several times before and after; the fastest run of each counts, as the log of limits has it. Groups that
need an object store start one behind a proxy that holds answers back (GRISTMILL_TOOLS: where the tools of the tests are). The
exit code is 1 where a query gained less than half of what was promised, or where another rule spoke than the one meant.
"""

import contextlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests/e2e"))

BINARY = os.environ.get("GRISTMILL", str(Path(__file__).resolve().parents[2] / "target/release/gristmill"))
ROWS = int(os.environ.get("ADVICE_ROWS", "4000000"))
RUNS = 5
SHARE_MIN = 0.5

EVENTS = (
    "CREATE TABLE events (id UInt64, user UInt64, day Date, url String, trace String, amount Float64) ENGINE = MergeTree ORDER BY id",
    f"""INSERT INTO events SELECT number, cityHash64(number) % 100000, toDate('2020-01-01') + cityHash64(number, 2) % 1500,
        concat('https://example.com/', toString(cityHash64(number, 1) % 300000), '/page'), hex(cityHash64(number, 3)),
        number % 1000 / 7 FROM numbers({ROWS})""",
    "OPTIMIZE TABLE events FINAL",
)
PARTS = 400
SMALL = (
    "CREATE TABLE small (id UInt64, v UInt64, s String) ENGINE = MergeTree ORDER BY id",
    f"CREATE TABLE small_wide (id UInt64, {', '.join(f'c{n} UInt64' for n in range(20))}) ENGINE = MergeTree ORDER BY id",
    "SYSTEM STOP MERGES",
    "SET async_insert = 0",
    *(f"INSERT INTO small SELECT number + {n * 200}, number, toString(number) FROM numbers(200)" for n in range(PARTS)),
    *(
        f"INSERT INTO small_wide SELECT number + {n * 200}, {', '.join(f'number * {c}' for c in range(20))} FROM numbers(200)"
        for n in range(PARTS // 2)
    ),
)
STORED = 40
FILES = 400


@dataclass
class Query:
    group: str
    rule: str
    text: str
    settings: str = ""
    setup: tuple = EVENTS
    # Of the cores, a part that computes for others meanwhile. Then it is right to promise little, or nothing.
    busy: float = 0.0


QUERIES = [
    Query("sorting key", "sorting_key", "SELECT sum(amount) FROM events WHERE user BETWEEN 500 AND 900"),
    Query("sorting key", "sorting_key", "SELECT max(url), max(trace) FROM events WHERE user < 2000"),
    Query("sorting key", "sorting_key", "SELECT count(), sum(length(url)) FROM events WHERE day BETWEEN '2021-01-01' AND '2021-01-10'"),
    Query("sorting key", "sorting_key", "SELECT day, sum(amount), max(url) FROM events WHERE day >= '2024-01-20' GROUP BY day ORDER BY day"),
    Query("skip index", "skip_index", "SELECT max(id) FROM events WHERE trace = hex(cityHash64(77777, 3))"),
    Query("skip index", "skip_index", "SELECT url, amount FROM events WHERE trace IN (hex(cityHash64(5, 3)), hex(cityHash64(99, 3)))"),
    Query("skip index", "skip_index", "SELECT count() FROM events WHERE url = 'https://example.com/4242/page'"),
    Query("skip index", "skip_index", "SELECT id FROM events WHERE trace LIKE concat('%', substring(hex(cityHash64(77777, 3)), 3, 12), '%')"),
    Query("small parts", "small_parts", "SELECT sum(v) FROM small", setup=SMALL),
    Query("small parts", "small_parts", "SELECT v % 10 AS k, count(), max(s) FROM small GROUP BY k ORDER BY k", setup=SMALL),
    Query("small parts", "small_parts", f"SELECT {', '.join(f'sum(c{n})' for n in range(20))} FROM small_wide", setup=SMALL),
    Query("spill", "memory_before_spill", "SELECT * FROM events ORDER BY trace FORMAT Null", f"max_memory_usage = {max(80_000_000, ROWS * 75)}"),
    Query("spill", "memory_before_spill", "SELECT url, trace FROM events ORDER BY url, trace FORMAT Null", f"max_memory_usage = {max(80_000_000, ROWS * 65)}"),
    Query("spill", "memory_before_spill", "SELECT trace, count() FROM events GROUP BY trace FORMAT Null", f"max_memory_usage = {max(80_000_000, ROWS * 50)}"),
    Query("spill", "memory_before_spill", "SELECT * FROM events ORDER BY trace FORMAT Null", f"max_bytes_before_external_sort = {ROWS * 10}"),
    Query("threads", "max_threads", "SELECT sum(sipHash64(url, trace)) FROM events", "max_threads = 1"),
    Query("threads", "max_threads", "SELECT user, count(), sum(amount) FROM events GROUP BY user FORMAT Null", "max_threads = 1"),
    Query("threads", "max_threads", "SELECT uniqExact(url) FROM events", "max_threads = 1"),
    Query("busy", "max_threads", "SELECT sum(sipHash64(url, trace)) FROM events", "max_threads = 1", busy=0.5),
    Query("busy", "max_threads", "SELECT uniqExact(url) FROM events", "max_threads = 1", busy=1.0),
    Query("connections", "s3_max_connections", "SELECT count(), sum(length(s)) FROM {store}", "s3_max_connections = 1", ()),
    Query("connections", "s3_max_connections", "SELECT max(id), max(s) FROM {store}", "s3_max_connections = 3", ()),
    Query("small files", "small_files", "SELECT count(), sum(v) FROM {files}", setup=()),
    Query("small files", "small_files", "SELECT k, count(), max(s) FROM {files} GROUP BY k FORMAT Null", setup=()),
    Query("cold cache", "uncompressed_cache", "SELECT max(length(url)) FROM events WHERE id < 1200000", "use_uncompressed_cache = 0"),
    Query("cold cache", "uncompressed_cache", "SELECT sum(amount), max(user) FROM events WHERE id < 3000000", "use_uncompressed_cache = 0"),
]


def local(path: Path, *queries: str) -> list[list[str]]:
    line = [BINARY, "local", "--path", str(path)]
    for query in queries:
        line += ["-q", query]
    done = subprocess.run(line, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{done.stderr}\n{queries[-1]}")
    unescaped = (row.replace("\\'", "'").replace("\\n", "\n") for row in done.stdout.splitlines())
    return [row.split("\t") for row in unescaped]


JUDGED = """SELECT taken_microseconds, arrayElement(advices.rule, i), arrayElement(advices.gain_microseconds, i), arrayElement(advices.change, i),
    arrayElement(advices.rule, 1) FROM (SELECT *, indexOf(advices.rule, '{rule}') AS i FROM system.query_limit_log) ORDER BY taken_microseconds LIMIT 1"""


def judged(path: Path, query: Query, text: str, settings: str, *before: str) -> list[str]:
    """The fastest of some runs: its time, and what is said of it."""
    # What runs before remember of conditions would make each run but the first another one.
    settings = ", ".join(filter(None, ["explain_limit = 1", "use_query_condition_cache = 0", settings]))
    asked = f"{text.replace(' FORMAT Null', '')} SETTINGS {settings} FORMAT Null"
    return local(path, *before, *[asked] * RUNS, JUDGED.format(rule=query.rule))[-1]


def changes(change: str) -> tuple[list[str], dict[str, str]]:
    """Statements, and settings."""
    statements = [line.strip().rstrip(";") for line in change.split("\n")]
    sets = dict(re.match(r"SET (\w+) = (\w+)", line).groups() for line in statements if line.startswith("SET "))
    return [line for line in statements if not line.startswith("SET ")], sets


@contextlib.contextmanager
def others(share: float):
    """So much of the cores computes for somebody else."""
    work = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(round(share * os.cpu_count()))]
    try:
        yield
    finally:
        for one in work:
            one.kill()
            one.wait()


@contextlib.contextmanager
def store(folder: Path):
    """Many files in a store that answers late, as a table function."""
    from fault_proxy import Fault, FaultProxy
    from servers import S3

    server = S3(folder / "buckets").start()
    try:
        made = folder / "made.parquet"
        write = f"INSERT INTO FUNCTION file('{made}', Parquet) SELECT number AS id, toString(number) AS s FROM numbers(20000)"
        subprocess.run([BINARY, "local", "-q", write], check=True)
        for n in range(STORED):
            server.put(f"data/many/{n:03}.parquet", made.read_bytes())
        late = Fault("slow", seconds=0.03)
        with FaultProxy(server.port, lambda request: late if request.method == "GET" else None) as proxy:
            yield f"s3('http://127.0.0.1:{proxy.port}/data/many/*.parquet', {server.keys})"
    finally:
        server.stop()


def many_files(folder: Path) -> str:
    """Many small files of a folder, as a table function."""
    (folder / "many").mkdir(parents=True)
    one = folder / "many/0.parquet"
    columns = "number AS id, number % 7 AS k, number * 3 AS v, toString(number) AS s"
    subprocess.run([BINARY, "local", "-q", f"INSERT INTO FUNCTION file('{one}', Parquet) SELECT {columns} FROM numbers(100)"], check=True)
    for copy in range(1, FILES):
        shutil.copy(one, folder / f"many/{copy}.parquet")
    return f"file('{folder}/many/*.parquet', Parquet)"


def main():
    wanted = sys.argv[1] if len(sys.argv) > 1 else ""
    failed = 0
    with tempfile.TemporaryDirectory() as name, contextlib.ExitStack() as stack:
        folder = Path(name)
        data = {}
        place = None
        print(f"{'group':12} {'rule':20} {'before':>9} {'after':>9} {'promised':>9} {'gained':>9}  share")
        for number, query in enumerate(one for one in QUERIES if wanted in one.group):
            if query.setup not in data:
                data[query.setup] = folder / f"data{len(data)}"
                local(data[query.setup], "SYSTEM CALIBRATE", *query.setup)
            # Each has a copy of its own, for changes stay.
            path = folder / f"query{number}"
            shutil.copytree(data[query.setup], path)
            if "{store}" in query.text and place is None:
                place = stack.enter_context(store(folder))
            # What is advised writes beside them.
            files = many_files(folder / f"files{number}") if "{files}" in query.text else ""
            text = query.text.replace("{store}", place or "").replace("{files}", files)
            beside = stack.enter_context(contextlib.ExitStack())
            beside.enter_context(others(query.busy))
            before, rule, gain, change, best = judged(path, query, text, query.settings, "SYSTEM STOP MERGES")
            if not rule and query.busy:
                print(f"{query.group:12} {query.rule:20} {int(before) / 1e3:7.1f}ms   is rightly not told: {query.text}")
                beside.close()
                continue
            if not rule:
                print(f"{query.group:12} {query.rule:20} {int(before) / 1e3:7.1f}ms   is not told (but {best or 'nothing'}): {query.text}")
                failed += 1
                continue
            statements, sets = changes(change)
            kept = dict(pair.split(" = ") for pair in query.settings.split(", ") if pair)
            settings = ", ".join(f"{name} = {value}" for name, value in (kept | sets).items())
            if rule == "small_files":
                # The same rows are in another place then.
                [joined] = re.findall(r"INSERT INTO FUNCTION (.*) SELECT \* FROM ", change)
                text = text.replace(files, joined)
            after = judged(path, query, text, settings, *statements)[0]
            beside.close()
            gained, promised = int(before) - int(after), int(gain)
            share = gained / promised if promised else 1.0
            failed += share < SHARE_MIN
            note = "" if best == rule else f"  (told first: {best})"
            times = " ".join(f"{micros / 1e3:7.1f}ms" for micros in (int(before), int(after), promised, gained))
            print(f"{query.group:12} {rule:20} {times}  {share:4.1f}{note}  {query.text[:60]}", flush=True)
            shutil.rmtree(path)
    print(f"{failed} of them are worth less than half of what was promised, or another change was advised" if failed else "each gained at least half of what was promised")
    raise SystemExit(1 if failed else 0)


if __name__ == "__main__":
    main()
