"""ClickHouse itself as a client of the native protocol: the table function `remote` of chdb, and `url` over HTTP."""

import os
import subprocess

import pytest

PEERS = os.environ.get("GRISTMILL_PEERS")


@pytest.fixture
def clickhouse():
    """Runs a query in ClickHouse, in a process of its own."""
    if not PEERS:
        pytest.skip("GRISTMILL_PEERS names no Python with chdb")

    def run(query: str) -> str:
        program = "import sys, chdb; print(chdb.query(sys.argv[1], 'TSV').data(), end='')"
        ran = subprocess.run([PEERS, "-c", program, query], capture_output=True, text=True, timeout=300)
        assert ran.returncode == 0, ran.stderr
        return ran.stdout

    return run


def test_clickhouse_reads_a_table(server, http, table, clickhouse):
    http.ok(f"CREATE TABLE {table} (a UInt32, s LowCardinality(String), l Array(Nullable(Int64))) ENGINE = MergeTree ORDER BY a")
    http.ok(f"INSERT INTO {table} SELECT number, toString(number % 10), [number, NULL] FROM numbers(100000)")
    remote = f"remote('127.0.0.1:{server.tcp_port}', 'default', '{table}', 'default', '')"
    assert clickhouse(f"SELECT a, s, l FROM {remote} WHERE a = 77") == "77\t7\t[77,NULL]\n"
    assert clickhouse(f"SELECT a, s FROM {remote} ORDER BY a LIMIT 2") == "0\t0\n1\t1\n"


def test_clickhouse_writes_a_table(server, http, table, clickhouse):
    http.ok(f"CREATE TABLE {table} (a UInt64, s String, m Map(String, UInt8)) ENGINE = MergeTree ORDER BY a")
    remote = f"FUNCTION remote('127.0.0.1:{server.tcp_port}', 'default', '{table}', 'default', '')"
    clickhouse(f"INSERT INTO {remote} SELECT number, toString(number), map('k', number % 7) FROM numbers(500000)")
    assert http.ok(f"SELECT count(), sum(a), sum(m['k']) FROM {table}") == "500000\t124999750000\t1499994\n"


def test_clickhouse_reads_over_http(http, clickhouse):
    url = f"http://127.0.0.1:{http.port}/?query=SELECT+number,toString(number)+AS+s+FROM+numbers(1000)+FORMAT+Native"
    assert clickhouse(f"SELECT sum(number), max(s) FROM url('{url}', 'Native', 'number UInt64, s String')") == "499500\t999\n"
