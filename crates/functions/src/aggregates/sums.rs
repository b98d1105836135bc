//! `sum` and its kin. Integers add up in 64 bits (or their own width where it is wider) and wrap around, floats in Float64,
//! decimals in the widest decimal of their carrier, enums as the integers that they are kept as.

use std::sync::Arc;

use SqlType as T;
use arrow::array::{ArrayRef, AsArray, StructArray, UInt64Array};
use arrow::datatypes::{ArrowNativeType, DataType, Fields, UInt64Type, i256};
use gristmill_base::Result;
use gristmill_types::SqlType;
use gristmill_types::wide;

use super::few_groups::{add_in_order, add_up};
use super::frames::run_through;
use super::groups::Groups;
use super::natives::{by_native, column, natives};
use super::{Call, NullRule, Plan, average_times, family};
use crate::registry::Registry;

pub fn register(registry: &mut Registry) {
    registry.aggregate("sum", family(NullRule::Nullable, |call| sum(call, Finish::Sum)));
    registry.any_case("sum");
    registry.aggregate("sumWithOverflow", family(NullRule::Nullable, |call| sum(call, Finish::Narrow)));
    registry.aggregate("sumCount", family(NullRule::Default, |call| sum(call, Finish::WithCount)));
    registry.aggregate("avg", family(NullRule::Nullable, |call| sum(call, Finish::Average)));
    registry.any_case("avg");
}

/// The type that a value adds up in.
pub trait Addend: ArrowNativeType {
    type Wide: Wide;
    fn widen(self) -> Self::Wide;
}

pub trait Wide: ArrowNativeType + Default {
    /// Whether the sum is the same in whatever order values come.
    const IN_ANY_ORDER: bool;
    fn plus(self, other: Self) -> Self;
    fn minus(self, other: Self) -> Self;
    fn float(self) -> f64;
}

macro_rules! addend {
    ($wide:ty: $($narrow:ty),*) => {
        $(impl Addend for $narrow {
            type Wide = $wide;
            #[inline(always)]
            fn widen(self) -> $wide { <$wide>::from(self) }
        })*
    };
}
addend!(u64: u8, u16, u32, u64);
addend!(i64: i8, i16, i32, i64);
addend!(f64: f32, f64);
addend!(i128: i128);
addend!(i256: i256);

macro_rules! wide_integer {
    ($($wide:ty: $float:expr),*) => {
        $(impl Wide for $wide {
            const IN_ANY_ORDER: bool = true;
            #[inline(always)]
            fn plus(self, other: Self) -> Self { self.wrapping_add(other) }
            #[inline(always)]
            fn minus(self, other: Self) -> Self { self.wrapping_sub(other) }
            fn float(self) -> f64 { $float(self) }
        })*
    };
}
wide_integer!(u64: |v| v as f64, i64: |v| v as f64, i128: |v| v as f64, i256: |v| wide::to_f64(v, false));

impl Wide for f64 {
    const IN_ANY_ORDER: bool = false;

    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        self + other
    }
    #[inline(always)]
    fn minus(self, other: Self) -> Self {
        self - other
    }
    fn float(self) -> f64 {
        self
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Finish {
    Sum,
    /// The sum in the type of the argument.
    Narrow,
    WithCount,
    Average,
}

/// The type of a sum of such values.
pub fn sum_type(kind: &SqlType) -> Option<SqlType> {
    Some(match kind {
        T::Bool | T::UInt8 | T::UInt16 | T::UInt32 | T::UInt64 => T::UInt64,
        T::Int8 | T::Int16 | T::Int32 | T::Int64 => T::Int64,
        T::UInt128 | T::UInt256 | T::Int128 | T::Int256 => kind.clone(),
        T::BFloat16 | T::Float32 | T::Float64 => T::Float64,
        T::Decimal { precision, scale } => T::Decimal { precision: if *precision <= 38 { 38 } else { 76 }, scale: *scale },
        _ => return None,
    })
}

/// `sum` itself.
pub fn plain(call: &Call<'_>) -> Result<Plan> {
    sum(call, Finish::Sum)
}

/// `sumWithOverflow` itself.
pub fn with_overflow(call: &Call<'_>) -> Result<Plan> {
    sum(call, Finish::Narrow)
}

fn sum(call: &Call<'_>, finish: Finish) -> Result<Plan> {
    call.arity(1..=1)?;
    if finish == Finish::Average
        && let Some(plan) = average_times::plan(&call.kinds[0])
    {
        return Ok(plan);
    }
    let kind = &match finish {
        Finish::Sum | Finish::Narrow => call.kinds[0].enum_as_integer(),
        _ => call.kinds[0].clone(),
    };
    let Some(total) = sum_type(kind) else { return Err(call.illegal(0, "a number")) };
    let argument = kind.bool_as_integer();
    let result = match finish {
        Finish::Sum => total.clone(),
        Finish::Narrow => argument.clone(),
        Finish::WithCount => T::Tuple(vec![(None, total.clone()), (None, T::UInt64)]),
        Finish::Average => T::Float64,
    };
    let scale = if let T::Decimal { scale, .. } = kind { *scale } else { 0 };
    let output = Output { total: total.clone(), finish, result: result.arrow(), divisor: 10f64.powi(i32::from(scale)) };
    let carrier = argument.arrow();
    let state = if matches!(finish, Finish::Sum | Finish::Narrow) {
        vec![total.arrow()]
    } else {
        vec![total.arrow(), DataType::UInt64]
    };
    by_native!(&carrier, N => Ok(Plan::new(result, vec![argument], state, move || Sums::<N>::new(output.clone()))), {
        Err(call.illegal(0, "a number"))
    })
}

#[derive(Clone)]
struct Output {
    total: SqlType,
    finish: Finish,
    result: DataType,
    /// 10^scale for decimals.
    divisor: f64,
}

struct Sums<N: Addend> {
    sums: Vec<N::Wide>,
    /// Rows, where the result needs them.
    counts: Option<Vec<u64>>,
    output: Output,
}

impl<N: Addend> Sums<N> {
    fn new(output: Output) -> Self {
        let counts = matches!(output.finish, Finish::Average | Finish::WithCount).then(Vec::new);
        Sums { sums: Vec::new(), counts, output }
    }

    fn total(&self, groups: usize) -> Result<ArrayRef> {
        let total = &self.output.total;
        // 128 bits are carried in 256 and wrap around where theirs end.
        if let Some((128, signed)) = total.integer_bits() {
            let values = column(self.sums[..groups].to_vec(), &DataType::Decimal256(76, 0))?;
            let wrapped = natives::<i256>(&values)?.iter().map(|value| wide::wrap(*value, 128, signed)).collect();
            return column::<i256>(wrapped, &total.arrow());
        }
        column(self.sums[..groups].to_vec(), &total.arrow())
    }
}

impl<N: Addend> Groups for Sums<N> {
    fn resize(&mut self, groups: usize) {
        self.sums.resize(groups, N::Wide::default());
        if let Some(counts) = &mut self.counts {
            counts.resize(groups, 0);
        }
    }

    fn update(&mut self, args: &[ArrayRef], groups: &[usize]) -> Result<()> {
        let values = natives::<N>(&args[0])?;
        if let [sum] = &mut self.sums[..] {
            *sum = values.iter().fold(*sum, |sum, value| sum.plus(value.widen()));
        } else if N::Wide::IN_ANY_ORDER {
            add_up(&mut self.sums, N::Wide::default(), groups, |sum, row| sum.plus(values[row].widen()), N::Wide::plus);
        } else {
            add_in_order(&mut self.sums, groups, |sum, row| sum.plus(values[row].widen()));
        }
        if let Some(counts) = &mut self.counts {
            add_up(counts, 0, groups, |count, _| count + 1, |one, other| one + other);
        }
        Ok(())
    }

    fn run(&mut self, args: &[ArrayRef], groups: &[usize], fresh: &[bool]) -> Result<()> {
        let values = natives::<N>(&args[0])?;
        run_through(&mut self.sums, N::Wide::default(), groups, fresh, |sum, row| sum.plus(values[row].widen()));
        if let Some(counts) = &mut self.counts {
            run_through(counts, 0, groups, fresh, |count, _| count + 1);
        }
        Ok(())
    }

    fn runs(&self) -> bool {
        true
    }

    fn retract(&mut self, args: &[ArrayRef], groups: &[usize]) -> Result<()> {
        for (value, group) in natives::<N>(&args[0])?.iter().zip(groups) {
            self.sums[*group] = self.sums[*group].minus(value.widen());
        }
        if let Some(counts) = &mut self.counts {
            for group in groups {
                counts[*group] = counts[*group].saturating_sub(1);
            }
        }
        Ok(())
    }

    fn retracts(&self) -> bool {
        // What a float lost when it was added does not come back.
        !matches!(self.output.total, T::Float64)
    }

    fn save(&mut self, groups: usize) -> Result<Vec<ArrayRef>> {
        let mut states = vec![column(self.sums[..groups].to_vec(), &self.output.total.arrow())?];
        if let Some(counts) = &self.counts {
            states.push(Arc::new(UInt64Array::from(counts[..groups].to_vec())));
        }
        Ok(states)
    }

    fn merge(&mut self, states: &[ArrayRef], groups: &[usize]) -> Result<()> {
        for (sum, group) in natives::<N::Wide>(&states[0])?.iter().zip(groups) {
            self.sums[*group] = self.sums[*group].plus(*sum);
        }
        if let (Some(counts), Some(rows)) = (&mut self.counts, states.get(1)) {
            for (rows, group) in rows.as_primitive::<UInt64Type>().values().iter().zip(groups) {
                counts[*group] += rows;
            }
        }
        Ok(())
    }

    fn finish(&mut self, groups: usize) -> Result<ArrayRef> {
        let sums = &self.sums[..groups];
        match (self.output.finish, &self.counts) {
            (Finish::Average, Some(counts)) => {
                let divisor = self.output.divisor;
                let averages = sums.iter().zip(counts).map(|(sum, count)| sum.float() / divisor / *count as f64);
                column(averages.collect::<Vec<f64>>(), &DataType::Float64)
            }
            (Finish::WithCount, Some(counts)) => {
                let counts: ArrayRef = Arc::new(UInt64Array::from(counts[..groups].to_vec()));
                let fields = match &self.output.result {
                    DataType::Struct(fields) => fields.clone(),
                    _ => Fields::empty(),
                };
                Ok(Arc::new(StructArray::try_new(fields, vec![self.total(groups)?, counts], None)?))
            }
            (Finish::Narrow, _) => narrow(&self.total(groups)?, &self.output.result),
            _ => self.total(groups),
        }
    }

    fn drop_first(&mut self, groups: usize) {
        self.sums.drain(..groups);
        if let Some(counts) = &mut self.counts {
            counts.drain(..groups);
        }
    }

    fn bytes(&self) -> usize {
        self.sums.capacity() * size_of::<N::Wide>() + self.counts.as_ref().map_or(0, |counts| counts.capacity() * 8)
    }
}

/// What is left of 64-bit sums in a narrower type.
fn narrow(sums: &ArrayRef, to: &DataType) -> Result<ArrayRef> {
    macro_rules! keep_low_bits {
        ($from:ty as $($kind:ident: $to:ty),*) => {
            match to {
                $(DataType::$kind => {
                    let values = natives::<$from>(sums)?.iter().map(|sum| *sum as $to).collect::<Vec<$to>>();
                    column(values, to)
                })*
                _ => crate::columns::retype(sums, to),
            }
        };
    }
    match sums.data_type() {
        DataType::UInt64 => keep_low_bits!(u64 as UInt8: u8, UInt16: u16, UInt32: u32),
        DataType::Int64 => keep_low_bits!(i64 as Int8: i8, Int16: i16, Int32: i32),
        DataType::Float64 => keep_low_bits!(f64 as Float32: f32),
        _ => crate::columns::retype(sums, to),
    }
}
