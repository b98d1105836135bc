"""Arguments under a name: what they stand for, who may use them, and that nobody is shown their values."""

import pytest
from as_user import As
from http_client import Http
from server import Server


@pytest.fixture
def house(tmp_path):
    server = Server(tmp_path)
    http = Http(server.http_port)
    http.ok("INSERT INTO FUNCTION file('folder/mine.csv', 'CSV', 'a UInt8') VALUES (7)")
    yield server, http
    assert server.stop() == 0


def test_a_collection_stands_for_its_arguments(house, tmp_path):
    _, http = house
    other = Server(tmp_path / "other")
    http.ok("CREATE NAMED COLLECTION mine AS path = 'folder/mine.csv', format = 'CSV', structure = 'a UInt8' NOT OVERRIDABLE")
    assert http.ok("SELECT * FROM file(mine)") == "7\n"
    assert http("SELECT * FROM file(mine, structure = 'a String')").error == (36, "BAD_ARGUMENTS")
    answers = f"http://127.0.0.1:{other.http_port}/?query=SELECT+42+FORMAT+CSV"
    http.ok(f"CREATE NAMED COLLECTION answers AS url = '{answers}', format = 'CSV'")
    assert http.ok("SELECT * FROM url(answers, structure = 'a UInt8')") == "42\n"
    http.ok("CREATE TABLE of_url (a UInt8) ENGINE = URL(answers)")
    assert http.ok("SELECT a FROM of_url") == "42\n"
    http.ok("ALTER NAMED COLLECTION mine SET structure = 'a Int64' DELETE format")
    assert http.ok("SELECT toTypeName(a) FROM file(mine)") == "Int64\n"
    assert http("CREATE NAMED COLLECTION mine AS a = 1").error[0] == 670
    http.ok("DROP NAMED COLLECTION mine")
    assert http("SELECT * FROM file(mine)").status != 200
    assert http("DROP NAMED COLLECTION mine").error[0] == 669
    http.ok("DROP NAMED COLLECTION IF EXISTS mine")
    assert other.stop() == 0


def test_a_user_needs_the_right_and_sees_no_value(house):
    _, http = house
    http.ok("CREATE NAMED COLLECTION mine AS path = 'folder/mine.csv', format = 'CSV', structure = 'a UInt8'")
    http.ok("CREATE USER alice IDENTIFIED BY 'a'")
    http.ok("GRANT FILE ON *.* TO alice")
    alice = As(http, "alice", "a")
    assert alice.missing("SELECT * FROM file(mine)") == "NAMED COLLECTION ON mine"
    http.ok("GRANT NAMED COLLECTION ON mine TO alice")
    assert alice.ok("SELECT * FROM file(mine)") == "7\n"
    assert alice.missing("DROP NAMED COLLECTION mine") == "DROP NAMED COLLECTION ON mine"
    shown = http.ok("SELECT * FROM system.named_collections FORMAT JSONEachRow")
    assert '"name":"mine"' in shown and "folder" not in shown
    http.ok("SYSTEM FLUSH LOGS")
    assert "folder" not in http.ok("SELECT query FROM system.query_log WHERE query ILIKE 'CREATE NAMED%'")


def test_a_collection_is_there_after_a_restart(tmp_path):
    server = Server(tmp_path)
    Http(server.http_port).ok("CREATE NAMED COLLECTION numbers AS url = 'x', format = 'CSV'")
    assert server.stop() == 0
    server = Server(tmp_path)
    assert Http(server.http_port).ok("SELECT name, mapKeys(collection) FROM system.named_collections") == "numbers\t['format','url']\n"
    assert server.stop() == 0
