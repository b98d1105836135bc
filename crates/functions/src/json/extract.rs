//! `JSONExtractString`, `JSONExtractInt` and the others that say their type in their names.

use std::sync::Arc;

use SqlType as T;
use arrow::array::{ArrayRef, BinaryViewBuilder, StructArray};
use arrow::datatypes::{Field, Float64Type, Int64Type, UInt64Type};
use gristmill_types::SqlType;
use gristmill_types::scan::json::JsonKind;

use super::path::{elements, kind, members, unescaped};
use super::questions::with_path;
use super::raw::{Number, minify, string, text};
use crate::columns::{list, numbers, strings, truths};
use crate::define::plain;
use crate::registry::Registry;

pub fn register(registry: &mut Registry) {
    for case in ["", "CaseInsensitive"] {
        let named = |name: &str| format!("JSONExtract{name}{case}");
        registry.scalar(
            &named("String"),
            plain(|name, arguments, _| {
                with_path(name, arguments, T::String, |path, rows| {
                    strings(rows, |row, out| {
                        path.find(row).into_iter().for_each(|value| text(value, out));
                        Ok(())
                    })
                })
            }),
        );
        registry.scalar(
            &named("Raw"),
            plain(|name, arguments, _| {
                with_path(name, arguments, T::String, |path, rows| {
                    strings(rows, |row, out| {
                        path.find(row).into_iter().for_each(|value| minify(value, out));
                        Ok(())
                    })
                })
            }),
        );
        registry.scalar(
            &named("Int"),
            plain(|name, arguments, _| {
                with_path(name, arguments, T::Int64, |path, rows| {
                    numbers::<Int64Type>(rows, |row| {
                        let number = path.find(row).and_then(number);
                        Ok(number.and_then(|number| number.integer(i64::MIN.into(), i64::MAX.into())).unwrap_or(0) as i64)
                    })
                })
            }),
        );
        registry.scalar(
            &named("UInt"),
            plain(|name, arguments, _| {
                with_path(name, arguments, T::UInt64, |path, rows| {
                    numbers::<UInt64Type>(rows, |row| {
                        let number = path.find(row).and_then(number);
                        Ok(number.and_then(|number| number.integer(0, u64::MAX.into())).unwrap_or(0) as u64)
                    })
                })
            }),
        );
        registry.scalar(
            &named("Float"),
            plain(|name, arguments, _| {
                with_path(name, arguments, T::Float64, |path, rows| {
                    numbers::<Float64Type>(rows, |row| Ok(path.find(row).and_then(number).map_or(0.0, Number::float)))
                })
            }),
        );
        registry.scalar(
            &named("Bool"),
            plain(|name, arguments, _| {
                with_path(name, arguments, T::UInt8, |path, rows| truths(rows, |row| path.find(row).is_some_and(truth)))
            }),
        );
        registry.scalar(
            &named("ArrayRaw"),
            plain(|name, arguments, _| {
                with_path(name, arguments, SqlType::array(T::String), |path, rows| {
                    string_lists(rows, |row, push| {
                        let Some(value) = path.find(row) else { return };
                        elements(value, |element| {
                            let mut out = Vec::new();
                            minify(element, &mut out);
                            push(&out);
                            true
                        });
                    })
                })
            }),
        );
        registry.scalar(
            &named("Keys"),
            plain(|name, arguments, _| {
                with_path(name, arguments, SqlType::array(T::String), |path, rows| {
                    string_lists(rows, |row, push| {
                        let Some(value) = path.find(row) else { return };
                        members(value, |key, escaped, _| {
                            push(&unescaped(key, escaped));
                            true
                        });
                    })
                })
            }),
        );
        registry.scalar(
            &named("KeysAndValuesRaw"),
            plain(|name, arguments, _| {
                let pair = T::Tuple(vec![(None, T::String), (None, T::String)]);
                with_path(name, arguments, SqlType::array(pair), |path, rows| {
                    let (mut keys, mut values) = (BinaryViewBuilder::new(), BinaryViewBuilder::new());
                    let mut lengths = vec![0; rows];
                    let mut raw = Vec::new();
                    for (row, length) in lengths.iter_mut().enumerate() {
                        let Some(value) = path.find(row) else { continue };
                        members(value, |key, escaped, value| {
                            raw.clear();
                            minify(value, &mut raw);
                            keys.append_value(unescaped(key, escaped));
                            values.append_value(&raw);
                            *length += 1;
                            true
                        });
                    }
                    let fields = ["1", "2"].map(|name| Field::new(name, T::String.arrow(), false));
                    let columns: Vec<ArrayRef> = vec![Arc::new(keys.finish()), Arc::new(values.finish())];
                    list(Arc::new(StructArray::try_new(fields.to_vec().into(), columns, None)?), &lengths)
                })
            }),
        );
    }
}

/// Arrays of strings that `f` pushes for each row.
pub fn string_lists(rows: usize, mut f: impl FnMut(usize, &mut dyn FnMut(&[u8]))) -> gristmill_base::Result<ArrayRef> {
    let mut builder = BinaryViewBuilder::new();
    let mut lengths = vec![0; rows];
    for (row, length) in lengths.iter_mut().enumerate() {
        f(row, &mut |text| {
            builder.append_value(text);
            *length += 1;
        });
    }
    list(Arc::new(builder.finish()), &lengths)
}

/// A number, or a string that has one.
pub fn number(value: &[u8]) -> Option<Number> {
    match kind(value)? {
        JsonKind::Number => Number::parse(value.trim_ascii()),
        JsonKind::String => Number::parse(&string(value)?),
        _ => None,
    }
}

/// Of numbers with a point none is true.
fn truth(value: &[u8]) -> bool {
    match kind(value) {
        Some(JsonKind::Bool(truth)) => truth,
        Some(JsonKind::Number) => match Number::parse(value.trim_ascii()) {
            Some(Number::Signed(number)) => number != 0,
            Some(Number::Unsigned(number)) => number != 0,
            Some(Number::Float(_)) | None => false,
        },
        _ => false,
    }
}
