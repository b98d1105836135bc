//! A declared index, checked: its type with parameters, its expressions, and that one can be made of the other.

use std::sync::Arc;

use arrow::datatypes::DataType;
use gristmill_base::{Error, ErrorCode, Result, ResultExt};
use gristmill_catalog::{KeyExpression, SkipIndexDefinition, TableDefinition};
use gristmill_types::{Columns, SqlType};

use super::text::TextTokens;
use crate::environment::MergeTreeEnvironment;
use crate::index::order::KeyOrder;

/// What `bloom_filter` has without a parameter.
const FALSE_POSITIVES: f64 = 0.025;
/// A filter of a fixed size is held whole, one a unit.
const FILTER_BYTES_MAX: u64 = 16 << 20;
const HASHES_MAX: u64 = 64;
const NGRAM_MAX: u64 = 1024;

/// Types of indexes: what each is called, how it is written, and what it tells.
pub const KINDS: &[(&str, &str, &str)] = &[
    (
        "bloom_filter",
        "INDEX name expr TYPE bloom_filter([false_positive_rate]) GRANULARITY g",
        "A Bloom filter of the values, for equality, IN and elements of arrays.",
    ),
    (
        "text",
        "INDEX name expr TYPE text(tokenizer = splitByNonAlpha) GRANULARITY g",
        "The tokens of texts and the granules that have them, for hasToken, hasAnyTokens, hasAllTokens and LIKE.",
    ),
    (
        "tokenbf_v1",
        "INDEX name expr TYPE tokenbf_v1(size_in_bytes, num_hash_functions, seed) GRANULARITY g",
        "A Bloom filter of the tokens of texts, for whole words.",
    ),
    (
        "ngrambf_v1",
        "INDEX name expr TYPE ngrambf_v1(n, size_in_bytes, num_hash_functions, seed) GRANULARITY g",
        "A Bloom filter of the n-grams of texts, for LIKE and equality.",
    ),
    (
        "set",
        "INDEX name expr TYPE set(max_rows) GRANULARITY g",
        "The different values, up to max_rows of them (0: any number), for conditions on them.",
    ),
    ("minmax", "INDEX name expr TYPE minmax GRANULARITY g", "The least and the greatest value, for ranges and equality."),
];

/// The fixed size of a token or n-gram filter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FilterShape {
    pub bytes: usize,
    pub hashes: u32,
    pub seed: u64,
}

#[derive(Clone, Debug, PartialEq)]
pub enum SkipKind {
    MinMax,
    /// 0: any number of rows.
    Set {
        rows_max: usize,
    },
    /// A filter of whole values, sized for this share of wrong answers.
    Bloom {
        false_positives: f64,
    },
    Tokens(FilterShape),
    /// Of so many characters.
    Ngrams(usize, FilterShape),
    /// The tokens themselves.
    Text(TextTokens),
}

/// An index of a table, ready to be built and asked.
#[derive(Debug)]
pub struct SkipIndex {
    pub definition: SkipIndexDefinition,
    pub kind: SkipKind,
    /// Of texts with a preprocessor what it makes of them.
    pub expressions: Vec<KeyExpression>,
}

impl SkipIndex {
    /// The indexes of a table over the columns that it keeps. Errors: those of ClickHouse, saying which index is meant.
    pub fn of_table(
        definition: &TableDefinition,
        stored: &Columns,
        environment: &MergeTreeEnvironment,
    ) -> Result<Vec<Arc<SkipIndex>>> {
        let index = |index: &SkipIndexDefinition| {
            SkipIndex::new(index, stored, environment)
                .map(Arc::new)
                .context(|| format!("when validating secondary index `{}`", index.name))
        };
        let names = definition.skip_indexes.iter().map(|index| &index.name);
        if let Some(twice) =
            names.enumerate().find(|(at, name)| definition.skip_indexes[..*at].iter().any(|known| known.name == **name))
        {
            return Err(Error::new(
                ErrorCode::ILLEGAL_INDEX,
                format!("Duplicated index name {} is not allowed. Please use a different index name", twice.1),
            ));
        }
        let indexes: Vec<Arc<SkipIndex>> = definition.skip_indexes.iter().map(index).collect::<Result<_>>()?;
        let of_text = |index: &&Arc<SkipIndex>| matches!(index.kind, SkipKind::Text(_));
        let texts: Vec<&str> = indexes.iter().filter(of_text).map(|index| index.definition.expression.as_str()).collect();
        match texts.iter().enumerate().find(|(at, text)| texts[..*at].contains(text)) {
            Some((_, text)) => Err(bad(format!("Column `{text}` must not have more than one text index."))),
            None => Ok(indexes),
        }
    }

    fn new(definition: &SkipIndexDefinition, stored: &Columns, environment: &MergeTreeEnvironment) -> Result<SkipIndex> {
        if definition.granularity == 0 {
            return Err(bad("Index GRANULARITY must be a positive integer"));
        }
        let mut expressions = environment.compile_index(&definition.expression, stored)?;
        let kind = SkipKind::parse(&definition.kind)?;
        if matches!(kind, SkipKind::Text(_)) && expressions.len() != 1 {
            let text = "Text index must be created on a single column";
            return Err(Error::new(ErrorCode::INCORRECT_NUMBER_OF_COLUMNS, text));
        }
        for expression in &expressions {
            if expression.logical.is_volatile() {
                return Err(bad(format!("Expression must be deterministic: {}", expression.text)));
            }
            if expression.logical.column_refs().is_empty() {
                let text = format!("Secondary index '{}' cannot contain constants", definition.name);
                return Err(Error::new(ErrorCode::INCORRECT_QUERY, text));
            }
            kind.check(&expression.kind)?;
        }
        if matches!(&kind, SkipKind::Text(tokens) if tokens.is_preprocessed) {
            expressions = vec![environment.compile_preprocessed(definition, stored)?];
        }
        Ok(SkipIndex { definition: definition.clone(), kind, expressions })
    }

    /// Granules of a unit. A text index knows each by itself, whatever is shown.
    pub fn unit_granules(&self) -> u64 {
        if matches!(self.kind, SkipKind::Text(_)) { 1 } else { self.definition.granularity }
    }

    /// `minmax GRANULARITY 2`
    pub fn description(&self) -> String {
        format!("{} GRANULARITY {}", self.definition.kind_name(), self.definition.granularity)
    }
}

fn bad(text: impl Into<String>) -> Error {
    Error::new(ErrorCode::BAD_ARGUMENTS, text.into())
}

impl SkipKind {
    /// Of `tokenbf_v1(256, 2, 0)`. Errors: INCORRECT_QUERY, BAD_ARGUMENTS, NUMBER_OF_ARGUMENTS_DOESNT_MATCH.
    pub fn parse(text: &str) -> Result<SkipKind> {
        let (name, whole) = match text.split_once('(') {
            Some((name, rest)) => (name, rest.strip_suffix(')').unwrap_or(rest)),
            None => (text, ""),
        };
        if name == "text" {
            return TextTokens::parse(whole).map(SkipKind::Text);
        }
        let arguments = whole.trim_end_matches(')');
        let arguments: Vec<&str> = arguments.split(',').map(str::trim).filter(|argument| !argument.is_empty()).collect();
        let wrong_set = |text: &str| Error::new(ErrorCode::INCORRECT_QUERY, text.to_string());
        match name {
            "minmax" => Ok(SkipKind::MinMax),
            "set" => match arguments[..] {
                [rows] => match rows.parse() {
                    Ok(rows_max) => Ok(SkipKind::Set { rows_max }),
                    Err(_) => Err(wrong_set("Set index argument must be positive integer")),
                },
                _ => Err(wrong_set("Set index must have exactly one argument")),
            },
            "bloom_filter" => {
                let rate = match arguments[..] {
                    [] => Some(FALSE_POSITIVES),
                    [rate] => rate.parse::<f64>().ok(),
                    _ => {
                        return Err(Error::new(
                            ErrorCode::NUMBER_OF_ARGUMENTS_DOESNT_MATCH,
                            "BloomFilter index cannot have more than one parameter",
                        ));
                    }
                };
                match rate.filter(|rate| *rate > 0.0 && *rate < 1.0) {
                    Some(false_positives) => Ok(SkipKind::Bloom { false_positives }),
                    None => Err(bad("The BloomFilter false positive must be a double number between 0 and 1")),
                }
            }
            "tokenbf_v1" => Ok(SkipKind::Tokens(shape(&numbers("tokenbf", &arguments, 3)?)?)),
            "ngrambf_v1" => match numbers("ngrambf", &arguments, 4)?[..] {
                [0, ..] => Err(bad("ngram length must be at least 1")),
                [length, ..] if length > NGRAM_MAX => Err(bad(format!("ngram length must be at most {NGRAM_MAX}"))),
                [length, ref rest @ ..] => Ok(SkipKind::Ngrams(length as usize, shape(rest)?)),
                [] => Err(Error::logical("An index without the parameters that it was found to have")),
            },
            other => {
                let known: Vec<&str> = KINDS.iter().map(|(name, ..)| *name).collect();
                let text = format!("Unknown Index type '{other}'. Available index types: {}", known.join(", "));
                Err(Error::new(ErrorCode::INCORRECT_QUERY, text))
            }
        }
    }

    /// Whether values of the type can be indexed so.
    fn check(&self, kind: &SqlType) -> Result<()> {
        match self {
            SkipKind::MinMax | SkipKind::Set { .. } => {
                if KeyOrder::of_type(&kind.arrow()).is_none() || *kind.plain() == SqlType::Nothing {
                    return Err(bad(format!("Values of type {kind} have no order: they cannot be indexed")));
                }
                Ok(())
            }
            SkipKind::Bloom { .. } => {
                let is_indexed = match kind.plain() {
                    // As in ClickHouse, NULL may be among words of a dictionary.
                    SqlType::Array(element) => !matches!(**element, SqlType::Nullable(_)) && is_hashed(element.plain()),
                    plain => is_hashed(plain),
                };
                if is_indexed {
                    return Ok(());
                }
                let code = match kind.plain() {
                    SqlType::Array(inner) if matches!(inner.plain(), SqlType::Array(_)) => ErrorCode::BAD_ARGUMENTS,
                    _ => ErrorCode::ILLEGAL_COLUMN,
                };
                Err(Error::new(code, format!("Unexpected type {kind} of bloom filter index")))
            }
            SkipKind::Text(_) => {
                let text = match kind.plain() {
                    SqlType::Array(element) => element.plain(),
                    plain => plain,
                };
                if text.is_string() {
                    return Ok(());
                }
                Err(bad(format!(
                    "Text index must be created on columns of type with base type of String or FixedString, got: {kind}"
                )))
            }
            SkipKind::Tokens(_) | SkipKind::Ngrams(..) => {
                let is_text = match kind.storage() {
                    SqlType::Array(element) => !element.is_nullable() && element.is_string(),
                    plain => plain.is_string() && !kind.is_nullable(),
                };
                if is_text {
                    return Ok(());
                }
                Err(bad("Ngram and token bloom filter indexes can only be used with column types `String`, `FixedString`, \
                     `LowCardinality(String)`, `LowCardinality(FixedString)`, `Array(String)` or `Array(FixedString)`"))
            }
        }
    }
}

/// Types of which a Bloom filter is made.
fn is_hashed(kind: &SqlType) -> bool {
    kind.is_integer()
        || kind.is_float()
        || kind.is_string()
        || kind.is_enum()
        || kind.is_date_or_time()
        || matches!(kind, SqlType::Bool | SqlType::Uuid | SqlType::IPv4 | SqlType::IPv6)
}

fn numbers(name: &str, arguments: &[&str], count: usize) -> Result<Vec<u64>> {
    if arguments.len() != count {
        return Err(bad(format!("`{name}` index must have exactly {count} arguments")));
    }
    let parsed: Option<Vec<u64>> = arguments.iter().map(|argument| argument.parse().ok()).collect();
    parsed.ok_or_else(|| bad("All parameters to *bf_v1 index must be unsigned integers"))
}

/// Of bytes, hashes and seed.
fn shape(parameters: &[u64]) -> Result<FilterShape> {
    match *parameters {
        [0, ..] => Err(bad("The size of bloom filter cannot be zero")),
        [_, 0, _] => Err(bad("The number of hash functions for bloom filter cannot be zero")),
        [bytes, hashes, seed] if bytes <= FILTER_BYTES_MAX && hashes <= HASHES_MAX => {
            Ok(FilterShape { bytes: bytes as usize, hashes: hashes as u32, seed })
        }
        _ => Err(bad(format!(
            "A bloom filter has at most {FILTER_BYTES_MAX} bytes and {HASHES_MAX} hash functions: more would not make it better"
        ))),
    }
}

/// Whether two values may be equal and sort apart: zeros of different sign, somewhere inside.
pub fn holds_floats(data_type: &DataType) -> bool {
    match data_type {
        DataType::Float16 | DataType::Float32 | DataType::Float64 => true,
        DataType::List(field) | DataType::Map(field, _) => holds_floats(field.data_type()),
        DataType::Struct(fields) => fields.iter().any(|field| holds_floats(field.data_type())),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_read_with_their_parameters() {
        assert_eq!(SkipKind::parse("minmax").expect("known"), SkipKind::MinMax);
        assert_eq!(SkipKind::parse("set(100)").expect("known"), SkipKind::Set { rows_max: 100 });
        assert_eq!(SkipKind::parse("bloom_filter").expect("known"), SkipKind::Bloom { false_positives: 0.025 });
        let text = SkipKind::parse("text(tokenizer = splitByString([')', '(']))").expect("known");
        let SkipKind::Text(tokens) = &text else { panic!("{text:?}") };
        let mut all = Vec::new();
        tokens.each(b"a)b(c", |token| all.push(token.to_vec()));
        assert_eq!(all, [b"a", b"b", b"c"]);
        let shape = FilterShape { bytes: 256, hashes: 2, seed: 7 };
        assert_eq!(SkipKind::parse("ngrambf_v1(3, 256, 2, 7)").expect("known"), SkipKind::Ngrams(3, shape));
        for wrong in [
            "foo",
            "text",
            "set",
            "set(-1)",
            "bloom_filter(2)",
            "tokenbf_v1(256, 2)",
            "tokenbf_v1(0, 2, 0)",
            "ngrambf_v1(0, 1, 1, 1)",
        ] {
            SkipKind::parse(wrong).expect_err(wrong);
        }
    }
}
