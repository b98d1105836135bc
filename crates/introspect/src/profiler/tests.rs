use std::hint::black_box;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use gristmill_base::env::system_env;
use gristmill_base::spending::Wait;

use super::*;
use crate::settings::Settings;

fn context(settings: &[(&str, &str)]) -> Arc<QueryContext> {
    let mut changed = Settings::default();
    for (name, value) in settings {
        changed.set(name, value).expect("a setting");
    }
    QueryContext::new("SELECT 1", "", "default", "default", Arc::new(changed), system_env())
}

const NOTHING_ELSE: [(&str, &str); 3] =
    [("query_profiler_cpu_time_period_ns", "0"), ("query_profiler_real_time_period_ns", "0"), ("memory_profiler_step", "0")];

/// The stacks of a query that are in the log, with names, each the innermost function first.
fn stacks(context: &QueryContext, kind: &str) -> Vec<Vec<Arc<str>>> {
    collect();
    let entries = trace_log().snapshot();
    let of_query = entries.iter().filter(|entry| *entry.query_id == *context.query_id && entry.trace_type == kind);
    of_query.map(|entry| shown(entry).symbols).collect()
}

fn has(stacks: &[Vec<Arc<str>>], name: &str) -> bool {
    stacks.iter().flatten().any(|symbol| symbol.contains(name))
}

/// Works for the query until there is what is looked for.
fn until(context: &Arc<QueryContext>, work: fn(), found: impl Fn() -> bool) -> bool {
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let _entered = context.memory.tally().map(allocations::enter);
            while !stop.load(Ordering::Relaxed) {
                work();
            }
        });
        let begun = Instant::now();
        let mut is_found = false;
        while !is_found && begun.elapsed() < Duration::from_secs(60) {
            std::thread::sleep(Duration::from_millis(5));
            is_found = found();
        }
        stop.store(true, Ordering::Relaxed);
        is_found
    })
}

#[inline(never)]
fn grinds_the_corn() {
    let mut sum = 0_u64;
    for i in 0..100_000_u64 {
        sum = black_box(sum.wrapping_mul(31).wrapping_add(i));
    }
    black_box(sum);
}

#[inline(never)]
fn waits_for_the_wind() {
    std::thread::sleep(Duration::from_millis(2));
    black_box(());
}

#[test]
fn a_function_that_computes_is_in_samples_by_computing() {
    let mut settings = NOTHING_ELSE;
    settings[0].1 = "1000000";
    let context = context(&settings);
    let _profiling = begin(&context).expect("profiled");
    assert!(until(&context, grinds_the_corn, || has(&stacks(&context, "CPU"), "grinds_the_corn")));
    let all = stacks(&context, "CPU");
    let stack = all.iter().find(|stack| stack.iter().any(|name| name.contains("grinds_the_corn"))).expect("found");
    assert!(stack.iter().any(|name| name.contains("profiler::tests::until")), "who called it is there too: {stack:?}");
    assert!(!has(&all, "waits_for_the_wind"));
    assert!(stacks(&context, "Real").is_empty(), "nobody asked for these");
}

#[test]
fn a_function_that_sleeps_is_in_samples_by_the_clock_alone() {
    let mut settings = NOTHING_ELSE;
    (settings[0].1, settings[1].1) = ("1000000", "1000000");
    let context = context(&settings);
    let _profiling = begin(&context).expect("profiled");
    assert!(until(&context, waits_for_the_wind, || has(&stacks(&context, "Real"), "waits_for_the_wind")));
}

#[test]
fn a_query_without_a_thread_tells_what_it_waits_for() {
    let mut settings = NOTHING_ELSE;
    settings[1].1 = "1000000";
    let context = context(&settings);
    let _profiling = begin(&context).expect("profiled");
    drop(context.memory.tally().map(allocations::enter));
    let _waiting = context.waits_for(Wait::Network);
    let begun = Instant::now();
    while !has(&stacks(&context, "Real"), "[waiting for the network]") && begun.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(5));
    }
    assert!(has(&stacks(&context, "Real"), "[waiting for the network]"));
}

#[test]
fn where_addresses_are_in_the_source_is_known() {
    fn here() {}
    let program = &modules::loaded()[0];
    let address = here as fn() as usize as u64 - program.base;
    assert!(symbols::symbol(address).contains("here"));
    assert!(symbols::line(address).contains("profiler/tests.rs:"), "{}", symbols::line(address));
    assert!(symbols::line_with_inlines(address)[0].contains("profiler/tests.rs:"));
    let of_library = libc::getpid as *const () as usize as u64;
    assert!(symbols::symbol(of_library).contains("getpid"), "{}", symbols::symbol(of_library));
    assert_eq!(symbols::symbol(u64::MAX), "");
}
