"""What the server tells of its settings and of its build, and older defaults (compatibility)."""

import os

import clickhouse_driver


def test_types_and_defaults_are_those_of_clickhouse(http):
    names = "'max_block_size', 'max_threads', 'max_execution_time', 'join_overflow_mode', 'additional_table_filters', 'max_memory_usage', 'extremes', 'date_time_input_format', 'async_insert_busy_timeout_max_ms'"
    told = http.ok(f"SELECT name, type, default, value = default, changed FROM system.settings WHERE name IN ({names}) ORDER BY name")
    cores = len(os.sched_getaffinity(0))
    assert told == (
        "additional_table_filters\tMap\t{}\t1\t0\n"
        "async_insert_busy_timeout_max_ms\tMilliseconds\t200\t1\t0\n"
        "date_time_input_format\tDateTimeInputFormat\tbest_effort\t1\t0\n"
        "extremes\tBool\t0\t1\t0\n"
        "join_overflow_mode\tOverflowMode\tthrow\t1\t0\n"
        "max_block_size\tNonZeroUInt64\t65409\t1\t0\n"
        "max_execution_time\tSeconds\t0\t1\t0\n"
        "max_memory_usage\tUInt64\t0\t1\t0\n"
        f"max_threads\tMaxThreads\tauto({cores})\t1\t0\n"
    )
    assert http.ok("SELECT value FROM system.settings WHERE name = 'max_threads'", max_threads=f"auto({cores})") == f"auto({cores})\n"
    assert http.ok("SELECT value, changed FROM system.settings WHERE name = 'max_threads'", max_threads=3) == "3\t1\n"
    # Unless it is set, rows flow in smaller batches.
    assert http.ok("SELECT max(blockSize()) FROM numbers(100000)") == "8192\n"
    assert http.ok("SELECT max(blockSize()) FROM numbers(100000)", max_block_size=500) == "500\n"


def test_build_options_tell_what_there_is(http):
    assert http.ok("SELECT name, value FROM system.build_options WHERE name IN ('USE_PARQUET', 'USE_SSL', 'USE_HDFS', 'USE_RDKAFKA') ORDER BY name") == (
        "USE_HDFS\t\nUSE_PARQUET\t1\nUSE_RDKAFKA\t\nUSE_SSL\t1\n"
    )
    assert int(http.ok("SELECT count() FROM system.build_options WHERE name LIKE 'USE\\\\_%'")) > 30


def test_older_defaults_hold_where_nobody_set_another(server, http):
    shown = "SELECT name, value, changed FROM system.settings WHERE name IN ('output_format_json_quote_64bit_integers', 'date_time_input_format', 'async_insert') ORDER BY name"
    assert http.ok(shown, compatibility="24.8") == "async_insert\t0\t1\ndate_time_input_format\tbasic\t1\noutput_format_json_quote_64bit_integers\t1\t1\n"
    assert http.ok(shown, compatibility="25.12") == "async_insert\t0\t1\ndate_time_input_format\tbasic\t1\noutput_format_json_quote_64bit_integers\t0\t0\n"
    assert http.ok(shown) == http.ok(shown, compatibility="26.9")
    assert http.ok(shown, async_insert=1, compatibility="24.8").startswith("async_insert\t1\t1\n")
    assert http.ok("SELECT 1::Int64 AS a FORMAT JSONEachRow SETTINGS compatibility = '25.7'") == '{"a":"1"}\n'
    assert http("SELECT 1", compatibility="old").error == (36, "BAD_ARGUMENTS")
    session = {"session_id": "compatible"}
    http.ok("SET compatibility = '25.7'", **session)
    assert http.ok("SELECT 1::Int64 AS a FORMAT JSONEachRow", **session) == '{"a":"1"}\n'
    http.ok("SET output_format_json_quote_64bit_integers = 0", **session)
    assert http.ok("SELECT 1::Int64 AS a FORMAT JSONEachRow", **session) == '{"a":1}\n'
    http.ok("SET compatibility = ''", **session)
    assert http.ok(shown, **session) == "async_insert\t1\t0\ndate_time_input_format\tbest_effort\t0\noutput_format_json_quote_64bit_integers\t0\t1\n"
    client = clickhouse_driver.Client("127.0.0.1", port=server.tcp_port, settings={"compatibility": "24.8"})
    assert client.execute("SELECT value FROM system.settings WHERE name = 'date_time_input_format'") == [("basic",)]
    client.disconnect()
