//! What addresses of the program are: `addressToSymbol`, `addressToLine`, `addressToLineWithInlines`, `demangle`. Whether a
//! query may ask is for whoever lowers it. Also `tid`, the thread that computes, and `logTrace`, a line in the server's log.

use std::sync::Arc;

use SqlType as T;
use arrow::array::{ArrayRef, UInt64Array};
use arrow::datatypes::UInt64Type;
use gristmill_base::machine::thread_id;
use gristmill_base::{Result, runtime};
use gristmill_introspect::profiler::{demangle, symbols};
use gristmill_types::SqlType;

use crate::columns::{Bytes, Numbers, list, strings, truths};
use crate::define::{arity, constant_bytes, illegal, of_query, plain, volatile};
use crate::registry::Registry;
use crate::scalar::{Argument, Bound};

pub fn register(registry: &mut Registry) {
    for (name, of) in [("addressToSymbol", symbols::symbol as fn(u64) -> String), ("addressToLine", symbols::line)] {
        registry.scalar(
            name,
            plain(move |name, arguments, _| {
                expect_address(name, arguments)?;
                Ok(Bound::new(T::String, move |args, rows| of_addresses(&args[0], rows, of)))
            }),
        );
    }
    registry.scalar(
        "addressToLineWithInlines",
        plain(|name, arguments, _| {
            expect_address(name, arguments)?;
            Ok(Bound::new(T::array(T::String), |args, rows| lines_with_inlines(&args[0], rows)))
        }),
    );
    registry.scalar(
        "tid",
        volatile(|name, arguments, _| {
            arity(name, arguments, 0..=0)?;
            Ok(Bound::new(T::UInt64, |_, rows| Ok(Arc::new(UInt64Array::from_value(thread_id(), rows)) as ArrayRef)))
        }),
    );
    registry.scalar("logTrace", of_query(|name, arguments, _| log_trace(name, arguments)));
    registry.scalar(
        "demangle",
        plain(|name, arguments, _| {
            arity(name, arguments, 1..=1)?;
            if *arguments[0].kind.plain() != T::String {
                return Err(illegal(name, arguments, 0, "String"));
            }
            Ok(Bound::cast(vec![T::String], T::String, |args, rows| {
                let names = Bytes::of(&args[0])?;
                strings(rows, |row, out| {
                    match std::str::from_utf8(names.get(row)) {
                        Ok(name) => out.extend_from_slice(demangle(name).as_bytes()),
                        // No compiler made that.
                        Err(_) => out.extend_from_slice(names.get(row)),
                    }
                    Ok(())
                })
            }))
        }),
    );
}

/// What is written is a constant, so it is written once: when the query is bound.
fn log_trace(name: &str, arguments: &[Argument]) -> Result<Bound> {
    arity(name, arguments, 1..=1)?;
    if arguments[0].kind != T::String {
        return Err(illegal(name, arguments, 0, "String"));
    }
    let message = constant_bytes(&arguments[0]).ok_or_else(|| illegal(name, arguments, 0, "a constant String"))?;
    tracing::trace!(target: "logTrace", "{}", String::from_utf8_lossy(&message));
    Ok(Bound::new(T::UInt8, |_, rows| truths(rows, |_| false)))
}

fn expect_address(name: &str, arguments: &[Argument]) -> Result<()> {
    arity(name, arguments, 1..=1)?;
    if *arguments[0].kind.plain() == T::UInt64 { Ok(()) } else { Err(illegal(name, arguments, 0, "UInt64")) }
}

fn of_addresses(addresses: &ArrayRef, rows: usize, of: fn(u64) -> String) -> Result<ArrayRef> {
    let addresses = Numbers::of::<UInt64Type>(addresses)?;
    // The first look reads the program's whole table of symbols.
    runtime::aside(|| {
        strings(rows, |row, out| {
            out.extend_from_slice(of(addresses.get(row)).as_bytes());
            Ok(())
        })
    })
}

fn lines_with_inlines(addresses: &ArrayRef, rows: usize) -> Result<ArrayRef> {
    let addresses = Numbers::of::<UInt64Type>(addresses)?;
    let lines: Vec<Vec<String>> =
        runtime::aside(|| (0..rows).map(|row| symbols::line_with_inlines(addresses.get(row))).collect());
    let (lengths, all): (Vec<usize>, Vec<&String>) =
        (lines.iter().map(Vec::len).collect(), lines.iter().flatten().collect());
    let texts = strings(all.len(), |at, out| {
        out.extend_from_slice(all[at].as_bytes());
        Ok(())
    })?;
    list(texts, &lengths)
}
