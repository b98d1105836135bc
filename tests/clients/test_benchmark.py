"""`gristmill benchmark` against servers, as people and scripts use clickhouse-benchmark."""

import json
import re
import signal
import subprocess
import time

import pytest
from client_process import environment
from server import BINARY, Server

RATES = re.compile(r"^(\S+), queries: (\d+), (?:errors: (\d+), )?QPS: ([\d.]+), RPS: ([\d.]+), MiB/s: ([\d.]+), result RPS: ([\d.]+), result MiB/s: ([\d.]+)\.$", re.M)
PERCENTS = [*range(0, 91, 10), 95, 99, 99.9, 99.99]


class Benchmark:
    def __init__(self, home, port):
        self.home, self.port = home, port

    def line(self, *words):
        return [BINARY, "benchmark", *map(str, words)]

    def __call__(self, *words, data="", port=None):
        line = self.line("--port", port or self.port, *words)
        process = subprocess.run(line, input=data, env=environment(self.home), cwd=self.home, capture_output=True, text=True, timeout=300)
        assert "panicked" not in process.stderr, process
        return process


@pytest.fixture
def benchmark(server, tmp_path):
    return Benchmark(tmp_path, server.tcp_port)


def last_rates(text):
    return RATES.findall(text)[-1]


def test_every_query_is_counted_and_run_as_often_as_asked(benchmark, http):
    queries = "SELECT count() FROM numbers(1000) WHERE number % 7 = 1\nSELECT number FROM numbers(10) WHERE 'a\\\\tb' != ''\n\n"
    run = benchmark("-c", 3, "-i", 30, "-d", 0, "--query_id_prefix", "counted", data=queries)
    assert run.returncode == 0 and run.stdout == "", run
    assert "Loaded 2 queries.\n" in run.stderr and "\nQueries executed: 30 (1500.000%).\n" in run.stderr
    (address, count, errors, qps, rps, mib, result_rps, result_mib), = RATES.findall(run.stderr)
    assert (address, count, errors) == (f"localhost:{benchmark.port}", "30", "")
    # Of 15 queries each: 1000 rows are read for one, and 10 for ten.
    assert float(rps) / float(qps) == pytest.approx(505, rel=0.01)
    assert float(result_rps) / float(qps) == pytest.approx(5.5, rel=0.01)
    assert float(mib) > 0 and float(result_mib) >= 0
    percents = re.findall(r"^([\d.]+)%\t\t([\d.]+) sec\.\t$", run.stderr, re.M)
    assert [float(percent) for percent, _ in percents] == PERCENTS
    times = [float(seconds) for _, seconds in percents]
    assert times == sorted(times)
    # The server has seen the same.
    http.ok("SYSTEM FLUSH LOGS")
    seen = http.ok("SELECT count(), countIf(query LIKE '%a\\\\\\\\tb%') FROM system.query_log WHERE type = 'QueryFinish' AND query_id LIKE 'counted_%'")
    assert seen == "30\t15\n"


def test_json_holds_the_last_report(benchmark):
    run = benchmark("-q", "SELECT 1", "-i", 5, "--json", "report.json", "--max_threads", 1)
    assert run.returncode == 0, run
    report = json.loads((benchmark.home / "report.json").read_text())
    of_server = report[f"localhost:{benchmark.port}"]
    statistics = of_server["statistics"]
    assert set(statistics) == {"QPS", "RPS", "MiBPS", "RPS_result", "MiBPS_result", "num_queries", "num_errors"}
    assert (statistics["num_queries"], statistics["num_errors"]) == (5, 0)
    assert statistics["QPS"] == pytest.approx(float(last_rates(run.stderr)[3]), rel=0.01)
    assert statistics["RPS_result"] == pytest.approx(statistics["QPS"])
    assert [float(percent) for percent in of_server["query_time_percentiles"]] == PERCENTS
    to_stdout = benchmark("--query", "SELECT 1", "-i", 2, "--json", "-")
    assert json.loads(to_stdout.stdout)[f"localhost:{benchmark.port}"]["statistics"]["num_queries"] == 2
    unwritable = benchmark("--query", "SELECT 1", "-i", 2, "--json", "/no/such/folder/report.json")
    assert unwritable.returncode == 76 and "--json /no/such/folder/report.json" in unwritable.stderr


def test_an_error_ends_it_with_its_code_unless_told(benchmark):
    failing = "SELECT throwIf(number = 5) FROM numbers(10)"
    run = benchmark("--query", failing, "-i", 10)
    assert run.returncode == 395 % 256, run
    assert "An error occurred while processing the query 'SELECT throwIf" in run.stderr and "FUNCTION_THROW_IF_VALUE_IS_NON_ZERO" in run.stderr
    assert "\nQueries executed: 1.\n" in run.stderr
    assert last_rates(run.stderr)[1:3] == ("0", "1")
    # Each second query is a good one.
    run = benchmark("-i", 10, "--continue_on_errors", data=f"{failing}\nSELECT 1\n")
    assert run.returncode == 0 and last_rates(run.stderr)[1:3] == ("5", "5"), run
    run = benchmark("-i", 10, "--max-consecutive-errors", 2, data=f"{failing}\nSELECT 1\n")
    assert run.returncode == 0 and last_rates(run.stderr)[1:3] == ("5", "5"), run
    run = benchmark("-i", 10, "--max-consecutive-errors", 3, "--query", failing)
    assert run.returncode == 395 % 256 and last_rates(run.stderr)[1:3] == ("0", "3"), run


def test_two_servers_are_compared(benchmark, server, tmp_path_factory):
    other = Server(tmp_path_factory.mktemp("other"))
    try:
        other_port = other.tcp_port
        run = benchmark("--port", other_port, "--query", "SELECT 1", "-c", 2, "-i", 60, "-d", 0, "--json", "two.json")
        assert run.returncode == 0, run
        first, second = RATES.findall(run.stderr)
        assert [first[0], second[0]] == [f"localhost:{server.tcp_port}", f"localhost:{other_port}"]
        assert int(first[1]) + int(second[1]) == 60 and 0 < int(first[1]) < 60
        assert re.search(r"^50\.000%\t\t[\d.]+ sec\.\t[\d.]+ sec\.\t$", run.stderr, re.M)
        assert re.search(r"(No difference proven|Difference) at 99.5% confidence", run.stderr)
        assert set(json.loads((benchmark.home / "two.json").read_text())) == {first[0], second[0]}
        # A table that is slow on one of them alone.
        for port, seconds in ((server.http_port, 0), (other.http_port, 0.05)):
            from http_client import Http

            client = Http(port)
            client.ok("CREATE DATABASE IF NOT EXISTS compared")
            client.ok("DROP TABLE IF EXISTS compared.v")
            client.ok(f"CREATE VIEW compared.v AS SELECT sleepEachRow({seconds}) AS x FROM numbers(1)")
        run = benchmark("--port", other_port, "--database", "compared", "--query", "SELECT * FROM v", "-i", 40, "-d", 0, "--confidence", 2)
        assert run.returncode == 0 and "Difference at 95% confidence: mean difference is 0.0" in run.stderr, run
        together = benchmark("--port", other_port, "--roundrobin", "--query", "SELECT 1", "-i", 20, "-d", 0)
        assert f"localhost:{server.tcp_port}, localhost:{other_port}, queries: 20," in together.stderr, together
        assert "confidence" not in together.stderr
    finally:
        other.stop()


def test_time_and_reports_on_the_way(benchmark):
    run = benchmark("--query", "SELECT sleep(0.1)", "-t", 1, "-d", 0.3)
    assert run.returncode == 0, run
    assert "Stopping launch of queries. Requested time limit 1 seconds is exhausted." in run.stderr
    counts = [int(found[1]) for found in RATES.findall(run.stderr)]
    assert len(counts) >= 3 and sum(counts[:-1]) <= counts[-1]
    run = benchmark("--query", "SELECT sleep(0.1)", "-t", 1, "-d", 0.3, "--cumulative")
    counts = [int(found[1]) for found in RATES.findall(run.stderr)]
    assert counts == sorted(counts)


def test_ctrl_c_ends_it_with_the_report(benchmark):
    line = benchmark.line("--port", benchmark.port, "--query", "SELECT sleep(0.1)", "-d", 0, "--json", "stopped.json")
    process = subprocess.Popen(line, env=environment(benchmark.home), cwd=benchmark.home, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    head = process.stderr.readline()
    time.sleep(1)
    process.send_signal(signal.SIGINT)
    rest = process.communicate(timeout=60)[1]
    assert process.returncode == 0 and head == "Loaded 1 queries.\n"
    assert "SIGINT received" in rest
    count = int(last_rates(rest)[1])
    assert count > 0
    report = json.loads((benchmark.home / "stopped.json").read_text())
    assert report[f"localhost:{benchmark.port}"]["statistics"]["num_queries"] == count


def test_what_is_wrong_is_said_before_anything_is_measured(benchmark, server):
    run = benchmark(data="")
    assert run.returncode == 92 and "EMPTY_DATA_PASSED" in run.stderr, run
    run = benchmark("-i", 1, data="SELECT 1; SELECT 2\n")
    assert run.returncode == 36 and "--queries-format script" in run.stderr, run
    run = benchmark("-i", 2, "-d", 0, "--queries-format", "script", data="SELECT\n1; SELECT 2;\n")
    assert run.returncode == 0 and "Loaded 2 queries." in run.stderr, run
    assert benchmark("--query", "SELECT 1", "-c", 0).returncode == 36
    assert benchmark("--query", "SELECT 1", "--stage", "half").returncode == 36
    run = benchmark("--query", "SELECT 1", "--user", "nobody", "--password", "wrong")
    assert run.returncode == 516 % 256 and "wrong" not in run.stderr, run
    run = benchmark("--query", "SELECT 1", "-i", 1, "--no_such_setting", 1)
    assert run.returncode == 115 and "no_such_setting" in run.stderr, run
    run = benchmark("--query", "SELECT 1", "-i", 1, port=1)
    assert run.returncode == 210, run


def test_connections_are_made_anew_where_asked(benchmark, http):
    benchmark("--query", "SELECT connectionId()", "-i", 4, "-d", 0, "--reconnect", "--query_id_prefix", "anew")
    ports = "SELECT uniq(port) FROM system.query_log WHERE type = 'QueryFinish' AND query_id LIKE '{}_%'"
    http.ok("SYSTEM FLUSH LOGS")
    assert http.ok(ports.format("anew")) == "4\n"
    benchmark("--query", "SELECT connectionId()", "-i", 4, "-d", 0, "--query_id_prefix", "kept")
    http.ok("SYSTEM FLUSH LOGS")
    assert http.ok(ports.format("kept")) == "1\n"
