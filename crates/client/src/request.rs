//! What a client sends: packets as bytes.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow::array::RecordBatch;
use gristmill_base::{Error, Result, machine};
use gristmill_engine::ExternalTable;
use gristmill_formats::native::packets::client::*;
use gristmill_formats::native::{Revision, packets, revision, write_string, write_varuint};
use gristmill_introspect::opentelemetry::TraceContext;
use gristmill_introspect::without_effect::is_number;
use gristmill_introspect::{Client, Settings, Stage, custom};
use gristmill_types::Columns;

use crate::endpoint::Endpoint;

/// What is sent by name; `true`: the server must know it.
const IMPORTANT: u64 = 1;
/// A parameter of a query.
const CUSTOM: u64 = 2;

/// How packets are written for a server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Dialect {
    /// The lower of both sides'.
    pub revision: u64,
    pub compressed: bool,
}

/// A query as it is sent.
#[derive(Clone, Debug, Default)]
pub struct QueryToSend {
    pub id: String,
    pub text: String,
    pub settings: BTreeMap<String, String>,
    pub parameters: BTreeMap<String, String>,
    pub external: Arc<[ExternalTable]>,
    /// The trace that it belongs to.
    pub trace: Option<TraceContext>,
    /// How far the server processes it.
    pub stage: Stage,
}

/// Major, minor and patch of this program.
fn version() -> [u64; 3] {
    let mut numbers = env!("CARGO_PKG_VERSION").split('.').map(|number| number.parse().unwrap_or(0));
    [(); 3].map(|()| numbers.next().unwrap_or(0))
}

/// The first packet.
pub fn hello(endpoint: &Endpoint, database: &str) -> Vec<u8> {
    let mut out = Vec::new();
    let [major, minor, _] = version();
    write_varuint(HELLO, &mut out);
    write_string(Client::GRISTMILL.as_bytes(), &mut out);
    for number in [major, minor, revision::CLIENT] {
        write_varuint(number, &mut out);
    }
    for word in [database, &endpoint.user, endpoint.password.reveal()] {
        write_string(word.as_bytes(), &mut out);
    }
    out
}

/// Ends what runs.
pub fn cancel() -> Vec<u8> {
    vec![CANCEL as u8]
}

/// Asks whether the server is there.
pub fn ping() -> Vec<u8> {
    vec![PING as u8]
}

impl Dialect {
    fn has(self, from: u64) -> bool {
        self.revision >= from
    }

    /// What follows the server's hello.
    pub fn addendum(self, quota_key: &str) -> Vec<u8> {
        let mut out = Vec::new();
        if self.has(revision::ADDENDUM) {
            write_string(quota_key.as_bytes(), &mut out);
        }
        out
    }

    /// A query, with its external tables and the empty block that ends them. Error: NOT_IMPLEMENTED where the server is too old for
    /// what is to be said.
    pub fn query(self, query: &QueryToSend, user: &str, quota_key: &str) -> Result<Vec<u8>> {
        let mut out = Vec::new();
        write_varuint(QUERY, &mut out);
        write_string(query.id.as_bytes(), &mut out);
        self.client_info(user, quota_key, query.trace.as_ref(), &mut out);
        if self.has(revision::SETTINGS_AS_STRINGS) {
            for (name, value) in &query.settings {
                write_string(name.as_bytes(), &mut out);
                // A setting of the user's own is told with its type; a server that has no such prefix says so.
                write_varuint(if custom::is_custom(name) { CUSTOM } else { IMPORTANT }, &mut out);
                write_string(value.as_bytes(), &mut out);
            }
        } else {
            self.settings_by_type(&query.settings, &mut out)?;
        }
        write_string(b"", &mut out);
        if self.has(revision::INTERSERVER_SECRET) {
            write_string(b"", &mut out);
        }
        write_varuint(query.stage.number(), &mut out);
        write_varuint(u64::from(self.compressed), &mut out);
        write_string(query.text.as_bytes(), &mut out);
        if self.has(revision::PARAMETERS) {
            for (name, value) in &query.parameters {
                write_string(name.as_bytes(), &mut out);
                write_varuint(CUSTOM, &mut out);
                write_string(quoted(value).as_bytes(), &mut out);
            }
            write_string(b"", &mut out);
        } else if let Some((name, _)) = query.parameters.first_key_value() {
            return Err(Error::not_implemented(format!(
                "Parameters of a query ({name}) for a server of revision {}: write the value into the query",
                self.revision
            )));
        }
        for table in query.external.iter() {
            let block = |batch| {
                let revision = Revision(self.revision);
                packets::named_block(DATA, &table.name, &table.columns, batch, revision, self.compressed)
            };
            // A table without rows has to be there as well.
            if table.batches.is_empty() {
                out.extend_from_slice(&block(None)?);
            }
            for batch in &table.batches {
                out.extend_from_slice(&block(Some(batch))?);
            }
        }
        out.extend_from_slice(&self.block(&Columns::default(), None)?);
        Ok(out)
    }

    /// Settings for servers that take a number as a number: of those that are known here, of which the type is known too.
    fn settings_by_type(self, settings: &BTreeMap<String, String>, out: &mut Vec<u8>) -> Result<()> {
        if self.has(revision::COLUMN_DEFAULTS) {
            // They tell the columns of an INSERT's table to who asks.
            write_string(b"insert_sample_with_metadata", out);
            write_varuint(1, out);
        }
        let declared = Settings::declared();
        for (name, value) in settings {
            let unknown = || {
                Error::not_implemented(format!(
                    "The setting {name} = {value} of a query for a server of revision {}: use SET, or a server of {} or later",
                    self.revision,
                    revision::SETTINGS_AS_STRINGS
                ))
            };
            let kind = declared.iter().find(|known| known.name == name).map(|known| known.kind).ok_or_else(unknown)?;
            write_string(name.as_bytes(), out);
            match (kind, value.as_str()) {
                (kind, text) if !is_number(kind) => write_string(text.as_bytes(), out),
                (_, "true") => write_varuint(1, out),
                (_, "false" | "auto") => write_varuint(0, out),
                (_, number) => write_varuint(number.parse().map_err(|_| unknown())?, out),
            }
        }
        Ok(())
    }

    fn client_info(self, user: &str, quota_key: &str, trace: Option<&TraceContext>, out: &mut Vec<u8>) {
        const INITIAL_QUERY: u8 = 1;
        const TCP: u8 = 1;
        out.push(INITIAL_QUERY);
        // The user and the id of the first query are those that the server knows; it sees the address itself.
        write_string(user.as_bytes(), out);
        write_string(b"", out);
        write_string(b"0.0.0.0:0", out);
        if self.has(revision::QUERY_START_TIME) {
            out.extend_from_slice(&0i64.to_le_bytes());
        }
        out.push(TCP);
        let of_system = |name: &str| std::env::var(name);
        let os_user = of_system("USER").or_else(|_| of_system("LOGNAME")).unwrap_or_default();
        for word in [os_user, machine::hostname(), Client::GRISTMILL.to_string()] {
            write_string(word.as_bytes(), out);
        }
        let [major, minor, patch] = version();
        for number in [major, minor, revision::CLIENT] {
            write_varuint(number, out);
        }
        if self.has(revision::QUOTA_KEY) {
            write_string(quota_key.as_bytes(), out);
        }
        if self.has(revision::DISTRIBUTED_DEPTH) {
            write_varuint(0, out);
        }
        if self.has(revision::VERSION_PATCH) {
            write_varuint(patch, out);
        }
        if self.has(revision::OPENTELEMETRY) {
            out.push(u8::from(trace.is_some()));
            if let Some(trace) = trace {
                // As an UUID: the upper half first.
                out.extend_from_slice(&((trace.trace_id >> 64) as u64).to_le_bytes());
                out.extend_from_slice(&(trace.trace_id as u64).to_le_bytes());
                out.extend_from_slice(&trace.span_id.to_le_bytes());
                write_string(trace.tracestate.as_bytes(), out);
                out.push(trace.flags);
            }
        }
        if self.has(revision::PARALLEL_REPLICAS) {
            for _ in 0..3 {
                write_varuint(0, out);
            }
        }
    }

    /// Rows, or (`None`) a block without any: with no columns it ends them.
    pub fn block(self, columns: &Columns, batch: Option<&RecordBatch>) -> Result<Vec<u8>> {
        packets::block(DATA, columns, batch, Revision(self.revision), self.compressed)
    }
}

/// A text as a literal of SQL: parameters are sent as such.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\\', "\\\\").replace('\'', "\\'"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hello_names_us_and_no_password_is_shown() {
        let endpoint = Endpoint { password: gristmill_base::redact::Secret::new("pw"), ..Endpoint::default() };
        assert!(hello(&endpoint, "db").ends_with(b"\x02db\x07default\x02pw"));
        assert!(!format!("{endpoint:?}").contains("pw"));
    }

    #[test]
    fn the_stage_stands_before_the_text() {
        let dialect = Dialect { revision: revision::CLIENT, compressed: false };
        let bytes = |stage: Stage| {
            let query = QueryToSend { text: "SELECT 1".into(), stage, ..QueryToSend::default() };
            dialect.query(&query, "u", "").expect("writes")
        };
        let has = |bytes: &[u8], wanted: &[u8]| bytes.windows(wanted.len()).any(|window| window == wanted);
        assert!(has(&bytes(Stage::default()), b"\x02\x00\x08SELECT 1"));
        assert!(has(&bytes(Stage::WithMergeableState), b"\x01\x00\x08SELECT 1"));
    }

    #[test]
    fn old_servers_get_fewer_fields_and_never_half_of_what_was_asked() {
        let mut query = QueryToSend { text: "SELECT 1".into(), ..QueryToSend::default() };
        let old = Dialect { revision: 54400, compressed: false };
        let new = Dialect { revision: revision::CLIENT, compressed: false };
        let length = |dialect: Dialect, query: &QueryToSend| dialect.query(query, "u", "").map(|bytes| bytes.len());
        assert!(length(old, &query).expect("writes") < length(new, &query).expect("writes"));
        query.settings.insert("max_threads".into(), "3".into());
        assert!(old.query(&query, "u", "").expect("writes").windows(13).any(|bytes| bytes == b"\x0bmax_threads\x03"));
        query.settings.insert("of_which_nobody_heard".into(), "3".into());
        assert!(length(old, &query).is_err() && length(new, &query).is_ok());
        query.settings.clear();
        query.parameters.insert("x".into(), "it's".into());
        assert!(length(old, &query).is_err() && length(new, &query).is_ok());
        assert_eq!(quoted("it's \\N"), "'it\\'s \\\\N'");
    }
}
