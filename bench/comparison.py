"""Several engines on one row of a table: who is right, who is faster."""

import json
import statistics
from dataclasses import dataclass, field


@dataclass
class Cell:
    """One engine on one row. Of the engine is asked: its `name`; `family`, the column of the table in which it stands, and
    `also`, another one that it stands in (each `None` where there is none); `script`, what runs it; `note`, which stands
    behind its ratio. `fault` says why there is no time: it failed, or its answer is not that of the others."""

    engine: object
    runs: list = field(default_factory=list)
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
            given = {json.dumps(comparable(run.answer)) for run in cell.runs}
            if len(given) > 1:
                cell.fault = "wrong answer: not the same in all runs"
            else:
                votes.setdefault(given.pop(), []).append(cell)
    # Settings of one engine are not voices of their own.
    ranked = sorted(votes.values(), key=lambda same: (len({c.engine.script for c in same}), any("chdb" in c.engine.script for c in same)))
    for wrong in ranked[:-1]:
        for cell in wrong:
            right = ranked[-1][0].runs[0].answer
            cell.fault = f"wrong answer: {first_difference(cell.runs[0].answer, right)}"


def comparable(value):
    """Sums of floating point numbers depend on the order of rows: the last digits do not count."""
    if isinstance(value, float):
        return float(f"{value:.10g}")
    return [comparable(inner) for inner in value] if isinstance(value, list) else value


def first_difference(answer: list, right: list) -> str:
    if len(answer) != len(right):
        return f"{len(answer)} rows, {len(right)} are right"
    pairs = zip(answer, right, strict=True)
    row, (wrong, other) = next((at, pair) for at, pair in enumerate(pairs) if comparable(pair[0]) != comparable(pair[1]))
    return f"row {row} is {json.dumps(wrong)[:200]}, and {json.dumps(other)[:200]} is right"


def column(cells: list[Cell], family: str) -> Cell | None:
    """The engine's cell; of several with other settings the fastest."""
    wanted = [cell for cell in cells if family in (cell.engine.family, cell.engine.also)]
    timed = [cell for cell in wanted if cell.timed]
    if timed:
        return min(timed, key=lambda cell: cell.seconds)
    return wanted[0] if wanted else None


def families(rows: dict[object, list[Cell]]) -> list[str]:
    found = (family for cells in rows.values() for cell in cells for family in (cell.engine.family, cell.engine.also))
    return list(dict.fromkeys(family for family in found if family is not None))


def ratio(cell: Cell | None, base: Cell | None) -> str:
    """How many times the base's seconds the cell took."""
    if cell is None:
        return ""
    if not cell.timed:
        return cell.fault.split(":")[0]
    if base is None or not base.timed:
        return f"{cell.seconds:.2f} s"
    return f"{cell.seconds / base.seconds:.2f}" + (f" ({cell.engine.note})" if cell.engine.note else "")


def faults(rows: dict[object, list[Cell]]) -> list[str]:
    """What is behind every "failed" and "wrong answer", a line each."""
    faulty = [(row, cell) for row, cells in rows.items() for cell in cells if cell.fault]
    return [f"- {row.title}, {cell.engine.name}: {' '.join(cell.fault.split())}" for row, cell in faulty]
