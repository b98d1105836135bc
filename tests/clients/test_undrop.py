"""DROP TABLE that is taken back: while the server runs, and after it was killed."""

import signal
import time

import pytest
from http_client import Http
from server import Server

GONE = (60, "UNKNOWN_TABLE")


@pytest.fixture
def start(tmp_path):
    servers = []

    def begin(delay: int | None = None) -> tuple[Server, Http]:
        config = tmp_path / "config.xml"
        said = "" if delay is None else f"<database_atomic_delay_before_drop_table_sec>{delay}</database_atomic_delay_before_drop_table_sec>"
        config.write_text(f"<clickhouse>{said}</clickhouse>")
        server = Server(tmp_path / "data", "--config-file", config)
        servers.append(server)
        return server, Http(server.http_port)

    yield begin
    for server in servers:
        server.stop()


def make(http: Http, name: str, value: int) -> None:
    http.ok(f"CREATE TABLE {name} (a UInt32) ENGINE = MergeTree ORDER BY a")
    http.ok(f"INSERT INTO {name} VALUES ({value})")


def test_a_dropped_table_is_brought_back(start):
    _, http = start()
    assert http.ok("SELECT value FROM system.server_settings WHERE name = 'database_atomic_delay_before_drop_table_sec'") == "480\n"
    make(http, "t", 1)
    uuid = http.ok("SELECT uuid FROM system.tables WHERE name = 't'").strip()
    http.ok("DROP TABLE t")
    shown = "SELECT index, database, table, uuid, engine, metadata_dropped_path, table_dropped_time > now() FROM system.dropped_tables"
    assert http.ok(shown) == f"0\tdefault\tt\t{uuid}\tMergeTree\tmetadata/v1-unowned/{uuid}.json\t1\n"
    make(http, "t", 2)
    assert http("UNDROP TABLE t").error == (57, "TABLE_ALREADY_EXISTS")
    http.ok("DROP TABLE t")
    assert http("UNDROP TABLE other").error == GONE
    assert http("UNDROP TABLE nowhere.t").error == (81, "UNKNOWN_DATABASE")
    # The last one that had the name; the other one by its uuid.
    http.ok("UNDROP TABLE t")
    assert http.ok("SELECT a FROM t") == "2\n"
    http.ok("RENAME TABLE t TO u")
    http.ok(f"UNDROP TABLE t UUID '{uuid}'")
    assert http.ok("SELECT a FROM t") == "1\n"
    http.ok("INSERT INTO t VALUES (3)")
    assert http.ok("SELECT sum(a) FROM t") == "4\n"
    assert http("UNDROP TABLE v UUID 'no uuid'").error == (376, "CANNOT_PARSE_UUID")
    assert http.ok("SELECT count() FROM system.dropped_tables") == "0\n"


def test_what_is_dropped_at_once_does_not_come_back(start, tmp_path):
    _, http = start()
    setting = "SETTINGS database_atomic_wait_for_drop_and_detach_synchronously = 1"
    for number, words in enumerate(["SYNC", "NO DELAY", setting]):
        make(http, f"t{number}", number)
        uuid = http.ok(f"SELECT uuid FROM system.tables WHERE name = 't{number}'").strip()
        http.ok(f"DROP TABLE t{number} {words}")
        assert http(f"UNDROP TABLE t{number}").error == GONE
        assert not list((tmp_path / "data").glob(f"store/{uuid}/parts/*"))
    # Nor do views and what is in memory alone.
    http.ok("CREATE TABLE m (a UInt8) ENGINE = Memory")
    http.ok("CREATE VIEW v AS SELECT 1")
    http.ok("DROP TABLE m")
    http.ok("DROP VIEW v")
    assert http.ok("SELECT count() FROM system.dropped_tables") == "0\n"


def test_a_killed_server_finds_dropped_tables_again(start, tmp_path):
    server, http = start()
    make(http, "t", 1)
    make(http, "u", 2)
    http.ok("DROP TABLE t")
    http.ok("DROP TABLE u")
    server.process.send_signal(signal.SIGKILL)
    server.process.wait(60)
    _, http = start()
    assert http.ok("SELECT table FROM system.dropped_tables ORDER BY index") == "t\nu\n"
    assert http.ok("SHOW TABLES") == ""
    http.ok("UNDROP TABLE t")
    assert http.ok("SELECT a FROM t") == "1\n"


def test_a_dropped_table_goes_when_it_is_due(start, tmp_path):
    server, http = start(delay=1)
    make(http, "t", 1)
    uuid = http.ok("SELECT uuid FROM system.tables WHERE name = 't'").strip()
    http.ok("DROP TABLE t")
    assert server.stop() == 0
    time.sleep(1.1)
    # Nothing but the note remembers it.
    _, http = start(delay=1)
    assert http("UNDROP TABLE t").error == GONE
    data = tmp_path / "data"
    assert not list(data.glob(f"store/{uuid}/parts/*")) and not (data / f"metadata/v1-unowned/{uuid}.json").exists()
    # While it runs, too.
    make(http, "t", 1)
    http.ok("DROP TABLE t")
    end = time.monotonic() + 60
    while http.ok("SELECT count() FROM system.dropped_tables") != "0\n":
        assert time.monotonic() < end
        time.sleep(0.1)
    assert http("UNDROP TABLE t").error == GONE


def test_no_delay_keeps_nothing(start):
    _, http = start(delay=0)
    make(http, "t", 1)
    http.ok("DROP TABLE t")
    assert http("UNDROP TABLE t").error == GONE


def test_a_table_is_away_after_a_start_where_it_was_detached_permanently(start):
    server, http = start()
    make(http, "t", 1)
    make(http, "u", 2)
    http.ok("DETACH TABLE t PERMANENTLY")
    http.ok("DETACH TABLE u")
    server.process.send_signal(signal.SIGKILL)
    server.process.wait(60)
    _, http = start()
    assert http.ok("SHOW TABLES") == "u\n"
    assert http.ok("SELECT table, is_permanently FROM system.detached_tables") == "t\t1\n"
    http.ok("ATTACH TABLE t")
    assert http.ok("SELECT a FROM t") == "1\n"
