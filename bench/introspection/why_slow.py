"""Writes docs/why_slow.md: the walk from a slow query to what helps, with what a server says on this machine.

    GRISTMILL=target/release/gristmill python bench/introspection/why_slow.py

Each case makes its query slow, looks at it with the tools that the page names, makes the change, and looks again. The page is
why_slow.md in this folder, with `@@name@@` where an output belongs. A case whose advice or sign does not come is an error: the page
says that it does. (GRISTMILL_TOOLS: where the tools of the tests are; the case of the slow store starts a server of them.)
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from contextlib import contextmanager
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[1:1] = [str(ROOT / "tests/clients"), str(ROOT / "tests/e2e")]

from fault_proxy import Fault, FaultProxy  # noqa: E402
from server import BINARY, Server  # noqa: E402
from servers import S3  # noqa: E402

ROWS = 30_000_000
FRESH = {"use_query_condition_cache": 0}
BY_USER = "SELECT uniq(url), avg(ms) FROM visits WHERE user BETWEEN 500 AND 900"
SORTED = "SELECT user, ms, time FROM visits ORDER BY user, ms"
SPILLS = {"max_bytes_before_external_sort": 20_000_000}
BUSY = "SELECT url, count() AS c, uniq(user) FROM visits GROUP BY url ORDER BY c DESC LIMIT 5"


class Asked:
    """A server, and how it is looked at."""

    def __init__(self, folder: Path):
        self.server = Server(folder)

    def ask(self, sql: str, **settings) -> str:
        url = f"http://127.0.0.1:{self.server.http_port}/?" + urllib.parse.urlencode(settings)
        try:
            with urllib.request.urlopen(urllib.request.Request(url, data=sql.encode()), timeout=600) as answer:
                return answer.read().decode().rstrip("\n")
        except urllib.error.HTTPError as error:
            raise RuntimeError(f"{sql}: {error.read().decode()}") from None

    def explain(self, how: str, sql: str, **settings) -> str:
        return cut(self.ask(f"EXPLAIN {how} {sql} FORMAT TSVRaw", **settings), 190)

    def best_of_three(self, sql: str, **settings) -> str:
        def once() -> float:
            begun = time.monotonic()
            self.ask(sql + " FORMAT Null", **settings)
            return time.monotonic() - begun

        return f"{min(once() for _ in range(3)):.3f} s"

    def log(self, sql: str, columns: str, **settings) -> str:
        """What query_log has of a run."""
        comment = f"run {time.monotonic_ns()}"
        self.ask(sql + " FORMAT Null", log_comment=comment, **settings)
        return self.logged(comment, columns)

    def logged(self, comment: str, columns: str) -> str:
        self.ask("SYSTEM FLUSH LOGS query_log")
        where = f"log_comment = '{comment}' AND type = 'QueryFinish'"
        return self.ask(f"SELECT {columns} FROM system.query_log WHERE {where} FORMAT Vertical").split("\n", 2)[2]

    def top(self, sign: str) -> str:
        """`gristmill top` at a moment when it shows `sign`."""
        line = [BINARY, "top", "--port", str(self.server.tcp_port), "--once", "--interval", "1", "--width", "150"]
        for _ in range(20):
            shown = subprocess.run(line, capture_output=True, text=True, check=True).stdout
            if sign in shown:
                shown = re.sub(r"─{20,}", "─" * 20, shown)
                return cut("\n".join(text.rstrip() for text in shown.splitlines() if text.strip()), 150)
        raise RuntimeError(f"top did not show {sign}: {shown}")

    @contextmanager
    def running(self, sql: str, **settings):
        """The query, again and again."""
        goes_on = True

        def run():
            while goes_on:
                self.ask(sql + " FORMAT Null", **settings)

        thread = threading.Thread(target=run)
        thread.start()
        try:
            time.sleep(0.5)
            yield
        finally:
            goes_on = False
            thread.join()

    def follow(self, advice: str) -> None:
        """Makes the first change that EXPLAIN LIMIT offers."""
        changes = re.search(r"What would help most.*\n((?:    ALTER .*\n?)+)", advice)
        if not changes:
            raise RuntimeError(f"No change was offered: {advice}")
        for change in changes[1].strip().splitlines():
            self.ask(change.strip().rstrip(";") + (" SETTINGS mutations_sync = 1" if "MATERIALIZE" in change else ""))


def cut(text: str, width: int) -> str:
    return "\n".join(line if len(line) <= width else line[: width - 1] + "…" for line in text.split("\n"))


def wrong_key(asked: Asked) -> dict[str, str]:
    fills = {}
    with asked.running(BY_USER, use_uncompressed_cache=0, **FRESH):
        fills["key_top"] = asked.top("SELECT uniq(url)")
    before = asked.best_of_three(BY_USER, **FRESH)
    marks = "ProfileEvents['SelectedMarks'] AS marks"
    columns = f"query_duration_ms, read_rows, formatReadableSize(read_bytes) AS read, {marks}, ProfileEvents['SelectedMarksTotal'] AS marks_total"
    fills["key_log"] = asked.log(BY_USER, columns, **FRESH)
    fills["key_analyze"] = asked.explain("ANALYZE", BY_USER, **FRESH)
    fills["key_limit"] = asked.explain("LIMIT", BY_USER, **FRESH)
    told = asked.ask(BY_USER + " FORMAT JSONEachRowWithProgress", send_logs_level="debug", **FRESH)
    lines = [line["log"] for line in map(json.loads, told.splitlines()) if "log" in line]
    fills["key_lines"] = cut("\n".join(f"<{line['level']}> {line['logger_name']}: {line['message']}" for line in lines), 210)
    asked.follow(fills["key_limit"])
    after = asked.best_of_three(BY_USER, **FRESH)
    fills["key_after"] = f"before: {before}\nafter:  {after}\n" + asked.log(
        BY_USER, f"query_duration_ms, read_rows, {marks}, projections", **FRESH
    )
    return fills


def missing_index(asked: Asked) -> dict[str, str]:
    session = asked.ask("SELECT session FROM visits WHERE time = '2026-01-06 00:00:00' LIMIT 1")
    query = f"SELECT time, user, url FROM visits WHERE session = '{session}'"
    granules = lambda: re.findall(r"Granules: (\d+/\d+)", asked.explain("indexes = 1", query))[-1]  # noqa: E731
    before, granules_before = asked.best_of_three(query, **FRESH), granules()
    advice = asked.explain("LIMIT", query, **FRESH)
    asked.follow(advice)
    return {
        "index_query": query,
        "index_limit": advice,
        "index_after": f"before: {before}, {granules_before} granules\nafter:  {asked.best_of_three(query, **FRESH)}, {granules()} granules",
    }


def spilling(asked: Asked) -> dict[str, str]:
    columns = """query_duration_ms, formatReadableSize(memory_usage) AS memory, ProfileEvents['ExternalSortWritePart'] AS runs,
        ProfileEvents['ExternalProcessingFilesTotal'] AS files, formatReadableSize(ProfileEvents['OSWriteChars']) AS written"""
    limit = asked.explain("LIMIT", SORTED, **SPILLS)
    fills = {"spill_log": asked.log(SORTED, columns, **SPILLS), "spill_analyze": asked.explain("ANALYZE", SORTED, **SPILLS)}
    memory = lambda **settings: asked.log(SORTED, "formatReadableSize(memory_usage) AS memory", **settings).split(": ")[1].strip()  # noqa: E731
    before, after = asked.best_of_three(SORTED, **SPILLS), asked.best_of_three(SORTED)
    compared = f"before: {before}, {memory(**SPILLS)} of memory\nafter:  {after}, {memory()} of memory"
    return fills | {"spill_limit": limit, "spill_after": compared}


def slow_store(asked: Asked, folder: Path) -> dict[str, str]:
    folder.mkdir()
    store = S3(folder / "buckets").start()
    late = Fault("slow", seconds=0.1)
    try:
        with FaultProxy(store.port, lambda request: late if request.method == "GET" else None) as proxy:
            at = lambda name: f"s3('http://127.0.0.1:{proxy.port}/data/visits/{name}.parquet', {store.keys})"  # noqa: E731
            store.put("data/made", b"1")
            for n in range(40):
                asked.ask(f"INSERT INTO FUNCTION {at(n)} SELECT time, user, url, ms FROM visits WHERE user % 40 = {n} LIMIT 25000")
            query = f"SELECT count(), avg(ms) FROM {at('*')} WHERE user % 7 = 3"
            few = {"s3_max_connections": 2}
            with asked.running(query, **few):
                top = asked.top("FROM s3(")
            columns = """query_duration_ms, ProfileEvents['S3GetObject'] AS gets, ProfileEvents['WallNetworkMicroseconds'] AS waited_for_the_store,
                ProfileEvents['WallUserMicroseconds'] AS computed"""
            limit = asked.explain("LIMIT", query, **few)
            if "s3_max_connections" not in limit:
                raise RuntimeError(f"The setting is not named: {limit}")
            after = f"s3_max_connections = 2:   {asked.best_of_three(query, **few)}\n"
            after += f"s3_max_connections = 256: {asked.best_of_three(query, s3_max_connections=256)}"
            fills = {"store_top": top, "store_log": asked.log(query, columns, **few), "store_limit": limit, "store_after": after}
    finally:
        store.stop()
    shorter = lambda text: re.sub(r"s3\('http://127[^)…\n]*([)…]|$)", "s3('…/visits/*.parquet', …)", text, flags=re.M)  # noqa: E731
    return {name: shorter(text) for name, text in fills.items()}


def others_compute(asked: Asked) -> dict[str, str]:
    alone = asked.best_of_three(BUSY)
    others = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(4)]
    try:
        time.sleep(1)
        beside = asked.best_of_three(BUSY)
        with asked.running(BUSY):
            top = asked.top("SELECT url, count()")
        columns = """query_duration_ms, ProfileEvents['WallUserMicroseconds'] AS computed,
            ProfileEvents['WallRunnableMicroseconds'] AS waited_for_a_core, ProfileEvents['OSCPUWaitMicroseconds'] AS threads_waited"""
        log = asked.log(BUSY, columns)
        limit = asked.explain("LIMIT", BUSY)
    finally:
        for other in others:
            other.kill()
            other.wait()
    said = re.search(r"(What would help most.*|No rule knows.*)", limit)[1]
    again = asked.best_of_three(BUSY)
    return {"hog_alone": alone, "hog_beside": beside, "hog_top": top, "hog_log": log, "hog_limit": said, "hog_after": again}


def locked(asked: Asked) -> dict[str, str]:
    asked.ask("CREATE TABLE orders ENGINE = MergeTree ORDER BY time AS SELECT time, user, url, ms FROM visits")
    asked.ask("OPTIMIZE TABLE orders FINAL")
    asked.ask("ALTER TABLE orders UPDATE ms = ms + 1 WHERE user % 2 = 0 SETTINGS mutations_sync = 0")
    took = {}

    def delete(user: int):
        begun = time.monotonic()
        asked.ask(f"DELETE FROM orders WHERE user = {user}", log_comment=f"delete {user}")
        took[user] = f"{time.monotonic() - begun:.3f} s"

    waiting = threading.Thread(target=delete, args=[77])
    waiting.start()
    fills = {"lock_top": asked.top("DELETE FROM orders")}
    what = "elapsed, query, ProfileEvents['OSCPUVirtualTimeMicroseconds'] AS computed"
    found = asked.ask(f"SELECT {what} FROM system.processes WHERE query LIKE 'DELETE%' FORMAT Vertical")
    fills["lock_processes"] = found.split("\n", 2)[2]
    waiting.join()
    columns = """query_duration_ms, ProfileEvents['WallLockMicroseconds'] AS waited_for_locks, ProfileEvents['WallUserMicroseconds'] AS computed, query"""
    fills["lock_log"] = asked.logged("delete 77", columns)
    delete(78)
    return fills | {"lock_took": took[77], "lock_alone": took[78]}


def main():
    page = (HERE / "why_slow.md").read_text().replace("@@rows@@", str(ROWS))
    setup = re.search(r"```sql\n(CREATE TABLE visits.*?)```", page, re.DOTALL)[1]
    with tempfile.TemporaryDirectory(dir=os.environ.get("GRISTMILL_BENCH_SCRATCH")) as name:
        asked = Asked(Path(name) / "data")
        try:
            for statement in filter(str.strip, setup.split(";")):
                asked.ask(statement)
            fills = missing_index(asked) | spilling(asked) | slow_store(asked, Path(name) / "store")
            fills |= others_compute(asked) | locked(asked) | wrong_key(asked)
        finally:
            asked.server.stop()
    for key, text in fills.items():
        page = page.replace(f"@@{key}@@", text)
    left = re.findall(r"@@\w+@@", page)
    if left:
        raise RuntimeError(f"Nothing was found for {left}")
    (ROOT / "docs/why_slow.md").write_text(page)


if __name__ == "__main__":
    main()
