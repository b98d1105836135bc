//! What a query knows of itself and its server: `version()`, `currentDatabase()`, `queryID()`, `hostName()`, `uptime()`, … (`server`
//! has what it may ask of the configuration.)

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};
use std::time::Instant;

use SqlType as T;
use arrow::array::{ArrayRef, BinaryViewArray, ListArray, UInt16Array, UInt32Array};
use arrow::buffer::OffsetBuffer;
use arrow::datatypes::{DataType, Float64Type, Int64Type};
use gristmill_base::env::system_env;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::SqlType;
use parking_lot::RwLock;

use crate::columns::{Numbers, at, strings, unary};
use crate::define::{arity, expect_place, has_null, of_query, own_nulls, volatile};
use crate::registry::Registry;
use crate::scalar::{Argument, Bound, FunctionEnv, ScalarFunction};

/// The version of ClickHouse whose dialect is spoken: what clients compare with.
pub const DIALECT_VERSION: &str = "26.9.2.1";

/// The revision of that version.
pub const DIALECT_REVISION: u32 = 54_515;

/// When the process began to know functions.
static START: LazyLock<Instant> = LazyLock::new(|| system_env().instant());

static HOST: LazyLock<String> = LazyLock::new(|| {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").or_else(|_| std::fs::read_to_string("/etc/hostname"));
    name.map_or_else(|_| "localhost".to_string(), |name| name.trim().to_string())
});

static KERNEL: LazyLock<String> = LazyLock::new(|| {
    let of = |name: &str| std::fs::read_to_string(format!("/proc/sys/kernel/{name}")).map(|text| text.trim().to_string());
    match (of("ostype"), of("osrelease")) {
        (Ok(name), Ok(release)) => format!("{name} {release}"),
        _ => std::env::consts::OS.to_string(),
    }
});

static SERVER: LazyLock<uuid::Uuid> = LazyLock::new(|| system_env().uuid());

/// What `tcpPort()` says where nothing listens: ClickHouse's port.
const TCP_PORT: u16 = 9000;

/// Where this server listens, by the names that the configuration has for the ports.
static PORTS: RwLock<BTreeMap<&'static str, u16>> = RwLock::new(BTreeMap::new());

/// A server of this process listens there: what `tcpPort()` and `getServerPort()` say. `name`: as `tcp_port`.
pub fn listens_at(name: &'static str, port: u16) {
    PORTS.write().insert(name, port);
}

/// What the configuration calls the server; empty: as the machine.
static DISPLAY_NAME: RwLock<String> = RwLock::new(String::new());

/// The server of this process is called so: what `displayName()` says.
pub fn is_called(name: &str) {
    *DISPLAY_NAME.write() = name.to_string();
}

/// Seconds since the process began to know functions.
pub fn uptime_seconds() -> u64 {
    system_env().instant().duration_since(*START).as_secs()
}

pub fn register(registry: &mut Registry) {
    LazyLock::force(&START);
    text(registry, "version", &[], |_| DIALECT_VERSION.to_string());
    registry.any_case("version");
    text(registry, "currentDatabase", &["DATABASE", "SCHEMA", "current_database"], |env| env.database.to_string());
    text(registry, "currentUser", &["user", "current_user", "session_user"], |env| env.user.to_string());
    text(registry, "authenticatedUser", &[], |env| env.user.to_string());
    registry.alias("authUser", "authenticatedUser");
    names(registry, "currentRoles", |env| &env.roles.current);
    names(registry, "enabledRoles", |env| &env.roles.enabled);
    names(registry, "defaultRoles", |env| &env.roles.default);
    // No statement puts other profiles into force than those that a session begins with.
    names(registry, "currentProfiles", |env| &env.asker.access.current_profiles);
    names(registry, "enabledProfiles", |env| &env.asker.access.enabled_profiles);
    names(registry, "defaultProfiles", |env| &env.asker.access.current_profiles);
    text(registry, "queryID", &["query_id"], |env| env.query_id.to_string());
    registry.twin("currentQueryID", "queryID");
    registry.alias("current_query_id", "currentQueryID");
    registry.any_case("current_query_id");
    text(registry, "initialQueryID", &["initial_query_id"], |env| env.query_id.to_string());
    text(registry, "hostName", &[], |_| HOST.clone());
    registry.alias("hostname", "hostName");
    text(registry, "FQDN", &[], |_| HOST.clone());
    registry.any_case("FQDN");
    registry.alias("fullHostName", "FQDN");
    text(registry, "displayName", &[], |_| match DISPLAY_NAME.read().as_str() {
        "" => HOST.clone(),
        name => name.to_string(),
    });
    text(registry, "getOSKernelVersion", &[], |_| KERNEL.clone());
    registry.scalar(
        "tcpPort",
        of_query(|name, arguments, _| {
            arity(name, arguments, 0..=0)?;
            let port = PORTS.read().get("tcp_port").copied().unwrap_or(TCP_PORT);
            Ok(Bound::new(T::UInt16, move |_, rows| Ok(Arc::new(UInt16Array::from(vec![port; rows])) as ArrayRef)))
        }),
    );
    registry.scalar(
        "getServerPort",
        of_query(|name, arguments, _| {
            let wanted = crate::server::setting_name(name, arguments)?;
            let port = PORTS.read().get(wanted.as_str()).copied();
            let port = port.ok_or_else(|| {
                let text =
                    format!("There is no port named {wanted}: tcp_port, http_port, tcp_port_secure, https_port are names");
                Error::new(ErrorCode::CLUSTER_DOESNT_EXIST, text)
            })?;
            Ok(Bound::new(T::UInt16, move |_, rows| Ok(Arc::new(UInt16Array::from(vec![port; rows])) as ArrayRef)))
        }),
    );
    // There is no Keeper, and no handler that a statement made.
    registry.scalar(
        "zookeeperSessionUptime",
        of_query(|name, arguments, _| {
            arity(name, arguments, 0..=0)?;
            Ok(Bound::new(T::UInt32, |_, rows| Ok(Arc::new(UInt32Array::from(vec![0; rows])) as ArrayRef)))
        }),
    );
    text(registry, "currentHandler", &[], |_| String::new());
    text(registry, "currentRequestURL", &[], |env| env.asker.client.request_url.clone());
    // Clients of PostgreSQL ask these of the tables that it would have.
    registry.scalar(
        "pgGetUserById",
        of_query(|name, arguments, env| {
            arity(name, arguments, 1..=1)?;
            let user = env.user.to_string();
            Ok(Bound::new(T::String, move |_, rows| {
                strings(rows, |_, out| {
                    out.extend_from_slice(user.as_bytes());
                    Ok(())
                })
            }))
        }),
    );
    registry.scalar(
        "pgTableIsVisible",
        of_query(|name, arguments, _| {
            arity(name, arguments, 1..=1)?;
            Ok(Bound::new(T::UInt8, |_, rows| crate::columns::truths(rows, |_| true)))
        }),
    );
    registry.any_case("pgGetUserById");
    registry.any_case("pgTableIsVisible");
    for (alias, name) in [("pg_get_userbyid", "pgGetUserById"), ("pg_table_is_visible", "pgTableIsVisible")] {
        registry.alias(alias, name);
        registry.any_case(alias);
    }
    // No tests of threads are built in.
    registry.scalar(
        "hasThreadFuzzer",
        of_query(|name, arguments, _| {
            arity(name, arguments, 0..=0)?;
            Ok(Bound::new(T::UInt8, |_, rows| crate::columns::truths(rows, |_| false)))
        }),
    );
    // No query is one of several shards' yet: ClickHouse says 0 then.
    for name in ["shardNum", "shardCount"] {
        registry.scalar(
            name,
            of_query(|name, arguments, _| {
                arity(name, arguments, 0..=0)?;
                Ok(Bound::new(T::UInt32, |_, rows| Ok(Arc::new(UInt32Array::from(vec![0; rows])) as ArrayRef)))
            }),
        );
    }
    registry.scalar(
        "revision",
        of_query(|name, arguments, _| {
            arity(name, arguments, 0..=0)?;
            Ok(Bound::new(T::UInt32, |_, rows| Ok(Arc::new(UInt32Array::from(vec![DIALECT_REVISION; rows])) as ArrayRef)))
        }),
    );
    registry.any_case("revision");
    text(registry, "buildId", &[], |_| env!("CARGO_PKG_VERSION").to_string());
    registry.scalar(
        "uptime",
        volatile(|name, arguments, _| {
            arity(name, arguments, 0..=0)?;
            Ok(Bound::new(T::UInt32, |_, rows| {
                let seconds = uptime_seconds() as u32;
                Ok(Arc::new(UInt32Array::from(vec![seconds; rows])) as ArrayRef)
            }))
        }),
    );
    registry.scalar(
        "serverUUID",
        of_query(|name, arguments, _| {
            arity(name, arguments, 0..=0)?;
            Ok(Bound::new(T::Uuid, |_, rows| {
                let bytes: Vec<u8> = (0..rows).flat_map(|_| SERVER.into_bytes()).collect();
                Ok(Arc::new(arrow::array::FixedSizeBinaryArray::try_new(16, bytes.into(), None)?) as ArrayRef)
            }))
        }),
    );
    registry.scalar("errorCodeToName", own_nulls(|name, arguments, _| error_code_to_name(name, arguments)));
}

/// The first float that no Int64 is.
const BEYOND_INT64: f64 = 9_223_372_036_854_775_808.0;

/// NULL in a column is the code of no error, and so are floats that are none or no Int64.
fn error_code_to_name(name: &str, arguments: &[Argument]) -> Result<Bound> {
    arity(name, arguments, 1..=1)?;
    if has_null(arguments) {
        return Ok(Bound::null());
    }
    expect_place(name, arguments, 0)?;
    let taken = if arguments[0].kind.is_float() { T::Float64 } else { T::Int64 };
    Ok(Bound::cast(vec![taken.nullable()], T::LowCardinality(Box::new(T::String)), |args, rows| {
        let whole = match args[0].data_type() {
            DataType::Float64 => {
                unary::<Float64Type, Int64Type>(&args[0], |code| if code.abs() < BEYOND_INT64 { code as i64 } else { 0 })?
            }
            _ => args[0].clone(),
        };
        let codes = Numbers::of::<Int64Type>(&whole)?;
        strings(rows, |row, out| {
            let code = if whole.is_null(at(whole.len(), row)) { 0 } else { codes.get(row) as i32 };
            let name = if code == 0 { Some("OK") } else { ErrorCode(code).known_name() };
            out.extend_from_slice(name.unwrap_or("").as_bytes());
            Ok(())
        })
    }))
}

/// A constant of the session, with other names that are found in any case.
fn text(registry: &mut Registry, name: &str, aliases: &[&str], f: fn(&FunctionEnv) -> String) {
    registry.scalar(name, constant(f));
    for alias in aliases {
        registry.alias(alias, name);
        registry.any_case(alias);
    }
}

/// Names of roles or profiles as an array.
fn names(registry: &mut Registry, name: &str, of: fn(&FunctionEnv) -> &Vec<String>) {
    registry.scalar(
        name,
        of_query(move |name, arguments, env| {
            arity(name, arguments, 0..=0)?;
            let (names, kind) = (of(env).clone(), T::Array(Box::new(T::String)));
            let data_type = kind.field("").data_type().clone();
            Ok(Bound::new(kind, move |_, rows| {
                let DataType::List(item) = &data_type else { return Err(Error::logical("An array that is no list")) };
                let values = (0..rows).flat_map(|_| names.iter().map(|name| name.as_bytes()));
                let values: ArrayRef = Arc::new(BinaryViewArray::from_iter_values(values));
                let offsets = OffsetBuffer::from_lengths(std::iter::repeat_n(names.len(), rows));
                Ok(Arc::new(ListArray::try_new(item.clone(), offsets, values, None)?) as ArrayRef)
            }))
        }),
    );
}

fn constant(f: fn(&FunctionEnv) -> String) -> Arc<dyn ScalarFunction> {
    of_query(move |name, arguments, env| {
        arity(name, arguments, 0..=0)?;
        let text = f(env);
        Ok(Bound::new(T::String, move |_, rows| {
            strings(rows, |_, out| {
                out.extend_from_slice(text.as_bytes());
                Ok(())
            })
        }))
    })
}
