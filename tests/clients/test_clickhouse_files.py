"""Files of ORC and Avro between ClickHouse (chdb) and this binary: each reads what the other wrote."""

import os
import subprocess

import pytest
from server import BINARY

PEERS = os.environ.get("GRISTMILL_PEERS")
COLUMNS = """
    toUInt8(number) AS u8, toUInt16(number * 7) AS u16, toUInt32(4000000000 + number) AS u32, 18446744073709551615 - number AS u64,
    toInt8(-number % 100) AS i8, toInt64(-number * 1000000007) AS i64, toFloat32(number / 4) AS f32, number / 3 AS f64,
    number % 2 = 0 AS b, toDate('2020-01-01') + number % 5000 AS d, toDateTime('2020-01-01 00:00:00', 'UTC') + number * 1000 AS dt,
    toDateTime64('2020-01-01 00:00:00.123', 3, 'UTC') + number * 1000 AS dt3,
    toFixedString(toString(number % 1000), 4) AS fs, CAST(number % 2 AS Enum8('x' = 0, 'y' = 1)) AS e,
    repeat('text ', number % 20) AS s, toDecimal64(number, 3) / 7 AS d18, if(number % 3 = 0, NULL, number) AS n,
    if(number % 3 = 0, NULL, toString(number)) AS ns, range(number % 4) AS a, arrayMap(x -> if(x = 1, NULL, toString(x)), range(number % 3)) AS an,
    map(toString(number), number) AS m, CAST((number, [toString(number)]) AS Tuple(x Int64, y Array(String))) AS t
"""
STRUCTURE = """
    u8 UInt8, u16 UInt16, u32 UInt32, u64 UInt64, i8 Int8, i64 Int64, f32 Float32, f64 Float64, b Bool, d Date, dt DateTime(\\'UTC\\'),
    dt3 DateTime64(3, \\'UTC\\'), fs FixedString(4), e Enum8(\\'x\\' = 0, \\'y\\' = 1), s String, d18 Decimal(18, 3), n Nullable(UInt64),
    ns Nullable(String), a Array(UInt64), an Array(Nullable(String)), m Map(String, UInt64), t Tuple(x Int64, y Array(String))
"""
CODECS = {
    "ORC": [f"output_format_orc_compression_method = '{codec}'" for codec in ["none", "snappy", "zstd", "lz4", "zlib"]],
    "Avro": [f"output_format_avro_codec = '{codec}'" for codec in ["null", "deflate", "snappy"]],
}
CASES = [(format, setting) for format, settings in CODECS.items() for setting in settings]


def clickhouse(query: str, folder) -> str:
    if not PEERS:
        pytest.skip("GRISTMILL_PEERS names no Python with chdb")
    program = "import sys, chdb; print(chdb.query(sys.argv[1], 'TSV').data(), end='')"
    ran = subprocess.run([PEERS, "-c", program, query], capture_output=True, text=True, timeout=300, cwd=folder)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def gristmill(query: str, folder) -> str:
    ran = subprocess.run([BINARY, "local", "-q", query], capture_output=True, text=True, timeout=300, cwd=folder)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


@pytest.mark.parametrize(("format", "setting"), CASES)
@pytest.mark.parametrize(("writer", "reader"), [(clickhouse, gristmill), (gristmill, clickhouse)], ids=["read", "write"])
def test_one_reads_what_the_other_wrote(tmp_path, format, setting, writer, reader):
    writer(f"INSERT INTO FUNCTION file('t', {format}) SELECT {COLUMNS} FROM numbers(30000) SETTINGS {setting}", tmp_path)
    given = f"SELECT * FROM file('t', {format}, '{' '.join(STRUCTURE.split())}') ORDER BY i64 DESC"
    inferred = f"SELECT * FROM file('t', {format}) ORDER BY i64 DESC SETTINGS session_timezone = 'UTC'"
    described = f"DESCRIBE TABLE file('t', {format})"
    for query in (given, inferred, described):
        there, here = writer(query, tmp_path).splitlines(), reader(query, tmp_path).splitlines()
        assert len(there) == len(here) and len(there) > 10
        for number, (one, other) in enumerate(zip(there, here)):
            assert one == other, f"row {number} of {query}"
