"""The two tables of the seed statements, which more than one benchmark loads."""

import subprocess
from pathlib import Path

CREATE_POSTS = """CREATE TABLE posts (Id Int64, PostTypeId Int64, AcceptedAnswerId Int64, CreationDate DateTime64(3), Score Int64,
ViewCount Int64, Body String, OwnerUserId Int64, OwnerDisplayName String, LastEditorUserId Int64,
LastEditorDisplayName String, LastEditDate DateTime64(3), LastActivityDate DateTime64(3), Title String, Tags String,
AnswerCount Int64, CommentCount Int64, FavoriteCount Int64, ContentLicense String, ParentId String,
CommunityOwnedDate DateTime64(3), ClosedDate DateTime64(3)) ENGINE = MergeTree
ORDER BY (PostTypeId, toDate(CreationDate), CreationDate)"""
CHECK_POSTS = "SELECT count(), sum(Id), sum(length(Body)) FROM posts"

CREATE_PARTITIONED = "CREATE TABLE test_s3 (p UInt16, s String, PRIMARY KEY s) ENGINE=MergeTree() PARTITION BY p"
CHECK_PARTITIONED = "SELECT count(), uniqExact(p) FROM test_s3"


def load_partitioned(rows: int | str, rows_each: int = 100_000) -> str:
    """As many partitions as it takes."""
    return f"INSERT INTO test_s3 SELECT number DIV {rows_each}, toString(number) FROM numbers({rows})"


def keys_in_partitions(rows_each: int = 100_000) -> str:
    """Looks for 1,000 keys, one in each of the first 1,000 partitions."""
    return f"SELECT count() FROM test_s3 WHERE s IN (SELECT toString(arrayJoin(range(1000)) * {rows_each} + {rows_each * 5 // 9}))"


def generate_posts(gristmill: str, folder: Path, posts: int, files: int) -> list[Path]:
    """Parquet files of posts from the generator in the binary."""
    line = [gristmill, "demo", "--generate-only", "--dir", folder, "--rows", posts, "--files", files]
    subprocess.run([str(word) for word in line], check=True, stdout=subprocess.DEVNULL)
    return sorted(folder.rglob("*.parquet"))
