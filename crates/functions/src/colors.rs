//! Colours between sRGB and the perceptual spaces OKLab and OKLCH, by Björn Ottosson's matrices
//! (<https://bottosson.github.io/posts/oklab/>) in ClickHouse's digits.

use std::sync::Arc;

use SqlType as T;
use arrow::array::{ArrayRef, AsArray, Float64Array};
use arrow::datatypes::Float64Type;
use gristmill_base::Result;
use gristmill_types::SqlType;

use crate::columns::{Numbers, at};
use crate::define::{illegal, plain};
use crate::registry::Registry;
use crate::scalar::{Argument, Bound};
use crate::tuples::{fields, struct_array};

type Color = [f64; 3];
type Matrix = [Color; 3];

const LINEAR_TO_CONES: Matrix = [
    [0.4122214708, 0.5363325363, 0.0514459929],
    [0.2119034982, 0.6806995451, 0.1073969566],
    [0.0883024619, 0.2817188376, 0.6299787005],
];
const CONES_TO_LAB: Matrix = [
    [0.2104542553, 0.7936177850, -0.0040720468],
    [1.9779984951, -2.4285922050, 0.45059370996],
    [0.0259040371, 0.7827717662, -0.8086757660],
];
const LAB_TO_CONES: Matrix =
    [[1.0, 0.3963377774, 0.2158037573], [1.0, -0.1055613458, -0.0638541728], [1.0, -0.0894841775, -1.2914855480]];
const CONES_TO_LINEAR: Matrix = [
    [4.0767416621, -3.3077115913, 0.2309699292],
    [-1.2684380046, 2.6097574011, -0.3413193965],
    [-0.0041960863, -0.7034186147, 1.7076147010],
];

/// Below this chroma a colour is grey.
const GREY: f64 = 1e-6;
const DEGREES_IN_RADIAN: f64 = 57.2957795131;
const RADIANS_IN_DEGREE: f64 = 0.01745329251;
const DEFAULT_GAMMA: f64 = 2.2;
/// In place of a gamma of 0 that is divided by.
const LEAST_GAMMA: f64 = 1e-6;

pub fn register(registry: &mut Registry) {
    let all: [(&str, fn(Color, f64) -> Color); 4] = [
        ("colorSRGBToOKLAB", to_lab),
        ("colorSRGBToOKLCH", to_lch),
        ("colorOKLABToSRGB", from_lab),
        ("colorOKLCHToSRGB", from_lch),
    ];
    for (name, change) in all {
        registry.scalar(name, plain(move |name, arguments, _| bind(name, arguments, change)));
    }
}

fn times(matrix: &Matrix, color: Color) -> Color {
    matrix.map(|row| row.iter().zip(color).fold(0.0, |sum, (factor, value)| value.mul_add(*factor, sum)))
}

fn to_lab(color: Color, gamma: f64) -> Color {
    let linear = color.map(|channel| (channel / 255.0).powf(gamma));
    times(&CONES_TO_LAB, times(&LINEAR_TO_CONES, linear).map(f64::cbrt))
}

fn to_lch(color: Color, gamma: f64) -> Color {
    let [lightness, a, b] = to_lab(color, gamma);
    let chroma = (a * a + b * b).sqrt();
    if chroma >= GREY {
        [lightness, chroma, (b.atan2(a) * DEGREES_IN_RADIAN + 360.0) % 360.0]
    } else {
        [lightness, 0.0, 0.0]
    }
}

fn from_lab(color: Color, gamma: f64) -> Color {
    let cones = times(&LAB_TO_CONES, color).map(|cone| cone * cone * cone);
    let power = 1.0 / if gamma == 0.0 { LEAST_GAMMA } else { gamma };
    times(&CONES_TO_LINEAR, cones).map(|channel| channel.clamp(0.0, 1.0).powf(power) * 255.0)
}

fn from_lch([lightness, chroma, hue]: Color, gamma: f64) -> Color {
    let hue = hue * RADIANS_IN_DEGREE;
    from_lab([lightness, chroma * hue.cos(), chroma * hue.sin()], gamma)
}

fn bind(name: &str, arguments: &[Argument], change: fn(Color, f64) -> Color) -> Result<Bound> {
    crate::define::arity(name, arguments, if arguments.len() == 2 { 2..=2 } else { 1..=1 })?;
    let parts = fields(name, arguments, 0)?;
    if parts.len() != 3 || parts.iter().any(|(_, kind)| !kind.is_number()) {
        return Err(illegal(name, arguments, 0, "a Tuple of three numbers"));
    }
    let result = T::Tuple(vec![(None, T::Float64); 3]);
    let mut casts = vec![result.clone()];
    if let Some(gamma) = arguments.get(1) {
        if !gamma.kind.is_number() {
            return Err(illegal(name, arguments, 1, "a number"));
        }
        casts.push(T::Float64);
    }
    let kind = result.clone();
    Ok(Bound::cast(casts, result, move |args, rows| {
        let given = args[0].as_struct();
        let channels = [0, 1, 2].map(|i| given.column(i).as_primitive::<Float64Type>().values());
        let gammas = args.get(1).map(Numbers::of::<Float64Type>).transpose()?;
        let mut made: [Vec<f64>; 3] = [(); 3].map(|()| Vec::with_capacity(rows));
        for row in 0..rows {
            let color = channels.map(|channel| channel[at(channel.len(), row)]);
            let changed = change(color, gammas.map_or(DEFAULT_GAMMA, |gammas| gammas.get(row)));
            made.iter_mut().zip(changed).for_each(|(column, value)| column.push(value));
        }
        let columns = made.map(|column| Arc::new(Float64Array::from(column)) as ArrayRef);
        struct_array(&kind, columns.to_vec(), rows)
    }))
}
