#!/usr/bin/env python3
"""The clients' own test suites against a running Gristmill: `run.py [suite …]`.

Each suite gets a server of its own on an empty folder and runs from a copy of its sources, at the version written in its file.
Its tests that fail are looked up in docs/client-suites.md: there stands why each of them fails. The exit code is 1 where one
failed that does not stand there, or where one that stands there did not (it is to be taken out).

Environment: GRISTMILL (the binary), GRISTMILL_TOOLS (what is installed lands there), GRISTMILL_CHECKOUTS (a folder with clones of
the clients' repositories, by their names, for machines that do not reach GitHub).
"""

import importlib
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "clients")]

from reasons import Reasons  # noqa: E402
from results import Outcomes  # noqa: E402
from sources import TOOLS  # noqa: E402

SUITES = ["driver", "connect", "go", "rust", "js", "java"]


def run(name: str) -> Outcomes:
    suite = importlib.import_module(f"suite_{name}")
    folder = Path(tempfile.mkdtemp(prefix=f"suite-{name}-", dir=TOOLS))
    print(f"{suite.TITLE}: running in {folder}", flush=True)
    return suite.run(folder)


def main(names: list[str]) -> int:
    TOOLS.mkdir(parents=True, exist_ok=True)
    wrong = 0
    table = []
    for name in names or SUITES:
        began = time.monotonic()
        outcomes = run(name)
        title = importlib.import_module(f"suite_{name}").TITLE
        unexplained, outlived = Reasons.of(title).compare(outcomes)
        for test in unexplained:
            print(f"  {title}: {test} fails, and docs/client-suites.md does not say why: {outcomes.message(test)}")
        for test in outlived:
            print(f"  {title}: {test} stands in docs/client-suites.md and does not fail")
        wrong += len(unexplained) + len(outlived) + (not outcomes.passed)
        table.append((title, outcomes, time.monotonic() - began))
    print(f"{'suite':<26}{'passed':>8}{'failed':>8}{'skipped':>9}{'share':>8}{'seconds':>9}")
    for title, outcomes, seconds in table:
        passed, failed = len(outcomes.passed), len(outcomes.failed)
        share = 100 * passed / max(passed + failed, 1)
        print(f"{title:<26}{passed:>8}{failed:>8}{len(outcomes.skipped):>9}{share:>7.1f}%{seconds:>9.0f}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
