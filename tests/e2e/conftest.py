"""Servers and data that the tests share."""

import subprocess
from pathlib import Path

import pyarrow.parquet
import pytest
from runner import BINARY, environment
from servers import S3, Azure, Gcs

POSTS_ROWS = 20_000
POSTS_FILES = 6


@pytest.fixture(scope="session")
def posts(tmp_path_factory) -> Path:
    """A folder of posts as monthly Parquet files, made by the generator of the demonstration."""
    folder = tmp_path_factory.mktemp("posts")
    line = [BINARY, "demo", "--generate-only", "--dir", folder, "--rows", POSTS_ROWS, "--files", POSTS_FILES]
    subprocess.run([str(word) for word in line], check=True, stdout=subprocess.DEVNULL, env=environment())
    return folder / "buckets/demo/posts/by_month"


@pytest.fixture(scope="session")
def posts_table(posts):
    """The same rows as one Arrow table, read by someone else."""
    return pyarrow.concat_tables(pyarrow.parquet.read_table(file) for file in sorted(posts.glob("*.parquet")))


@pytest.fixture(scope="session")
def s3(tmp_path_factory, posts):
    """An S3 server with the bucket `data`, which holds the posts and a few small files."""
    server = S3(tmp_path_factory.mktemp("s3") / "buckets").start()
    try:
        for file in posts.glob("*.parquet"):
            server.put(f"data/posts/by_month/{file.name}", file.read_bytes())
        server.put("data/small/a.csv", b"1,one\n2,two\n")
        server.put("data/small/b.csv", b"3,three\n")
        server.put("data/small/deep/c.csv", b"4,four\n")
        server.put("data/small/names.csv", b"id,name\n5,five\n")
        server.put("data/hive/year=2023/month=1/a.csv", b"1\n")
        server.put("data/hive/year=2024/month=2/b.csv", b"2\n")
        yield server
    finally:
        server.stop()


@pytest.fixture(scope="session")
def gcs(tmp_path_factory, posts):
    root = tmp_path_factory.mktemp("gcs") / "buckets"
    (root / "data/posts").mkdir(parents=True)
    (root / "data/small").mkdir()
    for file in posts.glob("*.parquet"):
        (root / "data/posts" / file.name).write_bytes(file.read_bytes())
    (root / "data/small/a.csv").write_text("1,one\n2,two\n")
    (root / "data/small/b.csv").write_text("3,three\n")
    server = Gcs(root).start()
    yield server
    server.stop()


@pytest.fixture(scope="session")
def azure(tmp_path_factory):
    server = Azure(tmp_path_factory.mktemp("azure") / "blobs").start()
    server.make_container("data")
    yield server
    server.stop()


@pytest.fixture
def data(tmp_path) -> Path:
    """The folder of a database that lasts for one test."""
    return tmp_path / "database"
