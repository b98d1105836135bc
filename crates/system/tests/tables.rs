//! Every system table is read once; its columns are ClickHouse's (`columns.tsv`), and what the tables tell is true.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use datafusion::prelude::{SessionConfig, SessionContext};
use gristmill_access::AccessControl;
use gristmill_access::control::State;
use gristmill_base::Result;
use gristmill_calibration::Calibrations;
use gristmill_catalog::engines::MemoryTable;
use gristmill_catalog::{ColumnKeys, Databases, EngineSpec, MetadataStore, Table, TableDefinition, TableOpener};
use gristmill_functions::Registry;
use gristmill_introspect::query_log::{QueryLogEntry, QueryLogType, query_log};
use gristmill_introspect::{Event, QueryContext, errors, processes};
use gristmill_mergetree::MergeTreeEnvironment;
use gristmill_system::Known;
use gristmill_types::text::{TextOptions, ValueWriter};
use gristmill_types::{Column, Columns, DefaultKind, SqlType};

#[derive(Debug)]
struct MemoryOnly;

#[async_trait]
impl TableOpener for MemoryOnly {
    async fn open(&self, definition: Arc<TableDefinition>, _existing: bool) -> Result<Arc<dyn Table>> {
        Ok(Arc::new(MemoryTable::new(definition)))
    }
}

fn known(databases: &Arc<Databases>) -> Known {
    Known {
        databases: Arc::downgrade(databases),
        registry: Arc::new(Registry::standard().unwrap()),
        user_functions: Arc::default(),
        mergetree: MergeTreeEnvironment::for_tests(),
        sources: Arc::default(),
        access: Arc::new(AccessControl::new(State::unconfigured())),
        data_path: "/data".into(),
        calibrations: Calibrations::open("/data/calibration".into(), Path::new("/data")),
        engines: &["Memory", "MergeTree"],
    }
}

async fn databases() -> Arc<Databases> {
    let databases = Databases::open(MetadataStore::memory(), Arc::new(MemoryOnly)).await.unwrap();
    let logs = gristmill_system::register(&databases, &known(&databases)).unwrap();
    gristmill_system::register_logs_in_memory(&databases, &logs);
    databases
}

/// A table's rows as text, by column name.
async fn read(
    databases: &Databases,
    database: &str,
    name: &str,
    context: &Arc<QueryContext>,
) -> Vec<BTreeMap<String, String>> {
    let table = databases.table(database, name).unwrap();
    let columns = table.definition().columns.clone();
    let config = SessionConfig::new().with_extension(context.clone());
    let session = SessionContext::new_with_config(config);
    let frame = session.read_table(table.read(context).await.unwrap()).unwrap();
    let mut rows = Vec::new();
    for batch in frame.limit(0, Some(100_000)).unwrap().collect().await.unwrap() {
        let writers: Vec<ValueWriter> = columns
            .iter()
            .zip(batch.columns())
            .map(|(column, array)| ValueWriter::new(array, &column.kind, &TextOptions::default()).unwrap())
            .collect();
        for row in 0..batch.num_rows() {
            rows.push(
                columns
                    .iter()
                    .zip(&writers)
                    .map(|(column, writer)| {
                        let mut out = Vec::new();
                        writer.write(row, &mut out);
                        (column.name.clone(), String::from_utf8(out).unwrap())
                    })
                    .collect(),
            );
        }
    }
    rows
}

fn find<'a>(rows: &'a [BTreeMap<String, String>], column: &str, value: &str) -> &'a BTreeMap<String, String> {
    rows.iter().find(|row| row[column] == value).unwrap_or_else(|| panic!("no row with {column} = {value}"))
}

/// Columns that ClickHouse does not have.
const OWN_COLUMNS: [&str; 6] = [
    "system.filesystem_cache_log.ProfileEvents",
    "system.part_log.projections",
    "system.processes.insert_gear",
    "system.query_log.object_storage_cost_usd",
    "system.query_log.plan_hash",
    "system.text_log.microseconds",
];

#[tokio::test]
async fn columns_are_those_of_clickhouse() {
    let databases = databases().await;
    let mut known: BTreeMap<&str, BTreeMap<&str, &str>> = BTreeMap::new();
    for line in include_str!("columns.tsv").lines() {
        let [table, column, kind] = line.split('\t').collect::<Vec<_>>()[..] else { panic!("{line}") };
        known.entry(table).or_default().insert(column, kind);
    }
    let (mut wrong, mut checked) = (Vec::new(), 0);
    for table in databases.tables("system").iter().chain(&databases.tables("information_schema")) {
        let definition = table.definition();
        let name = format!("{}.{}", definition.database, definition.name);
        let Some(expected) = known.get(name.as_str()) else { continue };
        // The logs have all of them, whether or not there is anything to tell.
        for column in expected.keys().filter(|_| name.ends_with("_log")) {
            if definition.columns.get(column).is_none() {
                wrong.push(format!("{name}.{column} is missing"));
            }
        }
        for column in &definition.columns {
            let kind = column.kind.to_string();
            let is_ours = OWN_COLUMNS.contains(&format!("{name}.{}", column.name).as_str());
            if !is_ours && expected.get(column.name.as_str()) != Some(&kind.as_str()) {
                wrong.push(format!("{name}.{} {kind}", column.name));
            }
            checked += 1;
        }
    }
    assert!(wrong.is_empty(), "not ClickHouse's: {wrong:?}");
    assert!(checked > 250, "only {checked} columns were compared");
}

#[tokio::test]
async fn every_table_can_be_read() {
    let databases = databases().await;
    let context = QueryContext::background("SELECT 1");
    for database in ["system", "information_schema", "INFORMATION_SCHEMA"] {
        for table in databases.tables(database) {
            let name = table.definition().name.clone();
            let rows = read(&databases, database, &name, &context).await;
            let empty = [
                "asynchronous_loader",
                "azure_queue_metadata",
                "azure_queue_metadata_cache",
                "azure_queue_settings",
                "background_schedule_pool",
                "backups",
                "certificates",
                "constraints",
                "database_replicas",
                "filesystem_cache_settings",
                "handlers",
                "hypothetical_indexes",
                "hypothetical_projections",
                "iceberg_files",
                "iceberg_history",
                "replicated_fetches",
                "s3_queue_metadata",
                "s3_queue_settings",
                "s3queue_metadata_cache",
                "user_defined_functions",
                "jemalloc_arena_bins",
                "jemalloc_bins",
                "jemalloc_profile_text",
                "jemalloc_sampled_allocations",
                "jemalloc_stats",
                "dimensional_metrics",
                "distributed_ddl_queue",
                "dns_cache",
                "filesystem_cache",
                "graphite_retentions",
                "histogram_metrics",
                "kafka_consumers",
                "masking_policies",
                "part_moves_between_shards",
                "query_cache",
                "remote_data_paths",
                "resources",
                "rocksdb",
                "scheduler",
                "workloads",
                "asynchronous_insert_log",
                "asynchronous_inserts",
                "asynchronous_metric_log",
                "blob_storage_log",
                "calibration",
                "clusters",
                "contributors",
                "crash_log",
                "current_roles",
                "data_skipping_indices",
                "detached_parts",
                "detached_tables",
                "dictionaries",
                "dictionary_layouts",
                "dictionary_sources",
                "fail_points",
                "distribution_queue",
                "dropped_tables",
                "dropped_tables_parts",
                "enabled_roles",
                "filesystem_cache_log",
                "error_log",
                "key_column_usage",
                "licenses",
                "load_ledger",
                "merges",
                "metric_log",
                "macros",
                "moves",
                "mutations",
                "named_collections",
                "opentelemetry_span_log",
                "processors_profile_log",
                "query_limit_log",
                "query_metric_log",
                "query_regressions",
                "query_thread_log",
                "query_views_log",
                "quota_limits",
                "quota_usage",
                "quotas",
                "quotas_usage",
                "referential_constraints",
                "replicas",
                "replication_queue",
                "role_grants",
                "roles",
                "row_policies",
                "session_log",
                "statistics",
                "text_log",
                "trace_log",
                "view_refreshes",
                "views",
                "warnings",
                "parts",
                "part_log",
                "parts_columns",
                "projection_parts",
                "projections",
                "query_condition_cache",
            ];
            let may_be_empty = empty.contains(&name.to_lowercase().as_str())
                || [
                    "events",
                    "query_log",
                    "processes",
                    "user_processes",
                    "errors",
                    "object_storage_requests",
                    "schema_inference_cache",
                ]
                .contains(&name.as_str());
            assert!(may_be_empty || !rows.is_empty(), "{database}.{name} has no rows");
        }
    }
    assert_eq!(
        read(&databases, "system", "one", &context).await,
        [BTreeMap::from([("dummy".to_string(), "0".to_string())])]
    );
    let numbers = read(&databases, "system", "numbers", &context).await;
    assert_eq!((numbers.len(), numbers[99_999]["number"].as_str()), (100_000, "99999"));
}

#[tokio::test]
async fn tables_and_columns_are_told_of() {
    let databases = databases().await;
    let mut amount = Column::new("amount", "Decimal(9, 2)".parse().unwrap());
    amount.default = Some((DefaultKind::Default, "1".to_string()));
    amount.comment = "What was paid".to_string();
    let definition = TableDefinition {
        uuid: "61f0c404-5cb3-11e7-907b-a6006ad3dba0".parse().unwrap(),
        database: "default".to_string(),
        name: "sales".to_string(),
        engine: EngineSpec { name: "Memory".to_string(), arguments: vec![] },
        columns: Columns::new(vec![
            Column::new("day", SqlType::Date),
            amount,
            Column::new("note", SqlType::String.nullable()),
        ]),
        partition_by: Some("toYYYYMM(day)".to_string()),
        order_by: vec!["day".to_string(), "amount".to_string()],
        primary_key: vec!["day".to_string()],
        sample_by: None,
        written_keys: gristmill_catalog::WrittenKeys::default(),
        settings: Default::default(),
        comment: "Sales".to_string(),
        temporary: false,
        column_keys: ColumnKeys::default(),
        skip_indexes: Vec::new(),
        projections: Vec::new(),
        ttl: gristmill_catalog::TtlSpec::default(),
        constraints: Vec::new(),
    };
    databases.register_system(Arc::new(MemoryTable::new(Arc::new(definition))));
    let context = QueryContext::background("SELECT 1");

    let tables = read(&databases, "system", "tables", &context).await;
    let sales = find(&tables, "name", "sales");
    assert_eq!(
        (sales["database"].as_str(), sales["engine"].as_str(), sales["comment"].as_str()),
        ("default", "Memory", "Sales")
    );
    assert_eq!((sales["sorting_key"].as_str(), sales["primary_key"].as_str()), ("day, amount", "day"));
    assert_eq!((sales["partition_key"].as_str(), sales["total_rows"].as_str()), ("toYYYYMM(day)", "0"));
    assert!(sales["create_table_query"].starts_with("CREATE TABLE default.sales ("), "{}", sales["create_table_query"]);
    assert_eq!(sales["uuid"], "61f0c404-5cb3-11e7-907b-a6006ad3dba0");

    let columns = read(&databases, "system", "columns", &context).await;
    let of_sales: Vec<_> = columns.iter().filter(|row| row["table"] == "sales").cloned().collect();
    assert_eq!(of_sales.len(), 3);
    let day = find(&of_sales, "name", "day");
    assert_eq!(
        (day["is_in_partition_key"].as_str(), day["is_in_primary_key"].as_str(), day["position"].as_str()),
        ("1", "1", "1")
    );
    let amount = find(&of_sales, "name", "amount");
    assert_eq!((amount["default_kind"].as_str(), amount["default_expression"].as_str()), ("DEFAULT", "1"));
    assert_eq!((amount["numeric_precision"].as_str(), amount["numeric_scale"].as_str()), ("9", "2"));
    assert_eq!((amount["is_in_sorting_key"].as_str(), amount["is_in_primary_key"].as_str()), ("1", "0"));

    let columns = read(&databases, "INFORMATION_SCHEMA", "COLUMNS", &context).await;
    let note = find(&columns, "COLUMN_NAME", "note");
    assert_eq!((note["is_nullable"].as_str(), note["DATA_TYPE"].as_str()), ("1", "Nullable(String)"));
    let system = find(&tables, "name", "query_log");
    assert_eq!(system["database"], "system");
}

#[tokio::test]
async fn queries_are_logged_and_listed() {
    let databases = databases().await;
    let context = QueryContext::background("SELECT sum(number) FROM numbers(10)");
    context.read(10, 80);
    context.counters.add(Event::SelectQuery, 1);
    let running = processes::start(&context, "Select").unwrap();
    let processes = read(&databases, "system", "processes", &context).await;
    let process = find(&processes, "query_id", &context.query_id);
    assert_eq!((process["read_rows"].as_str(), process["query"].as_str()), ("10", "SELECT sum(number) FROM numbers(10)"));
    let users = read(&databases, "system", "user_processes", &context).await;
    let user = find(&users, "user", &context.user);
    assert!(user["ProfileEvents"].contains("'SelectQuery':1"), "{}", user["ProfileEvents"]);
    drop(running);

    let tables = [("default".to_string(), "t".to_string())];
    query_log().push(QueryLogEntry::of(QueryLogType::QueryStart, "Select", &tables, &context, None));
    let error = gristmill_base::Error::new(gristmill_base::ErrorCode::UNKNOWN_TABLE, "Table default.t does not exist");
    let failed = QueryLogEntry::of(QueryLogType::ExceptionWhileProcessing, "Select", &tables, &context, Some(&error));
    query_log().push(failed);
    errors::count(&error, &context);
    let log = read(&databases, "system", "query_log", &context).await;
    let of_query: Vec<_> = log.iter().filter(|row| row["query_id"] == context.query_id).cloned().collect();
    assert_eq!(
        of_query.iter().map(|row| row["type"].as_str()).collect::<Vec<_>>(),
        ["QueryStart", "ExceptionWhileProcessing"]
    );
    let end = &of_query[1];
    assert_eq!((end["tables"].as_str(), end["exception_code"].as_str()), ("['default.t']", "60"));
    assert!(end["ProfileEvents"].contains("'SelectQuery':1"), "{}", end["ProfileEvents"]);
    assert_eq!(end["event_date"], end["event_time"][..10]);
    assert!(end["event_time_microseconds"].starts_with(&end["event_time"]), "{}", end["event_time_microseconds"]);

    let errors = read(&databases, "system", "errors", &context).await;
    assert_eq!(find(&errors, "name", "UNKNOWN_TABLE")["code"], "60");
    let metrics = read(&databases, "system", "metrics", &context).await;
    assert!(metrics.iter().any(|row| row["metric"] == "Query"));
}

#[tokio::test]
async fn what_can_be_used_is_listed() {
    let databases = databases().await;
    let context = QueryContext::background("SELECT 1");
    let functions = read(&databases, "system", "functions", &context).await;
    let sum = find(&functions, "name", "sum");
    assert_eq!((sum["is_aggregate"].as_str(), sum["case_insensitive"].as_str()), ("1", "1"));
    assert_eq!(find(&functions, "name", "median")["alias_to"], "quantile");
    assert_eq!(find(&functions, "name", "cityHash64")["is_aggregate"], "0");
    let settings = read(&databases, "system", "settings", &context).await;
    let threads = find(&settings, "name", "max_threads");
    assert!(threads["value"].starts_with("auto("), "{}", threads["value"]);
    assert_eq!((threads["changed"].as_str(), threads["type"].as_str()), ("0", "MaxThreads"));
    let formats = read(&databases, "system", "formats", &context).await;
    assert_eq!(find(&formats, "name", "Parquet")["is_input"], "1");
    assert_eq!(find(&functions, "name", "cityHash64")["categories"], "Hash");
    let options = read(&databases, "system", "build_options", &context).await;
    assert_eq!(find(&options, "name", "VERSION_STRING")["value"], gristmill_functions::session::DIALECT_VERSION);
    let disks = read(&databases, "system", "disks", &context).await;
    assert_eq!((disks.len(), disks[0]["name"].as_str(), disks[0]["path"].as_str()), (1, "default", "/data/"));
    let zones = read(&databases, "system", "time_zones", &context).await;
    find(&zones, "time_zone", "Europe/Berlin");
    let listed = read(&databases, "system", "databases", &context).await;
    assert_eq!(find(&listed, "name", "default")["engine"], "Atomic");
    assert_eq!(find(&listed, "name", "system")["engine"], "Memory");
}

#[tokio::test]
async fn what_is_measured_counts_the_tables() {
    let databases = databases().await;
    let context = QueryContext::background("SELECT 1");
    let metrics = read(&databases, "system", "asynchronous_metrics", &context).await;
    let value = |name: &str| find(&metrics, "metric", name)["value"].clone();
    assert_eq!(value("NumberOfDatabases"), databases.database_names().len().to_string());
    assert_eq!(value("NumberOfTables"), value("NumberOfTablesSystem"), "there are no others");
    assert_eq!(value("TotalPartsOfMergeTreeTables"), "0");
    for name in ["NumberOfTables", "MemoryResident", "MemoryVirtual", "OSMemoryTotal", "OSThreadsTotal", "VMNumMaps"] {
        assert_ne!(value(name), "0", "{name}");
    }
    for name in ["Uptime", "OSUserTime", "OSUserTimeNormalized", "OSUserTimeCPU0", "NetworkReceiveBytes_lo", "LoadAverage15"]
    {
        value(name);
    }
    let names: Vec<&String> = metrics.iter().map(|metric| &metric["metric"]).collect();
    assert!(names.is_sorted_by(|one, other| one < other), "each once: {names:?}");
    assert!(metrics.iter().all(|metric| !metric["description"].is_empty()));
}

#[tokio::test]
async fn columns_of_logs_have_comments_and_days() {
    let databases = Databases::open(MetadataStore::memory(), Arc::new(MemoryOnly)).await.unwrap();
    let logs = gristmill_system::register(&databases, &known(&databases)).unwrap();
    let comments = include_str!("../src/logs/comments.tsv").lines().map(|line| line.split('\t').collect::<Vec<_>>());
    for line in comments {
        let [table, column, comment] = line[..] else { panic!("{line:?}") };
        let of_table = logs.iter().filter(|log| table == "*" || log.queue().name() == table);
        let columns: Vec<_> = of_table.filter_map(|log| log.columns().get(column)).collect();
        assert!(!columns.is_empty(), "{table} has no {column}");
        assert!(table == "*" || columns[0].comment == comment, "{table}.{column}");
    }
    for log in &logs {
        assert!(log.columns().get(log.day()).is_some(), "{log:?}");
        assert_eq!(log.kept().unwrap().num_columns(), log.columns().len());
        log.collect();
    }
    let rows = |name: &str| {
        let log = logs.iter().find(|log| log.queue().name() == name).unwrap();
        log.take(1000).unwrap().map_or(0, |batch| batch.num_rows())
    };
    assert_eq!(rows("metric_log"), 1);
    assert!(rows("asynchronous_metric_log") > 10);
    assert_eq!(rows("asynchronous_metric_log"), 0, "they were taken");
}
