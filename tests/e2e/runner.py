"""Runs the binary as a user does, and takes its answer apart."""

import os
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

BINARY = os.environ.get("GRISTMILL", str(Path(__file__).resolve().parents[2] / "target/debug/gristmill"))
ERROR = re.compile(r"Code: (\d+)\. DB::Exception: (.*?)\(([A-Z][A-Z0-9_]+)\)\s*$", re.S | re.M)
TIME_LIMIT_SECONDS = 300
# What the machine of the tester has must not decide what a test sees.
CLEARED = ("AWS_", "AZURE_", "GOOGLE_", "GRISTMILL_LOG")


def environment(more: dict[str, str] | None = None) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(CLEARED)}
    return kept | {"TZ": "UTC", "AWS_EC2_METADATA_DISABLED": "true"} | (more or {})


@dataclass
class Answer:
    code: int
    out: str
    err: str

    @property
    def rows(self) -> list[list[str]]:
        """The cells of TSV."""
        return [line.split("\t") for line in self.out.splitlines()]

    @property
    def value(self) -> str:
        """The only cell."""
        assert len(self.rows) == 1 and len(self.rows[0]) == 1, self
        return self.rows[0][0]

    @property
    def error(self) -> tuple[int, str]:
        """Code and name of the error that was told."""
        found = ERROR.search(self.err)
        assert found, f"no error in: {self}"
        return int(found[1]), found[3]

    @property
    def message(self) -> str:
        found = ERROR.search(self.err)
        return found[2] if found else ""

    def ok(self) -> "Answer":
        assert self.code == 0 and not self.err, self
        return self


def gristmill(*queries: str, path=None, stdin: bytes | None = None, flags=(), cwd=None, env=None, binary_output=False):
    """Runs `gristmill local` with every query in a `-q` of its own."""
    line = [BINARY, "local"]
    if path is not None:
        line += ["--path", str(path)]
    line += [str(flag) for flag in flags]
    for query in queries:
        line += ["-q", query]
    process = subprocess.run(
        line,
        cwd=cwd,
        env=environment(env),
        timeout=TIME_LIMIT_SECONDS,
        capture_output=True,
        **({"input": stdin} if stdin is not None else {"stdin": subprocess.DEVNULL}),
    )
    out = process.stdout if binary_output else process.stdout.decode("utf-8", "replace")
    answer = Answer(process.returncode, out, process.stderr.decode("utf-8", "replace"))
    assert "panicked" not in answer.err and "defect of its own" not in answer.err, answer
    return answer
