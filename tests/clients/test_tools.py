"""What dashboards, editors and prompts ask a server before a user does."""

import json


def names(http, query: str, **parameters) -> list[str]:
    return [line.split("\t")[0] for line in http.ok(query, **parameters).splitlines()]


def test_tables_are_told_apart_from_views(http, table):
    http.ok(f"CREATE TABLE {table} (k UInt32) ENGINE = MergeTree ORDER BY k")
    http.ok(f"CREATE OR REPLACE VIEW {table}_v AS SELECT k FROM {table}")
    shown = http.ok(f"SHOW FULL TABLES LIKE '{table}%'").splitlines()
    assert shown == [f"{table}\tMergeTree", f"{table}_v\tView"]
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
    things = "column,data type,database,format,function,keyword,merge tree setting,policy,setting,table,table engine,table function"
    assert words == things.split(",")
    changed = http.ok("SHOW CHANGED SETTINGS", max_threads=3)
    assert "max_threads\tMaxThreads\t3\n" in changed
    for absent in ("quotas", "row_policies", "replication_queue", "view_refreshes", "certificates", "user_defined_functions"):
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


def test_the_query_log_says_what_a_query_used(http, table):
    view = f"{table}_sums"
    create = f"CREATE TABLE {table} (k UInt32, v Nullable(Float64)) ENGINE = MergeTree PARTITION BY k % 2 ORDER BY k"
    http.ok(create, query_id=f"{table}_create")
    http.ok(f"CREATE MATERIALIZED VIEW {view} ENGINE = MergeTree ORDER BY k AS SELECT k, sum(v) AS s FROM {table} GROUP BY k")
    http.ok(f"INSERT INTO {table} FORMAT CSV", b"1,2\n2,3\n", query_id=f"{table}_insert", async_insert=0)
    select = f"SELECT sumIf(v, k > 0), toString(k) FROM {table} WHERE k = 1 GROUP BY k UNION ALL SELECT 0, CAST(number, 'String') FROM numbers(1)"
    http.ok(select + " FORMAT TSV", query_id=f"{table}_select")
    http.ok("SYSTEM FLUSH LOGS")

    def logged(what: str, columns: str) -> dict:
        query = f"SELECT {columns} FROM system.query_log WHERE query_id = '{table}_{what}' AND type = 'QueryFinish' FORMAT JSONEachRow"
        return json.loads(http.ok(query))

    created = logged("create", "used_storages, used_data_type_families")
    assert created == {"used_storages": ["MergeTree"], "used_data_type_families": ["Float64", "Nullable", "UInt32"]}
    inserted = logged("insert", "views, used_formats")
    assert inserted["views"] == [f"default.{view}"] and inserted["used_formats"] == ["CSV"]
    found = logged(
        "select",
        "columns, partitions, used_functions, used_aggregate_functions, used_aggregate_function_combinators, used_table_functions,"
        " used_formats, used_data_type_families, query_cache_usage, stack_trace, initial_port = port AS same_port,"
        " initial_address = address AS same_address, initial_query_start_time_microseconds = query_start_time_microseconds AS same_start,"
        " is_secure, revision = revision() AS same_revision, quota_key,"
        f" normalized_query_hash = normalizedQueryHash('{select.replace(chr(39), chr(39) * 2)} FORMAT TSV') AS same_hash",
    )
    assert found["columns"] == [f"default.{table}.k", f"default.{table}.v"]
    assert found["partitions"] == [f"default.{table}.1"]
    assert {"equals", "greater", "toString", "CAST"} <= set(found["used_functions"])
    assert (found["used_aggregate_functions"], found["used_aggregate_function_combinators"]) == (["sum"], ["If"])
    assert (found["used_table_functions"], found["used_formats"]) == (["numbers"], ["TSV"])
    assert found["used_data_type_families"] == ["String"] and found["query_cache_usage"] == "None"
    assert all(found[same] for same in ("same_port", "same_address", "same_start", "same_revision", "same_hash"))
    assert (found["stack_trace"], found["is_secure"], found["quota_key"]) == ("", 0, "")
    http.ok(f"DROP VIEW {view}")


def test_explain_syntax_lays_the_query_out(http):
    query = "SELECT 1, number FROM numbers(2) ANY LEFT JOIN (SELECT 1 AS number) USING number"
    inner = "    SELECT 1 AS number\n    FROM system.one\n"
    laid_out = f"SELECT\n    1,\n    number\nFROM numbers(2)\nANY LEFT JOIN\n(\n{inner}) USING (number)\n"
    assert http.ok(f"EXPLAIN SYNTAX {query} FORMAT RawBLOB") == laid_out.rstrip()
    assert http.ok(f"EXPLAIN SYNTAX single_record = 0 {query}") == laid_out
