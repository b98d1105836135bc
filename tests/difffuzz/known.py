"""Differences that have an explanation: they are counted and not reported. Each says why it is none to mend."""

import re

# Errors by which ClickHouse refuses types. Taking more of them is no difference in an answer.
REFUSED = re.compile(r"error (43 ILLEGAL_TYPE_OF_ARGUMENT|44 ILLEGAL_COLUMN|386 NO_COMMON_TYPE|48 NOT_IMPLEMENTED)")
OVERFLOW = "error 407 DECIMAL_OVERFLOW"
BEFORE_1970 = re.compile(r"\b1970-01-0?1")
WRAPPED = re.compile(r"\b21(?:39|4[5-9])-")


def reason(statement: str, want: str, got: str) -> str | None:
    """Why these two differ by intent; None where nobody knows."""
    refused_here = got.startswith("error")
    if want == "not reached":
        return "ClickHouse's process died"
    if want.startswith("error") and refused_here:
        return "both refuse, with another code"
    if REFUSED.match(want):
        return "ClickHouse refuses the types, Gristmill takes them"
    if want.startswith(OVERFLOW):
        return "ClickHouse scales an integer before it compares it with a decimal, Gristmill compares without overflow"
    if want.startswith("error 135 ZERO_ARRAY_OR_TUPLE_INDEX") and "substring" in statement:
        return "substring of a column from the constant 0 is an error in ClickHouse, and empty where either is not what it is"
    if want.startswith("error 572"):
        return "ClickHouse gives up optimizing the plan"
    if plain(want) == plain(got):
        return "LowCardinality comes out of other functions than in ClickHouse"
    if "Variant(" in want:
        return "types without a common one are a Variant in ClickHouse"
    if "toStartOfInterval" in statement and BEFORE_1970.search(got) and WRAPPED.search(want):
        return "days before 1970 wrap around in ClickHouse, and stay at the border"
    if "WITH TOTALS" in statement and want.startswith("\n"):
        return "ClickHouse writes the totals of no rows before the names"
    if minus_zero(want) == minus_zero(got):
        return "0 and -0 are one value"
    return None


def minus_zero(text: str) -> list[str]:
    """The lines, sorted, with one zero: which of the two a group has, and which comes first, is open."""
    return sorted(set(re.sub(r"(?<![\w.])-0(?![\w.])", "0", text).splitlines()))


def plain(text: str) -> str:
    return re.sub(r"LowCardinality\(((?:Nullable\()?\w+(?:\(\d+\))?\)?)\)", r"\1", text)
