//! Engines that need nothing but this crate.

pub mod memory;
pub mod null;
pub mod view;

pub use memory::MemoryTable;
pub use null::NullTable;
pub use view::View;
