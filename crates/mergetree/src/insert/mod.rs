//! INSERT: squash → split by partition → sort → encode → upload → one commit.

pub mod block;
mod block_hash;
pub mod gear;
pub mod lane;
pub mod load;
pub mod partition;
pub mod sort;
mod uncommitted;
pub mod writer;

pub use writer::InsertWriter;
