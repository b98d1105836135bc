"""Headers that tell how far a query is while it runs."""

import json
import socket
import ssl
from pathlib import Path
from urllib.parse import urlencode

from http_client import http_connection
from server import Server

TLS = Path(__file__).parent / "tls"
PROGRESS = b"x-clickhouse-progress: "
# Rows come slowly, one after the other.
SLOW = "SELECT sleepEachRow(0.5) AS slept, number FROM numbers(6) SETTINGS max_block_size = 1, max_threads = 1"


def request(query, connection="close", **parameters) -> bytes:
    parameters = {"query": query, "send_progress_in_http_headers": 1, "http_headers_progress_interval_ms": 100} | parameters
    return f"POST /?{urlencode(parameters)} HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\nConnection: {connection}\r\n\r\n".encode()


def received(connection, until=None) -> bytes:
    """What comes until the end, or until a text."""
    bytes_ = b""
    while until is None or until not in bytes_:
        piece = connection.recv(65536)
        if not piece:
            break
        bytes_ += piece
    return bytes_


def head_of(answer: bytes) -> tuple[str, list[dict]]:
    status, *fields = answer.split(b"\r\n\r\n")[0].split(b"\r\n")
    return status.decode(), [json.loads(field[len(PROGRESS) :]) for field in fields if field.startswith(PROGRESS)]


def test_headers_come_while_the_query_runs(server):
    with socket.create_connection(("127.0.0.1", server.http_port), timeout=30) as connection:
        connection.sendall(request(SLOW, wait_end_of_query=1))
        begun = received(connection, PROGRESS)
        assert begun.startswith(b"HTTP/1.1 200 OK\r\n" + PROGRESS) and b"\r\n\r\n" not in begun, begun
        answer = begun + received(connection)
    status, told = head_of(answer)
    rows = [int(progress["read_rows"]) for progress in told]
    assert status == "HTTP/1.1 200 OK" and len(rows) > 5 and rows == sorted(rows) and rows[0] < 6
    assert answer.endswith(b"\r\n\r\n" + b"".join(b"0\t%d\n" % n for n in range(6)))


def test_a_statement_that_works_before_its_first_row_tells_it_too(server, http, table):
    with socket.create_connection(("127.0.0.1", server.http_port), timeout=30) as connection:
        connection.sendall(request(f"CREATE TABLE {table} ENGINE = Memory AS {SLOW}"))
        begun = received(connection, PROGRESS)
        assert b"\r\n\r\n" not in begun, begun
        received(connection)
    assert http.ok(f"SELECT count() FROM {table}") == "6\n"


def test_an_error_is_told_by_its_header_once_the_head_has_begun(http):
    answer = http(
        "SELECT sleepEachRow(0.5), throwIf(number = 3) FROM numbers(6) SETTINGS max_block_size = 1",
        send_progress_in_http_headers=1,
        http_headers_progress_interval_ms=100,
        wait_end_of_query=1,
    )
    assert (answer.status, answer.error) == (200, (395, "FUNCTION_THROW_IF_VALUE_IS_NON_ZERO"))
    # Before there is anything to tell it has a status of its own.
    early = http("SELECT nothing", send_progress_in_http_headers=1)
    assert (early.status, early.error) == (404, (47, "UNKNOWN_IDENTIFIER"))


def test_connections_go_on_behind_such_answers(http):
    connection = http_connection(http)
    parameters = urlencode({"send_progress_in_http_headers": 1, "http_headers_progress_interval_ms": 100, "wait_end_of_query": 1})
    for query, expected in [("SELECT sleep(1)", b"0\n"), ("SELECT 1", b"1\n"), ("SELECT sleep(1)", b"0\n")]:
        connection.request("POST", f"/?{parameters}", body=query)
        answer = connection.getresponse()
        assert (answer.status, answer.read()) == (200, expected)
        assert "sleep" not in query or answer.getheader("x-clickhouse-progress")
    # It goes as it went where the client asks for nothing of it, and where it cannot be.
    connection.request("POST", "/", body="SELECT sleep(1)")
    answer = connection.getresponse()
    assert (answer.getheader("x-clickhouse-progress"), answer.read()) == (None, b"0\n")
    connection.request("HEAD", f"/?{parameters}&query=SELECT+sleep(1)")
    answer = connection.getresponse()
    assert answer.status == 200 and answer.read() == b""
    connection.close()


def test_who_speaks_http_1_0_gets_them_with_the_head(server):
    with socket.create_connection(("127.0.0.1", server.http_port), timeout=30) as connection:
        connection.sendall(request("SELECT sleep(1)").replace(b"HTTP/1.1", b"HTTP/1.0"))
        answer = received(connection)
    status, told = head_of(answer)
    assert status == "HTTP/1.0 200 OK" and told and answer.endswith(b"\r\n\r\n0\n")


def test_a_client_that_says_no_more_gets_them_too(server):
    with socket.create_connection(("127.0.0.1", server.http_port), timeout=30) as connection:
        connection.sendall(request(SLOW))
        connection.shutdown(socket.SHUT_WR)
        answer = received(connection)
    status, told = head_of(answer)
    assert status == "HTTP/1.1 200 OK" and told
    assert answer.endswith(b"0\r\n\r\n") and b"0\t5\n" in answer


def test_they_come_by_tls(tmp_path):
    server = Server(tmp_path, "--https-port", 0, "--certificate", TLS / "server.crt", "--private-key", TLS / "server.key")
    context = ssl._create_unverified_context()
    with socket.create_connection(("127.0.0.1", server.https_port), timeout=30) as plain, context.wrap_socket(plain) as connection:
        connection.sendall(request(SLOW))
        begun = received(connection, PROGRESS)
        assert b"\r\n\r\n" not in begun, begun
        assert b"0\t5\n" in received(connection)
    assert server.stop() == 0
