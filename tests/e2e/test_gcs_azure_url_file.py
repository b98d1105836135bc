"""The other sources: `gcs`, `azureBlobStorage`, `url`, `file`."""

import http.server
import threading

import pytest
from runner import gristmill


def test_gcs_reads_and_lists(gcs, posts_table):
    source = f"gcs('{gcs.url('data/posts/*.parquet')}', NOSIGN)"
    answer = gristmill(f"SELECT count(), sum(Id) FROM {source}").ok()
    assert answer.rows == [[str(posts_table.num_rows), str(sum(posts_table["Id"].to_pylist()))]]
    small = gristmill(f"SELECT *, _file FROM gcs('{gcs.url('data/small/{a,b}.csv')}', NOSIGN, CSV, 'id Int32, s String') ORDER BY id")
    assert small.ok().rows == [["1", "one", "a.csv"], ["2", "two", "a.csv"], ["3", "three", "b.csv"]]


def test_gcs_tells_what_is_missing(gcs):
    answer = gristmill(f"SELECT * FROM gcs('{gcs.url('data/small/none.csv')}', NOSIGN, CSV, 'id Int32')")
    assert answer.error[1] in ("S3_ERROR", "FILE_DOESNT_EXIST") and "none.csv" in answer.message, answer


def gcs_target(gcs, path: str, structure: str = "n UInt32") -> str:
    return f"gcs('{gcs.url('data/' + path)}', NOSIGN, CSV, '{structure}')"


def gcs_rows(gcs, path: str, columns: str = "*") -> list[list[str]]:
    return gristmill(f"SELECT {columns} FROM {gcs_target(gcs, path)} ORDER BY 1").ok().rows


def test_gcs_writes(gcs):
    into = f"INSERT INTO FUNCTION {gcs_target(gcs, 'written/x.csv')}"
    gristmill(f"{into} VALUES (1)").ok()
    assert gcs_rows(gcs, "written/x.csv") == [["1"]]
    refused = gristmill(f"{into} VALUES (2)")
    assert refused.error[1] == "BAD_ARGUMENTS" and "x.csv" in refused.message, refused
    gristmill(f"{into} SETTINGS s3_truncate_on_insert = 1 VALUES (3)").ok()
    gristmill(f"{into} SETTINGS s3_create_new_file_on_insert = 1 VALUES (4)").ok()
    assert gcs_rows(gcs, "written/*.csv", "n, _file") == [["3", "x.csv"], ["4", "x.1.csv"]]


LARGE = "SELECT number, repeat('x', 1000) FROM numbers(25000) SETTINGS s3_min_upload_part_size = 6000000"
COUNTERS = "SELECT ProfileEvents['S3UploadPart'] > 2 FROM system.query_log WHERE query_kind = 'Insert' AND type = 'QueryFinish'"


def test_gcs_writes_in_parts(gcs):
    structure = "n UInt32, s String"
    target = gcs_target(gcs, "parts/large.csv", structure)
    answer = gristmill(f"INSERT INTO FUNCTION {target} {LARGE}", f"SELECT count(), sum(n), min(length(s)) FROM {target}", COUNTERS)
    assert answer.ok().rows == [["25000", "312487500", "1000"], ["1"]]
    given_up = gcs_target(gcs, "parts/given-up.csv", structure)
    failed = gristmill(f"INSERT INTO FUNCTION {given_up} {LARGE.replace('number,', 'number + throwIf(number = 20000),', 1)}")
    assert failed.error[1] == "FUNCTION_THROW_IF_VALUE_IS_NON_ZERO", failed
    assert gristmill(f"SELECT DISTINCT _file FROM {gcs_target(gcs, 'parts/*.csv', structure)}").ok().rows == [["large.csv"]]


def test_gcs_presigned_urls_are_written(gcs):
    """The server does not look at the signature, but takes a plain PUT only where there is one."""
    url = gcs.url("data/signed/x.csv") + "?X-Goog-Algorithm=GOOG4-RSA-SHA256&X-Goog-Signature=c0ffee"
    gristmill(f"INSERT INTO FUNCTION gcs('{url}', NOSIGN, CSV, 'n UInt32') VALUES (7)").ok()
    assert gcs_rows(gcs, "signed/x.csv") == [["7"]]


def test_gcs_with_hmac_keys_speaks_the_protocol_of_s3(s3):
    """GCS's own interoperability: the keys are for its S3 endpoint, whose part an S3 server plays here."""
    url, structure = s3.url("data/hmac/large.csv"), "n UInt32, s String"
    target = f"gcs('{url}', {s3.keys}, CSV, '{structure}')"
    answer = gristmill(f"INSERT INTO FUNCTION {target} {LARGE}", f"SELECT count(), sum(n), min(length(s)) FROM {target}", COUNTERS)
    assert answer.ok().rows == [["25000", "312487500", "1000"], ["1"]]
    refused = gristmill(f"INSERT INTO FUNCTION {target} SELECT 1, 'x'")
    assert refused.error[1] == "BAD_ARGUMENTS" and s3.secret not in refused.err, refused
    gristmill(f"INSERT INTO FUNCTION {target} SELECT 1, 'x' SETTINGS s3_truncate_on_insert = 1").ok()
    assert s3.get("data/hmac/large.csv") == b'1,"x"\n'
    given_up = f"gcs('{s3.url('data/hmac/given-up.csv')}', {s3.keys}, CSV, '{structure}')"
    failed = gristmill(f"INSERT INTO FUNCTION {given_up} {LARGE.replace('number,', 'number + throwIf(number = 20000),', 1)}")
    assert failed.error[1] == "FUNCTION_THROW_IF_VALUE_IS_NON_ZERO", failed
    assert s3.list("data/hmac") == ["data/hmac/large.csv"]
    assert "<Upload>" not in s3.request("GET", "/data", "uploads").decode()


@pytest.mark.parametrize(
    "arguments",
    [
        "'{url}', 'data', '{path}', '{account}', '{key}', 'CSV', 'none', 'id Int32, s String'",
        "'{connection}', 'data', '{path}', 'CSV', 'auto', 'id Int32, s String'",
        "'{connection}', 'data', '{path}', 'CSV'",
        "'{connection}', 'data', '{path}'",
        "connection_string = '{connection}', container = 'data', blob_path = '{path}', format = 'CSV'",
    ],
)
def test_azure_forms(azure, arguments):
    def source(path: str) -> str:
        filled = arguments
        for name, value in {
            "url": azure.account_url,
            "connection": azure.connection_string,
            "account": azure.account,
            "key": azure.key,
            "path": path,
        }.items():
            filled = filled.replace("{" + name + "}", value)
        return f"azureBlobStorage({filled})"

    for name, first in [("a", 1), ("b", 3)]:
        into = source(f"small/{name}.csv")
        select = f"SELECT toInt32(number + {first}) AS id, concat('n', toString(id)) AS s FROM numbers(2)"
        gristmill(f"INSERT INTO FUNCTION {into} {select} SETTINGS azure_truncate_on_insert = 1").ok()
    answer = gristmill(f"SELECT *, _file FROM {source('small/*.csv')} ORDER BY 1").ok()
    assert answer.rows == [["1", "n1", "a.csv"], ["2", "n2", "a.csv"], ["3", "n3", "b.csv"], ["4", "n4", "b.csv"]]


def test_azure_parquet(azure):
    target = f"azureBlobStorage('{azure.connection_string}', 'data', 'p/t.parquet')"
    gristmill(f"INSERT INTO FUNCTION {target} SELECT number AS n, toString(number) AS s FROM numbers(10000)").ok()
    assert gristmill(f"SELECT count(), sum(n), uniqExact(s) FROM {target}").ok().rows == [["10000", "49995000", "10000"]]
    refused = gristmill(f"INSERT INTO FUNCTION {target} SELECT 1 AS n, 'x' AS s")
    assert refused.error[1] == "BAD_ARGUMENTS" and azure.key not in refused.err, refused


@pytest.fixture
def web(tmp_path):
    """A plain web server, without ranges and listings."""

    class Handler(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

        def do_GET(self):
            if self.path.startswith("/private") and self.headers.get("X-Token") != "tok3n":
                self.send_error(403)
            else:
                super().do_GET()

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), lambda *args: Handler(*args, directory=tmp_path))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    (tmp_path / "a1.csv").write_text("1,one\n")
    (tmp_path / "a2.csv").write_text("2,two\n")
    (tmp_path / "private.csv").write_text("9,nine\n")
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()


def test_url(web):
    assert gristmill(f"SELECT * FROM url('{web}/a1.csv')").ok().rows == [["1", "one"]]
    assert gristmill(f"SELECT * FROM url('{web}/a{{1..2}}.csv', CSV, 'id Int32, s String') ORDER BY id").ok().rows == [["1", "one"], ["2", "two"]]
    assert gristmill(f"SELECT * FROM url('{web}/private.csv', CSV, 'id Int32, s String', headers('X-Token' = 'tok3n'))").ok().rows == [["9", "nine"]]
    refused = gristmill(f"SELECT * FROM url('{web}/private.csv', CSV, 'id Int32, s String', headers('X-Token' = 'wr0ng'))")
    assert refused.error[1] == "RECEIVED_ERROR_FROM_REMOTE_IO_SERVER" and "403" in refused.message and "wr0ng" not in refused.err
    missing = gristmill(f"SELECT * FROM url('{web}/none.csv', CSV, 'id Int32')")
    assert missing.error[1] == "RECEIVED_ERROR_FROM_REMOTE_IO_SERVER" and "404" in missing.message


def test_file(tmp_path, posts, posts_table):
    answer = gristmill(f"SELECT count(), sum(Score), min(_file) FROM file('{posts}/*.parquet')").ok()
    files = sorted(file.name for file in posts.glob("*.parquet"))
    assert answer.rows == [[str(posts_table.num_rows), str(sum(posts_table["Score"].to_pylist())), files[0]]]


@pytest.mark.parametrize("ending", ["jsonl", "jsonl.gz", "jsonl.zst", "jsonl.xz", "jsonl.bz2", "jsonl.lz4", "csv", "tsv"])
def test_files_grow(tmp_path, ending):
    into = f"INSERT INTO FUNCTION file('out.{ending}', auto, 'n UInt32')"
    for first in (0, 10):
        gristmill(f"{into} SELECT number + {first} FROM numbers(10)", cwd=tmp_path).ok()
    assert gristmill(f"SELECT count(), sum(n) FROM file('out.{ending}', auto, 'n UInt32')", cwd=tmp_path).ok().rows == [["20", "190"]]


def test_devices_and_pipes_are_written_through():
    answer = gristmill("INSERT INTO FUNCTION file('/dev/stdout', CSV) SELECT 1 AS n SETTINGS engine_file_truncate_on_insert = 1")
    assert answer.ok().out == "1\n"
