//! `<macros>` of the server's configuration: words that stand for a text, such as the number of a shard. `getMacro` and
//! `system.macros` tell them.

use std::collections::BTreeMap;

use parking_lot::RwLock;

static MACROS: RwLock<BTreeMap<String, String>> = RwLock::new(BTreeMap::new());

/// From now on these are the macros of this process.
pub fn configure(macros: BTreeMap<String, String>) {
    *MACROS.write() = macros;
}

/// What a macro stands for; `None`: there is none of that name.
pub fn substitution(name: &str) -> Option<String> {
    MACROS.read().get(name).cloned()
}

/// Names and texts, by name.
pub fn all() -> BTreeMap<String, String> {
    MACROS.read().clone()
}
