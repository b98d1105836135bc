"""Runs statements one after another in one new process of an engine, and tells what each took and answered."""

import json
import sys
from dataclasses import dataclass
from pathlib import Path

from measured_process import Finished, run_measured

CHDB_SESSION = Path(__file__).resolve().parent / "chdb_session.py"
# Stands behind the rows of each statement.
END = "end of the answer"


class Failed(Exception):
    """A process gave no answer."""


@dataclass
class Ran:
    """`seconds` and `answers` (rows of values) have an entry a statement; the rest is of the whole process."""

    seconds: list[float]
    answers: list[list]
    cpu_seconds: float
    memory_peak_bytes: int


def run_gristmill(binary: str, path: Path | str, statements: list[str], seconds_max: float | None = None) -> Ran:
    line = [binary, "local", "--path", path, "--time", "--output-format", "JSONCompactEachRow"]
    for statement in statements:
        line += ["-q", statement, "-q", f"SELECT '{END}'"]
    done = run_measured(line, "", seconds_max)
    check(done)
    answers: list[list] = [[]]
    for text in done.out.splitlines():
        row = json.loads(text)
        answers.append([]) if row == [END] else answers[-1].append(row)
    times = [float(word) for word in done.err.split()]
    return Ran(times[::2], answers[:-1], done.cpu_seconds, done.memory_peak_bytes)


def run_chdb(path: Path | str, statements: list[str], seconds_max: float | None = None) -> Ran:
    given = json.dumps({"path": str(path), "statements": statements})
    done = run_measured([sys.executable, CHDB_SESSION], given, seconds_max)
    check(done)
    seconds, answers = json.loads(done.out.splitlines()[-1])
    return Ran(seconds, answers, done.cpu_seconds, done.memory_peak_bytes)


def check(done: Finished) -> None:
    if done.code != 0:
        # Indented lines are a traceback's, with paths of this machine.
        said = [line for line in done.err.splitlines() if line and not line[0].isspace()]
        raise Failed(f"ended with code {done.code}: {' '.join(said[-4:])[:400]}")
