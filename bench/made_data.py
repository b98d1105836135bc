"""Where benchmarks keep the data they make, and which of it is there already."""

import json
import os
from pathlib import Path


def folder_of(bench: str, scale: str) -> Path:
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    root = Path(os.environ.get("GRISTMILL_BENCH_DATA") or cache / "gristmill/bench")
    return root / bench / scale


class Made:
    """The data sets of a folder that were made by this recipe: `sets` has the files and bytes of each."""

    def __init__(self, folder: Path, recipe: dict):
        self.known, self.recipe = folder / "made.json", recipe
        had = json.loads(self.known.read_text()) if self.known.exists() else {}
        self.sets: dict[str, dict] = had.get("sets", {}) if had.get("recipe") == recipe else {}

    def add(self, name: str, sizes: list[int]) -> None:
        """One more, whole now; `sizes` are the bytes of its files."""
        self.sets[name] = {"files": len(sizes), "bytes": sum(sizes)}
        self.known.write_text(json.dumps({"recipe": self.recipe, "sets": self.sets}, indent=1))
