//! Metrics of this process: its memory, its queries and merges, its age.

use gristmill_base::host;
use gristmill_functions::session::uptime_seconds;
use gristmill_introspect::memory::MemoryAccount;
use gristmill_introspect::processes;

use super::All;
use crate::Known;

pub(super) fn add(all: &mut All, known: &Known) {
    if let Some(memory) = host::process_memory() {
        all.add_count("MemoryCode", memory.code_bytes, "Bytes of the machine code of the process in memory.");
        all.add_count("MemoryDataAndStack", memory.data_and_stack_bytes, "Bytes of addresses for data and stacks.");
        all.add_count("MemoryResident", memory.resident_bytes, "Bytes of memory that the process has.");
        all.add_count(
            "MemoryShared",
            memory.shared_bytes,
            "Bytes of them that come from files, its own program among them.",
        );
        all.add_count("MemoryVirtual", memory.virtual_bytes, "Bytes of addresses that the process may use.");
    }
    let most = host::resident_bytes_max().map(|bytes| bytes as f64);
    all.add_some("MemoryResidentMax", most, "The most memory that the process ever had, in bytes.");
    if let Some((maps, most)) = host::mappings() {
        all.add_count("VMMaxMapCount", most, "Ranges of addresses that the process may map (vm.max_map_count).");
        all.add_count("VMNumMaps", maps, "Ranges of addresses that the process has mapped.");
    }
    all.add_count("TrackedMemory", MemoryAccount::process().held_bytes(), "As MemoryTracking of system.metrics.");
    let queries = processes::snapshot();
    let held = queries.iter().map(|query| query.memory.held_bytes()).sum();
    all.add_count("QueriesMemoryUsage", held, "Bytes of memory that the running queries account for.");
    let peaks = queries.iter().map(|query| query.memory.peak_bytes()).sum();
    all.add_count("QueriesPeakMemoryUsage", peaks, "The most that each of the running queries ever held, summed.");
    let longest = known.mergetree.merges.snapshot().iter().map(|merge| merge.elapsed().as_secs_f64()).fold(0.0, f64::max);
    all.add("LongestRunningMerge", longest, "Seconds since the oldest of the running merges and mutations began.");
    all.add_count("Uptime", uptime_seconds(), "Seconds since the process started.");
}
