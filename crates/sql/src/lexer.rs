//! A reader of unfinished SQL: what the prompt colours, whether a statement is complete, and what a client looks for in a
//! statement that its server may know better. It never fails, because what is being typed is rarely right.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Word,
    Number,
    /// In single quotes.
    Text,
    /// In backquotes or double quotes.
    QuotedName,
    Comment,
    /// `;`, or `\G` at the end of a statement.
    End,
    Symbol,
    Space,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token<'a> {
    pub kind: Kind,
    pub text: &'a str,
    /// False for a quote or comment that is still open.
    pub closed: bool,
}

/// The tokens of a line, end to end: their texts put together are the line.
pub fn tokens(mut rest: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    while let Some(first) = rest.chars().next() {
        let (kind, length, closed) = token(rest, first);
        let (text, after) = rest.split_at(length);
        tokens.push(Token { kind, text, closed });
        rest = after;
    }
    tokens
}

fn token(rest: &str, first: char) -> (Kind, usize, bool) {
    let run = |part: fn(char) -> bool| rest.find(|c| !part(c)).unwrap_or(rest.len());
    match first {
        '\'' => quoted(rest, b'\'', Kind::Text),
        '"' => quoted(rest, b'"', Kind::QuotedName),
        '`' => quoted(rest, b'`', Kind::QuotedName),
        '-' if rest.starts_with("--") => line_comment(rest),
        '#' if rest.starts_with("# ") || rest.starts_with("#!") => line_comment(rest),
        '/' if rest.starts_with("/*") => match rest.find("*/") {
            Some(end) => (Kind::Comment, end + 2, true),
            None => (Kind::Comment, rest.len(), false),
        },
        ';' => (Kind::End, 1, true),
        '\\' if rest.starts_with("\\G") => (Kind::End, 2, true),
        c if c.is_whitespace() => (Kind::Space, run(char::is_whitespace), true),
        c if c.is_ascii_digit() => (Kind::Number, run(|c| c.is_ascii_alphanumeric() || c == '.' || c == '_'), true),
        c if c.is_alphabetic() || c == '_' => (Kind::Word, run(|c| c.is_alphanumeric() || c == '_' || c == '$'), true),
        c => (Kind::Symbol, c.len_utf8(), true),
    }
}

/// The comment ends before the line feed.
fn line_comment(rest: &str) -> (Kind, usize, bool) {
    (Kind::Comment, rest.find('\n').unwrap_or(rest.len()), true)
}

/// A quote is closed by itself, unless doubled or after a backslash.
fn quoted(rest: &str, quote: u8, kind: Kind) -> (Kind, usize, bool) {
    let bytes = rest.as_bytes();
    let mut at = 1;
    while at < bytes.len() {
        if bytes[at] == b'\\' {
            at += 2;
        } else if bytes[at] == quote {
            if bytes.get(at + 1) != Some(&quote) {
                return (kind, at + 1, true);
            }
            at += 2;
        } else {
            at += 1;
        }
    }
    (kind, rest.len(), false)
}

/// Whether Enter runs what was typed: it ends with `;` or `\G`, or it is empty or a word to the prompt itself.
pub fn complete(line: &str) -> bool {
    let tokens = tokens(line);
    let mut told = tokens.iter().filter(|token| !matches!(token.kind, Kind::Space | Kind::Comment));
    match told.next_back() {
        None => tokens.iter().all(|token| token.closed),
        Some(last) => {
            let ends = last.kind == Kind::End && tokens.iter().all(|token| token.closed);
            ends || leaves(line) || helps(line) || stands_for(line).is_some()
        }
    }
}

/// Whether the line is a word that ends the prompt: `exit`, `quit`, `\q`, …
pub fn leaves(line: &str) -> bool {
    let word = line.trim().trim_end_matches(';').trim().to_ascii_lowercase();
    ["exit", "quit", "logout", "\\q", ":q"].contains(&word.as_str())
}

/// Whether the line asks the prompt for help.
pub fn helps(line: &str) -> bool {
    let word = line.trim().trim_end_matches(';').trim().to_ascii_lowercase();
    ["help", "?", "\\?", "\\h"].contains(&word.as_str())
}

/// The statement that a line of `\l`, `\d` or `\c name` is short for.
pub fn stands_for(line: &str) -> Option<String> {
    let line = line.trim().trim_end_matches(';').trim_end();
    match line.split_once(char::is_whitespace).unwrap_or((line, "")) {
        ("\\l", "") => Some("SHOW DATABASES".to_string()),
        ("\\d", "") => Some("SHOW TABLES".to_string()),
        ("\\c", database) if !database.trim().is_empty() => Some(format!("USE {}", database.trim())),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_lines_stand_for_statements() {
        let stands_for = |line| stands_for(line).unwrap_or_default();
        assert_eq!((stands_for("\\l"), stands_for(" \\d; ")), ("SHOW DATABASES".to_string(), "SHOW TABLES".to_string()));
        assert_eq!((stands_for("\\c shop"), stands_for("\\c")), ("USE shop".to_string(), String::new()));
        assert!(complete("\\l") && complete("\\c shop") && !complete("SELECT 1"));
    }

    #[test]
    fn tokens_put_together_are_the_line() {
        for line in ["SELECT 'it''s', `a``b` -- c\nFROM t;", "/* open", "'open \\' still", "é = 1.5e3 \\G", ""] {
            assert_eq!(tokens(line).iter().map(|token| token.text).collect::<String>(), line);
        }
    }

    #[test]
    fn a_statement_is_complete_at_its_semicolon_and_not_in_a_quote_or_comment() {
        for line in ["SELECT 1;", "SELECT 1\\G", "SELECT ';';  -- done", "exit", "\\q", "", "  \n"] {
            assert!(complete(line), "{line}");
        }
        for line in ["SELECT 1", "SELECT ';", "SELECT 1 -- ;", "SELECT 1 /* ;", "SELECT `a;"] {
            assert!(!complete(line), "{line}");
        }
    }
}
