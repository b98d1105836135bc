//! A prepared aggregate function as an `AggregateUDF`.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use arrow::array::Array;
use arrow::datatypes::{DataType, Field, FieldRef};
use datafusion::common::{Result as DataFusionResult, ScalarValue};
use datafusion::logical_expr::function::{AccumulatorArgs, StateFieldsArgs};
use datafusion::logical_expr::utils::{AggregateOrderSensitivity, format_state_name};
use datafusion::logical_expr::{
    Accumulator, AggregateUDF, AggregateUDFImpl, GroupsAccumulator, ReversedUDAF, SetMonotonicity, Signature,
    StatisticsArgs, Volatility,
};
use gristmill_base::Result;
use gristmill_types::SqlType;
use gristmill_types::default::default_scalar;

use super::Prepared;
use super::combinators::condition;
use super::groups::{Defaulted, Grouped, Make, Recomputed, Single};
use crate::aggregate::BoundAggregate;

struct Udaf {
    /// With the parameters: two aggregates that differ in them only are two columns.
    name: String,
    signature: Signature,
    prepared: Prepared,
    field: FieldRef,
}

pub fn bound(name: &str, parameters: &[ScalarValue], prepared: Prepared) -> BoundAggregate {
    let (result, arguments) = (prepared.result.clone(), prepared.arguments.clone());
    let udaf = Udaf {
        name: with_parameters(name, parameters),
        signature: Signature::variadic_any(Volatility::Immutable),
        field: result.field(name),
        prepared,
    };
    let udaf = Arc::new(AggregateUDF::new_from_impl(udaf));
    BoundAggregate { result, arguments, udaf, when_empty: None, filter_argument: None }
}

/// How to make the states of an aggregate function; `None` where it is not one of these.
pub fn states_of(function: &AggregateUDF) -> Option<Make> {
    let inner: &dyn std::any::Any = function.inner().as_ref();
    inner.downcast_ref::<Udaf>().map(|udaf| udaf.prepared.make.clone())
}

/// The function with a condition behind its arguments, in the place of a FILTER; `None` where it is not one of these.
/// Errors: a function that takes no condition.
pub fn with_condition(function: &AggregateUDF) -> Result<Option<Arc<AggregateUDF>>> {
    let inner: &dyn std::any::Any = function.inner().as_ref();
    let Some(udaf) = inner.downcast_ref::<Udaf>() else { return Ok(None) };
    let prepared = condition::prepare(&udaf.name, udaf.prepared.clone(), &SqlType::Bool)?;
    Ok(Some(bound(&format!("{}If", udaf.name), &[], prepared).udaf))
}

/// `quantile(0.5)`; the bare name without parameters.
pub fn with_parameters(name: &str, parameters: &[ScalarValue]) -> String {
    if parameters.is_empty() {
        return name.to_string();
    }
    let parameters: Vec<String> = parameters.iter().map(parameter_text).collect();
    format!("{name}({})", parameters.join(", "))
}

fn parameter_text(value: &ScalarValue) -> String {
    match value {
        ScalarValue::BinaryView(Some(bytes)) | ScalarValue::Binary(Some(bytes)) => {
            gristmill_types::sql_type::quote(&String::from_utf8_lossy(bytes))
        }
        ScalarValue::List(list) => {
            let values = list.value(0);
            let texts = (0..values.len()).map(|i| match ScalarValue::try_from_array(&values, i) {
                Ok(value) => parameter_text(&value),
                Err(_) => String::new(),
            });
            format!("[{}]", texts.collect::<Vec<_>>().join(", "))
        }
        other => other.to_string(),
    }
}

impl Udaf {
    fn key(&self) -> (&str, &[SqlType], &SqlType) {
        (&self.name, &self.prepared.arguments, &self.prepared.result)
    }

    fn empty(&self) -> ScalarValue {
        default_scalar(&self.prepared.result)
    }
}

impl fmt::Debug for Udaf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.name)
    }
}

impl PartialEq for Udaf {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl Eq for Udaf {}

impl Hash for Udaf {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.key().hash(state);
    }
}

impl AggregateUDFImpl for Udaf {
    fn name(&self) -> &str {
        &self.name
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _arg_types: &[DataType]) -> DataFusionResult<DataType> {
        Ok(self.field.data_type().clone())
    }

    fn return_field(&self, _arg_fields: &[FieldRef]) -> DataFusionResult<FieldRef> {
        Ok(self.field.clone())
    }

    fn is_nullable(&self) -> bool {
        self.field.is_nullable()
    }

    fn accumulator(&self, args: AccumulatorArgs) -> DataFusionResult<Box<dyn Accumulator>> {
        Ok(Box::new(Single::new(&self.prepared.make, args.exprs.len())))
    }

    fn state_fields(&self, args: StateFieldsArgs) -> DataFusionResult<Vec<FieldRef>> {
        Ok(self
            .prepared
            .state
            .iter()
            .enumerate()
            .map(|(i, kind)| Arc::new(Field::new(format_state_name(args.name, &i.to_string()), kind.clone(), true)))
            .collect())
    }

    fn groups_accumulator_supported(&self, _args: AccumulatorArgs) -> bool {
        true
    }

    fn create_groups_accumulator(&self, args: AccumulatorArgs) -> DataFusionResult<Box<dyn GroupsAccumulator>> {
        Ok(Box::new(Grouped::new(self.prepared.make.clone(), args.exprs.len())))
    }

    fn create_sliding_accumulator(&self, args: AccumulatorArgs) -> DataFusionResult<Box<dyn Accumulator>> {
        if let Some(native) = &self.prepared.native
            && let Ok(inner) = native.create_sliding_accumulator(args)
        {
            return Ok(Box::new(Defaulted { inner, default: self.empty() }));
        }
        let single = Single::new(&self.prepared.make, usize::MAX);
        if single.supports_retract_batch() {
            return Ok(Box::new(single));
        }
        Ok(Box::new(Recomputed::new(self.prepared.make.clone())))
    }

    /// Asked only of a call with an order, which is given to those that keep one: then the rows must come in it.
    fn order_sensitivity(&self) -> AggregateOrderSensitivity {
        AggregateOrderSensitivity::HardRequirement
    }

    fn reverse_expr(&self) -> ReversedUDAF {
        ReversedUDAF::NotSupported
    }

    fn value_from_stats(&self, args: &StatisticsArgs) -> Option<ScalarValue> {
        let native = self.prepared.native_statistics.as_ref()?;
        let value = native.value_from_stats(args)?;
        if value.is_null() { None } else { value.cast_to(self.field.data_type()).ok() }
    }

    /// Of a frame without rows: what states give that have seen none, as the average that is no number.
    fn default_value(&self, _data_type: &DataType) -> DataFusionResult<ScalarValue> {
        Single::new(&self.prepared.make, usize::MAX).evaluate()
    }

    fn set_monotonicity(&self, data_type: &DataType) -> SetMonotonicity {
        match &self.prepared.native_statistics {
            Some(native) => native.inner().set_monotonicity(data_type),
            None => SetMonotonicity::NotMonotonic,
        }
    }
}
