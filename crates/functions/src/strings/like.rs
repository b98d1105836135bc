//! `like`, `ilike`, `match` and their negations. A constant pattern is compiled once, when the function is bound.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;

use arrow::array::ArrayRef;
use gristmill_base::Result;
use gristmill_types::SqlType;
use regex::bytes::Regex;

use super::pattern::{Like, regex};
use crate::columns::{Bytes, truths};
use crate::define::{arity, constant_bytes, expect_string, plain};
use crate::registry::Registry;
use crate::scalar::{Argument, Bound};

pub fn register(registry: &mut Registry) {
    for (name, case_insensitive, wanted) in
        [("like", false, true), ("notLike", false, false), ("ilike", true, true), ("notILike", true, false)]
    {
        registry.scalar(
            name,
            plain(move |name, arguments, _| {
                bind(name, arguments, wanted, move |pattern| Like::new(pattern, case_insensitive), Like::matches)
            }),
        );
    }
    for (name, case_insensitive, wanted) in [
        ("match", false, true),
        ("notMatch", false, false),
        ("matchCaseInsensitive", true, true),
        ("notMatchCaseInsensitive", true, false),
    ] {
        registry.scalar(
            name,
            plain(move |name, arguments, _| {
                bind(name, arguments, wanted, move |pattern| regex(pattern, case_insensitive), Regex::is_match)
            }),
        );
    }
    registry.alias("REGEXP_MATCHES", "match");
    registry.any_case("REGEXP_MATCHES");
}

/// Compiled patterns by their text: one where it is constant, else those met in a block.
pub struct Compiled<P> {
    constant: Option<Arc<P>>,
    compile: Arc<dyn Fn(&[u8]) -> Result<P> + Send + Sync>,
}

impl<P> Compiled<P> {
    pub fn new(argument: &Argument, compile: impl Fn(&[u8]) -> Result<P> + Send + Sync + 'static) -> Result<Compiled<P>> {
        let constant = match constant_bytes(argument) {
            Some(pattern) => Some(Arc::new(compile(&pattern)?)),
            None => None,
        };
        Ok(Compiled { constant, compile: Arc::new(compile) })
    }

    /// The patterns of a block's rows.
    pub fn of<'a>(&self, patterns: &'a ArrayRef) -> Result<Patterns<'a, P>> {
        let source = Bytes::of(patterns)?;
        Ok(Patterns { constant: self.constant.clone(), compile: self.compile.clone(), source, met: HashMap::new() })
    }
}

pub struct Patterns<'a, P> {
    constant: Option<Arc<P>>,
    compile: Arc<dyn Fn(&[u8]) -> Result<P> + Send + Sync>,
    source: Bytes<'a>,
    met: HashMap<&'a [u8], P>,
}

impl<P> Patterns<'_, P> {
    /// Borrowed: a count of references that all threads touch for each row was half of the time of a replacement's loop.
    #[inline]
    pub fn get(&mut self, row: usize) -> Result<&P> {
        if let Some(constant) = &self.constant {
            return Ok(constant);
        }
        let text = self.source.get(row);
        match self.met.entry(text) {
            Entry::Occupied(known) => Ok(known.into_mut()),
            Entry::Vacant(place) => Ok(place.insert((self.compile)(text)?)),
        }
    }
}

fn bind<P: Send + Sync + 'static>(
    name: &str,
    arguments: &[Argument],
    wanted: bool,
    compile: impl Fn(&[u8]) -> Result<P> + Send + Sync + 'static,
    matches: fn(&P, &[u8]) -> bool,
) -> Result<Bound> {
    arity(name, arguments, 2..=2)?;
    let casts = haystack(name, arguments)?;
    expect_string(name, arguments, 1)?;
    let compiled = Compiled::new(&arguments[1], compile)?;
    Ok(Bound::cast(casts, SqlType::UInt8, move |args, rows| {
        let source = Bytes::of(&args[0])?;
        if let Some(pattern) = &compiled.constant {
            return truths(rows, |row| matches(pattern, source.get(row)) == wanted);
        }
        let mut patterns = compiled.of(&args[1])?;
        let mut failure = None;
        let result = truths(rows, |row| match patterns.get(row) {
            Ok(pattern) => matches(pattern, source.get(row)) == wanted,
            Err(error) => {
                failure.get_or_insert(error);
                false
            }
        });
        failure.map_or(result, Err)
    }))
}

/// The text searched in may be an enum, by its names.
fn haystack(name: &str, arguments: &[Argument]) -> Result<Vec<SqlType>> {
    if arguments[0].kind.is_enum() {
        return Ok(vec![SqlType::String, arguments[1].kind.clone()]);
    }
    expect_string(name, arguments, 0)?;
    Ok(Vec::new())
}
