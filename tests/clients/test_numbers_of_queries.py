"""How many queries run at a time: of all, of a kind, of a user."""

import threading
import time

import pytest
from http_client import Http
from server import Server

CONFIG = """<clickhouse>
    <max_concurrent_insert_queries>1</max_concurrent_insert_queries>
    <max_concurrent_select_queries>2</max_concurrent_select_queries>
</clickhouse>"""
TOO_MANY = (202, "TOO_MANY_SIMULTANEOUS_QUERIES")
ENDLESS = "SELECT number FROM numbers(1000000000000) WHERE NOT ignore(sipHash64(number)) SETTINGS max_threads = 1"
BEGIN_SECONDS = 60


@pytest.fixture(scope="module")
def target(tmp_path_factory):
    folder = tmp_path_factory.mktemp("numbers")
    (folder / "config.xml").write_text(CONFIG)
    server = Server(folder / "data", "--config-file", folder / "config.xml")
    http = Http(server.http_port)
    http.ok("CREATE TABLE nowhere (number UInt64) ENGINE = Null")
    yield http
    assert server.stop() == 0


class Running:
    """A query that runs until the block ends."""

    def __init__(self, target: Http, query: str, name: str):
        self.target, self.name, self.answers = target, name, []
        self.thread = threading.Thread(target=lambda: self.answers.append(target(query, query_id=name)))

    def __enter__(self):
        self.thread.start()
        until = time.monotonic() + BEGIN_SECONDS
        look = f"SELECT count() FROM system.processes WHERE query_id = '{self.name}'"
        while self.target.ok(look) != "1\n" and time.monotonic() < until:
            time.sleep(0.05)
        return self

    def __exit__(self, *_):
        self.target.ok(f"KILL QUERY WHERE query_id = '{self.name}' SYNC")
        self.thread.join(60)
        assert self.answers[0].error == (394, "QUERY_WAS_CANCELLED")


def test_the_settings_are_told(target):
    names = "'max_concurrent_insert_queries', 'max_concurrent_select_queries'"
    told = target.ok(f"SELECT name, value, type, changed FROM system.server_settings WHERE name IN ({names}) ORDER BY name")
    assert told == "max_concurrent_insert_queries\t1\tUInt64\t1\nmax_concurrent_select_queries\t2\tUInt64\t1\n"


def test_inserts_are_counted_by_themselves(target):
    with Running(target, f"INSERT INTO nowhere {ENDLESS}", "inserts"):
        refused = target("INSERT INTO nowhere VALUES (1)")
        assert refused.error == TOO_MANY
        assert "Too many simultaneous insert queries. Maximum: 1, current: 1" in refused.text
        assert target.ok("SELECT 1") == "1\n"
    target.ok("INSERT INTO nowhere VALUES (1)")


def test_selects_are_counted_by_themselves(target):
    count = f"SELECT count() FROM ({ENDLESS})"
    with Running(target, count, "first"), Running(target, count, "second"):
        refused = target("SELECT 1")
        assert refused.error == TOO_MANY
        assert "Too many simultaneous select queries. Maximum: 2, current: 2" in refused.text
        # Whoever wants to make room may look, and others are no SELECTs.
        assert target.ok("SELECT count() > 2 FROM system.processes") == "1\n"
        target.ok("INSERT INTO nowhere VALUES (1)")
        assert target.ok("EXISTS TABLE nowhere") == "1\n"
    assert target.ok("SELECT 1") == "1\n"


def test_queries_of_one_user_are_counted(target):
    with Running(target, f"INSERT INTO nowhere {ENDLESS}", "of_user"):
        refused = target("SELECT 1", max_concurrent_queries_for_user=1)
        assert refused.error == TOO_MANY
        assert "Too many simultaneous queries for user default. Current: 1, maximum: 1" in refused.text
        assert target.ok("SELECT 1", max_concurrent_queries_for_user=2) == "1\n"
        assert target("SELECT 1", max_concurrent_queries_for_all_users=1).error == TOO_MANY
        look = "SELECT count() FROM system.processes WHERE query_id = 'of_user'"
        assert target.ok(look, max_concurrent_queries_for_user=1, max_concurrent_queries_for_all_users=1) == "1\n"
