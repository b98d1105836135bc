"""What the scripts in this folder have in common: they are asked one query, time it, and say what it answered.

Standard input is `Asked` as JSON; the last line of standard output is the answer. The time is from the query's start, with
nothing connected, listed or read yet, to its last row. Start of the process and imports are before it.
"""

import json
import resource
import sys
import time
from dataclasses import dataclass


@dataclass
class Asked:
    """`files` is the pattern below the bucket, `wanted` the `Id` that is looked for."""

    row: str
    endpoint: str
    bucket: str
    files: str
    key: str
    secret: str
    wanted: int
    settings: dict

    @property
    def url(self) -> str:
        """The pattern as tools of S3 spell it."""
        return f"s3://{self.bucket}/{self.files}"


def asked() -> Asked:
    return Asked(**json.load(sys.stdin))


def cpu_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def memory_peak_bytes() -> int:
    with open("/proc/self/status") as lines:
        (line,) = [line for line in lines if line.startswith("VmHWM:")]
    return int(line.split()[1]) * 1024


def answer(query) -> None:
    """Runs `query`, which gives rows as lists, and writes what was measured."""
    memory_before = memory_peak_bytes()
    cpu, started = cpu_seconds(), time.perf_counter()
    rows = query()
    seconds = time.perf_counter() - started
    measured = {
        "seconds": seconds,
        "cpu_seconds": cpu_seconds() - cpu,
        "memory_before_bytes": memory_before,
        "memory_peak_bytes": memory_peak_bytes(),
        "answer": rows,
    }
    # Some libraries print; what they left unfinished must not share the line.
    print("\n" + json.dumps(measured), flush=True)
