//! `system.session_log`: an entry when a client comes in or is refused, and one when it leaves.

use std::sync::Arc;

use gristmill_access::Identity;
use gristmill_access::effective::Effective;
use gristmill_base::Error;
use gristmill_engine::Engine;
use gristmill_introspect::Client;
use gristmill_introspect::logs::session_log::{SessionEntry, SessionEvent, session_log};

/// Somebody who came in, until dropped.
#[derive(Debug)]
pub struct CameIn {
    engine: Arc<Engine>,
    /// `None`: the log is off.
    entry: Option<SessionEntry>,
}

fn entry(engine: &Engine, event: SessionEvent, user: &str, client: Arc<Client>) -> SessionEntry {
    SessionEntry {
        event,
        auth_id: engine.env.uuid(),
        session_id: String::new(),
        event_time_micros: engine.env.now_micros(),
        user: user.to_string(),
        auth_type: String::new(),
        profiles: Vec::new(),
        roles: Vec::new(),
        settings: Vec::new(),
        client,
        failure_reason: String::new(),
    }
}

impl CameIn {
    pub fn of(engine: &Arc<Engine>, identity: &Identity, session_id: &str, client: Arc<Client>) -> CameIn {
        let make = || {
            let effective = Effective::of(&engine.access.state(), identity).unwrap_or_default();
            let entry = SessionEntry {
                session_id: session_id.to_string(),
                auth_type: identity.method.to_string(),
                profiles: effective.current_profiles,
                roles: effective.enabled_roles.into_iter().map(|granted| granted.role).collect(),
                settings: effective.settings,
                ..entry(engine, SessionEvent::LoginSuccess, &identity.user, client)
            };
            session_log().add(|| entry.clone());
            entry
        };
        CameIn { engine: engine.clone(), entry: session_log().is_on().then(make) }
    }
}

impl Drop for CameIn {
    fn drop(&mut self) {
        let Some(entry) = self.entry.take() else { return };
        let event_time_micros = self.engine.env.now_micros();
        session_log().add(|| SessionEntry {
            event: SessionEvent::Logout,
            event_time_micros,
            profiles: Vec::new(),
            roles: Vec::new(),
            settings: Vec::new(),
            ..entry
        });
    }
}

/// Somebody was not let in.
pub fn refused(engine: &Engine, user: &str, error: &Error, client: Arc<Client>) {
    session_log().add(|| SessionEntry {
        failure_reason: error.message().to_string(),
        ..entry(engine, SessionEvent::LoginFailure, user, client)
    });
}
