//! The tokens of a query's text, as ClickHouse cuts them: what stands in a log need not be a query that parses, nor UTF-8. One
//! token is cut at a time; what cannot be one is an `Error`, behind which nobody reads.

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Space,
    Comment,
    /// A number, a text in quotes, or a heredoc.
    Literal,
    QuotedName,
    Word,
    Comma,
    /// `+` or `-`
    Sign,
    Dot,
    /// `)` or `]`: behind it a point is one between a tuple and its element.
    Closing,
    Other,
    Error,
}

pub struct Tokens<'a> {
    text: &'a [u8],
    at: usize,
    /// The token before, spaces and comments aside; of literals only numbers count as `Literal` here.
    before: Kind,
}

impl<'a> Tokens<'a> {
    pub fn of(text: &'a [u8]) -> Self {
        Tokens { text, at: 0, before: Kind::Other }
    }

    /// The byte behind what was cut last.
    pub fn following(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn byte(&self, far: usize) -> Option<u8> {
        self.text.get(self.at + far).copied()
    }

    fn skip(&mut self, mut is_part: impl FnMut(u8) -> bool) {
        while self.byte(0).is_some_and(&mut is_part) {
            self.at += 1;
        }
    }

    fn take(&mut self, length: usize, kind: Kind) -> Kind {
        self.at += length;
        kind
    }

    fn cut(&mut self, first: u8) -> Kind {
        let second = self.byte(1);
        match first {
            byte if is_space(byte) => {
                self.skip(is_space);
                Kind::Space
            }
            b'0'..=b'9' => self.number(),
            b'\'' => self.quoted(first, Kind::Literal),
            b'"' | b'`' => self.quoted(first, Kind::QuotedName),
            b',' => self.take(1, Kind::Comma),
            b')' | b']' => self.take(1, Kind::Closing),
            b'.' => self.point(second),
            b'+' => self.take(1, Kind::Sign),
            b'-' => match second {
                Some(b'-') => self.line_comment(),
                Some(b'>') => self.take(2, Kind::Other),
                _ => self.take(1, Kind::Sign),
            },
            b'/' => match second {
                Some(b'/') => self.line_comment(),
                Some(b'*') => self.nested_comment(),
                _ => self.take(1, Kind::Other),
            },
            b'#' => match second {
                Some(b' ' | b'!') => self.line_comment(),
                _ => self.take(1, Kind::Error),
            },
            b'!' if second == Some(b'=') => self.take(2, Kind::Other),
            b'!' => self.take(1, Kind::Error),
            b'\\' if second == Some(b'G') => self.take(2, Kind::Other),
            b'(' | b'[' | b'{' | b'}' | b';' | b'*' | b'%' | b'=' | b'<' | b'>' | b'?' | b':' | b'|' | b'@' | b'^' => {
                // Those of several characters are no other text when they are cut into their characters.
                self.take(1, Kind::Other)
            }
            b'x' | b'X' | b'b' | b'B' if second == Some(b'\'') => self.digits_in_quotes(),
            b'$' => self.dollar(),
            byte if is_of_word(byte) => {
                self.skip(|byte| is_of_word(byte) || byte == b'$');
                Kind::Word
            }
            _ => self.other_space(),
        }
    }

    fn line_comment(&mut self) -> Kind {
        self.skip(|byte| byte != b'\n');
        Kind::Comment
    }

    /// Comments of this kind are nested.
    fn nested_comment(&mut self) -> Kind {
        let mut depth = 0;
        while let (Some(byte), Some(next)) = (self.byte(0), self.byte(1)) {
            match (byte, next) {
                (b'/', b'*') => (depth, self.at) = (depth + 1, self.at + 2),
                (b'*', b'/') => (depth, self.at) = (depth - 1, self.at + 2),
                _ => self.at += 1,
            }
            if depth == 0 {
                return Kind::Comment;
            }
        }
        self.at = self.text.len();
        Kind::Error
    }

    /// A quote is closed by itself, unless doubled or after a backslash.
    fn quoted(&mut self, quote: u8, kind: Kind) -> Kind {
        self.at += 1;
        while let Some(byte) = self.byte(0) {
            match byte {
                b'\\' => self.at += 2,
                byte if byte == quote && self.byte(1) == Some(quote) => self.at += 2,
                byte if byte == quote => return self.take(1, kind),
                _ => self.at += 1,
            }
        }
        self.at = self.text.len();
        Kind::Error
    }

    /// `x'4142'`, `b'0101'`
    fn digits_in_quotes(&mut self) -> Kind {
        let is_hex = matches!(self.byte(0), Some(b'x' | b'X'));
        self.at += 2;
        self.skip(|byte| if is_hex { byte.is_ascii_hexdigit() } else { matches!(byte, b'0' | b'1') });
        if self.byte(0) == Some(b'\'') {
            return self.take(1, Kind::Literal);
        }
        self.at = self.text.len();
        Kind::Error
    }

    /// Digits with single underscores between them.
    fn digits(&mut self, is_digit: fn(u8) -> bool) {
        let mut behind_digit = false;
        while let Some(byte) = self.byte(0) {
            let separates = byte == b'_' && behind_digit && self.byte(1).is_some_and(is_digit);
            if !is_digit(byte) && !separates {
                return;
            }
            behind_digit = byte != b'_';
            self.at += 1;
        }
    }

    fn exponent(&mut self, is_mark: fn(u8) -> bool) {
        if self.byte(0).is_some_and(is_mark) && self.byte(1).is_some() {
            self.at += 1;
            if matches!(self.byte(0), Some(b'+' | b'-')) && self.byte(1).is_some() {
                self.at += 1;
            }
            self.digits(|byte| byte.is_ascii_digit());
        }
    }

    /// A number, or a name that begins with digits.
    fn number(&mut self) -> Kind {
        let start = self.at;
        if self.before == Kind::Dot {
            // `x.1.1` are two elements, one of the other.
            self.digits(|byte| byte.is_ascii_digit());
        } else {
            let prefix =
                |marks: [u8; 2]| self.byte(0) == Some(b'0') && self.byte(1).is_some_and(|byte| marks.contains(&byte));
            let is_hex = prefix(*b"xX") && self.byte(2).is_some_and(|byte| byte.is_ascii_hexdigit());
            let is_binary = prefix(*b"bB") && matches!(self.byte(2), Some(b'0' | b'1'));
            self.at += if is_hex || is_binary { 2 } else { 0 };
            let is_digit = if is_hex { |byte: u8| byte.is_ascii_hexdigit() } else { |byte: u8| byte.is_ascii_digit() };
            self.digits(is_digit);
            if self.byte(0) == Some(b'.') {
                self.at += 1;
                self.digits(is_digit);
            }
            self.exponent(if is_hex { |byte| matches!(byte, b'p' | b'P') } else { |byte| matches!(byte, b'e' | b'E') });
        }
        if !self.byte(0).is_some_and(is_of_word) {
            return Kind::Literal;
        }
        self.skip(is_of_word);
        let is_name = self.text[start..self.at].iter().all(|byte| is_of_word(*byte));
        if is_name { Kind::Word } else { Kind::Error }
    }

    /// Between a name and its part, or where a number begins.
    fn point(&mut self, second: Option<u8>) -> Kind {
        let behind_value = matches!(self.before, Kind::Closing | Kind::Word | Kind::QuotedName | Kind::Literal);
        if self.at > 0 && (behind_value || !second.is_some_and(|byte| byte.is_ascii_digit())) {
            return self.take(1, Kind::Dot);
        }
        self.at += 1;
        self.digits(|byte| byte.is_ascii_digit());
        self.exponent(|byte| matches!(byte, b'e' | b'E'));
        Kind::Literal
    }

    /// A heredoc where it is closed, else the beginning of a name.
    fn dollar(&mut self) -> Kind {
        let rest = &self.text[self.at..];
        if let Some(end) = memchr::memchr(b'$', &rest[1..]) {
            let (tag, body) = rest.split_at(end + 2);
            if let Some(closed) = memchr::memmem::find(body, tag) {
                return self.take(2 * tag.len() + closed, Kind::Literal);
            }
        }
        if !self.byte(1).is_some_and(is_of_word) {
            return self.take(1, Kind::Other);
        }
        self.skip(|byte| is_of_word(byte) || byte == b'$');
        Kind::Word
    }

    /// Spaces beyond ASCII, as texts of word processors have them.
    fn other_space(&mut self) -> Kind {
        let rest = &self.text[self.at..];
        let first = rest.utf8_chunks().next().and_then(|chunk| chunk.valid().chars().next());
        match first {
            Some(space) if space.is_whitespace() || matches!(space, '\u{200b}' | '\u{2060}' | '\u{feff}') => {
                self.take(space.len_utf8(), Kind::Space)
            }
            _ => self.take(1, Kind::Error),
        }
    }
}

impl<'a> Iterator for Tokens<'a> {
    type Item = (Kind, &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        let (start, first) = (self.at, self.byte(0)?);
        let kind = self.cut(first);
        self.at = self.at.min(self.text.len());
        let is_text = kind == Kind::Literal && matches!(first, b'\'' | b'$' | b'x' | b'X' | b'b' | b'B');
        match kind {
            Kind::Space | Kind::Comment => {}
            _ if is_text => self.before = Kind::Other,
            kind => self.before = kind,
        }
        Some((kind, &self.text[start..self.at]))
    }
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | 0x0b | 0x0c)
}

fn is_of_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<(Kind, &str)> {
        let kept = Tokens::of(text.as_bytes()).filter(|(kind, _)| *kind != Kind::Space);
        kept.map(|(kind, token)| (kind, std::str::from_utf8(token).expect("cut between characters"))).collect()
    }

    #[test]
    fn numbers_are_told_from_names_and_elements() {
        use Kind::*;
        assert_eq!(kinds("1.5e-3"), [(Literal, "1.5e-3")]);
        for number in ["0x1F", ".5", "1_000"] {
            assert_eq!(kinds(number), [(Literal, number)]);
        }
        assert_eq!(kinds("x.1.1"), [(Word, "x"), (Dot, "."), (Literal, "1"), (Dot, "."), (Literal, "1")]);
        assert_eq!(kinds("1st 1.5x"), [(Word, "1st"), (Error, "1.5x")]);
    }

    #[test]
    fn what_is_not_closed_is_an_error_to_the_end() {
        for text in ["'a", "`a\\`", "/* /* */", "x'0"] {
            assert_eq!(kinds(text), [(Kind::Error, text)]);
        }
        assert_eq!(kinds("'it''s' $a$ ' $a$ x'00'").len(), 3);
        assert_eq!(kinds("a -> b - -1 -- c")[1], (Kind::Other, "->"));
    }
}
