//! Metrics of the machine: processors, memory, disks, networks. Descriptions that say "a second" mean since it was measured
//! before.

use std::path::Path;

use gristmill_base::host::{self, DiskCounts, ProcessorSeconds, Traffic};
use gristmill_base::machine;

use super::All;
use super::rates::{self, Between};

pub(super) fn add(all: &mut All, data_path: &Path) {
    let between = rates::look();
    processors(all, &between);
    kernel(all, &between);
    disks(all, &between);
    networks(all, &between);
    memory(all);
    file_system(all, data_path);
    for (at, mhz) in host::processor_mhz().into_iter().enumerate() {
        all.add(format!("CPUFrequencyMHz_{at}"), mhz, "The frequency of a processor at this moment, in MHz.");
    }
    for (at, degrees) in host::temperatures() {
        all.add(
            format!("Temperature{at}"),
            degrees,
            "The temperature that a sensor of the machine tells, in degrees Celsius.",
        );
    }
}

type Kind = (&'static str, fn(&ProcessorSeconds) -> f64, &'static str);

/// What processors spend time on: how many of them do, on average.
const KINDS: &[Kind] = &[
    ("OSUserTime", |of| of.user, "Processors that computed for programs, on average: seconds of their time in a second."),
    ("OSNiceTime", |of| of.nice, "Processors that computed for programs of low priority."),
    ("OSSystemTime", |of| of.system, "Processors that worked in the kernel."),
    ("OSIdleTime", |of| of.idle, "Processors that had nothing to do."),
    ("OSIOWaitTime", |of| of.io_wait, "Processors that had nothing to do while something waited for a disk."),
    ("OSIrqTime", |of| of.irq, "Processors that served interrupts."),
    ("OSSoftIrqTime", |of| of.soft_irq, "Processors that did what interrupts had put off."),
    ("OSStealTime", |of| of.steal, "Processors that the host gave to other virtual machines."),
    ("OSGuestTime", |of| of.guest, "Processors that computed for virtual machines of this one."),
    ("OSGuestNiceTime", |of| of.guest_nice, "Processors that computed for virtual machines of low priority."),
];

fn processors(all: &mut All, between: &Between) {
    let (now, before) = (&between.now.kernel, &between.before.kernel);
    if now.processors.is_empty() {
        return;
    }
    for (name, of, description) in KINDS {
        let busy = between.a_second(of(&now.all), of(&before.all));
        all.add(*name, busy, description);
        all.add(format!("{name}Normalized"), busy / now.processors.len() as f64, "The same as a share of all processors.");
        for (number, seconds) in &now.processors {
            let before = before.processors.get(number).map_or_else(|| of(seconds), of);
            all.add(format!("{name}CPU{number}"), between.a_second(of(seconds), before), "The same of one processor.");
        }
    }
}

fn kernel(all: &mut All, between: &Between) {
    let (now, before) = (&between.now.kernel, &between.before.kernel);
    if !now.processors.is_empty() {
        for (name, now, before, description) in [
            (
                "OSContextSwitches",
                now.context_switches,
                before.context_switches,
                "Times a second that processors turned to another thread.",
            ),
            ("OSInterrupts", now.interrupts, before.interrupts, "Interrupts a second."),
            ("OSProcessesCreated", now.processes_created, before.processes_created, "Processes and threads made a second."),
        ] {
            all.add(name, between.count_a_second(now, before), description);
        }
        all.add_count("OSProcessesBlocked", now.processes_blocked, "Threads of the machine that wait for a disk.");
        all.add_count("OSProcessesRunning", now.processes_running, "Threads of the machine that compute, or could.");
    }
    if let Some((runnable, threads)) = host::threads() {
        all.add_count("OSThreadsRunnable", runnable, "Threads of the machine that the kernel has on its list to run.");
        all.add_count("OSThreadsTotal", threads, "Threads of the machine.");
    }
    all.add_some("OSOpenFiles", host::open_files().map(|files| files as f64), "Files that are open on the machine.");
    all.add_some("OSUptime", host::uptime_seconds(), "Seconds since the machine started.");
    let load = machine::load_average();
    let average = |at: usize| load.map(|load| load[at]);
    all.add_some("LoadAverage1", average(0), "Threads that computed or waited for a disk, over the last minute.");
    all.add_some("LoadAverage5", average(1), "The same over the last 5 minutes.");
    all.add_some("LoadAverage15", average(2), "The same over the last 15 minutes.");
}

fn disks(all: &mut All, between: &Between) {
    const SECONDS: f64 = 1e3;
    for (name, now) in &between.now.disks {
        let before = between.before.disks.get(name).unwrap_or(now);
        let mut add = |metric: &str, of: fn(&DiskCounts) -> u64, by: f64, description: &'static str| {
            all.add(format!("{metric}_{name}"), between.count_a_second(of(now), of(before)) / by, description);
        };
        add("BlockReadOps", |disk| disk.reads, 1.0, "Reads of a disk a second.");
        add("BlockReadMerges", |disk| disk.reads_merged, 1.0, "Reads a second that the kernel joined to others.");
        add(
            "BlockReadBytes",
            |disk| disk.read_bytes,
            1.0,
            "Bytes a second read from a disk: not what came from the page cache.",
        );
        add("BlockReadTime", |disk| disk.read_ms, SECONDS, "Seconds a second that reads of a disk took, summed over reads.");
        add("BlockWriteOps", |disk| disk.writes, 1.0, "Writes to a disk a second.");
        add("BlockWriteMerges", |disk| disk.writes_merged, 1.0, "Writes a second that the kernel joined to others.");
        add("BlockWriteBytes", |disk| disk.written_bytes, 1.0, "Bytes a second written to a disk.");
        add(
            "BlockWriteTime",
            |disk| disk.write_ms,
            SECONDS,
            "Seconds a second that writes to a disk took, summed over writes.",
        );
        add("BlockActiveTime", |disk| disk.active_ms, SECONDS, "Share of the time that a disk had requests.");
        add(
            "BlockQueueTime",
            |disk| disk.queue_ms,
            SECONDS,
            "Seconds a second that requests waited for a disk, summed over them.",
        );
        if now.discards.is_some() {
            add(
                "BlockDiscardOps",
                |disk| disk.discards.map_or(0, |of| of.count),
                1.0,
                "Times a second that a disk was told to forget blocks.",
            );
            add(
                "BlockDiscardMerges",
                |disk| disk.discards.map_or(0, |of| of.merged),
                1.0,
                "Such requests a second that were joined to others.",
            );
            add(
                "BlockDiscardBytes",
                |disk| disk.discards.map_or(0, |of| of.bytes),
                1.0,
                "Bytes a second that a disk was told to forget.",
            );
            add("BlockDiscardTime", |disk| disk.discards.map_or(0, |of| of.ms), SECONDS, "Seconds a second that this took.");
        }
        all.add(format!("BlockInFlightOps_{name}"), now.in_flight as f64, "Requests that a disk works on at this moment.");
    }
}

fn networks(all: &mut All, between: &Between) {
    for (name, (received, sent)) in &between.now.networks {
        let same = (*received, *sent);
        let (received_before, sent_before) = between.before.networks.get(name).unwrap_or(&same);
        for (way, now, before) in [("Receive", received, received_before), ("Send", sent, sent_before)] {
            let mut add = |metric: &str, of: fn(&Traffic) -> u64, description: &'static str| {
                all.add(format!("Network{way}{metric}_{name}"), between.count_a_second(of(now), of(before)), description);
            };
            add("Bytes", |traffic| traffic.bytes, "Bytes a second through a network interface.");
            add("Packets", |traffic| traffic.packets, "Packets a second through a network interface.");
            add("Errors", |traffic| traffic.errors, "Packets a second that a network interface spoiled.");
            add(
                "Drop",
                |traffic| traffic.dropped,
                "Packets a second that were dropped, as a queue was full or nobody took them.",
            );
        }
    }
}

fn memory(all: &mut All) {
    let told = host::memory();
    let of = |name: &str| told.get(name).map(|bytes| *bytes as f64);
    let sum = |names: &[&str]| names.iter().map(|name| of(name)).sum::<Option<f64>>();
    all.add_some("OSMemoryTotal", of("MemTotal"), "Bytes of memory of the machine.");
    all.add_some("OSMemoryAvailable", of("MemAvailable"), "Bytes of memory that programs could have without swapping.");
    all.add_some("OSMemoryBuffers", of("Buffers"), "Bytes of memory of the kernel's buffers for disks.");
    all.add_some("OSMemoryCached", of("Cached"), "Bytes of memory of the page cache.");
    all.add_some("OSMemoryFreeWithoutCached", of("MemFree"), "Bytes of memory that nobody uses, not even for a cache.");
    let free = sum(&["MemFree", "Cached", "Buffers", "SReclaimable"]);
    all.add_some("OSMemoryFreePlusCached", free, "Bytes of memory that nobody uses but for caches.");
    all.add_some("OSMemorySwapCached", of("SwapCached"), "Bytes of memory that were swapped out and are back.");
    let group = host::control_group();
    let bytes = |bytes: Option<u64>| bytes.map(|bytes| bytes as f64);
    all.add_some("CGroupMemoryTotal", bytes(group.memory_bytes_max), "Bytes of memory that the control group may take.");
    all.add_some("CGroupMemoryUsed", bytes(group.memory_bytes), "Bytes of memory that the control group takes.");
    all.add_some("CGroupMaxCPU", group.processors_max, "Processors that the control group may use.");
}

fn file_system(all: &mut All, data_path: &Path) {
    let Ok(disk) = machine::filesystem(data_path) else { return };
    let used = disk.capacity.saturating_sub(disk.free);
    for (main, of_disk, bytes, description) in [
        (
            "FilesystemMainPathAvailableBytes",
            Some("DiskAvailable_default"),
            disk.available,
            "Bytes that may be written to the data folder's disk.",
        ),
        ("FilesystemMainPathTotalBytes", Some("DiskTotal_default"), disk.capacity, "Bytes of the data folder's disk."),
        ("FilesystemMainPathUsedBytes", Some("DiskUsed_default"), used, "Bytes of the data folder's disk that are taken."),
        (
            "FilesystemMainPathAvailableINodes",
            None,
            disk.inodes_available,
            "Files that can be made on the data folder's disk.",
        ),
        ("FilesystemMainPathTotalINodes", None, disk.inodes, "Files that the data folder's disk can hold."),
        (
            "FilesystemMainPathUsedINodes",
            None,
            disk.inodes.saturating_sub(disk.inodes_free),
            "Files that the data folder's disk holds.",
        ),
    ] {
        all.add_count(main, bytes, description);
        if let Some(name) = of_disk {
            all.add_count(name, bytes, description);
        }
    }
}
