"""Materialized views that last, over kills and failures: a row is in a view as often as in its table."""

import random
import signal
import subprocess

import pytest
from kills import kill_after
from runner import BINARY, environment, gristmill
from test_load import SMALL, ask, files_of

ROWS = 900
CREATE = [
    "CREATE TABLE t (batch UInt32, n UInt32) ENGINE = MergeTree ORDER BY (batch, n)",
    "CREATE MATERIALIZED VIEW copy ENGINE = MergeTree ORDER BY (batch, n) AS SELECT batch, n FROM t",
    "CREATE MATERIALIZED VIEW sums ENGINE = SummingMergeTree ORDER BY batch AS SELECT batch, sum(n) AS s, count() AS c FROM t GROUP BY batch",
]
BLOCKS = "max_block_size = 100, min_insert_block_size_rows = 300, min_insert_block_size_bytes = 0, max_insert_threads = 2"


def start(data, statements: list[str], file):
    file.write_text(";\n".join(statements) + ";\n")
    line = [BINARY, "local", "--path", str(data), "--queries-file", str(file)]
    return subprocess.Popen(line, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment())


def insert(batch: int, more="") -> str:
    return f"INSERT INTO t SELECT {batch}, number FROM numbers({ROWS}) SETTINGS {BLOCKS}{more}"


def by_batch(data, table: str) -> dict[str, list[str]]:
    columns = "sum(c), sum(s)" if table.endswith("sums") else "count(), sum(n)"
    return {row[0]: row[1:] for row in ask(f"SELECT batch, {columns} FROM {table} GROUP BY batch", data)}


WHOLE = [str(ROWS), str(ROWS * (ROWS - 1) // 2)]


def test_views_last(data):
    gristmill(*CREATE, insert(1), path=data).ok()
    shown = ask("SHOW CREATE TABLE sums", data)
    gristmill(insert(2), path=data).ok()
    assert by_batch(data, "sums") == by_batch(data, "copy") == {"1": WHOLE, "2": WHOLE}
    gristmill("CREATE DATABASE other", "RENAME TABLE sums TO other.sums", path=data).ok()
    gristmill(insert(3), path=data).ok()
    assert by_batch(data, "other.sums") | {"3": WHOLE} == by_batch(data, "copy")
    assert ask("SELECT database, count() FROM system.tables WHERE name LIKE '.inner%' GROUP BY 1 ORDER BY 1", data) == [
        ["default", "1"],
        ["other", "1"],
    ]
    assert "SummingMergeTree" in shown[0][0]
    gristmill("DROP DATABASE other", "DETACH TABLE copy", insert(4), path=data).ok()
    # A detached view is there again at the next start.
    gristmill(insert(5), path=data).ok()
    assert set(by_batch(data, "copy")) == {"1", "2", "3", "5"}


def test_a_failed_insert_leaves_nothing(data):
    guard = "CREATE MATERIALIZED VIEW guard ENGINE = Null AS SELECT throwIf(n = 850) AS x FROM t"
    gristmill(*CREATE, guard, path=data).ok()
    failed = gristmill(insert(1), path=data)
    assert failed.error[1] == "FUNCTION_THROW_IF_VALUE_IS_NON_ZERO" and "default.guard" in failed.message
    assert by_batch(data, "t") == by_batch(data, "copy") == by_batch(data, "sums") == {}
    assert not list(data.rglob("*.parquet"))
    gristmill(insert(2, ", materialized_views_ignore_errors = 1"), path=data).ok()
    assert by_batch(data, "t") == by_batch(data, "copy") == by_batch(data, "sums") == {"2": WHOLE}
    gristmill("DROP TABLE copy", "DROP TABLE sums", "DROP TABLE guard", "DROP TABLE t", path=data).ok()
    gristmill("SELECT 1", path=data).ok()
    assert not list(data.rglob("*.parquet"))


def test_kills_leave_whole_inserts_and_a_token_completes_them(data, tmp_path):
    """The table's commit comes first, the views' follow; what a kill cuts off, the same INSERT brings when it is repeated."""
    moments = random.Random(5)
    gristmill(*CREATE, path=data).ok()
    begun = 0
    for _ in range(6):
        batches = range(begun, begun + 60)
        token = ", insert_deduplication_token = 'batch {}'"
        child = start(data, [insert(batch, token.format(batch)) for batch in batches], tmp_path / "statements.sql")
        kill_after(child, data, moments.randint(3, 60), moments.random() * 0.05)
        child.communicate()
        table, copy, sums = (by_batch(data, name) for name in ("t", "copy", "sums"))
        assert all(found == WHOLE for of in (table, copy, sums) for found in of.values())
        assert set(sums) <= set(copy) <= set(table)
        assert len(set(table) - set(sums)) <= 1
        last = max((int(batch) for batch in table), default=begun)
        again = [insert(batch, token.format(batch)) for batch in range(max(last - 2, 0), last + 1)]
        gristmill(*again, path=data).ok()
        table, copy, sums = (by_batch(data, name) for name in ("t", "copy", "sums"))
        assert table == copy == sums
        begun = last + 1
    assert begun > 6, "no INSERT ended before its kill: the moments are too early"


LOAD = [
    "CREATE TABLE t (id UInt64, file UInt32, s String) ENGINE = MergeTree ORDER BY id",
    "CREATE TABLE copied (id UInt64, file UInt32) ENGINE = MergeTree ORDER BY id",
    "CREATE MATERIALIZED VIEW copy TO copied AS SELECT id, file FROM t",
    # A view on the target of a view.
    "CREATE MATERIALIZED VIEW counts ENGINE = SummingMergeTree ORDER BY file AS SELECT file, count() AS c, sum(id) AS s FROM copied GROUP BY file",
]


def load(folder, more="") -> str:
    return f"INSERT INTO t SELECT * FROM file('{folder}/*.parquet') SETTINGS load_id = 'l', {SMALL}{more}"


def loaded(data) -> list[list[list[str]]]:
    return [
        ask(f"SELECT file, {columns} FROM {table} GROUP BY file ORDER BY file", data)
        for table, columns in [("t", "count(), sum(id)"), ("copy", "count(), sum(id)"), ("counts", "sum(c), sum(s)")]
    ]


def test_a_killed_load_brings_each_row_to_its_views_once(data, tmp_path):
    folder = files_of(tmp_path / "files", count=12, rows_each=6000, row_group=500)
    moments = random.Random(11)
    kills = 0
    for attempt in range(2):
        if attempt:
            gristmill("DROP TABLE counts", "DROP TABLE copy", "DROP TABLE copied", "DROP TABLE t", path=data).ok()
        gristmill(*LOAD, path=data).ok()
        for _ in range(10):
            # Steps of other sizes than before: what only some tables have is no whole step then.
            more = f", load_commit_bytes = {moments.choice([150_000, 400_000, 900_000])}"
            child = start(data, [load(folder).replace(", " + SMALL.split(", ")[0], "") + more], tmp_path / "load.sql")
            kills += kill_after(child, data, moments.randint(0, 6), moments.random() * 0.05)
            _, errors = child.communicate()
            if child.returncode == 0:
                break
            assert child.returncode == -signal.SIGKILL, errors
            table, copy, _ = loaded(data)
            rows = lambda found: sum(int(row[1]) for row in found)  # noqa: E731
            assert rows(copy) >= rows(table), "views are committed before the table"
        gristmill(load(folder), path=data).ok()
        table, copy, counts = loaded(data)
        assert table == copy == counts and len(table) == 12 and all(row[1] == "6000" for row in table)
    assert kills, "no load was killed"


def test_a_load_brings_each_table_what_it_has_not(data, tmp_path):
    """As after a kill among the commits of a step, of whole tables and in steps of other sizes."""
    folder = files_of(tmp_path / "files", count=4)
    gristmill(*LOAD, load(folder), path=data).ok()
    once = loaded(data)
    files_of(tmp_path / "more", count=7)
    for number in range(4, 7):
        (tmp_path / "more" / f"{number}.parquet").rename(folder / f"{number}.parquet")
    # The table is empty and the views are not: the first files go into the table alone.
    gristmill("TRUNCATE TABLE t", load(folder).replace("load_commit_bytes = 400000", "load_commit_bytes = 150000"), path=data).ok()
    table, copy, counts = loaded(data)
    assert table == copy == counts and table[:4] == once[0] and len(table) == 7
    # The last view is empty too: it gets its rows through the one before it, which has them.
    gristmill("TRUNCATE TABLE t", "TRUNCATE TABLE counts", load(folder), path=data).ok()
    assert loaded(data) == [table, copy, counts]


def test_a_load_forgotten_is_forgotten_by_its_views(data, tmp_path):
    folder = files_of(tmp_path / "files")
    gristmill(*LOAD, load(folder), load(folder), path=data).ok()
    once = loaded(data)
    assert once[0] == once[1] == once[2]
    gristmill("SYSTEM DROP LOAD LEDGER 'l' FROM t", load(folder), path=data).ok()
    twice = loaded(data)
    assert twice[0] == twice[1] == twice[2] and int(twice[0][0][1]) == 2 * int(once[0][0][1])


@pytest.mark.parametrize("parallel", [0, 1])
def test_many_views_and_threads(data, parallel):
    views = [
        f"CREATE MATERIALIZED VIEW v{n} ENGINE = MergeTree ORDER BY tuple() AS SELECT n % {n + 2} AS r, count() AS c FROM t GROUP BY r"
        for n in range(6)
    ]
    settings = f"max_block_size = 1000, min_insert_block_size_rows = 5000, min_insert_block_size_bytes = 0, max_insert_threads = 4, parallel_view_processing = {parallel}"
    gristmill(*CREATE, *views, f"INSERT INTO t SELECT 1, number FROM numbers(100000) SETTINGS {settings}", path=data).ok()
    for n in range(6):
        wanted = [[str(r), str(len(range(r, 100000, n + 2)))] for r in range(n + 2)]
        assert ask(f"SELECT r, sum(c) FROM v{n} GROUP BY r ORDER BY r", data) == wanted
