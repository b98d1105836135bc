//! How often each error ended a query, and the last of each: `system.errors`, and what `system.error_log` is made of.

use std::collections::BTreeMap;

use gristmill_base::{Error, allocations};
use parking_lot::Mutex;

use crate::context::QueryContext;
use crate::profiler::symbols;

/// The errors of one code.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Errors {
    pub count: u64,
    pub last_time_micros: i64,
    pub last_message: String,
    pub last_query_id: String,
    /// Addresses of the program's file, the innermost first.
    pub last_trace: Vec<u64>,
}

/// By code: there are as many as ClickHouse has codes.
static ALL: Mutex<BTreeMap<i32, Errors>> = Mutex::new(BTreeMap::new());

/// A query ended with an error.
pub fn count(error: &Error, context: &QueryContext) {
    let _nobody = allocations::enter_none();
    let (last_message, last_query_id) = (error.to_string(), context.query_id.clone());
    let last_time_micros = context.env.now_micros();
    let last_trace = symbols::in_file(error.trace());
    let mut all = ALL.lock();
    let of_code = all.entry(error.code().0).or_default();
    *of_code = Errors { count: of_code.count + 1, last_time_micros, last_message, last_query_id, last_trace };
}

/// Where an error began, for logs that show it as a text; empty where the query's settings do not want that.
pub fn trace_logged(error: Option<&Error>, context: &QueryContext) -> Vec<u64> {
    match error.filter(|_| context.settings.calculate_text_stack_trace) {
        Some(error) => symbols::in_file(error.trace()),
        None => Vec::new(),
    }
}

/// Those that there were since the process began, by code.
pub fn all() -> BTreeMap<i32, Errors> {
    ALL.lock().clone()
}
