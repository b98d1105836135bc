//! What the states of each function consist of, here and in ClickHouse.

use std::sync::Arc;

use SqlType as T;
use arrow::array::{
    ArrayData, ArrayRef, BinaryArray, BooleanArray, ListArray, UInt64Array, make_array, new_empty_array, new_null_array,
};
use arrow::buffer::{Buffer, OffsetBuffer};
use arrow::datatypes::{DataType, Field};
use gristmill_base::{Error, Result};

use super::mapped;
use super::sketches::{self, Sketch};
use super::summaries::{self, Summary};
use super::vectors::{Bits, IndexWidth, IndexedVector};
use crate::SqlType;
use crate::binary::width;
use crate::default::default_array;

/// A part of a state: one or several columns of the held one.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Piece {
    /// A value as RowBinary has it.
    Value(SqlType),
    /// As `Value`, where no rows give a number of all bits.
    AllOnes(SqlType),
    /// A number of rows, in groups of seven bits.
    Count,
    /// Values of one row, which may not be there: a byte tells it of each; the last column tells it of all.
    Chosen(Vec<SqlType>),
    /// As `Chosen`, of one value that may be NULL: a byte tells whether there is none (1), NULL (2), or a value behind it (3).
    Respecting(SqlType),
    /// Values side by side behind their number; `sized`: each behind its length.
    Elements { kind: SqlType, sized: bool },
    /// As `Elements`, with the number in a column of its own.
    Sample(SqlType),
    /// A fair sample of values, held as `Sample` is: behind its greatest size, the number of all values and what it is drawn by.
    Reservoir(SqlType),
    /// Means and weights of a t-digest behind their number, held in a column each.
    Centroids,
    /// A Float64 that ClickHouse does without.
    Unwritten,
    /// Different numbers of that many bytes behind their number. Their bits are held in 64.
    Keys(usize),
    /// As `Keys`, in a bitmap where there are many.
    Bitmap { bytes: usize, signed: bool },
    /// Numbers by index, in sets of indexes. `bits`: those of a vector without rows.
    Vector { width: IndexWidth, bits: Bits },
    /// An estimate of how many different values there are, held as it is written.
    Sketch(Sketch),
    /// Words of a summary.
    Summary(Summary),
    /// A value that is there, written as one of another type; the last of its two columns tells that it is.
    Present { kind: SqlType, written: SqlType },
    /// By key, the pieces of each of several functions.
    Mapped { key: SqlType, values: Vec<Vec<Piece>> },
    /// Behind a byte that tells whether there were rows without NULL; nothing follows where there were none. `counted`: a last
    /// column has their number, else the byte is always 1.
    Flagged { pieces: Vec<Piece>, counted: bool },
    /// Before such a byte. The last column has the number of rows, or (`counted` is false) whether there were any.
    Followed { pieces: Vec<Piece>, counted: bool },
}

/// What a Nullable argument adds to a state.
#[derive(Clone, Copy, PartialEq)]
enum Nulls {
    /// Whether there were rows, where the result may be NULL.
    Flag,
    /// A byte that is always 1.
    One,
    /// Nothing.
    None,
    /// What is not known here.
    Unknown,
}

/// The pieces of a function of arguments of these types (without Nullable); `None` where ClickHouse keeps something else.
type Build = fn(&[SqlType]) -> Option<Vec<Piece>>;

const FUNCTIONS: &[(&str, Nulls, Build)] = &[
    ("count", Nulls::None, |kinds| (kinds.len() <= 1).then(|| vec![Piece::Count])),
    ("sum", Nulls::Flag, |kinds| Some(vec![Piece::Value(total(&as_integer(one(kinds)?))?)])),
    ("avg", Nulls::Flag, |kinds| Some(vec![Piece::Value(total_of_times(one(kinds)?)?), Piece::Count])),
    ("sumCount", Nulls::None, |kinds| Some(vec![Piece::Value(total(one(kinds)?)?), Piece::Count])),
    ("min", Nulls::Flag, chosen_one),
    ("max", Nulls::Flag, chosen_one),
    ("any", Nulls::Flag, chosen_one),
    ("anyLast", Nulls::Flag, chosen_one),
    ("argMin", Nulls::Flag, chosen_two),
    ("argMax", Nulls::Flag, chosen_two),
    ("groupBitAnd", Nulls::Flag, |kinds| Some(vec![Piece::AllOnes(integer(kinds)?)])),
    ("groupBitOr", Nulls::Flag, |kinds| Some(vec![Piece::Value(integer(kinds)?)])),
    ("groupBitXor", Nulls::Flag, |kinds| Some(vec![Piece::Value(integer(kinds)?)])),
    ("groupArray", Nulls::None, elements),
    ("groupUniqArray", Nulls::None, elements),
    ("uniqExact", Nulls::One, |kinds| Some(vec![Piece::Keys(key_bytes(one(kinds)?)?)])),
    ("uniq", Nulls::One, |_| Some(vec![Piece::Sketch(Sketch::Hashes)])),
    ("uniqHLL12", Nulls::One, |kinds| {
        Some(vec![Piece::Sketch(Sketch::HyperLogLog { key_bytes: sketches::hyperloglog_key_bytes(kinds) })])
    }),
    ("uniqCombined", Nulls::Flag, |kinds| Some(vec![combined_sketch(false, kinds)])),
    ("uniqCombined64", Nulls::Flag, |kinds| Some(vec![combined_sketch(true, kinds)])),
    ("groupBitmap", Nulls::Flag, |kinds| {
        let (bits, signed) = narrow_integer(kinds)?.integer_bits()?;
        Some(vec![Piece::Bitmap { bytes: usize::from(bits / 8), signed }])
    }),
    ("estimateCompressionRatio", Nulls::None, |kinds| (kinds.len() == 1).then(|| vec![Piece::Count, Piece::Count])),
    ("groupNumericIndexedVector", Nulls::Flag, |kinds| match kinds {
        [index, value] => Some(vec![Piece::Vector { width: IndexWidth::of(index)?, bits: Bits::of(value)? }]),
        _ => None,
    }),
    ("quantile", Nulls::Flag, reservoir),
    ("quantiles", Nulls::One, reservoir),
    ("quantileTDigest", Nulls::Flag, centroids),
    ("quantilesTDigest", Nulls::One, centroids),
    ("quantileTDigestWeighted", Nulls::Flag, |kinds| centroids(kinds.get(..1)?)),
    ("quantilesTDigestWeighted", Nulls::One, |kinds| centroids(kinds.get(..1)?)),
    ("quantileExact", Nulls::Flag, sample),
    ("quantileExactLow", Nulls::Flag, sample),
    ("quantileExactHigh", Nulls::Flag, sample),
    ("quantileExactInclusive", Nulls::Flag, sample),
    ("quantileExactExclusive", Nulls::Flag, sample),
    ("quantilesExact", Nulls::One, sample),
    ("quantilesExactLow", Nulls::One, sample),
    ("quantilesExactHigh", Nulls::One, sample),
    ("quantilesExactInclusive", Nulls::One, sample),
    ("quantilesExactExclusive", Nulls::One, sample),
    ("quantileTiming", Nulls::Flag, |kinds| timing(kinds, 1)),
    ("quantilesTiming", Nulls::One, |kinds| timing(kinds, 1)),
    ("quantileTimingWeighted", Nulls::Flag, |kinds| timing(kinds, 2)),
    ("quantilesTimingWeighted", Nulls::One, |kinds| timing(kinds, 2)),
    ("quantileGK", Nulls::Flag, |kinds| Some(vec![Piece::Summary(summaries::greenwald(one(kinds)?)?)])),
    ("quantilesGK", Nulls::One, |kinds| Some(vec![Piece::Summary(summaries::greenwald(one(kinds)?)?)])),
    ("quantileDD", Nulls::Flag, bins),
    ("quantilesDD", Nulls::One, bins),
    ("varPop", Nulls::Flag, |kinds| powers(kinds, 3)),
    ("varSamp", Nulls::Flag, |kinds| powers(kinds, 3)),
    ("stddevPop", Nulls::Flag, |kinds| powers(kinds, 3)),
    ("stddevSamp", Nulls::Flag, |kinds| powers(kinds, 3)),
    ("skewPop", Nulls::Flag, |kinds| powers(kinds, 4)),
    ("skewSamp", Nulls::Flag, |kinds| powers(kinds, 4)),
    ("kurtPop", Nulls::Flag, |kinds| powers(kinds, 5)),
    ("kurtSamp", Nulls::Flag, |kinds| powers(kinds, 5)),
    ("covarPop", Nulls::Flag, |kinds| products(kinds, 4)),
    ("covarSamp", Nulls::Flag, |kinds| products(kinds, 4)),
    ("corr", Nulls::Flag, |kinds| products(kinds, 6)),
    ("sumKahan", Nulls::Flag, |kinds| (!one(kinds)?.is_decimal()).then(|| floats(2))),
    ("studentTTest", Nulls::Unknown, |_| Some(floats(6))),
    ("welchTTest", Nulls::Unknown, |_| Some(floats(6))),
    ("studentTTestOneSample", Nulls::Unknown, |_| Some(floats(4))),
    ("meanZTest", Nulls::Unknown, |_| Some(floats(4))),
    ("covarPopMatrix", Nulls::None, |kinds| Some(floats(4 * pairs(kinds)))),
    ("covarSampMatrix", Nulls::None, |kinds| Some(floats(4 * pairs(kinds)))),
    ("corrMatrix", Nulls::None, |kinds| Some(floats(6 * pairs(kinds)))),
];

/// Of the usual precision; `of` sets another.
fn combined_sketch(wide: bool, kinds: &[SqlType]) -> Piece {
    Piece::Sketch(Sketch::Combined { precision: sketches::PRECISION, key_bytes: sketches::combined_key_bytes(wide, kinds) })
}

fn floats(count: usize) -> Vec<Piece> {
    vec![Piece::Value(T::Float64); count]
}

/// So many of the five sums of powers that are held.
fn powers(kinds: &[SqlType], written: usize) -> Option<Vec<Piece>> {
    moments(kinds, 1, written, 5)
}

/// So many of the six sums of products that are held.
fn products(kinds: &[SqlType], written: usize) -> Option<Vec<Piece>> {
    moments(kinds, 2, written, 6)
}

/// ClickHouse sums numbers of single precision alone in single precision.
fn moments(kinds: &[SqlType], arguments: usize, written: usize, held: usize) -> Option<Vec<Piece>> {
    let is_single = kinds.iter().all(|kind| matches!(kind, T::Float32 | T::BFloat16));
    if kinds.len() != arguments || is_single {
        return None;
    }
    let mut pieces = floats(written);
    pieces.resize(held, Piece::Unwritten);
    Some(pieces)
}

/// Pairs of columns, each with itself included.
fn pairs(kinds: &[SqlType]) -> usize {
    kinds.len() * (kinds.len() + 1) / 2
}

fn one(kinds: &[SqlType]) -> Option<&SqlType> {
    match kinds {
        [kind] => Some(kind),
        _ => None,
    }
}

/// What values of a type add up in.
fn total(kind: &SqlType) -> Option<SqlType> {
    Some(match kind {
        T::Bool | T::UInt8 | T::UInt16 | T::UInt32 | T::UInt64 => T::UInt64,
        T::Int8 | T::Int16 | T::Int32 | T::Int64 => T::Int64,
        T::UInt128 | T::UInt256 | T::Int128 | T::Int256 => kind.clone(),
        T::BFloat16 | T::Float32 | T::Float64 => T::Float64,
        T::Decimal { precision, scale } => T::Decimal { precision: if *precision <= 38 { 38 } else { 76 }, scale: *scale },
        _ => return None,
    })
}

/// What values of a type add up in, dates and times among them.
fn total_of_times(kind: &SqlType) -> Option<SqlType> {
    match kind {
        T::Date | T::DateTime(_) => Some(T::UInt64),
        T::Date32 | T::Time => Some(T::Int64),
        T::DateTime64(..) | T::Time64(_) => Some(T::Decimal { precision: 38, scale: 0 }),
        other => total(other),
    }
}

/// The integers that values of Bool and of enums are; any other type as it is.
fn as_integer(kind: &SqlType) -> SqlType {
    kind.bool_as_integer().enum_as_integer()
}

fn chosen_one(kinds: &[SqlType]) -> Option<Vec<Piece>> {
    Some(vec![Piece::Chosen(vec![one(kinds)?.clone()])])
}

fn chosen_two(kinds: &[SqlType]) -> Option<Vec<Piece>> {
    (kinds.len() == 2).then(|| vec![Piece::Chosen(kinds.to_vec())])
}

fn integer(kinds: &[SqlType]) -> Option<SqlType> {
    Some(as_integer(one(kinds)?)).filter(SqlType::is_integer)
}

/// An integer of up to 64 bits.
fn narrow_integer(kinds: &[SqlType]) -> Option<SqlType> {
    integer(kinds).filter(|kind| kind.integer_bits().is_some_and(|(bits, _)| bits <= 64))
}

/// Bytes of the values that ClickHouse tells apart by themselves; of others it keeps hashes.
fn key_bytes(kind: &SqlType) -> Option<usize> {
    match kind {
        T::Float32 | T::Float64 | T::Enum8(_) | T::Enum16(_) | T::Date | T::Date32 | T::DateTime(_) | T::IPv4 => {}
        other if other.integer_bits().is_some_and(|(bits, _)| bits <= 64) => {}
        _ => return None,
    }
    width(kind).map(|width| width.wire)
}

fn elements(kinds: &[SqlType]) -> Option<Vec<Piece>> {
    let kind = one(kinds)?.clone();
    let sized = match &kind {
        T::Float32 | T::Float64 | T::Bool | T::Enum8(_) | T::Enum16(_) | T::Date | T::DateTime(_) | T::IPv4 | T::String => {
            false
        }
        T::FixedString(_) | T::Uuid | T::IPv6 | T::Decimal { .. } | T::DateTime64(..) | T::Date32 | T::Interval(_) => true,
        other if other.is_integer() => false,
        _ => return None,
    };
    Some(vec![Piece::Elements { kind, sized }])
}

fn sample(kinds: &[SqlType]) -> Option<Vec<Piece>> {
    let kind = as_integer(one(kinds)?);
    let narrow = kind.integer_bits().is_some_and(|(bits, _)| bits <= 64);
    (narrow || matches!(kind, T::Float32 | T::Float64 | T::Date | T::DateTime(_))).then(|| vec![Piece::Sample(kind)])
}

fn reservoir(kinds: &[SqlType]) -> Option<Vec<Piece>> {
    let kind = one(kinds)?.bool_as_integer();
    let narrow = kind.integer_bits().is_some_and(|(bits, _)| bits <= 64);
    let other = matches!(kind, T::Float32 | T::Float64 | T::Date | T::DateTime(_) | T::DateTime64(..) | T::Decimal { .. });
    (narrow || other).then(|| vec![Piece::Reservoir(kind)])
}

fn centroids(kinds: &[SqlType]) -> Option<Vec<Piece>> {
    let kind = one(kinds)?.bool_as_integer();
    let narrow = kind.integer_bits().is_some_and(|(bits, _)| bits <= 64);
    (narrow || matches!(kind, T::Float32 | T::Float64 | T::Date | T::DateTime(_))).then(|| vec![Piece::Centroids])
}

/// Their accuracy is set apart.
fn bins(kinds: &[SqlType]) -> Option<Vec<Piece>> {
    one(kinds).map(|_| vec![Piece::Summary(Summary::Bins { accuracy: 0 })])
}

fn timing(kinds: &[SqlType], arguments: usize) -> Option<Vec<Piece>> {
    (kinds.len() == arguments).then(|| vec![Piece::Summary(Summary::Timing)])
}

/// The pieces of a function with its combinators. `None`: ClickHouse keeps something else.
pub(super) fn of(function: &str, kinds: &[SqlType]) -> Option<Vec<Piece>> {
    if kinds.iter().any(SqlType::is_null_literal) {
        return None;
    }
    let (name, parameters) = function.split_once('(').unwrap_or((function, ""));
    let pieces = match name.trim().strip_prefix("median") {
        Some(rest) => combined(&format!("quantile{rest}"), kinds),
        None => combined(name.trim(), kinds),
    };
    let mut pieces = pieces?;
    if let Ok(precision) = parameters.trim_end_matches(')').trim().parse() {
        set_precision(&mut pieces, precision);
    }
    let first = parameters.split([',', ')']).next().unwrap_or_default();
    if let Ok(accuracy) = first.trim().parse() {
        set_accuracy(&mut pieces, accuracy);
    }
    Some(pieces)
}

fn set_precision(pieces: &mut [Piece], given: u8) {
    for piece in pieces {
        match piece {
            Piece::Sketch(Sketch::Combined { precision, .. }) if (12..=20).contains(&given) => *precision = given,
            Piece::Flagged { pieces, .. } | Piece::Followed { pieces, .. } => set_precision(pieces, given),
            Piece::Mapped { values, .. } => values.iter_mut().for_each(|pieces| set_precision(pieces, given)),
            _ => {}
        }
    }
}

fn set_accuracy(pieces: &mut [Piece], given: f64) {
    for piece in pieces {
        match piece {
            Piece::Summary(Summary::Greenwald { accuracy, .. }) => *accuracy = (given as u64).max(1),
            Piece::Summary(Summary::Bins { accuracy }) => *accuracy = given.to_bits(),
            Piece::Flagged { pieces, .. } | Piece::Followed { pieces, .. } => set_accuracy(pieces, given),
            Piece::Mapped { values, .. } => values.iter_mut().for_each(|pieces| set_accuracy(pieces, given)),
            _ => {}
        }
    }
}

fn combined(name: &str, kinds: &[SqlType]) -> Option<Vec<Piece>> {
    if let ("any_respect_nulls" | "anyLast_respect_nulls", [kind]) = (name, kinds) {
        return Some(vec![Piece::Respecting(kind.storage().nowhere_low_cardinality())]);
    }
    if let Some((_, nulls, build)) = FUNCTIONS.iter().find(|(known, ..)| *known == name) {
        return plain(*nulls, *build, kinds);
    }
    if let Some(pieces) = mapped(name, kinds) {
        return Some(pieces);
    }
    if let Some(inner) = name.strip_suffix("If") {
        let (condition, rest) = kinds.split_last()?;
        // A condition that may be NULL makes ClickHouse's state Nullable, and not ours.
        return if condition.is_nullable() { None } else { combined(inner, rest) };
    }
    if let Some(inner) = name.strip_suffix("Array") {
        let elements = kinds.iter().map(|kind| match kind.plain() {
            T::Array(element) => Some(element.as_ref().clone()),
            _ => None,
        });
        return combined(inner, &elements.collect::<Option<Vec<_>>>()?);
    }
    let (inner, counted) = match (name.strip_suffix("OrNull"), name.strip_suffix("OrDefault")) {
        (Some(inner), _) => (inner, true),
        (_, Some(inner)) => (inner, false),
        _ => return None,
    };
    match combined(inner, kinds)?.as_slice() {
        // The two bytes are one.
        [Piece::Flagged { pieces, counted: true }] if counted => {
            Some(vec![Piece::Followed { pieces: pieces.clone(), counted }])
        }
        [Piece::Flagged { .. } | Piece::Followed { .. }] => None,
        _ if kinds.iter().any(SqlType::is_nullable) => None,
        // Their results are never NULL.
        [
            Piece::Elements { .. }
            | Piece::Respecting(_)
            | Piece::Sample(_)
            | Piece::Reservoir(_)
            | Piece::Centroids
            | Piece::Summary(_)
            | Piece::Mapped { .. },
        ] => None,
        [Piece::Chosen(values)] if matches!(values.first(), Some(T::Array(_) | T::Map(..) | T::Tuple(_))) => None,
        pieces => Some(vec![Piece::Followed { pieces: pieces.to_vec(), counted }]),
    }
}

/// Of `sumMap` and its like over arrays, and of the combinator Map.
fn mapped(name: &str, kinds: &[SqlType]) -> Option<Vec<Piece>> {
    if let ([T::Map(key, value)], Some(inner)) = (kinds, name.strip_suffix("Map")) {
        let values = vec![combined(inner, std::slice::from_ref(value.as_ref()))?];
        return Some(vec![Piece::Mapped { key: mapped_key(key)?, values }]);
    }
    let is_sum = match name {
        "sumMap" | "sumMappedArrays" | "sumMapWithOverflow" | "sumMapFiltered" | "sumMapFilteredWithOverflow" => true,
        "minMap" | "maxMap" | "minMappedArrays" | "maxMappedArrays" => false,
        _ => return None,
    };
    // The arrays may come as one tuple.
    let arrays: Vec<&SqlType> = match kinds {
        [T::Tuple(fields)] => fields.iter().map(|(_, kind)| kind).collect(),
        kinds => kinds.iter().collect(),
    };
    let elements = arrays.into_iter().map(|kind| match kind {
        T::Array(element) => Some(element.storage()),
        _ => None,
    });
    let mut elements = elements.collect::<Option<Vec<_>>>()?.into_iter();
    let key = mapped_key(elements.next()?)?;
    let values = elements.map(|kind| match is_sum {
        true => Some(vec![Piece::Value(total(&as_integer(kind))?)]),
        // What is the least is kept in the type that sums have.
        false if kind.is_nullable() => None,
        false => Some(vec![Piece::Present { kind: kind.clone(), written: total(kind).unwrap_or_else(|| kind.clone()) }]),
    });
    let values = values.collect::<Option<Vec<_>>>()?;
    (!values.is_empty()).then(|| vec![Piece::Mapped { key, values }])
}

/// Keys whose order is the same here and in ClickHouse: UUIDs have another one there.
fn mapped_key(kind: &SqlType) -> Option<SqlType> {
    let kind = kind.storage();
    let fits = matches!(kind, T::String | T::Bool) || width(kind).is_some() && *kind != T::Uuid;
    fits.then(|| kind.clone())
}

fn plain(nulls: Nulls, build: Build, kinds: &[SqlType]) -> Option<Vec<Piece>> {
    let plain: Vec<SqlType> = kinds.iter().map(|kind| kind.plain().clone()).collect();
    let pieces = build(&plain)?;
    if nulls == Nulls::Unknown && kinds.iter().any(SqlType::is_nullable) {
        return None;
    }
    if nulls == Nulls::None || !kinds.iter().any(SqlType::is_nullable) {
        return Some(pieces);
    }
    // What one of the rows has is the result, which is never NULL where it is an array.
    let counted = match pieces.as_slice() {
        [Piece::Chosen(values)] => match values.first()? {
            T::Tuple(_) => return None,
            T::Array(_) | T::Map(..) => false,
            _ => true,
        },
        _ => nulls == Nulls::Flag,
    };
    Some(vec![Piece::Flagged { pieces, counted }])
}

pub(super) fn words_type() -> DataType {
    list_type(DataType::UInt64)
}

pub(super) fn list_type(item: DataType) -> DataType {
    DataType::List(Arc::new(Field::new("item", item, true)))
}

/// Types of the columns of pieces.
pub(super) fn columns(pieces: &[Piece]) -> Vec<DataType> {
    pieces.iter().flat_map(columns_of).collect()
}

fn columns_of(piece: &Piece) -> Vec<DataType> {
    let with =
        |pieces: &[Piece], last: Option<DataType>| -> Vec<DataType> { columns(pieces).into_iter().chain(last).collect() };
    match piece {
        Piece::Value(kind) | Piece::AllOnes(kind) => vec![kind.arrow()],
        Piece::Count => vec![DataType::UInt64],
        Piece::Chosen(kinds) => kinds.iter().map(SqlType::arrow).chain([DataType::Boolean]).collect(),
        Piece::Elements { kind, .. } => vec![SqlType::array(kind.clone()).arrow()],
        Piece::Sample(kind) | Piece::Reservoir(kind) => vec![list_type(kind.arrow()), DataType::UInt64],
        Piece::Centroids => vec![list_type(DataType::Float64); 2],
        Piece::Unwritten => vec![DataType::Float64],
        Piece::Keys(_) | Piece::Bitmap { .. } | Piece::Summary(_) => vec![words_type()],
        Piece::Vector { .. } | Piece::Sketch(_) => vec![DataType::Binary],
        Piece::Present { kind, .. } | Piece::Respecting(kind) => vec![kind.arrow(), DataType::Boolean],
        Piece::Mapped { values, .. } => mapped::columns(values),
        Piece::Flagged { pieces, counted } => with(pieces, counted.then_some(DataType::UInt64)),
        Piece::Followed { pieces, counted } => {
            with(pieces, Some(if *counted { DataType::UInt64 } else { DataType::Boolean }))
        }
    }
}

/// A row of each column, of a state that has seen nothing.
pub(super) fn empty(pieces: &[Piece]) -> Result<Vec<ArrayRef>> {
    let mut out = Vec::new();
    for piece in pieces {
        match piece {
            Piece::Value(kind) => out.push(default_array(kind, 1)),
            Piece::AllOnes(kind) => {
                let width = width(kind).ok_or_else(|| Error::logical(format!("{kind} has no width")))?;
                let mut ones = vec![0xff_u8; width.arrow];
                if *kind == T::UInt128 {
                    // Its upper half in memory is no part of it.
                    ones[width.wire..].fill(0);
                }
                let ones = Buffer::from_vec(ones);
                out.push(make_array(ArrayData::builder(kind.arrow()).len(1).add_buffer(ones).align_buffers(true).build()?));
            }
            Piece::Chosen(kinds) => {
                out.extend(kinds.iter().map(|kind| default_array(kind, 1)));
                out.push(Arc::new(BooleanArray::from(vec![false])));
            }
            Piece::Respecting(kind) => {
                out.push(default_array(kind, 1));
                out.push(Arc::new(BooleanArray::from(vec![false])));
            }
            Piece::Flagged { pieces, counted } => {
                out.extend(empty(pieces)?);
                out.extend(counted.then(no_rows));
            }
            Piece::Followed { pieces, counted } => {
                out.extend(empty(pieces)?);
                out.push(if *counted { no_rows() } else { Arc::new(BooleanArray::from(vec![false])) });
            }
            Piece::Vector { width, bits } => {
                let mut bytes = Vec::new();
                IndexedVector::new(*bits).write(*width, &mut bytes);
                out.push(Arc::new(BinaryArray::from_vec(vec![&bytes])));
            }
            Piece::Sketch(sketch) => out.push(Arc::new(BinaryArray::from_vec(vec![sketch.empty()]))),
            other => out.extend(columns_of(other).iter().map(nothing)),
        }
    }
    Ok(out)
}

fn no_rows() -> ArrayRef {
    Arc::new(UInt64Array::from(vec![0]))
}

/// An empty list, or zero.
fn nothing(kind: &DataType) -> ArrayRef {
    match kind {
        DataType::List(item) => {
            Arc::new(ListArray::new(item.clone(), OffsetBuffer::new_zeroed(1), new_empty_array(item.data_type()), None))
        }
        DataType::UInt64 => no_rows(),
        other => new_null_array(other, 1),
    }
}
