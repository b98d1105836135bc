//! One expression: literals, names, calls, lambdas, subqueries.

use arrow::datatypes::{DataType, i256};
use datafusion::common::ScalarValue;
use datafusion::logical_expr::{Expr, LogicalPlan, Volatility};
use gristmill_access::Privileges;
use gristmill_access::rights::Object;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_functions::strings::LIKE_PATTERN;
use gristmill_functions::{LambdaBody, format_row, higher_order_call, is_higher_order, lambda_parameter_types, tuples, udf};
use gristmill_introspect::{Use, profiler};
use gristmill_types::SqlType;
use gristmill_types::supertype::{integer_constant, literal_integer_type};

use super::array_join_calls::element_joined;
use super::grouping::GROUPING_BITS;
use super::lowered_once::{lowers_again, name_for};
use super::named_tuples::element_names;
use super::scope::{Context, DepthGuard};
use super::{Analyzer, Typed, computed, made_of};
use crate::ast::{Call, Literal, Node, call};

impl Analyzer<'_> {
    pub(crate) fn expr(&self, node: &Node, context: &Context<'_>) -> Result<Typed> {
        let _guard = DepthGuard::enter()?;
        if !context.expanding.is_empty() {
            self.count_expanded(1)?;
        }
        if let Some(grouped) = context.grouped
            && !matches!(node, Node::Literal(_))
            && let Some(found) = self.grouping_key(node, grouped, context)?
        {
            return Ok(found);
        }
        match node {
            Node::Literal(literal) => self.literal(literal),
            Node::Name(parts) => self.name(parts, context),
            Node::Aliased(inner, alias) => self.expr(inner, &context.expanding(alias)),
            Node::Call(call) => match node.defined() {
                Some(expression) => self.expr(expression, context),
                None => self.call(call, context),
            },
            Node::In { left, set, negated } => {
                self.env.asker.used.note(Use::Function, if *negated { "notIn" } else { "in" });
                match self.sides_lowered_once(left, set, context)? {
                    Some((left, set, inside)) => self.in_set(&left, &set, *negated, &inside),
                    None => self.in_set(left, set, *negated, context),
                }
            }
            Node::Subquery(query) => self.scalar_subquery(query, context),
            Node::Exists { query, negated } => self.exists(query, *negated, context),
            Node::Star(_) => {
                Err(Error::new(ErrorCode::UNKNOWN_IDENTIFIER, "* stands only in a SELECT list and in count(*)"))
            }
            Node::Lambda { .. } => Err(Error::new(
                ErrorCode::BAD_ARGUMENTS,
                "A lambda stands only as the first argument of a higher-order function",
            )),
        }
    }

    pub(crate) fn literal(&self, literal: &Literal) -> Result<Typed> {
        let constant = |value: ScalarValue, kind: SqlType| Ok(Typed::new(Expr::Literal(value, None), kind));
        match literal {
            Literal::Null => constant(ScalarValue::Null, SqlType::null()),
            Literal::Bool(value) => constant(ScalarValue::Boolean(Some(*value)), SqlType::Bool),
            Literal::Float(_) | Literal::Fraction(_) => constant(ScalarValue::Float64(literal.float()), SqlType::Float64),
            Literal::Text(bytes) => constant(ScalarValue::BinaryView(Some(bytes.clone())), SqlType::String),
            Literal::BigInteger(digits) => match big_integer(digits) {
                Some((value, kind)) => constant(ScalarValue::Decimal256(Some(value), 76, 0), kind),
                None => constant(ScalarValue::Float64(digits.parse().ok()), SqlType::Float64),
            },
            Literal::Integer(value) => {
                let value = *value;
                // ClickHouse takes what 64 bits do not hold for a Float64, unless a type stands at it; here it keeps its digits.
                let kind = match literal_integer_type(value) {
                    SqlType::Float64 if value < 0 => SqlType::Int128,
                    SqlType::Float64 => SqlType::UInt128,
                    kind => kind,
                };
                let wide = || ScalarValue::Decimal256(Some(i256::from_i128(value)), 76, 0);
                let scalar = integer_constant(value, &kind).unwrap_or_else(wide);
                constant(scalar, kind)
            }
        }
    }

    fn call(&self, function: &Call, context: &Context<'_>) -> Result<Typed> {
        if function.arguments.iter().any(|argument| matches!(argument, Node::Star(_))) {
            return match self.with_stars_expanded(Node::Call(function.clone()), context.scope)? {
                Node::Call(expanded) => self.call(&expanded, context),
                other => self.expr(&other, context),
            };
        }
        if let Some(column) = self.computed_once(function, context) {
            return Ok(column);
        }
        if let Some(said) = self.with_nulls_as_said(function)? {
            return self.call(&said, context);
        }
        let name = self.registry.canonical(&function.name);
        if function.over.is_some() {
            return self.window_call(function, context);
        }
        if self.is_aggregate(&function.name) {
            return self.aggregate_call(function, context);
        }
        if let Some(Node::Lambda { parameters, body }) = self.lambda_named(&function.name, context) {
            return self.named_lambda(&function.name, &parameters, &body, &function.arguments, context);
        }
        let lowered = match name {
            "if" | "multiIf" => self.conditional(name, function, context)?,
            _ if lowers_again(function) => match self.lowered_once(&function.arguments, context)? {
                Some((arguments, inside)) => self.scalar_call(name, &Call { arguments, ..function.clone() }, &inside)?,
                None => self.scalar_call(name, function, context)?,
            },
            _ => self.scalar_call(name, function, context)?,
        };
        self.env.asker.used.note(Use::Function, name);
        Ok(lowered)
    }

    /// `if` and `multiIf`. Each argument is lowered once, whatever becomes of the call: one within another would double the work with
    /// every level.
    fn conditional(&self, name: &str, function: &Call, context: &Context<'_>) -> Result<Typed> {
        let arguments = &function.arguments;
        if arguments.iter().any(|argument| matches!(argument, Node::Lambda { .. })) {
            return self.scalar_call(name, function, context);
        }
        let lowered: Vec<Result<Typed>> = arguments.iter().map(|argument| self.expr(argument, context)).collect();
        let (mut named, mut known) = (Vec::with_capacity(arguments.len()), Vec::new());
        for (argument, typed) in arguments.iter().zip(&lowered) {
            match (argument, typed) {
                (Node::Literal(_), _) => named.push(argument.clone()),
                (_, Ok(typed)) => named.push(name_for(typed.clone(), context, &mut known)),
                (_, Err(_)) => break,
            }
        }
        if named.len() < arguments.len() {
            let chosen = self.chosen_alone(&lowered);
            let error = lowered.into_iter().find_map(Result::err);
            let unknown = || Error::logical("An argument that is neither lowered nor refused");
            return chosen.ok_or_else(|| error.unwrap_or_else(unknown));
        }
        let call = Call { arguments: named, ..function.clone() };
        let whole = self.scalar_call(name, &call, &context.with_lambda(known));
        whole.or_else(|error| self.chosen_alone(&lowered).ok_or(error))
    }

    /// What a conditional's constant condition chooses, where the rest of it means nothing: `if(1, a, no_such_column)` is `a`.
    fn chosen_alone(&self, arguments: &[Result<Typed>]) -> Option<Typed> {
        let lowered = |argument: &Result<Typed>| argument.as_ref().ok().cloned();
        let (otherwise, pairs) = arguments.split_last()?;
        for pair in pairs.chunks(2) {
            let [condition, value] = pair else { return None };
            let (known, kind) = self.known_value(lowered(condition)?)?;
            if !kind.plain().is_integer() && *kind.plain() != SqlType::Bool && !known.is_null() {
                return None;
            }
            if !known.is_null() && known.cast_to(&DataType::Boolean).ok()? == ScalarValue::Boolean(Some(true)) {
                return self.as_value(lowered(value)?).ok();
            }
        }
        self.as_value(lowered(otherwise)?).ok()
    }

    /// The value of what is known before rows are read, be it by a subquery that reads none. `None`: it is of rows, or by chance.
    fn known_value(&self, typed: Typed) -> Option<(ScalarValue, SqlType)> {
        let typed = self.as_value(typed).ok()?;
        let value = match typed.expr {
            Expr::ScalarSubquery(subquery) => match subquery.subquery.as_ref() {
                LogicalPlan::Projection(row) if reads_nothing(&row.input) => row.expr.first()?.clone().unalias(),
                _ => return None,
            },
            value => value,
        };
        let is_known = made_of(&value, |volatility| volatility != Volatility::Volatile);
        Some((is_known.then(|| computed(&value).ok()).flatten()?, typed.kind))
    }

    fn scalar_call(&self, name: &str, function: &Call, context: &Context<'_>) -> Result<Typed> {
        if let Some(typed) = self.special(name, function, context)? {
            return Ok(typed);
        }
        if let Some(typed) = self.operator(name, &function.arguments, context)? {
            return Ok(typed);
        }
        if let Some(Node::Lambda { parameters, body }) = function.arguments.first()
            && is_higher_order(name)
        {
            return self.higher_order(name, parameters, body, &function.arguments[1..], context);
        }
        if let [named @ (Node::Name(_) | Node::Aliased(..)), arrays @ ..] = &function.arguments[..]
            && is_higher_order(name)
            && let Some(Node::Lambda { parameters, body }) = self.lambda_of(named, context)
        {
            return self.higher_order(name, &parameters, &body, arrays, context);
        }
        if let [Node::Name(parts), arrays @ ..] = &function.arguments[..]
            && let ([inner], false) = (&parts[..], arrays.is_empty())
            && is_higher_order(name)
            && let Some(Node::Lambda { parameters, body }) = self.function_as_lambda(inner, arrays.len(), context)
        {
            return self.higher_order(name, &parameters, &body, arrays, context).map_err(|error| match error.code() {
                ErrorCode::UNKNOWN_FUNCTION => self.unknown_name(parts, context),
                _ => error,
            });
        }
        let known = self.registry.find_scalar(name).is_some();
        if !known && is_higher_order(name) {
            let is_null = |node: &Node| self.expr(node, context).is_ok_and(|typed| typed.kind.is_null_literal());
            if name != "arrayFold" && function.arguments.iter().any(is_null) {
                return self.literal(&Literal::Null);
            }
            return Err(Error::new(
                ErrorCode::ILLEGAL_TYPE_OF_ARGUMENT,
                format!("First argument for function {name} must be a lambda function"),
            ));
        }
        if function.arguments.iter().any(|argument| matches!(argument, Node::Lambda { .. })) {
            if !known {
                return Err(self.registry.unknown(&function.name));
            }
            let text = format!("Function {name} can't have lambda-expressions as arguments");
            return Err(Error::new(ErrorCode::ILLEGAL_TYPE_OF_ARGUMENT, text));
        }
        self.check_allowed(name)?;
        self.check_introspection(name)?;
        let mut arguments = Vec::with_capacity(function.arguments.len());
        for argument in &function.arguments {
            let typed = self.expr(argument, context).map_err(|error| match error.code() {
                // What nobody knows may have been meant for an aggregate.
                ErrorCode::NOT_AN_AGGREGATE if !known => self.registry.unknown(&function.name),
                _ => error,
            })?;
            let typed = self.as_value(typed)?;
            let described = self.argument(&typed);
            arguments.push((typed.expr, described));
        }
        let names = (name == "tuple" && self.settings.enable_named_columns_in_function_tuple)
            .then(|| element_names(&function.arguments))
            .flatten();
        let (expr, kind) = match names {
            // Tuples that differ in names alone are two columns.
            Some(names) => {
                let called = format!("tuple({})", names.join(", "));
                udf::call_function(&called, tuples::named(names), arguments, &self.env)?
            }
            None => udf::call(self.registry, name, arguments, &self.env)?,
        };
        self.fold(Typed::new(expr, kind))
    }

    /// `arrayMap(toString, array)`: a function by its name. `None`: the name is a value's.
    fn function_as_lambda(&self, name: &str, parameters: usize, context: &Context<'_>) -> Option<Node> {
        let parts = [name.to_string()];
        if context.alias(name).is_some() || self.name(&parts, context).is_ok() || self.is_aggregate(name) {
            return None;
        }
        let parameters: Vec<String> = (1..=parameters).map(|at| format!("__argument{at}")).collect();
        let arguments = parameters.iter().map(|name| Node::Name(vec![name.clone()])).collect();
        Some(Node::Lambda { parameters, body: Box::new(call(name, arguments)) })
    }

    /// Functions whose results depend on how rows come in blocks have to be asked for, and one that tells of secrets.
    fn check_allowed(&self, name: &str) -> Result<()> {
        if !self.settings.allow_deprecated_error_prone_window_functions && gristmill_functions::running::is_deprecated(name)
        {
            let text = format!(
                "Function {name} is deprecated since its usage is error-prone. Use a window function, or set \
                 `allow_deprecated_error_prone_window_functions` to enable it"
            );
            return Err(Error::new(ErrorCode(721), text));
        }
        if name == "getClientHTTPHeader" && !self.settings.allow_get_client_http_header {
            let text = format!("The function {name} requires setting `allow_get_client_http_header` to be enabled");
            return Err(Error::new(ErrorCode::FUNCTION_NOT_ALLOWED, text));
        }
        Ok(())
    }

    /// Functions that tell of the program have to be allowed, by a setting and by rights. Errors: FUNCTION_NOT_ALLOWED, ACCESS_DENIED.
    pub(crate) fn check_introspection(&self, name: &str) -> Result<()> {
        if !profiler::FUNCTIONS.contains(&name) {
            return Ok(());
        }
        if !self.settings.allow_introspection_functions {
            let text = "Introspection functions are disabled, because setting 'allow_introspection_functions' is set to 0";
            return Err(Error::new(ErrorCode::FUNCTION_NOT_ALLOWED, format!("Function {name}: {text}")));
        }
        match Privileges::known(name) {
            Some(wanted) => self.env.asker.access.granted.rights.check(&self.env.user, wanted, &Object::EVERYTHING),
            None => Ok(()),
        }
    }

    /// Functions that are about the query and not about values.
    fn special(&self, name: &str, function: &Call, context: &Context<'_>) -> Result<Option<Typed>> {
        let arguments = &function.arguments;
        let text_of = |value: &str| {
            Typed::new(Expr::Literal(ScalarValue::BinaryView(Some(value.as_bytes().to_vec())), None), SqlType::String)
        };
        Ok(Some(match (name, &arguments[..]) {
            ("toTypeName", [argument]) => text_of(&self.as_value(self.expr(argument, context)?)?.kind.pretty()),
            ("CAST" | "_CAST", [value, kind]) => {
                let text = "The second argument of CAST must be a constant string, the name of a type";
                let no_type = || Error::new(ErrorCode::ILLEGAL_TYPE_OF_ARGUMENT, text);
                let (kind, _) = self.constant_in(kind, context).map_err(|error| match error.code() {
                    ErrorCode::BAD_ARGUMENTS => no_type(),
                    _ => error,
                })?;
                let ScalarValue::BinaryView(Some(kind)) = kind else { return Err(no_type()) };
                let mut kind: SqlType = String::from_utf8_lossy(&kind).parse()?;
                kind.families(&mut |family| self.env.asker.used.note(Use::DataTypeFamily, family));
                let value = self.as_value(self.expr(value, context)?)?;
                kind = kind.in_zone_of(&value.kind);
                if self.settings.cast_keep_nullable && value.kind.is_nullable() {
                    kind = kind.nullable();
                }
                if value.kind.is_null_literal() && !kind.is_nullable() {
                    return Err(Error::new(
                        ErrorCode::CANNOT_CONVERT_TYPE,
                        format!("Cannot convert NULL to {kind}: cast to Nullable({kind})"),
                    ));
                }
                let text = value.kind == SqlType::String;
                self.convert(value, &kind).map_err(|error| match function.name.as_str() {
                    // What stands for `{name:Type}`.
                    "_CAST" if text => Error::new(
                        ErrorCode::BAD_QUERY_PARAMETER,
                        format!("The value of a query parameter is no {kind}: {}", error.message()),
                    ),
                    _ => error,
                })?
            }
            ("like" | "notLike" | "ilike" | "notILike", [value, pattern, escape]) => {
                let pattern = call(LIKE_PATTERN, vec![pattern.clone(), escape.clone()]);
                self.expr(&call(name, vec![value.clone(), pattern]), context)?
            }
            ("arrayJoin", [argument]) => element_joined(argument, context)?,
            ("joinGet" | "joinGetOrNull", _) => self.join_get(name, arguments, context)?,
            ("getSetting", [name]) => self.setting(name, None, context)?,
            ("getSettingOrDefault", [name, default]) => self.setting(name, Some(default), context)?,
            ("tupleElement", [tuple, Node::Literal(Literal::Text(field))]) => {
                let tuple = self.as_value(self.expr(tuple, context)?)?;
                self.tuple_field(tuple, &String::from_utf8_lossy(field))?
            }
            (GROUPING_BITS, [_, ..]) => self.grouping_function(arguments, context, true)?,
            (name, [_, ..]) if name.eq_ignore_ascii_case("grouping") => {
                self.grouping_function(arguments, context, self.settings.force_grouping_standard_compatibility)?
            }
            (name, [_, values @ ..]) if !values.is_empty() && format_row::NAMES.contains(&name) => {
                self.format_row(name, arguments, context)?
            }
            _ => return Ok(None),
        }))
    }

    /// `formatRow('JSONEachRow', a, b AS c)`: formats write the names of the values.
    fn format_row(&self, name: &str, arguments: &[Node], context: &Context<'_>) -> Result<Typed> {
        let names: Vec<String> = arguments[1..].iter().map(|value| self.shown(value, context.scope)).collect();
        let names = self.literal(&Literal::Text(format_row::names(&names).into_bytes()))?;
        let mut typed =
            arguments.iter().map(|argument| self.as_value(self.expr(argument, context)?)).collect::<Result<Vec<_>>>()?;
        typed.push(names);
        let described = typed.iter().map(|typed| (typed.expr.clone(), self.argument(typed))).collect();
        let function = format_row::of_query(self.settings);
        let (expr, kind) = udf::call_function(name, function, described, &self.env)?;
        self.fold(Typed::new(expr, kind))
    }

    /// `WITH (x, y) -> x * y AS product SELECT product(3, 4)`
    fn named_lambda(
        &self,
        name: &str,
        parameters: &[String],
        body: &Node,
        arguments: &[Node],
        context: &Context<'_>,
    ) -> Result<Typed> {
        if parameters.len() != arguments.len() {
            return Err(Error::new(
                ErrorCode::NUMBER_OF_ARGUMENTS_DOESNT_MATCH,
                format!("The lambda {name} takes {} arguments, not {}", parameters.len(), arguments.len()),
            ));
        }
        let (mut given, mut functions) = (Vec::new(), Vec::new());
        for (parameter, argument) in parameters.iter().zip(arguments) {
            match self.lambda_of(argument, context) {
                Some(lambda) => functions.push((parameter.clone(), lambda)),
                None => given.push((parameter.clone(), self.expr(argument, context)?)),
            }
        }
        self.expr(body, &context.expanding(name).with_lambda(given).with_functions(functions))
    }

    pub(crate) fn tuple_field(&self, tuple: Typed, field: &str) -> Result<Typed> {
        let name = self.literal(&Literal::Text(field.as_bytes().to_vec()))?;
        let arguments = vec![(tuple.expr.clone(), self.argument(&tuple)), (name.expr.clone(), self.argument(&name))];
        let (expr, kind) = udf::call(self.registry, "tupleElement", arguments, &self.env)?;
        self.fold(Typed::new(expr, kind))
    }

    /// `arrayMap(x -> body, array, …)`: the body is lowered over its parameters; what it names from outside is carried
    /// along, repeated for each element.
    fn higher_order(
        &self,
        name: &str,
        parameters: &[String],
        body: &Node,
        arrays: &[Node],
        context: &Context<'_>,
    ) -> Result<Typed> {
        let mut arrays: Vec<Typed> =
            arrays.iter().map(|array| self.as_value(self.expr(array, context)?)).collect::<Result<_>>()?;
        if !udf::keeps_dictionaries(name) {
            for array in &mut arrays {
                array.kind = array.kind.without_nested_low_cardinality();
            }
        }
        let kinds: Vec<SqlType> = arrays.iter().map(|array| array.kind.clone()).collect();
        let parameter_kinds = lambda_parameter_types(name, &kinds)?;
        // A lambda that is written twice has its columns named alike, so that its calls are equal: as a key of GROUP BY and in
        // the list. One within another is written shorter.
        let written = format!("{parameters:?} -> {body}");
        let named = |hint: &str, at: usize| {
            let mut names = self.lambda_names.borrow_mut();
            names.entry((written.clone(), at)).or_insert_with(|| self.unique(hint)).clone()
        };
        let given = self.given_to_lambda(name, parameters, parameter_kinds, &named)?;
        let bound = given.columns;
        let lowered = self.as_value(self.expr(body, &context.with_lambda(given.parameters))?)?;
        if let ("arrayExists", [parameter], [array]) = (name, parameters, &arrays[..])
            && let Some(value) = equal_to(body, parameter)
            && let SqlType::Array(element) = &array.kind
            && match value {
                Literal::Integer(_) => element.plain().is_integer(),
                _ => *element.plain() == SqlType::String,
            }
        {
            // Skip indexes know what it asks.
            let value = self.literal(value)?;
            let arguments = vec![(array.expr.clone(), self.argument(array)), (value.expr.clone(), self.argument(&value))];
            let (expr, kind) = udf::call(self.registry, "has", arguments, &self.env)?;
            return self.fold(Typed::new(expr, kind));
        }
        // Columns that are no parameter come from outside, and so do subqueries: they have one value for all elements.
        let mut captured: Vec<(Expr, String, SqlType)> = Vec::new();
        let renamed = {
            use datafusion::common::tree_node::{Transformed, TreeNode};
            let mut rename = |expr: Expr| {
                let kind = match &expr {
                    Expr::Column(column)
                        if column.relation.is_some() || bound.iter().all(|(name, _)| *name != column.name) =>
                    {
                        Some(self.kind_of_column(&expr, context))
                    }
                    Expr::ScalarSubquery(subquery) => self.kind_of_subquery(subquery),
                    _ => None,
                };
                let Some(kind) = kind else { return Ok(Transformed::no(expr)) };
                let name = match captured.iter().find(|(known, _, _)| *known == expr) {
                    Some((_, name, _)) => name.clone(),
                    None => {
                        let name = named("captured", bound.len() + captured.len());
                        captured.push((expr.clone(), name.clone(), kind));
                        name
                    }
                };
                Ok(Transformed::yes(Expr::Column(datafusion::common::Column::new_unqualified(name))))
            };
            lowered.expr.clone().transform(&mut rename)?.data
        };
        let lambda = LambdaBody { parameters: bound, body: renamed, result: lowered.kind, captured };
        let arrays = arrays.into_iter().map(|array| (array.expr, array.kind)).collect();
        let (expr, kind) = higher_order_call(self.registry, name, lambda, arrays, &self.env)?;
        self.fold(Typed::new(expr, kind))
    }

    /// The type of a column of the plan that an expression here may name.
    fn kind_of_column(&self, expr: &Expr, context: &Context<'_>) -> SqlType {
        let from_scope = context.scope.columns.iter().find(|column| column.expr == *expr).map(|column| column.kind.clone());
        let from_joins =
            || context.scope.array_joins.iter().find(|(_, typed)| typed.expr == *expr).map(|(_, t)| t.kind.clone());
        let from_groups = || context.grouped.and_then(|grouped| grouped.kind_of(expr));
        let from_lambda = || context.lambda.iter().find(|(_, typed)| typed.expr == *expr).map(|(_, t)| t.kind.clone());
        from_scope.or_else(from_joins).or_else(from_groups).or_else(from_lambda).unwrap_or(SqlType::String)
    }

    /// `x IN …` of an expression that gives an array.
    pub(crate) fn has(&self, set: &Node, left: &Node, negated: bool, context: &Context<'_>) -> Result<Typed> {
        let has = call("has", vec![set.clone(), left.clone()]);
        let typed = self.expr(&has, context)?;
        if !negated {
            return Ok(typed);
        }
        let condition = self.as_predicate(typed, "IN")?;
        Ok(super::operators::predicate(Expr::Not(Box::new(condition)), false))
    }
}

/// Whether it is the row of a SELECT without FROM.
fn reads_nothing(plan: &LogicalPlan) -> bool {
    matches!(plan, LogicalPlan::EmptyRelation(relation) if relation.produce_one_row)
}

/// An integer that 128 bits with a sign do not hold, as the bits of its type. `None`: it is too long for 256.
fn big_integer(digits: &str) -> Option<(i256, SqlType)> {
    const MOST_OF_128: &str = "340282366920938463463374607431768211455";
    const MOST_OF_256: &str = "115792089237316195423570985008687907853269984665640564039457584007913129639935";
    if digits.starts_with('-') {
        return Some((i256::from_string(digits)?, SqlType::Int256));
    }
    let digits = digits.trim_start_matches('0');
    let is_within = |most: &str| (digits.len(), digits) <= (most.len(), most);
    let kind = match () {
        () if is_within(MOST_OF_128) => SqlType::UInt128,
        () if is_within(MOST_OF_256) => SqlType::UInt256,
        () => return None,
    };
    // From 2^255 on the bits are those of a negative number.
    let ten = i256::from_i128(10);
    let add = |value: i256, digit: u8| value.wrapping_mul(ten).wrapping_add(i256::from_i128(i128::from(digit - b'0')));
    Some((digits.bytes().fold(i256::ZERO, add), kind))
}

/// The whole number or the text that a lambda's body asks its parameter to be equal to.
fn equal_to<'n>(body: &'n Node, parameter: &str) -> Option<&'n Literal> {
    let Node::Call(call) = body else { return None };
    let is_parameter = |node: &Node| matches!(node, Node::Name(parts) if parts.len() == 1 && parts[0] == parameter);
    match &call.arguments[..] {
        [name, Node::Literal(value @ (Literal::Integer(_) | Literal::Text(_)))]
        | [Node::Literal(value @ (Literal::Integer(_) | Literal::Text(_))), name]
            if call.name == "equals" && is_parameter(name) =>
        {
            Some(value)
        }
        _ => None,
    }
}
