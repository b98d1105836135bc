//! Values of `{name:Type}`: they come in the escapes of TSV.

/// A text with its backslash escapes undone, as TSV and SQL literals have them. `\N` stays: it means NULL.
pub fn unescaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut characters = text.chars();
    while let Some(c) = characters.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        match characters.next() {
            Some('n') => out.push('\n'),
            Some('t') => out.push('\t'),
            Some('r') => out.push('\r'),
            Some('b') => out.push('\u{8}'),
            Some('f') => out.push('\u{c}'),
            Some('0') => out.push('\0'),
            Some('N') => out.push_str("\\N"),
            Some(other) => out.push(other),
            None => out.push('\\'),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_undone_and_null_stays() {
        assert_eq!(unescaped("a\\tb\\\\c\\'d\\\""), "a\tb\\c'd\"");
        assert_eq!(unescaped("\\N"), "\\N");
        assert_eq!(unescaped("['it\\'s',1]"), "['it's',1]");
    }
}
