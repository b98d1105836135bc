"""kill -9 in the middle of ALTER, UPDATE and DELETE: each takes place once or not at all, and what was begun goes on."""

import random

from kills import kill_after
from runner import gristmill
from test_kill import start

ROWS = 3000
KILLS = 12
ROUNDS = 40


def statements(first: int) -> list[str]:
    """Each round adds a column, renames it, and changes every row once; then it is acknowledged."""
    all_ = []
    for number in range(first, first + ROUNDS):
        all_ += [
            f"ALTER TABLE t ADD COLUMN c{number} UInt32 DEFAULT n + {number} AFTER n",
            f"ALTER TABLE t RENAME COLUMN c{number} TO d{number}",
            "ALTER TABLE t UPDATE v = v + 1 WHERE n >= 0 SETTINGS mutations_sync = 1",
            f"DELETE FROM t WHERE n = {number}",
            f"SELECT 'done', {number}",
        ]
        if number % 3 == 2:
            all_.append("OPTIMIZE TABLE t FINAL")
    return all_


def test_kill_leaves_each_change_whole(data, tmp_path):
    moments = random.Random(11)
    gristmill("CREATE TABLE t (p UInt8, n UInt32, v UInt32) ENGINE = MergeTree PARTITION BY p ORDER BY n", path=data).ok()
    for part in range(3):
        rows = f"SELECT number % 2, number * 3 + {part}, 0 FROM numbers({ROWS // 3})"
        gristmill(f"INSERT INTO t {rows}", path=data).ok()
    acknowledged, first = 0, 0
    for _ in range(KILLS):
        child = start(data, statements(first), tmp_path / "statements.sql")
        kill_after(child, data, moments.randint(2, 40), moments.random() * 0.05)
        out, _ = child.communicate(timeout=60)
        done = [int(line.split("\t")[1]) for line in out.decode().split("\n")[:-1] if line.startswith("done\t")]
        acknowledged += len(done)
        # A part goes through all that waits at once: when this is done, so is what was begun before the kill.
        gristmill("ALTER TABLE t UPDATE v = v WHERE 0 SETTINGS mutations_sync = 1", path=data).ok()
        left = gristmill("SELECT count() FROM system.mutations WHERE NOT is_done", path=data).ok()
        assert left.value == "0"
        (row,) = gristmill("SELECT count(), min(v), max(v), min(n) FROM t", path=data).ok().rows
        count, least, most, smallest = map(int, row)
        assert least == most, f"some rows were changed {least} times and others {most} times"
        # The last step of a round deletes a row; nothing that was acknowledged is missing.
        last = ROWS - count
        assert smallest == last and last <= least <= last + 1, (last, least, smallest)
        assert all(number < last for number in done), (done, last)
        asked = gristmill("SELECT name FROM system.columns WHERE table = 't' AND name != 'n' ORDER BY name", path=data).ok()
        columns = {name for (name,) in asked.rows}
        assert {f"d{number}" for number in range(last)} <= columns
        for number in range(last):
            wrong = f"SELECT count() FROM t WHERE d{number} != n + {number}"
            if number % 5 == 0:
                assert gristmill(wrong, path=data).ok().value == "0"
        # The round that was cut off is finished by hand, so that all rounds are alike.
        finish = []
        if f"d{last}" not in columns:
            if f"c{last}" not in columns:
                finish.append(f"ALTER TABLE t ADD COLUMN c{last} UInt32 DEFAULT n + {last} AFTER n")
            finish.append(f"ALTER TABLE t RENAME COLUMN c{last} TO d{last}")
        if least == last:
            finish.append("ALTER TABLE t UPDATE v = v + 1 WHERE n >= 0 SETTINGS mutations_sync = 1")
        finish.append(f"DELETE FROM t WHERE n = {last}")
        gristmill(*finish, path=data).ok()
        first = last + 1
    assert acknowledged, "no round was acknowledged before any kill: the moments are too early"
