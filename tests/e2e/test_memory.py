"""What a query is said to hold is what the process holds."""

import os
import re
import subprocess
import time

from runner import BINARY, environment, gristmill

MIB = 1 << 20
# What a process holds before its first query, threads' stacks and buffers of the start.
PROCESS_BYTES = 32 * MIB
SHOWN = re.compile(rb"\((?:[\d.]+ CPU, )?([\d.]+) ([KMG]iB) RAM\)")
UNITS = {b"KiB": 1 << 10, b"MiB": 1 << 20, b"GiB": 1 << 30}


def anonymous_bytes(pid: int) -> int:
    """Memory of a process that is no file's, as the system counts it; 0 where it has ended."""
    try:
        with open(f"/proc/{pid}/status") as status:
            return next((int(line.split()[1]) << 10 for line in status if line.startswith("RssAnon")), 0)
    except OSError:
        return 0


def watched(data, query: str) -> list[tuple[int, int]]:
    """Pairs of what the progress bar says and what the system says at that moment."""
    line = [BINARY, "local", "--path", str(data), "--progress=err", "-q", query]
    process = subprocess.Popen(line, env=environment(), stderr=subprocess.PIPE, stdout=subprocess.DEVNULL)
    pairs, text = [], b""
    while chunk := os.read(process.stderr.fileno(), 4096):
        text += chunk
        said = SHOWN.findall(chunk)
        if said:
            pairs.append((int(float(said[-1][0]) * UNITS[said[-1][1]]), anonymous_bytes(process.pid)))
    assert process.wait() == 0, text
    return pairs


def test_a_load_is_said_to_hold_what_the_process_holds(data, tmp_path):
    file = tmp_path / "wide.parquet"
    columns = ", ".join(f"toString(cityHash64(number, {at})) AS c{at}" for at in range(150))
    gristmill(f"INSERT INTO FUNCTION file('{file}') SELECT {columns} FROM numbers(40000)").ok()
    gristmill(f"CREATE TABLE t ENGINE = MergeTree ORDER BY c0 AS SELECT * FROM file('{file}') LIMIT 0", path=data).ok()
    pairs = watched(data, f"INSERT INTO t SELECT * FROM file('{file}')")
    said, held = max(said for said, _ in pairs), max(held for _, held in pairs)
    assert held > 200 * MIB, "too little to tell"
    assert 0.9 * held - PROCESS_BYTES <= said <= 1.1 * held, (said / MIB, held / MIB)


def test_groups_of_texts_are_said_to_hold_what_the_process_holds(data):
    gristmill(
        "CREATE TABLE t (s String) ENGINE = MergeTree ORDER BY tuple()",
        "INSERT INTO t SELECT repeat(hex(cityHash64(number)), 4) FROM numbers(1000000)",
        path=data,
    ).ok()
    pairs = watched(data, "SELECT count() FROM (SELECT s, count() AS c FROM t GROUP BY s) WHERE c > 1")
    said, held = max(said for said, _ in pairs), max(held for _, held in pairs)
    # Both streams of the aggregation hold pages in which rows of both lie.
    assert said <= 2 * held, (said / MIB, held / MIB)


def peak_of(data, *queries: str) -> tuple[int, bytes]:
    """The most that the process held, and what it said on standard error."""
    line = [BINARY, "local", "--path", str(data)]
    for query in queries:
        line += ["-q", query]
    process = subprocess.Popen(line, env=environment(), stderr=subprocess.PIPE, stdout=subprocess.DEVNULL)
    peak = 0
    while process.poll() is None:
        peak = max(peak, anonymous_bytes(process.pid))
        time.sleep(0.002)
    return peak, process.stderr.read()


LIMIT = 400 * MIB


def test_rows_of_megabytes_are_loaded_or_refused_within_the_limit(data, tmp_path):
    for at in range(4):
        rows = f"SELECT number + {at * 20} AS k, repeat(hex(cityHash64(number)), 500000) AS s FROM numbers(20)"
        written = f"INSERT INTO FUNCTION file('{tmp_path}/w{at}.parquet') {rows} SETTINGS max_block_size = 2"
        gristmill(written, "SET output_format_parquet_row_group_size = 20").ok()
    gristmill("CREATE TABLE w (k UInt64, s String) ENGINE = MergeTree ORDER BY k", path=data).ok()
    load = f"INSERT INTO w SELECT * FROM file('{tmp_path}/w*.parquet')"
    peak, said = peak_of(data, f"{load} SETTINGS max_memory_usage = {LIMIT}")
    assert peak <= 1.1 * LIMIT + PROCESS_BYTES, (peak / MIB, said)
    assert said == b"" or b"MEMORY_LIMIT_EXCEEDED" in said
    if said == b"":
        assert gristmill("SELECT count() FROM w", path=data).ok().value == "80"


def test_a_value_that_would_be_over_the_limit_is_not_made(data):
    texts = "SELECT count() FROM (SELECT repeat(repeat(toString(number % 10), 8), 1000000) AS s FROM numbers(300)) WHERE s > 'a'"
    peak, said = peak_of(data, f"{texts} SETTINGS max_memory_usage = {LIMIT}")
    assert b"MEMORY_LIMIT_EXCEEDED" in said
    assert peak <= 1.1 * LIMIT + PROCESS_BYTES, peak / MIB


def test_rows_of_megabytes_are_merged_a_few_at_a_time(data):
    gristmill(
        "CREATE TABLE w (k UInt64, s String) ENGINE = MergeTree ORDER BY k",
        "SET max_block_size = 4",
        "INSERT INTO w SELECT number, repeat(hex(cityHash64(number)), 500000) FROM numbers(40)",
        "INSERT INTO w SELECT number, repeat(hex(cityHash64(number)), 500000) FROM numbers(40)",
        path=data,
    ).ok()
    peak, said = peak_of(data, "OPTIMIZE TABLE w FINAL")
    assert said == b""
    assert peak <= LIMIT, peak / MIB
    assert gristmill("SELECT count() FROM w", path=data).ok().value == "80"


def test_very_many_columns_are_computed_of_a_few_rows_at_a_time():
    sizes = {}
    for computed in (400, 520):
        columns = ", ".join(f"number + {at}" for at in range(computed))
        rows = gristmill(f"SELECT blockSize(), {columns} FROM numbers(3000)").ok().out.splitlines()
        sizes[computed] = max(int(row.split("\t")[0]) for row in rows)
        assert len(rows) == 3000
    assert sizes[400] == 3000 and sizes[520] * 520 * 32 <= 32 * MIB, sizes
