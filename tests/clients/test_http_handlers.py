"""What answers which request over HTTP, as the configuration says (http_handlers), and what headers answers have."""

import json
import re
import time

import pytest
from http_client import Http
from server import Server

RULES = r"""
<hello>Hello &amp; welcome</hello>
<http_handlers>
    <common_http_response_headers><X-Common>yes</X-Common></common_http_response_headers>
    <rule>
        <url><![CDATA[regex:/setting/(?P<name_1>[^/]+)]]></url>
        <methods>GET,HEAD</methods>
        <headers><XXX>wanted</XXX><PARAMS_XXX><![CDATA[regex:(?P<name_2>[^/]+)]]></PARAMS_XXX></headers>
        <handler>
            <type>predefined_query_handler</type>
            <query>SELECT name, value FROM system.settings WHERE name IN ({name_1:String}, {name_2:String}) ORDER BY name</query>
            <http_response_headers><X-Own>1</X-Own><Content-Type>text/x-settings</Content-Type></http_response_headers>
        </handler>
    </rule>
    <rule>
        <url>/add</url><methods>POST</methods>
        <handler><type>predefined_query_handler</type><query>INSERT INTO t FORMAT CSV</query></handler>
    </rule>
    <rule>
        <url>/sum</url>
        <handler><type>predefined_query_handler</type><query>SELECT sum(a) + {more:UInt32} FROM t</query></handler>
    </rule>
    <rule>
        <url>/body</url><methods>POST</methods>
        <handler><type>predefined_query_handler</type><query>SELECT upper({_request_body:String})</query></handler>
    </rule>
    <rule>
        <url>/whose</url>
        <handler><type>dynamic_query_handler</type><query_param_name>q</query_param_name><user>web</user><password>p</password></handler>
    </rule>
    <rule>
        <full_url>/hello?who=me</full_url>
        <handler><type>static</type><status>402</status><content_type>text/html</content_type><response_content>config://hello</response_content></handler>
    </rule>
    <rule><url>/hello</url><handler><type>static</type><response_content>plain</response_content></handler></rule>
    <rule><url>/file</url><handler><type>static</type><response_content>file://page.html</response_content></handler></rule>
    <rule><url>/away</url><handler><type>redirect</type><location>/play</location></handler></rule>
    <rule><url>/measures</url><handler><type>prometheus</type></handler></rule>
    <rule><url>/alive</url><empty_query_string/><handler><type>ping</type></handler></rule>
    %s
</http_handlers>
<http_server_default_response>Nothing here</http_server_default_response>
<users>
    <default><password/><networks><ip>127.0.0.1</ip></networks></default>
    <web><password>p</password><networks><ip>127.0.0.1</ip></networks></web>
</users>
"""


def started(tmp_path, text: str) -> tuple[Server, Http]:
    config = tmp_path / "config.xml"
    config.write_text(f"<clickhouse>{text}</clickhouse>")
    server = Server(tmp_path / "data", "--config-file", config)
    return server, Http(server.http_port)


@pytest.fixture(scope="module")
def handled(tmp_path_factory):
    folder = tmp_path_factory.mktemp("handled")
    (folder / "data/user_files").mkdir(parents=True)
    (folder / "data/user_files/page.html").write_text("<b>page</b>")
    server, http = started(folder, RULES % "<defaults/>")
    http.ok("CREATE TABLE t (a UInt32) ENGINE = MergeTree ORDER BY a")
    yield http
    assert server.stop() == 0


def test_a_query_of_the_configuration_has_parameters_of_url_and_headers(handled):
    headers = {"XXX": "wanted", "PARAMS_XXX": "max_block_size"}
    answer = handled(path="/setting/max_threads", method="GET", headers=headers, max_threads=3, max_block_size=77)
    assert answer.text == "max_block_size\t77\nmax_threads\t3\n"
    assert (answer.headers["x-own"], answer.headers["x-common"], answer.headers["content-type"]) == ("1", "yes", "text/x-settings")
    assert handled(path="/setting/max_threads", method="POST", headers=headers, body=b" ").status == 404
    assert handled(path="/setting/max_threads", method="GET", headers=headers | {"XXX": "other"}).status == 404
    assert handled(path="/setting/max_threads", method="GET", headers={"XXX": "wanted"}).status == 404


def test_queries_of_the_configuration_take_bodies(handled):
    assert handled(path="/add", body=b"1\n2\n").status == 200
    assert handled(path="/sum", method="GET", more=10).text == "13\n"
    assert handled(path="/sum", method="GET", param_more=20).text == "23\n"
    missing = handled(path="/sum", method="GET")
    assert missing.error == (456, "UNKNOWN_QUERY_PARAMETER") and missing.headers["x-common"] == "yes"
    assert handled(path="/body", body=b"abc").text == "ABC\n"


def test_a_handler_may_have_a_user_and_a_parameter_of_its_own(handled):
    assert handled(path="/whose", method="GET", q="SELECT currentUser()").text == "web\n"
    assert handled(path="/whose", method="GET", q="SELECT 1", user="default").error == (516, "AUTHENTICATION_FAILED")
    assert handled(path="/whose", method="GET", query="SELECT 1").error == (115, "UNKNOWN_SETTING")


def test_static_answers(handled):
    hello = handled(path="/hello", method="GET", who="me")
    assert (hello.status, hello.text, hello.headers["content-type"]) == (402, "Hello & welcome", "text/html")
    plain = handled(path="/hello", method="GET")
    assert (plain.status, plain.text, plain.headers["content-type"]) == (200, "plain", "text/plain; charset=UTF-8")
    assert handled(path="/file", method="GET").text == "<b>page</b>"
    away = handled(path="/away", method="GET")
    assert (away.status, away.headers["location"]) == (302, "/play")
    assert "ClickHouseProfileEvents_Query" in handled(path="/measures", method="GET").text
    assert handled(path="/alive", method="GET").text == "Ok.\n"
    assert handled(path="/alive", method="GET", a=1).status == 404


def test_what_there_is_otherwise_is_there_by_defaults(handled, tmp_path):
    assert handled.ok("SELECT 1") == "1\n" and handled(path="/ping", method="GET").text == "Ok.\n"
    assert handled(path="/", method="GET").text == "Nothing here"
    server, http = started(tmp_path, RULES % "")
    assert http("SELECT 1").status == 404 and http(path="/ping", method="GET").status == 404
    assert http(path="/hello", method="GET").text == "plain"
    assert server.stop() == 0


def test_rules_are_read_again(tmp_path):
    rule = "<http_handlers><rule><url>/a</url><handler><type>static</type><response_content>%s</response_content></handler></rule><defaults/></http_handlers>"
    server, http = started(tmp_path, rule % "one")
    assert http(path="/a", method="GET").text == "one"
    (tmp_path / "config.xml").write_text(f"<clickhouse>{rule % 'two'}</clickhouse>")
    http.ok("SYSTEM RELOAD CONFIG")
    assert http(path="/a", method="GET").text == "two"
    assert server.stop() == 0


def test_headers_that_a_query_wants(http):
    wanted = "{'Content-Type':'image/png','X-Mine':'a b'}"
    answer = http("SELECT 1", http_response_headers=wanted)
    assert (answer.headers["content-type"], answer.headers["x-mine"], answer.text) == ("image/png", "a b", "1\n")
    assert http(f"SELECT 1 SETTINGS http_response_headers = $${wanted}$$").headers["x-mine"] == "a b"
    failed = http("SELECT throwIf(1)", http_response_headers=wanted)
    assert failed.headers["content-type"].startswith("text/plain") and "x-mine" not in failed.headers
    assert http("SELECT 1", http_response_headers="{'X-A':'b\\nc'}").error == (36, "BAD_ARGUMENTS")
    assert http("SELECT 1", http_response_headers="foo").error == (27, "CANNOT_PARSE_INPUT_ASSERTION_FAILED")
    assert http.ok("SELECT value, type FROM system.settings WHERE name = 'http_response_headers'") == "{}\tMap\n"


def test_the_dashboard_asks_queries_that_run(http):
    page = http(path="/dashboard", method="GET")
    assert page.status == 200 and page.headers["content-type"].startswith("text/html")
    assert "src=" not in page.text and "connect-src 'self'" in page.headers["content-security-policy"]
    rows = json.loads(http.ok("SELECT dashboard, title, query FROM system.dashboards", default_format="JSONCompact"))["data"]
    assert len(rows) > 15 and {row[0] for row in rows} == {"Overview"}
    until = time.monotonic() + 30
    while time.monotonic() < until:
        http.ok("SYSTEM FLUSH LOGS")
        if int(http.ok("SELECT count() FROM system.metric_log")) > 0:
            break
        time.sleep(0.5)
    for _, title, query in rows:
        answer = http(query, param_from="", param_to="", param_seconds=3600, param_rounding=30, default_format="JSONCompact")
        assert answer.status == 200, (title, answer)
        result = json.loads(answer.text)
        assert [column["name"] for column in result["meta"]][0] == "t" and len(result["meta"]) == 2, title
        if title == "Queries/second":
            assert result["rows"] > 0


def test_roles_of_a_request_and_of_a_session(tmp_path):
    server, http = started(
        tmp_path, "<users><default><password/><networks><ip>127.0.0.1</ip></networks><access_management>1</access_management></default></users>"
    )
    for statement in ("CREATE ROLE r1", "CREATE ROLE r2", "CREATE ROLE other", "CREATE USER u IDENTIFIED BY 'p'", "GRANT r1, r2 TO u", "SET DEFAULT ROLE r1 TO u"):
        http.ok(statement)
    asked = "SELECT arraySort(currentRoles())"
    me = {"user": "u", "password": "p"}
    assert http.ok(asked, **me) == "['r1']\n"
    assert http.ok(asked, role="r2", **me) == "['r2']\n"
    assert http.ok(asked, role=["r1", "r2"], **me) == "['r1','r2']\n"
    assert http(asked, role="none", **me).error == (511, "UNKNOWN_ROLE")
    assert http(asked, role="other", **me).error == (512, "SET_NON_GRANTED_ROLE")
    session = me | {"session_id": "s"}
    # The parameter is for its request alone, SET ROLE for the session.
    assert http.ok(asked, role="r2", **session) == "['r2']\n"
    assert http.ok(asked, **session) == "['r1']\n"
    http.ok("SET ROLE r2", **session)
    assert http.ok(asked, **session) == "['r2']\n"
    assert http.ok(asked, role="r1", **session) == "['r1']\n"
    assert http.ok(asked, **session) == "['r2']\n"
    http.ok("SET ROLE NONE", **session)
    assert http.ok(asked, **session) == "[]\n"
    assert server.stop() == 0


def test_how_long_sessions_may_be_kept(tmp_path):
    server, http = started(tmp_path, "<default_session_timeout>7</default_session_timeout><max_session_timeout>100</max_session_timeout>")
    assert http.ok("SELECT 1", session_id="s", session_timeout=100) == "1\n"
    assert http("SELECT 1", session_id="s", session_timeout=101).error == (374, "INVALID_SESSION_TIMEOUT")
    assert http("SELECT 1", session_id="s", session_timeout="x").error == (374, "INVALID_SESSION_TIMEOUT")
    shown = http.ok("SELECT name, value, default FROM system.server_settings WHERE name LIKE '%session_timeout' ORDER BY name")
    assert shown == "default_session_timeout\t7\t60\nmax_session_timeout\t100\t3600\n"
    assert server.stop() == 0


def test_what_the_administrator_hides(tmp_path):
    log = tmp_path / "server.log"
    server, http = started(
        tmp_path,
        f"""<logger><level>trace</level><log>{log}</log></logger>
        <query_masking_rules>
            <rule><name>ssn</name><regexp>\\b\\d{{3}}-\\d{{2}}-(\\d{{4}})\\b</regexp><replace>###-\\1</replace></rule>
            <rule><regexp>hush\\w+</regexp></rule>
        </query_masking_rules>""",
    )
    assert http.ok("SELECT '123-45-6789', 'hushhush'") == "123-45-6789\thushhush\n"
    assert http("SELECT throwIf(1, 'hushnow')").text.startswith("Code: 395. DB::Exception: ******")
    assert "hushed" not in http("SELECT hushed").text
    assert http.ok("SELECT query FROM system.processes WHERE 'hushx' = 'hushx'").strip() == "SELECT query FROM system.processes WHERE \\'******\\' = \\'******\\'"
    http.ok("SYSTEM FLUSH LOGS")
    logged = http.ok("SELECT query, exception FROM system.query_log WHERE query NOT LIKE '%query_log%'", default_format="TSVRaw")
    assert "'###-6789', '******'" in logged and "hush" not in logged and "123-45" not in logged
    lines = http.ok("SELECT message FROM system.text_log WHERE message NOT LIKE '%text_log%'", default_format="TSVRaw")
    assert "###-6789" in lines and "123-45" not in lines
    assert int(http.ok("SELECT value FROM system.events WHERE event = 'QueryMaskingRulesMatch'")) > 0
    assert server.stop() == 0
    written = log.read_text()
    assert "###-6789" in written and "123-45" not in written and "hushhush" not in written


def test_what_the_administrator_refuses(tmp_path):
    server, http = started(
        tmp_path,
        """<query_masking_rules>
            <rule><name>cards</name><regexp>\\b\\d{16}\\b</regexp><replace>card</replace><throw_on_match>true</throw_on_match></rule>
            <rule><name>ssn</name><regexp>\\b\\d{3}-\\d{2}-\\d{4}\\b</regexp></rule>
        </query_masking_rules>""",
    )
    refused = http("SELECT '1234123412341234', '123-45-6789'")
    assert refused.error == (49, "LOGICAL_ERROR") and "The rule cards" in refused.text
    assert "1234123412341234" not in refused.text and "123-45" not in refused.text
    assert http.ok("SELECT '123-45-6789'") == "123-45-6789\n"
    assert http("CREATE TABLE t ENGINE = Memory AS SELECT '1234123412341234'").error[0] == 49
    assert http.ok("EXISTS TABLE t") == "0\n"
    assert server.stop() == 0


@pytest.mark.parametrize("path", ["/merges", "/jemalloc", "/binary"])
def test_pages_of_tables_ask_queries_that_run(http, path):
    page = http(path=path, method="GET")
    assert page.status == 200 and page.headers["content-type"].startswith("text/html")
    assert "src=" not in page.text and "connect-src 'self'" in page.headers["content-security-policy"]
    http.ok("SYSTEM FLUSH LOGS")
    asked = json.loads(re.search(r'<script type="application/json" id="page">(.*?)</script>', page.text, re.DOTALL)[1])
    assert asked["title"] and len(asked["sections"]) > 1
    for section in asked["sections"]:
        answer = http(section["query"], default_format="JSONCompact")
        assert answer.status == 200, (section["title"], answer.text)
        assert len(json.loads(answer.text)["meta"]) > 1


def test_the_page_of_merges_has_those_that_ran(http, table):
    http.ok(f"CREATE TABLE {table} (k UInt32) ENGINE = MergeTree ORDER BY k")
    for k in range(2):
        http.ok(f"INSERT INTO {table} VALUES ({k})", async_insert=0)
    http.ok(f"OPTIMIZE TABLE {table} FINAL")
    http.ok("SYSTEM FLUSH LOGS")
    page = http(path="/merges", method="GET").text
    asked = json.loads(re.search(r'<script type="application/json" id="page">(.*?)</script>', page, re.DOTALL)[1])
    ran = http.ok(asked["sections"][-1]["query"], default_format="JSONEachRow")
    assert f'"name":"default.{table}"' in ran, ran
