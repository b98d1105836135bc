//! `system.session_log`: who came in, who was refused, who left.

use std::sync::Arc;

use uuid::Uuid;

use super::{Log, LogEntry, texts_bytes};
use crate::client::Client;

/// Values of the `type` column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionEvent {
    LoginFailure,
    LoginSuccess,
    Logout,
}

impl SessionEvent {
    pub fn name(self) -> &'static str {
        match self {
            SessionEvent::LoginFailure => "LoginFailure",
            SessionEvent::LoginSuccess => "LoginSuccess",
            SessionEvent::Logout => "Logout",
        }
    }
}

#[derive(Clone, Debug)]
pub struct SessionEntry {
    pub event: SessionEvent,
    /// The same at its beginning and its end.
    pub auth_id: Uuid,
    /// Of a session that was named over HTTP.
    pub session_id: String,
    pub event_time_micros: i64,
    pub user: String,
    /// By which method it came in, as `IDENTIFIED WITH` names it; empty: it did not.
    pub auth_type: String,
    pub profiles: Vec<String>,
    pub roles: Vec<String>,
    pub settings: Vec<(String, String)>,
    pub client: Arc<Client>,
    pub failure_reason: String,
}

impl LogEntry for SessionEntry {
    fn heap_bytes(&self) -> usize {
        texts_bytes([&self.user, &self.auth_type, &self.session_id, &self.failure_reason])
            + texts_bytes(&self.profiles)
            + texts_bytes(&self.roles)
            + texts_bytes(self.settings.iter().flat_map(|(name, value)| [name, value]))
    }
}

static LOG: Log<SessionEntry> = Log::new("session_log", 10_000);

pub fn session_log() -> &'static Log<SessionEntry> {
    &LOG
}
