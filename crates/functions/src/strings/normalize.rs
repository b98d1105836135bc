//! `normalizeUTF8NFC` and its relatives: one form for texts that Unicode writes in several.

use SqlType as T;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::SqlType;
use unicode_normalization::UnicodeNormalization;

use crate::columns::{Bytes, strings};
use crate::define::{arity, expect_string, plain};
use crate::registry::Registry;
use crate::scalar::{Argument, Bound};

pub const CANNOT_NORMALIZE_STRING: ErrorCode = ErrorCode(621);

type Normal = fn(&str) -> String;

pub fn register(registry: &mut Registry) {
    let forms: [(&str, Normal); 4] = [
        ("normalizeUTF8NFC", |text| text.nfc().collect()),
        ("normalizeUTF8NFD", |text| text.nfd().collect()),
        ("normalizeUTF8NFKC", |text| text.nfkc().collect()),
        ("normalizeUTF8NFKD", |text| text.nfkd().collect()),
    ];
    for (name, normal) in forms {
        registry.scalar(name, plain(move |name, arguments, _| bind(name, arguments, normal)));
    }
}

fn bind(name: &str, arguments: &[Argument], normal: Normal) -> Result<Bound> {
    arity(name, arguments, 1..=1)?;
    expect_string(name, arguments, 0)?;
    let name = name.to_string();
    Ok(Bound::new(T::String, move |args, rows| {
        let texts = Bytes::of(&args[0])?;
        strings(rows, |row, out| {
            let text = texts.get(row);
            if text.is_ascii() {
                out.extend_from_slice(text);
                return Ok(());
            }
            let text = std::str::from_utf8(text).map_err(|_| {
                Error::new(
                    CANNOT_NORMALIZE_STRING,
                    format!("Function {name}: the text is not valid UTF-8 (use toValidUTF8)"),
                )
            })?;
            out.extend(normal(text).bytes());
            Ok(())
        })
    }))
}
