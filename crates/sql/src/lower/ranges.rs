//! Conditions on functions of a column that are ranges of the column itself. Ranges prune parts, row groups and pages,
//! and cost less than the functions:
//! - `s LIKE 'abc%'`, `startsWith(s, 'abc')`: `s >= 'abc' AND s < 'abd'`; `empty(s)`: `s = ''`;
//! - `toYear(d) = 2024`, `toYYYYMM(d) < 202405`, `toDate(t) = '2024-05-06'`: bounds of `d` and `t`;
//! - `(a, b) = (1, 2)`: `a = 1 AND b = 2`.
//!
//! Nothing of it is done above a grouping, where the function may be the key, nor with long expressions, which would stand
//! there twice.

use datafusion::common::ScalarValue;
use datafusion::logical_expr::{Expr, Operator, binary_expr};
use gristmill_base::Result;
use gristmill_types::SqlType;

use super::operators::{comparison, predicate};
use super::scope::{Context, nodes_of};
use super::tuple_sets::LONG;
use super::{Analyzer, Typed};
use crate::ast::Node;

impl Analyzer<'_> {
    /// `None`: the function is to be called.
    pub(crate) fn as_range(&self, name: &str, arguments: &[Node], context: &Context<'_>) -> Result<Option<Typed>> {
        if context.grouped.is_some() {
            return Ok(None);
        }
        match (name, arguments) {
            ("like" | "startsWith", [value, pattern]) => {
                let pattern = self.as_value(self.expr(pattern, context)?)?;
                let Some(ScalarValue::BinaryView(Some(pattern))) = pattern.constant() else { return Ok(None) };
                let (prefix, rest) = if name == "like" { like_prefix(pattern) } else { (pattern.clone(), Rest::Anything) };
                let value = self.as_value(self.expr(value, context)?)?;
                let is_text = *value.kind.plain() == SqlType::String;
                if !is_text || value.constant().is_some() || nodes_of(&value.expr) > LONG {
                    return Ok(None);
                }
                let text = |bytes: Vec<u8>| Expr::Literal(ScalarValue::BinaryView(Some(bytes)), None);
                let range = match rest {
                    Rest::Nothing => binary_expr(value.expr.clone(), Operator::Eq, text(prefix)),
                    _ if prefix.is_empty() => return Ok(None),
                    Rest::Anything => between(&value.expr, text(prefix.clone()), successor(prefix).map(text)),
                    Rest::Pattern => {
                        let arguments = vec![
                            (value.expr.clone(), self.argument(&value)),
                            (text(pattern.clone()), constant_text(pattern)),
                        ];
                        let (expr, kind) = gristmill_functions::udf::call(self.registry, name, arguments, &self.env)?;
                        let matches = self.as_predicate(Typed::new(expr, kind), name)?;
                        between(&value.expr, text(prefix.clone()), successor(prefix).map(text)).and(matches)
                    }
                };
                Ok(Some(predicate(range, value.kind.is_nullable())))
            }
            ("empty" | "notEmpty", [value]) => {
                let value = self.as_value(self.expr(value, context)?)?;
                if *value.kind.plain() != SqlType::String || value.constant().is_some() {
                    return Ok(None);
                }
                let nothing = Expr::Literal(ScalarValue::BinaryView(Some(Vec::new())), None);
                let operator = if name == "empty" { Operator::Eq } else { Operator::NotEq };
                Ok(Some(predicate(binary_expr(value.expr, operator, nothing), value.kind.is_nullable())))
            }
            (_, [left, right]) => {
                let Some(operator) = comparison(name) else { return Ok(None) };
                if let Some(elements) = self.equal_elements(operator, left, right, context)? {
                    return Ok(Some(elements));
                }
                match (period(left), period(right)) {
                    (Some((function, date)), None) => self.in_period(function, date, operator, right, context),
                    (None, Some((function, date))) => match operator.swap() {
                        Some(operator) => self.in_period(function, date, operator, left, context),
                        None => Ok(None),
                    },
                    _ => Ok(None),
                }
            }
            _ => Ok(None),
        }
    }

    /// Tuples as long as another of constants, element by element. Those that may be NULL are left to the function, which
    /// knows what a tuple with NULL equals.
    fn equal_elements(&self, operator: Operator, left: &Node, right: &Node, context: &Context<'_>) -> Result<Option<Typed>> {
        let (Some(left), Some(right)) = (tuple(left), tuple(right)) else { return Ok(None) };
        if operator != Operator::Eq || left.len() != right.len() {
            return Ok(None);
        }
        let mut all: Option<Expr> = None;
        for (left, right) in left.iter().zip(right) {
            let left = self.as_value(self.expr(left, context)?)?;
            let right = self.as_value(self.expr(right, context)?)?;
            let is_plain = |typed: &Typed| !typed.kind.is_nullable() && !typed.kind.is_null_literal();
            if !is_plain(&left) || !is_plain(&right) || right.constant().is_none() {
                return Ok(None);
            }
            let Some(equal) = self.compare(operator, left, right, "equals")? else { return Ok(None) };
            let equal = self.as_predicate(equal, "equals")?;
            all = Some(match all {
                Some(others) => others.and(equal),
                None => equal,
            });
        }
        Ok(all.map(|all| predicate(all, false)))
    }

    /// `function(date) operator bound`
    fn in_period(
        &self,
        function: &str,
        date: &Node,
        operator: Operator,
        bound: &Node,
        context: &Context<'_>,
    ) -> Result<Option<Typed>> {
        let date = self.as_value(self.expr(date, context)?)?;
        let plain = date.kind.plain().clone();
        let by_day = matches!(plain, SqlType::Date | SqlType::Date32);
        if date.constant().is_some() || !plain.is_date_or_time() || (by_day && function == "toDate") {
            return Ok(None);
        }
        if nodes_of(&date.expr) > LONG {
            return Ok(None);
        }
        let bound = self.as_value(self.expr(bound, context)?)?;
        // What nothing compares with stays with the function.
        let Some(value) = bound.constant().filter(|value| !value.is_null()) else { return Ok(None) };
        let first_and_next = match function {
            "toDate" => {
                let shown = match *bound.kind.plain() {
                    SqlType::Date | SqlType::Date32 => self.cast(bound.clone(), &SqlType::String)?,
                    _ => bound.clone(),
                };
                let Some(ScalarValue::BinaryView(Some(text))) = shown.constant() else { return Ok(None) };
                let text = String::from_utf8_lossy(text).into_owned();
                let Ok(day) = text.parse::<chrono::NaiveDate>() else { return Ok(None) };
                day.succ_opt().map(|next| (day, next))
            }
            _ => {
                let Ok(ScalarValue::Int64(Some(number))) = value.cast_to(&arrow::datatypes::DataType::Int64) else {
                    return Ok(None);
                };
                if !bound.kind.is_integer() {
                    return Ok(None);
                }
                months(function, number)
            }
        };
        let Some((first, next)) = first_and_next else { return Ok(None) };
        // Dates outside of the type's range wrap around: they stay with the function.
        if !(1971..=2100).contains(&chrono::Datelike::year(&first))
            || !(1971..=2100).contains(&chrono::Datelike::year(&next))
        {
            return Ok(None);
        }
        let at = |day: chrono::NaiveDate| -> Result<Option<Expr>> {
            let text = if by_day { format!("{day}") } else { format!("{day} 00:00:00") };
            let literal = self.literal(&crate::ast::Literal::Text(text.into_bytes()))?;
            Ok(self.constant_as(&literal, &plain)?.map(|typed| typed.expr))
        };
        let (Some(first), Some(next)) = (at(first)?, at(next)?) else { return Ok(None) };
        let compare = |operator, bound| binary_expr(date.expr.clone(), operator, bound);
        let range = match operator {
            Operator::Eq => compare(Operator::GtEq, first).and(compare(Operator::Lt, next)),
            Operator::NotEq => compare(Operator::Lt, first).or(compare(Operator::GtEq, next)),
            Operator::Lt => compare(Operator::Lt, first),
            Operator::LtEq => compare(Operator::Lt, next),
            Operator::Gt => compare(Operator::GtEq, next),
            Operator::GtEq => compare(Operator::GtEq, first),
            _ => return Ok(None),
        };
        Ok(Some(predicate(range, date.kind.is_nullable() || bound.kind.is_nullable())))
    }
}

/// The elements of a tuple that is written as one.
fn tuple(node: &Node) -> Option<&[Node]> {
    match node.bare() {
        Node::Call(call) if call.name == "tuple" && !call.arguments.is_empty() => Some(&call.arguments),
        _ => None,
    }
}

/// A function of a date that grows with it.
pub(super) fn period(node: &Node) -> Option<(&'static str, &Node)> {
    let Node::Call(call) = node.bare() else { return None };
    let [argument] = &call.arguments[..] else { return None };
    let function = ["toYear", "toYYYYMM", "toDate"].into_iter().find(|name| *name == call.name)?;
    Some((function, argument))
}

/// The first day that has the number, and the first after it.
fn months(function: &str, number: i64) -> Option<(chrono::NaiveDate, chrono::NaiveDate)> {
    let day =
        |year: i64, month: i64| chrono::NaiveDate::from_ymd_opt(i32::try_from(year).ok()?, u32::try_from(month).ok()?, 1);
    match function {
        "toYear" => Some((day(number, 1)?, day(number.checked_add(1)?, 1)?)),
        "toYYYYMM" => {
            let (year, month) = (number / 100, number % 100);
            let next = if month == 12 { day(year + 1, 1)? } else { day(year, month + 1)? };
            Some((day(year, month)?, next))
        }
        _ => None,
    }
}

fn between(value: &Expr, from: Expr, to: Option<Expr>) -> Expr {
    let low = binary_expr(value.clone(), Operator::GtEq, from);
    match to {
        Some(to) => low.and(binary_expr(value.clone(), Operator::Lt, to)),
        None => low,
    }
}

fn constant_text(text: &[u8]) -> gristmill_functions::Argument {
    gristmill_functions::Argument { kind: SqlType::String, constant: Some(ScalarValue::BinaryView(Some(text.to_vec()))) }
}

/// The least text greater than every text with this beginning.
fn successor(mut prefix: Vec<u8>) -> Option<Vec<u8>> {
    while let Some(last) = prefix.pop() {
        if last < u8::MAX {
            prefix.push(last + 1);
            return Some(prefix);
        }
    }
    None
}

#[derive(Debug, PartialEq)]
enum Rest {
    Nothing,
    /// `%`
    Anything,
    Pattern,
}

/// What a LIKE pattern fixes at the beginning, and what follows it.
fn like_prefix(pattern: &[u8]) -> (Vec<u8>, Rest) {
    let mut prefix = Vec::new();
    let mut at = 0;
    while at < pattern.len() {
        match pattern[at] {
            b'%' if pattern[at..].iter().all(|c| *c == b'%') => return (prefix, Rest::Anything),
            b'%' | b'_' => return (prefix, Rest::Pattern),
            b'\\' => match pattern.get(at + 1) {
                Some(c @ (b'%' | b'_' | b'\\')) => {
                    prefix.push(*c);
                    at += 2;
                }
                _ => return (prefix, Rest::Pattern),
            },
            c => {
                prefix.push(c);
                at += 1;
            }
        }
    }
    (prefix, Rest::Nothing)
}

#[cfg(test)]
mod tests {
    use super::{Rest, like_prefix, months, successor};

    #[test]
    fn a_like_pattern_begins_with_what_is_fixed() {
        assert_eq!(like_prefix(b"abc%"), (b"abc".to_vec(), Rest::Anything));
        assert_eq!(like_prefix(b"abc"), (b"abc".to_vec(), Rest::Nothing));
        assert_eq!(like_prefix(b"a_c"), (b"a".to_vec(), Rest::Pattern));
        assert_eq!(like_prefix(b"a\\%b%"), (b"a%b".to_vec(), Rest::Anything));
        assert_eq!(like_prefix(b"%abc"), (Vec::new(), Rest::Pattern));
    }

    #[test]
    fn the_successor_ends_a_range_of_texts() {
        assert_eq!(successor(b"abc".to_vec()), Some(b"abd".to_vec()));
        assert_eq!(successor(vec![b'a', 0xFF]), Some(b"b".to_vec()));
        assert_eq!(successor(vec![0xFF]), None);
    }

    #[test]
    fn a_month_ends_where_the_next_begins() {
        let text = |function, number| months(function, number).map(|(a, b)| format!("{a} {b}"));
        assert_eq!(text("toYYYYMM", 202412).as_deref(), Some("2024-12-01 2025-01-01"));
        assert_eq!(text("toYear", 2024).as_deref(), Some("2024-01-01 2025-01-01"));
        assert_eq!(text("toYYYYMM", 202413), None);
    }
}
