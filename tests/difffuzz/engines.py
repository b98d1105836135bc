"""Runs the same statements in Gristmill and in ClickHouse (PyPI `chdb`), each in a process and a folder of its own."""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "sql"))

import cases  # noqa: E402 (the harness of tests/sql)
import run as sql_run  # noqa: E402

TIME_LIMIT_SECONDS = 120
WORKER = Path(__file__).with_name("clickhouse_worker.py")
NOT_REACHED = "not reached"


def gristmill(binary: Path, statements: list[str]) -> list[str]:
    """What each statement gave: rows as text, or `error CODE NAME`."""
    case = cases.Case(Path("difffuzz"), [cases.Statement(text) for text in statements])
    sql_run.TIME_LIMIT_SECONDS = TIME_LIMIT_SECONDS
    return [sql_run.piece_outcome(piece) for piece in sql_run.run(binary, case)]


def clickhouse(python: str, statements: list[str]) -> list[str]:
    """The same by ClickHouse. A process that dies (its bugs are found too) has no outcome from that statement on."""
    with tempfile.TemporaryDirectory(prefix="difffuzz-") as folder:
        try:
            process = subprocess.run(
                [python, WORKER],
                input=json.dumps(statements).encode(),
                cwd=folder,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=os.environ | sql_run.ENVIRONMENT,
                timeout=TIME_LIMIT_SECONDS,
            )
            said = process.stdout
        except subprocess.TimeoutExpired as error:
            said = error.stdout or b""
    lines = [json.loads(line) for line in said.decode().splitlines() if line.endswith("]")]
    outcomes = [cases.outcome(output, error) for output, error in lines]
    return outcomes + [NOT_REACHED] * (len(statements) - len(outcomes))
