"""Every function with arguments of every type, here and by ClickHouse, compared: values and types of results.

    python tests/difffuzz/every_function.py [--binary PATH] [--arguments N | --aggregates] [--functions PATTERN] [--shown N]

The random queries of `run.py` are made of functions that people write most, with arguments that fit. This asks for each function that
both have, and for each tuple of N arguments out of a list that has every type: `SELECT f(a, b) AS x, toTypeName(x)`; for aggregates a few rows of each type, with
parameters and second arguments. What ClickHouse refuses counts for nothing: taking more types is no difference in an answer. What differs is told by function, those with the most calls first; the run
fails if anything differs that known.py or this file does not explain.
"""

import argparse
import itertools
import os
import re
import sys
from collections import Counter, defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import engines
import known

ROOT = Path(__file__).resolve().parent.parent.parent
# Statements of a process: each engine is started anew for so many.
CALLS = 600

# By chance, by the clock, by the machine or the connection, or by how rows come in blocks.
LEFT_OUT = re.compile(
    r"(?i)^(rand.*|generate.*|now.*|today|yesterday|fuzz.*|sleep.*|uptime|hostname|fqdn|.*version|build_?id|serveruuid|.*query_?id|connection.*|tid|user|current.*|enabled.*|default(roles|profiles)"
    r"|.*timezone|utc_?timestamp|local(time|timestamp)|filesystem.*|get(oskernelversion|serverport|serversetting|mergetreesetting|macro|clienthttpheader|maxtablenamelengthfordatabase)|tcpport|displayname|logtrace"
    r"|trap|addressto.*|demangle|flamegraph|row_?number.*|block(number|size|serializedsize)|running.*|neighbor|dumpcolumnstructure|tocolumntypename|lowcardinality(indices|keys)|isconstant|bytesize|file|array(shuffle|partialshuffle|randomsample)"
    r"|initial_?query.*|transaction.*|zookeeper.*|showcertificate|partition_?id|throwif|indexhint|estimatecompressionratio|formatquery.*|joinget.*|datetimetouuidv7|datetime.*snowflakeid|obfuscate.*|stem|synonyms|lemmas)$"
)

ONE = [
    "1", "0", "-7", "300", "18446744073709551615", "1.5", "nan", "true", "toNullable(3)", "NULL", "materialize(2)", "toInt8(-128)", "toInt128(5)", "toUInt256(9)", "toFloat32(0.1)",
    "toDecimal64('1.23', 2)", "toDecimal128('-5.5', 1)", "'abc'", "''", "'12'", "materialize('ab c')", "toFixedString('ab', 3)", "'2024-01-01 00:00:00'",
    "'http://user@www.a.co.uk:80/p/q?x=1&y=2#f'", "'{\"a\":[1,{\"b\":\"c\"}]}'", "toDate('2024-02-29')", "toDate32('1950-01-01')", "toDateTime('2024-05-17 13:37:42', 'UTC')",
    "toDateTime64('2024-05-17 13:37:42.123', 3, 'UTC')", "INTERVAL 2 DAY", "toUUID('61f0c404-5cb3-11e7-907b-a6006ad3dba0')", "toIPv4('1.2.3.4')", "toIPv6('::1')",
    "CAST('a', 'Enum8(\\'a\\' = 1)')", "[1, 2, 3]", "['a', 'b']", "[]", "[1, NULL]", "[[1], [2, 3]]", "(1, 'a')", "map('k', 1)",
]  # fmt: skip
TWO = ["1", "-3", "toUInt64(2)", "1.5", "'abc'", "'1'", "toDate('2024-02-29')", "toDateTime('2024-05-17 13:37:42','UTC')", "[1,2,3]", "['a','b']", "NULL", "toDecimal64('1.23',2)", "map('k',1)", "'UTC'", "toInt128(5)", "materialize(2)"]  # fmt: skip
THREE = ["1", "toUInt64(2)", "'abc'", "'a'", "[1,2,3]", "toDate('2024-02-29')"]
ARGUMENTS = {1: ONE, 2: TWO, 3: THREE}

ROWS = [
    "[1, 2, 3, 3]", "[-1, 5, 2]", "[1.5, 2.5, nan]", "['a', 'b', 'a', 'ab']", "[toDate('2024-02-29'), toDate('2024-03-01')]", "[toDateTime('2024-05-17 13:37:42', 'UTC'), toDateTime('2024-05-18 00:00:00', 'UTC')]",
    "[NULL, 1, 2]", "[NULL, 'x']", "[toDecimal64('1.23', 2), toDecimal64('4.5', 2)]", "[toDecimal256('1.5', 1)]", "[[1, 2], [3]]", "[map('k', 1), map('k', 2, 'l', 3)]", "[(1, 2), (3, 4)]", "[true, false, true]",
    "[toUInt64(18446744073709551615), toUInt64(1)]", "[toInt128(5), toInt128(-7)]", "[toUUID('61f0c404-5cb3-11e7-907b-a6006ad3dba0')]", "[toIPv4('1.2.3.4'), toIPv4('0.0.0.1')]",
    "[toFixedString('ab', 3), toFixedString('cd', 3)]", "[toLowCardinality('x'), toLowCardinality('y')]", "emptyArrayUInt8()", "[toFloat32(0.1), toFloat32(0.2)]", "[toDateTime64('2024-05-17 13:37:42.123', 3, 'UTC')]",
    "CAST(['a', 'b', 'a'], 'Array(Enum8(\\'a\\' = 1, \\'b\\' = 2))')", "[toDate32('1950-01-01')]",
]  # fmt: skip
PARAMETERS = ["", "(0.5)", "(3)", "(0.1, 0.9)", "(2, 3)"]
SECONDS = ["toUInt8(length(toString(x)))", "x", "'a'", "toInt64(3)", "toFloat64(2)", "[1]"]
# By chance, or of what the threads do.
AGGREGATES_LEFT_OUT = re.compile(r"^(groupArraySample|flameGraph|estimateCompressionRatio|aggThrow|nothing\w*|stochastic\w+)$")
# Of several values that are as good, or in an order that follows from a table of hashes.
ANY_OF_EQUALS = re.compile(r"^(arg(And)?(Min|Max)|anyHeavy|topK\w*|approx_top\w+|groupUniqArray\w*)$")

# Of the mathematical library, or of the order in which sums are made: the last digits may differ.
LAST_DIGITS = re.compile(
    r"^(a?(sin|cos|tan)h?|atan2|exp(2|10)?|log(2|10|1p)?|[lt]gamma|erfc?|pow(er)?|h3Edge\w+|h3\w*Area\w*|great\w*Distance|geoDistance|L\w+(Distance|Norm)|cosineDistance|(student|welch)TTest\w*|regr_\w+)$"
)
# What ClickHouse sums in the type of the argument.
IN_SINGLE_PRECISION = re.compile(r"^((var|covar|stddev|skew|kurt)(Pop|Samp)|corr)$")
HASHED_ORDER = re.compile(r"^array(Union|Intersect|SymmetricDifference)$")


def reason(function: str, statement: str, want: str, got: str) -> str | None:
    """Why these two differ by intent; None where nobody knows."""
    if known.refused(want):
        return "ClickHouse refuses the call"
    if LAST_DIGITS.match(function) and rounded(want) == rounded(got):
        return "the last digit of a mathematical function"
    if HASHED_ORDER.match(function) and sorted(want) == sorted(got):
        return "the order is that of a hash table"
    if ANY_OF_EQUALS.match(function):
        return "any of several values that are as good"
    if "0000-01-0" in want:
        return "days before 1900"
    if "modulo" in function.lower() and "toDecimal" in statement:
        return "modulo of decimals is of the numbers, in ClickHouse of what they are stored as"
    if function == "errorCodeToName" and "toDecimal" in statement:
        return "ClickHouse takes a decimal for the number that it is stored as"
    if function == "timestamp" and known.refused(got) and want.startswith(("1970-01-01 00:00:00.0", "1900-01-01 00:00:00.0")):
        return "timestamp of a text that is no time is an error, in ClickHouse a time"
    if function == "toDateTime64OrNull" and "('')" in statement:
        return "toDateTime64OrNull of an empty text is NULL, as all others are, in ClickHouse 1970"
    if re.match(r"toDecimal\d+OrDefault$", function) and re.search(r"toU?Int(128|256)\(", statement):
        return "ClickHouse gives the default of any wide integer, and not the number"
    if function == "YYYYMMDDhhmmssToDateTime64" and "18446744073709551615" in statement:
        return "ClickHouse makes a fraction of numbers that are too large for any time"
    if want.startswith("\\N\t") and got.strip() == "\\N\tNullable(Nothing)":
        return "NULL by itself gives NULL by itself"
    return of_aggregate(function, statement, got) or known.reason(statement, want, got)


def of_aggregate(function: str, statement: str, got: str) -> str | None:
    if function == "avgWeighted":
        return "ClickHouse weighs in integers, which NaN is none of and which wrap around"
    if function.endswith("InterpolatedWeighted") and "18446744073709551615" in statement:
        return "weights of which the sum is no UInt64"
    if "TDigest" in function and "toDateTime(" in statement:
        return "ClickHouse keeps seconds as Float32 in a t-digest, which tells no minute"
    if IN_SINGLE_PRECISION.match(function) and "toFloat32" in statement:
        return "ClickHouse sums Float32 in single precision"
    if function.endswith("Stable") and "emptyArray" in statement and known.refused(got):
        return "ClickHouse looks at a type when there is a value of it"
    return None


def rounded(text: str) -> str:
    return re.sub(r"-?\d+\.\d+(e-?\d+)?", lambda number: f"{float(number[0]):.9g}", text)


def functions(binary: Path, python: str, pattern: re.Pattern, aggregates: bool) -> list[str]:
    """Those that both have, by their first names."""
    of_kind = "is_aggregate" if aggregates else "NOT is_aggregate"
    [theirs] = engines.clickhouse(python, [f"SELECT name FROM system.functions WHERE {of_kind} AND alias_to = ''"])
    [ours] = engines.gristmill(binary, [f"SELECT name FROM system.functions WHERE {of_kind}"])
    both, left_out = set(theirs.split()) & set(ours.split()), AGGREGATES_LEFT_OUT if aggregates else LEFT_OUT
    return sorted(name for name in both if pattern.search(name) and not left_out.match(name) and not name.startswith("__"))


def call(function: str, arguments: tuple[str, ...]) -> str:
    name = function if function.isidentifier() else f"`{function}`"
    return f"SELECT {name}({', '.join(arguments)}) AS x, toTypeName(x)"


def calls_of_aggregate(function: str) -> list[str]:
    called = [f"{function}{parameters}(x)" for parameters in PARAMETERS] + [f"{function}(x, {second})" for second in SECONDS]
    return [f"SELECT {one} AS y, toTypeName(y) FROM (SELECT arrayJoin({rows}) AS x)" for rows in ROWS for one in called]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    parser.add_argument("--binary", type=Path, default=target / "release" / "gristmill")
    parser.add_argument("--python", default=os.environ.get("GRISTMILL_PEERS", sys.executable), help="one that has chdb")
    parser.add_argument("--arguments", type=int, choices=ARGUMENTS, default=1)
    parser.add_argument("--aggregates", action="store_true", help="aggregate functions")
    parser.add_argument("--functions", type=re.compile, default=re.compile(""), help="their names hold this pattern")
    parser.add_argument("--shown", type=int, default=4, help="calls of each function")
    parser.add_argument("--jobs", type=int, default=1)
    given = parser.parse_args()
    names = functions(given.binary, given.python, given.functions, given.aggregates)
    if given.aggregates:
        calls = [(name, one) for name in names for one in calls_of_aggregate(name)]
    else:
        tuples = list(itertools.product(ARGUMENTS[given.arguments], repeat=given.arguments))
        calls = [(name, call(name, arguments)) for name in names for arguments in tuples]
    chunks = [calls[first : first + CALLS] for first in range(0, len(calls), CALLS)]

    def ask(chunk: list[tuple[str, str]]) -> list[tuple[str, str, str, str]]:
        statements = [statement for _, statement in chunk]
        wants = engines.clickhouse(given.python, statements)
        answered = [place for place, want in enumerate(wants) if not known.refused(want)]
        gots = engines.gristmill(given.binary, [statements[place] for place in answered])
        return [(*chunk[place], wants[place], got) for place, got in zip(answered, gots, strict=True)]

    same, explained, differing = 0, Counter(), defaultdict(list)
    with ThreadPoolExecutor(given.jobs) as pool:
        for answers in pool.map(ask, chunks):
            for function, statement, want, got in answers:
                if want.rstrip("\n") == got.rstrip("\n"):
                    same += 1
                elif why := reason(function, statement, want, got):
                    explained[why] += 1
                else:
                    differing[function].append((statement, want, got))
    for function, found in sorted(differing.items(), key=lambda item: -len(item[1])):
        print(f"{function}: {len(found)} calls differ")
        for statement, want, got in found[: given.shown]:
            print(f"  {statement}\n    ClickHouse {want.strip()!r}\n    Gristmill  {got.strip()!r}")
    count = sum(map(len, differing.values()))
    reasons = "".join(f"\n  {count} × {why}" for why, count in explained.most_common())
    print(f"{len(names)} functions, {len(calls)} calls; of those that ClickHouse answers {same} are equal, {count} differ in {len(differing)} functions, {explained.total()} are explained:{reasons or ' none'}")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
