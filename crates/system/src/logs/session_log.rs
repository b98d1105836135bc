//! `system.session_log`: who came in, who was refused, who left.

use std::sync::Arc;

use gristmill_base::Result;
use gristmill_catalog::LogSource;
use gristmill_introspect::logs::session_log::session_log;

use super::{Declared, moment};
use crate::query_log::hostname;
use crate::rows::Cell;

const STRUCTURE: &str = "hostname LowCardinality(String), \
    type Enum8('LoginFailure' = 0, 'LoginSuccess' = 1, 'Logout' = 2), auth_id UUID, session_id String, event_date Date, \
    event_time DateTime, event_time_microseconds DateTime64(6), user Nullable(String), \
    auth_type Nullable(Enum8('NO_PASSWORD' = 0, 'PLAINTEXT_PASSWORD' = 1, 'SHA256_PASSWORD' = 2, 'DOUBLE_SHA1_PASSWORD' = 3, \
    'LDAP' = 4, 'KERBEROS' = 5, 'SSL_CERTIFICATE' = 6, 'BCRYPT_PASSWORD' = 7, 'SSH_KEY' = 8, 'HTTP' = 9, 'JWT' = 10, \
    'SCRAM_SHA256_PASSWORD' = 11, 'NO_AUTHENTICATION' = 12)), \
    profiles Array(LowCardinality(String)), roles Array(LowCardinality(String)), \
    settings Array(Tuple(LowCardinality(String), String)), client_address IPv6, client_port UInt16, \
    interface Enum8('TCP' = 1, 'HTTP' = 2, 'gRPC' = 3, 'MySQL' = 4, 'PostgreSQL' = 5, 'Local' = 6, 'TCP_Interserver' = 7, \
    'Prometheus' = 8, 'Background' = 9, 'ArrowFlight' = 10), \
    client_hostname String, client_name String, client_revision UInt32, client_version_major UInt32, \
    client_version_minor UInt32, client_version_patch UInt32, failure_reason String";

/// Names of interfaces by their numbers, from 1.
const INTERFACES: [&str; 7] = ["TCP", "HTTP", "gRPC", "MySQL", "PostgreSQL", "Local", "TCP_Interserver"];

pub fn add(all: &mut Vec<Arc<dyn LogSource>>) -> Result<()> {
    let host = hostname();
    all.push(Arc::new(Declared::of(session_log(), STRUCTURE, move |entries, rows| {
        for entry in entries {
            let [day, second, micros] = moment(entry.event_time_micros);
            let client = &entry.client;
            let interface = usize::from(client.interface).checked_sub(1).and_then(|at| INTERFACES.get(at).copied());
            rows.push([
                (&host).into(),
                entry.event.name().into(),
                Cell::Uuid(entry.auth_id),
                (&entry.session_id).into(),
                day,
                second,
                micros,
                (&entry.user).into(),
                Some(entry.auth_type.to_ascii_uppercase()).filter(|name| !name.is_empty()).into(),
                entry.profiles.clone().into(),
                entry.roles.clone().into(),
                Cell::Pairs(entry.settings.clone()),
                client.address.map(|address| address.ip()).into(),
                client.address.map_or(0, |address| u64::from(address.port())).into(),
                interface.into(),
                (&client.hostname).into(),
                (&client.name).into(),
                client.revision.into(),
                client.version.0.into(),
                client.version.1.into(),
                client.version.2.into(),
                (&entry.failure_reason).into(),
            ])?;
        }
        Ok(())
    })?));
    Ok(())
}
