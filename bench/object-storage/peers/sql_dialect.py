"""The rows in the SQL that DataFusion and DuckDB share; only milliseconds and lengths are spelled differently."""

from rows import COLUMNS, EIGHT_COLUMNS, STRINGS, TIMES, VIEWS_MIN


class Dialect:
    """`milliseconds` and `bytes` are patterns with one `{}` for the column."""

    def __init__(self, milliseconds: str, bytes: str):
        self.milliseconds, self.bytes = milliseconds, bytes

    def value_of(self, column: str) -> str:
        quoted = f'"{column}"'
        if column in STRINGS:
            return self.bytes.format(quoted)
        return self.milliseconds.format(quoted) if column in TIMES else quoted

    def every_value(self, columns: list[str], posts: str) -> str:
        sums = ", ".join(f"sum({self.value_of(name)})" for name in columns)
        return f"SELECT count(*), {sums} FROM {posts}"

    def statement(self, row: str, posts: str, wanted: int) -> str:
        body, title, license = self.value_of("Body"), self.value_of("Title"), self.value_of("ContentLicense")
        text = f"""SELECT "PostTypeId", count(*), sum("Score"), sum("ViewCount"), sum({body}), sum({license})
FROM {posts} GROUP BY "PostTypeId" ORDER BY "PostTypeId" """
        small_files = f'SELECT count(*), sum("Score"), sum({title}) FROM {posts}'
        return {
            "top_users": f"""SELECT "OwnerDisplayName", count(*) AS num_posts FROM {posts} WHERE "OwnerDisplayName" NOT IN ('', 'anon')
GROUP BY "OwnerDisplayName" ORDER BY num_posts DESC LIMIT 5""",
            "selective": f'SELECT count(*) FROM {posts} WHERE "ViewCount" > {VIEWS_MIN}',
            "one_id": f"""SELECT "Id", "PostTypeId", "Score", "OwnerDisplayName", "Title", {body} FROM {posts} WHERE "Id" = {wanted}""",
            "all_columns": self.every_value(COLUMNS, posts),
            "8_columns": self.every_value(EIGHT_COLUMNS, posts),
            "one_file": f"""SELECT "PostTypeId", count(*), sum("ViewCount") FROM {posts} GROUP BY "PostTypeId" ORDER BY "PostTypeId" """,
            "files_20kb": small_files,
            "files_8kb": small_files,
            "csv_gz": text,
            "json_rows": text,
        }[row]
