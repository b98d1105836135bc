"""What a query and its client send each other is counted for the query: bytes, and the time that the socket takes."""

import socket
import time
import urllib.parse
import uuid
from http.client import HTTPConnection

import clickhouse_driver

NAMES = ["NetworkReceiveBytes", "NetworkReceiveElapsedMicroseconds", "NetworkSendBytes", "NetworkSendElapsedMicroseconds"]


def moved(http, query_id: str) -> dict[str, int]:
    """What the query log says of the traffic of a query that is over."""
    http.ok("SYSTEM FLUSH LOGS query_log")
    columns = ", ".join(f"ProfileEvents['{name}']" for name in NAMES)
    told = http.ok(f"SELECT {columns} FROM system.query_log WHERE type = 'QueryFinish' AND query_id = '{query_id}'")
    return dict(zip(NAMES, map(int, told.split()), strict=True))


def test_the_bytes_of_a_result_are_counted(http):
    """Those of a short result, too, all of which leaves when the query is over."""
    for query in ("SELECT 1", "SELECT number FROM numbers(1000000)"):
        query_id = uuid.uuid4().hex
        answer = http(query, query_id=query_id)
        assert moved(http, query_id)["NetworkSendBytes"] == len(answer.body)
    query_id = uuid.uuid4().hex
    packed = http("SELECT number FROM numbers(1000)", query_id=query_id, enable_http_compression=1, headers={"Accept-Encoding": "gzip"})
    assert moved(http, query_id)["NetworkSendBytes"] == len(packed.body) < 3890


def test_a_client_that_reads_slowly_takes_time(http):
    query_id = uuid.uuid4().hex
    url = "/?" + urllib.parse.urlencode({"query_id": query_id, "query": "SELECT repeat('x', 1000) FROM numbers(40000)"})
    with socket.create_connection(("127.0.0.1", http.port)) as connection:
        connection.sendall(f"GET {url} HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n".encode())
        time.sleep(1.5)
        while connection.recv(1 << 20):
            pass
    told = moved(http, query_id)
    assert told["NetworkSendBytes"] == 40_000 * 1001 and told["NetworkSendElapsedMicroseconds"] > 500_000, told
    assert int(http.ok("SELECT value FROM system.events WHERE event = 'NetworkSendElapsedMicroseconds'")) > 500_000


def test_rows_that_come_slowly_are_waited_for(http, table):
    http.ok(f"CREATE TABLE {table} (n UInt32) ENGINE = MergeTree ORDER BY n")
    pieces = [b"".join(b"%d\n" % number for number in range(at * 1000, at * 1000 + 1000)) for at in range(3)]

    def slowly():
        for piece in pieces:
            time.sleep(0.4)
            yield piece

    query_id = uuid.uuid4().hex
    given = {"query_id": query_id, "async_insert": 0, "query": f"INSERT INTO {table} FORMAT TSV"}
    connection = HTTPConnection("127.0.0.1", http.port)
    connection.request("POST", "/?" + urllib.parse.urlencode(given), body=slowly(), encode_chunked=True, headers={"Transfer-Encoding": "chunked"})
    assert connection.getresponse().status == 200
    connection.close()
    told = moved(http, query_id)
    assert told["NetworkReceiveBytes"] == sum(map(len, pieces)) and told["NetworkReceiveElapsedMicroseconds"] > 500_000, told
    assert int(http.ok("SELECT value FROM system.events WHERE event = 'NetworkReceiveElapsedMicroseconds'")) > 500_000


def test_the_native_protocol_counts_both_ways(server, http, table):
    http.ok(f"CREATE TABLE {table} (n UInt64) ENGINE = MergeTree ORDER BY n")
    client = clickhouse_driver.Client("127.0.0.1", port=server.tcp_port, settings={"insert_block_size": 1000})

    def slowly():
        for number in range(3000):
            if number % 1000 == 0:
                time.sleep(0.4)
            yield [number]

    written, read = uuid.uuid4().hex, uuid.uuid4().hex
    client.execute(f"INSERT INTO {table} VALUES", slowly(), query_id=written)
    assert len(client.execute(f"SELECT n FROM {table}", query_id=read)) == 3000
    client.disconnect()
    told = moved(http, written)
    assert told["NetworkReceiveBytes"] > 3000 * 8 and told["NetworkReceiveElapsedMicroseconds"] > 500_000, told
    told = moved(http, read)
    assert told["NetworkSendBytes"] > 3000 * 8 and told["NetworkReceiveElapsedMicroseconds"] == 0, told
