"""ClickHouse, as PyPI's `chdb`: runs the statements of standard input in one session, times each, writes their answers."""

import json
import sys
import time

from chdb import session

given = json.load(sys.stdin)
connection = session.Session(given["path"])
seconds, answers = [], []
for statement in given["statements"]:
    started = time.perf_counter()
    rows = connection.query(statement, "JSONCompactEachRow").bytes().decode(errors="replace")
    seconds.append(time.perf_counter() - started)
    answers.append([json.loads(row) for row in rows.splitlines()])
print(json.dumps([seconds, answers]))
