//! `system.crash_log`: defects that the process met and survived. (One that ends it leaves no entry, but its report on standard
//! error.)

use super::{Log, LogEntry, texts_bytes};

#[derive(Debug)]
pub struct CrashEntry {
    pub event_time_nanos: u64,
    pub thread_id: u64,
    /// What was wrong, and where.
    pub description: String,
    /// The calls that led there; empty where they are not recorded.
    pub trace: Vec<String>,
}

impl LogEntry for CrashEntry {
    fn heap_bytes(&self) -> usize {
        texts_bytes([&self.description]) + texts_bytes(&self.trace)
    }
}

static LOG: Log<CrashEntry> = Log::new("crash_log", 100);

pub fn crash_log() -> &'static Log<CrashEntry> {
    &LOG
}
