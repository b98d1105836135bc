//! `trimLeft`, `trimRight`, `trimBoth`: spaces, or any of the characters of a second argument.

use gristmill_base::Result;
use gristmill_types::SqlType;

use crate::columns::{Bytes, slices};
use crate::define::{arity, expect_string, plain};
use crate::registry::Registry;
use crate::scalar::{Argument, Bound};

pub fn register(registry: &mut Registry) {
    for (name, aliases, left, right) in [
        ("trimLeft", &["ltrim"][..], true, false),
        ("trimRight", &["rtrim"][..], false, true),
        ("trimBoth", &["trim"][..], true, true),
    ] {
        registry.scalar(name, plain(move |name, arguments, _| trim(name, arguments, left, right)));
        for alias in aliases {
            registry.alias(alias, name);
            registry.keyword(alias);
        }
    }
}

fn trim(name: &str, arguments: &[Argument], left: bool, right: bool) -> Result<Bound> {
    arity(name, arguments, 1..=2)?;
    (0..arguments.len()).try_for_each(|i| expect_string(name, arguments, i))?;
    Ok(Bound::new(SqlType::String, move |args, rows| {
        let sets = args.get(1).map(Bytes::of).transpose()?;
        let mut known: Option<(&[u8], [bool; 256])> = None;
        slices(&args[0], rows, |row, text| {
            let set = sets.as_ref().map_or(b" ".as_slice(), |sets| sets.get(row));
            let table = match &known {
                Some((of, table)) if *of == set => table,
                _ => {
                    let mut table = [false; 256];
                    set.iter().for_each(|byte| table[usize::from(*byte)] = true);
                    &known.insert((set, table)).1
                }
            };
            let keep = |byte: &u8| !table[usize::from(*byte)];
            let start = if left { text.iter().position(keep).unwrap_or(text.len()) } else { 0 };
            let text = &text[start..];
            let end = if right { text.iter().rposition(keep).map_or(0, |at| at + 1) } else { text.len() };
            &text[..end]
        })
    }))
}
