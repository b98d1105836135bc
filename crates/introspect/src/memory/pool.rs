//! DataFusion's view of a query's account.
//!
//! Operators that can spill share what there is: the last quarter of the limit is for those that have less than their even share of
//! it. Whoever came first would take all otherwise; the other stream of the same sort is refused what it needs to sort and write
//! down its own rows, which it cannot do without, and the query fails although all of it would fit on the disk. DataFusion's own
//! `FairSpillPool` never gives more than the share, and spills where memory is free.

use std::fmt::{self, Display};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use datafusion::error::{DataFusionError, Result};
use datafusion::execution::memory_pool::{MemoryConsumer, MemoryLimit, MemoryPool, MemoryReservation};
use gristmill_base::units;

use super::MemoryAccount;

#[derive(Debug)]
pub struct QueryMemoryPool {
    account: Arc<MemoryAccount>,
    /// Consumers that can spill.
    spilling: AtomicU64,
}

impl QueryMemoryPool {
    pub fn of(account: Arc<MemoryAccount>) -> QueryMemoryPool {
        QueryMemoryPool { account, spilling: AtomicU64::new(0) }
    }

    /// Whether somebody who can spill wants more than its share, of what is left for others.
    fn is_others(&self, reservation: &MemoryReservation, additional: u64) -> bool {
        let share = self.account.limit_bytes() / self.spilling.load(Relaxed).max(1);
        reservation.consumer().can_spill()
            && reservation.size() as u64 + additional > share
            && self.account.is_last_quarter(additional)
    }
}

impl Display for QueryMemoryPool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "query memory ({} used)", units::bytes_binary(self.account.used_bytes() as f64))
    }
}

impl MemoryPool for QueryMemoryPool {
    fn name(&self) -> &str {
        "query"
    }

    fn register(&self, consumer: &MemoryConsumer) {
        self.spilling.fetch_add(u64::from(consumer.can_spill()), Relaxed);
    }

    fn unregister(&self, consumer: &MemoryConsumer) {
        self.spilling.fetch_sub(u64::from(consumer.can_spill()), Relaxed);
    }

    fn grow(&self, _: &MemoryReservation, additional: usize) {
        self.account.grow(additional as u64);
    }

    fn shrink(&self, _: &MemoryReservation, shrink: usize) {
        self.account.shrink(shrink as u64);
    }

    fn try_grow(&self, reservation: &MemoryReservation, additional: usize) -> Result<()> {
        // ResourcesExhausted is what operators that can spill look for.
        if self.is_others(reservation, additional as u64) {
            let text = "What is left of the query's memory is for the others of its operators that can spill";
            return Err(DataFusionError::ResourcesExhausted(text.to_string()));
        }
        let grown = self.account.try_grow(additional as u64);
        grown.map_err(|error| DataFusionError::ResourcesExhausted(error.message()))
    }

    fn reserved(&self) -> usize {
        self.account.used_bytes() as usize
    }

    fn memory_limit(&self) -> MemoryLimit {
        match self.account.limit_bytes() {
            0 => MemoryLimit::Infinite,
            bytes => MemoryLimit::Finite(bytes as usize),
        }
    }
}

#[cfg(test)]
mod tests {
    use gristmill_base::allocations::Tally;

    use super::*;

    fn pool(limit: u64) -> Arc<dyn MemoryPool> {
        Arc::new(QueryMemoryPool::of(Arc::new(MemoryAccount {
            tally: Some(Arc::new(Tally::new())),
            ..MemoryAccount::new(limit)
        })))
    }

    #[test]
    fn the_last_quarter_is_for_those_who_have_less_than_their_share() {
        let pool = pool(100);
        let sort = |name: &str| MemoryConsumer::new(name).with_can_spill(true).register(&pool);
        let (first, second) = (sort("first"), sort("second"));
        first.try_grow(70).expect("nobody else wants it");
        first.try_grow(10).expect_err("that is for the other");
        second.try_grow(30).expect("it has less than half");
        first.shrink(40);
        drop(second);
        first.try_grow(70).expect("it is alone");
    }

    #[test]
    fn what_cannot_spill_takes_what_there_is() {
        let pool = pool(100);
        let (_sort, join) =
            (MemoryConsumer::new("s").with_can_spill(true).register(&pool), MemoryConsumer::new("j").register(&pool));
        join.try_grow(100).expect("all of it");
        join.try_grow(1).expect_err("there is no more");
    }
}
