//! `length`, `empty` and their relatives, of strings, arrays and maps.

use SqlType as T;
use arrow::array::{Array, ArrayRef, AsArray, OffsetSizeTrait};
use arrow::buffer::OffsetBuffer;
use arrow::datatypes::{DataType, UInt64Type};
use gristmill_base::Result;
use gristmill_types::SqlType;

use super::utf8;
use crate::columns::{bytes_to, numbers, truths};
use crate::define::{arity, illegal, plain};
use crate::registry::Registry;
use crate::scalar::{Argument, Bound};

pub fn register(registry: &mut Registry) {
    registry.scalar("length", plain(|name, arguments, _| length(name, arguments, |text| text.len() as u64)));
    registry.any_case("length");
    for alias in ["OCTET_LENGTH", "CARDINALITY"] {
        registry.alias(alias, "length");
        registry.any_case(alias);
    }
    registry.scalar("lengthUTF8", plain(|name, arguments, _| length(name, arguments, |text| utf8::count(text) as u64)));
    for alias in ["CHAR_LENGTH", "CHARACTER_LENGTH"] {
        registry.alias(alias, "lengthUTF8");
        registry.any_case(alias);
    }
    registry.scalar("empty", plain(|name, arguments, _| empty(name, arguments, true)));
    registry.scalar("notEmpty", plain(|name, arguments, _| empty(name, arguments, false)));
}

/// Lengths of the rows of a list or map.
pub fn list_lengths(array: &ArrayRef) -> Option<Vec<usize>> {
    fn lengths<O: OffsetSizeTrait>(offsets: &OffsetBuffer<O>) -> Vec<usize> {
        offsets.lengths().collect()
    }
    match array.data_type() {
        DataType::List(_) => Some(lengths(array.as_list::<i32>().offsets())),
        DataType::Map(..) => Some(lengths(array.as_map().offsets())),
        _ => None,
    }
}

fn length(name: &str, arguments: &[Argument], of_text: fn(&[u8]) -> u64) -> Result<Bound> {
    arity(name, arguments, 1..=1)?;
    match arguments[0].kind.plain() {
        T::String | T::FixedString(_) => Ok(Bound::new(T::UInt64, move |args, _| bytes_to::<UInt64Type>(&args[0], of_text))),
        T::Array(_) | T::Map(..) => Ok(Bound::new(T::UInt64, |args, _| {
            let lengths = list_lengths(&args[0]).unwrap_or_default();
            numbers::<UInt64Type>(lengths.len(), |row| Ok(lengths[row] as u64))
        })),
        T::Tuple(fields) => {
            let count = fields.len() as u64;
            Ok(Bound::new(T::UInt64, move |_, rows| numbers::<UInt64Type>(rows, |_| Ok(count))))
        }
        _ => Err(illegal(name, arguments, 0, "String, FixedString, Array or Map")),
    }
}

fn empty(name: &str, arguments: &[Argument], wanted: bool) -> Result<Bound> {
    arity(name, arguments, 1..=1)?;
    match arguments[0].kind.plain() {
        T::String => Ok(Bound::new(T::UInt8, move |args, _| {
            // The length is the low half of a view.
            let views = args[0].as_binary_view().views();
            truths(views.len(), |row| (views[row] as u32 == 0) == wanted)
        })),
        // A FixedString (a UUID, an IPv6) is empty when all its bytes are zero.
        T::FixedString(_) | T::Uuid | T::IPv6 => Ok(Bound::new(T::UInt8, move |args, _| {
            let array = args[0].as_fixed_size_binary();
            truths(array.len(), |row| array.value(row).iter().all(|byte| *byte == 0) == wanted)
        })),
        T::IPv4 => Ok(Bound::new(T::UInt8, move |args, _| {
            let values = args[0].as_primitive::<arrow::datatypes::UInt32Type>().values();
            truths(values.len(), |row| (values[row] == 0) == wanted)
        })),
        T::Array(_) | T::Map(..) => Ok(Bound::new(T::UInt8, move |args, _| {
            let lengths = list_lengths(&args[0]).unwrap_or_default();
            truths(lengths.len(), |row| (lengths[row] == 0) == wanted)
        })),
        _ => Err(illegal(name, arguments, 0, "String, FixedString, Array, Map, UUID or IP address")),
    }
}
