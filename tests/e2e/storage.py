"""Looks into the data folder of a database from outside."""

from pathlib import Path


def part_files(data: Path) -> list[Path]:
    """The part files that lie there, whether a manifest names them or not."""
    return sorted(data.glob("store/*/parts/*.parquet"))


def stray_files(data: Path, gristmill) -> list[str]:
    """What lies beside the parts that the tables have."""
    asked = gristmill("SELECT name FROM system.parts", path=data).ok()
    known = {row[0] for row in asked.rows}
    return [str(file) for file in part_files(data) if file.stem not in known]
