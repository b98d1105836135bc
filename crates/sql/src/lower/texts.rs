//! Comparisons of texts with what is no String: texts that are read as the other side's type, and FixedString, which compares
//! as if both sides were padded with zeroes to one length.

use datafusion::common::ScalarValue;
use datafusion::logical_expr::{Expr, Operator, binary_expr, lit};
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::SqlType;

use super::operators::{boolean, compares_natively, is_padded, predicate};
use super::{Analyzer, Typed};

impl Analyzer<'_> {
    /// A constant text beside what no operator of DataFusion compares, read as the type of that; `None`: there is none.
    pub(super) fn compare_text_with_nested(&self, operator: Operator, left: Typed, right: Typed) -> Result<Option<Typed>> {
        // What has no values but NULL is never compared at all.
        let is_nested = |kind: &SqlType| !compares_natively(kind) && *kind.plain() != SqlType::Nothing;
        let is_text = |typed: &Typed, other: &Typed| *typed.kind.plain() == SqlType::String && is_nested(&other.kind);
        let (left, right) = if is_text(&left, &right) {
            match self.constant_as(&left, right.kind.plain())? {
                Some(read) => (read, right),
                None => return Ok(None),
            }
        } else if is_text(&right, &left) {
            match self.constant_as(&right, left.kind.plain())? {
                Some(read) => (left, read),
                None => return Ok(None),
            }
        } else {
            return Ok(None);
        };
        let Some(name) = name_of(operator) else { return Ok(None) };
        self.call_of(name, vec![left, right]).map(Some)
    }

    /// A function of ours of values that are lowered already.
    pub(super) fn call_of(&self, name: &str, arguments: Vec<Typed>) -> Result<Typed> {
        let arguments = arguments.into_iter().map(|typed| (typed.expr.clone(), self.argument(&typed))).collect();
        let (expr, kind) = gristmill_functions::udf::call(self.registry, name, arguments, &self.env)?;
        self.fold(Typed::new(expr, kind))
    }

    /// A subquery that gives one text, read as the type that it is compared with. (A constant text is read so as well.)
    pub(super) fn text_of_subquery(&self, typed: Typed, other: &Typed) -> Result<Typed> {
        let is_text = matches!(typed.expr, Expr::ScalarSubquery(_)) && *typed.kind.plain() == SqlType::String;
        if !is_text || other.kind.is_string() || other.kind.is_enum() || other.kind.is_null_literal() {
            return Ok(typed);
        }
        let kind = other.kind.plain().clone().nullable();
        let expr = gristmill_functions::reading_expr(typed.expr, &typed.kind, &kind, &self.env)?;
        self.fold(Typed::new(expr, kind))
    }

    /// A FixedString and another text; `None`: these are none.
    pub(super) fn compare_padded(&self, operator: Operator, left: &Typed, right: &Typed) -> Result<Option<Typed>> {
        if !is_padded(left, right) && !is_padded(right, left) {
            return Ok(None);
        }
        let nullable = left.kind.is_nullable() || right.kind.is_nullable();
        if let (SqlType::FixedString(length), Some(text)) = (left.kind.plain(), text_of(right)) {
            return self.compare_fixed(operator, left, *length, text, nullable).map(Some);
        }
        if let (SqlType::FixedString(length), Some(text), Some(swapped)) =
            (right.kind.plain(), text_of(left), operator.swap())
        {
            return self.compare_fixed(swapped, right, *length, text, nullable).map(Some);
        }
        let (left, right) = (self.without_padding(left)?, self.without_padding(right)?);
        self.fold(predicate(binary_expr(left, operator, right), nullable)).map(Some)
    }

    /// A FixedString and a constant: a constant of the same type, so that indexes see a comparison with the column itself.
    fn compare_fixed(&self, operator: Operator, fixed: &Typed, length: usize, text: &[u8], nullable: bool) -> Result<Typed> {
        let text = trimmed(text);
        let of_length = |text: &[u8]| {
            let mut padded = text.to_vec();
            padded.resize(length, 0);
            lit(ScalarValue::FixedSizeBinary(length as i32, Some(padded)))
        };
        let compared =
            |operator, text: &[u8]| predicate(binary_expr(fixed.expr.clone(), operator, of_length(text)), nullable);
        if text.len() <= length {
            return self.fold(compared(operator, text));
        }
        // What is longer is equal to none, and greater than its own beginning.
        let beginning = &text[..length];
        match operator {
            Operator::Lt | Operator::LtEq => self.fold(compared(Operator::LtEq, beginning)),
            Operator::Gt | Operator::GtEq => self.fold(compared(Operator::Gt, beginning)),
            Operator::IsDistinctFrom | Operator::IsNotDistinctFrom => {
                Ok(predicate(boolean(operator == Operator::IsDistinctFrom), false))
            }
            _ => {
                let never = never(fixed);
                self.fold(predicate(if operator == Operator::Eq { never } else { Expr::Not(Box::new(never)) }, nullable))
            }
        }
    }

    /// As a String without zeroes at its end.
    pub(super) fn without_padding(&self, typed: &Typed) -> Result<Expr> {
        if let Some(text) = text_of(typed) {
            return Ok(lit(ScalarValue::BinaryView(Some(trimmed(text).to_vec()))));
        }
        if matches!(typed.kind.plain(), SqlType::FixedString(_)) {
            let kind = if typed.kind.is_nullable() { SqlType::String.nullable() } else { SqlType::String };
            return Ok(self.cast(typed.clone(), &kind)?.expr);
        }
        let zero = self.literal(&crate::ast::Literal::Text(vec![0]))?;
        Ok(self.call_of("trimRight", vec![typed.clone(), zero])?.expr)
    }

    /// NULL alone, as in `x IN (SELECT NULL)`, as one of the other side's type.
    pub(super) fn null_beside(&self, null: Typed, other: &Typed) -> Result<Typed> {
        let kind = other.kind.plain().clone().nullable();
        let is_plain = kind.is_nullable() && !matches!(kind.plain(), SqlType::Tuple(_));
        if null.kind.is_null_literal() && is_plain { self.cast(null, &kind) } else { Ok(null) }
    }

    /// A constant text as IN looks for it among values of a type: bytes that fill a FixedString up, or all bytes of one.
    /// Error: TOO_LARGE_STRING_SIZE.
    pub(super) fn text_among_texts(&self, item: Typed, kind: &SqlType) -> Result<Typed> {
        match (kind, item.kind.plain(), text_of(&item)) {
            (SqlType::FixedString(length), SqlType::String | SqlType::FixedString(_), Some(text)) => {
                if text.len() > *length {
                    let what = format!("A text of {} bytes cannot be in a set of FixedString({length})", text.len());
                    return Err(Error::new(ErrorCode::TOO_LARGE_STRING_SIZE, what));
                }
                let mut padded = text.to_vec();
                padded.resize(*length, 0);
                let value = ScalarValue::FixedSizeBinary(*length as i32, Some(padded));
                Ok(Typed::new(lit(value), kind.clone()))
            }
            (SqlType::String, SqlType::FixedString(_), Some(text)) => {
                Ok(Typed::new(lit(ScalarValue::BinaryView(Some(text.to_vec()))), SqlType::String))
            }
            _ => Ok(item),
        }
    }
}

/// False, or NULL where the value is.
pub(super) fn never(typed: &Typed) -> Expr {
    if !typed.kind.is_nullable() {
        return boolean(false);
    }
    Expr::IsNull(Box::new(typed.expr.clone())).and(Expr::Literal(ScalarValue::Boolean(None), None))
}

/// An enum beside a text that names none of its values: no value is it, and none is in an order with it.
pub(super) fn compare_with_no_name(operator: Operator, left: &Typed, right: &Typed, nullable: bool) -> Option<Typed> {
    let is_no_name = |kind: &Typed, text: &Typed| kind.constant().is_none() && names_nothing(text, kind.kind.plain());
    let of_enum = match () {
        () if is_no_name(left, right) => left,
        () if is_no_name(right, left) => right,
        () => return None,
    };
    Some(match operator {
        Operator::IsDistinctFrom | Operator::IsNotDistinctFrom => {
            predicate(boolean(operator == Operator::IsDistinctFrom), false)
        }
        Operator::NotEq => return None,
        _ => predicate(never(of_enum), nullable),
    })
}

/// Whether a constant text is neither a name nor a number of an enum.
pub(super) fn names_nothing(text: &Typed, kind: &SqlType) -> bool {
    let (Some(names), Some(text), SqlType::String) = (kind.enum_values(), text_of(text), text.kind.plain()) else {
        return false;
    };
    let number = || std::str::from_utf8(text).ok()?.parse::<i16>().ok();
    names.value_of(text).is_none() && number().and_then(|number| names.name_of(number)).is_none()
}

fn text_of(typed: &Typed) -> Option<&[u8]> {
    match typed.constant()? {
        ScalarValue::BinaryView(Some(text)) | ScalarValue::FixedSizeBinary(_, Some(text)) => Some(text),
        _ => None,
    }
}

fn trimmed(text: &[u8]) -> &[u8] {
    let end = text.iter().rposition(|byte| *byte != 0).map_or(0, |at| at + 1);
    &text[..end]
}

/// The function of an operator.
fn name_of(operator: Operator) -> Option<&'static str> {
    Some(match operator {
        Operator::Eq => "equals",
        Operator::NotEq => "notEquals",
        Operator::Lt => "less",
        Operator::LtEq => "lessOrEquals",
        Operator::Gt => "greater",
        Operator::GtEq => "greaterOrEquals",
        Operator::IsDistinctFrom => "isDistinctFrom",
        Operator::IsNotDistinctFrom => "isNotDistinctFrom",
        _ => return None,
    })
}
