"""A server's configuration of several files, which change while it runs."""

import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from as_user import As
from http_client import Http
from server import Server

NETWORKS = "<networks><ip>::/0</ip></networks>"


@pytest.fixture
def started(tmp_path):
    servers = []

    def start(files: dict[str, str], *flags) -> tuple[Server, Http]:
        for name, text in files.items():
            write(tmp_path / name, text)
        server = Server(tmp_path / "data", "--config-file", tmp_path / next(iter(files)), *flags)
        servers.append(server)
        return server, Http(server.http_port)

    yield start
    for server in servers:
        assert server.stop() == 0


def write(file, text):
    file.parent.mkdir(exist_ok=True)
    file.write_text(f"<clickhouse>{text}</clickhouse>" if file.suffix == ".xml" else text)


def becomes(expected, asks):
    until = time.monotonic() + 60
    while (now := asks()) != expected:
        assert time.monotonic() < until, now
        time.sleep(0.1)


def admitted(http, query):
    """The answer to `query`, which is sent again while another query stands in its place."""
    until = time.monotonic() + 60
    while (answer := http(query)).headers.get("x-clickhouse-exception-code") == "202":
        assert time.monotonic() < until
    return answer


def test_files_go_over_others_as_in_clickhouse(started):
    files = {
        "config.xml": "<display_name>base</display_name><macros><shard>1</shard><replica>a</replica></macros><users_config>users.xml</users_config>"
        "<query_log><flush_interval_milliseconds>100</flush_interval_milliseconds></query_log>",
        "config.d/10-name.xml": "<display_name>first</display_name><macros><shard>2</shard></macros>",
        "config.d/20-name.yaml": "display_name: second\nmacros:\n  layer: 3\n",
        "config.d/notes.txt": "no configuration",
        "config.d/off.xml": '<part_log remove="1"/>',
        "users.xml": f"<profiles><default/></profiles><users><default><password/>{NETWORKS}</default></users>",
        # As the container image of ClickHouse makes it, and as its documentation has it.
        "users.d/default-user.xml": f'<users><default remove="remove"></default><boss><password>p</password>{NETWORKS}<access_management>1</access_management></boss></users>',
        "users.d/threads.xml": "<profiles><default><max_threads>3</max_threads></default></profiles>",
    }
    server, http = started(files)
    boss = As(http, "boss", "p")
    assert boss.ok("SELECT displayName(), getSetting('max_threads')") == "second\t3\n"
    assert boss.ok("SELECT * FROM system.macros ORDER BY macro") == "layer\t3\nreplica\ta\nshard\t2\n"
    assert boss.ok("SELECT name FROM system.users") == "boss\n"
    assert http("SELECT 1").error == (194, "REQUIRED_PASSWORD")
    boss.ok("SYSTEM FLUSH LOGS")
    assert boss.ok("SELECT name FROM system.tables WHERE database = 'system' AND name IN ('query_log', 'part_log')") == "query_log\n"


def test_files_are_read_again_when_they_change(started, tmp_path):
    user = "<users><{name}><password>{password}</password>" + NETWORKS + "</{name}></users>"
    files = {"config.xml": "<config_reload_interval_ms>100</config_reload_interval_ms>" + user.format(name="a", password="1")}
    server, http = started(files)
    assert As(http, "a", "1").ok("SELECT 1") == "1\n"
    # A file that was not there, and another folder.
    write(tmp_path / "config.d/b.xml", user.format(name="b", password="2"))
    becomes(200, lambda: As(http, "b", "2")("SELECT 1").status)
    write(tmp_path / "config.d/b.xml", user.format(name="b", password="3"))
    becomes(200, lambda: As(http, "b", "3")("SELECT 1").status)
    # With a mistake everything stays as it was, until it is no more.
    (tmp_path / "config.d/b.xml").write_text("<clickhouse>")
    becomes(True, lambda: any("The configuration stays as it was" in line for line in server.log))
    assert As(http, "b", "3").ok("SELECT 1") == "1\n"
    (tmp_path / "config.d/b.xml").unlink()
    becomes(403, lambda: As(http, "b", "3")("SELECT 1").status)
    assert As(http, "a", "1").ok("SELECT 1") == "1\n"


def test_how_many_queries_may_run_changes(started, tmp_path):
    config = "<config_reload_interval_ms>100</config_reload_interval_ms><max_concurrent_queries>{}</max_concurrent_queries>"
    _, http = started({"config.xml": config.format(1)})
    told = "SELECT getServerSetting('max_concurrent_queries')"
    assert http.ok(told) == "1\n"
    with ThreadPoolExecutor() as pool:
        slow = pool.submit(admitted, http, "SELECT sleepEachRow(1) FROM numbers(10) SETTINGS max_block_size = 1, max_threads = 1")
        becomes("202", lambda: http("SELECT 1").headers.get("x-clickhouse-exception-code"))
        write(tmp_path / "config.xml", config.format(2))
        becomes("2\n", lambda: http(told).text)
        assert not slow.done() and slow.result().status == 200


def test_elements_are_included_from_another_file(started):
    files = {
        "config.xml": '<include_from>parts.xml</include_from><macros incl="macros"/><users incl="people" optional="1"/>',
        "parts.xml": "<macros><shard>7</shard></macros>",
    }
    _, http = started(files)
    assert http.ok("SELECT getMacro('shard')") == "7\n"


def test_addresses_that_cannot_be_listened_on(started):
    # That is no address of this machine.
    server, http = started({"config.xml": "<listen_try>1</listen_try>"}, "--listen-host", "203.0.113.77")
    assert http.ok("SELECT 1") == "1\n"
    assert any("203.0.113.77" in line and "listen_try" in line for line in server.log)
