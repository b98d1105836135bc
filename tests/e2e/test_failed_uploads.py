"""What a failed INSERT has sent of an object is given up before the process ends, however long the store takes for it."""

import http.server
import threading
import time

import pytest
from runner import gristmill

ABORT_SECONDS = 0.5


class SlowStore(http.server.BaseHTTPRequestHandler):
    """As much of S3 as an upload needs. Aborting is slow, and done only if whoever asked for it waits for the answer."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, status: int, body: bytes = b"", **headers: str) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        if status != 204:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def do_HEAD(self):
        self.answer(404)

    do_GET = do_HEAD

    def do_POST(self):
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if "uploads" not in self.path:
            self.server.finished += 1
            return self.answer(200, b"<CompleteMultipartUploadResult><ETag>\"x\"</ETag></CompleteMultipartUploadResult>")
        time.sleep(self.server.begin_seconds)
        self.server.begun += 1
        self.answer(
            200,
            b"<InitiateMultipartUploadResult><Bucket>b</Bucket><Key>k</Key><UploadId>u1</UploadId></InitiateMultipartUploadResult>",
        )

    def do_PUT(self):
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.answer(200, ETag='"part"')

    def do_DELETE(self):
        time.sleep(ABORT_SECONDS)
        self.connection.settimeout(0.01)
        try:
            # Nothing, or the end of a connection whose other side is gone.
            gone = self.rfile.read1(1) == b""
        except TimeoutError:
            gone = False
        if gone:
            return
        if self.server.aborted:
            # Whoever asks again, since parts may have arrived behind the first abort, finds nothing left.
            return self.answer(404, b"<Error><Code>NoSuchUpload</Code></Error>")
        self.server.aborted += 1
        self.answer(204)


@pytest.fixture
def store():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), SlowStore)
    server.begun = server.finished = server.aborted = server.begin_seconds = 0
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()


@pytest.mark.parametrize("begin_seconds", [0, 1])
def test_the_process_waits_for_aborts(store, begin_seconds):
    """Also of an upload that the store has only begun when the query is over."""
    store.begin_seconds = begin_seconds
    url = f"http://127.0.0.1:{store.server_address[1]}/bucket/half.csv"
    # Late enough for the first part to be there, early enough for a slow beginning to be still under way.
    rows = "SELECT repeat('x', 1000), throwIf(number = 20000) FROM numbers(60000)"
    into = f"INSERT INTO FUNCTION s3('{url}', 'key', 'secret', CSV, 's String, n UInt8')"
    answer = gristmill(f"{into} {rows} SETTINGS s3_min_upload_part_size = 5242880, max_threads = 1")
    assert answer.error[1] == "FUNCTION_THROW_IF_VALUE_IS_NON_ZERO", answer
    assert store.begun == 1 and store.finished == 0
    assert store.aborted == 1


def test_an_append_that_fails_leaves_the_file_as_it_was(tmp_path):
    file = tmp_path / "x.csv"
    file.write_text("0,old\n")
    rows = "SELECT throwIf(number = 30000), repeat('x', 1000) FROM numbers(60000)"
    into = f"INSERT INTO FUNCTION file('{file}', CSV, 'n UInt32, s String')"
    answer = gristmill(f"{into} {rows} SETTINGS s3_min_upload_part_size = 5242880, max_threads = 1")
    assert answer.error[1] == "FUNCTION_THROW_IF_VALUE_IS_NON_ZERO", answer
    assert file.read_text() == "0,old\n"
    assert list(tmp_path.iterdir()) == [file]
    gristmill(f"{into} SELECT number, repeat('x', 1000) FROM numbers(20000) SETTINGS s3_min_upload_part_size = 5242880").ok()
    assert gristmill(f"SELECT count(), countIf(s = 'old') FROM file('{file}', CSV, 'n UInt32, s String')").ok().rows == [["20001", "1"]]
    assert list(tmp_path.iterdir()) == [file]
