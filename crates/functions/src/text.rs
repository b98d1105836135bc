//! Values of any type as text, row by row: what `concat`, `format` and `toString`-like functions write.

use std::sync::{LazyLock, OnceLock};

use arrow::array::{Array, ArrayRef};
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::SqlType;
use gristmill_types::text::{Escaping, TextOptions, ValueWriter};

use crate::columns::{Bytes, at};
use crate::scalar::FunctionEnv;

/// A column to be written as text. Strings are written as they are, a FixedString with its padding.
#[expect(clippy::large_enum_variant, reason = "there is one a column, and it is not moved about")]
pub enum Texts<'a> {
    Strings(Bytes<'a>),
    Values(ValueWriter, usize),
}

impl<'a> Texts<'a> {
    pub fn of(array: &'a ArrayRef, kind: &SqlType, env: &FunctionEnv) -> Result<Texts<'a>> {
        if kind.is_string() {
            return Ok(Texts::Strings(Bytes::of(array)?));
        }
        let writer = ValueWriter::new(array.as_ref(), kind, &TextOptions::new(Escaping::Plain, timezone(env)?))?;
        Ok(Texts::Values(writer, array.len()))
    }

    pub fn all(arrays: &'a [ArrayRef], kinds: &[SqlType], env: &FunctionEnv) -> Result<Vec<Texts<'a>>> {
        arrays.iter().zip(kinds).map(|(array, kind)| Texts::of(array, kind, env)).collect()
    }

    #[inline]
    pub fn write(&self, row: usize, out: &mut Vec<u8>) {
        match self {
            Texts::Strings(bytes) => out.extend_from_slice(bytes.get(row)),
            Texts::Values(writer, len) => writer.write(at(*len, row), out),
        }
    }
}

static CONFIGURED_TIMEZONE: OnceLock<String> = OnceLock::new();

/// The zone of the process from now on; to be said before anybody asks for it. Error: BAD_ARGUMENTS, where it is none.
pub fn set_server_timezone(name: &str) -> Result<()> {
    if name.parse::<chrono_tz::Tz>().is_err() {
        let text = format!("<timezone>{name}</timezone>: give an IANA name such as Europe/Berlin");
        return Err(Error::new(ErrorCode::BAD_ARGUMENTS, text));
    }
    let _ = CONFIGURED_TIMEZONE.set(name.to_string());
    Ok(())
}

/// The zone that was configured, else that of the machine: `TZ`, else where `/etc/localtime` leads, else UTC. Found once a
/// process.
pub fn server_timezone() -> &'static str {
    static NAME: LazyLock<String> = LazyLock::new(|| {
        if let Some(name) = CONFIGURED_TIMEZONE.get() {
            return name.clone();
        }
        let known = |name: &str| {
            let name = name.trim_start_matches(':');
            name.parse::<chrono_tz::Tz>().is_ok().then(|| name.to_string())
        };
        let by_link = || {
            let zone = std::fs::canonicalize("/etc/localtime").ok()?;
            known(zone.to_str()?.split_once("zoneinfo/")?.1)
        };
        std::env::var("TZ").ok().and_then(|name| known(&name)).or_else(by_link).unwrap_or_else(|| "UTC".to_string())
    });
    &NAME
}

/// The session's time zone.
pub fn timezone(env: &FunctionEnv) -> Result<chrono_tz::Tz> {
    env.timezone.parse().map_err(|_| {
        Error::new(ErrorCode::BAD_ARGUMENTS, format!("Cannot load time zone {}: give an IANA name", env.timezone))
    })
}
