//! Names that statements are changing right now.
//!
//! A change of a database holds it alone; a change of tables shares their databases and holds each table alone. Locks are
//! taken in the order of their names, databases before tables, so two statements never wait for each other. A lock
//! exists only while somebody holds it or waits for it.

use std::collections::HashMap;
use std::sync::{Arc, Weak};

use gristmill_base::allocations;
use gristmill_base::spending::{Spending, Wait, Waiting};
use parking_lot::Mutex;
use tokio::sync::{OwnedRwLockReadGuard, OwnedRwLockWriteGuard, RwLock};

type Name = (String, Option<String>);

#[derive(Debug, Default)]
pub struct DdlLocks {
    names: Mutex<HashMap<Name, Weak<RwLock<()>>>>,
}

/// The query that the thread works for waits for a lock.
fn waiting() -> Option<Waiting> {
    allocations::current().map(|tally| Spending::waiting(&tally, Wait::Lock))
}

/// Holds names until dropped.
#[derive(Debug)]
pub struct DdlGuard {
    _shared: Vec<OwnedRwLockReadGuard<()>>,
    _alone: Vec<OwnedRwLockWriteGuard<()>>,
}

impl DdlLocks {
    pub async fn database(&self, name: &str) -> DdlGuard {
        self.databases(&[name]).await
    }

    /// Several databases, each alone.
    pub async fn databases(&self, names: &[&str]) -> DdlGuard {
        let _waiting = waiting();
        let mut names = names.to_vec();
        names.sort_unstable();
        names.dedup();
        let mut guard = DdlGuard { _shared: Vec::new(), _alone: Vec::new() };
        for name in names {
            guard._alone.push(self.lock((name.to_string(), None)).write_owned().await);
        }
        guard
    }

    pub async fn tables(&self, names: &[(&str, &str)]) -> DdlGuard {
        let _waiting = waiting();
        let mut tables: Vec<_> = names.to_vec();
        tables.sort_unstable();
        tables.dedup();
        let mut databases: Vec<&str> = tables.iter().map(|(database, _)| *database).collect();
        databases.dedup();
        let mut guard = DdlGuard { _shared: Vec::new(), _alone: Vec::new() };
        for database in databases {
            guard._shared.push(self.lock((database.to_string(), None)).read_owned().await);
        }
        for (database, table) in tables {
            guard._alone.push(self.lock((database.to_string(), Some(table.to_string()))).write_owned().await);
        }
        guard
    }

    fn lock(&self, name: Name) -> Arc<RwLock<()>> {
        let mut names = self.names.lock();
        names.retain(|_, lock| lock.strong_count() > 0);
        if let Some(lock) = names.get(&name).and_then(Weak::upgrade) {
            return lock;
        }
        let lock = Arc::new(RwLock::new(()));
        names.insert(name, Arc::downgrade(&lock));
        lock
    }
}
