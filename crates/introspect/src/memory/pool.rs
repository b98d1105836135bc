//! DataFusion's view of a query's account.
//!
//! Operators that can spill share what there is. Whoever comes first would take all otherwise: while one stream of a sort writes
//! its rows down, which it has to merge for that, the other takes what it sets free, and it is refused what it needs to go on; the query
//! fails although all of it would fit on the disk. So from half of the limit on (three quarters, where there is only one) an
//! operator gets more only until it has half of its even share. The rest is for merging: beside the rows that takes their keys in a
//! form that is compared, which may be as large as they are. DataFusion's own `FairSpillPool` never gives more than the share,
//! and leaves nothing for merging.
//!
//! An exchange between streams is never refused. DataFusion's writes a batch to disk then, and where two of its writers do so at
//! a time, the one that reads may wait for the wrong file while all others wait for it, for ever
//! (<https://github.com/apache/datafusion/issues/24883>, in 55). It holds little: what is behind it reads while it can, and is refused itself.

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

    /// Whether it is an exchange's: a `RepartitionExec` names its consumers by itself and the stream.
    fn is_of_exchange(reservation: &MemoryReservation) -> bool {
        reservation.consumer().name().starts_with("RepartitionExec[")
    }

    /// Whether somebody who can spill wants more than there is for it now.
    fn is_to_spill(&self, reservation: &MemoryReservation, additional: u64) -> bool {
        let spilling = self.spilling.load(Relaxed).max(1);
        let free_percent = if spilling == 1 { 75 } else { 50 };
        let own = (self.account.limit_bytes() / spilling / 100).saturating_mul(free_percent);
        reservation.consumer().can_spill()
            && reservation.size() as u64 + additional > own
            && self.account.would_pass(additional, free_percent)
    }

    /// What an operator is told that spills for it, and the user where it has nothing to spill.
    fn over_share(&self, reservation: &MemoryReservation, additional: u64) -> String {
        let [holds, more, limit] = [reservation.size() as u64, additional, self.account.limit_bytes()]
            .map(|bytes| units::bytes_binary(bytes as f64));
        format!(
            "Query memory limit exceeded: {} holds {holds} and wants {more} more, which is over its share: what is left of the maximum of {limit} is \
             for other operators, and for merging what was written to disk. Raise max_memory_usage, or lower max_threads",
            reservation.consumer().name(),
        )
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
        if Self::is_of_exchange(reservation) {
            self.account.grow(additional as u64);
            return Ok(());
        }
        // ResourcesExhausted is what operators that can spill look for.
        if self.is_to_spill(reservation, additional as u64) {
            return Err(DataFusionError::ResourcesExhausted(self.over_share(reservation, additional as u64)));
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
    fn from_half_of_the_limit_on_each_gets_half_of_its_share() {
        let pool = pool(1000);
        let sort = |name: &str| MemoryConsumer::new(name).with_can_spill(true).register(&pool);
        let (first, second) = (sort("first"), sort("second"));
        first.try_grow(500).expect("nobody else wants it");
        let refused = first.try_grow(10).expect_err("the other may want it").to_string();
        assert!(refused.contains("first holds 500.00 B and wants 10.00 B more"), "{refused}");
        second.try_grow(250).expect("half of its share");
        second.try_grow(10).expect_err("the rest is for merging");
        let merging = MemoryConsumer::new("merge").register(&pool);
        merging.try_grow(250).expect("all of it");
        drop((second, merging));
        first.try_grow(250).expect("it is alone");
        first.try_grow(10).expect_err("but has to merge as well");
    }

    #[test]
    fn exchanges_are_never_sent_to_the_disk() {
        let pool = pool(100);
        let exchange = MemoryConsumer::new("RepartitionExec[0]").with_can_spill(true).register(&pool);
        exchange.try_grow(1000).expect("more than there is");
        let merging = MemoryConsumer::new("RepartitionExec[Merge 0]").with_can_spill(true).register(&pool);
        merging.try_grow(1000).expect("of its sorted streams as well");
        assert_eq!(pool.reserved(), 2000, "it is accounted for");
        let sort = MemoryConsumer::new("ExternalSorter[0]").with_can_spill(true).register(&pool);
        sort.try_grow(1).expect_err("there is no more");
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
