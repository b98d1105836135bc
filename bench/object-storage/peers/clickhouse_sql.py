"""The rows in ClickHouse's SQL, the same for ClickHouse and Gristmill."""

from rows import COLUMNS, EIGHT_COLUMNS, STRINGS, TIMES, VIEWS_MIN


def statement(row: str, url: str, key: str, secret: str, wanted: int) -> str:
    posts = f"s3('{url}', '{key}', '{secret}')"
    return STATEMENTS[row].format(posts=posts, wanted=wanted, views=VIEWS_MIN)


def every_value(columns: list[str]) -> str:
    sums = ", ".join(f"sum({value_of(name)})" for name in columns)
    return f"SELECT count(), {sums} FROM {{posts}}"


def value_of(column: str) -> str:
    if column in STRINGS:
        return f"length({column})"
    return f"toUnixTimestamp64Milli({column})" if column in TIMES else column


# Columns with no empty strings: in CSV those are NULL to some.
TEXT = """SELECT PostTypeId, count(), sum(Score), sum(ViewCount), sum(length(Body)), sum(length(ContentLicense))
FROM {posts} GROUP BY PostTypeId ORDER BY PostTypeId"""
SMALL_FILES = "SELECT count(), sum(Score), sum(length(Title)) FROM {posts}"

STATEMENTS = {
    "top_users": """SELECT OwnerDisplayName, count() AS num_posts FROM {posts} WHERE OwnerDisplayName NOT IN ('', 'anon')
GROUP BY OwnerDisplayName ORDER BY num_posts DESC LIMIT 5""",
    "selective": "SELECT count() FROM {posts} WHERE ViewCount > {views}",
    "one_id": "SELECT Id, PostTypeId, Score, OwnerDisplayName, Title, length(Body) FROM {posts} WHERE Id = {wanted}",
    "all_columns": every_value(COLUMNS),
    "8_columns": every_value(EIGHT_COLUMNS),
    "one_file": "SELECT PostTypeId, count(), sum(ViewCount) FROM {posts} GROUP BY PostTypeId ORDER BY PostTypeId",
    "files_20kb": SMALL_FILES,
    "files_8kb": SMALL_FILES,
    "csv_gz": TEXT,
    "json_rows": TEXT,
}
