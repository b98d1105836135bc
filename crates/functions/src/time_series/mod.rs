//! What a query language of time series is made of: points in time on a grid (`grid.rs`), and the tags of series, put together to
//! groups that have numbers within a query (`tags.rs`, `groups.rs`). Names and numbers are as Prometheus has them (`names.rs`).

mod grid;
mod groups;
mod names;
mod tags;

use crate::registry::Registry;

pub fn register(registry: &mut Registry) {
    grid::register(registry);
    names::register(registry);
    tags::register(registry);
    groups::register(registry);
}
