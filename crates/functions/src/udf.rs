//! A bound function as a DataFusion expression.
//!
//! `scalar_udf` binds a function to its arguments' types and wraps the kernel it gets; `call` builds the expression. What
//! the framework does for a function with `Nulls::Propagate`, so that its kernel needs to know nothing of NULL:
//!
//! 1. Binding. Nullable and LowCardinality are taken off the argument types, within arrays, tuples and maps too (of all functions
//!    but `KEEP_DICTIONARIES`). A literal NULL makes the result
//!    `Nullable(Nothing)` without asking the function. If an argument is Nullable so is the result, unless it is an array
//!    or a map, which cannot be: then a NULL counts as its type's default. If one argument is a LowCardinality column and
//!    all others are constants, the result is LowCardinality, as a dictionary would have been computed on.
//! 2. Computing. The null masks are combined and taken off; the kernel computes over all rows, with whatever lies below
//!    the masks. If that fails, the failure may come from a value nobody can see, so the kernel runs again over the rows
//!    that are not NULL, and only a failure there is told. (The common case costs nothing.)
//!
//! Constants reach a kernel as arrays of one value. If all arguments are constant, one value is computed and returned as
//! a scalar, so DataFusion folds the call away.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, BooleanArray, UInt32Array, make_array, new_empty_array, new_null_array};
use arrow::buffer::NullBuffer;
use arrow::compute::{filter, take};
use arrow::datatypes::{DataType, Field, FieldRef};
use datafusion::common::{DataFusionError, Result as DataFusionResult, ScalarValue};
use datafusion::logical_expr::sort_properties::{ExprProperties, SortProperties};
use datafusion::logical_expr::{
    ColumnarValue, Expr, ReturnFieldArgs, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, TypeSignature, Volatility,
};
use gristmill_base::allocations::{ASKED_FOR_BYTES, check_room, check_wanted};
use gristmill_base::{Error, Result, ResultExt};
use gristmill_types::SqlType;
use gristmill_types::zone::Zone;

use crate::columns::{defaults_for_nulls, retype};
use crate::monotonic::{Direction, Holds, monotonic_call};
use crate::registry::Registry;
use crate::scalar::{Argument, FunctionEnv, Kernel, Nulls, ScalarFunction};
use crate::text::timezone;

/// A function bound to the types of its arguments. Two are equal where name, arguments and environment are: these decide
/// result type and kernel.
pub struct FunctionUdf {
    name: String,
    arguments: Vec<Argument>,
    env: FunctionEnv,
    result: SqlType,
    field: FieldRef,
    kernel: Kernel,
    nulls: NullMode,
    /// All-constant arguments give one value for all rows.
    folds: bool,
    signature: Signature,
}

/// What is done about NULL before and after the kernel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum NullMode {
    Own,
    /// The result is NULL where an argument is.
    Mask,
    /// The result cannot be NULL: arguments that are count as defaults.
    Defaults,
    /// A literal NULL is among the arguments: so is every result.
    AllNull,
}

impl fmt::Debug for FunctionUdf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FunctionUdf").field("name", &self.name).field("arguments", &self.arguments).finish()
    }
}

impl PartialEq for FunctionUdf {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name && self.arguments == other.arguments && self.env == other.env
    }
}

impl Eq for FunctionUdf {}

impl Hash for FunctionUdf {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name.hash(state);
        self.arguments.hash(state);
    }
}

/// Binds `function`. Returns the expression's function, the type of its result, and the types that the arguments are to
/// be cast to before the call (empty: none).
pub fn scalar_udf(
    name: &str,
    function: Arc<dyn ScalarFunction>,
    arguments: Vec<Argument>,
    env: &FunctionEnv,
) -> Result<(Arc<ScalarUDF>, SqlType, Vec<SqlType>)> {
    let null_literal = arguments.iter().any(|argument| argument.kind.is_null_literal());
    let nullable = arguments.iter().any(|argument| argument.kind.is_nullable());
    let seen: Vec<Argument> = arguments.iter().map(|argument| as_seen_by(name, argument)).collect();
    let nothing = arguments.iter().any(|argument| *argument.kind.plain() == SqlType::Nothing);
    let (result, casts, kernel, nulls) = if function.nulls() == Nulls::Own {
        let bound = function.bind(name, &seen, env)?;
        (bound.result, bound.arguments, bound.kernel, NullMode::Own)
    } else if null_literal {
        let kernel: Kernel = Arc::new(|_, rows| Ok(new_null_array(&DataType::Null, rows)));
        (SqlType::null(), Vec::new(), kernel, NullMode::AllNull)
    } else if nothing {
        // Of an element of `[]` there is nothing to compute, nor a type for it.
        let kernel: Kernel = Arc::new(|_, rows| Ok(new_null_array(&DataType::Null, rows)));
        (SqlType::Nothing, Vec::new(), kernel, NullMode::AllNull)
    } else {
        let plain: Vec<Argument> = seen
            .iter()
            .map(|argument| Argument { kind: argument.kind.plain().clone(), constant: argument.constant.clone() })
            .collect();
        // A Nullable constant that is NULL is no constant the function can work with.
        if plain.iter().any(|argument| argument.constant.as_ref().is_some_and(ScalarValue::is_null)) {
            let bound = function.bind(name, &without_null_constants(&plain), env)?;
            let result = bound.result.nullable();
            if TAKE_NULL_FOR_EMPTY.contains(&name) {
                (result, nullable_casts(bound.arguments, &arguments), bound.kernel, NullMode::Defaults)
            } else {
                let kind = result.clone();
                let arrow = result.arrow();
                let kernel: Kernel = Arc::new(move |_, rows| {
                    Ok(if result.is_nullable() { new_null_array(&arrow, rows) } else { default_array(&arrow, rows)? })
                });
                (kind, Vec::new(), kernel, NullMode::AllNull)
            }
        } else {
            let bound = match arguments.first().is_some_and(|first| first.kind.is_nullable()) {
                true => function.bind_nullable(name, &plain, env)?,
                false => function.bind(name, &plain, env)?,
            };
            let (result, mode) = match nullable {
                false => (bound.result, NullMode::Mask),
                true => match bound.result.nullable() {
                    result if result.is_nullable() => (result, NullMode::Mask),
                    result => (result, NullMode::Defaults),
                },
            };
            let casts = nullable_casts(bound.arguments, &arguments);
            let result =
                if dictionary_result(&arguments, &result) { SqlType::LowCardinality(Box::new(result)) } else { result };
            (result, casts, bound.kernel, mode)
        }
    };
    let volatility = match function.deterministic_of(&arguments) {
        true => Volatility::Immutable,
        false => Volatility::Volatile,
    };
    let udf = FunctionUdf {
        name: name.to_string(),
        field: result.field(name),
        env: env.clone(),
        signature: Signature::one_of(vec![TypeSignature::Nullary, TypeSignature::VariadicAny], volatility),
        folds: function.deterministic(),
        arguments,
        kernel,
        nulls,
        result: result.clone(),
    };
    Ok((Arc::new(ScalarUDF::new_from_impl(udf)), result, casts))
}

/// The functions to which a constant that is NULL is an empty text, as a NULL in a row is to all that give arrays.
const TAKE_NULL_FOR_EMPTY: [&str; 3] = ["splitByChar", "splitByRegexp", "splitByString"];

fn nullable_casts(casts: Vec<SqlType>, arguments: &[Argument]) -> Vec<SqlType> {
    let cast = |(cast, argument): (SqlType, &Argument)| if argument.kind.is_nullable() { cast.nullable() } else { cast };
    casts.into_iter().zip(arguments).map(cast).collect()
}

/// The functions that see LowCardinality within arrays, tuples and maps: those that put values together, take them apart or hand
/// them on, and those that tell of types.
const KEEP_DICTIONARIES: &[&str] = &[
    "array",
    "arrayJoin",
    "blockSerializedSize",
    "byteSize",
    "defaultValueOfArgumentType",
    "dumpColumnStructure",
    "emptyArrayToSingle",
    "formatRow",
    "formatRowNoNewline",
    "getSubcolumn",
    "identity",
    "map",
    "mapConcat",
    "mapFilter",
    "mapFromArrays",
    "mapPartialReverseSort",
    "mapPartialSort",
    "mapReverseSort",
    "mapSort",
    "materialize",
    "nested",
    "toColumnTypeName",
    "toTypeName",
    "tuple",
    "tupleElement",
];

/// Whether the function `name` sees LowCardinality within the types of its arguments.
pub fn keeps_dictionaries(name: &str) -> bool {
    KEEP_DICTIONARIES.contains(&name)
}

fn as_seen_by(name: &str, argument: &Argument) -> Argument {
    match keeps_dictionaries(name) {
        true => argument.clone(),
        false => Argument { kind: argument.kind.without_nested_low_cardinality(), constant: argument.constant.clone() },
    }
}

fn without_null_constants(arguments: &[Argument]) -> Vec<Argument> {
    arguments
        .iter()
        .map(|argument| Argument {
            kind: argument.kind.clone(),
            constant: match &argument.constant {
                Some(value) if value.is_null() => ScalarValue::new_default(&argument.kind.arrow()).ok(),
                other => other.clone(),
            },
        })
        .collect()
}

/// Whether ClickHouse computes on the dictionary of a single LowCardinality argument, and so returns LowCardinality.
pub fn dictionary_result(arguments: &[Argument], result: &SqlType) -> bool {
    let dictionaries = arguments.iter().filter(|argument| argument.kind.is_low_cardinality()).count();
    let others = arguments.iter().filter(|argument| !argument.kind.is_low_cardinality());
    dictionaries == 1 && others.clone().all(|argument| argument.constant.is_some()) && may_have_dictionary(result)
}

fn may_have_dictionary(kind: &SqlType) -> bool {
    let plain = kind.plain();
    !kind.is_low_cardinality()
        && (plain.is_integer()
            || plain.is_float()
            || plain.is_string()
            || matches!(
                plain,
                SqlType::Bool
                    | SqlType::Date
                    | SqlType::Date32
                    | SqlType::DateTime(_)
                    | SqlType::Uuid
                    | SqlType::IPv4
                    | SqlType::IPv6
            ))
}

/// Finds, binds and calls a function: the expression and its type. Errors: UNKNOWN_FUNCTION, and those of binding.
pub fn call(registry: &Registry, name: &str, args: Vec<(Expr, Argument)>, env: &FunctionEnv) -> Result<(Expr, SqlType)> {
    let function = registry.find_scalar(name).ok_or_else(|| registry.unknown(name))?;
    call_function(registry.canonical(name), function, args, env)
}

/// As `call`, of a function at hand.
pub fn call_function(
    name: &str,
    function: Arc<dyn ScalarFunction>,
    args: Vec<(Expr, Argument)>,
    env: &FunctionEnv,
) -> Result<(Expr, SqlType)> {
    let (exprs, arguments): (Vec<Expr>, Vec<Argument>) = args.into_iter().unzip();
    let kinds: Vec<SqlType> = arguments.iter().map(|argument| argument.kind.clone()).collect();
    let (udf, result, casts) = scalar_udf(name, function, arguments, env)?;
    let mut cast_args = Vec::with_capacity(exprs.len());
    for (i, (expr, kind)) in exprs.into_iter().zip(&kinds).enumerate() {
        cast_args.push(match casts.get(i) {
            Some(to) => crate::cast::cast_expr(expr, kind, to, env)?,
            None => expr,
        });
    }
    Ok((Expr::ScalarFunction(datafusion::logical_expr::expr::ScalarFunction::new_udf(udf, cast_args)), result))
}

impl FunctionUdf {
    pub fn result(&self) -> &SqlType {
        &self.result
    }

    pub fn arguments(&self) -> &[Argument] {
        &self.arguments
    }

    /// The session that it was bound in.
    pub fn env(&self) -> &FunctionEnv {
        &self.env
    }

    fn compute(&self, arrays: Vec<ArrayRef>, rows: usize) -> Result<ArrayRef> {
        let computed = match self.nulls {
            NullMode::Own => (self.kernel)(&arrays, rows)?,
            NullMode::AllNull => (self.kernel)(&[], rows)?,
            NullMode::Defaults => {
                let arrays: Vec<ArrayRef> = arrays.iter().map(defaults_for_nulls).collect::<Result<_>>()?;
                (self.kernel)(&arrays, rows)?
            }
            NullMode::Mask => self.masked(arrays, rows)?,
        };
        if computed.len() != rows {
            // One value for all rows.
            if computed.len() == 1 {
                let indices = UInt32Array::from(vec![0; rows]);
                return retype(&take(&computed, &indices, None)?, self.field.data_type());
            }
            let text = format!("Function {} returned {} rows instead of {rows}", self.name, computed.len());
            return Err(Error::logical(text));
        }
        retype(&computed, self.field.data_type())
    }

    fn masked(&self, arrays: Vec<ArrayRef>, rows: usize) -> Result<ArrayRef> {
        let mut mask: Option<NullBuffer> = None;
        let mut bare = Vec::with_capacity(arrays.len());
        for array in &arrays {
            match array.nulls() {
                Some(nulls) if nulls.null_count() > 0 => {
                    if array.len() == 1 && rows != 1 {
                        return Ok(new_null_array(self.field.data_type(), rows));
                    }
                    mask = NullBuffer::union(mask.as_ref(), Some(nulls));
                    bare.push(without_nulls(array));
                }
                _ => bare.push(array.clone()),
            }
        }
        let Some(mask) = mask else {
            return (self.kernel)(&bare, rows);
        };
        if mask.null_count() == rows {
            return Ok(new_null_array(self.field.data_type(), rows));
        }
        match (self.kernel)(&bare, rows) {
            Ok(result) if result.len() == rows => with_mask(&result, &mask),
            Ok(result) => Ok(result),
            Err(_) => self.over_visible(&bare, &mask),
        }
    }

    /// Computes the rows that are not NULL, and puts the results back where they belong.
    fn over_visible(&self, arrays: &[ArrayRef], mask: &NullBuffer) -> Result<ArrayRef> {
        let visible = BooleanArray::new(mask.inner().clone(), None);
        let arrays: Vec<ArrayRef> = arrays
            .iter()
            .map(|array| if array.len() == mask.len() { Ok(filter(array, &visible)?) } else { Ok(array.clone()) })
            .collect::<Result<_>>()?;
        let rows = mask.len() - mask.null_count();
        let computed = (self.kernel)(&arrays, rows)?;
        let single = computed.len() == 1 && rows != 1;
        let mut next = 0u32;
        let indices: UInt32Array = mask
            .iter()
            .map(|valid| {
                valid.then(|| {
                    let index = if single { 0 } else { next };
                    next += 1;
                    index
                })
            })
            .collect();
        Ok(take(&computed, &indices, None)?)
    }
}

fn default_array(kind: &DataType, rows: usize) -> Result<ArrayRef> {
    if rows == 0 {
        return Ok(new_empty_array(kind));
    }
    Ok(ScalarValue::new_default(kind)?.to_array_of_size(rows)?)
}

fn without_nulls(array: &ArrayRef) -> ArrayRef {
    if *array.data_type() == DataType::Null {
        return array.clone();
    }
    let data = array.to_data().into_builder().nulls(None);
    // SAFETY: only the null mask is taken off; every buffer stays as it was validated.
    make_array(unsafe { data.build_unchecked() })
}

/// The array with `mask` united with its own nulls.
fn with_mask(array: &ArrayRef, mask: &NullBuffer) -> Result<ArrayRef> {
    if *array.data_type() == DataType::Null {
        return Ok(array.clone());
    }
    let nulls = NullBuffer::union(array.nulls(), Some(mask));
    Ok(make_array(array.to_data().into_builder().nulls(nulls).build()?))
}

impl FunctionUdf {
    /// The order of the argument that the function rises with.
    fn rises_with(&self, inputs: &[ExprProperties]) -> Option<SortProperties> {
        let session = Zone::new(timezone(&self.env).ok()?);
        let found = monotonic_call(&self.name, &self.arguments, &self.result, &session)?;
        let kind = &self.arguments.get(found.argument)?.kind;
        // NULL may become a default, NaN sorts last whatever becomes of it.
        let is_plain = *kind == *kind.plain() && !kind.is_float();
        let rises = is_plain && found.direction == Direction::Rising && found.holds == Holds::Always;
        let constant = |(at, input): (usize, &ExprProperties)| {
            at == found.argument || input.sort_properties == SortProperties::Singleton
        };
        let follows = rises && inputs.iter().enumerate().all(constant);
        follows.then(|| inputs.get(found.argument).map(|input| input.sort_properties))?
    }
}

impl ScalarUDFImpl for FunctionUdf {
    fn name(&self) -> &str {
        &self.name
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _arg_types: &[DataType]) -> DataFusionResult<DataType> {
        Ok(self.field.data_type().clone())
    }

    fn return_field_from_args(&self, _args: ReturnFieldArgs) -> DataFusionResult<FieldRef> {
        Ok(self.field.clone())
    }

    /// Where the function rises with one argument, and all others are constants, rows in the order of the argument are in
    /// the order of the result.
    fn output_ordering(&self, inputs: &[ExprProperties]) -> DataFusionResult<SortProperties> {
        Ok(self.rises_with(inputs).unwrap_or(SortProperties::Unordered))
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> DataFusionResult<ColumnarValue> {
        let constant = self.folds && args.args.iter().all(|arg| matches!(arg, ColumnarValue::Scalar(_)));
        let rows = if constant { 1 } else { args.number_rows };
        let arrays = args
            .args
            .iter()
            .map(|arg| match arg {
                ColumnarValue::Array(array) => Ok(array.clone()),
                ColumnarValue::Scalar(value) => value.to_array(),
            })
            .collect::<DataFusionResult<Vec<_>>>()?;
        let computed = self
            .compute(arrays, rows)
            .context(|| format!("while executing function {}", self.name))
            .map_err(DataFusionError::from)?;
        check_made(&computed)?;
        if constant {
            return Ok(ColumnarValue::Scalar(ScalarValue::try_from_array(&computed, 0)?));
        }
        Ok(ColumnarValue::Array(computed))
    }
}

/// Whether the query may hold what a function made, and is still wanted: asked where it is much, since rows of large arrays
/// can become more from one function to the next than a block of rows ever is. Errors: MEMORY_LIMIT_EXCEEDED, those of
/// `check_wanted`.
pub(crate) fn check_made(made: &ArrayRef) -> Result<()> {
    if made.get_buffer_memory_size() < ASKED_FOR_BYTES {
        return Ok(());
    }
    check_wanted()?;
    check_room(0)
}

/// A column's field as DataFusion sees it, for schemas built by hand.
pub fn field_of(name: &str, kind: &SqlType) -> Field {
    kind.field(name).as_ref().clone()
}
