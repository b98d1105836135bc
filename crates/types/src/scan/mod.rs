//! Reads single values from text: numbers, dates, addresses, quoted strings.
//!
//! Everything here works on byte slices, allocates nothing on success, and answers failure with a `Fault`, a code and a
//! reason without the value: whoever knows the column and its type makes the message. A speculative reader (schema
//! inference, `toUInt8OrNull`) thus pays nothing for what does not parse.

pub mod address;
pub mod best_effort;
pub mod date;
pub mod json;
pub mod number;
pub mod quoted;

use gristmill_base::{Error, ErrorCode};

use crate::sql_type::SqlType;

/// Why a text is not a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fault {
    pub code: ErrorCode,
    pub reason: &'static str,
}

pub type Scan<T> = std::result::Result<T, Fault>;

/// At most this many bytes of a value appear in a message.
const SHOWN_BYTES: usize = 100;

impl Fault {
    pub const fn new(code: ErrorCode, reason: &'static str) -> Fault {
        Fault { code, reason }
    }

    pub const EMPTY: Fault = Fault::new(ErrorCode::ATTEMPT_TO_READ_AFTER_EOF, "the value is empty");
    pub const RANGE: Fault =
        Fault::new(ErrorCode::VALUE_IS_OUT_OF_RANGE_OF_DATA_TYPE, "the value is out of the type's range");

    /// The error that a user sees.
    pub fn explain(self, text: &[u8], kind: &SqlType) -> Error {
        let shown = String::from_utf8_lossy(&text[..text.len().min(SHOWN_BYTES)]);
        let more = if text.len() > SHOWN_BYTES { "…" } else { "" };
        Error::new(self.code, format!("Cannot parse '{shown}{more}' as {kind}: {}", self.reason))
    }
}
