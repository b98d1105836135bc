"""Polars: lazy scans."""

import polars as pl
from asked import answer, asked
from polars import col
from rows import COLUMNS, EIGHT_COLUMNS, STRINGS, TIMES, VIEWS_MIN

SCANS = {"csv_gz": pl.scan_csv, "json_rows": pl.scan_ndjson}
given = asked()


def value_of(column: str) -> pl.Expr:
    if column in STRINGS:
        return col(column).str.len_bytes().cast(pl.Int64)
    return col(column).dt.epoch("ms") if column in TIMES else col(column)


def every_value(posts: pl.LazyFrame, columns: list[str]) -> pl.LazyFrame:
    return posts.select(pl.len(), *(value_of(name).sum().alias(name) for name in columns))


def text(posts: pl.LazyFrame) -> pl.LazyFrame:
    sums = [value_of(name).sum() for name in ("Score", "ViewCount", "Body", "ContentLicense")]
    return posts.group_by("PostTypeId").agg(pl.len(), *sums).sort("PostTypeId")


def small_files(posts: pl.LazyFrame) -> pl.LazyFrame:
    return every_value(posts, ["Score", "Title"])


QUERIES = {
    "top_users": lambda posts: (
        posts.filter(~col("OwnerDisplayName").is_in(["", "anon"]))
        .group_by("OwnerDisplayName")
        .agg(num_posts=pl.len())
        .sort("num_posts", descending=True)
        .limit(5)
    ),
    "selective": lambda posts: posts.filter(col("ViewCount") > VIEWS_MIN).select(pl.len()),
    "one_id": lambda posts: posts.filter(col("Id") == given.wanted).select(
        "Id", "PostTypeId", "Score", "OwnerDisplayName", "Title", value_of("Body")
    ),
    "all_columns": lambda posts: every_value(posts, COLUMNS),
    "8_columns": lambda posts: every_value(posts, EIGHT_COLUMNS),
    "one_file": lambda posts: posts.group_by("PostTypeId").agg(pl.len(), col("ViewCount").sum()).sort("PostTypeId"),
    "files_20kb": small_files,
    "files_8kb": small_files,
    "csv_gz": text,
    "json_rows": text,
}


def query() -> list:
    storage = {
        "aws_access_key_id": given.key,
        "aws_secret_access_key": given.secret,
        "aws_endpoint_url": given.endpoint,
        "aws_region": "us-east-1",
        "aws_allow_http": "true",
    }
    posts = SCANS.get(given.row, pl.scan_parquet)(given.url, storage_options=storage)
    # The streaming engine: it aggregates while it reads, as the other engines do.
    return [list(row) for row in QUERIES[given.row](posts).collect(engine="streaming").rows()]


answer(query)
