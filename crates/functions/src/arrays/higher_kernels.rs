//! Higher-order functions that choose or change elements: `arrayMap`, `arrayFilter`, `arrayFirst…`, `arraySort`, `arrayFill`,
//! `arraySplit`, and the tests `arrayExists`, `arrayAll`, `arrayCount`.

use std::collections::HashMap;
use std::sync::Arc;

use SqlType as T;
use arrow::array::{Array, ArrayRef, AsArray};
use arrow::compute::interleave;
use arrow::datatypes::{UInt8Type, UInt32Type};
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::SqlType;

use super::higher::{Elements, HigherBound, HigherOrder};
use super::{Lists, choose, comparable, sort, with_values};
use crate::columns::{numbers, truths};

type Functions = HashMap<&'static str, Arc<dyn HigherOrder>>;

pub struct Higher<F> {
    pub bind: F,
    pub needs_lambda: bool,
}

impl<F> HigherOrder for Higher<F>
where
    F: Fn(&str, &SqlType, &[SqlType]) -> Result<HigherBound> + Send + Sync,
{
    fn bind(&self, name: &str, lambda_result: &SqlType, arrays: &[SqlType]) -> Result<HigherBound> {
        (self.bind)(name, lambda_result, arrays)
    }

    fn needs_lambda(&self) -> bool {
        self.needs_lambda
    }
}

pub fn define(
    functions: &mut Functions,
    name: &'static str,
    needs_lambda: bool,
    bind: impl Fn(&str, &SqlType, &[SqlType]) -> Result<HigherBound> + Send + Sync + 'static,
) {
    functions.insert(name, Arc::new(Higher { bind, needs_lambda }));
}

/// What a test's result is cast to. NULL counts as false.
pub fn condition(name: &str, lambda: &SqlType) -> Result<SqlType> {
    match lambda.plain() {
        T::UInt8 | T::Bool | T::Nothing => {
            Ok(if lambda.is_nullable() || *lambda == T::Nothing { T::UInt8.nullable() } else { T::UInt8 })
        }
        kind if kind.is_number() => Ok(if lambda.is_nullable() { T::Bool.nullable() } else { T::Bool }),
        _ => {
            let text = format!("The lambda of function {name} must return UInt8, not {lambda}");
            Err(Error::new(ErrorCode::ILLEGAL_TYPE_OF_ARGUMENT, text))
        }
    }
}

/// Truth of each element.
pub fn truth(values: &ArrayRef) -> Vec<bool> {
    let there = |i: usize| !values.is_null(i);
    if let Some(flags) = values.as_boolean_opt() {
        return (0..flags.len()).map(|i| flags.value(i) && there(i)).collect();
    }
    match values.as_primitive_opt::<UInt8Type>() {
        Some(flags) => flags.values().iter().enumerate().map(|(i, flag)| *flag != 0 && there(i)).collect(),
        None => vec![false; values.len()],
    }
}

fn range(elements: &Elements, row: usize) -> std::ops::Range<usize> {
    let offsets = elements.arrays[0].value_offsets();
    offsets[row] as usize..offsets[row + 1] as usize
}

fn element(arrays: &[SqlType]) -> SqlType {
    arrays.first().and_then(super::element_of).cloned().unwrap_or(T::Nothing)
}

pub fn define_all(functions: &mut Functions) {
    define(functions, "arrayMap", true, |_, lambda, _| {
        Ok(HigherBound {
            result: SqlType::array(lambda.clone()),
            lambda: lambda.clone(),
            kernel: Arc::new(|elements| with_values(&elements.arrays[0], elements.mapped()?)),
        })
    });
    define(functions, "arrayFilter", true, |name, lambda, arrays| {
        let condition = condition(name, lambda)?;
        chosen(arrays[0].plain().clone(), condition, |elements| {
            let keep = truth(&elements.mapped()?);
            choose(
                elements.arrays[0].values(),
                elements.rows,
                |row| range(elements, row),
                |_, range, out| {
                    out.extend(range.filter(|i| keep[*i]).map(|i| i as u32));
                    Ok(())
                },
            )
        })
    });
    tests(functions);
    firsts(functions);
    for (name, reverse) in [("arraySort", false), ("arrayReverseSort", true)] {
        define(functions, name, false, move |_, lambda, arrays| {
            let kind = lambda.clone();
            chosen(arrays[0].plain().clone(), lambda.clone(), move |elements| {
                let keys = elements.mapped()?;
                let array: ArrayRef = Arc::new(elements.arrays[0].clone());
                sort::sorted_by(&Lists::of(&array)?, &keys, &kind, reverse, elements.rows)
            })
        });
    }
    define(functions, "arrayCompact", false, |_, lambda, arrays| {
        chosen(arrays[0].plain().clone(), lambda.clone(), |elements| {
            let keys = comparable(&[elements.mapped()?])?;
            choose(
                elements.arrays[0].values(),
                elements.rows,
                |row| range(elements, row),
                |_, range, out| {
                    let start = range.start;
                    out.extend(range.filter(|i| *i == start || keys[0].row(*i) != keys[0].row(*i - 1)).map(|i| i as u32));
                    Ok(())
                },
            )
        })
    });
    for (name, reverse) in [("arrayFill", false), ("arrayReverseFill", true)] {
        define(functions, name, true, move |name, lambda, arrays| {
            let condition = condition(name, lambda)?;
            chosen(arrays[0].plain().clone(), condition, move |elements| fill(elements, reverse))
        });
    }
    for (name, reverse) in [("arraySplit", false), ("arrayReverseSplit", true)] {
        define(functions, name, true, move |name, lambda, arrays| {
            let condition = condition(name, lambda)?;
            chosen(SqlType::array(arrays[0].plain().clone()), condition, move |elements| split(elements, reverse))
        });
    }
}

fn chosen(
    result: SqlType,
    lambda: SqlType,
    kernel: impl Fn(&Elements) -> Result<ArrayRef> + Send + Sync + 'static,
) -> Result<HigherBound> {
    Ok(HigherBound { result, lambda, kernel: Arc::new(kernel) })
}

fn tests(functions: &mut Functions) {
    define(functions, "arrayExists", false, |name, lambda, _| {
        chosen(T::UInt8, condition(name, lambda)?, |elements| {
            let found = truth(&elements.mapped()?);
            truths(elements.rows, |row| found[range(elements, row)].contains(&true))
        })
    });
    define(functions, "arrayAll", false, |name, lambda, _| {
        chosen(T::UInt8, condition(name, lambda)?, |elements| {
            let found = truth(&elements.mapped()?);
            truths(elements.rows, |row| !found[range(elements, row)].contains(&false))
        })
    });
    define(functions, "arrayCount", false, |name, lambda, _| {
        chosen(T::UInt32, condition(name, lambda)?, |elements| {
            let found = truth(&elements.mapped()?);
            numbers::<UInt32Type>(elements.rows, |row| {
                Ok(found[range(elements, row)].iter().filter(|found| **found).count() as u32)
            })
        })
    });
}

fn firsts(functions: &mut Functions) {
    for (name, last, or_null) in [
        ("arrayFirst", false, false),
        ("arrayLast", true, false),
        ("arrayFirstOrNull", false, true),
        ("arrayLastOrNull", true, true),
    ] {
        define(functions, name, true, move |name, lambda, arrays| {
            let kind = element(arrays);
            if or_null && matches!(kind, T::Array(_) | T::Map(..)) {
                let text = format!("Nested type {kind} cannot be inside Nullable type, as function {name} needs it");
                return Err(Error::new(ErrorCode::ILLEGAL_TYPE_OF_ARGUMENT, text));
            }
            let result = if or_null { kind.clone().nullable() } else { kind };
            let missing = if or_null {
                arrow::array::new_null_array(&result.arrow(), 1)
            } else {
                gristmill_types::default::default_array(&result, 1)
            };
            chosen(result, condition(name, lambda)?, move |elements| {
                let found = truth(&elements.mapped()?);
                let picks: Vec<(usize, usize)> = (0..elements.rows)
                    .map(|row| {
                        let mut range = range(elements, row);
                        let place = if last { range.rfind(|i| found[*i]) } else { range.find(|i| found[*i]) };
                        place.map_or((1, 0), |place| (0, place))
                    })
                    .collect();
                Ok(interleave(&[elements.arrays[0].values().as_ref(), missing.as_ref()], &picks)?)
            })
        });
    }
    for (name, last) in [("arrayFirstIndex", false), ("arrayLastIndex", true)] {
        define(functions, name, true, move |name, lambda, _| {
            chosen(T::UInt32, condition(name, lambda)?, move |elements| {
                let found = truth(&elements.mapped()?);
                numbers::<UInt32Type>(elements.rows, |row| {
                    let whole = range(elements, row);
                    let start = whole.start;
                    let mut whole = whole;
                    let place = if last { whole.rfind(|i| found[*i]) } else { whole.find(|i| found[*i]) };
                    Ok(place.map_or(0, |place| (place - start + 1) as u32))
                })
            })
        });
    }
}

/// Elements that fail the test take the value of their neighbour before (or after) that passes. The first stays.
fn fill(elements: &Elements, reverse: bool) -> Result<ArrayRef> {
    let keep = truth(&elements.mapped()?);
    choose(
        elements.arrays[0].values(),
        elements.rows,
        |row| range(elements, row),
        |_, range, out| {
            let before = out.len();
            let push = |i: usize, first: bool, out: &mut Vec<u32>| {
                let value = match out.last() {
                    Some(last) if !first && !keep[i] => *last,
                    _ => i as u32,
                };
                out.push(value);
            };
            if reverse {
                let end = range.end;
                range.rev().for_each(|i| push(i, i + 1 == end, out));
                out[before..].reverse();
            } else {
                let start = range.start;
                range.for_each(|i| push(i, i == start, out));
            }
            Ok(())
        },
    )
}

/// Cut before (or after) elements that pass the test.
fn split(elements: &Elements, reverse: bool) -> Result<ArrayRef> {
    let cut = truth(&elements.mapped()?);
    let (mut outer, mut inner) = (Vec::with_capacity(elements.rows), Vec::new());
    for row in 0..elements.rows {
        let range = range(elements, row);
        let (before, start, end) = (inner.len(), range.start, range.end);
        let mut length = 0;
        for i in range {
            if !reverse && cut[i] && i > start {
                inner.push(std::mem::take(&mut length));
            }
            length += 1;
            if reverse && cut[i] && i + 1 < end {
                inner.push(std::mem::take(&mut length));
            }
        }
        if length > 0 {
            inner.push(length);
        }
        outer.push(inner.len() - before);
    }
    crate::columns::list(crate::columns::list(elements.arrays[0].values().clone(), &inner)?, &outer)
}
