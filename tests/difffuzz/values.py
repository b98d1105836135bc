"""Random types, and random values of them as SQL literals. Values gather at borders, where engines differ."""

from dataclasses import dataclass
from random import Random

INTEGERS = ["UInt8", "UInt16", "UInt32", "UInt64", "Int8", "Int16", "Int32", "Int64"]
WORDS = ["", "a", "A", "ab", "abc", "b", "B a", "x,y", "10", "-3", "3.5", "2024-02-29", "ä", "日本", "%", "a_b", "\\t", "https://a.b/c?d=1#e"]


@dataclass(frozen=True)
class Type:
    """`kind` is what functions are chosen by; `of` the kind of an array's elements."""

    name: str
    kind: str
    of: "Type | None" = None


def scalar(chance: Random) -> Type:
    """A type without parts, each family as often as people use it."""
    roll = chance.random()
    if roll < 0.35:
        return Type(chance.choice(INTEGERS), "int")
    if roll < 0.45:
        return Type(chance.choice(["Float64", "Float64", "Float32"]), "float")
    if roll < 0.53:
        return Type(chance.choice(["Decimal(9, 2)", "Decimal(18, 4)", "Decimal(38, 6)"]), "decimal")
    if roll < 0.70:
        return Type(chance.choice(["String", "String", "LowCardinality(String)"]), "string")
    if roll < 0.74:
        return Type("FixedString(3)", "fixed")
    if roll < 0.82:
        return Type(chance.choice(["Date", "Date", "Date32"]), "date")
    if roll < 0.92:
        return Type(chance.choice(["DateTime('UTC')", "DateTime64(3, 'UTC')"]), "time")
    if roll < 0.95:
        return Type("Bool", "bool")
    if roll < 0.97:
        return Type("UUID", "uuid")
    return Type("Enum8('red' = 1, 'green' = 2, 'blue' = -5)", "enum")


def column_type(chance: Random) -> Type:
    inner = scalar(chance)
    roll = chance.random()
    if roll < 0.2 and not inner.name.startswith("LowCardinality"):
        return Type(f"Nullable({inner.name})", inner.kind)
    if roll < 0.35:
        return Type(f"Array({inner.name})", "array", inner)
    if roll < 0.38:
        return Type("Map(String, Int32)", "map")
    return inner


def literal(type_: Type, chance: Random) -> str:
    """A value of the type, as it stands in VALUES."""
    if type_.name.startswith("Nullable(") and chance.random() < 0.3:
        return "NULL"
    if type_.kind == "array":
        return "[" + ", ".join(literal(type_.of, chance) for _ in range(chance.choice([0, 1, 2, 3]))) + "]"
    if type_.kind == "map":
        keys = chance.sample(["a", "b", "c"], chance.choice([0, 1, 2]))
        return "map(" + ", ".join(f"'{key}', {chance.randint(-3, 3)}" for key in keys) + ")" if keys else "map()"
    return SCALARS[type_.kind](type_.name, chance)


def integer(name: str, chance: Random) -> str:
    name = name.removeprefix("Nullable(").removesuffix(")")
    bits = int(name.lstrip("UInt"))
    low, high = (0, 2**bits - 1) if name[0] == "U" else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
    small = [value for value in (0, 1, 2, 3, 5, 7, 10, -1, -2) if low <= value <= high]
    return str(chance.choice(small * 3 + [low, high, chance.randint(low, high)]))


def float_(_name: str, chance: Random) -> str:
    # Quarters: sums of them are the same in each order.
    return str(chance.choice([0, 0.25, -0.5, 1, 1.5, -2.75, 100, 3.25, chance.randint(-4000, 4000) / 4]))


def decimal(_name: str, chance: Random) -> str:
    return f"{chance.choice([0, 1, -1, 12, -345, 9999])}.{chance.choice(['0', '5', '25', '99', '10'])}"


def text(_name: str, chance: Random) -> str:
    return "'" + chance.choice(WORDS) + "'"


def date(_name: str, chance: Random) -> str:
    # Date32 within what a Date can be: beyond it ClickHouse's functions wrap around, ours stay at the border.
    days = ["1970-01-01", "1970-01-02", "2000-02-29", "2023-12-31", "2024-01-01", "2024-02-29", "2100-03-01"]
    return f"'{chance.choice(days)}'"


def time(name: str, chance: Random) -> str:
    second = chance.choice(["1970-01-01 00:00:00", "2000-02-29 23:59:59", "2023-12-31 12:30:01", "2024-03-31 02:30:00", "2040-01-01 00:00:00"])
    return f"'{second}{chance.choice(['.000', '.001', '.999']) if 'DateTime64' in name else ''}'"


SCALARS = {
    "int": integer,
    "float": float_,
    "decimal": decimal,
    "string": text,
    "fixed": lambda _name, chance: "'" + chance.choice(["", "a", "ab", "abc", "ABC"]) + "'",
    "date": date,
    "time": time,
    "bool": lambda _name, chance: chance.choice(["true", "false"]),
    "uuid": lambda _name, chance: f"'61f0c404-5cb3-11e7-907b-a6006ad3dba{chance.randint(0, 3)}'",
    "enum": lambda _name, chance: chance.choice(["'red'", "'green'", "'blue'"]),
}
