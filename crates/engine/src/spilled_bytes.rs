//! How many bytes of temporary files there are, of a query and of a user, and how many there may be:
//! `max_temporary_data_on_disk_size_for_query`, `max_temporary_data_on_disk_size_for_user`. A file counts until it is removed.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, LazyLock, Weak};

use gristmill_base::{Error, ErrorCode, Result};
use gristmill_introspect::QueryContext;
use parking_lot::Mutex;

/// Of the users whose queries have files.
static OF_USERS: LazyLock<Mutex<HashMap<String, Weak<AtomicU64>>>> = LazyLock::new(Mutex::default);

/// A number of bytes, and how many they may be; 0: any.
#[derive(Clone, Debug)]
struct Account {
    bytes: Arc<AtomicU64>,
    most: u64,
}

/// Those of one query, and those that its user has with it.
#[derive(Clone, Debug)]
pub(crate) struct SpilledBytes {
    of_query: Account,
    of_user: Account,
}

impl SpilledBytes {
    pub fn of(context: &QueryContext) -> SpilledBytes {
        let settings = &context.settings;
        let of_user = Account { bytes: Arc::default(), most: settings.max_temporary_data_on_disk_size_for_user };
        let of_query = Account { bytes: Arc::default(), most: settings.max_temporary_data_on_disk_size_for_query };
        SpilledBytes { of_query, of_user: Account { bytes: bytes_of(&context.user), ..of_user } }
    }

    /// For a file that has no bytes yet.
    pub fn hold(&self) -> Arc<BytesOfFile> {
        Arc::new(BytesOfFile { bytes: AtomicU64::new(0), all: self.clone() })
    }
}

fn bytes_of(user: &str) -> Arc<AtomicU64> {
    let mut users = OF_USERS.lock();
    if let Some(known) = users.get(user).and_then(Weak::upgrade) {
        return known;
    }
    users.retain(|_, bytes| bytes.strong_count() > 0);
    let bytes = Arc::new(AtomicU64::new(0));
    users.insert(user.to_string(), Arc::downgrade(&bytes));
    bytes
}

/// Those of a file, until it and who writes it are dropped.
#[derive(Debug)]
pub(crate) struct BytesOfFile {
    bytes: AtomicU64,
    all: SpilledBytes,
}

impl BytesOfFile {
    /// Error: TOO_MANY_ROWS_OR_BYTES, where so many bytes more are too many.
    pub fn may_grow(&self, more: usize) -> Result<()> {
        for (account, whose) in [(&self.all.of_query, "query"), (&self.all.of_user, "user")] {
            let would_be = account.bytes.load(Relaxed) + more as u64;
            if account.most > 0 && would_be > account.most {
                let text = format!(
                    "Limit for temporary files size of the {whose} exceeded (would consume {would_be} / {} bytes)",
                    account.most
                );
                return Err(Error::new(ErrorCode::TOO_MANY_ROWS_OR_BYTES, text));
            }
        }
        Ok(())
    }

    pub fn grew(&self, more: usize) {
        for bytes in [&self.bytes, &self.all.of_query.bytes, &self.all.of_user.bytes] {
            bytes.fetch_add(more as u64, Relaxed);
        }
    }
}

impl Drop for BytesOfFile {
    fn drop(&mut self) {
        let bytes = self.bytes.load(Relaxed);
        for account in [&self.all.of_query, &self.all.of_user] {
            account.bytes.fetch_sub(bytes, Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use gristmill_introspect::Settings;

    use super::*;

    #[test]
    fn bytes_count_until_their_file_is_gone() {
        let mut settings = Settings::default();
        settings.max_temporary_data_on_disk_size_for_query = 10;
        let context = QueryContext::background("test").with_settings(settings);
        let query = SpilledBytes::of(&context);
        let (first, second) = (query.hold(), query.hold());
        first.grew(6);
        second.grew(4);
        assert_eq!(second.may_grow(1).expect_err("too many").code(), ErrorCode::TOO_MANY_ROWS_OR_BYTES);
        drop(first);
        second.may_grow(6).expect("there is room again");
        let mut settings = Settings::default();
        settings.max_temporary_data_on_disk_size_for_user = 7;
        let of_user = SpilledBytes::of(&QueryContext::background("other").with_settings(settings));
        // Work of the server itself has one user.
        assert!(of_user.hold().may_grow(3).is_ok() && of_user.hold().may_grow(4).is_err());
    }
}
