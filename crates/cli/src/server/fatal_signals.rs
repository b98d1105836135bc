//! What ended the process before this one, where it was a signal: an entry of `system.crash_log`, which that one could not write any more.

use std::os::unix::fs::MetadataExt;
use std::path::Path;

use gristmill_base::fatal::{self, Fatal};
use gristmill_introspect::logs::crash_log::{CrashEntry, crash_log};
use gristmill_introspect::profiler::symbols;

/// In the data folder. It is empty while a server runs.
const FILE: &str = "fatal_signal";

/// Tells of the last one, and has those of this process noted. To be called once the data folder is known to be this process's.
pub fn begin(data_path: &Path) {
    let (file, program) = (data_path.join(FILE), program());
    if let Some(ended) = fatal::taken(&file) {
        tell(ended, program);
    }
    let here = begin as *const () as u64;
    let in_file = symbols::in_file(&[here]).first().copied().unwrap_or(here);
    if let Err(error) = fatal::note_into(&file, here.saturating_sub(in_file), program) {
        tracing::warn!("A signal that ends the server will not be in system.crash_log: {error}");
    }
}

/// Told apart from another build by when it was made, and its size.
fn program() -> u64 {
    let metadata = std::fs::metadata("/proc/self/exe").ok();
    metadata.map_or(0, |program| program.size() ^ ((program.mtime() as u64) << 20) ^ (program.mtime_nsec() as u64))
}

fn tell(ended: Fatal, program: u64) {
    let description = match ended.code {
        ..=0 => format!("{} was sent to the server, or it ended itself", ended.name()),
        _ => format!("{} at the address 0x{:x}", ended.name(), ended.address),
    };
    tracing::error!("A signal ended the server that ran here before: {description} (thread {})", ended.thread_id);
    // Another program has other functions there.
    let trace = if ended.program == program { ended.trace } else { Vec::new() };
    crash_log().add(|| CrashEntry {
        event_time_nanos: ended.time_nanos,
        signal: ended.signal,
        signal_code: ended.code,
        fault_address: (ended.code > 0).then_some(ended.address),
        thread_id: u64::from(ended.thread_id),
        query_id: String::new(),
        query: String::new(),
        description,
        trace: trace.into(),
    });
}
