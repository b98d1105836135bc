"""Runs a command in a process of its own and tells what the kernel counted for it: peak memory, processor time.

The kernel hands the peak memory of whoever starts a process down to it, and a harness that has imported much would be
counted as the command's. So this file also is a launcher: a bare interpreter that only starts the command and waits.
"""

import json
import os
import signal
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path


@dataclass
class Finished:
    """A command that ended. `cpu_seconds` is of the whole process, its start included."""

    code: int
    out: str
    err: str
    memory_peak_bytes: int
    cpu_seconds: float


class TookTooLong(Exception):
    """The command was ended because its time was over."""


def run_measured(line: list, given: str = "", seconds_max: float | None = None, environment: dict | None = None) -> Finished:
    """Runs the command with `given` as its input."""
    with tempfile.TemporaryDirectory(prefix="measured-") as folder:
        usage = Path(folder, "usage.json")
        process = subprocess.Popen(
            [sys.executable, "-I", "-S", __file__, str(usage), *map(str, line)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=os.environ | (environment or {}),
            # One group for launcher and command, so that both end together.
            start_new_session=True,
        )
        try:
            out, err = process.communicate(given, seconds_max)
        except BaseException as error:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            if isinstance(error, subprocess.TimeoutExpired):
                raise TookTooLong(f"took more than {seconds_max:.0f} s") from None
            raise
        if not usage.exists():
            raise RuntimeError(f"{line[0]} did not start: {err[-2000:]}")
        counted = json.loads(usage.read_text())
        return Finished(out=out, err=err, **counted)


def launch(usage_path: str, line: list[str]) -> None:
    child = os.posix_spawnp(line[0], line, os.environ)
    _, status, usage = os.wait4(child, 0)
    counted = {
        "code": os.waitstatus_to_exitcode(status),
        "memory_peak_bytes": usage.ru_maxrss * 1024,
        "cpu_seconds": usage.ru_utime + usage.ru_stime,
    }
    with open(usage_path, "w") as out:
        json.dump(counted, out)


if __name__ == "__main__":
    launch(sys.argv[1], sys.argv[2:])
