//! Strings. They are bytes: functions whose names end in `UTF8` count code points, all others bytes.

mod base32;
mod base58;
mod bayes_ngrams;
mod bits;
mod build;
mod case;
mod charset;
mod compare;
mod distance;
mod encode;
mod folding;
mod format;
mod fuzzy;
mod highlight;
mod html;
mod key_values;
mod length;
pub(crate) mod like;
mod natural;
mod ngrams;
mod normalize;
mod overlay;
mod pad;
pub(crate) mod pattern;
mod position;
mod printf;
mod readable;
mod regex_functions;
mod regex_position;
mod replace;
mod search;
mod sequence;
mod sparse;
mod split;
mod substring;
mod tokenizer;
mod trim;
pub(crate) mod utf8;

pub use like::PATTERN as LIKE_PATTERN;
pub use pattern::Like;

pub(crate) use case::{fixed, reverse_bytes};
pub(crate) use substring::range;

pub use pattern::translate as regular_expression;
use std::sync::Arc;
pub use tokenizer::Tokenizer;

use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::SqlType;

use crate::columns::{Bytes, bytes_to_bytes, strings, truths};
use crate::define::{arity, expect_string, plain};
use crate::registry::Registry;
use crate::scalar::{Bound, ScalarFunction};

pub fn register(registry: &mut Registry) {
    length::register(registry);
    case::register(registry);
    build::register(registry);
    substring::register(registry);
    trim::register(registry);
    pad::register(registry);
    position::register(registry);
    search::register(registry);
    like::register(registry);
    regex_functions::register(registry);
    replace::register(registry);
    split::register(registry);
    encode::register(registry);
    utf8::register(registry);
    distance::register(registry);
    format::register(registry);
    readable::register(registry);
    overlay::register(registry);
    printf::register(registry);
    base58::register(registry);
    bits::register(registry);
    ngrams::register(registry);
    normalize::register(registry);
    key_values::register(registry);
    bayes_ngrams::register(registry);
    fuzzy::register(registry);
    base32::register(registry);
    natural::register(registry);
    charset::register(registry);
    compare::register(registry);
    folding::register(registry);
    sparse::register(registry);
    tokenizer::register(registry);
    highlight::register(registry);
    regex_position::register(registry);
    registry.scalar("extractTextFromHTML", text_function(html::extract));
    registry.scalar("toStringCutToZero", part_function(|text| &text[..memchr::memchr(0, text).unwrap_or(text.len())]));
}

/// A function from one string to one string.
pub(crate) fn text_function(f: fn(&[u8], &mut Vec<u8>)) -> Arc<dyn ScalarFunction> {
    plain(move |name, arguments, _| {
        arity(name, arguments, 1..=1)?;
        expect_string(name, arguments, 0)?;
        Ok(Bound::new(SqlType::String, move |args, _| bytes_to_bytes(&args[0], f)))
    })
}

/// Decoding of what text was encoded to: INCORRECT_DATA for what is none, or an empty string where the function only tries.
/// `f` says `None` for that, whatever it has written by then.
pub(crate) fn decoder(f: fn(&[u8], &mut Vec<u8>) -> Option<()>, tries: bool) -> Arc<dyn ScalarFunction> {
    plain(move |name, arguments, _| {
        arity(name, arguments, 1..=1)?;
        expect_string(name, arguments, 0)?;
        Ok(decoded(name, f, tries))
    })
}

/// What `decoder` binds.
pub(crate) fn decoded(
    name: &str,
    f: impl Fn(&[u8], &mut Vec<u8>) -> Option<()> + Send + Sync + 'static,
    tries: bool,
) -> Bound {
    let name = name.to_string();
    Bound::new(SqlType::String, move |args, rows| {
        let source = Bytes::of(&args[0])?;
        strings(rows, |row, out| {
            let text = source.get(row);
            match f(text, out) {
                Some(()) => {}
                None if tries => out.clear(),
                None => {
                    let shown = String::from_utf8_lossy(text).chars().take(100).collect::<String>();
                    let text = format!("Invalid {name} value ({shown}), cannot be decoded");
                    return Err(Error::new(ErrorCode::INCORRECT_DATA, text));
                }
            }
            Ok(())
        })
    })
}

/// A function from one string to a truth value.
pub(crate) fn text_predicate(f: fn(&[u8]) -> bool) -> Arc<dyn ScalarFunction> {
    plain(move |name, arguments, _| {
        arity(name, arguments, 1..=1)?;
        expect_string(name, arguments, 0)?;
        Ok(Bound::new(SqlType::UInt8, move |args, _| {
            let source = Bytes::of(&args[0])?;
            truths(source.len(), |row| f(source.get(row)))
        }))
    })
}

/// A function from one string to a part of it; the result shares the argument's buffers.
pub(crate) fn part_function(f: fn(&[u8]) -> &[u8]) -> Arc<dyn ScalarFunction> {
    plain(move |name, arguments, _| {
        arity(name, arguments, 1..=1)?;
        expect_string(name, arguments, 0)?;
        Ok(Bound::new(SqlType::String, move |args, _| {
            let rows = args[0].len();
            let result: Result<_> = crate::columns::slices(&args[0], rows, |_, value| f(value));
            result
        }))
    })
}
