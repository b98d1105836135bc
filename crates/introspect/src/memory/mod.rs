//! the memory that a query accounts for stays under its budget, or the query ends with a clear error.
//!
//! Two kinds of memory meet in one account: what DataFusion's operators reserve (through `QueryMemoryPool`, `pool.rs`, which
//! is their `MemoryPool`), and what our sources and sinks hold (through `MemoryGuard`). Operators that can spill ask for a
//! reservation and spill when it is refused; everything else fails with MEMORY_LIMIT_EXCEEDED.
//!
//! What they say of themselves is not all: so allocations are counted beside it (`gristmill_base::allocations`), and what a
//! query holds is the greater of the two. Reservations come before the memory they speak of; what was allocated covers
//! decoders, encoders and whatever else reserves nothing. To this comes what the allocator itself holds beyond what it gave
//! out, so that the sum is what the system sees: it is measured fifty times a second, and what it has grown by since a query
//! began is shared out among the queries by what they hold (`measure`).
//!
//! The accounts of all queries are parts of one, `MemoryAccount::process`, whose limit is a share of the machine: without
//! any setting a load that is too large for the machine spills or writes earlier, and is not ended by the system. Between the
//! two stands that of the user, for queries with `max_memory_usage_for_user`.

mod pool;

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock, OnceLock, Weak};

use gristmill_base::allocations::{self, Tally, Whose};
use gristmill_base::{Result, machine};
use parking_lot::Mutex;

pub use self::pool::QueryMemoryPool;

/// Bytes held by one query, and the most it ever held.
#[derive(Debug)]
pub struct MemoryAccount {
    used_bytes: AtomicU64,
    peak_bytes: AtomicU64,
    /// What was allocated for it; `None`: for the whole process.
    tally: Option<Arc<Tally>>,
    /// The allocator's own memory when the account was opened, and the account's share in what came to it since.
    overhead_before: u64,
    overhead_bytes: AtomicU64,
    /// The most that was held with that share.
    measured_peak_bytes: AtomicU64,
    /// 0: no limit. Only that of a user's account is ever changed.
    limit_bytes: AtomicU64,
    whose: Whose,
    /// Holds these bytes too.
    whole: Option<Arc<MemoryAccount>>,
}

/// Percent of the machine's memory that queries may hold; the rest is for what no account sees.
const PROCESS_SHARE_PERCENT: u64 = 80;

/// `max_server_memory_usage`, where it was said before the first query.
static PROCESS_LIMIT: OnceLock<u64> = OnceLock::new();

static PROCESS: LazyLock<Arc<MemoryAccount>> = LazyLock::new(|| {
    let share = || machine::memory_bytes().map_or(0, |bytes| bytes / 100 * PROCESS_SHARE_PERCENT);
    let limit_bytes = *PROCESS_LIMIT.get_or_init(share);
    allocations::limit_process(limit_bytes);
    Arc::new(MemoryAccount::new(limit_bytes))
});

/// Those of users that have queries under `max_memory_usage_for_user`.
static OF_USERS: LazyLock<Mutex<HashMap<String, Weak<MemoryAccount>>>> = LazyLock::new(Mutex::default);

impl MemoryAccount {
    /// An account that is part of no other.
    pub fn new(limit_bytes: u64) -> Self {
        MemoryAccount {
            used_bytes: AtomicU64::new(0),
            peak_bytes: AtomicU64::new(0),
            tally: None,
            overhead_before: 0,
            overhead_bytes: AtomicU64::new(0),
            measured_peak_bytes: AtomicU64::new(0),
            limit_bytes: AtomicU64::new(limit_bytes),
            whose: Whose::AllQueries,
            whole: None,
        }
    }

    /// The account of one query. `limit_bytes` as `max_memory_usage` has it: 0 is no limit but the process's.
    pub fn of_query(limit_bytes: u64) -> Self {
        let whole = Self::process().clone();
        let limit = if limit_bytes > 0 { limit_bytes } else { whole.own_limit() };
        Self::part_of(whole, Tally::limited(limit), limit_bytes)
    }

    /// As `of_query`, with `max_memory_usage_for_user`, which holds for all queries of the user that have it, together: the
    /// greatest of them where they differ.
    pub fn of_query_of(user: &str, limit_bytes: u64, user_limit_bytes: u64) -> Self {
        if user_limit_bytes == 0 {
            return Self::of_query(limit_bytes);
        }
        let whole = Self::of_user(user, user_limit_bytes);
        let limit = if limit_bytes > 0 { limit_bytes } else { Self::process().own_limit() };
        let tally = match &whole.tally {
            Some(of_user) => Tally::part_of(of_user.clone(), limit),
            None => Tally::limited(limit),
        };
        Self::part_of(whole, tally, limit_bytes)
    }

    fn part_of(whole: Arc<MemoryAccount>, tally: Tally, limit_bytes: u64) -> Self {
        let overhead_before = overhead_bytes(allocations::PROCESS.bytes());
        let whose = Whose::OneQuery;
        MemoryAccount { tally: Some(Arc::new(tally)), whole: Some(whole), whose, overhead_before, ..Self::new(limit_bytes) }
    }

    fn of_user(user: &str, limit_bytes: u64) -> Arc<Self> {
        let mut of_users = OF_USERS.lock();
        if let Some(account) = of_users.get(user).and_then(Weak::upgrade) {
            account.limit_bytes.fetch_max(limit_bytes, Ordering::Relaxed);
            if let Some(tally) = &account.tally {
                tally.raise_limit(limit_bytes);
            }
            return account;
        }
        let (tally, whole) = (Some(Arc::new(Tally::limited(limit_bytes))), Some(Self::process().clone()));
        let account = Arc::new(MemoryAccount { tally, whole, whose: Whose::OneUser, ..Self::new(limit_bytes) });
        of_users.retain(|_, account| account.strong_count() > 0);
        of_users.insert(user.to_string(), Arc::downgrade(&account));
        account
    }

    fn own_limit(&self) -> u64 {
        self.limit_bytes.load(Ordering::Relaxed)
    }

    /// The account of a query that runs in another process, which tells what it holds (`tell`).
    pub fn elsewhere() -> Self {
        MemoryAccount { tally: Some(Arc::new(Tally::new())), ..Self::new(0) }
    }

    /// What the other process said that the query holds, and held at most.
    pub fn tell(&self, used_bytes: u64, peak_bytes: u64) {
        self.used_bytes.store(used_bytes, Ordering::Relaxed);
        self.peak_bytes.fetch_max(peak_bytes.max(used_bytes), Ordering::Relaxed);
    }

    /// The most that all queries of the process may hold; to be said before the first of them. 0: a share of the machine.
    pub fn limit_process(bytes: u64) {
        if bytes > 0 && PROCESS_LIMIT.set(bytes).is_err() {
            tracing::warn!("The limit of the process's memory was said too late and is not kept to");
        }
    }

    /// What all queries of the process hold.
    pub fn process() -> &'static Arc<MemoryAccount> {
        &PROCESS
    }

    /// What is allocated for it is to be counted there. `None`: it is not that of a query.
    pub fn tally(&self) -> Option<&Arc<Tally>> {
        self.tally.as_ref()
    }

    /// Bytes that were reserved.
    pub fn used_bytes(&self) -> u64 {
        self.used_bytes.load(Ordering::Relaxed)
    }

    /// Bytes that were reserved or are there, whichever is more.
    pub fn held_bytes(&self) -> u64 {
        self.used_bytes().max(self.there())
    }

    /// The most that was ever held.
    pub fn peak_bytes(&self) -> u64 {
        let reserved = self.peak_bytes.load(Ordering::Relaxed);
        reserved.max(self.allocated().peak_bytes()).max(self.measured_peak_bytes.load(Ordering::Relaxed))
    }

    /// What was allocated, with the share in what the allocator holds.
    fn there(&self) -> u64 {
        self.allocated().bytes() + self.overhead_bytes.load(Ordering::Relaxed)
    }

    fn allocated(&self) -> &Tally {
        self.tally.as_deref().unwrap_or(&allocations::PROCESS)
    }

    /// Bytes that are there, where they are over the limit. Memory that one query allocates and another frees makes a tally
    /// wrong in time: none is believed that says more than the process has.
    fn there_over_limit(&self) -> Option<u64> {
        let (there, limit) = (self.there(), self.own_limit());
        let over = limit > 0 && there > limit;
        (over && machine::resident_bytes().is_none_or(|resident| resident > limit)).then_some(there)
    }

    /// The nearest limit: its own, else that of the whole. 0: there is none.
    pub fn limit_bytes(&self) -> u64 {
        match (self.own_limit(), &self.whole) {
            (0, Some(whole)) => whole.limit_bytes(),
            (own, _) => own,
        }
    }

    /// Whether more would be held with so many bytes than so many percent of the nearest limit.
    pub fn would_pass(&self, bytes: u64, percent: u64) -> bool {
        match (self.own_limit(), &self.whole) {
            (0, Some(whole)) => whole.would_pass(bytes, percent),
            (0, None) => false,
            (limit, _) => self.held_bytes().saturating_add(bytes) > (limit / 100).saturating_mul(percent),
        }
    }

    /// Takes bytes whether or not the limit allows them.
    pub fn grow(&self, bytes: u64) {
        let now = self.used_bytes.fetch_add(bytes, Ordering::Relaxed) + bytes;
        self.peak_bytes.fetch_max(now, Ordering::Relaxed);
        if let Some(whole) = &self.whole {
            whole.grow(bytes);
        }
    }

    /// Takes bytes, or says that the query (or all queries together) would be over the limit.
    pub fn try_grow(&self, bytes: u64) -> Result<()> {
        if let Some(whole) = &self.whole {
            whole.try_grow(bytes)?;
        }
        let taken = self.take(bytes);
        if taken.is_err()
            && let Some(whole) = &self.whole
        {
            whole.shrink(bytes);
        }
        taken
    }

    fn take(&self, bytes: u64) -> Result<()> {
        let (there, limit) = (self.there_over_limit(), self.own_limit());
        let mut used = self.used_bytes.load(Ordering::Relaxed);
        loop {
            let now = used.saturating_add(bytes);
            if there.is_some() || (limit > 0 && now > limit) {
                let would = there.map_or(now, |there| there.max(now));
                return Err(allocations::limit_exceeded(self.whose, would, bytes, limit));
            }
            match self.used_bytes.compare_exchange_weak(used, now, Ordering::Relaxed, Ordering::Relaxed) {
                Ok(_) => {
                    self.peak_bytes.fetch_max(now, Ordering::Relaxed);
                    return Ok(());
                }
                Err(current) => used = current,
            }
        }
    }

    pub fn shrink(&self, bytes: u64) {
        let _ = self.used_bytes.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |used| Some(used.saturating_sub(bytes)));
        if let Some(whole) = &self.whole {
            whole.shrink(bytes);
        }
    }
}

/// What the allocator holds beyond what it gave out.
fn overhead_bytes(allocated: u64) -> u64 {
    machine::resident_bytes().map_or(0, |resident| resident.saturating_sub(allocated))
}

/// Of its limit, what an account holds when the allocator is told to keep nothing back, and when it may again.
const NEAR_PERCENT: u64 = 75;
const FAR_PERCENT: u64 = 50;

/// Has the allocator give freed memory back to the system while a query, or all of them, are near the limit: what it keeps
/// counts (it is shared out below), and would end a query that holds no more than it may.
fn spare<'a>(accounts: impl Iterator<Item = &'a Arc<MemoryAccount>> + Clone) {
    let all = machine::resident_bytes().unwrap_or(0);
    // Of its limit, what the fullest account holds; the process is one.
    let percent = |account: &MemoryAccount, held: u64| (held * 100).checked_div(account.own_limit()).unwrap_or(0);
    let of_queries = accounts.map(|account| percent(account, account.there())).max().unwrap_or(0);
    let fullest = of_queries.max(percent(&PROCESS, all));
    if fullest > NEAR_PERCENT {
        allocations::give_back_at_once(true);
    } else if fullest < FAR_PERCENT {
        allocations::give_back_at_once(false);
    }
}

/// Looks at the process's memory, and tells each account its share in what the allocator holds: no more than the account
/// itself ever had, for what a large query leaves behind is not the fault of a small one that runs on.
pub fn measure<'a>(accounts: impl Iterator<Item = &'a Arc<MemoryAccount>> + Clone) {
    spare(accounts.clone());
    let overhead = overhead_bytes(allocations::PROCESS.bytes());
    let all: u64 = accounts.clone().map(|account| account.allocated().bytes()).sum();
    for account in accounts {
        let allocated = account.allocated().bytes();
        let grown = overhead.saturating_sub(account.overhead_before);
        let share = (u128::from(grown) * u128::from(allocated)).checked_div(u128::from(all)).unwrap_or(0) as u64;
        let share = share.min(account.allocated().peak_bytes());
        account.overhead_bytes.store(share, Ordering::Relaxed);
        account.measured_peak_bytes.fetch_max(allocated + share, Ordering::Relaxed);
    }
}

/// Bytes of an account that are given back when the guard is dropped.
#[derive(Debug)]
pub struct MemoryGuard {
    account: Arc<MemoryAccount>,
    bytes: u64,
}

impl MemoryGuard {
    pub fn empty(account: &Arc<MemoryAccount>) -> Self {
        MemoryGuard { account: account.clone(), bytes: 0 }
    }

    pub fn take(account: &Arc<MemoryAccount>, bytes: u64) -> Result<Self> {
        account.try_grow(bytes)?;
        Ok(MemoryGuard { account: account.clone(), bytes })
    }

    /// Changes what the guard holds.
    pub fn resize(&mut self, bytes: u64) -> Result<()> {
        if bytes > self.bytes {
            self.account.try_grow(bytes - self.bytes)?;
        } else {
            self.account.shrink(self.bytes - bytes);
        }
        self.bytes = bytes;
        Ok(())
    }

    /// Holds more, whether or not the limit allows it: memory that is there already, and is on its way out.
    pub fn grow_anyway(&mut self, bytes: u64) {
        self.account.grow(bytes);
        self.bytes += bytes;
    }

    pub fn bytes(&self) -> u64 {
        self.bytes
    }
}

impl Drop for MemoryGuard {
    fn drop(&mut self) {
        self.account.shrink(self.bytes);
    }
}

#[cfg(test)]
mod tests {
    use gristmill_base::ErrorCode;

    use super::*;

    #[test]
    fn a_query_over_its_limit_is_told_so_and_keeps_what_it_had() {
        let account = Arc::new(MemoryAccount::new(100));
        let guard = MemoryGuard::take(&account, 60).expect("fits");
        let error = MemoryGuard::take(&account, 60).expect_err("does not fit");
        assert_eq!(error.code(), ErrorCode::MEMORY_LIMIT_EXCEEDED);
        assert_eq!(account.used_bytes(), 60);
        drop(guard);
        assert_eq!((account.used_bytes(), account.peak_bytes()), (0, 60));
    }

    #[test]
    fn what_was_allocated_counts_where_nobody_reserved_it() {
        let account = Arc::new(MemoryAccount::of_query(1 << 20));
        {
            let _entered = allocations::enter(account.tally().expect("a query's"));
            std::mem::forget(allocations::adopted(vec![1; 500_000].into()));
        }
        assert_eq!((account.used_bytes(), account.held_bytes(), account.peak_bytes()), (0, 500_000, 500_000));
        let guard = MemoryGuard::take(&account, 600_000).expect("reservations speak of memory that is counted already");
        assert_eq!(account.held_bytes(), 600_000);
        drop(guard);
        {
            let _entered = allocations::enter(account.tally().expect("a query's"));
            std::mem::forget(allocations::adopted(vec![1; 1 << 20].into()));
        }
        let error = MemoryGuard::take(&account, 1).expect_err("more is allocated than may be");
        assert_eq!(error.code(), ErrorCode::MEMORY_LIMIT_EXCEEDED);
    }

    #[test]
    fn what_the_allocator_holds_is_shared_out_by_what_queries_hold() {
        let account = |bytes| {
            let account = Arc::new(MemoryAccount { overhead_before: 0, ..MemoryAccount::of_query(0) });
            let _entered = allocations::enter(account.tally().expect("a query's"));
            std::mem::forget(allocations::adopted(vec![1; bytes].into()));
            account.clone()
        };
        let accounts = [account(3_000_000), account(1_000_000)];
        measure(accounts.iter());
        let shares = accounts.each_ref().map(|account| account.held_bytes() - account.tally().expect("a query's").bytes());
        assert!(shares[1] > 0 && shares[0] / 3 <= shares[1] + 1 && shares[1] <= shares[0] / 3 + 1, "{shares:?}");
        assert!(accounts[0].peak_bytes() >= accounts[0].held_bytes());
    }

    #[test]
    fn near_a_limit_the_allocator_keeps_nothing_back() {
        static TOLD: std::sync::Mutex<Vec<bool>> = std::sync::Mutex::new(Vec::new());
        allocations::gives_back_by(|at_once| TOLD.lock().expect("told").push(at_once));
        let account = Arc::new(MemoryAccount::of_query(1 << 20));
        let told_with = |bytes: i64| {
            let tally = account.tally().expect("a query's");
            {
                let _entered = allocations::enter(tally);
                match bytes {
                    0.. => std::mem::forget(allocations::adopted(vec![1; bytes as usize].into())),
                    _ => allocations::disown(-bytes as usize),
                }
            }
            account.overhead_bytes.store(0, Ordering::Relaxed);
            spare([&account].into_iter());
            TOLD.lock().expect("told").clone()
        };
        assert_eq!(told_with(600_000), [false; 0]);
        assert_eq!(told_with(300_000), [true]);
        assert_eq!(told_with(-300_000), [true], "not back and forth");
        assert_eq!(told_with(-300_000), [true, false]);
    }

    #[test]
    fn queries_of_a_user_are_kept_to_a_limit_together() {
        let of_user = || Arc::new(MemoryAccount::of_query_of("mary", 0, 100));
        let (first, second) = (of_user(), of_user());
        first.try_grow(60).expect("fits");
        let error = second.try_grow(60).expect_err("both together are over it");
        assert_eq!(error.code(), ErrorCode::MEMORY_LIMIT_EXCEEDED);
        assert!(error.message().starts_with("User memory limit exceeded"), "{error}");
        Arc::new(MemoryAccount::of_query_of("john", 0, 100)).try_grow(60).expect("another user's");
        let raised = Arc::new(MemoryAccount::of_query_of("mary", 0, 130));
        raised.try_grow(60).expect("it holds more now");
        first.shrink(60);
        raised.shrink(60);
        drop((first, second, raised));
        assert!(of_user().try_grow(120).is_err(), "forgotten with the last of the queries");
        let allocated = of_user();
        {
            let _entered = allocations::enter(allocated.tally().expect("a query's"));
            std::mem::forget(allocations::adopted(vec![1; 4096].into()));
        }
        assert!(of_user().try_grow(1).is_err(), "what another query of the user allocated counts");
    }

    #[test]
    fn what_a_query_may_not_take_does_not_stay_with_the_whole() {
        let whole = Arc::new(MemoryAccount::new(100));
        let part = |limit| Arc::new(MemoryAccount { whole: Some(whole.clone()), ..MemoryAccount::new(limit) });
        let (small, large) = (part(50), part(0));
        assert!(small.try_grow(60).is_err());
        assert_eq!(whole.used_bytes(), 0);
        small.try_grow(50).expect("fits");
        assert!(large.try_grow(60).is_err(), "both together are over the limit of the whole");
        small.shrink(50);
        large.try_grow(60).expect("fits now");
        assert_eq!((large.limit_bytes(), whole.used_bytes()), (100, 60));
    }
}
