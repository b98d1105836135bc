//! Engines that need nothing but this crate.

pub mod buffer;
pub mod log;
pub mod materialized_view;
pub mod memory;
pub mod memory_bounds;
mod memory_changes;
pub mod null;
pub mod view;

pub use buffer::BufferTable;
pub use log::LogTable;
pub use materialized_view::MaterializedViewTable;
pub use memory::MemoryTable;
pub use null::NullTable;
pub use view::View;
