"""A terminal that a test types at."""

import os
import pty
import re
import select
import signal
import time

from runner import BINARY, environment


class Terminal:
    """The program on a terminal of its own."""

    def __init__(self, *line, cwd, history):
        self.child, self.side = pty.fork()
        if self.child == 0:
            os.chdir(cwd)
            os.environ |= {"TERM": "xterm", "COLUMNS": "120", "LINES": "40", "HOME": str(cwd)}
            os.execve(BINARY, [BINARY, *map(str, line), "--history-file", str(history)], dict(environment()) | os.environ)
        self.text = ""

    def expect(self, pattern: str, seconds=30) -> str:
        """What came until the pattern, which must come."""
        deadline = time.monotonic() + seconds
        while not (found := re.search(pattern, self.text, re.S)):
            assert time.monotonic() < deadline, f"{pattern!r} did not come in: {self.text[-3000:]!r}"
            if select.select([self.side], [], [], 0.2)[0]:
                try:
                    got = os.read(self.side, 65536)
                except OSError:
                    got = b""
                assert got or re.search(pattern, self.text, re.S), f"the program ended before {pattern!r}: {self.text[-3000:]!r}"
                # The editor asks where the cursor is.
                if b"\x1b[6n" in got:
                    os.write(self.side, b"\x1b[1;1R")
                self.text += re.sub(rb"\x1b\[[0-9;?]*[a-zA-Z]|\x1b[=>]", b"", got).decode("utf-8", "replace")
        before, self.text = self.text[: found.end()], self.text[found.end() :]
        return before

    def type(self, text: str) -> None:
        os.write(self.side, text.encode())

    def end(self) -> int:
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline:
            if select.select([self.side], [], [], 0.1)[0]:
                try:
                    os.read(self.side, 65536)
                except OSError:
                    pass
            done, status = os.waitpid(self.child, os.WNOHANG)
            if done:
                os.close(self.side)
                return os.waitstatus_to_exitcode(status)
        os.kill(self.child, signal.SIGKILL)
        os.waitpid(self.child, 0)
        raise AssertionError("the program did not end")
