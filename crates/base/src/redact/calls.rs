//! Which arguments of functions, table functions and engines are credentials.

use super::secret_key;
use super::tokens::Token;

/// How credentials are told apart from other arguments. The positions are ClickHouse's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Call {
    /// `([cluster,] url, key, secret [, token] …)`
    S3 { cluster: usize },
    /// `([cluster,] connection_string | url, container, path, [account, key] …)`
    Azure { cluster: usize },
    /// `headers(name = value)`: every value.
    Headers,
    /// `HEADER(NAME 'x' VALUE 'y')`, of a dictionary's source.
    Header,
    /// `(addresses, database, table | database.table | table function, [user [, password]] [, sharding_key])`
    Remote,
    /// The argument of this position.
    At(usize),
    /// `encrypt(mode, …)`: everything behind the first argument.
    Encryption,
    /// None by its position, but named ones.
    Named,
}

/// What is shown of an argument.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Shown {
    All,
    None,
    /// Of `name = value` the name.
    Name,
}

impl Call {
    /// `of_database`: the statement makes a database; `of_engine`: the name stands behind ENGINE.
    pub(super) fn of(name: &str, of_database: bool, of_engine: bool) -> Option<Call> {
        let name = name.to_ascii_lowercase();
        Some(match name.as_str() {
            "s3" | "gcs" | "oss" | "cosn" | "s3queue" | "iceberg" | "icebergs3" | "deltalake" | "deltalakes3" | "hudi"
            | "paimon" | "paimons3" => Call::S3 { cluster: 0 },
            "s3cluster" | "gcscluster" | "icebergcluster" | "icebergs3cluster" | "deltalakecluster"
            | "deltalakes3cluster" | "hudicluster" | "paimoncluster" | "paimons3cluster" => Call::S3 { cluster: 1 },
            "azureblobstorage" | "azurequeue" | "icebergazure" | "deltalakeazure" | "paimonazure" => {
                Call::Azure { cluster: 0 }
            }
            "azureblobstoragecluster" | "icebergazurecluster" | "deltalakeazurecluster" | "paimonazurecluster" => {
                Call::Azure { cluster: 1 }
            }
            "headers" | "extra_credentials" => Call::Headers,
            "header" => Call::Header,
            "remote" | "remotesecure" => Call::Remote,
            "mysql" | "postgresql" | "materializedpostgresql" if of_database => Call::At(3),
            "mysql" | "postgresql" | "materializedpostgresql" | "mongodb" => Call::At(4),
            "redis" if of_engine => Call::At(2),
            "redis" => Call::At(4),
            "encrypt" | "decrypt" | "trydecrypt" | "aes_encrypt_mysql" | "aes_decrypt_mysql" => Call::Encryption,
            "hmac" => Call::At(2),
            // A connection string, whose parts are the driver's.
            "odbc" | "jdbc" => Call::At(0),
            "url" | "urlcluster" | "disk" | "clickhouse" | "http" | "kafka" | "nats" | "rabbitmq" => Call::Named,
            _ => return None,
        })
    }

    /// What is shown of each argument; they are without blanks.
    pub(super) fn hidden(self, arguments: &[Vec<Token<'_>>]) -> Vec<Shown> {
        let mut shown: Vec<Shown> = arguments.iter().map(|argument| self.named(argument)).collect();
        if self == Call::Header {
            // One argument of words: the reader hides nothing of it by name, so all of it is hidden.
            return vec![Shown::None; arguments.len()];
        }
        let is_named = |at: usize| name_of(&arguments[at]).is_some();
        let mut hide = |at: usize, always: bool| {
            if at < shown.len() && shown[at] == Shown::All && !is_named(at) && (always || credible(&arguments[at])) {
                shown[at] = Shown::None;
            }
        };
        match self {
            Call::S3 { cluster } => {
                // Where a format follows the URL, a structure follows it, and no credentials.
                if arguments.get(cluster + 1).is_some_and(|argument| !of_format(argument)) {
                    hide(cluster + 2, !arguments.get(cluster + 2).is_some_and(|argument| of_call(argument)));
                    hide(cluster + 3, false);
                }
            }
            Call::Azure { cluster } => {
                let first = arguments.get(cluster).map_or(&[][..], Vec::as_slice);
                match first {
                    [Token::Text { value, .. }] if value.to_ascii_lowercase().contains("accountkey=") => hide(cluster, true),
                    [Token::Text { .. }] => {}
                    // A connection string that is put together.
                    [] | [Token::Word(_) | Token::Name(_)] | [_, Token::Equals, ..] => {}
                    _ => hide(cluster, true),
                }
                hide(cluster + 4, false);
            }
            Call::Remote => {
                let table = arguments.get(1).map_or(&[][..], Vec::as_slice);
                let is_one = match table {
                    [Token::Text { value, .. }] => value.contains('.'),
                    table => table.iter().any(|token| matches!(token, Token::Other(".") | Token::Open)),
                };
                hide(if is_one { 3 } else { 4 }, true);
            }
            Call::At(position) => hide(position, true),
            Call::Encryption => (1..arguments.len()).for_each(|at| hide(at, true)),
            Call::Headers | Call::Header | Call::Named => {}
        }
        shown
    }

    fn named(self, argument: &[Token<'_>]) -> Shown {
        match name_of(argument) {
            Some(_) if self == Call::Headers => Shown::Name,
            Some(name) if secret_key(name) && !matches!(argument, [_, _, Token::Word(_)]) => Shown::Name,
            _ => Shown::All,
        }
    }
}

/// The name of `name = value`.
fn name_of<'a>(argument: &[Token<'a>]) -> Option<&'a str> {
    match argument {
        [Token::Word(name) | Token::Text { value: name, .. }, Token::Equals, ..] => Some(name),
        [Token::Name(name), Token::Equals, ..] => name.get(1..name.len() - 1),
        _ => None,
    }
}

/// `headers(…)` and `extra_credentials(…)`, which are read by themselves.
fn of_call(argument: &[Token<'_>]) -> bool {
    matches!(argument, [Token::Word(name), Token::Open, ..]
        if Call::of(name, false, false) == Some(Call::Headers))
}

/// Whether an argument that stands where a secret could is one: a string that is no format, structure or compression, or
/// an expression.
fn credible(argument: &[Token<'_>]) -> bool {
    match argument {
        [] | [Token::Word(_)] => false,
        [Token::Text { value, .. }] => !known_word(value) && !value.contains(' '),
        _ => !of_call(argument),
    }
}

/// Whether an argument says that no credentials follow: a format, or NOSIGN.
fn of_format(argument: &[Token<'_>]) -> bool {
    match argument {
        [Token::Text { value, .. }] => known_word(value),
        [Token::Word(word)] => word.eq_ignore_ascii_case("NOSIGN"),
        _ => false,
    }
}

/// Formats and methods of compression.
fn known_word(value: &str) -> bool {
    const WORDS: &[&str] = &[
        "",
        "auto",
        "none",
        "gzip",
        "gz",
        "zstd",
        "zst",
        "lz4",
        "xz",
        "lzma",
        "br",
        "brotli",
        "bz2",
        "snappy",
        "deflate",
        "parquet",
        "parquetmetadata",
        "orc",
        "avro",
        "avroconfluent",
        "arrow",
        "arrowstream",
        "native",
        "npy",
        "protobuf",
        "protobufsingle",
        "protobuflist",
        "capnproto",
        "msgpack",
        "bsoneachrow",
        "values",
        "vertical",
        "pretty",
        "prettycompact",
        "prettyspace",
        "markdown",
        "xml",
        "sqlinsert",
        "mysqldump",
        "mysqlwire",
        "postgresqlwire",
        "null",
        "regexp",
        "template",
        "templateignorespaces",
        "dwarf",
        "form",
        "one",
        "hash",
        "odbcdriver2",
        "prometheus",
        "lineasstring",
        "lineasstringwithnames",
        "lineasstringwithnamesandtypes",
        "rawblob",
        "tskv",
        "rowbinary",
        "rowbinarywithnames",
        "rowbinarywithnamesandtypes",
        "rowbinarywithdefaults",
    ];
    // Families of text formats: CSV, CSVWithNames, TabSeparatedRawWithNamesAndTypes, JSONCompactEachRowWithProgress …
    const FAMILIES: &[&str] = &["csv", "tsv", "tabseparated", "customseparated", "json", "pretty"];
    const ENDS: &[&str] = &[
        "",
        "raw",
        "withnames",
        "withnamesandtypes",
        "rawwithnames",
        "rawwithnamesandtypes",
        "eachrow",
        "asstring",
        "asobject",
        "strings",
        "columns",
        "columnswithmetadata",
        "compact",
        "compactcolumns",
        "compacteachrow",
        "compactstrings",
        "compacteachrowwithnames",
        "compacteachrowwithnamesandtypes",
        "compactstringseachrow",
        "compactstringseachrowwithnames",
        "compactstringseachrowwithnamesandtypes",
        "stringseachrow",
        "eachrowwithprogress",
        "compacteachrowwithprogress",
        "compactstringseachrowwithprogress",
        "stringseachrowwithprogress",
        "objecteachrow",
        "lines",
        "ignorespaces",
        "ignorespaceswithnames",
        "ignorespaceswithnamesandtypes",
        "noescapes",
    ];
    let value = value.to_ascii_lowercase();
    WORDS.contains(&value.as_str())
        || FAMILIES.iter().any(|family| value.strip_prefix(family).is_some_and(|end| ENDS.contains(&end)))
}
