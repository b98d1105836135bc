"""Values of every type, as Python has them: `(type, values)`."""

import ipaddress
import uuid
from datetime import UTC, date, datetime
from decimal import Decimal

VALUES = [
    ("Bool", [True, False]),
    ("UInt8", [0, 255]),
    ("UInt16", [0, 65535]),
    ("UInt32", [0, 4294967295]),
    ("UInt64", [0, 18446744073709551615]),
    ("UInt128", [0, 2**128 - 1]),
    ("UInt256", [0, 2**200]),
    ("Int8", [-128, 127]),
    ("Int16", [-32768, 32767]),
    ("Int32", [-(2**31), 2**31 - 1]),
    ("Int64", [-(2**63), 2**63 - 1]),
    ("Int128", [-(2**127), 2**127 - 1]),
    ("Int256", [-(2**200), 2**200]),
    ("Float32", [0.5, -1.25]),
    ("Float64", [0.1, -1e300]),
    ("Decimal(9, 4)", [Decimal("123.4567"), Decimal("-0.0001")]),
    ("Decimal(18, 1)", [Decimal("-1.5"), Decimal("12345678901234567.8")]),
    ("Decimal(38, 4)", [Decimal("123.4567"), Decimal("-1.0000")]),
    ("Decimal(76, 2)", [Decimal("12.34"), Decimal("-5.00")]),
    ("String", ["", "text with ю and \0 zero"]),
    ("LowCardinality(String)", ["a", "b"]),
    ("LowCardinality(Nullable(String))", ["a", None]),
    ("UUID", [uuid.UUID("550e8400-e29b-41d4-a716-446655440000"), uuid.UUID(int=1)]),
    ("IPv4", [ipaddress.IPv4Address("192.168.1.10"), ipaddress.IPv4Address("0.0.0.1")]),
    ("IPv6", [ipaddress.IPv6Address("2001:db8::1"), ipaddress.IPv6Address("::1")]),
    ("Date", [date(1970, 1, 2), date(2149, 6, 6)]),
    ("Date32", [date(1900, 1, 1), date(2299, 12, 31)]),
    ("DateTime('UTC')", [datetime(2024, 3, 15, 14, 30, tzinfo=UTC), datetime(1971, 1, 1, tzinfo=UTC)]),
    ("DateTime64(3, 'UTC')", [datetime(2024, 1, 15, 12, 30, 45, 123000, tzinfo=UTC)]),
    ("DateTime64(6, 'UTC')", [datetime(2024, 1, 15, 12, 30, 45, 123456, tzinfo=UTC)]),
    ("Enum8('a' = 1, 'b' = -2)", ["a", "b"]),
    ("Enum16('a' = 1, 'b' = 300)", ["b", "a"]),
    ("Nullable(Int32)", [None, 5]),
    ("Nullable(String)", [None, "x"]),
    ("Array(Int32)", [[], [1, 2, 3]]),
    ("Array(Nullable(String))", [["a", None], []]),
    ("Array(Array(UInt8))", [[[1], []], [[2, 3]]]),
    ("Array(LowCardinality(String))", [["a", "b", "a"], []]),
    ("Map(String, UInt8)", [{"a": 1, "b": 2}, {}]),
    ("Map(String, Array(UInt8))", [{"k": [1, 2]}]),
    ("Tuple(UInt8, String)", [(1, "a"), (2, "")]),
]


def plain(value):
    """Without what two clients see differently: zones that a type names, sequences of one kind or another."""
    if isinstance(value, datetime):
        return value.replace(tzinfo=None)
    if isinstance(value, list | tuple):
        return [plain(element) for element in value]
    if isinstance(value, dict):
        return {plain(key): plain(element) for key, element in value.items()}
    return value
