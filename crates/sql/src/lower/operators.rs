//! Operators that DataFusion computes as ClickHouse does, once both sides have one type.
//!
//! Comparisons bring both sides to one type without changing what is compared: a constant moves to the column's type
//! where it fits there exactly, so that statistics can still prune; else both sides move to a type that holds both.

use datafusion::common::ScalarValue;
use datafusion::logical_expr::{BinaryExpr, Case, Expr, Operator};
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_functions::supertype::with_signs;
use gristmill_types::SqlType;
use gristmill_types::cast::{CastOptions, OnError};
use gristmill_types::supertype::{Arithmetic, arithmetic_result, bools_as_numbers, least_supertype};

use super::scope::{Context, nodes_of};
use super::texts::compare_with_no_name;
use super::{Analyzer, Typed};
use crate::ast::{Call, Literal, Node, call};

/// The comparison that a function's name stands for.
pub(crate) fn comparison(name: &str) -> Option<Operator> {
    Some(match name {
        "equals" => Operator::Eq,
        "notEquals" => Operator::NotEq,
        "less" => Operator::Lt,
        "lessOrEquals" => Operator::LtEq,
        "greater" => Operator::Gt,
        "greaterOrEquals" => Operator::GtEq,
        "isDistinctFrom" => Operator::IsDistinctFrom,
        "isNotDistinctFrom" => Operator::IsNotDistinctFrom,
        _ => return None,
    })
}

fn arithmetic(name: &str) -> Option<(Arithmetic, Operator)> {
    Some(match name {
        "plus" => (Arithmetic::Plus, Operator::Plus),
        "minus" => (Arithmetic::Minus, Operator::Minus),
        "multiply" => (Arithmetic::Multiply, Operator::Multiply),
        "divide" => (Arithmetic::Divide, Operator::Divide),
        _ => return None,
    })
}

fn binary(left: Expr, operator: Operator, right: Expr) -> Expr {
    Expr::BinaryExpr(BinaryExpr { left: Box::new(left), op: operator, right: Box::new(right) })
}

/// Types whose Arrow carrier compares as ClickHouse compares them.
pub(super) fn compares_natively(kind: &SqlType) -> bool {
    match kind.plain() {
        SqlType::Array(_) | SqlType::Tuple(_) | SqlType::Map(..) | SqlType::AggregateFunction(..) | SqlType::Nothing => {
            false
        }
        // The carrier is signed, the type is not.
        SqlType::UInt256 => false,
        _ => true,
    }
}

impl Analyzer<'_> {
    /// Lowers what DataFusion has an operator for; `None`: a function of ours is to be called.
    pub(crate) fn operator(&self, name: &str, arguments: &[Node], context: &Context<'_>) -> Result<Option<Typed>> {
        if let Some(range) = self.as_range(name, arguments, context)? {
            return Ok(Some(range));
        }
        match (name, arguments) {
            ("and" | "or", [_, ..]) => {
                let operator = if name == "and" { Operator::And } else { Operator::Or };
                let (mut nullable, mut of_bools) = (false, false);
                let mut operands = Vec::with_capacity(arguments.len());
                for argument in arguments {
                    let typed = self.expr(argument, context)?;
                    nullable |= typed.kind.is_nullable();
                    // One that may be NULL is no Bool here.
                    of_bools |= typed.kind == SqlType::Bool;
                    operands.push(self.as_predicate(typed, &format!("argument of function {name}"))?);
                }
                // FALSE decides an AND and TRUE an OR, whatever stands beside it.
                let decided = boolean(operator == Operator::Or);
                if operands.contains(&decided) {
                    return Ok(Some(logical(decided, nullable, of_bools)));
                }
                let combined = super::junctions::combined(operator, super::junctions::guarded(operator, operands));
                Ok(combined.map(|expr| self.fold(logical(expr, nullable, of_bools))).transpose()?)
            }
            ("not", [argument]) => {
                let typed = self.expr(argument, context)?;
                if typed.kind.is_null_literal() {
                    return Ok(Some(typed));
                }
                let (nullable, of_bool) = (typed.kind.is_nullable(), *typed.kind.plain() == SqlType::Bool);
                let condition = self.as_predicate(typed, "argument of function not")?;
                self.fold(logical(Expr::Not(Box::new(condition)), nullable, of_bool)).map(Some)
            }
            ("isNull" | "isNotNull", [argument]) => {
                let typed = self.as_value(self.expr(argument, context)?)?;
                let wants_null = name == "isNull";
                if !typed.kind.is_nullable() {
                    return Ok(Some(Typed { expr: boolean(!wants_null), kind: SqlType::UInt8, predicate: true }));
                }
                let inner = Box::new(typed.expr);
                let expr = if wants_null { Expr::IsNull(inner) } else { Expr::IsNotNull(inner) };
                self.fold(predicate(expr, false)).map(Some)
            }
            ("if", [condition, yes, no]) => {
                let arms = vec![(condition, yes)];
                self.case(&arms, no, true, context)
            }
            ("multiIf", _) if arguments.len() >= 3 && arguments.len() % 2 == 1 => {
                let (otherwise, pairs) = match arguments.split_last() {
                    Some(split) => split,
                    None => return Ok(None),
                };
                let arms: Vec<(&Node, &Node)> = pairs.chunks_exact(2).map(|pair| (&pair[0], &pair[1])).collect();
                self.case(&arms, otherwise, arms.len() == 1, context)
            }
            // Each branch compares: what stands for the value is lowered to one expression that DataFusion computes once.
            ("caseWithExpression", [value, arms @ .., otherwise]) if arms.len() >= 2 && arms.len() % 2 == 0 => {
                let is = |arm: &Node| match arm.bare() {
                    Node::Literal(Literal::Null) => call("isNull", vec![value.clone()]),
                    _ => call("equals", vec![value.clone(), arm.clone()]),
                };
                let compared: Vec<Node> = arms.chunks_exact(2).map(|arm| is(&arm[0])).collect();
                let arms: Vec<(&Node, &Node)> =
                    compared.iter().zip(arms.chunks_exact(2)).map(|(is, arm)| (is, &arm[1])).collect();
                self.case(&arms, otherwise, false, context)
            }
            ("nullIf", [value, other]) => self.null_if(value, other, context),
            (_, [left, right]) => {
                if let Some(operator) = comparison(name) {
                    if let Some(by_parts) = self.compare_texts_in_tuples(operator, left, right, name, context)? {
                        return Ok(Some(by_parts));
                    }
                    let left = self.as_value(self.expr(left, context)?)?;
                    let right = self.as_value(self.expr(right, context)?)?;
                    // What is lowered here is not lowered again for the function, which would double with every level.
                    return match self.compare(operator, left.clone(), right.clone(), name)? {
                        Some(compared) => Ok(Some(compared)),
                        None => self.call_of(name, vec![left, right]).map(Some),
                    };
                }
                if let Some((operation, operator)) = arithmetic(name) {
                    let left = self.as_value(self.expr(left, context)?)?;
                    let right = self.as_value(self.expr(right, context)?)?;
                    return match natively(operation, &left.kind, &right.kind)? {
                        Some(kind) => self.arithmetic(kind, operator, left, right).map(Some),
                        None => self.call_of(name, vec![left, right]).map(Some),
                    };
                }
                Ok(None)
            }
            _ => Ok(None),
        }
    }

    /// `None` where the function itself has to choose: DataFusion computes a condition without columns once to see whether its
    /// arm is ever taken, and a condition on `rand()` is not the same twice, so it took columns with NULLs for columns without.
    /// With `chooses` a condition that is known chooses its value here: a constant is one then for GROUP BY too.
    fn case(
        &self,
        arms: &[(&Node, &Node)],
        otherwise: &Node,
        chooses: bool,
        context: &Context<'_>,
    ) -> Result<Option<Typed>> {
        let mut conditions = Vec::new();
        let mut values = Vec::new();
        for (condition, value) in arms {
            let typed = self.expr(condition, context)?;
            conditions.push(self.as_predicate(typed, "condition of function if")?);
            values.push(self.as_value(self.expr(value, context)?)?);
        }
        let last = self.as_value(self.expr(otherwise, context)?)?;
        let mut kinds: Vec<SqlType> = values.iter().chain([&last]).map(|typed| typed.kind.clone()).collect();
        with_signs(&mut kinds, |i| values.get(i).unwrap_or(&last).constant());
        let kind = least_supertype(&kinds)?.without_nested_low_cardinality();
        if chooses && let [Expr::Literal(ScalarValue::Boolean(Some(known)), _)] = conditions[..] {
            let chosen = if known { values.remove(0) } else { last };
            let kind = if differ_by_zone(&chosen.kind, &kind) { chosen.kind.clone() } else { kind };
            return self.arm(chosen, &kind).map(Some);
        }
        if kind.is_nullable() && conditions.iter().any(Expr::is_volatile) {
            return Ok(None);
        }
        // Of several conditions a FixedString beside Strings loses the zeros that fill it up, as in any cast.
        let arm = |value: Typed| if chooses { self.arm(value, &kind) } else { self.cast(value, &kind) };
        // A condition known beforehand chooses its arm now: `if(1, a, b)` never computes b.
        let when_then = conditions
            .into_iter()
            .zip(values)
            .map(|(condition, value)| Ok((Box::new(condition), Box::new(arm(value)?.expr))))
            .collect::<Result<Vec<_>>>()?;
        let else_expr = Some(Box::new(arm(last)?.expr));
        self.fold(Typed::new(Expr::Case(Case { expr: None, when_then_expr: when_then, else_expr }), kind)).map(Some)
    }

    /// A value in the type of its condition's result: a FixedString beside Strings keeps the zeros that fill it up.
    fn arm(&self, value: Typed, kind: &SqlType) -> Result<Typed> {
        if !matches!(value.kind.plain(), SqlType::FixedString(_)) || *kind.plain() != SqlType::String {
            return self.cast(value, kind);
        }
        // One value alone would be trimmed.
        let nothing = Typed::new(Expr::Literal(ScalarValue::BinaryView(Some(Vec::new())), None), SqlType::String);
        let arguments = [&value, &nothing].map(|part| (part.expr.clone(), self.argument(part))).to_vec();
        let (expr, joined) = gristmill_functions::udf::call(self.registry, "concat", arguments, &self.env)?;
        self.cast(self.fold(Typed::new(expr, joined))?, kind)
    }

    /// NULL where both are equal; `None`: the function itself is to compare. The value stands twice in a CASE, so that a long one, in
    /// which there may be others of them, goes to the function.
    fn null_if(&self, value: &Node, other: &Node, context: &Context<'_>) -> Result<Option<Typed>> {
        let value = self.as_value(self.expr(value, context)?)?;
        let other = self.as_value(self.expr(other, context)?)?;
        let is_plain = |typed: &Typed| compares_natively(&typed.kind) && !typed.expr.is_volatile();
        let is_long = nodes_of(&value.expr) > 64;
        if is_long || !is_plain(&value) || !is_plain(&other) {
            return Ok(None);
        }
        let Some(equal) = self.compare(Operator::Eq, value.clone(), other, "nullIf")? else { return Ok(None) };
        let kind = value.kind.nullable();
        let null = Expr::Literal(ScalarValue::try_from(&kind.arrow())?, None);
        let when_then_expr = vec![(Box::new(self.as_predicate(equal, "nullIf")?), Box::new(null))];
        let case = Case { expr: None, when_then_expr, else_expr: Some(Box::new(value.expr)) };
        self.fold(Typed::new(Expr::Case(case), kind)).map(Some)
    }

    /// A comparison; `None` where a function of ours compares (tuples, arrays).
    pub(crate) fn compare(&self, operator: Operator, left: Typed, right: Typed, name: &str) -> Result<Option<Typed>> {
        let nulls_compare = matches!(operator, Operator::IsDistinctFrom | Operator::IsNotDistinctFrom);
        let nullable = !nulls_compare && (left.kind.is_nullable() || right.kind.is_nullable());
        if left.kind.is_null_literal() || right.kind.is_null_literal() {
            if !nulls_compare {
                return Ok(Some(Typed::new(Expr::Literal(ScalarValue::Null, None), SqlType::null())));
            }
            let other = if left.kind.is_null_literal() { right } else { left };
            let inner = Box::new(other.expr);
            let equal = operator == Operator::IsNotDistinctFrom;
            let expr = if equal { Expr::IsNull(inner) } else { Expr::IsNotNull(inner) };
            return self.fold(predicate(expr, false)).map(Some);
        }
        if !compares_natively(&left.kind) || !compares_natively(&right.kind) {
            return self.compare_text_with_nested(operator, left, right);
        }
        if let Some(padded) = self.compare_padded(operator, &left, &right)? {
            return Ok(Some(padded));
        }
        if super::floats::wants_exact(&left, &right) {
            return Ok(None);
        }
        let left = self.text_of_subquery(left, &right)?;
        let right = self.text_of_subquery(right, &left)?;
        if let Some(known) = compare_with_no_name(operator, &left, &right, nullable) {
            return self.fold(known).map(Some);
        }
        let (left, right) = self.to_common(left, right, name)?;
        if left.kind.is_float() && right.kind.is_float() {
            return self.fold(predicate(super::floats::compare(operator, left, right), nullable)).map(Some);
        }
        self.fold(predicate(binary(left.expr, operator, right.expr), nullable)).map(Some)
    }

    /// A comparison of tuples in which a constant text stands beside what is no text, so that it has to be read as that; `None`:
    /// it is none.
    fn compare_texts_in_tuples(
        &self,
        operator: Operator,
        left: &Node,
        right: &Node,
        name: &str,
        context: &Context<'_>,
    ) -> Result<Option<Typed>> {
        let (Node::Call(left), Node::Call(right)) = (left.bare(), right.bare()) else { return Ok(None) };
        let of_one_length = left.arguments.len() == right.arguments.len();
        if left.name != "tuple" || right.name != "tuple" || !of_one_length || strict(operator).is_none() {
            return Ok(None);
        }
        let elements = |tuple: &Call| -> Result<Vec<Typed>> {
            tuple.arguments.iter().map(|node| self.as_value(self.expr(node, context)?)).collect()
        };
        let pairs: Vec<(Typed, Typed)> = elements(left)?.into_iter().zip(elements(right)?).collect();
        let is_text = |typed: &Typed, other: &Typed| {
            typed.constant().is_some() && typed.kind.is_string() && !other.kind.is_string() && compares_natively(&other.kind)
        };
        if pairs.iter().any(|(left, right)| left.kind.is_null_literal() || right.kind.is_null_literal()) {
            return Ok(None);
        }
        let any =
            |test: &dyn Fn(&Typed, &Typed) -> bool| pairs.iter().any(|(left, right)| test(left, right) || test(right, left));
        if !any(&is_text) && !any(&|left, right| is_padded(left, right)) {
            return Ok(None);
        }
        self.compare_by_parts(operator, &pairs, name)
    }

    /// Element by element, the last of all by the operator itself.
    fn compare_by_parts(&self, operator: Operator, pairs: &[(Typed, Typed)], name: &str) -> Result<Option<Typed>> {
        let Some(strict) = strict(operator) else { return Ok(None) };
        let nullable = pairs.iter().any(|(left, right)| left.kind.is_nullable() || right.kind.is_nullable());
        let part = |operator: Operator, (left, right): &(Typed, Typed)| -> Result<Option<Expr>> {
            let compared = self.compare(operator, left.clone(), right.clone(), name)?;
            compared.map(|typed| self.as_predicate(typed, name)).transpose()
        };
        let mut whole: Option<Expr> = None;
        for pair in pairs.iter().rev() {
            let Some(rest) = whole.take() else {
                let Some(last) = part(operator, pair)? else { return Ok(None) };
                whole = Some(last);
                continue;
            };
            let (Some(here), Some(equal)) = (part(strict, pair)?, part(Operator::Eq, pair)?) else { return Ok(None) };
            whole = Some(match operator {
                Operator::Eq => here.and(rest),
                Operator::NotEq => here.or(rest),
                _ => here.or(equal.and(rest)),
            });
        }
        whole.map(|whole| self.fold(predicate(whole, nullable))).transpose()
    }

    /// Brings two values to one type without changing which is the greater.
    pub(crate) fn to_common(&self, left: Typed, right: Typed, name: &str) -> Result<(Typed, Typed)> {
        let has_number = |typed: &Typed| typed.kind.is_enum() || *typed.kind.plain() == SqlType::IPv4;
        let (left, right) = match (has_number(&left), has_number(&right)) {
            (true, false) if right.kind.is_number() => (as_numbers(left), right),
            (false, true) if left.kind.is_number() => (left, as_numbers(right)),
            _ => (left, right),
        };
        let (left_kind, right_kind) = (left.kind.plain().clone(), right.kind.plain().clone());
        if left_kind == right_kind || (left_kind.arrow() == right_kind.arrow() && same_family(&left_kind, &right_kind)) {
            return Ok((left, right));
        }
        if right.constant().is_some()
            && let Some(moved) = self.constant_as(&right, &left_kind)?
        {
            return Ok((left, moved));
        }
        if left.constant().is_some()
            && let Some(moved) = self.constant_as(&left, &right_kind)?
        {
            return Ok((moved, right));
        }
        if let Some((left, right)) = self.moments_as_numbers(&left, &right)? {
            return self.to_common(left, right, name);
        }
        let incomparable = || {
            let dates = left_kind.is_date_or_time() || right_kind.is_date_or_time();
            if dates && (left_kind.is_number() || right_kind.is_number()) {
                return Error::new(
                    ErrorCode::ILLEGAL_TYPE_OF_ARGUMENT,
                    format!(
                        "Illegal types of arguments (`{}`, `{}`) of function `{name}`: convert the number with toDate",
                        left.kind, right.kind
                    ),
                );
            }
            Error::new(
                ErrorCode::NO_COMMON_TYPE,
                format!(
                    "There is no supertype for types {}, {} because some of them are String/FixedString/Enum and some of them are not: in function {name}",
                    left.kind, right.kind
                ),
            )
        };
        let numbers = left_kind.is_number() && right_kind.is_number();
        if !numbers && (left_kind.is_string() != right_kind.is_string()) && !left_kind.is_enum() && !right_kind.is_enum() {
            return Err(incomparable());
        }
        let [left_number, right_number] = [&left_kind, &right_kind].map(bools_as_numbers);
        let common = match least_supertype(&[left_number, right_number]) {
            Ok(kind) => kind,
            // UInt64 against Int64 and the like: 38 digits hold both.
            Err(_) if left_kind.is_integer() && right_kind.is_integer() => SqlType::Decimal { precision: 38, scale: 0 },
            Err(_) if numbers => SqlType::Float64,
            Err(_) => return Err(incomparable()),
        };
        let wrap = |kind: &SqlType| if kind.is_nullable() { common.clone().nullable() } else { common.clone() };
        let (to_left, to_right) = (wrap(&left.kind), wrap(&right.kind));
        Ok((self.cast(left, &to_left)?, self.cast(right, &to_right)?))
    }

    /// A time and a number, both as numbers: seconds since 1970 or since midnight, with the digits that the time has. An interval
    /// is how many of its units it is.
    fn moments_as_numbers(&self, left: &Typed, right: &Typed) -> Result<Option<(Typed, Typed)>> {
        let number_of = |kind: &SqlType| match kind.plain() {
            SqlType::DateTime(_) => Some(SqlType::UInt32),
            SqlType::DateTime64(scale, _) | SqlType::Time64(scale) => {
                Some(SqlType::Decimal { precision: 18, scale: *scale })
            }
            SqlType::Time => Some(SqlType::Int32),
            SqlType::Interval(_) => Some(SqlType::Int64),
            _ => None,
        };
        let as_number = |typed: &Typed, kind: SqlType| {
            let kind = if typed.kind.is_nullable() { kind.nullable() } else { kind };
            self.cast(typed.clone(), &kind)
        };
        Ok(match (number_of(&left.kind), number_of(&right.kind)) {
            (Some(kind), None) if right.kind.is_number() => Some((as_number(left, kind)?, right.clone())),
            (None, Some(kind)) if left.kind.is_number() => Some((left.clone(), as_number(right, kind)?)),
            _ => None,
        })
    }

    /// A constant in another type, where that changes nothing. Text that is to be a date, an enum or the like but cannot
    /// be read as one is an error, as in ClickHouse.
    pub(crate) fn constant_as(&self, typed: &Typed, to: &SqlType) -> Result<Option<Typed>> {
        let Some(value) = typed.constant() else { return Ok(None) };
        let from = typed.kind.plain().clone();
        // No text is read as an element of `[]`.
        if *to == SqlType::Nothing {
            return Ok(None);
        }
        if value.is_null() {
            let null = ScalarValue::try_from(&to.arrow())?;
            return Ok(Some(Typed::new(Expr::Literal(null, None), to.clone().nullable())));
        }
        if from == *to {
            return Ok(Some(typed.clone()));
        }
        let from_text = from.is_string() && !to.is_string();
        if from_text
            && (to.is_integer() || to.is_float() || to.is_decimal() || *to == SqlType::Bool)
            && !self.text_compares_with_numbers()
        {
            return Ok(None);
        }
        let numbers = from.is_number() && to.is_number();
        let strings = from.is_string() && to.is_string();
        let dates = from.is_date_or_time() && to.is_date_or_time();
        // A time is the seconds since 1970, when it is compared with a number.
        let seconds = from.is_number() && matches!(to, SqlType::DateTime(_) | SqlType::DateTime64(..));
        if !(from_text || numbers || strings || dates || seconds) {
            return Ok(None);
        }
        // Widening a date is lossless; narrowing a time to a date is checked by the round trip below.
        let array = value.to_array_of_size(1)?;
        let options = CastOptions {
            on_error: if from_text { OnError::Throw } else { OnError::Null },
            accurate: numbers,
            // Nobody asks for a conversion: what cannot be read is an error, also where the type has NULL.
            saturates: from_text,
            lenient_addresses: gristmill_types::scan::address::LenientAddresses::default(),
            ..self.env.cast_options()?
        };
        let target = if from_text { to.clone() } else { to.clone().nullable() };
        let moved = match gristmill_types::cast::cast(&array, &from, &target, &options) {
            Ok(moved) => moved,
            // A number that the other type does not hold: both are brought to a third type.
            Err(_) if numbers || seconds => return Ok(None),
            Err(error) if from_text && to.is_number() => {
                let what = format!("Cannot convert string {value} to type {to}: {}", error.message());
                return Err(Error::new(ErrorCode::TYPE_MISMATCH, what));
            }
            Err(error) => return Err(error),
        };
        if moved.null_count() > 0 {
            return Ok(None);
        }
        if !from_text {
            let back = gristmill_types::cast::cast(&moved, to, &from, &options);
            let same = back.is_ok_and(|back| ScalarValue::try_from_array(&back, 0).is_ok_and(|back| back == *value));
            if !same {
                return Ok(None);
            }
        }
        Ok(Some(Typed::new(Expr::Literal(ScalarValue::try_from_array(&moved, 0)?, None), to.clone())))
    }

    fn text_compares_with_numbers(&self) -> bool {
        // ClickHouse reads the constant text '5' as a number when a number is compared with it.
        true
    }

    /// `+ - * /` on plain numbers, both brought to one type.
    fn arithmetic(&self, plain: SqlType, operator: Operator, left: Typed, right: Typed) -> Result<Typed> {
        let nullable = left.kind.is_nullable() || right.kind.is_nullable();
        let side = |typed: Typed| {
            let to = if typed.kind.is_nullable() { plain.clone().nullable() } else { plain.clone() };
            self.cast(typed, &to)
        };
        let expr = binary(side(left)?.expr, operator, side(right)?.expr);
        self.fold(Typed::new(expr, if nullable { plain.nullable() } else { plain }))
    }
}

/// The type of the numbers that DataFusion computes with as ClickHouse does; `None`: a function of ours is to be called.
fn natively(operation: Arithmetic, left: &SqlType, right: &SqlType) -> Result<Option<SqlType>> {
    let is_native = |kind: &SqlType| {
        kind.integer_bits().is_some_and(|(bits, _)| bits <= 64) || kind.is_float() || *kind.plain() == SqlType::Bool
    };
    if !is_native(left) || !is_native(right) {
        return Ok(None);
    }
    Ok(Some(arithmetic_result(operation, left.plain(), right.plain())?).filter(is_native))
}

/// The comparison of elements that decides one of tuples before their last elements; `None`: it is not made element by element.
fn strict(operator: Operator) -> Option<Operator> {
    Some(match operator {
        Operator::Lt | Operator::LtEq => Operator::Lt,
        Operator::Gt | Operator::GtEq => Operator::Gt,
        Operator::Eq | Operator::NotEq => operator,
        _ => return None,
    })
}

/// An enum as the numbers that its names stand for, an IPv4 as its own, by which they are stored: no value changes.
pub(super) fn as_numbers(typed: Typed) -> Typed {
    let number = match typed.kind.plain() {
        SqlType::IPv4 => SqlType::UInt32,
        kind if kind.is_enum() => kind.enum_as_integer(),
        _ => return typed,
    };
    let kind = if typed.kind.is_nullable() { number.nullable() } else { number };
    Typed { kind, ..typed }
}

/// Whether a FixedString stands beside a text of another length.
pub(super) fn is_padded(left: &Typed, right: &Typed) -> bool {
    let (left, right) = (left.kind.plain(), right.kind.plain());
    matches!(left, SqlType::FixedString(_)) && right.is_string() && left != right
}

/// Whether two types of times are the same but for their zones.
fn differ_by_zone(a: &SqlType, b: &SqlType) -> bool {
    a.is_nullable() == b.is_nullable()
        && match (a.plain(), b.plain()) {
            (SqlType::DateTime(a), SqlType::DateTime(b)) => a != b,
            (SqlType::DateTime64(scale, a), SqlType::DateTime64(other, b)) => scale == other && a != b,
            _ => false,
        }
}

/// Types that share a carrier and an order: String and FixedString do not pad alike, enums compare by value.
fn same_family(a: &SqlType, b: &SqlType) -> bool {
    (a.is_date_or_time() && b.is_date_or_time()) || (a.is_decimal() && b.is_decimal()) || a == b
}

pub(crate) fn predicate(expr: Expr, nullable: bool) -> Typed {
    let kind = if nullable { SqlType::UInt8.nullable() } else { SqlType::UInt8 };
    Typed { expr, kind, predicate: true }
}

/// The result of AND, OR, NOT: Bool where an operand is, else UInt8.
fn logical(expr: Expr, nullable: bool, of_bools: bool) -> Typed {
    if !of_bools {
        return predicate(expr, nullable);
    }
    Typed::new(expr, if nullable { SqlType::Bool.nullable() } else { SqlType::Bool })
}

pub(crate) fn boolean(value: bool) -> Expr {
    Expr::Literal(ScalarValue::Boolean(Some(value)), None)
}
