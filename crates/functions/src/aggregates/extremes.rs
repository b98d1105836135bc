//! `min` and `max`, and the smallest or largest value that `argMin` and `argMax` follow.
//!
//! Numbers and times are compared as their machine type, strings as bytes; other types (arrays, tuples, UUID, Bool) as rows
//! of Arrow's row format, which sort as the values do. NULL and NaN within them are never better than a value.

use std::marker::PhantomData;

use arrow::array::{Array, ArrayRef, AsArray, BooleanArray, make_array};
use arrow::compute::SortOptions;
use arrow::datatypes::{ArrowNativeType, DataType, Float32Type, Float64Type, i256};
use arrow::row::{RowConverter, Rows, SortField};
use gristmill_base::Result;
use gristmill_types::SqlType;
use gristmill_types::bytes::BytesBuilder;
use gristmill_types::default::{default_array, default_scalar};
use gristmill_types::order::{has_uint256, turned, without_sign};
use std::sync::Arc;

use super::frames::run_through;
use super::groups::Groups;
use super::natives::{by_native, column, natives};
use super::{Call, NullRule, Plan, family};
use crate::registry::Registry;

pub fn register(registry: &mut Registry) {
    registry.aggregate("min", family(NullRule::Nullable, |call| extreme(call, false)));
    registry.aggregate("max", family(NullRule::Nullable, |call| extreme(call, true)));
    registry.any_case("min");
    registry.any_case("max");
}

pub fn extreme(call: &Call<'_>, largest: bool) -> Result<Plan> {
    call.arity(1..=1)?;
    let kind = call.kinds[0].clone();
    if matches!(kind, SqlType::AggregateFunction(..)) {
        return Err(call.illegal(0, "a type whose values can be compared"));
    }
    let make = best(&kind, largest)?;
    let state = vec![kind.arrow(), DataType::Boolean];
    let mut plan = Plan::new(kind.clone(), vec![kind], state, move || Extreme(make()));
    let native = if largest {
        datafusion::functions_aggregate::min_max::max_udaf()
    } else {
        datafusion::functions_aggregate::min_max::min_udaf()
    };
    if has_uint256(&plan.result) || matches!(plan.result.plain(), SqlType::Tuple(_) | SqlType::Array(_) | SqlType::Map(..)) {
        // DataFusion knows the carrier alone, which has a sign, and orders NULL otherwise.
        return Ok(plan);
    }
    plan.native_statistics = Some(native.clone());
    plan.native = Some(native);
    Ok(plan)
}

/// The best value of each group.
pub trait Best: Send + Sync {
    fn resize(&mut self, groups: usize);

    /// Calls `won(group, row)` for each row that is better than what its group had.
    fn offer(&mut self, values: &ArrayRef, groups: &[usize], won: &mut dyn FnMut(usize, usize)) -> Result<()>;

    /// Offers values in the order of their groups, each of which begins as the one before it ended, unless it is `fresh`. Only
    /// called where `runs` says so.
    fn run(&mut self, _values: &ArrayRef, _groups: &[usize], _fresh: &[bool]) -> Result<()> {
        Err(gristmill_base::Error::logical("The best values of this type cannot run through groups"))
    }

    fn runs(&self) -> bool {
        false
    }

    fn has(&self, group: usize) -> bool;

    /// The best of the first groups; the type's default where there is none.
    fn values(&self, groups: usize) -> Result<ArrayRef>;

    fn drop_first(&mut self, groups: usize);

    fn bytes(&self) -> usize;
}

/// Makes a `Best` of a type. Errors: a type that has no order.
pub fn best(kind: &SqlType, largest: bool) -> Result<Arc<dyn Fn() -> Box<dyn Best> + Send + Sync>> {
    let carrier = kind.arrow();
    if *kind.plain() == SqlType::UInt256 {
        let zero = without_sign(i256::ZERO);
        return Ok(match largest {
            true => {
                Arc::new(move || Box::new(BestTurned(Box::new(BestNumber::<i256, Largest>::new(carrier.clone(), zero)))))
            }
            false => {
                Arc::new(move || Box::new(BestTurned(Box::new(BestNumber::<i256, Smallest>::new(carrier.clone(), zero)))))
            }
        });
    }
    if carrier == DataType::BinaryView {
        return Ok(Arc::new(move || Box::new(BestBytes { largest, values: Vec::new(), bytes: 0 })));
    }
    // A Bool is no number of Arrow's; wide unsigned integers compare as their raw bits.
    by_native!(&carrier, N => {
        let zero: N = natives::<N>(&default_array(kind, 1))?[0];
        if largest {
            return Ok(Arc::new(move || Box::new(BestNumber::<N, Largest>::new(carrier.clone(), zero))));
        }
        return Ok(Arc::new(move || Box::new(BestNumber::<N, Smallest>::new(carrier.clone(), zero))));
    }, {});
    RowConverter::new(vec![SortField::new(carrier.clone())])?;
    let kind = kind.clone();
    Ok(Arc::new(move || Box::new(BestRow { largest, kind: kind.clone(), rows: Vec::new(), bytes: 0 })))
}

struct Extreme(Box<dyn Best>);

impl Groups for Extreme {
    fn resize(&mut self, groups: usize) {
        self.0.resize(groups);
    }

    fn update(&mut self, args: &[ArrayRef], groups: &[usize]) -> Result<()> {
        self.0.offer(&args[0], groups, &mut |_, _| {})
    }

    fn run(&mut self, args: &[ArrayRef], groups: &[usize], fresh: &[bool]) -> Result<()> {
        self.0.run(&args[0], groups, fresh)
    }

    fn runs(&self) -> bool {
        self.0.runs()
    }

    fn save(&mut self, groups: usize) -> Result<Vec<ArrayRef>> {
        let present: Vec<bool> = (0..groups).map(|group| self.0.has(group)).collect();
        Ok(vec![self.0.values(groups)?, Arc::new(BooleanArray::from(present))])
    }

    fn merge(&mut self, states: &[ArrayRef], groups: &[usize]) -> Result<()> {
        let present = states[1].as_boolean();
        if present.true_count() == groups.len() {
            return self.0.offer(&states[0], groups, &mut |_, _| {});
        }
        let (values, groups) = super::groups::selected(&states[..1], groups, present)?;
        if groups.is_empty() { Ok(()) } else { self.0.offer(&values[0], &groups, &mut |_, _| {}) }
    }

    fn finish(&mut self, groups: usize) -> Result<ArrayRef> {
        self.0.values(groups)
    }

    fn drop_first(&mut self, groups: usize) {
        self.0.drop_first(groups);
    }

    fn bytes(&self) -> usize {
        self.0.bytes()
    }
}

trait Direction: Send + Sync + 'static {
    fn better<N: PartialOrd>(new: &N, old: &N) -> bool;
}

struct Largest;
struct Smallest;

impl Direction for Largest {
    #[inline(always)]
    fn better<N: PartialOrd>(new: &N, old: &N) -> bool {
        new > old
    }
}

impl Direction for Smallest {
    #[inline(always)]
    fn better<N: PartialOrd>(new: &N, old: &N) -> bool {
        new < old
    }
}

/// Whether a value takes the place of the best one so far. NaN gives way to any number.
#[inline(always)]
#[expect(clippy::eq_op, reason = "only NaN differs from itself")]
fn wins<N: PartialOrd, D: Direction>(new: &N, old: &N) -> bool {
    D::better(new, old) || (*old != *old && *new == *new)
}

struct BestNumber<N, D> {
    values: Vec<N>,
    present: Vec<bool>,
    carrier: DataType,
    zero: N,
    direction: PhantomData<fn(D)>,
}

impl<N: ArrowNativeType, D: Direction> BestNumber<N, D> {
    fn new(carrier: DataType, zero: N) -> Self {
        BestNumber { values: Vec::new(), present: Vec::new(), carrier, zero, direction: PhantomData }
    }
}

impl<N: ArrowNativeType, D: Direction> Best for BestNumber<N, D> {
    fn resize(&mut self, groups: usize) {
        self.values.resize(groups, self.zero);
        self.present.resize(groups, false);
    }

    fn offer(&mut self, values: &ArrayRef, groups: &[usize], won: &mut dyn FnMut(usize, usize)) -> Result<()> {
        for (row, (value, group)) in natives::<N>(values)?.iter().zip(groups).enumerate() {
            if !self.present[*group] || wins::<N, D>(value, &self.values[*group]) {
                self.values[*group] = *value;
                self.present[*group] = true;
                won(*group, row);
            }
        }
        Ok(())
    }

    fn run(&mut self, values: &ArrayRef, groups: &[usize], fresh: &[bool]) -> Result<()> {
        let values = natives::<N>(values)?;
        let mut best: Vec<Option<N>> =
            self.values.iter().zip(&self.present).map(|(value, present)| present.then_some(*value)).collect();
        run_through(&mut best, None, groups, fresh, |best, row| match best {
            Some(best) if !wins::<N, D>(&values[row], &best) => Some(best),
            _ => Some(values[row]),
        });
        for (group, best) in best.into_iter().enumerate() {
            self.present[group] = best.is_some();
            self.values[group] = best.unwrap_or(self.zero);
        }
        Ok(())
    }

    fn runs(&self) -> bool {
        true
    }

    fn has(&self, group: usize) -> bool {
        self.present[group]
    }

    fn values(&self, groups: usize) -> Result<ArrayRef> {
        column(self.values[..groups].to_vec(), &self.carrier)
    }

    fn drop_first(&mut self, groups: usize) {
        self.values.drain(..groups);
        self.present.drain(..groups);
    }

    fn bytes(&self) -> usize {
        self.values.capacity() * size_of::<N>() + self.present.capacity()
    }
}

/// The best of UInt256, kept in the order of its carrier.
struct BestTurned(Box<dyn Best>);

impl Best for BestTurned {
    fn resize(&mut self, groups: usize) {
        self.0.resize(groups);
    }

    fn offer(&mut self, values: &ArrayRef, groups: &[usize], won: &mut dyn FnMut(usize, usize)) -> Result<()> {
        self.0.offer(&turned(values, &SqlType::UInt256)?, groups, won)
    }

    fn has(&self, group: usize) -> bool {
        self.0.has(group)
    }

    fn values(&self, groups: usize) -> Result<ArrayRef> {
        turned(&self.0.values(groups)?, &SqlType::UInt256)
    }

    fn drop_first(&mut self, groups: usize) {
        self.0.drop_first(groups);
    }

    fn bytes(&self) -> usize {
        self.0.bytes()
    }
}

struct BestBytes {
    largest: bool,
    values: Vec<Option<Vec<u8>>>,
    bytes: usize,
}

/// Puts `new` in place of `old` where it is better.
fn replace(old: &mut Option<Vec<u8>>, new: &[u8], largest: bool, bytes: &mut usize) -> bool {
    match old {
        Some(old) if largest && new <= old.as_slice() || !largest && new >= old.as_slice() => false,
        Some(old) => {
            let before = old.capacity();
            old.clear();
            old.extend_from_slice(new);
            *bytes += old.capacity() - before;
            true
        }
        None => {
            *old = Some(new.to_vec());
            *bytes += new.len();
            true
        }
    }
}

impl Best for BestBytes {
    fn resize(&mut self, groups: usize) {
        self.values.resize(groups, None);
    }

    fn offer(&mut self, values: &ArrayRef, groups: &[usize], won: &mut dyn FnMut(usize, usize)) -> Result<()> {
        let values = values.as_binary_view();
        for (row, group) in groups.iter().enumerate() {
            if replace(&mut self.values[*group], values.value(row), self.largest, &mut self.bytes) {
                won(*group, row);
            }
        }
        Ok(())
    }

    fn has(&self, group: usize) -> bool {
        self.values[group].is_some()
    }

    fn values(&self, groups: usize) -> Result<ArrayRef> {
        let mut builder = BytesBuilder::with_capacity(groups);
        for value in &self.values[..groups] {
            builder.append(value.as_deref().unwrap_or_default());
        }
        Ok(Arc::new(builder.finish(None)))
    }

    fn drop_first(&mut self, groups: usize) {
        let gone: usize = self.values.drain(..groups).flatten().map(|value| value.capacity()).sum();
        self.bytes = self.bytes.saturating_sub(gone);
    }

    fn bytes(&self) -> usize {
        self.bytes + self.values.capacity() * size_of::<Option<Vec<u8>>>()
    }
}

/// The same values, NaN with a sign: Arrow sorts that before every number.
fn nan_below(array: &ArrayRef) -> Result<ArrayRef> {
    match array.data_type() {
        DataType::Float32 => {
            let values = array.as_primitive::<Float32Type>();
            Ok(Arc::new(values.unary::<_, Float32Type>(|value| if value.is_nan() { -f32::NAN.abs() } else { value })))
        }
        DataType::Float64 => {
            let values = array.as_primitive::<Float64Type>();
            Ok(Arc::new(values.unary::<_, Float64Type>(|value| if value.is_nan() { -f64::NAN.abs() } else { value })))
        }
        DataType::List(_) | DataType::Struct(_) | DataType::Map(..) => {
            let data = array.to_data();
            let children = data.child_data().iter().map(|child| Ok(nan_below(&make_array(child.clone()))?.to_data()));
            let children = children.collect::<Result<Vec<_>>>()?;
            Ok(make_array(data.into_builder().child_data(children).build()?))
        }
        _ => Ok(array.clone()),
    }
}

struct BestRow {
    largest: bool,
    kind: SqlType,
    rows: Vec<Option<Vec<u8>>>,
    bytes: usize,
}

impl BestRow {
    fn converter(&self) -> Result<RowConverter> {
        let options = SortOptions { descending: false, nulls_first: self.largest };
        Ok(RowConverter::new(vec![SortField::new_with_options(self.kind.arrow(), options)])?)
    }
}

impl Best for BestRow {
    fn resize(&mut self, groups: usize) {
        self.rows.resize(groups, None);
    }

    fn offer(&mut self, values: &ArrayRef, groups: &[usize], won: &mut dyn FnMut(usize, usize)) -> Result<()> {
        let values = if self.largest { nan_below(values)? } else { values.clone() };
        let rows: Rows = self.converter()?.convert_columns(&[values])?;
        for (row, group) in groups.iter().enumerate() {
            if replace(&mut self.rows[*group], rows.row(row).as_ref(), self.largest, &mut self.bytes) {
                won(*group, row);
            }
        }
        Ok(())
    }

    fn has(&self, group: usize) -> bool {
        self.rows[group].is_some()
    }

    fn values(&self, groups: usize) -> Result<ArrayRef> {
        let converter = self.converter()?;
        let default = default_scalar(&self.kind).to_array()?;
        let default = converter.convert_columns(&[default])?;
        let default = default.row(0);
        let parser = converter.parser();
        let rows = self.rows[..groups].iter().map(|row| match row {
            Some(row) => parser.parse(row),
            None => parser.parse(default.as_ref()),
        });
        if groups == 0 {
            return Ok(default_array(&self.kind, 0));
        }
        let array = converter.convert_rows(rows)?.swap_remove(0);
        crate::columns::retype(&array, &self.kind.arrow())
    }

    fn drop_first(&mut self, groups: usize) {
        let gone: usize = self.rows.drain(..groups).flatten().map(|row| row.capacity()).sum();
        self.bytes = self.bytes.saturating_sub(gone);
    }

    fn bytes(&self) -> usize {
        self.bytes + self.rows.capacity() * size_of::<Option<Vec<u8>>>()
    }
}
