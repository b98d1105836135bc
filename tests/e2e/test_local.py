"""`gristmill local` behaves as `clickhouse local` does."""

import re
import signal
import subprocess
import time

import pytest
from runner import BINARY, environment, gristmill
from terminal import Terminal


def test_several_statements_in_one_query():
    assert gristmill("SELECT 1; SELECT 2;\n-- a comment\nSELECT ';'").ok().out == "1\n2\n;\n"


def test_several_queries():
    assert gristmill("CREATE TABLE t (a UInt8) ENGINE = Memory", "INSERT INTO t VALUES (1), (2)", "SELECT sum(a) FROM t").ok().value == "3"


@pytest.mark.parametrize("target", ["t", "m", "FUNCTION null('a UInt64')", "FUNCTION file('{}/out.csv', CSV, 'a UInt64')"])
def test_rows_that_were_written_are_counted_once(target, tmp_path):
    answer = gristmill(
        "CREATE TABLE t (a UInt64) ENGINE = MergeTree ORDER BY a",
        "CREATE TABLE m (a UInt64) ENGINE = Memory",
        f"INSERT INTO {target.format(tmp_path)} SELECT number FROM numbers(10)",
        "SELECT written_rows, ProfileEvents['InsertedRows'] FROM system.query_log WHERE type = 'QueryFinish' AND query_kind = 'Insert'",
    )
    assert answer.ok().rows == [["10", "10"]]


def test_first_error_ends_it_and_is_the_exit_code():
    answer = gristmill("SELECT 1; SELECT nope; SELECT 2")
    assert answer.out == "1\n" and answer.code == 47 and answer.error == (47, "UNKNOWN_IDENTIFIER")
    assert gristmill("SELECT 1; SELECT nope; SELECT 2", flags=["--ignore-error"]).out == "1\n2\n"


def test_errors_are_shown_with_the_calls_that_led_to_them():
    plain, shown = gristmill("SELECT throwIf(1)"), gristmill("SELECT throwIf(1)", flags=["--stacktrace"])
    assert "Stack trace" not in plain.err and shown.code == plain.code == 139, shown
    assert re.search(r"Stack trace .*:\n\n0\. \S.* @ 0x[0-9a-f]{16}\n", shown.err), shown


def test_file_of_queries(tmp_path):
    (tmp_path / "q.sql").write_text("SELECT 1;\nSELECT 'two'; -- the end\n")
    assert gristmill(flags=["--queries-file", tmp_path / "q.sql"]).ok().out == "1\ntwo\n"


def test_queries_on_standard_input():
    assert gristmill(stdin=b"SELECT 1;\nSELECT 2").ok().out == "1\n2\n"


def test_data_on_standard_input_is_the_table():
    flags = ["--structure", "a Int32, b String", "--input-format", "CSV"]
    assert gristmill("SELECT b, a + 1 FROM table ORDER BY a", stdin=b"1,x\n2,y\n", flags=flags).ok().rows == [["x", "2"], ["y", "3"]]
    guessed = gristmill("SELECT sum(a) FROM table", stdin=b'{"a": 1}\n{"a": 41}\n', flags=["--input-format", "JSONEachRow"])
    assert guessed.ok().value == "42"


@pytest.mark.parametrize(
    ("contents", "rows"),
    [
        ("a,b\n1,x\n2,y\n", [["1", "x"], ["2", "y"]]),
        ("1\tx\n2\ty\n", [["1", "x"], ["2", "y"]]),
        ('{"a": 1}\n{"a": 2}\n', [["1"], ["2"]]),
        ('[{"a": 1}, {"a": 2}]', [["1"], ["2"]]),
        ("(1, 'x'), (2, 'y')", [["1", "x"], ["2", "y"]]),
        ("a=1\tb=x\na=2\tb=y\n", [["1", "x"], ["2", "y"]]),
    ],
)
def test_data_without_a_format_tells_its_own(contents, rows, tmp_path):
    assert gristmill("SELECT * FROM table", stdin=contents.encode()).ok().rows == rows
    (tmp_path / "data").write_text(contents)
    assert gristmill(f"SELECT * FROM file('{tmp_path}/data')").ok().rows == rows
    (tmp_path / "nothing").write_text("")
    assert gristmill(f"SELECT * FROM file('{tmp_path}/nothing')").error == (715, "CANNOT_DETECT_FORMAT")


def test_a_file_stands_where_a_table_may(tmp_path):
    for name, rows in (("a.csv", "a,b\n1,x\n"), ("b.csv", "a,b\n2,y\n")):
        (tmp_path / name).write_text(rows)
    assert gristmill("SELECT * FROM 'a.csv'", cwd=tmp_path).ok().rows == [["1", "x"]]
    assert gristmill('SELECT t.b FROM "a.csv" AS t', cwd=tmp_path).ok().value == "x"
    assert gristmill("SELECT sum(a) FROM `*.csv`", cwd=tmp_path).ok().value == "3"
    assert gristmill(f"SELECT a.b, b.b FROM '{tmp_path}/a.csv' AS a CROSS JOIN '{tmp_path}/b.csv' AS b").ok().rows == [["x", "y"]]
    assert [row[0] for row in gristmill("DESCRIBE TABLE 'a.csv'", cwd=tmp_path).ok().rows] == ["a", "b"]
    assert gristmill("SELECT * FROM 'c.csv'", cwd=tmp_path).error == (60, "UNKNOWN_TABLE")
    of_table = ["CREATE TABLE `a.csv` (n UInt8) ENGINE = Memory", "INSERT INTO `a.csv` VALUES (7)", "SELECT n FROM `a.csv`"]
    assert gristmill(*of_table, cwd=tmp_path).ok().value == "7"


def test_a_query_may_stand_by_itself(tmp_path):
    def run(*words):
        done = subprocess.run([BINARY, "local", *words], cwd=tmp_path, env=environment(), stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
        return done.returncode, done.stdout

    assert run("SELECT 1; SELECT 2") == (0, "1\n2\n")
    (tmp_path / "my query.sql").write_text("SELECT 3")
    assert run("my query.sql") == (0, "3\n")
    assert run("no_such_file")[0] == 76


def test_an_expression_is_a_query():
    assert gristmill("1 + 1; count() FROM numbers(5); FROM numbers(2)").ok().out == "2\n5\n0\n1\n"
    assert gristmill("1 + 1", flags=["--implicit_select=0"]).error == (62, "SYNTAX_ERROR")
    assert gristmill("SELECT 1 +").error == (62, "SYNTAX_ERROR")


def test_options_that_clickhouse_local_has_too():
    flags = ["--logger.level=error", "--logger.console", "--hardware-utilization", "--highlight", "0", "--progress-table=off"]
    assert gristmill("SELECT 1", flags=[*flags, "--no-system-tables", "--only-system-tables", "--disable_suggestion"]).ok().value == "1"
    assert gristmill("SELECT 1", flags=["--log-level", "none"]).ok().value == "1"
    assert gristmill("SELECT queryID()", flags=["--query_id", "mine"]).ok().value == "mine"
    assert gristmill("SELECT 1", flags=["--pager", "cat -n"]).ok().out.split() == ["1", "1"]
    assert gristmill("SELECT 1", flags=["--memory-usage"]).err.strip().isdigit()
    assert gristmill("SELECT 1 AS a", flags=["--vertical", "--format", "JSONEachRow"]).ok().out == '{"a":1}\n'
    assert gristmill("exit").ok().out == ""


def test_values_on_standard_input_are_expressions(data):
    gristmill("CREATE TABLE t (a Int32, b String DEFAULT 'z') ENGINE = MergeTree ORDER BY a", path=data).ok()
    gristmill("INSERT INTO t VALUES", stdin=b"(1 + 1, upper('x')), (3, DEFAULT);\n", path=data).ok()
    assert gristmill("SELECT * FROM t ORDER BY a", path=data).ok().rows == [["2", "X"], ["3", "z"]]


def test_data_on_standard_input_of_an_insert(data):
    gristmill("CREATE TABLE t (a Int32, b String) ENGINE = MergeTree ORDER BY a", path=data).ok()
    gristmill("INSERT INTO t FORMAT CSV", stdin=b"1,x\n2,y\n", path=data).ok()
    gristmill("INSERT INTO t SELECT a * 10, b FROM input('a Int32, b String') FORMAT TSV", stdin=b"3\tz\n", path=data).ok()
    assert gristmill("SELECT * FROM t ORDER BY a", path=data).ok().rows == [["1", "x"], ["2", "y"], ["30", "z"]]


@pytest.mark.parametrize(
    ("flags", "out"),
    [
        (["--format", "CSV"], '1,"x"\n'),
        (["--format", "JSONEachRow"], '{"a":1,"b":"x"}\n'),
        (["--output-format", "TSVWithNames"], "a\tb\n1\tx\n"),
        (["--vertical"], "Row 1:\n──────\na: 1\nb: x\n"),
        ([], "1\tx\n"),
    ],
)
def test_format_of_results(flags, out):
    assert gristmill("SELECT 1 AS a, 'x' AS b", flags=flags).ok().out.rstrip("\n") == out.rstrip("\n")


def test_parameters_and_settings_are_flags():
    answer = gristmill(
        "SELECT {x:UInt8} + 1, {name:String}, getSetting('max_threads'), getSetting('max_block_size')",
        flags=["--param_x", "41", "--param_name=it's", "--max_threads", "4", "--max-block-size=100"],
    )
    assert answer.ok().rows == [["42", "it\\'s", "4", "100"]]


def test_tables_last_with_a_path_only(data):
    gristmill("CREATE TABLE t (a UInt8) ENGINE = MergeTree ORDER BY a", "INSERT INTO t VALUES (7)", path=data).ok()
    assert gristmill("SELECT a FROM t", path=data).ok().value == "7"
    assert gristmill("SELECT a FROM t").error == (60, "UNKNOWN_TABLE")


def test_a_url_is_no_folder_of_the_data(tmp_path):
    assert gristmill("SELECT 1", path="s3://bucket/data", cwd=tmp_path).error == (36, "BAD_ARGUMENTS")
    assert list(tmp_path.iterdir()) == []


def test_result_into_a_file(tmp_path):
    gristmill("SELECT number AS n FROM numbers(3) INTO OUTFILE 'out.csv'", cwd=tmp_path).ok()
    assert (tmp_path / "out.csv").read_text().splitlines() == ["0", "1", "2"]
    again = gristmill("SELECT 1 INTO OUTFILE 'out.csv'", cwd=tmp_path)
    assert again.error == (76, "CANNOT_OPEN_FILE") and (tmp_path / "out.csv").read_text().startswith("0")
    gristmill("SELECT 1 INTO OUTFILE 'out.csv' TRUNCATE", cwd=tmp_path).ok()
    assert (tmp_path / "out.csv").read_text() == "1\n"
    shown = gristmill("SELECT 2 INTO OUTFILE 'out.csv' APPEND AND STDOUT", cwd=tmp_path).ok()
    assert shown.value == "2" and (tmp_path / "out.csv").read_text() == "1\n2\n"


def test_reader_that_goes_away_is_no_error():
    process = subprocess.Popen([BINARY, "local", "-q", "SELECT number FROM numbers(100000000)"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, env=environment())
    process.stdout.read(10)
    process.stdout.close()
    assert process.wait(30) == 0 and process.stderr.read() == b""
    process.stderr.close()


@pytest.fixture
def prompt(tmp_path):
    terminal = Terminal("local", cwd=tmp_path, history=tmp_path / "history")
    terminal.expect(r":\) ")
    return terminal


def test_prompt_shows_results_and_their_summary(prompt, tmp_path):
    prompt.type("SELECT number, 'x' FROM numbers(5);\r")
    text = prompt.expect(r"5 rows in set\. Elapsed: \d+\.\d{3} sec\.")
    assert "┌─number─┬" in text and "4." in text
    prompt.expect(r":\) ")
    prompt.type("SELECT sum(number) FROM numbers(3000000);\r")
    text = prompt.expect(r"Peak memory usage: \d+(\.\d+)? [KMG]?i?B\.")
    assert re.search(r"1 row in set\. Elapsed: \d+\.\d{3} sec\. Processed 3\.00 million rows, 24\.0\d MB \([\d.]+ \w+ rows/s\., [\d.]+ [MG]B/s\.\)", text), text
    prompt.expect(r":\) ")
    prompt.type("exit\r")
    assert prompt.end() == 0
    assert "SELECT sum(number)" in (tmp_path / "history").read_text()


def test_prompt_goes_on_after_an_error(prompt):
    prompt.type("SELECT nope;\r")
    prompt.expect(r"UNKNOWN_IDENTIFIER")
    prompt.expect(r":\) ")
    prompt.type("SELECT 40 +\r")
    prompt.expect(r":-\] ")
    prompt.type("2 AS answer;\r")
    prompt.expect(r"42 │")
    prompt.expect(r":\) ")
    prompt.type("\x04")
    assert prompt.end() == 0


def test_prompt_completes(prompt):
    prompt.type("SELECT lengthUT\t('жж') AS l;\r")
    prompt.expect(r"2 │")
    prompt.type("exit\r")
    assert prompt.end() == 0


LONG = "SELECT sum(cityHash64(number, toString(number))) FROM numbers(100000000000)"


def test_ctrl_c_cancels_the_query_and_not_the_prompt(prompt):
    prompt.type(f"{LONG};\r")
    prompt.expect(r"rows")
    time.sleep(0.5)
    prompt.type("\x03")
    prompt.expect(r"QUERY_WAS_CANCELLED", seconds=10)
    prompt.expect(r":\) ")
    prompt.type("SELECT 41 + 1 AS after;\r")
    prompt.expect(r"42 │")
    prompt.type("exit\r")
    assert prompt.end() == 0


def test_ctrl_c_without_a_prompt(tmp_path):
    process = subprocess.Popen([BINARY, "local", "-q", LONG], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment())
    time.sleep(1.5)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=20)
    assert process.returncode == 394 % 256 and b"QUERY_WAS_CANCELLED" in errors, errors


def test_progress_and_summary_on_a_terminal(tmp_path):
    terminal = Terminal("local", "-q", "SELECT count() FROM numbers(200000000) WHERE cityHash64(number) % 7 = 0", cwd=tmp_path, history=tmp_path / "h")
    text = terminal.expect(r"1 row in set\. Elapsed: [\d.]+ sec\. Processed 200\.00 million rows, 1\.6\d GB", seconds=200)
    assert re.search(r"[\d.]+ million rows, [\d.]+ [MG]B \([\d.]+ \w+ rows/s\., [\d.]+ [MG]B/s\.\)", text), text
    terminal.end()


def test_log_of_queries_and_events():
    answer = gristmill(
        "SELECT sum(number) FROM numbers(1000) SETTINGS log_comment = 'marked'",
        "SELECT type, read_rows, result_rows, query_kind, exception_code FROM system.query_log WHERE log_comment = 'marked' AND type = 'QueryFinish'",
        "SELECT value > 0 FROM system.events WHERE event = 'SelectQuery'",
    )
    assert answer.ok().rows == [["499500"], ["QueryFinish", "1000", "1", "Select", "0"], ["1"]]
    failed = gristmill("SELECT nope", "SELECT type, exception_code FROM system.query_log WHERE exception_code != 0", flags=["--ignore-error"])
    assert failed.rows == [["ExceptionBeforeStart", "47"]]


def test_queries_that_cannot_be_planned_are_counted_as_such():
    counted = "SELECT arraySort(groupArray((event, value))) FROM system.events WHERE event IN ('Query', 'InsertQuery', 'FailedQuery', 'FailedSelectQuery', 'FailedInsertQuery')"
    failed = gristmill("SELECT nope", "INSERT INTO nope SELECT 1", "DROP TABLE nope", "SELEKT 1", counted, flags=["--ignore-error"])
    assert failed.rows == [["[('FailedInsertQuery',1),('FailedQuery',4),('FailedSelectQuery',1),('InsertQuery',1),('Query',4)]"]]


def test_virtual_columns_are_described(data, tmp_path):
    shown = "describe_include_virtual_columns = 1"
    gristmill(
        "CREATE TABLE t (k UInt32, a Array(UInt8)) ENGINE = MergeTree ORDER BY k",
        "CREATE TABLE m (_table String) ENGINE = Memory",
        "CREATE TABLE s AS t",
        "CREATE MATERIALIZED VIEW v TO t AS SELECT * FROM s",
        path=data,
    ).ok()
    rows = gristmill(f"DESCRIBE t SETTINGS {shown}", path=data).ok().rows
    assert [row[:2] + row[-1:] for row in rows[:2]] == [["k", "UInt32", "0"], ["a", "Array(UInt8)", "0"]]
    virtual = {row[0]: row for row in rows[2:]}
    assert all(row[-1] == "1" for row in virtual.values()) and virtual["_part"][4] == "Name of the part"
    wanted = {"_part", "_partition_id", "_part_offset", "_part_index", "_part_uuid", "_sample_factor", "_row_exists", "_block_number", "_table", "_database"}
    assert wanted <= set(virtual)
    # What is told can be asked for.
    gristmill(f"SELECT {', '.join(virtual)} FROM t", path=data).ok()
    assert [row[0] for row in gristmill(f"DESCRIBE v SETTINGS {shown}", path=data).ok().rows] == [row[0] for row in rows]
    # A column of the table's own is none.
    assert gristmill(f"DESCRIBE m SETTINGS {shown}, describe_compact_output = 1", path=data).ok().rows == [["_table", "String", "0"], ["_database", "LowCardinality(String)", "1"]]
    parts = gristmill(f"DESCRIBE t SETTINGS {shown}, describe_include_subcolumns = 1", path=data).ok().rows
    assert parts[-1][0] == "a.size0" and parts[-1][-2:] == ["1", "0"] and parts[2][-2:] == ["0", "1"]
    file = gristmill("INSERT INTO FUNCTION file('x.csv', 'CSV', 'a UInt8') VALUES (1)", f"DESCRIBE file('x.csv', 'CSV', 'a UInt8') SETTINGS {shown}", cwd=tmp_path).ok().rows
    assert file[0][0] == "a" and {"_path", "_file", "_size", "_time"} <= {row[0] for row in file[1:] if row[-1] == "1"}
    assert len(gristmill(f"DESCRIBE (SELECT 1 AS a) SETTINGS {shown}", path=data).ok().rows) == 1
    assert len(gristmill("DESCRIBE t", path=data).ok().rows[0]) == 7
