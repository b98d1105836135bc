"""A proxy before a real server that does harm to the requests a test picks, and passes all others on unchanged.

    with FaultProxy(server.port, lambda request: Fault("reset") if request.number == 3 else None) as proxy: ...

It speaks HTTP/1.1 with a connection a request: enough for object stores, and every request can be counted.
"""

import re
import socket
import threading
from dataclasses import dataclass, field
from typing import Callable

BUFFER_BYTES = 64 << 10
GIVE_UP_SECONDS = 60


@dataclass
class Request:
    """One request: its number counts those of the same method from 0."""

    number: int
    method: str
    target: str
    head: bytes

    @property
    def range(self) -> str | None:
        found = re.search(rb"(?mi)^range:\s*bytes=(\S+)\r$", self.head)
        return found[1].decode() if found else None


@dataclass
class Fault:
    """`reset`: the connection ends at once; `cut`: after `bytes` of the answer's body; `stall`: nothing comes; `stall_within`:
    nothing comes after `bytes` of the body; `slow`: the answer begins after `seconds`; `answer`: with `status` and `body`."""

    kind: str
    bytes: int = 0
    seconds: float = 0
    status: int = 503
    body: bytes = b"<Error><Code>SlowDown</Code><Message>Please reduce your request rate.</Message></Error>"


@dataclass
class FaultProxy:
    upstream_port: int
    harm: Callable[[Request], Fault | None] = lambda request: None
    requests: list[Request] = field(default_factory=list)
    faults: int = 0

    def __enter__(self) -> "FaultProxy":
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=512)
        self.port = self.listener.getsockname()[1]
        self.ended = threading.Event()
        self.lock = threading.Lock()
        threading.Thread(target=self.accept, daemon=True).start()
        return self

    def __exit__(self, *_) -> None:
        self.ended.set()
        self.listener.close()

    def accept(self) -> None:
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=[client], daemon=True).start()

    def serve(self, client: socket.socket) -> None:
        with client:
            try:
                client.settimeout(GIVE_UP_SECONDS)
                head, rest = read_head(client)
                if head:
                    self.answer(client, head, rest)
            except OSError:
                pass  # Whoever asked has gone: that is its right.

    def answer(self, client: socket.socket, head: bytes, rest: bytes) -> None:
        method, target = head.split(b" ", 2)[:2]
        with self.lock:
            number = sum(request.method == method.decode() for request in self.requests)
            request = Request(number, method.decode(), target.decode(), head)
            self.requests.append(request)
            fault = self.harm(request)
            self.faults += fault is not None
        kind = fault.kind if fault else "none"
        if kind == "reset":
            # With lingering off for zero seconds, closing sends RST.
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
            return
        if kind == "stall":
            self.ended.wait(GIVE_UP_SECONDS)
            return
        if kind == "answer":
            line = f"HTTP/1.1 {fault.status} Fault\r\nContent-Length: {len(fault.body)}\r\nConnection: close\r\n\r\n"
            client.sendall(line.encode() + fault.body)
            return
        if kind == "slow":
            self.ended.wait(fault.seconds)
        self.forward(client, head, rest, fault if kind in ("cut", "stall_within") else None)

    def forward(self, client: socket.socket, head: bytes, rest: bytes, fault: Fault | None) -> None:
        with socket.create_connection(("127.0.0.1", self.upstream_port), timeout=GIVE_UP_SECONDS) as server:
            server.sendall(with_close(head) + rest)
            length = re.search(rb"(?mi)^content-length:\s*(\d+)\r$", head)
            missing = int(length[1]) - len(rest) if length else 0
            while missing > 0 and (data := client.recv(min(missing, BUFFER_BYTES))):
                server.sendall(data)
                missing -= len(data)
            answer, body = read_head(server)
            client.sendall(with_close(answer))
            left = fault.bytes if fault else None
            # A body may come behind its head, in its own time.
            body = body or server.recv(BUFFER_BYTES)
            while body:
                client.sendall(body if left is None else body[:left])
                if left is not None and (left := left - len(body)) <= 0:
                    if fault.kind == "stall_within":
                        self.ended.wait(GIVE_UP_SECONDS)
                    return
                body = server.recv(BUFFER_BYTES)


def read_head(connection: socket.socket) -> tuple[bytes, bytes]:
    """Everything up to the empty line, and what came after it already."""
    data = b""
    while b"\r\n\r\n" not in data:
        more = connection.recv(BUFFER_BYTES)
        if not more:
            return b"", b""
        data += more
    head, rest = data.split(b"\r\n\r\n", 1)
    return head + b"\r\n\r\n", rest


def with_close(head: bytes) -> bytes:
    """One request a connection, so that each can be harmed by itself."""
    head = re.sub(rb"(?mi)^connection:.*\r\n", b"", head)
    return head.replace(b"\r\n", b"\r\nConnection: close\r\n", 1)


