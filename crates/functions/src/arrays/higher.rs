//! Higher-order functions: `arrayMap(x -> x + outer, a)`.
//!
//! The analyser gives the lambda as an expression over columns named as its parameters and as what it captures. Its arrays
//! are taken apart into one column of elements each; captured columns are repeated, one value for each element of their
//! row; the expression is evaluated once over all elements of the block; and a kernel makes the result of what came out.
//! `arrayFold` alone evaluates step by step: all rows' first elements, then all second ones, and so on.
//!
//! Without a lambda (`arraySum(a)`) the elements themselves take the place of the lambda's results.

use std::collections::HashMap;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, LazyLock};

use arrow::array::{Array, ArrayRef, ListArray, RecordBatch, RecordBatchOptions, UInt32Array, new_null_array};
use arrow::compute::{concat, take};
use arrow::datatypes::{DataType, FieldRef, Schema, SchemaRef};
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::common::{DFSchema, DataFusionError, Result as DataFusionResult, ScalarValue};
use datafusion::execution::context::ExecutionProps;
use datafusion::logical_expr::physical_planning_context::PhysicalPlanningContext;
use datafusion::logical_expr::{
    ColumnarValue, Expr, ReturnFieldArgs, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility,
};
use datafusion::physical_expr::expressions::{Column, lit};
use datafusion::physical_expr::{PhysicalExpr, create_physical_expr};
use gristmill_base::allocations::{check_room, check_wanted};
use gristmill_base::{Error, ErrorCode, Result, ResultExt};
use gristmill_types::SqlType;

use super::{aligned, element_of, higher_folds, higher_kernels, row_numbers, sort, top};
use crate::columns::{broadcast, retype};
use crate::registry::Registry;
use crate::scalar::{Bound, FunctionEnv};

/// Elements over which a lambda is evaluated at a time.
const SLICE_ELEMENTS: usize = 1 << 20;

/// What a higher-order function computes from.
pub struct Elements<'a> {
    /// The arrays, of equal lengths, their elements side by side.
    pub arrays: &'a [ListArray],
    pub rows: usize,
    /// The lambda over element columns; the second argument says which row each element belongs to.
    pub evaluate: &'a dyn Fn(&[ArrayRef], &[u32]) -> Result<ArrayRef>,
    /// The arguments before the arrays that are no lambda (the start of `arrayFold`), a value each row.
    pub others: &'a [ArrayRef],
}

impl Elements<'_> {
    /// The lambda's result for every element.
    pub fn mapped(&self) -> Result<ArrayRef> {
        let columns: Vec<ArrayRef> = self.arrays.iter().map(|array| array.values().clone()).collect();
        let total = columns[0].len();
        if total <= SLICE_ELEMENTS {
            return (self.evaluate)(&columns, &row_numbers(&self.arrays[0]));
        }
        check_room(total * size_of::<u32>())?;
        let of_rows = row_numbers(&self.arrays[0]);
        // One array may hold more elements than a query may hold results: it is asked between slices of it.
        let mut parts = Vec::with_capacity(total.div_ceil(SLICE_ELEMENTS));
        for (at, of_rows) in of_rows.chunks(SLICE_ELEMENTS).enumerate() {
            let slices: Vec<ArrayRef> =
                columns.iter().map(|column| column.slice(at * SLICE_ELEMENTS, of_rows.len())).collect();
            parts.push((self.evaluate)(&slices, of_rows)?);
            check_room(parts.last().map_or(0, Array::get_array_memory_size))?;
        }
        let parts: Vec<&dyn Array> = parts.iter().map(AsRef::as_ref).collect();
        check_room(parts.iter().map(|part| part.get_buffer_memory_size()).sum())?;
        Ok(concat(&parts)?)
    }
}

pub type HigherKernel = Arc<dyn Fn(&Elements) -> Result<ArrayRef> + Send + Sync>;

pub struct HigherBound {
    pub result: SqlType,
    /// The type that the lambda's result is cast to.
    pub lambda: SqlType,
    pub kernel: HigherKernel,
}

pub trait HigherOrder: Send + Sync {
    /// `lambda_result`: the type of the lambda's result; without a lambda, that of the elements of the first array.
    fn bind(&self, name: &str, lambda_result: &SqlType, arrays: &[SqlType]) -> Result<HigherBound>;

    /// Whether it must be given a lambda.
    fn needs_lambda(&self) -> bool {
        false
    }
}

static FUNCTIONS: LazyLock<HashMap<&'static str, Arc<dyn HigherOrder>>> = LazyLock::new(|| {
    let mut functions = HashMap::new();
    higher_kernels::define_all(&mut functions);
    higher_folds::define_all(&mut functions);
    top::define_all(&mut functions);
    sort::define_all(&mut functions);
    functions
});

/// Those that can be called without a lambda are functions like any other.
pub fn register(registry: &mut Registry) {
    for (name, function) in FUNCTIONS.iter().filter(|(_, function)| !function.needs_lambda()) {
        let function = function.clone();
        registry.scalar(
            name,
            crate::define::plain(move |name, arguments, _| {
                crate::define::arity(name, arguments, 1..=usize::MAX)?;
                let element = crate::define::expect_array(name, arguments, 0)?.clone();
                for i in 1..arguments.len() {
                    crate::define::expect_array(name, arguments, i)?;
                }
                let arrays: Vec<SqlType> = arguments.iter().map(|argument| argument.kind.plain().clone()).collect();
                let bound = function.bind(name, &element, &arrays)?;
                let mut casts = arrays.clone();
                casts[0] = SqlType::array(bound.lambda.clone());
                let name = name.to_string();
                Ok(Bound::cast(casts, bound.result, move |args, rows| {
                    let arrays = aligned(&name, args, rows)?;
                    let evaluate = |columns: &[ArrayRef], _: &[u32]| Ok(columns[0].clone());
                    (bound.kernel)(&Elements { arrays: &arrays, rows, evaluate: &evaluate, others: &[] })
                }))
            }),
        );
    }
    for (alias, name) in [("mapFromArraysZip", "arrayMap"), ("list_transform", "arrayMap")] {
        if registry.find_scalar(name).is_some() {
            registry.alias(alias, name);
        }
    }
}

/// Whether a function may be given a lambda as its first argument.
pub fn is_higher_order(name: &str) -> bool {
    FUNCTIONS.contains_key(name) || is_over_map(name)
}

/// Those that are no functions without a lambda, and so not in the registry.
pub fn only_with_lambda<'a>() -> impl Iterator<Item = &'a str> {
    let of_arrays = FUNCTIONS.iter().filter(|(_, function)| function.needs_lambda()).map(|(name, _)| -> &'a str { name });
    of_arrays.chain(OVER_MAPS.iter().map(|name| -> &'a str { name }))
}

const OVER_MAPS: &[&str] = &[
    "mapFilter",
    "mapApply",
    "mapExists",
    "mapAll",
    "mapSort",
    "mapReverseSort",
    "mapPartialSort",
    "mapPartialReverseSort",
];

fn is_over_map(name: &str) -> bool {
    OVER_MAPS.contains(&name)
}

/// The types of a lambda's parameters, from those of the arguments that follow it. (For `arrayFold` the last argument is the
/// start of the accumulator, which is the lambda's first parameter.)
pub fn lambda_parameter_types(name: &str, arrays: &[SqlType]) -> Result<Vec<SqlType>> {
    let element = |kind: &SqlType| {
        element_of(kind).cloned().ok_or_else(|| {
            let text = format!("Illegal type {kind} of an argument of function {name}: expected Array after the lambda");
            Error::new(ErrorCode::ILLEGAL_TYPE_OF_ARGUMENT, text)
        })
    };
    match (name, arrays) {
        ("arrayFold", [arrays @ .., start]) => {
            std::iter::once(Ok(start.clone())).chain(arrays.iter().map(element)).collect()
        }
        // A number of elements may come before the map.
        (name, [kind] | [_, kind]) if is_over_map(name) => match kind.plain() {
            SqlType::Map(key, value) => Ok(vec![key.as_ref().clone(), value.as_ref().clone()]),
            _ => {
                let text = format!("Illegal type {kind} of an argument of function {name}: expected Map after the lambda");
                Err(Error::new(ErrorCode::ILLEGAL_TYPE_OF_ARGUMENT, text))
            }
        },
        // The number of elements to sort comes before the arrays.
        (name, [_, arrays @ ..]) if top::counts_first(name) => arrays.iter().map(element).collect(),
        _ => arrays.iter().map(element).collect(),
    }
}

/// A lambda: an expression over columns named as its parameters and as what it captures.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct LambdaBody {
    pub parameters: Vec<(String, SqlType)>,
    pub body: Expr,
    pub result: SqlType,
    /// Outer expressions, the names under which the body knows them, and their types.
    pub captured: Vec<(Expr, String, SqlType)>,
}

/// The call of a higher-order function with a lambda. `arrays` are the arguments that follow it.
pub fn higher_order_call(
    registry: &Registry,
    name: &str,
    lambda: LambdaBody,
    arrays: Vec<(Expr, SqlType)>,
    env: &FunctionEnv,
) -> Result<(Expr, SqlType)> {
    let name = registry.canonical(name).to_string();
    if is_over_map(&name) {
        return crate::maps::higher_order(registry, &name, lambda, arrays, env);
    }
    let function = FUNCTIONS.get(name.as_str()).ok_or_else(|| registry.unknown(&name))?;
    let kinds: Vec<SqlType> = arrays.iter().map(|(_, kind)| kind.clone()).collect();
    let bound = function.bind(&name, &lambda.result, &kinds)?;
    let (folds, counts_first) = (name == "arrayFold", top::counts_first(&name));
    let (mut array_exprs, mut others) = (Vec::new(), Vec::new());
    let last = arrays.len().saturating_sub(1);
    for (i, (expr, kind)) in arrays.into_iter().enumerate() {
        if folds && i == last {
            others.push(crate::cast::cast_expr(expr, &kind, &bound.lambda, env)?);
        } else if counts_first && i == 0 {
            others.push(crate::cast::cast_expr(expr, &kind, &SqlType::Int64, env)?);
        } else {
            if element_of(&kind).is_none() {
                let text = format!("Illegal type {kind} of argument {} of function {name}: expected Array", i + 2);
                return Err(Error::new(ErrorCode::ILLEGAL_TYPE_OF_ARGUMENT, text));
            }
            array_exprs.push((expr, kind));
        }
    }
    if array_exprs.is_empty() {
        let text = format!("Function {name} needs an array after its lambda");
        return Err(Error::new(ErrorCode::NUMBER_OF_ARGUMENTS_DOESNT_MATCH, text));
    }
    if lambda.parameters.len() != array_exprs.len() + if folds { others.len() } else { 0 } {
        let text = format!(
            "The lambda of function {name} has {} parameters for {} arrays",
            lambda.parameters.len(),
            array_exprs.len()
        );
        return Err(Error::new(ErrorCode::NUMBER_OF_ARGUMENTS_DOESNT_MATCH, text));
    }
    let body = crate::cast::cast_expr(lambda.body, &lambda.result, &bound.lambda, env)?;
    let fields: Vec<FieldRef> = lambda
        .parameters
        .iter()
        .map(|(name, kind)| kind.field(name))
        .chain(lambda.captured.iter().map(|(_, name, kind)| kind.field(name)))
        .collect();
    let schema: SchemaRef = Arc::new(Schema::new(fields));
    let df_schema = DFSchema::try_from(schema.clone())?;
    let physical = create_physical_expr(&body, &df_schema, &ExecutionProps::new(), &PhysicalPlanningContext::default())?;
    let volatile = body.is_volatile();
    let (array_count, other_count) = (array_exprs.len(), others.len());
    let mut args: Vec<Expr> = array_exprs.into_iter().map(|(expr, _)| expr).collect();
    args.extend(others);
    args.extend(lambda.captured.iter().map(|(expr, _, _)| expr.clone()));
    let udf = HigherUdf {
        field: bound.result.field(&name),
        parameters: lambda.parameters,
        signature: Signature::variadic_any(if volatile { Volatility::Volatile } else { Volatility::Immutable }),
        name,
        body,
        physical,
        schema,
        array_count,
        other_count,
        lambda: bound.lambda.arrow(),
        kernel: bound.kernel,
    };
    let udf = Arc::new(ScalarUDF::new_from_impl(udf));
    Ok((Expr::ScalarFunction(datafusion::logical_expr::expr::ScalarFunction::new_udf(udf, args)), bound.result))
}

/// A higher-order function with its lambda. Its arguments: the arrays, then other arguments, then what is captured.
struct HigherUdf {
    name: String,
    parameters: Vec<(String, SqlType)>,
    body: Expr,
    physical: Arc<dyn PhysicalExpr>,
    schema: SchemaRef,
    array_count: usize,
    other_count: usize,
    lambda: DataType,
    field: FieldRef,
    kernel: HigherKernel,
    signature: Signature,
}

impl fmt::Debug for HigherUdf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HigherUdf").field("name", &self.name).field("body", &self.body).finish()
    }
}

impl PartialEq for HigherUdf {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
            && self.body == other.body
            && self.parameters == other.parameters
            && self.schema == other.schema
            && self.array_count == other.array_count
            && self.field == other.field
    }
}

impl Eq for HigherUdf {}

impl Hash for HigherUdf {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name.hash(state);
        self.body.hash(state);
        self.parameters.hash(state);
    }
}

impl HigherUdf {
    fn compute(&self, args: &[ArrayRef], rows: usize) -> Result<ArrayRef> {
        let arrays = aligned(&self.name, &args[..self.array_count], rows)?;
        let others = args[self.array_count..self.array_count + self.other_count]
            .iter()
            .map(|other| broadcast(other, rows))
            .collect::<Result<Vec<_>>>()?;
        let captured = &args[self.array_count + self.other_count..];
        let physical = self.with_constants(captured)?;
        let evaluate = |elements: &[ArrayRef], of_rows: &[u32]| {
            check_wanted()?;
            let indices = UInt32Array::from(of_rows.to_vec());
            let mut columns = elements.to_vec();
            for column in captured {
                columns.push(match () {
                    () if is_constant_array(column) => new_null_array(column.data_type(), of_rows.len()),
                    () if column.len() == rows && rows != 1 => take(column, &indices, None)?,
                    () => broadcast(column, of_rows.len())?,
                });
            }
            for (column, field) in columns.iter_mut().zip(self.schema.fields()) {
                *column = retype(column, field.data_type())?;
            }
            // What a column's nulls are is for its type to say: a mask without nulls may stand beside any field.
            let fields: Vec<_> = self
                .schema
                .fields()
                .iter()
                .zip(&columns)
                .map(|(field, column)| field.as_ref().clone().with_nullable(field.is_nullable() || column.null_count() > 0))
                .collect();
            let options = RecordBatchOptions::new().with_row_count(Some(of_rows.len()));
            let batch = RecordBatch::try_new_with_options(Arc::new(Schema::new(fields)), columns, &options)?;
            let result = physical.evaluate(&batch)?.into_array(of_rows.len())?;
            retype(&result, &self.lambda)
        };
        let result = (self.kernel)(&Elements { arrays: &arrays, rows, evaluate: &evaluate, others: &others })?;
        retype(&result, self.field.data_type())
    }

    /// The body with what is captured as a constant where that is an array: repeated for each element it may take any memory.
    fn with_constants(&self, captured: &[ArrayRef]) -> Result<Arc<dyn PhysicalExpr>> {
        let body = self.physical.clone();
        if !captured.iter().any(is_constant_array) {
            return Ok(body);
        }
        let replaced = body.transform_up(|expr| {
            let Some(index) = expr.downcast_ref::<Column>().map(Column::index) else { return Ok(Transformed::no(expr)) };
            let place = index.checked_sub(self.parameters.len());
            let Some(constant) = place.and_then(|at| captured.get(at)).filter(|column| is_constant_array(column)) else {
                return Ok(Transformed::no(expr));
            };
            let constant = retype(constant, self.schema.field(index).data_type())?;
            Ok(Transformed::yes(lit(ScalarValue::try_from_array(&constant, 0)?)))
        })?;
        Ok(replaced.data)
    }
}

fn is_constant_array(captured: &ArrayRef) -> bool {
    captured.len() == 1 && matches!(captured.data_type(), DataType::List(_))
}

impl ScalarUDFImpl for HigherUdf {
    fn name(&self) -> &str {
        &self.name
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    /// The lambda is part of the name, so that two calls over the same arrays are two columns.
    fn schema_name(&self, args: &[Expr]) -> DataFusionResult<String> {
        let parameters: Vec<&str> = self.parameters.iter().map(|(name, _)| name.as_str()).collect();
        let args: Vec<String> = args.iter().map(|arg| arg.schema_name().to_string()).collect();
        Ok(format!("{}(({}) -> {}, {})", self.name, parameters.join(", "), self.body.schema_name(), args.join(", ")))
    }

    fn return_type(&self, _arg_types: &[DataType]) -> DataFusionResult<DataType> {
        Ok(self.field.data_type().clone())
    }

    fn return_field_from_args(&self, _args: ReturnFieldArgs) -> DataFusionResult<FieldRef> {
        Ok(self.field.clone())
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> DataFusionResult<ColumnarValue> {
        let constant = self.signature.volatility != Volatility::Volatile
            && args.args.iter().all(|arg| matches!(arg, ColumnarValue::Scalar(_)));
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
            .compute(&arrays, rows)
            .context(|| format!("while executing function {}", self.name))
            .map_err(DataFusionError::from)?;
        crate::udf::check_made(&computed)?;
        if constant {
            return Ok(ColumnarValue::Scalar(ScalarValue::try_from_array(&computed, 0)?));
        }
        Ok(ColumnarValue::Array(computed))
    }
}
