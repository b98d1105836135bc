//! `toTypeName`, `toColumnTypeName`, `defaultValueOfArgumentType`, `defaultValueOfTypeName`: questions about types.

use SqlType as T;
use gristmill_types::SqlType;
use gristmill_types::default::default_array;

use crate::columns::{numbers, strings};
use crate::define::{arity, illegal, need_constant_text, own_nulls};
use crate::registry::Registry;
use crate::scalar::Bound;

pub fn register(registry: &mut Registry) {
    for name in ["toTypeName", "toColumnTypeName"] {
        registry.scalar(
            name,
            own_nulls(|name, arguments, _| {
                arity(name, arguments, 1..=1)?;
                let constant = name == "toColumnTypeName" && arguments[0].constant.is_some();
                let kind = &arguments[0].kind;
                Ok(constant_text(if constant { format!("Const({kind})") } else { kind.to_string() }))
            }),
        );
    }
    registry.scalar(
        "defaultValueOfArgumentType",
        own_nulls(|name, arguments, _| {
            arity(name, arguments, 1..=1)?;
            Ok(default_of(arguments[0].kind.clone()))
        }),
    );
    registry.scalar(
        "defaultValueOfTypeName",
        own_nulls(|name, arguments, _| {
            arity(name, arguments, 1..=1)?;
            Ok(default_of(need_constant_text(name, arguments, 0)?.parse()?))
        }),
    );
    registry.scalar(
        "getSizeOfEnumType",
        own_nulls(|name, arguments, _| {
            arity(name, arguments, 1..=1)?;
            let Some(values) = arguments[0].kind.enum_values() else { return Err(illegal(name, arguments, 0, "Enum")) };
            let size = values.0.len() as u32;
            Ok(Bound::new(T::UInt32, move |_, rows| numbers::<arrow::datatypes::UInt32Type>(rows, |_| Ok(size))))
        }),
    );
}

fn default_of(kind: SqlType) -> Bound {
    let to = kind.clone();
    Bound::new(kind, move |_, rows| Ok(default_array(&to, rows)))
}

fn constant_text(text: String) -> Bound {
    Bound::new(T::String, move |_, rows| {
        strings(rows, |_, out| {
            out.extend_from_slice(text.as_bytes());
            Ok(())
        })
    })
}
