//! Tests against servers: a real S3 server in this process, and one that misbehaves as it is told.

mod conformance;
mod faults;
mod faulty_server;
mod gcs;
mod hostile;
mod locations;
mod providers;
mod s3;
mod told;

use std::sync::Arc;

use gristmill_base::env::system_env;
use gristmill_introspect::{QueryContext, Settings};

/// A query with some settings changed.
fn query(settings: &[(&str, &str)]) -> Arc<QueryContext> {
    let mut changed = Settings::default();
    for (name, value) in settings {
        changed.set(name, value).expect("a known setting");
    }
    QueryContext::new("SELECT 1", "", "default", "default", Arc::new(changed), system_env())
}
