"""ClickHouse, as PyPI's `chdb`: runs the statements of standard input, and writes the outcome of each as it is there."""

import json
import sys

from chdb import session

connection = session.Session("data")
connection.query("SET max_memory_usage = 4000000000, implicit_select = 0")
for text in json.load(sys.stdin):
    try:
        outcome = (connection.query(text, "TSV").bytes().decode("utf-8", "replace"), None)
    except UnicodeDecodeError as error:  # the message of an error names a value that is no UTF-8
        outcome = ("", error.object.decode("utf-8", "replace"))
    except Exception as error:  # the module's errors have no common base of their own
        outcome = ("", str(error))
    if outcome[1]:
        # What a query wrote before it failed would come with the next one's rows.
        connection.query("SELECT 1")
    print("\n" + json.dumps(outcome), flush=True)
