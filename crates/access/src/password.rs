//! How a user proves to be one: what is kept of a password, and whether a given one fits.
//!
//! Kept are hashes, but for `plaintext_password`. SHA-256 has a salt of its own for each password that is set here; hashes
//! that are given as such (`IDENTIFIED WITH sha256_hash`) may come without. Comparisons take as long for wrong values as for right
//! ones.

use std::fmt;

use gristmill_base::{Error, ErrorCode, Result};
use serde::{Deserialize, Serialize};
use sha1::Sha1;
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

/// As ClickHouse has it (`bcrypt_workfactor`).
const BCRYPT_COST: u32 = 12;
const SALT_BYTES: usize = 32;
/// As ClickHouse has it: how often SCRAM hashes.
const SCRAM_TURNS: u32 = 4096;

/// Hashes are in upper-case hexadecimal, as `SHOW CREATE USER` prints them.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Method {
    NoPassword,
    PlaintextPassword {
        password: String,
    },
    Sha256Password {
        hash: String,
        /// Behind the password when it is hashed; empty: none.
        #[serde(default)]
        salt: String,
    },
    DoubleSha1Password {
        hash: String,
    },
    BcryptPassword {
        hash: String,
    },
    ScramSha256Password {
        hash: String,
        #[serde(default)]
        salt: String,
    },
}

/// Neither passwords nor hashes are shown.
impl fmt::Debug for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Method {
    pub fn name(&self) -> &'static str {
        match self {
            Method::NoPassword => "no_password",
            Method::PlaintextPassword { .. } => "plaintext_password",
            Method::Sha256Password { .. } => "sha256_password",
            Method::DoubleSha1Password { .. } => "double_sha1_password",
            Method::BcryptPassword { .. } => "bcrypt_password",
            Method::ScramSha256Password { .. } => "scram_sha256_password",
        }
    }

    /// Of a password that is set. `kind`: what stands behind IDENTIFIED WITH; `salt`: random bytes. Errors: NOT_IMPLEMENTED,
    /// BAD_ARGUMENTS.
    pub fn of_password(kind: &str, password: &str, salt: impl FnOnce() -> [u8; SALT_BYTES]) -> Result<Method> {
        Ok(match kind {
            "no_password" => Method::NoPassword,
            "plaintext_password" => Method::PlaintextPassword { password: password.to_string() },
            "sha256_password" => {
                let salt = hex::encode_upper(salt());
                Method::Sha256Password { hash: salted(password, &salt), salt }
            }
            "double_sha1_password" => Method::DoubleSha1Password { hash: double_sha1(password) },
            "scram_sha256_password" => {
                let salt = hex::encode_upper(salt());
                Method::ScramSha256Password { hash: scram(password, &salt), salt }
            }
            "bcrypt_password" => {
                // Bcrypt looks at no more, and would take two long passwords for one.
                if password.len() > 72 {
                    return Err(Error::new(ErrorCode::BAD_ARGUMENTS, "bcrypt takes passwords of 72 bytes at most"));
                }
                let hash = bcrypt::hash(password, BCRYPT_COST);
                let hash = hash.map_err(|error| Error::new(ErrorCode::BAD_ARGUMENTS, format!("bcrypt: {error}")))?;
                Method::BcryptPassword { hash }
            }
            other => return Err(unknown(other)),
        })
    }

    /// Of a hash that is given as such (`sha256_hash`, …). Errors: NOT_IMPLEMENTED, BAD_ARGUMENTS.
    pub fn of_hash(kind: &str, hash: &str, salt: &str) -> Result<Method> {
        let of_bytes = |bytes: usize| {
            let is_hash = hex::decode(hash).is_ok_and(|decoded| decoded.len() == bytes);
            let text = format!("Password hash for {kind} must be {} hexadecimal digits, it has {}", bytes * 2, hash.len());
            is_hash.then(|| hash.to_ascii_uppercase()).ok_or_else(|| Error::new(ErrorCode::BAD_ARGUMENTS, text))
        };
        Ok(match kind {
            "sha256_hash" => Method::Sha256Password { hash: of_bytes(32)?, salt: salt.to_string() },
            "double_sha1_hash" => Method::DoubleSha1Password { hash: of_bytes(20)? },
            "scram_sha256_hash" => Method::ScramSha256Password { hash: of_bytes(32)?, salt: salt.to_string() },
            "bcrypt_hash" => {
                let is_hash = hash.len() == 60 && hash.starts_with("$2");
                if !is_hash {
                    let text = "A bcrypt hash has 60 characters and begins with $2a$, $2b$ or $2y$";
                    return Err(Error::new(ErrorCode::BAD_ARGUMENTS, text));
                }
                Method::BcryptPassword { hash: hash.to_string() }
            }
            other => return Err(unknown(other)),
        })
    }

    /// Whether the password is the user's. Bcrypt takes a good part of a second, on purpose, and SCRAM some milliseconds.
    pub fn fits(&self, password: &str) -> bool {
        let same = |a: &str, b: &str| bool::from(a.as_bytes().ct_eq(b.as_bytes()));
        match self {
            Method::NoPassword => true,
            Method::PlaintextPassword { password: kept } => same(password, kept),
            Method::Sha256Password { hash, salt } => same(&salted(password, salt), hash),
            Method::DoubleSha1Password { hash } => same(&double_sha1(password), hash),
            Method::BcryptPassword { hash } => bcrypt::verify(password, hash).unwrap_or(false),
            Method::ScramSha256Password { hash, salt } => same(&scram(password, salt), hash),
        }
    }

    pub fn is_slow(&self) -> bool {
        matches!(self, Method::BcryptPassword { .. } | Method::ScramSha256Password { .. })
    }
}

fn unknown(kind: &str) -> Error {
    let text = format!(
        "Authentication with {kind} is not there: no_password, plaintext_password, sha256_password, double_sha1_password, \
         scram_sha256_password and bcrypt_password are"
    );
    Error::new(ErrorCode::NOT_IMPLEMENTED, text)
}

fn salted(password: &str, salt: &str) -> String {
    hex::encode_upper(Sha256::new().chain_update(password).chain_update(salt).finalize())
}

fn double_sha1(password: &str) -> String {
    hex::encode_upper(Sha1::digest(Sha1::digest(password)))
}

/// What SCRAM keeps of a password.
fn scram(password: &str, salt: &str) -> String {
    let hash = pbkdf2::pbkdf2_hmac_array::<Sha256, 32>(password.as_bytes(), salt.as_bytes(), SCRAM_TURNS);
    hex::encode_upper(hash)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_password_fits() {
        for kind in ["plaintext_password", "sha256_password", "double_sha1_password", "scram_sha256_password"] {
            let method = Method::of_password(kind, "qwerty", || [7; SALT_BYTES]).expect("a method");
            assert_eq!(method.name(), kind);
            assert!(method.fits("qwerty") && !method.fits("Qwerty") && !method.fits(""), "{kind}");
        }
    }

    /// From ClickHouse's documentation of CREATE USER and of users.xml.
    #[test]
    fn hashes_are_those_of_clickhouse() {
        let sha = "65e84be33532fb784c48129675f9eff3a682b27168c0ea744b2cf58ee02337c5";
        assert!(Method::of_hash("sha256_hash", sha, "").expect("a hash").fits("qwerty"));
        let double = "AA1420F182E88B9E5F874F6FBE7459291E8F4601";
        assert!(Method::of_hash("double_sha1_hash", double, "").expect("a hash").fits("qwerty"));
        assert!(Method::of_hash("sha256_hash", "65e8", "").is_err());
        assert!(Method::of_hash("bcrypt_hash", "x", "").is_err());
    }

    /// Of PBKDF2 with HMAC and SHA-256, as other programs count it, with a key longer than a block too.
    #[test]
    fn scram_is_known() {
        let hash = "96FD0ADAF9730CC6C101CD21ED3AFED0E8D68FF616991DC109F121C613FF934A";
        let method = Method::of_hash("scram_sha256_hash", hash, "salt").expect("a hash");
        assert!(method.fits("qwerty") && !method.fits("qwertz") && method.is_slow());
        let hash = "095B5B4493BEE8B237F9B02083859696110E1396ECA8CCD61000F9C7437BEABB";
        assert!(Method::of_hash("scram_sha256_hash", hash, "").expect("a hash").fits(&"q".repeat(70)));
    }

    #[test]
    fn bcrypt_is_known() {
        let hash = bcrypt::hash("qwerty", 4).expect("hashes");
        let method = Method::of_hash("bcrypt_hash", &hash, "").expect("a hash");
        assert!(method.fits("qwerty") && !method.fits("qwertz") && method.is_slow());
        assert!(Method::of_password("bcrypt_password", &"x".repeat(73), || [0; SALT_BYTES]).is_err());
    }

    #[test]
    fn nothing_of_a_password_is_shown() {
        let method = Method::of_password("plaintext_password", "geheim", || [0; SALT_BYTES]).expect("a method");
        assert!(!format!("{method:?}").contains("geheim"));
    }
}
