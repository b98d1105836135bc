"""Queries of a user over HTTP, and the errors of who may not."""

from http_client import Http

DENIED = (497, "ACCESS_DENIED")
FAILED = (516, "AUTHENTICATION_FAILED")


class As:
    """Queries of one user."""

    def __init__(self, http: Http, user: str, password: str = ""):
        self.http, self.headers = http, {"X-ClickHouse-User": user, "X-ClickHouse-Key": password}

    def __call__(self, query: str, **parameters):
        return self.http(query, headers=self.headers, **parameters)

    def ok(self, query: str, **parameters) -> str:
        return self.http.ok(query, headers=self.headers, **parameters)

    def missing(self, query: str, **parameters) -> str:
        """What ACCESS_DENIED says is missing."""
        answer = self(query, **parameters)
        assert answer.error == DENIED and answer.status == 403, answer
        return answer.text.split("it's necessary to have the grant ")[1].split(". (ACCESS_DENIED)")[0]
