//! What a client must know of a statement before it sends it: whether data goes along, how the result is to be shown, and
//! what the statement changes of the session.
//!
//! The server reads the statement, and may know more than this program does. So the client looks at words alone
//! (`gristmill_sql::lexer`, which never fails) for what decides where data comes from and where results go; the parser is
//! asked for settings only, and where it does not understand the statement there are none.

use std::collections::BTreeMap;

use gristmill_base::{Error, ErrorCode, Result};
use gristmill_engine::split::insert_head;
use gristmill_engine::{IntoOutfile, StatementText};
use gristmill_formats::Format;
use gristmill_sql::lexer::{self, Kind};
use gristmill_sql::parameters::unescaped;
use gristmill_sql::statement::{self, Assignments, Statement};

/// Bytes of a statement in which its first word is looked for.
const HEAD_BYTES: usize = 64 << 10;

/// Where the rows of an INSERT come from.
#[derive(Clone, Debug, PartialEq)]
pub enum Data {
    /// They follow VALUES in the text.
    Values(String),
    /// They follow FORMAT in the text.
    Inline { format: String, bytes: Vec<u8> },
    /// From whoever runs the statement: standard input.
    Brought { format: String },
    /// Files of this machine. `format`: told by a file's name where the statement does not.
    Infile { pattern: String, compression: Option<String>, format: Option<String> },
}

/// What a statement changes of the session when it has ended well.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    Settings(Assignments),
    /// Values of `{name:Type}`, and settings that were given with them.
    Parameters(Vec<(String, String)>, Assignments),
    Database(String),
}

/// A statement, as a client sees it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Looked {
    /// What is sent: the statement without the data.
    pub text: String,
    pub data: Option<Data>,
    pub format: Option<String>,
    pub into_outfile: Option<IntoOutfile>,
    /// The SETTINGS of the statement, as far as this program knows the statement.
    pub settings: Assignments,
    pub change: Option<Change>,
}

/// A word, quoted text or sign outside of all brackets.
struct Seen<'a> {
    kind: Kind,
    text: &'a str,
    begin: usize,
}

impl Seen<'_> {
    fn is(&self, word: &str) -> bool {
        self.kind == Kind::Word && self.text.eq_ignore_ascii_case(word)
    }

    fn end(&self) -> usize {
        self.begin + self.text.len()
    }

    /// The text of a literal.
    fn literal(&self) -> Option<String> {
        if self.kind != Kind::Text {
            return None;
        }
        Some(unescaped(self.text.strip_prefix('\'')?.strip_suffix('\'')?))
    }
}

fn outside_brackets(text: &str) -> Vec<Seen<'_>> {
    let (mut begin, mut depth) = (0, 0i32);
    let mut seen = Vec::new();
    for token in lexer::tokens(text) {
        match token.text {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth -= 1,
            _ if depth <= 0 && !matches!(token.kind, Kind::Space | Kind::Comment | Kind::End) => {
                seen.push(Seen { kind: token.kind, text: token.text, begin });
            }
            _ => {}
        }
        begin += token.text.len();
    }
    seen
}

/// The first word: what kind of statement it is.
fn first_word(text: &str) -> &str {
    lexer::tokens(text.get(..HEAD_BYTES).unwrap_or(text))
        .into_iter()
        .find(|token| token.kind == Kind::Word)
        .map_or("", |token| token.text)
}

/// Whether it is an INSERT.
pub fn is_insert(text: &str) -> bool {
    first_word(text).eq_ignore_ascii_case("insert")
}

/// Whether there may be other tables and columns behind it.
pub fn changes_names(text: &str) -> bool {
    let changing = ["create", "drop", "alter", "rename", "attach", "detach", "exchange", "use", "undrop"];
    changing.iter().any(|word| first_word(text).eq_ignore_ascii_case(word))
}

/// Looks at a statement. Errors: SYNTAX_ERROR, of INTO OUTFILE and FROM INFILE alone; UNKNOWN_FORMAT.
pub fn look(given: &StatementText, parameters: &BTreeMap<String, String>) -> Result<Looked> {
    let text = given.text.as_str();
    let mut looked = Looked { text: text.to_string(), ..Looked::default() };
    let word = first_word(text).to_ascii_lowercase();
    if word == "insert" {
        insert(given, &mut looked)?;
    } else if !["create", "attach", "alter", "replace"].contains(&word.as_str()) {
        let seen = outside_brackets(text);
        looked.format = format_of(&seen);
        looked.into_outfile = outfile_of(&seen)?;
        if let Some(format) = &looked.format {
            Format::by_name(format)?;
        }
    }
    if let Ok(parsed) = statement::parse(&looked.text, parameters) {
        parsed_parts(parsed, &mut looked);
    }
    Ok(looked)
}

fn parsed_parts(parsed: Statement, looked: &mut Looked) {
    match parsed {
        Statement::Select(select) => looked.settings.extend(select.settings),
        Statement::Insert(insert) => looked.settings.extend(insert.settings),
        Statement::Shown { statement, after } => {
            parsed_parts(*statement, looked);
            looked.settings.extend(after.settings);
        }
        Statement::Explain { statement, .. } => parsed_parts(*statement, looked),
        Statement::Set(assignments) => looked.change = Some(Change::Settings(assignments)),
        Statement::SetParameters { parameters, settings } => {
            looked.change = Some(Change::Parameters(parameters, settings));
        }
        Statement::Use(database) => looked.change = Some(Change::Database(database)),
        _ => {}
    }
}

/// Takes the data of an INSERT out of it.
fn insert(given: &StatementText, looked: &mut Looked) -> Result<()> {
    let text = given.text.as_str();
    let Some(head) = insert_head(text.as_bytes(), true) else {
        let seen = outside_brackets(text);
        let infile = seen.windows(2).position(|pair| pair[0].is("FROM") && pair[1].is("INFILE"));
        if let Some(at) = infile {
            return insert_from_file(text, &seen, at, looked);
        }
        let queries = ["select", "with", "watch"];
        let is_query = |token: &lexer::Token<'_>| {
            token.kind == Kind::Word && queries.iter().any(|word| token.text.eq_ignore_ascii_case(word))
        };
        if !lexer::tokens(text).iter().any(is_query) {
            looked.text = format!("{} FORMAT Values", text.trim_end_matches([';', ' ', '\n']));
            looked.data = Some(Data::Brought { format: "Values".to_string() });
        }
        return Ok(());
    };
    looked.text = text[..head.statement].to_string();
    let rows = text.get(head.data..).unwrap_or_default().trim_end_matches(|c: char| c == ';' || c.is_whitespace());
    let format = looked.text.rsplit(|c: char| !(c.is_alphanumeric() || c == '_')).next().unwrap_or_default().to_string();
    Format::by_name(&format)?;
    looked.data = Some(match &given.inline_data {
        Some(bytes) => Data::Inline { format, bytes: bytes.clone() },
        None if head.is_values && !rows.trim().is_empty() => Data::Values(rows.to_string()),
        None if !rows.trim().is_empty() => Data::Inline { format, bytes: rows.as_bytes().to_vec() },
        None => Data::Brought { format },
    });
    Ok(())
}

/// `INSERT INTO t FROM INFILE 'pattern' [COMPRESSION 'gzip'] [SETTINGS …] [FORMAT CSV]`: the server gets it without the file.
fn insert_from_file(text: &str, seen: &[Seen<'_>], from: usize, looked: &mut Looked) -> Result<()> {
    let wrong = |what: &str| Error::new(ErrorCode::SYNTAX_ERROR, format!("Syntax error: FROM INFILE takes {what}"));
    let path = seen.get(from + 2).ok_or_else(|| wrong("the name of a file in quotes"))?;
    let pattern = path.literal().ok_or_else(|| wrong("the name of a file in quotes"))?;
    let mut rest = path.end();
    let mut compression = None;
    if let (Some(word), Some(method)) = (seen.get(from + 3), seen.get(from + 4))
        && word.is("COMPRESSION")
    {
        compression = Some(method.literal().ok_or_else(|| wrong("COMPRESSION with a name in quotes"))?);
        rest = method.end();
    }
    let named = seen[from..].windows(2).find(|pair| pair[0].is("FORMAT") && pair[1].kind == Kind::Word);
    let format = named.map(|pair| pair[1].text.to_string());
    let behind = text[rest..].trim_end_matches(|c: char| c == ';' || c.is_whitespace());
    looked.text = format!("{}{behind}", &text[..seen[from].begin]);
    if let Some(format) = &format {
        Format::by_name(format)?;
    } else {
        looked.text.push_str(" FORMAT Values");
    }
    looked.data = Some(Data::Infile { pattern, compression, format });
    Ok(())
}

/// The FORMAT clause: nothing but SETTINGS and INTO OUTFILE may follow it.
fn format_of(seen: &[Seen<'_>]) -> Option<String> {
    let at = (1..seen.len().saturating_sub(1)).rev().find(|at| {
        let ends = seen.get(at + 2).is_none_or(|next| next.is("SETTINGS") || next.is("INTO"));
        seen[*at].is("FORMAT") && seen[at + 1].kind == Kind::Word && ends
    })?;
    Some(seen[at + 1].text.to_string())
}

fn outfile_of(seen: &[Seen<'_>]) -> Result<Option<IntoOutfile>> {
    let Some(at) = seen.windows(2).position(|pair| pair[0].is("INTO") && pair[1].is("OUTFILE")) else { return Ok(None) };
    let wrong = || Error::new(ErrorCode::SYNTAX_ERROR, "Syntax error: INTO OUTFILE takes the name of a file in quotes");
    let path = seen.get(at + 2).and_then(Seen::literal).ok_or_else(wrong)?;
    let mut file = IntoOutfile { path, truncate: false, append: false, and_stdout: false, compression: None };
    let mut rest = seen[at + 3..].iter();
    while let Some(word) = rest.next() {
        match word.text.to_ascii_uppercase().as_str() {
            "TRUNCATE" => file.truncate = true,
            "APPEND" => file.append = true,
            "STDOUT" => file.and_stdout = true,
            "COMPRESSION" => file.compression = rest.next().and_then(Seen::literal),
            "FORMAT" | "SETTINGS" => break,
            _ => {}
        }
    }
    Ok(Some(file))
}

#[cfg(test)]
mod tests {
    use gristmill_engine::split::split;

    use super::*;

    fn looked(text: &str) -> Looked {
        look(&split(text)[0], &BTreeMap::new()).expect("looks")
    }

    #[test]
    fn the_data_of_an_insert_stays_here() {
        let with = |text: &str| {
            let looked = looked(text);
            (looked.text, looked.data.expect("data"))
        };
        let brought = |format: &str| Data::Brought { format: format.to_string() };
        let (text, data) = with("INSERT INTO t (a, `format x`) VALUES (1, 'x;'), (2, 'y');");
        assert_eq!(
            (text.as_str(), data),
            ("INSERT INTO t (a, `format x`) VALUES", Data::Values("(1, 'x;'), (2, 'y')".into()))
        );
        let (text, data) = with("INSERT INTO t FORMAT CSV\n1,2\n");
        assert_eq!(
            (text.as_str(), data),
            ("INSERT INTO t FORMAT CSV", Data::Inline { format: "CSV".into(), bytes: b"1,2\n".to_vec() })
        );
        assert_eq!(with("INSERT INTO t FORMAT TSV").1, brought("TSV"));
        assert_eq!(with("INSERT INTO t SELECT a FROM input('a Int8') FORMAT TSV").1, brought("TSV"));
        assert_eq!(with("insert into t values").1, brought("values"));
        assert_eq!(with("INSERT INTO db.t (a, b)"), ("INSERT INTO db.t (a, b) FORMAT Values".into(), brought("Values")));
    }

    #[test]
    fn an_insert_of_a_query_has_no_data_here() {
        for text in ["INSERT INTO t SELECT 1", "INSERT INTO t (SELECT 1)", "INSERT INTO t WITH 1 AS x SELECT x"] {
            assert_eq!(looked(text), Looked { text: text.into(), ..Looked::default() });
        }
    }

    #[test]
    fn a_file_is_read_here_and_the_server_hears_nothing_of_it() {
        let file = |text: &str| looked(text);
        let first = file("INSERT INTO t (a) FROM INFILE 'x*.csv.gz' COMPRESSION 'gzip' SETTINGS max_threads = 1 FORMAT CSV");
        assert_eq!(first.text, "INSERT INTO t (a)  SETTINGS max_threads = 1 FORMAT CSV");
        let data =
            Data::Infile { pattern: "x*.csv.gz".into(), compression: Some("gzip".into()), format: Some("CSV".into()) };
        assert_eq!(first.data, Some(data));
        assert_eq!(first.settings, [("max_threads".to_string(), "1".to_string())]);
        let second = file("INSERT INTO t FROM INFILE 'it\\'s.tsv';");
        assert_eq!(second.text, "INSERT INTO t  FORMAT Values");
        assert_eq!(second.data, Some(Data::Infile { pattern: "it's.tsv".into(), compression: None, format: None }));
        assert!(look(&split("INSERT INTO t FROM INFILE x")[0], &BTreeMap::new()).is_err());
    }

    #[test]
    fn what_is_shown_and_how_is_found_in_statements_that_only_the_server_knows() {
        let format = |text: &str| looked(text).format;
        assert_eq!(format("SOMETHING NEW ABOUT (SELECT 1 FORMAT TSV) FORMAT JSON;").as_deref(), Some("JSON"));
        assert_eq!(format("SELECT 1 FORMAT CSV SETTINGS max_threads = 1").as_deref(), Some("CSV"));
        assert_eq!(format("SELECT format FROM t"), None);
        assert_eq!(format("SELECT 'x' AS format"), None);
        assert!(look(&split("SELECT 1 FORMAT Nope")[0], &BTreeMap::new()).is_err());
        let file = looked("SELECT 1 INTO OUTFILE 'a b.csv' APPEND AND STDOUT COMPRESSION 'zstd' FORMAT TSV");
        assert_eq!(file.format.as_deref(), Some("TSV"));
        let wanted = IntoOutfile {
            path: "a b.csv".into(),
            truncate: false,
            append: true,
            and_stdout: true,
            compression: Some("zstd".into()),
        };
        assert_eq!(file.into_outfile, Some(wanted));
    }

    #[test]
    fn what_changes_the_session_is_known() {
        assert_eq!(looked("USE `a b`").change, Some(Change::Database("a b".into())));
        let settings = vec![("max_threads".to_string(), "3".to_string())];
        assert_eq!(looked("SET max_threads = 3").change, Some(Change::Settings(settings.clone())));
        let both = Change::Parameters(vec![("x".to_string(), "y".to_string())], settings);
        assert_eq!(looked("SET param_x = 'y', max_threads = 3").change, Some(both));
    }
}
