"""A table can have columns of these types; DuckDB, Polars and PyArrow read each from its parts, and find the same values.

Where Parquet has no such type (docs/formats/part-v1.md), its bytes are compared, and the columns beside it.
"""

import ipaddress
import struct
import uuid
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

import duckdb
import polars
import pyarrow.parquet
import pytest
from runner import gristmill
from storage import part_files

ROWS = 700
HALF = ROWS // 2
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def moment(n: int, digits: int) -> datetime:
    """2024-02-29 12:00:00 and n seconds, and n ticks of as many digits; Python knows six of them."""
    ticks = n % 10**digits if digits else 0
    return datetime(2024, 2, 29, 12, tzinfo=UTC) + timedelta(seconds=n, microseconds=ticks * 10**6 // 10**digits)


def wide(value: int, size: int, signed: bool = True) -> bytes:
    return value.to_bytes(size, "little", signed=signed)


def time64(digits: int) -> str:
    return f"addSeconds(toDateTime64('2024-02-29 12:00:00', {digits}, 'UTC'), number) + toIntervalNanosecond((number % {10**digits}) * {10 ** (9 - digits)})"


# name, type, the value of row `number` in SQL, and in Python
COLUMNS = [
    ("i8", "Int8", "number % 256 - 128", lambda n: n % 256 - 128),
    ("i16", "Int16", "number - 32768", lambda n: n - 32768),
    ("i32", "Int32", "number - 2147483648", lambda n: n - 2**31),
    ("i64", "Int64", "number + toInt64('-9223372036854775808')", lambda n: n - 2**63),
    ("i128", "Int128", "toInt128(number) - toInt128('170141183460469231731687303715884105727')", lambda n: wide(n - 2**127 + 1, 16)),
    ("i256", "Int256", "toInt256(number) - toInt256('170141183460469231731687303715884105728000')", lambda n: wide(n - 2**127 * 1000, 32)),
    ("u8", "UInt8", "number % 256", lambda n: n % 256),
    ("u16", "UInt16", "65535 - number", lambda n: 65535 - n),
    ("u32", "UInt32", "4294967295 - number", lambda n: 2**32 - 1 - n),
    ("u64", "UInt64", "toUInt64('18446744073709551615') - number", lambda n: 2**64 - 1 - n),
    ("u128", "UInt128", "toUInt128('340282366920938463463374607431768211455') - toUInt128(number)", lambda n: wide(2**128 - 1 - n, 16, False)),
    ("u256", "UInt256", "toUInt256(number) + toUInt256('340282366920938463463374607431768211456')", lambda n: wide(2**128 + n, 32, False)),
    ("f32", "Float32", "number / 4", lambda n: n / 4),
    ("f64", "Float64", "-number / 8", lambda n: -n / 8),
    ("d32", "Decimal32(2)", "toDecimal32(number, 2) / 4", lambda n: Decimal(n * 25) / 100),
    ("d64", "Decimal64(6)", "toDecimal64(number, 6) / 8", lambda n: Decimal(n * 125000) / 10**6),
    ("d128", "Decimal128(10)", "toDecimal128(number, 10) - toDecimal128('100000000000000000', 10)", lambda n: Decimal(n) - 10**17),
    ("d256", "Decimal256(20)", "toDecimal256(number, 20)", Decimal),
    ("b", "Bool", "number % 3 = 0", lambda n: n % 3 == 0),
    ("s", "String", "concat('ж', toString(number))", lambda n: f"ж{n}"),
    ("fs", "FixedString(4)", "toFixedString(leftPad(toString(number % 1000), 3, 'x'), 4)", lambda n: str(n).rjust(3, "x").encode() + b"\0"),
    ("d", "Date", "toDate('2024-01-01') + number", lambda n: date(2024, 1, 1) + timedelta(n)),
    ("dd", "Date32", "toDate32('1920-01-01') + number", lambda n: date(1920, 1, 1) + timedelta(n)),
    ("t", "DateTime", "toDateTime('2024-02-29 12:00:00', 'UTC') + number", lambda n: moment(n, 0)),
    ("tz", "DateTime('Asia/Tokyo')", "toDateTime('2024-02-29 12:00:00', 'UTC') + number", lambda n: moment(n, 0)),
    ("t0", "DateTime64(0, 'UTC')", time64(0), lambda n: moment(n, 0)),
    ("t3", "DateTime64(3, 'Europe/Berlin')", time64(3), lambda n: moment(n, 3)),
    ("t6", "DateTime64(6, 'UTC')", time64(6), lambda n: moment(n, 6)),
    ("t9", "DateTime64(9, 'UTC')", time64(9), lambda n: moment(n, 9)),
    ("t7", "DateTime64(7, 'UTC')", time64(7), lambda n: int((moment(n, 0) - EPOCH).total_seconds()) * 10**7 + n),
    (
        "u",
        "UUID",
        "toUUID(concat('61f0c404-5cb3-11e7-907b-', leftPad(toString(number), 12, '0')))",
        lambda n: uuid.UUID(f"61f0c404-5cb3-11e7-907b-{n:012}"),
    ),
    ("v4", "IPv4", "toUInt32(3232235520 + number)::IPv4", lambda n: int(ipaddress.IPv4Address("192.168.0.0")) + n),
    ("v6", "IPv6", "toIPv6(concat('2001:db8::', hex(toUInt16(number))))", lambda n: ipaddress.IPv6Address(f"2001:db8::{n:x}").packed),
    ("e8", "Enum8('one' = 1, 'two' = -2)", "if(number % 2 = 0, 'two', 'one')", lambda n: "one" if n % 2 else "two"),
    ("e16", "Enum16('a' = 1000, 'b' = -1000)", "if(number % 2 = 0, 'a', 'b')", lambda n: "b" if n % 2 else "a"),
    ("lc", "LowCardinality(String)", "toString(number % 10)", lambda n: str(n % 10)),
    ("lcn", "LowCardinality(Nullable(String))", "if(number % 4 = 0, NULL, toString(number % 10))", lambda n: None if n % 4 == 0 else str(n % 10)),
    ("nn", "Nullable(Int32)", "if(number % 3 = 0, NULL, number)", lambda n: None if n % 3 == 0 else n),
    ("ns", "Nullable(String)", "if(number % 5 = 0, NULL, toString(number))", lambda n: None if n % 5 == 0 else str(n)),
    ("a", "Array(UInt32)", "range(toUInt32(number % 4))", lambda n: list(range(n % 4))),
    ("an", "Array(Nullable(String))", "[NULL, toString(number)]", lambda n: [None, str(n)]),
    ("aa", "Array(Array(String))", "[[toString(number)], [], ['x', 'y']]", lambda n: [[str(n)], [], ["x", "y"]]),
    ("tu", "Tuple(x Int32, y String)", "(number, 'y')", lambda n: {"x": n, "y": "y"}),
    ("ta", "Tuple(Int32, Array(String))", "(number, ['q'])", lambda n: {"1": n, "2": ["q"]}),
    ("at", "Array(Tuple(x Int32, y String))", "[(number, 'z')]", lambda n: [{"x": n, "y": "z"}]),
    ("nest.a", "Array(UInt8)", "[number % 7, 1]", lambda n: [n % 7, 1]),
    ("nest.b", "Array(String)", "['l', toString(number)]", lambda n: ["l", str(n)]),
    ("m", "Map(String, UInt64)", "map('k', number)", lambda n: {"k": n}),
    ("sf", "SimpleAggregateFunction(max, UInt64)", "number", lambda n: n),
]
STATES = [("ag", "AggregateFunction(sum, UInt64)", "sumState"), ("au", "AggregateFunction(uniq, String)", "uniqState")]


@pytest.fixture(scope="module", params=["inserted", "merged"])
def parts(request, tmp_path_factory):
    """The rows in two inserts; MergeTree, and for states of aggregate functions another table beside."""
    data = tmp_path_factory.mktemp("parts") / "database"
    declared = [f"`{name}` {kind}" for name, kind, *_ in COLUMNS if not name.startswith("nest.")]
    declared.append("nest Nested(a UInt8, b String)")
    names = ", ".join(f"`{name}`" for name, *_ in COLUMNS)
    values = ", ".join(sql for _, _, sql, _ in COLUMNS)
    statements = [f"CREATE TABLE t (id UInt64, {', '.join(declared)}) ENGINE = MergeTree ORDER BY id SETTINGS index_granularity = 100"]
    states = ", ".join(f"{name} {kind}" for name, kind, _ in STATES)
    statements.append(f"CREATE TABLE g (id UInt64, {states}, last SimpleAggregateFunction(any, UInt64)) ENGINE = AggregatingMergeTree ORDER BY id")
    for first in (0, HALF):
        rows = f"numbers({first}, {HALF})"
        statements.append(f"INSERT INTO t (id, {names}) SELECT number, {values} FROM {rows}")
        made = ", ".join(f"{function}({'number' if name == 'ag' else 'toString(number)'})" for name, _, function in STATES)
        statements.append(f"INSERT INTO g SELECT number, {made}, any(number + 1) FROM {rows} GROUP BY number")
    if request.param == "merged":
        statements += ["OPTIMIZE TABLE t FINAL", "OPTIMIZE TABLE g FINAL"]
    gristmill(*statements, path=data).ok()
    files = {}
    for table in ("t", "g"):
        asked = gristmill(f"SELECT path FROM system.parts WHERE table = '{table}' AND active", path=data).ok()
        files[table] = [row[0] for row in asked.rows]
        assert set(files[table]) <= {str(file) for file in part_files(data)}
        assert len(files[table]) == (2 if request.param == "inserted" else 1)
    return files


@pytest.fixture(scope="module")
def expected() -> dict[str, list]:
    return {name: [value(n) for n in range(ROWS)] for name, _, _, value in COLUMNS}


def plain(value):
    """What readers give in types of their own, as Python's."""
    match value:
        case list():
            # Of a map PyArrow gives pairs.
            if value and all(isinstance(pair, tuple) and len(pair) == 2 for pair in value):
                return {plain(key): plain(item) for key, item in value}
            return [plain(item) for item in value]
        case dict():
            # Of a map Polars and PyArrow may give structs of key and value.
            return {key: plain(item) for key, item in value.items()}
        case datetime() if value.tzinfo is not None:
            return value.astimezone(UTC)
        case bytearray():
            return bytes(value)
    return value


def compare(theirs: dict[str, list], expected: dict[str, list], odd: dict | None = None) -> None:
    """`odd` says how a reader's value of a column is made comparable."""
    for name, values in expected.items():
        got = [plain(value) for value in theirs[name]]
        if odd and name in odd:
            got, values = [odd[name](value) for value in got], [odd[name](value) for value in values]
        wrong = [(n, mine, other) for n, (mine, other) in enumerate(zip(values, got, strict=True)) if mine != other]
        assert not wrong, (name, wrong[:3])


def as_uuid(value):
    if isinstance(value, bytes):
        return uuid.UUID(bytes=value)
    return uuid.UUID(str(value))


def as_map(value):
    return {pair["key"]: pair["value"] for pair in value} if isinstance(value, list) else value


# Nanoseconds since 1970 of `t9`: Python has no time of that many digits.
T9 = [int((moment(n, 0) - EPOCH).total_seconds()) * 10**9 + n for n in range(ROWS)]


def test_duckdb_finds_every_value(parts, expected):
    connection = duckdb.connect()
    connection.execute("SET TimeZone = 'UTC'")
    relation = connection.sql(f"SELECT * REPLACE (epoch_ns(t9) AS t9) FROM read_parquet({parts['t']}) ORDER BY id")
    rows = relation.fetchall()
    theirs = dict(zip(relation.columns, map(list, zip(*rows, strict=True)), strict=True))
    assert theirs["id"] == list(range(ROWS))
    # Decimals of more than 38 digits are DOUBLE there, computed with an error in the last digit.
    assert theirs["d256"] == pytest.approx([float(value) for value in expected["d256"]], rel=1e-12)
    compare(theirs, {name: values for name, values in (expected | {"t9": T9}).items() if name != "d256"}, {"u": as_uuid})


def test_polars_finds_every_value(parts, expected):
    # It cannot read decimals of more than 38 digits, and says so; the columns beside are not harmed.
    with pytest.raises(polars.exceptions.PolarsError, match="(?i)decimal"):
        polars.read_parquet(parts["t"], columns=["d256"])
    readable = [name for name in expected if name != "d256"]
    frame = polars.read_parquet(parts["t"], columns=["id", *readable]).sort("id")
    theirs = {name: frame[name].to_list() for name in frame.columns}
    assert theirs["id"] == list(range(ROWS))
    theirs["t9"] = frame["t9"].to_physical().to_list()
    compare(theirs, {name: (expected | {"t9": T9})[name] for name in readable}, {"u": as_uuid, "m": as_map})


def test_pyarrow_finds_every_value(parts, expected):
    table = pyarrow.concat_tables(pyarrow.parquet.read_table(file) for file in parts["t"]).sort_by("id")
    theirs = {name: table[name].to_pylist() for name in table.column_names if name != "t9"}
    assert theirs["id"] == list(range(ROWS))
    theirs["t9"] = table["t9"].cast(pyarrow.int64()).to_pylist()
    compare(theirs, expected | {"t9": T9}, {"u": as_uuid})


def test_states_are_bytes_and_what_stands_beside_them_is_right(parts):
    files = parts["g"]
    rows = duckdb.sql(f"SELECT id, ag, au, last FROM read_parquet({files}) ORDER BY id").fetchall()
    frame = polars.read_parquet(files).sort("id")
    assert [(row[0], row[3]) for row in rows] == [(n, n + 1) for n in range(ROWS)]
    assert frame["last"].to_list() == [n + 1 for n in range(ROWS)]
    for at, name in ((1, "ag"), (2, "au")):
        theirs = [row[at] for row in rows]
        assert all(isinstance(value, bytes) and value for value in theirs)
        assert frame[name].to_list() == theirs
    # Of a sum the state is one column in Arrow's row format: a byte that says "not NULL", and the number.
    assert [struct.unpack(">Q", row[1][-8:])[0] for row in rows] == list(range(ROWS))
