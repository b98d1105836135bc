//! Sessions of each user that are open: `max_sessions_for_user` says how many there may be. Those are connections of the
//! native protocol and, while a request runs, the sessions that clients name over HTTP, as in ClickHouse.

use std::collections::HashMap;
use std::sync::Arc;

use gristmill_base::{Error, ErrorCode, Result};
use parking_lot::Mutex;

#[derive(Clone, Debug, Default)]
pub struct UserSessions(Arc<Mutex<HashMap<String, u64>>>);

/// One of a user's sessions, until dropped.
#[derive(Debug)]
pub struct Open {
    sessions: UserSessions,
    user: String,
}

impl UserSessions {
    /// `most`: 0 is any number. Error: USER_SESSION_LIMIT_EXCEEDED.
    pub fn open(&self, user: &str, most: u64) -> Result<Open> {
        let mut open = self.0.lock();
        let there = open.get(user).copied().unwrap_or(0);
        if most > 0 && there >= most {
            return Err(Error::new(
                ErrorCode::USER_SESSION_LIMIT_EXCEEDED,
                format!("User {user} has overflown session count {most}: close one, or raise max_sessions_for_user"),
            ));
        }
        open.insert(user.to_string(), there + 1);
        Ok(Open { sessions: self.clone(), user: user.to_string() })
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        let mut open = self.sessions.0.lock();
        match open.get_mut(&self.user) {
            Some(there) if *there > 1 => *there -= 1,
            _ => {
                open.remove(&self.user);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_user_may_have_so_many_at_a_time() {
        let sessions = UserSessions::default();
        let first = sessions.open("mary", 2).expect("a place");
        let second = sessions.open("mary", 2).expect("a place");
        assert_eq!(sessions.open("mary", 2).expect_err("full").code(), ErrorCode::USER_SESSION_LIMIT_EXCEEDED);
        let others = [sessions.open("john", 1), sessions.open("mary", 0)];
        assert!(others.iter().all(Result::is_ok));
        drop((first, others));
        assert!(sessions.open("mary", 2).is_ok());
        drop(second);
        assert!(sessions.0.lock().is_empty());
    }
}
