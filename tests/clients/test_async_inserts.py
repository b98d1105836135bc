"""Rows that clients of the native protocol send are gathered as those of HTTP are."""

import clickhouse_driver

WAITS = {
    "async_insert": 1,
    "wait_for_async_insert": 0,
    "async_insert_busy_timeout_min_ms": 600_000,
    "async_insert_busy_timeout_max_ms": 600_000,
}


def test_small_inserts_become_one_part_and_large_ones_do_not_wait(server, http, table):
    http.ok(f"CREATE TABLE {table} (k UInt32, s String DEFAULT 'd') ENGINE = MergeTree ORDER BY k")
    client = clickhouse_driver.Client("127.0.0.1", port=server.tcp_port, settings=WAITS)
    for k in range(5):
        client.execute(f"INSERT INTO {table} (k) VALUES", [(k,)])
    waiting = f"SELECT format, length(entries.query_id) FROM system.asynchronous_inserts WHERE table = '{table}'"
    assert http.ok(waiting) == "Native\t5\n"
    assert http.ok(f"SELECT count() FROM {table}") == "0\n"
    http.ok("SYSTEM FLUSH ASYNC INSERT QUEUE")
    assert http.ok(f"SELECT count(), min(s) FROM {table}") == "5\td\n"
    http.ok("SYSTEM FLUSH LOGS")
    assert http.ok(f"SELECT DISTINCT timeout_milliseconds FROM system.asynchronous_insert_log WHERE table = '{table}'") == "600000\n"
    parts = f"SELECT count() FROM system.parts WHERE table = '{table}' AND active"
    assert http.ok(parts) == "1\n"
    many = [(k, "x") for k in range(100_000)]
    client.execute(f"INSERT INTO {table} VALUES", many, settings=WAITS | {"async_insert_max_data_size": 1000})
    assert http.ok(waiting) == ""
    assert http.ok(f"SELECT count() FROM {table}") == "100005\n"
    # Who waits is told when the rows are there.
    waits = {"wait_for_async_insert": 1, "async_insert_busy_timeout_min_ms": 1, "async_insert_busy_timeout_max_ms": 2}
    client.execute(f"INSERT INTO {table} VALUES", [(1, "a")], settings=waits)
    assert http.ok(f"SELECT count() FROM {table}") == "100006\n"
    client.disconnect()


def test_what_an_insert_waits_for_in_the_queue_has_a_name(http, table):
    http.ok(f"CREATE TABLE {table} (k UInt32) ENGINE = MergeTree ORDER BY k")
    queue = {"async_insert": 1, "wait_for_async_insert": 1, "async_insert_use_adaptive_busy_timeout": 0, "async_insert_busy_timeout_max_ms": 400}
    http.ok(f"INSERT INTO {table} VALUES (1)", log_comment=table, **queue)
    http.ok("SYSTEM FLUSH LOGS")
    waited = "ProfileEvents['WallLockMicroseconds'] > 250000, ProfileEvents['WallUnattributedMicroseconds'] < 50000"
    log = f"FROM system.query_log WHERE type = 'QueryFinish' AND log_comment = '{table}' AND query_kind = 'Insert'"
    assert http.ok(f"SELECT {waited} {log}") == "1\t1\n"


def test_what_a_flush_waits_for_has_a_name(http, table):
    http.ok(f"CREATE TABLE {table} (k UInt32) ENGINE = MergeTree ORDER BY k")
    # What is written takes its time.
    http.ok(f"CREATE MATERIALIZED VIEW {table}_slow ENGINE = Null AS SELECT sleep(0.5) AS slept, k FROM {table}")
    http.ok(f"INSERT INTO {table} VALUES (1)", **WAITS)
    http.ok("SYSTEM FLUSH ASYNC INSERT QUEUE", log_comment=table)
    http.ok("SYSTEM FLUSH LOGS")
    waited = "ProfileEvents['WallLockMicroseconds'] > 250000, ProfileEvents['WallUnattributedMicroseconds'] < 50000"
    assert http.ok(f"SELECT {waited} FROM system.query_log WHERE type = 'QueryFinish' AND log_comment = '{table}'") == "1\t1\n"
    http.ok(f"DROP TABLE {table}_slow")
