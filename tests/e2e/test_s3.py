"""Every form of the arguments of `s3`, against a real server."""

import http.server
import threading
import time

import pytest
from runner import gristmill

STRUCTURE = "id Int32, name String"
SMALL = [["1", "one"], ["2", "two"], ["3", "three"]]


def rows(source: str, env=None, order="ORDER BY 1"):
    return gristmill(f"SELECT * FROM {source} {order}", env=env).ok().rows


@pytest.mark.parametrize(
    "arguments",
    [
        "'{url}', {keys}",
        "'{url}', {keys}, 'CSV'",
        "'{url}', {keys}, CSV",
        "'{url}', {keys}, 'CSV', '{structure}'",
        "'{url}', {keys}, 'CSV', '{structure}', 'none'",
        "'{url}', {keys}, 'CSV', 'auto', 'auto'",
        "'{url}', {keys}, '', 'CSV', '{structure}'",
        "'{url}', access_key_id = '{key}', secret_access_key = '{secret}'",
        "url = '{url}', access_key_id = '{key}', secret_access_key = '{secret}', format = 'CSV', structure = '{structure}'",
        "'{url}', {keys}, format = 'CSV'",
        "'{url}', {keys}, 'CSV', '{structure}', headers('X-Test' = 'value')",
    ],
)
def test_forms_with_keys(s3, arguments):
    url = s3.url("data/small/{a,b}.csv")
    filled = arguments.replace("{url}", url).replace("{keys}", s3.keys).replace("{structure}", STRUCTURE)
    filled = filled.replace("{key}", s3.key).replace("{secret}", s3.secret)
    assert rows(f"s3({filled})") == SMALL


@pytest.mark.parametrize("arguments", ["", ", 'CSV'", ", 'CSV', 'id Int32, name String'"])
def test_forms_with_keys_of_the_environment(s3, arguments):
    assert rows(f"s3('{s3.url('data/small/{a,b}.csv')}'{arguments})", env=s3.environment) == SMALL


def test_nosign_sends_no_signature(s3):
    answer = gristmill(f"SELECT * FROM s3('{s3.url('data/small/a.csv')}', NOSIGN)", env=s3.environment)
    assert answer.error == (499, "S3_ERROR"), answer


@pytest.mark.parametrize("arguments", ["", ", CSV", ", CSV, 'n UInt32'", ", CSV, 'n UInt32', 'none'"])
def test_the_session_token_is_sent_and_signed(arguments):
    """A server that shows what it is sent: versitygw has no sessions."""
    seen = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def log_message(self, *_):
            pass

        def do_GET(self):
            seen.append(self.headers)
            self.send_response(200)
            self.send_header("Content-Length", "2")
            self.send_header("ETag", '"1"')
            self.send_header("Last-Modified", "Sat, 21 Nov 2026 00:00:00 GMT")
            self.end_headers()
            if self.command == "GET":
                self.wfile.write(b"7\n")

        do_HEAD = do_GET

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_address[1]}/bucket/x.csv"
    assert rows(f"s3('{url}', 'KEY1', 'secret', 't0ken/of+session='{arguments})") == [["7"]]
    server.shutdown()
    assert seen
    for headers in seen:
        assert headers["x-amz-security-token"] == "t0ken/of+session="
        signature = headers["Authorization"]
        assert "Credential=KEY1/" in signature
        assert "x-amz-security-token" in signature.split("SignedHeaders=")[1].split(",")[0].split(";")


def test_a_public_bucket_is_read_without_keys(s3):
    s3.put("public/small/a.csv", b"1,one\n2,two\n")
    s3.put("public/small/b.csv", b"3,three\n")
    s3.make_public("public")
    for path in ("public/small/{a,b}.csv", "public/small/*.csv"):
        assert rows(f"s3('{s3.url(path)}', NOSIGN)") == SMALL
        assert rows(f"s3('{s3.url(path)}', NOSIGN, CSV, '{STRUCTURE}')") == SMALL
        # Nothing in the environment gives keys: the request goes out unsigned.
        assert rows(f"s3('{s3.url(path)}')") == SMALL
    refused = gristmill(f"INSERT INTO FUNCTION s3('{s3.url('public/new.csv')}', NOSIGN, CSV, 'n Int32') VALUES (1)")
    assert refused.error == (499, "S3_ERROR") and "AccessDenied" in refused.message, refused


def test_a_private_bucket_without_keys_is_a_clear_error_at_once(s3):
    for path in ("data/small/a.csv", "data/small/*.csv"):
        start = time.monotonic()
        answer = gristmill(f"SELECT * FROM s3('{s3.url(path)}', CSV, '{STRUCTURE}')")
        assert time.monotonic() - start < 10
        assert answer.error == (499, "S3_ERROR"), answer
        assert "AccessDenied" in answer.message and "AWS_ACCESS_KEY_ID" in answer.message, answer


@pytest.mark.parametrize(
    ("pattern", "ids"),
    [
        ("small/a.csv", "1,2"),
        ("small/*.csv", "1,2,3,5"),
        ("small/?.csv", "1,2,3"),
        ("small/{a,b}.csv", "1,2,3"),
        ("small/**.csv", "1,2,3,4,5"),
        ("small/**/c.csv", "4"),
        ("small/*/c.csv", "4"),
        ("sm*/deep/*.csv", "4"),
    ],
)
def test_globs(s3, pattern, ids):
    source = f"s3('{s3.url('data/' + pattern)}', {s3.keys}, 'CSV', 'id Nullable(Int32), name String')"
    query = f"SELECT arrayStringConcat(arraySort(groupArray(toString(id))), ',') FROM {source} WHERE name NOT IN ('name')"
    if "names" in pattern or "*.csv" in pattern:
        source = f"s3('{s3.url('data/' + pattern)}', {s3.keys}, 'CSV', 'id String, name String')"
        query = f"SELECT arrayStringConcat(arraySort(groupArray(id)), ',') FROM {source} WHERE id != 'id'"
    assert gristmill(query).ok().value == ids


def test_files_tell_the_format_that_a_pattern_does_not(s3):
    source = f"s3('{s3.url('data/small/*')}', {s3.keys})"
    assert int(gristmill(f"SELECT count() FROM {source}").ok().value) >= 4
    answer = gristmill(f"SELECT * FROM s3('{s3.url('data/nothing/*')}', {s3.keys})")
    assert answer.error == (715, "CANNOT_DETECT_FORMAT"), answer


def test_numbers_in_globs(s3):
    for number in range(8, 12):
        s3.put(f"data/numbered/part-{number}.csv", f"{number}\n".encode())
        s3.put(f"data/numbered/padded-{number:03}.csv", f"{number}\n".encode())
    assert rows(f"s3('{s3.url('data/numbered/part-{9..10}.csv')}', {s3.keys})") == [["9"], ["10"]]
    assert rows(f"s3('{s3.url('data/numbered/padded-{008..011}.csv')}', {s3.keys}, CSV, 'n UInt32')") == [["8"], ["9"], ["10"], ["11"]]


def test_virtual_columns(s3):
    source = f"s3('{s3.url('data/small/{a,b}.csv')}', {s3.keys}, CSV, '{STRUCTURE}')"
    answer = gristmill(f"SELECT DISTINCT _path, _file, _size, _time > '2020-01-01', length(_etag) > 5 FROM {source} ORDER BY _path")
    assert answer.ok().rows == [["data/small/a.csv", "a.csv", "12", "1", "1"], ["data/small/b.csv", "b.csv", "8", "1", "1"]]
    filtered = gristmill(f"SELECT count() FROM {source} WHERE _file = 'b.csv'").ok()
    assert filtered.value == "1"


def test_hive_columns(s3):
    source = f"s3('{s3.url('data/hive/year=*/month=*/*.csv')}', {s3.keys}, CSV, 'v Int32')"
    assert gristmill(f"SELECT v, year, month FROM {source} ORDER BY v").ok().rows == [["1", "2023", "1"], ["2", "2024", "2"]]
    assert gristmill(f"SELECT v FROM {source} WHERE year = 2024").ok().rows == [["2"]]


def test_describe(s3):
    parquet = gristmill(f"DESCRIBE TABLE s3('{s3.url('data/posts/by_month/*.parquet')}', {s3.keys})").ok()
    kinds = {row[0]: row[1] for row in parquet.rows}
    assert len(kinds) == 22
    assert kinds["Id"] == "Nullable(Int64)" and kinds["Body"] == "Nullable(String)"
    assert kinds["CreationDate"] == "Nullable(DateTime64(3, \\'UTC\\'))"
    header = gristmill(f"DESCRIBE TABLE s3('{s3.url('data/small/names.csv')}', {s3.keys}, 'CSVWithNames')").ok()
    assert [row[:2] for row in header.rows] == [["id", "Nullable(Int64)"], ["name", "Nullable(String)"]]


@pytest.mark.parametrize("kind", ["Parquet", "Arrow", "CSV", "TSV", "CSVWithNames", "TSVWithNames", "JSONEachRow", "JSON"])
@pytest.mark.parametrize("compression", ["none", "gz", "zst"])
def test_write_and_read_back(s3, kind, compression):
    if kind in ("Parquet", "Arrow") and compression != "none":
        pytest.skip("columnar formats compress inside")
    ending = "" if compression == "none" else f".{compression}"
    url = s3.url(f"data/written/{kind}.dat{ending}")
    structure = "n UInt32, s String, f Nullable(Float64), d Date"
    target = f"s3('{url}', {s3.keys}, '{kind}', '{structure}')"
    select = "SELECT number, concat('text\\t\"', toString(number)), if(number % 2, NULL, number / 4), toDate('2024-01-01') + number FROM numbers(1000)"
    gristmill(f"INSERT INTO FUNCTION {target} {select} SETTINGS s3_truncate_on_insert = 1").ok()
    expected = gristmill(f"SELECT count(), sum(cityHash64(*)) FROM ({select.replace('number,', 'toUInt32(number) AS n,', 1)})").ok().out
    assert gristmill(f"SELECT count(), sum(cityHash64(*)) FROM {target}").ok().out == expected


def test_insert_into_an_existing_object_is_refused_unless_told(s3):
    url = s3.url("data/existing/x.csv")
    into = f"INSERT INTO FUNCTION s3('{url}', {s3.keys}, CSV, 'n Int32')"
    gristmill(f"{into} VALUES (1)").ok()
    refused = gristmill(f"{into} VALUES (2)")
    assert refused.error[1] == "BAD_ARGUMENTS" and "x.csv" in refused.message, refused
    assert s3.get("data/existing/x.csv") == b"1\n"
    gristmill(f"{into} SETTINGS s3_truncate_on_insert = 1 VALUES (3)").ok()
    assert s3.get("data/existing/x.csv") == b"3\n"
    gristmill(f"{into} SETTINGS s3_create_new_file_on_insert = 1 VALUES (4)").ok()
    assert s3.get("data/existing/x.csv") == b"3\n"
    assert rows(f"s3('{s3.url('data/existing/*.csv')}', {s3.keys}, CSV, 'n Int32')") == [["3"], ["4"]]


def test_large_objects_are_uploaded_in_parts(s3):
    url = s3.url("data/large/l.csv")
    target = f"s3('{url}', {s3.keys}, CSV, 's String')"
    select = "SELECT hex(sipHash64(number)) || repeat('x', 200) FROM numbers(200000)"
    counters = "SELECT ProfileEvents['S3UploadPart'] > 1 FROM system.query_log WHERE query_kind = 'Insert' AND type = 'QueryFinish'"
    answer = gristmill(f"INSERT INTO FUNCTION {target} {select}", f"SELECT count(), max(length(s)) FROM {target}", counters)
    assert answer.ok().rows == [["200000", "216"], ["1"]]


def test_structure_of_the_insert_target(s3, data):
    gristmill("CREATE TABLE t (id Int32, name FixedString(5)) ENGINE = MergeTree ORDER BY id", path=data).ok()
    gristmill(f"INSERT INTO t SELECT * FROM s3('{s3.url('data/small/{a,b}.csv')}', {s3.keys})", path=data).ok()
    assert gristmill("SELECT id, name FROM t ORDER BY id", path=data).ok().rows[2] == ["3", "three"]


def test_a_known_object_is_read_without_listing(s3):
    source = f"s3('{s3.url('data/small/{a,b}.csv')}', {s3.keys}, CSV, '{STRUCTURE}')"
    events = "SELECT ProfileEvents['S3ListObjects'], ProfileEvents['S3GetObject'] >= 2 FROM system.query_log WHERE query LIKE '%count%' AND type = 'QueryFinish'"
    assert gristmill(f"SELECT count() FROM {source} WHERE id > 0", events).ok().rows == [["3"], ["0", "1"]]


def test_what_was_read_is_told_and_whether_it_was_in_memory(s3):
    url = s3.url("data/cached/one.parquet")
    source = f"s3('{s3.url('data/cached/*.parquet')}', {s3.keys}, Parquet)"
    made = f"INSERT INTO FUNCTION s3('{url}', {s3.keys}, Parquet) SELECT number AS id, toString(number) AS text FROM numbers(100000)"
    asked = f"SELECT sum(id) FROM {source} SETTINGS enable_filesystem_cache_log = {{}}"
    log = "SELECT read_type, read_from_cache_attempted, source_file_path, sum(size) > 0, min(file_segment_range.1) <= max(file_segment_range.2) FROM system.filesystem_cache_log GROUP BY ALL ORDER BY ALL"
    rows = gristmill(made, asked.format(0), log, asked.format(1), log).ok().rows
    total = str(sum(range(100_000)))
    # The first query read the footer: the log begins with the second, which finds it in memory.
    assert rows == [[total], [total], ["READ_FROM_CACHE", "1", url, "1", "1"], ["READ_FROM_FS_BYPASSING_CACHE", "0", url, "1", "1"]]


def test_what_changes_the_store_is_told(s3):
    url = s3.url("data/told/l.csv")
    target = f"s3('{url}', {s3.keys}, CSV, 's String')"
    log = "SELECT event_type, bucket, remote_path, data_size > 0, error, query_id != '' AND thread_id > 0 AND thread_name != '' FROM system.blob_storage_log"
    answer = gristmill(f"INSERT INTO FUNCTION {target} VALUES ('x')", log, f"SELECT * FROM {target}", "SELECT count() FROM system.blob_storage_log").ok()
    assert [row[0] for row in answer.rows if len(row) == 6] == ["Upload"], answer.rows
    assert answer.rows[0] == ["Upload", "data", "told/l.csv", "1", "", "1"], answer.rows
    assert answer.rows[-1] == ["1"], "reads are not told"
    url = s3.url("data/told/large.csv")
    insert = f"INSERT INTO FUNCTION s3('{url}', {s3.keys}, CSV, 's String') SELECT hex(sipHash64(number)) || repeat('x', 200) FROM numbers(200000)"
    rows = gristmill(insert, "SELECT event_type, count() > 1 FROM system.blob_storage_log GROUP BY event_type ORDER BY event_type").ok().rows
    assert rows == [["MultiPartUploadCreate", "0"], ["MultiPartUploadWrite", "1"], ["MultiPartUploadComplete", "0"]]
