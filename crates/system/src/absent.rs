//! Tables about what this system does not have. Tools ask for them; they have no rows.

use std::sync::Arc;

use gristmill_base::Result;
use gristmill_catalog::Table;

use crate::rows::table;

const ABSENT: &[(&str, &str)] = &[
    (
        "clusters",
        "cluster String, shard_num UInt32, shard_weight UInt32, replica_num UInt32, host_name String, host_address String, \
         port UInt16, is_local UInt8, user String, default_database String, errors_count UInt32, name String",
    ),
    (
        "dictionaries",
        "database String, name String, uuid UUID, origin String, type String, bytes_allocated UInt64, query_count UInt64, \
         element_count UInt64, source String, last_exception String, comment String",
    ),
    ("macros", "macro String, substitution String"),
    (
        "replicas",
        "database String, table String, engine String, is_leader UInt8, is_readonly UInt8, absolute_delay UInt64, \
         total_replicas UInt32, active_replicas UInt32",
    ),
    ("warnings", "message String"),
];

pub fn add(all: &mut Vec<Arc<dyn Table>>) -> Result<()> {
    for (name, structure) in ABSENT {
        let engine = format!("System{}{}", name[..1].to_ascii_uppercase(), &name[1..]);
        all.push(table("system", name, &engine, structure, |_, _| Ok(()))?);
    }
    Ok(())
}
