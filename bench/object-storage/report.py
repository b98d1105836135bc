"""From runs to tables."""

import json
import statistics
from dataclasses import dataclass, field

from engines import GRISTMILL, Engine, Run
from requests_log import spelled
from rows import Row

BEST = "ClickHouse, best max_threads"


@dataclass
class Cell:
    """One engine on one row. `fault` says why there is no time: it failed, or its answer is not that of the others."""

    engine: Engine
    runs: list[Run] = field(default_factory=list)
    fault: str = ""

    def median(self, name: str) -> float:
        return statistics.median(getattr(run, name) for run in self.runs)

    @property
    def timed(self) -> bool:
        return bool(self.runs) and not self.fault

    @property
    def spent(self) -> float:
        return sum(run.seconds for run in self.runs)

    @property
    def seconds(self) -> float:
        return self.median("seconds")


def judged(cells: list[Cell]) -> None:
    """Marks the engines whose answer is not that of most. Of two answers as frequent, ClickHouse's is the right one."""
    votes: dict[str, list[Cell]] = {}
    for cell in cells:
        if cell.runs and not cell.fault:
            given = {json.dumps(run.answer) for run in cell.runs}
            if len(given) > 1:
                cell.fault = "wrong answer: not the same in all runs"
            else:
                votes.setdefault(given.pop(), []).append(cell)
    # Settings of ClickHouse are not voices of their own.
    ranked = sorted(votes.values(), key=lambda same: (len({c.engine.script for c in same}), any("chdb" in c.engine.script for c in same)))
    for wrong in ranked[:-1]:
        for cell in wrong:
            cell.fault = f"wrong answer: {json.dumps(cell.runs[0].answer)[:300]}"


def column(cells: list[Cell], family: str) -> Cell | None:
    """The engine's cell; of several with other settings the fastest, of which ClickHouse as it comes is one."""
    wanted = [cell for cell in cells if cell.engine.family == family or (family == BEST and cell.engine.name == "ClickHouse")]
    timed = [cell for cell in wanted if cell.timed]
    if timed:
        return min(timed, key=lambda cell: cell.seconds)
    return wanted[0] if wanted else None


def families(rows: dict[Row, list[Cell]]) -> list[str]:
    found = (cell.engine.family for cells in rows.values() for cell in cells)
    return list(dict.fromkeys(family for family in found if family is not None))


def ratio(cell: Cell | None, base: Cell | None) -> str:
    if cell is None:
        return ""
    if not cell.timed:
        return cell.fault.split(":")[0]
    if base is None or not base.timed:
        return f"{cell.seconds:.2f} s"
    threads = cell.engine.settings.get("max_threads")
    return f"{cell.seconds / base.seconds:.2f}" + (f" ({threads})" if threads else "")


def ratios(rows: dict[Row, list[Cell]]) -> list[str]:
    """One line a row: Gristmill's median, how many times it the others took, and its memory and requests beside
    ClickHouse's as it comes."""
    others = [family for family in families(rows) if family != GRISTMILL]
    beside = ["Peak memory", "Requests"]
    lines = ["| | " + " | ".join([GRISTMILL, *others, *beside]) + " |", "|---" * (len(others) + 4) + "|"]
    for row, cells in rows.items():
        base = column(cells, GRISTMILL)
        own = "" if base is None else f"{base.seconds:.2f} s" if base.timed else base.fault.split(":")[0]
        clickhouse = next((cell for cell in cells if cell.engine.name == "ClickHouse"), None)
        pair = [cell for cell in (base, clickhouse) if cell and cell.runs]
        memory = " / ".join(f"{cell.median('memory_peak_bytes') / 2**20:,.0f}" for cell in pair) + " MiB"
        requests = " / ".join(f"{sum(cell.runs[-1].requests.values()):,}" for cell in pair)
        ratios = [ratio(column(cells, family), base) for family in others]
        lines.append(f"| {row.title} | {own} | " + " | ".join([*ratios, memory, requests]) + " |")
    return lines


def details(rows: dict[Row, list[Cell]]) -> list[str]:
    """One line an engine and row: everything that was measured."""
    lines = [
        "| Row | Engine | Runs | Median | Fastest – slowest | Ratio | CPU | Peak memory | Requests | Received |",
        "|---" * 10 + "|",
    ]
    for row, cells in rows.items():
        base = column(cells, GRISTMILL)
        for cell in cells:
            start = f"| {row.title} | {cell.engine.name} | {len(cell.runs)} "
            if not cell.runs:
                lines.append(start + "| failed | | | | | | |")
                continue
            # What a wrong answer took is no time, but what it asked for may tell why.
            times = [run.seconds for run in cell.runs]
            timing = f"| {cell.seconds:.2f} s | {min(times):.2f} – {max(times):.2f} s | {ratio(cell, base)} "
            lines.append(
                start
                + (timing if cell.timed else f"| {cell.fault.split(':')[0]} | | ")
                + f"| {cell.median('cpu_seconds'):.2f} s | {cell.median('memory_peak_bytes') / 2**20:,.0f} MiB "
                + f"| {spelled(cell.runs[-1].requests)} | {cell.median('bytes_received') / 1e6:,.1f} MB |"
            )
    return lines


def faults(rows: dict[Row, list[Cell]]) -> list[str]:
    """What is behind every "failed" and "wrong answer", a line each."""
    faulty = [(row, cell) for row, cells in rows.items() for cell in cells if cell.fault]
    return [f"- {row.title}, {cell.engine.name}: {' '.join(cell.fault.split())}" for row, cell in faulty]
