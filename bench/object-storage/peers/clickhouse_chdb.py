"""ClickHouse, as PyPI's `chdb`."""

import json

from asked import answer, asked
from chdb import session
from clickhouse_sql import statement

given = asked()
text = statement(given.row, f"{given.endpoint}/{given.bucket}/{given.files}", given.key, given.secret, given.wanted)
if given.settings:
    text += " SETTINGS " + ", ".join(f"{name} = {value}" for name, value in given.settings.items())
# Opens the server in the process, which is its start.
connection = session.Session()


def query() -> list:
    rows = connection.query(text, "JSONCompactEachRow").bytes().decode()
    return [json.loads(row) for row in rows.splitlines()]


answer(query)
