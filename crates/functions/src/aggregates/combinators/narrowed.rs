//! A function that sees other rows than it is given: those that pass a condition, or the elements of arrays.

use arrow::array::ArrayRef;
use gristmill_base::Result;

use crate::aggregates::groups::Groups;

/// The rows for the inner function: its arguments, and the group of each row.
pub type Rows = fn(&[ArrayRef], &[usize]) -> Result<(Vec<ArrayRef>, Vec<usize>)>;

/// States are the inner function's own.
pub struct Narrowed {
    pub inner: Box<dyn Groups>,
    pub rows: Rows,
}

impl Groups for Narrowed {
    fn resize(&mut self, groups: usize) {
        self.inner.resize(groups);
    }

    fn update(&mut self, args: &[ArrayRef], groups: &[usize]) -> Result<()> {
        let (args, groups) = (self.rows)(args, groups)?;
        if groups.is_empty() { Ok(()) } else { self.inner.update(&args, &groups) }
    }

    fn run(&mut self, args: &[ArrayRef], groups: &[usize], fresh: &[bool]) -> Result<()> {
        let (args, groups) = (self.rows)(args, groups)?;
        self.inner.run(&args, &groups, fresh)
    }

    fn runs(&self) -> bool {
        self.inner.runs()
    }

    fn retract(&mut self, args: &[ArrayRef], groups: &[usize]) -> Result<()> {
        let (args, groups) = (self.rows)(args, groups)?;
        self.inner.retract(&args, &groups)
    }

    fn retracts(&self) -> bool {
        self.inner.retracts()
    }

    fn save(&mut self, groups: usize) -> Result<Vec<ArrayRef>> {
        self.inner.save(groups)
    }

    fn merge(&mut self, states: &[ArrayRef], groups: &[usize]) -> Result<()> {
        self.inner.merge(states, groups)
    }

    fn finish(&mut self, groups: usize) -> Result<ArrayRef> {
        self.inner.finish(groups)
    }

    fn drop_first(&mut self, groups: usize) {
        self.inner.drop_first(groups);
    }

    fn bytes(&self) -> usize {
        self.inner.bytes()
    }
}
