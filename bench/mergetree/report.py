"""From runs to tables."""

import statistics

from comparison import Cell, column, families, ratio
from engines import CLICKHOUSE, GRISTMILL
from rows import Query, Row, Size

Measured = dict[Row, list[Cell]]


def ratios(rows: Measured) -> list[str]:
    """One line a row: Gristmill's median and rate, how many times its median the others took, and its memory beside that
    of ClickHouse as it comes. The queries of ClickBench are one line."""
    timed = {row: cells for row, cells in rows.items() if not isinstance(row, Size)}
    others = [family for family in families(timed) if family != GRISTMILL]
    lines = ["| | " + " | ".join([GRISTMILL, *others, "Peak memory", "Rate"]) + " |", "|---" * (len(others) + 4) + "|"]
    for row, cells in timed.items():
        if row.name == "clickbench":
            continue
        base = column(cells, GRISTMILL)
        own = "" if base is None else f"{base.seconds:.2f} s" if base.timed else base.fault.split(":")[0]
        given = [ratio(column(cells, family), base) for family in others]
        lines.append(f"| {row.title} | {own} | " + " | ".join([*given, memory(cells), rate(cells)]) + " |")
    return lines + clickbench(timed, others)


def memory(cells: list[Cell]) -> str:
    pair = [column(cells, family) for family in (GRISTMILL, CLICKHOUSE)]
    return " / ".join(f"{cell.median('memory_peak_bytes') / 2**20:,.0f}" for cell in pair if cell and cell.runs) + " MiB"


def rate(cells: list[Cell]) -> str:
    """Rows and uncompressed bytes a second. The bytes are ClickHouse's count, so that rates can be compared."""
    base, clickhouse = column(cells, GRISTMILL), column(cells, CLICKHOUSE)
    if not base or not base.timed or base.runs[0].rows is None:
        return ""
    counted = clickhouse.runs[0] if clickhouse and clickhouse.runs else base.runs[0]
    return f"{base.runs[0].rows / base.seconds / 1e6:.2f} M rows/s, {counted.bytes_uncompressed / base.seconds / 1e6:,.0f} MB/s"


def clickbench(rows: Measured, others: list[str]) -> list[str]:
    """The sum over the queries that all have a time for, and how often Gristmill is not behind."""
    asked = [cells for row, cells in rows.items() if row.name == "clickbench"]
    all_timed = [cells for cells in asked if all(cell and cell.timed for cell in (column(cells, family) for family in [GRISTMILL, *others]))]
    if not all_timed:
        return []
    total = {family: sum(column(cells, family).seconds for cells in all_timed) for family in [GRISTMILL, *others]}
    said = [f"{total[family] / total[GRISTMILL]:.2f}" for family in others]
    peak = " / ".join(f"{max(column(cells, family).median('memory_peak_bytes') for cells in all_timed) / 2**20:,.0f}" for family in (GRISTMILL, CLICKHOUSE) if family in total)
    lines = [f"| ClickBench, sum of {len(all_timed)} of {len(asked)} queries | {total[GRISTMILL]:.2f} s | " + " | ".join([*said, f"{peak} MiB", ""]) + " |"]
    means, ahead = [], []
    for family in others:
        each = [column(cells, family).seconds / column(cells, GRISTMILL).seconds for cells in all_timed]
        means.append(f"{statistics.geometric_mean(each):.2f}")
        ahead.append(f"{sum(one >= 1 for one in each)}")
    lines.append("| ClickBench, geometric mean | | " + " | ".join([*means, "", ""]) + " |")
    lines.append("| ClickBench, queries not behind | | " + " | ".join([*ahead, "", ""]) + " |")
    return lines


def sizes(rows: Measured) -> list[str]:
    """Bytes on disk of tables, and how many times Gristmill's those of ClickHouse are."""
    lines = []
    for row, cells in rows.items():
        base, other = (column(cells, family) for family in (GRISTMILL, CLICKHOUSE))
        if isinstance(row, Size) and base and base.runs:
            said = [row.title]
            for name in ("bytes_loaded", "bytes"):
                own = getattr(base.runs[0], name)
                said.append(f"{own / 1e6:,.1f} MB")
                said.append(f"{getattr(other.runs[0], name) / own:.2f}" if other and other.runs else "")
            lines.append(f"| {' | '.join(said)} |")
    return ["| | Gristmill, as loaded | ClickHouse | Gristmill, merged | ClickHouse |", "|---|---|---|---|---|", *lines] if lines else []


def details(rows: Measured) -> list[str]:
    """One line an engine and row: everything that was measured."""
    lines = ["| Row | Engine | Runs | Median | Fastest – slowest | Ratio | First | CPU | Peak memory | Parts |", "|---" * 10 + "|"]
    for row, cells in rows.items():
        base = column(cells, GRISTMILL)
        for cell in cells:
            start = f"| {row.title} | {cell.engine.name} | {len(cell.runs)} "
            if isinstance(row, Size):
                continue
            if not cell.runs:
                lines.append(start + "| failed | | | | | | |")
                continue
            times = [run.seconds for run in cell.runs]
            timing = f"| {cell.seconds:.3f} s | {min(times):.3f} – {max(times):.3f} s | {ratio(cell, base)} "
            first = f"{cell.median('seconds_first'):.3f} s" if isinstance(row, Query) else ""
            last = cell.runs[-1]
            parts = "" if last.parts is None else f"{last.parts_before} → {last.parts}" if last.parts_before else str(last.parts)
            lines.append(
                start
                + (timing if cell.timed else f"| {cell.fault.split(':')[0]} | | ")
                + f"| {first} | {cell.median('cpu_seconds'):.2f} s | {cell.median('memory_peak_bytes') / 2**20:,.0f} MiB | {parts} |"
            )
    return lines
