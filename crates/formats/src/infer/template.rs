//! Columns of Template: names from the template, types from what stands at their places.

use gristmill_base::{Error, ErrorCode, Result};

use super::guess::Origin;
use super::positional::{Named, Row, custom_field, infer};
use super::{Sample, numbered};
use crate::custom::{Rule, Uncut};
use crate::input::template::TemplateShape;

pub(super) fn template(sample: &Sample<'_>) -> Result<(Named, Origin)> {
    let shape = TemplateShape::new(sample.format, sample.settings)?;
    let is_json = shape.row.places.iter().all(|place| place.rule == Some(Rule::Json));
    let origin = if is_json { Origin::json(sample.settings) } else { Origin::Text };
    let bytes = sample.bytes;
    let wrong = |what: String| Error::new(ErrorCode::CANNOT_PARSE_INPUT_ASSERTION_FAILED, what);
    let mut at = match shape.prefix(bytes, 0, true) {
        Ok(at) => Some(at),
        Err(Uncut::More) => None,
        Err(Uncut::Wrong(what)) => return Err(wrong(what)),
    };
    let mut between = false;
    let mut fields = Vec::new();
    let next = || {
        let Some(start) = at.filter(|at| *at < bytes.len()) else { return Ok(None) };
        if matches!(shape.is_over(&bytes[start..], true), Ok(true)) {
            return Ok(None);
        }
        let end = match shape.cut(bytes, start, sample.complete, between, &mut fields) {
            Ok(end) => end,
            // A row that the sample cuts off tells nothing.
            Err(Uncut::More) => return Ok(None),
            Err(Uncut::Wrong(what)) => return Err(wrong(what)),
        };
        (at, between) = (Some(end), true);
        let mut row = Row::default();
        for (field, place) in fields.iter().zip(&shape.row.places) {
            let (Some(rule), false) = (place.rule, place.name.is_empty()) else { continue };
            let raw = &bytes[field.clone()];
            let text = rule.text(raw);
            let seen = custom_field(sample, rule, raw, &text)?;
            row.push(text, seen);
        }
        Ok(Some(row))
    };
    let named = infer(sample, false, origin, next)?;
    let names = shape.row.places.iter().filter(|place| place.rule.is_some() && !place.name.is_empty());
    let name = |(at, name): (usize, &str)| if name.parse::<usize>().is_ok() { numbered(at) } else { name.to_string() };
    let names = names.map(|place| place.name.as_str()).enumerate().map(name);
    Ok((names.zip(named).map(|(name, (_, found))| (name, found)).collect(), origin))
}
