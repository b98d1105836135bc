//! What a look at a server found, and what became of it between two looks.

use std::collections::BTreeMap;
use std::time::Instant;

/// What was asked of a table; the text says why there is nothing, such as a privilege that is missing.
pub type Found<T> = Result<T, String>;

/// Names and their values.
pub type Numbers = BTreeMap<String, f64>;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Query {
    pub id: String,
    pub user: String,
    pub elapsed_seconds: f64,
    pub read_rows: f64,
    pub read_bytes: f64,
    pub written_rows: f64,
    /// Rows to read in all, where that is known; else 0.
    pub total_rows: f64,
    pub memory_bytes: f64,
    pub cpu_micros: f64,
    /// Of all its threads, for a core, a disk, a network.
    pub wait_micros: f64,
    pub text: String,
    pub is_cancelled: bool,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Merge {
    pub table: String,
    pub elapsed_seconds: f64,
    /// From 0 to 1.
    pub progress: f64,
    pub parts: f64,
    pub bytes: f64,
    pub memory_bytes: f64,
    pub is_mutation: bool,
    pub result: String,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mutation {
    pub table: String,
    pub id: String,
    pub command: String,
    pub parts_to_do: f64,
    pub failure: String,
}

#[derive(Clone, Debug)]
pub struct Snapshot {
    pub at: Instant,
    /// Name, version and address.
    pub server: String,
    pub queries: Found<Vec<Query>>,
    pub merges: Found<Vec<Merge>>,
    pub mutations: Found<Vec<Mutation>>,
    pub metrics: Found<Numbers>,
    pub events: Found<Numbers>,
    pub measured: Found<Numbers>,
    /// Of the process's memory; `None`: there is none, or it is not told.
    pub memory_limit_bytes: Option<f64>,
}

/// A snapshot, with what was done in each second since the one before.
#[derive(Clone, Debug)]
pub struct Seen {
    pub now: Snapshot,
    /// Events in a second; empty for a first look.
    pub rates: Numbers,
    /// By query: cores that it used and cores' worth of time that it waited.
    pub load: BTreeMap<String, Load>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Load {
    pub cores: f64,
    pub waiting: f64,
}

impl Seen {
    pub fn of(now: Snapshot, before: Option<&Snapshot>) -> Seen {
        let seconds = before.map_or(0.0, |before| now.at.saturating_duration_since(before.at).as_secs_f64());
        let mut rates = Numbers::new();
        if let (Some(Ok(before)), Ok(events)) = (before.map(|before| &before.events), &now.events)
            && seconds > 0.0
        {
            let grown = events.iter().map(|(name, value)| (name, value - before.get(name).unwrap_or(&0.0)));
            // A server that began anew counts from 0: that is no rate.
            rates = grown.filter(|(_, grown)| *grown >= 0.0).map(|(name, grown)| (name.clone(), grown / seconds)).collect();
        }
        let queries = now.queries.as_deref().unwrap_or_default();
        let known = before.and_then(|before| before.queries.as_deref().ok()).unwrap_or_default();
        let of = |query: &Query| {
            let earlier =
                known.iter().find(|earlier| earlier.id == query.id && earlier.elapsed_seconds < query.elapsed_seconds);
            let since = |value: f64, earlier: Option<f64>| (value - earlier.unwrap_or(0.0)).max(0.0) / 1e6;
            let time = query.elapsed_seconds - earlier.map_or(0.0, |earlier| earlier.elapsed_seconds);
            if time <= 0.0 {
                return Load::default();
            }
            Load {
                cores: since(query.cpu_micros, earlier.map(|earlier| earlier.cpu_micros)) / time,
                waiting: since(query.wait_micros, earlier.map(|earlier| earlier.wait_micros)) / time,
            }
        };
        let load = queries.iter().map(|query| (query.id.clone(), of(query))).collect();
        Seen { now, rates, load }
    }

    /// The rate of the first of these events that the server knows; `None`: of none.
    pub fn rate(&self, names: &[&str]) -> Option<f64> {
        names.iter().find_map(|name| self.rates.get(*name).copied())
    }

    /// Sums of all of these events.
    pub fn rate_of_all(&self, names: &[&str]) -> f64 {
        names.iter().filter_map(|name| self.rates.get(*name)).sum()
    }

    /// Caches with the share of hits since the last look, or (where nothing was asked of them) since the server began.
    pub fn caches(&self) -> Vec<(String, f64)> {
        let Ok(events) = &self.now.events else { return Vec::new() };
        let names = events.keys().filter_map(|name| name.strip_suffix("Hits").or_else(|| name.strip_suffix("Misses")));
        let names: std::collections::BTreeSet<&str> = names.collect();
        let share = |numbers: &Numbers, name: &str| {
            let get = |kind: &str| numbers.get(&format!("{name}{kind}")).copied().unwrap_or(0.0);
            let (hits, all) = (get("Hits"), get("Hits") + get("Misses"));
            (all > 0.0).then(|| hits / all)
        };
        let of = |name: &str| Some((name.to_string(), share(&self.rates, name).or_else(|| share(events, name))?));
        names.into_iter().filter_map(of).collect()
    }
}

#[cfg(test)]
pub(super) mod tests {
    use std::time::Duration;

    use super::*;

    pub fn numbers(pairs: &[(&str, f64)]) -> Numbers {
        pairs.iter().map(|(name, value)| (name.to_string(), *value)).collect()
    }

    pub fn snapshot(at: Instant) -> Snapshot {
        Snapshot {
            at,
            server: "Gristmill 0.1.0 at localhost:9000".to_string(),
            queries: Ok(Vec::new()),
            merges: Ok(Vec::new()),
            mutations: Ok(Vec::new()),
            metrics: Ok(Numbers::new()),
            events: Ok(Numbers::new()),
            measured: Ok(Numbers::new()),
            memory_limit_bytes: None,
        }
    }

    #[test]
    fn rates_are_what_was_done_between_two_looks() {
        let begin = Instant::now();
        let query = |elapsed_seconds, cpu_micros| Query { id: "q".into(), elapsed_seconds, cpu_micros, ..Query::default() };
        let before = Snapshot {
            events: Ok(numbers(&[("Query", 10.0), ("FailedQuery", 9.0), ("AHits", 5.0), ("BHits", 1.0), ("BMisses", 1.0)])),
            queries: Ok(vec![query(1.0, 1e6)]),
            ..snapshot(begin)
        };
        let now = Snapshot {
            events: Ok(numbers(&[
                ("Query", 30.0),
                ("FailedQuery", 1.0),
                ("AHits", 8.0),
                ("AMisses", 1.0),
                ("BHits", 1.0),
                ("BMisses", 1.0),
            ])),
            queries: Ok(vec![query(3.0, 5e6)]),
            ..snapshot(begin + Duration::from_secs(2))
        };
        let seen = Seen::of(now, Some(&before));
        assert_eq!(seen.rate(&["Absent", "Query"]), Some(10.0));
        assert_eq!(seen.rate(&["FailedQuery"]), None, "the server began anew");
        assert_eq!(seen.load["q"].cores, 2.0);
        assert_eq!(seen.caches(), [("A".to_string(), 0.75), ("B".to_string(), 0.5)]);
        let first = Seen::of(before, None);
        assert!(first.rates.is_empty());
        assert_eq!(first.load["q"].cores, 1.0, "on average since it began");
    }
}
