//! Hive partitioning: `…/year=2024/country=DE/part.parquet` has the columns `year` and `country`, whose types are guessed
//! from the values of the first file.

use arrow::array::{ArrayRef, BinaryViewArray};
use gristmill_base::{Error, ErrorCode, Result, ResultExt};
use gristmill_types::{Column, SqlType};
use std::sync::Arc;

use super::file::SourceFile;

/// The partition columns of a path. A name that occurs twice with different values is refused.
pub fn columns(file: &SourceFile) -> Result<Vec<Column>> {
    let mut columns: Vec<(Column, &str)> = Vec::new();
    for (name, value) in file.hive_pairs() {
        match columns.iter().find(|(column, _)| column.name == name) {
            Some((_, known)) if *known != value => {
                return Err(Error::new(
                    ErrorCode::INCORRECT_DATA,
                    format!(
                        "Path '{}' to file with enabled hive-style partitioning contains duplicated partition key {name} with \
                             different values, only unique keys are allowed. Set use_hive_partitioning = 0 to read it as it is",
                        file.path
                    ),
                ));
            }
            Some(_) => {}
            None => columns.push((Column::new(name, guess(value)), value)),
        }
    }
    // In the order of their names, as ClickHouse has them.
    columns.sort_by(|(a, _), (b, _)| a.name.cmp(&b.name));
    Ok(columns.into_iter().map(|(column, _)| column).collect())
}

/// Whole numbers, fractions, dates and times are taken as such; everything else is text.
fn guess(value: &str) -> SqlType {
    let digits = value.strip_prefix('-').unwrap_or(value);
    if !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()) {
        if value.parse::<i64>().is_ok() {
            return SqlType::Int64;
        }
        if value.parse::<u64>().is_ok() {
            return SqlType::UInt64;
        }
    }
    if digits.contains('.') && digits.bytes().all(|b| b.is_ascii_digit() || b == b'.') && value.parse::<f64>().is_ok() {
        return SqlType::Float64;
    }
    if is_date(value) {
        return SqlType::Date;
    }
    SqlType::LowCardinality(Box::new(SqlType::String))
}

fn is_date(value: &str) -> bool {
    let bytes = value.as_bytes();
    let digits = |range: std::ops::Range<usize>| bytes[range].iter().all(u8::is_ascii_digit);
    bytes.len() == 10
        && bytes[4] == b'-'
        && bytes[7] == b'-'
        && digits(0..4)
        && digits(5..7)
        && digits(8..10)
        && (1..=12).contains(&value[5..7].parse().unwrap_or(0))
        && (1..=31).contains(&value[8..10].parse().unwrap_or(0))
}

/// The column's value for a file, as an array of one row. A path without the folder is refused: mixing both would
/// silently give defaults.
pub fn value(column: &Column, file: &SourceFile) -> Result<ArrayRef> {
    let Some((_, text)) = file.hive_pairs().find(|(name, _)| *name == column.name) else {
        return Err(Error::new(
            ErrorCode::INCORRECT_DATA,
            format!("The path '{}' has no folder '{}=…', which the other files of the source have", file.path, column.name),
        ));
    };
    let decoded = percent_decoded(text);
    let text = Arc::new(BinaryViewArray::from_iter_values([&decoded])) as ArrayRef;
    crate::object::convert::from_text(&text, &column.kind)
        .context(|| format!("in the folder '{}={}' of '{}'", column.name, String::from_utf8_lossy(&decoded), file.path))
}

/// Hive writes special characters of values as `%3A`.
fn percent_decoded(text: &str) -> Vec<u8> {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let code = text.get(at + 1..at + 3).filter(|_| bytes[at] == b'%').and_then(|code| u8::from_str_radix(code, 16).ok());
        out.push(code.unwrap_or(bytes[at]));
        at += if code.is_some() { 3 } else { 1 };
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_guessed_from_values() {
        for (value, kind) in [
            ("2024", "Int64"),
            ("-5", "Int64"),
            ("01", "Int64"),
            ("18446744073709551615", "UInt64"),
            ("1.5", "Float64"),
            ("2024-02-03", "Date"),
            ("2024-13-03", "LowCardinality(String)"),
            ("DE", "LowCardinality(String)"),
            ("", "LowCardinality(String)"),
        ] {
            assert_eq!(guess(value).to_string(), kind, "{value}");
        }
    }

    #[test]
    fn escaped_characters_of_values_are_decoded() {
        assert_eq!(percent_decoded("a%3Ab%zz%"), b"a:b%zz%");
    }
}
