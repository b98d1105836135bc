//! `system.query_limit_log`: for each query that was judged, how far it was from what the machine can do, and what would help.

use super::Log;
use crate::limit::LimitReport;

static LOG: Log<LimitReport> = Log::new("query_limit_log", 10_000);

pub fn limit_log() -> &'static Log<LimitReport> {
    &LOG
}
