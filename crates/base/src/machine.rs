//! What the machine has, as far as this process may use it.

/// Bytes of memory: the machine's, or what the control group allows where that is less. `None` where neither is known.
pub fn memory_bytes() -> Option<u64> {
    // SAFETY: sysconf reads a constant of the system and touches no memory of ours.
    let (pages, page_bytes) = unsafe { (libc::sysconf(libc::_SC_PHYS_PAGES), libc::sysconf(libc::_SC_PAGESIZE)) };
    let physical = u64::try_from(pages).ok()?.checked_mul(u64::try_from(page_bytes).ok()?)?;
    Some(control_group_bytes().map_or(physical, |allowed| allowed.min(physical)))
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
}
