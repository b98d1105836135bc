"""kill -9 at any moment: no acknowledged row is lost, no half insert is seen, and the table goes on working."""

import random
import subprocess

import pytest
from kills import kill_after
from runner import BINARY, environment, gristmill

ROWS = 900
STATEMENTS = 60
KILLS = 10


def start(data, statements: list[str], file):
    file.write_text(";\n".join(statements) + ";\n")
    line = [BINARY, "local", "--path", str(data), "--queries-file", str(file)]
    return subprocess.Popen(line, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment())


def insert(batch: int) -> list[str]:
    """One insert of several blocks and three partitions, then its acknowledgement."""
    small_blocks = "max_block_size = 100, min_insert_block_size_rows = 300, min_insert_block_size_bytes = 0, max_insert_threads = 2"
    rows = f"SELECT {batch}, number % 3, number, repeat('x', number % 50) FROM numbers({ROWS})"
    return [f"INSERT INTO t {rows} SETTINGS {small_blocks}", f"SELECT 'done', {batch}"]


def change(batch: int) -> list[str]:
    """A mutation of the batch that goes on in the background, then the word that it has begun."""
    return [f"ALTER TABLE t UPDATE s = concat(s, '!') WHERE batch = {batch}", f"SELECT 'changed', {batch}"]


def acknowledged(child) -> dict[str, set[int]]:
    """The batches that were told to be inserted (done) and changed."""
    out, _ = child.communicate(timeout=60)
    # A last line without its end was cut by the kill.
    lines = [line.split("\t") for line in out.decode().split("\n")[:-1]]
    return {word: {int(line[1]) for line in lines if line[0] == word} for word in ("done", "changed")}


def check_changes(data, changed: set[int]) -> None:
    """Each mutation that began goes through, once; those that did not begin have changed nothing."""
    # A part goes through all that waits at once: when this is done, so is what was begun before the kill.
    gristmill("ALTER TABLE t UPDATE s = s WHERE 0 SETTINGS mutations_sync = 1", path=data).ok()
    marks = "countIf(endsWith(s, '!')), countIf(endsWith(s, '!!'))"
    rows = gristmill(f"SELECT batch, {marks} FROM t GROUP BY batch", path=data).ok().rows
    assert all(once in ("0", str(ROWS)) and twice == "0" for _, once, twice in rows), rows
    assert changed <= {int(batch) for batch, once, _ in rows if once != "0"}


@pytest.mark.parametrize("work", ["inserts", "inserts-and-merges", "inserts-and-mutations"])
def test_kill_loses_nothing_and_shows_no_half(data, tmp_path, work):
    """Merges of the background run in each of them; `OPTIMIZE` beside them in the second, mutations in the third."""
    moments = random.Random(work)
    create = "CREATE TABLE t (batch UInt32, p UInt8, n UInt32, s String) ENGINE = MergeTree PARTITION BY p ORDER BY (batch, n)"
    gristmill(create, path=data).ok()
    acked: set[int] = set()
    changed: set[int] = set()
    batch = 0
    for _ in range(KILLS):
        statements = []
        for number in range(STATEMENTS):
            statements += insert(batch + number)
            if work == "inserts-and-merges" and number % 5 == 4:
                statements.append("OPTIMIZE TABLE t FINAL")
            if work == "inserts-and-mutations" and number % 3 == 2:
                statements += change(batch + number)
        batch += STATEMENTS
        child = start(data, statements, tmp_path / "statements.sql")
        kill_after(child, data, moments.randint(2, 60), moments.random() * 0.05)
        told = acknowledged(child)
        acked |= told["done"]
        changed |= told["changed"]
        asked = gristmill("SELECT batch, count(), uniqExact(n), sum(n) FROM t GROUP BY batch ORDER BY batch", path=data).ok()
        whole = [str(ROWS), str(ROWS), str(ROWS * (ROWS - 1) // 2)]
        assert all(row[1:] == whole for row in asked.rows), [row for row in asked.rows if row[1:] != whole]
        assert acked <= {int(row[0]) for row in asked.rows}
        if work == "inserts-and-mutations":
            check_changes(data, changed)
    assert acked, "no insert was acknowledged before any kill: the moments are too early"
    assert bool(changed) == (work == "inserts-and-mutations")
    merged = gristmill("SELECT max(level) > 0 FROM system.parts WHERE table = 't' AND active", path=data).ok()
    assert merged.value == "1", "no merge came to its end before any kill"
    gristmill("OPTIMIZE TABLE t FINAL", path=data).ok()
    assert int(gristmill("SELECT uniqExact(batch) FROM t", path=data).ok().value) >= len(acked)


def test_two_processes_do_not_share_a_folder(data, tmp_path):
    """The second one is told, instead of harming what the first one does."""
    gristmill("CREATE TABLE t (batch UInt32, p UInt8, n UInt32, s String) ENGINE = MergeTree ORDER BY n", path=data).ok()
    child = start(data, ["SELECT sum(cityHash64(number)) FROM numbers(100000000000)"], tmp_path / "s.sql")
    try:
        with pytest.raises(subprocess.TimeoutExpired):
            child.wait(1.5)
        second = gristmill("SELECT count() FROM t", path=data)
        assert second.code != 0 and second.error[0], second
    finally:
        child.kill()
        child.communicate()
    assert gristmill("SELECT count() FROM t", path=data).ok().value == "0"
