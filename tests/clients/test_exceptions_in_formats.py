"""Errors over HTTP within the result's format, how far a query is between its rows, and what cannot be asked for over HTTP."""

import json
import xml.etree.ElementTree as tree

import pytest

FAILS_LATE = "SELECT throwIf(number = 3000000) AS t, repeat('x', 20) AS x FROM numbers(4000000)"
FAILS_AT_ONCE = "SELECT no_such_column FROM numbers(3)"


def message_of(format: str, text: str) -> str:
    match format:
        case "XML":
            return tree.fromstring(text).findtext("exception")
        case "JSON" | "JSONCompact" | "JSONObjectEachRow" | "PrettyJSONEachRow":
            return json.loads(text)["exception"]
        case "JSONCompactEachRow":
            return json.loads(text.splitlines()[-1])[0]
        case _:
            return json.loads(text.splitlines()[-1])["exception"]


@pytest.mark.parametrize(
    "format",
    ["JSON", "JSONCompact", "JSONEachRow", "JSONStringsEachRow", "JSONCompactEachRow", "PrettyJSONEachRow", "JSONObjectEachRow", "JSONEachRowWithProgress", "JSONCompactEachRowWithProgress", "XML"],
)
def test_an_error_before_the_rows_has_its_status_and_its_format(http, format):
    answer = http(f"{FAILS_AT_ONCE} FORMAT {format}", http_write_exception_in_output_format=1)
    assert answer.status == 404 and answer.headers["x-clickhouse-exception-code"] == "47", answer
    assert answer.headers["x-clickhouse-format"] == format
    assert message_of(format, answer.text).startswith("Code: 47. DB::Exception: "), answer


@pytest.mark.parametrize("format", ["JSON", "JSONEachRow", "JSONEachRowWithProgress", "XML"])
def test_an_error_behind_rows_ends_a_document_that_is_whole(http, format):
    answer = http(f"{FAILS_LATE} FORMAT {format}", http_write_exception_in_output_format=1, max_threads=1)
    assert answer.status == 200 and "__exception__" not in answer.text
    assert message_of(format, answer.text).startswith("Code: 395. DB::Exception: ")
    waited = http(f"{FAILS_LATE} FORMAT {format}", http_write_exception_in_output_format=1, max_threads=1, wait_end_of_query=1)
    assert waited.status == 500 and waited.headers["x-clickhouse-exception-code"] == "395"
    assert message_of(format, waited.text).startswith("Code: 395. DB::Exception: ")


def test_other_formats_and_other_requests_have_the_error_as_before(http):
    plain = http(f"{FAILS_AT_ONCE} FORMAT CSV", http_write_exception_in_output_format=1)
    assert (plain.status, plain.error[0]) == (404, 47) and plain.headers["content-type"].startswith("text/plain")
    assert http(f"{FAILS_AT_ONCE} FORMAT JSON").error[0] == 47
    of_query = http(f"{FAILS_AT_ONCE} FORMAT JSON SETTINGS http_write_exception_in_output_format = 1")
    assert json.loads(of_query.text)["exception"].startswith("Code: 47.")
    by_default = http("INSERT INTO no_such_table SELECT 1", default_format="JSON", http_write_exception_in_output_format=1)
    assert by_default.status == 404 and json.loads(by_default.text)["exception"].startswith("Code: 60.")


@pytest.mark.parametrize(("format", "place"), [("JSONEachRowWithProgress", "number"), ("JSONCompactStringsEachRowWithProgress", 0)])
def test_how_far_a_query_is_stands_between_its_rows(http, format, place):
    answer = http(f"SELECT number FROM numbers(1000000) WHERE number % 250000 = 0 FORMAT {format}")
    lines = [json.loads(line) for line in answer.text.splitlines()]
    assert [line["row"][place] for line in lines if "row" in line] in ([0, 250000, 500000, 750000], ["0", "250000", "500000", "750000"])
    told = [line["progress"] for line in lines if "progress" in line]
    assert told and all(isinstance(value, str) for line in told for value in line.values())
    assert [int(line["read_rows"]) for line in told] == sorted({int(line["read_rows"]) for line in told})
    assert told[-1]["read_rows"] == "1000000" and int(told[-1]["elapsed_ns"]) > 0
    assert sum("meta" in line for line in lines) == 1 and "meta" in lines[0]


@pytest.mark.parametrize("format", ["JSONEachRowWithProgress", "JSONStringsEachRowWithProgress", "JSONCompactEachRowWithProgress", "JSONCompactStringsEachRowWithProgress"])
def test_lines_with_progress_stand_in_their_order(http, format):
    query = f"SELECT number % 2 AS k, count() AS n FROM numbers(10) GROUP BY k WITH TOTALS ORDER BY k LIMIT 1 FORMAT {format}"
    lines = [json.loads(line) for line in http.ok(query, extremes=1).splitlines()]
    assert lines[0] == {"meta": [{"name": "k", "type": "UInt8"}, {"name": "n", "type": "UInt64"}]}
    assert [key for line in lines for key in line if key != "progress"] == ["meta", "row", "totals", "min", "max", "rows_before_limit_at_least"]
    failed = http(FAILS_LATE + f" FORMAT {format}", http_write_exception_in_output_format=1, max_threads=1)
    lines = [json.loads(line) for line in failed.text.splitlines()]
    assert "meta" in lines[0] and list(lines[-1]) == ["exception"] and sum("row" in line for line in lines) > 0


def test_no_file_is_written_over_http(http):
    answer = http("SELECT 1 INTO OUTFILE 'a.csv'")
    assert answer.error == (358, "INTO_OUTFILE_NOT_ALLOWED")
