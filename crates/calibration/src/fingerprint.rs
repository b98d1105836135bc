//! The machine that was measured: figures of another, or of this one with another kernel, are not its own.

use gristmill_base::machine;
use serde::{Deserialize, Serialize};

/// Memory is told apart by steps of this many bytes: the kernel keeps a little more or less for itself at each start.
const MEMORY_STEP_BYTES: u64 = 256 << 20;

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fingerprint {
    /// As the system names it.
    pub processor: String,
    /// Those that the process may use.
    pub cores: u64,
    pub memory_bytes: u64,
    /// Its release.
    pub kernel: String,
    /// Programs built without optimisation decode slower.
    pub build: String,
}

impl Fingerprint {
    pub fn of_machine() -> Fingerprint {
        let memory = machine::memory_bytes().unwrap_or(0);
        Fingerprint {
            processor: processor().unwrap_or_else(|| std::env::consts::ARCH.to_string()),
            cores: machine::cores() as u64,
            memory_bytes: memory / MEMORY_STEP_BYTES * MEMORY_STEP_BYTES,
            kernel: std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default().trim().to_string(),
            build: if cfg!(debug_assertions) { "debug" } else { "release" }.to_string(),
        }
    }
}

/// The first processor's model.
fn processor() -> Option<String> {
    let told = std::fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = told.lines().find(|line| line.starts_with("model name") || line.starts_with("Processor"))?;
    Some(line.split_once(':')?.1.trim().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_machine_is_known_again() {
        let this = Fingerprint::of_machine();
        assert_eq!(this, Fingerprint::of_machine());
        assert!(this.cores > 0 && !this.processor.is_empty());
    }
}
