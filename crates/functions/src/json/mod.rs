//! JSON in strings: `JSONExtract` and its family walk the text to the value that a path names, and read only that.
//! Nothing is built in memory but the result's column. Text that is no JSON has no value at any path.

mod extract;
mod merge;
mod path;
mod path_language;
mod questions;
mod raw;
mod simple;
mod typed;
mod write;

use crate::registry::Registry;

pub fn register(registry: &mut Registry) {
    extract::register(registry);
    questions::register(registry);
    typed::register(registry);
    path_language::register(registry);
    simple::register(registry);
    write::register(registry);
    merge::register(registry);
}
