//! Sessions that clients name over HTTP: settings and the database that one request sets are there for the next.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;
use std::time::{Duration, Instant};

use gristmill_base::env::Env;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_engine::Session;
use parking_lot::Mutex;

/// How long sessions are kept without a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timeouts {
    /// Where the request says nothing.
    pub default: Duration,
    /// What a request may ask for.
    pub max: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        Timeouts { default: Duration::from_secs(60), max: Duration::from_secs(3600) }
    }
}

/// What a request says of its session.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SessionRequest {
    pub id: String,
    /// Seconds that it is kept without a request.
    pub timeout: Option<String>,
    /// It must be there.
    pub check: bool,
    /// It ends with this request.
    pub close: bool,
}

/// User and name.
type Key = (String, String);

enum Kept {
    Free { session: Box<Session>, until: Instant },
    InUse,
}

#[derive(Clone)]
pub struct NamedSessions {
    all: Arc<Mutex<HashMap<Key, Kept>>>,
    env: Arc<dyn Env>,
    timeouts: Timeouts,
}

/// A session in use; it is there for others again when this is dropped.
pub struct Held {
    sessions: NamedSessions,
    key: Key,
    pub session: Session,
    timeout: Duration,
    close: bool,
}

impl NamedSessions {
    pub fn new(env: Arc<dyn Env>, timeouts: Timeouts) -> Self {
        NamedSessions { all: Arc::default(), env, timeouts }
    }

    /// Takes a session, or makes it. Errors: SESSION_IS_LOCKED, SESSION_NOT_FOUND, INVALID_SESSION_TIMEOUT.
    pub fn take(&self, user: &str, request: &SessionRequest, make: impl FnOnce() -> Result<Session>) -> Result<Held> {
        let timeout = self.timeout(request.timeout.as_deref())?;
        let key = (user.to_string(), request.id.clone());
        let now = self.env.instant();
        let mut all = self.all.lock();
        all.retain(|_, kept| !matches!(kept, Kept::Free { until, .. } if *until < now));
        let session = match all.entry(key.clone()) {
            Entry::Occupied(mut entry) => match entry.insert(Kept::InUse) {
                Kept::Free { session, .. } => *session,
                Kept::InUse => {
                    let text = format!("Session {} is locked by a concurrent client", request.id);
                    return Err(Error::new(ErrorCode::SESSION_IS_LOCKED, text));
                }
            },
            Entry::Vacant(_) if request.check => {
                return Err(Error::new(ErrorCode::SESSION_NOT_FOUND, format!("Session {} not found", request.id)));
            }
            Entry::Vacant(entry) => {
                let session = make()?;
                entry.insert(Kept::InUse);
                session
            }
        };
        Ok(Held { sessions: self.clone(), key, session, timeout, close: request.close })
    }

    fn timeout(&self, text: Option<&str>) -> Result<Duration> {
        let Some(text) = text else { return Ok(self.timeouts.default) };
        let invalid = |text| Error::new(ErrorCode::INVALID_SESSION_TIMEOUT, text);
        let seconds = text.parse().map(Duration::from_secs);
        let seconds = seconds.map_err(|_| invalid(format!("Invalid session timeout: '{text}': give seconds")))?;
        if seconds > self.timeouts.max {
            let most = self.timeouts.max.as_secs();
            return Err(invalid(format!(
                "Session timeout '{text}' is larger than max_session_timeout: {most}. The configuration of the server says it"
            )));
        }
        Ok(seconds)
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        let mut all = self.sessions.all.lock();
        if self.close {
            all.remove(&self.key);
            return;
        }
        let until = self.sessions.env.instant() + self.timeout;
        all.insert(self.key.clone(), Kept::Free { session: Box::new(self.session.clone()), until });
    }
}
