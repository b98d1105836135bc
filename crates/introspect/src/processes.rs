//! The queries that run now, for `system.processes` and for refusing a query id that is in use.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use gristmill_base::{Error, ErrorCode, Result};
use parking_lot::Mutex;

use crate::context::QueryContext;

static RUNNING: LazyLock<Mutex<BTreeMap<String, Arc<QueryContext>>>> = LazyLock::new(Mutex::default);

/// Keeps a query on the list until dropped.
#[derive(Debug)]
pub struct Running(Arc<QueryContext>);

pub fn start(context: &Arc<QueryContext>) -> Result<Running> {
    let mut running = RUNNING.lock();
    if running.contains_key(&context.query_id) {
        return Err(Error::new(
            ErrorCode::QUERY_WITH_SAME_ID_IS_ALREADY_RUNNING,
            format!("Query with id = {} is already running", context.query_id),
        ));
    }
    running.insert(context.query_id.clone(), context.clone());
    Ok(Running(context.clone()))
}

pub fn snapshot() -> Vec<Arc<QueryContext>> {
    RUNNING.lock().values().cloned().collect()
}

impl Drop for Running {
    fn drop(&mut self) {
        RUNNING.lock().remove(&self.0.query_id);
    }
}
