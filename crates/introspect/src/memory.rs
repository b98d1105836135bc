//! the memory that a query accounts for stays under its budget, or the query ends with a clear error.
//!
//! Two kinds of memory meet in one account: what DataFusion's operators reserve (through `QueryMemoryPool`, which is
//! their `MemoryPool`), and what our sources and sinks hold (through `MemoryGuard`). Operators that can spill ask for a
//! reservation and spill when it is refused; everything else fails with MEMORY_LIMIT_EXCEEDED.

use std::fmt::{self, Display};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use datafusion::error::Result as DataFusionResult;
use datafusion::execution::memory_pool::{MemoryLimit, MemoryPool, MemoryReservation};
use gristmill_base::{Error, ErrorCode, Result, units};

/// Bytes held by one query, and the most it ever held.
#[derive(Debug)]
pub struct MemoryAccount {
    used_bytes: AtomicU64,
    peak_bytes: AtomicU64,
    /// 0: no limit.
    limit_bytes: u64,
}

impl MemoryAccount {
    pub fn new(limit_bytes: u64) -> Self {
        MemoryAccount { used_bytes: AtomicU64::new(0), peak_bytes: AtomicU64::new(0), limit_bytes }
    }

    pub fn used_bytes(&self) -> u64 {
        self.used_bytes.load(Ordering::Relaxed)
    }

    pub fn peak_bytes(&self) -> u64 {
        self.peak_bytes.load(Ordering::Relaxed)
    }

    pub fn limit_bytes(&self) -> u64 {
        self.limit_bytes
    }

    /// Takes bytes whether or not the limit allows them.
    pub fn grow(&self, bytes: u64) {
        let now = self.used_bytes.fetch_add(bytes, Ordering::Relaxed) + bytes;
        self.peak_bytes.fetch_max(now, Ordering::Relaxed);
    }

    /// Takes bytes, or says that the query is over its limit.
    pub fn try_grow(&self, bytes: u64) -> Result<()> {
        let mut used = self.used_bytes.load(Ordering::Relaxed);
        loop {
            let now = used.saturating_add(bytes);
            if self.limit_bytes > 0 && now > self.limit_bytes {
                return Err(Error::new(
                    ErrorCode::MEMORY_LIMIT_EXCEEDED,
                    format!(
                        "Query memory limit exceeded: would use {} (attempt to allocate chunk of {bytes} bytes), maximum: {}. \
                         Raise max_memory_usage, or lower max_threads or the block size",
                        units::bytes_binary(now as f64),
                        units::bytes_binary(self.limit_bytes as f64),
                    ),
                ));
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

    pub fn bytes(&self) -> u64 {
        self.bytes
    }
}

impl Drop for MemoryGuard {
    fn drop(&mut self) {
        self.account.shrink(self.bytes);
    }
}

/// DataFusion's view of a query's account.
#[derive(Debug)]
pub struct QueryMemoryPool(pub Arc<MemoryAccount>);

impl Display for QueryMemoryPool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "query memory ({} used)", units::bytes_binary(self.0.used_bytes() as f64))
    }
}

impl MemoryPool for QueryMemoryPool {
    fn name(&self) -> &str {
        "query"
    }

    fn grow(&self, _reservation: &MemoryReservation, additional: usize) {
        self.0.grow(additional as u64);
    }

    fn shrink(&self, _reservation: &MemoryReservation, shrink: usize) {
        self.0.shrink(shrink as u64);
    }

    fn try_grow(&self, _reservation: &MemoryReservation, additional: usize) -> DataFusionResult<()> {
        // ResourcesExhausted is what operators that can spill look for.
        self.0
            .try_grow(additional as u64)
            .map_err(|error| datafusion::error::DataFusionError::ResourcesExhausted(error.message()))
    }

    fn reserved(&self) -> usize {
        self.0.used_bytes() as usize
    }

    fn memory_limit(&self) -> MemoryLimit {
        match self.0.limit_bytes {
            0 => MemoryLimit::Infinite,
            bytes => MemoryLimit::Finite(bytes as usize),
        }
    }
}

#[cfg(test)]
mod tests {
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
}
