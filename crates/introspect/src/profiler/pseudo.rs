//! What a query waits for, in the place of a function: at the first addresses of a file there is its header, and no code.

use gristmill_base::spending::Wait;

/// The first of them: within the header of an ELF file, which has 64 bytes.
const FIRST: u64 = 0x20;

/// Logs are kept: each stays where it is.
const NAMES: [&str; 7] = [
    "[waiting]",
    "[waiting for the network]",
    "[waiting for a disk]",
    "[waiting for a lock]",
    "[waiting for the client]",
    "[waiting for a thread]",
    "[asleep]",
];

/// Where a wait stands. `None`: nobody says what for.
pub fn address(wait: Option<Wait>) -> u64 {
    match wait {
        None => FIRST,
        Some(Wait::Network) => FIRST + 1,
        Some(Wait::Disk) => FIRST + 2,
        Some(Wait::Lock) => FIRST + 3,
        Some(Wait::Client) => FIRST + 4,
        Some(Wait::Thread) => FIRST + 5,
        Some(Wait::Sleep) => FIRST + 6,
    }
}

/// What stands there. `None`: no wait.
pub fn name(address: u64) -> Option<&'static str> {
    NAMES.get(usize::try_from(address.checked_sub(FIRST)?).ok()?).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_wait_has_a_name_of_its_own() {
        let mut waits: Vec<_> = Wait::ALL.into_iter().map(|wait| address(Some(wait))).collect();
        waits.sort_unstable();
        let names: Vec<_> = waits.into_iter().map(name).collect();
        assert_eq!(names, NAMES[1..].iter().copied().map(Some).collect::<Vec<_>>());
        assert_eq!((name(address(None)), name(0), name(FIRST + 7)), (Some("[waiting]"), None, None));
    }
}
