"""What logs cost a query: small queries over HTTP, on a server with all logs and on one with none, in turns.

    GRISTMILL=target/release/gristmill python bench/introspection/cost_of_logs.py [rounds] [queries a round]

Told are medians over the rounds of the time of a query, and what the server's process spent on it (user and system time,
with the jobs that write the logs).
"""

import statistics
import sys
import tempfile
import time
from pathlib import Path

from logged_servers import WITH_LOGS, WITHOUT_LOGS, LoggedServer

QUERIES = ["SELECT 1", "SELECT sum(number) FROM numbers(100000)", "SELECT number % 10 AS k, count() FROM numbers(10000) GROUP BY k ORDER BY k"]


class Target(LoggedServer):
    def __init__(self, folder: Path, config: str):
        super().__init__(folder, config)
        self.wall: list[float] = []
        self.processor: list[float] = []

    def round(self, queries: int):
        spent, began = self.processor_seconds(), time.perf_counter()
        for n in range(queries):
            self.ask(QUERIES[n % len(QUERIES)])
        self.wall.append((time.perf_counter() - began) / queries * 1e6)
        self.processor.append((self.processor_seconds() - spent) / queries * 1e6)


def main():
    rounds, queries = (int(word) for word in (sys.argv[1:] + ["40", "300"][len(sys.argv) - 1 :]))
    with tempfile.TemporaryDirectory() as folder:
        on = Target(Path(folder) / "on", WITH_LOGS)
        off = Target(Path(folder) / "off", WITHOUT_LOGS)
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
        on.stop()
        off.stop()


if __name__ == "__main__":
    main()
