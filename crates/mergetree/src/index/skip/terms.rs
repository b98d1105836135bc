//! What token and n-gram filters hold of a text, and what a text that is searched for must have in them.
//!
//! A *token* is a longest run of letters and digits of ASCII and of bytes from 0x80 on. An *n-gram* is a run of `n`
//! characters; a character is a byte below 0x80, or a lead byte of UTF-8 with as many continuation bytes as it announces
//! and as follow, or a continuation byte that no lead byte claims. Whatever the bytes, a character begins at every byte
//! that is no continuation byte, so a text is cut alike wherever it stands in another, but for continuation bytes at its
//! beginning and a character at its end that is not whole.

/// How terms are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Terms {
    Tokens,
    Ngrams(usize),
}

/// Whether a text that is searched for is the value's beginning, its end, or both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Anchored {
    pub start: bool,
    pub end: bool,
}

impl Anchored {
    pub const WHOLE: Anchored = Anchored { start: true, end: true };
    pub const START: Anchored = Anchored { start: true, end: false };
    pub const END: Anchored = Anchored { start: false, end: true };
    pub const NOWHERE: Anchored = Anchored { start: false, end: false };
}

pub fn is_token_byte(byte: u8) -> bool {
    byte >= 0x80 || byte.is_ascii_alphanumeric()
}

fn is_continuation(byte: u8) -> bool {
    byte & 0xc0 == 0x80
}

/// Bytes of the character that a byte begins.
fn announced(lead: u8) -> usize {
    match lead {
        0xc0..=0xdf => 2,
        0xe0..=0xef => 3,
        0xf0..=0xff => 4,
        _ => 1,
    }
}

impl Terms {
    /// Calls `visit` with every term that each value has which has the text at the place that `anchored` says.
    pub fn each<'t>(self, text: &'t [u8], anchored: Anchored, mut visit: impl FnMut(&'t [u8])) {
        match self {
            Terms::Tokens => tokens(text, anchored, &mut visit),
            Terms::Ngrams(length) => ngrams(text, length, anchored, &mut visit),
        }
    }

    /// Of a LIKE pattern: of its runs of constant text.
    pub fn of_like(self, pattern: &[u8], mut visit: impl FnMut(&[u8])) {
        let runs = like_runs(pattern);
        for run in &runs {
            self.each(&run.text, run.anchored, &mut visit);
        }
    }
}

fn tokens<'t>(text: &'t [u8], anchored: Anchored, visit: &mut dyn FnMut(&'t [u8])) {
    let mut at = 0;
    for token in text.split(|byte| !is_token_byte(*byte)) {
        let (start, end) = (at, at + token.len());
        at = end + 1;
        // A token at an open end may go on outside of the text.
        let whole = (start > 0 || anchored.start) && (end < text.len() || anchored.end);
        if !token.is_empty() && whole {
            visit(token);
        }
    }
}

fn ngrams<'t>(text: &'t [u8], length: usize, anchored: Anchored, visit: &mut dyn FnMut(&'t [u8])) {
    let mut at = 0;
    if !anchored.start {
        at = text.iter().position(|byte| !is_continuation(*byte)).unwrap_or(text.len());
    }
    // Where the last `length` characters begin.
    let mut starts = std::collections::VecDeque::with_capacity(length + 1);
    while at < text.len() {
        let wanted = announced(text[at]);
        let mut end = at + 1;
        while end < text.len() && end - at < wanted && is_continuation(text[end]) {
            end += 1;
        }
        if end == text.len() && end - at < wanted && !anchored.end {
            return;
        }
        starts.push_back(at);
        if starts.len() > length {
            starts.pop_front();
        }
        if starts.len() == length {
            visit(&text[starts[0]..end]);
        }
        at = end;
    }
}

struct Run {
    text: Vec<u8>,
    anchored: Anchored,
}

fn like_runs(pattern: &[u8]) -> Vec<Run> {
    let mut runs = vec![Run { text: Vec::new(), anchored: Anchored::START }];
    let mut at = 0;
    while at < pattern.len() {
        match pattern[at] {
            b'%' | b'_' => runs.push(Run { text: Vec::new(), anchored: Anchored::NOWHERE }),
            b'\\' => match pattern.get(at + 1) {
                Some(escaped @ (b'%' | b'_' | b'\\')) => {
                    if let Some(run) = runs.last_mut() {
                        run.text.push(*escaped);
                    }
                    at += 1;
                }
                // Readers differ on other escapes: whatever stands here is unknown.
                _ => {
                    runs.push(Run { text: Vec::new(), anchored: Anchored::NOWHERE });
                    at += 1;
                }
            },
            byte => {
                if let Some(run) = runs.last_mut() {
                    run.text.push(byte);
                }
            }
        }
        at += 1;
    }
    if let Some(run) = runs.last_mut() {
        run.anchored.end = true;
    }
    runs
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn terms(terms: Terms, text: &[u8], anchored: Anchored) -> Vec<Vec<u8>> {
        let mut all = Vec::new();
        terms.each(text, anchored, |term| all.push(term.to_vec()));
        all
    }

    fn texts(terms: &[Vec<u8>]) -> Vec<String> {
        terms.iter().map(|term| String::from_utf8_lossy(term).into_owned()).collect()
    }

    fn of_like(kind: Terms, pattern: &str) -> Vec<String> {
        let mut all = Vec::new();
        kind.of_like(pattern.as_bytes(), |term| all.push(term.to_vec()));
        texts(&all)
    }

    #[test]
    fn tokens_at_an_open_end_are_none() {
        let of = |anchored| texts(&terms(Terms::Tokens, "ab cd-é1".as_bytes(), anchored));
        assert_eq!(of(Anchored::WHOLE), ["ab", "cd", "é1"]);
        assert_eq!(of(Anchored::START), ["ab", "cd"]);
        assert_eq!(of(Anchored::END), ["cd", "é1"]);
        assert_eq!(of(Anchored::NOWHERE), ["cd"]);
        assert_eq!(of_like(Terms::Tokens, "%ab cd%ef gh"), ["gh"]);
        assert_eq!(of_like(Terms::Tokens, "% ab _x\\% y%"), ["ab"]);
    }

    #[test]
    fn ngrams_are_of_characters() {
        let of = |text: &str| texts(&terms(Terms::Ngrams(2), text.as_bytes(), Anchored::WHOLE));
        assert_eq!(of("aéb"), ["aé", "éb"]);
        assert_eq!(of("a"), Vec::<String>::new());
        assert_eq!(of_like(Terms::Ngrams(3), "%abcd%e_fgh"), ["abc", "bcd", "fgh"]);
    }

    proptest! {
        /// Whatever the bytes: a value has all terms of the texts that it holds.
        #[test]
        fn a_value_has_the_terms_of_each_text_in_it(
            value in proptest::collection::vec(prop_oneof![Just(b'a'), Just(b' '), Just(0xc3), Just(0xa9), Just(0xf0), Just(0x80)], 0..12),
            from in 0usize..12, length in 0usize..12, size in 1usize..4,
        ) {
            let from = from.min(value.len());
            let to = (from + length).min(value.len());
            for kind in [Terms::Tokens, Terms::Ngrams(size)] {
                let whole = terms(kind, &value, Anchored::WHOLE);
                let anchored = Anchored { start: from == 0, end: to == value.len() };
                for anchored in [anchored, Anchored::NOWHERE] {
                    for term in terms(kind, &value[from..to], anchored) {
                        prop_assert!(whole.contains(&term), "{term:?} of {:?} is not in {value:?}", &value[from..to]);
                    }
                }
            }
        }
    }
}
