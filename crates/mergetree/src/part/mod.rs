//! A part: an immutable, sorted piece of one partition, kept as one Parquet object.

pub mod v1;

pub use v1::open::OpenPart;
pub use v1::writer::{PartPlan, PartWriter, Sorted, WrittenPart};
