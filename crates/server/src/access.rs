//! Who may come in: the border between protocols, which read credentials, and whatever decides about them.

use std::net::IpAddr;

use gristmill_base::{Error, ErrorCode, Result};

/// The user of whoever names none.
pub const DEFAULT_USER: &str = "default";

/// What a client says of itself.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Credentials {
    /// Empty: none was named.
    pub user: String,
    pub password: String,
    /// Where the client connects from. `None`: not known.
    pub address: Option<IpAddr>,
}

/// Passwords are not shown.
impl std::fmt::Debug for Credentials {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Credentials").field("user", &self.user).field("address", &self.address).finish_non_exhaustive()
    }
}

/// A user who came in. Sessions and queries carry the name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    pub user: String,
    /// The database of a session that names none.
    pub default_database: String,
}

/// Decides who a client is.
pub trait Access: Send + Sync {
    /// Errors: AUTHENTICATION_FAILED, the same for a wrong password and for a user that is not there.
    fn authenticate(&self, credentials: &Credentials) -> Result<Identity>;
}

/// One user, `default`, without a password: for a server on loopback that nobody configured.
#[derive(Clone, Copy, Debug, Default)]
pub struct OnlyDefaultUser;

impl Access for OnlyDefaultUser {
    fn authenticate(&self, credentials: &Credentials) -> Result<Identity> {
        let user = if credentials.user.is_empty() { DEFAULT_USER } else { &credentials.user };
        if user != DEFAULT_USER || !credentials.password.is_empty() {
            return Err(Error::new(
                ErrorCode::AUTHENTICATION_FAILED,
                format!("{user}: Authentication failed: password is incorrect, or there is no user with such name"),
            ));
        }
        Ok(Identity { user: user.to_string(), default_database: "default".to_string() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_default_user_without_a_password_comes_in() {
        let come = |user: &str, password: &str| {
            let credentials = Credentials { user: user.into(), password: password.into(), address: None };
            OnlyDefaultUser.authenticate(&credentials)
        };
        assert_eq!(come("", "").expect("comes in").user, "default");
        assert!(come("default", "").is_ok());
        assert_eq!(come("default", "x").expect_err("wrong password").code(), ErrorCode::AUTHENTICATION_FAILED);
        assert_eq!(come("alice", "").expect_err("unknown user").code(), ErrorCode::AUTHENTICATION_FAILED);
    }
}
