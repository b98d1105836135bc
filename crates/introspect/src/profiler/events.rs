//! A stack wherever a query counts an event: what adds to it, and how much at a time (`trace_profile_events`).
//!
//! Whoever counts walks its own stack, since each place is wanted, however many there are at a time.

use std::sync::Arc;

use gristmill_base::env::Env;
use gristmill_base::{Error, ErrorCode, Result, allocations, stack};

use super::{name_of, symbols};
use crate::context::QueryContext;
use crate::events::Event;
use crate::logs::trace_log::{TraceEntry, trace_log};
use crate::settings::nearest;

/// The events of one query whose counts are traced.
#[derive(Debug)]
pub struct Traced {
    query_id: Arc<str>,
    /// By their numbers.
    is_wanted: Box<[bool]>,
    env: Arc<dyn Env>,
}

/// Has stacks taken as the query's settings want it. Error: BAD_ARGUMENTS, where there is no event of a name.
pub fn begin(context: &QueryContext) -> Result<()> {
    let settings = &context.settings;
    if !settings.trace_profile_events {
        return Ok(());
    }
    let is_wanted = wanted(&settings.trace_profile_events_list)?;
    if trace_log().is_on() {
        let (query_id, env) = (context.query_id.as_str().into(), context.env.clone());
        context.counters.trace(Traced { query_id, is_wanted, env });
    }
    Ok(())
}

fn wanted(list: &str) -> Result<Box<[bool]>> {
    let names: Vec<&str> = list.split(',').map(str::trim).filter(|name| !name.is_empty()).collect();
    let mut is_wanted = vec![names.is_empty(); Event::ALL.len()];
    for name in names {
        let event = Event::named(name).ok_or_else(|| {
            let near = nearest(name, Event::ALL.iter().map(|event| event.name()));
            let hint = near.map_or_else(String::new, |near| format!(". Maybe you meant: ['{near}']"));
            let text = format!("Unknown profile event: {name}{hint}");
            Error::new(ErrorCode::BAD_ARGUMENTS, text)
                .with_context("in trace_profile_events_list: system.events has the names of those that were counted")
        })?;
        is_wanted[event as usize] = true;
    }
    Ok(is_wanted.into())
}

impl Traced {
    /// An event was counted by the calling thread.
    pub fn note(&self, event: Event, increment: u64) {
        if !self.is_wanted[event as usize] {
            return;
        }
        let _nobody = allocations::enter_none();
        // SAFETY: the calls take and touch nothing.
        let (thread, cpu) = unsafe { (libc::gettid() as u32, libc::sched_getcpu().max(0) as u64) };
        trace_log().push(TraceEntry {
            event_time_nanos: self.env.now().as_nanos() as u64,
            trace_type: "ProfileEvent",
            cpu_id: cpu,
            thread_id: thread.into(),
            thread_name: name_of(thread),
            query_id: self.query_id.clone(),
            trace: symbols::in_file(&stack::always_here()).into(),
            size: 0,
            address: 0,
            event: event.name(),
            increment: i64::try_from(increment).unwrap_or(i64::MAX),
        });
    }
}

#[cfg(test)]
mod tests {
    use gristmill_base::env::system_env;

    use super::*;
    use crate::Settings;
    use crate::profiler::shown;

    fn context(list: &str) -> Arc<QueryContext> {
        let mut settings = Settings::default();
        settings.set("trace_profile_events", "1").expect("a setting");
        settings.set("trace_profile_events_list", list).expect("a setting");
        QueryContext::new("SELECT 1", "", "default", "default", Arc::new(settings), system_env())
    }

    #[inline(never)]
    fn counts_the_sacks(context: &QueryContext) {
        context.of_work().counters.add(Event::SelectedRows, 7);
        context.counters.add(Event::SelectedBytes, 9);
        std::hint::black_box(());
    }

    fn told(context: &QueryContext) -> Vec<(&'static str, i64)> {
        let all = trace_log().snapshot();
        let of_query = all.iter().filter(|entry| *entry.query_id == *context.query_id);
        of_query.map(|entry| (entry.event, entry.increment)).collect()
    }

    #[test]
    fn each_count_of_a_wanted_event_has_a_stack() {
        let context = context(" SelectedRows, ");
        begin(&context).expect("traced");
        counts_the_sacks(&context);
        counts_the_sacks(&context);
        assert_eq!(told(&context), [("SelectedRows", 7); 2]);
        let all = trace_log().snapshot();
        let entry = all.iter().find(|entry| *entry.query_id == *context.query_id).expect("told");
        let symbols = shown(entry).symbols;
        assert!(symbols[0].contains("counts_the_sacks"), "{symbols:?}");
    }

    #[test]
    fn an_empty_list_is_all_events() {
        let context = context(" , ");
        begin(&context).expect("traced");
        counts_the_sacks(&context);
        assert_eq!(told(&context), [("SelectedRows", 7), ("SelectedBytes", 9)]);
    }

    #[test]
    fn a_name_that_is_none_is_an_error() {
        let error = begin(&context("SelectedRows,SelectedRovs")).expect_err("refused");
        assert_eq!(error.code(), ErrorCode::BAD_ARGUMENTS);
        assert!(error.to_string().contains("SelectedRovs. Maybe you meant: ['SelectedRows']"), "{error}");
    }
}
