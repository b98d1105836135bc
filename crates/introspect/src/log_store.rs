//! A log kept in memory, bounded by rows: the oldest entries leave first.

use std::collections::VecDeque;
use std::sync::Arc;

use parking_lot::RwLock;

#[derive(Debug)]
pub struct LogStore<T> {
    rows: RwLock<VecDeque<Arc<T>>>,
    capacity_rows: usize,
}

impl<T> LogStore<T> {
    pub fn new(capacity_rows: usize) -> Self {
        LogStore { rows: RwLock::new(VecDeque::new()), capacity_rows }
    }

    pub fn push(&self, row: T) {
        let mut rows = self.rows.write();
        if rows.len() >= self.capacity_rows {
            rows.pop_front();
        }
        rows.push_back(Arc::new(row));
    }

    pub fn snapshot(&self) -> Vec<Arc<T>> {
        self.rows.read().iter().cloned().collect()
    }
}
