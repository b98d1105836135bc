//! `covarPopMatrix`, `covarSampMatrix`, `corrMatrix`: the covariance or correlation of every pair of the arguments, and
//! `categoricalInformationValue`: how much each category tells of a tag.
//!
//! Sums of each pair of arguments are kept for the lower half of the matrix, its diagonal included; the upper half is the
//! same. For categories it is counted how often each held with the tag and without it, and how often the tag came at all.

use std::sync::Arc;

use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::SqlType;

use super::float_sums::{Shape, Spec, added, plan};
use super::{Call, NullRule, Plan, family};
use crate::registry::Registry;

pub fn register(registry: &mut Registry) {
    let matrices: [(&str, usize, fn(&[f64]) -> f64); 3] = [
        ("covarPopMatrix", 4, |m| (m[3] - m[1] * m[2] / m[0]) / m[0]),
        ("covarSampMatrix", 4, |m| if m[0] == 0.0 { f64::NAN } else { (m[3] - m[1] * m[2] / m[0]) / (m[0] - 1.0) }),
        ("corrMatrix", 6, |m| {
            (m[0] * m[3] - m[1] * m[2]) / ((m[0] * m[4] - m[1] * m[1]) * (m[0] * m[5] - m[2] * m[2])).sqrt()
        }),
    ];
    for (name, width, value) in matrices {
        registry.aggregate(name, family(NullRule::Default, move |call| matrix(call, width, value)));
    }
    registry.aggregate("categoricalInformationValue", family(NullRule::Default, information));
}

/// `width` floats of a pair: rows, sums of both and of their products, and (of six) of both squares.
fn matrix(call: &Call<'_>, width: usize, value: fn(&[f64]) -> f64) -> Result<Plan> {
    call.arity(1..=usize::MAX)?;
    let side = call.kinds.len();
    for i in 0..side {
        call.expect_number(i)?;
    }
    let at = move |i: usize, j: usize| (i * (i + 1) / 2 + j) * width;
    let spec = Spec {
        width: side * (side + 1) / 2 * width,
        add: Arc::new(move |state, values| {
            for i in 0..side {
                for j in 0..=i {
                    let (x, y) = (values[i], values[j]);
                    let sums = [1.0, x, y, x * y, x * x, y * y];
                    added(&mut state[at(i, j)..at(i, j) + width], &sums);
                }
            }
        }),
        merge: added,
        finish: Arc::new(move |state, out| {
            for i in 0..side {
                for j in 0..side {
                    let start = at(i.max(j), i.min(j));
                    out.push(value(&state[start..start + width]));
                }
            }
        }),
        shape: Shape::Matrix(side),
    };
    Ok(plan(side, spec))
}

fn information(call: &Call<'_>) -> Result<Plan> {
    if call.kinds.len() < 2 {
        let text = format!("Aggregate function {} requires two or more arguments", call.name);
        return Err(Error::new(ErrorCode::NUMBER_OF_ARGUMENTS_DOESNT_MATCH, text));
    }
    if let Some(i) = call.kinds.iter().position(|kind| !matches!(kind, SqlType::UInt8 | SqlType::Bool)) {
        return Err(call.illegal(i, "UInt8"));
    }
    let categories = call.kinds.len() - 1;
    let spec = Spec {
        width: 2 * (categories + 1),
        add: Arc::new(move |state, values| {
            let tag = usize::from(values[categories] != 0.0);
            for (i, _) in values[..categories].iter().enumerate().filter(|(_, value)| **value != 0.0) {
                state[2 * i + tag] += 1.0;
            }
            state[2 * categories + tag] += 1.0;
        }),
        merge: added,
        finish: Arc::new(move |state, out| {
            let (all_without, all_with) = (state[2 * categories], state[2 * categories + 1]);
            out.extend(state[..2 * categories].chunks_exact(2).map(|counts| {
                let (without, with) = (counts[0] / all_without, counts[1] / all_with);
                (without - with) * (without / with).ln()
            }));
        }),
        shape: Shape::Array(categories),
    };
    Ok(plan(categories + 1, spec))
}
