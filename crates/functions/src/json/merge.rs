//! `JSONMergePatch`, `prettyPrintJSON`. The texts are read whole, so they must be JSON.
//!
//! A merge goes through objects alone: a member that is no object on both sides takes the later value, null too.

use SqlType as T;
use gristmill_base::Result;
use gristmill_types::SqlType;
use serde_json::Value;
use serde_json::ser::{PrettyFormatter, Serializer};

use crate::columns::{Bytes, strings};
use crate::define::{arity, bad_argument, constant_integer, illegal, not_constant, plain};
use crate::registry::Registry;
use crate::scalar::{Argument, Bound};

/// Spaces of a level.
const INDENT: usize = 4;
const INDENT_MAX: i64 = 32;

pub fn register(registry: &mut Registry) {
    registry.scalar("JSONMergePatch", plain(|name, arguments, _| merge_patch(name, arguments)));
    registry.alias("jsonMergePatch", "JSONMergePatch");
    registry.scalar("prettyPrintJSON", plain(|name, arguments, _| pretty(name, arguments)));
}

/// Whole numbers that no 64 bits hold are floats, as is -0.
fn parsed(name: &str, text: &[u8]) -> Result<Value> {
    serde_json::from_slice(text).map_err(|error| bad_argument(name, format!("wrong JSON: {error}")))
}

fn merge(into: &mut Value, patch: Value) {
    match (into, patch) {
        (Value::Object(into), Value::Object(patch)) => {
            for (key, value) in patch {
                match into.get_mut(&key) {
                    Some(known) => merge(known, value),
                    None => {
                        into.insert(key, value);
                    }
                }
            }
        }
        (into, patch) => *into = patch,
    }
}

fn merge_patch(name: &str, arguments: &[Argument]) -> Result<Bound> {
    if arguments.is_empty() {
        let text = format!("Function {name} needs an argument at least");
        return Err(gristmill_base::Error::new(gristmill_base::ErrorCode::NUMBER_OF_ARGUMENTS_DOESNT_MATCH, text));
    }
    for i in 0..arguments.len() {
        if arguments[i].kind != T::String {
            return Err(illegal(name, arguments, i, "String"));
        }
    }
    let name = name.to_string();
    Ok(Bound::new(T::String, move |args, rows| {
        let texts = args.iter().map(Bytes::of).collect::<Result<Vec<_>>>()?;
        strings(rows, |row, out| {
            let mut merged: Option<Value> = None;
            for text in &texts {
                let value = parsed(&name, text.get(row))?;
                if !value.is_object() {
                    return Err(bad_argument(&name, "wrong JSON to merge: expected an object"));
                }
                match &mut merged {
                    None => merged = Some(value),
                    Some(merged) => merge(merged, value),
                }
            }
            write(&merged.unwrap_or_default(), &mut Serializer::new(out))
        })
    }))
}

fn write<F: serde_json::ser::Formatter>(value: &Value, to: &mut Serializer<&mut Vec<u8>, F>) -> Result<()> {
    use serde::Serialize;
    value.serialize(to).map_err(|error| gristmill_base::Error::logical(format!("JSON is written into memory: {error}")))
}

fn pretty(name: &str, arguments: &[Argument]) -> Result<Bound> {
    arity(name, arguments, 1..=2)?;
    if arguments[0].kind != T::String {
        return Err(illegal(name, arguments, 0, "String"));
    }
    let mut indent = INDENT;
    if let Some(given) = arguments.get(1) {
        if !matches!(given.kind.integer_bits(), Some((..=64, false))) {
            return Err(illegal(name, arguments, 1, "a constant unsigned integer"));
        }
        let spaces = constant_integer(given).ok_or_else(|| not_constant(name, 1))?;
        if !(0..=INDENT_MAX).contains(&spaces) {
            return Err(bad_argument(name, format!("the indent must be from 0 to {INDENT_MAX} spaces, not {spaces}")));
        }
        indent = spaces as usize;
    }
    let name = name.to_string();
    Ok(Bound::new(T::String, move |args, rows| {
        let texts = Bytes::of(&args[0])?;
        let spaces = [b' '; INDENT_MAX as usize];
        strings(rows, |row, out| {
            let value = parsed(&name, texts.get(row))?;
            write(&value, &mut Serializer::with_formatter(out, PrettyFormatter::with_indent(&spaces[..indent])))
        })
    }))
}
