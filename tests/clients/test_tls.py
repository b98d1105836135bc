"""Both protocols over TLS. The certificate in `tls` is for localhost alone, signed by itself."""

import ssl
import urllib.error
import urllib.request
from http.client import HTTPException
from pathlib import Path

import clickhouse_connect
import clickhouse_driver
import pytest
from server import Server

TLS = Path(__file__).parent / "tls"
CERTIFICATE = TLS / "server.crt"


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    flags = ["--https-port", 0, "--tcp-port-secure", 0, "--certificate", CERTIFICATE, "--private-key", TLS / "server.key"]
    server = Server(tmp_path_factory.mktemp("server"), *flags)
    yield server
    assert server.stop() == 0


def test_http_over_tls(server):
    trusted = ssl.create_default_context(cafile=CERTIFICATE)
    url = f"https://localhost:{server.https_port}/?query=SELECT+1"
    assert urllib.request.urlopen(url, context=trusted, timeout=60).read() == b"1\n"
    with pytest.raises(urllib.error.URLError, match="certificate verify failed"):
        urllib.request.urlopen(url, context=ssl.create_default_context(), timeout=60)
    client = clickhouse_connect.get_client(host="localhost", port=server.https_port, secure=True, ca_cert=str(CERTIFICATE))
    assert client.query("SELECT number FROM numbers(3)").result_rows == [(0,), (1,), (2,)]


@pytest.mark.parametrize("compression", [False, "lz4"])
def test_the_native_protocol_over_tls(server, compression):
    client = clickhouse_driver.Client(
        "localhost", port=server.tcp_secure_port, secure=True, ca_certs=str(CERTIFICATE), compression=compression
    )
    client.execute("CREATE TABLE IF NOT EXISTS t (a UInt64) ENGINE = MergeTree ORDER BY a")
    client.execute("INSERT INTO t VALUES", [(number,) for number in range(100_000)])
    assert client.execute("SELECT count(), sum(a) FROM t") == [(100_000, 4_999_950_000)]
    client.execute("DROP TABLE t")
    client.disconnect()


def test_who_speaks_no_tls_is_sent_away_and_nothing_else_suffers(server):
    with pytest.raises((urllib.error.URLError, HTTPException, ConnectionError)):
        urllib.request.urlopen(f"http://localhost:{server.https_port}/ping", timeout=60).read()
    assert urllib.request.urlopen(f"http://localhost:{server.http_port}/ping", timeout=60).read() == b"Ok.\n"
