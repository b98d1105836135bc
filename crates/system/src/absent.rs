//! Tables about what this system does not have. Tools ask for them; they have no rows.

use std::sync::Arc;

use gristmill_base::Result;
use gristmill_catalog::Table;

use crate::rows::table;

const ABSENT: &[(&str, &str)] = &[
    (
        "clusters",
        "cluster String, shard_num UInt32, shard_weight UInt32, replica_num UInt32, host_name String, host_address String, \
         port UInt16, is_local UInt8, user String, default_database String, errors_count UInt32, name String ALIAS cluster",
    ),
    (
        "dictionaries",
        "database String, name String, uuid UUID, origin String, type String, bytes_allocated UInt64, query_count UInt64, \
         element_count UInt64, source String, last_exception String, comment String",
    ),
    (
        "replicas",
        "database String, table String, engine String, is_leader UInt8, is_readonly UInt8, absolute_delay UInt64, \
         total_replicas UInt32, active_replicas UInt32, \
         readonly_duration Nullable(UInt64) ALIAS if(isNull(readonly_start_time), NULL, now() - readonly_start_time)",
    ),
    (
        "replication_queue",
        "database String, table String, replica_name String, position UInt32, node_name String, type String",
    ),
    ("distribution_queue", "database String, table String, data_path String, is_blocked UInt8, error_count UInt64"),
    (
        "view_refreshes",
        "database String, view String, uuid UUID, status String, exception String, progress Nullable(Float64)",
    ),
    ("contributors", "name String"),
    (
        "dictionary_layouts",
        "name String, is_complex UInt8, description String, syntax String, examples String, introduced_in String, \
         related Array(String)",
    ),
    (
        "dictionary_sources",
        "name String, description String, syntax String, examples String, introduced_in String, related Array(String)",
    ),
    (
        "fail_points",
        "name String, type Enum8('once' = 0, 'regular' = 1, 'pauseable_once' = 2, 'pauseable' = 3), enabled UInt8",
    ),
    ("licenses", "library_name String, license_type String, license_path String, license_text String"),
    ("warnings", "message String, message_format_string LowCardinality(String)"),
];

/// As above, with ClickHouse's columns alone.
const ABSENT_WHOLE: &[(&str, &str)] = &[
    ("asynchronous_loader", "job String"),
    ("azure_queue_metadata", "zookeeper_path String"),
    ("azure_queue_metadata_cache", "zookeeper_path String"),
    ("azure_queue_settings", "database String"),
    ("background_schedule_pool", "pool String"),
    ("backups", "id String"),
    ("certificates", "version Int32"),
    ("database_replicas", "database String"),
    ("dimensional_metrics", "metric String, name String ALIAS metric"),
    ("distributed_ddl_queue", "entry String"),
    ("dns_cache", "hostname String"),
    ("filesystem_cache", "cache_name String"),
    ("filesystem_cache_settings", "cache_name String"),
    ("graphite_retentions", "config_name String"),
    ("handlers", "name String"),
    ("histogram_metrics", "metric String, name String ALIAS metric"),
    ("hypothetical_indexes", "database String"),
    ("hypothetical_projections", "database String"),
    ("iceberg_files", "database String"),
    ("iceberg_history", "database String"),
    (
        "jemalloc_arena_bins",
        "arena UInt32, availregs UInt64 ALIAS nregs * curslabs, util Float64 ALIAS curregs / availregs, \
         waste UInt64 ALIAS greatest((curslabs * slab_size) - (curregs * size), 0)",
    ),
    (
        "jemalloc_bins",
        "index UInt16, availregs UInt64 ALIAS nregs * curslabs, util Float64 ALIAS curregs / availregs, \
         waste UInt64 ALIAS greatest((curslabs * slab_size) - (curregs * size), 0)",
    ),
    ("jemalloc_profile_text", "line String"),
    (
        "jemalloc_sampled_allocations",
        "trace Array(UInt64), alloc_time DateTime ALIAS now() - intDiv(age_ns, 1000000000), \
         weight Float64 ALIAS 1 / (1 - exp((-usize) / sample_interval))",
    ),
    ("jemalloc_stats", "stats String"),
    ("kafka_consumers", "database String"),
    ("masking_policies", "name String"),
    ("part_moves_between_shards", "database String"),
    ("query_cache", "query String"),
    ("remote_data_paths", "disk_name String"),
    ("replicated_fetches", "database String"),
    ("resources", "name String"),
    ("rocksdb", "database String"),
    ("s3_queue_metadata", "zookeeper_path String"),
    ("s3_queue_settings", "database String"),
    ("s3queue_metadata_cache", "zookeeper_path String"),
    ("scheduler", "resource String"),
    ("user_defined_functions", "name String"),
    ("workloads", "name String"),
    ("moves", "database String, table String"),
    (
        "dropped_tables_parts",
        "database String, table String, bytes UInt64 ALIAS bytes_on_disk, marks_size UInt64 ALIAS marks_bytes, \
         part_name String ALIAS name",
    ),
    ("quotas", "name String"),
    ("quota_limits", "quota_name String"),
    ("quota_usage", "quota_name String"),
    ("quotas_usage", "quota_name String"),
    ("row_policies", "name String"),
];

pub fn add(all: &mut Vec<Arc<dyn Table>>) -> Result<()> {
    for (name, structure) in ABSENT.iter().chain(ABSENT_WHOLE) {
        let words = name.split('_').map(|word| format!("{}{}", word[..1].to_ascii_uppercase(), &word[1..]));
        let engine = format!("System{}", words.collect::<String>());
        all.push(table("system", name, &engine, structure, |_, _| Ok(()))?);
    }
    Ok(())
}
