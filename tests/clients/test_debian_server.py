"""`gristmill client` against ClickHouse's own server: 18.16, the one that Debian has, which speaks a revision of 2018."""

import os
import signal
import socket
import subprocess
import time
from pathlib import Path

import pytest
from server import BINARY

ROOT = Path(os.environ.get("GRISTMILL_TOOLS", Path.home() / ".cache/gristmill/tools")) / "debian-server"
SERVER = ROOT / "usr/sbin/clickhouse-server"

pytestmark = pytest.mark.skipif(not SERVER.exists(), reason="Debian's packages are fetched by apt-get: make test-clients")

CONFIG = """<yandex><logger><level>warning</level><console>1</console></logger><listen_host>127.0.0.1</listen_host>
<tcp_port>{port}</tcp_port><path>{path}/</path><tmp_path>{path}/tmp/</tmp_path><mark_cache_size>1000000</mark_cache_size>
<users_config>users.xml</users_config><default_profile>default</default_profile><default_database>default</default_database></yandex>"""
USERS = """<yandex><profiles><default></default></profiles><quotas><default></default></quotas><users><default><password>sesame</password>
<networks><ip>::/0</ip></networks><profile>default</profile><quota>default</quota></default></users></yandex>"""


@pytest.fixture(scope="module")
def port(tmp_path_factory):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    folder = tmp_path_factory.mktemp("clickhouse")
    (folder / "tmp").mkdir()
    (folder / "config.xml").write_text(CONFIG.format(port=port, path=folder))
    (folder / "users.xml").write_text(USERS)
    libraries = ":".join(sorted({str(path.parent) for path in ROOT.rglob("*.so*")}))
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen([SERVER, "--config-file=config.xml"], cwd=folder, env=os.environ | {"LD_LIBRARY_PATH": libraries, "TZ": "UTC"}, stdout=log, stderr=log)
    deadline = time.monotonic() + 60
    while True:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                break
        assert time.monotonic() < deadline and process.poll() is None, (folder / "log").read_text()
        time.sleep(0.1)
    yield port
    process.terminate()
    process.wait(60)


@pytest.fixture
def client(port, tmp_path):
    def start(*words, **rest) -> subprocess.Popen:
        line = [BINARY, "client", "--host", "127.0.0.1", "--port", port, "--password", "sesame", *words]
        pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | rest
        return subprocess.Popen([str(word) for word in line], cwd=tmp_path, env=os.environ | {"HOME": str(tmp_path), "TZ": "UTC"}, **pipes)

    def run(*words, data: bytes | None = None) -> tuple[int, str, str]:
        process = start(*words, **({"stdin": subprocess.PIPE} if data is not None else {}))
        out, errors = process.communicate(data, timeout=120)
        return process.returncode, out.decode(), errors.decode()

    run.start = start
    return run


@pytest.mark.parametrize("compression", ["0", "1"])
def test_values_settings_and_errors(client, compression):
    flags = ["--compression", compression]
    query = "SELECT version() LIKE '18.16%', toInt64(-5), 1.5, 'Grüße', toDate('2024-02-29'), [1, 2], (1, 'a'), NULL, toDecimal64(12.5, 2)"
    assert client(*flags, "-q", query) == (0, "1\t-5\t1.5\tGrüße\t2024-02-29\t[1,2]\t(1,'a')\t\\N\t12.5\n", "")
    query = "SELECT number AS n, toString(n) AS s FROM system.numbers LIMIT 300000 FORMAT CSV"
    code, out, errors = client(*flags, "-q", query)
    assert (code, errors) == (0, "") and out.endswith('299999,"299999"\n') and out.count("\n") == 300_000
    assert client(*flags, "--max_block_size", "3", "-q", "SELECT max(blockSize()) FROM (SELECT * FROM system.numbers LIMIT 10)") == (0, "3\n", "")
    code, _, errors = client(*flags, "-q", "SELECT nope")
    assert code == 47 and "Received from 127.0.0.1:" in errors
    code, _, errors = client(*flags, "--no_such_setting", "1", "-q", "SELECT 1")
    assert code == 48 and "54412" in errors
    assert client("--user", "nobody", "-q", "SELECT 1")[0] == 192


@pytest.mark.parametrize("compression", ["0", "1"])
def test_rows_go_in_with_defaults(client, compression):
    flags = ["--compression", compression]
    assert client(*flags, "-q", "DROP TABLE IF EXISTS t; CREATE TABLE t (a UInt32, b String DEFAULT concat('b', toString(a))) ENGINE = Memory") == (0, "", "")
    assert client(*flags, "-q", "INSERT INTO t VALUES (1 + 0, 'x'), (2, DEFAULT)") == (0, "", "")
    assert client(*flags, "-q", "INSERT INTO t FORMAT JSONEachRow", data=b'{"a": 3}\n{"b": "y", "a": 4}') == (0, "", "")
    assert client(*flags, "-q", "SELECT * FROM t ORDER BY a") == (0, "1\tx\n2\tb2\n3\tb3\n4\ty\n", "")
    data = "".join(f"{k},row {k}\n" for k in range(200_000)).encode()
    assert client(*flags, "-q", "INSERT INTO t FORMAT CSV", data=data) == (0, "", "")
    script = "INSERT INTO t FORMAT CSV\noops,1\n;\nSELECT count() FROM t"
    code, out, errors = client(*flags, "--ignore-error", "-q", script)
    assert code == 27 and out == "200004\n" and "oops" in errors


def test_ctrl_c_ends_the_query(client):
    process = client.start("--query_id", "endless", "-q", "SELECT count() FROM system.numbers")
    count = "SELECT count() FROM system.processes WHERE query_id = 'endless'"
    deadline = time.monotonic() + 60
    while client("-q", count)[1] != "1\n":
        assert time.monotonic() < deadline
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    assert process.returncode == 394 % 256
    assert client("-q", count)[1] == "0\n"


def test_benchmark_measures_clickhouse(port, tmp_path):
    query = "SELECT count() FROM (SELECT * FROM system.numbers LIMIT 1000)"
    line = [BINARY, "benchmark", "--host", "127.0.0.1", "--port", port, "--password", "sesame", "--query", query, "-c", 2, "-i", 20, "-d", 0]
    ran = subprocess.run([str(word) for word in line], cwd=tmp_path, env=os.environ | {"HOME": str(tmp_path)}, capture_output=True, text=True, timeout=120)
    assert ran.returncode == 0 and f"127.0.0.1:{port}, queries: 20, QPS: " in ran.stderr, ran


def test_top_shows_what_clickhouse_tells_and_why_it_does_not_tell_the_rest(port, tmp_path):
    line = [BINARY, "top", "--host", "127.0.0.1", "--port", port, "--password", "sesame", "--once", "--width", 200]
    ran = subprocess.run([str(word) for word in line], cwd=tmp_path, env=os.environ | {"HOME": str(tmp_path)}, capture_output=True, text=True, timeout=120)
    assert ran.returncode == 0, ran
    assert ran.stdout.startswith("ClickHouse 18.16.1 at 127.0.0.1:"), ran.stdout
    assert "/s begun" in ran.stdout, "its events are known"
    # It has no map of events of each query.
    assert "ProfileEvents" in ran.stdout and "(UNKNOWN_IDENTIFIER)" in ran.stdout, ran.stdout
