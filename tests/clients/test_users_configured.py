"""Users, profiles and rules of passwords in the server's configuration."""

import signal
import subprocess
import time

from as_user import DENIED, FAILED, As
from http_client import Http
from server import BINARY, Server

CONFIG = """<clickhouse>
    <max_concurrent_queries>7</max_concurrent_queries>
    <profiles><default><max_threads>3</max_threads></default></profiles>
    <users>
        <default>
            <password>{password}</password>
            <networks><ip>::/0</ip></networks>
            <access_management>1</access_management>
        </default>
        <reader>
            <password_sha256_hex>65e84be33532fb784c48129675f9eff3a682b27168c0ea744b2cf58ee02337c5</password_sha256_hex>
            <networks><ip>::1</ip><ip>127.0.0.1</ip></networks>
            <grants><query>GRANT SELECT ON shop.*</query></grants>
        </reader>
    </users>
</clickhouse>"""


def test_users_of_the_configuration(tmp_path):
    config = tmp_path / "config.xml"
    config.write_text(CONFIG.format(password="first"))
    server = Server(tmp_path / "data", "--config-file", config)
    http = Http(server.http_port)
    default, reader = As(http, "default", "first"), As(http, "reader", "qwerty")
    # Who gave no name and no password is asked for them.
    nobody = http("SELECT 1")
    assert nobody.error == (194, "REQUIRED_PASSWORD") and nobody.status == 401, nobody
    assert nobody.headers["www-authenticate"].startswith("Basic realm="), nobody.headers
    wrong = As(http, "default", "wrong")("SELECT 1")
    assert wrong.error == FAILED and wrong.status == 403 and "www-authenticate" not in wrong.headers
    assert default.ok("SELECT getSetting('max_threads')") == "3\n"
    assert reader.ok("SHOW GRANTS") == "GRANT SELECT ON shop.* TO reader\n"
    assert default("DROP USER reader").error == (495, "ACCESS_STORAGE_READONLY")
    default.ok("CREATE USER alice IDENTIFIED BY 'a'")
    config.write_text(CONFIG.format(password="second"))
    server.process.send_signal(signal.SIGHUP)
    for _ in range(600):
        if As(http, "default", "second")("SELECT 1").status == 200:
            break
        time.sleep(0.1)
    assert default("SELECT 1").error == FAILED
    assert As(http, "default", "second").ok("SELECT name FROM system.users ORDER BY name") == "alice\ndefault\nreader\n"
    # A configuration that is none changes nothing.
    config.write_text("<clickhouse>")
    second = As(http, "default", "second")
    answer = second("SYSTEM RELOAD CONFIG")
    assert answer.error[0] == 318 and "config.xml" in answer.text
    assert second.ok("SELECT 1") == "1\n"
    config.write_text(CONFIG.format(password="third"))
    second.ok("SYSTEM RELOAD CONFIG")
    assert As(http, "default", "third").ok("SELECT 1") == "1\n"
    assert server.stop() == 0


def test_the_user_of_a_server_without_configuration_gets_a_password(tmp_path):
    server = Server(tmp_path / "data")
    http = Http(server.http_port)
    http.ok("ALTER USER default IDENTIFIED BY 'sesame' SETTINGS max_threads = 1")
    for again in (False, True):
        if again:
            server = Server(tmp_path / "data")
            http = Http(server.http_port)
        default = As(http, "default", "sesame")
        assert http("SELECT 1").error == (194, "REQUIRED_PASSWORD")
        assert default.ok("SELECT currentUser(), getSetting('max_threads')") == "default\t1\n"
        for query in ("DROP USER default", "ALTER USER default RENAME TO other"):
            assert default(query).error == (495, "ACCESS_STORAGE_READONLY")
        assert server.stop() == 0
    config = tmp_path / "config.xml"
    config.write_text("<clickhouse><users><default><password/><access_management>1</access_management></default></users></clickhouse>")
    server = Server(tmp_path / "data", "--config-file", config)
    http = Http(server.http_port)
    assert http("ALTER USER default IDENTIFIED BY 'sesame'").error == (495, "ACCESS_STORAGE_READONLY")
    assert server.stop() == 0


def configured(tmp_path, text: str) -> Server:
    config = tmp_path / "config.xml"
    config.write_text(f"<clickhouse>{text}</clickhouse>")
    return Server(tmp_path / "data", "--config-file", config)


def test_what_would_restrict_a_user_is_not_passed_over(tmp_path):
    config = tmp_path / "config.xml"
    for element, said in (
        ("<databases><default><t1><filter>a = 1</filter></t1></default></databases>", "row filters are not there"),
        ("<quota>strict</quota>", "quotas are not there"),
        ("<ldap><server>x</server></ldap>", "<ldap> is not supported"),
    ):
        config.write_text(f"<clickhouse><users><u><password>x</password>{element}</u></users></clickhouse>")
        line = [BINARY, "server", "--path", tmp_path / "data", "--config-file", config, "--http-port", 0, "--tcp-port", 0]
        done = subprocess.run([str(word) for word in line], capture_output=True, text=True, timeout=60)
        assert done.returncode != 0 and said in done.stderr, done


def test_a_user_of_some_databases_sees_no_other(tmp_path):
    users = "<users><default><password>x</password></default><u><password>y</password><allow_databases><database>own</database></allow_databases></u></users>"
    server = configured(tmp_path, users)
    http = Http(server.http_port)
    root, user = As(http, "default", "x"), As(http, "u", "y")
    root.ok("CREATE DATABASE own")
    root.ok("CREATE TABLE own.t (a Int8) ENGINE = Memory")
    root.ok("CREATE TABLE default.s (a Int8) ENGINE = Memory")
    assert user.ok("SELECT count() FROM own.t") == "0\n"
    assert user("SELECT * FROM default.s").error == DENIED
    assert user.ok("SELECT name FROM system.tables WHERE database = 'default'") == ""
    assert server.stop() == 0


def test_passwords_have_to_be_what_the_configuration_asks(tmp_path):
    rules = "<allow_plaintext_password>0</allow_plaintext_password><allow_no_password>0</allow_no_password><password_complexity><rule><pattern>.{12}</pattern><message>be at least 12 characters long</message></rule></password_complexity><users><default><password_sha256_hex>2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881</password_sha256_hex><access_management>1</access_management></default></users>"
    server = configured(tmp_path, rules)
    root = As(Http(server.http_port), "default", "x")
    refused = root("CREATE USER a IDENTIFIED BY 'short'")
    assert refused.error == (36, "BAD_ARGUMENTS") and "The password should: be at least 12 characters long" in refused.text
    for query in ("CREATE USER a", "CREATE USER a NOT IDENTIFIED", "CREATE USER a IDENTIFIED WITH plaintext_password BY 'long enough for it'"):
        answer = root(query)
        assert answer.error == (36, "BAD_ARGUMENTS") and "is not allowed" in answer.text, answer
    root.ok("CREATE USER a IDENTIFIED BY 'long enough for it'")
    assert root("ALTER USER a IDENTIFIED BY 'short'").error == (36, "BAD_ARGUMENTS")
    assert server.stop() == 0
