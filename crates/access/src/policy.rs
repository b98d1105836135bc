//! What the configuration asks of passwords.

use std::fmt;
use std::sync::Arc;

use gristmill_base::{Error, ErrorCode, Result};

use crate::password::Method;

/// `<password_complexity>`, `<allow_plaintext_password>` and `<allow_no_password>`.
#[derive(Clone, Debug)]
pub struct Policy {
    pub allows_plaintext: bool,
    pub allows_none: bool,
    pub rules: Vec<Rule>,
}

/// A pattern that passwords have, and what is said where one has it not: `be at least 12 characters long`.
#[derive(Clone)]
pub struct Rule {
    pub pattern: String,
    pub message: String,
    pub fits: Arc<dyn Fn(&str) -> bool + Send + Sync>,
}

impl fmt::Debug for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.pattern)
    }
}

impl Default for Policy {
    fn default() -> Self {
        Policy { allows_plaintext: true, allows_none: true, rules: Vec::new() }
    }
}

impl Policy {
    /// Error: BAD_ARGUMENTS, with all that a new password lacks, as ClickHouse says it.
    pub fn check_password(&self, password: &str) -> Result<()> {
        let broken: Vec<&str> =
            self.rules.iter().filter(|rule| !(rule.fits)(password)).map(|rule| rule.message.as_str()).collect();
        if broken.is_empty() {
            return Ok(());
        }
        Err(Error::new(ErrorCode::BAD_ARGUMENTS, format!("Invalid password. The password should: {}", broken.join(", "))))
    }

    /// Error: BAD_ARGUMENTS, where a method is switched off.
    pub fn check_method(&self, method: &Method) -> Result<()> {
        match self.allows(method) {
            true => Ok(()),
            false => Err(Error::new(
                ErrorCode::BAD_ARGUMENTS,
                format!(
                    "Authentication type {0} is not allowed, check the setting allow_{0} in the server configuration",
                    method.name()
                ),
            )),
        }
    }

    pub fn allows(&self, method: &Method) -> bool {
        match method {
            Method::NoPassword => self.allows_none,
            Method::PlaintextPassword { .. } => self.allows_plaintext,
            _ => true,
        }
    }
}
