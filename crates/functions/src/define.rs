//! Short ways to define a function, and the checks that most binds begin with.

use std::fmt::Display;
use std::ops::RangeInclusive;
use std::sync::Arc;

use SqlType as T;
use arrow::array::{ArrayRef, new_null_array};
use arrow::datatypes::DataType;
use datafusion::common::ScalarValue;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::SqlType;

use crate::scalar::{Argument, Bound, FunctionEnv, Kernel, Nulls, ScalarFunction};

struct Defined<F> {
    bind: F,
    nulls: Nulls,
    deterministic: bool,
    changes: bool,
}

impl<F> ScalarFunction for Defined<F>
where
    F: Fn(&str, &[Argument], &FunctionEnv) -> Result<Bound> + Send + Sync,
{
    fn nulls(&self) -> Nulls {
        self.nulls
    }

    fn deterministic(&self) -> bool {
        self.deterministic
    }

    fn changes(&self) -> bool {
        self.changes
    }

    fn bind(&self, name: &str, arguments: &[Argument], env: &FunctionEnv) -> Result<Bound> {
        (self.bind)(name, arguments, env)
    }
}

/// A function whose NULLs the framework handles.
pub fn plain<F>(bind: F) -> Arc<dyn ScalarFunction>
where
    F: Fn(&str, &[Argument], &FunctionEnv) -> Result<Bound> + Send + Sync + 'static,
{
    Arc::new(Defined { bind, nulls: Nulls::Propagate, deterministic: true, changes: false })
}

/// As `plain`; `bind` is told whether the first argument is Nullable.
pub fn told_nullable<F>(bind: F) -> Arc<dyn ScalarFunction>
where
    F: Fn(&str, &[Argument], &FunctionEnv, bool) -> Result<Bound> + Send + Sync + 'static,
{
    Arc::new(ToldNullable(bind))
}

struct ToldNullable<F>(F);

impl<F> ScalarFunction for ToldNullable<F>
where
    F: Fn(&str, &[Argument], &FunctionEnv, bool) -> Result<Bound> + Send + Sync,
{
    fn bind(&self, name: &str, arguments: &[Argument], env: &FunctionEnv) -> Result<Bound> {
        (self.0)(name, arguments, env, false)
    }

    fn bind_nullable(&self, name: &str, arguments: &[Argument], env: &FunctionEnv) -> Result<Bound> {
        (self.0)(name, arguments, env, true)
    }
}

/// A function that sees Nullable types and null masks itself.
pub fn own_nulls<F>(bind: F) -> Arc<dyn ScalarFunction>
where
    F: Fn(&str, &[Argument], &FunctionEnv) -> Result<Bound> + Send + Sync + 'static,
{
    Arc::new(Defined { bind, nulls: Nulls::Own, deterministic: true, changes: false })
}

/// A constant of a query that another query may see otherwise, such as `now()`; it handles NULL itself.
pub fn of_query<F>(bind: F) -> Arc<dyn ScalarFunction>
where
    F: Fn(&str, &[Argument], &FunctionEnv) -> Result<Bound> + Send + Sync + 'static,
{
    Arc::new(Defined { bind, nulls: Nulls::Own, deterministic: true, changes: true })
}

/// As `of_query`, with NULLs that the framework handles.
pub fn plain_of_query<F>(bind: F) -> Arc<dyn ScalarFunction>
where
    F: Fn(&str, &[Argument], &FunctionEnv) -> Result<Bound> + Send + Sync + 'static,
{
    Arc::new(Defined { bind, nulls: Nulls::Propagate, deterministic: true, changes: true })
}

/// A function that is computed anew for each row; it handles NULL itself.
pub fn volatile<F>(bind: F) -> Arc<dyn ScalarFunction>
where
    F: Fn(&str, &[Argument], &FunctionEnv) -> Result<Bound> + Send + Sync + 'static,
{
    Arc::new(Defined { bind, nulls: Nulls::Own, deterministic: false, changes: true })
}

impl Bound {
    /// NULL in every row.
    pub fn null() -> Bound {
        Bound::new(SqlType::null(), |_, rows| Ok(new_null_array(&DataType::Null, rows)))
    }

    /// Arguments stay as they are.
    pub fn new(result: SqlType, kernel: impl Fn(&[ArrayRef], usize) -> Result<ArrayRef> + Send + Sync + 'static) -> Bound {
        Bound { result, arguments: Vec::new(), kernel: Arc::new(kernel) as Kernel }
    }

    /// Arguments are cast to `arguments` first.
    pub fn cast(
        arguments: Vec<SqlType>,
        result: SqlType,
        kernel: impl Fn(&[ArrayRef], usize) -> Result<ArrayRef> + Send + Sync + 'static,
    ) -> Bound {
        Bound { result, arguments, kernel: Arc::new(kernel) as Kernel }
    }
}

/// Whether the literal NULL is among the arguments.
pub fn has_null(arguments: &[Argument]) -> bool {
    arguments.iter().any(|argument| argument.kind.is_null_literal())
}

/// The beginnings of functions that have a code of their own for too few arguments in ClickHouse.
const TELL_TOO_FEW: [&str; 22] = [
    "JSON_EXISTS",
    "JSON_QUERY",
    "JSON_VALUE",
    "arrayEnumerateDense",
    "arrayEnumerateUniq",
    "arrayFold",
    "arrayReduce",
    "bitTestA",
    "caseWithExpression",
    "concatAssumeInjective",
    "hilbertEncode",
    "mortonEncode",
    "ngramMinHash",
    "ngramSimHash",
    "parseTimeDelta",
    "pointInPolygon",
    "tupleDivide",
    "tupleIntDiv",
    "tupleM",
    "tuplePlus",
    "wordShingle",
    "xor",
];
/// The same for too many.
const TELL_TOO_MANY: [&str; 4] = ["hilbertEncode", "mortonEncode", "now64", "parseTimeDelta"];

/// Refuses a wrong number of arguments.
pub fn arity(name: &str, arguments: &[Argument], allowed: RangeInclusive<usize>) -> Result<()> {
    let given = arguments.len();
    if allowed.contains(&given) {
        return Ok(());
    }
    let (low, high) = (*allowed.start(), *allowed.end());
    let expected = match (low, high) {
        (low, high) if low == high => format!("{low}"),
        (low, usize::MAX) => format!("at least {low}"),
        (low, high) => format!("{low} to {high}"),
    };
    let tells = |names: &[&str]| names.iter().any(|known| name.starts_with(known));
    let code = match () {
        () if given < low && tells(&TELL_TOO_FEW) && !name.ends_with("ByNumber") => {
            ErrorCode::TOO_FEW_ARGUMENTS_FOR_FUNCTION
        }
        () if given > high && tells(&TELL_TOO_MANY) => ErrorCode::TOO_MANY_ARGUMENTS_FOR_FUNCTION,
        () => ErrorCode::NUMBER_OF_ARGUMENTS_DOESNT_MATCH,
    };
    let text = format!("Number of arguments for function {name} doesn't match: passed {given}, should be {expected}");
    Err(Error::new(code, text))
}

/// The error about the type of argument `i` (from 0).
pub fn illegal(name: &str, arguments: &[Argument], i: usize, expected: impl Display) -> Error {
    let kind = arguments.get(i).map_or_else(|| "none".to_string(), |argument| argument.kind.to_string());
    Error::new(
        ErrorCode::ILLEGAL_TYPE_OF_ARGUMENT,
        format!("Illegal type {kind} of argument {} of function {name}: expected {expected}", i + 1),
    )
}

pub fn bad_argument(name: &str, what: impl Display) -> Error {
    Error::new(ErrorCode::BAD_ARGUMENTS, format!("Function {name}: {what}"))
}

pub fn expect_string(name: &str, arguments: &[Argument], i: usize) -> Result<()> {
    match arguments.get(i) {
        Some(argument) if argument.kind.is_string() => Ok(()),
        _ => Err(illegal(name, arguments, i, "String or FixedString")),
    }
}

/// As `expect_string`, of an enum's name as well. The type that the argument is to be cast to.
pub fn expect_text(name: &str, arguments: &[Argument], i: usize) -> Result<SqlType> {
    match arguments.get(i) {
        Some(argument) if argument.kind.is_enum() => Ok(SqlType::String),
        Some(argument) if argument.kind.is_string() => Ok(argument.kind.clone()),
        _ => Err(illegal(name, arguments, i, "String, FixedString or Enum")),
    }
}

pub fn expect_integer(name: &str, arguments: &[Argument], i: usize) -> Result<()> {
    match arguments.get(i) {
        Some(argument) if argument.kind.is_integer() || *argument.kind.plain() == SqlType::Bool => Ok(()),
        _ => Err(illegal(name, arguments, i, "an integer")),
    }
}

/// An integer, or a float whose fraction is left out.
pub fn expect_place(name: &str, arguments: &[Argument], i: usize) -> Result<()> {
    match arguments.get(i).map(|argument| argument.kind.plain()) {
        Some(T::Float32 | T::Float64) => Ok(()),
        _ => expect_integer(name, arguments, i),
    }
}

pub fn expect_number(name: &str, arguments: &[Argument], i: usize) -> Result<()> {
    match arguments.get(i) {
        Some(argument) if argument.kind.is_number() => Ok(()),
        _ => Err(illegal(name, arguments, i, "a number")),
    }
}

/// The element type of an array argument. Of NULL and of `[]` it is Nothing.
pub fn expect_array<'a>(name: &str, arguments: &'a [Argument], i: usize) -> Result<&'a SqlType> {
    match arguments.get(i).map(|argument| argument.kind.plain()) {
        Some(SqlType::Array(element)) => Ok(element),
        _ => Err(illegal(name, arguments, i, "Array")),
    }
}

/// The value of a constant string argument; `None` where it is not constant.
pub fn constant_bytes(argument: &Argument) -> Option<Vec<u8>> {
    match argument.constant.as_ref()? {
        ScalarValue::BinaryView(value) | ScalarValue::Binary(value) | ScalarValue::FixedSizeBinary(_, value) => {
            value.clone()
        }
        ScalarValue::Utf8(value) | ScalarValue::Utf8View(value) => value.clone().map(String::into_bytes),
        _ => None,
    }
}

/// The text of an argument that must be constant. Errors: ILLEGAL_COLUMN.
pub fn need_constant_text(name: &str, arguments: &[Argument], i: usize) -> Result<String> {
    expect_string(name, arguments, i)?;
    let bytes = constant_bytes(&arguments[i]).ok_or_else(|| not_constant(name, i))?;
    String::from_utf8(bytes).map_err(|_| bad_argument(name, format!("argument {} is not valid UTF-8", i + 1)))
}

pub fn not_constant(name: &str, i: usize) -> Error {
    Error::new(ErrorCode::ILLEGAL_COLUMN, format!("Argument {} of function {name} must be constant", i + 1))
}

/// The value of a constant integer; `None` where it is not constant or does not fit.
pub fn constant_integer(argument: &Argument) -> Option<i64> {
    match argument.constant.as_ref()? {
        ScalarValue::Int8(value) => value.map(i64::from),
        ScalarValue::Int16(value) => value.map(i64::from),
        ScalarValue::Int32(value) => value.map(i64::from),
        ScalarValue::Int64(value) => *value,
        ScalarValue::UInt8(value) => value.map(i64::from),
        ScalarValue::UInt16(value) => value.map(i64::from),
        ScalarValue::UInt32(value) => value.map(i64::from),
        ScalarValue::UInt64(value) => i64::try_from((*value)?).ok(),
        ScalarValue::Boolean(value) => value.map(i64::from),
        _ => None,
    }
}
