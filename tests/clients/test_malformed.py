"""Conversations that were changed at random, with a running server: every one gets an answer, an error or a closed connection,
the server's memory stays where it was, and who speaks as is right beside them is served.

The conversations are recorded from clients that are right: clickhouse-driver's through a relay, HTTP's as they are written
here. A seed gives one sequence of changes; FUZZ_SECONDS makes it go on (`make fuzz`).
"""

import os
import random
import socket
import threading
import time

import clickhouse_driver
import pytest
from http_client import Http
from server import Server

CONVERSATIONS = int(os.environ.get("FUZZ_CONVERSATIONS", "1000"))
ATTACKERS = 8
SECONDS = float(os.environ.get("FUZZ_SECONDS", "0"))
# An answer comes, or the connection ends, within that.
ANSWER_SECONDS = 30
# Who says nothing for so long says nothing more.
SILENCE_SECONDS = 0.3
# What the server may hold more of afterwards: caches and logs fill, and the symbols of a debug build take some 250 MiB while stacks of errors are written.
MEMORY_BYTES = 600 << 20
BORDERS = [0, 1, 2, 0x7F, 0x80, 0xFE, 0xFF]


@pytest.fixture(scope="module")
def target(tmp_path_factory):
    """A server that nobody else uses, as its memory is looked at."""
    server = Server(tmp_path_factory.mktemp("malformed"), "--max_execution_time", "5", "--max_memory_usage", "200000000")
    yield server
    assert server.stop() == 0


def changed(examples: list[bytes], dice: random.Random) -> bytes:
    data = bytearray(dice.choice(examples))
    for _ in range(dice.randint(1, 5)):
        at = dice.randrange(len(data) + 1)
        match dice.randrange(7):
            case 0 if at < len(data):
                data[at] ^= 1 << dice.randrange(8)
            case 1 if at < len(data):
                data[at] = dice.choice(BORDERS)
            case 2:
                data[at : at + 8] = dice.choice([0, 1 << 27, 1 << 30, 1 << 32, (1 << 63) - 1, (1 << 64) - 1]).to_bytes(8, "little")
            case 3:
                data[at : at + dice.randint(1, 20)] = b""
            case 4:
                data[at:at] = data[at : at + dice.randint(1, 40)]
            case 5:
                other = dice.choice(examples)
                start = dice.randrange(len(other))
                data[at:at] = other[start : start + dice.randint(1, 60)]
            case 6 if dice.random() < 0.3:
                del data[at:]
    return bytes(data)


def converse(port: int, data: bytes) -> bytes:
    """Says something and hears the answer to its end. Where none comes for a while, more was announced than said: it is not to
    come then."""
    with socket.create_connection(("127.0.0.1", port), timeout=SILENCE_SECONDS) as connection:
        heard = bytearray()
        try:
            connection.sendall(data)
            while piece := hear(connection):
                heard += piece
        except ConnectionError:
            # Closed while something was on its way.
            pass
        return bytes(heard)


def hear(connection: socket.socket) -> bytes:
    try:
        return connection.recv(1 << 16)
    except TimeoutError:
        connection.settimeout(ANSWER_SECONDS)
        connection.shutdown(socket.SHUT_WR)
        return connection.recv(1 << 16)


class Relay:
    """Passes on what one client and the server say to each other, and keeps what the client said."""

    def __init__(self, port: int):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.said = bytearray()
        self.server_port = port
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self):
        client, _ = self.listener.accept()
        server = socket.create_connection(("127.0.0.1", self.server_port))
        threading.Thread(target=self._pass, args=(server, client, None), daemon=True).start()
        self._pass(client, server, self.said)

    @staticmethod
    def _pass(source, sink, kept):
        try:
            while piece := source.recv(1 << 16):
                if kept is not None:
                    kept += piece
                sink.sendall(piece)
            sink.shutdown(socket.SHUT_WR)
        except OSError:
            pass


def recorded(port: int, compression: str | bool) -> list[bytes]:
    """What clickhouse-driver says in conversations of several kinds."""

    def conversation(talk) -> bytes:
        relay = Relay(port)
        settings = {"server_side_params": True}
        client = clickhouse_driver.Client("127.0.0.1", port=relay.port, compression=compression, settings=settings)
        talk(client)
        client.disconnect()
        time.sleep(0.1)
        return bytes(relay.said)

    columns = "a UInt8, s String, n Nullable(Int32), l LowCardinality(String), r Array(Tuple(x Float64, y Map(String, UInt8)))"
    rows = [(1, "one", None, "x", [(1.5, {"k": 1})]), (2, "two", 7, "y", [])]
    outside = [{"name": "ext", "structure": [("x", "Int32")], "data": [{"x": 1}, {"x": 2}]}]
    clickhouse_driver.Client("127.0.0.1", port=port).execute(f"CREATE TABLE IF NOT EXISTS m ({columns}) ENGINE = Null")
    return [
        conversation(lambda client: client.execute("SELECT number, toString(number) FROM numbers(10)")),
        conversation(lambda client: client.execute("INSERT INTO m VALUES", rows)),
        conversation(lambda client: client.execute("SELECT sum(x) FROM ext", external_tables=outside)),
        conversation(lambda client: client.execute("SELECT {a:UInt8}", {"a": 1}, settings={"max_threads": 2})),
        conversation(lambda client: [client.execute("SELECT 1"), client.connection.ping()]),
    ]


def attack(target: Server, port: int, examples: list[bytes], healthy) -> None:
    """Thousands of changed conversations, several at a time, with a client beside them that is right."""
    for example in examples:
        assert converse(port, example), "what was recorded is answered"
    stop, wrong = threading.Event(), []

    def beside():
        while not stop.is_set():
            try:
                healthy()
            except Exception as error:  # whatever it is, the test tells of it
                wrong.append(error)
                return
            time.sleep(0.05)

    def attacker(seed: int, count: int, until: float):
        dice = random.Random(seed)
        done = 0
        while (done < count or time.monotonic() < until) and not wrong:
            data = changed(examples, dice)
            try:
                converse(port, data)
            except TimeoutError:
                wrong.append(AssertionError(f"no answer and no end: {data!r}"))
            done += 1

    def storm(seed: int, count: int, seconds: float):
        until = time.monotonic() + seconds
        threads = [threading.Thread(target=attacker, args=(seed * 10 + i, count // ATTACKERS, until)) for i in range(ATTACKERS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    bystander = threading.Thread(target=beside)
    bystander.start()
    try:
        # What the first of them fills is no leak: caches, logs, and the program's symbols, which name what is in the stacks of errors.
        storm(1, CONVERSATIONS // 3, 0)
        Http(target.http_port).ok("SYSTEM FLUSH LOGS")
        before = target.memory_bytes()
        storm(2, CONVERSATIONS, SECONDS)
        after = target.memory_bytes()
    finally:
        stop.set()
        bystander.join()
    assert not wrong, wrong[0]
    assert target.process.poll() is None
    assert after - before < MEMORY_BYTES, f"{before} bytes became {after}"


@pytest.mark.parametrize("compression", [False, "lz4", "zstd"])
def test_changed_packets_of_the_native_protocol(target, compression):
    examples = recorded(target.tcp_port, compression)
    client = clickhouse_driver.Client("127.0.0.1", port=target.tcp_port)

    def healthy():
        assert client.execute("SELECT sum(number) FROM numbers(1000)") == [(499500,)]

    attack(target, target.tcp_port, examples, healthy)
    client.disconnect()


def request(path: str, body: bytes = b"", *headers: str) -> bytes:
    head = ["POST " + path + " HTTP/1.1", "Host: localhost", "Connection: close", f"Content-Length: {len(body)}", *headers]
    return "\r\n".join(head).encode() + b"\r\n\r\n" + body


def chunked(path: str, *pieces: bytes) -> bytes:
    head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n".encode()
    return head + b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in (*pieces, b""))


def test_changed_requests_over_http(target):
    http = Http(target.http_port)
    http.ok("CREATE TABLE IF NOT EXISTS h (a UInt8, s String) ENGINE = Null")
    framed = http("SELECT 1, 'x' FORMAT RowBinary", compress=1).body
    form = (
        b'--x\r\nContent-Disposition: form-data; name="t"; filename="t"\r\n\r\n1,a\n2,b\n\r\n'
        b'--x\r\nContent-Disposition: form-data; name="param_p"\r\n\r\n7\r\n--x--\r\n'
    )
    examples = [
        b"GET /?query=SELECT+1&max_threads=2 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
        request("/?compress=1&wait_end_of_query=1", b"SELECT number FROM numbers(5)"),
        request("/?decompress=1&query=INSERT+INTO+h+FORMAT+RowBinary", framed),
        request("/?query=INSERT+INTO+h+FORMAT+Native", bytes.fromhex("02020161055549" "6e74380102" "017306537472696e67" "0178" "0179")),
        request("/?query=INSERT+INTO+h+FORMAT+JSONEachRow", b'{"a":1,"s":"x"}\n{"a":2,"s":"y"}\n'),
        request(
            "/?query=SELECT+*,{p:UInt8}+FROM+t&t_format=CSV&t_structure=a+UInt8,b+String",
            form,
            "Content-Type: multipart/form-data; boundary=x",
        ),
        chunked("/?query=INSERT+INTO+h+FORMAT+CSV", b"1,a\n2", b",b\n", b"3,c\n"),
        chunked("/?session_id=s&database=default", b"SELECT ", b"1, 'x' FORMAT JSON"),
    ]
    attack(target, target.http_port, examples, lambda: http.ok("SELECT 1"))


def form(file: bytes) -> tuple[bytes, dict[str, str]]:
    body = b'--x\r\nContent-Disposition: form-data; name="t"; filename="t"\r\n\r\n' + file + b"\r\n--x--\r\n"
    return body, {"Content-Type": "multipart/form-data; boundary=x"}


@pytest.mark.parametrize("format", ["Arrow", "ArrowStream"])
def test_lengths_in_arrow_are_not_believed(target, format):
    http = Http(target.http_port)
    http.ok("CREATE TABLE IF NOT EXISTS arrow (a Int32) ENGINE = Null")
    good = http(f"SELECT toInt32(number % 3) AS a FROM numbers(10000) FORMAT {format}").body
    # Of the first of its batches.
    honest = (4 * 8192).to_bytes(8, "little")
    assert honest in good, "a compressed buffer says how long it is"
    for claim in (0x7000000000000000, 1 << 62, 1 << 40, 4 * 8192 + 1):
        bad = good.replace(honest, claim.to_bytes(8, "little"))
        assert http(f"INSERT INTO arrow FORMAT {format}", bad).status == 400
        body, headers = form(bad)
        assert http("SELECT count() FROM t", body, headers=headers, t_structure="a Int32", t_format=format).status == 400
    # Wherever eight bytes say how long something is.
    for at in range(0, len(good) - 8, 4):
        bad = good[:at] + b"\0\0\0\0\0\0\0\x70" + good[at + 8 :]
        http(f"INSERT INTO arrow FORMAT {format}", bad)
    assert target.process.poll() is None
    http.ok(f"INSERT INTO arrow FORMAT {format}", good)


@pytest.mark.parametrize("unit", ["CASE WHEN 1 THEN ", "INTERVAL ", "NOT (", "(x) -> ", "1 BETWEEN 1 AND "])
def test_text_that_fits_nothing_is_given_up(target, unit):
    http = Http(target.http_port)
    answer = http("SELECT " + unit * 60 + "1")
    assert answer.status in (200, 400), answer
    few = http("SELECT " + "CASE WHEN 1 THEN " * 12, max_parser_backtracks=100)
    assert few.status == 400


def test_the_parser_goes_back_so_often(target):
    http = Http(target.http_port)
    assert http("SELECT " + "CASE WHEN 1 THEN " * 40).error == (718, "TOO_SLOW_PARSING")


@pytest.mark.parametrize("before, after", [("(SELECT ", ")"), ("1 IN (", ")")])
def test_what_is_nested_is_planned_once(target, before, after):
    http = Http(target.http_port)
    assert http.ok("SELECT " + before * 40 + "1" + after * 40) == "1\n"
