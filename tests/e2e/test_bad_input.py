"""Every kind of bad input: a clear error with ClickHouse's code and name, no secret in it, nothing left behind."""

import os
import subprocess

import pytest
from runner import gristmill
from servers import free_port
from storage import part_files, stray_files

SECRET = "wr0ng+secret/that=must.not.show"
QUICK = "SETTINGS s3_retry_attempts = 1"


@pytest.fixture
def table(data):
    gristmill("CREATE TABLE t (id Int32, name String) ENGINE = MergeTree ORDER BY id", "INSERT INTO t VALUES (0, 'before')", path=data).ok()
    return data


def fails(table, source: str, error: tuple[int, str], *words: str, secrets=(SECRET,), settings="", select="*"):
    """Reads from the source, then loads it into the table: both fail alike, and the second leaves nothing."""
    log = "SELECT query, exception FROM system.query_log"
    read = gristmill(f"SELECT {select} FROM {source} {settings}", log, flags=["--ignore-error"])
    load = gristmill(f"INSERT INTO t SELECT {select} FROM {source} {settings}", log, path=table, flags=["--ignore-error"])
    for answer in (read, load):
        assert answer.error == error, answer
        assert answer.code == error[0] % 256
        for word in words:
            assert word in answer.message, answer
        for secret in secrets:
            assert secret not in answer.out and secret not in answer.err, answer
    assert gristmill("SELECT * FROM t", path=table).ok().rows == [["0", "before"]]
    assert len(part_files(table)) == 1 and not stray_files(table, gristmill)


def test_wrong_secret(table, s3):
    fails(table, f"s3('{s3.url('data/small/a.csv')}', '{s3.key}', '{SECRET}')", (499, "S3_ERROR"), "a.csv", "SignatureDoesNotMatch")


def test_unknown_key_id(table, s3):
    fails(table, f"s3('{s3.url('data/small/*.csv')}', 'NOBODY', '{SECRET}')", (499, "S3_ERROR"), "data/small/")


def test_no_such_bucket(table, s3):
    fails(table, f"s3('{s3.url('nobucket/a.csv')}', {s3.keys}, CSV, 'id Int32, name String')", (499, "S3_ERROR"), "nobucket", secrets=[s3.secret])
    fails(table, f"s3('{s3.url('nobucket/*.csv')}', {s3.keys}, CSV, 'id Int32, name String')", (499, "S3_ERROR"), "nobucket", secrets=[s3.secret])


def test_no_such_key(table, s3):
    fails(table, f"s3('{s3.url('data/none.csv')}', {s3.keys}, CSV, 'id Int32, name String')", (499, "S3_ERROR"), "none.csv", secrets=[s3.secret])


def test_glob_that_matches_nothing(table, s3):
    source = f"s3('{s3.url('data/none/*.csv')}', {s3.keys}"
    answer = gristmill(f"SELECT * FROM {source}, CSV)")
    assert answer.error == (636, "CANNOT_EXTRACT_TABLE_STRUCTURE") and "none/*.csv" in answer.message, answer
    assert s3.secret not in answer.err
    known = gristmill(f"SELECT count() FROM {source}, CSV, 'id Int32, name String')").ok()
    assert known.value == "0"
    asked = gristmill(f"SELECT count() FROM {source}, CSV, 'id Int32, name String') SETTINGS s3_throw_on_zero_files_match = 1")
    assert asked.code != 0 and "none/*.csv" in asked.message, asked


def test_unreachable_host(table):
    url = f"http://127.0.0.1:{free_port()}/data/a.csv"
    fails(table, f"s3('{url}', 'KEY', '{SECRET}', CSV, 'id Int32, name String')", (499, "S3_ERROR"), "127.0.0.1", settings=QUICK)


def test_unknown_host(table):
    url = "http://no-such-host.invalid/data/a.csv"
    answer = gristmill(f"SELECT * FROM s3('{url}', 'KEY', '{SECRET}', CSV, 'id Int32, name String') {QUICK}")
    assert answer.error in [(198, "DNS_ERROR"), (499, "S3_ERROR"), (210, "NETWORK_ERROR")], answer
    assert "no-such-host.invalid" in answer.message and SECRET not in answer.err


@pytest.fixture(scope="module")
def parquet(tmp_path_factory) -> bytes:
    folder = tmp_path_factory.mktemp("parquet")
    gristmill("INSERT INTO FUNCTION file('x.parquet') SELECT toInt32(number) AS id, toString(number) AS name FROM numbers(50000)", cwd=folder).ok()
    return (folder / "x.parquet").read_bytes()


def test_truncated_parquet(table, s3, parquet):
    s3.put("data/bad/truncated.parquet", parquet[: len(parquet) // 2])
    answer = gristmill(f"SELECT count() FROM s3('{s3.url('data/bad/truncated.parquet')}', {s3.keys})")
    fails(table, f"s3('{s3.url('data/bad/truncated.parquet')}', {s3.keys})", answer.error, "truncated.parquet", secrets=[s3.secret])
    assert answer.error[1] in ("CANNOT_EXTRACT_TABLE_STRUCTURE", "INCORRECT_DATA", "CANNOT_READ_ALL_DATA", "CORRUPTED_DATA"), answer


def test_corrupt_parquet(table, s3, parquet):
    broken = bytearray(parquet)
    for at in range(4, len(broken) // 2, 7):
        broken[at] ^= 0x5A
    s3.put("data/bad/corrupt.parquet", bytes(broken))
    source = f"s3('{s3.url('data/bad/corrupt.parquet')}', {s3.keys}, Parquet, 'id Int32, name String')"
    answer = gristmill(f"SELECT sum(id), max(name) FROM {source}")
    assert answer.error[1] in ("INCORRECT_DATA", "CORRUPTED_DATA", "CANNOT_READ_ALL_DATA", "CANNOT_DECOMPRESS"), answer
    fails(table, source, answer.error, "corrupt.parquet", secrets=[s3.secret])


def test_no_parquet_at_all(table, s3):
    s3.put("data/bad/text.parquet", b"this is text, not Parquet, and long enough to hold a footer")
    answer = gristmill(f"SELECT * FROM s3('{s3.url('data/bad/text.parquet')}', {s3.keys})")
    assert answer.error[1] in ("CANNOT_EXTRACT_TABLE_STRUCTURE", "INCORRECT_DATA"), answer
    assert "text.parquet" in answer.message


def csv(s3, name: str, lines: list[bytes]) -> str:
    s3.put(f"data/bad/{name}.csv", b"\n".join(lines) + b"\n")
    return f"s3('{s3.url(f'data/bad/{name}.csv')}', {s3.keys}, CSV, 'id Int32, name String')"


def good_lines(count: int) -> list[bytes]:
    return [b"%d,name %d" % (number, number) for number in range(count)]


def test_row_with_too_few_columns(table, s3):
    lines = [*good_lines(20000), b"20001", *good_lines(10)]
    fails(table, csv(s3, "few", lines), (27, "CANNOT_PARSE_INPUT_ASSERTION_FAILED"), "few.csv", "row 20001", secrets=[s3.secret])


def test_value_that_is_no_number(table, s3):
    lines = [*good_lines(500), b"abc,x"]
    source = csv(s3, "letters", lines)
    answer = gristmill(f"SELECT * FROM {source} FORMAT Null")
    assert answer.error[1] in ("CANNOT_PARSE_INPUT_ASSERTION_FAILED", "CANNOT_PARSE_TEXT", "INCORRECT_DATA", "CANNOT_PARSE_NUMBER"), answer
    fails(table, source, answer.error, "letters.csv", "row 501", "id", secrets=[s3.secret])


@pytest.mark.parametrize(
    ("kind", "value", "error"),
    [
        ("FixedString(3)", "abcdef", (131, "TOO_LARGE_STRING_SIZE")),
        ("Enum8('a' = 1)", "b", (691, "UNKNOWN_ELEMENT_OF_ENUM")),
        ("Decimal(4, 0)", "99999", (69, "ARGUMENT_OUT_OF_BOUND")),
        ("UUID", "no-uuid", (376, "CANNOT_PARSE_UUID")),
        ("IPv4", "300.1.1.1", (675, "CANNOT_PARSE_IPV4")),
    ],
)
def test_value_that_does_not_fit(data, s3, kind, value, error):
    s3.put("data/bad/fit.csv", f"{value}\n".encode())
    quoted = kind.replace("'", "\\'")
    source = f"s3('{s3.url('data/bad/fit.csv')}', {s3.keys}, CSV, 'v {quoted}')"
    gristmill(f"CREATE TABLE t (v {kind}) ENGINE = MergeTree ORDER BY tuple()", path=data).ok()
    answer = gristmill(f"INSERT INTO t SELECT * FROM {source}", path=data)
    assert answer.error == error and s3.secret not in answer.err, answer
    assert gristmill("SELECT count() FROM t", path=data).ok().value == "0"
    assert not part_files(data)


def test_bytes_that_are_no_utf8(table, s3):
    """A String takes any bytes and gives them back unharmed; names and statements do not."""
    source = csv(s3, "bytes", [b"1,\xff\xfe", b"2,ok"])
    answer = gristmill(f"INSERT INTO t SELECT * FROM {source}", "SELECT name FROM t WHERE id = 1 FORMAT TSVRaw", path=table, binary_output=True)
    assert answer.out == b"\xff\xfe\n", answer
    answer = gristmill(f"SELECT hex(name), isValidUTF8(name) FROM {source} ORDER BY id")
    assert answer.ok().rows == [["FFFE", "0"], ["6F6B", "1"]]


def test_statements_that_are_no_utf8(tmp_path):
    (tmp_path / "bad.sql").write_bytes(b"SELECT '\xff\xfe'")
    answer = gristmill(flags=["--queries-file", tmp_path / "bad.sql"])
    assert answer.code != 0 and "bad.sql" in answer.message, answer


@pytest.mark.parametrize(
    ("query", "error", "word"),
    [
        ("SELECT 1 SETTINGS max_thread = 1", (115, "UNKNOWN_SETTING"), "max_threads"),
        ("SELECT nope FROM numbers(1)", (47, "UNKNOWN_IDENTIFIER"), "nope"),
        ("SELECT nope(1)", (46, "UNKNOWN_FUNCTION"), "nope"),
        ("SELECT lenght('a')", (46, "UNKNOWN_FUNCTION"), "length"),
        ("SELECT 1 FORMAT Nope", (73, "UNKNOWN_FORMAT"), "Nope"),
        ("SELECT * FROM nope", (60, "UNKNOWN_TABLE"), "nope"),
        ("SELECT * FROM nodb.t", (81, "UNKNOWN_DATABASE"), "nodb"),
        ("SELECT * FROM s3()", (42, "NUMBER_OF_ARGUMENTS_DOESNT_MATCH"), "s3"),
        ("SELECT * FROM s3('no url', 'CSV')", (36, "BAD_ARGUMENTS"), "no url"),
    ],
)
def test_unknown_names(query, error, word):
    answer = gristmill(query)
    assert answer.error == error and word in answer.message, answer


def test_flag_that_is_no_setting():
    answer = gristmill("SELECT 1", flags=["--max_thread", "1"])
    assert answer.code != 0 and "max_threads" in answer.err, answer


def test_query_over_its_memory(table):
    limit = "SETTINGS max_memory_usage = 20000000"
    big = "SELECT 1 AS id, groupArray(toString(number)) AS name FROM numbers(3000000)"
    answer = gristmill(f"SELECT length(name) FROM ({big}) {limit}")
    assert answer.error == (241, "MEMORY_LIMIT_EXCEEDED"), answer
    answer = gristmill(f"INSERT INTO t SELECT id, arrayStringConcat(name) FROM ({big}) {limit}", path=table)
    assert answer.error == (241, "MEMORY_LIMIT_EXCEEDED"), answer
    assert gristmill("SELECT count() FROM t", path=table).ok().value == "1"


@pytest.fixture
def small_disk(tmp_path):
    folder = tmp_path / "small"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=6m", "tmpfs", str(folder)]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True).returncode != 0:
        pytest.skip("mounting a small file system needs more rights")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


def test_full_disk(small_disk):
    data = small_disk / "database"
    gristmill("CREATE TABLE t (n UInt64, s String) ENGINE = MergeTree ORDER BY n", "INSERT INTO t VALUES (1, 'before')", path=data).ok()
    big = "INSERT INTO t SELECT number, hex(sipHash64(number)) || hex(sipHash64(number, 1)) FROM numbers(1000000)"
    answer = gristmill(big, path=data)
    assert answer.error == (243, "NOT_ENOUGH_SPACE"), answer
    assert gristmill("SELECT * FROM t", path=data).ok().rows == [["1", "before"]]
    assert len(part_files(data)) == 1
    gristmill("INSERT INTO t VALUES (2, 'after')", path=data).ok()
    assert gristmill("SELECT count() FROM t", path=data).ok().value == "2"


def test_full_disk_of_the_result(small_disk):
    target = small_disk / "out.csv"
    answer = gristmill(f"SELECT repeat('x', 1000) FROM numbers(20000) INTO OUTFILE '{target}' FORMAT CSV")
    assert answer.error == (243, "NOT_ENOUGH_SPACE") and not target.exists(), answer


def test_secrets_are_not_shown_anywhere(s3, data):
    """In the log of queries and in what SHOW gives."""
    statement = f"SELECT count() FROM s3('{s3.url('data/small/a.csv')}', {s3.keys}, CSV, 'id Int32, name String')"
    answer = gristmill(statement, "SELECT * FROM system.query_log FORMAT Vertical", path=data).ok()
    assert s3.secret not in answer.out and "[HIDDEN]" in answer.out, answer.out
    explain = gristmill(f"EXPLAIN {statement}")
    assert s3.secret not in explain.out + explain.err
