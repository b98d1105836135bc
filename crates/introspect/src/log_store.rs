//! A log kept in memory, bounded by rows: the oldest entries leave first.

use std::collections::VecDeque;
use std::sync::Arc;

use parking_lot::{Mutex, RwLock};

#[derive(Debug)]
pub struct LogStore<T> {
    rows: RwLock<VecDeque<Arc<T>>>,
    /// Come with the next `release`.
    held: Mutex<Vec<T>>,
    capacity_rows: usize,
}

impl<T> LogStore<T> {
    pub fn new(capacity_rows: usize) -> Self {
        LogStore { rows: RwLock::new(VecDeque::new()), held: Mutex::default(), capacity_rows }
    }

    pub fn push(&self, row: T) {
        let mut rows = self.rows.write();
        if rows.len() >= self.capacity_rows {
            rows.pop_front();
        }
        rows.push_back(Arc::new(row));
    }

    /// Keeps an entry back.
    pub fn hold(&self, row: T) {
        self.held.lock().push(row);
    }

    /// Adds what was kept back.
    pub fn release(&self) {
        let held = std::mem::take(&mut *self.held.lock());
        held.into_iter().for_each(|row| self.push(row));
    }

    pub fn snapshot(&self) -> Vec<Arc<T>> {
        self.rows.read().iter().cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_held_back_comes_with_the_next_release() {
        let log = LogStore::new(2);
        log.push(1);
        log.hold(2);
        assert_eq!(log.snapshot(), [Arc::new(1)]);
        log.release();
        log.push(3);
        assert_eq!(log.snapshot(), [Arc::new(2), Arc::new(3)]);
    }
}
