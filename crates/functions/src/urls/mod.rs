//! URLs: their parts, their parameters, and percent encoding. URLs are read as they come; nothing is checked or made
//! canonical, and a part that is not there is the empty string.

pub mod custom_suffixes;
mod encode;
mod entities;
mod host;
mod parameters;
mod parts;
mod suffixes;

use crate::registry::Registry;

pub fn register(registry: &mut Registry) {
    host::register(registry);
    suffixes::register(registry);
    custom_suffixes::register(registry);
    parts::register(registry);
    parameters::register(registry);
    encode::register(registry);
}
