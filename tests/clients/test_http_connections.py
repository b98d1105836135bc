"""Connections: how long they are kept, how they end, what of a head and a body is waited for."""

import io
import socket
import time
from http.client import HTTPResponse

import pytest
from http_client import Http, http_connection
from server import Server


def test_connections_have_numbers(http):
    connection = http_connection(http)
    numbers = []
    for _ in range(2):
        connection.request("GET", "/?query=SELECT+connectionId()")
        numbers.append(int(connection.getresponse().read()))
    assert numbers[0] == numbers[1] > 0
    assert int(http.ok("SELECT connection_id()")) > numbers[0]


def test_connections_are_kept(http):
    connection = http_connection(http)
    for query in ("SELECT+1", "SELECT+no_such_function()", "SELECT+2"):
        connection.request("GET", f"/?query={query}")
        connection.getresponse().read()
    sock = connection.sock
    connection.request("GET", "/?query=SELECT+3")
    assert connection.getresponse().read() == b"3\n" and connection.sock is sock


@pytest.mark.parametrize("path", ["/ping", "/?query=SELECT+1"])
@pytest.mark.parametrize("head", ["HTTP/1.0\r\n", "HTTP/1.0\r\nConnection: keep-alive\r\n", "HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"])
def test_a_connection_that_ends_is_said_to_end(server, path, head):
    with socket.create_connection(("127.0.0.1", server.http_port), timeout=20) as connection:
        connection.sendall(f"GET {path} {head}\r\n".encode())
        answer = b""
        while more := connection.recv(65536):
            answer += more
    lines = answer.decode().lower().split("\r\n\r\n")[0].split("\r\n")
    assert "connection: close" in lines and not any(line.startswith("keep-alive:") for line in lines), lines


def test_a_query_ends_when_its_client_leaves(http):
    with socket.create_connection(("127.0.0.1", http.port)) as leaving:
        leaving.sendall(b"GET /?query=SELECT+sum(number)+FROM+numbers(100000000000000)&query_id=left HTTP/1.1\r\nHost: x\r\n\r\n")
        until = time.time() + 30
        while http.ok("SELECT count() FROM system.processes WHERE query_id = 'left'") == "0\n":
            assert time.time() < until
    while http.ok("SELECT count() FROM system.processes WHERE query_id = 'left'") != "0\n":
        assert time.time() < until, "the query goes on without its client"


def half_closed(port: int, request: bytes) -> bytes:
    """The answer to a client that says no more once it has asked, as `nc -N` does."""
    with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
        connection.sendall(request)
        connection.shutdown(socket.SHUT_WR)
        answer = b""
        while more := connection.recv(65536):
            answer += more
    return answer


@pytest.mark.parametrize("version", [b"1.0", b"1.1"])
@pytest.mark.parametrize(
    "query",
    [
        b"SELECT+1", b"SELECT+number,+sleepEachRow(0.8)+FROM+numbers(4)+SETTINGS+max_block_size=1", b"SELECT+sleep(2.5)",
        b"SELECT+throwIf(sleep(1.5)=0)",
    ],
)
def test_a_client_that_says_no_more_gets_its_answer(http, version, query):
    head = b"GET /?query=" + query + b" HTTP/" + version + b"\r\nHost: x\r\n"
    with socket.create_connection(("127.0.0.1", http.port), timeout=60) as connection:
        connection.sendall(head + b"Connection: close\r\n\r\n")
        patient = HTTPResponse(connection)
        patient.begin()
        expected = (patient.status, patient.read())
    answer = half_closed(http.port, head + b"\r\n")
    assert answer.startswith(b"HTTP/1."), answer
    told = HTTPResponse(Replay(answer))
    told.begin()
    assert (told.status, told.read()) == expected


class Replay:
    """Bytes as a socket gives them."""

    def __init__(self, data: bytes):
        self.data = data

    def makefile(self, *_):
        return io.BytesIO(self.data)


def test_a_body_may_be_the_last_word(http, table):
    http.ok(f"CREATE TABLE {table} (a String) ENGINE = Memory")
    request = f"POST /?query=INSERT+INTO+{table}+FORMAT+TSV HTTP/1.1\r\n".encode()
    answer = half_closed(http.port, request + b"Host: x\r\nContent-Length: 4\r\n\r\nx\ny\n")
    assert answer.startswith(b"HTTP/1.1 200 OK\r\n"), answer
    assert http.ok(f"SELECT * FROM {table} ORDER BY a") == "x\ny\n"


@pytest.mark.parametrize("parameters", ["", "&send_progress_in_http_headers=1", "&wait_end_of_query=1"])
@pytest.mark.parametrize(
    "query",
    [
        "SELECT+sum(number)+FROM+numbers(100000000000000)",
        # Its head is sent with the first row, and then there is nothing more to send.
        "SELECT+number+FROM+numbers(100000000000000)+WHERE+number=1+OR+sipHash64(number)=1+SETTINGS+max_threads=1",
    ],
)
def test_a_query_ends_when_its_client_says_no_more_and_leaves(http, query, parameters):
    running = "SELECT count() FROM system.processes WHERE query_id = 'half_left'"
    with socket.create_connection(("127.0.0.1", http.port)) as leaving:
        leaving.sendall(f"GET /?query={query}&query_id=half_left{parameters} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
        leaving.shutdown(socket.SHUT_WR)
        until = time.time() + 30
        while http.ok(running) == "0\n":
            assert time.time() < until
        time.sleep(1.5)
        assert http.ok(running) == "1\n", "it has a client that listens"
    until = time.time() + 30
    while http.ok(running) != "0\n":
        assert time.time() < until, "the query goes on without its client"


@pytest.mark.parametrize("kind", ["text/plain", "multipart/form-data; boundary=x"])
def test_bytes_of_a_body_are_waited_for_so_long(server, http, table, kind):
    http.ok(f"CREATE TABLE {table} (a String) ENGINE = MergeTree ORDER BY a")
    with socket.create_connection(("127.0.0.1", server.http_port), timeout=20) as stalled:
        query = f"/?http_receive_timeout=1&query=INSERT+INTO+{table}+FORMAT+TSV"
        stalled.sendall(f"POST {query} HTTP/1.1\r\nHost: x\r\nContent-Type: {kind}\r\nContent-Length: 100\r\n\r\nabc\n".encode())
        begun = time.monotonic()
        answer = stalled.recv(65536).decode()
        # The rest of the body is waited for a while, so that a client that sends on hears of the error.
        assert "X-ClickHouse-Exception-Code: 209".lower() in answer.lower(), answer
        assert time.monotonic() - begun < 15
    assert http.ok(f"SELECT count() FROM {table}") == "0\n"
    defaults = "SELECT name, default FROM system.settings WHERE name IN ('http_receive_timeout', 'receive_timeout') ORDER BY name"
    assert http.ok(defaults) == "http_receive_timeout\t30\nreceive_timeout\t300\n"


def test_a_client_that_takes_nothing_is_waited_for_so_long(server, http):
    with socket.socket() as stalled:
        stalled.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        stalled.settimeout(60)
        stalled.connect(("127.0.0.1", server.http_port))
        query = "SELECT+number+FROM+numbers(100000000000000)+FORMAT+RowBinary"
        stalled.sendall(f"GET /?http_send_timeout=1&query_id=stalled&query={query} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
        running = "SELECT count() FROM system.processes WHERE query_id = 'stalled'"
        until = time.monotonic() + 60
        while http.ok(running) == "0\n":
            assert time.monotonic() < until
        while http.ok(running) != "0\n":
            assert time.monotonic() < until, "the query goes on without its client"
            time.sleep(0.1)
        # What is on its way comes, and then the end.
        time.sleep(2)
        try:
            while stalled.recv(1 << 20):
                pass
        except ConnectionResetError:
            pass
    defaults = "SELECT name, default FROM system.settings WHERE name IN ('http_send_timeout', 'send_timeout') ORDER BY name"
    assert http.ok(defaults) == "http_send_timeout\t30\nsend_timeout\t300\n"


def test_a_head_of_many_fields_is_read_and_one_of_too_many_refused(http):
    def of(fields):
        return {f"x-{n}": "1" for n in range(fields)}

    assert http.ok("SELECT 1", headers=of(900)) == "1\n"
    assert http.ok("SELECT getClientHTTPHeader('x-899')", headers=of(900), allow_get_client_http_header=1) == "1\n"
    # Those of Host, of the coding and of the length come to them.
    assert http("SELECT 1", headers=of(1000)).status == 431


def test_fields_of_a_head_are_as_long_as_the_settings_say(http):
    assert http.ok("SELECT 1", headers={"x-" + "n" * 4000: "1", "x-value": "v" * 131_000}) == "1\n"
    long_name = http("SELECT 1", headers={"n" * 5000: "1"})
    assert long_name.status == 431 and "has 5000 bytes, more than http_max_field_name_size = 4096" in long_name.text
    secret = http("SELECT 1", headers={"x-value": "v" * 140_000})
    assert secret.status == 431 and "has 140000 bytes, more than http_max_field_value_size = 131072" in secret.text
    assert http.ok("SELECT 1") == "1\n"


def test_fields_as_the_server_is_told(tmp_path):
    server = Server(tmp_path, "--http_max_fields", 50, "--http_max_field_value_size", 100)
    http = Http(server.http_port)
    assert http("SELECT 1", headers={f"x-{n}": "1" for n in range(60)}).status == 431
    assert http("SELECT 1", headers={"x-value": "v" * 101}).status == 431
    assert http.ok("SELECT 1", headers={"x-value": "v" * 100}) == "1\n"
    assert server.stop() == 0


def test_fields_as_the_profile_of_everybody_says(tmp_path):
    def config(profile):
        (tmp_path / "config.xml").write_text(f"<clickhouse><profiles><default>{profile}</default></profiles></clickhouse>")

    config("<http_max_fields>50</http_max_fields><http_max_uri_size>100</http_max_uri_size>")
    server = Server(tmp_path / "data", "--config-file", tmp_path / "config.xml")
    http = Http(server.http_port)
    assert http("SELECT 1", headers={f"x-{n}": "1" for n in range(60)}).status == 431
    long_url = http(f"SELECT '{'x' * 100}'")
    assert long_url.status == 414 and "more than http_max_uri_size = 100" in long_url.text
    config("<http_max_field_value_size>100</http_max_field_value_size>")
    http.ok("SYSTEM RELOAD CONFIG")
    assert http.ok("SELECT 1", headers={f"x-{n}": "1" for n in range(60)}) == "1\n"
    assert http("SELECT 1", headers={"x-value": "v" * 101}).status == 431
    assert server.stop() == 0
