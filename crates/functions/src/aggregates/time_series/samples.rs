//! Samples come as a time and a value, as an array of each, or as an array of pairs. All are kept (but those that no point
//! of the grid sees); in the end they are sorted by time, and of those of one time the largest value stays. NaN is the
//! smallest.

use std::sync::Arc;

use arrow::array::{ArrayRef, AsArray, BooleanArray, Float32Array, Float64Array, Int64Array, StructArray};
use arrow::datatypes::DataType;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::SqlType;

use crate::aggregates::collected::collected;
use crate::aggregates::combinators::array::flatten;
use crate::aggregates::groups::{Groups, Make, selected};
use crate::aggregates::natives::{column, natives};
use crate::aggregates::{Call, Plan};
use crate::columns::{list, retype};

pub type Sample = (i64, f64);
/// The result of the samples of all groups.
pub type Finish = Arc<dyn Fn(Vec<Vec<Sample>>) -> Result<ArrayRef> + Send + Sync>;

#[derive(Clone, Copy, PartialEq)]
enum Form {
    Pair,
    Arrays,
    Tuples,
}

/// The arguments of a function of samples.
#[derive(Clone)]
pub struct Input {
    form: Form,
    time: SqlType,
    value: SqlType,
}

impl Input {
    pub fn of(call: &Call<'_>) -> Result<Input> {
        let input = match call.kinds.as_slice() {
            [SqlType::Array(element)] => match element.as_ref() {
                SqlType::Tuple(fields) if fields.len() == 2 => {
                    Input { form: Form::Tuples, time: fields[0].1.clone(), value: fields[1].1.clone() }
                }
                _ => return Err(call.illegal(0, "Array(Tuple(timestamp, value))")),
            },
            [_] => return Err(call.illegal(0, "Array(Tuple(timestamp, value))")),
            [SqlType::Array(time), SqlType::Array(value)] => {
                Input { form: Form::Arrays, time: time.as_ref().clone(), value: value.as_ref().clone() }
            }
            [SqlType::Array(_), _] | [_, SqlType::Array(_)] => {
                return Err(call.illegal(1, "both arguments to be arrays, or neither"));
            }
            [time, value] => Input { form: Form::Pair, time: time.clone(), value: value.clone() },
            _ => {
                call.arity(2..=2)?;
                return Err(call.illegal(0, "a timestamp"));
            }
        };
        let illegal = |kind: &SqlType, what: &str| {
            let text = format!("Illegal type {kind} of the {what} for aggregate function {}", call.name);
            Err(Error::new(ErrorCode::ILLEGAL_TYPE_OF_ARGUMENT, text))
        };
        if !matches!(input.value, SqlType::Float32 | SqlType::Float64) {
            return illegal(&input.value, "values");
        }
        if !matches!(input.time, SqlType::UInt32 | SqlType::DateTime(_) | SqlType::DateTime64(..)) {
            return illegal(&input.time, "timestamps");
        }
        Ok(input)
    }

    /// Digits of parts of a second; `None`: times are whole seconds.
    pub fn scale(&self) -> Option<u8> {
        match self.time {
            SqlType::DateTime64(scale, _) => Some(scale),
            _ => None,
        }
    }

    pub fn is_narrow(&self) -> bool {
        self.value == SqlType::Float32
    }

    pub fn samples_type(&self) -> SqlType {
        SqlType::array(SqlType::Tuple(vec![(None, self.time.clone()), (None, self.value.clone())]))
    }

    /// Times as 64 bits, and values as Float64.
    fn kept(&self) -> Vec<SqlType> {
        let time = if self.time == SqlType::UInt32 { SqlType::Int64 } else { self.time.clone() };
        vec![time, SqlType::Float64]
    }

    /// `range`: samples after its first time and up to its second are kept.
    pub fn plan(&self, result: SqlType, range: Option<(i64, i64)>, finish: Finish) -> Plan {
        let kept = self.kept();
        let arguments = match self.form {
            Form::Pair => kept.clone(),
            Form::Arrays => kept.iter().cloned().map(SqlType::array).collect(),
            Form::Tuples => {
                vec![SqlType::array(SqlType::Tuple(kept.iter().map(|kind| (None, kind.clone())).collect()))]
            }
        };
        let of_lists: crate::aggregates::collected::Finish = Arc::new(move |lists| {
            let columns = lists.values().as_struct();
            let (times, values) = (natives::<i64>(columns.column(0))?, natives::<f64>(columns.column(1))?);
            let series = lists.offsets().windows(2).map(|pair| {
                let rows = pair[0] as usize..pair[1] as usize;
                sorted(rows.map(|row| (times[row], values[row])).collect())
            });
            finish(series.collect())
        });
        let mut plan = collected(result, arguments, kept.clone(), usize::MAX, false, of_lists);
        let (inner, form) = (plan.make.clone(), self.form);
        let make: Make = Arc::new(move || Box::new(Taken { inner: inner(), form, range }));
        plan.make = make;
        plan
    }

    /// Samples as a column of `samples_type`.
    pub fn column(&self, series: &[Vec<Sample>]) -> Result<ArrayRef> {
        let carrier = self.samples_type().arrow();
        let DataType::List(item) = &carrier else { return Err(Error::logical("Samples are an array")) };
        let DataType::Struct(fields) = item.data_type() else { return Err(Error::logical("A sample is a tuple")) };
        let times: Vec<i64> = series.iter().flatten().map(|sample| sample.0).collect();
        let times: ArrayRef = if self.time == SqlType::UInt32 {
            arrow::compute::cast(&Int64Array::from(times), &DataType::UInt32)?
        } else {
            column(times, &self.time.arrow())?
        };
        let values = series.iter().flatten().map(|sample| sample.1);
        let values: ArrayRef = if self.is_narrow() {
            Arc::new(Float32Array::from_iter_values(values.map(|value| value as f32)))
        } else {
            Arc::new(Float64Array::from_iter_values(values))
        };
        let lengths: Vec<usize> = series.iter().map(Vec::len).collect();
        let samples = StructArray::try_new(fields.clone(), vec![times, values], None)?;
        retype(&list(Arc::new(samples), &lengths)?, &carrier)
    }
}

fn sorted(mut samples: Vec<Sample>) -> Vec<Sample> {
    samples.sort_by_key(|sample| sample.0);
    samples.dedup_by(|next, kept| {
        if next.0 != kept.0 {
            return false;
        }
        if kept.1.is_nan() || next.1 > kept.1 {
            kept.1 = next.1;
        }
        true
    });
    samples
}

/// Takes samples of any form to states that keep times and values.
struct Taken {
    inner: Box<dyn Groups>,
    form: Form,
    range: Option<(i64, i64)>,
}

impl Groups for Taken {
    fn resize(&mut self, groups: usize) {
        self.inner.resize(groups);
    }

    fn update(&mut self, args: &[ArrayRef], groups: &[usize]) -> Result<()> {
        let (columns, groups) = match self.form {
            Form::Pair => (args.to_vec(), groups.to_vec()),
            Form::Arrays | Form::Tuples => {
                let flat = flatten(args).map_err(|_| {
                    let text = "Timestamp and value arrays have different sizes in a row";
                    Error::new(ErrorCode::BAD_ARGUMENTS, text)
                })?;
                let groups = flat.rows.iter().map(|row| groups[*row]).collect();
                let columns = match self.form {
                    Form::Tuples => flat.columns[0].as_struct().columns().to_vec(),
                    _ => flat.columns,
                };
                (columns, groups)
            }
        };
        let (columns, groups) = match self.range {
            Some((after, until)) => {
                let times = natives::<i64>(&columns[0])?;
                let keep: Vec<bool> = times.iter().map(|time| *time > after && *time <= until).collect();
                selected(&columns, &groups, &BooleanArray::from(keep))?
            }
            None => (columns, groups),
        };
        if groups.is_empty() { Ok(()) } else { self.inner.update(&columns, &groups) }
    }

    fn save(&mut self, groups: usize) -> Result<Vec<ArrayRef>> {
        self.inner.save(groups)
    }

    fn merge(&mut self, states: &[ArrayRef], groups: &[usize]) -> Result<()> {
        self.inner.merge(states, groups)
    }

    fn finish(&mut self, groups: usize) -> Result<ArrayRef> {
        self.inner.finish(groups)
    }

    fn drop_first(&mut self, groups: usize) {
        self.inner.drop_first(groups);
    }

    fn bytes(&self) -> usize {
        self.inner.bytes()
    }
}
