"""What a client may not do: files of the server's machine, settings that hold it, queries of others that it only asks about."""

import socket
import threading
import time
from contextlib import contextmanager
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from http_client import ERROR, Http
from server import Server


def test_files_are_those_of_one_folder(tmp_path):
    server = Server(tmp_path / "data")
    http = Http(server.http_port)
    secret = tmp_path / "secret.csv"
    secret.write_text("secret\n")
    http.ok("INSERT INTO FUNCTION file('mine.csv', 'CSV', 'a String') VALUES ('mine')")
    assert (tmp_path / "data/user_files/mine.csv").read_text() == '"mine"\n'
    assert http.ok("SELECT * FROM file('mine.csv', 'CSV', 'a String')") == "mine\n"
    for query in (
        f"SELECT * FROM file('{secret}', 'CSV', 'a String')",
        "SELECT * FROM file('../../secret.csv', 'CSV', 'a String')",
        f"INSERT INTO FUNCTION file('{secret}', 'CSV', 'a String') SELECT 'x'",
        f"CREATE TABLE f (a String) ENGINE = File(CSV, '{secret}')",
    ):
        answer = http(query)
        assert answer.error[1] == "PATH_ACCESS_DENIED" and "secret\n" not in answer.text, answer
    assert http("CREATE TABLE f (a String) ENGINE = URL('file:///etc/passwd', CSV)").status != 200
    assert not list((tmp_path / "data/metadata/v1-unowned").glob("*"))
    http.ok("CREATE TABLE t (a String) ENGINE = MergeTree ORDER BY a")
    assert http(f"INSERT INTO t FROM INFILE '{secret}' FORMAT CSV").status != 200
    assert http.ok("SELECT count() FROM t") == "0\n"
    assert secret.read_text() == "secret\n"
    assert server.stop() == 0


def test_addresses_of_metadata_are_not_asked(http):
    refused = (491, "UNACCEPTABLE_URL")
    assert http("SELECT * FROM url('http://169.254.169.254/latest/meta-data/', 'LineAsString', 'a String')").error == refused
    assert http("SELECT * FROM url('http://169.254.169.25%34/latest/', 'LineAsString', 'a String')").error == refused
    assert http("SELECT * FROM s3('http://[fd00:ec2::254]/bucket/key.csv', 'CSV', 'a String')").error == refused


@contextmanager
def sends_on(target):
    """An HTTP server that answers `/here` with a row, and sends everything else on; its address."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self):
            body = b"row\n" if self.path == "/here" else b""
            self.send_response(200 if body else 302)
            if not body:
                self.send_header("Location", target)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(b"" if self.command == "HEAD" else body)

        do_HEAD = do_GET

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "127.1", "0.0.0.0", "2130706433", "127.0.0.%31"])
def test_the_server_does_not_ask_itself(server, http, host):
    refused = (491, "UNACCEPTABLE_URL")
    for port in (server.http_port, server.tcp_port):
        url = f"http://{host}:{port}"
        assert http(f"SELECT * FROM url('{url}/?query=SELECT+1', 'TSV', 'a String')").error == refused
        insert = f"INSERT INTO FUNCTION url('{url}/?max_threads=1', 'TSV', 'a String') VALUES ('CREATE USER escaped')"
        assert http(insert).error == refused
    url = f"http://{host}:{server.http_port}"
    if "%" not in host:
        assert http(f"SELECT * FROM s3('{url}/bucket/key.csv', NOSIGN, 'CSV', 'a String')").error == refused
    with sends_on(f"{url}/?query=SELECT+1") as other:
        assert http(f"SELECT * FROM url('{other}/', 'TSV', 'a String')").error == refused
        if "%" not in host:
            assert http(f"SELECT * FROM s3('{other}/bucket/key.csv', NOSIGN, 'CSV', 'a String')").error == refused
    assert http.ok("SELECT count() FROM system.users WHERE name = 'escaped'") == "0\n"


def test_so_many_redirects_are_followed(http):
    with sends_on("/here") as other:
        query = f"SELECT * FROM url('{other}/there', 'LineAsString', 'a String')"
        assert http.ok(query) == "row\n"
        assert http.ok(query, max_http_get_redirects=1) == "row\n"
        assert http(query, max_http_get_redirects=0).error == (483, "TOO_MANY_REDIRECTS")
    with sends_on("/again") as other:
        query = f"SELECT * FROM url('{other}/there', 'LineAsString', 'a String')"
        assert http(query).error == (483, "TOO_MANY_REDIRECTS")


def test_hosts_that_are_not_listed_are_not_asked(tmp_path):
    config = tmp_path / "config.xml"
    config.write_text(
        "<clickhouse><remote_url_allow_hosts><host>localhost</host><host_regexp>.*\\.example</host_regexp>"
        "</remote_url_allow_hosts></clickhouse>"
    )
    server = Server(tmp_path / "data", "--config-file", config)
    http = Http(server.http_port)
    query = f":{server.http_port}/?query=SELECT+1', 'CSV', 'a UInt8')"
    assert http.ok("SELECT * FROM url('http://localhost" + query) == "1\n"
    assert http("SELECT * FROM url('http://127.0.0.1" + query).error == (491, "UNACCEPTABLE_URL")
    assert server.stop() == 0


def test_a_query_cannot_switch_off_readonly(http, table):
    http.ok(f"CREATE TABLE {table} (a Int32) ENGINE = MergeTree ORDER BY a")
    readonly = (164, "READONLY")
    drop = f"DROP TABLE {table}"
    assert http(drop, method="GET").error == readonly
    assert http(f"{drop} SETTINGS readonly = 0", method="GET").error == readonly
    assert http(drop, method="GET", readonly=0).error == readonly
    assert http(f"INSERT INTO {table} SETTINGS readonly = 0 SELECT 1", method="GET").error == readonly
    assert http(f"INSERT INTO {table} SETTINGS readonly = 0 SELECT 1", readonly=1).error == readonly
    assert http.ok("SELECT 1 SETTINGS max_threads = 1", method="GET") == "1\n"
    session = {"session_id": table}
    http.ok("SET readonly = 1", **session)
    for query in ("SET readonly = 0", "SET max_threads = 3", "SELECT 1 SETTINGS max_threads = 3", drop, "KILL QUERY WHERE 1"):
        assert http(query, **session).error == readonly, query
    assert http.ok("SELECT getSetting('readonly')", **session) == "1\n"
    assert http.ok(f"SELECT count() FROM {table}") == "0\n"


@pytest.mark.parametrize(
    "function",
    [
        "url('http://127.0.0.1:1/x', 'CSV', 'a String')",
        "s3('http://127.0.0.1:1/bucket/x.csv', NOSIGN, 'CSV', 'a String')",
        "gcs('http://127.0.0.1:1/bucket/x.csv', NOSIGN, 'CSV', 'a String')",
        "azureBlobStorage('http://127.0.0.1:1/account', 'container', 'x.csv', 'account', 'a2V5', 'CSV', 'auto', 'a String')",
        "file('x.csv', 'CSV', 'a String')",
        "format('CSV', 'a String', '1')",
    ],
)
def test_readonly_reads_nothing_outside_of_the_server(http, function):
    for query in (f"SELECT * FROM {function}", f"SELECT 1 WHERE 1 IN (SELECT 1 FROM {function})"):
        assert http(query, readonly=1).error == (164, "READONLY")
    for function in ("numbers(1)", "values('a UInt8', 0)", "view(SELECT 0)", "generate_series(0, 0)"):
        assert http.ok(f"SELECT * FROM {function}", readonly=1) == "0\n"


def test_kill_query_takes_any_condition_and_test_only_shows(http):
    running = threading.Thread(target=http, args=("SELECT sum(number) FROM numbers(100000000000000)",), kwargs={"query_id": "long"})
    running.start()
    seen = "SELECT count() FROM system.processes WHERE query_id = 'long'"
    for _ in range(600):
        if http.ok(seen) == "1\n":
            break
        time.sleep(0.1)
    assert http.ok("KILL QUERY WHERE query_id = 'nobody'") == ""
    shown = http.ok("KILL QUERY WHERE user = 'default' AND query LIKE '%100000000000000%' TEST")
    assert shown.startswith("\tlong\tdefault\tSELECT sum")
    assert running.is_alive() and http.ok(seen) == "1\n"
    assert http.ok("KILL QUERY WHERE user = 'default' AND startsWith(query_id, 'lon')").startswith("waiting\tlong\t")
    running.join(60)
    assert not running.is_alive()


def test_queries_whose_clients_stall_can_be_killed_when_there_is_no_place(tmp_path):
    server = Server(tmp_path, "--max-concurrent-queries", 2)
    http = Http(server.http_port)
    stalled = []
    # A query that comes while a look at the processes has a place is refused: another comes then.
    for at in range(600):
        if http.ok("SELECT count() FROM system.processes WHERE query_id LIKE 's%'") == "2\n":
            break
        reader = socket.create_connection(("127.0.0.1", server.http_port))
        request = f"GET /?query_id=s{at}&query=SELECT+number+FROM+numbers(10000000000) HTTP/1.1\r\nHost: x\r\n\r\n"
        reader.sendall(request.encode())
        stalled.append(reader)
        time.sleep(0.1)
    assert http("SELECT 1").error == (202, "TOO_MANY_SIMULTANEOUS_QUERIES")
    assert http.ok("SELECT count() FROM system.processes WHERE query_id LIKE 's%'") == "2\n"
    assert http.ok("KILL QUERY WHERE startsWith(query_id, 's')").count("waiting") == 2
    for _ in range(600):
        if http("SELECT 1").status == 200:
            break
        time.sleep(0.1)
    assert http.ok("SELECT 1") == "1\n"
    for reader in stalled:
        reader.close()
    assert server.stop() == 0


def test_an_error_within_a_long_upload_is_heard(server, http, table):
    http.ok(f"CREATE TABLE {table} (a Int32) ENGINE = MergeTree ORDER BY a")

    def rows():
        yield b"1\nnot a number\n"
        for _ in range(50):
            yield b"2\n" * 500_000

    connection = HTTPConnection("127.0.0.1", server.http_port, timeout=120)
    headers = {"Transfer-Encoding": "chunked"}
    connection.request("POST", f"/?query=INSERT+INTO+{table}+FORMAT+TSV", body=rows(), headers=headers, encode_chunked=True)
    answer = connection.getresponse()
    text = answer.read().decode()
    assert answer.status == 400 and ERROR.search(text)[1] == "27", (answer.status, text[:500])
    connection.close()
    assert http.ok(f"SELECT count() FROM {table}") == "0\n"
