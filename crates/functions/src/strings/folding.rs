//! Texts made equal where they differ in case, accents or form only: `caseFoldUTF8`, `removeDiacriticsUTF8`,
//! `normalizeUTF8NFKCCasefold`.

use std::sync::LazyLock;

use SqlType as T;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::SqlType;
use regex::Regex;
use unicode_normalization::UnicodeNormalization;

use super::normalize::CANNOT_NORMALIZE_STRING;
use crate::columns::{Bytes, strings};
use crate::define::{arity, illegal, plain};
use crate::registry::Registry;
use crate::scalar::{Argument, Bound};

pub fn register(registry: &mut Registry) {
    let all: [(&str, fn(&str) -> String); 3] = [
        ("caseFoldUTF8", fold),
        ("removeDiacriticsUTF8", |text| {
            // Marks that take no room of their own, such as accents, once they stand beside their letters.
            static MARKS: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"\p{Mn}+").ok());
            without(&MARKS, &text.nfd().collect::<String>()).nfc().collect()
        }),
        ("normalizeUTF8NFKCCasefold", nfkc_casefold),
    ];
    for (name, change) in all {
        registry.scalar(name, plain(move |name, arguments, _| bind(name, arguments, change)));
    }
    registry.alias("removeAccentsUTF8", "removeDiacriticsUTF8");
}

/// Unicode's full folding is the small letters of the capital ones, but for three: the dotless i has a capital that it is not equal
/// to, the capital sharp s has no two capitals of its own, and the Cherokee fold to their capitals, which are older.
fn fold(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            'a'..='z' | '\u{131}' | '\u{13A0}'..='\u{13F5}' => out.push(c),
            '\u{1E9E}' => out.push_str("ss"),
            '\u{13F8}'..='\u{13FD}' | '\u{AB70}'..='\u{ABBF}' => out.extend(c.to_uppercase()),
            _ => out.extend(c.to_uppercase().flat_map(char::to_lowercase)),
        }
    }
    out
}

fn without(class: &Option<Regex>, text: &str) -> String {
    class.as_ref().map_or_else(|| text.to_string(), |class| class.replace_all(text, "").into_owned())
}

/// By Unicode's definition of toNFKC_Casefold: folding and decomposition until nothing changes, without what is ignored by default.
fn nfkc_casefold(text: &str) -> String {
    static IGNORED: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"\p{Default_Ignorable_Code_Point}+").ok());
    let mut current: String = text.nfd().collect();
    // Each step takes the text on to a form of fewer differences; three are enough for every character there is.
    for _ in 0..3 {
        let next: String = without(&IGNORED, &fold(&current)).nfkd().collect();
        if next == current {
            break;
        }
        current = next;
    }
    current.nfc().collect()
}

fn bind(name: &str, arguments: &[Argument], change: fn(&str) -> String) -> Result<Bound> {
    arity(name, arguments, 1..=1)?;
    if matches!(arguments[0].kind, T::FixedString(_)) {
        let text = format!("Cannot apply function {name} to a FixedString: use toString");
        return Err(Error::new(ErrorCode::ILLEGAL_COLUMN, text));
    }
    if arguments[0].kind != T::String {
        return Err(illegal(name, arguments, 0, "String"));
    }
    let name = name.to_string();
    Ok(Bound::new(T::String, move |args, rows| {
        let texts = Bytes::of(&args[0])?;
        strings(rows, |row, out| {
            let text = std::str::from_utf8(texts.get(row)).map_err(|_| {
                let text = format!("Function {name}: the text is not valid UTF-8 (use toValidUTF8)");
                Error::new(CANNOT_NORMALIZE_STRING, text)
            })?;
            out.extend_from_slice(change(text).as_bytes());
            Ok(())
        })
    }))
}
