//! Functions whose state is a fixed number of floats: what a row adds to them, how two states are joined, and what results
//! are made of them are functions that the callers give. All arguments come as Float64.

use std::sync::Arc;

use arrow::array::{ArrayRef, Float64Array, StructArray};
use arrow::datatypes::DataType;
use gristmill_base::{Error, Result};
use gristmill_types::SqlType;

use super::Plan;
use super::groups::Groups;
use super::natives::natives;
use crate::columns::{list, retype};

pub type Add = Arc<dyn Fn(&mut [f64], &[f64]) + Send + Sync>;
/// Appends the results of a state.
pub type Finish = Arc<dyn Fn(&[f64], &mut Vec<f64>) + Send + Sync>;

#[derive(Clone)]
pub struct Spec {
    /// Floats of a state. Never 0.
    pub width: usize,
    pub add: Add,
    pub merge: fn(&mut [f64], &[f64]),
    pub finish: Finish,
    pub shape: Shape,
}

/// How the results of a state are put together.
#[derive(Clone)]
pub enum Shape {
    Named(&'static [&'static str]),
    Array(usize),
    /// Rows of as many columns.
    Matrix(usize),
}

pub fn added(into: &mut [f64], from: &[f64]) {
    into.iter_mut().zip(from).for_each(|(into, from)| *into += from);
}

impl Shape {
    fn kind(&self) -> SqlType {
        match self {
            Shape::Named(names) => {
                SqlType::Tuple(names.iter().map(|name| (Some((*name).to_string()), SqlType::Float64)).collect())
            }
            Shape::Array(_) => SqlType::array(SqlType::Float64),
            Shape::Matrix(_) => SqlType::array(SqlType::array(SqlType::Float64)),
        }
    }

    fn size(&self) -> usize {
        match self {
            Shape::Named(names) => names.len(),
            Shape::Array(size) => *size,
            Shape::Matrix(side) => side * side,
        }
    }

    fn column(&self, values: Vec<f64>, groups: usize, carrier: &DataType) -> Result<ArrayRef> {
        let size = self.size();
        match (self, carrier) {
            (Shape::Named(_), DataType::Struct(fields)) => {
                let column = |i| Float64Array::from_iter_values(values.iter().skip(i).step_by(size).copied());
                let columns = (0..size).map(|i| Arc::new(column(i)) as ArrayRef).collect();
                Ok(Arc::new(StructArray::try_new_with_length(fields.clone(), columns, None, groups)?))
            }
            (Shape::Named(_), other) => Err(Error::logical(format!("Named floats are carried as {other}"))),
            (Shape::Array(_), _) => retype(&list(Arc::new(Float64Array::from(values)), &vec![size; groups])?, carrier),
            (Shape::Matrix(side), _) => {
                let rows = list(Arc::new(Float64Array::from(values)), &vec![*side; groups * side])?;
                retype(&list(rows, &vec![*side; groups])?, carrier)
            }
        }
    }
}

pub fn plan(arguments: usize, spec: Spec) -> Plan {
    let result = spec.shape.kind();
    let carrier = result.arrow();
    let state = vec![DataType::Float64; spec.width];
    Plan::new(result, vec![SqlType::Float64; arguments], state, move || FloatSums {
        states: Vec::new(),
        spec: spec.clone(),
        carrier: carrier.clone(),
    })
}

struct FloatSums {
    /// One after another.
    states: Vec<f64>,
    spec: Spec,
    carrier: DataType,
}

impl FloatSums {
    fn state(&mut self, group: usize) -> &mut [f64] {
        let width = self.spec.width;
        &mut self.states[group * width..(group + 1) * width]
    }
}

impl Groups for FloatSums {
    fn resize(&mut self, groups: usize) {
        self.states.resize(groups * self.spec.width, 0.0);
    }

    fn update(&mut self, args: &[ArrayRef], groups: &[usize]) -> Result<()> {
        let columns = args.iter().map(|array| natives::<f64>(array)).collect::<Result<Vec<_>>>()?;
        let mut values = vec![0.0; columns.len()];
        let add = self.spec.add.clone();
        for (row, group) in groups.iter().enumerate() {
            values.iter_mut().zip(&columns).for_each(|(value, column)| *value = column[row]);
            add(self.state(*group), &values);
        }
        Ok(())
    }

    fn save(&mut self, groups: usize) -> Result<Vec<ArrayRef>> {
        let width = self.spec.width;
        let column = |i: usize| (0..groups).map(|group| self.states[group * width + i]).collect::<Vec<f64>>();
        Ok((0..width).map(|i| Arc::new(Float64Array::from(column(i))) as ArrayRef).collect())
    }

    fn merge(&mut self, states: &[ArrayRef], groups: &[usize]) -> Result<()> {
        let columns = states.iter().map(|array| natives::<f64>(array)).collect::<Result<Vec<_>>>()?;
        let mut other = vec![0.0; columns.len()];
        let merge = self.spec.merge;
        for (row, group) in groups.iter().enumerate() {
            other.iter_mut().zip(&columns).for_each(|(value, column)| *value = column[row]);
            merge(self.state(*group), &other);
        }
        Ok(())
    }

    fn finish(&mut self, groups: usize) -> Result<ArrayRef> {
        let width = self.spec.width;
        let mut values = Vec::with_capacity(groups * self.spec.shape.size());
        for state in self.states[..groups * width].chunks_exact(width) {
            (self.spec.finish)(state, &mut values);
        }
        self.spec.shape.column(values, groups, &self.carrier)
    }

    fn drop_first(&mut self, groups: usize) {
        self.states.drain(..groups * self.spec.width);
    }

    fn bytes(&self) -> usize {
        self.states.capacity() * size_of::<f64>()
    }
}
