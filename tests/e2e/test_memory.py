"""What a query is said to hold is what the process holds."""

import os
import re
import subprocess

from runner import BINARY, environment, gristmill

MIB = 1 << 20
# What a process holds before its first query, threads' stacks and buffers of the start.
PROCESS_BYTES = 32 * MIB
SHOWN = re.compile(rb"\(([\d.]+) ([KMG]iB) RAM\)")
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
