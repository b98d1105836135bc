"""`gristmill top` against a server: as a page of text, and on a terminal."""

import os
import re
import signal
import struct
import subprocess
import sys
import termios
import threading
import time
from fcntl import ioctl
from pathlib import Path

import pytest
from client_process import environment
from http_client import Http
from server import BINARY, Server

sys.path.append(str(Path(__file__).parents[1] / "e2e"))
import pty  # noqa: E402
import select  # noqa: E402


def page(port, home, *words, code=0):
    line = [BINARY, "top", "--port", str(port), "--once", "--interval", "0.3", *map(str, words)]
    ran = subprocess.run(line, env=environment(home), cwd=home, capture_output=True, text=True, timeout=120)
    assert ran.returncode == code and "panicked" not in ran.stderr, ran
    return ran.stdout if code == 0 else ran.stderr


class Running:
    """A query that runs until it is killed or the block ends."""

    def __init__(self, http, query_id, text="SELECT count() FROM numbers(100000000000) WHERE sipHash64(number) = 1"):
        self.http, self.query_id = http, query_id
        self.answer = None
        self.thread = threading.Thread(target=self.run, args=(text,))

    def run(self, text):
        self.answer = self.http(text, query_id=self.query_id, max_threads=1)

    def __enter__(self):
        self.thread.start()
        deadline = time.monotonic() + 30
        while self.http.ok(f"SELECT count() FROM system.processes WHERE query_id = '{self.query_id}' AND elapsed > 0.2") != "1\n":
            assert time.monotonic() < deadline
            time.sleep(0.05)
        return self

    def __exit__(self, *_):
        self.http.ok(f"KILL QUERY WHERE query_id = '{self.query_id}' SYNC")
        self.thread.join(30)


def test_a_page_shows_what_runs(server, http, tmp_path):
    with Running(http, "busy-query"):
        text = page(server.tcp_port, tmp_path, "--width", 200)
    assert f"at localhost:{server.tcp_port}, up " in text
    assert re.search(r"Memory [\d.]+ [KMG]iB of [\d.]+ [MGT]iB \[[#-]{20}\] \d+ %   CPU (?:[\d.]+|-) cores, load ", text)
    # Our own queries are not shown, and their number is not that of the server's work.
    assert " Queries: 1 " in text and "gristmill-top" not in text
    row = re.search(r"^busy-query +default +([\d.]+)s +([\d.]+)([kMG])(?: \d+%)? +([\d.]+ [KMG]?B) +([\d.]+ [KMG]?i?B) +([\d.]+) +[\d.]+ +SELECT count\(\) FROM numbers", text, re.M)
    assert row, text
    assert float(row[1]) >= 0.2 and float(row[2]) > 0
    assert re.search(r"Rows [\d.]+[kMG]/s read", text)


def test_a_page_shows_mutations_that_fail(server, http, table, tmp_path):
    http.ok(f"CREATE TABLE {table} (a UInt32) ENGINE = MergeTree ORDER BY a")
    http.ok(f"INSERT INTO {table} SELECT * FROM numbers(10)")
    http.ok(f"ALTER TABLE {table} DELETE WHERE throwIf(a = 3) = 1", mutations_sync=0)
    deadline = time.monotonic() + 60
    while "throwIf" not in (text := page(server.tcp_port, tmp_path, "--width", 200)):
        assert time.monotonic() < deadline, text
    assert " Mutations: 1 " in text and f"default.{table}"[:30] in text
    http.ok(f"KILL MUTATION WHERE table = '{table}'")


def test_what_a_user_may_not_see_is_said(server, http, tmp_path):
    http.ok("DROP USER IF EXISTS blind")
    http.ok("CREATE USER blind IDENTIFIED BY 'Secret-1'")
    try:
        text = page(server.tcp_port, tmp_path, "--user", "blind", "--password", "Secret-1", "--width", 200)
        assert " Queries: 0 " in text
        text = page(server.tcp_port, tmp_path, "--user", "blind", "--password", "wrong", code=516 % 256)
        assert "AUTHENTICATION_FAILED" in text
    finally:
        http.ok("DROP USER blind")


def test_no_server_is_an_error_at_once(tmp_path):
    assert "NETWORK_ERROR" in page(1, tmp_path, code=210)
    assert "interval" in page(1, tmp_path, "--interval", 0, code=36)


class Screen:
    """The program on a terminal; `text` is all that it ever wrote there."""

    def __init__(self, port, home, *words, rows=40, columns=150):
        self.child, self.side = pty.fork()
        if self.child == 0:
            os.chdir(home)
            os.execve(BINARY, [BINARY, "top", "--port", str(port), "--interval", "0.2", *words], environment(home) | {"TERM": "xterm"})
        self.resize(rows, columns)
        self.text = ""

    def resize(self, rows, columns):
        ioctl(self.side, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        os.kill(self.child, signal.SIGWINCH)

    def take(self):
        got = os.read(self.side, 65536)
        assert got, f"it ended: {self.text[-3000:]!r}"
        # Blank cells are passed over by moving the cursor.
        got = re.sub(rb"\x1b\[\d+;\d+H", b" ", got)
        self.text += re.sub(rb"\x1b\[[0-9;?]*[a-zA-Z]", b"", got).decode("utf-8", "replace")

    def expect(self, pattern, seconds=30):
        deadline = time.monotonic() + seconds
        while not (found := re.search(pattern, self.text, re.S)):
            assert time.monotonic() < deadline, f"{pattern!r} did not come in {self.text[-3000:]!r}"
            if select.select([self.side], [], [], 0.2)[0]:
                self.take()
        self.text = self.text[found.end() :]
        return found

    def expect_redrawn(self, pattern):
        """Only what changes is drawn, unless the size did."""
        for rows in [39, 40] * 20:
            self.resize(rows, 150)
            deadline = time.monotonic() + 0.5
            while time.monotonic() < deadline:
                if select.select([self.side], [], [], 0.1)[0]:
                    self.take()
            if re.search(pattern, self.text, re.S):
                return self.expect(pattern)
        raise AssertionError(f"{pattern!r} did not come in {self.text[-3000:]!r}")

    def type(self, keys):
        os.write(self.side, keys.encode())

    def end(self):
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


def test_a_query_is_killed_after_a_question(server, http, tmp_path):
    with Running(http, "to-be-killed") as running:
        screen = Screen(server.tcp_port, tmp_path)
        screen.expect("to-be-killed")
        screen.type("k")
        screen.expect("Choose a query")
        screen.type("\x1b[B")
        time.sleep(0.3)
        screen.type("k")
        screen.expect("y kills it")
        screen.type("n")
        time.sleep(0.5)
        assert running.answer is None
        screen.type("k")
        screen.expect("y kills it")
        screen.type("y")
        running.thread.join(30)
        assert running.answer.error[0] == 394
        screen.type("q")
        assert screen.end() == 0


@pytest.mark.parametrize("leave", ["q", "\x03", "term"])
def test_keys_change_the_screen_and_leave_it(server, tmp_path, leave):
    screen = Screen(server.tcp_port, tmp_path)
    screen.expect(r"q quit")
    screen.type("?")
    screen.expect("Any key closes this")
    screen.type("x")
    screen.type("s")
    # A key that comes with a new size waits for the next key: so all keys are read before the size changes.
    screen.type("p")
    screen.expect(r"\[paused\]")
    screen.expect_redrawn(r"CPU\*")
    screen.resize(6, 30)
    screen.resize(2, 5)
    screen.expect_redrawn("q quit")
    if leave == "term":
        os.kill(screen.child, signal.SIGTERM)
    else:
        screen.type(leave)
    assert screen.end() == 0


def test_a_lost_server_is_told_and_found_again(tmp_path):
    server = Server(tmp_path / "one")
    port = server.tcp_port
    screen = Screen(port, tmp_path)
    screen.expect("q quit")
    server.stop()
    screen.expect("No connection")
    again = Server(tmp_path / "one", "--tcp-port", str(port))
    try:
        screen.expect("q quit")
        Http(again.http_port).ok("SELECT 1")
        screen.type("q")
        assert screen.end() == 0
    finally:
        again.stop()
