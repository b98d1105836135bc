// clickhouse-go against a running server: over the native protocol (GRISTMILL_TCP) and over HTTP (GRISTMILL_HTTP).
package clients

import (
	"context"
	"errors"
	"fmt"
	"os"
	"reflect"
	"testing"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
)

type way struct {
	name        string
	protocol    clickhouse.Protocol
	address     string
	compression clickhouse.CompressionMethod
}

func ways() []way {
	tcp, http := os.Getenv("GRISTMILL_TCP"), os.Getenv("GRISTMILL_HTTP")
	return []way{
		{"native", clickhouse.Native, tcp, clickhouse.CompressionNone},
		{"native_lz4", clickhouse.Native, tcp, clickhouse.CompressionLZ4},
		{"native_zstd", clickhouse.Native, tcp, clickhouse.CompressionZSTD},
		{"http", clickhouse.HTTP, http, clickhouse.CompressionNone},
		{"http_lz4", clickhouse.HTTP, http, clickhouse.CompressionLZ4},
		{"http_gzip", clickhouse.HTTP, http, clickhouse.CompressionGZIP},
	}
}

func open(t *testing.T, way way) driver.Conn {
	t.Helper()
	connection, err := clickhouse.Open(&clickhouse.Options{
		Protocol:    way.protocol,
		Addr:        []string{way.address},
		Auth:        clickhouse.Auth{Database: "default", Username: "default"},
		Compression: &clickhouse.Compression{Method: way.compression},
		ReadTimeout: 5 * time.Minute,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { connection.Close() })
	return connection
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestPingAndVersion(t *testing.T) {
	for _, way := range ways() {
		t.Run(way.name, func(t *testing.T) {
			connection := open(t, way)
			must(t, connection.Ping(context.Background()))
			version, err := connection.ServerVersion()
			must(t, err)
			if version.Version.Major < 25 {
				t.Fatal(version)
			}
		})
	}
}

type row struct {
	I  int64             `ch:"i"`
	U  uint8             `ch:"u"`
	F  float64           `ch:"f"`
	S  string            `ch:"s"`
	B  bool              `ch:"b"`
	D  time.Time         `ch:"d"`
	T  time.Time         `ch:"t"`
	T3 time.Time         `ch:"t3"`
	N  *int32            `ch:"n"`
	A  []string          `ch:"a"`
	M  map[string]uint32 `ch:"m"`
	L  string            `ch:"l"`
	E  string            `ch:"e"`
}

func TestTypesMakeARoundTrip(t *testing.T) {
	for _, way := range ways() {
		t.Run(way.name, func(t *testing.T) {
			connection, ctx, table := open(t, way), context.Background(), "go_types_"+way.name
			must(t, connection.Exec(ctx, "CREATE OR REPLACE TABLE "+table+` (i Int64, u UInt8, f Float64, s String, b Bool, d Date,
				t DateTime('UTC'), t3 DateTime64(3, 'UTC'), n Nullable(Int32), a Array(String), m Map(String, UInt32),
				l LowCardinality(String), e Enum8('a' = 1, 'b' = 2)) ENGINE = MergeTree ORDER BY i`))
			day := time.Date(2024, 2, 29, 0, 0, 0, 0, time.UTC)
			seven := int32(7)
			given := []row{
				{-1 << 60, 255, 1.5, "Grüße\x00\xff", true, day, day.Add(time.Hour), day.Add(123 * time.Millisecond), nil,
					[]string{"x", ""}, map[string]uint32{"k": 7}, "low", "b"},
				{2, 0, -0.25, "", false, day, day, day, &seven, []string{}, map[string]uint32{}, "", "a"},
			}
			batch, err := connection.PrepareBatch(ctx, "INSERT INTO "+table)
			must(t, err)
			for i := range given {
				must(t, batch.AppendStruct(&given[i]))
			}
			must(t, batch.Send())
			var found []row
			must(t, connection.Select(ctx, &found, "SELECT * FROM "+table+" ORDER BY i"))
			if !reflect.DeepEqual(found, given) {
				t.Fatalf("%+v\nis not\n%+v", found, given)
			}
			must(t, connection.Exec(ctx, "DROP TABLE "+table))
		})
	}
}

func TestAMillionRows(t *testing.T) {
	for _, way := range ways() {
		t.Run(way.name, func(t *testing.T) {
			connection, ctx, table := open(t, way), context.Background(), "go_million_"+way.name
			must(t, connection.Exec(ctx, "CREATE OR REPLACE TABLE "+table+" (k UInt32, s String) ENGINE = MergeTree ORDER BY k"))
			batch, err := connection.PrepareBatch(ctx, "INSERT INTO "+table)
			must(t, err)
			for k := range uint32(1_000_000) {
				must(t, batch.Append(k, fmt.Sprintf("row %d", k)))
			}
			must(t, batch.Send())
			rows, err := connection.Query(ctx, "SELECT k, s FROM "+table+" ORDER BY k")
			must(t, err)
			var count, sum uint64
			for rows.Next() {
				var k uint32
				var s string
				must(t, rows.Scan(&k, &s))
				count, sum = count+1, sum+uint64(k)
			}
			must(t, rows.Err())
			if count != 1_000_000 || sum != 499_999_500_000 {
				t.Fatal(count, sum)
			}
			must(t, connection.Exec(ctx, "DROP TABLE "+table))
		})
	}
}

func TestParametersAndSettings(t *testing.T) {
	for _, way := range ways() {
		t.Run(way.name, func(t *testing.T) {
			connection := open(t, way)
			ctx := clickhouse.Context(context.Background(),
				clickhouse.WithParameters(clickhouse.Parameters{"n": "-5", "s": "it's a\ttab"}),
				clickhouse.WithSettings(clickhouse.Settings{"max_threads": 3}))
			var n int32
			var s, threads string
			must(t, connection.QueryRow(ctx, "SELECT {n:Int32}, {s:String}, toString(getSetting('max_threads'))").Scan(&n, &s, &threads))
			if n != -5 || s != "it's a\ttab" || threads != "3" {
				t.Fatal(n, s, threads)
			}
			must(t, connection.QueryRow(context.Background(), "SELECT toInt32(?), ?", 7, "a'b").Scan(&n, &s))
			if n != 7 || s != "a'b" {
				t.Fatal(n, s)
			}
		})
	}
}

func TestErrorsHaveTheirCode(t *testing.T) {
	for _, way := range ways() {
		t.Run(way.name, func(t *testing.T) {
			connection := open(t, way)
			err := connection.Exec(context.Background(), "SELECT * FROM no_such_table")
			var exception *clickhouse.Exception
			if !errors.As(err, &exception) || exception.Code != 60 {
				t.Fatal(err)
			}
			// The connection is of use after it.
			must(t, connection.Ping(context.Background()))
		})
	}
}

func TestAQueryThatIsGivenUpEndsOnTheServer(t *testing.T) {
	for _, way := range ways() {
		t.Run(way.name, func(t *testing.T) {
			connection, other := open(t, way), open(t, way)
			id := "go-cancel-" + way.name
			ctx, cancel := context.WithCancel(clickhouse.Context(context.Background(), clickhouse.WithQueryID(id)))
			ended := make(chan error)
			go func() {
				var sum uint64
				ended <- connection.QueryRow(ctx, "SELECT sum(number) FROM numbers(100000000000000)").Scan(&sum)
			}()
			waitFor := func(wanted uint64) {
				for range 600 {
					var count uint64
					must(t, other.QueryRow(context.Background(), "SELECT count() FROM system.processes WHERE query_id = '"+id+"'").Scan(&count))
					if count == wanted {
						return
					}
					time.Sleep(100 * time.Millisecond)
				}
				t.Fatal("it does not come to ", wanted)
			}
			waitFor(1)
			cancel()
			if err := <-ended; err == nil {
				t.Fatal("it ended well")
			}
			waitFor(0)
		})
	}
}
