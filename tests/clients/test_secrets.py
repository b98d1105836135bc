"""No secret is shown: not in logs, system tables, plans, nor to another account of the machine (A-1)."""

import os
import stat
import subprocess

import pytest
from http_client import Http
from server import BINARY, Server

VIEW = "CREATE VIEW lv AS SELECT * FROM s3('http://127.0.0.1:1/b/x.csv', 'AKIAKEY', 'SEKRIT15', 'CSV', 'a Int8')"


@pytest.fixture
def house(tmp_path):
    server = Server(tmp_path / "data")
    yield server, Http(server.http_port), tmp_path / "data"
    assert server.stop() == 0


def test_definitions_of_views_show_no_keys(house):
    _, http, _ = house
    http.ok(VIEW)
    for query in (
        "SELECT as_select, create_table_query FROM system.tables WHERE name = 'lv'",
        "SELECT view_definition FROM information_schema.views WHERE table_name = 'lv'",
        "SHOW CREATE TABLE lv",
    ):
        text = http.ok(query)
        assert "SEKRIT15" not in text and "[HIDDEN]" in text and "AKIAKEY" in text, text


@pytest.mark.parametrize("kind", ["AST", "SYNTAX"])
def test_explain_shows_no_secrets(house, kind):
    _, http, _ = house
    text = http.ok(f"EXPLAIN {kind} SELECT * FROM s3('http://127.0.0.1:1/b/x', 'AKIAKEY', 'SEKRIT50', 'CSV', 'a Int8')")
    assert "SEKRIT" not in text and "[HIDDEN]" in text, text
    text = http.ok(f"EXPLAIN {kind} SELECT * FROM remote('h', a.b, 'u', 'SEKRIT55')")
    assert "SEKRIT" not in text and "[HIDDEN]" in text, text


def test_explain_ast_is_a_tree_as_clickhouse_has_it(house):
    _, http, _ = house
    text = http.ok("EXPLAIN AST SELECT a AS x, count(), [1, 2] FROM db.t WHERE a = 1 AND b IN (1, 2) ORDER BY a DESC LIMIT 10 FORMAT TSVRaw")
    assert text == (
        "SelectWithUnionQuery (children 1)\n"
        " ExpressionList (children 1)\n"
        "  SelectQuery (children 5)\n"
        "   ExpressionList (children 3)\n"
        "    Identifier a (alias x)\n"
        "    Function count (children 1)\n"
        "     ExpressionList\n"
        "    Literal Array_[UInt64_1, UInt64_2]\n"
        "   TablesInSelectQuery (children 1)\n"
        "    TablesInSelectQueryElement (children 1)\n"
        "     TableExpression (children 1)\n"
        "      TableIdentifier db.t\n"
        "   Function and (children 1)\n"
        "    ExpressionList (children 2)\n"
        "     Function equals (children 1)\n"
        "      ExpressionList (children 2)\n"
        "       Identifier a\n"
        "       Literal UInt64_1\n"
        "     Function in (children 1)\n"
        "      ExpressionList (children 2)\n"
        "       Identifier b\n"
        "       Literal Tuple_(UInt64_1, UInt64_2)\n"
        "   ExpressionList (children 1)\n"
        "    OrderByElement (children 1)\n"
        "     Identifier a\n"
        "   Literal UInt64_10\n"
    )


def test_the_query_log_hides_passwords_of_other_systems(house):
    _, http, _ = house
    for at, query in enumerate(
        (
            "SELECT * FROM remote('h', a.b, 'u', 'SEKRIT{}')",
            "SELECT * FROM mysql('h', 'd', 't', 'u', 'SEKRIT{}')",
            "SELECT * FROM s3('http://127.0.0.1:1/x', concat('A', ''), concat('SEKRIT{}', ''), 'CSV', 'a Int8')",
            "SELECT encrypt('aes-256-ofb', 'x', 'SEKRIT{}')",
            "CREATE TABLE t (a Int8) ENGINE = MySQL('h', 'd', 't', 'u', 'SEKRIT{}')",
            "CREATE DICTIONARY d (a Int8) PRIMARY KEY a SOURCE(CLICKHOUSE(USER 'u' PASSWORD 'SEKRIT{}'))",
        )
    ):
        http(query.format(at))
    http.ok("SYSTEM FLUSH LOGS")
    found = http.ok("SELECT query FROM system.query_log WHERE query LIKE concat('%SEK', 'RIT%')")
    assert found == "", found


def test_the_log_of_other_crates_is_held_back(tmp_path):
    environment = os.environ | {"GRISTMILL_LOG": "debug"}
    query = "SELECT * FROM remote('h', a.b, 'u', 'SEKRIT99')"
    done = subprocess.run([BINARY, "local", "-q", query], env=environment, cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert "SEKRIT99" not in done.stderr + done.stdout, done.stderr


def test_definitions_lie_on_the_disk_for_the_servers_account_alone(house):
    _, http, path = house
    http.ok(VIEW)
    files = [file for file in path.rglob("metadata/**/*.json")]
    assert files and all(stat.S_IMODE(file.stat().st_mode) == 0o600 for file in files), files
    assert stat.S_IMODE(path.stat().st_mode) == 0o700


@pytest.mark.parametrize(
    "query",
    [
        "CREATE TABLE q (a Int8) ENGINE = MergeTree ORDER BY a SETTINGS disk = disk(type = 's3', endpoint = 'http://x', "
        "access_key_id = 'a', secret_access_key = 'SEKRIT1')",
        "CREATE USER s IDENTIFIED BY SEKRIT2",
        "CREATE USER s IDENTIFIED BY \"SEKRIT3\"",
        "CREATE USER s IDENTIFIED WITH sha256_password BY SEKRIT4 HOST NOWHERE",
        "CREATE USER s IDENTIFIED WITH nothing BY $$SEKRIT5$$",
        "SELECT * FROM odbc('DSN=x;PWD=SEKRIT6', 'a', 'b')",
        "SELECT 1 SETTINGS format_avro_schema_registry_url = 'http://u:SEKRIT7@h'",
    ],
)
def test_a_statement_that_fails_tells_no_secrets(house, query):
    server, http, _ = house
    assert "SEKRIT" not in http(query).text
    http.ok("SYSTEM FLUSH LOGS")
    assert http.ok("SELECT count() FROM system.query_log WHERE concat(query, exception, toString(Settings)) LIKE '%SEK' || 'RIT%'") == "0\n"
    assert not any("SEKRIT" in line for line in server.log)
