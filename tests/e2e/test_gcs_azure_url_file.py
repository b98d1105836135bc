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
    gristmill("INSERT INTO FUNCTION file('out.jsonl.gz', JSONEachRow) SELECT number AS n FROM numbers(10)", cwd=tmp_path).ok()
    assert gristmill("SELECT sum(n) FROM file('out.jsonl.gz')", cwd=tmp_path).ok().value == "45"
    refused = gristmill("INSERT INTO FUNCTION file('out.jsonl.gz', JSONEachRow) SELECT 1 AS n", cwd=tmp_path)
    assert refused.code == 0 or refused.error[0], refused
