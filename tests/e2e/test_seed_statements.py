"""The statements of the main job, as they stand."""

from collections import Counter

import pytest
from runner import gristmill

TOP_USERS = """SELECT OwnerDisplayName, count() AS num_posts
FROM {source}
WHERE OwnerDisplayName NOT IN ('', 'anon')
GROUP BY OwnerDisplayName ORDER BY num_posts DESC LIMIT 5 SETTINGS max_threads = 16;"""

CREATE = """CREATE TABLE posts (Id Int64, PostTypeId Int64, AcceptedAnswerId Int64, CreationDate DateTime64(3), Score Int64,
ViewCount Int64, Body String, OwnerUserId Int64, OwnerDisplayName String, LastEditorUserId Int64,
LastEditorDisplayName String, LastEditDate DateTime64(3), LastActivityDate DateTime64(3), Title String, Tags String,
AnswerCount Int64, CommentCount Int64, FavoriteCount Int64, ContentLicense String, ParentId String,
CommunityOwnedDate DateTime64(3), ClosedDate DateTime64(3)) ENGINE = MergeTree
ORDER BY (PostTypeId, toDate(CreationDate), CreationDate);"""


@pytest.fixture(scope="module")
def source(s3):
    return f"s3('{s3.url('data/posts/by_month/*.parquet')}')"


def top_counts(posts_table) -> list[str]:
    names = Counter(name for name in posts_table["OwnerDisplayName"].to_pylist() if name not in ("", "anon"))
    return [str(count) for _, count in names.most_common(5)]


def test_top_users_on_the_files(s3, source, posts_table):
    answer = gristmill(TOP_USERS.format(source=source), env=s3.environment).ok()
    assert [row[1] for row in answer.rows] == top_counts(posts_table)


@pytest.mark.parametrize(
    "load",
    [
        "INSERT INTO posts SELECT * FROM {source} SETTINGS min_insert_block_size_rows=0, max_insert_threads=4, "
        "min_insert_block_size_bytes=2863311530;",
        "INSERT INTO posts SETTINGS insert_deduplicate = 0, optimize_on_insert = 0 SELECT * FROM {source};",
        "INSERT INTO posts SELECT * FROM {source}",
    ],
)
def test_load_into_a_table(s3, source, posts_table, data, load):
    gristmill(CREATE, load.format(source=source), path=data, env=s3.environment).ok()
    answer = gristmill(TOP_USERS.format(source="posts"), path=data).ok()
    assert [row[1] for row in answer.rows] == top_counts(posts_table)
    sums = gristmill("SELECT count(), sum(Id), sum(length(Body)), uniqExact(CreationDate) FROM posts", path=data).ok()
    bodies = sum(len(body.encode()) for body in posts_table["Body"].to_pylist())
    ids, dates = posts_table["Id"].to_pylist(), posts_table["CreationDate"].to_pylist()
    assert sums.rows == [[str(len(ids)), str(sum(ids)), str(bodies), str(len(set(dates)))]]


def test_a_thousand_partitions_need_the_limit_raised(data):
    create = "CREATE TABLE test_s3 (p UInt16, s String, PRIMARY KEY s) ENGINE=MergeTree() PARTITION BY p;"
    load = "INSERT INTO test_s3 SELECT number DIV 100, toString(number) FROM numbers(100000)"
    gristmill(create, path=data).ok()
    refused = gristmill(load, path=data)
    assert refused.error == (252, "TOO_MANY_PARTS")
    assert gristmill("SELECT count() FROM test_s3", path=data).ok().value == "0"
    gristmill(f"{load} SETTINGS max_partitions_per_insert_block = 1000", path=data).ok()
    asked = "SELECT count() FROM test_s3 WHERE s IN (SELECT toString(arrayJoin(range(1000)) * 100 + 55));"
    assert gristmill(asked, "SELECT uniqExact(p) FROM test_s3", path=data).ok().out == "1000\n1000\n"


def test_settings_of_the_session():
    answer = gristmill("SET max_threads='8', max_insert_threads=4; SELECT getSetting('max_threads'), getSetting('max_insert_threads');")
    assert answer.ok().rows == [["8", "4"]]
