"""Sorts and aggregations that go to disk, because a setting says so or because memory ends: they tell of it, and the rows are the same."""

import json

import pytest
from runner import gristmill
from test_explain import node

SORTED = "SELECT number % 1000 AS k, toString(sipHash64(number)) AS h, number FROM numbers(200000) ORDER BY h, number"
GROUPED = "SELECT toString(number % 60000) AS k, count() AS c, max(toString(number)) AS m FROM numbers(200000) GROUP BY k"
EVENTS = (
    "SELECT ProfileEvents['ExternalSortWritePart'], ProfileEvents['ExternalAggregationWritePart'], ProfileEvents['ExternalProcessingFilesTotal'] "
    "FROM system.query_log WHERE type = 'QueryFinish' AND log_comment = 'asked'"
)


def analyzed(query: str, settings: str) -> dict:
    [whole] = json.loads(gristmill(f"EXPLAIN ANALYZE json = 1 {query} SETTINGS {settings} FORMAT TSVRaw").ok().out)
    return whole


@pytest.mark.parametrize("threads", [1, 2])
def test_a_sort_goes_to_disk_from_so_many_bytes_on(threads):
    asked = f"{SORTED} SETTINGS max_threads = {threads}, max_bytes_before_external_sort = {{}}"
    kept, spilled = (gristmill(asked.format(bytes)).ok().out for bytes in (0, 1_000_000))
    assert kept == spilled and kept.count("\n") == 200_000
    sort = node(analyzed(SORTED, f"max_threads = {threads}, max_bytes_before_external_sort = 1000000"), "SortExec")
    assert sort["Spilled Files"] > 1 and sort["Spilled Rows"] > 100_000 and sort["Spilled Bytes"] > 1_000_000, sort
    roomy = node(analyzed(SORTED, f"max_threads = {threads}, max_bytes_before_external_sort = 1000000000"), "SortExec")
    assert roomy["Spilled Files"] == 0, roomy


@pytest.mark.parametrize("threads", [1, 2, 4, 8])
def test_streams_of_a_sort_go_to_disk_where_memory_is_too_small_for_all_of_them(threads):
    # The keys are all of the rows: what is compared while they are merged takes as much as they do. And no stream leaves the others
    # less than they need to merge what they wrote, however many there are.
    query = "SELECT hex(cityHash64(number)) AS a, hex(cityHash64(number, 1)) AS b FROM numbers_mt(600000) ORDER BY a, b"
    kept = gristmill(f"{query} SETTINGS max_threads = {threads}").ok().out
    small = f"max_threads = {threads}, max_memory_usage = 110000000"
    assert gristmill(f"{query} SETTINGS {small}").ok().out == kept
    assert node(analyzed(query, small), "ParallelSort")["Spilled Files"] > 1


@pytest.mark.parametrize("threads", [1, 2])
def test_an_aggregation_goes_to_disk_from_so_many_bytes_on(threads):
    asked = f"{GROUPED} SETTINGS max_threads = {threads}, max_bytes_before_external_group_by = {{}}"
    kept, spilled = (sorted(gristmill(asked.format(bytes)).ok().out.splitlines()) for bytes in (0, 500_000))
    assert kept == spilled and len(kept) == 60_000
    text = gristmill(f"EXPLAIN ANALYZE {GROUPED} SETTINGS max_threads = {threads}, max_bytes_before_external_group_by = 500000").ok().out
    assert "spilled" in text, text
    assert "spilled" not in gristmill(f"EXPLAIN ANALYZE {GROUPED} SETTINGS max_threads = {threads}").ok().out


@pytest.mark.parametrize("threads", [1, 2])
def test_groups_of_texts_go_to_disk_where_memory_is_too_small_for_all_of_them(threads):
    grouped = "SELECT hex(cityHash64(number)) AS k, count() AS c FROM numbers_mt(1500000) GROUP BY k"
    query = f"SELECT count(), sum(c), sum(cityHash64(k)) FROM ({grouped}) SETTINGS max_threads = {threads}"
    kept = gristmill(query).ok().out
    assert kept.startswith("1500000\t1500000\t")
    assert gristmill(f"{query}, max_memory_usage = 120000000").ok().out == kept
    assert "spilled" in gristmill(f"EXPLAIN ANALYZE {query}, max_memory_usage = 120000000").ok().out


def test_events_count_what_was_written():
    sort = gristmill(f"{SORTED} SETTINGS max_bytes_before_external_sort = 1000000, log_comment = 'asked' FORMAT Null", EVENTS).ok()
    sorts, groups, files = map(int, sort.rows[0])
    assert sorts > 1 and groups == 0 and files >= sorts
    grouped = gristmill(f"{GROUPED} SETTINGS max_bytes_before_external_group_by = 500000, log_comment = 'asked' FORMAT Null", EVENTS).ok()
    sorts, groups, files = map(int, grouped.rows[0])
    assert sorts == 0 and groups > 0 and files >= groups


def test_a_share_of_the_memory_says_the_same():
    share = "max_memory_usage = 400000000, max_bytes_ratio_before_external_sort = 0.01"
    assert node(analyzed(SORTED, share), "SortExec")["Spilled Files"] > 0
    # What nobody set is ClickHouse's default, and memory alone decides.
    assert node(analyzed(SORTED, "max_memory_usage = 400000000"), "ParallelSort")["Spilled Files"] == 0
    answer = gristmill(f"{SORTED} SETTINGS max_bytes_ratio_before_external_sort = 2 FORMAT Null")
    assert answer.error == (36, "BAD_ARGUMENTS"), answer


def test_nothing_is_left_on_the_disk(tmp_path):
    data = tmp_path / "data"
    gristmill(f"{SORTED} SETTINGS max_bytes_before_external_sort = 100000 FORMAT Null", path=data).ok()
    assert list((data / "tmp").rglob("*")) == []
