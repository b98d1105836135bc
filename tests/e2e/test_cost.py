"""What requests cost: counted, told beforehand, and limited."""

import json

import pytest
from runner import gristmill

# A dollar for a thousand reads, ten for a thousand listings.
PRICES = "SETTINGS object_storage_prices = '* read=1 write=10'"


@pytest.fixture
def posts_source(s3):
    return f"s3('{s3.url('data/posts/by_month/*.parquet')}', {s3.keys})"


def test_the_query_log_has_the_price_of_the_requests(posts_source):
    log = """SELECT round(object_storage_cost_usd, 6),
        round(ProfileEvents['S3GetObject'] * 0.001 + ProfileEvents['S3ListObjects'] * 0.01, 6)
        FROM system.query_log WHERE type = 'QueryFinish' AND query LIKE '%sum(Id)%' AND query_kind = 'Select'"""
    answer = gristmill(f"SELECT sum(Id) FROM {posts_source} {PRICES} FORMAT Null", log).ok()
    (cost, worked_out), = answer.rows
    assert cost == worked_out and float(cost) >= 0.016, answer


def test_a_server_of_ones_own_costs_nothing_unless_told_otherwise(posts_source):
    log = "SELECT max(object_storage_cost_usd) FROM system.query_log"
    assert gristmill(f"SELECT count() FROM {posts_source} FORMAT Null", log).ok().value == "0"


def test_a_query_that_would_cost_more_than_it_may_is_ended(posts_source):
    answer = gristmill(f"SELECT sum(Id) FROM {posts_source} {PRICES}, max_query_cost_usd = 0.0125")
    assert answer.error == (290, "LIMIT_EXCEEDED") and "max_query_cost_usd" in answer.message and answer.out == "", answer


def test_explain_estimate_tells_files_requests_and_price_before_anything_is_read(s3, posts_source, posts_table):
    answer = gristmill(f"EXPLAIN ESTIMATE SELECT Body FROM {posts_source} {PRICES} FORMAT JSONEachRow").ok()
    (told,) = [json.loads(line) for line in answer.out.splitlines()]
    assert (told["database"], told["files"], told["rows"]) == ("s3", 6, posts_table.num_rows), told
    assert told["bytes"] > 100_000 and told["row_groups"] >= 6
    assert 0 < told["cost_usd"] == pytest.approx((told["requests"] - 1) * 0.001 + 0.01)
    events = "SELECT value FROM system.events WHERE event = 'S3GetObject'"
    read = gristmill(f"SELECT Body FROM {posts_source} FORMAT Null", events).ok()
    assert int(read.value) <= told["requests"] - 1, "no more than was told"
    only_footers = gristmill(f"EXPLAIN ESTIMATE SELECT Body FROM {posts_source} FORMAT Null", events).ok()
    assert int(only_footers.value) <= 6


def test_each_row_group_that_is_loaded_counts_as_the_requests_that_it_takes(s3, data):
    file = f"s3('{s3.url('data/groups/five.parquet')}', {s3.keys})"
    wide = "SELECT number AS id, randomPrintableASCII(2000) AS text FROM numbers(5000)"
    events = "SELECT value FROM system.events WHERE event = 'S3GetObject'"
    write = f"INSERT INTO FUNCTION {file} {wide} SETTINGS output_format_parquet_row_group_size = 1000, s3_truncate_on_insert = 1"
    gristmill(write, "CREATE TABLE t (id UInt64, text String) ENGINE = MergeTree ORDER BY id", path=data).ok()
    answer = gristmill(f"EXPLAIN ESTIMATE INSERT INTO t SELECT * FROM {file} FORMAT JSONEachRow", path=data).ok()
    told = next(json.loads(line) for line in answer.out.splitlines() if '"s3"' in line)
    assert told["row_groups"] == 5, told
    sent = gristmill(f"INSERT INTO t SELECT * FROM {file}", events, path=data).ok()
    # A named file is not listed: all requests are reads.
    assert told["requests"] == int(sent.value) == 6, told


def test_explain_estimate_of_a_table_is_as_clickhouse_has_it(data):
    answer = gristmill(
        "CREATE TABLE t (a UInt32) ENGINE = MergeTree ORDER BY a",
        "INSERT INTO t SELECT number FROM numbers(20000)",
        "EXPLAIN ESTIMATE SELECT * FROM t WHERE a < 10 FORMAT TSVWithNames",
        path=data,
    ).ok()
    assert answer.rows == [["database", "table", "parts", "rows", "marks"], ["default", "t", "1", "8192", "1"]]


def test_requests_are_shown_by_endpoint_and_class(s3, posts_source):
    table = "SELECT endpoint, request, requests > 0, first_byte_p50_microseconds > 0 FROM system.object_storage_requests ORDER BY request"
    answer = gristmill(f"SELECT sum(Id) FROM {posts_source} FORMAT Null", table).ok()
    assert answer.rows == [[s3.endpoint, "GetObject", "1", "1"], [s3.endpoint, "ListObjects", "1", "1"]]


def test_structures_are_remembered_and_shown(posts_source):
    table = "SELECT storage, source LIKE '%.parquet', format, schema LIKE '%OwnerDisplayName%' FROM system.schema_inference_cache"
    answer = gristmill(f"SELECT sum(Id) FROM {posts_source} FORMAT Null", table).ok()
    assert answer.rows == [["S3", "1", "Parquet", "1"]]


def test_a_listing_is_shared_for_a_moment_and_forgotten_by_a_write(s3, posts_source):
    listings = "SELECT value FROM system.events WHERE event = 'S3ListObjects'"
    query = f"SELECT count() FROM {posts_source} FORMAT Null SETTINGS object_listing_cache_ms = 600000"
    assert gristmill(query, query, listings).ok().value == "1"
    write = f"INSERT INTO FUNCTION s3('{s3.url('data/forgotten/a.csv')}', {s3.keys}) SELECT 1 SETTINGS s3_truncate_on_insert = 1"
    assert gristmill(query, write, query, listings).ok().value == "2"
    off = query.replace("600000", "0")
    assert gristmill(off, off, listings).ok().value == "2"
