"""Writes the expected results: runs the cases with ClickHouse itself (PyPI `chdb`, which has to be installed).

    python tests/sql/expect.py [word …]      the cases whose name holds a word; else all

A statement that fails there without `-- error: NAME` before it, or with another error, is reported and is a failure:
a case never enshrines a mistake of its author.
"""

import json
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

import cases

VERSION_FILE = cases.FOLDER / "VERSION"
WORKER = "--worker"


def worker() -> None:
    """Runs the statements on standard input in a session of its own, in the current folder."""
    from chdb import session

    texts = json.load(sys.stdin)
    results = []
    with tempfile.TemporaryDirectory(prefix="expect-") as folder:
        connection = session.Session(folder)
        # A case that reads without end by mistake must not take the machine along.
        connection.query("SET max_memory_usage = 6000000000")
        # Expressions without SELECT are a habit of this one client.
        connection.query("SET implicit_select = 0")
        for text in texts:
            try:
                results.append((connection.query(text, "TSV").bytes().decode("utf-8", "replace"), None))
            except Exception as error:  # the module's errors have no common base of their own
                results.append(("", str(error)))
        connection.close()
    print("\n" + json.dumps(results))


def ask(case: cases.Case) -> list[str]:
    """Writes the case's expected results. Gives what is wrong with the case."""
    texts = case.all_texts()
    with tempfile.TemporaryDirectory(prefix="expect-") as folder:
        process = subprocess.run(
            [sys.executable, __file__, WORKER],
            input=json.dumps(texts).encode(),
            cwd=folder,
            stdout=subprocess.PIPE,
            env=os.environ | {"TZ": "UTC", "LC_ALL": "C.UTF-8"},
        )
    case.expected_path.unlink(missing_ok=True)
    if process.returncode != 0:
        return [f"{case.name}: the process ended with code {process.returncode}"]
    results = json.loads(process.stdout.decode().rstrip("\n").rsplit("\n", 1)[-1])[len(case.settings) :]
    outcomes = [cases.outcome(output, error) for output, error in results]
    mistakes = []
    for statement, (_, error), text in zip(case.statements, results, outcomes, strict=True):
        name = text.split()[-1] if error else None
        if name != statement.error:
            mistakes.append(f"{case.name}: {statement.title}\n    declared {statement.error}, got {error and error[:300]}")
    cases.write_expected(case, outcomes)
    return mistakes


def main() -> int:
    import chdb

    words = sys.argv[1:]
    with ThreadPoolExecutor(2) as pool:
        mistakes = [line for lines in pool.map(ask, cases.find(words)) for line in lines]
    version = str(chdb.query("SELECT version()", "TSV")).strip()
    VERSION_FILE.write_text(f"# Made the .expected files\nchdb {chdb.__version__}\nClickHouse {version}\n")
    print("\n".join(mistakes) if mistakes else "All as declared.")
    return 1 if mistakes else 0


if __name__ == "__main__":
    if WORKER in sys.argv:
        worker()
    else:
        sys.exit(main())
