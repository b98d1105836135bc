//! What CustomSeparated is made of: the delimiters that the settings `format_custom_…` name, and how fields stand between them.
//!
//! Reading looks for the end of a field first, by its escaping rule (`field_end`), and for the delimiter behind it then; values are
//! made of the field's text by whoever reads. Escaped and Raw fields end with a tab or a line end whatever the
//! delimiter is, as ClickHouse has it. Where spaces are ignored, those of one line may stand before each field and each delimiter: a
//! delimiter cannot begin with one then.

use gristmill_base::{Error, ErrorCode, Result};
use gristmill_introspect::Settings;
use gristmill_types::scan::json::JsonCursor;
use gristmill_types::scan::quoted::{quoted, unescape};

use crate::Format;
use crate::input::json_rows::is_cut_off;
use crate::input::tsv::is_escaped;

/// How a field is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Rule {
    Escaped,
    Quoted,
    Csv,
    Json,
    Xml,
    Raw,
}

impl Rule {
    /// Error: BAD_ARGUMENTS for a name of that setting that is none.
    pub fn by_name(name: &str, setting: &str) -> Result<Rule> {
        Ok(match name {
            "Escaped" => Rule::Escaped,
            "Quoted" => Rule::Quoted,
            "CSV" => Rule::Csv,
            "JSON" => Rule::Json,
            "XML" => Rule::Xml,
            "Raw" => Rule::Raw,
            other => {
                return Err(Error::new(
                    ErrorCode::BAD_ARGUMENTS,
                    format!(
                        "Fields cannot be read or written by the escaping rule {other}: set {setting} to Escaped, Quoted, CSV, \
                         JSON or Raw"
                    ),
                ));
            }
        })
    }

    /// Error: BAD_ARGUMENTS where fields of the rule can only be written.
    pub fn check_reading(self, setting: &str) -> Result<()> {
        if self == Rule::Xml {
            let text = format!("Cannot read values with the XML escaping rule: it is only for writing ({setting})");
            return Err(Error::new(ErrorCode::BAD_ARGUMENTS, text));
        }
        Ok(())
    }

    /// The text of a field, without what the rule puts around it: a name or a type of a header.
    pub fn text(self, raw: &[u8]) -> Vec<u8> {
        let mut text = Vec::new();
        let done = match (self, raw) {
            (Rule::Escaped, _) => unescape(raw, &mut text).is_ok(),
            (Rule::Quoted, [b'\'', ..]) => quoted(raw, &mut text).is_ok(),
            (Rule::Csv, [b'"', ..]) => {
                text = undoubled(raw);
                true
            }
            (Rule::Json, [b'"', ..]) => match JsonCursor::new(raw).string(&mut Vec::new()) {
                Ok(inner) => {
                    text = inner.to_vec();
                    true
                }
                Err(_) => false,
            },
            _ => false,
        };
        if done { text } else { raw.to_vec() }
    }
}

#[derive(Clone, Debug)]
pub(crate) struct CustomDialect {
    pub rule: Rule,
    pub field: Vec<u8>,
    pub row_before: Vec<u8>,
    pub row_after: Vec<u8>,
    pub row_between: Vec<u8>,
    pub result_before: Vec<u8>,
    pub result_after: Vec<u8>,
    /// Whether spaces may stand before fields and delimiters.
    pub spaces: bool,
}

/// A field as it stands in the data: from where to where.
pub(crate) type RawField = std::ops::Range<usize>;

/// Why a row could not be taken apart.
pub(crate) enum Uncut {
    /// The slice ends within it.
    More,
    /// What is wrong.
    Wrong(String),
}

impl CustomDialect {
    /// Error: BAD_ARGUMENTS for a rule that is none.
    pub fn of(settings: &Settings) -> Result<CustomDialect> {
        let rule = Rule::by_name(&settings.format_custom_escaping_rule, "format_custom_escaping_rule")?;
        let bytes = |text: &String| text.clone().into_bytes();
        Ok(CustomDialect {
            rule,
            field: bytes(&settings.format_custom_field_delimiter),
            row_before: bytes(&settings.format_custom_row_before_delimiter),
            row_after: bytes(&settings.format_custom_row_after_delimiter),
            row_between: bytes(&settings.format_custom_row_between_delimiter),
            result_before: bytes(&settings.format_custom_result_before_delimiter),
            result_after: bytes(&settings.format_custom_result_after_delimiter),
            spaces: false,
        })
    }

    /// Error: BAD_ARGUMENTS where fields of this rule can only be written.
    pub fn for_reading(format: Format, settings: &Settings) -> Result<CustomDialect> {
        let dialect = CustomDialect { spaces: format.ignores_spaces(), ..CustomDialect::of(settings)? };
        dialect.rule.check_reading("format_custom_escaping_rule")?;
        Ok(dialect)
    }

    /// Behind the spaces at `at`, where they are ignored.
    pub fn spaces_end(&self, input: &[u8], at: usize) -> usize {
        at + input.iter().skip(at).take_while(|c| self.spaces && is_space(**c)).count()
    }

    /// Passes over a delimiter that has to be there.
    pub fn expect(
        &self,
        input: &[u8],
        at: usize,
        delimiter: &[u8],
        last: bool,
        place: &str,
    ) -> std::result::Result<usize, Uncut> {
        expect(input, self.spaces_end(input, at), delimiter, last, place)
    }

    /// Whether nothing but the end of the result follows. `skip_empty_lines`: lines without anything may stand before it.
    pub fn is_over(&self, input: &[u8], last: bool, skip_empty_lines: bool) -> std::result::Result<bool, Uncut> {
        if skip_empty_lines && input.iter().all(u8::is_ascii_whitespace) {
            return if last { Ok(true) } else { Err(Uncut::More) };
        }
        if self.result_after.is_empty() && !self.spaces {
            return Ok(false);
        }
        let at = self.spaces_end(input, 0);
        if !starts(input, at, &self.result_after, last)? {
            return Ok(false);
        }
        let mut end = self.spaces_end(input, at + self.result_after.len());
        if self.spaces && input.get(end) == Some(&b'\n') {
            end += 1;
        }
        match input.len() == end {
            true if last => Ok(true),
            true => Err(Uncut::More),
            false => Ok(false),
        }
    }

    /// Fields of format Regexp, which finds them itself. Error: BAD_ARGUMENTS as above.
    pub fn of_regexp(settings: &Settings) -> Result<CustomDialect> {
        let rule = Rule::by_name(&settings.format_regexp_escaping_rule, "format_regexp_escaping_rule")?;
        rule.check_reading("format_regexp_escaping_rule")?;
        Ok(CustomDialect { rule, ..CustomDialect::of(settings)? })
    }

    /// Takes apart the row at `at`, with the delimiters of a row around it; gives where it ends. `wanted`: how many fields it is to
    /// have, where that is known: the last one goes up to the end of the row.
    pub fn row(
        &self,
        input: &[u8],
        at: usize,
        last: bool,
        wanted: Option<usize>,
        fields: &mut Vec<RawField>,
    ) -> std::result::Result<usize, Uncut> {
        fields.clear();
        let mut at = self.expect(input, at, &self.row_before, last, "before a row")?;
        if wanted == Some(0) {
            return self.expect(input, at, &self.row_after, last, "after a row");
        }
        loop {
            at = self.spaces_end(input, at);
            let is_last = wanted.is_some_and(|wanted| fields.len() + 1 >= wanted);
            let end = self.field_end(input, at, last, wanted.is_none(), is_last)?;
            if end == at && self.field.is_empty() && !is_last {
                return Err(Uncut::Wrong("fields without a delimiter between them cannot be told apart".to_string()));
            }
            fields.push(at..self.field_without_spaces(input, at, end));
            let end = self.spaces_end(input, end);
            let (first, second) = if is_last { (&self.row_after, &self.field) } else { (&self.field, &self.row_after) };
            if starts(input, end, first, last)? {
                at = end + first.len();
                if is_last {
                    return Ok(at);
                }
            } else if starts(input, end, second, last)? && !second.is_empty() {
                at = end + second.len();
                if !is_last {
                    return Ok(at);
                }
            } else {
                return Err(unexpected(input, end, first, if is_last { "after a row" } else { "after a field" }));
            }
        }
    }

    /// The end of a field without the spaces that are not its own. Those behind a field of CSV are trimmed as a setting says.
    fn field_without_spaces(&self, input: &[u8], at: usize, end: usize) -> usize {
        if !self.spaces || !matches!(self.rule, Rule::Escaped | Rule::Quoted | Rule::Json) {
            return end;
        }
        let spaces = input[at..end].iter().rev().take_while(|c| is_space(**c)).count();
        end - spaces
    }

    /// Where the field that starts at `at` ends. `any`: it may be the last one or not.
    pub fn field_end(
        &self,
        input: &[u8],
        at: usize,
        last: bool,
        any: bool,
        is_last: bool,
    ) -> std::result::Result<usize, Uncut> {
        let rest = &input[at..];
        let ends: [&[u8]; 2] = match (any, is_last) {
            (true, _) => [self.field.as_slice(), self.row_after.as_slice()],
            (false, false) => [self.field.as_slice(), &[]],
            (false, true) => [self.row_after.as_slice(), &[]],
        };
        let open = |what: &str| if last { Uncut::Wrong(format!("the data ends within {what}")) } else { Uncut::More };
        match (self.rule, rest.first()) {
            (_, None) => {
                if last {
                    Ok(at)
                } else {
                    Err(Uncut::More)
                }
            }
            (Rule::Raw, _) => match memchr::memchr2(b'\t', b'\n', rest) {
                Some(end) => Ok(at + end),
                None if last => Ok(input.len()),
                None => Err(Uncut::More),
            },
            (Rule::Escaped, _) => {
                let is_end = |at: usize| matches!(rest[at], b'\t' | b'\n') || stands(&ends, &rest[at..]);
                until(rest, last, |at| is_end(at) && !is_escaped(rest, at)).map(|end| at + end)
            }
            (Rule::Csv, Some(b'"')) => {
                let mut end = 1;
                loop {
                    end += memchr::memchr(b'"', &rest[end..]).ok_or_else(|| open("a quoted field"))?;
                    match rest.get(end + 1) {
                        Some(b'"') => end += 2,
                        None if !last => return Err(Uncut::More),
                        _ => return Ok(at + end + 1),
                    }
                }
            }
            // A field without quotes does not go over the end of its line.
            (Rule::Csv, _) => until(rest, last, |at| rest[at] == b'\n' || stands(&ends, &rest[at..])).map(|end| at + end),
            (Rule::Quoted, Some(b'\'')) => match quoted(rest, &mut Vec::new()) {
                Ok(length) if at + length == input.len() && !last => Err(Uncut::More),
                Ok(length) => Ok(at + length),
                Err(_) => Err(open("a quoted field")),
            },
            (Rule::Quoted, Some(b'[' | b'(' | b'{')) => {
                brackets_end(rest).map(|end| at + end).ok_or_else(|| open("a field"))
            }
            (Rule::Quoted, _) => until(rest, last, |at| stands(&ends, &rest[at..])).map(|end| at + end),
            (Rule::Json, Some(b'"' | b'[' | b'{')) => {
                let mut cursor = JsonCursor::new(rest);
                match cursor.value() {
                    Ok(_) if at + cursor.at == input.len() && !last => Err(Uncut::More),
                    Ok(_) => Ok(at + cursor.at),
                    Err(_) if !last && (is_cut_off(rest) || cursor.at == rest.len()) => Err(Uncut::More),
                    Err(fault) => Err(Uncut::Wrong(fault.reason.to_string())),
                }
            }
            (Rule::Json, _) => {
                let is_end = |at: usize| matches!(rest[at], b',' | b'\n') || stands(&ends, &rest[at..]);
                until(rest, last, is_end).map(|end| at + end)
            }
            (Rule::Xml, _) => Err(Uncut::Wrong("the XML escaping rule is only for writing".to_string())),
        }
    }

    /// As `Rule::text`.
    pub fn text(&self, raw: &[u8]) -> Vec<u8> {
        self.rule.text(raw)
    }
}

/// What a quoted field of CSV says, given with its quotes.
pub(crate) fn undoubled(raw: &[u8]) -> Vec<u8> {
    let inner = raw.strip_prefix(b"\"").unwrap_or(raw);
    let mut rest = inner.strip_suffix(b"\"").unwrap_or(inner);
    let mut text = Vec::with_capacity(rest.len());
    while let Some(at) = memchr::memchr(b'"', rest) {
        text.extend_from_slice(&rest[..=at]);
        rest = rest.get(at + 2..).unwrap_or_default();
    }
    text.extend_from_slice(rest);
    text
}

/// Of one line.
fn is_space(c: u8) -> bool {
    matches!(c, b' ' | b'\t' | 0x0b | 0x0c)
}

/// Whether the delimiter stands at `at`.
pub(crate) fn starts(input: &[u8], at: usize, delimiter: &[u8], last: bool) -> std::result::Result<bool, Uncut> {
    let rest = &input[at.min(input.len())..];
    if rest.len() < delimiter.len() && !last && delimiter.starts_with(rest) {
        return Err(Uncut::More);
    }
    Ok(rest.starts_with(delimiter))
}

/// Passes over a delimiter that has to be there.
pub(crate) fn expect(
    input: &[u8],
    at: usize,
    delimiter: &[u8],
    last: bool,
    place: &str,
) -> std::result::Result<usize, Uncut> {
    if starts(input, at, delimiter, last)? { Ok(at + delimiter.len()) } else { Err(unexpected(input, at, delimiter, place)) }
}

fn unexpected(input: &[u8], at: usize, delimiter: &[u8], place: &str) -> Uncut {
    let rest = &input[at.min(input.len())..];
    let shown = String::from_utf8_lossy(&rest[..rest.len().min(20)]).into_owned();
    let wanted = String::from_utf8_lossy(delimiter).escape_debug().to_string();
    let found = if rest.is_empty() { "at end of stream".to_string() } else { format!("before: '{}'", shown.escape_debug()) };
    Uncut::Wrong(format!("Cannot parse input: expected '{wanted}' {found} ({place})"))
}

/// Whether one of these delimiters stands at the start.
fn stands(ends: &[&[u8]; 2], rest: &[u8]) -> bool {
    ends.iter().any(|end| !end.is_empty() && rest.starts_with(end))
}

/// The first place that `is_end` says. The end of the data is one.
fn until(rest: &[u8], last: bool, is_end: impl Fn(usize) -> bool) -> std::result::Result<usize, Uncut> {
    match (0..rest.len()).find(|at| is_end(*at)) {
        Some(at) => Ok(at),
        None if last => Ok(rest.len()),
        None => Err(Uncut::More),
    }
}

/// The end of a value that stands in brackets of SQL.
fn brackets_end(text: &[u8]) -> Option<usize> {
    let mut depth = 0usize;
    let mut at = 0;
    while let Some(c) = text.get(at) {
        match c {
            b'\'' => {
                at += 1;
                loop {
                    at += memchr::memchr2(b'\'', b'\\', text.get(at..)?)?;
                    if text[at] == b'\'' {
                        break;
                    }
                    at += 2;
                }
            }
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
        at += 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dialect(rule: &str, field: &str) -> CustomDialect {
        let mut settings = Settings::default();
        settings.set("format_custom_escaping_rule", rule).expect("a rule");
        settings.set("format_custom_field_delimiter", field).expect("a delimiter");
        CustomDialect::of(&settings).expect("a dialect")
    }

    fn cut(rule: &str, text: &str, wanted: usize) -> Option<Vec<String>> {
        let mut fields = Vec::new();
        let dialect = dialect(rule, "<|>");
        let end = dialect.row(text.as_bytes(), 0, false, Some(wanted), &mut fields).ok()?;
        assert!(text[..end].ends_with('\n'));
        Some(fields.into_iter().map(|field| text[field].to_string()).collect())
    }

    #[test]
    fn delimiters_within_quotes_are_part_of_the_field() {
        assert_eq!(
            cut("CSV", "1<|>\"a<|>\"\"\"<|>b<|>c\n", 3),
            Some(vec!["1".into(), "\"a<|>\"\"\"".into(), "b<|>c".into()])
        );
        assert_eq!(cut("Quoted", "'a<|>\\''<|>['<|>',2]\n", 2), Some(vec!["'a<|>\\''".into(), "['<|>',2]".into()]));
        assert_eq!(cut("JSON", "{\"a\":\"<|>\"}<|>2\n", 2), Some(vec!["{\"a\":\"<|>\"}".into(), "2".into()]));
    }

    #[test]
    fn spaces_around_fields_and_delimiters_are_ignored() {
        let dialect = |rule| CustomDialect { spaces: true, ..dialect(rule, ",") };
        for (rule, text) in
            [("Quoted", " 1 \t, [ 2 ]  , 'x y' \n"), ("JSON", " 1 ,\t[ 2 ], \"x y\"  \n"), ("CSV", " 1, [ 2 ], x y\n")]
        {
            let mut fields = Vec::new();
            let end = dialect(rule).row(text.as_bytes(), 0, true, Some(3), &mut fields);
            assert!(matches!(end, Ok(end) if end == text.len()), "{rule}");
            let texts: Vec<&str> = fields.iter().map(|field| text[field.clone()].trim_matches(['\'', '"'])).collect();
            assert_eq!(texts, ["1", "[ 2 ]", "x y"], "{rule}");
        }
        assert!(matches!(dialect("CSV").is_over(b"  \n", true, false), Ok(true)));
        assert!(matches!(dialect("CSV").is_over(b"  1", true, false), Ok(false)));
    }

    #[test]
    fn a_row_that_is_cut_off_is_waited_for_at_every_byte() {
        for (rule, text) in
            [("CSV", "\"a\"<|>b\n"), ("Quoted", "'a'<|>1\n"), ("JSON", "12<|>\"b\"\n"), ("Escaped", "1<|>2\n")]
        {
            let dialect = dialect(rule, "<|>");
            for length in 0..text.len() {
                let cut = dialect.row(&text.as_bytes()[..length], 0, false, Some(2), &mut Vec::new());
                assert!(matches!(cut, Err(Uncut::More)), "{rule} {length}");
            }
            assert!(dialect.row(text.as_bytes(), 0, false, Some(2), &mut Vec::new()).is_ok(), "{rule}");
        }
    }
}
