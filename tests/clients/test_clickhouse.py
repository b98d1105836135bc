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


# Queries of two servers that have the same rows, R, and what ClickHouse makes of their answers.
MERGED = [
    (
        "SELECT k, sum(v) AS total, count(), avg(v) FROM R GROUP BY k HAVING total > 1900 ORDER BY k DESC LIMIT 2",
        "4\t2060\t40\t51.5\n3\t2020\t40\t50.5\n",
    ),
    ("SELECT max(v), uniq(s), countIf(v > 97) FROM R", "99\t3\t4\n"),
    ("SELECT v, k + 1 FROM R ORDER BY v DESC LIMIT 1 OFFSET 2", "98\t4\n"),
    ("SELECT DISTINCT s FROM R ORDER BY s", "0\n1\n2\n"),
    ("SELECT k, v FROM R ORDER BY k, v LIMIT 1 BY k LIMIT 2", "0\t0\n1\t1\n"),
    ("SELECT k, count() FROM R GROUP BY ROLLUP(k) ORDER BY k, count() LIMIT 2", "0\t40\n0\t200\n"),
    ("SELECT k, s, count() FROM R GROUP BY GROUPING SETS ((k), (s)) ORDER BY ALL LIMIT 2", "0\t\t40\n0\t0\t68\n"),
    ("SELECT v, sum(k) OVER (PARTITION BY s ORDER BY v) AS w FROM R WHERE v < 4 ORDER BY v DESC LIMIT 1", "3\t6\n"),
    ("SELECT k, count() FROM R WHERE v GLOBAL IN (SELECT number FROM numbers(3)) GROUP BY k ORDER BY k", "0\t2\n1\t2\n2\t2\n"),
    (
        "SELECT t.k, sum(a.n) FROM R AS t JOIN (SELECT number AS n FROM numbers(3)) AS a ON a.n = t.v GROUP BY t.k ORDER BY t.k",
        "0\t0\n1\t2\n2\t4\n",
    ),
    ("SELECT k, count() FROM R WHERE k < 2 GROUP BY k WITH TOTALS ORDER BY k", "0\t40\n1\t40\n\n0\t80\n"),
    ("SELECT arrayMap(x -> x + k, [1]) AS a, count() FROM R GROUP BY a ORDER BY a LIMIT 1", "[1]\t40\n"),
    ("SELECT toDate('2020-01-01') + k AS d, max(v) FROM R GROUP BY d ORDER BY d LIMIT 1", "2020-01-01\t95\n"),
    ("SELECT s || 'x' AS t, min(v) FROM R GROUP BY t ORDER BY t LIMIT 1", "0x\t0\n"),
    ("SELECT k, count() AS c FROM R GROUP BY k ORDER BY c, k LIMIT 2 SETTINGS distributed_group_by_no_merge = 2", "0\t20\n0\t20\n"),
]


def test_clickhouse_merges_what_several_servers_give(server, http, table, clickhouse):
    http.ok(f"CREATE TABLE {table} (k UInt32, v Int64, s String) ENGINE = MergeTree ORDER BY k")
    http.ok(f"INSERT INTO {table} SELECT number % 5, number, toString(number % 3) FROM numbers(100)")
    shard = f"127.0.0.1:{server.tcp_port}"
    both = f"FROM remote('{shard},{shard}', 'default', '{table}', 'default', '')"
    for query, answer in MERGED:
        assert clickhouse(query.replace("FROM R", both)) == answer, query


def test_clickhouse_writes_a_table(server, http, table, clickhouse):
    http.ok(f"CREATE TABLE {table} (a UInt64, s String, m Map(String, UInt8)) ENGINE = MergeTree ORDER BY a")
    remote = f"FUNCTION remote('127.0.0.1:{server.tcp_port}', 'default', '{table}', 'default', '')"
    clickhouse(f"INSERT INTO {remote} SELECT number, toString(number), map('k', number % 7) FROM numbers(500000)")
    assert http.ok(f"SELECT count(), sum(a), sum(m['k']) FROM {table}") == "500000\t124999750000\t1499994\n"


def test_clickhouse_reads_over_http(http, clickhouse):
    url = f"http://127.0.0.1:{http.port}/?query=SELECT+number,toString(number)+AS+s+FROM+numbers(1000)+FORMAT+Native"
    assert clickhouse(f"SELECT sum(number), max(s) FROM url('{url}', 'Native', 'number UInt64, s String')") == "499500\t999\n"
