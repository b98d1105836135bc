//! Arithmetic as functions: ClickHouse's result types, wrapping integers, decimals that keep their scale. (Arithmetic on
//! equal native types is lowered by the analyser; these serve everything else.)

mod bits;
mod decimal;
mod digits;
mod divide;
mod elements;
pub(crate) mod kinds;
pub(crate) mod kusto;
mod masks;
mod midpoint;
mod plus;
mod scaled;
mod sign;
mod special;
mod wide;

use crate::registry::Registry;

pub(crate) use wide::is_wide;

pub fn register(registry: &mut Registry) {
    plus::register(registry);
    divide::register(registry);
    sign::register(registry);
    bits::register(registry);
    special::register(registry);
    masks::register(registry);
    midpoint::register(registry);
    scaled::register(registry);
    digits::register(registry);
    kusto::register(registry);
}
