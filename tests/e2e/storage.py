"""Looks into the data folder of a database from outside."""

from pathlib import Path


def part_files(data: Path) -> list[Path]:
    """What lies where parts lie, whether a manifest names it or not, half-written files among it."""
    return sorted(data.glob("store/*/parts/*"))


def stray_files(data: Path, gristmill) -> list[str]:
    """What lies beside the parts that the tables have."""
    asked = gristmill("SELECT path FROM system.parts", path=data).ok()
    known = {Path(row[0]).name for row in asked.rows}
    return [str(file) for file in part_files(data) if file.name not in known]
