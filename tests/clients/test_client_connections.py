"""How `gristmill client` connects, what it says at a terminal, and what ends it."""

import re
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from client_process import Client, wait_for
from server import Server

sys.path.append(str(Path(__file__).parents[1] / "e2e"))
from terminal import Terminal  # noqa: E402

TLS = Path(__file__).parent / "tls"


def test_nobody_there(client):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        answer = client.bare("--port", taken.getsockname()[1], "--host", "127.0.0.1", "-q", "SELECT 1")
    assert answer.code == 210 and "NETWORK_ERROR" in answer.err
    assert client.bare("--host", "no.such.host.invalid", "-q", "SELECT 1").code == 198


def test_the_port_of_http_is_told(client, server):
    answer = client.bare("--port", server.http_port, "-q", "SELECT 1", "--receive_timeout", "10")
    assert answer.code in (217, 210), answer


def test_users_and_passwords(client, http):
    http.ok("CREATE USER OR REPLACE reader IDENTIFIED BY 'sesame %1'")
    try:
        login = ["--user", "reader", "--password", "sesame %1"]
        assert client("SELECT currentUser()", flags=login).ok() == "reader\n"
        wrong = client("SELECT 1", flags=["--user", "reader", "--password", "open"])
        assert wrong.code == 516 % 256 and "AUTHENTICATION_FAILED" in wrong.err and "open" not in wrong.err.replace("opened", "")
        env = {"CLICKHOUSE_USER": "reader", "CLICKHOUSE_PASSWORD": "sesame %1", "CLICKHOUSE_HOST": "127.0.0.1"}
        assert client("SELECT currentUser()", env=env).ok() == "reader\n"
        string = f"clickhouse://reader:sesame%20%251@127.0.0.1:{client.port}/system?max_threads=3"
        assert client.bare(string, "-q", "SELECT currentUser(), currentDatabase(), getSetting('max_threads')").ok() == "reader\tsystem\t3\n"
    finally:
        http.ok("DROP USER reader")


def test_ctrl_c_ends_the_query_on_the_server(client, http):
    process = client.start("--query_id", "to-cancel", "-q", "SELECT sum(number) FROM numbers(100000000000000)")
    count = "SELECT count() FROM system.processes WHERE query_id = 'to-cancel'"
    wait_for(60, lambda: http.ok(count) == "1\n")
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 394 % 256 and b"QUERY_WAS_CANCELLED" in errors
    wait_for(30, lambda: http.ok(count) == "0\n")


def test_an_insert_that_is_given_up_inserts_nothing(client, http, table):
    http.ok(f"CREATE TABLE {table} (a UInt32) ENGINE = MergeTree ORDER BY a")
    process = client.start("--query_id", "to-give-up", "-q", f"INSERT INTO {table} FORMAT CSV", stdin=subprocess.PIPE)
    process.stdin.write(b"1\n" * 100_000)
    process.stdin.flush()
    count = "SELECT count() FROM system.processes WHERE query_id = 'to-give-up'"
    wait_for(60, lambda: http.ok(count) == "1\n")
    process.send_signal(signal.SIGINT)
    assert process.wait(60) == 394 % 256
    process.stdin.close()
    process.stdout.close()
    process.stderr.close()
    wait_for(30, lambda: http.ok(count) == "0\n")
    assert http.ok(f"SELECT count() FROM {table}") == "0\n"


def test_memory_stays_bounded_while_rows_go_in(client, http, table):
    http.ok(f"CREATE TABLE {table} (a UInt64, s String) ENGINE = Null")
    process = client.start("-q", f"INSERT INTO {table} FORMAT TSV", stdin=subprocess.PIPE)
    chunk = b"".join(b"%d\t%s\n" % (k, b"x" * 100) for k in range(10_000))
    most = 0
    for _ in range(300):
        process.stdin.write(chunk)
        status = Path(f"/proc/{process.pid}/status").read_text()
        most = max(most, int(re.search(r"VmRSS:\s+(\d+) kB", status)[1]))
    process.stdin.close()
    assert process.wait(120) == 0
    process.stdout.close()
    process.stderr.close()
    assert most < 300_000, f"{most} kB for 340 MB of rows"


@pytest.fixture(scope="module")
def tls(tmp_path_factory):
    flags = ["--tcp-port-secure", 0, "--certificate", TLS / "server.crt", "--private-key", TLS / "server.key"]
    server = Server(tmp_path_factory.mktemp("tls"), *flags)
    yield server
    assert server.stop() == 0


def test_tls(client, tls):
    place = ["--secure", "--port", tls.tcp_secure_port]
    trusting = {"SSL_CERT_FILE": str(TLS / "server.crt")}
    assert client.bare(*place, "-q", "SELECT 1", env=trusting).ok() == "1\n"
    refused = client.bare(*place, "-q", "SELECT 1")
    assert refused.code == 210 and "TLS" in refused.err and "certificate" in refused.err
    assert client.bare(*place, "--accept-invalid-certificate", "-q", "SELECT 1").ok() == "1\n"
    plain = client.bare("--port", tls.tcp_secure_port, "-q", "SELECT 1", "--receive_timeout", "5")
    assert plain.code == 217 and "--secure" in plain.err
    (client.home / "c.xml").write_text(f"<config><secure>1</secure><openSSL><client><caConfig>{TLS / 'server.crt'}</caConfig></client></openSSL></config>")
    assert client.bare("-C", "c.xml", "--port", tls.tcp_secure_port, "-q", "SELECT 2").ok() == "2\n"


def test_a_lost_connection_is_made_again_with_database_and_settings(client, tmp_path_factory):
    server = Server(tmp_path_factory.mktemp("lost"))
    port = server.tcp_port
    terminal = Terminal("client", "--port", port, "-A", cwd=client.home, history=client.home / "history")
    terminal.expect(r":\) ")
    for text in ("USE system;\r", "SET max_threads = 3;\r"):
        terminal.type(text)
        terminal.expect(r"Ok\.")
        terminal.expect(r":\) ")
    assert server.stop() == 0
    again = Server(tmp_path_factory.mktemp("lost"), "--tcp-port", port)
    time.sleep(1.1)
    terminal.type("SELECT concat(currentDatabase(), toString(getSetting('max_threads')));\r")
    terminal.expect(r"system3")
    terminal.expect(r":\) ")
    terminal.type("exit\r")
    assert terminal.end() == 0
    assert again.stop() == 0


def test_prompt(client, http, table):
    http.ok(f"CREATE TABLE {table} (wonderful_column UInt64) ENGINE = MergeTree ORDER BY wonderful_column")
    http.ok("SYSTEM FLUSH LOGS query_log")
    history = client.home / "history"
    terminal = Terminal("client", "--port", client.port, cwd=client.home, history=history)
    terminal.expect(r"Connected to ClickHouse server version \d+\.\d+\.\d+ at localhost:\d+ as user default\.")
    terminal.expect(r":\) ")
    terminal.type("SELECT number, 'x'\rFROM numbers(5);\r")
    text = terminal.expect(r"5 rows in set\. Elapsed: \d+\.\d{3} sec\.")
    assert "┌─number─┬" in text
    terminal.expect(r":\) ")
    terminal.type("SELECT sum(number) FROM numbers(3000000);\r")
    terminal.expect(r"Processed 3\.00 million rows, 24\.0\d MB .*Peak memory usage: \d+(\.\d+)? [KMG]?i?B\.")
    terminal.expect(r":\) ")
    terminal.type("SELECT wonderf\t FROM t_tes\t;\r")
    terminal.expect(r"0 rows in set|Ok\.")
    terminal.expect(r":\) ")
    terminal.type("SELECT count() FROM system.data_skipping_indi\t;\r")
    terminal.expect(r"1 row in set")
    terminal.expect(r":\) ")
    terminal.type(f"INSERT INTO {table} VALUES (1), (2);\r")
    terminal.expect(r"Ok\..*2 rows in set\. Elapsed")
    terminal.expect(r":\) ")
    terminal.type(f"INSERT INTO {table} SELECT number FROM numbers(3000);\r")
    terminal.expect(r"3000 rows in set\. Elapsed.*Insert gear: .*parts at a time")
    terminal.expect(r":\) ")
    terminal.type("\\l\r")
    terminal.expect(r"system.*rows in set")
    terminal.expect(r":\) ")
    terminal.type("\\c system\r")
    terminal.expect(r"Ok\.")
    terminal.expect(r":\) ")
    terminal.type("\\d\r")
    terminal.expect(r"query_log.*rows in set")
    terminal.expect(r":\) ")
    terminal.type("\\c default\r")
    terminal.expect(r"Ok\.")
    terminal.expect(r":\) ")
    terminal.type("SELECT 1 AS one\\G\r")
    terminal.expect(r"Row 1:.*one: 1.*1 row in set")
    terminal.expect(r":\) ")
    terminal.type("SELECT no_such_column;\r")
    terminal.expect(r"Received exception:.*Code: 47\. DB::Exception: Received from localhost")
    terminal.expect(r":\) ")
    terminal.type("SELECT sum(number) FROM numbers(100000000000000);\r")
    terminal.expect(r"Progress: ")
    terminal.type("\x03")
    terminal.expect(r"QUERY_WAS_CANCELLED")
    terminal.expect(r":\) ")
    terminal.type("SELECT 'still here';\r")
    terminal.expect(r"still here.*1 row in set")
    terminal.expect(r":\) ")
    terminal.type("DROP USER IF EXISTS nobody; CREATE USER nobody IDENTIFIED BY 'sesame'; DROP USER nobody;\r")
    terminal.expect(r"Ok\..*Ok\..*Ok\.")
    terminal.expect(r":\) ")
    terminal.type("exit\r")
    assert terminal.end() == 0
    assert "wonderful_column" in history.read_text() and "CREATE USER nobody" in history.read_text()
    assert "sesame" not in history.read_text()
    assert history.stat().st_mode & 0o777 == 0o600


def test_password_is_asked_for_and_not_shown(client, http):
    http.ok("CREATE USER OR REPLACE asked IDENTIFIED BY 'sesame'")
    try:
        terminal = Terminal("client", "--port", client.port, "--user", "asked", "--password", "-q", "SELECT currentUser()", cwd=client.home, history=client.home / "h")
        terminal.expect(r"Password for user \(asked\): ")
        terminal.type("sesame\r")
        text = terminal.expect(r"asked *│|asked\r\n")
        assert "sesame" not in text
        assert terminal.end() == 0
    finally:
        http.ok("DROP USER asked")


class Crooked:
    """A server that answers the hello of a client with given bytes."""

    def __init__(self, answer: bytes):
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.port = self.socket.getsockname()[1]
        threading.Thread(target=self._serve, args=(answer,), daemon=True).start()

    def _serve(self, answer: bytes):
        peer, _ = self.socket.accept()
        peer.recv(65536)
        peer.sendall(answer)
        peer.shutdown(socket.SHUT_WR)
        time.sleep(1)
        peer.close()


@pytest.mark.parametrize(
    ("answer", "code"),
    [(b"\x63", 102), (b"SSH-2.0-OpenSSH\r\n", 102), (b"", 210), (b"\x00\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f", 131), (b"\x00\x05Click", 210)],
)
def test_what_is_no_server_is_told(client, answer, code):
    crooked = Crooked(answer)
    got = client.bare("--host", "127.0.0.1", "--port", crooked.port, "-q", "SELECT 1")
    assert got.code == code, got


def test_of_several_hosts_the_first_that_answers_is_asked(client):
    with socket.socket() as taken:
        # Nobody listens there.
        taken.bind(("127.0.0.1", 0))
        closed = taken.getsockname()[1]
        here = ("--host", "127.0.0.1", "--port", client.port)
        assert client.bare("--host", "127.0.0.1", "--port", closed, *here, "-q", "SELECT 1; SELECT 2").ok() == "1\n2\n"
        assert client.bare("--host", "no-such-host.invalid", *here, "-q", "SELECT 1").ok() == "1\n"
        assert client.bare(*here, "--host", "127.0.0.1", "--port", closed, "-q", "SELECT 1").ok() == "1\n"
        none = client.bare("--host", "127.0.0.1", "--port", closed, "--host", "localhost", "--port", closed, "-q", "SELECT 1")
        assert none.code == 210 and f"localhost:{closed}" in none.err
        # Who refuses has answered.
        refused = client.bare(*here, "--host", "127.0.0.1", "--port", closed, "--user", "nobody", "--password", "x", "-q", "SELECT 1")
        assert refused.code == 516 % 256


def test_the_certificate_may_have_another_name(tmp_path):
    server = Server(tmp_path / "data", "--certificate", TLS / "server.crt", "--private-key", TLS / "server.key", "--tcp-port-secure", 0)
    client = Client(tmp_path, server.tcp_secure_port)
    flags = ("--secure", "--host", "127.0.0.1", "--port", server.tcp_secure_port, "-q", "SELECT 1")
    config = tmp_path / "own.xml"
    config.write_text(f"<config><openSSL><client><caConfig>{TLS}/server.crt</caConfig></client></openSSL></config>")
    assert client.bare("-C", config, "--tls-sni-override", "elsewhere.example", *flags).code == 210
    assert client.bare("-C", config, "--tls-sni-override", "localhost", *flags).ok() == "1\n"
    assert server.stop() == 0
