//! Names of locales, as ICU reads them: `de_AT`, `de-u-co-phonebk-kn`, `de@collation=phonebook;colNumeric=yes`.

use gristmill_base::{Error, ErrorCode, Result};
use icu_collator::options::{AlternateHandling, CaseLevel, CollatorOptions, MaxVariable, Strength};
use icu_collator::{Collator, CollatorBorrowed};
use icu_locale_core::Locale;

use super::collations;

/// Keywords behind `@`, and the keys of Unicode's extension that they stand for.
const KEYWORDS: &[(&str, &str)] = &[
    ("collation", "co"),
    ("colnumeric", "kn"),
    ("colstrength", "ks"),
    ("colalternate", "ka"),
    ("colcaselevel", "kc"),
    ("colcasefirst", "kf"),
    ("colbackwards", "kb"),
    ("colreorder", "kr"),
];

/// The same of their values.
const VALUES: &[(&str, &str)] = &[
    ("phonebook", "phonebk"),
    ("traditional", "trad"),
    ("dictionary", "dict"),
    ("yes", "true"),
    ("no", "false"),
    ("primary", "level1"),
    ("secondary", "level2"),
    ("tertiary", "level3"),
    ("quaternary", "level4"),
    ("identical", "identic"),
    ("non-ignorable", "noignore"),
];

/// A name that is taken apart: that of a locale, and settings of its collation by their keys.
#[derive(Debug, PartialEq)]
struct Named {
    base: String,
    settings: Vec<(String, String)>,
}

impl Named {
    fn of(name: &str) -> Named {
        let name = name.to_ascii_lowercase();
        let (tag, keywords) = name.split_once('@').unwrap_or((&name, ""));
        let subtags: Vec<&str> = tag.split(['-', '_']).collect();
        let is_singleton = |subtag: &&str| subtag.len() == 1;
        let end = subtags.iter().skip(1).position(is_singleton).map_or(subtags.len(), |at| at + 1);
        let base = subtags[..end].join("_").trim_end_matches('_').to_string();
        let mut settings: Vec<(String, String)> = Vec::new();
        let extension = subtags[end..].iter().skip_while(|subtag| **subtag != "u").skip(1);
        for subtag in extension.take_while(|subtag| subtag.len() != 1) {
            if subtag.len() == 2 {
                settings.push((subtag.to_string(), String::new()));
            } else if let Some((_, value)) = settings.last_mut() {
                value.push_str(if value.is_empty() { "" } else { "-" });
                value.push_str(subtag);
            }
        }
        for (key, value) in keywords.split(';').filter_map(|keyword| keyword.split_once('=')) {
            settings.push((renamed(key.trim(), KEYWORDS), renamed(value.trim(), VALUES)));
        }
        Named { base, settings }
    }
}

fn renamed(word: &str, names: &[(&str, &str)]) -> String {
    names.iter().find(|(name, _)| *name == word).map_or(word, |(_, key)| *key).to_string()
}

/// The collation of a locale whose name is among `collations`, in any case. Errors: UNSUPPORTED_COLLATION_LOCALE;
/// NOT_IMPLEMENTED for scripts in another order and accents that are compared from the end.
pub(super) fn collator_of(name: &str) -> Result<CollatorBorrowed<'static>> {
    let unsupported = || {
        let text = format!("Unsupported collation locale: {name}. See system.collations for those that there are");
        Error::new(ErrorCode::UNSUPPORTED_COLLATION_LOCALE, text)
    };
    let named = Named::of(name);
    let known = collations().iter().find(|(known, _)| known.eq_ignore_ascii_case(&named.base));
    let (base, _) = known.ok_or_else(unsupported)?;
    let mut options = CollatorOptions::default();
    let mut kept = String::new();
    for (key, value) in &named.settings {
        match key.as_str() {
            "ks" => options.strength = strength(value),
            "ka" => options.alternate_handling = alternate_handling(value),
            "kc" => options.case_level = Some(if value == "false" { CaseLevel::Off } else { CaseLevel::On }),
            "kv" => options.max_variable = max_variable(value),
            "co" | "kf" | "kn" => {
                kept.push_str(if kept.is_empty() { "-u-" } else { "-" });
                kept.push_str(key);
                kept.push_str(if value.is_empty() { "" } else { "-" });
                kept.push_str(value);
            }
            "kr" | "kb" => return Err(Error::not_implemented(format!("The setting '{key}' of the collation '{name}'"))),
            _ => {}
        }
    }
    let locale = format!("{}{kept}", base.replace('_', "-"));
    let locale = Locale::try_from_str(&locale).map_err(|_| unsupported())?;
    Collator::try_new((&locale).into(), options).map_err(|_| unsupported())
}

fn strength(value: &str) -> Option<Strength> {
    match value {
        "level1" => Some(Strength::Primary),
        "level2" => Some(Strength::Secondary),
        "level3" => Some(Strength::Tertiary),
        "level4" => Some(Strength::Quaternary),
        "identic" => Some(Strength::Identical),
        _ => None,
    }
}

fn alternate_handling(value: &str) -> Option<AlternateHandling> {
    match value {
        "shifted" => Some(AlternateHandling::Shifted),
        "noignore" => Some(AlternateHandling::NonIgnorable),
        _ => None,
    }
}

fn max_variable(value: &str) -> Option<MaxVariable> {
    match value {
        "space" => Some(MaxVariable::Space),
        "punct" => Some(MaxVariable::Punctuation),
        "symbol" => Some(MaxVariable::Symbol),
        "currency" => Some(MaxVariable::Currency),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_read_in_both_forms() {
        let named = |base: &str, settings: &[(&str, &str)]| Named {
            base: base.to_string(),
            settings: settings.iter().map(|(key, value)| (key.to_string(), value.to_string())).collect(),
        };
        assert_eq!(Named::of("de_AT"), named("de_at", &[]));
        assert_eq!(Named::of("EN-"), named("en", &[]));
        assert_eq!(Named::of("en--us"), named("en__us", &[]));
        assert_eq!(Named::of("en-x-kn"), named("en", &[]));
        assert_eq!(
            Named::of("de-u-co-phonebk-kn-ks-level1"),
            named("de", &[("co", "phonebk"), ("kn", ""), ("ks", "level1")])
        );
        assert_eq!(Named::of("en_u_kr_grek_digit_t_de"), named("en", &[("kr", "grek-digit")]));
        assert_eq!(
            Named::of("de@collation=phonebook;colNumeric=yes;ka = shifted"),
            named("de", &[("co", "phonebk"), ("kn", "true"), ("ka", "shifted")])
        );
    }

    #[test]
    fn every_locale_of_the_list_has_a_collation() {
        assert!(collations().len() > 100 && collations().is_sorted());
        for (name, language) in collations() {
            assert!(collator_of(&name.to_ascii_uppercase()).is_ok() && !language.is_empty(), "{name}");
        }
        for (name, code) in [
            ("qq", ErrorCode::UNSUPPORTED_COLLATION_LOCALE),
            ("", ErrorCode::UNSUPPORTED_COLLATION_LOCALE),
            ("en ", ErrorCode::UNSUPPORTED_COLLATION_LOCALE),
            ("ру", ErrorCode::UNSUPPORTED_COLLATION_LOCALE),
            ("en-u-kr-grek", ErrorCode::NOT_IMPLEMENTED),
        ] {
            assert_eq!(collator_of(name).map(|_| ()).expect_err(name).code(), code);
        }
    }
}
