"""What every published table needs: where it ran, and its place in the README."""

import os
import platform
import subprocess
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent
RESULTS = REPOSITORY / "bench/results"


def machine() -> str:
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return f"{os.cpu_count()} cores, {memory:.0f} GiB of memory, {platform.system()} {platform.machine()}"


def version_of(binary: str) -> str:
    said = subprocess.run([binary, "--version"], capture_output=True, text=True, check=True).stdout.strip()
    return said.capitalize()


def into_readme(marks: str, text: str) -> None:
    """Puts the text between `<!-- marks:begin -->` and `<!-- marks:end -->`."""
    begin, end = f"<!-- {marks}:begin -->", f"<!-- {marks}:end -->"
    readme = REPOSITORY / "README.md"
    before, rest = readme.read_text().split(begin)
    _, after = rest.split(end)
    readme.write_text(f"{before}{begin}\n{text}{end}{after}")
