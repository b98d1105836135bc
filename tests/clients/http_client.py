"""HTTP as `curl` speaks it: nothing between the test and the bytes."""

import http.client
import re
from dataclasses import dataclass
from urllib.parse import urlencode

ERROR = re.compile(r"Code: (\d+)\. DB::Exception: .* \(([A-Z][A-Z0-9_]+)\) \(version [\d.]+ \(official build\)\)\n$", re.S)


@dataclass
class Answer:
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode()

    @property
    def error(self) -> tuple[int, str]:
        """Code and name of the error that was told."""
        found = ERROR.search(self.text)
        assert found, self
        assert self.headers["x-clickhouse-exception-code"] == found[1], self
        return int(found[1]), found[2]


class Http:
    def __init__(self, port: int):
        self.port = port

    def __call__(self, query="", body=b"", method="POST", path="/", headers=None, **parameters) -> Answer:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        try:
            if query:
                parameters["query"] = query
            url = path + ("?" + urlencode(parameters, doseq=True) if parameters else "")
            connection.request(method, url, body=body if method == "POST" else None, headers=headers or {})
            answer = connection.getresponse()
            return Answer(answer.status, {k.lower(): v for k, v in answer.getheaders()}, answer.read())
        finally:
            connection.close()

    def ok(self, query="", body=b"", **rest) -> str:
        answer = self(query, body, **rest)
        assert answer.status == 200, answer
        return answer.text


def http_connection(to: Http) -> http.client.HTTPConnection:
    """One that lasts over several requests."""
    return http.client.HTTPConnection("127.0.0.1", to.port, timeout=120)
