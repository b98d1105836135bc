//! Settings: the mechanism. The list itself is `settings_declared/mod.rs`: one declaration a setting gives its typed field,
//! `SET`, the check of bad values, `system.settings` and the documentation.
//!
//! Values arrive as text (`SET a = 1`, `SETTINGS a = '1'`, `--a 1`, URL parameters), so each type says how it is read and
//! shown. An unknown name is refused with the nearest known one.

use gristmill_base::{Error, ErrorCode, units};

pub use crate::settings_declared::Settings;

/// How a type of setting is read from text and shown.
pub trait SettingValue: Sized {
    const TYPE: &'static str;
    fn parse(text: &str) -> Option<Self>;
    fn show(&self) -> String;
}

macro_rules! integer_setting {
    ($type:ty, $name:literal) => {
        impl SettingValue for $type {
            const TYPE: &'static str = $name;
            fn parse(text: &str) -> Option<Self> {
                match text.trim() {
                    "true" => Some(1),
                    "false" | "auto" => Some(0),
                    text if text.starts_with("auto(") && text.ends_with(')') => Some(0),
                    text => text.parse().ok().or_else(|| units::parse_size(text)?.try_into().ok()),
                }
            }
            fn show(&self) -> String {
                self.to_string()
            }
        }
    };
}
integer_setting!(u64, "UInt64");
integer_setting!(i64, "Int64");

impl SettingValue for bool {
    const TYPE: &'static str = "Bool";
    fn parse(text: &str) -> Option<Self> {
        match text.trim().to_ascii_lowercase().as_str() {
            "1" | "true" => Some(true),
            "0" | "false" => Some(false),
            _ => None,
        }
    }
    fn show(&self) -> String {
        u8::from(*self).to_string()
    }
}

impl SettingValue for f64 {
    const TYPE: &'static str = "Float";
    fn parse(text: &str) -> Option<Self> {
        text.trim().parse().ok().filter(|value: &f64| value.is_finite())
    }
    fn show(&self) -> String {
        self.to_string()
    }
}

impl SettingValue for String {
    const TYPE: &'static str = "String";
    fn parse(text: &str) -> Option<Self> {
        Some(text.to_string())
    }
    fn show(&self) -> String {
        self.clone()
    }
}

/// One declared setting, as `system.settings` shows it.
#[derive(Debug, Clone, PartialEq)]
pub struct SettingInfo {
    pub name: &'static str,
    pub kind: &'static str,
    pub default: String,
    pub description: &'static str,
    /// Accepted because clients send it; changes nothing here.
    pub no_effect: bool,
    /// The name that it is another one of.
    pub alias_for: Option<&'static str>,
}

pub(crate) fn unknown(name: &str, known: impl Iterator<Item = &'static str>) -> Error {
    let near = nearest(name, known);
    let hint = near.map_or_else(String::new, |near| format!(": Maybe you meant ['{near}']"));
    Error::new(ErrorCode::UNKNOWN_SETTING, format!("Unknown setting '{name}'{hint}"))
}

pub fn bad_value(name: &str, kind: &str, value: &str) -> Error {
    let code = match kind {
        "Bool" => ErrorCode::CANNOT_PARSE_BOOL,
        "Float" => ErrorCode::CANNOT_PARSE_NUMBER,
        _ if value.trim().is_empty() => ErrorCode::ATTEMPT_TO_READ_AFTER_EOF,
        _ if kind.contains("UInt") && i64::parse(value).is_some_and(|number| number < 0) => ErrorCode::CANNOT_CONVERT_TYPE,
        _ => ErrorCode::CANNOT_PARSE_INPUT_ASSERTION_FAILED,
    };
    Error::new(code, format!("Cannot parse '{value}' as the value of setting '{name}' ({kind})"))
        .with_context("give a value of that type")
}

/// The known name within an edit distance of a third of its length.
pub fn nearest<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let lower = name.to_ascii_lowercase();
    known
        .map(|candidate| (distance(&lower, &candidate.to_ascii_lowercase()), candidate))
        .filter(|(distance, candidate)| *distance <= candidate.len().max(3) / 3)
        .min()
        .map(|(_, candidate)| candidate)
}

/// Levenshtein distance, by rows.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, ca) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, cb) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(ca != *cb);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_arrive_as_text_and_are_checked() {
        let mut settings = Settings::default();
        settings.set("max_threads", "8").expect("known");
        assert_eq!(settings.max_threads, 8);
        assert_eq!(settings.changed(), vec![("max_threads".to_string(), "8".to_string())]);
        let error = settings.set("max_threads", "many").expect_err("no number");
        assert!(error.message().contains("max_threads"), "{error}");
    }

    #[test]
    fn an_unknown_name_is_refused_with_the_nearest_known_one() {
        let error = Settings::default().set("max_thread", "8").expect_err("unknown");
        assert_eq!(error.code(), ErrorCode::UNKNOWN_SETTING);
        assert!(error.message().contains("'max_threads'"), "{error}");
    }
}
