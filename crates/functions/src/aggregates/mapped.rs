//! `sumMap(keys, values, …)`, `minMap`, `maxMap` over arrays of keys and arrays of values: one result for each key, in the
//! order of the keys. `sumMap` leaves out keys whose sums are all zero. `sumMapWithOverflow` sums in the type of the values;
//! `sumMapFiltered` and `sumMapFilteredWithOverflow` know no keys but those of their parameter. Values that are NULL add nothing
//! to their key.
//!
//! Each (group, key) is a group of the plain function; one for each array of values.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, BinaryBuilder, BooleanArray, ListArray, StructArray, UInt64Array};
use arrow::buffer::OffsetBuffer;
use arrow::compute::{CastOptions, cast_with_options, filter, is_not_null, take};
use arrow::datatypes::{DataType, Field};
use arrow::row::{RowConverter, SortField};
use datafusion::common::ScalarValue;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::SqlType;

use super::combinators::array::flatten;
use super::groups::{Groups, selected};
use super::{Call, NullRule, Plan, family};
use crate::columns::retype;
use crate::registry::Registry;

type Inner = fn(&Call<'_>) -> Result<Plan>;

pub fn register(registry: &mut Registry) {
    for (name, inner, zeroes) in [
        ("sumMappedArrays", super::sums::plain as Inner, false),
        ("minMappedArrays", (|call| super::extremes::extreme(call, false)) as Inner, true),
        ("maxMappedArrays", (|call| super::extremes::extreme(call, true)) as Inner, true),
    ] {
        registry.aggregate(name, family(NullRule::Default, move |call| plan(call, inner, zeroes, false)));
    }
    for (name, inner, filtered) in [
        ("sumMapWithOverflow", super::sums::with_overflow as Inner, false),
        ("sumMapFiltered", super::sums::plain as Inner, true),
        ("sumMapFilteredWithOverflow", super::sums::with_overflow as Inner, true),
    ] {
        registry.aggregate(name, family(NullRule::Default, move |call| plan(call, inner, false, filtered)));
    }
}

/// The keys that the parameter lets pass, as comparable rows.
fn wanted(call: &Call<'_>, key: &SqlType) -> Result<HashSet<Box<[u8]>>> {
    let [parameter] = call.parameters else {
        let text = format!("Aggregate function '{}' requires exactly one parameter of Array type", call.name);
        return Err(Error::new(ErrorCode::NUMBER_OF_ARGUMENTS_DOESNT_MATCH, text));
    };
    let ScalarValue::List(list) = parameter else {
        let text = format!("Aggregate function {} requires an Array as a parameter, got {parameter}", call.name);
        return Err(Error::new(ErrorCode::ILLEGAL_TYPE_OF_ARGUMENT, text));
    };
    let values = list.values().slice(list.offsets()[0] as usize, list.value_length(0) as usize);
    // A key that the type of the keys does not have never comes.
    let safe = CastOptions { safe: true, ..CastOptions::default() };
    let values = cast_with_options(&values, &key.arrow(), &safe)?;
    let values = filter(&values, &is_not_null(&values)?)?;
    let rows = RowConverter::new(vec![SortField::new(key.arrow())])?.convert_columns(&[values])?;
    Ok(rows.iter().map(|row| row.data().into()).collect())
}

fn plan(call: &Call<'_>, inner: Inner, zeroes: bool, filtered: bool) -> Result<Plan> {
    // The arrays may come as one tuple.
    let tuple = matches!(call.kinds.as_slice(), [SqlType::Tuple(_)]);
    let arrays: Vec<SqlType> = match call.kinds.as_slice() {
        [SqlType::Tuple(fields)] => fields.iter().map(|(_, kind)| kind.clone()).collect(),
        kinds => kinds.to_vec(),
    };
    if arrays.len() < 2 {
        return Err(call.illegal(0, "Map, or arrays of keys and of values"));
    }
    let mut elements = Vec::new();
    for (i, kind) in arrays.iter().enumerate() {
        match kind {
            SqlType::Array(element) => elements.push(element.storage().clone()),
            _ => return Err(call.illegal(if tuple { 0 } else { i }, "an array")),
        }
    }
    let key = elements.remove(0);
    let plans = elements
        .iter()
        .map(|kind| {
            let kinds = vec![kind.plain().clone()];
            inner(&Call { name: call.name, parameters: &[], kinds, constants: vec![None] })
        })
        .collect::<Result<Vec<_>>>()?;
    let mut fields = vec![(None, SqlType::array(key.clone()))];
    fields.extend(plans.iter().map(|plan| (None, SqlType::array(plan.result.clone()))));
    let result = SqlType::Tuple(fields);
    let mut arguments = vec![SqlType::array(key.clone())];
    arguments.extend(plans.iter().zip(&elements).map(|(plan, kind)| {
        let value = plan.arguments[0].clone();
        SqlType::array(if kind.is_nullable() { value.nullable() } else { value })
    }));
    let arguments =
        if tuple { vec![SqlType::Tuple(arguments.into_iter().map(|kind| (None, kind)).collect())] } else { arguments };
    let mut state = vec![list_of(DataType::Binary)];
    state.extend(plans.iter().map(|plan| list_of(saved_type(&plan.state))));
    let (carrier, plans) = (result.arrow(), Arc::new(plans));
    RowConverter::new(vec![SortField::new(key.arrow())])?;
    let only = if filtered { Some(Arc::new(wanted(call, &key)?)) } else { None };
    Ok(Plan::new(result, arguments, state, move || Mapped {
        key: key.clone(),
        inners: plans.iter().map(|plan| (plan.make)()).collect(),
        plans: plans.clone(),
        zeroes,
        only: only.clone(),
        result: carrier.clone(),
        members: Vec::new(),
        total: 0,
        bytes: 0,
    }))
}

fn list_of(item: DataType) -> DataType {
    DataType::List(Arc::new(Field::new("item", item, true)))
}

/// A state of the plain function as one struct.
fn saved_type(state: &[DataType]) -> DataType {
    DataType::Struct(state.iter().enumerate().map(|(i, kind)| Field::new(i.to_string(), kind.clone(), true)).collect())
}

struct Mapped {
    key: SqlType,
    inners: Vec<Box<dyn Groups>>,
    plans: Arc<Vec<Plan>>,
    /// Keys of zeroes stay.
    zeroes: bool,
    /// Other keys are left out.
    only: Option<Arc<HashSet<Box<[u8]>>>>,
    result: DataType,
    /// Keys of each group (as comparable rows) and the inner group of each.
    members: Vec<BTreeMap<Box<[u8]>, usize>>,
    total: usize,
    bytes: usize,
}

const ENTRY_BYTES: usize = 48;

impl Mapped {
    fn member(&mut self, group: usize, key: &[u8]) -> usize {
        if let Some(known) = self.members[group].get(key) {
            return *known;
        }
        self.members[group].insert(key.into(), self.total);
        self.total += 1;
        self.bytes += key.len() + ENTRY_BYTES;
        self.total - 1
    }

    fn converter(&self) -> Result<RowConverter> {
        Ok(RowConverter::new(vec![SortField::new(self.key.arrow())])?)
    }
}

impl Groups for Mapped {
    fn resize(&mut self, groups: usize) {
        self.members.resize_with(groups, BTreeMap::new);
    }

    fn update(&mut self, args: &[ArrayRef], groups: &[usize]) -> Result<()> {
        let columns = match args {
            [tuple] if matches!(tuple.data_type(), DataType::Struct(_)) => tuple.as_struct().columns().to_vec(),
            _ => args.to_vec(),
        };
        let mut flat = flatten(&columns).map_err(|error| Error::new(ErrorCode::BAD_ARGUMENTS, error.message()))?;
        let Some(keys) = flat.columns.first() else { return Ok(()) };
        let mut keys = self.converter()?.convert_columns(std::slice::from_ref(keys))?;
        if let Some(only) = &self.only {
            let keep = BooleanArray::from(keys.iter().map(|key| only.contains(key.as_ref())).collect::<Vec<_>>());
            flat.rows = flat.rows.iter().zip(keep.values()).filter(|(_, keep)| *keep).map(|(row, _)| *row).collect();
            for column in &mut flat.columns {
                *column = filter(column, &keep)?;
            }
            keys = self.converter()?.convert_columns(std::slice::from_ref(&flat.columns[0]))?;
        }
        let values = &flat.columns[1..];
        let inner: Vec<usize> =
            (flat.rows.iter().enumerate()).map(|(i, row)| self.member(groups[*row], keys.row(i).as_ref())).collect();
        for (function, values) in self.inners.iter_mut().zip(values) {
            function.resize(self.total);
            let values = std::slice::from_ref(values);
            if values[0].null_count() > 0 {
                let (values, inner) = selected(values, &inner, &is_not_null(&values[0])?)?;
                function.update(&values, &inner)?;
            } else if !inner.is_empty() {
                function.update(values, &inner)?;
            }
        }
        Ok(())
    }

    fn save(&mut self, groups: usize) -> Result<Vec<ArrayRef>> {
        let members = &self.members[..groups];
        let order: UInt64Array = members.iter().flat_map(|keys| keys.values().map(|inner| *inner as u64)).collect();
        let offsets = OffsetBuffer::<i32>::from_lengths(members.iter().map(|keys| keys.len()));
        let list = |values: ArrayRef| -> Result<ArrayRef> {
            let item = Arc::new(Field::new("item", values.data_type().clone(), true));
            Ok(Arc::new(ListArray::try_new(item, offsets.clone(), values, None)?))
        };
        let mut keys = BinaryBuilder::new();
        members.iter().flat_map(|keys| keys.keys()).for_each(|key| keys.append_value(key));
        let mut states = vec![list(Arc::new(keys.finish()))?];
        for (function, plan) in self.inners.iter_mut().zip(self.plans.iter()) {
            function.resize(self.total);
            let columns = function.save(self.total)?;
            let columns = columns.iter().map(|column| Ok(take(column, &order, None)?)).collect::<Result<Vec<_>>>()?;
            let DataType::Struct(fields) = saved_type(&plan.state) else {
                return Err(Error::logical("A saved state is a struct"));
            };
            states.push(list(Arc::new(StructArray::try_new_with_length(fields, columns, None, order.len())?))?);
        }
        Ok(states)
    }

    fn merge(&mut self, states: &[ArrayRef], groups: &[usize]) -> Result<()> {
        for (row, group) in groups.iter().enumerate() {
            let keys = states[0].as_list::<i32>().value(row);
            if keys.is_empty() {
                continue;
            }
            let inner: Vec<usize> =
                keys.as_binary::<i32>().iter().map(|key| self.member(*group, key.unwrap_or_default())).collect();
            for (function, saved) in self.inners.iter_mut().zip(&states[1..]) {
                function.resize(self.total);
                function.merge(saved.as_list::<i32>().value(row).as_struct().columns(), &inner)?;
            }
        }
        Ok(())
    }

    fn finish(&mut self, groups: usize) -> Result<ArrayRef> {
        let mut results = Vec::with_capacity(self.inners.len());
        for function in &mut self.inners {
            function.resize(self.total);
            results.push(function.finish(self.total)?);
        }
        let mut keep = vec![self.zeroes; self.total];
        if !self.zeroes {
            for (values, plan) in results.iter().zip(self.plans.iter()) {
                let zero = ScalarValue::new_default(&plan.result.arrow())?;
                let nonzero = arrow::compute::kernels::cmp::neq(values, &zero.to_scalar()?)?;
                keep.iter_mut().zip(nonzero.values().iter()).for_each(|(keep, nonzero)| *keep |= nonzero);
            }
        }
        let converter = self.converter()?;
        let parser = converter.parser();
        let (mut rows, mut order, mut lengths) = (Vec::new(), Vec::new(), Vec::with_capacity(groups));
        for keys in &self.members[..groups] {
            let before = order.len();
            for (key, inner) in keys.iter().filter(|(_, inner)| keep[**inner]) {
                rows.push(parser.parse(key));
                order.push(*inner as u64);
            }
            lengths.push(order.len() - before);
        }
        let order = UInt64Array::from(order);
        let mut columns = vec![if rows.is_empty() {
            arrow::array::new_empty_array(&self.key.arrow())
        } else {
            converter.convert_rows(rows)?.swap_remove(0)
        }];
        for values in &results {
            columns.push(take(values, &order, None)?);
        }
        let DataType::Struct(fields) = &self.result else { return Err(Error::logical("sumMap gives a tuple")) };
        let lists = columns
            .into_iter()
            .zip(fields)
            .map(|(values, field)| retype(&crate::columns::list(values, &lengths)?, field.data_type()));
        let lists = lists.collect::<Result<Vec<_>>>()?;
        Ok(Arc::new(StructArray::try_new_with_length(fields.clone(), lists, None, groups)?))
    }

    fn drop_first(&mut self, groups: usize) {
        // The inner states of groups that are gone stay until the last group is.
        self.members.drain(..groups);
        if self.members.is_empty() {
            self.inners = self.plans.iter().map(|plan| (plan.make)()).collect();
            (self.total, self.bytes) = (0, 0);
        }
    }

    fn bytes(&self) -> usize {
        self.bytes + self.inners.iter().map(|inner| inner.bytes()).sum::<usize>()
    }
}
