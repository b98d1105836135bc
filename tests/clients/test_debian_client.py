"""clickhouse-client 18.16, the one that Debian has: the oldest client that is served."""

import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest

ROOT = Path(os.environ.get("GRISTMILL_TOOLS", Path.home() / ".cache/gristmill/tools")) / "debian"
CLIENT = ROOT / "usr/bin/clickhouse-client"

pytestmark = pytest.mark.skipif(shutil.which("apt-get") is None, reason="Debian's packages are fetched by apt-get")


@pytest.fixture
def client(server, tmp_path):
    """Runs a query; its exit code, output and errors."""
    libraries = ":".join(sorted({str(path.parent) for path in ROOT.rglob("*.so*")}))
    env = os.environ | {"LD_LIBRARY_PATH": libraries, "HOME": str(tmp_path), "TZ": "UTC"}

    def start(query: str, *flags: str, **rest) -> subprocess.Popen:
        line = [CLIENT, "--host", "127.0.0.1", "--port", server.tcp_port, *flags, "--query", query]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        return subprocess.Popen([str(word) for word in line], env=env, **pipes)

    def run(query: str, *flags: str, data: bytes = b"") -> tuple[int, str, str]:
        process = start(query, *flags)
        out, errors = process.communicate(data, timeout=300)
        return process.returncode, out.decode(), errors.decode()

    run.start = start
    return run


def test_types_come_as_they_are(client):
    query = (
        "SELECT toInt64(-5), 18446744073709551615, 1.5, 'Grüße', toDate('2024-02-29'), toDateTime('2024-02-29 23:59:59', 'UTC'), "
        "[1, 2], (1, 'a'), CAST(NULL, 'Nullable(Int32)'), toUUID('61f0c404-5cb3-11e7-907b-a6006ad3dba0'), toDecimal64(12.5, 2)"
    )
    wanted = "-5\t18446744073709551615\t1.5\tGrüße\t2024-02-29\t2024-02-29 23:59:59\t[1,2]\t(1,'a')\t\\N\t"
    wanted += "61f0c404-5cb3-11e7-907b-a6006ad3dba0\t12.50\n"
    assert client(query) == (0, wanted, "")


@pytest.mark.parametrize("compression", ["0", "1"])
def test_a_million_rows_go_in_and_come_out(client, compression):
    flags = ["--compression", compression]
    table = f"debian_{compression}"
    assert client(f"CREATE TABLE {table} (k UInt32, s String) ENGINE = MergeTree ORDER BY k", *flags) == (0, "", "")
    data = "".join(f"{k},row {k}\n" for k in range(1_000_000)).encode()
    assert client(f"INSERT INTO {table} FORMAT CSV", *flags, data=data) == (0, "", "")
    code, out, errors = client(f"SELECT k, s FROM {table} ORDER BY k FORMAT CSV", *flags)
    assert (code, errors) == (0, "")
    assert out.replace('"', "").encode() == data
    assert client(f"DROP TABLE {table}", *flags) == (0, "", "")


def test_settings_and_errors(client):
    assert client("SELECT getSetting('max_threads')", "--max_threads", "3") == (0, "3\n", "")
    code, out, errors = client("SELECT * FROM no_such_table")
    assert code == 60 and out == "" and "Code: 60" in errors
    code, _, errors = client("SELECT 1", "--user", "nobody", "--password", "x")
    assert code != 0 and "Authentication failed" in errors


def test_a_query_that_is_given_up_ends_on_the_server(client, http):
    process = client.start("SELECT sum(number) FROM numbers(100000000000000)", "--query_id", "debian-cancel")
    count = "SELECT count() FROM system.processes WHERE query_id = 'debian-cancel'"
    for _ in range(600):
        if http.ok(count) == "1\n":
            break
        time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=120)
    for _ in range(600):
        if http.ok(count) == "0\n":
            return
        time.sleep(0.1)
    raise AssertionError("the query goes on")
