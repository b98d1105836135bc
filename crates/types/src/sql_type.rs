//! The types themselves, their canonical names, and questions about them.

use std::fmt;
use std::sync::Arc;

/// Names and values of an enum, in the order of their values.
#[derive(Clone, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct EnumValues(pub Arc<[(String, i16)]>);

impl EnumValues {
    pub fn name_of(&self, value: i16) -> Option<&str> {
        let at = self.0.binary_search_by_key(&value, |(_, value)| *value).ok()?;
        Some(&self.0[at].0)
    }

    pub fn value_of(&self, name: &[u8]) -> Option<i16> {
        self.0.iter().find(|(known, _)| known.as_bytes() == name).map(|(_, value)| *value)
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum IntervalKind {
    Nanosecond,
    Microsecond,
    Millisecond,
    Second,
    Minute,
    Hour,
    Day,
    Week,
    Month,
    Quarter,
    Year,
}

impl IntervalKind {
    /// Its length and another's in a unit that both are whole numbers of. `None`: a month has no certain number of days.
    pub fn ratio(self, other: IntervalKind) -> Option<(i64, i64)> {
        let length = |kind| match kind {
            IntervalKind::Nanosecond => (1, false),
            IntervalKind::Microsecond => (1_000, false),
            IntervalKind::Millisecond => (1_000_000, false),
            IntervalKind::Second => (1_000_000_000, false),
            IntervalKind::Minute => (60_000_000_000, false),
            IntervalKind::Hour => (3_600_000_000_000, false),
            IntervalKind::Day => (86_400_000_000_000, false),
            IntervalKind::Week => (604_800_000_000_000, false),
            IntervalKind::Month => (1, true),
            IntervalKind::Quarter => (3, true),
            IntervalKind::Year => (12, true),
        };
        let ((a, a_months), (b, b_months)) = (length(self), length(other));
        (a_months == b_months).then_some((a, b))
    }

    pub const ALL: [IntervalKind; 11] = [
        IntervalKind::Nanosecond,
        IntervalKind::Microsecond,
        IntervalKind::Millisecond,
        IntervalKind::Second,
        IntervalKind::Minute,
        IntervalKind::Hour,
        IntervalKind::Day,
        IntervalKind::Week,
        IntervalKind::Month,
        IntervalKind::Quarter,
        IntervalKind::Year,
    ];

    pub fn name(self) -> &'static str {
        match self {
            IntervalKind::Nanosecond => "Nanosecond",
            IntervalKind::Microsecond => "Microsecond",
            IntervalKind::Millisecond => "Millisecond",
            IntervalKind::Second => "Second",
            IntervalKind::Minute => "Minute",
            IntervalKind::Hour => "Hour",
            IntervalKind::Day => "Day",
            IntervalKind::Week => "Week",
            IntervalKind::Month => "Month",
            IntervalKind::Quarter => "Quarter",
            IntervalKind::Year => "Year",
        }
    }
}

/// Names for tuples and arrays of coordinates.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Shape {
    Point,
    Ring,
    LineString,
    MultiPoint,
    MultiLineString,
    Polygon,
    MultiPolygon,
}

impl Shape {
    pub const ALL: [Shape; 7] = [
        Shape::Point,
        Shape::Ring,
        Shape::LineString,
        Shape::MultiPoint,
        Shape::MultiLineString,
        Shape::Polygon,
        Shape::MultiPolygon,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Shape::Point => "Point",
            Shape::Ring => "Ring",
            Shape::LineString => "LineString",
            Shape::MultiPoint => "MultiPoint",
            Shape::MultiLineString => "MultiLineString",
            Shape::Polygon => "Polygon",
            Shape::MultiPolygon => "MultiPolygon",
        }
    }

    /// The type of that name: of a pair of numbers, or of an array of another one.
    pub fn kind(self) -> SqlType {
        let inner = match self {
            Shape::Point => T::Tuple(vec![(None, T::Float64), (None, T::Float64)]),
            Shape::Ring | Shape::LineString | Shape::MultiPoint => T::array(Shape::Point.kind()),
            Shape::MultiLineString => T::array(Shape::LineString.kind()),
            Shape::Polygon => T::array(Shape::Ring.kind()),
            Shape::MultiPolygon => T::array(Shape::Polygon.kind()),
        };
        T::Geometric(self, Box::new(inner))
    }
}

/// A type as ClickHouse knows it. Time zones are IANA names, `None` for the session's.
#[derive(Clone, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum SqlType {
    /// The type of `NULL` (as `Nullable(Nothing)`) and of elements of `[]`.
    Nothing,
    Bool,
    UInt8,
    UInt16,
    UInt32,
    UInt64,
    UInt128,
    UInt256,
    Int8,
    Int16,
    Int32,
    Int64,
    Int128,
    Int256,
    BFloat16,
    Float32,
    Float64,
    Decimal {
        precision: u8,
        scale: u8,
    },
    String,
    FixedString(usize),
    Uuid,
    IPv4,
    IPv6,
    Date,
    Date32,
    DateTime(Option<Arc<str>>),
    DateTime64(u8, Option<Arc<str>>),
    Time,
    Time64(u8),
    Enum8(EnumValues),
    Enum16(EnumValues),
    Interval(IntervalKind),
    Nullable(Box<SqlType>),
    LowCardinality(Box<SqlType>),
    Array(Box<SqlType>),
    Tuple(Vec<(Option<String>, SqlType)>),
    Map(Box<SqlType>, Box<SqlType>),
    /// Name of the function and the type it holds.
    SimpleAggregateFunction(String, Box<SqlType>),
    /// Name with parameters, such as `quantile(0.5)`, and the types of its arguments.
    AggregateFunction(String, Vec<SqlType>),
    /// A name, and the type that it stands for.
    Geometric(Shape, Box<SqlType>),
    /// An array of tuples whose elements have names, written as `Nested(a UInt8, b String)`.
    Nested(Box<SqlType>),
}

use SqlType as T;

impl SqlType {
    pub fn nullable(self) -> SqlType {
        match self {
            T::Nullable(_) | T::Array(_) | T::Nested(_) | T::Map(..) | T::AggregateFunction(..) => self,
            T::Geometric(shape, _) if shape != Shape::Point => self,
            T::LowCardinality(inner) => T::LowCardinality(Box::new(inner.nullable())),
            other => T::Nullable(Box::new(other)),
        }
    }

    pub fn null() -> SqlType {
        T::Nullable(Box::new(T::Nothing))
    }

    pub fn array(element: SqlType) -> SqlType {
        T::Array(Box::new(element))
    }

    /// Calls `note` with the name of the type without its parameters, and with those of the types within it.
    pub fn families(&self, note: &mut dyn FnMut(&str)) {
        let name = self.to_string();
        note(name.split('(').next().unwrap_or_default());
        match self {
            T::Nullable(inner) | T::LowCardinality(inner) | T::Array(inner) | T::SimpleAggregateFunction(_, inner) => {
                inner.families(note);
            }
            T::Nested(_) => self.nested_fields().iter().for_each(|(_, kind)| kind.families(note)),
            T::Tuple(fields) => fields.iter().for_each(|(_, kind)| kind.families(note)),
            T::Map(key, value) => {
                key.families(note);
                value.families(note);
            }
            T::AggregateFunction(_, kinds) => kinds.iter().for_each(|kind| kind.families(note)),
            _ => {}
        }
    }

    /// Whether NULL is among its values.
    pub fn is_nullable(&self) -> bool {
        match self {
            T::Nullable(_) => true,
            T::LowCardinality(inner) | T::SimpleAggregateFunction(_, inner) => inner.is_nullable(),
            _ => false,
        }
    }

    /// Without LowCardinality and the names of SimpleAggregateFunction, of shapes and of Nested at the top.
    pub fn storage(&self) -> &SqlType {
        match self {
            T::LowCardinality(inner) | T::SimpleAggregateFunction(_, inner) | T::Geometric(_, inner) | T::Nested(inner) => {
                inner.storage()
            }
            other => other,
        }
    }

    /// Without Nullable, LowCardinality and the names of SimpleAggregateFunction, of shapes and of Nested at the top: what a value
    /// that is there is.
    pub fn plain(&self) -> &SqlType {
        match self {
            T::Nullable(inner)
            | T::LowCardinality(inner)
            | T::SimpleAggregateFunction(_, inner)
            | T::Geometric(_, inner)
            | T::Nested(inner) => inner.plain(),
            other => other,
        }
    }

    /// Without LowCardinality at any level of the top: what most functions return for a LowCardinality argument.
    pub fn without_low_cardinality(&self) -> SqlType {
        match self {
            T::LowCardinality(inner) => inner.without_low_cardinality(),
            other => other.clone(),
        }
    }

    /// Without LowCardinality at the top and within arrays, tuples and maps: what aggregate functions take it for.
    pub fn nowhere_low_cardinality(&self) -> SqlType {
        match self {
            T::LowCardinality(inner) => inner.nowhere_low_cardinality(),
            T::Array(element) => T::array(element.nowhere_low_cardinality()),
            T::Nested(array) => T::Nested(Box::new(array.nowhere_low_cardinality())),
            T::Map(key, value) => T::Map(Box::new(key.nowhere_low_cardinality()), Box::new(value.nowhere_low_cardinality())),
            T::Tuple(fields) => {
                T::Tuple(fields.iter().map(|(name, kind)| (name.clone(), kind.nowhere_low_cardinality())).collect())
            }
            T::Nullable(inner) => T::Nullable(Box::new(inner.nowhere_low_cardinality())),
            other => other.clone(),
        }
    }

    /// Without LowCardinality within arrays, tuples and maps, but with that at the top.
    pub fn without_nested_low_cardinality(&self) -> SqlType {
        match self {
            T::LowCardinality(_) => self.clone(),
            other => other.nowhere_low_cardinality(),
        }
    }

    /// The fields of a Nested; of another type none.
    pub fn nested_fields(&self) -> &[(Option<String>, SqlType)] {
        if let T::Nested(array) = self
            && let T::Array(element) = array.as_ref()
            && let T::Tuple(fields) = element.as_ref()
        {
            return fields;
        }
        &[]
    }

    pub fn is_low_cardinality(&self) -> bool {
        matches!(self, T::LowCardinality(_))
    }

    pub fn is_null_literal(&self) -> bool {
        matches!(self, T::Nullable(inner) if **inner == T::Nothing)
    }

    pub fn is_string(&self) -> bool {
        matches!(self.plain(), T::String | T::FixedString(_))
    }

    pub fn is_integer(&self) -> bool {
        self.integer_bits().is_some()
    }

    /// Bits and signedness of an integer type (`Bool` is none).
    pub fn integer_bits(&self) -> Option<(u16, bool)> {
        Some(match self.plain() {
            T::UInt8 => (8, false),
            T::UInt16 => (16, false),
            T::UInt32 => (32, false),
            T::UInt64 => (64, false),
            T::UInt128 => (128, false),
            T::UInt256 => (256, false),
            T::Int8 => (8, true),
            T::Int16 => (16, true),
            T::Int32 => (32, true),
            T::Int64 => (64, true),
            T::Int128 => (128, true),
            T::Int256 => (256, true),
            _ => return None,
        })
    }

    pub fn integer(bits: u16, signed: bool) -> SqlType {
        match (bits, signed) {
            (8, false) => T::UInt8,
            (16, false) => T::UInt16,
            (32, false) => T::UInt32,
            (64, false) => T::UInt64,
            (128, false) => T::UInt128,
            (256, false) => T::UInt256,
            (8, true) => T::Int8,
            (16, true) => T::Int16,
            (32, true) => T::Int32,
            (64, true) => T::Int64,
            (128, true) => T::Int128,
            _ => T::Int256,
        }
    }

    pub fn is_float(&self) -> bool {
        matches!(self.plain(), T::BFloat16 | T::Float32 | T::Float64)
    }

    pub fn is_decimal(&self) -> bool {
        matches!(self.plain(), T::Decimal { .. })
    }

    /// Integer, Float, Decimal or Bool.
    pub fn is_number(&self) -> bool {
        self.is_integer() || self.is_float() || self.is_decimal() || *self.plain() == T::Bool
    }

    pub fn is_enum(&self) -> bool {
        matches!(self.plain(), T::Enum8(_) | T::Enum16(_))
    }

    /// The integers that an enum's names stand for; any other type as it is.
    pub fn enum_as_integer(&self) -> SqlType {
        match self {
            T::Enum8(_) => T::Int8,
            T::Enum16(_) => T::Int16,
            other => other.clone(),
        }
    }

    /// The integers that carry a Bool's 0 and 1; any other type as it is.
    pub fn bool_as_integer(&self) -> SqlType {
        if *self == T::Bool { T::UInt8 } else { self.clone() }
    }

    /// Date, Date32, DateTime or DateTime64.
    pub fn is_date_or_time(&self) -> bool {
        matches!(self.plain(), T::Date | T::Date32 | T::DateTime(_) | T::DateTime64(..))
    }

    /// The type that a time of another type becomes: with its zone, where this one names none.
    pub fn in_zone_of(self, other: &SqlType) -> SqlType {
        let zone = other.timezone().cloned();
        match self {
            T::DateTime(None) => T::DateTime(zone),
            T::DateTime64(scale, None) => T::DateTime64(scale, zone),
            T::Nullable(inner) => inner.in_zone_of(other).nullable(),
            T::LowCardinality(inner) => T::LowCardinality(Box::new(inner.in_zone_of(other))),
            kind => kind,
        }
    }

    /// The zone that the type itself names.
    pub fn timezone(&self) -> Option<&Arc<str>> {
        match self.plain() {
            T::DateTime(zone) | T::DateTime64(_, zone) => zone.as_ref(),
            _ => None,
        }
    }
}

/// A string as a literal: in single quotes, with backslash escapes.
pub fn quote(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('\'');
    for c in text.chars() {
        match c {
            '\'' => out.push_str("\\'"),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            '\0' => out.push_str("\\0"),
            c => out.push(c),
        }
    }
    out.push('\'');
    out
}

/// Whether ClickHouse wrote states of the function otherwise before: the type tells the version of their form, which is 1.
pub fn has_second_form(function: &str, kinds: &[SqlType]) -> bool {
    ["sumMap", "minMap", "maxMap"].iter().any(|name| function.starts_with(name))
        && matches!(kinds.first(), Some(T::Array(_) | T::Tuple(_)))
}

/// An identifier in backticks.
pub fn quote_backticks(name: &str) -> String {
    format!("`{}`", name.replace('\\', "\\\\").replace('`', "\\`"))
}

/// An identifier, in backticks where it needs them.
pub fn quote_identifier(name: &str) -> String {
    let plain = name.chars().next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        && !matches!(name.to_ascii_lowercase().as_str(), "null" | "distinct" | "all" | "table" | "select" | "from");
    if plain { name.to_string() } else { quote_backticks(name) }
}

/// The name of a tuple's field, where VALUES is a keyword too.
fn quote_field(name: &str) -> String {
    if name.eq_ignore_ascii_case("values") { quote_backticks(name) } else { quote_identifier(name) }
}

impl fmt::Display for SqlType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let values = |f: &mut fmt::Formatter<'_>, name: &str, values: &EnumValues| {
            write!(f, "{name}(")?;
            for (i, (name, value)) in values.0.iter().enumerate() {
                write!(f, "{}{} = {value}", if i > 0 { ", " } else { "" }, quote(name))?;
            }
            f.write_str(")")
        };
        let tuple = |f: &mut fmt::Formatter<'_>, name: &str, fields: &[(Option<String>, SqlType)]| {
            write!(f, "{name}(")?;
            for (i, (name, kind)) in fields.iter().enumerate() {
                f.write_str(if i > 0 { ", " } else { "" })?;
                match name {
                    Some(name) => write!(f, "{} {kind}", quote_field(name))?,
                    None => write!(f, "{kind}")?,
                }
            }
            f.write_str(")")
        };
        match self {
            T::Decimal { precision, scale } => write!(f, "Decimal({precision}, {scale})"),
            T::FixedString(length) => write!(f, "FixedString({length})"),
            T::Uuid => f.write_str("UUID"),
            T::DateTime(Some(zone)) => write!(f, "DateTime({})", quote(zone)),
            T::DateTime(None) => f.write_str("DateTime"),
            T::DateTime64(scale, Some(zone)) => write!(f, "DateTime64({scale}, {})", quote(zone)),
            T::DateTime64(scale, None) => write!(f, "DateTime64({scale})"),
            T::Time64(scale) => write!(f, "Time64({scale})"),
            T::Enum8(names) => values(f, "Enum8", names),
            T::Enum16(names) => values(f, "Enum16", names),
            T::Interval(kind) => write!(f, "Interval{}", kind.name()),
            T::Nullable(inner) => write!(f, "Nullable({inner})"),
            T::LowCardinality(inner) => write!(f, "LowCardinality({inner})"),
            T::Array(inner) => write!(f, "Array({inner})"),
            T::Tuple(fields) => tuple(f, "Tuple", fields),
            T::Nested(_) => tuple(f, "Nested", self.nested_fields()),
            T::Map(key, value) => write!(f, "Map({key}, {value})"),
            T::SimpleAggregateFunction(name, inner) => {
                write!(f, "SimpleAggregateFunction({name}, {inner})")
            }
            T::AggregateFunction(name, arguments) => {
                let version = if has_second_form(name, arguments) { "1, " } else { "" };
                write!(f, "AggregateFunction({version}{name}")?;
                for argument in arguments {
                    write!(f, ", {argument}")?;
                }
                f.write_str(")")
            }
            T::Geometric(shape, _) => f.write_str(shape.name()),
            // The rest are named as their variants are.
            other => write!(f, "{other:?}"),
        }
    }
}

impl SqlType {
    /// The type's name with the fields of named tuples on lines of their own, as toTypeName and DESCRIBE show it.
    pub fn pretty(&self) -> String {
        self.pretty_at(0)
    }

    fn pretty_at(&self, depth: usize) -> String {
        match self {
            SqlType::Tuple(fields) if fields.iter().all(|(name, _)| name.is_some()) && !fields.is_empty() => {
                let lines: Vec<String> = fields
                    .iter()
                    .map(|(name, kind)| {
                        let name = quote_field(name.as_deref().unwrap_or_default());
                        format!("{}{name} {}", "    ".repeat(depth + 1), kind.pretty_at(depth + 1))
                    })
                    .collect();
                format!("Tuple(\n{})", lines.join(",\n"))
            }
            SqlType::Tuple(fields) if !fields.is_empty() => {
                let kinds: Vec<String> = fields.iter().map(|(_, kind)| kind.pretty_at(depth)).collect();
                format!("Tuple({})", kinds.join(", "))
            }
            SqlType::Array(element) => format!("Array({})", element.pretty_at(depth)),
            SqlType::Map(key, value) => format!("Map({}, {})", key.pretty_at(depth), value.pretty_at(depth)),
            other => other.to_string(),
        }
    }
}
