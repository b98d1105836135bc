"""The seed statements side by side with ClickHouse itself (PyPI `chdb`), on the same files behind the same S3 server.

    python bench/bench.py [--rows N] [--files N] [--numbers N] [--repeats N] [--only TEXT] [--keep DIR] [--readme]

Every run is a process of its own, the engines take turns, and what is told is the median with its ratio: the machine is
noisy, so a time alone means nothing. Peak memory is what the kernel counted for the process; requests are those that the
server logged. The answers of the engines have to be the same.
"""

import argparse
import os
import shutil
import statistics
import sys
import tempfile
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER.parent / "tests/e2e"))
from published import RESULTS, into_readme, machine, version_of  # noqa: E402
from requests_log import RequestsLog, spelled  # noqa: E402
from seed_tables import CHECK_PARTITIONED, CHECK_POSTS, CREATE_PARTITIONED, CREATE_POSTS, generate_posts, keys_in_partitions, load_partitioned  # noqa: E402
from servers import S3  # noqa: E402
from sessions import run_chdb, run_gristmill  # noqa: E402

GRISTMILL = os.environ.get("GRISTMILL", str(FOLDER.parent / "target/release/gristmill"))
RESULT = RESULTS / "seed_statements.md"
BUCKET = "bench"

TOP_USERS = """SELECT OwnerDisplayName, count() AS num_posts FROM {source}
WHERE OwnerDisplayName NOT IN ('', 'anon')
GROUP BY OwnerDisplayName ORDER BY num_posts DESC LIMIT 5"""

LOAD = "INSERT INTO posts SELECT * FROM {source}"
PUBLISHED = " SETTINGS min_insert_block_size_rows=0, max_insert_threads=4, min_insert_block_size_bytes=2863311530"

LOAD_PARTITIONED = load_partitioned("{numbers}")

# Name, statements before the measured one, the measured one, the one whose answer is compared.
CASES = [
    ("Top users, on the files", [], TOP_USERS + " SETTINGS max_threads = 16", None),
    ("Load into MergeTree, default settings", [CREATE_POSTS], LOAD, CHECK_POSTS),
    ("Load into MergeTree, published settings", [CREATE_POSTS], LOAD + PUBLISHED, CHECK_POSTS),
    ("Load into 1,000 partitions", [CREATE_PARTITIONED], LOAD_PARTITIONED, CHECK_PARTITIONED),
    ("1,000 keys in 1,000 partitions", [CREATE_PARTITIONED, LOAD_PARTITIONED], keys_in_partitions(), None),
]


@dataclass
class Run:
    seconds: float
    memory_peak_bytes: int
    requests: dict[str, int]
    answer: list


@dataclass
class Measured:
    runs: list[Run] = field(default_factory=list)

    @property
    def seconds(self) -> float:
        return statistics.median(run.seconds for run in self.runs)

    @property
    def memory_peak_bytes(self) -> float:
        return statistics.median(run.memory_peak_bytes for run in self.runs)

    @property
    def requests(self) -> str:
        return spelled(self.runs[-1].requests)


ENGINES = {"Gristmill": partial(run_gristmill, GRISTMILL), "ClickHouse (chdb)": run_chdb}


def one_run(engine: str, case, source: str, numbers: int, scratch: Path, log: RequestsLog) -> Run:
    _, before, measured, check = case
    fill = lambda text: text.format(source=source, numbers=numbers)  # noqa: E731
    statements = [fill(text) for text in [*before, measured, *([check] if check else [])]]
    with tempfile.TemporaryDirectory(dir=scratch) as folder:
        log.skip()
        ran = ENGINES[engine](f"{folder}/database", statements)
        return Run(ran.seconds[len(before)], ran.memory_peak_bytes, log.counted(), ran.answers[-1])


def prepare(arguments, folder: Path, log: RequestsLog) -> tuple[S3, int]:
    """Makes the files and puts them behind a server."""
    files = generate_posts(GRISTMILL, folder / "made", arguments.rows, arguments.files)
    server = S3(folder / "s3/buckets", flags=log.flags).start()
    size = 0
    for file in files:
        content = file.read_bytes()
        size += len(content)
        server.put(f"{BUCKET}/posts/by_month/{file.name}", content)
    shutil.rmtree(folder / "made")
    return server, size


def table(results: dict[str, dict[str, Measured]]) -> list[str]:
    lines = ["| Statement | Engine | Median | Ratio | Fastest – slowest | Peak memory | Requests |", "|---|---|---|---|---|---|---|"]
    for name, engines in results.items():
        base = engines["Gristmill"].seconds
        for engine, measured in engines.items():
            times = [run.seconds for run in measured.runs]
            lines.append(
                f"| {name} | {engine} | {measured.seconds:.2f} s | {measured.seconds / base:.2f} | {min(times):.2f} – {max(times):.2f} s "
                f"| {measured.memory_peak_bytes / 2**20:.0f} MiB | {measured.requests} |"
            )
    return lines


def report(arguments, size: int, results) -> str:
    import chdb

    clickhouse = str(chdb.query("SELECT version()", "TSV")).strip()
    lines = [
        f"{arguments.rows:,} posts in {arguments.files} Parquet files ({size / 1e9:.2f} GB) behind versitygw on the same machine, and {arguments.numbers:,} numbers in partitions of 100,000: {machine()}. "
        f"{version_of(GRISTMILL)}, chdb {chdb.__version__} (ClickHouse {clickhouse}). {arguments.repeats} runs each, in turns, every one a new process; "
        "the ratio is to Gristmill's median. Gristmill syncs parts and commits to the disk before it answers, ClickHouse does not unless told.",
        "",
        *table(results),
    ]
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=3_000_000)
    parser.add_argument("--files", type=int, default=189)
    parser.add_argument("--numbers", type=int, default=100_000_000, help="rows of the partitioned table")
    parser.add_argument("--only", help="only the statements whose name has this text")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--keep", type=Path, help="folder for the data; a temporary one without this")
    parser.add_argument("--readme", action="store_true", help="also put the table into README.md")
    arguments = parser.parse_args()
    folder = arguments.keep or Path(tempfile.mkdtemp(prefix="gristmill-bench-", dir="/var/tmp"))
    folder.mkdir(parents=True, exist_ok=True)
    log = RequestsLog(folder / "requests.log")
    server, size = prepare(arguments, folder, log)
    source = f"s3('{server.url(f'{BUCKET}/posts/by_month/*.parquet')}', {server.keys})"
    results: dict[str, dict[str, Measured]] = {}
    try:
        for case in [case for case in CASES if not arguments.only or arguments.only in case[0]]:
            measured = results[case[0]] = {engine: Measured() for engine in ENGINES}
            for repeat in range(arguments.repeats):
                # The one that goes first changes: what it leaves in the machine's caches helps the other.
                for engine in list(ENGINES)[:: 1 if repeat % 2 == 0 else -1]:
                    run = one_run(engine, case, source, arguments.numbers, folder, log)
                    measured[engine].runs.append(run)
                    print(f"{case[0]}, {engine}: {run.seconds:.2f} s, {run.memory_peak_bytes / 2**20:.0f} MiB, {run.requests}", flush=True)
            counts = {tuple(row[-1] for row in m.runs[0].answer) for m in measured.values()}
            if len(counts) != 1:
                raise RuntimeError(f"{case[0]}: the engines answer otherwise: {[m.runs[0].answer for m in measured.values()]}")
    finally:
        server.stop()
        if not arguments.keep:
            shutil.rmtree(folder, ignore_errors=True)
    text = report(arguments, size, results)
    RESULT.parent.mkdir(exist_ok=True)
    RESULT.write_text(f"# The seed statements, side by side\n\n{text}")
    if arguments.readme:
        into_readme("bench", text)
    print(text)


if __name__ == "__main__":
    main()
