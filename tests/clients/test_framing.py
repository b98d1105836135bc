"""Answers over HTTP as packets of one stream (`framing_output_format`)."""

import base64
import json

import pytest

FRAMINGS = ["EventStream", "JSONEachPacketBase64", "JSONEachPacketString"]


def packets(answer, framing):
    """Name and value of each packet; those of the result as bytes."""
    assert answer.text.endswith("\n\n" if framing == "EventStream" else "}\n"), answer
    found = []
    if framing == "EventStream":
        assert answer.headers["content-type"] == "text/event-stream; charset=UTF-8; payload=base64"
        for event in answer.text.removesuffix("\n\n").split("\n\n"):
            (kind, name), (field, value) = (line.split(": ", 1) for line in event.split("\n"))
            assert (kind, field) == ("event", "data"), event
            is_result = name in ("data", "totals", "extremes")
            value = base64.b64decode(value) if is_result else json.loads(value)
            found.append((name, value["exception"] if name == "exception" else value))
        return found
    assert answer.headers["content-type"].startswith("application/x-ndjson")
    for line in answer.text.splitlines():
        packet = json.loads(line)
        name = packet.pop("packet")
        [(member, value)] = packet.items()
        if member == "data":
            value = value.encode() if framing == "JSONEachPacketString" else base64.b64decode(value)
        found.append((name, value))
    return found


def together(found, *names):
    return b"".join(value for name, value in found if name in names)


@pytest.mark.parametrize("framing", FRAMINGS)
@pytest.mark.parametrize("format", ["TSV", "CSVWithNames", "JSONEachRow", "JSON", "Values", "Vertical"])
def test_bytes_of_a_result_are_those_without_frames(http, framing, format):
    query = f"SELECT number AS n, 'a\"\\n\\r' AS s FROM numbers(100000) ORDER BY n FORMAT {format}"
    # Its time and what it read stand in JSON.
    plain = http(query, output_format_write_statistics=0).body
    answer = http(query, output_format_write_statistics=0, framing_output_format=framing)
    found = packets(answer, framing)
    assert answer.headers["x-clickhouse-format"] in (format, "TabSeparated")
    assert together(found, "data") == plain
    name, progress = found[-1]
    assert name == "progress" and progress["result_rows"] == "100000" and int(progress["elapsed_ns"]) > 0, progress
    [events] = [value for name, value in found if name == "profile_events"][-1:]
    assert {event["type"] for event in events} == {"increment", "gauge"} and all(type(event["value"]) is str for event in events)


@pytest.mark.parametrize("framing", FRAMINGS)
def test_totals_and_extremes_have_packets_of_their_own(http, framing):
    query = "SELECT number % 2 AS k, count() AS c FROM numbers(5) GROUP BY k WITH TOTALS ORDER BY k FORMAT "
    for format, totals, extremes in [("TSV", b"\n0\t5\n", b"\n0\t2\n1\t3\n"), ("JSONCompactEachRow", b"[0, 5]\n", b"[0, 2]\n[1, 3]\n")]:
        found = packets(http(query + format, extremes=1, framing_output_format=framing), framing)
        assert (together(found, "totals"), together(found, "extremes")) == (totals, extremes)
    plain = http(query + "TSV", extremes=1).body
    found = packets(http(query + "TSV", extremes=1, framing_output_format=framing), framing)
    assert together(found, "data", "totals", "extremes") == plain


@pytest.mark.parametrize("framing", FRAMINGS)
def test_an_error_is_the_last_packet(http, framing):
    answer = http("SELECT nobody_knows_it", framing_output_format=framing)
    assert answer.status == 404 and answer.headers["x-clickhouse-exception-code"] == "47"
    [(name, text)] = packets(answer, framing)
    assert name == "exception" and text.startswith("Code: 47. DB::Exception: ")
    late = http("SELECT throwIf(number = 3000000), repeat('x', 20) FROM numbers(4000000) FORMAT TSV", max_threads=1, framing_output_format=framing)
    found = packets(late, framing)
    assert late.status == 200 and together(found, "data").startswith(b"0\txxxx")
    assert found[-1][0] == "exception" and found[-1][1].startswith("Code: 395. DB::Exception: ")


def test_what_has_no_result_tells_what_it_wrote(http, table):
    http.ok(f"CREATE TABLE {table} (a UInt64) ENGINE = Memory")
    answer = http(f"INSERT INTO {table} SELECT number FROM numbers(1000)", framing_output_format="JSONEachPacketString")
    found = packets(answer, "JSONEachPacketString")
    assert not together(found, "data") and found[-1][1]["result_rows"] == "1000"


def test_lines_of_the_log_come_within(http):
    answer = http("SELECT sum(number) FROM numbers(10)", framing_output_format="EventStream", send_logs_level="trace", send_profile_events=0)
    found = packets(answer, "EventStream")
    lines = [value for name, value in found if name == "log"]
    assert lines and all(line["query_id"] == answer.headers["x-clickhouse-query-id"] and line["text"] for line in lines)
    assert "x-clickhouse-logs" not in answer.headers and not [name for name, _ in found if name == "profile_events"]


@pytest.mark.parametrize(
    "format, framing, code",
    [("JSONEachRowWithProgress", "EventStream", "36"), ("Native", "JSONEachPacketString", "36"), ("TSV", "Frames", "73")],
)
def test_what_cannot_be_framed_is_refused(http, format, framing, code):
    answer = http(f"SELECT 1 FORMAT {format}", framing_output_format=framing)
    assert answer.headers["x-clickhouse-exception-code"] == code and answer.status in (400, 404)


def test_binary_formats_are_framed_in_base64(http):
    query = "SELECT number, toString(number) FROM numbers(10) FORMAT RowBinaryWithNamesAndTypes"
    found = packets(http(query, framing_output_format="JSONEachPacketBase64"), "JSONEachPacketBase64")
    assert together(found, "data") == http(query).body
