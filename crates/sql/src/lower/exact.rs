//! Numbers that go to a Decimal as they are written: Float64, which they are elsewhere, has fewer digits. So `VALUES (0.0255)` is
//! 0.0255 in a Decimal(9, 4), and not 0.0254. And NULL within arrays, tuples and maps, where it may stand for a default.

use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::SqlType;

use crate::ast::{Call, Literal, Node, call, text};

/// The last second of the year 9999.
const LAST_SECOND: i128 = 253_402_300_799;

/// A constant that goes to a type, with its numbers read by their digits, in arrays, tuples and maps too; and a list as a tuple
/// of one, where that is meant. Where `null_as_default`, NULL within them is the default of a type without it. `None`: as it is.
pub(super) fn exact(node: &Node, kind: &SqlType, null_as_default: bool) -> Option<Node> {
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
        // Later seconds are the last one, without a part of a second behind it.
        (Node::Literal(Literal::Integer(seconds)), SqlType::DateTime64(..)) if *seconds > LAST_SECOND => {
            Some(Node::Literal(Literal::Integer(LAST_SECOND)))
        }
        (Node::Call(list), SqlType::Array(element)) if list.name == "array" => of_all(list, null_as_default, |_| element),
        (Node::Call(pairs), SqlType::Map(key, value)) if pairs.name == "map" => {
            of_all(pairs, null_as_default, |at| if at % 2 == 0 { key } else { value })
        }
        (Node::Call(tuple), SqlType::Tuple(fields)) if tuple.name == "tuple" && tuple.arguments.len() == fields.len() => {
            of_all(tuple, null_as_default, |at| &fields[at].1)
        }
        // In brackets alone, a list is a tuple of one.
        (Node::Call(list), SqlType::Tuple(fields)) if fields.len() == 1 && ["array", "map"].contains(&&list.name[..]) => {
            let whole = call("tuple", vec![node.clone()]);
            Some(exact(&whole, kind, null_as_default).unwrap_or(whole))
        }
        _ => None,
    }
}

/// A number that goes to a DateTime64 is seconds, whose ticks have 64 bits: one of microseconds has too many. A whole number that
/// goes to a Decimal has no more digits than that. Errors: DECIMAL_OVERFLOW, ARGUMENT_OUT_OF_BOUND.
pub(super) fn check_number(node: &Node, kind: &SqlType) -> Result<()> {
    let (seconds, scale) = match (node, kind.plain()) {
        (Node::Literal(Literal::Integer(value)), SqlType::Decimal { precision, scale }) => {
            let beyond = 10_i128.checked_pow(u32::from(precision - scale));
            if beyond.is_none_or(|beyond| (1 - beyond..beyond).contains(value)) {
                return Ok(());
            }
            return Err(Error::new(ErrorCode::ARGUMENT_OUT_OF_BOUND, format!("Too many digits in {node} for {kind}")));
        }
        (Node::Literal(Literal::Integer(value)), SqlType::DateTime64(scale, _)) => (*value as f64, scale),
        (Node::Literal(number), SqlType::DateTime64(scale, _)) => (number.float().unwrap_or_default(), scale),
        _ => return Ok(()),
    };
    if seconds.abs() * 10f64.powi(i32::from(*scale)) < i64::MAX as f64 {
        return Ok(());
    }
    Err(Error::new(ErrorCode::DECIMAL_OVERFLOW, format!("Numeric value {node} is out of range for DateTime64")))
}

fn of_all<'k>(container: &Call, null_as_default: bool, kind_of: impl Fn(usize) -> &'k SqlType) -> Option<Node> {
    let arguments = &container.arguments;
    let one = |(at, node): (usize, &Node)| {
        let kind = kind_of(at);
        match node.bare() {
            Node::Literal(Literal::Null) if null_as_default && !kind.is_nullable() => {
                Some(call("defaultValueOfTypeName", vec![text(&kind.to_string())]))
            }
            _ => exact(node, kind, null_as_default),
        }
    };
    let read: Vec<Option<Node>> = arguments.iter().enumerate().map(one).collect();
    if read.iter().all(Option::is_none) {
        return None;
    }
    // Elements have to be of one type: those that stay are brought to it as well. Those of a tuple have their own.
    let is_tuple = container.name == "tuple";
    let stays = |at: usize, node: &Node| if is_tuple { node.clone() } else { cast(node.clone(), kind_of(at)) };
    let whole = read.into_iter().zip(arguments).enumerate();
    let arguments = whole.map(|(at, (read, node))| read.unwrap_or_else(|| stays(at, node))).collect();
    Some(Node::Call(Call { arguments, ..container.clone() }))
}

fn cast(node: Node, kind: &SqlType) -> Node {
    call("CAST", vec![node, text(&kind.to_string())])
}
