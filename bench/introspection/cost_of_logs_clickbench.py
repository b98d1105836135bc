"""What logs cost ClickBench's queries: each of the 43 on a server with all logs and on one with none, in turns.

    GRISTMILL=target/release/gristmill python bench/introspection/cost_of_logs_clickbench.py [starts] [rounds] [small|full]

Both servers have the same parts: the table is loaded once, merged into one part, and its folder copied. They take turns
query by query, the one that goes first changes with each round, and the first round of a start counts for nothing. How
memory came to lie makes one process faster than another of the same program, a query by up to a fifth, so both are started anew many
times. Told is the median of how much longer a query took in a start, over all queries and starts, with the interval in which it lies in 95
of 100 draws of as many starts from these (bootstrap); the sum of the medians; the queries that logs cost least and most; and what
the processes spent in all (user and system time, with the jobs that write the logs).
"""

import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

BENCH = Path(__file__).resolve().parents[1]
sys.path[1:1] = [str(BENCH), str(BENCH / "mergetree")]

import data  # noqa: E402
from clickbench import TIMED  # noqa: E402
from logged_servers import WITH_LOGS, WITHOUT_LOGS, LoggedServer  # noqa: E402
from made_data import folder_of  # noqa: E402
from rows import tables  # noqa: E402

BINARY = os.environ.get("GRISTMILL", str(BENCH.parent / "target/release/gristmill"))


def load(scale_name: str, path: Path) -> None:
    scale, folder = data.SCALES[scale_name], folder_of("mergetree", scale_name)
    data.make(BINARY, scale, {"hits"}, folder)
    made = tables(scale)["hits"]
    statements = [made.create, made.load.format(files=folder / "hits" / "*.parquet"), "OPTIMIZE TABLE hits FINAL"]
    subprocess.run([BINARY, "local", "--path", str(path), *(word for text in statements for word in ("-q", text))], check=True)


def costs_of_start(times: dict[str, list[list[float]]], rounds: slice) -> list[float]:
    """By how many percent each query took longer with logs, in the rounds of one start."""
    medians = [[statistics.median(one[rounds]) for one in times[name]] for name in ("on", "off")]
    return [(longer / shorter - 1) * 100 for longer, shorter in zip(*medians, strict=True)]


def interval(by_start: list[list[float]]) -> tuple[float, float]:
    """Between these the median lies in 95 of 100 draws of starts."""
    chance = random.Random(1)
    draws = sorted(statistics.median(sum(chance.choices(by_start, k=len(by_start)), [])) for _ in range(1000))
    return draws[25], draws[974]


def measure(folder: Path, rounds: int, first: int, times: dict[str, list[list[float]]]) -> dict[str, float]:
    """Starts both servers and asks them; gives the seconds of a processor that each spent."""
    servers = {"on": LoggedServer(folder / "on", WITH_LOGS), "off": LoggedServer(folder / "off", WITHOUT_LOGS)}
    before = {}
    for turn in range(rounds + 1):
        if turn == 1:
            before = {name: server.processor_seconds() for name, server in servers.items()}
        for number, query in enumerate(TIMED):
            for name in sorted(servers, reverse=bool((turn + first) % 2)):
                began = time.perf_counter()
                servers[name].ask(query)
                if turn:
                    times[name][number].append(time.perf_counter() - began)
    spent = {name: server.processor_seconds() - before[name] for name, server in servers.items()}
    for server in servers.values():
        server.stop()
    return spent


def main():
    starts, rounds, scale = (sys.argv[1:] + ["20", "2", "small"][len(sys.argv) - 1 :])[:3]
    starts, rounds = int(starts), int(rounds)
    with tempfile.TemporaryDirectory(dir=os.environ.get("GRISTMILL_BENCH_SCRATCH")) as name:
        folder = Path(name)
        (folder / "on").mkdir()
        load(scale, folder / "on/data")
        shutil.copytree(folder / "on/data", folder / "off/data")
        times = {name: [[] for _ in TIMED] for name in ("on", "off")}
        spent = dict.fromkeys(times, 0.0)
        for start in range(starts):
            for name, seconds in measure(folder, rounds, start, times).items():
                spent[name] += seconds
        by_start = [costs_of_start(times, slice(start * rounds, (start + 1) * rounds)) for start in range(starts)]
        costs = costs_of_start(times, slice(None))
        sums = [sum(statistics.median(one) for one in times[name]) for name in ("on", "off")]
        least, most = interval(by_start)
        print(f"median over {len(TIMED)} queries in {starts} starts: {statistics.median(sum(by_start, [])):+.2f} % ({least:+.2f} to {most:+.2f} %)")
        print(f"sum of medians: {sums[0]:.3f} s with logs, {sums[1]:.3f} s without: {(sums[0] / sums[1] - 1) * 100:+.2f} %")
        print(f"of a processor: {spent['on']:.2f} s with logs, {spent['off']:.2f} s without: {(spent['on'] / spent['off'] - 1) * 100:+.2f} %")
        ordered = sorted(range(len(TIMED)), key=lambda number: costs[number])
        for number in ordered[:3] + ordered[-5:]:
            print(f"  {costs[number]:+6.2f} %  {statistics.median(times['off'][number]) * 1e3:8.2f} ms  {TIMED[number][:90]}")


if __name__ == "__main__":
    main()
