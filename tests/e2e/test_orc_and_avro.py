"""ORC and Avro files between this binary and other programs: pyarrow (the C++ library of ORC) and polars; and damaged ones."""

import datetime
import decimal
import io
import random

import polars
import pyarrow
import pyarrow.orc
import pytest
from runner import gristmill

ROWS = 20_000
CODECS = {"ORC": ["none", "snappy", "zstd", "lz4", "zlib"], "Avro": ["null", "deflate", "snappy"]}
CODEC_SETTING = {"ORC": "output_format_orc_compression_method", "Avro": "output_format_avro_codec"}
COLUMNS = """
    number AS n, toInt32(number) - 5000 AS i, if(number % 7 = 0, NULL, toInt64(number * number)) AS o,
    repeat('ab', number % 40) AS s, number / 4 AS f, number % 2 = 0 AS b, toDate32('1960-01-01') + number AS d,
    toDateTime64('1950-01-01 00:00:00', 6, 'UTC') + number * 86400 AS t, range(number % 5) AS a,
    arrayMap(x -> if(x = 1, NULL, toString(x)), range(number % 4)) AS an, map('k', number) AS m,
    CAST((number, toString(number)) AS Tuple(x Int64, y String)) AS r
"""


def written(folder, name: str, columns: str, *settings: str) -> bytes:
    tail = f" SETTINGS {', '.join(settings)}" if settings else ""
    gristmill(f"INSERT INTO FUNCTION file('{name}') SELECT {columns} FROM numbers({ROWS}){tail}", cwd=folder).ok()
    return (folder / name).read_bytes()


def check(rows: list[dict]):
    """The rows of `COLUMNS`, as another program reads them."""
    assert len(rows) == ROWS
    for number in [0, 1, 2, 3, 4, 7, 39, 511, 512, 8191, 8192, ROWS - 1]:
        row = rows[number]
        assert (row["n"], row["i"], row["f"], row["b"]) == (number, number - 5000, number / 4, number % 2 == 0)
        assert row["o"] == (None if number % 7 == 0 else number * number)
        assert row["d"] == datetime.date(1960, 1, 1) + datetime.timedelta(days=number)
        assert row["t"].replace(tzinfo=None) == datetime.datetime(1950, 1, 1) + datetime.timedelta(days=number)
        assert list(row["a"]) == list(range(number % 5))
    assert sum(row["o"] or 0 for row in rows) == sum(number * number for number in range(ROWS) if number % 7)


@pytest.mark.parametrize("codec", CODECS["ORC"])
def test_pyarrow_reads_orc(tmp_path, codec):
    file = written(tmp_path, "t.orc", COLUMNS, f"{CODEC_SETTING['ORC']} = '{codec}'")
    table = pyarrow.orc.ORCFile(io.BytesIO(file)).read()
    check(table.to_pylist())
    for number in [0, 3, 39, ROWS - 1]:
        row = table.slice(number, 1).to_pylist()[0]
        assert row["s"] == "ab" * (number % 40)
        assert row["an"] == [None if x == 1 else str(x) for x in range(number % 4)]
        assert dict(row["m"]) == {"k": number} and row["r"] == {"x": number, "y": str(number)}


@pytest.mark.parametrize("codec", CODECS["Avro"])
def test_polars_reads_avro(tmp_path, codec):
    # It reads no maps and no nulls within lists.
    columns = COLUMNS[: COLUMNS.index("arrayMap")] + "1 AS last"
    file = written(tmp_path, "t.avro", columns, f"{CODEC_SETTING['Avro']} = '{codec}'", "output_format_avro_string_column_pattern = 's'")
    table = polars.read_avro(io.BytesIO(file))
    check(table.to_dicts())
    assert table["s"][39] == "ab" * 39


def arrow_table() -> pyarrow.Table:
    """All that the other writer of ORC has."""
    chance = random.Random(1)

    def some(values):
        return [value if chance.random() > 0.1 else None for value in values]

    kinds = {
        "b": (pyarrow.bool_(), [number % 3 == 0 for number in range(ROWS)]),
        "i8": (pyarrow.int8(), [number % 256 - 128 for number in range(ROWS)]),
        "i32": (pyarrow.int32(), [chance.randrange(-(1 << 31), 1 << 31) for _ in range(ROWS)]),
        "i64": (pyarrow.int64(), [chance.randrange(-(1 << chance.randrange(1, 63)), 1 << 62) for _ in range(ROWS)]),
        "up": (pyarrow.int64(), [number * 3 + number % 2 for number in range(ROWS)]),
        "rare": (pyarrow.int64(), [1 << 40 if number % 97 == 0 else number % 50 for number in range(ROWS)]),
        "f": (pyarrow.float32(), [number / 8 for number in range(ROWS)]),
        "g": (pyarrow.float64(), [number / 3 for number in range(ROWS)]),
        "s": (pyarrow.string(), [f"text {number % 100}" for number in range(ROWS)]),
        "u": (pyarrow.string(), [f"{chance.getrandbits(64):x}" * (number % 3) for number in range(ROWS)]),
        "y": (pyarrow.binary(), [bytes([255, number % 256]) for number in range(ROWS)]),
        "d": (pyarrow.date32(), [datetime.date(1900, 1, 1) + datetime.timedelta(days=number * 3) for number in range(ROWS)]),
        "t": (pyarrow.timestamp("ns"), [1_000_000_000_000_000_000 + number * 1_001_001_001 for number in range(ROWS)]),
        "m": (pyarrow.decimal128(30, 5), [decimal.Decimal(chance.randrange(-(10**28), 10**28)).scaleb(-5) for _ in range(ROWS)]),
        "l": (pyarrow.list_(pyarrow.int32()), [list(range(number % 6)) for number in range(ROWS)]),
        "r": (pyarrow.struct({"x": pyarrow.int64(), "y": pyarrow.string()}), [{"x": number, "y": None} for number in range(ROWS)]),
    }
    return pyarrow.table({name: pyarrow.array(some(values), kind) for name, (kind, values) in kinds.items()})


@pytest.mark.parametrize(
    "options",
    [
        {"compression": "uncompressed"},
        {"compression": "zlib", "stripe_size": 65536},
        {"compression": "zstd", "dictionary_key_size_threshold": 0.9},
        {"compression": "snappy", "file_version": "0.11"},
        {"compression": "lz4", "file_version": "0.12", "compression_block_size": 65536},
    ],
    ids=lambda options: options["compression"],
)
def test_orc_of_pyarrow_is_read(tmp_path, options):
    table = arrow_table()
    pyarrow.orc.write_table(table, tmp_path / "t.orc", **options)
    # Several threads give blocks in any order.
    out = gristmill("SELECT * FROM file('t.orc') FORMAT ArrowStream SETTINGS output_format_arrow_string_as_string = 0, max_threads = 1", cwd=tmp_path, binary_output=True).ok().out
    read = pyarrow.ipc.open_stream(out).read_all()
    assert read.num_rows == ROWS
    for name in table.column_names:
        columns = (table[name], read[name])
        if name == "t":
            # Python has no nanoseconds.
            columns = [column.cast("int64") for column in columns]
        there, here = (column.to_pylist() for column in columns)
        if name in ("s", "u"):
            here = [value if value is None else value.decode() for value in here]
        if name == "l":
            # An array is never NULL here.
            there = [value or [] for value in there]
        if name == "r":
            there = [value or {"x": None, "y": None} for value in there]
            here = [value or {"x": None, "y": None} for value in here]
        assert here == there, name


@pytest.mark.parametrize("compression", ["uncompressed", "snappy", "deflate"])
def test_avro_of_polars_is_read(tmp_path, compression):
    table = polars.DataFrame(
        {
            "i": range(ROWS),
            "f": [number / 8 for number in range(ROWS)],
            "s": [None if number % 5 == 0 else f"text {number}" for number in range(ROWS)],
            "b": [number % 2 == 0 for number in range(ROWS)],
            "d": [datetime.date(2000, 1, 1) + datetime.timedelta(days=number) for number in range(ROWS)],
            "l": [[number, None] for number in range(ROWS)],
        }
    )
    table.write_avro(tmp_path / "t.avro", compression=compression)
    answer = gristmill("SELECT count(), sum(i), sum(f), countIf(s IS NULL), max(s), sum(b), max(d), sum(l[1]) FROM file('t.avro')", cwd=tmp_path)
    last = datetime.date(2000, 1, 1) + datetime.timedelta(days=ROWS - 1)
    total = ROWS * (ROWS - 1) // 2
    assert answer.ok().rows == [[str(ROWS), str(total), str(total / 8).removesuffix(".0"), str(ROWS // 5), "text 9999", str(ROWS // 2), str(last), str(total)]]


@pytest.mark.parametrize("name", ["t.avro", "t.orc"])
def test_files_go_to_object_storage_and_back(s3, name):
    place = f"s3('{s3.url('data/formats/' + name)}', {s3.keys}"
    gristmill(f"INSERT INTO FUNCTION {place}) SELECT {COLUMNS} FROM numbers({ROWS})").ok()
    answer = gristmill(f"SELECT count(), sum(n), sum(length(s)), sum(length(a)) FROM {place})").ok()
    assert answer.rows[0][:2] == [str(ROWS), str(ROWS * (ROWS - 1) // 2)]
    assert gristmill(f"SELECT i FROM {place}) WHERE n = 7").ok().value == "-4993"


@pytest.mark.parametrize("format", ["Avro", "ORC"])
def test_standard_input_and_output(format, tmp_path):
    out = gristmill(f"SELECT {COLUMNS} FROM numbers({ROWS}) FORMAT {format}", binary_output=True).ok().out
    flags = ["--input-format", format]
    answer = gristmill("SELECT count(), sum(n) FROM table", stdin=out, flags=flags)
    assert answer.ok().rows == [[str(ROWS), str(ROWS * (ROWS - 1) // 2)]]
    gristmill("CREATE TABLE t (n Int64, s String, later UInt8 DEFAULT 9) ENGINE = MergeTree ORDER BY n", path=tmp_path).ok()
    insert = f"INSERT INTO t SETTINGS input_format_avro_allow_missing_fields = 1 FORMAT {format}"
    gristmill(insert, stdin=out, path=tmp_path).ok()
    answer = gristmill("SELECT count(), sum(n), sum(later) FROM t", path=tmp_path)
    assert answer.ok().rows == [[str(ROWS), str(ROWS * (ROWS - 1) // 2), str(9 * ROWS)]]


REFUSED = {
    "INCORRECT_DATA",
    "CANNOT_READ_ALL_DATA",
    "CANNOT_DECOMPRESS",
    "AVRO_EXCEPTION",
    "CANNOT_EXTRACT_TABLE_STRUCTURE",
    "VALUE_IS_OUT_OF_RANGE_OF_DATA_TYPE",
}


@pytest.mark.parametrize("name", ["t.avro", "t.orc"])
def test_files_that_are_cut_or_damaged_are_refused(tmp_path, name):
    whole = written(tmp_path, name, "number AS n, toString(number) AS s, [number] AS a")
    source = f"file('{name}', auto, 'n Int64, s String, a Array(Int64)')"
    for length in [1, 3, 10, 100, len(whole) // 2, len(whole) - 300, len(whole) - 1]:
        (tmp_path / name).write_bytes(whole[:length])
        answer = gristmill(f"SELECT sum(n), max(s), sum(a[1]) FROM {source}", cwd=tmp_path)
        assert answer.error[1] in REFUSED and name in answer.message, (length, answer)
        assert gristmill(f"SELECT * FROM file('{name}')", cwd=tmp_path).error[1] in REFUSED
    chance = random.Random(7)
    for _ in range(10):
        damaged = bytearray(whole)
        for _ in range(50):
            damaged[chance.randrange(4, len(damaged) - 400)] ^= 1 << chance.randrange(8)
        (tmp_path / name).write_bytes(damaged)
        answer = gristmill(f"SELECT sum(n), max(s), sum(a[1]) FROM {source}", cwd=tmp_path)
        assert answer.error[1] in REFUSED, answer
