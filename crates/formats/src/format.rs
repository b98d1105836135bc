//! The formats: their names and aliases (ClickHouse's), the file extensions that tell them, what they can do.
//!
//! One table (`formats!`) declares all of that; everything else asks `Format`.

use gristmill_base::{Error, ErrorCode, Result};
use gristmill_introspect::settings::nearest;
use serde::{Deserialize, Serialize};

use crate::compression::Compression;

/// Of data that is only read.
const UNTYPED: &str = "";
const BINARY: &str = "application/octet-stream";
const TEXT: &str = "text/plain; charset=UTF-8";
const CSV: &str = "text/csv; charset=UTF-8; header=absent";
const CSV_HEADER: &str = "text/csv; charset=UTF-8; header=present";
const TSV: &str = "text/tab-separated-values; charset=UTF-8";
const JSON: &str = "application/json; charset=UTF-8";
const NDJSON: &str = "application/x-ndjson; charset=UTF-8";
const XML: &str = "application/xml; charset=UTF-8";

macro_rules! formats {
    ($($variant:ident $name:literal $aliases:tt $input:literal $output:literal $content:ident;)*) => {
        /// A format of ClickHouse's.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
        pub enum Format { $($variant,)* }

        impl Format {
            /// Every format, in the order they are declared.
            pub const ALL: &[Format] = &[$(Format::$variant),*];

            fn declared(self) -> Declared {
                match self {
                    $(Format::$variant => Declared {
                        name: $name, aliases: &$aliases, input: $input == 1, output: $output == 1, content: $content,
                    },)*
                }
            }
        }
    };
}

struct Declared {
    name: &'static str,
    aliases: &'static [&'static str],
    input: bool,
    output: bool,
    content: &'static str,
}

formats! {
    Parquet "Parquet" [] 1 1 BINARY;
    Arrow "Arrow" [] 1 1 BINARY;
    ArrowStream "ArrowStream" [] 1 1 BINARY;
    Avro "Avro" [] 1 1 BINARY;
    Orc "ORC" [] 1 1 BINARY;
    Csv "CSV" [] 1 1 CSV;
    CsvWithNames "CSVWithNames" [] 1 1 CSV_HEADER;
    CsvWithNamesAndTypes "CSVWithNamesAndTypes" [] 1 1 CSV_HEADER;
    Tsv "TabSeparated" ["TSV"] 1 1 TSV;
    TsvWithNames "TabSeparatedWithNames" ["TSVWithNames"] 1 1 TSV;
    TsvWithNamesAndTypes "TabSeparatedWithNamesAndTypes" ["TSVWithNamesAndTypes"] 1 1 TSV;
    TsvRaw "TabSeparatedRaw" ["TSVRaw", "Raw"] 1 1 TSV;
    TsvRawWithNames "TabSeparatedRawWithNames" ["TSVRawWithNames", "RawWithNames"] 1 1 TSV;
    TsvRawWithNamesAndTypes "TabSeparatedRawWithNamesAndTypes" ["TSVRawWithNamesAndTypes", "RawWithNamesAndTypes"] 1 1 TSV;
    JsonEachRow "JSONEachRow" ["NDJSON", "JSONLines", "JSONL"] 1 1 NDJSON;
    JsonStringsEachRow "JSONStringsEachRow" [] 1 1 NDJSON;
    PrettyJsonEachRow "PrettyJSONEachRow" ["PrettyNDJSON", "PrettyJSONLines"] 0 1 NDJSON;
    JsonEachRowWithProgress "JSONEachRowWithProgress" [] 0 1 JSON;
    JsonStringsEachRowWithProgress "JSONStringsEachRowWithProgress" [] 0 1 JSON;
    JsonCompactEachRowWithProgress "JSONCompactEachRowWithProgress" [] 0 1 JSON;
    JsonCompactStringsEachRowWithProgress "JSONCompactStringsEachRowWithProgress" [] 0 1 JSON;
    JsonObjectEachRow "JSONObjectEachRow" [] 1 1 JSON;
    Json "JSON" [] 1 1 JSON;
    JsonStrings "JSONStrings" [] 1 1 JSON;
    JsonCompact "JSONCompact" [] 1 1 JSON;
    JsonCompactStrings "JSONCompactStrings" [] 1 1 JSON;
    JsonCompactEachRow "JSONCompactEachRow" [] 1 1 TEXT;
    JsonCompactEachRowWithNames "JSONCompactEachRowWithNames" [] 1 1 TEXT;
    JsonCompactEachRowWithNamesAndTypes "JSONCompactEachRowWithNamesAndTypes" [] 1 1 TEXT;
    JsonCompactStringsEachRow "JSONCompactStringsEachRow" [] 1 1 TEXT;
    JsonCompactStringsEachRowWithNames "JSONCompactStringsEachRowWithNames" [] 1 1 TEXT;
    JsonCompactStringsEachRowWithNamesAndTypes "JSONCompactStringsEachRowWithNamesAndTypes" [] 1 1 TEXT;
    JsonColumns "JSONColumns" [] 1 1 JSON;
    JsonCompactColumns "JSONCompactColumns" [] 1 1 JSON;
    JsonColumnsWithMetadata "JSONColumnsWithMetadata" [] 1 1 JSON;
    JsonAsString "JSONAsString" [] 1 0 JSON;
    CustomSeparated "CustomSeparated" [] 1 1 TEXT;
    CustomSeparatedWithNames "CustomSeparatedWithNames" [] 1 1 TEXT;
    CustomSeparatedWithNamesAndTypes "CustomSeparatedWithNamesAndTypes" [] 1 1 TEXT;
    CustomSeparatedIgnoreSpaces "CustomSeparatedIgnoreSpaces" [] 1 0 TEXT;
    CustomSeparatedIgnoreSpacesWithNames "CustomSeparatedIgnoreSpacesWithNames" [] 1 0 TEXT;
    CustomSeparatedIgnoreSpacesWithNamesAndTypes "CustomSeparatedIgnoreSpacesWithNamesAndTypes" [] 1 0 TEXT;
    Template "Template" [] 1 1 TEXT;
    TemplateIgnoreSpaces "TemplateIgnoreSpaces" [] 1 0 TEXT;
    Regexp "Regexp" [] 1 0 TEXT;
    Form "Form" [] 1 0 TEXT;
    Xml "XML" [] 0 1 XML;
    Pretty "Pretty" [] 0 1 TEXT;
    PrettyNoEscapes "PrettyNoEscapes" [] 0 1 TEXT;
    PrettyMonoBlock "PrettyMonoBlock" [] 0 1 TEXT;
    PrettyNoEscapesMonoBlock "PrettyNoEscapesMonoBlock" [] 0 1 TEXT;
    PrettyCompact "PrettyCompact" [] 0 1 TEXT;
    PrettyCompactNoEscapes "PrettyCompactNoEscapes" [] 0 1 TEXT;
    PrettyCompactMonoBlock "PrettyCompactMonoBlock" [] 0 1 TEXT;
    PrettyCompactNoEscapesMonoBlock "PrettyCompactNoEscapesMonoBlock" [] 0 1 TEXT;
    PrettySpace "PrettySpace" [] 0 1 TEXT;
    PrettySpaceNoEscapes "PrettySpaceNoEscapes" [] 0 1 TEXT;
    PrettySpaceMonoBlock "PrettySpaceMonoBlock" [] 0 1 TEXT;
    PrettySpaceNoEscapesMonoBlock "PrettySpaceNoEscapesMonoBlock" [] 0 1 TEXT;
    Vertical "Vertical" [] 0 1 TEXT;
    Values "Values" [] 1 1 TEXT;
    SqlInsert "SQLInsert" [] 0 1 TEXT;
    Markdown "Markdown" ["MD"] 0 1 TEXT;
    Tskv "TSKV" [] 1 1 TSV;
    LineAsString "LineAsString" [] 1 1 TSV;
    LineAsStringWithNames "LineAsStringWithNames" [] 0 1 TSV;
    LineAsStringWithNamesAndTypes "LineAsStringWithNamesAndTypes" [] 0 1 TSV;
    RawBlob "RawBLOB" [] 1 1 TEXT;
    Native "Native" [] 1 1 BINARY;
    RowBinary "RowBinary" [] 1 1 BINARY;
    RowBinaryWithDefaults "RowBinaryWithDefaults" [] 1 0 BINARY;
    RowBinaryWithNames "RowBinaryWithNames" [] 1 1 BINARY;
    RowBinaryWithNamesAndTypes "RowBinaryWithNamesAndTypes" [] 1 1 BINARY;
    RowBinaryWithNamesAndTypesAndDefaults "RowBinaryWithNamesAndTypesAndDefaults" [] 1 0 BINARY;
    MsgPack "MsgPack" [] 1 1 BINARY;
    One "One" [] 1 0 UNTYPED;
    Null "Null" [] 0 1 TEXT;
}

/// The lines above the rows of a text format.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Header {
    None,
    Names,
    NamesAndTypes,
}

impl Format {
    /// By ClickHouse's name or alias, in any case. UNKNOWN_FORMAT otherwise, with the nearest known name.
    pub fn by_name(name: &str) -> Result<Format> {
        Format::ALL.iter().copied().find(|format| format.names().any(|known| known.eq_ignore_ascii_case(name))).ok_or_else(
            || {
                let near = nearest(name, Format::ALL.iter().flat_map(|format| format.names()));
                let hint = near.map_or_else(String::new, |near| format!(". Maybe you meant: ['{near}']"));
                Error::new(ErrorCode::UNKNOWN_FORMAT, format!("Unknown format {name}{hint}"))
            },
        )
    }

    /// By the extension of a path or URL, after that of a compression: `a/b.csv.gz` is CSV.
    pub fn by_extension(path: &str) -> Option<Format> {
        let path = path.split(['?', '#']).next().unwrap_or(path);
        let file = Compression::strip_extension(path.rsplit(['/', '\\']).next().unwrap_or(path));
        let (_, extension) = file.rsplit_once('.')?;
        Some(match extension.to_ascii_lowercase().as_str() {
            "parquet" | "pq" => Format::Parquet,
            "arrow" | "feather" => Format::Arrow,
            "arrows" => Format::ArrowStream,
            "csv" => Format::Csv,
            "tsv" | "tab" => Format::Tsv,
            "tskv" => Format::Tskv,
            "json" => Format::Json,
            "jsonl" | "ndjson" | "jsonlines" | "jsoneachrow" => Format::JsonEachRow,
            "md" => Format::Markdown,
            "sql" => Format::SqlInsert,
            "txt" => return None,
            other => return Format::by_name(other).ok(),
        })
    }

    /// The name that results and errors carry.
    pub fn name(self) -> &'static str {
        self.declared().name
    }

    /// The name and the aliases.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        let declared = self.declared();
        std::iter::once(declared.name).chain(declared.aliases.iter().copied())
    }

    pub fn aliases(self) -> &'static [&'static str] {
        self.declared().aliases
    }

    pub fn is_input(self) -> bool {
        self.declared().input
    }

    pub fn is_output(self) -> bool {
        self.declared().output
    }

    /// For the `Content-Type` header.
    pub fn content_type(self) -> &'static str {
        self.declared().content
    }

    /// Whether its bytes are no text.
    pub fn is_binary(self) -> bool {
        self.content_type() == BINARY
    }

    /// Files that need random access and say their own schema: they are read by columns, not by `parser`.
    pub fn is_columnar_file(self) -> bool {
        matches!(self, Format::Parquet | Format::Arrow | Format::Orc)
    }

    /// Whether rows can be put behind those that a file holds: it has nothing that ends it.
    pub fn supports_append(self) -> bool {
        use Format as F;
        let ends = matches!(
            self,
            F::Parquet
                | F::Arrow
                | F::ArrowStream
                | F::Avro
                | F::Orc
                | F::Json
                | F::JsonStrings
                | F::JsonCompact
                | F::JsonCompactStrings
                | F::JsonObjectEachRow
                | F::JsonColumnsWithMetadata
                | F::Xml
        );
        !ends
    }

    /// Whether data of this format names its types, so that nothing has to be guessed.
    pub fn carries_schema(self) -> bool {
        self.is_columnar_file()
            || matches!(self, Format::ArrowStream | Format::Avro)
            || self.header() == Header::NamesAndTypes
            || matches!(self, Format::Native | Format::LineAsString | Format::JsonAsString | Format::RawBlob | Format::One)
    }

    /// The lines above the rows.
    pub fn header(self) -> Header {
        use Format as F;
        match self {
            F::CsvWithNames
            | F::TsvWithNames
            | F::TsvRawWithNames
            | F::CustomSeparatedWithNames
            | F::CustomSeparatedIgnoreSpacesWithNames
            | F::LineAsStringWithNames
            | F::JsonCompactEachRowWithNames
            | F::JsonCompactStringsEachRowWithNames
            | F::RowBinaryWithNames => Header::Names,
            F::CsvWithNamesAndTypes
            | F::TsvWithNamesAndTypes
            | F::TsvRawWithNamesAndTypes
            | F::CustomSeparatedWithNamesAndTypes
            | F::CustomSeparatedIgnoreSpacesWithNamesAndTypes
            | F::LineAsStringWithNamesAndTypes
            | F::JsonCompactEachRowWithNamesAndTypes
            | F::JsonCompactStringsEachRowWithNamesAndTypes
            | F::RowBinaryWithNamesAndTypes
            | F::RowBinaryWithNamesAndTypesAndDefaults => Header::NamesAndTypes,
            _ => Header::None,
        }
    }

    /// Whether it is CustomSeparated, with or without a header.
    pub fn is_custom(self) -> bool {
        use Format as F;
        matches!(self, F::CustomSeparated | F::CustomSeparatedWithNames | F::CustomSeparatedWithNamesAndTypes)
            || self.ignores_spaces()
    }

    /// Whether it is CustomSeparated with spaces around fields and delimiters.
    pub fn ignores_spaces(self) -> bool {
        use Format as F;
        matches!(
            self,
            F::CustomSeparatedIgnoreSpaces
                | F::CustomSeparatedIgnoreSpacesWithNames
                | F::CustomSeparatedIgnoreSpacesWithNamesAndTypes
        )
    }

    /// Whether every value is a JSON string, whatever its type.
    pub fn json_strings(self) -> bool {
        use Format as F;
        matches!(
            self,
            F::JsonStrings
                | F::JsonCompactStrings
                | F::JsonStringsEachRow
                | F::JsonStringsEachRowWithProgress
                | F::JsonCompactStringsEachRowWithProgress
                | F::JsonCompactStringsEachRow
                | F::JsonCompactStringsEachRowWithNames
                | F::JsonCompactStringsEachRowWithNamesAndTypes
        )
    }
}

impl std::fmt::Display for Format {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_aliases_are_known_in_any_case() {
        assert_eq!(Format::by_name("ndjson").expect("alias"), Format::JsonEachRow);
        assert_eq!(Format::by_name("TSV").expect("alias").name(), "TabSeparated");
        let error = Format::by_name("JSONEachRo").expect_err("unknown");
        assert_eq!(error.code(), ErrorCode::UNKNOWN_FORMAT);
        assert!(error.message().contains("JSONEachRow"), "{error}");
    }

    #[test]
    fn the_extension_before_that_of_the_compression_tells_the_format() {
        assert_eq!(Format::by_extension("s3://b/x/data.csv.gz"), Some(Format::Csv));
        assert_eq!(Format::by_extension("http://h/part.0.parquet?versionId=3"), Some(Format::Parquet));
        assert_eq!(Format::by_extension("a/b.jsonl.zst"), Some(Format::JsonEachRow));
        assert_eq!(Format::by_extension("a/b.avro"), Some(Format::Avro));
        assert_eq!(Format::by_extension("a/b.orc"), Some(Format::Orc));
        assert_eq!(Format::by_extension("a.b/c"), None);
        assert_eq!(Format::by_extension("dump.gz"), None);
    }
}
