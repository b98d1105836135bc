"""Users, roles, privileges and settings profiles: who comes in, and what they may do."""

import clickhouse_connect
import clickhouse_driver
import pytest
from as_user import DENIED, FAILED, As
from http_client import Http
from server import Server


@pytest.mark.parametrize("method", ["sha256_password", "double_sha1_password", "scram_sha256_password", "bcrypt_password", "plaintext_password"])
def test_a_user_comes_in_with_the_password_alone(house, method):
    server, http = house
    http.ok(f"CREATE USER alice IDENTIFIED WITH {method} BY 'right'")
    alice = As(http, "alice", "right")
    assert alice.ok("SELECT currentUser()") == "alice\n"
    for user, password in [("alice", "wrong"), ("alice", ""), ("nobody", "right")]:
        answer = As(http, user, password)("SELECT 1")
        assert answer.error == FAILED and answer.status == 403
    assert clickhouse_driver.Client("127.0.0.1", port=server.tcp_port, user="alice", password="right").execute("SELECT 1") == [(1,)]
    with pytest.raises(clickhouse_driver.errors.Error, match="Authentication failed"):
        clickhouse_driver.Client("127.0.0.1", port=server.tcp_port, user="alice", password="wrong").execute("SELECT 1")
    client = clickhouse_connect.get_client(host="127.0.0.1", port=server.http_port, username="alice", password="right")
    assert client.query("SELECT 1").result_rows == [(1,)]
    # Neither the password nor what is kept of it is told anywhere.
    assert http.ok("SHOW CREATE USER alice") == f"CREATE USER alice IDENTIFIED WITH {method}\n"
    http.ok("SYSTEM FLUSH LOGS")
    assert "right" not in http.ok("SELECT * FROM system.query_log WHERE query ILIKE '%create user%'")
    assert "right" not in http.ok("SELECT * FROM system.users FORMAT JSON")


def test_a_user_may_do_what_was_granted_and_no_more(house):
    _, http = house
    http.ok("CREATE USER alice IDENTIFIED BY 'a'")
    alice = As(http, "alice", "a")
    assert alice.missing("SELECT * FROM shop.sales") == "SELECT ON shop.sales"
    assert alice.missing("INSERT INTO shop.sales VALUES (3, 30)") == "INSERT ON shop.sales"
    assert alice.missing("CREATE TABLE shop.t (a Int8) ENGINE = Memory") == "CREATE TABLE ON shop.t"
    assert alice.missing("DROP TABLE shop.sales") == "DROP TABLE ON shop.sales"
    assert alice.missing("ALTER TABLE shop.sales ADD COLUMN x Int8") == "ALTER ADD COLUMN(x) ON shop.sales"
    assert alice.missing("ALTER TABLE shop.sales DELETE WHERE 1") == "ALTER DELETE ON shop.sales"
    assert alice.missing("SELECT * FROM url('http://127.0.0.1:1/', 'CSV', 'a Int8')") == "READ ON URL"
    assert alice.missing("SELECT * FROM s3('http://127.0.0.1:1/b/k.csv', 'CSV', 'a Int8')") == "READ ON S3"
    assert alice.missing("CREATE USER bob") == "CREATE USER ON bob"
    assert alice.missing("SYSTEM DROP UNCOMPRESSED CACHE") == "SYSTEM DROP UNCOMPRESSED CACHE ON *.*"
    assert alice.missing("SELECT * FROM system.query_log") == "SELECT ON system.query_log"
    assert alice.missing("GRANT SELECT ON shop.* TO alice") == "SELECT ON shop.* WITH GRANT OPTION"
    # What is not to be seen is not there.
    assert alice.ok("SHOW DATABASES") == "INFORMATION_SCHEMA\ndefault\ninformation_schema\nsystem\n"
    assert alice.ok("SELECT count() FROM system.tables WHERE database = 'shop'") == "0\n"
    http.ok("GRANT SELECT ON shop.* TO alice")
    http.ok("REVOKE SELECT ON shop.secrets FROM alice")
    assert alice.ok("SELECT sum(price) FROM shop.sales") == "30\n"
    assert alice.missing("SELECT * FROM shop.secrets") == "SELECT ON shop.secrets"
    assert alice.missing("SELECT * FROM shop.sales WHERE id IN (SELECT id FROM shop.secrets)") == "SELECT ON shop.secrets"
    assert alice.ok("SHOW TABLES FROM shop") == "sales\n"
    assert alice.ok("SHOW GRANTS") == "GRANT SELECT ON shop.* TO alice\nREVOKE SELECT ON shop.secrets FROM alice\n"
    http.ok("DROP USER alice")
    assert alice("SELECT 1").error == FAILED


def test_columns_can_be_granted_alone(house):
    _, http = house
    http.ok("CREATE USER alice IDENTIFIED BY 'a'")
    http.ok("GRANT SELECT(id), INSERT(id) ON shop.sales TO alice")
    alice = As(http, "alice", "a")
    assert alice.ok("SELECT id FROM shop.sales ORDER BY id") == "1\n2\n"
    assert alice.ok("SELECT count() FROM shop.sales") == "2\n"
    assert alice.missing("SELECT * FROM shop.sales") == "SELECT(id, price) ON shop.sales"
    assert alice.missing("SELECT id FROM shop.sales WHERE price > 10") == "SELECT(id, price) ON shop.sales"
    alice.ok("INSERT INTO shop.sales (id) VALUES (3)")
    assert alice.missing("INSERT INTO shop.sales VALUES (4, 40)") == "INSERT ON shop.sales"
    assert http.ok("SHOW GRANTS FOR alice") == "GRANT INSERT(id), SELECT(id) ON shop.sales TO alice\n"
    columns = "SELECT name FROM system.columns WHERE database = 'shop'"
    assert alice.ok(columns) == "id\n"
    assert alice.ok("SELECT column_name FROM information_schema.columns WHERE table_schema = 'shop'") == "id\n"
    for query in ("SHOW CREATE TABLE shop.sales", "DESCRIBE TABLE shop.sales"):
        assert alice.missing(query) == "SHOW COLUMNS ON shop.sales"
    http.ok("GRANT SELECT(price) ON shop.sales TO alice")
    assert alice.ok(columns) == "id\nprice\n"
    assert "price" in alice.ok("SHOW CREATE TABLE shop.sales")


def test_a_view_shows_what_its_reader_may_not_read(house):
    _, http = house
    http.ok("CREATE TABLE shop.totals (id UInt32, total UInt64) ENGINE = SummingMergeTree ORDER BY id")
    http.ok("CREATE MATERIALIZED VIEW shop.by_id TO shop.totals AS SELECT id, sum(price) AS total FROM shop.sales GROUP BY id")
    http.ok("CREATE USER writer IDENTIFIED BY 'w'")
    http.ok("CREATE USER reader IDENTIFIED BY 'r'")
    http.ok("GRANT INSERT ON shop.sales TO writer")
    http.ok("GRANT SELECT ON shop.by_id TO reader")
    As(http, "writer", "w").ok("INSERT INTO shop.sales VALUES (7, 70)")
    reader = As(http, "reader", "r")
    assert reader.ok("SELECT total FROM shop.by_id WHERE id = 7") == "70\n"
    assert reader.missing("SELECT * FROM shop.totals") == "SELECT ON shop.totals"


def test_a_view_is_no_way_around(house):
    """Who makes a view needs what it reads and what it writes; so does who makes a table like another."""
    _, http = house
    http.ok("CREATE DATABASE mine")
    http.ok("CREATE USER eve IDENTIFIED BY 'e'")
    http.ok("GRANT ALL ON mine.* TO eve")
    eve = As(http, "eve", "e")
    eve.ok("CREATE TABLE mine.t (id UInt32) ENGINE = MergeTree ORDER BY id")
    view = "CREATE MATERIALIZED VIEW mine.v"
    assert eve.missing(f"{view} TO shop.secrets AS SELECT id FROM mine.t") == "SELECT ON shop.secrets"
    assert eve.missing(f"{view} TO mine.t AS SELECT id FROM shop.secrets") == "SELECT ON shop.secrets"
    join = "SELECT t.id AS id FROM mine.t AS t JOIN shop.secrets AS s ON t.id = s.id"
    assert eve.missing(f"{view} ENGINE = MergeTree ORDER BY id AS {join}") == "SELECT ON shop.secrets"
    assert eve.missing("CREATE VIEW mine.v AS SELECT * FROM shop.secrets") == "SELECT ON shop.secrets"
    assert eve.missing("CREATE TABLE mine.like AS shop.secrets") == "SHOW COLUMNS ON shop.secrets"
    assert eve.missing("CREATE TABLE mine.f AS file('x.csv', 'CSV', 'a Int8')") == "WRITE ON FILE"
    assert eve.missing("DELETE FROM mine.t WHERE id IN (SELECT id FROM shop.secrets)") == "SELECT ON shop.secrets"
    assert eve.missing("ALTER TABLE mine.t ATTACH PARTITION tuple() FROM shop.sales") == "SELECT ON shop.sales"
    assert eve.missing("RENAME TABLE mine.t TO shop.t") == "CREATE TABLE ON shop.t"
    eve.ok("CREATE MATERIALIZED VIEW mine.v TO mine.t AS SELECT id FROM mine.t")
    altered = eve.missing("ALTER TABLE mine.v MODIFY QUERY SELECT id FROM shop.secrets")
    assert altered.startswith("SELECT ON shop.secrets")


def test_roles_bring_their_rights_while_they_are_on(house):
    _, http = house
    http.ok("CREATE ROLE reader, writer")
    http.ok("GRANT SELECT ON shop.* TO reader")
    http.ok("GRANT INSERT ON shop.* TO writer")
    http.ok("GRANT reader TO writer")
    http.ok("CREATE USER alice IDENTIFIED BY 'a'")
    http.ok("GRANT writer TO alice")
    alice = As(http, "alice", "a")
    assert alice.ok("SELECT count() FROM shop.sales") == "2\n"
    assert alice.ok("SHOW CURRENT ROLES").startswith("writer\t")
    assert [line.split("\t")[0] for line in alice.ok("SHOW ENABLED ROLES").splitlines()] == ["reader", "writer"]
    http.ok("SET DEFAULT ROLE NONE TO alice")
    assert alice.missing("SELECT count() FROM shop.sales") == "SELECT ON shop.sales"
    assert alice.ok("SELECT count() FROM shop.sales", role="writer") == "2\n"
    assert alice("SELECT 1", role="nothing").error == (511, "UNKNOWN_ROLE")
    assert alice("SELECT 1", role="reader").error == (512, "SET_NON_GRANTED_ROLE")
    alice.ok("SET ROLE writer", session_id="s")
    assert alice.ok("SELECT count() FROM shop.sales", session_id="s") == "2\n"
    alice.ok("SET ROLE NONE", session_id="s")
    alice.missing("SELECT count() FROM shop.sales", session_id="s")
    http.ok("DROP ROLE writer")
    assert alice("SELECT 1", role="writer").error == (511, "UNKNOWN_ROLE")
    assert http.ok("SELECT count() FROM system.role_grants WHERE user_name = 'alice'") == "0\n"


def test_who_may_hand_on_a_right_hands_it_on(house):
    _, http = house
    http.ok("CREATE USER alice IDENTIFIED BY 'a'")
    http.ok("CREATE USER bob IDENTIFIED BY 'b'")
    http.ok("GRANT SELECT ON shop.* TO alice WITH GRANT OPTION")
    alice, bob = As(http, "alice", "a"), As(http, "bob", "b")
    alice.ok("GRANT SELECT ON shop.sales TO bob")
    assert bob.ok("SELECT count() FROM shop.sales") == "2\n"
    assert alice.missing("GRANT INSERT ON shop.sales TO bob") == "INSERT ON shop.sales WITH GRANT OPTION"
    assert bob.missing("GRANT SELECT ON shop.sales TO alice") == "SELECT ON shop.sales WITH GRANT OPTION"
    alice.ok("REVOKE SELECT ON shop.sales FROM bob")
    assert bob.missing("SELECT count() FROM shop.sales") == "SELECT ON shop.sales"


def test_who_makes_users_hands_on_no_role_by_that(house):
    _, http = house
    http.ok("CREATE ROLE admin")
    http.ok("GRANT ALL ON *.* TO admin WITH GRANT OPTION")
    http.ok("CREATE USER clerk IDENTIFIED BY 'c'")
    http.ok("GRANT CREATE USER ON *.* TO clerk")
    clerk = As(http, "clerk", "c")
    assert clerk.missing("CREATE USER eve IDENTIFIED BY 'e' DEFAULT ROLE admin") == "ROLE ADMIN ON *.*"
    clerk.ok("CREATE USER eve IDENTIFIED BY 'e'")
    assert clerk.missing("GRANT admin TO eve") == "ROLE ADMIN ON *.*"
    http.ok("GRANT admin TO clerk WITH ADMIN OPTION")
    clerk.ok("GRANT admin TO eve")


def test_profiles_set_settings_and_hold_them(house):
    _, http = house
    http.ok("CREATE SETTINGS PROFILE careful SETTINGS max_threads = 2 MIN 1 MAX 4, max_rows_to_read = 100 CONST")
    http.ok("CREATE USER alice IDENTIFIED BY 'a' SETTINGS PROFILE careful")
    alice = As(http, "alice", "a")
    assert alice.ok("SELECT getSetting('max_threads'), getSetting('max_rows_to_read')") == "2\t100\n"
    violated = (452, "SETTING_CONSTRAINT_VIOLATION")
    assert alice.ok("SELECT getSetting('max_threads') SETTINGS max_threads = 4") == "4\n"
    assert alice("SELECT 1 SETTINGS max_threads = 5").error == violated
    assert alice("SELECT 1", max_threads=0).error == violated
    assert alice("SELECT 1", max_rows_to_read=1000).error == violated
    http.ok("CREATE USER guest IDENTIFIED BY 'g' SETTINGS PROFILE readonly")
    http.ok("GRANT ALL ON shop.* TO guest")
    guest = As(http, "guest", "g")
    assert guest("INSERT INTO shop.sales VALUES (3, 30)").error == (164, "READONLY")
    assert guest("SET max_threads = 3", session_id="g").error == (164, "READONLY")
    assert guest.ok("SELECT count() FROM shop.sales") == "2\n"


def test_bounds_of_settings_are_told(house):
    _, http = house
    http.ok("CREATE SETTINGS PROFILE careful SETTINGS max_threads = 4 MIN 1 MAX 8, max_memory_usage = 1000000000 CONST")
    http.ok("CREATE USER alice IDENTIFIED BY 'a' SETTINGS PROFILE careful")
    alice = As(http, "alice", "a")
    bounds = "SELECT name, min, max, readonly FROM system.settings WHERE name IN ('max_threads', 'max_memory_usage', 'limit') ORDER BY name"
    assert alice.ok(bounds) == "limit\t\\N\t\\N\t0\nmax_memory_usage\t\\N\t\\N\t1\nmax_threads\t1\t8\t0\n"
    assert http.ok(bounds).count("\t0\n") == 3
    assert alice.ok(bounds, readonly=1).count("\t1\n") == 3


def test_a_profile_is_taken_as_if_it_were_a_setting(house):
    server, http = house
    http.ok("CREATE SETTINGS PROFILE web SETTINGS max_threads = 3 MAX 8, max_rows_to_read = 100 CONST, readonly = 2")
    threads = "SELECT getSetting('max_threads'), getSetting('max_rows_to_read'), getSetting('readonly')"
    assert http.ok(threads, profile="web") == "3\t100\t2\n"
    assert http.ok(f"{threads} SETTINGS profile = 'web'") == "3\t100\t2\n"
    assert http("SELECT 1", profile="nobody").error == (180, "THERE_IS_NO_PROFILE")
    assert http("SET profile = 'nobody'").error == (180, "THERE_IS_NO_PROFILE")
    http.ok("SET profile = 'web'", session_id="w")
    assert http.ok(threads, session_id="w") == "3\t100\t2\n"
    violated = (452, "SETTING_CONSTRAINT_VIOLATION")
    assert http("SELECT 1 SETTINGS max_threads = 9", session_id="w").error == violated
    assert http("SET max_rows_to_read = 1", session_id="w").error == violated
    with clickhouse_driver.Client("127.0.0.1", port=server.tcp_port) as driver:
        driver.execute("SET profile = 'web'")
        assert driver.execute(threads) == [(3, 100, 2)]
    http.ok("CREATE USER alice IDENTIFIED BY 'a' SETTINGS max_threads = 2 CONST")
    alice = As(http, "alice", "a")
    assert alice("SELECT 1", profile="web").error == violated
    assert alice.ok("SELECT 1", profile="default") == "1\n"
    http.ok("CREATE USER guest IDENTIFIED BY 'g' SETTINGS PROFILE readonly")
    assert As(http, "guest", "g")("SELECT 1", profile="web").error == (164, "READONLY")


def test_a_setting_of_ones_own_may_be_left_to_who_only_reads(house):
    _, http = house
    http.ok("CREATE ROLE tenants")
    http.ok("ALTER ROLE tenants SETTINGS SQL_tenant CHANGEABLE_IN_READONLY")
    http.ok("CREATE USER alice IDENTIFIED BY 'a' DEFAULT ROLE tenants SETTINGS readonly = 1")
    alice = As(http, "alice", "a")
    assert alice.ok("SELECT getSetting('SQL_tenant') SETTINGS SQL_tenant = 'one'") == "one\n"
    assert alice.ok("SELECT getSetting('SQL_tenant')", SQL_tenant="two") == "two\n"
    assert alice("SELECT 1 SETTINGS SQL_other = 'x'").error == (164, "READONLY")


def test_queries_of_others_are_not_seen_and_not_ended(house):
    _, http = house
    http.ok("CREATE USER alice IDENTIFIED BY 'a'")
    alice = As(http, "alice", "a")
    assert alice.ok("SELECT count(), any(user) FROM system.processes") == "1\talice\n"
    assert alice.ok("KILL QUERY WHERE 1") == ""


def test_what_was_created_is_there_after_a_restart(tmp_path):
    server = Server(tmp_path)
    http = Http(server.http_port)
    http.ok("CREATE ROLE reader")
    http.ok("GRANT SELECT ON system.* TO reader")
    http.ok("CREATE USER alice IDENTIFIED BY 'a' DEFAULT ROLE reader HOST IP '127.0.0.0/8'")
    http.ok("ALTER USER alice RENAME TO eve")
    shown = http.ok("SHOW ACCESS")
    assert server.stop() == 0
    server = Server(tmp_path)
    http = Http(server.http_port)
    assert http.ok("SHOW ACCESS") == shown
    http.ok("SYSTEM FLUSH LOGS")
    assert As(http, "eve", "a").ok("SELECT count() > 0 FROM system.query_log") == "1\n"
    http.ok("ALTER USER eve HOST IP '10.0.0.0/8'")
    assert As(http, "eve", "a")("SELECT 1").error == FAILED
    assert (tmp_path / "access/v1.json").stat().st_mode & 0o077 == 0
    assert server.stop() == 0


def test_names_that_a_user_may_not_know_are_in_no_hint(house):
    _, http = house
    http.ok("CREATE DATABASE own")
    http.ok("CREATE TABLE shop.v (a Int8) ENGINE = Memory")
    http.ok("CREATE USER guest IDENTIFIED BY 'g'")
    http.ok("GRANT SELECT, DROP TABLE ON own.* TO guest")
    guest = As(http, "guest", "g")
    for query in ("SELECT * FROM own.v", "DROP TABLE own.v", "DESCRIBE own.v"):
        answer = guest(query)
        assert answer.error == (60, "UNKNOWN_TABLE") and "shop" not in answer.text, answer
    assert "Maybe you meant shop.v?" in http("SELECT * FROM own.v").text
    assert guest.ok("EXISTS DATABASE shop") == "0\n" and guest.ok("EXISTS DATABASE own") == "1\n"
    assert http.ok("EXISTS VIEW system.one") == "0\n"
    http.ok("CREATE VIEW own.w AS SELECT 1")
    assert http.ok("EXISTS VIEW own.w") == "1\n" and http.ok("EXISTS TABLE own.w") == "1\n"


def test_parts_are_shown_to_who_may_read_them_and_of_tables_that_are_known(house):
    _, http = house
    http.ok("CREATE TABLE shop.other (a Int8) ENGINE = MergeTree ORDER BY a")
    http.ok("INSERT INTO shop.other VALUES (1)")
    http.ok("CREATE USER alice IDENTIFIED BY 'a'")
    http.ok("GRANT SELECT ON shop.sales TO alice")
    alice = As(http, "alice", "a")
    assert alice.missing("SELECT path FROM system.parts") == "SELECT ON system.parts"
    http.ok("GRANT SELECT ON system.parts TO alice")
    assert alice.ok("SELECT DISTINCT table FROM system.parts WHERE database = 'shop'") == "sales\n"


def test_clusters_that_are_not_there_are_not_taken_for_this_server(house):
    _, http = house
    missing = (701, "CLUSTER_DOESNT_EXIST")
    for query in (
        "GRANT ON CLUSTER x SELECT ON *.* TO default",
        "DROP TABLE shop.sales ON CLUSTER x",
        "CREATE USER u ON CLUSTER 'x'",
        "ALTER TABLE shop.sales ON CLUSTER x DELETE WHERE 1",
    ):
        assert http(query).error == missing, query
    assert http.ok("SELECT count() FROM shop.sales") == "2\n"


def test_temporary_tables_are_listed(house):
    _, http = house
    http.ok("CREATE TEMPORARY TABLE mine (a Int8)", session_id="s")
    http.ok("CREATE TEMPORARY TABLE other (a Int8)", session_id="s")
    assert http.ok("SHOW TEMPORARY TABLES", session_id="s") == "mine\nother\n"
    assert http.ok("SHOW TEMPORARY TABLES LIKE 'm%'", session_id="s") == "mine\n"
    assert http.ok("SHOW TEMPORARY TABLES") == ""


def test_users_change_piece_by_piece(house):
    _, http = house
    http.ok("CREATE USER eve IDENTIFIED BY 'one' SETTINGS max_threads = 4 MAX 8, max_block_size = 100")
    http.ok("ALTER USER eve MODIFY SETTING max_threads = 2, DROP SETTINGS max_block_size")
    http.ok("ALTER USER eve ADD SETTINGS max_rows_to_read = 7 ADD PROFILE readonly")
    http.ok("ALTER USER eve ADD HOST LIKE '10.%' DROP HOST ANY")
    text = http.ok("SHOW CREATE USER eve FORMAT TSVRaw")
    assert "max_threads = 2 MAX 8, max_rows_to_read = 7" in text and "PROFILE" in text, text
    assert "HOST LIKE '10.%'" in text and "max_block_size" not in text, text
    assert As(http, "eve", "one")("SELECT 1").error == FAILED
    http.ok("ALTER USER eve DROP ALL SETTINGS, DROP ALL PROFILES ADD HOST LIKE '127.0.0._'")
    assert "SETTINGS" not in http.ok("SHOW CREATE USER eve")
    assert As(http, "eve", "one").ok("SELECT 1") == "1\n"
    http.ok("ALTER USER eve ADD IDENTIFIED BY 'two'")
    http.ok("ALTER USER eve RESET AUTHENTICATION METHODS TO NEW")
    assert As(http, "eve", "one")("SELECT 1").error == FAILED
    assert As(http, "eve", "two").ok("SELECT 1") == "1\n"
    http.ok("CREATE USER far@'10.%' IDENTIFIED BY 'x'")
    assert As(http, "far@10.%", "x")("SELECT 1").error == FAILED
    http.ok("DROP USER far@'10.%'")
    assert http("CREATE USER u HOST REGEXP '.*'").error[1] == "NOT_IMPLEMENTED"


def test_what_one_may_hand_on_is_handed_on(house):
    _, http = house
    http.ok("CREATE USER giver IDENTIFIED BY 'g'")
    http.ok("CREATE USER taker IDENTIFIED BY 't'")
    http.ok("GRANT SELECT ON shop.sales TO giver WITH GRANT OPTION")
    http.ok("GRANT INSERT ON shop.* TO giver")
    giver, taker = As(http, "giver", "g"), As(http, "taker", "t")
    giver.ok("GRANT CURRENT GRANTS(SELECT, INSERT ON shop.*) TO taker")
    assert http.ok("SHOW GRANTS FOR taker") == "GRANT SELECT ON shop.sales TO taker\n"
    assert taker.ok("CHECK GRANT SELECT ON shop.sales") == "1\n"
    assert taker.ok("CHECK GRANT SELECT ON shop.*") == "0\n"
    assert giver.ok("CHECK GRANT SELECT, INSERT ON shop.sales") == "1\n"
    assert http("EXECUTE AS taker SELECT 1").error == (344, "SUPPORT_IS_DISABLED")
    for nothing in ("SHOW POLICIES", "SHOW ROW POLICIES", "SHOW QUOTAS", "SHOW QUOTA", "SHOW CURRENT QUOTA"):
        assert http.ok(nothing) == ""


def test_the_security_of_a_view_is_what_views_do(house):
    _, http = house
    http.ok("CREATE VIEW shop.a SQL SECURITY INVOKER AS SELECT * FROM shop.sales")
    assert http.ok("SELECT count() FROM shop.a") == "2\n"
    for clause in ("SQL SECURITY DEFINER", "SQL SECURITY NONE", "DEFINER = CURRENT_USER SQL SECURITY DEFINER"):
        assert http(f"CREATE VIEW shop.b {clause} AS SELECT 1").error[1] == "NOT_IMPLEMENTED", clause
    http.ok("CREATE MATERIALIZED VIEW shop.c TO shop.secrets DEFINER = CURRENT_USER SQL SECURITY DEFINER AS SELECT id FROM shop.sales")
    answer = http("CREATE MATERIALIZED VIEW shop.d TO shop.secrets DEFINER = other SQL SECURITY DEFINER AS SELECT id FROM shop.sales")
    assert answer.error[1] == "NOT_IMPLEMENTED"


def test_view_if_permitted_has_another_query_for_who_may_not_read(house):
    _, http = house
    http.ok("INSERT INTO shop.secrets VALUES (7)")
    query = "SELECT * FROM viewIfPermitted(SELECT id FROM shop.secrets WHERE id != 0 ELSE null('id UInt32'))"
    assert http.ok(query) == "7\n"
    http.ok("CREATE USER seller")
    http.ok("GRANT SELECT ON shop.sales TO seller")
    seller = As(http, "seller")
    assert seller.ok(query) == ""
    assert seller.ok("SELECT count() FROM viewIfPermitted(SELECT price FROM shop.sales ELSE null('price UInt32'))") == "2\n"


def test_a_view_that_is_not_permitted_for_its_columns_gives_way(house):
    _, http = house
    http.ok("CREATE DATABASE partly")
    http.ok("CREATE TABLE partly.t (id UInt8, price UInt8) ENGINE = MergeTree ORDER BY id")
    http.ok("INSERT INTO partly.t VALUES (1, 2)")
    http.ok("CREATE USER partial IDENTIFIED BY 'p'")
    http.ok("GRANT SELECT(id) ON partly.t TO partial")
    partial = As(http, "partial", "p")

    def asked(query: str) -> str:
        return partial.ok(f"SELECT count() FROM viewIfPermitted({query} ELSE null('id UInt8, price UInt8'))")

    assert asked("SELECT id FROM partly.t") == "1\n"
    assert asked("SELECT id, price FROM partly.t") == "0\n"
    assert asked("SELECT id FROM partly.t WHERE price = 2") == "0\n"
    assert asked("SELECT id FROM partly.t WHERE id IN (SELECT price FROM partly.t)") == "0\n"
    assert partial.missing("SELECT price FROM partly.t") == "SELECT(price) ON partly.t"
    http.ok("DROP USER partial")
    http.ok("DROP DATABASE partly")


def test_each_method_of_a_user_ends_when_it_does(house):
    _, http = house
    http.ok(
        "CREATE USER ann IDENTIFIED WITH plaintext_password BY 'old' VALID UNTIL '2020-01-01 10:00:00', sha256_password BY 'new', "
        "plaintext_password BY 'later' VALID UNTIL '2100-01-01'"
    )
    assert As(http, "ann", "old")("SELECT 1").error == FAILED
    assert As(http, "ann", "new").ok("SELECT 1") == As(http, "ann", "later").ok("SELECT 1") == "1\n"
    shown = "CREATE USER ann IDENTIFIED WITH plaintext_password VALID UNTIL '2020-01-01 10:00:00', sha256_password, plaintext_password VALID UNTIL '2100-01-01 00:00:00'\n"
    assert http.ok("SHOW CREATE USER ann", default_format="TSVRaw") == shown
    told = "SELECT auth_type, valid_until, toTypeName(valid_until) FROM system.users WHERE name = 'ann'"
    assert http.ok(told) == (
        "['plaintext_password','sha256_password','plaintext_password']\t"
        "['2020-01-01 10:00:00','1970-01-01 00:00:00','2100-01-01 00:00:00']\tArray(DateTime64(0))\n"
    )
    # What is said of no method is said of all.
    http.ok("ALTER USER ann VALID UNTIL 'infinity'")
    assert As(http, "ann", "old").ok("SELECT 1") == "1\n" and "VALID" not in http.ok("SHOW CREATE USER ann")
    http.ok("ALTER USER ann VALID UNTIL '2020-01-01'")
    assert As(http, "ann", "new")("SELECT 1").error == FAILED
    http.ok("ALTER USER ann ADD IDENTIFIED WITH plaintext_password BY 'short' VALID FOR INTERVAL 1 HOUR")
    assert As(http, "ann", "short").ok("SELECT 1") == "1\n" and As(http, "ann", "new")("SELECT 1").error == FAILED
    http.ok("ALTER USER ann RESET AUTHENTICATION METHODS TO NEW")
    assert http.ok("SELECT length(auth_type) FROM system.users WHERE name = 'ann'") == "1\n"
    assert http("CREATE USER bea IDENTIFIED BY 'a' IDENTIFIED BY 'b'").error == (62, "SYNTAX_ERROR")
    http.ok("CREATE USER cal NOT IDENTIFIED VALID UNTIL '2020-01-01'")
    assert As(http, "cal")("SELECT 1").error == FAILED


def test_grants_are_shown_with_those_of_roles(house):
    _, http = house
    for statement in (
        "CREATE ROLE inner", "CREATE ROLE outer", "CREATE ROLE apart", "CREATE USER ann IDENTIFIED WITH plaintext_password BY 'a'", "CREATE USER ann@'127.%' IDENTIFIED WITH plaintext_password BY 'a'",
        "GRANT INSERT ON shop.sales TO inner", "GRANT SELECT ON shop.* TO outer", "GRANT inner TO outer", "GRANT outer TO ann", "GRANT SHOW TABLES ON *.* TO ann",
        "GRANT SELECT ON shop.sales TO ann@'127.%'",
    ):
        http.ok(statement)
    assert http.ok("SHOW GRANTS FOR ann") == "GRANT SHOW TABLES ON *.* TO ann\nGRANT outer TO ann\n"
    final = "GRANT SHOW TABLES ON *.* TO ann\nGRANT SELECT ON shop.* TO ann\nGRANT INSERT ON shop.sales TO ann\n"
    assert sorted(http.ok("SHOW GRANTS FOR ann FINAL").splitlines()) == sorted(final.splitlines())
    ann = As(http, "ann", "a")
    for of in ("", " FOR CURRENT_USER", " FOR current_user", " FOR currentUser()"):
        assert ann.ok(f"SHOW GRANTS{of}") == "GRANT SHOW TABLES ON *.* TO ann\nGRANT outer TO ann\n"
        assert sorted(ann.ok(f"SHOW GRANTS{of} FINAL").splitlines()) == sorted(final.splitlines())
    assert http.ok("SHOW GRANTS FOR CURRENT_USER FORMAT TSVWithNames").splitlines()[0] == "GRANTS"
    assert http.ok("SHOW GRANTS FOR ann FINAL FORMAT TSVWithNames").splitlines()[0] == "GRANTS FOR ann FINAL"
    assert http.ok("SHOW GRANTS FOR ann@'127.%'") == "GRANT SELECT ON shop.sales TO `ann@127.%`\n"
    every = http.ok("SHOW GRANTS FOR ALL")
    assert "GRANT ALL ON *.* TO default WITH GRANT OPTION\n" in every and "GRANT INSERT ON shop.sales TO inner\n" in every
    assert "TO default" not in http.ok("SHOW GRANTS FOR ALL EXCEPT default")
    # Who may not see others sees himself.
    assert ann.ok("SHOW GRANTS FOR ALL") == "GRANT SHOW TABLES ON *.* TO ann\nGRANT outer TO ann\n"
    assert ann("SHOW GRANTS FOR apart").error == DENIED
    http.ok("DROP USER ann@'127.%'")


def test_rights_are_handed_on_to_grantees_alone(house):
    _, http = house
    for statement in ("CREATE USER ann IDENTIFIED WITH plaintext_password BY 'a' GRANTEES bea", "CREATE USER bea", "CREATE ROLE cats", "GRANT SELECT ON shop.* TO ann WITH GRANT OPTION"):
        http.ok(statement)
    assert http.ok("SHOW CREATE USER ann") == "CREATE USER ann IDENTIFIED WITH plaintext_password GRANTEES bea\n"
    assert http.ok("SELECT grantees_any, grantees_list FROM system.users WHERE name = 'ann'") == "0\t['bea']\n"
    ann = As(http, "ann", "a")
    ann.ok("GRANT SELECT ON shop.sales TO bea")
    refused = ann("GRANT SELECT ON shop.sales TO cats")
    assert refused.error == DENIED and "Role `cats` is not allowed as grantee" in refused.text
    http.ok("ALTER USER ann GRANTEES ANY EXCEPT bea")
    ann.ok("GRANT SELECT ON shop.sales TO cats")
    assert ann("GRANT SELECT ON shop.sales TO bea").error == DENIED
    assert http.ok("SHOW CREATE USER ann") == "CREATE USER ann IDENTIFIED WITH plaintext_password GRANTEES ANY EXCEPT bea\n"
    http.ok("ALTER USER ann GRANTEES bea, cats EXCEPT bea")
    assert http.ok("SHOW CREATE USER ann") == "CREATE USER ann IDENTIFIED WITH plaintext_password GRANTEES cats\n"


def test_ways_to_come_in_without_a_password_are_told_to_be_missing(house):
    _, http = house
    for proof in ("ldap SERVER 'a'", "kerberos REALM 'a'", "ssl_certificate CN 'a'", "ssh_key BY KEY 'a' TYPE 'ssh-rsa'", "http SERVER 'a'"):
        assert http(f"CREATE USER odd IDENTIFIED WITH {proof}").error == (48, "NOT_IMPLEMENTED"), proof


def test_grants_are_shown_with_what_follows_from_them(house):
    _, http = house
    for statement in ("CREATE USER ann", "GRANT SELECT ON shop.* TO ann", "GRANT INSERT(id) ON shop.sales TO ann", "CREATE ROLE cats", "GRANT CREATE TABLE ON own.* TO cats", "GRANT cats TO ann"):
        http.ok(statement)
    shown = http.ok("SHOW GRANTS FOR ann WITH IMPLICIT").splitlines()
    assert "GRANT SHOW DATABASES, SHOW TABLES, SHOW COLUMNS, SELECT ON shop.* TO ann" in shown
    assert "GRANT INSERT(id) ON shop.sales TO ann" in shown and "GRANT cats TO ann" in shown
    assert "GRANT SELECT ON system.one TO ann" in shown and "GRANT SELECT ON information_schema.* TO ann" in shown
    assert not any("own." in line for line in shown)
    final = http.ok("SHOW GRANTS FOR ann FINAL WITH IMPLICIT FORMAT TSVWithNames").splitlines()
    assert final[0] == "GRANTS FOR ann WITH IMPLICIT FINAL"
    own = [line for line in final if "own." in line]
    assert own == ["GRANT SHOW DATABASES, SHOW TABLES, CREATE TABLE, CREATE VIEW ON own.* TO ann"]
    assert any("TEMPORARY TABLE" in line and "ON *.*" in line for line in final)
    assert http.ok("SHOW GRANTS FOR ann") == "GRANT SELECT ON shop.* TO ann\nGRANT INSERT(id) ON shop.sales TO ann\nGRANT cats TO ann\n"


def test_who_makes_tables_makes_views(house):
    _, http = house
    for statement in ("CREATE DATABASE own", "CREATE USER ann IDENTIFIED WITH plaintext_password BY 'a'", "GRANT CREATE TABLE ON own.* TO ann"):
        http.ok(statement)
    ann = As(http, "ann", "a")
    ann.ok("CREATE VIEW own.v AS SELECT 1")
    assert ann.missing("CREATE VIEW shop.v AS SELECT 1") == "CREATE VIEW ON shop.v"
    assert ann.missing("DROP VIEW own.v") == "DROP VIEW ON own.v"
    http.ok("GRANT DROP TABLE ON own.* TO ann")
    ann.ok("DROP VIEW own.v")
    # It shows nothing that was not granted.
    assert ann.ok("SELECT count() FROM system.tables WHERE database = 'shop'") == "0\n"


def test_several_users_are_made_with_their_hosts(house):
    _, http = house

    def hosts(user: str) -> str:
        return http.ok(f"SHOW CREATE USER {user}").split("IDENTIFIED WITH no_password")[1].strip()

    http.ok("CREATE USER a@'localhost', b@'localhost'")
    http.ok("CREATE USER c@'10.%', d HOST LOCAL")
    # As in ClickHouse: what is not that of all is a part of the name alone.
    http.ok("CREATE USER e@'10.%', f")
    http.ok("CREATE USER g@'10.%', h@'10.%'")
    shown = {user: hosts(user) for user in ("a@'localhost'", "b@'localhost'", "c@'10.%'", "d", "e@'10.%'", "f", "g@'10.%'", "h@'10.%'")}
    assert list(shown.values()) == ["HOST LOCAL"] * 4 + ["", ""] + ["HOST LIKE \\'10.%\\'"] * 2, shown
    http.ok("ALTER USER c@'10.%', d HOST ANY")
    assert (hosts("c@'10.%'"), hosts("d")) == ("", "")
    http.ok("ALTER USER a@'localhost', b@'localhost' GRANTEES NONE")
    assert hosts("a@'localhost'") == "HOST LOCAL GRANTEES NONE"
