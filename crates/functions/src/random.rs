//! Random numbers, strings and bits, anew for each row. The generator is cryptographic and seeded anew for each block.

use std::sync::Arc;

use SqlType as T;
use arrow::array::{ArrayRef, ArrowPrimitiveType, FixedSizeBinaryArray, PrimitiveArray};
use arrow::buffer::Buffer;
use arrow::datatypes::{Float64Type, Int64Type, UInt8Type, UInt32Type, UInt64Type};
use gristmill_base::env::system_env;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::SqlType;
use rand::rngs::StdRng;
use rand::{Rng, RngCore, SeedableRng};

use crate::columns::{Bytes, Numbers, strings};
use crate::define::{
    arity, bad_argument, constant_integer, expect_integer, expect_number, illegal, not_constant, own_nulls, volatile,
};
use crate::registry::Registry;
use crate::scalar::{Argument, Bound, FunctionLimits, ScalarFunction};

/// Whether a function, by its first name, gives something else for each row by chance.
pub fn is_by_chance(name: &str) -> bool {
    name.starts_with("rand")
        || matches!(name, "fuzzBits" | "generateUUIDv4" | "generateUUIDv7" | "generateULID" | "generateSnowflakeID")
}

/// A string of more bytes than this is a mistake.
const LONGEST: i64 = 1 << 24;
/// A block of more random bytes than this is a mistake.
const LARGEST: usize = 1 << 30;
/// Trials of a binomial distribution whose outcome is not certain, whatever the settings allow.
const TRIALS_MAX: f64 = 1e9;
/// Degrees of freedom, whatever the settings allow: the squares of normal values beyond are no Float64.
const DEGREES_MAX: f64 = f64::MAX / 16.0;

pub fn register(registry: &mut Registry) {
    registry.scalar("rand", numbers_of::<UInt32Type>(T::UInt32, |random| random.next_u32()));
    registry.any_case("rand");
    registry.alias("rand32", "rand");
    registry.scalar("rand64", numbers_of::<UInt64Type>(T::UInt64, |random| random.next_u64()));
    registry.scalar("randCanonical", numbers_of::<Float64Type>(T::Float64, |random| random.random::<f64>()));
    registry.scalar(
        "randConstant",
        own_nulls(|name, arguments, _| {
            arity(name, arguments, 0..=1)?;
            let value = system_env().random_u64() as u32;
            Ok(Bound::new(T::UInt32, move |_, rows| {
                Ok(Arc::new(PrimitiveArray::<UInt32Type>::from_value(value, rows)) as ArrayRef)
            }))
        }),
    );
    registry.scalar(
        "randUniform",
        distribution::<Float64Type>(
            2,
            T::Float64,
            |random, [low, high]| low + (high - low) * random.random::<f64>(),
            always,
            no_limit,
        ),
    );
    registry.scalar(
        "randNormal",
        distribution::<Float64Type>(
            2,
            T::Float64,
            |random, [mean, deviation]| mean + deviation * normal(random),
            |[_, deviation]| deviation >= 0.0,
            no_limit,
        ),
    );
    registry.scalar(
        "randLogNormal",
        distribution::<Float64Type>(
            2,
            T::Float64,
            |random, [mean, deviation]| (mean + deviation * normal(random)).exp(),
            |[_, deviation]| deviation >= 0.0,
            no_limit,
        ),
    );
    registry.scalar(
        "randExponential",
        distribution::<Float64Type>(
            1,
            T::Float64,
            |random, [rate, _]| exponential(random) / rate,
            |[rate, _]| rate > 0.0,
            no_limit,
        ),
    );
    registry.scalar(
        "randChiSquared",
        distribution::<Float64Type>(
            1,
            T::Float64,
            |random, [degrees, _]| 2.0 * gamma(random, degrees / 2.0),
            |[degrees, _]| degrees > 0.0,
            degrees_limit,
        ),
    );
    registry.scalar(
        "randStudentT",
        distribution::<Float64Type>(
            1,
            T::Float64,
            |random, [degrees, _]| normal(random) / (2.0 * gamma(random, degrees / 2.0) / degrees).sqrt(),
            |[degrees, _]| degrees > 0.0,
            degrees_limit,
        ),
    );
    registry.scalar(
        "randFisherF",
        distribution::<Float64Type>(
            2,
            T::Float64,
            |random, [a, b]| (gamma(random, a / 2.0) / a) / (gamma(random, b / 2.0) / b),
            |[a, b]| a > 0.0 && b > 0.0,
            degrees_limit,
        ),
    );
    registry.scalar(
        "randBernoulli",
        distribution::<UInt8Type>(
            1,
            T::UInt8,
            |random, [chance, _]| u8::from(random.random::<f64>() < chance),
            |[chance, _]| is_chance(chance),
            no_limit,
        ),
    );
    registry.scalar(
        "randBinomial",
        distribution::<UInt64Type>(
            2,
            T::UInt64,
            binomial,
            |[trials, chance]| trials >= 0.0 && is_chance(chance),
            |limits, [trials, chance]| {
                let hard = if chance > 0.0 && chance < 1.0 { TRIALS_MAX } else { f64::INFINITY };
                too_large("number of experiments", trials, hard.min(limit_of(limits.trials_max as f64)))
            },
        ),
    );
    registry.scalar(
        "randNegativeBinomial",
        distribution::<UInt64Type>(
            2,
            T::UInt64,
            |random, [successes, chance]| {
                let mean = if successes == 0.0 { 0.0 } else { gamma(random, successes) * (1.0 - chance) / chance };
                poisson(random, mean)
            },
            |[successes, chance]| successes >= 0.0 && successes.is_finite() && chance > 0.0 && chance <= 1.0,
            |limits, [successes, _]| too_large("number of experiments", successes, limit_of(limits.trials_max as f64)),
        ),
    );
    registry.scalar(
        "randPoisson",
        distribution::<UInt64Type>(
            1,
            T::UInt64,
            |random, [mean, _]| poisson(random, mean),
            |[mean, _]| mean >= 0.0 && mean.is_finite(),
            |limits, [mean, _]| too_large("mean", mean, limit_of(limits.trials_max as f64)),
        ),
    );

    registry.scalar("randomString", text(|random, length, out| extend(random, length, out, |byte| byte)));
    // The 95 characters from space to tilde.
    registry.scalar(
        "randomPrintableASCII",
        text(|random, length, out| extend(random, length, out, |byte| b' ' + (u16::from(byte) * 95 / 256) as u8)),
    );
    registry.scalar(
        "randomStringUTF8",
        text(|random, length, out| {
            for _ in 0..length {
                let c = loop {
                    if let Some(c) = char::from_u32(random.random_range(0..=0x10_FFFF)) {
                        break c;
                    }
                };
                out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
            }
        }),
    );
    registry.scalar(
        "randomFixedString",
        volatile(|name, arguments, _| {
            arity(name, arguments, 1..=1)?;
            expect_integer(name, arguments, 0)?;
            let length = constant_integer(&arguments[0]).ok_or_else(|| not_constant(name, 0))?;
            if !(1..=LONGEST).contains(&length) {
                return Err(bad_argument(name, format!("the length must be from 1 to {LONGEST}, not {length}")));
            }
            let width = length as usize;
            Ok(Bound::new(T::FixedString(width), move |_, rows| {
                let mut bytes = vec![0; checked_size(width, rows)?];
                generator().fill_bytes(&mut bytes);
                Ok(Arc::new(FixedSizeBinaryArray::try_new(width as i32, Buffer::from_vec(bytes), None)?) as ArrayRef)
            }))
        }),
    );
    registry.scalar("fuzzBits", volatile(|name, arguments, _| fuzz_bits(name, arguments)));
}

pub fn generator() -> StdRng {
    StdRng::seed_from_u64(system_env().random_u64())
}

fn checked_size(width: usize, rows: usize) -> Result<usize> {
    width.checked_mul(rows).filter(|size| *size <= LARGEST).ok_or_else(|| {
        Error::new(
            ErrorCode::TOO_LARGE_STRING_SIZE,
            format!("{rows} random strings of {width} bytes are too many for one block"),
        )
    })
}

/// A function of nothing, or of one argument that only tells calls apart.
fn numbers_of<R: ArrowPrimitiveType>(kind: SqlType, f: fn(&mut StdRng) -> R::Native) -> Arc<dyn ScalarFunction> {
    volatile(move |name, arguments, _| {
        arity(name, arguments, 0..=1)?;
        Ok(Bound::new(kind.clone(), move |_, rows| {
            let mut random = generator();
            let values: Vec<R::Native> = (0..rows).map(|_| f(&mut random)).collect();
            Ok(Arc::new(PrimitiveArray::<R>::new(values.into(), None)) as ArrayRef)
        }))
    })
}

fn always(_: [f64; 2]) -> bool {
    true
}

/// What is too large of the parameters: its name, and how large it may be.
type TooLarge = Option<(&'static str, f64)>;

fn too_large(what: &'static str, value: f64, most: f64) -> TooLarge {
    (value > most).then_some((what, most))
}

/// 0 limits nothing.
fn limit_of(setting: f64) -> f64 {
    if setting > 0.0 { setting } else { f64::INFINITY }
}

fn no_limit(_: &FunctionLimits, _: [f64; 2]) -> TooLarge {
    None
}

/// The second parameter is 0 where a distribution has one.
fn degrees_limit(limits: &FunctionLimits, [a, b]: [f64; 2]) -> TooLarge {
    too_large("degrees of freedom", a.max(b), DEGREES_MAX.min(limit_of(limits.degrees_max())))
}

fn is_chance(value: f64) -> bool {
    (0.0..=1.0).contains(&value)
}

/// A distribution of so many parameters; one more argument only tells calls apart.
fn distribution<R: ArrowPrimitiveType>(
    parameters: usize,
    kind: SqlType,
    f: fn(&mut StdRng, [f64; 2]) -> R::Native,
    possible: fn([f64; 2]) -> bool,
    limit: fn(&FunctionLimits, [f64; 2]) -> TooLarge,
) -> Arc<dyn ScalarFunction> {
    volatile(move |name, arguments, env| {
        let limits = env.limits;
        arity(name, arguments, parameters..=parameters + 1)?;
        for i in 0..parameters {
            expect_number(name, arguments, i)?;
            if arguments[i].kind.is_nullable() {
                return Err(illegal(name, arguments, i, "a number that is not NULL"));
            }
        }
        let casts: Vec<SqlType> = arguments
            .iter()
            .enumerate()
            .map(|(i, argument)| if i < parameters { T::Float64 } else { argument.kind.clone() })
            .collect();
        let name = name.to_string();
        Ok(Bound::cast(casts, kind.clone(), move |args, rows| {
            let given: Vec<Numbers<'_, f64>> =
                args[..parameters].iter().map(Numbers::of::<Float64Type>).collect::<Result<_>>()?;
            let mut random = generator();
            let values = (0..rows).map(|row| {
                let mut values = [0.0; 2];
                given.iter().zip(&mut values).for_each(|(column, value)| *value = column.get(row));
                if !possible(values) {
                    return Err(bad_argument(
                        &name,
                        format!("there is no such distribution for {:?}", &values[..parameters]),
                    ));
                }
                if let Some((what, most)) = limit(&limits, values) {
                    let given = &values[..parameters];
                    return Err(bad_argument(
                        &name,
                        format!("its {what} is too large: {given:?} is given, {most} is the most"),
                    ));
                }
                Ok(f(&mut random, values))
            });
            Ok(Arc::new(PrimitiveArray::<R>::new(values.collect::<Result<Vec<_>>>()?.into(), None)) as ArrayRef)
        }))
    })
}

/// Box and Muller's.
fn normal(random: &mut StdRng) -> f64 {
    let (a, b): (f64, f64) = (random.random(), random.random());
    (-2.0 * (1.0 - a).ln()).sqrt() * (std::f64::consts::TAU * b).cos()
}

fn exponential(random: &mut StdRng) -> f64 {
    -(1.0 - random.random::<f64>()).ln()
}

/// Marsaglia and Tsang's, of scale 1.
fn gamma(random: &mut StdRng, shape: f64) -> f64 {
    if shape < 1.0 {
        return gamma(random, shape + 1.0) * random.random::<f64>().powf(1.0 / shape);
    }
    let d = shape - 1.0 / 3.0;
    let c = 1.0 / (9.0 * d).sqrt();
    // Each turn is accepted with a chance of more than nine in ten.
    for _ in 0..1000 {
        let x = normal(random);
        let v = (1.0 + c * x).powi(3);
        if v > 0.0 && (1.0 - random.random::<f64>()).ln() < 0.5 * x * x + d - d * v + d * v.ln() {
            return d * v;
        }
    }
    d
}

/// Counts exponential waits; large means by the normal distribution near them.
fn poisson(random: &mut StdRng, mean: f64) -> u64 {
    if mean > 500.0 {
        return (mean + mean.sqrt() * normal(random)).round().max(0.0) as u64;
    }
    let (mut count, mut passed) = (0, exponential(random));
    while passed < mean {
        count += 1;
        passed += exponential(random);
    }
    count
}

fn binomial(random: &mut StdRng, [trials, chance]: [f64; 2]) -> u64 {
    let trials = trials.floor();
    if trials > 1000.0 {
        let spread = (trials * chance * (1.0 - chance)).sqrt();
        return (trials * chance + spread * normal(random)).round().clamp(0.0, trials) as u64;
    }
    (0..trials as u64).filter(|_| random.random::<f64>() < chance).count() as u64
}

/// Appends random bytes, each turned into another.
fn extend(random: &mut StdRng, length: usize, out: &mut Vec<u8>, f: impl Fn(u8) -> u8) {
    let start = out.len();
    out.resize(start + length, 0);
    random.fill_bytes(&mut out[start..]);
    out[start..].iter_mut().for_each(|byte| *byte = f(*byte));
}

type Writer = fn(&mut StdRng, usize, &mut Vec<u8>);

/// Strings of the length given by the first argument.
fn text(f: Writer) -> Arc<dyn ScalarFunction> {
    volatile(move |name, arguments, _| {
        arity(name, arguments, 1..=2)?;
        expect_integer(name, arguments, 0)?;
        if arguments[0].kind.is_nullable() {
            return Err(illegal(name, arguments, 0, "an integer that is not NULL"));
        }
        let casts = std::iter::once(T::Int64).chain(arguments[1..].iter().map(|argument| argument.kind.clone())).collect();
        let name = name.to_string();
        Ok(Bound::cast(casts, T::String, move |args, rows| {
            let lengths = Numbers::of::<Int64Type>(&args[0])?;
            let mut random = generator();
            let mut total = 0;
            strings(rows, |row, out| {
                let length = lengths.get(row);
                if !(0..=LONGEST).contains(&length) {
                    return Err(bad_argument(&name, format!("the length must be from 0 to {LONGEST}, not {length}")));
                }
                total += length as usize;
                checked_size(total, 1)?;
                f(&mut random, length as usize, out);
                Ok(())
            })
        }))
    })
}

/// Turns each bit of a string around with the given chance.
fn fuzz_bits(name: &str, arguments: &[Argument]) -> Result<Bound> {
    arity(name, arguments, 2..=2)?;
    let kind = arguments[0].kind.clone();
    if !matches!(kind, T::String | T::FixedString(_)) {
        return Err(illegal(name, arguments, 0, "String or FixedString"));
    }
    expect_number(name, arguments, 1)?;
    let chance = match &arguments[1].constant {
        Some(value) => value.cast_to(&arrow::datatypes::DataType::Float64)?,
        None => return Err(not_constant(name, 1)),
    };
    let datafusion::common::ScalarValue::Float64(Some(chance)) = chance else { return Err(not_constant(name, 1)) };
    if !is_chance(chance) {
        return Err(bad_argument(name, format!("the chance must be from 0 to 1, not {chance}")));
    }
    let casts = vec![kind.clone(), T::Float64];
    let to = kind.clone();
    Ok(Bound::cast(casts, kind, move |args, rows| {
        let source = Bytes::of(&args[0])?;
        let mut random = generator();
        let texts = strings(rows, |row, out| {
            out.extend(source.get(row).iter().map(|byte| {
                (0..8).fold(*byte, |byte, bit| if random.random::<f64>() < chance { byte ^ (1 << bit) } else { byte })
            }));
            Ok(())
        })?;
        if to == T::String { Ok(texts) } else { gristmill_types::cast::cast(&texts, &T::String, &to, &Default::default()) }
    }))
}
