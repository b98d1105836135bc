"""Random queries whose answer is the same in each order of reading."""

from dataclasses import dataclass
from random import Random

from expressions import KINDS, Column, expression, fits
from values import column_type, literal

AGGREGATES = [
    ("count()", ()),
    ("count({})", ("any",)),
    ("sum({})", ("int",)),
    ("sum({})", ("decimal",)),
    ("sum({})", ("bool",)),
    ("avg({})", ("int",)),
    ("min({})", ("any",)),
    ("max({})", ("any",)),
    ("uniqExact({})", ("any",)),
    ("uniq({})", ("any",)),
    ("arraySort(groupArray({}))", ("int",)),
    ("arraySort(groupUniqArray({}))", ("string",)),
    ("countIf({})", ("bool",)),
    ("sumIf({}, {})", ("int", "bool")),
    ("minIf({}, {})", ("string", "bool")),
    ("avgOrNull({})", ("int",)),
    ("sumOrNull({})", ("int",)),
    ("quantileExact({})", ("int",)),
    ("quantilesExact(0.1, 0.9)({})", ("int",)),
    ("median({})", ("int",)),
    ("groupBitAnd({})", ("int",)),
    ("groupBitXor({})", ("int",)),
    ("sumMap({})", ("map",)),
    ("maxArray({})", ("ints",)),
    ("sumArray({})", ("ints",)),
    ("sumForEach({})", ("ints",)),
    ("anyHeavy(toInt8(1))", ()),
    ("topK(1)(toInt8(3))", ()),
    ("argMin(1, {})", ("int",)),
    ("varPop(toInt8({}))", ("small",)),
    ("countDistinct({})", ("int",)),
    ("sumDistinct({})", ("int",)),
]
WINDOWS = ["row_number()", "rank()", "dense_rank()", "count()", "sum({int})", "min({int})", "max({string})", "lagInFrame({int})", "first_value({int})"]
FRAMES = ["", " ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW", " ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING"]


@dataclass(frozen=True)
class Table:
    name: str
    columns: list[Column]
    statements: list[str]


def table(name: str, chance: Random) -> Table:
    """A table of random columns; `id` tells its rows apart, `k` has few values."""
    columns = [Column(f"{name}{number}", column_type(chance)) for number in range(chance.randint(4, 8))]
    key = chance.choice(["id", "k, id", "tuple()"])
    engine = chance.choice(["Memory", "MergeTree", "MergeTree"])
    structure = ", ".join(["id UInt32", "k UInt8"] + [f"{column.name} {column.type.name}" for column in columns])
    order = f" ORDER BY ({key})" if engine == "MergeTree" else ""
    statements = [f"CREATE TABLE {name} ({structure}) ENGINE = {engine}{order}"]
    count = chance.choice([1, 10, 40, 40])
    rows = [[str(row), str(chance.randint(0, 3))] + [literal(column.type, chance) for column in columns] for row in range(count)]
    # Two parts, so that there is something to merge.
    for piece in [rows[: count // 2], rows[count // 2 :]]:
        if piece:
            statements.append(f"INSERT INTO {name} VALUES " + ", ".join("(" + ", ".join(row) + ")" for row in piece))
    return Table(name, columns, statements)


def query(tables: list[Table], chance: Random) -> str:
    one = chance.choice(tables)
    text = chance.choice([rows, rows, rows, groups, groups, sets, whole, joined, joined, windowed, distinct, united, limited, nested])(one, tables, chance)
    return f"{text} FORMAT TSVWithNamesAndTypes"


def expressions(columns: list[Column], number: int, depth: int, chance: Random) -> list[str]:
    kinds = [kind for kind in KINDS if any(fits(column, kind) for column in columns)] or KINDS
    return [expression(columns, chance.choice(kinds if chance.random() < 0.7 else KINDS), depth, chance) for _ in range(number)]


def where(columns: list[Column], chance: Random) -> str:
    return f" WHERE {expression(columns, 'bool', 2, chance)}" if chance.random() < 0.5 else ""


def rows(one: Table, _tables: list[Table], chance: Random) -> str:
    shown = ", ".join(f"{text} AS e{number}" for number, text in enumerate(expressions(one.columns, chance.randint(1, 3), 3, chance)))
    return f"SELECT id, {shown} FROM {one.name}{where(one.columns, chance)} ORDER BY id"


def aggregate(columns: list[Column], chance: Random) -> str:
    pattern, kinds = chance.choice(AGGREGATES)
    return pattern.format(*(expression(columns, kind, 1, chance) for kind in kinds))


def groups(one: Table, _tables: list[Table], chance: Random) -> str:
    key = chance.choice(["k", "k % 2", expression(one.columns, chance.choice(["int", "string", "bool", "date"]), 1, chance)])
    shown = ", ".join(f"{aggregate(one.columns, chance)} AS a{number}" for number in range(chance.randint(1, 3)))
    tail = chance.choice(["", "", "", " WITH TOTALS", " WITH ROLLUP"])
    having = chance.choice(["", "", " HAVING count() > 1"]) if not tail else ""
    return f"SELECT {key} AS g, {shown} FROM {one.name}{where(one.columns, chance)} GROUP BY g{tail}{having} ORDER BY ALL"


def whole(one: Table, _tables: list[Table], chance: Random) -> str:
    shown = ", ".join(aggregate(one.columns, chance) for _ in range(chance.randint(1, 4)))
    return f"SELECT {shown} FROM {one.name}{where(one.columns, chance)}"


def side(one: Table, chance: Random) -> tuple[str, list[str]]:
    """A table as one side of a join, and what all of its rows have in common: an outer join has rows without that."""
    if chance.random() < 0.4:
        return one.name, []
    constant = chance.choice(["1", "'same'", "toNullable(5)", "toDate('2020-02-02')"])
    rows = chance.choice(["", " WHERE k = 1", f" WHERE k = {chance.randint(0, 3)} AND id < 20"])
    return f"(SELECT *, {constant} AS same FROM {one.name}{rows})", ["same", "k"] if rows else ["same"]


def joined(one: Table, tables: list[Table], chance: Random) -> str:
    other = chance.choice([table for table in tables if table is not one])
    kind = chance.choice(["INNER", "LEFT", "RIGHT", "FULL", "LEFT SEMI", "LEFT ANTI"])
    both = kind not in ("LEFT SEMI", "LEFT ANTI")
    (left, same_left), (right, same_right) = side(one, chance), side(other, chance)
    same = [f"l.{name}" for name in same_left] + ([f"r.{name}" for name in same_right] if both else [])
    nulls = f" SETTINGS join_use_nulls = {chance.randint(0, 1)}"
    source = f"FROM {left} AS l {kind} JOIN {right} AS r ON l.id = r.{chance.choice(['k', 'id'])}"
    if same and chance.random() < 0.4:
        keys = chance.sample(same, chance.randint(1, len(same)))
        shown = ", ".join(f"{key} AS g{number}" for number, key in enumerate(keys))
        grouped = ", ".join(f"g{number}" for number in range(len(keys)))
        return f"SELECT {shown}, count() AS c, sum(l.id) AS s {source} GROUP BY {grouped} ORDER BY ALL{nulls}, max_block_size = 3"
    columns = one.columns + (other.columns if both else [])
    # Behind what is the same, whichever side has no row: an order that forgets it is another one.
    shown = [f"{key} AS g{number}" for number, key in enumerate(same)] + (chance.sample(["l.id AS i", "r.id AS j"], 2) if both else ["l.id AS i"])
    shown += [f"{text} AS e{number}" for number, text in enumerate(expressions(columns, 2, 2, chance))]
    return f"SELECT {', '.join(shown)} {source} ORDER BY ALL{nulls}"


def sets(one: Table, _tables: list[Table], chance: Random) -> str:
    """Keys of grouping sets, one of which may be the same in all rows."""
    key = expression(one.columns, chance.choice(["int", "string", "bool", "date"]), 1, chance)
    rows = chance.choice(["", " WHERE k = 1", " WHERE id < 15"])
    how = chance.choice(["ROLLUP(same, k, g)", "CUBE(k, same)", "GROUPING SETS ((same), (k, g), ())", "GROUPING SETS ((same, k), (g, same))"])
    names = how.replace("(", " ").replace(")", " ").replace(",", " ").split()
    shown = ", ".join(name for name in ("same", "k", "g") if name in names)
    return f"SELECT {shown}, count() AS c, {aggregate(one.columns, chance)} AS a FROM (SELECT *, 'x' AS same, {key} AS g FROM {one.name}{rows}) GROUP BY {how} ORDER BY ALL SETTINGS group_by_use_nulls = {chance.randint(0, 1)}"


def windowed(one: Table, _tables: list[Table], chance: Random) -> str:
    function = chance.choice(WINDOWS)
    for kind in ("int", "string"):
        function = function.replace(f"{{{kind}}}", expression(one.columns, kind, 1, chance))
    return f"SELECT id, {function} OVER (PARTITION BY k ORDER BY id{chance.choice(FRAMES)}) AS w FROM {one.name} ORDER BY id"


def distinct(one: Table, _tables: list[Table], chance: Random) -> str:
    shown = ", ".join(f"{text} AS e{number}" for number, text in enumerate(expressions(one.columns, 2, 2, chance)))
    return f"SELECT DISTINCT {shown} FROM {one.name}{where(one.columns, chance)} ORDER BY ALL"


def united(one: Table, tables: list[Table], chance: Random) -> str:
    other = chance.choice(tables)
    how = chance.choice(["UNION ALL", "UNION DISTINCT", "INTERSECT", "EXCEPT"])
    kind = chance.choice(["int", "string", "date", "float", "ints"])
    left, right = expression(one.columns, kind, 2, chance), expression(other.columns, kind, 2, chance)
    return f"SELECT * FROM (SELECT {left} AS v FROM {one.name} {how} SELECT {right} AS v FROM {other.name}) ORDER BY ALL"


def limited(one: Table, _tables: list[Table], chance: Random) -> str:
    order = expression(one.columns, chance.choice(["int", "string", "float", "date", "time"]), 2, chance)
    way = chance.choice(["", " DESC", " NULLS FIRST", " DESC NULLS FIRST"])
    end = chance.choice(["LIMIT 3", "LIMIT 2, 5", "LIMIT 1 BY k", "LIMIT 2 BY k LIMIT 5"])
    return f"SELECT id, {order} AS o FROM {one.name}{where(one.columns, chance)} ORDER BY o{way}, id {end}"


def nested(one: Table, tables: list[Table], chance: Random) -> str:
    other = chance.choice(tables)
    inner = expression(other.columns, "int", 1, chance)
    condition = chance.choice(
        [
            f"id IN (SELECT {inner} FROM {other.name})",
            f"k > (SELECT avg(k) FROM {other.name})",
            f"{expression(one.columns, 'int', 1, chance)} = (SELECT max({inner}) FROM {other.name})",
            f"(k, id) IN (SELECT k, id FROM {other.name})",
        ]
    )
    return f"WITH c AS (SELECT id, {expression(one.columns, 'string', 2, chance)} AS s FROM {one.name} WHERE {condition}) SELECT * FROM c ORDER BY ALL"
