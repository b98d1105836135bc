//! `system.data_type_families`: names of types and their aliases.

use std::sync::Arc;

use gristmill_base::Result;
use gristmill_catalog::Table;

use crate::rows::table;

const STRUCTURE: &str = "name String, case_insensitive UInt8, alias_to String";

/// Types known by this very name.
const EXACT: &[&str] = &[
    "AggregateFunction",
    "Array",
    "BFloat16",
    "Enum16",
    "Enum8",
    "FixedString",
    "Float32",
    "Float64",
    "IPv4",
    "IPv6",
    "Int128",
    "Int16",
    "Int256",
    "Int32",
    "Int64",
    "Int8",
    "IntervalDay",
    "IntervalHour",
    "IntervalMicrosecond",
    "IntervalMillisecond",
    "IntervalMinute",
    "IntervalMonth",
    "IntervalNanosecond",
    "IntervalQuarter",
    "IntervalSecond",
    "IntervalWeek",
    "IntervalYear",
    "LineString",
    "LowCardinality",
    "Map",
    "MultiLineString",
    "MultiPoint",
    "MultiPolygon",
    "Nested",
    "Nothing",
    "Nullable",
    "Point",
    "Polygon",
    "Ring",
    "SimpleAggregateFunction",
    "String",
    "Tuple",
    "UInt128",
    "UInt16",
    "UInt256",
    "UInt32",
    "UInt64",
    "UInt8",
    "UUID",
];

/// Types known in any case.
const ANY_CASE: &[&str] = &[
    "Bool",
    "Date",
    "Date32",
    "DateTime",
    "DateTime32",
    "DateTime64",
    "Decimal",
    "Decimal128",
    "Decimal256",
    "Decimal32",
    "Decimal64",
    "Enum",
    "Time",
    "Time64",
];

/// SQL's names, known in any case, and what they stand for.
const ALIASES: &[(&str, &str)] = &[
    ("BIGINT", "Int64"),
    ("BIGINT SIGNED", "Int64"),
    ("BIGINT UNSIGNED", "UInt64"),
    ("BINARY", "FixedString"),
    ("BINARY LARGE OBJECT", "String"),
    ("BINARY VARYING", "String"),
    ("BIT", "UInt64"),
    ("BLOB", "String"),
    ("BYTE", "Int8"),
    ("BYTEA", "String"),
    ("CHAR", "String"),
    ("CHAR LARGE OBJECT", "String"),
    ("CHAR VARYING", "String"),
    ("CHARACTER", "String"),
    ("CHARACTER LARGE OBJECT", "String"),
    ("CHARACTER VARYING", "String"),
    ("CLOB", "String"),
    ("DEC", "Decimal"),
    ("DOUBLE", "Float64"),
    ("DOUBLE PRECISION", "Float64"),
    ("ENUM", "Enum"),
    ("FIXED", "Decimal"),
    ("FLOAT", "Float32"),
    ("INET4", "IPv4"),
    ("INET6", "IPv6"),
    ("INT", "Int32"),
    ("INT SIGNED", "Int32"),
    ("INT UNSIGNED", "UInt32"),
    ("INT1", "Int8"),
    ("INT1 SIGNED", "Int8"),
    ("INT1 UNSIGNED", "UInt8"),
    ("INTEGER", "Int32"),
    ("INTEGER SIGNED", "Int32"),
    ("INTEGER UNSIGNED", "UInt32"),
    ("LONGBLOB", "String"),
    ("LONGTEXT", "String"),
    ("MEDIUMBLOB", "String"),
    ("MEDIUMINT", "Int32"),
    ("MEDIUMINT SIGNED", "Int32"),
    ("MEDIUMINT UNSIGNED", "UInt32"),
    ("MEDIUMTEXT", "String"),
    ("NATIONAL CHAR", "String"),
    ("NATIONAL CHAR VARYING", "String"),
    ("NATIONAL CHARACTER", "String"),
    ("NATIONAL CHARACTER LARGE OBJECT", "String"),
    ("NATIONAL CHARACTER VARYING", "String"),
    ("NCHAR", "String"),
    ("NCHAR LARGE OBJECT", "String"),
    ("NCHAR VARYING", "String"),
    ("NUMERIC", "Decimal"),
    ("NVARCHAR", "String"),
    ("REAL", "Float32"),
    ("SET", "UInt64"),
    ("SIGNED", "Int64"),
    ("SINGLE", "Float32"),
    ("SMALLINT", "Int16"),
    ("SMALLINT SIGNED", "Int16"),
    ("SMALLINT UNSIGNED", "UInt16"),
    ("TEXT", "String"),
    ("TIMESTAMP", "DateTime"),
    ("TINYBLOB", "String"),
    ("TINYINT", "Int8"),
    ("TINYINT SIGNED", "Int8"),
    ("TINYINT UNSIGNED", "UInt8"),
    ("TINYTEXT", "String"),
    ("UNSIGNED", "UInt64"),
    ("VARBINARY", "String"),
    ("VARCHAR", "String"),
    ("VARCHAR2", "String"),
    ("YEAR", "UInt16"),
    ("bool", "Bool"),
    ("boolean", "Bool"),
];

/// Names of types in order, whether they are found in any case, and what they are aliases of.
pub fn all() -> Vec<(&'static str, bool, &'static str)> {
    let mut families: Vec<(&str, bool, &str)> = EXACT.iter().map(|name| (*name, false, "")).collect();
    families.extend(ANY_CASE.iter().map(|name| (*name, true, "")));
    families.extend(ALIASES.iter().map(|(name, target)| (*name, true, *target)));
    families.sort_unstable();
    families
}

pub fn add(all: &mut Vec<Arc<dyn Table>>) -> Result<()> {
    all.push(table("system", "data_type_families", "SystemDataTypeFamilies", STRUCTURE, |_, rows| {
        for (name, any_case, target) in self::all() {
            rows.push([name.into(), any_case.into(), target.into()])?;
        }
        Ok(())
    })?);
    Ok(())
}

#[cfg(test)]
mod tests {
    use gristmill_types::SqlType;

    use super::*;

    #[test]
    fn every_alias_is_a_type_that_can_be_written() {
        for (alias, target) in ALIASES {
            let (written, expected) = match *target {
                "FixedString" => (format!("{alias}(3)"), "FixedString(3)".to_string()),
                "Decimal" => (format!("{alias}(9, 2)"), "Decimal(9, 2)".to_string()),
                "Enum" => (format!("{alias}('a')"), "Enum8('a' = 1)".to_string()),
                target => (alias.to_string(), target.to_string()),
            };
            assert_eq!(written.parse::<SqlType>().unwrap().to_string(), expected, "{alias}");
            assert!(written.to_lowercase().parse::<SqlType>().is_ok(), "{alias}");
        }
    }
}
