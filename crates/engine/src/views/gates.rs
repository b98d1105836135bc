//! The moment in which a view begins: CREATE MATERIALIZED VIEW … POPULATE takes the rows that are there, and every INSERT
//! from then on. An INSERT passes the gate of each table that it writes, from before it looks for views until its end;
//! POPULATE closes the gate of the source while it pins its snapshot and the view enters the catalog. So each row comes to
//! the view once, by one way or the other.
//!
//! A statement passes the gate of a table once, however many ways lead to it: to pass again behind somebody who waits to
//! close it would be to wait for oneself. Gates are taken from sources to targets, and that order has no circle.

use std::collections::HashMap;
use std::sync::{Arc, Weak};

use parking_lot::Mutex;
use tokio::sync::{OwnedRwLockReadGuard, OwnedRwLockWriteGuard, RwLock};
use uuid::Uuid;

pub type Passed = OwnedRwLockReadGuard<()>;

#[derive(Debug, Default)]
pub struct Gates {
    tables: Mutex<HashMap<Uuid, Weak<RwLock<()>>>>,
}

impl Gates {
    /// Waits while the gate is closed.
    pub async fn pass(&self, table: Uuid) -> Passed {
        self.gate(table).read_owned().await
    }

    /// Waits for the INSERTs that are under way.
    pub async fn close(&self, table: Uuid) -> OwnedRwLockWriteGuard<()> {
        self.gate(table).write_owned().await
    }

    fn gate(&self, table: Uuid) -> Arc<RwLock<()>> {
        let mut tables = self.tables.lock();
        if let Some(gate) = tables.get(&table).and_then(Weak::upgrade) {
            return gate;
        }
        tables.retain(|_, gate| gate.strong_count() > 0);
        let gate = Arc::new(RwLock::new(()));
        tables.insert(table, Arc::downgrade(&gate));
        gate
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;

    use super::*;

    #[tokio::test]
    async fn a_closed_gate_waits_for_who_is_inside_and_others_wait_for_it() {
        let gates = Gates::default();
        let (one, other) = (Uuid::from_u128(1), Uuid::from_u128(2));
        let (first, second) = (gates.pass(one).await, gates.pass(one).await);
        let mut closing = Box::pin(gates.close(one));
        assert!(closing.as_mut().now_or_never().is_none());
        drop((first, second));
        let closed = closing.await;
        assert!(gates.pass(one).now_or_never().is_none());
        assert!(gates.pass(other).now_or_never().is_some());
        drop(closed);
        assert!(gates.pass(one).now_or_never().is_some());
    }
}
