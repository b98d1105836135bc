//! `system.build_options`. The versions are those of the dialect, as `version()` says, but for the two that have the program's name
//! in them. `USE_…` tells what scripts and tests ask of them: whether what the library of that name is for works here.

use std::sync::Arc;

use gristmill_base::Result;
use gristmill_catalog::Table;
use gristmill_functions::session::{DIALECT_REVISION, DIALECT_VERSION};

use crate::rows::table;

/// What a server of ClickHouse has from a library, and this one has too.
const HAS: &[&str] = &[
    "USE_ARROW",
    "USE_AVRO",
    "USE_AWS_S3",
    "USE_AZURE_BLOB_STORAGE",
    "USE_BROTLI",
    "USE_BZIP2",
    "USE_H3",
    "USE_ORC",
    "USE_PARQUET",
    "USE_SIMDJSON",
    "USE_SNAPPY",
    "USE_SSL",
    "USE_UTF8PROC",
    "USE_VECTORSCAN",
];

/// What is not there.
const LACKS: &[&str] = &[
    "USE_AMQPCPP",
    "USE_CAPNP",
    "USE_CASSANDRA",
    "USE_DATASKETCHES",
    "USE_DELTA_KERNEL_RS",
    "USE_EMBEDDED_COMPILER",
    "USE_FILELOG",
    "USE_GRPC",
    "USE_HDFS",
    "USE_ICU",
    "USE_JEMALLOC",
    "USE_KRB5",
    "USE_LDAP",
    "USE_LIBPQXX",
    "USE_LIBSTEMMER",
    "USE_LIBURING",
    "USE_MSGPACK",
    "USE_MYSQL",
    "USE_NLP",
    "USE_NURAFT",
    "USE_PROTOBUF",
    "USE_PYTHON",
    "USE_RDKAFKA",
    "USE_ROCKSDB",
    "USE_SQLITE",
    "USE_WASMTIME",
    "USE_YAML_CPP",
];

pub fn add(all: &mut Vec<Arc<dyn Table>>) -> Result<()> {
    all.push(table("system", "build_options", "SystemBuildOptions", "name String, value String", |_, rows| {
        options().into_iter().try_for_each(|(name, value)| rows.push([name.into(), value.into()]))?;
        let used = HAS.iter().map(|name| (name, "1")).chain(LACKS.iter().map(|name| (name, "")));
        used.into_iter().try_for_each(|(name, value)| rows.push([(*name).into(), value.into()]))
    })?);
    Ok(())
}

fn options() -> Vec<(&'static str, String)> {
    let mut parts = DIALECT_VERSION.split('.').map(|part| part.parse().unwrap_or(0));
    let (major, minor, patch): (u64, u64, u64) =
        (parts.next().unwrap_or(0), parts.next().unwrap_or(0), parts.next().unwrap_or(0));
    let system = match std::env::consts::OS {
        "linux" => "Linux",
        "macos" => "Darwin",
        other => other,
    };
    vec![
        ("VERSION_FULL", concat!("Gristmill ", env!("CARGO_PKG_VERSION")).to_string()),
        ("VERSION_DESCRIBE", concat!("v", env!("CARGO_PKG_VERSION"), "-gristmill").to_string()),
        ("VERSION_INTEGER", (major * 1_000_000 + minor * 1000 + patch).to_string()),
        ("VERSION_NAME", "Gristmill".to_string()),
        ("VERSION_MAJOR", major.to_string()),
        ("VERSION_MINOR", minor.to_string()),
        ("VERSION_PATCH", patch.to_string()),
        ("VERSION_STRING", DIALECT_VERSION.to_string()),
        ("VERSION_STRING_SHORT", format!("{major}.{minor}")),
        ("VERSION_OFFICIAL", String::new()),
        ("VERSION_REVISION", DIALECT_REVISION.to_string()),
        ("SYSTEM", system.to_string()),
        ("SYSTEM_PROCESSOR", std::env::consts::ARCH.to_string()),
        ("BUILD_TYPE", if cfg!(debug_assertions) { "Debug" } else { "Release" }.to_string()),
        ("TZDATA_VERSION", chrono_tz::IANA_TZDB_VERSION.to_string()),
    ]
}
