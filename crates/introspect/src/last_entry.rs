//! The last entry of a query whose result is still on its way: what its client is sent when the query is over belongs to it, so it
//! waits for whoever sends that.

use std::sync::Arc;

use gristmill_base::allocations;
use parking_lot::Mutex;

use crate::context::QueryContext;
use crate::query_log::{QueryLogEntry, query_log};

/// Of one query.
#[derive(Debug, Default)]
pub struct LastEntry(Mutex<State>);

#[derive(Debug, Default)]
enum State {
    /// Nobody holds it back.
    #[default]
    Free,
    Held,
    Waits(Box<QueryLogEntry>),
}

impl LastEntry {
    /// Adds the entry to the log, as soon as nobody holds it back.
    pub fn add(&self, make: impl FnOnce() -> QueryLogEntry) {
        let mut state = self.0.lock();
        match *state {
            State::Held if query_log().is_on() => {
                let _nobody = allocations::enter_none();
                *state = State::Waits(Box::new(make()));
            }
            State::Held => {}
            State::Free | State::Waits(_) => {
                drop(state);
                query_log().add(make);
            }
        }
    }
}

/// Holds the last entry of a query back as long as it lives.
#[derive(Debug)]
pub struct Holding(Arc<QueryContext>);

/// The query's last entry has what is counted until the answer is dropped.
pub fn hold(context: &Arc<QueryContext>) -> Holding {
    *context.last_entry.0.lock() = State::Held;
    Holding(context.clone())
}

impl Drop for Holding {
    fn drop(&mut self) {
        let state = std::mem::take(&mut *self.0.last_entry.0.lock());
        if let State::Waits(entry) = state {
            query_log().add(|| QueryLogEntry { profile_events: QueryLogEntry::events(&self.0), ..*entry });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Event;
    use crate::query_log::QueryLogType;

    #[test]
    fn an_entry_that_is_held_back_has_what_was_counted_meanwhile() {
        let context = QueryContext::background("SELECT 'held back'");
        let told = || {
            let all = query_log().snapshot();
            let of_query = all.iter().filter(|entry| entry.query_id == context.query_id);
            of_query.map(|entry| entry.profile_events.clone()).collect::<Vec<_>>()
        };
        let entry = || QueryLogEntry::of(QueryLogType::QueryFinish, "Select", &[], &context, None);
        context.counters.add(Event::SelectedRows, 3);
        let holding = hold(&context);
        context.last_entry.add(entry);
        context.counters.add(Event::NetworkSendBytes, 7);
        assert!(told().is_empty());
        drop(holding);
        assert_eq!(told(), [vec![("SelectedRows", 3), ("NetworkSendBytes", 7)]]);
        context.last_entry.add(entry);
        assert_eq!(told().len(), 2, "nobody holds it back");
        drop(hold(&context));
        assert_eq!(told().len(), 2, "there was none");
    }
}
