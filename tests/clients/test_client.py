"""`gristmill client` against a server, as people and scripts use clickhouse-client."""

import gzip
import os
import re
import subprocess

import pytest
from client_process import environment

VALUES = [
    "-5 :: Int8, 18446744073709551615 :: UInt64, 1.5, 0.1 :: Float32, CAST('12.50', 'Decimal(9, 2)'), true",
    "'Grüße', '', '\\xFF\\x00 bytes', toFixedString('ab', 3), toUUID('61f0c404-5cb3-11e7-907b-a6006ad3dba0')",
    "toDate('2024-02-29'), toDateTime('2024-02-29 23:59:59', 'UTC'), toDateTime64('2024-01-15 12:30:45.123', 3, 'Asia/Tokyo')",
    "[1, 2], [], [[1], []], (1, 'a'), map('k', [1]), CAST(NULL, 'Nullable(Int32)'), NULL",
    "toIPv4('1.2.3.4'), toIPv6('::1'), CAST('a', 'Enum8(\\'a\\' = 1)'), CAST('x', 'LowCardinality(Nullable(String))')",
    "toInt256('-170141183460469231731687303715884105729'), toUInt128(7), INTERVAL 3 DAY",
    "CAST([(1, 'a')], 'Nested(a UInt8, b LowCardinality(String))'), CAST([], 'Array(Nested(a Nested(b UInt8)))')",
]


@pytest.mark.parametrize("compression", ["0", "1"])
@pytest.mark.parametrize("values", VALUES)
def test_values_of_every_type_are_those_of_http(client, http, values, compression):
    for format in ("TSV", "JSONCompactEachRow", "Native"):
        query = f"SELECT {values} FORMAT {format}"
        got = subprocess.run(client.line("--port", client.port, "--compression", compression, "-q", query), capture_output=True, env=environment(client.home))
        assert (got.returncode, got.stderr) == (0, b"")
        assert got.stdout == http(query).body


@pytest.mark.parametrize("compression", ["0", "1"])
def test_a_million_rows_go_in_and_come_out(client, table, compression):
    flags = ["--compression", compression]
    client(f"CREATE TABLE {table} (k UInt32, s String) ENGINE = MergeTree ORDER BY k", flags=flags).ok()
    data = "".join(f"{k},row {k}\n" for k in range(1_000_000)).encode()
    assert client(f"INSERT INTO {table} FORMAT CSV", flags=flags, data=data).ok() == ""
    out = client(f"SELECT k, s FROM {table} ORDER BY k FORMAT CSV", flags=flags).ok()
    assert out.replace('"', "").encode() == data


def test_settings_of_ones_own_keep_their_type(client):
    shown = "SELECT getSetting('SQL_n') + 1, getSetting('SQL_s')"
    assert client(f"SET SQL_n = 5, SQL_s = 'it''s'; {shown}").ok() == "6\tit\\'s\n"


def test_values_are_expressions(client, table):
    client(
        f"CREATE TABLE {table} (a UInt32, b String DEFAULT concat('b', toString(a)), c Array(UInt8)) ENGINE = MergeTree ORDER BY a",
        f"INSERT INTO {table} VALUES (1 + 1, 'x;', [1, 2]), (3, DEFAULT, []);\nINSERT INTO {table} (a) VALUES (4)",
    ).ok()
    assert client(f"SELECT * FROM {table} ORDER BY a").ok() == "2\tx;\t[1,2]\n3\tb3\t[]\n4\tb4\t[]\n"
    rows = ",".join(f"({k}, 'row ({k}), it''s', [])" for k in range(100_000))
    (client.home / "rows.sql").write_text(f"INSERT INTO {table} VALUES {rows};\nSELECT count() FROM {table};")
    assert client(flags=["--queries-file", "rows.sql"]).ok() == "100003\n"


def test_values_on_standard_input_are_expressions(client, table):
    client(f"CREATE TABLE {table} (a UInt32, b String DEFAULT 'z') ENGINE = MergeTree ORDER BY a").ok()
    client(f"INSERT INTO {table} VALUES", data=b"(1 + 1, upper('x')),\n(3, DEFAULT);\n").ok()
    client(f"INSERT INTO {table} (a) VALUES (4)", data=b"").ok()
    assert client(f"SELECT * FROM {table} ORDER BY a").ok() == "2\tX\n3\tz\n4\tz\n"
    rows = ",".join(f"({k}, 'row {k}')" for k in range(100_000))
    client(f"TRUNCATE TABLE {table}; INSERT INTO {table} VALUES", data=rows.encode()).ok()
    assert client(f"SELECT count(), max(b) FROM {table}").ok() == "100000\trow 99999\n"
    assert client(f"INSERT INTO {table} VALUES", data=b"").code == 108


@pytest.mark.parametrize(
    ("format", "data"),
    [
        ("JSONEachRow", b'{"a": 1}\n{"a": 2, "b": "given"}\n{"b": "c", "a": 3, "d": "2024-01-01"}\n'),
        ("CSV", b"1,,\n2,given,\n3,c,2024-01-01\n"),
        ("TSKV", b"a=1\na=2\tb=given\na=3\tb=c\td=2024-01-01\n"),
    ],
)
def test_fields_that_are_left_out_get_the_tables_defaults(client, table, format, data):
    client(
        f"CREATE TABLE {table} (a UInt32, b String DEFAULT concat('of ', toString(m)), d Date DEFAULT '2000-01-01', m UInt32 MATERIALIZED a * 10) "
        "ENGINE = MergeTree ORDER BY a"
    ).ok()
    client(f"INSERT INTO {table} FORMAT {format}", data=data).ok()
    wanted = "1\tof 10\t2000-01-01\t10\n2\tgiven\t2000-01-01\t20\n3\tc\t2024-01-01\t30\n"
    assert client(f"SELECT a, b, d, m FROM {table} ORDER BY a").ok() == wanted


def test_rows_go_through_a_query(client, table):
    client(f"CREATE TABLE {table} (a UInt32, s String) ENGINE = MergeTree ORDER BY a").ok()
    query = f"INSERT INTO {table} SELECT a * 2, upper(s) FROM input('a UInt32, s String') WHERE a > 1 FORMAT CSV"
    client(query, data=b"1,x\n2,y\n3,z\n").ok()
    client(query + "\n5,w").ok()
    assert client(f"SELECT * FROM {table} ORDER BY a").ok() == "4\tY\n6\tZ\n10\tW\n"


def test_data_may_stand_in_the_statement(client, table):
    client(f"CREATE TABLE {table} (a UInt32, b String) ENGINE = Memory").ok()
    client(f"INSERT INTO {table} FORMAT CSV\n1,x\n2,y").ok()
    client(f"INSERT INTO {table} SETTINGS max_threads = 1 FORMAT JSONEachRow {{\"a\": 3}}").ok()
    client(f"INSERT INTO {table} SELECT 4, 'z'").ok()
    client(f"INSERT INTO {table}", data=b"(5, 'v')").ok()
    assert client(f"SELECT * FROM {table} ORDER BY a").ok() == "1\tx\n2\ty\n3\t\n4\tz\n5\tv\n"


def test_files_are_read_here(client, table):
    client(f"CREATE TABLE {table} (a UInt32, b String DEFAULT 'd') ENGINE = MergeTree ORDER BY a").ok()
    (client.home / "x1.csv").write_text("1,x\n")
    (client.home / "x2.csv.gz").write_bytes(gzip.compress(b"2,y\n"))
    (client.home / "odd").write_bytes(gzip.compress(b'{"a": 3}\n'))
    client(f"INSERT INTO {table} FROM INFILE 'x{{1,2}}.csv*' FORMAT CSV").ok()
    client(f"INSERT INTO {table} FROM INFILE 'odd' COMPRESSION 'gzip' FORMAT JSONEachRow").ok()
    client(f"INSERT INTO {table} (b, a) FROM INFILE 'x1.csv' SETTINGS input_format_csv_detect_header = 0 FORMAT CSV", flags=["--ignore-error"])
    client("SELECT 9 AS a, 'p' AS b INTO OUTFILE 'nine.parquet'", f"INSERT INTO {table} FROM INFILE 'nine.parquet'").ok()
    assert client(f"SELECT * FROM {table} ORDER BY a").ok() == "1\tx\n2\ty\n3\td\n9\tp\n"
    missing = client(f"INSERT INTO {table} FROM INFILE 'none*.csv' FORMAT CSV")
    assert missing.code == 107 and "FILE_DOESNT_EXIST" in missing.err


def test_rows_that_cannot_be_read_insert_nothing_and_the_connection_goes_on(client, table):
    client(f"CREATE TABLE {table} (a UInt32) ENGINE = MergeTree ORDER BY a").ok()
    data = "".join(f"{k}\n" for k in range(200_000)) + "oops\n"
    (client.home / "bad.csv").write_text(data)
    script = ("CREATE TEMPORARY TABLE kept (x UInt8)", f"INSERT INTO {table} FROM INFILE 'bad.csv' FORMAT CSV", f"SELECT count() FROM {table}", "SELECT count() FROM kept")
    answer = client(*script, flags=["--ignore-error"])
    assert answer.out == "0\n0\n" and answer.code == 117 and "oops" in answer.err


def test_a_server_that_refuses_rows_keeps_the_connection(client, table):
    client(f"CREATE TABLE {table} (a UInt32, p UInt32) ENGINE = MergeTree ORDER BY a PARTITION BY p").ok()
    (client.home / "many.csv").write_text("".join(f"{k},{k}\n" for k in range(3000)))
    insert = f"INSERT INTO {table} SETTINGS max_partitions_per_insert_block = 10 FORMAT CSV"
    (client.home / "script.sql").write_text(f"CREATE TEMPORARY TABLE kept (x UInt8);\nINSERT INTO {table} FROM INFILE 'many.csv' SETTINGS max_partitions_per_insert_block = 10 FORMAT CSV;\nSELECT count() FROM kept;")
    answer = client(flags=["--ignore-error", "--queries-file", "script.sql"])
    assert answer.out == "0\n" and answer.code == 252 and "Received from" in answer.err
    assert client(insert, data=b"1,1\n").ok() == ""


def test_parameters_and_settings(client):
    query = "SELECT {x:UInt8} + 1, {name:String}, {none:Nullable(String)}, getSetting('max_threads'), getSetting('max_block_size')"
    flags = ["--param_x", "41", "--param_name=it's \\\\ \\t", "--param_none", "\\N", "--max_threads", "4", "--max-block-size=100"]
    assert client(query, flags=flags).ok() == "42\tit\\'s \\\\ \\t\t\\N\t4\t100\n"
    assert client("SET max_threads = 3", "SELECT getSetting('max_threads')", "SET param_y = 'z'", "SELECT {y:String}").ok() == "3\nz\n"
    unknown = client("SELECT 1", flags=["--no_such_setting=5"])
    assert unknown.code == 115 and "Received from" in unknown.err and "no_such_setting" in unknown.err
    # What concerns formats is done on this side.
    assert client("SELECT 1.0 AS a FORMAT JSONEachRow SETTINGS output_format_json_quote_64bit_integers = 1").ok() == '{"a":1}\n'
    assert client("SELECT 1 :: UInt64 AS a FORMAT JSONEachRow", flags=["--output_format_json_quote_64bit_integers=1"]).ok() == '{"a":"1"}\n'


def test_errors_and_exit_codes(client, server):
    answer = client("SELECT 1", "SELECT * FROM no_such_table", "SELECT 2")
    assert answer.out == "1\n" and answer.code == 60
    assert re.match(rf"Code: 60\. DB::Exception: Received from localhost:{server.tcp_port}\. DB::Exception: .*no_such_table.* \(UNKNOWN_TABLE\)\n$", answer.err), answer
    answer = client("SELECT 1; SELEC; SELECT throwIf(1); SELECT 2", flags=["--ignore-error"])
    assert answer.out == "1\n2\n" and answer.code == 62 and "Code: 395" in answer.err
    assert client("SELECT toUInt8('x')").code == 6
    assert client("SELECT 1 FORMAT NoSuch").code == 73


def test_errors_of_the_server_are_shown_with_its_calls(client):
    plain, shown = client("SELECT throwIf(1)"), client("SELECT throwIf(1)", flags=["--stacktrace"])
    assert plain.code == shown.code == 139 and "Stack trace" not in plain.err, plain
    assert re.search(r"Stack trace:\n\n0\. \S.* @ 0x[0-9a-f]{16}\n[^)]*\. \(FUNCTION_THROW_IF_VALUE_IS_NON_ZERO\)\n$", shown.err, re.DOTALL), shown


def test_errors_that_nobody_reads_any_more_end_with_their_code(client):
    read, write = os.pipe()
    os.close(read)
    process = client.start("--stacktrace", "-q", "SELECT throwIf(1)", stderr=write)
    os.close(write)
    assert process.wait(60) == 139


def test_statements_of_a_script_end_vertically_one_by_one(client):
    script = b"SELECT 1 AS a\\G\nSELECT 2;\nSELECT 3 AS b\\G"
    row = "Row 1:\n\u2500\u2500\u2500\u2500\u2500\u2500\n"
    assert client.bare("--port", client.port, data=script).ok() == f"{row}a: 1\n2\n{row}b: 3\n"


def test_configurations(client):
    (client.home / "c.xml").write_text(
        f"<config><host>127.0.0.1</host><port>{client.port}</port><max_threads>5</max_threads>"
        f"<connections_credentials><connection><name>sys</name><hostname>127.0.0.1</hostname><port>{client.port}</port><database>system</database></connection>"
        "</connections_credentials></config>"
    )
    query = "SELECT currentDatabase(), getSetting('max_threads')"
    assert client.bare("-C", "c.xml", "-q", query).ok() == "default\t5\n"
    assert client.bare("-C", "c.xml", "--connection", "sys", "--max_threads=6", "-q", query).ok() == "system\t6\n"
    assert client.bare("-C", "c.xml", "--host", "sys", "-q", query).ok() == "system\t5\n"
    assert client.bare("-C", "c.xml", "--connection", "none", "-q", query).code == 139
    folder = client.home / ".clickhouse-client"
    folder.mkdir()
    (folder / "config.yaml").write_text(f"# mine\nhost: 127.0.0.1\nport: {client.port}\nuser: 'default'\nmax_threads: 7\n")
    assert client.bare("-q", query).ok() == "default\t7\n"
    (client.home / "clickhouse-client.xml").write_text(f"<config><port>{client.port}</port><max_threads>8</max_threads></config>")
    assert client.bare("-q", query).ok() == "default\t8\n"
    assert client.bare("-C", "nowhere.xml", "-q", query).code == 76


def test_databases(client):
    assert client("SELECT currentDatabase()", flags=["-d", "system"]).ok() == "system\n"
    assert client("USE system", "SELECT currentDatabase()").ok() == "system\n"
    missing = client("SELECT 1", flags=["--database", "no_such_database"])
    assert missing.code == 81 and "UNKNOWN_DATABASE" in missing.err


@pytest.mark.parametrize(
    ("flags", "out"),
    [
        (["--format", "CSV"], '1,"x"\n'),
        (["-f", "JSONEachRow"], '{"a":1,"b":"x"}\n'),
        (["--output_format", "TSVWithNames"], "a\tb\n1\tx\n"),
        (["-E"], "Row 1:\n──────\na: 1\nb: x\n"),
        ([], "1\tx\n"),
    ],
)
def test_formats_of_results(client, flags, out):
    assert client("SELECT 1 AS a, 'x' AS b", flags=flags).ok().rstrip("\n") == out.rstrip("\n")


def test_totals_extremes_and_vertical(client):
    query = "SELECT number % 2 AS k, count() AS c FROM numbers(5) GROUP BY k WITH TOTALS ORDER BY k"
    out = client(query + " FORMAT JSON", flags=["--extremes", "1"]).ok()
    assert '"totals":' in out and '"extremes":' in out and '"max":' in out
    assert client("SELECT 1 AS one\\G").ok().startswith("Row 1:\n")


def test_results_into_files(client):
    client("SELECT number AS n FROM numbers(3) INTO OUTFILE 'out.csv'").ok()
    assert (client.home / "out.csv").read_text().splitlines() == ["0", "1", "2"]
    assert client("SELECT 1 INTO OUTFILE 'out.csv'").code == 76
    client("SELECT 7 INTO OUTFILE 'out.csv' TRUNCATE FORMAT TSV").ok()
    assert (client.home / "out.csv").read_text() == "7\n"
    client("SELECT 1 INTO OUTFILE 'z.tsv.gz'").ok()
    assert gzip.decompress((client.home / "z.tsv.gz").read_bytes()) == b"1\n"


def test_scripts_on_standard_input_echo_and_time(client):
    assert client.bare("--port", client.port, data=b"SELECT 1;\n-- a comment\nSELECT ';'").ok() == "1\n;\n"
    assert client("SELECT 1", flags=["--echo"]).ok() == "SELECT 1\n1\n"
    assert re.fullmatch(r"\d+\.\d{3}\n", client("SELECT 1", flags=["--time"]).err)
    assert client.bare("--version").ok().startswith("gristmill")
    assert "--host" in client.bare("--help").ok()
    assert client.bare("what").code == 36


def test_query_id_and_log_of_the_query(client, http):
    assert client("SELECT queryID()", flags=["--query_id", "my-id"]).ok() == "my-id\n"
    answer = client("SELECT 1", flags=["--send_logs_level", "debug", "--query_id", "logged"])
    assert answer.code == 0 and answer.out == "1\n"
    assert re.search(r"^\[.*\] \d{4}\.\d\d\.\d\d \d\d:\d\d:\d\d\.\d{6} \[ \d+ \] \{logged\} <Debug> executeQuery: .*SELECT 1$", answer.err, re.M), answer


def test_progress_tells_memory(client):
    answer = client("SELECT count() FROM numbers(300000000) WHERE cityHash64(number) % 7 = 0", flags=["--progress=err"])
    assert re.search(r"Progress: [\d.]+ million rows, .*RAM\)", answer.err), answer


def test_dates_are_shown_in_the_servers_zone(client):
    query = "SELECT toDateTime(0), formatDateTime(toDateTime(0), '%H')"
    assert client(query, env={"TZ": "Asia/Tokyo"}).ok() == "1970-01-01 00:00:00\t00\n"
    assert client(query, env={"TZ": "Asia/Tokyo"}, flags=["--use_client_time_zone"]).ok() == "1970-01-01 09:00:00\t00\n"
    assert client(query, flags=["--session_timezone", "Europe/Berlin"]).ok() == "1970-01-01 01:00:00\t01\n"


def test_options_of_clickhouse_client_that_have_no_effect_or_are_refused(client):
    flags = ["--highlight", "0", "--history_max_entries=7", "--hardware-utilization", "--stacktrace", "--max_memory_usage_in_client=1G"]
    assert client("SELECT 1", flags=flags).ok() == "1\n"
    answer = client("SELECT 1", flags=["--file=-", "--name=t"])
    assert answer.code == 48 and "--external" in answer.err
    answer = client("SELECT 1", flags=["--memory-usage"])
    assert answer.out == "1\n" and answer.err.strip().isdigit()


def test_a_query_ends_at_a_stage(client):
    def given(query: str, stage: str) -> list[str]:
        return client(query, flags=["--stage", stage, "--format", "TSVWithNamesAndTypes"]).ok().split("\n")

    sums = "SELECT sum(number) AS s FROM numbers(4) GROUP BY number % 2 HAVING s > 100"
    names = ["modulo(__table1.number, 2_UInt8)\tsum(__table1.number)", "UInt8\tAggregateFunction(sum, UInt64)"]
    assert given(sums, "with_mergeable_state")[:2] == names
    assert given("SELECT number + 1 FROM numbers(2) WHERE number > 0", "fetch_columns") == ["__table1.number", "UInt64", "0", "1", ""]
    assert given("SELECT 1 AS foo", "with_mergeable_state_after_aggregation") == ["1_UInt8", "UInt8", "1", ""]
    limited = given("SELECT number FROM numbers(9) LIMIT 1 OFFSET 1", "with_mergeable_state_after_aggregation_and_limit")
    assert limited == ["__table1.number", "UInt64", "0", "1", ""]
    assert given("SELECT 1 AS foo", "complete") == ["foo", "UInt8", "1", ""]
    assert client("SELECT 1", flags=["--stage", "half"]).code != 0


def test_a_format_goes_over_vertical_and_a_host_may_have_its_port(client):
    assert client("SELECT 1 AS a", flags=["--vertical", "--format", "JSONEachRow"]).ok() == '{"a":1}\n'
    assert client.bare("--host", f"localhost:{client.port}", "-q", "SELECT 1").ok() == "1\n"
    assert client("SELECT 1", flags=["--enable-progress-table-toggle", "0"]).ok() == "1\n"
    assert client("quit;").ok() == ""


def test_external_tables_are_sent_along_with_each_statement(client, tmp_path):
    (tmp_path / "names.csv").write_text('1,"one"\n3,"three"\n')
    flags = ["--external", "--file=names.csv", "--name=names", "--format", "CSV", "--structure=id UInt64, name String"]
    flags += ["--external", "--file=-", "--types=UInt64, Nullable(String)"]
    query = "SELECT name, _2 FROM names JOIN _data ON id = _1 ORDER BY id"
    answer = client(query, "SELECT count() FROM _data", flags=flags, data=b"1\ta\n2\tb\n3\t\\N\n")
    assert answer.ok() == "one\ta\nthree\t\\N\n3\n"
    (tmp_path / "empty").write_text("")
    assert client("SELECT count() FROM t", flags=["--external", "--file=empty", "--name=t", "--types=UInt8"]).ok() == "0\n"
    assert client("SELECT 1", flags=["--external", "--file=names.csv"]).code == 36
    assert client("SELECT 1", flags=["--external", "--types=UInt8"]).code == 36
    assert client("SELECT 1", flags=["--external", "--file=no_such_file", "--types=UInt8"]).code == 76
    wrong = client("SELECT 1", flags=["--external", "--file=names.csv", "--format=CSV", "--types=UInt8,UInt8"])
    assert wrong.code != 0 and "external table _data" in wrong.err


def test_what_a_query_counts_is_written(client):
    answer = client("SELECT sum(number) FROM numbers(1000)", flags=["--print-profile-events", "--profile-events-delay-ms=-1"])
    assert answer.code == 0 and answer.out == "499500\n"
    lines = re.findall(r"^\[.*\] \d{4}\.\d\d\.\d\d \d\d:\d\d:\d\d \[ \d+ \] (\w+): (\d+) \((?:increment|gauge)\)$", answer.err, re.M)
    names = [name for name, _ in lines]
    assert "SelectQuery" in names and len(names) == len(set(names)), answer.err
    every = client("SELECT 1", flags=["--print-profile-events"])
    assert "SelectQuery: 1 (increment)" in every.err


def test_rows_that_were_processed_are_counted(client):
    assert client("SELECT number FROM numbers(3)", flags=["--processed-rows"]).ok() == "0\n1\n2\nProcessed rows: 3\n"


def test_results_go_through_a_pager(client):
    assert client("SELECT 'a'", flags=["--pager", "tr a b"]).ok() == "b\n"
    assert client("SELECT number FROM numbers(100000)", flags=["--pager", "head -n 1"]).ok() == "0\n"


def test_lines_of_the_servers_log_go_into_a_file(client):
    client("SELECT 1", flags=["--send_logs_level=information", "--server_logs_file=server.log"]).ok()
    assert "<Information>" in (client.home / "server.log").read_text()


def test_format_and_vertical_of_the_configuration(client):
    (client.home / "c.xml").write_text("<config><format>CSV</format></config>")
    assert client("SELECT 1, 'a'", flags=["--config", "c.xml"]).ok() == '1,"a"\n'
    assert client("SELECT 1, 'a'", flags=["--config-file", "c.xml", "--format", "TSV"]).ok() == "1\ta\n"
    (client.home / "c.xml").write_text("<config><vertical>1</vertical></config>")
    assert "Row 1:" in client("SELECT 1", flags=["--config", "c.xml"]).ok()


def test_queries_stand_behind_multiquery_and_by_themselves(client):
    port = ("--port", client.port)
    for line in (
        ("--multiquery", "--query", "SELECT 1; SELECT 2"), ("--query", "SELECT 1; SELECT 2", "--multiquery"), ("-nq", "SELECT 1; SELECT 2"),
        ("--multiquery", "SELECT 1; SELECT 2"), ("-n", "SELECT 1; SELECT 2"), ("SELECT 1; SELECT 2",), ("--query", "SELECT 1", "SELECT 2"),
    ):
        assert client.bare(*port, *line).ok() == "1\n2\n", line
    assert client.bare(*port, "nonsense").code == 36


def test_other_options_of_scripts(client):
    (client.home / "c.xml").write_text("<config><format>CSV</format></config>")
    assert client("SELECT 'a'", flags=["-c", "c.xml"]).ok() == '"a"\n'
    trace = "0af7651916cd43dd8448eb211c80319c"
    flags = ["--opentelemetry-traceparent", f"00-{trace}-b7ad6b7169203331-01", "--opentelemetry-tracestate", "a=b"]
    assert client("SELECT 1", "SYSTEM FLUSH LOGS", flags=flags).ok() == "1\n"
    told = client(f"SELECT count() > 0 FROM system.opentelemetry_span_log WHERE hex(trace_id) = upper('{trace}') OR replaceAll(toString(trace_id), '-', '') = '{trace}'")
    assert told.ok() == "1\n"
    assert client("SELECT 1", flags=["--opentelemetry-traceparent", "nonsense"]).code == 36
    assert client("SELECT 1", flags=["--bind_host", "127.0.0.1"]).ok() == "1\n"
    assert client("SELECT 1", flags=["--bind_host", "203.0.113.1"]).code == 210
    assert client("SELECT 1", flags=["--print-num-processed-rows"]).ok() == "1\nProcessed rows: 1\n"
    assert re.fullmatch(r"[\d.]+\n", client.bare("--version-clean").ok())
    assert client("SELECT 1", flags=["--max_client_network_bandwidth", "5000000", "--allow_repeated_settings"]).ok() == "1\n"
    assert client("SELECT 1", flags=["--fake-drop"]).code == 48
