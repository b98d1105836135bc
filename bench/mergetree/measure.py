"""One run of an engine on a row of the table."""

import shutil
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow.parquet
from engines import Engine, with_settings
from measured_process import TookTooLong
from rows import Load, Merge, Query, Size, Table
from sessions import Failed

# Runs of a query in one process: the first finds nothing in the process's caches, of the others the middle counts.
IN_ONE_PROCESS = 4
PARTS = "SELECT sum(rows), count(), sum(bytes_on_disk), sum(data_uncompressed_bytes) FROM system.parts WHERE active AND table = '{}'"
# Nothing is merged before it is asked for.
UNMERGED = "max_bytes_to_merge_at_max_space_in_pool = 1"


@dataclass
class Run:
    """`seconds` is what was measured; of a query, its middle run but for the first, which `seconds_first` is. `rows` went in
    where rows did. `parts`, `bytes` and `bytes_uncompressed` are of the table's parts, as the engine counts them;
    `bytes_loaded` before they were merged."""

    seconds: float
    cpu_seconds: float
    memory_peak_bytes: int
    answer: list
    seconds_first: float | None = None
    rows: int | None = None
    parts_before: int | None = None
    parts: int | None = None
    bytes: int | None = None
    bytes_uncompressed: int | None = None
    bytes_loaded: int | None = None


@dataclass
class Place:
    """Where tables lie and files come from. `kept` are folders of tables that queries ask, by engine and table."""

    scratch: Path
    data: Path
    tables: dict[str, Table]
    seconds_max: float
    kept: dict[tuple[str, str], Path] = field(default_factory=dict)
    sizes: dict[tuple[str, str], list[int]] = field(default_factory=dict)
    failed: dict[tuple[str, str], str] = field(default_factory=dict)

    def load(self, table: Table, files: str = "*", *settings: str) -> str:
        pattern = str(self.data / (table.data or "") / f"{files}.parquet")
        return with_settings(table.load.format(files=pattern), table.settings, *settings)

    def new(self, name: str) -> Path:
        folder = self.scratch / name
        shutil.rmtree(folder, ignore_errors=True)
        return folder

    def keep(self, engine: Engine, name: str) -> Path:
        """The table as one merge leaves it, for queries; loaded where it is not there yet."""
        key = (engine.tables, name)
        if key in self.failed:
            raise Failed(self.failed[key])
        if key not in self.kept:
            try:
                self.kept[key], self.sizes[key] = self.made(engine, self.tables[name])
            except (Failed, TookTooLong) as error:
                self.failed[key] = f"the table was not made: {error}"
                raise Failed(self.failed[key]) from None
        return self.kept[key]

    def made(self, engine: Engine, table: Table) -> tuple[Path, list[int]]:
        """The table's folder, and its bytes on disk before and after the merge."""
        print(f"Loading {table.name} into {engine.tables} …", flush=True)
        folder = self.new(f"{engine.tables}-{table.name}")
        sizes = []
        for statements in ([table.create, self.load(table)], [f"OPTIMIZE TABLE {table.name} FINAL"]):
            engine.run(folder, statements, self.seconds_max)
            ((_, _, size, _),) = engine.run(folder, [PARTS.format(table.name)]).answers[0]
            sizes.append(int(size))
        return folder, sizes

    def forget(self, name: str) -> None:
        """Removes the table, which no later row asks."""
        for key in [key for key in self.kept if key[1] == name]:
            shutil.rmtree(self.kept.pop(key), ignore_errors=True)


def measure(place: Place, engine: Engine, row: Load | Merge | Query | Size, known: list | None) -> Run:
    """`known` is the answer of an earlier run of this engine, or nothing."""
    match row:
        case Load():
            return load(place, engine, place.tables[row.table])
        case Merge():
            return merge(place, engine, place.tables[row.table], row.parts)
        case Query():
            return query(place, engine, row, known)
        case Size():
            place.keep(engine, row.table)
            loaded, merged = place.sizes[engine.tables, row.table]
            return Run(0, 0, 0, [], bytes_loaded=loaded, bytes=merged)


def load(place: Place, engine: Engine, table: Table) -> Run:
    folder = place.new("load")
    try:
        ran = engine.run(folder, [table.create, place.load(table, "*", engine.load)], place.seconds_max)
        # By another process: what is looked at has lasted, and its memory does not count.
        check, ((rows, parts, size, uncompressed),) = engine.run(folder, [table.check, PARTS.format(table.name)], place.seconds_max).answers
        return Run(ran.seconds[1], ran.cpu_seconds, ran.memory_peak_bytes, check, None, int(rows), None, int(parts), int(size), int(uncompressed))
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def merge(place: Place, engine: Engine, table: Table, parts_wanted: int) -> Run:
    folder = place.new("merge")
    files = "00?"
    try:
        made = sorted((place.data / (table.data or "")).glob(f"{files}.parquet"))
        rows_each = rows_of(made) // parts_wanted
        small = f"max_insert_threads = 1, min_insert_block_size_rows = {rows_each}, max_insert_block_size = {rows_each}, min_insert_block_size_bytes = 0"
        engine.run(folder, [with_settings(table.create_zstd, UNMERGED), place.load(table, files, small)], place.seconds_max)
        ((_, before, _, _),) = engine.run(folder, [PARTS.format(table.name)]).answers[0]
        ran = engine.run(folder, [f"OPTIMIZE TABLE {table.name} FINAL"], place.seconds_max)
        check, ((rows, parts, size, uncompressed),) = engine.run(folder, [table.check, PARTS.format(table.name)], place.seconds_max).answers
        return Run(ran.seconds[0], ran.cpu_seconds, ran.memory_peak_bytes, check, None, int(rows), int(before), int(parts), int(size), int(uncompressed))
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def rows_of(files: list[Path]) -> int:
    return sum(pyarrow.parquet.read_metadata(path).num_rows for path in files)


def query(place: Place, engine: Engine, row: Query, known: list | None) -> Run:
    folder = place.keep(engine, row.table)
    ran = engine.run(folder, [with_settings(row.query, engine.query)] * IN_ONE_PROCESS, place.seconds_max)
    answer = known
    if answer is None:
        (answer,) = engine.run(folder, [with_settings(row.compared, engine.query)], place.seconds_max).answers
    later = sorted(ran.seconds[1:])
    return Run(later[len(later) // 2], ran.cpu_seconds, ran.memory_peak_bytes, answer, ran.seconds[0])
