"""A differential fuzzer: random queries over random typed tables, run here and by ClickHouse, and compared.

    python tests/difffuzz/run.py [--binary PATH] [--minutes N] [--seed N] [--queries N]

A seed makes two or three tables and some dozens of queries (queries.py) over expressions of random depth (expressions.py), all
of them such that each engine has one right answer: ordered, exact, without chance or clock. Names and types of columns are
compared with the rows, errors by their being there. What differs and is not explained (known.py) is printed with the tables
that it needs, smallest first where several queries say the same, and the run fails. The same seed gives the same queries.
"""

import argparse
import os
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from random import Random

import engines
import known
import queries

ROOT = Path(__file__).resolve().parent.parent.parent
SHOWN_CHARACTERS = 600


@dataclass
class Difference:
    seed: int
    statement: str
    needs: list[str]
    want: str
    got: str

    def told(self) -> str:
        made = "".join(f"{statement};\n" for statement in self.needs)
        return f"-- seed {self.seed}\n{made}{self.statement};\n-- ClickHouse:\n{self.want[:SHOWN_CHARACTERS]}\n-- Gristmill:\n{self.got[:SHOWN_CHARACTERS]}\n"


@dataclass
class Outcome:
    compared: int
    refused: int
    explained: Counter
    differences: list[Difference]


def one_seed(seed: int, binary: Path, python: str, count: int) -> Outcome:
    chance = Random(seed)
    tables = [queries.table(name, chance) for name in ("t", "u", "v")[: chance.choice([2, 3])]]
    made = [statement for table in tables for statement in table.statements]
    asked = [queries.query(tables, chance) for _ in range(count)]
    wants, gots = engines.clickhouse(python, made + asked), engines.gristmill(binary, made + asked)
    outcome = Outcome(0, 0, Counter(), [])
    for number, (statement, want, got) in enumerate(zip(made + asked, wants, gots, strict=True)):
        outcome.compared += 1
        outcome.refused += want.startswith("error")
        if want.rstrip("\n") == got.rstrip("\n"):
            continue
        if why := known.reason(statement, want, got):
            outcome.explained[why] += 1
            continue
        of_query = [made_by for table in tables if f" {table.name} " in f"{statement} " for made_by in table.statements]
        outcome.differences.append(Difference(seed, statement, of_query if number >= len(made) else [], want, got))
    ask_again(outcome, made, python)
    return outcome


def ask_again(outcome: Outcome, made: list[str], python: str) -> None:
    """Takes those differences out that a setting of ClickHouse explains."""
    if not outcome.differences:
        return
    statements = list(made)
    for setting, usual, other, _, _ in known.ASKED_AGAIN:
        statements += [f"SET {setting} = {other}", *(difference.statement for difference in outcome.differences), f"SET {setting} = {usual}"]
    answers = engines.clickhouse(python, statements)[len(made) :]
    left = outcome.differences
    for _, _, _, explains, why in known.ASKED_AGAIN:
        given, answers = answers[1 : len(outcome.differences) + 1], answers[len(outcome.differences) + 2 :]
        found = [one for one, again in zip(outcome.differences, given, strict=True) if one in left and explains(again, one.got)]
        outcome.explained[why] += len(found)
        left = [one for one in left if one not in found]
    outcome.differences = left


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    parser.add_argument("--binary", type=Path, default=target / "release" / "gristmill")
    parser.add_argument("--python", default=os.environ.get("GRISTMILL_PEERS", sys.executable), help="one that has chdb")
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--seed", type=int, default=1, help="the first one")
    parser.add_argument("--seeds", type=int, default=10**9, help="no more than so many")
    parser.add_argument("--queries", type=int, default=60, help="of each seed")
    parser.add_argument("--jobs", type=int, default=1)
    arguments = parser.parse_args()
    end = time.monotonic() + arguments.minutes * 60
    seeds = range(arguments.seed, arguments.seed + arguments.seeds)
    total, done = Outcome(0, 0, Counter(), []), 0

    def ask(seed: int) -> Outcome | None:
        return one_seed(seed, arguments.binary, arguments.python, arguments.queries) if time.monotonic() < end else None

    with ThreadPoolExecutor(arguments.jobs) as pool:
        # In rounds, so that no end of seeds waits in the pool.
        for first in range(seeds.start, seeds.stop, arguments.jobs):
            if time.monotonic() >= end:
                break
            for outcome in pool.map(ask, range(first, min(first + arguments.jobs, seeds.stop))):
                if outcome is None:
                    continue
                done += 1
                total.compared += outcome.compared
                total.refused += outcome.refused
                total.explained += outcome.explained
                total.differences += outcome.differences
                for difference in sorted(outcome.differences, key=lambda one: len(one.statement)):
                    print(difference.told(), flush=True)
    explained = "".join(f"\n  {count} × {why}" for why, count in total.explained.most_common())
    print(
        f"{done} seeds, {total.compared} statements compared, {total.refused} of them refused by ClickHouse, "
        f"{len(total.differences)} differ without an explanation, {total.explained.total()} with one:{explained or ' none'}"
    )
    return 1 if total.differences or not done else 0


if __name__ == "__main__":
    sys.exit(main())
