"""The server that all tests talk to, and what they talk to it with."""

import clickhouse_connect
import clickhouse_driver
import pytest
from client_process import Client
from http_client import Http
from server import Server


@pytest.fixture(scope="session")
def server(tmp_path_factory):
    server = Server(tmp_path_factory.mktemp("server"))
    yield server
    assert server.stop() == 0


@pytest.fixture
def http(server) -> Http:
    return Http(server.http_port)


@pytest.fixture(params=[False, "lz4", "zstd", "gzip"])
def connect(server, request):
    """clickhouse-connect, with each of its compressions."""
    client = clickhouse_connect.get_client(host="127.0.0.1", port=server.http_port, compress=request.param)
    yield client
    client.close()


@pytest.fixture(params=[False, "lz4", "zstd"])
def driver(server, request):
    """clickhouse-driver, with each of its compressions."""
    client = clickhouse_driver.Client("127.0.0.1", port=server.tcp_port, compression=request.param)
    yield client
    client.disconnect()


@pytest.fixture
def table(http, request):
    """A name that no other test has; what it names is dropped afterwards."""
    name = "t_" + "".join(c if c.isalnum() else "_" for c in request.node.name)
    http.ok(f"DROP TABLE IF EXISTS {name}")
    yield name
    http.ok(f"DROP TABLE IF EXISTS {name}")


@pytest.fixture
def house(tmp_path):
    """A server with a table of two columns, and its default user."""
    server = Server(tmp_path)
    http = Http(server.http_port)
    http.ok("CREATE DATABASE shop")
    http.ok("CREATE TABLE shop.sales (id UInt32, price UInt32) ENGINE = MergeTree ORDER BY id")
    http.ok("INSERT INTO shop.sales VALUES (1, 10), (2, 20)")
    http.ok("CREATE TABLE shop.secrets (id UInt32) ENGINE = Memory")
    yield server, http
    assert server.stop() == 0


@pytest.fixture
def client(server, tmp_path) -> Client:
    return Client(tmp_path, server.tcp_port)
