// Many connections of the native protocol that ask one after another; prints one JSON object of what it saw.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"sort"
	"sync"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
)

func main() {
	address := flag.String("address", "127.0.0.1:9000", "host and port of the native protocol")
	connections := flag.Int("connections", 200, "connections at the same time")
	seconds := flag.Float64("seconds", 60, "how long")
	query := flag.String("query", "SELECT 1", "what is asked")
	flag.Parse()
	end := time.Now().Add(time.Duration(*seconds * float64(time.Second)))
	var all []float64
	errors := map[string]int{}
	var lock sync.Mutex
	var done sync.WaitGroup
	for range *connections {
		done.Add(1)
		go func() {
			defer done.Done()
			var took []float64
			failed := map[string]int{}
			connection, err := clickhouse.Open(&clickhouse.Options{
				Addr:         []string{*address},
				MaxOpenConns: 1,
				DialTimeout:  30 * time.Second,
				Compression:  &clickhouse.Compression{Method: clickhouse.CompressionLZ4},
			})
			if err != nil {
				failed[err.Error()]++
			} else {
				for time.Now().Before(end) {
					begun := time.Now()
					rows, err := connection.Query(context.Background(), *query)
					if err == nil {
						for rows.Next() {
						}
						err = rows.Err()
						rows.Close()
					}
					if err != nil {
						failed[err.Error()]++
						time.Sleep(10 * time.Millisecond)
						continue
					}
					took = append(took, time.Since(begun).Seconds()*1000)
				}
				connection.Close()
			}
			lock.Lock()
			all = append(all, took...)
			for text, count := range failed {
				errors[text] += count
			}
			lock.Unlock()
		}()
	}
	done.Wait()
	sort.Float64s(all)
	at := func(share float64) float64 {
		if len(all) == 0 {
			return 0
		}
		return all[min(len(all)-1, int(share*float64(len(all))))]
	}
	told := map[string]any{
		"queries": len(all), "per_second": float64(len(all)) / *seconds, "errors": errors,
		"p50_ms": at(0.5), "p90_ms": at(0.9), "p99_ms": at(0.99), "p999_ms": at(0.999), "max_ms": at(1),
	}
	if err := json.NewEncoder(os.Stdout).Encode(told); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
