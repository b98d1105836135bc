//! `toJSONString`: any value as JSON.

use SqlType as T;
use gristmill_base::Result;
use gristmill_types::SqlType;
use gristmill_types::text::{Escaping, TextOptions, ValueWriter};

use crate::columns::{at, strings};
use crate::define::{arity, own_nulls};
use crate::registry::Registry;
use crate::scalar::{Argument, Bound, FunctionEnv};

pub fn register(registry: &mut Registry) {
    registry.scalar("toJSONString", own_nulls(to_json));
}

fn to_json(name: &str, arguments: &[Argument], env: &FunctionEnv) -> Result<Bound> {
    arity(name, arguments, 1..=1)?;
    let kind = arguments[0].kind.clone();
    let mut options = TextOptions::new(Escaping::Json, crate::text::timezone(env)?);
    options.json_quote_denormals = env.json.quotes_denormals;
    // Bytes that are no UTF-8 stay as they are.
    options.json_replace_invalid_utf8 = false;
    if kind.is_null_literal() {
        return Ok(Bound::new(kind, |args, rows| crate::columns::broadcast(&args[0], rows)));
    }
    // NULL stays NULL on the outside; inside it is written.
    let result = if kind.is_nullable() { T::String.nullable() } else { T::String };
    Ok(Bound::new(result, move |args, rows| {
        let writer = ValueWriter::new(args[0].as_ref(), &kind, &options)?;
        let texts = strings(rows, |row, out| {
            writer.write(at(args[0].len(), row), out);
            Ok(())
        })?;
        match args[0].nulls() {
            Some(nulls) if nulls.len() == rows => {
                Ok(arrow::array::make_array(texts.to_data().into_builder().nulls(Some(nulls.clone())).build()?))
            }
            _ => Ok(texts),
        }
    }))
}
