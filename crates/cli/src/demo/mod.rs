//! demo
pub mod calendar;
pub mod generate;
pub mod posts;
pub mod random;
pub mod server;
pub mod store;
pub mod text;
