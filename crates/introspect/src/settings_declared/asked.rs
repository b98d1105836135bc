//! What else is asked of the settings: whether they were set, what may change them, what several of them say together.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use gristmill_access::effective::{Constraint, check_setting, constraint_in_force};
use gristmill_base::{Error, ErrorCode, Result};

use super::Settings;
use crate::without_effect::OF_QUERIES;

/// 0 seconds: any time.
fn longest(seconds: f64) -> Duration {
    const FOREVER: Duration = Duration::from_secs(10 * 365 * 24 * 3600);
    if seconds > 0.0 {
        Duration::try_from_secs_f64(seconds).map_or(FOREVER, |longest| longest.min(FOREVER))
    } else {
        FOREVER
    }
}

/// The name that an alias stands for.
pub(super) fn canonical(name: &str) -> &str {
    OF_QUERIES.get(name).and_then(|setting| setting.alias_for).unwrap_or(name)
}

impl Settings {
    /// Of a session that is the only one of its process: nobody is there whose INSERTs could be gathered with its own.
    pub fn of_one_session() -> Settings {
        Settings { async_insert: false, allow_introspection_functions: true, ..Settings::default() }
    }

    /// The settings that were set, by name.
    pub fn changed(&self) -> Vec<(String, String)> {
        let changed = self.changed.iter().map(|(name, value)| (name.to_string(), value.clone()));
        changed.chain(self.custom.clone()).collect()
    }

    /// As `changed`, without credentials.
    pub fn shown(&self) -> Vec<(String, String)> {
        let shown = |(name, value): (String, String)| {
            let value = gristmill_base::redact::setting(&name, &value);
            (name, value)
        };
        self.changed().into_iter().map(shown).collect()
    }

    /// Users' own settings that were set, with the text of their values.
    pub fn custom(&self) -> &BTreeMap<String, String> {
        &self.custom
    }

    /// Rows in a batch that flows between operators.
    pub fn block_rows(&self) -> usize {
        const UNLESS_SET: u64 = 8192;
        let rows = if self.is_changed("max_block_size") { self.max_block_size } else { UNLESS_SET };
        rows.clamp(1, 1 << 20) as usize
    }

    /// Whether a query that read too much ends with what it has, and not with an error.
    pub fn breaks_off_reading(&self) -> bool {
        self.read_overflow_mode == "break"
    }

    /// The same of the limits on leaves.
    pub fn breaks_off_reading_on_leaf(&self) -> bool {
        self.read_overflow_mode_leaf == "break"
    }

    /// Whether a query that is over its time ends with what it has, and not with an error.
    pub fn breaks_off_in_time(&self) -> bool {
        self.timeout_overflow_mode == "break" && self.max_execution_time > 0.0
    }

    /// Seconds after which a query fails. 0: never.
    pub fn fails_after_seconds(&self) -> f64 {
        if self.breaks_off_in_time() { 0.0 } else { self.max_execution_time }
    }

    /// How long more of the body of a request is waited for.
    pub fn http_receive_longest(&self) -> Duration {
        longest(self.http_receive_timeout)
    }

    /// How long more of what a client of the native protocol has to send is waited for.
    pub fn receive_longest(&self) -> Duration {
        longest(self.receive_timeout)
    }

    /// How long a client over HTTP may take nothing of its answer.
    pub fn http_send_longest(&self) -> Duration {
        longest(self.http_send_timeout)
    }

    /// How long a client of the native protocol may take nothing of what it is sent.
    pub fn send_longest(&self) -> Duration {
        longest(self.send_timeout)
    }

    /// How long a connection of the native protocol may be without a query.
    pub fn idle_longest(&self) -> Duration {
        longest(self.idle_connection_timeout as f64)
    }

    /// Whether a query may end with rows of a part of what it reads.
    pub fn may_break_off(&self) -> bool {
        let limited = self.max_rows_to_read > 0 || self.max_bytes_to_read > 0;
        let limited_on_leaf = self.max_rows_to_read_leaf > 0 || self.max_bytes_to_read_leaf > 0;
        (limited && self.breaks_off_reading())
            || (limited_on_leaf && self.breaks_off_reading_on_leaf())
            || self.breaks_off_in_time()
    }

    /// Bounds within which `change` keeps them from now on.
    pub fn constrain(&mut self, constraints: Arc<BTreeMap<String, Constraint>>) {
        self.constraints = constraints;
    }

    /// Bounds beside those that there are, which hold where both are about a setting.
    pub fn constrain_further(&mut self, constraints: &BTreeMap<String, Constraint>) {
        let more = constraints.iter().filter(|(name, _)| !self.constraints.contains_key(*name));
        let more: Vec<_> = more.map(|(name, constraint)| (name.clone(), constraint.clone())).collect();
        if !more.is_empty() {
            Arc::make_mut(&mut self.constraints).extend(more);
        }
    }

    pub fn constraints(&self) -> &Arc<BTreeMap<String, Constraint>> {
        &self.constraints
    }

    /// What bounds a setting now.
    pub fn constraint(&self, name: &str) -> Constraint {
        constraint_in_force(&self.constraints, canonical(name), self.readonly)
    }

    /// `set`, as whoever these settings are of may ask for it: with `readonly` 1 nothing can be changed, with 2 all but
    /// `readonly` itself, and everything within its constraints. Errors: READONLY, SETTING_CONSTRAINT_VIOLATION, those of `set`.
    pub fn change(&mut self, name: &str, value: &str) -> Result<()> {
        // Who sends all settings as they are changes nothing.
        if name == "max_sessions_for_user" && self.get(name).as_deref() != Some(value) {
            let text = "Setting max_sessions_for_user is not allowed to be set by query: it belongs into the user's profile";
            return Err(Error::new(ErrorCode::READONLY, text));
        }
        if self.readonly == 0 && self.constraints.is_empty() {
            return self.set(name, value);
        }
        let name = canonical(name);
        let before = self.get(name).unwrap_or_default();
        let mut changed = self.clone();
        changed.set(name, value)?;
        let after = changed.get(name).unwrap_or_default();
        check_setting(&self.constraints, name, &after, &before, self.readonly)?;
        *self = changed;
        Ok(())
    }

    pub fn is_changed(&self, name: &str) -> bool {
        self.changed.contains_key(canonical(name)) || self.custom.contains_key(name)
    }
}
