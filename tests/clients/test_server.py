"""The process: limits, what it refuses, how it ends."""

import os
import signal
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from http.client import HTTPException

import clickhouse_driver
from http_client import Http
from server import Server


def test_tables_last(tmp_path):
    first = Server(tmp_path)
    Http(first.http_port).ok("CREATE TABLE t (a Int32) ENGINE = MergeTree ORDER BY a")
    Http(first.http_port).ok("INSERT INTO t VALUES (1), (2)")
    assert first.stop() == 0
    second = Server(tmp_path)
    assert Http(second.http_port).ok("SELECT sum(a) FROM t") == "3\n"
    assert second.stop() == 0


def test_running_queries_finish_before_the_end(tmp_path):
    server = Server(tmp_path)
    http = Http(server.http_port)
    with ThreadPoolExecutor() as pool:
        running = pool.submit(http, "SELECT sleep(2), 'whole'")
        time.sleep(0.7)
        assert server.stop() == 0
        assert running.result().text == "0\twhole\n"


def test_queries_that_do_not_finish_are_cancelled(tmp_path):
    server = Server(tmp_path, "--shutdown-grace", 1)
    client = clickhouse_driver.Client("127.0.0.1", port=server.tcp_port)
    failed = []

    def endless():
        try:
            client.execute("SELECT sum(number) FROM numbers(100000000000000)")
        except Exception as error:  # Told to the test.
            failed.append(error)

    running = threading.Thread(target=endless)
    running.start()
    time.sleep(0.7)
    assert server.stop() == 0
    running.join(30)
    assert failed and "cancelled" in str(failed[0])


def test_too_many_queries_are_refused(tmp_path):
    server = Server(tmp_path, "--max-concurrent-queries", 2)
    http = Http(server.http_port)
    with ThreadPoolExecutor() as pool:
        running = [pool.submit(http, "SELECT sleep(2)") for _ in range(2)]
        time.sleep(0.7)
        assert http("SELECT 1").error == (202, "TOO_MANY_SIMULTANEOUS_QUERIES")
        assert all(query.result().status == 200 for query in running)
    assert http.ok("SELECT 1") == "1\n"
    assert server.stop() == 0


def test_half_open_connections_and_slow_readers_harm_nobody(tmp_path):
    server = Server(tmp_path)
    http = Http(server.http_port)
    before = server.memory_bytes()
    idle = [socket.create_connection(("127.0.0.1", port)) for port in (server.http_port, server.tcp_port) for _ in range(100)]
    slow = []
    for _ in range(10):
        reader = socket.create_connection(("127.0.0.1", server.http_port))
        reader.sendall(b"GET /?query=SELECT+number+FROM+system.numbers HTTP/1.1\r\nHost: x\r\n\r\n")
        slow.append(reader)
    time.sleep(1)
    assert http.ok("SELECT count() FROM numbers(1000000)") == "1000000\n"
    assert server.memory_bytes() - before < 400 << 20
    for connection in idle + slow:
        connection.close()
    assert server.stop() == 0


def test_garbage_closes_the_connection_and_nothing_else(server, http):
    for port in (server.http_port, server.tcp_port):
        for _ in range(20):
            with socket.create_connection(("127.0.0.1", port)) as connection:
                connection.sendall(os.urandom(1000))
                connection.shutdown(socket.SHUT_WR)
                connection.settimeout(30)
                while connection.recv(1000):
                    pass
    assert http.ok("SELECT 1") == "1\n"


def test_a_port_in_use_is_told(tmp_path, server):
    import subprocess

    from server import BINARY

    line = [BINARY, "server", "--path", tmp_path, "--http-port", server.http_port, "--tcp-port", 0]
    ran = subprocess.run([str(word) for word in line], capture_output=True, text=True, timeout=60)
    assert ran.returncode != 0 and "is another server running?" in ran.stderr


def test_an_impatient_user_ends_it_at_once(tmp_path):
    server = Server(tmp_path, "--shutdown-grace", 60)

    def endless():
        with suppress(HTTPException, OSError):  # The server goes in its middle.
            Http(server.http_port)("SELECT sum(number) FROM numbers(100000000000000)")

    threading.Thread(target=endless, daemon=True).start()
    time.sleep(0.7)
    server.process.send_signal(signal.SIGINT)
    time.sleep(0.3)
    server.process.send_signal(signal.SIGINT)
    assert server.process.wait(10) == 130


def test_who_does_not_say_hello_holds_no_connection(tmp_path):
    server = Server(tmp_path)
    with socket.create_connection(("127.0.0.1", server.tcp_port), timeout=60) as silent:
        said = b"".join(iter(lambda: silent.recv(4096), b""))
    assert b"did not say hello in time" in said
    assert server.stop() == 0


def test_connections_without_a_query_are_closed(tmp_path):
    server = Server(tmp_path, "--idle_connection_timeout", 1)
    idle = clickhouse_driver.Client("127.0.0.1", port=server.tcp_port)
    assert idle.execute("SELECT 1") == [(1,)]
    idle.connection.socket.settimeout(20)
    assert idle.connection.socket.recv(1) == b""
    # The next query has another connection.
    idle.disconnect()
    assert idle.execute("SELECT sleep(2)") == [(0,)]
    idle.disconnect()
    assert server.stop() == 0
