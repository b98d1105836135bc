"""The rows of the table: what is asked, of which files. How each engine is asked is in `peers/`."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """`files` is the pattern of its files below the bucket. `limited`: Gristmill runs it within little memory, too."""

    name: str
    title: str
    data: str
    files: str
    limited: bool = False


ROWS = [
    Row("top_users", "Top users", "by_month", "by_month/*.parquet"),
    Row("selective", "Count with a selective predicate", "by_month", "by_month/*.parquet"),
    Row("one_id", "One `Id`, in which file is not known", "by_month", "by_month/*.parquet"),
    Row("all_columns", "All 22 columns", "by_month", "by_month/*.parquet"),
    Row("8_columns", "8 of 22 columns", "by_month", "by_month/*.parquet"),
    Row("one_file", "2 columns of one large file", "one_file", "one_file/2024-03.parquet", limited=True),
    Row("files_20kb", "Many files of 20 KB", "files_20kb", "files_20kb/*.parquet", limited=True),
    Row("files_8kb", "Many files of 8 KB", "files_8kb", "files_8kb/*.parquet"),
    Row("csv_gz", "CSV, gzip", "csv_gz", "csv_gz/*.csv.gz"),
    Row("json_rows", "JSON, one object a line", "json_rows", "json_rows/*.jsonl"),
]

# Columns of posts, as they lie in the files.
COLUMNS = [
    "Id", "PostTypeId", "AcceptedAnswerId", "CreationDate", "Score", "ViewCount", "Body", "OwnerUserId", "OwnerDisplayName",
    "LastEditorUserId", "LastEditorDisplayName", "LastEditDate", "LastActivityDate", "Title", "Tags", "AnswerCount",
    "CommentCount", "FavoriteCount", "ContentLicense", "ParentId", "CommunityOwnedDate", "ClosedDate",
]  # fmt: skip
# So that every value has to be read, milliseconds of times and bytes of strings are summed; the rest are integers.
TIMES = {"CreationDate", "LastEditDate", "LastActivityDate", "CommunityOwnedDate", "ClosedDate"}
STRINGS = {"Body", "OwnerDisplayName", "LastEditorDisplayName", "Title", "Tags", "ContentLicense", "ParentId"}
EIGHT_COLUMNS = ["Id", "PostTypeId", "Score", "ViewCount", "CreationDate", "OwnerDisplayName", "Title", "Tags"]

# About one post of ten thousand.
VIEWS_MIN = 100_000


def id_wanted(posts: int) -> int:
    """One in the middle of a file that is neither the first nor the last."""
    return posts * 2 // 3
