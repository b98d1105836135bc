"""Who is compared, and how one run of each is made: a new process, its time, memory, answer."""

import json
import sys
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path

from data import BUCKET
from measured_process import run_measured
from peers.asked import Asked
from peers.clickhouse_sql import statement
from published import version_of
from rows import Row
from sessions import check

FOLDER = Path(__file__).resolve().parent
GRISTMILL = "Gristmill"
LIMITED = "Gristmill, max_memory_usage = 500 MB"
BEST = "ClickHouse, best max_threads"


@dataclass
class Run:
    """What was measured. Requests and bytes are counted outside of the process, and filled in later."""

    seconds: float
    cpu_seconds: float
    memory_before_bytes: int | None
    memory_peak_bytes: int
    answer: list
    requests: dict[str, int] = field(default_factory=dict)
    bytes_received: int = 0


@dataclass(frozen=True)
class Server:
    """Where clients connect, and as whom."""

    endpoint: str
    key: str
    secret: str


@dataclass(frozen=True)
class Engine:
    """`family` is its column in the table, `also` another one; several with other settings make one column of the best, and
    without one it stands among the details only."""

    name: str
    family: str | None
    script: str
    settings: dict = field(default_factory=dict)
    also: str | None = None

    @property
    def note(self) -> str:
        """What stands behind its ratio."""
        return str(self.settings.get("max_threads", ""))

    def takes(self, row: Row) -> bool:
        """Whether it runs the row."""
        return True

    def run(self, row: Row, server: Server, wanted: int, seconds_max: float) -> Run:
        asked = Asked(row.name, server.endpoint, BUCKET, row.files, server.key, server.secret, wanted, self.settings)
        # Scripts find what they share with the harness.
        environment = {"PYTHONPATH": str(FOLDER), "AWS_EC2_METADATA_DISABLED": "true"}
        line = [sys.executable, FOLDER / "peers" / self.script]
        done = run_measured(line, json.dumps(vars(asked)), seconds_max, environment)
        check(done)
        return Run(**json.loads(done.out.splitlines()[-1]))


@dataclass(frozen=True)
class Gristmill(Engine):
    """The binary; `script` is its path. Its time is what `--time` tells: from the query's text to its last row written."""

    def run(self, row: Row, server: Server, wanted: int, seconds_max: float) -> Run:
        query = statement(row.name, f"{server.endpoint}/{BUCKET}/{row.files}", server.key, server.secret, wanted)
        flags = [text for name, value in self.settings.items() for text in (f"--{name}", str(value))]
        line = [self.script, "local", "--time", "--output-format", "JSONCompactEachRow", *flags, "-q", query]
        done = run_measured(line, "", seconds_max)
        check(done)
        answer = [json.loads(line) for line in done.out.splitlines()]
        return Run(float(done.err.split()[-1]), done.cpu_seconds, None, done.memory_peak_bytes, answer)


@dataclass(frozen=True)
class LimitedGristmill(Gristmill):
    """The binary with a limit of memory: that it gives the answer at all is what is to be seen."""

    def takes(self, row: Row) -> bool:
        return row.limited


def engines(binary: str, threads: list[int]) -> list[Engine]:
    """`threads` are the values of max_threads among which ClickHouse's best is looked for."""
    clickhouse = [
        Engine(f"ClickHouse, max_threads = {count}", BEST, "clickhouse_chdb.py", {"max_threads": count})
        for count in threads
    ]
    return [
        Gristmill(GRISTMILL, GRISTMILL, binary),
        LimitedGristmill(LIMITED, None, binary, {"max_memory_usage": 500_000_000}),
        # As it comes it is also one of those among which the best is looked for.
        Engine("ClickHouse", "ClickHouse", "clickhouse_chdb.py", also=BEST if threads else None),
        *clickhouse,
        Engine("Polars", "Polars", "polars_scan.py"),
        Engine("DataFusion", "DataFusion", "datafusion_sql.py"),
        Engine("DuckDB", "DuckDB", "duckdb_httpfs.py"),
    ]


def versions(binary: str) -> str:
    packages = {"chdb-core": "ClickHouse (chdb)", "polars": "Polars", "datafusion": "DataFusion", "duckdb": "DuckDB"}
    return ", ".join([version_of(binary), *(f"{name} {metadata.version(package)}" for package, name in packages.items())])
