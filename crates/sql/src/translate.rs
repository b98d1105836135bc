//! sqlparser's expressions into `ast::Node`.

use gristmill_base::{Error, ErrorCode, Result};
use sqlparser::ast::{
    AccessExpr, BinaryOperator, CeilFloorKind, DateTimeField, DuplicateTreatment, Expr, Function, FunctionArg,
    FunctionArgExpr, FunctionArgumentClause, FunctionArguments, Ident, NullTreatment, OneOrManyWithParens, SelectItem,
    SelectItemQualifiedWildcardKind, SetExpr, Subscript, TableFactor, TrimWhereField, UnaryOperator, Value, ValueWithSpan,
};

use crate::ast::{Call, ColumnChoice, InSet, Literal, Node, Star, StarStep, call, text, unescape, unescape_identifier};
use crate::intervals;
use crate::rewrite::stars::STAR;

mod order;

pub use order::sort_key;
pub(crate) use order::window;

/// Nodes of an expression that may be put into a tree twice.
const TWICE_NODES_MAX: usize = 10_000;

fn unsupported(what: impl std::fmt::Display) -> Error {
    Error::new(ErrorCode::SYNTAX_ERROR, format!("Syntax error: {what} is not an expression here"))
}

pub fn node(expr: &Expr) -> Result<Node> {
    Ok(match expr {
        Expr::Identifier(ident) => match ident.value.as_str() {
            _ if ident.quote_style.is_some() => Node::Name(vec![unescape_identifier(ident)]),
            word if word.eq_ignore_ascii_case("inf") || word.eq_ignore_ascii_case("infinity") => {
                Node::Literal(Literal::Float(f64::INFINITY))
            }
            word if word.eq_ignore_ascii_case("nan") => Node::Literal(Literal::Float(f64::NAN)),
            word => Node::Name(vec![word.to_string()]),
        },
        Expr::CompoundIdentifier(parts) => Node::Name(parts.iter().map(unescape_identifier).collect()),
        Expr::CompoundFieldAccess { root, access_chain } => access(node(root)?, access_chain)?,
        Expr::Nested(inner) => node(inner)?,
        Expr::Value(value) => literal(&value.value)?,
        Expr::Named { expr, name } => Node::Aliased(Box::new(node(expr)?), unescape_identifier(name)),
        Expr::Tuple(items) => call("tuple", nodes(items)?),
        Expr::Array(array) => call("array", nodes(&array.elem)?),
        Expr::Dictionary(fields) => {
            let mut arguments = Vec::new();
            for field in fields {
                arguments.push(text(&unescape_identifier(&field.key)));
                arguments.push(node(&field.value)?);
            }
            call("map", arguments)
        }
        Expr::IsNull(inner) => call("isNull", vec![node(inner)?]),
        Expr::IsNotNull(inner) => call("isNotNull", vec![node(inner)?]),
        Expr::IsTrue(inner) => call("equals", vec![call("ifNull", vec![node(inner)?, integer(0)]), integer(1)]),
        Expr::IsFalse(inner) => call("equals", vec![call("ifNull", vec![node(inner)?, integer(1)]), integer(0)]),
        Expr::IsDistinctFrom(a, b) => call("isDistinctFrom", vec![node(a)?, node(b)?]),
        Expr::IsNotDistinctFrom(a, b) => call("isNotDistinctFrom", vec![node(a)?, node(b)?]),
        Expr::InList { expr, list, negated } => {
            Node::In { left: Box::new(node(expr)?), set: InSet::List(nodes(list)?), negated: *negated }
        }
        Expr::InSubquery { expr, subquery, negated } => {
            Node::In { left: Box::new(node(expr)?), set: InSet::Query(subquery.clone()), negated: *negated }
        }
        Expr::Between { expr, negated, low, high } => {
            let value = node(expr)?;
            // It stands there twice: each BETWEEN within doubles it once more.
            if value.is_larger_than(TWICE_NODES_MAX) {
                let text = format!(
                    "AST is too big: BETWEEN of an expression of more than {TWICE_NODES_MAX} nodes, which would stand there \
                     twice. Give it a name in a subquery"
                );
                return Err(Error::new(ErrorCode::TOO_BIG_AST, text));
            }
            let low = node(low)?;
            let high = node(high)?;
            if *negated {
                call("or", vec![call("less", vec![value.clone(), low]), call("greater", vec![value, high])])
            } else {
                call("and", vec![call("greaterOrEquals", vec![value.clone(), low]), call("lessOrEquals", vec![value, high])])
            }
        }
        Expr::Like { negated, expr, pattern, escape_char, .. } => {
            call(if *negated { "notLike" } else { "like" }, liked(expr, pattern, escape_char.as_ref())?)
        }
        Expr::ILike { negated, expr, pattern, escape_char, .. } => {
            call(if *negated { "notILike" } else { "ilike" }, liked(expr, pattern, escape_char.as_ref())?)
        }
        Expr::RLike { negated, expr, pattern, .. } => {
            let matched = call("match", vec![node(expr)?, node(pattern)?]);
            if *negated { call("not", vec![matched]) } else { matched }
        }
        Expr::UnaryOp { op, expr } => match op {
            UnaryOperator::Minus => match node(expr)? {
                Node::Literal(Literal::Integer(value)) => integer(-value),
                // A NaN that is written with a sign has none.
                Node::Literal(Literal::Float(value)) if value.is_nan() => Node::Literal(Literal::Float(value)),
                Node::Literal(Literal::Float(value)) => Node::Literal(Literal::Float(-value)),
                Node::Literal(Literal::Fraction(digits)) => Node::Literal(Literal::Fraction(format!("-{digits}"))),
                Node::Literal(Literal::BigInteger(digits)) => Node::Literal(Literal::BigInteger(format!("-{digits}"))),
                other => call("negate", vec![other]),
            },
            UnaryOperator::Plus => node(expr)?,
            UnaryOperator::Not | UnaryOperator::BangNot => call("not", vec![node(expr)?]),
            other => return Err(unsupported(format!("the operator {other}"))),
        },
        Expr::BinaryOp { left, op, right } => binary(left, op, right)?,
        Expr::Function(function) => function_call(function)?,
        Expr::Case { operand, conditions, else_result, .. } => {
            let operand = operand.as_ref().map(|operand| node(operand)).transpose()?;
            let name = if operand.is_some() { "caseWithExpression" } else { "multiIf" };
            let mut arguments = Vec::from_iter(operand);
            for when in conditions {
                arguments.push(node(&when.condition)?);
                arguments.push(node(&when.result)?);
            }
            arguments.push(match else_result {
                Some(result) => node(result)?,
                None => Node::Literal(Literal::Null),
            });
            call(name, arguments)
        }
        Expr::Exists { subquery, negated } => Node::Exists { query: subquery.clone(), negated: *negated },
        Expr::Subquery(query) => Node::Subquery(query.clone()),
        Expr::Ceil { expr, field } => rounding("ceil", expr, field)?,
        Expr::Floor { expr, field } => rounding("floor", expr, field)?,
        Expr::Position { expr, r#in } => call("position", vec![node(r#in)?, node(expr)?]),
        Expr::Substring { expr, substring_from, substring_for, shorthand, .. } => {
            let mut arguments = vec![node(expr)?];
            arguments.push(substring_from.as_ref().map_or(Ok(integer(1)), |from| node(from))?);
            if let Some(length) = substring_for {
                arguments.push(node(length)?);
            }
            call(if *shorthand { "substr" } else { "substring" }, arguments)
        }
        Expr::Trim { trim_where, trim_what, expr, trim_characters } => {
            let name = match trim_where {
                Some(TrimWhereField::Leading) => "trimLeft",
                Some(TrimWhereField::Trailing) => "trimRight",
                _ => "trimBoth",
            };
            let mut arguments = vec![node(expr)?];
            if let Some(what) = trim_what {
                arguments.push(node(what)?);
            }
            if let Some(characters) = trim_characters {
                arguments.extend(nodes(characters)?);
            }
            call(name, arguments)
        }
        Expr::TypedString(typed) => {
            let value = literal(&typed.value.value)?;
            call("CAST", vec![value, text(&typed.data_type.to_string())])
        }
        Expr::AtTimeZone { timestamp, time_zone } => call("toTimeZone", vec![node(timestamp)?, node(time_zone)?]),
        Expr::Wildcard(_) => Node::star(),
        Expr::QualifiedWildcard(name, _) => qualified_star(parts(name)?),
        Expr::AnyOp { left, compare_op, right, .. } => quantified(left, compare_op, right, false)?,
        Expr::AllOp { left, compare_op, right } => quantified(left, compare_op, right, true)?,
        Expr::Lambda(lambda) => {
            let parameters = match &lambda.params {
                OneOrManyWithParens::One(one) => vec![unescape_identifier(&one.name)],
                OneOrManyWithParens::Many(many) => many.iter().map(|p| unescape_identifier(&p.name)).collect(),
            };
            Node::Lambda { parameters, body: Box::new(node(&lambda.body)?) }
        }
        Expr::Collate { .. } => {
            return Err(unsupported("COLLATE, which belongs to an element of ORDER BY and follows its direction,"));
        }
        other => return Err(unsupported(other)),
    })
}

pub fn nodes<'a>(exprs: impl IntoIterator<Item = &'a Expr>) -> Result<Vec<Node>> {
    exprs.into_iter().map(node).collect()
}

pub fn integer(value: i128) -> Node {
    Node::Literal(Literal::Integer(value))
}

pub fn parts(name: &sqlparser::ast::ObjectName) -> Result<Vec<String>> {
    name.0
        .iter()
        .map(|part| part.as_ident().map(unescape_identifier).ok_or_else(|| unsupported(format!("the name {name}"))))
        .collect()
}

fn rounding(name: &str, expr: &Expr, field: &CeilFloorKind) -> Result<Node> {
    let mut arguments = vec![node(expr)?];
    match field {
        CeilFloorKind::Scale(scale) => arguments.push(literal(&scale.value)?),
        CeilFloorKind::DateTimeField(DateTimeField::NoDateTime) => {}
        CeilFloorKind::DateTimeField(field) => return Err(unsupported(format!("{name}(… TO {field})"))),
    }
    Ok(call(name, arguments))
}

/// The arguments of LIKE, of which the third is the character of ESCAPE.
fn liked(value: &Expr, pattern: &Expr, escape: Option<&ValueWithSpan>) -> Result<Vec<Node>> {
    let mut arguments = vec![node(value)?, node(pattern)?];
    if let Some(escape) = escape {
        match literal(&escape.value)? {
            Node::Literal(Literal::Text(character)) => arguments.push(Node::Literal(Literal::Text(character))),
            other => return Err(unsupported(format!("{other} behind ESCAPE"))),
        }
    }
    Ok(arguments)
}

fn access(root: Node, chain: &[AccessExpr]) -> Result<Node> {
    let mut current = root;
    for step in chain {
        current = match step {
            AccessExpr::Subscript(Subscript::Index { index }) => call("arrayElement", vec![current, node(index)?]),
            AccessExpr::Subscript(slice) => return Err(unsupported(format!("the slice [{slice}]"))),
            AccessExpr::Dot(Expr::Identifier(ident)) => match current {
                Node::Name(mut names) => {
                    names.push(unescape_identifier(ident));
                    Node::Name(names)
                }
                other => call("tupleElement", vec![other, text(&unescape_identifier(ident))]),
            },
            // `column.null`, though NULL is a keyword.
            AccessExpr::Dot(Expr::Value(value)) if value.value == Value::Null => match current {
                Node::Name(mut names) => {
                    names.push("null".to_string());
                    Node::Name(names)
                }
                other => call("isNull", vec![other]),
            },
            AccessExpr::Dot(other) => call("tupleElement", vec![current, node(other)?]),
        };
    }
    Ok(current)
}

fn binary(left: &Expr, op: &BinaryOperator, right: &Expr) -> Result<Node> {
    let name = match op {
        BinaryOperator::Plus => "plus",
        BinaryOperator::Minus => "minus",
        BinaryOperator::Multiply => "multiply",
        BinaryOperator::Divide => "divide",
        BinaryOperator::Modulo => "modulo",
        BinaryOperator::StringConcat => "concat",
        BinaryOperator::Gt => "greater",
        BinaryOperator::Lt => "less",
        BinaryOperator::GtEq => "greaterOrEquals",
        BinaryOperator::LtEq => "lessOrEquals",
        BinaryOperator::Spaceship => "isNotDistinctFrom",
        BinaryOperator::Eq => "equals",
        BinaryOperator::NotEq => "notEquals",
        BinaryOperator::And => "and",
        BinaryOperator::Or => "or",
        BinaryOperator::MyIntegerDivide | BinaryOperator::DuckIntegerDivide => "intDiv",
        BinaryOperator::Regexp | BinaryOperator::PGRegexMatch => "match",
        BinaryOperator::PGRegexNotMatch => "notMatch",
        BinaryOperator::PGRegexIMatch => "matchCaseInsensitive",
        BinaryOperator::PGRegexNotIMatch => "notMatchCaseInsensitive",
        BinaryOperator::Custom(word) if word.eq_ignore_ascii_case("mod") => "modulo",
        other => return Err(unsupported(format!("the operator {other}"))),
    };
    let operands = vec![node(left)?, node(right)?];
    Ok(if matches!(name, "and" | "or") { chain(name, operands) } else { call(name, operands) })
}

/// and(and(a, b), c) is one and(a, b, c), as ClickHouse has it.
fn chain(name: &str, mut operands: Vec<Node>) -> Node {
    if name != "concat"
        && let Some(Node::Call(inner)) = operands.first_mut()
        && inner.name == name
    {
        let first = std::mem::take(&mut inner.arguments);
        operands.splice(0..1, first);
    }
    call(name, operands)
}

/// Functions that have a form which counts NULL as a value.
const KEEP_NULLS: &[&str] = &["any", "any_value", "anyLast", "first_value", "last_value"];

fn respects_nulls(function: &Function) -> bool {
    let inside = match &function.args {
        FunctionArguments::List(list) => list
            .clauses
            .iter()
            .any(|clause| matches!(clause, FunctionArgumentClause::IgnoreOrRespectNulls(NullTreatment::RespectNulls))),
        _ => false,
    };
    inside || function.null_treatment == Some(NullTreatment::RespectNulls)
}

fn function_call(function: &Function) -> Result<Node> {
    let name = match &parts(&function.name)?[..] {
        [name] => name.clone(),
        many => many.join("."),
    };
    let arguments = |list: &FunctionArguments| -> Result<(Vec<Node>, bool)> {
        Ok(match list {
            FunctionArguments::None => (Vec::new(), false),
            FunctionArguments::Subquery(query) => (vec![Node::Subquery(query.clone())], false),
            FunctionArguments::List(list) => (
                list.args.iter().map(argument).collect::<Result<_>>()?,
                list.duplicate_treatment == Some(DuplicateTreatment::Distinct),
            ),
        })
    };
    // `any(x) RESPECT NULLS` is a function by itself; leaving NULL out is what they do anyway.
    let name = match respects_nulls(function) && KEEP_NULLS.iter().any(|known| name.eq_ignore_ascii_case(known)) {
        true => format!("{name}_respect_nulls"),
        false => name,
    };
    let (mut list, distinct) = arguments(&function.args)?;
    let (parameters, _) = arguments(&function.parameters)?;
    if name.eq_ignore_ascii_case("count")
        && !distinct
        && matches!(&list[..], [Node::Star(star)] if **star == Star::default())
    {
        list.clear();
    }
    if let Some(function) = crate::chains::function_of(&name) {
        return Ok(chain(function, list));
    }
    if let Some(star) = star_call(&name, &mut list)? {
        return Ok(Node::Star(Box::new(star)));
    }
    if name == "__in_table" || name == "__not_in_table" {
        let right = list.pop().ok_or_else(|| unsupported("IN without a set"))?;
        let left = list.pop().ok_or_else(|| unsupported("IN without a value"))?;
        let set = match right {
            Node::Call(tuple) if tuple.name == "tuple" || tuple.name == "array" => InSet::List(tuple.arguments),
            constant @ Node::Literal(_) => InSet::List(vec![constant]),
            other => InSet::Other(Box::new(other)),
        };
        return Ok(Node::In { left: Box::new(left), set, negated: name == "__not_in_table" });
    }
    // The function forms of what has a node of its own.
    let lower = name.to_ascii_lowercase();
    let in_set = lower.strip_prefix("global").unwrap_or(&lower);
    if matches!(in_set, "in" | "notin" | "nullin" | "notnullin") && list.len() == 2 {
        let negated = in_set.starts_with("not");
        let found = in_call(list, negated)?;
        if !in_set.ends_with("nullin") {
            return Ok(found);
        }
        // These answer for NULL too: it is in no set.
        return Ok(call("ifNull", vec![found, Node::Literal(Literal::Integer(negated.into()))]));
    }
    if lower == "unnest" && list.len() == 1 {
        return Ok(call("arrayJoin", list));
    }
    // dateDiff(day, a, b): the unit may stand without quotes.
    if matches!(lower.as_str(), "datediff" | "date_diff" | "timestampdiff" | "timestamp_diff" | "age")
        && let Some(Node::Name(unit)) = list.first()
        && let [unit] = &unit[..]
        && let Some(unit) = intervals::unit(unit)
        && list.len() >= 3
    {
        list[0] = text(&unit.name().to_ascii_lowercase());
    }
    if list.len() == 3 && shift_operator(&lower).is_some() {
        return shifted(&lower, list);
    }
    if list.len() == 2
        && let Some(operator) = shift_operator(&lower)
    {
        return Ok(call(operator, list));
    }
    let over = function.over.as_ref().map(window).transpose()?;
    let filter = function.filter.as_ref().map(|filter| node(filter)).transpose()?.map(Box::new);
    Ok(Node::Call(Call { name, parameters, arguments: list, distinct, filter, over: over.map(Box::new) }))
}

fn qualified_star(qualifier: Vec<String>) -> Node {
    Node::Star(Box::new(Star { qualifier, ..Star::default() }))
}

/// `COLUMNS(…)`, and what `rewrite::stars` made of a star with EXCEPT, REPLACE or APPLY behind it.
fn star_call(name: &str, list: &mut Vec<Node>) -> Result<Option<Star>> {
    let (qualifier, last) = name.rsplit_once('.').map_or(("", name), |(qualifier, last)| (qualifier, last));
    if last.eq_ignore_ascii_case("COLUMNS") {
        let qualifier = if qualifier.is_empty() { Vec::new() } else { qualifier.split('.').map(str::to_string).collect() };
        let columns = match &list[..] {
            [Node::Literal(Literal::Text(pattern))] => ColumnChoice::Pattern(String::from_utf8_lossy(pattern).into_owned()),
            _ => ColumnChoice::Listed(std::mem::take(list)),
        };
        return Ok(Some(Star { qualifier, columns: Some(columns), steps: Vec::new() }));
    }
    let name_of = |node: &Node| match node {
        Node::Name(parts) => Ok(parts.join(".")),
        other => Err(unsupported(format!("{other} where a column's name is expected"))),
    };
    if name == STAR {
        let qualifier = list.iter().map(name_of).collect::<Result<_>>()?;
        return Ok(Some(Star { qualifier, ..Star::default() }));
    }
    let (operation, strict) = match name.strip_suffix("_strict") {
        Some(operation) => (operation, true),
        None => (name, false),
    };
    if !matches!(operation, "__except" | "__replace" | "__apply") || list.is_empty() {
        return Ok(None);
    }
    let Node::Star(mut star) = list.remove(0) else { return Ok(None) };
    star.steps.push(match (operation, &list[..]) {
        ("__except", [Node::Literal(Literal::Text(pattern))]) => {
            StarStep::ExceptPattern(String::from_utf8_lossy(pattern).into_owned())
        }
        ("__except", names) => StarStep::Except { names: names.iter().map(name_of).collect::<Result<_>>()?, strict },
        ("__replace", items) => {
            let items = items
                .iter()
                .map(|item| match item {
                    Node::Aliased(node, alias) => Ok((node.as_ref().clone(), alias.clone())),
                    other => Err(unsupported(format!("{other} without AS in REPLACE"))),
                })
                .collect::<Result<_>>()?;
            StarStep::Replace { items, strict }
        }
        (_, [Node::Name(parts)]) => StarStep::ApplyFunction { name: parts.join("."), parameters: Vec::new() },
        (_, [Node::Call(call)]) => StarStep::ApplyFunction { name: call.name.clone(), parameters: call.arguments.clone() },
        (_, [Node::Lambda { parameters, body }]) if parameters.len() == 1 => {
            StarStep::ApplyLambda { parameter: parameters[0].clone(), body: body.clone() }
        }
        _ => return Err(unsupported("APPLY takes the name of a function or a lambda of one parameter; this")),
    });
    Ok(Some(*star))
}

/// `x > ANY (SELECT …)` compares with the smallest of the values, `x > ALL` with the greatest; `= ANY` is IN, and `= ALL` is IN the
/// only one.
fn quantified(left: &Expr, operator: &BinaryOperator, right: &Expr, all: bool) -> Result<Node> {
    let Expr::Subquery(query) = right else {
        return Err(unsupported("ANY or ALL without a subquery"));
    };
    let left = node(left)?;
    let (name, aggregate) = match (operator, all) {
        (BinaryOperator::Eq, false) => {
            return Ok(Node::In { left: Box::new(left), set: InSet::Query(query.clone()), negated: false });
        }
        (BinaryOperator::NotEq, true) => {
            return Ok(Node::In { left: Box::new(left), set: InSet::Query(query.clone()), negated: true });
        }
        (BinaryOperator::Eq, true) => ("in", "singleValueOrNull"),
        (BinaryOperator::NotEq, false) => ("notIn", "singleValueOrNull"),
        (BinaryOperator::Gt, false) => ("greater", "min"),
        (BinaryOperator::Gt, true) => ("greater", "max"),
        (BinaryOperator::GtEq, false) => ("greaterOrEquals", "min"),
        (BinaryOperator::GtEq, true) => ("greaterOrEquals", "max"),
        (BinaryOperator::Lt, false) => ("less", "max"),
        (BinaryOperator::Lt, true) => ("less", "min"),
        (BinaryOperator::LtEq, false) => ("lessOrEquals", "max"),
        (BinaryOperator::LtEq, true) => ("lessOrEquals", "min"),
        (other, _) => return Err(unsupported(format!("the operator {other} before ANY or ALL"))),
    };
    let mut outer = crate::statement::parse_query(&format!("SELECT {aggregate}(COLUMNS('')) FROM (SELECT 1)"))?;
    if let SetExpr::Select(select) = outer.body.as_mut()
        && let Some(TableFactor::Derived { subquery, .. }) = select.from.first_mut().map(|from| &mut from.relation)
    {
        *subquery = query.clone();
    }
    Ok(match name {
        "in" | "notIn" => Node::In { left: Box::new(left), set: InSet::Query(outer), negated: name == "notIn" },
        name => call(name, vec![left, Node::Subquery(outer)]),
    })
}

/// `date_add(date, INTERVAL 1 DAY)` is `date + INTERVAL 1 DAY`.
fn shift_operator(name: &str) -> Option<&'static str> {
    match name {
        "date_add" | "dateadd" | "timestamp_add" | "timestampadd" => Some("plus"),
        "date_sub" | "datesub" | "timestamp_sub" | "timestampsub" => Some("minus"),
        _ => None,
    }
}

/// `in(x, (a, b))`, the function form of `x IN (a, b)`.
fn in_call(mut list: Vec<Node>, negated: bool) -> Result<Node> {
    let right = list.pop().ok_or_else(|| unsupported("IN without a set"))?;
    let left = list.pop().ok_or_else(|| unsupported("IN without a value"))?;
    let set = match right {
        Node::Subquery(query) => InSet::Query(query),
        Node::Call(tuple) if tuple.name == "tuple" || tuple.name == "array" => InSet::List(tuple.arguments),
        other => InSet::List(vec![other]),
    };
    Ok(Node::In { left: Box::new(left), set, negated })
}

/// `dateAdd(unit, n, date)` is `date + toIntervalUnit(n)`.
fn shifted(name: &str, mut list: Vec<Node>) -> Result<Node> {
    let date = list.pop().ok_or_else(|| unsupported("dateAdd without a date"))?;
    let amount = list.pop().ok_or_else(|| unsupported("dateAdd without an amount"))?;
    let unit = match list.pop() {
        Some(Node::Name(parts)) => parts.join("."),
        Some(Node::Literal(Literal::Text(bytes))) => String::from_utf8_lossy(&bytes).into_owned(),
        _ => return Err(unsupported("dateAdd without a unit")),
    };
    let kind = intervals::unit(&unit).ok_or_else(|| unsupported(format!("the unit {unit}")))?;
    let operator = if name.contains("sub") { "minus" } else { "plus" };
    Ok(call(operator, vec![date, call(&format!("toInterval{}", kind.name()), vec![amount])]))
}

fn argument(argument: &FunctionArg) -> Result<Node> {
    let value = |argument: &FunctionArgExpr| {
        Ok(match argument {
            FunctionArgExpr::Expr(expr) => node(expr)?,
            FunctionArgExpr::Wildcard => Node::star(),
            FunctionArgExpr::QualifiedWildcard(name) => qualified_star(parts(name)?),
            other => return Err(unsupported(other)),
        })
    };
    match argument {
        FunctionArg::Unnamed(argument) => value(argument),
        FunctionArg::Named { name, arg, .. } => {
            Ok(call("equals", vec![Node::Name(vec![unescape_identifier(name)]), value(arg)?]))
        }
        FunctionArg::ExprNamed { name, arg, .. } => Ok(call("equals", vec![node(name)?, value(arg)?])),
    }
}

pub fn literal(value: &Value) -> Result<Node> {
    Ok(Node::Literal(match value {
        Value::Null => Literal::Null,
        Value::Boolean(value) => Literal::Bool(*value),
        Value::Number(digits, _) => number(digits)?,
        Value::SingleQuotedString(raw) => Literal::Text(unescape(raw)),
        Value::HexStringLiteral(digits) => match i128::from_str_radix(&digits.replace('_', ""), 16) {
            Ok(value) => Literal::Integer(value),
            Err(_) => return Err(unsupported(format!("the number 0x{digits}"))),
        },
        Value::DollarQuotedString(text) => Literal::Text(text.value.as_bytes().to_vec()),
        other => return Err(unsupported(other)),
    }))
}

fn number(digits: &str) -> Result<Literal> {
    let digits = digits.replace('_', "");
    if let Some(binary) = digits.strip_prefix("0b").or_else(|| digits.strip_prefix("0B"))
        && let Ok(value) = i128::from_str_radix(binary, 2)
    {
        return Ok(Literal::Integer(value));
    }
    if let Ok(value) = digits.parse::<i128>() {
        return Ok(Literal::Integer(value));
    }
    if digits.chars().all(|c| c.is_ascii_digit()) {
        return Ok(Literal::BigInteger(digits));
    }
    match digits.parse::<f64>() {
        Ok(_) => Ok(Literal::Fraction(digits)),
        Err(_) => Err(unsupported(format!("the number {digits}"))),
    }
}

/// One item of a SELECT list.
pub fn select_item(item: &SelectItem) -> Result<Node> {
    Ok(match item {
        SelectItem::UnnamedExpr(expr) => node(expr)?,
        SelectItem::ExprWithAlias { expr, alias } => Node::Aliased(Box::new(node(expr)?), alias_name(alias)?),
        SelectItem::Wildcard(_) => Node::star(),
        SelectItem::QualifiedWildcard(SelectItemQualifiedWildcardKind::ObjectName(name), _) => qualified_star(parts(name)?),
        SelectItem::QualifiedWildcard(SelectItemQualifiedWildcardKind::Expr(expr), _) => return Err(unsupported(expr)),
        other => return Err(unsupported(other)),
    })
}

/// The name that an alias gives. Text, which the parser takes for one, is none. Errors: SYNTAX_ERROR.
pub fn alias_name(alias: &Ident) -> Result<String> {
    match alias.quote_style {
        Some('\'') => {
            let text = format!("Syntax error: text stands where a name is expected: {alias}");
            Err(Error::new(ErrorCode::SYNTAX_ERROR, text))
        }
        _ => Ok(unescape_identifier(alias)),
    }
}

/// The arguments of a table function.
pub fn function_arguments(arguments: &[FunctionArg]) -> Result<Vec<Node>> {
    arguments.iter().map(argument).collect()
}
