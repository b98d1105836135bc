"""Writes the outputs of docs/explain.md and of the operators in docs/logs.md anew, with what a server says on this machine.

    GRISTMILL=target/release/gristmill GRISTMILL_TOOLS=… python bench/introspection/explain_page.py

A block of output stands behind the block of the statement that it is of; every statement named here has one, or it is an error.
"""

import re
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from why_slow import ROOT, S3, Asked, Fault, FaultProxy  # noqa: E402

MADE = """CREATE TABLE hits (time DateTime, user UInt32, url String) ENGINE = MergeTree ORDER BY time;
SYSTEM STOP MERGES hits;
INSERT INTO hits SELECT toDateTime('2026-01-01 00:00:00') + 2 * number, cityHash64(number) % 100000, concat('/page/', toString(number % 997)) FROM numbers(1000000);
INSERT INTO hits SELECT toDateTime('2026-01-01 00:00:01') + 2 * number, cityHash64(number, 1) % 100000, concat('/page/', toString(number % 997)) FROM numbers(1000000);"""
BY_URL = "SELECT url, count() AS c FROM hits WHERE time >= '2026-01-20' GROUP BY url ORDER BY c DESC LIMIT 10"
OF_TABLE = [
    "EXPLAIN ANALYZE SELECT url, count() AS c, uniq(user) FROM hits WHERE time >= '2026-01-10' GROUP BY url ORDER BY c DESC LIMIT 10",
    "EXPLAIN ANALYZE SELECT number, sipHash64(number) AS h FROM numbers(3000000) ORDER BY h SETTINGS max_memory_usage = 100000000",
    f"EXPLAIN indexes = 1 {BY_URL}",
    "EXPLAIN json = 1, indexes = 1, description = 0 SELECT user FROM hits WHERE time >= '2026-01-20'",
    f"EXPLAIN PIPELINE {BY_URL}",
]
OF_STORE = "EXPLAIN ANALYZE SELECT OwnerDisplayName, count() AS c FROM s3('http://…/posts/*.parquet') GROUP BY OwnerDisplayName ORDER BY c DESC LIMIT 3"
OPERATORS = "SELECT id, parent_ids, name, elapsed_us, input_rows, output_rows FROM system.processors_profile_log WHERE query_id = 'q6' ORDER BY id"


def of_store(asked: Asked, folder: Path) -> str:
    """Of a store that takes 300 ms for each answer."""
    folder.mkdir()
    store = S3(folder / "buckets").start()
    late = Fault("slow", seconds=0.3)
    try:
        store.put("data/made", b"1")
        with FaultProxy(store.port, lambda request: late if request.method == "GET" else None) as proxy:
            at = lambda name: f"'http://127.0.0.1:{proxy.port}/data/posts/{name}.parquet', {store.keys}"  # noqa: E731
            columns = "number AS Id, concat('user ', toString(cityHash64(number) % 429)) AS OwnerDisplayName, hex(sipHash64(number)) AS Title"
            for file in range(6):
                asked.ask(f"INSERT INTO FUNCTION s3({at(file)}) SELECT {columns} FROM numbers({20000 * file // 6}, {20000 // 6 + (file > 3)})")
            return asked.ask(OF_STORE.replace("'http://…/posts/*.parquet'", at("*")) + " FORMAT TSVRaw")
    finally:
        store.stop()


def put(page: str, statement: str, output: str) -> str:
    """The page with this output behind its statement."""
    block = re.compile(r"(```sql\n" + re.escape(statement) + r"\n```\n\n```text\n).*?(\n```)", re.DOTALL)
    changed, count = block.subn(lambda found: found[1] + output + found[2], page)
    if count != 1:
        raise RuntimeError(f"The page has {count} blocks of {statement}")
    return changed


def main():
    with tempfile.TemporaryDirectory() as name:
        asked = Asked(Path(name) / "data")
        try:
            for statement in MADE.split(";\n"):
                asked.ask(statement.rstrip(";"))
            outputs = {statement: asked.ask(f"{statement} FORMAT TSVRaw") for statement in OF_TABLE}
            outputs[OF_STORE] = of_store(asked, Path(name) / "store")
            asked.ask("SELECT number % 3 AS k, count() FROM numbers(1000) GROUP BY k FORMAT Null", query_id="q6")
            asked.ask("SYSTEM FLUSH LOGS")
            operators = asked.ask(OPERATORS)
        finally:
            asked.server.stop()
    page = ROOT / "docs/explain.md"
    text = page.read_text()
    for statement, output in outputs.items():
        text = put(text, statement, output)
    page.write_text(text)
    logs = ROOT / "docs/logs.md"
    logs.write_text(put(logs.read_text(), OPERATORS, operators))


if __name__ == "__main__":
    main()
