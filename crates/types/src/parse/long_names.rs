//! Names of types in any case, and what other databases' names have behind the first word.

use gristmill_base::Result;

use super::Parser;

/// `ENUM('a', 'b')`: MySQL's columns have it in any case.
pub(super) fn is_enumeration(word: &str) -> bool {
    ["Enum", "Enum8", "Enum16"].iter().any(|name| word.eq_ignore_ascii_case(name))
}

/// `Datetime('UTC')`, `TIMESTAMP(6)`: what takes a zone or a number of digits.
pub(super) fn is_moment(word: &str) -> bool {
    ["DateTime", "DateTime32", "TIMESTAMP"].iter().any(|name| word.eq_ignore_ascii_case(name))
}

/// The digits of `Decimal64(4)` and its like.
pub(super) fn precision_of_sized_decimal(word: &str) -> Option<i64> {
    const PRECISIONS: [(&str, i64); 4] = [("Decimal32", 9), ("Decimal64", 18), ("Decimal128", 38), ("Decimal256", 76)];
    PRECISIONS.iter().find(|(name, _)| word.eq_ignore_ascii_case(name)).map(|(_, precision)| *precision)
}

impl Parser<'_> {
    /// `()` behind a type's name, as in `INT()`, which says nothing.
    pub(super) fn empty_brackets(&mut self) {
        let at = self.at;
        if !(self.eat(b'(') && self.eat(b')')) {
            self.at = at;
        }
    }

    /// `(7, 3)` behind a float or `(4)` behind a year, which say nothing.
    pub(super) fn ignored_digits(&mut self) -> Result<()> {
        if self.eat(b'(') {
            self.integer()?;
            if self.eat(b',') {
                self.integer()?;
            }
            self.expect(b')')?;
        }
        Ok(())
    }

    /// Further words of `NATIONAL CHARACTER VARYING`, `BINARY LARGE OBJECT` and the like; whether there are any.
    pub(super) fn rest_of_text_name(&mut self) -> bool {
        let mut found = false;
        loop {
            let at = self.at;
            let word = self.word().to_ascii_uppercase();
            if !matches!(word.as_str(), "CHAR" | "CHARACTER" | "VARYING" | "LARGE" | "OBJECT") {
                self.at = at;
                return found;
            }
            found = true;
        }
    }
}
