//! Numbers that go to a Decimal as they are written: Float64, which they are elsewhere, has fewer digits. So `VALUES (0.0255)` is
//! 0.0255 in a Decimal(9, 4), and not 0.0254.

use std::ops::RangeInclusive;

use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::SqlType;

use crate::ast::{Call, Literal, Node, call, text};

/// From 1900 to 9999.
const SECONDS: RangeInclusive<f64> = -2_208_988_800.0..=253_402_300_799.999_999_999;

/// A constant that goes to a type, with its numbers read by their digits, in arrays, tuples and maps too; and a list as a tuple
/// of one, where that is meant. `None`: as it is.
pub(super) fn exact(node: &Node, kind: &SqlType) -> Option<Node> {
    match (node, kind.plain()) {
        // Not to the type with NULL, which a text that cannot be read would be.
        (Node::Literal(Literal::Fraction(digits) | Literal::BigInteger(digits)), SqlType::Decimal { .. }) => {
            Some(cast(text(digits), kind.plain()))
        }
        // More digits than the type has are refused in texts, while a number may use all of its bits.
        (Node::Literal(Literal::Integer(value)), SqlType::Decimal { precision, scale }) => {
            let end = 10_u128.checked_pow(u32::from(precision.saturating_sub(*scale)));
            let is_beyond = end.is_some_and(|end| value.unsigned_abs() >= end);
            is_beyond.then(|| cast(text(&value.to_string()), kind.plain()))
        }
        (Node::Call(list), SqlType::Array(element)) if list.name == "array" => of_all(list, |_| element),
        (Node::Call(pairs), SqlType::Map(key, value)) if pairs.name == "map" => {
            of_all(pairs, |at| if at % 2 == 0 { key } else { value })
        }
        (Node::Call(tuple), SqlType::Tuple(fields)) if tuple.name == "tuple" && tuple.arguments.len() == fields.len() => {
            of_all(tuple, |at| &fields[at].1)
        }
        // In brackets alone, a list is a tuple of one.
        (Node::Call(list), SqlType::Tuple(fields)) if fields.len() == 1 && ["array", "map"].contains(&&list.name[..]) => {
            let whole = call("tuple", vec![node.clone()]);
            Some(exact(&whole, kind).unwrap_or(whole))
        }
        _ => None,
    }
}

/// A number that goes to a DateTime64 is seconds: one of milliseconds would be the last day there is.
/// Error: DECIMAL_OVERFLOW.
pub(super) fn check_seconds(node: &Node, kind: &SqlType) -> Result<()> {
    let seconds = match (node, kind.plain()) {
        (Node::Literal(Literal::Integer(value)), SqlType::DateTime64(..)) => *value as f64,
        (Node::Literal(number), SqlType::DateTime64(..)) => number.float().unwrap_or_default(),
        _ => return Ok(()),
    };
    match SECONDS.contains(&seconds) {
        true => Ok(()),
        false => {
            Err(Error::new(ErrorCode::DECIMAL_OVERFLOW, format!("Numeric value {node} is out of range for DateTime64")))
        }
    }
}

fn of_all<'k>(container: &Call, kind_of: impl Fn(usize) -> &'k SqlType) -> Option<Node> {
    let arguments = &container.arguments;
    let read: Vec<Option<Node>> = arguments.iter().enumerate().map(|(at, node)| exact(node, kind_of(at))).collect();
    if read.iter().all(Option::is_none) {
        return None;
    }
    // Elements have to be of one type: those that stay are brought to it as well.
    let whole = read.into_iter().zip(arguments).enumerate();
    let arguments = whole.map(|(at, (read, node))| read.unwrap_or_else(|| cast(node.clone(), kind_of(at)))).collect();
    Some(Node::Call(Call { arguments, ..container.clone() }))
}

fn cast(node: Node, kind: &SqlType) -> Node {
    call("CAST", vec![node, text(&kind.to_string())])
}
