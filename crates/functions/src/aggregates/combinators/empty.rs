//! OrNull and OrDefault: what the result is for a group without rows.

use arrow::array::{Array, ArrayRef, AsArray, BooleanArray};
use arrow::compute::{is_null, kernels::zip::zip};
use arrow::datatypes::DataType;
use gristmill_base::Result;
use gristmill_types::SqlType;
use gristmill_types::default::default_scalar;

use super::wrapped;
use crate::aggregates::Prepared;
use crate::aggregates::groups::Groups;
use crate::aggregates::nulls::{SkipNulls, masked};

/// NULL without rows; the default of a type that has no NULL.
pub fn or_null(inner: Prepared) -> Prepared {
    let result = inner.result.clone().nullable();
    if inner.result.is_nullable() || matches!(result, SqlType::AggregateFunction(..)) {
        return inner;
    }
    if !result.is_nullable() {
        return or_default(inner);
    }
    let mut state = inner.state.clone();
    state.push(DataType::UInt64);
    wrapped(&inner, result, inner.arguments.clone(), state, |make| Box::new(SkipNulls::new(make(), true)))
}

/// The type's default without rows: NaN of `avg` becomes 0, NULL of a Nullable argument stays.
pub fn or_default(inner: Prepared) -> Prepared {
    let mut state = inner.state.clone();
    state.push(DataType::Boolean);
    let default = default_scalar(inner.result.plain());
    let nullable = inner.result.is_nullable();
    if nullable {
        return inner;
    }
    wrapped(&inner, inner.result.clone(), inner.arguments.clone(), state, move |make| {
        Box::new(OrDefault { inner: make(), seen: Vec::new(), default: default.clone() })
    })
}

struct OrDefault {
    inner: Box<dyn Groups>,
    seen: Vec<bool>,
    default: datafusion::common::ScalarValue,
}

impl Groups for OrDefault {
    fn resize(&mut self, groups: usize) {
        self.inner.resize(groups);
        self.seen.resize(groups, false);
    }

    fn update(&mut self, args: &[ArrayRef], groups: &[usize]) -> Result<()> {
        for group in groups {
            self.seen[*group] = true;
        }
        self.inner.update(args, groups)
    }

    fn save(&mut self, groups: usize) -> Result<Vec<ArrayRef>> {
        let mut states = self.inner.save(groups)?;
        states.push(std::sync::Arc::new(BooleanArray::from(self.seen[..groups].to_vec())));
        Ok(states)
    }

    fn merge(&mut self, states: &[ArrayRef], groups: &[usize]) -> Result<()> {
        let Some((seen, states)) = states.split_last() else { return Ok(()) };
        for (group, seen) in groups.iter().zip(seen.as_boolean().values().iter()) {
            self.seen[*group] |= seen;
        }
        self.inner.merge(states, groups)
    }

    fn finish(&mut self, groups: usize) -> Result<ArrayRef> {
        let result = self.inner.finish(groups)?;
        if self.seen[..groups].iter().all(|seen| *seen) {
            return Ok(result);
        }
        let result = masked(&result, self.seen[..groups].iter().copied().collect())?;
        let filled = zip(&is_null(&result)?, &self.default.to_scalar()?, &result)?;
        let data = filled.to_data().into_builder().nulls(None).build()?;
        Ok(arrow::array::make_array(data))
    }

    fn drop_first(&mut self, groups: usize) {
        self.inner.drop_first(groups);
        self.seen.drain(..groups);
    }

    fn bytes(&self) -> usize {
        self.inner.bytes() + self.seen.capacity()
    }
}
