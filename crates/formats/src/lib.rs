//! formats

pub mod compression;
pub mod format;

pub use format::{Format, Header};
