"""Loads with a `load_id`: killed, cancelled, half of it broken, run again, each row is there once."""

import json
import random
import subprocess

import pyarrow
import pyarrow.parquet
import pytest
from kills import kill_after
from runner import BINARY, environment, gristmill

CREATE = "CREATE TABLE t (id UInt64, file UInt32, s String) ENGINE = MergeTree ORDER BY id"
# Several commits, blocks and lanes even of small files.
SMALL = "load_commit_bytes = 400000, min_insert_block_size_rows = 3000, min_insert_block_size_bytes = 0, max_insert_threads = 2"


def rows(file: int, count: int):
    """The rows of a file: ids that no other file has, and text that does not compress away."""
    chance = random.Random(file)
    ids = range(file * 1_000_000, file * 1_000_000 + count)
    return {"id": list(ids), "file": [file] * count, "s": [f"{chance.getrandbits(160):x}" for _ in ids]}


def parquet(file: int, count: int, row_group: int) -> bytes:
    schema = pyarrow.schema([("id", pyarrow.uint64()), ("file", pyarrow.uint32()), ("s", pyarrow.string())])
    out = pyarrow.BufferOutputStream()
    pyarrow.parquet.write_table(pyarrow.table(rows(file, count), schema), out, row_group_size=row_group)
    return out.getvalue().to_pybytes()


def csv(file: int, count: int) -> bytes:
    columns = rows(file, count)
    return "".join(f"{a},{b},{c}\n" for a, b, c in zip(columns["id"], columns["file"], columns["s"])).encode()


def files_of(folder, count=5, rows_each=2000, row_group=500):
    folder.mkdir()
    for number in range(count):
        (folder / f"{number}.parquet").write_bytes(parquet(number, rows_each, row_group))
    return folder


def load(source: str, load_id="posts", select="*", more="") -> str:
    return f"INSERT INTO t SELECT {select} FROM {source} SETTINGS load_id = '{load_id}', {SMALL}{more}"


def ask(query: str, data) -> list[list[str]]:
    return gristmill(query, path=data).ok().rows


def ledger(data, columns="file, state, row_groups_done, row_groups, rows") -> list[list[str]]:
    named = "arrayElement(splitByChar('/', file), -1) AS name, * EXCEPT (file)"
    return ask(f"SELECT {columns.replace('file', 'name')} FROM (SELECT {named} FROM system.load_ledger) ORDER BY load_id, name", data)


# Kills -----------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def bucket(s3):
    """Twenty files: of one row group, of many, and of text. Gives the number of their rows."""
    counts = []
    for file in range(20):
        count = 4_000 + file * 842
        counts.append(count)
        if file % 5 == 4:
            s3.put(f"data/loads/{file:02}.csv", csv(file, count))
        else:
            s3.put(f"data/loads/{file:02}.parquet", parquet(file, count, 1_000 if file % 2 else 50_000))
    return sum(counts)


def run_until_killed(data, statements: list[str], commits: int, seconds: float) -> bool:
    """Whether they came to their end before."""
    line = [BINARY, "local", "--path", str(data)]
    for statement in statements:
        line += ["-q", statement]
    child = subprocess.Popen(line, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment())
    killed = kill_after(child, data, commits, seconds)
    _, err = child.communicate()
    if killed:
        return False
    assert child.returncode == 0, err.decode()
    return True


@pytest.mark.parametrize("seed", range(4))
def test_a_load_that_is_killed_again_and_again_brings_every_row_once(s3, bucket, data, seed):
    moments = random.Random(seed)
    gristmill(CREATE, path=data).ok()
    structure = "'id UInt64, file UInt32, s String'"
    sources = [
        load(f"s3('{s3.url('data/loads/*.parquet')}', {s3.keys})"),
        load(f"s3('{s3.url('data/loads/*.csv')}', {s3.keys}, 'CSV', {structure})"),
    ]
    if seed % 2:
        sources.append("OPTIMIZE TABLE t FINAL")
    partial = 0
    for _ in range(200):
        if run_until_killed(data, sources, moments.randint(0, 5), moments.random() * 0.1):
            break
        seen = int(ask("SELECT count() FROM t", data)[0][0])
        assert int(ask("SELECT uniqExact(id) FROM t", data)[0][0]) == seen, "a row is there twice"
        assert int(ask("SELECT sum(rows) FROM system.load_ledger", data)[0][0]) == seen, "the ledger tells of other rows"
        partial += 0 < seen < bucket
    else:
        pytest.fail("the load never came to its end")
    assert ask("SELECT count(), uniqExact(id) FROM t", data) == [[str(bucket), str(bucket)]]
    assert ask("SELECT count(), countIf(state = 'loaded'), sum(rows) FROM system.load_ledger", data) == [["20", "20", str(bucket)]]
    assert partial, "no kill came in the middle of the load"
    again = gristmill(*sources[:2], "SELECT count() FROM t", path=data).ok()
    assert again.value == str(bucket), "the same load once more changes nothing"


# What changes between runs ---------------------------------------------------------------------------------------------


def test_new_files_are_loaded_and_those_that_are_loaded_are_not_read(tmp_path, data):
    folder = files_of(tmp_path / "files")
    events = "SELECT event, value FROM system.events WHERE event IN ('LoadFilesKnown', 'LoadCommits') ORDER BY event"
    first = gristmill(CREATE, load(f"file('{folder}/*.parquet')"), events, path=data).ok().rows
    assert first[0][0] == "LoadCommits" and int(first[0][1]) >= 2, first
    (folder / "9.parquet").write_bytes(parquet(9, 100, 100))
    assert gristmill(load(f"file('{folder}/*.parquet')"), events, path=data).ok().rows == [["LoadCommits", "1"], ["LoadFilesKnown", "5"]]
    assert ask("SELECT count(), uniqExact(id), countIf(file = 9) FROM t", data) == [["10100", "10100", "100"]]
    assert ledger(data)[-1] == ["9.parquet", "loaded", "1", "1", "100"]
    assert ledger(data)[0] == ["0.parquet", "loaded", "4", "4", "2000"]


def test_a_file_that_changed_is_named_and_nothing_is_loaded(tmp_path, data):
    folder = files_of(tmp_path / "files", count=3)
    gristmill(CREATE, load(f"file('{folder}/*.parquet')"), path=data).ok()
    (folder / "1.parquet").write_bytes(parquet(1, 2100, 500))
    (folder / "7.parquet").write_bytes(parquet(7, 100, 100))
    answer = gristmill(load(f"file('{folder}/*.parquet')"), path=data)
    assert answer.error == (117, "INCORRECT_DATA") and "1.parquet' changed" in answer.message and "load_id" in answer.message, answer
    assert ask("SELECT count() FROM t", data) == [["6000"]]
    others = load(f"file('{folder}/{{0,2,7}}.parquet')")
    assert gristmill(others, "SELECT count() FROM t", path=data).ok().value == "6100"


def test_a_load_id_belongs_to_one_query(tmp_path, data):
    folder = files_of(tmp_path / "files", count=2)
    source = f"file('{folder}/*.parquet')"
    gristmill(CREATE, load(source, select="id, file, upper(s)"), path=data).ok()
    other = gristmill(load(source, select="id, file, lower(s)"), path=data)
    assert other.error == (36, "BAD_ARGUMENTS") and "load_id of its own" in other.message, other
    same = gristmill(load(source, select="id, file, upper(s)", more=", max_threads = 1"), "SELECT count() FROM t", path=data)
    assert same.ok().value == "4000", "settings do not change what the load makes of a row"


def test_conditions_and_unnesting_are_loaded_by_file(tmp_path, data):
    folder = files_of(tmp_path / "files", count=4)
    source = f"file('{folder}/*.parquet')"
    one = load(source, select="id, file, s").replace(" SETTINGS", " WHERE id % 10 = 3 AND _file != '2.parquet' SETTINGS")
    two = load(source, load_id="twice", select="id + n * 1000000000, file, s").replace(source, f"{source} ARRAY JOIN [1, 2] AS n")
    gristmill(CREATE, one, two, one, two, path=data).ok()
    assert ask("SELECT countIf(id < 1000000000), countIf(id >= 1000000000), uniqExact(id) FROM t", data) == [["600", "16000", "16600"]]


# Files that cannot be read ---------------------------------------------------------------------------------------------


def broken_parquet(file: int) -> bytes:
    """Its footer is sound, the pages of its last row groups are not."""
    whole = bytearray(parquet(file, 2000, 500))
    middle = len(whole) // 2
    whole[middle : middle + 2000] = bytes(2000)
    return bytes(whole)


def test_files_that_cannot_be_read_are_left_out_told_and_tried_again(tmp_path, data):
    folder = files_of(tmp_path / "files", count=6)
    (folder / "1.parquet").write_bytes(b"no Parquet at all, although long enough to be looked at")
    (folder / "3.parquet").write_bytes(broken_parquet(3))
    source = f"file('{folder}/*.parquet', Parquet, 'id UInt64, file UInt32, s String')"
    one_commit = ", load_commit_bytes = 1000000000"
    abort = gristmill(CREATE, load(source, more=one_commit), path=data)
    assert abort.code != 0 and ask("SELECT count() FROM t", data) == [["0"]], abort
    skip = ", load_on_error = 'skip_file'"
    gristmill(load(source, more=skip + one_commit), path=data).ok()
    assert ask("SELECT count(), uniqExact(id), countIf(file IN (1, 3)) FROM t", data) == [["8000", "8000", "0"]]
    states = {row[0]: row[1:] for row in ledger(data, "file, state, error")}
    assert [states[f"{n}.parquet"][0] for n in range(6)] == ["loaded", "failed", "loaded", "failed", "loaded", "loaded"]
    assert "Parquet" in states["1.parquet"][1] and "3.parquet" in states["3.parquet"][1], states
    (folder / "1.parquet").write_bytes(parquet(1, 2000, 500))
    gristmill(load(source, more=skip), path=data).ok()
    assert [row[:2] for row in ledger(data) if row[1] != "loaded"] == [["3.parquet", "failed"]]
    (folder / "3.parquet").write_bytes(parquet(3, 2000, 500))
    gristmill(load(source), path=data).ok()
    assert ask("SELECT count(), uniqExact(id) FROM t", data) == [["12000", "12000"]]
    assert {row[1] for row in ledger(data)} == {"loaded"}


def test_values_that_do_not_fit_are_a_fault_of_their_file(tmp_path, data):
    folder = tmp_path / "files"
    folder.mkdir()
    for number in range(5):
        (folder / f"{number}.csv").write_bytes(csv(number, 300))
    (folder / "2.csv").write_bytes(csv(2, 100) + b"not a number,2,x\n" + csv(8, 100))
    source = f"file('{folder}/*.csv', CSV, 'id String, file UInt32, s String')"
    statement = load(source, select="toUInt64(id), file, s", more=", load_on_error = 'skip_file'")
    gristmill(CREATE, statement, path=data).ok()
    assert ask("SELECT count(), countIf(file = 2) FROM t", data) == [["1200", "0"]]
    assert ledger(data)[2] == ["2.csv", "failed", "0", "1", "0"]


def test_a_setting_that_is_misspelt_is_refused(tmp_path, data):
    folder = files_of(tmp_path / "files", count=1)
    answer = gristmill(CREATE, load(f"file('{folder}/*.parquet')", more=", load_on_error = 'ignore'"), path=data)
    assert answer.error == (36, "BAD_ARGUMENTS") and "skip_file" in answer.message, answer


def test_files_are_left_out_of_loads_that_have_a_name_alone(tmp_path, data):
    folder = files_of(tmp_path / "files", count=2)
    skip = "SETTINGS load_on_error = 'skip_file'"
    answer = gristmill(CREATE, f"INSERT INTO t SELECT * FROM file('{folder}/*.parquet') {skip}", path=data)
    assert answer.error == (36, "BAD_ARGUMENTS") and "load_id" in answer.message, answer
    gristmill(f"INSERT INTO t SELECT number, 0, '' FROM numbers(3) {skip}", path=data).ok()
    assert ask("SELECT count() FROM t", data) == [["3"]], "rows that come from no file do not mind"


# What cannot be taken up again -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "select",
    [
        "SELECT max(id), file, '' FROM {source} GROUP BY file",
        "SELECT * FROM {source} LIMIT 10",
        "SELECT * FROM {source} ORDER BY id",
        "SELECT DISTINCT * FROM {source}",
        "SELECT * FROM {source} UNION ALL SELECT * FROM {source}",
        "SELECT id, file, s FROM {source} AS a JOIN (SELECT number AS id FROM numbers(3)) AS b USING id",
        "SELECT id, row_number() OVER (ORDER BY id), s FROM {source}",
        "SELECT number, 1, '' FROM numbers(10)",
    ],
)
def test_what_cannot_be_told_by_file_is_refused_with_a_load_id_and_one_commit_without(tmp_path, data, select):
    folder = files_of(tmp_path / "files", count=2, rows_each=20)
    insert = "INSERT INTO t " + select.format(source=f"file('{folder}/*.parquet')")
    answer = gristmill(CREATE, f"{insert} SETTINGS load_id = 'a'", path=data)
    assert answer.error == (80, "INCORRECT_QUERY") and "Without load_id" in answer.message, answer
    assert ask("SELECT count() FROM t", data) == [["0"]]
    gristmill(f"{insert} SETTINGS insert_deduplication_token = 'a'", path=data).ok()
    assert int(ask("SELECT count() FROM t", data)[0][0]) > 0


def test_only_tables_that_keep_a_ledger_take_a_load_id(tmp_path):
    folder = files_of(tmp_path / "files", count=1)
    answer = gristmill(CREATE.replace("MergeTree ORDER BY id", "Memory"), load(f"file('{folder}/*.parquet')"))
    assert answer.error == (48, "NOT_IMPLEMENTED") and "load_id" in answer.message, answer


def test_a_deduplication_token_names_a_load_too(tmp_path, data):
    folder = files_of(tmp_path / "files")
    statement = load(f"file('{folder}/*.parquet')").replace("load_id", "insert_deduplication_token")
    gristmill(CREATE, statement, path=data).ok()
    (folder / "9.parquet").write_bytes(parquet(9, 100, 100))
    gristmill(statement, path=data).ok()
    assert ask("SELECT count(), uniqExact(id) FROM t", data) == [["10000", "10000"]], "a second one of the same name changes nothing"


# The ledger ------------------------------------------------------------------------------------------------------------


def test_the_ledger_lasts_through_commits_merges_and_restarts_and_goes_when_told(tmp_path, data):
    folder = files_of(tmp_path / "files")
    statement = load(f"file('{folder}/*.parquet')")
    gristmill(CREATE, statement, path=data).ok()
    # More versions than lie between two snapshots of the manifest.
    small = [f"INSERT INTO t VALUES ({10**12 + number}, 0, '')" for number in range(70)]
    gristmill(*small, "OPTIMIZE TABLE t FINAL", path=data).ok()
    before = ledger(data)
    assert len(before) == 5 and {row[1] for row in before} == {"loaded"}
    assert gristmill(statement, "SELECT count() FROM t", path=data).ok().value == "10070"
    gristmill("SYSTEM DROP LOAD LEDGER 'another' FROM t", path=data).ok()
    assert ledger(data) == before
    gristmill("SYSTEM DROP LOAD LEDGER 'posts' FROM default.t", path=data).ok()
    assert ledger(data) == []
    assert gristmill(statement, "SELECT count() FROM t", path=data).ok().value == "20070", "its files count as new"
    gristmill("TRUNCATE TABLE t", path=data).ok()
    assert ledger(data) == []
    assert gristmill(statement, "SELECT count() FROM t", path=data).ok().value == "10000"


def test_estimate_tells_what_a_load_takes_and_makes(s3, bucket, data):
    gristmill(CREATE, path=data).ok()
    source = f"s3('{s3.url('data/loads/*.parquet')}', {s3.keys})"
    answer = gristmill(f"EXPLAIN ESTIMATE {load(source)}, object_storage_prices = '* read=1 write=10' FORMAT JSONEachRow", path=data)
    read, written = (json.loads(line) for line in answer.ok().out.splitlines())
    assert (read["database"], read["files"], written["database"], written["table"]) == ("s3", 16, "default", "t")
    assert read["rows"] == written["rows"] and read["bytes"] > 1_000_000 and read["cost_usd"] > 0
    assert ask("SELECT count() FROM t", data) == [["0"]], "nothing is loaded"
    gristmill(load(source), path=data).ok()
    assert ask("SELECT count() FROM t", data) == [[str(read["rows"])]]
    commits = written["commits"]
    assert commits > 5 and written["blocks"] >= commits and written["seconds"] > 0


def test_estimate_leaves_out_the_files_that_the_load_would(tmp_path, data):
    folder = files_of(tmp_path / "files", count=4)
    (folder / "1.parquet").write_bytes(b"no Parquet at all, although long enough to be looked at")
    source = f"file('{folder}/*.parquet', Parquet, 'id UInt64, file UInt32, s String')"
    answer = gristmill(CREATE, f"EXPLAIN ESTIMATE {load(source)}", path=data)
    assert answer.code != 0 and "1.parquet" in answer.message, answer
    skips = load(source, more=", load_on_error = 'skip_file'")
    answer = gristmill(f"EXPLAIN ESTIMATE {skips} FORMAT JSONEachRow", path=data).ok()
    read, failed, written = (json.loads(line) for line in answer.out.splitlines())
    assert (read["files"], read["rows"], written["rows"]) == (3, 6000, 6000), answer
    assert failed["table"].endswith("1.parquet") and "Parquet" in failed["error"] and read["error"] == "", answer


def test_estimate_of_text_files_numbers_and_tables(data, tmp_path):
    rows = "SELECT number + 1000000 AS a, hex(cityHash64(number)) AS b FROM numbers(300000)"
    gristmill(
        f"INSERT INTO FUNCTION file('{tmp_path}/plain.csv') {rows}",
        f"INSERT INTO FUNCTION file('{tmp_path}/packed.csv.gz') {rows}",
        f"INSERT INTO FUNCTION file('{tmp_path}/lines.jsonl') {rows}",
        f"INSERT INTO FUNCTION file('{tmp_path}/small.tsv') SELECT number AS a, 'x' AS b FROM numbers(7)",
        "CREATE TABLE t (a UInt64, b String) ENGINE = MergeTree ORDER BY a",
        f"INSERT INTO t {rows}",
        path=data,
    ).ok()

    def told(source: str) -> list[dict]:
        answer = gristmill(f"EXPLAIN ESTIMATE INSERT INTO t SELECT * FROM {source} FORMAT JSONEachRow", path=data).ok()
        return [json.loads(line) for line in answer.out.splitlines()]

    for file in ("plain.csv", "packed.csv.gz", "lines.jsonl"):
        read, written = told(f"file('{tmp_path}/{file}', auto, 'a UInt64, b String')")
        assert 250_000 < read["rows"] == written["rows"] < 360_000, (file, read)
        assert written["blocks"] > 0 and written["seconds"] > 0
    read, written = told(f"file('{tmp_path}/small.tsv', auto, 'a UInt64, b String')")
    assert (read["rows"], written["rows"]) == (7, 7)
    (written,) = told("(SELECT number, '' FROM numbers(1000000))")
    assert written["rows"] == 1_000_000 and written["blocks"] > 0 and written["seconds"] > 0
    read, written = told("t")
    assert (read["table"], read["rows"], written["rows"]) == ("t", 300_000, 300_000) and written["bytes"] > 1_000_000
