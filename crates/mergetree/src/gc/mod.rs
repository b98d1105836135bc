//! Removes what no version names.

use std::collections::HashSet;

use parking_lot::Mutex;

#[derive(Debug, Default)]
pub struct Sweeper {
    gone: Mutex<HashSet<String>>,
}

impl Sweeper {
    /// Whether this process removed the object.
    pub fn is_gone(&self, key: &str) -> bool {
        self.gone.lock().contains(key)
    }
}
