"""Asynchronous inserts of one process: gathered, seen in system tables, written at the end, and safe when acknowledged."""

import random
import subprocess

from kills import kill_after
from runner import BINARY, environment, gristmill

CREATE = "CREATE TABLE t (a UInt32, s String DEFAULT 'd') ENGINE = MergeTree ORDER BY a"
# Rows wait until they are asked for.
LONG = "SET async_insert = 1, wait_for_async_insert = 0, async_insert_busy_timeout_min_ms = 600000, async_insert_busy_timeout_max_ms = 600000"


def test_gathered_rows_are_one_part(data):
    inserts = [f"INSERT INTO t (a) VALUES ({n})" for n in range(20)]
    waiting = "SELECT database, table, format, length(entries.query_id), arraySum(entries.bytes) = total_bytes FROM system.asynchronous_inserts"
    parts = "SELECT count(), sum(rows) FROM system.parts WHERE table = 't' AND active"
    asked = gristmill(CREATE, LONG, *inserts, waiting, parts, "SYSTEM FLUSH ASYNC INSERT QUEUE", waiting, parts, path=data).ok()
    assert asked.rows == [["default", "t", "Values", "20", "1"], ["0", "0"], ["1", "20"]]
    assert gristmill("SELECT count(), sum(a), any(s) FROM t", path=data).ok().rows == [["20", "190", "d"]]


def test_the_end_of_the_process_writes_what_waits(data):
    gristmill(CREATE, LONG, "INSERT INTO t VALUES (1, 'x')", "INSERT INTO t VALUES (2, 'y')", path=data).ok()
    assert gristmill("SELECT * FROM t ORDER BY a", path=data).ok().rows == [["1", "x"], ["2", "y"]]
    # After an error as well.
    failed = gristmill(LONG, "INSERT INTO t VALUES (3, 'z')", "SELECT throwIf(1)", path=data)
    assert failed.error[1] == "FUNCTION_THROW_IF_VALUE_IS_NON_ZERO"
    assert gristmill("SELECT count() FROM t", path=data).ok().value == "3"


def test_data_on_the_standard_input(data):
    insert = "INSERT INTO t (a) SETTINGS async_insert = 1 FORMAT CSV"
    gristmill(CREATE, path=data).ok()
    gristmill(insert, path=data, stdin=b"1\n2\n").ok()
    # More than the queue takes.
    many = "".join(f"{n}\n" for n in range(100_000)).encode()
    gristmill(insert.replace("= 1", "= 1, async_insert_max_data_size = 1000"), path=data, stdin=many).ok()
    assert gristmill("SELECT count() FROM t", path=data).ok().value == "100002"
    bad = gristmill(insert, path=data, stdin=b"1\nx\n")
    assert bad.error[1] == "INCORRECT_DATA" and "at row 2" in bad.message, bad
    assert gristmill("SELECT count() FROM t", path=data).ok().value == "100002"


def test_the_query_log_tells_of_the_write(data):
    log = "SELECT query_kind, type, written_rows FROM system.query_log WHERE query_kind = 'AsyncInsertFlush' ORDER BY event_time_microseconds"
    asked = gristmill(CREATE, LONG, "INSERT INTO t (a) VALUES (1), (2)", "SYSTEM FLUSH ASYNC INSERT QUEUE t", log, path=data).ok()
    assert asked.rows == [["AsyncInsertFlush", "QueryStart", "0"], ["AsyncInsertFlush", "QueryFinish", "2"]]


def test_acknowledged_rows_survive_a_kill(data, tmp_path):
    """With wait_for_async_insert an INSERT ends when its rows are on the disk (I-1), and is there whole or not at all (I-2)."""
    gristmill(CREATE, path=data).ok()
    moments = random.Random(3)
    acked: set[int] = set()
    for run in range(4):
        quick = "SET async_insert = 1, async_insert_busy_timeout_min_ms = 1, async_insert_busy_timeout_max_ms = 2"
        statements = [quick]
        for n in range(run * 500, (run + 1) * 500):
            statements += [f"INSERT INTO t (a) VALUES ({n}), ({n})", f"SELECT 'done', {n}"]
        file = tmp_path / "statements.sql"
        file.write_text(";\n".join(statements) + ";\n")
        line = [BINARY, "local", "--path", str(data), "--queries-file", str(file)]
        child = subprocess.Popen(
            line, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment()
        )
        kill_after(child, data, moments.randint(1, 60), moments.random() * 0.05)
        out, _ = child.communicate()
        acked |= {int(row.split("\t")[1]) for row in out.decode().split("\n")[:-1] if row.startswith("done\t")}
        found = gristmill("SELECT a, count() FROM t GROUP BY a", path=data).ok().rows
        assert all(count == "2" for _, count in found)
        assert acked <= {int(a) for a, _ in found}
    assert acked, "no insert was acknowledged before any kill: the moments are too early"
