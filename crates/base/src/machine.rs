//! What the machine has, as far as this process may use it.

use std::ffi::CString;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::LazyLock;
use std::time::Duration;

/// Processors that this process may use. Asked of the system once: it reads several files to know.
pub fn cores() -> usize {
    static CORES: LazyLock<usize> = LazyLock::new(|| std::thread::available_parallelism().map_or(1, usize::from));
    *CORES
}

/// The machine's name, as its environment says; empty where it says nothing.
pub fn hostname() -> String {
    std::env::var("HOSTNAME")
        .ok()
        .or_else(|| std::fs::read_to_string("/etc/hostname").ok())
        .map(|name| name.trim().to_string())
        .unwrap_or_default()
}

/// The number that the system has for the thread that asks.
pub fn thread_id() -> u64 {
    thread_local! {
        static ID: u64 = {
            // SAFETY: gettid reads a number of the system and touches no memory of ours.
            #[cfg(target_os = "linux")]
            let id = unsafe { libc::gettid() } as u64;
            #[cfg(not(target_os = "linux"))]
            let id = 0;
            id
        };
    }
    ID.with(|id| *id)
}

/// Bytes of memory: the machine's, or what the control group allows where that is less. `None` where neither is known.
pub fn memory_bytes() -> Option<u64> {
    // SAFETY: sysconf reads a constant of the system and touches no memory of ours.
    let (pages, page_bytes) = unsafe { (libc::sysconf(libc::_SC_PHYS_PAGES), libc::sysconf(libc::_SC_PAGESIZE)) };
    let physical = u64::try_from(pages).ok()?.checked_mul(u64::try_from(page_bytes).ok()?)?;
    Some(control_group_bytes().map_or(physical, |allowed| allowed.min(physical)))
}

/// Bytes of memory that the process has now, without the files that are mapped into it (its own program). `None` where the
/// system does not tell.
pub fn resident_bytes() -> Option<u64> {
    let pages = std::fs::read_to_string("/proc/self/statm").ok()?;
    let mut pages = pages.split_ascii_whitespace().skip(1).map(str::parse::<u64>);
    let (resident, shared) = (pages.next()?.ok()?, pages.next()?.ok()?);
    // SAFETY: as above.
    let page_bytes = u64::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).ok()?;
    Some(resident.saturating_sub(shared) * page_bytes)
}

/// Threads of the whole machine that computed or waited for a disk, on average over 1, 5 and 15 minutes. `None` where the system
/// does not tell.
pub fn load_average() -> Option<[f64; 3]> {
    let told = std::fs::read_to_string("/proc/loadavg").ok()?;
    let mut averages = told.split_ascii_whitespace().map(str::parse::<f64>);
    Some([averages.next()?.ok()?, averages.next()?.ok()?, averages.next()?.ok()?])
}

/// What the machine's processors did so far, summed over them: of all time, in which they computed for whomever.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ProcessorTime {
    pub busy: Duration,
    pub all: Duration,
}

/// `None` where the system does not tell.
pub fn processor_time() -> Option<ProcessorTime> {
    // SAFETY: sysconf reads a constant of the system and touches no memory of ours.
    let ticks = u64::try_from(unsafe { libc::sysconf(libc::_SC_CLK_TCK) }).ok().filter(|ticks| *ticks > 0)?;
    processor_time_of(&std::fs::read_to_string("/proc/stat").ok()?, ticks)
}

/// `ticks`: in a second.
fn processor_time_of(stat: &str, ticks: u64) -> Option<ProcessorTime> {
    let line = stat.lines().next()?.strip_prefix("cpu ")?;
    let told: Vec<u64> = line.split_ascii_whitespace().map_while(|word| word.parse().ok()).collect();
    // User, nice, system, idle, waiting for disks, interrupts of both kinds, stolen; guests are counted as users already.
    let [user, nice, system, idle, waiting, interrupts, soft_interrupts, stolen, ..] = told[..] else { return None };
    let busy = user + nice + system + interrupts + soft_interrupts + stolen;
    let time = |count: u64| Duration::from_secs_f64(count as f64 / ticks as f64);
    Some(ProcessorTime { busy: time(busy), all: time(busy + idle + waiting) })
}

/// Time that all threads of this process have computed so far, in the kernel and outside.
pub fn cpu_time() -> Duration {
    // SAFETY: an all-zero rusage is a valid value, and getrusage writes nothing but it.
    let usage = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        libc::getrusage(libc::RUSAGE_SELF, &mut usage);
        usage
    };
    let time = |time: libc::timeval| Duration::from_secs(time.tv_sec as u64) + Duration::from_micros(time.tv_usec as u64);
    time(usage.ru_utime) + time(usage.ru_stime)
}

/// Bytes of the file system that a path lies on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Filesystem {
    pub capacity: u64,
    /// What this process may still write.
    pub available: u64,
    /// What is free, with what is kept for the system's own account.
    pub free: u64,
    /// Files that it can hold, that this process may still make, and that could be made.
    pub inodes: u64,
    pub inodes_available: u64,
    pub inodes_free: u64,
}

/// The file system of a path.
pub fn filesystem(path: &Path) -> io::Result<Filesystem> {
    let path = CString::new(path.as_os_str().as_bytes())?;
    // SAFETY: an all-zero statvfs is a valid value; the path ends with a zero byte, and the call writes nothing but the struct.
    let told = unsafe {
        let mut told: libc::statvfs = std::mem::zeroed();
        if libc::statvfs(path.as_ptr(), &mut told) != 0 {
            return Err(io::Error::last_os_error());
        }
        told
    };
    let bytes = |blocks: u64| blocks.saturating_mul(told.f_frsize);
    Ok(Filesystem {
        capacity: bytes(told.f_blocks),
        available: bytes(told.f_bavail),
        free: bytes(told.f_bfree),
        inodes: told.f_files,
        inodes_available: told.f_favail,
        inodes_free: told.f_ffree,
    })
}

/// The limit of the control group, of either version; `max` of version 2 is no number and so no limit.
fn control_group_bytes() -> Option<u64> {
    ["/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"]
        .iter()
        .find_map(|path| std::fs::read_to_string(path).ok()?.trim().parse().ok())
}

#[cfg(test)]
mod tests {
    #[test]
    fn this_machine_has_memory() {
        assert!(super::memory_bytes().is_some_and(|bytes| bytes > 64 << 20));
    }

    #[test]
    fn memory_that_is_touched_is_resident() {
        let before = super::resident_bytes().expect("told");
        let touched = std::hint::black_box(vec![1u8; 64 << 20]);
        assert!(super::resident_bytes().expect("told") >= before + (60 << 20), "{}", touched.len());
    }

    #[test]
    fn a_file_system_has_no_more_free_than_it_holds() {
        let told = super::filesystem(std::path::Path::new("/")).expect("told");
        assert!(told.capacity > 0 && told.available <= told.free && told.free <= told.capacity, "{told:?}");
        assert!(super::filesystem(std::path::Path::new("/no/such/folder")).is_err());
    }

    #[test]
    fn processors_are_busy_part_of_their_time() {
        let stat = "cpu  100 0 50 800 40 5 5 0 0 0\ncpu0 50 0 25 400 20 2 2 0 0 0\n";
        let time = super::processor_time_of(stat, 100).expect("told");
        assert_eq!((time.busy.as_millis(), time.all.as_millis()), (1600, 10_000));
        assert_eq!(super::processor_time_of("intr 5", 100), None);
        assert!(super::processor_time().is_some_and(|time| time.busy < time.all));
    }

    #[test]
    fn the_machine_has_a_load() {
        assert!(super::load_average().is_some_and(|load| load.iter().all(|average| *average >= 0.0)));
    }

    #[test]
    fn work_takes_cpu_time() {
        let before = super::cpu_time();
        let mut sum = 0u64;
        while super::cpu_time() == before {
            sum = std::hint::black_box(sum.wrapping_add(1));
        }
        assert!(super::cpu_time() > before);
    }
}
