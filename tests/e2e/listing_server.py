"""An S3 server with as many keys as a test wants, none of which exists before it is asked for.

Keys are `keys/part-<eight digits>.csv`; each object holds its number. Pages are as S3 gives them: after a key (`start-after`) or
after the last page (`continuation-token`), a thousand keys at most.
"""

import threading
import time
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlparse

PREFIX, SUFFIX = "keys/part-", ".csv"


def key(number: int) -> str:
    return f"{PREFIX}{number:08d}{SUFFIX}"


@dataclass
class ListingServer:
    keys: int
    pages: list[float] = field(default_factory=list)
    at_once: int = 0
    most_at_once: int = 0

    def __enter__(self) -> "ListingServer":
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                url = urlparse(self.path)
                query = {name: values[0] for name, values in parse_qs(url.query).items()}
                if "list-type" in query:
                    return self.answer(200, server.page(query).encode(), "application/xml")
                number = int(url.path.rsplit("-", 1)[1].removesuffix(SUFFIX))
                body = f"{number}\n".encode()
                if "Range" in self.headers:
                    return self.answer(206, body, "text/csv", {"Content-Range": f"bytes 0-{len(body) - 1}/{len(body)}"})
                return self.answer(200, body, "text/csv")

            def answer(self, status, body, kind, headers=()):
                self.send_response(status)
                for name, value in {"Content-Length": str(len(body)), "Content-Type": kind, **dict(headers)}.items():
                    self.send_header(name, value)
                self.send_header("ETag", '"x"')
                self.send_header("Last-Modified", "Fri, 01 Nov 2024 00:00:00 GMT")
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.lock = threading.Lock()
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/bucket"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_) -> None:
        self.server.shutdown()
        self.server.server_close()

    def page(self, query: dict) -> str:
        with self.lock:
            self.pages.append(time.monotonic())
            self.at_once += 1
            self.most_at_once = max(self.most_at_once, self.at_once)
        # As far away as a store is: without it, no two pages would ever be under way together.
        time.sleep(0.01)
        first = int(query["continuation-token"]) if "continuation-token" in query else self.first_after(query.get("start-after", ""))
        last = min(first + int(query.get("max-keys", 1000)), self.keys)
        entry = "<Contents><Key>{}</Key><LastModified>2024-11-01T00:00:00.000Z</LastModified><ETag>&quot;x&quot;</ETag><Size>{}</Size></Contents>"
        contents = "".join(entry.format(key(number), len(str(number)) + 1) for number in range(first, last))
        more = f"<IsTruncated>true</IsTruncated><NextContinuationToken>{last}</NextContinuationToken>"
        with self.lock:
            self.at_once -= 1
        return (
            '<?xml version="1.0"?><ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Name>bucket</Name>'
            f"<Prefix>{PREFIX}</Prefix><KeyCount>{last - first}</KeyCount>"
            + (more if last < self.keys else "<IsTruncated>false</IsTruncated>")
            + contents
            + "</ListBucketResult>"
        )

    def first_after(self, after: str) -> int:
        """The number of the first key after a text."""
        low, high = 0, self.keys
        while low < high:
            middle = (low + high) // 2
            low, high = (middle + 1, high) if key(middle) <= after else (low, middle)
        return low
