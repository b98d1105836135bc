//! `compatibility`: the defaults that ClickHouse had in an older version.
//!
//! ClickHouse keeps a history of its defaults, which `compatibility.tsv` has: the version that changed one, the setting, and what
//! held before. To go back to a version is to undo what later ones changed, the newest first, of all settings that nobody set.
//! They are no settings that were set: another value of `compatibility` puts others in their place.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use gristmill_base::{Error, ErrorCode, Result};

use super::Settings;

type Version = Vec<u64>;

/// A default that a version changed, and the value before.
struct Changed {
    version: Version,
    name: &'static str,
    before: &'static str,
}

/// What a version changed: the setting, and its default before and after.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangedDefault {
    pub name: &'static str,
    pub before: &'static str,
    pub after: String,
}

/// The oldest first.
static HISTORY: LazyLock<Vec<Changed>> = LazyLock::new(|| {
    let changed = |line: &'static str| {
        let mut cells = line.split('\t');
        let version = version(cells.next()?)?;
        Some(Changed { version, name: cells.next()?, before: cells.next()? })
    };
    include_str!("compatibility.tsv").lines().filter_map(changed).collect()
});

fn version(text: &str) -> Option<Version> {
    text.trim().split('.').map(|number| number.parse().ok()).collect()
}

/// Error: BAD_ARGUMENTS, where it is no version.
pub(super) fn check(value: &str) -> Result<()> {
    match value.is_empty() || version(value).is_some() {
        true => Ok(()),
        false => Err(Error::new(ErrorCode::BAD_ARGUMENTS, format!("Cannot parse ClickHouse version here: {value}"))),
    }
}

impl Settings {
    /// The versions that changed defaults, the newest first, and what each changed.
    pub fn changed_defaults() -> Vec<(String, Vec<ChangedDefault>)> {
        let defaults = Settings::default();
        // The default before the next change is the one after this.
        let mut later: BTreeMap<&'static str, &'static str> = BTreeMap::new();
        let mut all: Vec<(&Version, Vec<ChangedDefault>)> = Vec::new();
        for Changed { version, name, before } in HISTORY.iter().rev() {
            let after = match later.insert(*name, *before) {
                Some(after) => after.to_string(),
                None => defaults.get(name).unwrap_or_default(),
            };
            let changed = ChangedDefault { name, before, after };
            match all.last_mut() {
                Some((last, changes)) if *last == version => changes.push(changed),
                _ => all.push((version, vec![changed])),
            }
        }
        let text = |version: &Version| version.iter().map(u64::to_string).collect::<Vec<_>>().join(".");
        all.into_iter().map(|(version, changes)| (text(version), changes.into_iter().rev().collect())).collect()
    }

    /// Puts the defaults of the version that `compatibility` names in the place of ours, and of those of another before.
    pub(super) fn apply_compatibility(&mut self) {
        for name in std::mem::take(&mut self.by_compatibility) {
            // It is declared, and its default is a value of it.
            let _ = self.reset(name);
        }
        if self.compatibility.is_empty() {
            return;
        }
        let Some(wanted) = version(&self.compatibility) else { return };
        let mut before: BTreeMap<&'static str, &'static str> = BTreeMap::new();
        // Versions compare number by number: 24 is before 24.1.
        for changed in HISTORY.iter().rev().take_while(|changed| changed.version > wanted) {
            before.insert(super::asked::canonical(changed.name), changed.before);
        }
        for (name, value) in before {
            if self.changed.contains_key(name) {
                continue;
            }
            // What this program never had, it cannot go back to.
            if self.set(name, value).is_ok() {
                self.changed.remove(name);
                self.by_compatibility.insert(name);
            }
        }
    }

    /// Whether the value is not the default: somebody set it, or `compatibility` did.
    pub fn differs(&self, name: &str) -> bool {
        self.is_changed(name) || self.by_compatibility.contains(super::asked::canonical(name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_history_is_in_order() {
        assert!(HISTORY.is_sorted_by(|a, b| a.version <= b.version) && HISTORY.len() > 400);
        for changed in HISTORY.iter() {
            assert!(Settings::default().get(changed.name).is_some(), "{}", changed.name);
        }
    }

    #[test]
    fn what_versions_changed_is_told_the_newest_first() {
        let all = Settings::changed_defaults();
        let of = |wanted: &str| {
            let all = all.iter().flat_map(|(version, changes)| changes.iter().map(move |changed| (version, changed)));
            let of_name = all.filter(|(_, changed)| changed.name == wanted);
            of_name.map(|(version, changed)| format!("{version}: {} {}", changed.before, changed.after)).collect::<Vec<_>>()
        };
        assert_eq!(of("http_receive_timeout"), ["23.6: 180 30"]);
        assert_eq!(of("async_socket_for_remote"), ["21.5: 0 1", "21.3: 1 0"]);
        assert_eq!(all.last().map(|(version, _)| version.as_str()), Some("18.12.17"));
    }

    #[test]
    fn older_defaults_hold_where_nobody_set_another() {
        let mut settings = Settings::default();
        settings.set("async_insert_max_data_size", "5").expect("known");
        settings.set("compatibility", "24.1").expect("a version");
        assert_eq!((settings.async_insert, settings.async_insert_max_data_size), (false, 5));
        assert_eq!(settings.get("output_format_parquet_compression_method").as_deref(), Some("lz4"));
        assert_eq!(settings.get("date_time_input_format").as_deref(), Some("basic"));
        assert!(settings.differs("async_insert") && !settings.is_changed("async_insert"));
        let set: Vec<String> = settings.changed().into_iter().map(|(name, _)| name).collect();
        assert_eq!(set, ["async_insert_max_data_size", "compatibility"]);
        settings.set("async_insert", "1").expect("known");
        settings.set("compatibility", "23.2").expect("a version");
        assert_eq!(settings.get("output_format_parquet_compression_method").as_deref(), Some("snappy"));
        assert!(settings.async_insert);
        settings.set("compatibility", "26.4").expect("a version");
        assert_eq!(settings.get("output_format_parquet_compression_method").as_deref(), Some("zstd"));
        assert_eq!(settings.get("date_time_input_format").as_deref(), Some("basic"));
        settings.reset("compatibility").expect("known");
        assert_eq!(settings.get("date_time_input_format").as_deref(), Some("best_effort"));
        assert!(!settings.differs("date_time_input_format"));
        assert_eq!(settings.set("compatibility", "old").expect_err("no version").code(), ErrorCode::BAD_ARGUMENTS);
    }

    #[test]
    fn what_a_version_changed_itself_is_not_undone_for_it() {
        let at = |version: &str| {
            let mut settings = Settings::default();
            settings.set("compatibility", version).expect("a version");
            settings.http_write_exception_in_output_format
        };
        assert_eq!(["23.8", "23.9", "25.10", "25.11", "26.9"].map(at), [false, true, true, false, false]);
    }
}
