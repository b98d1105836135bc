"""What logs cost a query: small queries over HTTP, on a server with all logs and on one with none, in turns.

    GRISTMILL=target/release/gristmill python bench/introspection/cost_of_logs.py [rounds] [queries a round]

Both servers run all the time, so that both have whatever else the machine does. Told are medians over the rounds of the
time of a query, and what the server's process spent on it (user and system time, with the jobs that write the logs).
"""

import http.client
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests/clients"))
from server import Server  # noqa: E402

LOGS = """asynchronous_insert_log asynchronous_metric_log blob_storage_log crash_log error_log metric_log
    opentelemetry_span_log part_log processors_profile_log query_limit_log query_log query_metric_log query_views_log session_log text_log trace_log"""
QUERIES = ["SELECT 1", "SELECT sum(number) FROM numbers(100000)", "SELECT number % 10 AS k, count() FROM numbers(10000) GROUP BY k ORDER BY k"]


def processor_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Target:
    def __init__(self, folder: Path, config: str):
        folder.mkdir()
        (folder / "config.xml").write_text(f"<clickhouse>{config}</clickhouse>")
        self.server = Server(folder / "data", "--config-file", folder / "config.xml")
        self.connection = http.client.HTTPConnection("127.0.0.1", self.server.http_port)
        self.wall: list[float] = []
        self.processor: list[float] = []

    def ask(self, query: str):
        self.connection.request("POST", "/", body=query)
        answer = self.connection.getresponse()
        body = answer.read()
        assert answer.status == 200, body

    def round(self, queries: int):
        spent, began = processor_seconds(self.server.process.pid), time.perf_counter()
        for n in range(queries):
            self.ask(QUERIES[n % len(QUERIES)])
        self.wall.append((time.perf_counter() - began) / queries * 1e6)
        self.processor.append((processor_seconds(self.server.process.pid) - spent) / queries * 1e6)


def main():
    rounds, queries = (int(word) for word in (sys.argv[1:] + ["40", "300"][len(sys.argv) - 1 :]))
    with tempfile.TemporaryDirectory() as folder:
        on = Target(Path(folder) / "on", "")
        off = Target(Path(folder) / "off", "".join(f'<{name} remove="1"/>' for name in LOGS.split()))
        for target in (on, off):
            target.round(queries)
            target.wall.clear()
            target.processor.clear()
        for n in range(rounds):
            for target in (on, off) if n % 2 else (off, on):
                target.round(queries)
        for name, of in (("time of a query", lambda target: target.wall), ("of a processor", lambda target: target.processor)):
            with_logs, without = statistics.median(of(on)), statistics.median(of(off))
            print(f"{name}: {with_logs:.0f} µs with logs, {without:.0f} µs without: {(with_logs / without - 1) * 100:+.1f} %")
        on.server.stop()
        off.server.stop()


if __name__ == "__main__":
    main()
