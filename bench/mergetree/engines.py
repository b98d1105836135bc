"""Who is compared, and how statements are run by each: one process with a folder of its own."""

import os
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from published import version_of
from rows import Load, Query, Row
from sessions import Ran, run_chdb, run_gristmill

GRISTMILL = "Gristmill"
CLICKHOUSE = "ClickHouse"
TUNED = "ClickHouse, best tuning"


@dataclass(frozen=True)
class Engine:
    """`family` is its column in the table, `also` another one. `load` and `query` are settings of its INSERTs and its
    SELECTs; one that has settings runs the rows that they concern only. `tables` is who makes the tables that it asks."""

    name: str
    family: str
    script: str
    also: str | None = None
    load: str = ""
    query: str = ""
    note: str = ""

    @property
    def tables(self) -> str:
        return GRISTMILL if self.name == GRISTMILL else CLICKHOUSE

    def takes(self, row: Row) -> bool:
        if self.family == TUNED:
            return bool(isinstance(row, Load) and self.load) or bool(isinstance(row, Query) and self.query)
        return True

    def run(self, path: Path, statements: list[str], seconds_max: float | None = None) -> Ran:
        if self.name == GRISTMILL:
            return run_gristmill(self.script, path, statements, seconds_max)
        return run_chdb(path, statements, seconds_max)


def with_settings(statement: str, *settings: str) -> str:
    given = ", ".join(text for text in settings if text)
    return f"{statement} SETTINGS {given}" if given else statement


def published_tuning(lanes: int) -> str:
    """The rule of the fastest published load: memory over three times the lanes is the size of a block. Half of the memory
    of the machine is given to it."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2
    return f"min_insert_block_size_rows = 0, min_insert_block_size_bytes = {memory // (3 * lanes)}, max_insert_threads = {lanes}"


def engines(binary: str, lanes: list[int], threads: list[int]) -> list[Engine]:
    """`lanes` and `threads` are the values of max_insert_threads and max_threads among which ClickHouse's best is looked for."""
    tuned = [Engine(f"ClickHouse, max_insert_threads = {count}", TUNED, "chdb", load=published_tuning(count), note=f"{count} lanes") for count in lanes]
    tuned += [Engine(f"ClickHouse, max_threads = {count}", TUNED, "chdb", query=f"max_threads = {count}", note=f"{count} threads") for count in threads]
    return [
        Engine(GRISTMILL, GRISTMILL, binary),
        # As it comes it is also one of those among which the best is looked for.
        Engine(CLICKHOUSE, CLICKHOUSE, "chdb", also=TUNED if tuned else None),
        *tuned,
    ]


def versions(binary: str) -> str:
    return f"{version_of(binary)}, ClickHouse (chdb) {metadata.version('chdb-core')}"
