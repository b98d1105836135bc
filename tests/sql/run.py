"""Runs the cases with `gristmill local` and compares with what ClickHouse gave.

    python tests/sql/run.py [--binary PATH] [--jobs N] [word …]     the cases whose name holds a word; else all
    python tests/sql/run.py --write-gaps PATTERN [word …]           names the failures that say PATTERN as gaps, in the cases

Each case runs in one process, in a fresh folder. Between the statements the process is asked for a mark, so that every
statement is compared by itself and one that fails does not hide the next. Errors are compared by code and name.
"""

import argparse
import difflib
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import cases

MARK = "\x1emark"
TIME_LIMIT_SECONDS = 300
ENVIRONMENT = {"TZ": "UTC", "LC_ALL": "C.UTF-8"}


def run(binary: Path, case: cases.Case) -> list[str]:
    """What the process wrote for every statement."""
    texts = case.all_texts()
    skip = len(texts) - len(case.statements)
    with tempfile.TemporaryDirectory(prefix="gristmill-sql-") as folder:
        # Expressions without SELECT are a habit of the program, not of the dialect.
        line = [binary, "local", "--path", f"{folder}/data", "--ignore-error", "--implicit_select=0"]
        for text in texts:
            line += ["-q", text, "-q", f"SELECT '{MARK}' FORMAT TSVRaw"]
        try:
            process = subprocess.run(
                line,
                cwd=folder,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                timeout=TIME_LIMIT_SECONDS,
                env=os.environ | ENVIRONMENT,
            )
            output, end = process.stdout, f"the process ended with code {process.returncode}"
        except subprocess.TimeoutExpired as error:
            output, end = error.stdout or b"", f"no answer within {TIME_LIMIT_SECONDS} s"
    pieces = output.decode("utf-8", "replace").split(MARK + "\n")
    outcomes = pieces[:-1]
    if len(outcomes) < len(texts):
        outcomes.append(f"{pieces[-1]}{end}\n")
        outcomes += [f"not reached: {end}\n"] * (len(texts) - len(outcomes))
    return outcomes[skip:]


def piece_outcome(piece: str) -> str:
    at = piece.find("Code: ")
    if at >= 0 and (at == 0 or piece[at - 1] == "\n") and "DB::Exception" in piece[at:]:
        return cases.outcome("", piece[at:])
    return piece


def check(binary: Path, case: cases.Case) -> tuple[int, str]:
    """The number of statements that differ, and the differences in words."""
    if not case.expected_path.exists():
        return 1, f"{case.expected_path} is missing: run `make sql-expected`"
    expected = cases.read_expected(case)
    if len(expected) != len(case.statements):
        return 1, f"{case.expected_path} has {len(expected)} results for {len(case.statements)} statements"
    lines, failures = [], 0
    for number, (statement, want, text) in enumerate(zip(case.statements, expected, run(binary, case)), 1):
        got = piece_outcome(text)
        same = want.rstrip("\n") == got.rstrip("\n")
        if same != (statement.gap is not None):
            continue
        failures += 1
        if same:
            lines.append(f"  #{number} {statement.text}\n    is no gap any more: remove `-- gap: {statement.gap}`")
            continue
        difference = difflib.unified_diff(want.splitlines(), got.splitlines(), "expected", "got", lineterm="", n=1)
        lines += [f"  #{number} {statement.text}"] + [f"    {line}" for line in list(difference)[2:40]]
        if got != text:
            lines.append(f"    it said: {text.strip()[:300]}")
    return failures, "\n".join(lines)


def write_gaps(binary: Path, case: cases.Case, pattern: str) -> int:
    """Writes `-- gap:` before each statement that fails and says the pattern (`.` is any failure); takes away those that are
    no gap any more."""
    source, at, new, written = case.path.read_text(), 0, "", 0
    for statement, want, text in zip(case.statements, cases.read_expected(case), run(binary, case), strict=True):
        got = piece_outcome(text)
        start = source.index(statement.text, at)
        before, at = source[at:start], start + len(statement.text)
        before = re.sub(r"^--\s*gap:.*\n", "", before, flags=re.M)
        said = f"{got.strip()} {text.strip()}"
        if want.rstrip("\n") != got.rstrip("\n") and re.search(pattern, said, re.S):
            error = re.match(r"Code: \d+\. DB::Exception: (.*)", text.strip())
            before += f"-- gap: {error[1][:100] if error else 'gives another result'}\n"
            written += 1
        new += before + source[start:at]
    case.path.write_text(new + source[at:])
    return written


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    target = Path(os.environ.get("CARGO_TARGET_DIR", cases.FOLDER.parent.parent / "target"))
    parser.add_argument("--binary", type=Path, default=target / "debug" / "gristmill")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--write-gaps", metavar="PATTERN")
    parser.add_argument("words", nargs="*")
    arguments = parser.parse_args()
    chosen = cases.find(arguments.words)
    if arguments.write_gaps:
        with ThreadPoolExecutor(arguments.jobs) as pool:
            written = pool.map(lambda case: write_gaps(arguments.binary, case, arguments.write_gaps), chosen)
            print(f"{sum(written)} gaps named.")
        return 0
    statements = failed_statements = failed_cases = 0
    with ThreadPoolExecutor(arguments.jobs) as pool:
        for case, (failures, text) in zip(chosen, pool.map(lambda case: check(arguments.binary, case), chosen)):
            statements += len(case.statements)
            failed_statements += failures
            failed_cases += failures > 0
            if failures:
                print(f"FAILED {case.name}: {failures} of {len(case.statements)}\n{text}\n", flush=True)
    passed = len(chosen) - failed_cases
    gaps = sum(statement.gap is not None for case in chosen for statement in case.statements)
    print(
        f"SQL: {passed} of {len(chosen)} cases passed, {statements - failed_statements} of {statements} statements, "
        f"{gaps} of them known gaps."
    )
    return 0 if chosen and failed_cases == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
