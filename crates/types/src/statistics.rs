//! Statistics that a column is declared with: `STATISTICS(tdigest, uniq)`. They are kept and shown, and nothing is computed for
//! them: what is left out of reading follows from the least and greatest values that parts have of every column.

use gristmill_base::{Error, ErrorCode, Result};

use crate::SqlType;

/// In the order in which they are shown: the word of a statement, and the name in `system.columns`.
const KINDS: &[(&str, &str)] = &[
    ("tdigest", "TDigest"),
    ("uniq", "Uniq"),
    ("countmin", "CountMinSketch"),
    ("minmax", "minmax"),
    ("basic", "basic"),
    ("uniq_v2", "uniq_v2"),
];

fn place(word: &str) -> Result<usize> {
    KINDS.iter().position(|(known, _)| known.eq_ignore_ascii_case(word)).ok_or_else(|| {
        Error::new(
            ErrorCode::INCORRECT_QUERY,
            format!(
                "Unknown statistics type: {word}. Supported statistics types are 'basic', 'countmin', 'minmax', 'tdigest', \
                 'uniq' and 'uniq_v2'."
            ),
        )
    })
}

fn supports(kind: &SqlType, word: &str) -> bool {
    let plain = kind.plain();
    let is_number = plain.is_number()
        || matches!(
            plain,
            SqlType::Bool
                | SqlType::Date
                | SqlType::Date32
                | SqlType::DateTime(_)
                | SqlType::DateTime64(..)
                | SqlType::Enum8(_)
                | SqlType::Enum16(_)
                | SqlType::IPv4
        );
    match KINDS.iter().position(|(known, _)| known.eq_ignore_ascii_case(word)) {
        Some(0 | 3) => is_number,
        Some(1 | 2) => is_number || matches!(plain, SqlType::String | SqlType::FixedString(_)),
        _ => true,
    }
}

/// The statistics of a column in the order in which they are shown, in the words in which they were written. Errors:
/// INCORRECT_QUERY of unknown and of repeated ones, ILLEGAL_STATISTICS of those that the column's type cannot have.
pub fn checked(words: &[String], column: &str, kind: &SqlType) -> Result<Vec<String>> {
    let mut placed: Vec<(usize, &String)> = Vec::with_capacity(words.len());
    for word in words {
        let at = place(word)?;
        if placed.iter().any(|(known, _)| *known == at) {
            let text = format!("Column {column} already contains statistics type {}", KINDS[at].0);
            return Err(Error::new(ErrorCode::INCORRECT_QUERY, text));
        }
        if !supports(kind, word) {
            let text = format!("Statistics of type '{}' does not support data type {kind}", KINDS[at].1);
            return Err(Error::new(ErrorCode::ILLEGAL_STATISTICS, text));
        }
        placed.push((at, word));
    }
    placed.sort_unstable();
    Ok(placed.into_iter().map(|(_, word)| word.clone()).collect())
}

/// Whether two words mean the same statistics.
pub fn is_same(a: &str, b: &str) -> bool {
    a.eq_ignore_ascii_case(b)
}

/// As `system.columns` names it.
pub fn name(word: &str) -> &str {
    KINDS.iter().find(|(known, _)| known.eq_ignore_ascii_case(word)).map_or(word, |(_, name)| *name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statistics_stand_in_their_own_order_and_in_the_words_of_the_statement() {
        let words = |words: &[&str]| words.iter().map(ToString::to_string).collect::<Vec<_>>();
        let of = |list: &[&str], kind: SqlType| checked(&words(list), "c", &kind);
        assert_eq!(of(&["UNIQ", "tdigest"], SqlType::UInt8).expect("known"), ["tdigest", "UNIQ"]);
        assert_eq!(of(&["uniq"], SqlType::String).expect("known"), ["uniq"]);
        let code = |list: &[&str], kind| of(list, kind).expect_err("refused").code();
        assert_eq!(code(&["nosuch"], SqlType::UInt8), ErrorCode::INCORRECT_QUERY);
        assert_eq!(code(&["uniq", "Uniq"], SqlType::UInt8), ErrorCode::INCORRECT_QUERY);
        assert_eq!(code(&["minmax"], SqlType::String), ErrorCode::ILLEGAL_STATISTICS);
        assert_eq!(code(&["uniq"], SqlType::array(SqlType::String)), ErrorCode::ILLEGAL_STATISTICS);
        assert_eq!((name("tdigest"), name("UNIQ_V2")), ("TDigest", "uniq_v2"));
    }
}
