//! Takes a text apart into statements.
//!
//! One pass over the bytes that knows quotes, comments and the head of an INSERT: what follows `FORMAT name` of an INSERT
//! is data and is not read as SQL. Such data ends at a line that is only `;`, at an empty line followed by more text, or at
//! the end of the text.

use crate::session::StatementText;

/// Splits at `;`. A last statement without `;` counts as whole; empty ones are left out.
pub fn split(text: &str) -> Vec<StatementText> {
    take_apart(text, true)
}

/// As `split`, of a text that is to be one statement: data goes on to the end of the text, whatever stands in it.
pub fn split_one(text: &str) -> Vec<StatementText> {
    take_apart(text, false)
}

fn take_apart(text: &str, data_ends: bool) -> Vec<StatementText> {
    let bytes = text.as_bytes();
    let mut out = Vec::new();
    let mut start = 0;
    let mut at = 0;
    // Words of the statement so far that decide whether data follows.
    let mut words: Vec<String> = Vec::new();
    let mut depth = 0i32;
    while let Some(stop) = next_stop(bytes, &mut at, &mut depth) {
        let Stop::Word { begin } = stop else {
            push(&mut out, &text[start..at - 1], None);
            start = at;
            words.clear();
            depth = 0;
            continue;
        };
        let word = text[begin..at].to_ascii_uppercase();
        // A column may have the name of the function.
        let word = if word == "INPUT" && !calls(bytes, at) { String::new() } else { word };
        let names_format = words.last().is_some_and(|last| last == "FORMAT");
        let inserts = takes_data(&words);
        if names_format && inserts && word != "VALUES" {
            let statement = &text[start..at];
            let (data, next) = data(text, at, data_ends);
            push(&mut out, statement, data);
            at = next;
            start = next;
            words.clear();
            continue;
        }
        words.push(word);
    }
    push(&mut out, text.get(start..).unwrap_or(""), None);
    out
}

/// Whether what stands before `at` is the name of a call.
fn calls(bytes: &[u8], at: usize) -> bool {
    bytes[at..].trim_ascii_start().first() == Some(&b'(')
}

/// Words of the head of an INSERT whose rows are data: no query makes them (`INSERT INTO t`, and `WITH 1 AS x INSERT INTO t`),
/// or one that reads `input()`.
fn takes_data(words: &[String]) -> bool {
    let Some(insert) = words.iter().position(|word| word == "INSERT") else { return false };
    let has = |known: &str| words[insert..].iter().any(|word| word == known);
    (insert == 0 || words[0] == "WITH")
        && !has("INFILE")
        && (has("INPUT") || !has("SELECT") && !has("WITH"))
        && !words[..insert].iter().any(|word| word == "SELECT")
}

/// What tells where a statement ends.
enum Stop {
    Semicolon,
    /// A word outside of brackets, from there to where the scan is.
    Word {
        begin: usize,
    },
}

/// Goes behind the next `;` or word; quotes, comments and what stands in brackets are passed over. `None`: the end.
fn next_stop(bytes: &[u8], at: &mut usize, depth: &mut i32) -> Option<Stop> {
    while *at < bytes.len() {
        match bytes[*at] {
            quote @ (b'\'' | b'"' | b'`') => *at = skip_quoted(bytes, *at, quote),
            b'-' if bytes.get(*at + 1) == Some(&b'-') => *at = skip_line(bytes, *at),
            b'#' if matches!(bytes.get(*at + 1), Some(b' ' | b'!')) => *at = skip_line(bytes, *at),
            b'/' if bytes.get(*at + 1) == Some(&b'/') => *at = skip_line(bytes, *at),
            b'/' if bytes.get(*at + 1) == Some(&b'*') => *at = skip_comment(bytes, *at),
            bracket @ (b'(' | b'[' | b'{' | b')' | b']' | b'}') => {
                *depth += if matches!(bracket, b'(' | b'[' | b'{') { 1 } else { -1 };
                *at += 1;
            }
            b'$' => *at = skip_heredoc(bytes, *at),
            b';' => {
                *at += 1;
                return Some(Stop::Semicolon);
            }
            c if c.is_ascii_alphabetic() || c == b'_' => {
                let begin = *at;
                while *at < bytes.len() && (bytes[*at].is_ascii_alphanumeric() || bytes[*at] == b'_') {
                    *at += 1;
                }
                if *depth <= 0 {
                    return Some(Stop::Word { begin });
                }
            }
            _ => *at += 1,
        }
    }
    None
}

/// Where an INSERT ends and its data begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InsertHead {
    /// Bytes of the statement: up to the format's name, or to VALUES.
    pub statement: usize,
    /// Bytes before the first of the data.
    pub data: usize,
    /// Data is what follows VALUES: it may be read as SQL as well.
    pub is_values: bool,
}

/// The head of an INSERT that data follows: of a request whose text and data are one. The bytes may be cut anywhere.
/// `None`: it is none, or more bytes tell. `ended`: there are no more.
pub fn insert_head(bytes: &[u8], ended: bool) -> Option<InsertHead> {
    let mut at = 0;
    let mut words: Vec<String> = Vec::new();
    let mut depth = 0i32;
    while let Some(stop) = next_stop(bytes, &mut at, &mut depth) {
        let Stop::Word { begin } = stop else { continue };
        if at == bytes.len() && !ended {
            return None;
        }
        let word = String::from_utf8_lossy(&bytes[begin..at]).to_ascii_uppercase();
        if words.is_empty() && word != "INSERT" && word != "WITH" {
            return None;
        }
        let insert = words.iter().position(|word| word == "INSERT");
        if insert.is_none() {
            // `WITH 1 AS x`: what it is for comes behind.
            if word == "SELECT" {
                return None;
            }
            words.push(word);
            continue;
        }
        let has = |known: &str| words.iter().skip(insert.unwrap_or(0)).any(|word| word == known);
        let reads = has("SELECT") || has("WITH");
        if has("INFILE") || reads && !has("INPUT") && word != "INPUT" && word == "FORMAT" {
            return None;
        }
        let is_values = word == "VALUES" && !reads;
        if is_values || words.last().is_some_and(|last| last == "FORMAT") {
            return data_begin(bytes, at, ended).map(|data| InsertHead { statement: at, data, is_values });
        }
        words.push(word);
    }
    None
}

/// The first byte of data behind a format's name: spaces and one end of line are left out.
fn data_begin(bytes: &[u8], mut at: usize, ended: bool) -> Option<usize> {
    while matches!(bytes.get(at), Some(b' ' | b'\t' | b';')) {
        at += 1;
    }
    let cut = at >= bytes.len() || bytes[at] == b'\r' && at + 1 >= bytes.len();
    if cut && !ended {
        return None;
    }
    if bytes.get(at) == Some(&b'\r') && bytes.get(at + 1) == Some(&b'\n') {
        at += 1;
    }
    Some(if bytes.get(at) == Some(&b'\n') { at + 1 } else { at })
}

/// The rows that follow VALUES, in pieces of whole rows of about so many bytes; commas between the pieces are left out.
pub fn values_pieces(rows: &str, about_bytes: usize) -> Vec<&str> {
    let bytes = rows.as_bytes();
    let mut pieces = Vec::new();
    let (mut start, mut at, mut depth) = (0, 0, 0i32);
    while at < bytes.len() {
        match bytes[at] {
            quote @ (b'\'' | b'"' | b'`') => at = skip_quoted(bytes, at, quote),
            b'-' if bytes.get(at + 1) == Some(&b'-') => at = skip_line(bytes, at),
            b'/' if bytes.get(at + 1) == Some(&b'*') => at = skip_comment(bytes, at),
            b'$' => at = skip_heredoc(bytes, at),
            b',' if depth == 0 && at - start >= about_bytes => {
                pieces.push(&rows[start..at]);
                at += 1;
                start = at;
            }
            other => {
                depth += i32::from(matches!(other, b'(' | b'[' | b'{')) - i32::from(matches!(other, b')' | b']' | b'}'));
                at += 1;
            }
        }
    }
    pieces.push(&rows[start.min(rows.len())..]);
    pieces.retain(|piece| !is_blank(piece.trim()));
    pieces
}

fn push(out: &mut Vec<StatementText>, statement: &str, inline_data: Option<Vec<u8>>) {
    let trimmed = statement.trim();
    if is_blank(trimmed) {
        return;
    }
    out.push(StatementText { text: trimmed.to_string(), inline_data });
}

/// Nothing but white space and comments.
fn is_blank(text: &str) -> bool {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'-' if bytes.get(at + 1) == Some(&b'-') => at = skip_line(bytes, at),
            b'#' if matches!(bytes.get(at + 1), Some(b' ' | b'!')) => at = skip_line(bytes, at),
            b'/' if bytes.get(at + 1) == Some(&b'/') => at = skip_line(bytes, at),
            b'/' if bytes.get(at + 1) == Some(&b'*') => at = skip_comment(bytes, at),
            c if c.is_ascii_whitespace() => at += 1,
            _ => return false,
        }
    }
    true
}

fn skip_quoted(bytes: &[u8], mut at: usize, quote: u8) -> usize {
    at += 1;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 2,
            c if c == quote => return at + 1,
            _ => at += 1,
        }
    }
    bytes.len()
}

/// Behind `$tag$ … $tag$`; behind the `$` where none begins.
fn skip_heredoc(bytes: &[u8], at: usize) -> usize {
    let is_word = |c: &u8| c.is_ascii_alphanumeric() || *c == b'_';
    let behind_word = at > 0 && bytes.get(at - 1).is_some_and(is_word);
    let tag = bytes[at + 1..].iter().take_while(|c| is_word(c)).count();
    if behind_word || bytes.get(at + 1 + tag) != Some(&b'$') {
        return at + 1;
    }
    let tag = &bytes[at..at + tag + 2];
    let begin = at + tag.len();
    let end = bytes[begin..].windows(tag.len()).position(|window| window == tag);
    end.map_or(begin, |end| begin + end + tag.len())
}

fn skip_line(bytes: &[u8], at: usize) -> usize {
    bytes[at..].iter().position(|c| *c == b'\n').map_or(bytes.len(), |end| at + end + 1)
}

fn skip_comment(bytes: &[u8], at: usize) -> usize {
    let mut depth = 0;
    let mut at = at;
    while at + 1 < bytes.len() {
        match (bytes[at], bytes[at + 1]) {
            (b'/', b'*') => {
                depth += 1;
                at += 2;
            }
            (b'*', b'/') => {
                depth -= 1;
                at += 2;
                if depth == 0 {
                    return at;
                }
            }
            _ => at += 1,
        }
    }
    bytes.len()
}

/// The data that begins after a format's name, and where the next statement begins. `ends`: a line with `;`, or an empty one
/// with something behind it, ends the data; else it goes on to the end of the text.
fn data(text: &str, at: usize, ends: bool) -> (Option<Vec<u8>>, usize) {
    let rest = &text[at..];
    let line_end = rest.find('\n');
    let first_line = &rest[..line_end.unwrap_or(rest.len())];
    // `INSERT … FORMAT CSV;` has no data here.
    if first_line.trim() == ";" || first_line.trim_start().starts_with(';') {
        let semicolon = at + rest.find(';').unwrap_or(0);
        return (None, semicolon + 1);
    }
    if rest.trim().is_empty() {
        return (None, text.len());
    }
    let body_start = data_begin(text.as_bytes(), at, true).unwrap_or(text.len());
    let body = &text[body_start..];
    let mut end = body.len();
    let mut next = text.len();
    let mut offset = 0;
    for line in body.split_inclusive('\n') {
        let bare = line.trim();
        let after = offset + line.len();
        if ends && (bare == ";" || (bare.is_empty() && !body[after..].trim().is_empty())) {
            end = offset;
            next = body_start + after;
            break;
        }
        offset = after;
    }
    let mut data = body.as_bytes()[..end].to_vec();
    // `… FORMAT CSV 1,2;` on one line.
    if next == text.len() && data.trim_ascii_end().ends_with(b";") {
        let length = data.trim_ascii_end().len() - 1;
        data.truncate(length);
    }
    (Some(data), next)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> Vec<String> {
        split(text).into_iter().map(|statement| statement.text).collect()
    }

    #[test]
    fn semicolons_in_strings_and_comments_do_not_count() {
        assert_eq!(texts("SELECT ';'; -- a;b\nSELECT `a;b` /* ; */;;"), ["SELECT ';'", "-- a;b\nSELECT `a;b` /* ; */"]);
        assert_eq!(texts("SELECT 1 // it's;\n+ 1; SELECT 4 / 2"), ["SELECT 1 // it's;\n+ 1", "SELECT 4 / 2"]);
        assert_eq!(texts("SELECT 'it\\'s;'"), ["SELECT 'it\\'s;'"]);
        assert_eq!(texts("  -- nothing\n"), Vec::<String>::new());
    }

    #[test]
    fn values_are_cut_between_rows() {
        let rows = "(1, 'a),('), (2, [1, 2]),\n(3, /* ), ( */ 4), ";
        assert_eq!(values_pieces(rows, 1), ["(1, 'a),(')", " (2, [1, 2])", "\n(3, /* ), ( */ 4)"]);
        assert_eq!(values_pieces(rows, 1000), [rows]);
        assert_eq!(values_pieces(" ", 1), Vec::<&str>::new());
    }

    #[test]
    fn semicolons_in_heredocs_do_not_count() {
        assert_eq!(texts("SELECT $$a;b$$; SELECT $t$;$$;$t$"), ["SELECT $$a;b$$", "SELECT $t$;$$;$t$"]);
        assert_eq!(texts("SELECT $1; SELECT a$b$; SELECT $"), ["SELECT $1", "SELECT a$b$", "SELECT $"]);
    }

    #[test]
    fn data_of_the_only_statement_goes_on_to_the_end() {
        let statements = split_one("INSERT INTO t FORMAT TSV\na\n\nb\n;\nc");
        assert_eq!(statements.len(), 1);
        assert_eq!(statements[0].inline_data.as_deref(), Some(b"a\n\nb\n;\nc".as_slice()));
    }

    #[test]
    fn data_for_input_is_not_read_as_sql() {
        let statements = split("INSERT INTO t (i) SELECT x FROM input('x Int8') FORMAT CSV 1\n2;\n");
        assert_eq!(statements[0].text, "INSERT INTO t (i) SELECT x FROM input('x Int8') FORMAT CSV");
        assert_eq!(statements[0].inline_data.as_deref().map(<[u8]>::trim_ascii), Some(b"1\n2".as_slice()));
        let statements =
            split("INSERT INTO t SELECT input FROM u SETTINGS max_threads = 1 FORMAT CSV SETTINGS a = 1; SELECT 1");
        assert_eq!((statements.len(), &statements[0].inline_data), (2, &None));
    }

    #[test]
    fn data_may_begin_right_behind_the_name_of_its_format() {
        let data = |text: &str| split(text).pop().and_then(|statement| statement.inline_data).expect("data");
        assert_eq!(data("INSERT INTO t FORMAT JSONEachRow{\"a\":1}"), b"{\"a\":1}");
        assert_eq!(data("INSERT INTO t FORMAT CSV\u{a0}1,2"), "\u{a0}1,2".as_bytes());
        assert_eq!(data("INSERT INTO t FORMAT CSV \r\n1,2"), b"1,2");
    }

    #[test]
    fn data_of_an_insert_is_not_read_as_sql() {
        let statements = split("INSERT INTO t FORMAT CSV\n1,'a;b\n2,x\n;\nSELECT 1");
        assert_eq!(statements[0].text, "INSERT INTO t FORMAT CSV");
        assert_eq!(statements[0].inline_data.as_deref(), Some(b"1,'a;b\n2,x\n".as_slice()));
        assert_eq!(statements[1].text, "SELECT 1");
        let statements = split("WITH 1 AS x INSERT INTO t FORMAT TSV\na;\n");
        assert_eq!(statements[0].inline_data.as_deref(), Some(b"a".as_slice()));
    }

    #[test]
    fn the_head_of_an_insert_ends_where_its_data_begins() {
        let head = |text: &[u8], ended| insert_head(text, ended).map(|head| (head.statement, head.data));
        assert_eq!(head(b"INSERT INTO t FORMAT Native\n\x01\xff", false), Some((27, 28)));
        assert_eq!(head(b"INSERT INTO t (a, `format x`) FORMAT CSV\r\n1,2", false), Some((40, 42)));
        assert_eq!(head(b"INSERT INTO t FORMAT CSV", false), None, "the name may go on");
        assert_eq!(head(b"INSERT INTO t FORMAT CSV ", false), None, "data may begin after a line's end");
        assert_eq!(head(b"INSERT INTO t FORMAT CSV", true), Some((24, 24)));
        assert_eq!(head(b"insert into t values (1),(2)", false), Some((20, 21)));
        assert_eq!(head(b"INSERT INTO t SELECT 1 FORMAT Null", true), None);
        assert_eq!(head(b"INSERT INTO t SELECT a FROM input('a Int8') FORMAT CSV\n1", true), Some((54, 55)));
        assert_eq!(head(b"WITH 1 AS x INSERT INTO t FORMAT CSV\n1", true), Some((36, 37)));
        assert_eq!(head(b"WITH 1 AS x INSERT INTO t SELECT x FORMAT Null", true), None);
        assert_eq!(head(b"WITH 1 AS x SELECT x FORMAT CSV\n", true), None);
        assert_eq!(head(b"SELECT 1 FORMAT CSV\n", true), None);
        assert_eq!(head(b"/* x */ INSERT INTO t FORMAT JSONEachRow {\"a\":1}", true), Some((40, 41)));
    }

    #[test]
    fn an_insert_without_data_here_takes_it_from_elsewhere() {
        assert_eq!(split("INSERT INTO t FORMAT CSV")[0].inline_data, None);
        assert_eq!(split("INSERT INTO t FORMAT CSV;SELECT 1").len(), 2);
        assert_eq!(split("INSERT INTO t SELECT 1 FORMAT Null")[0].inline_data, None);
    }
}
