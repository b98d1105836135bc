"""docs/client-suites.md, where the reason of every failure stands: it is read, so that it stays true.

A section is headed by the suite's title; in its table the last column names tests, in backticks. `*` stands for anything; one that
ends with ` ?` fails by chance.
"""

import fnmatch
import re
from dataclasses import dataclass
from pathlib import Path

from results import Outcomes

DOCUMENT = Path(__file__).resolve().parents[2] / "docs/client-suites.md"


@dataclass
class Reasons:
    patterns: list[str]

    @staticmethod
    def of(title: str) -> "Reasons":
        section = re.search(rf"^## {re.escape(title)}$(.*?)(?=^## |\Z)", DOCUMENT.read_text(), re.MULTILINE | re.DOTALL)
        rows = [line for line in (section[1] if section else "").splitlines() if line.startswith("| ")]
        return Reasons([name for row in rows for name in re.findall(r"`([^`]+)`", row.rsplit(" | ", 1)[-1])])

    def compare(self, outcomes: Outcomes) -> tuple[list[str], list[str]]:
        """Tests that fail without a reason, and reasons without a test that fails."""
        escaped = {pattern: pattern.removesuffix(" ?").replace("[", "[[]") for pattern in self.patterns}
        names = outcomes.failed.keys()
        unexplained = [name for name in names if not any(fnmatch.fnmatchcase(name, known) for known in escaped.values())]
        certain = {pattern: known for pattern, known in escaped.items() if not pattern.endswith(" ?")}
        outlived = [pattern for pattern, known in certain.items() if not fnmatch.filter(names, known)]
        return sorted(unexplained), sorted(outlived)
