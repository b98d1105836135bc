//! Bitmaps: sets of integers, which are states of `groupBitmap`. `bitmapBuild` makes one of an array; the others combine them,
//! cut pieces out of them and ask what is in them.
//!
//! A number is the bits of its type, in 64. The numbers of a bitmap are put in ascending order when it is read, so that two of
//! them are combined in one pass.

use std::sync::Arc;

use SqlType as T;
use arrow::array::{Array, ArrayRef, AsArray, ListArray, UInt8Array, UInt64Array};
use arrow::buffer::OffsetBuffer;
use arrow::datatypes::{DataType, Int64Type, UInt64Type};
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::SqlType;
use gristmill_types::states::{Codec, pack, unpack};

use crate::aggregates::natives::{by_native, column};
use crate::aggregates::sets::Key;
use crate::columns::{Numbers, at};
use crate::define::{arity, bad_argument, expect_array, expect_integer, illegal, plain};
use crate::registry::Registry;
use crate::scalar::{Argument, Bound};

/// Whether a number is in the result, by whether it is in the one and in the other.
pub(crate) type Keep = fn(bool, bool) -> bool;

/// What is told of a bitmap.
type Tell = fn(&[u64], most: u64) -> u64;

/// What is left of a bitmap by two numbers.
type Cut = fn(&[u64], u64, u64) -> Vec<u64>;

const COMBINED: &[(&str, Keep)] = &[
    ("And", |one, other| one && other),
    ("Or", |one, other| one || other),
    ("Xor", |one, other| one != other),
    ("Andnot", |one, other| one && !other),
];

const TOLD: &[(&str, Tell)] = &[
    ("bitmapCardinality", |values, _| values.len() as u64),
    ("bitmapMin", |values, most| values.first().copied().unwrap_or(most)),
    ("bitmapMax", |values, _| values.last().copied().unwrap_or(0)),
];

const CUTS: &[(&str, Cut)] = &[
    ("bitmapSubsetInRange", |values, from, to| values.iter().copied().filter(|value| (from..to).contains(value)).collect()),
    ("bitmapSubsetLimit", |values, from, limit| {
        values.iter().copied().filter(|value| *value >= from).take(size(limit)).collect()
    }),
    ("subBitmap", |values, skipped, limit| values.iter().copied().skip(size(skipped)).take(size(limit)).collect()),
];

pub fn register(registry: &mut Registry) {
    registry.scalar("bitmapBuild", plain(|name, arguments, _| build(name, arguments)));
    registry.scalar("bitmapToArray", plain(|name, arguments, _| to_array(name, arguments)));
    for (operation, keep) in COMBINED {
        let keep = *keep;
        registry.scalar(&format!("bitmap{operation}"), plain(move |name, arguments, _| combine(name, arguments, keep)));
        registry.scalar(
            &format!("bitmap{operation}Cardinality"),
            plain(move |name, arguments, _| {
                of_two(name, arguments, T::UInt64, move |one, other| combined(one, other, keep).len() as u64)
            }),
        );
    }
    registry.scalar(
        "bitmapHasAny",
        plain(|name, arguments, _| {
            of_two(name, arguments, T::UInt8, |one, other| u64::from(!combined(one, other, |a, b| a && b).is_empty()))
        }),
    );
    registry.scalar(
        "bitmapHasAll",
        plain(|name, arguments, _| {
            of_two(name, arguments, T::UInt8, |one, other| u64::from(combined(one, other, |a, b| b && !a).is_empty()))
        }),
    );
    registry.scalar("bitmapContains", plain(|name, arguments, _| contains(name, arguments)));
    for (name, tell) in TOLD {
        let tell = *tell;
        registry.scalar(name, plain(move |name, arguments, _| of_one(name, arguments, tell)));
    }
    for (name, cut) in CUTS {
        let cut = *cut;
        registry.scalar(name, plain(move |name, arguments, _| subset(name, arguments, cut)));
    }
    registry.scalar("bitmapTransform", plain(|name, arguments, _| transform(name, arguments)));
}

fn size(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

/// The bitmaps of a column.
pub(crate) struct Bitmaps {
    offsets: Vec<usize>,
    values: Vec<u64>,
}

impl Bitmaps {
    pub(crate) fn of(array: &ArrayRef, element: &SqlType) -> Result<Bitmaps> {
        let states = array
            .as_binary_opt::<i32>()
            .ok_or_else(|| Error::logical(format!("A bitmap came as Arrow's {}", array.data_type())))?;
        let is_filled = |row: &usize| states.is_valid(*row) && !states.value(*row).is_empty();
        let filled = (0..states.len()).filter(is_filled).map(|row| states.value(row));
        let columns = unpack(&columns_of(element)?, filled)?;
        let lists = columns.first().and_then(|column| column.as_list_opt::<i32>());
        let lists = lists.ok_or_else(|| Error::logical("A bitmap is held as a list"))?;
        let words = lists.values().as_primitive::<UInt64Type>().values();
        let mut bitmaps = Bitmaps { offsets: vec![0], values: Vec::with_capacity(words.len()) };
        let mut next = 0;
        for row in 0..states.len() {
            let begin = bitmaps.values.len();
            if is_filled(&row) {
                let range = lists.offsets()[next] as usize..lists.offsets()[next + 1] as usize;
                bitmaps.values.extend_from_slice(&words[range]);
                bitmaps.values[begin..].sort_unstable();
                next += 1;
            }
            bitmaps.offsets.push(bitmaps.values.len());
        }
        Ok(bitmaps)
    }

    /// The bitmap for `row`; of a constant, its only one.
    pub(crate) fn get(&self, row: usize) -> &[u64] {
        let row = at(self.offsets.len() - 1, row);
        &self.values[self.offsets[row]..self.offsets[row + 1]]
    }
}

/// Types of the columns that a bitmap is held in.
fn columns_of(element: &SqlType) -> Result<Vec<DataType>> {
    Ok(Codec::of("groupBitmap", std::slice::from_ref(element))?.columns())
}

fn bitmap_of(element: SqlType) -> SqlType {
    T::AggregateFunction("groupBitmap".to_string(), vec![element])
}

/// A column of bitmaps, one of each row.
fn bitmaps(rows: usize, element: &SqlType, mut row: impl FnMut(usize) -> Result<Vec<u64>>) -> Result<ArrayRef> {
    let (mut values, mut lengths) = (Vec::new(), Vec::with_capacity(rows));
    for place in 0..rows {
        let made = row(place)?;
        lengths.push(made.len());
        values.extend(made);
    }
    packed(values, lengths, element)
}

pub(crate) fn packed(values: Vec<u64>, lengths: Vec<usize>, element: &SqlType) -> Result<ArrayRef> {
    if i32::try_from(values.len()).is_err() {
        return Err(crate::columns::too_large(values.len()));
    }
    let kinds = columns_of(element)?;
    let Some(DataType::List(item)) = kinds.first() else { return Err(Error::logical("A bitmap is held as a list")) };
    let lists =
        ListArray::try_new(item.clone(), OffsetBuffer::from_lengths(lengths), Arc::new(UInt64Array::from(values)), None)?;
    pack(&kinds, &[Arc::new(lists)])
}

/// The type of the numbers of an argument that is a bitmap.
fn expect_bitmap(name: &str, arguments: &[Argument], i: usize) -> Result<SqlType> {
    match arguments.get(i).map(|argument| argument.kind.plain()) {
        Some(T::AggregateFunction(function, kinds)) if function == "groupBitmap" => match kinds.as_slice() {
            [kind] if is_number(kind) => Ok(kind.clone()),
            _ => Err(illegal(name, arguments, i, "a bitmap of integers of up to 64 bits")),
        },
        _ => Err(illegal(name, arguments, i, "a bitmap, which is a state of groupBitmap")),
    }
}

/// An integer of up to 64 bits that is never NULL.
pub(crate) fn is_number(kind: &SqlType) -> bool {
    !kind.is_nullable() && !kind.is_low_cardinality() && kind.integer_bits().is_some_and(|(bits, _)| bits <= 64)
}

/// The type of the numbers of two bitmaps, which is one.
fn expect_two(name: &str, arguments: &[Argument]) -> Result<SqlType> {
    arity(name, arguments, 2..=2)?;
    let (one, other) = (expect_bitmap(name, arguments, 0)?, expect_bitmap(name, arguments, 1)?);
    if one != other {
        let text = format!("The nested type in bitmaps must be the same, but one is {one}, and the other is {other}");
        return Err(Error::new(ErrorCode::ILLEGAL_TYPE_OF_ARGUMENT, text));
    }
    Ok(one)
}

fn build(name: &str, arguments: &[Argument]) -> Result<Bound> {
    arity(name, arguments, 1..=1)?;
    let element = expect_array(name, arguments, 0)?.clone();
    if !is_number(&element) {
        return Err(illegal(name, arguments, 0, "an array of integers of up to 64 bits"));
    }
    Ok(Bound::new(bitmap_of(element.clone()), move |args, _| {
        let lists = args[0].as_list::<i32>();
        let all = u64::of(std::slice::from_ref(lists.values()))?;
        bitmaps(lists.len(), &element, |row| {
            let mut values = all[lists.offsets()[row] as usize..lists.offsets()[row + 1] as usize].to_vec();
            values.sort_unstable();
            values.dedup();
            Ok(values)
        })
    }))
}

fn to_array(name: &str, arguments: &[Argument]) -> Result<Bound> {
    arity(name, arguments, 1..=1)?;
    let element = expect_bitmap(name, arguments, 0)?;
    Ok(Bound::new(T::array(element.clone()), move |args, _| {
        let Bitmaps { offsets, values } = Bitmaps::of(&args[0], &element)?;
        let carrier = element.arrow();
        let values = by_native!(
            &carrier,
            N => column::<N>(values.iter().map(|value| <N as arrow::datatypes::ArrowNativeType>::usize_as(*value as usize)).collect(), &carrier)?,
            return Err(Error::logical(format!("A bitmap of {element}")))
        );
        let lengths: Vec<usize> = offsets.windows(2).map(|pair| pair[1] - pair[0]).collect();
        Ok(Arc::new(ListArray::try_new(element.field("item"), OffsetBuffer::from_lengths(lengths), values, None)?))
    }))
}

/// The numbers of two bitmaps that are to be kept, ascending.
pub(crate) fn combined(one: &[u64], other: &[u64], keep: Keep) -> Vec<u64> {
    let (mut out, mut i, mut j) = (Vec::new(), 0, 0);
    while i < one.len() || j < other.len() {
        let value = match (one.get(i), other.get(j)) {
            (Some(a), Some(b)) => *a.min(b),
            (Some(a), None) => *a,
            (None, Some(b)) => *b,
            (None, None) => break,
        };
        let (in_one, in_other) = (one.get(i) == Some(&value), other.get(j) == Some(&value));
        if keep(in_one, in_other) {
            out.push(value);
        }
        i += usize::from(in_one);
        j += usize::from(in_other);
    }
    out
}

fn combine(name: &str, arguments: &[Argument], keep: Keep) -> Result<Bound> {
    let element = expect_two(name, arguments)?;
    Ok(Bound::new(bitmap_of(element.clone()), move |args, rows| {
        let (one, other) = (Bitmaps::of(&args[0], &element)?, Bitmaps::of(&args[1], &element)?);
        bitmaps(rows, &element, |row| Ok(combined(one.get(row), other.get(row), keep)))
    }))
}

/// A number of type UInt64 or UInt8 of two bitmaps.
fn of_two(
    name: &str,
    arguments: &[Argument],
    result: SqlType,
    tell: impl Fn(&[u64], &[u64]) -> u64 + Send + Sync + 'static,
) -> Result<Bound> {
    let element = expect_two(name, arguments)?;
    let is_flag = result == T::UInt8;
    Ok(Bound::new(result, move |args, rows| {
        let (one, other) = (Bitmaps::of(&args[0], &element)?, Bitmaps::of(&args[1], &element)?);
        let told = (0..rows).map(|row| tell(one.get(row), other.get(row)));
        Ok(match is_flag {
            true => Arc::new(UInt8Array::from_iter_values(told.map(|told| told as u8))) as ArrayRef,
            false => Arc::new(UInt64Array::from_iter_values(told)),
        })
    }))
}

fn of_one(name: &str, arguments: &[Argument], tell: Tell) -> Result<Bound> {
    arity(name, arguments, 1..=1)?;
    let element = expect_bitmap(name, arguments, 0)?;
    // What an empty bitmap's least number is said to be.
    let most = if matches!(element, T::UInt64 | T::Int64) { u64::MAX } else { u64::from(u32::MAX) };
    Ok(Bound::new(T::UInt64, move |args, rows| {
        let bitmaps = Bitmaps::of(&args[0], &element)?;
        Ok(Arc::new(UInt64Array::from_iter_values((0..rows).map(|row| tell(bitmaps.get(row), most)))))
    }))
}

fn contains(name: &str, arguments: &[Argument]) -> Result<Bound> {
    arity(name, arguments, 2..=2)?;
    let element = expect_bitmap(name, arguments, 0)?;
    expect_integer(name, arguments, 1)?;
    let Some((bits, signed)) = element.integer_bits() else { return Err(illegal(name, arguments, 0, "a bitmap")) };
    let asked_signed = arguments[1].kind.integer_bits().is_some_and(|(_, signed)| signed);
    let casts = vec![bitmap_of(element.clone()), if asked_signed { T::Int64 } else { T::UInt64 }];
    // The bits that the bitmap has of a number, where its type has the number.
    let bits_of = move |value: i128| -> Option<u64> {
        let (low, high) = match signed {
            true => (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1),
            false => (0, (1i128 << bits) - 1),
        };
        (low..=high).contains(&value).then_some((value & ((1i128 << bits) - 1)) as u64)
    };
    Ok(Bound::cast(casts, T::UInt8, move |args, rows| {
        let bitmaps = Bitmaps::of(&args[0], &element)?;
        let has = |row: usize, value: i128| {
            u8::from(bits_of(value).is_some_and(|bits| bitmaps.get(row).binary_search(&bits).is_ok()))
        };
        let found = if asked_signed {
            let asked = Numbers::of::<Int64Type>(&args[1])?;
            UInt8Array::from_iter_values((0..rows).map(|row| has(row, i128::from(asked.get(row)))))
        } else {
            let asked = Numbers::of::<UInt64Type>(&args[1])?;
            UInt8Array::from_iter_values((0..rows).map(|row| has(row, i128::from(asked.get(row)))))
        };
        Ok(Arc::new(found))
    }))
}

fn subset(name: &str, arguments: &[Argument], cut: Cut) -> Result<Bound> {
    arity(name, arguments, 3..=3)?;
    let element = expect_bitmap(name, arguments, 0)?;
    expect_integer(name, arguments, 1)?;
    expect_integer(name, arguments, 2)?;
    let kind = bitmap_of(element.clone());
    Ok(Bound::cast(vec![kind.clone(), T::UInt64, T::UInt64], kind, move |args, rows| {
        let source = Bitmaps::of(&args[0], &element)?;
        let (first, second) = (Numbers::of::<UInt64Type>(&args[1])?, Numbers::of::<UInt64Type>(&args[2])?);
        bitmaps(rows, &element, |row| Ok(cut(source.get(row), first.get(row), second.get(row))))
    }))
}

/// `bitmapTransform(bitmap, [from, …], [to, …])`: numbers replaced.
fn transform(name: &str, arguments: &[Argument]) -> Result<Bound> {
    arity(name, arguments, 3..=3)?;
    let element = expect_bitmap(name, arguments, 0)?;
    for i in [1, 2] {
        if !is_number(expect_array(name, arguments, i)?) {
            return Err(illegal(name, arguments, i, "an array of integers"));
        }
    }
    let most = match element.integer_bits() {
        Some((bits, _)) if bits < 64 => (1 << bits) - 1,
        _ => u64::MAX,
    };
    let (kind, numbers, name) = (bitmap_of(element.clone()), T::array(T::UInt64), name.to_string());
    Ok(Bound::cast(vec![kind.clone(), numbers.clone(), numbers], kind, move |args, rows| {
        let source = Bitmaps::of(&args[0], &element)?;
        let (from, to) = (args[1].as_list::<i32>(), args[2].as_list::<i32>());
        let (from_values, to_values) =
            (from.values().as_primitive::<UInt64Type>().values(), to.values().as_primitive::<UInt64Type>().values());
        let range = |list: &ListArray, row: usize| {
            let row = at(list.len(), row);
            list.offsets()[row] as usize..list.offsets()[row + 1] as usize
        };
        bitmaps(rows, &element, |row| {
            let (from, to) = (&from_values[range(from, row)], &to_values[range(to, row)]);
            if from.len() != to.len() {
                return Err(bad_argument(&name, "the arrays must have the same length"));
            }
            if let Some(value) = to.iter().find(|value| **value > most) {
                let text =
                    format!("Replacement value {value} does not fit into the bitmap element type, the maximum is {most}");
                return Err(bad_argument(&name, text));
            }
            let mut values: Vec<u64> = source
                .get(row)
                .iter()
                .map(|value| from.iter().position(|known| known == value).map_or(*value, |place| to[place]))
                .collect();
            values.sort_unstable();
            values.dedup();
            Ok(values)
        })
    }))
}
