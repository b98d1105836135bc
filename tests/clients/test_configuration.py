"""What elements of a server's configuration, and its flags, do."""

import json
import socket
import subprocess
import time

import clickhouse_driver
import pytest
from http_client import Http
from server import BINARY, Server


@pytest.fixture
def configured(tmp_path):
    servers = []

    def start(text: str, *flags) -> tuple[Server, Http]:
        config = tmp_path / "config.xml"
        config.write_text(f"<clickhouse>{text}</clickhouse>")
        server = Server(tmp_path / "data", "--config-file", config, *flags)
        servers.append(server)
        return server, Http(server.http_port)

    yield start
    for server in servers:
        assert server.stop() == 0


def test_the_time_zone(configured):
    _, http = configured("<timezone>Asia/Tokyo</timezone>")
    assert http.ok("SELECT timezone(), toDateTime(0), toDateTime('1970-01-01 09:00:00')::UInt32") == "Asia/Tokyo\t1970-01-01 09:00:00\t0\n"


def test_defaults_of_merge_tree_tables(configured):
    _, http = configured("<merge_tree><index_granularity>100</index_granularity><parts_to_delay_insert>77</parts_to_delay_insert><not_here>1</not_here></merge_tree>")
    query = "SELECT value, changed FROM system.merge_tree_settings WHERE name IN ('parts_to_delay_insert', 'parts_to_throw_insert') ORDER BY name"
    assert http.ok(query) == "77\t1\n3000\t0\n"
    http.ok("CREATE TABLE t (a UInt32) ENGINE = MergeTree ORDER BY a")
    assert "index_granularity = 100" in http.ok("SHOW CREATE TABLE t")
    http.ok("INSERT INTO t SELECT number FROM numbers(1000)")
    assert http.ok("SELECT sum(marks) >= 10 FROM system.parts WHERE table = 't'") == "1\n"


def test_connections_beyond_the_limit_wait(configured):
    server, _ = configured("<max_connections>1</max_connections>")
    request = b"GET /ping HTTP/1.1\r\nHost: x\r\n\r\n"
    with socket.create_connection(("127.0.0.1", server.http_port)) as first:
        first.sendall(request)
        assert first.recv(1000).startswith(b"HTTP/1.1 200")
        with socket.create_connection(("127.0.0.1", server.http_port)) as second:
            second.settimeout(1)
            second.sendall(request)
            with pytest.raises(TimeoutError):
                second.recv(1000)
            first.close()
            second.settimeout(20)
            assert second.recv(1000).startswith(b"HTTP/1.1 200")


def test_the_log_goes_into_files(configured, tmp_path):
    log, errors = tmp_path / "log/all.log", tmp_path / "log/errors.log"
    logger = f"<logger><level>information</level><log>{log}</log><errorlog>{errors}</errorlog><formatting><type>json</type></formatting></logger><no_such_thing/>"
    configured(logger)
    # The terminal, by which the server is known to be ready, gets a line before the file does.
    until = time.monotonic() + 20
    while "Ready for connections" not in log.read_text() and time.monotonic() < until:
        time.sleep(0.05)
    lines = [json.loads(line) for line in log.read_text().splitlines(keepends=True) if line.endswith("\n")]
    assert any("Ready for connections" in line["message"] for line in lines)
    assert all(line["level"] in ("WARN", "ERROR") for line in map(json.loads, errors.read_text().splitlines()))
    assert "no_such_thing" in errors.read_text()


def test_the_name_of_the_server(configured):
    _, http = configured("<display_name>mill</display_name>")
    assert http("SELECT 1").headers["x-clickhouse-server-display-name"] == "mill"


def test_what_is_configured_is_told(configured, tmp_path):
    profiles = "<default_profile>base</default_profile><profiles><default/><base/></profiles>"
    elements = "<display_name>mill</display_name><timezone>Asia/Tokyo</timezone><config_reload_interval_ms>0</config_reload_interval_ms>"
    _, http = configured(profiles + elements + USERS)
    names = "'config_reload_interval_ms', 'default_profile', 'display_name', 'listen_try', 'timezone'"
    told = f"SELECT name, value, changed, changeable_without_restart FROM system.server_settings WHERE name IN ({names}) ORDER BY name"
    assert http.ok(told) == (
        "config_reload_interval_ms\t0\t1\tNo\ndefault_profile\tbase\t1\tYes\ndisplay_name\tmill\t1\tNo\nlisten_try\t0\t0\tNo\n"
        "timezone\tAsia/Tokyo\t1\tNo\n"
    )
    (tmp_path / "config.xml").write_text(f"<clickhouse><profiles><default/></profiles>{USERS}</clickhouse>")
    http.ok("SYSTEM RELOAD CONFIG")
    assert http.ok("SELECT getServerSetting('default_profile')") == "default\n"


def test_a_port_for_metrics(configured):
    server, http = configured("<prometheus><port>0</port><endpoint>/told</endpoint><asynchronous_metrics>false</asynchronous_metrics></prometheus>")
    metrics = Http(server.prometheus_port)
    assert http("SELECT no_such_column").status == 404
    assert http.ok("SELECT 1") == "1\n"
    answer = metrics(method="GET", path="/told")
    assert answer.status == 200 and answer.headers["content-type"].startswith("text/plain; version=0.0.4")
    lines = dict(line.rsplit(" ", 1) for line in answer.text.splitlines() if not line.startswith("#"))
    assert int(lines["ClickHouseProfileEvents_Query"]) >= 1 and "ClickHouseMetrics_HTTPConnection" in lines
    assert lines["ClickHouseErrorMetric_UNKNOWN_IDENTIFIER"] == lines["ClickHouseErrorMetric_ALL"] == "1"
    assert lines["ClickHouseErrorMetric_MEMORY_LIMIT_EXCEEDED"] == "0"
    assert not any(name.startswith("ClickHouseAsyncMetrics_") for name in lines)
    # Nothing else is there.
    for path in ("/metrics", "/ping", "/?query=SELECT+1"):
        assert metrics(method="GET", path=path).status == 404, path
    assert metrics("SELECT 1").status == 404
    assert http.ok("SELECT getServerPort('prometheus.port')") == f"{server.prometheus_port}\n"


def test_macros(configured, tmp_path):
    _, http = configured("<macros><shard>01</shard><replica>a &amp; b</replica></macros>")
    assert http.ok("SELECT * FROM system.macros ORDER BY macro") == "replica\ta & b\nshard\t01\n"
    assert http.ok("SELECT getMacro('shard'), getMacro('replica')") == "01\ta & b\n"
    assert http("SELECT getMacro('layer')").error == (139, "NO_ELEMENTS_IN_CONFIG")
    (tmp_path / "config.xml").write_text("<clickhouse><macros><shard>02</shard></macros></clickhouse>")
    http.ok("SYSTEM RELOAD CONFIG")
    assert http.ok("SELECT * FROM system.macros") == "shard\t02\n"


def test_lists_of_suffixes_of_domains(configured, tmp_path):
    (tmp_path / "suffixes.dat").write_text("// ours\ncom\nco.uk\n*.ck\n!www.ck\n")
    lists = "<top_level_domains_lists><ours>suffixes.dat</ours></top_level_domains_lists>"
    _, http = configured(f"<top_level_domains_path>{tmp_path}</top_level_domains_path>{lists}")
    asked = "SELECT cutToFirstSignificantSubdomainCustom(url, 'ours'), firstSignificantSubdomainCustom(url, 'ours')"
    urls = "'https://news.bbc.co.uk/x', 'http://www.a.b.ck', 'http://x.www.ck/', 'http://foo.bar.there-is-no-such-domain'"
    assert http.ok(f"{asked} FROM (SELECT arrayJoin([{urls}]) AS url)") == (
        "bbc.co.uk\tbbc\na.b.ck\ta\nwww.ck\twww\nbar.there-is-no-such-domain\tbar\n"
    )
    with_www = "cutToFirstSignificantSubdomainCustomWithWWW"
    assert http.ok(f"SELECT {with_www}('http://www.co.uk', 'ours'), cutToFirstSignificantSubdomainCustom('www.co.uk', 'ours')") == "www.co.uk\tco.uk\n"
    assert http.ok("SELECT cutToFirstSignificantSubdomainCustomRFC('http://user:password@a.b.com:80/p', 'ours')") == "b.com\n"
    assert http("SELECT firstSignificantSubdomainCustom('a.b', 'others')").error == (562, "TLD_LIST_NOT_FOUND")


def test_the_profile_of_everybody(configured):
    profiles = "<profiles><base><max_threads>3</max_threads></base><everybody><profile>base</profile><max_block_size>1234</max_block_size></everybody></profiles>"
    users = "<users><default><no_password/><networks><ip>::/0</ip></networks></default></users>"
    server, http = configured(f"<default_profile>everybody</default_profile>{profiles}{users}")
    assert http.ok("SELECT getSetting('max_threads'), getSetting('max_block_size')") == "3\t1234\n"
    assert http.ok("SELECT currentProfiles(), enabledProfiles(), defaultProfiles()") == "['everybody']\t['base','everybody']\t['everybody']\n"
    client = clickhouse_driver.Client("127.0.0.1", port=server.tcp_port)
    assert client.execute("SELECT getSetting('max_threads')") == [(3,)]
    client.disconnect()


def test_a_profile_of_everybody_that_is_not_there(tmp_path):
    config = tmp_path / "config.xml"
    config.write_text("<clickhouse><default_profile>none</default_profile></clickhouse>")
    line = [BINARY, "server", "--path", tmp_path / "data", "--http-port", "0", "--tcp-port", "0", "--config-file", config]
    ended = subprocess.run([str(word) for word in line], capture_output=True, text=True, timeout=60)
    assert ended.returncode != 0 and "THERE_IS_NO_PROFILE" in ended.stderr and "<default_profile>" in ended.stderr


def test_the_database_of_who_names_none(configured):
    server, http = configured("<default_database>home</default_database>")
    assert http.ok("SELECT currentDatabase()") == "home\n"
    assert http.ok("SELECT currentDatabase()", database="default") == "default\n"
    assert http.ok("SELECT getServerSetting('default_database'), value, changed FROM system.server_settings WHERE name = 'default_database'") == "home\thome\t1\n"
    http.ok("CREATE TABLE t (a Int8) ENGINE = Memory")
    client = clickhouse_driver.Client("127.0.0.1", port=server.tcp_port)
    assert client.execute("SELECT currentDatabase(), hasColumnInTable('home', 't', 'a')") == [("home", 1)]
    client.disconnect()


def test_connections_wait_as_long_as_told(configured):
    server, http = configured("<keep_alive_timeout>2</keep_alive_timeout>")
    assert http("SELECT 1").headers["keep-alive"] == "timeout=2"
    assert http(method="GET", path="/ping").headers["keep-alive"] == "timeout=2"
    assert http.ok("SELECT getServerSetting('keep_alive_timeout')") == "2\n"
    with socket.create_connection(("127.0.0.1", server.http_port)) as connection:
        connection.settimeout(20)
        for _ in range(2):
            connection.sendall(b"GET /ping HTTP/1.1\r\nHost: x\r\n\r\n")
            answer = b""
            while not answer.endswith(b"Ok.\n"):
                answer += connection.recv(1000)
            assert answer.startswith(b"HTTP/1.1 200")
            time.sleep(0.5)
        begin = time.monotonic()
        assert connection.recv(1000) == b""
        assert time.monotonic() - begin < 10


def test_connections_that_are_not_kept(configured):
    server, http = configured("<keep_alive_timeout>0</keep_alive_timeout>")
    answer = http("SELECT 1")
    assert answer.headers["connection"].lower() == "close" and "keep-alive" not in answer.headers
    with socket.create_connection(("127.0.0.1", server.http_port)) as connection:
        connection.settimeout(20)
        connection.sendall(b"GET /ping HTTP/1.1\r\nHost: x\r\n\r\n")
        answer = b""
        while part := connection.recv(1000):
            answer += part
        assert answer.startswith(b"HTTP/1.1 200") and answer.endswith(b"Ok.\n")


@pytest.mark.parametrize("dash", ["-", "_"])
def test_flags_in_both_spellings(configured, tmp_path, dash):
    flags = {"user_files_path": tmp_path / "files", "max_server_memory_usage": "4G", "uncompressed_cache_size": "1M", "query_condition_cache_size": "1M"}
    words = [word for name, value in flags.items() for word in (f"--{name.replace('_', dash)}", value)]
    _, http = configured("", *words)
    http.ok("INSERT INTO FUNCTION file('a.csv', 'CSV', 'a Int8') VALUES (1)")
    assert (tmp_path / "files/a.csv").exists()


def test_statements_end_the_server_and_ask_for_what_is_not_there(configured):
    server, http = configured("")
    for statement in (
        "SYSTEM DROP DNS CACHE",
        "SYSTEM DROP QUERY CACHE",
        "SYSTEM DROP FORMAT SCHEMA CACHE",
        "SYSTEM DROP COMPILED EXPRESSION CACHE",
        "SYSTEM DROP MMAP CACHE",
        "SYSTEM RELOAD DICTIONARIES",
        "SYSTEM STOP VIEWS",
        "SYSTEM START VIEWS",
        "SYSTEM STOP MOVES",
        "SYSTEM STOP FETCHES",
    ):
        assert http.ok(statement) == ""
    http.ok("SYSTEM SHUTDOWN")
    deadline = time.monotonic() + 30
    while server.process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.05)
    assert server.process.poll() == 0


USERS = "<users><default><password/><networks><ip>127.0.0.1</ip></networks><profile>default</profile></default></users>"


def test_settings_of_ones_own(configured):
    server, http = configured(
        f"""<custom_settings_prefixes>SQL_, my_</custom_settings_prefixes>
        <profiles><default><SQL_a>UInt64_7</SQL_a></default></profiles>{USERS}"""
    )
    assert http.ok("SELECT getSetting('SQL_a'), toTypeName(getSetting('SQL_a'))") == "7\tUInt8\n"
    query = "SELECT getSetting('my_b'), toTypeName(getSetting('my_b')) SETTINGS my_b ="
    assert http.ok(f"{query} 'it''s'") == "it\\'s\tString\n"
    assert http.ok(f"{query} '5'") == "5\tString\n"
    assert http.ok(f"{query} -5") == "-5\tInt8\n"
    assert http.ok(f"{query} 0.5") == "0.5\tFloat64\n"
    assert http.ok(f"{query} true") == "true\tBool\n"
    assert http.ok("SELECT getSetting('my_c')", my_c="x") == "x\n"
    assert http.ok("SELECT getSettingOrDefault('my_zzz', 5)") == "5\n"
    assert http("SELECT getSetting('my_zzz')").error == (115, "UNKNOWN_SETTING")
    assert http("SELECT 1", other_c="x").error == (115, "UNKNOWN_SETTING")
    session = {"session_id": "custom"}
    http.ok("SET my_d = 1, my_e = 'x'", **session)
    shown = "SELECT name, value, type FROM system.settings WHERE type = 'Custom' ORDER BY name"
    assert http.ok(shown, **session) == "SQL_a\tUInt64_7\tCustom\nmy_d\tUInt64_1\tCustom\nmy_e\t\\'x\\'\tCustom\n"
    http.ok("SET my_d = DEFAULT", **session)
    assert http("SELECT getSetting('my_d')", **session).error == (115, "UNKNOWN_SETTING")
    client = clickhouse_driver.Client("127.0.0.1", port=server.tcp_port)
    assert client.execute("SELECT getSetting('my_f') SETTINGS my_f = 3") == [(3,)]
    client.disconnect()


def test_settings_with_the_usual_prefix(configured):
    _, http = configured("")
    assert http.ok("SELECT getSetting('SQL_x') SETTINGS SQL_x = 1") == "1\n"
    assert http("SELECT 1 SETTINGS my_x = 1").error == (115, "UNKNOWN_SETTING")


def test_sessions_of_one_user(configured):
    server, http = configured(
        f"<profiles><default><max_sessions_for_user>1</max_sessions_for_user></default></profiles>{USERS}"
    )
    first = clickhouse_driver.Client("127.0.0.1", port=server.tcp_port)
    assert first.execute("SELECT 1") == [(1,)]
    with pytest.raises(clickhouse_driver.errors.ServerException) as refused:
        clickhouse_driver.Client("127.0.0.1", port=server.tcp_port).execute("SELECT 1")
    assert refused.value.code == 700
    assert http("SELECT 1", session_id="s").error == (700, "USER_SESSION_LIMIT_EXCEEDED")
    # A request by itself is no session.
    assert http.ok("SELECT 1") == "1\n"
    first.disconnect()
    until = time.monotonic() + 20
    while http("SELECT 1", session_id="s").status != 200 and time.monotonic() < until:
        time.sleep(0.05)
    assert http.ok("SELECT 1", session_id="s") == "1\n"


def test_the_limit_of_sessions_may_be_said_as_it_is(configured):
    _, http = configured("")
    assert http.ok("SELECT 1", max_sessions_for_user=0) == "1\n"
    assert http("SELECT 1", max_sessions_for_user=5).error == (164, "READONLY")


def test_large_tables_are_not_dropped_by_mistake(configured, tmp_path):
    _, http = configured("<max_table_size_to_drop>100</max_table_size_to_drop><max_partition_size_to_drop>100</max_partition_size_to_drop>")
    refused = (359, "TABLE_SIZE_EXCEEDS_MAX_DROP_SIZE_LIMIT")
    shown = "SELECT value, default FROM system.server_settings WHERE name LIKE '%size_to_drop'"
    assert http.ok(shown) == "100\t50000000000\n" * 2
    for name in "abc":
        http.ok(f"CREATE TABLE {name} (k UInt32) ENGINE = MergeTree ORDER BY k")
        http.ok(f"INSERT INTO {name} SELECT number FROM numbers(1000)")
    flag = tmp_path / "data/flags/force_drop_table"
    for statement in ("DROP TABLE a", "TRUNCATE TABLE a", "DROP DATABASE default", "ALTER TABLE a DROP PARTITION tuple()", "ALTER TABLE a DROP PART 'all_1_1_0'"):
        answer = http(statement)
        assert answer.error == refused and f"touch '{flag}'" in answer.text, answer
    # What a query says goes before what the server says.
    assert http("DROP TABLE a SETTINGS max_table_size_to_drop = 10").error == refused
    http.ok("DROP TABLE a SETTINGS max_table_size_to_drop = 1000000")
    # The file lets one statement through, and one that is small enough leaves it.
    flag.parent.mkdir()
    flag.touch()
    http.ok("CREATE TABLE small (k UInt32) ENGINE = MergeTree ORDER BY k")
    http.ok("DROP TABLE small")
    assert flag.exists()
    http.ok("DROP TABLE b")
    assert not flag.exists()
    assert http("DROP TABLE c").error == refused
    (tmp_path / "config.xml").write_text("<clickhouse><max_table_size_to_drop>0</max_table_size_to_drop></clickhouse>")
    http.ok("SYSTEM RELOAD CONFIG")
    assert sorted(http.ok(shown).split()[::2]) == ["0", "50000000000"]
    http.ok("DROP TABLE c")


def test_headers_of_the_answer_to_options(configured, tmp_path):
    origin = {"Origin": "http://example.com"}
    header = "<header><name>{}</name><value>{}</value></header>"
    text = header.format("Access-Control-Allow-Origin", "https://a.b") + header.format("Access-Control-Max-Age", 5) + "<header><value>x</value></header>"
    _, http = configured(f"<http_options_response>{text}</http_options_response>")
    for headers in (origin, {}):
        answer = http(method="OPTIONS", path="/any", headers=headers)
        assert (answer.status, answer.body, answer.headers["connection"]) == (204, b"", "close")
        assert (answer.headers["access-control-allow-origin"], answer.headers["access-control-max-age"]) == ("https://a.b", "5")
        assert "access-control-allow-methods" not in answer.headers
    assert "access-control-allow-origin" not in http("SELECT 1", headers=origin).headers
    (tmp_path / "config.xml").write_text("<clickhouse></clickhouse>")
    http.ok("SYSTEM RELOAD CONFIG")
    assert http(method="OPTIONS", headers=origin).headers["access-control-allow-origin"] == "*"
