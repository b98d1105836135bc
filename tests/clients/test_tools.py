"""What dashboards, editors and prompts ask a server before a user does."""

import json


def names(http, query: str, **parameters) -> list[str]:
    return [line.split("\t")[0] for line in http.ok(query, **parameters).splitlines()]


def test_tables_are_told_apart_from_views(http, table):
    http.ok(f"CREATE TABLE {table} (k UInt32) ENGINE = MergeTree ORDER BY k")
    http.ok(f"CREATE OR REPLACE VIEW {table}_v AS SELECT k FROM {table}")
    shown = http.ok(f"SHOW FULL TABLES LIKE '{table}%'").splitlines()
    assert shown == [f"{table}\tBASE TABLE", f"{table}_v\tVIEW"]
    assert http.ok(f"SELECT column_name, ordinal_position FROM information_schema.key_column_usage WHERE table_name = '{table}'") == "k\t1\n"
    views = f"SELECT view_definition FROM information_schema.views WHERE table_name = '{table}_v'"
    assert "SELECT k" in http.ok(views)
    http.ok(f"DROP VIEW {table}_v")


def test_lists_of_what_there_is(http):
    assert "MergeTree" in names(http, "SHOW ENGINES")
    assert http.ok("SHOW DICTIONARIES") == http.ok("SHOW CLUSTERS") == ""
    assert http.ok("EXISTS DICTIONARY d") == "0\n"
    assert "SELECT" in names(http, "SELECT keyword FROM system.keywords")
    words = http.ok("SELECT DISTINCT context FROM system.completions ORDER BY context").splitlines()
    assert words == ["column", "database", "function", "keyword", "setting", "table", "table engine", "table function"]
    changed = http.ok("SHOW CHANGED SETTINGS", max_threads=3)
    assert "max_threads\tUInt64\t3\n" in changed
    for absent in ("quotas", "row_policies", "collations", "replication_queue", "view_refreshes"):
        assert http.ok(f"SELECT * FROM system.{absent}") == ""
    assert http.ok("SELECT * FROM viewIfPermitted(SELECT message FROM system.warnings ELSE null('message String'))") == ""
    assert http.ok("SELECT currentRoles(), enabledRoles(), defaultRoles()") == "[]\t[]\t[]\n"


def test_the_page_for_queries(http):
    page = http("", method="GET", path="/play")
    assert page.status == 200 and page.headers["content-type"].startswith("text/html")
    assert "<textarea" in page.text and "connect-src 'self'" in page.headers["content-security-policy"]
    # What the page sends, and what it reads of the answer.
    headers = {"X-ClickHouse-User": "default", "X-ClickHouse-Key": "", "Authorization": "never"}
    answer = http(
        "", b"SELECT number AS n, toString(number) AS s FROM numbers(20000)", headers=headers, default_format="JSONCompact",
        max_result_rows=10000, result_overflow_mode="break",
    )
    result = json.loads(answer.text)
    assert [column["name"] for column in result["meta"]] == ["n", "s"] and result["rows"] >= 10000
    assert answer.headers["x-clickhouse-format"] == "JSONCompact" and "x-clickhouse-summary" in answer.headers
