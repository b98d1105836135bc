//! `sqidEncode` (`sqid`), `sqidDecode`: numbers as short texts without order or offensive words (<https://sqids.org>, by its crate).

use std::sync::{Arc, LazyLock};

use SqlType as T;
use arrow::array::UInt64Array;
use arrow::datatypes::UInt64Type;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::SqlType;
use sqids::Sqids;

use crate::arithmetic::kinds::integer;
use crate::columns::{Bytes, Numbers, list, strings};
use crate::define::{arity, bad_argument, expect_string, illegal, plain};
use crate::registry::Registry;
use crate::scalar::{Argument, Bound};

static SQIDS: LazyLock<Sqids> = LazyLock::new(Sqids::default);

pub fn register(registry: &mut Registry) {
    registry.scalar("sqidEncode", plain(|name, arguments, _| encode(name, arguments)));
    registry.alias("sqid", "sqidEncode");
    registry.scalar("sqidDecode", plain(|name, arguments, _| decode(name, arguments)));
}

fn encode(name: &str, arguments: &[Argument]) -> Result<Bound> {
    if arguments.is_empty() {
        let text = format!("Function {name} needs an argument at least");
        return Err(Error::new(ErrorCode::NUMBER_OF_ARGUMENTS_DOESNT_MATCH, text));
    }
    for i in 0..arguments.len() {
        if !matches!(integer(&arguments[i].kind), Some((..=64, false))) {
            return Err(illegal(name, arguments, i, "an unsigned integer of up to 64 bits"));
        }
    }
    let name = name.to_string();
    Ok(Bound::cast(vec![T::UInt64; arguments.len()], T::String, move |args, rows| {
        let columns: Vec<_> = args.iter().map(Numbers::of::<UInt64Type>).collect::<Result<_>>()?;
        let mut values = Vec::with_capacity(columns.len());
        strings(rows, |row, out| {
            values.clear();
            values.extend(columns.iter().map(|column| column.get(row)));
            let id = SQIDS.encode(&values).map_err(|error| bad_argument(&name, error))?;
            out.extend_from_slice(id.as_bytes());
            Ok(())
        })
    }))
}

fn decode(name: &str, arguments: &[Argument]) -> Result<Bound> {
    arity(name, arguments, 1..=1)?;
    expect_string(name, arguments, 0)?;
    Ok(Bound::new(SqlType::array(T::UInt64), |args, rows| {
        let texts = Bytes::of(&args[0])?;
        let (mut values, mut lengths) = (Vec::new(), Vec::with_capacity(rows));
        for row in 0..rows {
            let found = std::str::from_utf8(texts.get(row)).map(|text| SQIDS.decode(text)).unwrap_or_default();
            lengths.push(found.len());
            values.extend(found);
        }
        list(Arc::new(UInt64Array::from(values)), &lengths)
    }))
}
