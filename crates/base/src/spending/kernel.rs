//! What the kernel says of a thread. Of itself a thread asks by getrusage, which parts its time by what it did; of others,
//! and for what getrusage does not tell, files under /proc are read. (ClickHouse: ThreadProfileEvents.cpp, which asks
//! getrusage and, per thread, netlink's taskstats or the same files.)

use std::fs::File;
use std::os::unix::fs::FileExt;

use super::Spent;

/// A clock that never goes back, in nanoseconds.
pub fn now_ns() -> u64 {
    clock_ns(libc::CLOCK_MONOTONIC)
}

/// What the calling thread has computed, in nanoseconds.
pub fn own_cpu_ns() -> u64 {
    clock_ns(libc::CLOCK_THREAD_CPUTIME_ID)
}

/// What a thread of this process has computed, in nanoseconds. `None`: there is none of that id.
pub fn cpu_ns_of(thread: u32) -> Option<u64> {
    // As pthread_getcpuclockid makes it of a thread that is known otherwise: the kernel's numbering of clocks.
    const PER_THREAD_SCHEDULED: libc::clockid_t = 6;
    try_clock_ns((!(thread as libc::clockid_t) << 3) | PER_THREAD_SCHEDULED)
}

fn clock_ns(clock: libc::clockid_t) -> u64 {
    try_clock_ns(clock).unwrap_or(0)
}

fn try_clock_ns(clock: libc::clockid_t) -> Option<u64> {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the call writes nothing but the struct.
    let result = unsafe { libc::clock_gettime(clock, &mut time) };
    (result == 0).then(|| time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64)
}

/// The kernel's id of the calling thread.
pub fn own_id() -> u32 {
    // SAFETY: it takes and touches nothing.
    unsafe { libc::gettid() as u32 }
}

/// The files that tell of one thread; those that are not there tell nothing.
#[derive(Debug)]
pub struct Files {
    schedstat: Option<File>,
    stat: Option<File>,
    io: Option<File>,
}

impl Files {
    pub fn of(thread: u32) -> Files {
        let open = |name: &str| File::open(format!("/proc/self/task/{thread}/{name}")).ok();
        Files { schedstat: open("schedstat"), stat: open("stat"), io: open("io") }
    }

    /// All that the thread did so far, asked by itself. `last`: what was known. getrusage is as old as the last tick of the
    /// kernel, up to a hundredth of a second: the sum of user and system time is that of the thread's clock, which is not.
    pub fn own(&self, last: &Spent) -> Spent {
        // SAFETY: an all-zero rusage is a valid value, and the call writes nothing but it.
        let usage = unsafe {
            let mut usage: libc::rusage = std::mem::zeroed();
            libc::getrusage(libc::RUSAGE_THREAD, &mut usage);
            usage
        };
        let micros = |time: libc::timeval| time.tv_sec as u64 * 1_000_000 + time.tv_usec as u64;
        let came = (own_cpu_ns() / 1000).saturating_sub(last.user + last.system);
        let of_system = micros(usage.ru_stime).saturating_sub(last.system).min(came);
        let mut spent = Spent {
            user: last.user + came - of_system,
            system: last.system + of_system,
            soft_faults: usage.ru_minflt as u64,
            hard_faults: usage.ru_majflt as u64,
            voluntary_switches: usage.ru_nvcsw as u64,
            involuntary_switches: usage.ru_nivcsw as u64,
            runnable: self.scheduled().map_or(0, |(_, waited)| waited / 1000),
            ..*last
        };
        self.add_bytes(&mut spent);
        spent
    }

    /// All that the thread of that id did so far, asked by another. `last`: what was known. The kernel tells user and system
    /// time in hundredths of a second here, so the precise sum is parted as these are.
    pub fn of_other(&self, thread: u32, last: &Spent) -> Spent {
        let Some((computed, waited)) = self.scheduled() else { return *last };
        // The file is as old as the last tick.
        let computed = cpu_ns_of(thread).unwrap_or(computed);
        let mut spent = Spent { runnable: waited / 1000, ..*last };
        let came = (computed / 1000).saturating_sub(last.user + last.system);
        let (user, system) = self.ticks().unwrap_or((1, 0));
        let of_user = (came as u128 * user as u128 / (user + system).max(1) as u128) as u64;
        let of_user = if user + system == 0 { came } else { of_user };
        spent.user += of_user;
        spent.system += came - of_user;
        self.add_bytes(&mut spent);
        spent
    }

    /// Nanoseconds on a processor, and ready without one.
    pub fn scheduled(&self) -> Option<(u64, u64)> {
        let mut buffer = [0; 96];
        let text = read(self.schedstat.as_ref()?, &mut buffer)?;
        let mut numbers = text.split_ascii_whitespace().map(str::parse::<u64>);
        Some((numbers.next()?.ok()?, numbers.next()?.ok()?))
    }

    /// Ticks of user and system time.
    fn ticks(&self) -> Option<(u64, u64)> {
        let mut buffer = [0; 512];
        let text = read(self.stat.as_ref()?, &mut buffer)?;
        // The name of the thread, in brackets, may hold anything.
        let (_, behind) = text.rsplit_once(')')?;
        let mut numbers = behind.split_ascii_whitespace().skip(11).map(str::parse::<u64>);
        Some((numbers.next()?.ok()?, numbers.next()?.ok()?))
    }

    fn add_bytes(&self, spent: &mut Spent) {
        let mut buffer = [0; 256];
        let Some(text) = self.io.as_ref().and_then(|file| read(file, &mut buffer)) else { return };
        for line in text.lines() {
            let Some((name, value)) = line.split_once(": ") else { continue };
            let Ok(value) = value.parse::<u64>() else { continue };
            match name {
                "rchar" => spent.read_chars = value,
                "wchar" => spent.write_chars = value,
                "read_bytes" => spent.read_bytes = value,
                "write_bytes" => spent.write_bytes = value,
                _ => {}
            }
        }
    }
}

fn read<'a>(file: &File, buffer: &'a mut [u8]) -> Option<&'a str> {
    let length = file.read_at(buffer, 0).ok()?;
    std::str::from_utf8(&buffer[..length]).ok()
}
