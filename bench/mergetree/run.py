"""Loads, merges and queries of MergeTree tables on the local disk, side by side with ClickHouse (PyPI `chdb`).

    python bench/mergetree/run.py [--scale small|full] [--rows NAME …] [--peers NAME …] [--repeats N] [--readme] …

Both engines get the same files and the same statements. Loads run into an empty table, a process each; queries ask a
table that one OPTIMIZE has left as one part, several times in a process. Engines take turns. The best of several tunings
of ClickHouse stands beside ClickHouse as it comes: for loads the published rule for blocks and lanes, for queries
`max_threads`. Answers are compared: what differs has no time. Both write LZ4 where rows are inserted, and what they take
for merged parts: Gristmill ZSTD, ClickHouse that for large ones. Tables whose merge is measured have ZSTD in all columns.
"""

import argparse
import json
import os
import shutil
import signal
import sys
from dataclasses import asdict
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
sys.path[1:1] = [str(FOLDER.parent)]

import data  # noqa: E402
import report  # noqa: E402
from comparison import Cell, faults, judged  # noqa: E402
from engines import TUNED, engines, versions  # noqa: E402
from made_data import folder_of  # noqa: E402
from measure import Place, measure  # noqa: E402
from measured_process import TookTooLong  # noqa: E402
from published import RESULTS, into_readme, machine  # noqa: E402
from rows import Query, Size, rows, tables  # noqa: E402
from sessions import Failed  # noqa: E402

BINARY = os.environ.get("GRISTMILL", str(FOLDER.parent.parent / "target/release/gristmill"))
CORES = os.cpu_count() or 1


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scale", choices=data.SCALES, default="small", help="how much data (default: small)")
    names = list(dict.fromkeys(row.name for row in rows(data.SCALES["small"])))
    parser.add_argument("--rows", nargs="+", choices=names, default=names, metavar="NAME", help=", ".join(names))
    parser.add_argument("--peers", nargs="*", choices=["ClickHouse"], default=["ClickHouse"], metavar="NAME", help="ClickHouse")
    parser.add_argument("--lanes", nargs="*", type=int, default=sorted({max(CORES // 2, 1), CORES}), metavar="N", help="values of max_insert_threads to find ClickHouse's best load of")
    parser.add_argument("--threads", nargs="*", type=int, default=[2 * CORES], metavar="N", help="values of max_threads to find ClickHouse's best of")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--seconds-max", type=float, default=900, help="a process that takes longer has failed")
    parser.add_argument("--results", type=Path, default=RESULTS, help="folder for mergetree.md and .json")
    parser.add_argument("--readme", action="store_true", help="also put the table into README.md")
    return parser.parse_args()


class Bench:
    """What is measured, and what was measured so far."""

    def __init__(self, given: argparse.Namespace):
        self.given = given
        self.scale = data.SCALES[given.scale]
        self.rows = [row for row in rows(self.scale) if row.name in given.rows]
        lanes, threads = (given.lanes, given.threads) if given.peers else ([], [])
        everyone = engines(BINARY, lanes, threads)
        self.engines = everyone if given.peers else everyone[:1]
        self.measured: report.Measured = {}

    def run(self) -> None:
        folder = folder_of("mergetree", self.given.scale)
        made = tables(self.scale)
        wanted = {made[row.table].data for row in self.rows} - {None}
        self.sets = data.make(BINARY, self.scale, wanted, folder)
        place = Place(folder / "scratch", folder, made, self.given.seconds_max)
        # Tables that queries ask take room: those of one are gone before the next is made.
        in_order = sorted(self.rows, key=lambda row: (isinstance(row, Query | Size), list(made).index(row.table)))
        try:
            for at, row in enumerate(in_order):
                cells = [Cell(engine) for engine in self.engines if engine.takes(row)]
                for repeat in range(1 if isinstance(row, Size) else self.given.repeats):
                    # The one that goes first changes: what it leaves in the machine's caches helps the next.
                    first = repeat % len(cells)
                    for cell in cells[first:] + cells[:first]:
                        if not cell.fault:
                            one_run(place, row, cell)
                judged(cells)
                self.measured[row] = cells
                for fault in faults({row: cells}):
                    print(fault, flush=True)
                if all(later.table != row.table for later in in_order[at + 1 :]):
                    place.forget(row.table)
        finally:
            shutil.rmtree(place.scratch, ignore_errors=True)
            self.measured = {row: self.measured[row] for row in self.rows if row in self.measured}


def one_run(place: Place, row, cell: Cell) -> None:
    name = f"{row.title}, {cell.engine.name}"
    try:
        run = measure(place, cell.engine, row, cell.runs[0].answer if cell.runs else None)
    except TookTooLong as error:
        cell.fault = f"over {place.seconds_max:.0f} s: {error}"
    except Failed as error:
        cell.fault = f"failed: {error}"
    else:
        cell.runs.append(run)
        size = "" if run.bytes is None else f", {run.bytes / 1e6:.1f} MB in parts"
        print(f"{name}: {run.seconds:.3f} s, {run.memory_peak_bytes / 2**20:.0f} MiB{size}", flush=True)


def about(bench: Bench) -> str:
    """What has to be known to read the tables."""
    given, sets = bench.given, bench.sets
    files = [f"{name} ({getattr(bench.scale, name):,} rows, {sets[name]['files']} Parquet files, {sets[name]['bytes'] / 1e9:.2f} GB)" for name in sets]
    sentences = [
        f"From files on the local disk: {', '.join(files)}; and {bench.scale.partitioned:,} numbers in 1,000 partitions. {machine()}",
        versions(BINARY),
        f"Processes of each: {given.repeats}, in turns; a query runs four times in each, its first run apart. "
        "Gristmill's median, and how many times it the others took. Memory: Gristmill's and that of ClickHouse as it comes",
    ]
    if any(engine.family == TUNED for engine in bench.engines):
        lanes, threads = ", ".join(map(str, given.lanes)), ", ".join(map(str, given.threads))
        sentences.append(
            f"ClickHouse as it comes, and with the best tuning, in brackets unless the default was the best: loads with the published rule "
            f"for {lanes} lanes, queries with `max_threads` of {threads}"
        )
    sentences.append("Gristmill syncs parts and commits to the disk before it answers, ClickHouse does not unless told")
    return ". ".join(sentences) + "."


def told(run) -> dict:
    """What was measured, without the answer."""
    return {name: value for name, value in vars(run).items() if name != "answer"}


def write(bench: Bench) -> str:
    """Writes the results, gives what goes into the README."""
    given, said = bench.given, about(bench)
    on_disk = report.sizes(bench.measured)
    table = "\n".join([said, "", *report.ratios(bench.measured), *(["", *on_disk] if on_disk else [])]) + "\n"
    without_time = faults(bench.measured)
    text = ["# MergeTree, side by side", "", table, *report.details(bench.measured), ""]
    text += ["Without a time:", "", *without_time, ""] if without_time else []
    given.results.mkdir(parents=True, exist_ok=True)
    (given.results / "mergetree.md").write_text("\n".join(text))
    raw = {
        "about": said,
        "scale": asdict(bench.scale),
        "data": bench.sets,
        "rows": [
            {"name": row.name, "title": row.title, "engines": {cell.engine.name: {"fault": cell.fault, "runs": [told(run) for run in cell.runs]} for cell in cells}}
            for row, cells in bench.measured.items()
        ],
    }
    (given.results / "mergetree.json").write_text(json.dumps(raw, indent=1) + "\n")
    return table


def main() -> None:
    given = options()
    # Told to end, it removes its tables and writes the rows that all engines have run.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    bench = Bench(given)
    try:
        bench.run()
    except SystemExit:
        print(f"Ended early: {len(bench.measured)} of {len(bench.rows)} rows were measured", flush=True)
    table = write(bench)
    if given.readme:
        into_readme("bench-mergetree", table)
    print(table)


if __name__ == "__main__":
    main()
