// ClickHouse's JDBC driver and its client for Java against a running server: host and port are the arguments.

import com.clickhouse.client.api.Client;
import com.clickhouse.client.api.ServerException;
import com.clickhouse.client.api.insert.InsertResponse;
import com.clickhouse.client.api.query.GenericRecord;
import com.clickhouse.client.api.query.QuerySettings;
import com.clickhouse.data.ClickHouseFormat;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.Date;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;

public class Clients {
    interface Test {
        void run() throws Exception;
    }

    static final List<String> failed = new ArrayList<>();

    static void test(String name, Test test) {
        try {
            test.run();
            System.out.println("ok   " + name);
        } catch (Throwable error) {
            failed.add(name);
            System.out.println("FAIL " + name);
            error.printStackTrace(System.out);
        }
    }

    static void same(Object found, Object wanted) {
        if (!String.valueOf(wanted).equals(String.valueOf(found))) {
            throw new AssertionError(found + " is not " + wanted);
        }
    }

    public static void main(String[] arguments) throws Exception {
        String host = arguments[0];
        int port = Integer.parseInt(arguments[1]);
        for (boolean compressed : new boolean[] {true, false}) {
            Properties properties = new Properties();
            properties.setProperty("user", "default");
            properties.setProperty("compress", String.valueOf(compressed));
            String url = "jdbc:ch://" + host + ":" + port + "/default";
            try (Connection connection = DriverManager.getConnection(url, properties)) {
                jdbc(connection, compressed ? "jdbc_lz4" : "jdbc_plain");
            }
            try (Client client = new Client.Builder()
                    .addEndpoint("http://" + host + ":" + port)
                    .setUsername("default")
                    .setPassword("")
                    .compressServerResponse(compressed)
                    .compressClientRequest(compressed)
                    .build()) {
                clientV2(client, compressed ? "client_lz4" : "client_plain");
            }
        }
        System.exit(failed.isEmpty() ? 0 : 1);
    }

    static void jdbc(Connection connection, String name) throws Exception {
        test(name + ": types", () -> {
            try (Statement statement = connection.createStatement()) {
                ResultSet row = statement.executeQuery("SELECT toInt64(-5), toUInt64(18446744073709551615), 1.5, 'Grüße', true,"
                        + " toDate('2024-02-29'), toDecimal64(12345.6789, 4), CAST(NULL, 'Nullable(Int32)'), [1, 2],"
                        + " toUUID('61f0c404-5cb3-11e7-907b-a6006ad3dba0')");
                row.next();
                same(row.getLong(1), -5);
                same(row.getString(2), "18446744073709551615");
                same(row.getDouble(3), 1.5);
                same(row.getString(4), "Grüße");
                same(row.getBoolean(5), true);
                same(row.getDate(6), Date.valueOf("2024-02-29"));
                same(row.getBigDecimal(7), "12345.6789");
                same(row.getInt(8), 0);
                same(row.wasNull(), true);
                same(((Object[]) row.getArray(9).getArray()).length, 2);
                same(row.getString(10), "61f0c404-5cb3-11e7-907b-a6006ad3dba0");
            }
        });
        test(name + ": a million rows", () -> {
            try (Statement statement = connection.createStatement()) {
                statement.execute("CREATE OR REPLACE TABLE " + name + " (k UInt32, s String) ENGINE = MergeTree ORDER BY k");
                try (PreparedStatement insert = connection.prepareStatement("INSERT INTO " + name + " VALUES (?, ?)")) {
                    for (int k = 0; k < 1_000_000; k++) {
                        insert.setInt(1, k);
                        insert.setString(2, "row '" + k);
                        insert.addBatch();
                        if (k % 100_000 == 99_999) {
                            insert.executeBatch();
                        }
                    }
                }
                long count = 0, sum = 0;
                try (ResultSet rows = statement.executeQuery("SELECT k, s FROM " + name + " ORDER BY k")) {
                    while (rows.next()) {
                        same(rows.getString(2).startsWith("row '"), true);
                        count += 1;
                        sum += rows.getLong(1);
                    }
                }
                same(count + " " + sum, "1000000 499999500000");
                statement.execute("DROP TABLE " + name);
            }
        });
        test(name + ": parameters", () -> {
            try (PreparedStatement select = connection.prepareStatement("SELECT ?, ?, ?")) {
                select.setInt(1, -5);
                select.setString(2, "it's a\ttab \\");
                select.setNull(3, java.sql.Types.VARCHAR);
                ResultSet row = select.executeQuery();
                row.next();
                same(row.getInt(1) + row.getString(2) + row.getString(3), "-5it's a\ttab \\null");
            }
        });
        test(name + ": metadata", () -> {
            try (Statement statement = connection.createStatement()) {
                statement.execute("CREATE OR REPLACE TABLE " + name + "_m (k UInt32, s Nullable(String)) ENGINE = MergeTree ORDER BY k");
                List<String> columns = new ArrayList<>();
                try (ResultSet rows = connection.getMetaData().getColumns(null, "default", name + "_m", "%")) {
                    while (rows.next()) {
                        columns.add(rows.getString("COLUMN_NAME") + " " + rows.getString("TYPE_NAME"));
                    }
                }
                same(columns, "[k UInt32, s Nullable(String)]");
                try (ResultSet rows = connection.getMetaData().getTables(null, "default", name + "_m", null)) {
                    same(rows.next(), true);
                }
                statement.execute("DROP TABLE " + name + "_m");
            }
        });
        test(name + ": errors", () -> {
            try (Statement statement = connection.createStatement()) {
                try {
                    statement.executeQuery("SELECT * FROM no_such_table");
                    throw new AssertionError("no error");
                } catch (SQLException error) {
                    same(error.getErrorCode(), 60);
                }
                same(statement.executeQuery("SELECT 1").next(), true);
            }
        });
        test(name + ": cancel", () -> {
            try (Statement statement = connection.createStatement(); Statement other = connection.createStatement()) {
                String marker = name + "-cancel";
                Thread running = new Thread(() -> {
                    try {
                        statement.executeQuery("SELECT sum(number), '" + marker + "' FROM numbers(100000000000000)");
                    } catch (SQLException expected) {
                        // That is what was asked for.
                    }
                });
                running.start();
                String count = "SELECT count() FROM system.processes WHERE query LIKE 'SELECT sum%" + marker + "%'";
                for (int tries = 0; tries < 600; tries++) {
                    ResultSet row = other.executeQuery(count);
                    row.next();
                    if (row.getInt(1) == 1) {
                        break;
                    }
                    Thread.sleep(100);
                }
                statement.cancel();
                running.join(60_000);
                same(running.isAlive(), false);
            }
        });
    }

    static void clientV2(Client client, String name) throws Exception {
        test(name + ": ping", () -> same(client.ping(), true));
        test(name + ": rows", () -> {
            List<GenericRecord> rows = client.queryAll("SELECT number AS n, toString(number) AS s, [number] AS a FROM numbers(1000)");
            same(rows.size(), 1000);
            same(rows.get(7).getString("s") + rows.get(7).getLong("n"), "77");
        });
        test(name + ": a million rows of CSV", () -> {
            client.execute("CREATE OR REPLACE TABLE " + name + " (k UInt32, s String) ENGINE = MergeTree ORDER BY k").get();
            StringBuilder data = new StringBuilder();
            for (int k = 0; k < 1_000_000; k++) {
                data.append(k).append(",row\n");
            }
            byte[] bytes = data.toString().getBytes(StandardCharsets.UTF_8);
            try (InsertResponse done = client.insert(name, new ByteArrayInputStream(bytes), ClickHouseFormat.CSV).get()) {
                same(done.getWrittenRows(), 1_000_000);
            }
            same(client.queryAll("SELECT sum(k) AS s FROM " + name).get(0).getLong("s"), 499_999_500_000L);
            client.execute("DROP TABLE " + name).get();
        });
        test(name + ": parameters", () -> {
            Map<String, Object> parameters = Map.of("n", -5, "s", "it's a\ttab");
            GenericRecord row = client.queryAll("SELECT {n:Int32} AS n, {s:String} AS s", parameters, new QuerySettings()).get(0);
            same(row.getInteger("n") + row.getString("s"), "-5it's a\ttab");
        });
        test(name + ": errors", () -> {
            try {
                client.query("SELECT * FROM no_such_table").get();
                throw new AssertionError("no error");
            } catch (java.util.concurrent.ExecutionException | ServerException error) {
                Throwable cause = error instanceof ServerException ? error : error.getCause();
                while (cause != null && !(cause instanceof ServerException)) {
                    cause = cause.getCause();
                }
                same(((ServerException) cause).getCode(), 60);
            }
        });
    }
}
