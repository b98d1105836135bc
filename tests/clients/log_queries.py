"""Queries whose entries in the server's logs are asked for."""

import time
import uuid

from http_client import Http


def asked(http: Http, query: str, **settings) -> str:
    """Runs a query, and gives its id when the logs have it."""
    query_id = uuid.uuid4().hex
    http(query, query_id=query_id, **settings)
    http.ok("SYSTEM FLUSH LOGS")
    return query_id


def until(http: Http, query: str) -> str:
    """What is made by a job of its own comes a while later."""
    for _ in range(200):
        http.ok("SYSTEM FLUSH LOGS")
        if (answer := http.ok(query)) != "0\n":
            return answer
        time.sleep(0.1)
    raise AssertionError(query)
