//! What has been seen of a column so far, and what it makes of its type.
//!
//! Each value gives a `Seen`; those of one column are merged row by row. Numbers widen (`Int64` → `Float64`), dates become
//! times, objects gain fields. What does not fit together is a `String` in text formats, where every field is text anyway; in
//! JSON only single values become one, and arrays or objects beside them are refused.

use gristmill_introspect::Settings;
use gristmill_types::SqlType;

#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Guess {
    /// NULL, or nothing that tells a type.
    Unknown,
    Bool,
    Int {
        negative: bool,
    },
    /// Whole numbers above Int64.
    UInt,
    /// Whole numbers of both kinds.
    Wide,
    Float,
    Date,
    DateTime,
    DateTime64,
    String,
    Array(Box<Seen>),
    Tuple(Vec<Seen>),
    /// Of keys and of values.
    Map(Box<Seen>, Box<Seen>),
    Object(Vec<(String, Seen)>),
}

/// A guess, and whether a NULL was among the values.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Seen {
    pub guess: Guess,
    pub null: bool,
}

/// Where the values come from: what mixes with what.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Origin {
    Text,
    Json(Mixes),
}

/// What JSON values of different kinds become, which settings say.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Mixes {
    numbers_to_text: bool,
    bools_to_text: bool,
    bools_to_numbers: bool,
    /// Of a field that is an object here and a single value there.
    ambiguous_to_text: bool,
}

impl Origin {
    pub fn json(settings: &Settings) -> Origin {
        Origin::Json(Mixes {
            numbers_to_text: settings.input_format_json_read_numbers_as_strings,
            bools_to_text: settings.input_format_json_read_bools_as_strings,
            bools_to_numbers: settings.input_format_json_read_bools_as_numbers,
            ambiguous_to_text: settings
                .input_format_json_use_string_type_for_ambiguous_paths_in_named_tuples_inference_from_objects,
        })
    }

    pub fn is_json(self) -> bool {
        matches!(self, Origin::Json(_))
    }
}

impl Mixes {
    /// Whether two single values of different kinds are text together.
    fn are_text(self, a: &Guess, b: &Guess) -> bool {
        let becomes_text = |guess: &Guess| match guess {
            Guess::Bool => self.bools_to_text,
            Guess::Int { .. } | Guess::UInt | Guess::Wide | Guess::Float => self.numbers_to_text,
            _ => true,
        };
        let (is_truth, is_other) = (*a == Guess::Bool || *b == Guess::Bool, is_number(a) || is_number(b));
        is_single(a) && is_single(b) && becomes_text(a) && becomes_text(b) && !(is_truth && is_other)
    }
}

impl From<Guess> for Seen {
    fn from(guess: Guess) -> Seen {
        Seen { guess, null: false }
    }
}

impl Seen {
    pub const NULL: Seen = Seen { guess: Guess::Unknown, null: true };

    /// Nothing was seen.
    pub fn nothing() -> Seen {
        Guess::Unknown.into()
    }

    /// Adds what another value showed. `None`: they do not fit together.
    pub fn merged(self, other: Seen, origin: Origin) -> Option<Seen> {
        let null = self.null || other.null;
        let guess = merged(self.guess, other.guess, origin)?;
        Some(Seen { guess, null })
    }

    /// Whether every type inside is known.
    pub fn is_told(&self) -> bool {
        match &self.guess {
            Guess::Unknown => false,
            Guess::Array(inner) => inner.is_told(),
            Guess::Map(key, value) => key.is_told() && value.is_told(),
            Guess::Tuple(fields) => fields.iter().all(Seen::is_told),
            Guess::Object(fields) => !fields.is_empty() && fields.iter().all(|(_, field)| field.is_told()),
            _ => true,
        }
    }

    /// The type, `nullable` being the setting `schema_inference_make_columns_nullable`.
    pub fn kind(&self, nullable: u64, origin: Origin) -> SqlType {
        if origin == Origin::Text && !self.is_told() {
            return self.with_null(SqlType::String, nullable);
        }
        let inside = |seen: &Seen| seen.kind(nullable, origin);
        let kind = match &self.guess {
            Guess::Unknown | Guess::String => SqlType::String,
            Guess::Bool => SqlType::Bool,
            Guess::Int { .. } => SqlType::Int64,
            Guess::UInt => SqlType::UInt64,
            Guess::Wide => SqlType::Int128,
            Guess::Float => SqlType::Float64,
            Guess::Date => SqlType::Date,
            Guess::DateTime => SqlType::DateTime(None),
            Guess::DateTime64 => SqlType::DateTime64(9, None),
            Guess::Array(element) => SqlType::array(inside(element)),
            Guess::Map(key, value) => SqlType::Map(Box::new(key.kind(0, origin)), Box::new(inside(value))),
            Guess::Tuple(fields) => SqlType::Tuple(fields.iter().map(|field| (None, inside(field))).collect()),
            Guess::Object(fields) if fields.is_empty() => SqlType::String,
            Guess::Object(fields) => {
                SqlType::Tuple(fields.iter().map(|(name, field)| (Some(name.clone()), inside(field))).collect())
            }
        };
        self.with_null(kind, nullable)
    }

    fn with_null(&self, kind: SqlType, nullable: u64) -> SqlType {
        match nullable {
            0 => kind,
            2 if !self.null => kind,
            _ => kind.nullable(),
        }
    }

    /// As errors name it.
    pub fn name(&self, origin: Origin) -> String {
        self.kind(0, origin).to_string()
    }
}

fn merged(a: Guess, b: Guess, origin: Origin) -> Option<Guess> {
    use Guess as G;
    Some(match (a, b) {
        (G::Unknown, other) | (other, G::Unknown) => other,
        (G::Int { negative: a }, G::Int { negative: b }) => G::Int { negative: a || b },
        (G::Int { negative }, G::UInt) | (G::UInt, G::Int { negative }) => {
            if negative {
                G::Wide
            } else {
                G::UInt
            }
        }
        (G::Wide, G::Int { .. } | G::UInt) | (G::Int { .. } | G::UInt, G::Wide) => G::Wide,
        (G::Float, G::Int { .. } | G::UInt | G::Wide) | (G::Int { .. } | G::UInt | G::Wide, G::Float) => G::Float,
        (G::Bool, number @ (G::Int { .. } | G::UInt | G::Wide | G::Float))
        | (number @ (G::Int { .. } | G::UInt | G::Wide | G::Float), G::Bool)
            if matches!(origin, Origin::Json(mixes) if mixes.bools_to_numbers) =>
        {
            number
        }
        (G::Date, later @ (G::DateTime | G::DateTime64)) | (later @ (G::DateTime | G::DateTime64), G::Date) => later,
        (G::DateTime, G::DateTime64) | (G::DateTime64, G::DateTime) => G::DateTime64,
        (G::Array(a), G::Array(b)) if origin == Origin::Text => match same_kind(*a, *b) {
            Some(element) => G::Array(Box::new(element)),
            None => G::String,
        },
        (G::Array(a), G::Array(b)) => G::Array(Box::new(element(*a, *b, origin)?)),
        (G::Map(key, a), G::Map(other, b)) => match same_kind(*key, *other).zip(same_kind(*a, *b)) {
            Some((key, value)) => G::Map(Box::new(key), Box::new(value)),
            None => G::String,
        },
        (G::Tuple(a), G::Tuple(b)) if a.len() == b.len() => {
            G::Tuple(a.into_iter().zip(b).map(|(a, b)| a.merged(b, origin)).collect::<Option<_>>()?)
        }
        (G::Object(a), G::Object(b)) => G::Object(fields(a, b, origin)?),
        // `{}` tells no fields; beside text it is text.
        (G::Object(none), G::String) | (G::String, G::Object(none)) if none.is_empty() => G::String,
        (a, b) if a == b => a,
        (a, b) => match origin {
            Origin::Text => G::String,
            Origin::Json(mixes) if mixes.are_text(&a, &b) => G::String,
            Origin::Json(_) => return None,
        },
    })
}

/// Two elements of an array. Values of different kinds in one array are text.
pub(crate) fn element(a: Seen, b: Seen, origin: Origin) -> Option<Seen> {
    let null = a.null || b.null;
    match (a.merged(b, origin), origin) {
        (None, Origin::Json(_)) => Some(Seen { guess: Guess::String, null }),
        (Some(Seen { guess: Guess::String, .. }), Origin::Text) => Some(Seen { guess: Guess::String, null }),
        (merged, _) => merged,
    }
}

/// The fields of both, those of the first in front.
fn fields(mut a: Vec<(String, Seen)>, b: Vec<(String, Seen)>, origin: Origin) -> Option<Vec<(String, Seen)>> {
    for (name, seen) in b {
        match a.iter().position(|(known, _)| *known == name) {
            Some(at) => {
                let known = std::mem::replace(&mut a[at].1, Seen::nothing());
                let null = known.null || seen.null;
                let is_ambiguous = is_single(&known.guess) != is_single(&seen.guess)
                    && [&known.guess, &seen.guess].iter().any(|guess| matches!(guess, Guess::Object(_)))
                    && [&known.guess, &seen.guess].iter().all(|guess| **guess != Guess::Unknown);
                a[at].1 = match origin {
                    Origin::Json(mixes) if mixes.ambiguous_to_text && is_ambiguous => Seen { guess: Guess::String, null },
                    _ => known.merged(seen, origin)?,
                };
            }
            None => a.push((name, seen)),
        }
    }
    Some(a)
}

/// Keys, or elements, of literals: they must fit together without becoming text. What stands in quotes is text already, be it a
/// date.
pub(crate) fn same_kind(before: Seen, next: Seen) -> Option<Seen> {
    let is_text = |seen: &Seen| {
        matches!(seen.guess, Guess::Unknown | Guess::String | Guess::Date | Guess::DateTime | Guess::DateTime64)
    };
    let were_texts = is_text(&before) && is_text(&next);
    let merged = before.merged(next, Origin::Text)?;
    (were_texts || merged.guess != Guess::String).then_some(merged)
}

fn is_number(guess: &Guess) -> bool {
    matches!(guess, Guess::Int { .. } | Guess::UInt | Guess::Wide | Guess::Float)
}

fn is_single(guess: &Guess) -> bool {
    !matches!(guess, Guess::Array(_) | Guess::Tuple(_) | Guess::Map(..) | Guess::Object(_))
}
