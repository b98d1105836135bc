"""Which functions of ClickHouse's there are here: `python tests/coverage/run.py [--binary PATH]`.

functions.tsv is `SELECT name, is_aggregate, case_insensitive, alias_to FROM system.functions` of the version in tests/sql/VERSION. Names that
are aliases count with what they stand for. What is missing is printed by family: the categories that ClickHouse gives them, where there are some.
"""

import argparse
import csv
import os
import subprocess
from collections import defaultdict
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
ROOT = FOLDER.parent.parent


def rows(path: Path) -> list[list[str]]:
    with open(path) as file:
        return list(csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    parser.add_argument("--binary", type=Path, default=target / "debug" / "gristmill")
    arguments = parser.parse_args()
    asked = subprocess.run(
        [arguments.binary, "local", "-q", "SELECT name FROM system.functions FORMAT TSV"], stdout=subprocess.PIPE, text=True, check=True
    )
    here = set(asked.stdout.split())
    categories = dict(row[:2] for row in rows(ROOT / "crates/system/src/functions.tsv")[1:])
    families: dict[str, list[tuple[str, bool]]] = defaultdict(list)
    for name, is_aggregate, _, alias_to in rows(FOLDER / "functions.tsv")[1:]:
        category = categories.get(alias_to or name) or categories.get(name)
        family = category.split(",")[0] if category else "Aggregate" if is_aggregate == "1" else "Without a category"
        families[family].append((name, name in here))
    print(f"{'Family':<28}{'there':>7}{'of':>7}{'share':>8}  missing")
    there = everything = 0
    for family, names in sorted(families.items()):
        found = sum(known for _, known in names)
        there, everything = there + found, everything + len(names)
        missing = " ".join(name for name, known in names if not known)
        print(f"{family:<28}{found:>7}{len(names):>7}{100 * found / len(names):>7.1f}%  {missing}")
    print(f"{'All':<28}{there:>7}{everything:>7}{100 * there / everything:>7.1f}%")


if __name__ == "__main__":
    main()
