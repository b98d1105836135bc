"""Queries on files behind an S3 server that is as far away as a bucket: Gristmill, ClickHouse, Polars, DataFusion, DuckDB.

    make bench-object-storage BENCH="[--scale trial|standard|full] [--rows NAME …] [--peers NAME …] [--readme]"

Everything is on loopback: versitygw, and in front of it toxiproxy, which adds latency and limits connections. Each run is a
new process, so that nothing is cached in it, and the engines take turns: the machine is noisy, and only ratios of medians
tell something. What is timed is the query, from its start to its last row, with nothing connected, listed or read before;
start of the process and imports are not. Peak memory is of the whole process, with its libraries. Requests are those that
the server logged, bytes those that the proxy passed. Answers are compared, and a wrong one is not timed.
"""

import argparse
import json
import os
import signal
import sys
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
sys.path[1:1] = [str(FOLDER.parent), str(FOLDER.parent.parent / "tests/e2e")]

import data  # noqa: E402
import report  # noqa: E402
from comparison import Cell, faults, judged  # noqa: E402
from engines import BEST, GRISTMILL, Server, engines, versions  # noqa: E402
from made_data import folder_of  # noqa: E402
from measured_process import TookTooLong  # noqa: E402
from proxy import Network, Proxy  # noqa: E402
from published import RESULTS, into_readme, machine  # noqa: E402
from requests_log import RequestsLog  # noqa: E402
from rows import ROWS, id_wanted  # noqa: E402
from servers import S3  # noqa: E402
from sessions import Failed  # noqa: E402

BINARY = os.environ.get("GRISTMILL", str(FOLDER.parent.parent / "target/release/gristmill"))


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scale", choices=data.SCALES, default="standard", help="how much data (default: standard)")
    rows = [row.name for row in ROWS]
    parser.add_argument("--rows", nargs="+", choices=rows, default=rows, metavar="NAME", help=", ".join(rows))
    peers = [engine.name for engine in engines(BINARY, [])]
    parser.add_argument("--peers", nargs="*", choices=peers, default=peers, metavar="NAME", help=", ".join(peers))
    parser.add_argument("--threads", nargs="*", type=int, default=[8, 32, 128], metavar="N", help="values of ClickHouse's max_threads to find the best of")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--no-latency", action="store_true", help="the proxy only counts")
    parser.add_argument("--latency-ms", type=int, default=Network.latency_ms)
    parser.add_argument("--jitter-ms", type=int, default=Network.jitter_ms)
    parser.add_argument("--megabytes-per-second", type=int, default=Network.megabytes_per_second, help="of one connection")
    parser.add_argument("--seconds-max", type=float, default=900, help="a run that takes longer has failed")
    parser.add_argument("--seconds-enough", type=float, default=300, help="an engine that has used so much on a row is not run again on it")
    parser.add_argument("--results", type=Path, default=RESULTS, help="folder for object_storage.md and .json (object_storage_no_latency with that option)")
    parser.add_argument("--readme", action="store_true", help="also put the table into README.md")
    return parser.parse_args()


@contextmanager
def running(started):
    """Stops a server in the end, however it comes."""
    try:
        yield started
    finally:
        started.stop()


class Bench:
    """Servers that run, and what was measured so far."""

    def __init__(self, given: argparse.Namespace):
        self.given = given
        self.network = Network(0, 0, 0) if given.no_latency else Network(given.latency_ms, given.jitter_ms, given.megabytes_per_second)
        self.scale = data.SCALES[given.scale]
        self.wanted = id_wanted(self.scale.posts)
        self.rows = [row for row in ROWS if row.name in given.rows]
        threads = given.threads if "ClickHouse" in given.peers else []
        self.engines = [engine for engine in engines(BINARY, threads) if engine.settings or engine.name in {*given.peers, GRISTMILL}]
        self.measured: dict = {}

    def run(self) -> None:
        folder = folder_of("object-storage", self.given.scale)
        folder.mkdir(parents=True, exist_ok=True)
        self.log = RequestsLog(folder / "requests.log")
        # Uploads are made over connections that are not kept: versitygw refuses some otherwise.
        with running(S3(folder / "s3/buckets", flags=self.log.flags).start()) as server:
            self.sets = data.make(BINARY, self.scale, server, folder)
        # Real buckets keep connections open; versitygw does when told.
        with running(S3(folder / "s3/buckets", flags=[*self.log.flags, "--keep-alive"]).start()) as server:
            self.server = server
            for row in self.rows:
                self.measured[row] = [Cell(engine) for engine in self.engines if engine.takes(row)]
                self.measure(row, self.measured[row])
                judged(self.measured[row])

    def measure(self, row, cells: list) -> None:
        for repeat in range(self.given.repeats):
            # The one that goes first changes: what it leaves in the machine's caches helps the next.
            first = repeat % len(cells)
            for cell in cells[first:] + cells[:first]:
                if not cell.fault and cell.spent < self.given.seconds_enough:
                    self.one_run(row, cell)

    def one_run(self, row, cell) -> None:
        self.log.skip()
        # A proxy for each run: what clients asked for and left unread stays in its memory (20 GB after twenty minutes).
        with running(Proxy(self.server.port, self.network, folder_of("object-storage", self.given.scale) / "toxiproxy.log")) as proxy:
            server = Server(f"http://127.0.0.1:{proxy.port}", self.server.key, self.server.secret)
            try:
                run = cell.engine.run(row, server, self.wanted, self.given.seconds_max)
            except TookTooLong as error:
                cell.fault = f"over {self.given.seconds_max:.0f} s: {error}"
                print(f"{row.name}, {cell.engine.name}: {error}", flush=True)
                return
            except Failed as error:
                cell.fault = f"failed: {error}"
                print(f"{row.name}, {cell.engine.name}: {error}", flush=True)
                return
            run.requests = self.log.counted()
            run.bytes_received = proxy.bytes_counted()
        cell.runs.append(run)
        print(
            f"{row.name}, {cell.engine.name}: {run.seconds:.2f} s, {run.memory_peak_bytes / 2**20:.0f} MiB, {run.requests}, "
            f"{run.bytes_received / 1e6:.1f} MB",
            flush=True,
        )


def about(bench: Bench) -> str:
    """What has to be known to read the tables."""
    posts, given = bench.sets["by_month"], bench.given
    sentences = [
        f"{bench.scale.posts:,} posts in {posts['files']} Parquet files ({posts['bytes'] / 1e9:.2f} GB), and other files of posts, "
        f"behind versitygw and toxiproxy ({bench.network}), all on one machine: {machine()}",
        versions(BINARY),
        f"Runs of each: {given.repeats}, in turns, every one a new process; only the query is timed. "
        "Gristmill's median, and how many times it the others took",
    ]
    if any(engine.family == BEST for engine in bench.engines):
        tried = ", ".join(map(str, given.threads))
        sentences.append(f"ClickHouse as it comes, and with the best `max_threads` of {tried}: in brackets, unless the default was the best")
    return ". ".join(sentences) + "."


def write(bench: Bench) -> str:
    """Writes the results, gives what goes into the README."""
    given = bench.given
    used = {row.data: bench.sets[row.data] for row in bench.rows}
    others = [f"{name}: {had['files']:,} of {had['bytes'] / 1e6:,.1f} MB in all" for name, had in used.items()]
    said = about(bench)
    table = "\n".join([said, "", *report.ratios(bench.measured)]) + "\n"
    without_time = faults(bench.measured)
    name = "object_storage" + ("_no_latency" if given.no_latency else "")
    text = ["# Queries on object storage, side by side", "", table, *report.details(bench.measured), ""]
    text += ["Files: " + "; ".join(others) + ".", ""] + (["Without a time:", "", *without_time, ""] if without_time else [])
    given.results.mkdir(parents=True, exist_ok=True)
    (given.results / f"{name}.md").write_text("\n".join(text))
    raw = {
        "about": said,
        "network": asdict(bench.network),
        "scale": asdict(bench.scale),
        "data": bench.sets,
        "rows": {
            row.name: {cell.engine.name: {"fault": cell.fault, "runs": [vars(run) for run in cell.runs]} for cell in cells}
            for row, cells in bench.measured.items()
        },
    }
    (given.results / f"{name}.json").write_text(json.dumps(raw, indent=1) + "\n")
    return table


def main() -> None:
    given = options()
    # Told to end, it ends its servers too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    bench = Bench(given)
    bench.run()
    table = write(bench)
    if given.readme:
        into_readme("bench-object-storage" + ("-no-latency" if given.no_latency else ""), table)
    print(table)


if __name__ == "__main__":
    main()
