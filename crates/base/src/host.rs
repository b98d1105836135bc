//! What the operating system counts: of its processors, memory, disks and networks, and of this process. Each is a file of
//! `/proc` or `/sys` that is read when it is asked for; `None`, or nothing, where the system has no such file (Linux alone has
//! them). Counts that only grow are given as the system has them: whoever wants a rate asks twice.

use std::collections::BTreeMap;
use std::path::Path;

/// Seconds that processors spent, by what on.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ProcessorSeconds {
    pub user: f64,
    pub nice: f64,
    pub system: f64,
    pub idle: f64,
    pub io_wait: f64,
    pub irq: f64,
    pub soft_irq: f64,
    pub steal: f64,
    /// Counted as `user` too.
    pub guest: f64,
    /// Counted as `nice` too.
    pub guest_nice: f64,
}

/// What the kernel did since it started.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct KernelCounts {
    pub all: ProcessorSeconds,
    /// By the number of the processor.
    pub processors: BTreeMap<u32, ProcessorSeconds>,
    pub interrupts: u64,
    pub context_switches: u64,
    pub processes_created: u64,
    /// Now: that compute or could, and that wait for a disk.
    pub processes_running: u64,
    pub processes_blocked: u64,
}

pub fn kernel() -> Option<KernelCounts> {
    // SAFETY: sysconf reads a constant of the system and touches no memory of ours.
    let ticks = u64::try_from(unsafe { libc::sysconf(libc::_SC_CLK_TCK) }).ok().filter(|ticks| *ticks > 0)?;
    Some(kernel_of(&text("/proc/stat")?, ticks))
}

/// `ticks`: in a second.
fn kernel_of(stat: &str, ticks: u64) -> KernelCounts {
    let mut counts = KernelCounts::default();
    for line in stat.lines() {
        let mut words = line.split_ascii_whitespace();
        let Some(name) = words.next() else { continue };
        let numbers: Vec<u64> = words.map_while(|word| word.parse().ok()).collect();
        let first = numbers.first().copied().unwrap_or_default();
        match name {
            "intr" => counts.interrupts = first,
            "ctxt" => counts.context_switches = first,
            "processes" => counts.processes_created = first,
            "procs_running" => counts.processes_running = first,
            "procs_blocked" => counts.processes_blocked = first,
            "cpu" => counts.all = seconds(&numbers, ticks),
            name => {
                if let Some(Ok(number)) = name.strip_prefix("cpu").map(str::parse) {
                    counts.processors.insert(number, seconds(&numbers, ticks));
                }
            }
        }
    }
    counts
}

fn seconds(told: &[u64], ticks: u64) -> ProcessorSeconds {
    let at = |place: usize| told.get(place).copied().unwrap_or_default() as f64 / ticks as f64;
    ProcessorSeconds {
        user: at(0),
        nice: at(1),
        system: at(2),
        idle: at(3),
        io_wait: at(4),
        irq: at(5),
        soft_irq: at(6),
        steal: at(7),
        guest: at(8),
        guest_nice: at(9),
    }
}

/// The machine's memory in bytes, by the names of `/proc/meminfo`: `MemTotal`, `MemFree`, `Cached`, …
pub fn memory() -> BTreeMap<String, u64> {
    text("/proc/meminfo").map_or_else(BTreeMap::new, |told| memory_of(&told))
}

fn memory_of(told: &str) -> BTreeMap<String, u64> {
    let of_line = |line: &str| {
        let (name, value) = line.split_once(':')?;
        let kib: u64 = value.trim().strip_suffix("kB")?.trim().parse().ok()?;
        Some((name.to_string(), kib << 10))
    };
    told.lines().filter_map(of_line).collect()
}

/// The memory of this process, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProcessMemory {
    /// Addresses that it may use.
    pub virtual_bytes: u64,
    /// What of them is there, files that are mapped included.
    pub resident_bytes: u64,
    /// What of that comes from files.
    pub shared_bytes: u64,
    pub code_bytes: u64,
    pub data_and_stack_bytes: u64,
}

pub fn process_memory() -> Option<ProcessMemory> {
    // SAFETY: sysconf reads a constant of the system and touches no memory of ours.
    let page = u64::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).ok()?;
    let told = text("/proc/self/statm")?;
    let pages: Vec<u64> = told.split_ascii_whitespace().map_while(|word| word.parse().ok()).collect();
    let [all, resident, shared, code, _, data, ..] = pages[..] else { return None };
    let bytes = |pages: u64| pages * page;
    Some(ProcessMemory {
        virtual_bytes: bytes(all),
        resident_bytes: bytes(resident),
        shared_bytes: bytes(shared),
        code_bytes: bytes(code),
        data_and_stack_bytes: bytes(data),
    })
}

/// The most memory that this process ever had, in bytes.
pub fn resident_bytes_max() -> Option<u64> {
    memory_of(&text("/proc/self/status")?).remove("VmHWM")
}

/// Ranges of addresses that this process has mapped, and how many it may.
pub fn mappings() -> Option<(u64, u64)> {
    Some((text("/proc/self/maps")?.lines().count() as u64, number("/proc/sys/vm/max_map_count")?))
}

/// Threads of the machine that compute or could now, and all there are.
pub fn threads() -> Option<(u64, u64)> {
    let told = text("/proc/loadavg")?;
    let (runnable, all) = told.split_ascii_whitespace().nth(3)?.split_once('/')?;
    Some((runnable.parse().ok()?, all.parse().ok()?))
}

/// Files that all processes of the machine have open.
pub fn open_files() -> Option<u64> {
    text("/proc/sys/fs/file-nr")?.split_ascii_whitespace().next()?.parse().ok()
}

/// Seconds since the machine started.
pub fn uptime_seconds() -> Option<f64> {
    text("/proc/uptime")?.split_ascii_whitespace().next()?.parse().ok()
}

/// Seconds since this process started.
pub fn process_seconds() -> Option<f64> {
    // SAFETY: sysconf reads a constant of the system and touches no memory of ours.
    let ticks = u64::try_from(unsafe { libc::sysconf(libc::_SC_CLK_TCK) }).ok().filter(|ticks| *ticks > 0)?;
    let told = text("/proc/self/stat")?;
    // Behind the program's name in parentheses, which may have spaces: the start is the twentieth word.
    let started: u64 = told.rsplit_once(')')?.1.split_ascii_whitespace().nth(19)?.parse().ok()?;
    Some((uptime_seconds()? - started as f64 / ticks as f64).max(0.0))
}

/// By the number of the processor, where the system tells.
pub fn processor_mhz() -> Vec<f64> {
    let told = text("/proc/cpuinfo").unwrap_or_default();
    let of_line = |line: &str| line.strip_prefix("cpu MHz")?.split_once(':')?.1.trim().parse().ok();
    told.lines().filter_map(of_line).collect()
}

/// What a disk did since the machine started.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DiskCounts {
    pub reads: u64,
    pub reads_merged: u64,
    pub read_bytes: u64,
    pub read_ms: u64,
    pub writes: u64,
    pub writes_merged: u64,
    pub written_bytes: u64,
    pub write_ms: u64,
    /// Now.
    pub in_flight: u64,
    pub active_ms: u64,
    /// Summed over the requests that wait.
    pub queue_ms: u64,
    /// `None`: the kernel is too old to tell.
    pub discards: Option<Discards>,
}

/// Bytes that a disk was told to forget.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Discards {
    pub count: u64,
    pub merged: u64,
    pub bytes: u64,
    pub ms: u64,
}

/// Disks by name, without partitions, and without those that nothing is mounted on from memory or a file.
pub fn disks() -> BTreeMap<String, DiskCounts> {
    let Ok(entries) = std::fs::read_dir("/sys/block") else { return BTreeMap::new() };
    let of_entry = |entry: std::fs::DirEntry| {
        let name = entry.file_name().into_string().ok()?;
        let is_there = !["loop", "ram"].iter().any(|kind| name.starts_with(kind));
        let counts = disk_of(&std::fs::read_to_string(entry.path().join("stat")).ok()?)?;
        is_there.then_some((name, counts))
    };
    entries.filter_map(|entry| of_entry(entry.ok()?)).collect()
}

fn disk_of(stat: &str) -> Option<DiskCounts> {
    /// The kernel's unit, whatever the disk's own is.
    const SECTOR_BYTES: u64 = 512;
    let told: Vec<u64> = stat.split_ascii_whitespace().map_while(|word| word.parse().ok()).collect();
    let [
        reads,
        reads_merged,
        read,
        read_ms,
        writes,
        writes_merged,
        written,
        write_ms,
        in_flight,
        active_ms,
        queue_ms,
        ref rest @ ..,
    ] = told[..]
    else {
        return None;
    };
    let discards = match *rest {
        [count, merged, sectors, ms, ..] => Some(Discards { count, merged, bytes: sectors * SECTOR_BYTES, ms }),
        _ => None,
    };
    Some(DiskCounts {
        reads,
        reads_merged,
        read_bytes: read * SECTOR_BYTES,
        read_ms,
        writes,
        writes_merged,
        written_bytes: written * SECTOR_BYTES,
        write_ms,
        in_flight,
        active_ms,
        queue_ms,
        discards,
    })
}

/// What passed one way through a network interface since the machine started.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    pub bytes: u64,
    pub packets: u64,
    pub errors: u64,
    pub dropped: u64,
}

/// What was received and sent, by the name of the interface.
pub fn networks() -> BTreeMap<String, (Traffic, Traffic)> {
    text("/proc/net/dev").map_or_else(BTreeMap::new, |told| networks_of(&told))
}

fn networks_of(told: &str) -> BTreeMap<String, (Traffic, Traffic)> {
    let of_line = |line: &str| {
        let (name, counts) = line.split_once(':')?;
        let counts: Vec<u64> = counts.split_ascii_whitespace().map_while(|word| word.parse().ok()).collect();
        let way = |from: usize| {
            let [bytes, packets, errors, dropped, ..] = *counts.get(from..)? else { return None };
            Some(Traffic { bytes, packets, errors, dropped })
        };
        Some((name.trim().to_string(), (way(0)?, way(8)?)))
    };
    told.lines().filter_map(of_line).collect()
}

/// Sensors of the machine, in degrees Celsius, by their number.
pub fn temperatures() -> BTreeMap<u32, f64> {
    let sensor = |at: u32| {
        let path = format!("/sys/class/thermal/thermal_zone{at}/temp");
        let thousandths: i64 = text(&path)?.trim().parse().ok()?;
        Some((at, thousandths as f64 / 1e3))
    };
    (0..).map_while(sensor).collect()
}

/// What the control group may take and takes of memory in bytes, and how many processors it may use. Each `None` where there
/// is no such group, or no limit.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ControlGroup {
    pub memory_bytes_max: Option<u64>,
    pub memory_bytes: Option<u64>,
    pub processors_max: Option<f64>,
}

/// Of either version.
pub fn control_group() -> ControlGroup {
    let first = |paths: &[&str]| paths.iter().find_map(|path| number(path));
    let old_processors = || {
        let quota = number("/sys/fs/cgroup/cpu/cpu.cfs_quota_us")?;
        Some(quota as f64 / number("/sys/fs/cgroup/cpu/cpu.cfs_period_us").filter(|period| *period > 0)? as f64)
    };
    // Version 1 writes a limit that no machine has where there is none.
    let is_limit = |bytes: &u64| *bytes < 1 << 60;
    ControlGroup {
        memory_bytes_max: first(&["/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"])
            .filter(is_limit),
        memory_bytes: first(&["/sys/fs/cgroup/memory.current", "/sys/fs/cgroup/memory/memory.usage_in_bytes"]),
        processors_max: text("/sys/fs/cgroup/cpu.max").and_then(|told| processors_of(&told)).or_else(old_processors),
    }
}

/// `max 100000`: any number.
fn processors_of(told: &str) -> Option<f64> {
    let (quota, period) = told.trim().split_once(' ')?;
    let (quota, period): (f64, f64) = (quota.parse().ok()?, period.parse().ok()?);
    (period > 0.0).then_some(quota / period)
}

fn text(path: &str) -> Option<String> {
    std::fs::read_to_string(Path::new(path)).ok()
}

fn number(path: &str) -> Option<u64> {
    text(path)?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernel_counts_by_processor() {
        let stat = "cpu  100 1 50 800 40 5 6 7 8 9\ncpu0 50 0 25 400 20 2 2 0 0 0\ncpu1 50 1 25 400 20 3 4 7 8 9\n\
                    intr 777 0 3\nctxt 99\nprocesses 12\nprocs_running 3\nprocs_blocked 1\nsoftirq 1 2\n";
        let counts = kernel_of(stat, 100);
        assert_eq!((counts.all.user, counts.all.io_wait, counts.all.guest_nice), (1.0, 0.4, 0.09));
        assert_eq!(counts.processors.keys().copied().collect::<Vec<_>>(), [0, 1]);
        assert_eq!((counts.interrupts, counts.context_switches, counts.processes_created), (777, 99, 12));
        assert_eq!((counts.processes_running, counts.processes_blocked), (3, 1));
        assert!(kernel().is_some_and(|counts| counts.all.user > 0.0 && !counts.processors.is_empty()));
    }

    #[test]
    fn a_disk_counts_in_sectors() {
        let counts = disk_of("  10 2 8 30 5 1 16 7 0 40 50 3 1 24 9 0 0\n").expect("told");
        assert_eq!((counts.reads, counts.read_bytes, counts.written_bytes, counts.queue_ms), (10, 4096, 8192, 50));
        assert_eq!(counts.discards, Some(Discards { count: 3, merged: 1, bytes: 12288, ms: 9 }));
        assert_eq!(disk_of("10 2 8 30 5 1 16 7 0 40 50").expect("an old kernel").discards, None);
        assert_eq!(disk_of("10 2"), None);
    }

    #[test]
    fn interfaces_receive_and_send() {
        let told = "Inter-|   Receive        |  Transmit\n face |bytes packets errs drop\n  eth0: 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16\n";
        let (received, sent) = networks_of(told)["eth0"];
        assert_eq!(received, Traffic { bytes: 1, packets: 2, errors: 3, dropped: 4 });
        assert_eq!(sent, Traffic { bytes: 9, packets: 10, errors: 11, dropped: 12 });
    }

    #[test]
    fn limits_are_none_where_there_are_none() {
        assert_eq!(processors_of("150000 100000\n"), Some(1.5));
        assert_eq!(processors_of("max 100000\n"), None);
        assert_eq!(memory_of("MemTotal:  2 kB\nHugePages_Total: 3\n"), BTreeMap::from([("MemTotal".to_string(), 2048)]));
    }

    #[test]
    fn this_process_has_memory_on_this_machine() {
        let (memory, process) = (memory(), process_memory().expect("told"));
        assert!(memory["MemTotal"] >= memory["MemFree"]);
        assert!(
            process.virtual_bytes >= process.resident_bytes && process.resident_bytes >= process.shared_bytes,
            "{process:?}"
        );
        assert!(resident_bytes_max().is_some_and(|most| most > 0));
        assert!(mappings().is_some_and(|(maps, most)| 0 < maps && maps < most));
        assert!(threads().is_some_and(|(runnable, all)| 0 < runnable && runnable <= all));
        assert!(process_seconds().is_some_and(|seconds| seconds < 3600.0));
        assert!(uptime_seconds().is_some_and(|seconds| seconds > 0.0) && open_files().is_some_and(|files| files > 0));
    }
}
