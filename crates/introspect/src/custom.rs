//! Settings of users' own: names that begin with one of `custom_settings_prefixes` are taken with any value, which
//! `getSetting` gives back. ClickHouse's way of telling the type of a value along with it is the text in which they are kept,
//! shown, sent by clients and written in profiles: `UInt64_1`, `Int64_-1`, `Float64_0.5`, `Bool_1`, `'text'`, `NULL`.

use std::sync::OnceLock;

use gristmill_base::{Error, ErrorCode, Result};

static PREFIXES: OnceLock<Vec<String>> = OnceLock::new();

/// What such names begin with in a server that is not told otherwise, as in ClickHouse's own configuration.
pub const DEFAULT_PREFIX: &str = "SQL_";

/// Says, before the first session, what such names begin with. It stays so for the life of the process.
pub fn begin_with(prefixes: Vec<String>) {
    if *PREFIXES.get_or_init(|| prefixes.clone()) != prefixes {
        tracing::warn!("custom_settings_prefixes were said too late and are not kept to");
    }
}

/// Whether a name is one of a user's own settings.
pub fn is_custom(name: &str) -> bool {
    PREFIXES.get().is_some_and(|prefixes| prefixes.iter().any(|prefix| name.starts_with(prefix.as_str())))
}

/// The value of such a setting.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    Null,
    Bool(bool),
    UInt(u64),
    Int(i64),
    Float(f64),
    Text(String),
}

impl Value {
    /// Error: CANNOT_RESTORE_FROM_FIELD_DUMP.
    pub fn of(name: &str, text: &str) -> Result<Value> {
        Value::parse(text).ok_or_else(|| {
            Error::new(
                ErrorCode::CANNOT_RESTORE_FROM_FIELD_DUMP,
                format!(
                    "Couldn't restore Field from dump: {text}. Write setting '{name}' as UInt64_1, Float64_0.5 or 'text'"
                ),
            )
        })
    }

    fn parse(text: &str) -> Option<Value> {
        if text == "NULL" {
            return Some(Value::Null);
        }
        if let Some(inner) = text.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\'')) {
            return unescaped(inner).map(Value::Text);
        }
        let (kind, value) = text.split_once('_')?;
        Some(match kind {
            "UInt64" => Value::UInt(value.parse().ok()?),
            "Int64" => Value::Int(value.parse().ok()?),
            "Float64" => Value::Float(value.parse().ok()?),
            "Bool" => Value::Bool(match value {
                "1" | "true" => true,
                "0" | "false" => false,
                _ => return None,
            }),
            _ => return None,
        })
    }

    /// The text that `of` reads.
    pub fn text(&self) -> String {
        match self {
            Value::Null => "NULL".to_string(),
            Value::Bool(value) => format!("Bool_{}", u8::from(*value)),
            Value::UInt(value) => format!("UInt64_{value}"),
            Value::Int(value) => format!("Int64_{value}"),
            Value::Float(value) => format!("Float64_{value}"),
            Value::Text(text) => format!("'{}'", text.replace('\\', "\\\\").replace('\'', "\\'")),
        }
    }
}

/// `None`: a quote stands in it that ends it.
fn unescaped(text: &str) -> Option<String> {
    let mut out = String::with_capacity(text.len());
    let mut characters = text.chars();
    while let Some(c) = characters.next() {
        out.push(match c {
            '\'' => return None,
            '\\' => match characters.next()? {
                'n' => '\n',
                't' => '\t',
                'r' => '\r',
                '0' => '\0',
                'b' => '\u{8}',
                'f' => '\u{c}',
                other => other,
            },
            c => c,
        });
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Settings;

    #[test]
    fn values_keep_their_type() {
        for text in ["UInt64_1", "Int64_-3", "Float64_0.5", "Bool_1", "'it\\'s'", "'a\\\\b'", "''", "NULL"] {
            assert_eq!(Value::of("a", text).expect(text).text(), text);
        }
        assert_eq!(Value::of("a", "'a\\nb'").expect("a text"), Value::Text("a\nb".to_string()));
        for text in ["1", "abc", "UInt64_-1", "'a'b'", "'", "Bool_2"] {
            assert_eq!(Value::of("a", text).expect_err(text).code(), ErrorCode::CANNOT_RESTORE_FROM_FIELD_DUMP);
        }
    }

    #[test]
    fn names_with_a_prefix_are_settings() {
        begin_with(vec![DEFAULT_PREFIX.to_string()]);
        let mut settings = Settings::default();
        settings.set("SQL_a", "UInt64_7").expect("anyone's");
        assert_eq!(settings.get("SQL_a").as_deref(), Some("UInt64_7"));
        assert!(settings.is_changed("SQL_a"));
        assert_eq!(settings.changed(), [("SQL_a".to_string(), "UInt64_7".to_string())]);
        assert_eq!(settings.set("sql_a", "UInt64_7").expect_err("no prefix").code(), ErrorCode::UNKNOWN_SETTING);
        assert_eq!(settings.set("SQL_a", "7").expect_err("no type").code(), ErrorCode::CANNOT_RESTORE_FROM_FIELD_DUMP);
        settings.reset("SQL_a").expect("known");
        assert_eq!(settings.get("SQL_a"), None);
    }
}
