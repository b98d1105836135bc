"""Differences that have an explanation: they are counted and not reported. Each says why it is none to mend.

What the two outcomes tell by themselves is in `reason`. For the rest ClickHouse is asked once more under a setting
(`ASKED_AGAIN`): where that changes its answer as said, the setting is what the difference comes from.
"""

import re

# Errors by which ClickHouse refuses types. Taking more of them is no difference in an answer.
REFUSED = re.compile(r"error (43 ILLEGAL_TYPE_OF_ARGUMENT|44 ILLEGAL_COLUMN|386 NO_COMMON_TYPE|48 NOT_IMPLEMENTED)")
OVERFLOW = "error 407 DECIMAL_OVERFLOW"
CONDITIONAL = re.compile(r"(?i)\b(multiIf|if)\(|\bcase\b")
# Errors of values, and aggregates that leave out rows.
EXCLUDED = re.compile(r"error (6 CANNOT_PARSE_TEXT|349 CANNOT_INSERT_NULL_IN_ORDINARY_COLUMN|153 ILLEGAL_DIVISION|135 ZERO_ARRAY)")
OF_CONDITION = re.compile(r"\b[a-z]\w*If\(|\bFILTER\s*\(")
CONSTANT_CONDITION = re.compile(r"\b(if|multiIf)\(+(\w+\(+)*(true\b|false\b|\d|')")
# Texts joined behind one another, and those of them that have two points.
JOINED_DECIMAL = re.compile(r"toDecimal\d+\w*\(+[^,]*(\|\||concat)")
OF_URLS = re.compile(r"\b(domain|path|cutQueryString)\(")
ONE_ZERO = "0 and -0 are one value"
VARIANT = "types without a common one are a Variant in ClickHouse"


def refused_without_variants(again: str, _got: str) -> bool:
    """Somewhere within the statement are types without a common one, though none of its columns shows it."""
    return again.startswith("error 386 NO_COMMON_TYPE")


def same_then(again: str, got: str) -> bool:
    return plain(again.rstrip("\n")) == plain(got.rstrip("\n"))


# (setting, its value of every day, the one to ask with, whether what is said then explains the difference, why)
ASKED_AGAIN = [
    ("use_variant_as_common_type", 1, 0, refused_without_variants, VARIANT),
    (
        "optimize_arithmetic_operations_in_aggregate_functions",
        1,
        0,
        same_then,
        "ClickHouse moves sums out of min and max, where they change what no rows give, and days that wrap around",
    ),
]


def reason(statement: str, want: str, got: str) -> str | None:
    """Why these two differ by intent; None where nobody knows."""
    refused_here = refused(got)
    if want == "not reached":
        return "ClickHouse's process died"
    if refused(want) and refused_here:
        return "both refuse, with another code"
    if REFUSED.match(want):
        return "ClickHouse refuses the types, Gristmill takes them"
    if want.startswith(OVERFLOW):
        return "ClickHouse scales an integer before it compares it with a decimal, Gristmill compares without overflow"
    if want.startswith("error 135 ZERO_ARRAY_OR_TUPLE_INDEX") and "substring" in statement:
        return "substring of a column from the constant 0 is an error in ClickHouse, and empty where either is not what it is"
    if want.startswith("error 47 UNKNOWN_IDENTIFIER") and re.search(r"(?i)\b(multiIf|if)\(|\bcase\b", statement):
        return "ClickHouse forgets the name of a conditional of which it leaves out a branch"
    if got.startswith("error 135") and "[0]" in statement and not refused(want):
        return "coalesce of a constant is one here, so its element 0 is an error before there are rows"
    if want.startswith("error 135") and re.search(r"\b(left|right)Pad(UTF8)?\(", statement):
        return "leftPad of constants is a constant here alone, and only of what is none is element 0 refused"
    if want.startswith("error 135") and "transform(" in statement:
        return "transform of constants is a constant here alone, and only of what is none is element 0 refused"
    if want.startswith("error 135") and "[0]" in statement and CONDITIONAL.search(statement):
        return "a branch with an element 0 that a constant condition leaves out is refused in ClickHouse where its type is another"
    if EXCLUDED.match(want) and OF_CONDITION.search(statement) and not refused_here:
        return "ClickHouse computes the arguments of aggregates for rows that their condition excludes too"
    if "arrayIntersect(" in statement and by_elements(want) == by_elements(got):
        return "ClickHouse's arrayIntersect gives an element the place of what wraps around to it"
    if re.search(r"\b(greatest|least)\(", statement) and re.search(r"\b1844674407\d{10}\b", want) and not refused_here:
        return "ClickHouse's greatest of a negative number and a LowCardinality wraps the number around"
    if "position(" in statement and re.search(r"\b(if|multiIf)\(|\bCASE\b", statement) and want.splitlines()[1:2] != got.splitlines()[1:2]:
        return "ClickHouse's position takes no FixedString, so that of a constant condition the other branch is left alone"
    if re.search(r"\bif\(\(*\w+ IS (NOT )?NULL", statement) and want.splitlines()[1:2] != got.splitlines()[1:2]:
        return "ClickHouse leaves out the branch of a column that cannot be NULL before it asks for the branch's type"
    if "Int128" in got and got.replace("Int128", "Int64") == want:
        return "ClickHouse remembers through nullIf that a UInt64 was a literal that Int64 holds"
    # Whether an array has NULL is in the rows, where the statement does not say so.
    if "hasAny(" in statement:
        return "ClickHouse's hasAny takes NULL for 0 where the other array has no NULL"
    if want.startswith("error 572"):
        return "ClickHouse gives up optimizing the plan"
    if plain(want) == plain(got):
        return "LowCardinality comes out of other functions than in ClickHouse"
    if "Variant(" in want:
        return VARIANT
    if "toTypeName(" in statement and "LowC" in want + got:
        return "LowCardinality comes out of other functions than in ClickHouse, of which a type's name tells"
    if "WITH TOTALS" in statement and want.startswith("\n"):
        return "ClickHouse writes the totals of no rows before the names"
    lines, ours = want.rstrip("\n").splitlines(), got.rstrip("\n").splitlines()
    if "WITH TOTALS" in statement and "nullIf(" in statement and lines[:-1] == ours[:-1]:
        return "a text that no FixedString of its length can be is known to differ here, so that nullIf of it is a constant among the totals"
    if minus_zero(want) == minus_zero(got):
        return ONE_ZERO
    if re.search(r"\b(EXCEPT|INTERSECT)\b", statement) and without_zeros(want) == without_zeros(got):
        return ONE_ZERO
    if "toDecimal" in statement and (read_further(want, got) or JOINED_DECIMAL.search(statement) and not differ_by_types(want, got)):
        return "ClickHouse reads a decimal over further points: 3.5.5 is 3.55"
    if "ILIKE" in statement and re.search(r"\b(MD5|substring|reverse)\(", statement):
        return "ClickHouse's ILIKE steps over bytes that follow the beginning of a character, be they no part of it"
    if OF_URLS.search(statement) and (CONSTANT_CONDITION.search(statement) or without_lengths(want) == without_lengths(got)):
        return "ClickHouse refuses a FixedString in functions of URLs, where there are rows of which one is not NULL"
    same_count = len(want.splitlines()) == len(got.splitlines())
    if "assumeNotNull(" in statement and (same_count or "DISTINCT" in statement or "GROUP BY" in statement):
        return "what assumeNotNull makes of NULL is whatever lies beneath it"
    of_replacement = "if(" in statement and "replace" in statement and without_lengths(want) == without_lengths(got)
    # Int128 is what a signed integer and a UInt64 have in common here.
    without_common = re.search(r"\b(if|multiIf)\(", statement) and "Int128" in got and "Int128" not in want
    of_types = without_common or CONSTANT_CONDITION.search(statement)
    if of_replacement or of_types and differ_by_types(want, got):
        return "ClickHouse leaves out the branch that a constant condition does not choose, where it refuses its types"
    if "toTimeZone(" in statement and "toStartOf" in statement and "1970-01-0" in want + got:
        return "what begins before 1970 is whatever the numbers wrap to"
    of_zones = "toTimeZone(" in statement and re.search(r"if\(", statement, re.IGNORECASE)
    if of_zones and (differ_by_zone(want, got) or re.search(r"\bto(YYYYMM|Year|Month|Day|Hour|Date|StartOf)\w*\(", statement)):
        return "ClickHouse chooses by a condition that is known when the types around have been found, in another zone"
    if re.search(r"\b(min|max|argMin|argMax)\w*\(", statement) and differ_by_arrays_with_null(want, got):
        return "ClickHouse's min takes NULL in an array for the least where it merges states, and for the greatest among rows"
    return None


def refused(answer: str) -> bool:
    """An error that tells a value with a zero byte in it ends there, before its code's name."""
    return answer.startswith(("error", "an error without code and name"))


def differ_by_types(want: str, got: str) -> bool:
    """Whether the types of columns differ; how many rows there are does not."""
    rows, ours = plain(want).splitlines(), plain(got).splitlines()
    return len(rows) == len(ours) and len(rows) >= 2 and rows[1] != ours[1]


def differ_by_arrays_with_null(want: str, got: str) -> bool:
    """Whether nothing differs but arrays of which one holds NULL."""
    rows, ours = ([line.split("\t") for line in text.splitlines()] for text in (want, got))
    if [len(row) for row in rows] != [len(row) for row in ours]:
        return False
    pairs = [(a, b) for row, other in zip(rows, ours, strict=True) for a, b in zip(row, other, strict=True) if a != b]
    return all(a[:1] == b[:1] == "[" and "NULL" in a + b for a, b in pairs)


def by_elements(text: str) -> list[str]:
    """The lines in any order, with the elements of each in any order."""
    return sorted("".join(sorted(line)) for line in text.rstrip("\n").splitlines())


def without_lengths(text: str) -> str:
    """Without those of types, be a type's name written backwards."""
    text = re.sub(r"FixedString\(\d+\)", "String", text.rstrip("\n"))
    return re.sub(r"\)\d+\(gnirtSdexiF", "gnirtS", text)


def differ_by_zone(want: str, got: str) -> bool:
    """Whether types differ, and only by their zones; how many rows there are does not."""
    if not differ_by_types(want, got):
        return False
    rows, ours = plain(want).splitlines(), plain(got).splitlines()
    zone = re.compile(r"(?:, )?\\'[\w/]+\\'")
    return zone.sub("", rows[1]) == zone.sub("", ours[1])


def without_zeros(text: str) -> list[str]:
    return [line for line in text.splitlines() if line not in ("0", "-0")]


def read_further(want: str, got: str) -> bool:
    """Whether nothing differs but that decimals are nothing here (0 or NULL) and something there."""
    rows, ours = ([line.split("\t") for line in text.splitlines()] for text in (want, got))
    if [len(row) for row in rows] != [len(row) for row in ours]:
        return False
    pairs = [(a, b) for row, other in zip(rows, ours, strict=True) for a, b in zip(row, other, strict=True) if a != b]
    return all(b in ("0", "\\N") and re.fullmatch(r"-?[0-9]+(\.[0-9]+)?", a) for a, b in pairs)


def minus_zero(text: str) -> list[str]:
    """The lines, sorted, with one zero: which of the two a group has, and which comes first, is open."""
    return sorted(set(re.sub(r"(?<![\w.])-0(?![\w.])", "0", text).splitlines()))


def plain(text: str) -> str:
    return re.sub(r"(?i)LowCardinality\(((?:Nullable\()?\w+(?:\(\d+\))?\)?)\)", r"\1", text)
