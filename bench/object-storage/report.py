"""From runs to tables."""

from comparison import Cell, column, families, ratio
from engines import GRISTMILL
from requests_log import spelled
from rows import Row


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
