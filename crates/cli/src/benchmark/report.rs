//! What is told of the servers: as text in the form of clickhouse-benchmark, and as JSON with its names.

use std::fmt::Write;

use serde_json::{Map, Value, json};

use crate::benchmark::stats::Stats;
use crate::benchmark::t_test;

const PERCENTS: [f64; 14] = [0.0, 10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0, 80.0, 90.0, 95.0, 99.0, 99.9, 99.99];
const MIB: f64 = 1_048_576.0;

/// What a server did in a second, where it had all of the workers for itself.
struct Rates {
    queries: f64,
    rows: f64,
    mib: f64,
    result_rows: f64,
    result_mib: f64,
}

impl Rates {
    fn of(stats: &Stats, concurrency: usize) -> Rates {
        let seconds = stats.sum.seconds / concurrency.max(1) as f64;
        let each = |value: f64| if seconds > 0.0 { value / seconds } else { 0.0 };
        Rates {
            queries: each(stats.queries as f64),
            rows: each(stats.sum.read_rows as f64),
            mib: each(stats.sum.read_bytes as f64 / MIB),
            result_rows: each(stats.sum.result_rows as f64),
            result_mib: each(stats.sum.result_bytes as f64 / MIB),
        }
    }
}

/// `executed` of a list of `queries`, each of which is run as often as there is time.
pub fn executed(executed: u64, queries: usize) -> String {
    let share = if queries > 1 { format!(" ({:.3}%)", executed as f64 * 100.0 / queries as f64) } else { String::new() };
    format!("\nQueries executed: {executed}{share}.\n")
}

/// Rates and percentiles of each server, by the name it has.
pub fn text(servers: &[(String, Stats)], concurrency: usize) -> String {
    let mut out = String::from("\n");
    for (name, stats) in servers {
        let rates = Rates::of(stats, concurrency);
        let errors = if stats.errors > 0 { format!("errors: {}, ", stats.errors) } else { String::new() };
        // Writing into a text cannot fail.
        let _ = writeln!(
            out,
            "{name}, queries: {}, {errors}QPS: {:.3}, RPS: {:.3}, MiB/s: {:.3}, result RPS: {:.3}, result MiB/s: {:.3}.",
            stats.queries, rates.queries, rates.rows, rates.mib, rates.result_rows, rates.result_mib
        );
    }
    let columns: Vec<Option<Vec<f64>>> = servers.iter().map(|(_, stats)| stats.percentiles(&PERCENTS)).collect();
    if columns.iter().all(Option::is_none) {
        return out;
    }
    out.push('\n');
    for (at, percent) in PERCENTS.iter().enumerate() {
        let _ = write!(out, "{percent:.3}%\t\t");
        for column in &columns {
            let _ = match column {
                Some(column) => write!(out, "{:.3} sec.\t", column[at]),
                None => write!(out, "-\t\t"),
            };
        }
        out.push('\n');
    }
    out
}

/// What the t-test says where there are two servers.
pub fn comparison(servers: &[(String, Stats)], level: usize) -> Option<String> {
    match servers {
        [(_, first), (_, second)] => t_test::compared(first, second, level),
        _ => None,
    }
}

/// One object a server, by its name.
pub fn json(servers: &[(String, Stats)], concurrency: usize) -> Value {
    let of = |stats: &Stats| {
        let rates = Rates::of(stats, concurrency);
        let percentiles = stats.percentiles(&PERCENTS).unwrap_or_default();
        let percentiles: Map<String, Value> =
            PERCENTS.iter().zip(percentiles).map(|(percent, seconds)| (percent.to_string(), json!(seconds))).collect();
        json!({
            "statistics": {
                "QPS": rates.queries,
                "RPS": rates.rows,
                "MiBPS": rates.mib,
                "RPS_result": rates.result_rows,
                "MiBPS_result": rates.result_mib,
                "num_queries": stats.queries,
                "num_errors": stats.errors,
            },
            "query_time_percentiles": percentiles,
        })
    };
    Value::Object(servers.iter().map(|(name, stats)| (name.clone(), of(stats))).collect())
}

#[cfg(test)]
mod tests {
    use gristmill_base::env::SystemEnv;

    use super::*;
    use crate::benchmark::stats::Done;

    fn server(name: &str, seconds: f64) -> (String, Stats) {
        let mut stats = Stats::default();
        let done = Done { seconds, read_rows: 1000, read_bytes: 2 << 20, result_rows: 10, result_bytes: 1 << 20 };
        (0..4).for_each(|_| stats.add(done, &SystemEnv));
        stats.errors = 1;
        (name.to_string(), stats)
    }

    #[test]
    fn rates_are_those_of_the_time_that_workers_had() {
        let servers = [server("a:9000", 0.5), server("b:9000", 1.0)];
        let text = text(&servers, 2);
        let line = "a:9000, queries: 4, errors: 1, QPS: 4.000, RPS: 4000.000, MiB/s: 8.000, result RPS: 40.000, result MiB/s: 4.000.";
        assert!(text.contains(line), "{text}");
        assert!(text.contains("\n50.000%\t\t0.500 sec.\t1.000 sec.\t\n"), "{text}");
        assert!(text.ends_with("99.990%\t\t0.500 sec.\t1.000 sec.\t\n"), "{text}");
        let json = json(&servers, 2);
        assert_eq!(json["b:9000"]["statistics"]["QPS"], 2.0);
        assert_eq!(json["a:9000"]["query_time_percentiles"]["99.99"], 0.5);
        assert_eq!(json["a:9000"]["query_time_percentiles"].as_object().map(Map::len), Some(14));
    }

    #[test]
    fn no_query_is_no_number() {
        let none = [("a:9000".to_string(), Stats { errors: 3, ..Stats::default() })];
        assert!(text(&none, 1).contains("queries: 0, errors: 3, QPS: 0.000"), "{}", text(&none, 1));
        assert!(!text(&none, 1).contains('%'));
        assert_eq!(executed(3, 2), "\nQueries executed: 3 (150.000%).\n");
    }
}
