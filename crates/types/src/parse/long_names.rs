//! What other databases' names of types have behind the first word.

use gristmill_base::Result;

use super::Parser;

/// `ENUM('a', 'b')`: MySQL's columns have it in any case.
pub(super) fn is_enumeration(word: &str) -> bool {
    ["Enum", "Enum8", "Enum16"].iter().any(|name| word.eq_ignore_ascii_case(name))
}

impl Parser<'_> {
    /// `(7, 3)` behind a float, which says nothing.
    pub(super) fn digits_of_float(&mut self) -> Result<()> {
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
