//! Runs statements: sessions, one interpreter a statement, optimizer rules.

pub mod session;

pub use session::{Engine, EngineConfig, Execution, Session, StatementText};
