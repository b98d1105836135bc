//! `randomHadamardTransform`: a vector turned in space so that what it says is spread over all its coordinates.
//!
//! Signs by a seed, then an orthogonal matrix of plus and minus ones: Hadamard's. That of a power of two is applied by sums and
//! differences of halves. Lengths of 12 or 20 times a power of two are blocks, each of which Paley's matrix of that order turns
//! first; for other odd factors up to 64 the block's matrix is Hartley's, whose entries are cos + sin. Where only some coordinates
//! are wanted, a length that has no Hadamard matrix is filled up with noughts to the next power of two.

use std::f64::consts::TAU;
use std::sync::Arc;

use SqlType as T;
use arrow::array::{ArrayRef, AsArray, Float64Array};
use arrow::datatypes::Float64Type;
use gristmill_base::allocations::check_wanted;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::SqlType;
use gristmill_types::cast::{CastOptions, cast};

use super::Lists;
use crate::columns::list;
use crate::define::{arity, bad_argument, constant_integer, expect_array, expect_integer, illegal, not_constant, plain};
use crate::registry::Registry;
use crate::scalar::{Argument, Bound};

/// The greatest odd factor of a length that has a matrix of its own.
const FACTOR_MAX: usize = 64;
/// The step of SplitMix64.
const STEP: u64 = 0x9E37_79B9_7F4A_7C15;

pub fn register(registry: &mut Registry) {
    registry.scalar("randomHadamardTransform", plain(|name, arguments, _| bind(name, arguments)));
}

fn out_of_bound(text: String) -> Error {
    Error::new(ErrorCode::ARGUMENT_OUT_OF_BOUND, text)
}

fn bind(name: &str, arguments: &[Argument]) -> Result<Bound> {
    arity(name, arguments, 1..=3)?;
    let element = expect_array(name, arguments, 0)?.clone();
    if !element.is_float() || element != *element.plain() {
        return Err(illegal(name, arguments, 0, "Array(BFloat16), Array(Float32) or Array(Float64)"));
    }
    let constant = |i: usize| -> Result<Option<i64>> {
        if i >= arguments.len() {
            return Ok(None);
        }
        expect_integer(name, arguments, i)?;
        constant_integer(&arguments[i]).map(Some).ok_or_else(|| not_constant(name, i))
    };
    let seed = constant(1)?.unwrap_or(0) as u64;
    let wanted = match constant(2)? {
        Some(wanted @ ..=0) => {
            return Err(out_of_bound(format!("output_dims ({wanted}) of function {name} must be positive")));
        }
        wanted => wanted.map(|wanted| wanted as usize),
    };
    let name = name.to_string();
    let (from, to) = (SqlType::array(element.clone()), element);
    let mut casts = vec![SqlType::array(T::Float64)];
    casts.extend(arguments[1..].iter().map(|argument| argument.kind.clone()));
    Ok(Bound::cast(casts, from, move |args, rows| {
        let lists = Lists::of(&args[0])?;
        let values = lists.values().as_primitive::<Float64Type>().values();
        let (mut turned, mut lengths) = (Vec::new(), Vec::with_capacity(rows));
        for row in 0..rows {
            let vector = &values[lists.range(row)];
            let before = turned.len();
            if !vector.is_empty() {
                check_wanted()?;
                transform(&name, vector, seed, wanted, &mut turned)?;
            }
            lengths.push(turned.len() - before);
        }
        let turned: ArrayRef = Arc::new(Float64Array::from(turned));
        list(cast(&turned, &T::Float64, &to, &CastOptions::default())?, &lengths)
    }))
}

/// What the blocks of a vector are turned by.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Block {
    One,
    Paley(usize),
    Hartley(usize),
}

impl Block {
    fn order(self) -> usize {
        match self {
            Block::One => 1,
            Block::Paley(order) | Block::Hartley(order) => order,
        }
    }

    /// For a length, where it has a matrix without noughts.
    fn of(length: usize) -> Option<Block> {
        let odd = length >> length.trailing_zeros();
        match odd {
            1 => Some(Block::One),
            3 | 5 if length.is_multiple_of(4) => Some(Block::Paley(4 * odd)),
            _ => (odd <= FACTOR_MAX).then_some(Block::Hartley(odd)),
        }
    }
}

/// 1 for squares modulo the prime, -1 for others, 0 for its multiples.
fn legendre(value: usize, prime: usize) -> i32 {
    match value % prime {
        0 => 0,
        rest if (1..prime).any(|root| root * root % prime == rest) => 1,
        _ => -1,
    }
}

/// The matrix of a block, row by row. Empty: it is one number.
fn matrix(block: Block) -> Vec<f64> {
    match block {
        Block::One => Vec::new(),
        Block::Paley(order) => {
            let prime = order - 1;
            let entry = |row: usize, column: usize| match (row, column) {
                (0, _) => 1.0,
                (_, 0) => -1.0,
                _ if row == column => 1.0,
                _ => f64::from(legendre(row + prime - column, prime)),
            };
            (0..order * order).map(|at| entry(at / order, at % order)).collect()
        }
        Block::Hartley(order) => {
            let entry = |row: usize, column: usize| {
                let angle = TAU * ((row * column) % order) as f64 / order as f64;
                angle.cos() + angle.sin()
            };
            (0..order * order).map(|at| entry(at / order, at % order)).collect()
        }
    }
}

fn transform(name: &str, vector: &[f64], seed: u64, wanted: Option<usize>, out: &mut Vec<f64>) -> Result<()> {
    let length = vector.len();
    let exact = Block::of(length);
    let is_cut = |whole: usize| wanted.is_some_and(|wanted| wanted < whole);
    let (block, whole) = match exact {
        Some(Block::Hartley(_)) if is_cut(length) => (Block::One, length.next_power_of_two()),
        Some(block) => (block, length),
        None if wanted.is_some() => (Block::One, length.next_power_of_two()),
        None => {
            let text = format!("it cannot transform a vector of length {length}, whose odd factor exceeds {FACTOR_MAX}");
            return Err(bad_argument(name, format!("{text}: pass output_dims for a projection")));
        }
    };
    let kept = wanted.unwrap_or(whole);
    if kept > if exact.is_some() { length } else { whole } {
        return Err(out_of_bound(format!("output_dims ({kept}) of function {name} exceeds the transform length {length}")));
    }
    let mut turned: Vec<f64> =
        vector.iter().enumerate().map(|(i, value)| if is_negative(seed, i) { -value } else { *value }).collect();
    turned.resize(whole, 0.0);
    let (order, matrix) = (block.order(), matrix(block));
    if order > 1 {
        let mut product = vec![0.0; order];
        for part in turned.chunks_exact_mut(order) {
            for (value, row) in product.iter_mut().zip(matrix.chunks_exact(order)) {
                *value = row.iter().zip(part.iter()).map(|(entry, value)| entry * value).sum();
            }
            part.copy_from_slice(&product);
        }
    }
    let mut half = order;
    while half < whole {
        for part in turned.chunks_exact_mut(2 * half) {
            let (low, high) = part.split_at_mut(half);
            for (low, high) in low.iter_mut().zip(high) {
                (*low, *high) = (*low + *high, *low - *high);
            }
        }
        half *= 2;
    }
    let scale = 1.0 / (kept as f64).sqrt();
    out.extend(turned[..kept].iter().map(|value| value * scale));
    Ok(())
}

/// The sign of a coordinate: the highest bit of SplitMix64's output there.
fn is_negative(seed: u64, place: usize) -> bool {
    let mut bits = seed.wrapping_add(STEP.wrapping_mul(place as u64 + 1));
    bits = (bits ^ bits >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    bits = (bits ^ bits >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    (bits ^ bits >> 31) >> 63 == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_matrix_keeps_lengths() {
        for length in [1, 2, 3, 4, 6, 7, 12, 20, 24, 45, 80, 126] {
            let vector: Vec<f64> = (0..length).map(|i| f64::from(i * i % 7) - 2.5).collect();
            let mut turned = Vec::new();
            transform("f", &vector, 5, None, &mut turned).expect("a length that has a matrix");
            let norm = |values: &[f64]| values.iter().map(|value| value * value).sum::<f64>();
            assert!((norm(&vector) - norm(&turned)).abs() < 1e-9, "{length}");
        }
    }
}
