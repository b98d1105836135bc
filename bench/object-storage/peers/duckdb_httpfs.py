"""DuckDB, with its extension `httpfs` from PyPI: DuckDB's own server of extensions is not needed."""

import tempfile

import duckdb
from asked import answer, asked
from duckdb_extensions import import_extension
from sql_dialect import Dialect

DIALECT = Dialect(milliseconds="epoch_ms({})", bytes="strlen({})")
READERS = {"csv_gz": "read_csv", "json_rows": "read_json"}
given = asked()
extensions = tempfile.TemporaryDirectory()
connection = duckdb.connect(config={"extension_directory": extensions.name})
import_extension("httpfs", con=connection)
connection.execute("LOAD httpfs")


def query() -> list:
    connection.execute(f"""CREATE SECRET (TYPE s3, KEY_ID '{given.key}', SECRET '{given.secret}', REGION 'us-east-1',
        ENDPOINT '{given.endpoint.removeprefix("http://")}', URL_STYLE 'path', USE_SSL false)""")
    posts = f"{READERS.get(given.row, 'read_parquet')}('{given.url}')"
    return [list(row) for row in connection.execute(DIALECT.statement(given.row, posts, given.wanted)).fetchall()]


answer(query)
