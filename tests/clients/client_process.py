"""`gristmill client` as a process."""

import os
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from server import BINARY


@dataclass
class Answer:
    code: int
    out: str
    err: str

    def ok(self) -> str:
        assert self.code == 0 and not self.err, self
        return self.out


def environment(home: Path, more: dict[str, str] | None = None) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("CLICKHOUSE_", "GRISTMILL_LOG", "SSL_CERT", "XDG_"))}
    return kept | {"HOME": str(home), "TZ": "UTC"} | (more or {})


class Client:
    def __init__(self, home: Path, port: int):
        self.home, self.port = home, port

    def line(self, *words) -> list[str]:
        return [BINARY, "client", *map(str, words)]

    def start(self, *words, **rest) -> subprocess.Popen:
        pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        return subprocess.Popen(self.line("--port", self.port, *words), env=environment(self.home), cwd=self.home, **pipes | rest)

    def bare(self, *words, data: bytes | None = None, env: dict[str, str] | None = None) -> Answer:
        """Without saying where the server is."""
        given = {"input": data} if data is not None else {"stdin": subprocess.DEVNULL}
        process = subprocess.run(self.line(*words), env=environment(self.home, env), cwd=self.home, capture_output=True, timeout=300, **given)
        answer = Answer(process.returncode, process.stdout.decode("utf-8", "replace"), process.stderr.decode("utf-8", "replace"))
        assert "panicked" not in answer.err and "defect of its own" not in answer.err, answer
        return answer

    def __call__(self, *queries: str, flags=(), data: bytes | None = None, env=None) -> Answer:
        words = [word for query in queries for word in ("-q", query)]
        return self.bare("--port", self.port, *flags, *words, data=data, env=env)


def wait_for(seconds: float, what):
    deadline = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < deadline
        time.sleep(0.05)
