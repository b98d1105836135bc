//! Functions whose result is the value of one of the rows: `any`, `anyLast`, `argMin`, `argMax`, `singleValueOrNull`.

use std::sync::Arc;

use arrow::array::{ArrayRef, AsArray, BooleanArray, StructArray, make_comparator};
use arrow::compute::SortOptions;
use arrow::datatypes::DataType;
use gristmill_base::Result;
use gristmill_types::SqlType;

use super::extremes::{Best, best};
use super::groups::{Groups, selected};
use super::kept::Kept;
use super::nulls::masked;
use super::{Call, NullRule, Plan, family};
use crate::registry::Registry;

pub fn register(registry: &mut Registry) {
    for (name, last, rule) in [
        ("any", false, NullRule::Nullable),
        ("anyLast", true, NullRule::Nullable),
        ("any_respect_nulls", false, NullRule::Own),
        ("anyLast_respect_nulls", true, NullRule::Own),
    ] {
        registry.aggregate(name, family(rule, move |call| any(call, last)));
    }
    for (alias, name) in [
        ("any_value", "any"),
        ("first_value", "any"),
        ("last_value", "anyLast"),
        ("anyRespectNulls", "any_respect_nulls"),
        ("anyValueRespectNulls", "any_respect_nulls"),
        ("any_value_respect_nulls", "any_respect_nulls"),
        ("firstValueRespectNulls", "any_respect_nulls"),
        ("first_value_respect_nulls", "any_respect_nulls"),
        ("anyLastRespectNulls", "anyLast_respect_nulls"),
        ("lastValueRespectNulls", "anyLast_respect_nulls"),
        ("last_value_respect_nulls", "anyLast_respect_nulls"),
        ("min_by", "argMin"),
        ("max_by", "argMax"),
    ] {
        registry.alias(alias, name);
        if !alias.ends_with("RespectNulls") {
            registry.any_case(alias);
        }
    }
    for (name, largest, both) in
        [("argMin", false, false), ("argMax", true, false), ("argAndMin", false, true), ("argAndMax", true, true)]
    {
        registry.aggregate(name, family(NullRule::Nullable, move |call| arg_best(call, largest, both)));
    }
    registry.aggregate("singleValueOrNull", family(NullRule::Default, single_value));
}

fn any(call: &Call<'_>, last: bool) -> Result<Plan> {
    call.arity(1..=1)?;
    let kind = call.kinds[0].clone();
    let state = vec![kind.arrow(), DataType::Boolean];
    Ok(Plan::new(kind.clone(), vec![kind.clone()], state, move || Any { kept: Kept::new(vec![kind.clone()]), last }))
}

struct Any {
    kept: Kept,
    last: bool,
}

impl Groups for Any {
    fn resize(&mut self, groups: usize) {
        self.kept.resize(groups);
    }

    fn update(&mut self, args: &[ArrayRef], groups: &[usize]) -> Result<()> {
        for (row, group) in groups.iter().enumerate() {
            if self.last || !self.kept.has(*group) {
                self.kept.pick(*group, row);
            }
        }
        self.kept.commit(&args[..1])
    }

    fn save(&mut self, groups: usize) -> Result<Vec<ArrayRef>> {
        let mut states = self.kept.columns(groups)?;
        states.push(Arc::new(self.kept.present(groups)));
        Ok(states)
    }

    fn merge(&mut self, states: &[ArrayRef], groups: &[usize]) -> Result<()> {
        let (values, groups) = selected(&states[..1], groups, states[1].as_boolean())?;
        self.update(&values, &groups)
    }

    fn finish(&mut self, groups: usize) -> Result<ArrayRef> {
        Ok(self.kept.columns(groups)?.swap_remove(0))
    }

    fn drop_first(&mut self, groups: usize) {
        self.kept.drop_first(groups);
    }

    fn bytes(&self) -> usize {
        self.kept.bytes()
    }
}

fn arg_best(call: &Call<'_>, largest: bool, both: bool) -> Result<Plan> {
    call.arity(2..=2)?;
    let (kind, order) = (call.kinds[0].clone(), call.kinds[1].clone());
    if matches!(order, SqlType::AggregateFunction(..)) {
        return Err(call.illegal(1, "a type whose values can be compared"));
    }
    let make = best(&order, largest)?;
    let result = if both { SqlType::Tuple(vec![(None, kind.clone()), (None, order.clone())]) } else { kind.clone() };
    let pair = both.then(|| result.arrow());
    let state = vec![kind.arrow(), order.arrow(), DataType::Boolean];
    Ok(Plan::new(result, vec![kind.clone(), order], state, move || ArgBest {
        kept: Kept::new(vec![kind.clone()]),
        best: make(),
        pair: pair.clone(),
    }))
}

struct ArgBest {
    kept: Kept,
    best: Box<dyn Best>,
    /// The result's type where it has the best value beside the row's.
    pair: Option<DataType>,
}

impl Groups for ArgBest {
    fn resize(&mut self, groups: usize) {
        self.kept.resize(groups);
        self.best.resize(groups);
    }

    fn update(&mut self, args: &[ArrayRef], groups: &[usize]) -> Result<()> {
        let kept = &mut self.kept;
        self.best.offer(&args[1], groups, &mut |group, row| kept.pick(group, row))?;
        self.kept.commit(&args[..1])
    }

    fn save(&mut self, groups: usize) -> Result<Vec<ArrayRef>> {
        let mut states = self.kept.columns(groups)?;
        states.push(self.best.values(groups)?);
        states.push(Arc::new(self.kept.present(groups)));
        Ok(states)
    }

    fn merge(&mut self, states: &[ArrayRef], groups: &[usize]) -> Result<()> {
        let (values, groups) = selected(&states[..2], groups, states[2].as_boolean())?;
        self.update(&values, &groups)
    }

    fn finish(&mut self, groups: usize) -> Result<ArrayRef> {
        let value = self.kept.columns(groups)?.swap_remove(0);
        match &self.pair {
            Some(DataType::Struct(fields)) => {
                Ok(Arc::new(StructArray::try_new(fields.clone(), vec![value, self.best.values(groups)?], None)?))
            }
            _ => Ok(value),
        }
    }

    fn drop_first(&mut self, groups: usize) {
        self.kept.drop_first(groups);
        self.best.drop_first(groups);
    }

    fn bytes(&self) -> usize {
        self.kept.bytes() + self.best.bytes()
    }
}

fn single_value(call: &Call<'_>) -> Result<Plan> {
    call.arity(1..=1)?;
    let kind = call.kinds[0].clone();
    let (least, greatest) = (best(&kind, false)?, best(&kind, true)?);
    let state = vec![kind.arrow(), kind.arrow(), DataType::Boolean];
    let make = move || SingleValue { least: least(), greatest: greatest() };
    Ok(Plan::new(kind.clone().nullable(), vec![kind], state, make))
}

/// The value that all rows have, which is the least and the greatest; NULL where there are no rows or several values.
struct SingleValue {
    least: Box<dyn Best>,
    greatest: Box<dyn Best>,
}

impl SingleValue {
    fn offer(&mut self, least: &ArrayRef, greatest: &ArrayRef, groups: &[usize]) -> Result<()> {
        self.least.offer(least, groups, &mut |_, _| {})?;
        self.greatest.offer(greatest, groups, &mut |_, _| {})
    }
}

impl Groups for SingleValue {
    fn resize(&mut self, groups: usize) {
        self.least.resize(groups);
        self.greatest.resize(groups);
    }

    fn update(&mut self, args: &[ArrayRef], groups: &[usize]) -> Result<()> {
        self.offer(&args[0], &args[0], groups)
    }

    fn save(&mut self, groups: usize) -> Result<Vec<ArrayRef>> {
        let present: BooleanArray = (0..groups).map(|group| Some(self.least.has(group))).collect();
        Ok(vec![self.least.values(groups)?, self.greatest.values(groups)?, Arc::new(present)])
    }

    fn merge(&mut self, states: &[ArrayRef], groups: &[usize]) -> Result<()> {
        let (values, groups) = selected(&states[..2], groups, states[2].as_boolean())?;
        self.offer(&values[0], &values[1], &groups)
    }

    fn finish(&mut self, groups: usize) -> Result<ArrayRef> {
        let (least, greatest) = (self.least.values(groups)?, self.greatest.values(groups)?);
        let compare = make_comparator(&least, &greatest, SortOptions::default())?;
        let is_single = |group: usize| self.least.has(group) && compare(group, group).is_eq();
        let single: BooleanArray = (0..groups).map(|group| Some(is_single(group))).collect();
        masked(&least, single.values().clone())
    }

    fn drop_first(&mut self, groups: usize) {
        self.least.drop_first(groups);
        self.greatest.drop_first(groups);
    }

    fn bytes(&self) -> usize {
        self.least.bytes() + self.greatest.bytes()
    }
}
