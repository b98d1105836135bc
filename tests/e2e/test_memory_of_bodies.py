"""What an INSERT takes whose rows come with the request: it is counted, and kept to the limit."""

import subprocess
import time
from http.client import HTTPConnection
from pathlib import Path
from threading import Event, Thread
from urllib.parse import quote

import pytest
from runner import BINARY, environment, gristmill
from servers import Process, free_port
from test_memory import MIB, anonymous_bytes

LIMIT = 400 * MIB
ROW_BYTES = 10_000_000
TABLE = "CREATE TABLE w (k UInt64, s String) ENGINE = MergeTree ORDER BY k"
# What the allocator has not given back yet, and buffers of the connection.
SLACK_BYTES = 40 * MIB


class Watched:
    """A server, and the most that it ever held beyond what it began with."""

    def __init__(self, folder: Path):
        self.port, self.native_port = free_port(), free_port()
        ports = ["--http-port", str(self.port), "--tcp-port", str(self.native_port)]
        self.process = Process([BINARY, "server", "--path", folder / "server", *ports], self.port, folder / "log")
        self.peak, self.done = 0, Event()
        self.ask("SELECT count() FROM numbers(1000000)")
        self.idle = anonymous_bytes(self.process.child.pid)
        self.watcher = Thread(target=self.watch)
        self.watcher.start()

    def watch(self):
        while not self.done.wait(0.002):
            self.peak = max(self.peak, anonymous_bytes(self.process.child.pid) - self.idle)

    def stop(self):
        self.done.set()
        self.watcher.join()
        self.process.stop()

    def ask(self, query: str, body=b"", **settings) -> bytes:
        words = "".join(f"&{name}={quote(str(value))}" for name, value in settings.items())
        connection = HTTPConnection("127.0.0.1", self.port, timeout=600)
        connection.request("POST", f"/?query={quote(query)}{words}", body=body, encode_chunked=not isinstance(body, bytes))
        answer = connection.getresponse().read()
        connection.close()
        return answer.strip()

    def told(self, query_id: str) -> int:
        self.ask("SYSTEM FLUSH LOGS")
        found = f"SELECT max(memory_usage) FROM system.query_log WHERE query_id = '{query_id}'"
        return int(self.ask(found))


@pytest.fixture
def server(tmp_path):
    watched = Watched(tmp_path)
    yield watched
    watched.stop()


def row(form: str, number: int, letters: bytes) -> bytes:
    key = b"%d" % number
    return {
        "CSV": key + b',"' + letters + b'"\n',
        "JSONEachRow": b'{"k":' + key + b',"s":"' + letters + b'"}\n',
        "Values": b"(" + key + b",'" + letters + b"'),",
        "TabSeparated": key + b"\t" + letters + b"\n",
    }[form]


def rows(form: str, count: int):
    letters = b"abcdefghij" * (ROW_BYTES // 10)
    for number in range(count):
        yield row(form, number, letters)


@pytest.mark.parametrize("form", ["CSV", "JSONEachRow", "Values", "TabSeparated"])
def test_rows_of_megabytes_in_a_body_are_loaded_within_the_limit(server, form):
    server.ask(TABLE)
    body = rows(form, 60)
    said = server.ask(f"INSERT INTO w FORMAT {form}", body, query_id="load", max_memory_usage=LIMIT)
    assert said == b""
    assert server.ask("SELECT count(), sum(length(s)) FROM w") == b"60\t%d" % (60 * ROW_BYTES)
    assert server.peak <= LIMIT + SLACK_BYTES, server.peak / MIB
    told = server.told("load")
    assert 0.85 * server.peak - SLACK_BYTES <= told <= 1.15 * server.peak + SLACK_BYTES, (told / MIB, server.peak / MIB)


def test_rows_of_megabytes_of_a_client_are_loaded_within_the_limit(server, tmp_path):
    server.ask(TABLE)
    with (tmp_path / "rows.csv").open("wb") as file:
        file.writelines(rows("CSV", 60))
    query = f"INSERT INTO w SETTINGS max_memory_usage = {LIMIT} FORMAT CSV"
    line = [BINARY, "client", "--port", str(server.native_port), "-q", query]
    with (tmp_path / "rows.csv").open("rb") as file:
        done = subprocess.run(line, env=environment(), stdin=file, capture_output=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr
    assert server.ask("SELECT count(), sum(length(s)) FROM w") == b"60\t%d" % (60 * ROW_BYTES)
    assert server.peak <= LIMIT + SLACK_BYTES, server.peak / MIB


@pytest.mark.parametrize("form", ["CSV", "JSONEachRow"])
def test_a_value_that_cannot_be_read_within_the_limit_is_refused_near_it(server, form):
    server.ask(TABLE)
    body = iter([row(form, 1, b"abcdefghij" * 38_000_000)])
    said = server.ask(f"INSERT INTO w FORMAT {form}", body, query_id="load", max_memory_usage=LIMIT)
    assert b"MEMORY_LIMIT_EXCEEDED" in said, said
    # The allocator keeps the smaller buffers that the value outgrew for a moment.
    assert server.peak <= 1.25 * LIMIT + SLACK_BYTES, server.peak / MIB
    assert server.ask("SELECT count() FROM w") == b"0"


# Of some columns of a wide file.
SUM = "sum(cityHash64(c0, c77, c199))"


def wide_file(folder: Path, columns: int, count: int, group_rows: int) -> Path:
    file = folder / "wide.parquet"
    made = ", ".join(f"toString(cityHash64(number, {at})) AS c{at}" for at in range(columns))
    setting = f"SET output_format_parquet_row_group_size = {group_rows}"
    gristmill(setting, f"INSERT INTO FUNCTION file('{file}') SELECT {made} FROM numbers({count})").ok()
    return file


@pytest.mark.parametrize("group_rows", [5000, 100_000])
def test_a_parquet_file_in_a_body_is_decoded_some_rows_at_a_time(server, tmp_path, group_rows):
    file = wide_file(tmp_path, 200, 50_000, group_rows)
    columns = ", ".join(f"c{at} String" for at in range(200))
    server.ask(f"CREATE TABLE t ({columns}) ENGINE = MergeTree ORDER BY c0")
    with file.open("rb") as body:
        said = server.ask("INSERT INTO t FORMAT Parquet", body, query_id="load", max_memory_usage=LIMIT)
    assert said == b""
    there = gristmill(f"SELECT count(), {SUM} FROM file('{file}')").ok().out.strip()
    assert server.peak <= LIMIT + SLACK_BYTES, server.peak / MIB
    told = server.told("load")
    assert told <= 1.15 * server.peak + SLACK_BYTES, (told / MIB, server.peak / MIB)
    assert server.ask(f"SELECT count(), {SUM} FROM t").decode() == there


def test_very_many_columns_in_a_body_are_refused_near_the_limit(server, tmp_path):
    file = wide_file(tmp_path, 1500, 5000, 2500)
    columns = ", ".join(f"c{at} String" for at in range(1500))
    server.ask(f"CREATE TABLE t ({columns}) ENGINE = MergeTree ORDER BY c0")
    limit = 150 * MIB
    began = time.monotonic()
    with file.open("rb") as body:
        said = server.ask("INSERT INTO t FORMAT Parquet", body, query_id="load", max_memory_usage=limit)
    assert said == b"" or b"MEMORY_LIMIT_EXCEEDED" in said, said
    assert server.peak <= 1.5 * limit + SLACK_BYTES, (server.peak / MIB, time.monotonic() - began)
    held = b"5000" if said == b"" else b"0"
    assert server.ask("SELECT count() FROM t") == held
