//! Resample: the function for each of the ranges that a key's values are cut into. `sumResample(start, end, step)(x, key)`
//! gives an array with one result for `[start, start + step)`, one for the next, up to `end`.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, ListArray};
use arrow::buffer::OffsetBuffer;
use arrow::datatypes::{DataType, Field};
use datafusion::common::ScalarValue;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::SqlType;

use super::wrapped;
use crate::aggregates::Prepared;
use crate::aggregates::groups::Groups;
use crate::aggregates::natives::natives;
use crate::columns::retype;

const RANGES_MAX: i64 = 1 << 20;

/// The ranges that keys are cut into.
#[derive(Clone, Copy)]
pub struct Ranges {
    start: i64,
    end: i64,
    step: i64,
}

impl Ranges {
    /// From the last three parameters; gives the others back.
    pub fn of<'a>(name: &str, parameters: &'a [ScalarValue]) -> Result<(Ranges, &'a [ScalarValue])> {
        let Some((rest, [start, end, step])) = parameters.split_last_chunk::<3>() else {
            return Err(Error::new(
                ErrorCode::NUMBER_OF_ARGUMENTS_DOESNT_MATCH,
                format!("Aggregate function {name} takes start, end and step as parameters"),
            ));
        };
        let number = |value: &ScalarValue| match value.cast_to(&DataType::Int64) {
            Ok(ScalarValue::Int64(Some(value))) => Ok(value),
            _ => Err(Error::new(
                ErrorCode::BAD_ARGUMENTS,
                format!("Parameter {value} of aggregate function {name} is no integer"),
            )),
        };
        let ranges = Ranges { start: number(start)?, end: number(end)?, step: number(step)? };
        if ranges.step <= 0 || ranges.count() > RANGES_MAX {
            let text = format!("The step of aggregate function {name} must be above 0 and give at most {RANGES_MAX} ranges");
            return Err(Error::new(ErrorCode::ARGUMENT_OUT_OF_BOUND, text));
        }
        Ok((ranges, rest))
    }

    fn count(&self) -> i64 {
        let width = i128::from(self.end) - i128::from(self.start);
        let step = i128::from(self.step.max(1));
        i64::try_from((width.max(0) + step - 1) / step).unwrap_or(i64::MAX)
    }

    fn range(&self, key: i64) -> Option<usize> {
        let place = (i128::from(key) - i128::from(self.start)) / i128::from(self.step);
        (key >= self.start && key < self.end).then_some(place as usize)
    }
}

/// Rows whose key is NULL are in no range.
pub fn prepare(name: &str, inner: Prepared, ranges: Ranges, key: &SqlType) -> Result<Prepared> {
    let is_integer = |kind: &SqlType| kind.bool_as_integer().is_integer() || kind.is_date_or_time() || kind.is_enum();
    if !key.is_null_literal() && !is_integer(key.plain()) {
        let text = format!("Illegal type {key} of the last argument of aggregate function {name}: expected an integer");
        return Err(Error::new(ErrorCode::ILLEGAL_TYPE_OF_ARGUMENT, text));
    }
    let mut arguments = inner.arguments.clone();
    arguments.push(if key.is_nullable() { SqlType::Int64.nullable() } else { SqlType::Int64 });
    let result = SqlType::array(inner.result.clone());
    let carrier = result.arrow();
    let list = |kind: &DataType| DataType::List(Arc::new(Field::new("item", kind.clone(), true)));
    let state = inner.state.iter().map(list).collect();
    Ok(wrapped(&inner, result, arguments, state, move |make| {
        Box::new(Resampled { inner: make(), ranges, count: ranges.count() as usize, result: carrier.clone() })
    }))
}

/// Group `g` of the whole is the groups from `g * count` on of the inner function.
struct Resampled {
    inner: Box<dyn Groups>,
    ranges: Ranges,
    count: usize,
    result: DataType,
}

impl Resampled {
    fn lists(&self, values: ArrayRef, groups: usize) -> Result<ListArray> {
        let item = Arc::new(Field::new("item", values.data_type().clone(), true));
        let offsets = OffsetBuffer::from_lengths(std::iter::repeat_n(self.count, groups));
        Ok(ListArray::try_new(item, offsets, values, None)?)
    }
}

impl Groups for Resampled {
    fn resize(&mut self, groups: usize) {
        self.inner.resize(groups * self.count);
    }

    fn update(&mut self, args: &[ArrayRef], groups: &[usize]) -> Result<()> {
        let Some((keys, args)) = args.split_last() else { return Ok(()) };
        let numbers = natives::<i64>(keys)?;
        let place = |row: usize, key: i64| self.ranges.range(key).filter(|_| keys.is_valid(row));
        let rows = numbers.iter().zip(groups).enumerate();
        let places: Vec<Option<usize>> =
            rows.map(|(row, (key, group))| Some(group * self.count + place(row, *key)?)).collect();
        let keep = places.iter().map(Option::is_some).collect::<Vec<_>>().into();
        let (args, _) = crate::aggregates::groups::selected(args, groups, &keep)?;
        let inner: Vec<usize> = places.into_iter().flatten().collect();
        if inner.is_empty() { Ok(()) } else { self.inner.update(&args, &inner) }
    }

    fn save(&mut self, groups: usize) -> Result<Vec<ArrayRef>> {
        let states = self.inner.save(groups * self.count)?;
        states.into_iter().map(|state| Ok(Arc::new(self.lists(state, groups)?) as ArrayRef)).collect()
    }

    fn merge(&mut self, states: &[ArrayRef], groups: &[usize]) -> Result<()> {
        let flat = super::array::flatten(states)?;
        let inner: Vec<usize> =
            flat.rows.iter().zip(&flat.places).map(|(row, place)| groups[*row] * self.count + place).collect();
        if inner.is_empty() { Ok(()) } else { self.inner.merge(&flat.columns, &inner) }
    }

    fn finish(&mut self, groups: usize) -> Result<ArrayRef> {
        let values = self.inner.finish(groups * self.count)?;
        let list: ArrayRef = Arc::new(self.lists(values, groups)?);
        retype(&list, &self.result)
    }

    fn drop_first(&mut self, groups: usize) {
        self.inner.drop_first(groups * self.count);
    }

    fn bytes(&self) -> usize {
        self.inner.bytes()
    }
}
