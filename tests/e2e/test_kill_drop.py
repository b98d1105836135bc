"""kill -9 in the middle of DROP, DETACH and ATTACH PARTITION: a partition is there whole, or gone whole, as was answered."""

import random

from kills import kill_after
from runner import gristmill
from test_kill import start

ROWS = 500
KILLS = 24
ROUNDS = 60


def statements(first: int) -> list[str]:
    """Each round fills a partition of its own; then it is dropped, put aside, put aside and back, or left alone."""
    all_ = []
    for number in range(first, first + ROUNDS):
        all_ += [f"INSERT INTO t SELECT {number}, number FROM numbers({ROWS})", f"SELECT 'filled', {number}"]
        match number % 4:
            case 0:
                all_ += [f"ALTER TABLE t DROP PARTITION {number}", f"SELECT 'gone', {number}"]
            case 1:
                all_ += [f"ALTER TABLE t DETACH PARTITION {number}", f"SELECT 'gone', {number}"]
            case 2:
                all_ += [f"ALTER TABLE t DETACH PARTITION {number}", f"ALTER TABLE t ATTACH PARTITION {number}", f"SELECT 'back', {number}"]
        if number % 7 == 6:
            all_.append("OPTIMIZE TABLE t FINAL")
    return all_


def test_kill_leaves_each_partition_whole_or_gone(data, tmp_path):
    moments = random.Random(5)
    gristmill("CREATE TABLE t (p UInt32, n UInt32) ENGINE = MergeTree PARTITION BY p ORDER BY n", path=data).ok()
    told: dict[int, str] = {}
    for kill in range(KILLS):
        first = kill * ROUNDS
        child = start(data, statements(first), tmp_path / "statements.sql")
        kill_after(child, data, moments.randint(2, 60), moments.random() * 0.05)
        out, _ = child.communicate(timeout=60)
        # A last line without its end was cut by the kill.
        for line in out.decode().split("\n")[:-1]:
            if line.count("\t") == 1:
                word, number = line.split("\t")
                told[int(number)] = word
        rows = gristmill("SELECT p, count(), uniqExact(n), sum(n) FROM t GROUP BY p ORDER BY p", path=data).ok().rows
        whole = [str(ROWS), str(ROWS), str(ROWS * (ROWS - 1) // 2)]
        assert all(row[1:] == whole for row in rows), [row for row in rows if row[1:] != whole]
        there = {int(row[0]) for row in rows}
        # What was under way when the process was killed may be done or not.
        if not told:
            continue
        last = max(told)
        for number in [number for number, word in told.items() if number < last]:
            assert (number in there) == (told[number] != "gone"), (number, told[number])
        assert told[last] != "gone" or last not in there
        assert told[last] != "back" or last in there
        aside = "SELECT toUInt32(partition_id) AS p, count() > 0 FROM system.detached_parts WHERE table = 't' GROUP BY p"
        detached = {int(row[0]) for row in gristmill(aside, path=data).ok().rows}
        assert not detached & there
        assert {number for number, word in told.items() if word == "gone" and number % 4 == 1} <= detached
        # The next process begins with nothing under way.
        told = {number: "filled" if number in there else "gone" for number in told}
        told |= {number: "filled" for number in there}
    assert told, "no partition was filled before any kill: the moments are too early"
