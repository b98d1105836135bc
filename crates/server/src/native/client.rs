//! What clients send: the packets' bodies, read field by field. Every field is there from some revision on
//! (`revision`); every length is bounded.

use std::collections::BTreeMap;

use bytes::Bytes;
use futures::Stream;
use gristmill_base::{Error, ErrorCode, Result, ResultExt};
use gristmill_engine::split::{InsertHead, insert_head};
use gristmill_formats::native::{Block, ByteReader, Revision, read_block};
use gristmill_introspect::Client;
use gristmill_introspect::opentelemetry::TraceContext;
use gristmill_sql::any_bytes;
use gristmill_sql::ast::with_escapes;

use crate::known_settings::{self, Encoding};
use gristmill_formats::native::frames;
use gristmill_formats::native::revision;

/// Bytes of names, values of settings and the like.
const WORD_BYTES_MAX: usize = 1 << 20;
/// Bytes of a query's text, with the rows of VALUES in it.
const QUERY_BYTES_MAX: usize = 64 << 20;
/// Settings and parameters of a query, tables that a client asks for.
const LIST_MAX: usize = 10_000;
/// A setting that must be known.
const IMPORTANT: u64 = 1;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hello {
    pub client: String,
    pub version: (u64, u64),
    pub revision: u64,
    pub database: String,
    pub user: String,
    pub password: String,
}

/// One `name = value` of a query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setting {
    pub name: String,
    pub value: String,
    /// Not known is an error; else it is left out.
    pub important: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Query {
    pub id: String,
    /// What the client says of itself.
    pub client: Client,
    pub settings: Vec<Setting>,
    /// See `gristmill_introspect::Stage`.
    pub stage: u64,
    pub compressed: bool,
    pub text: String,
    /// Values as text, not as SQL.
    pub parameters: BTreeMap<String, String>,
}

fn incorrect(text: impl Into<String>) -> Error {
    Error::new(ErrorCode::INCORRECT_DATA, text)
}

/// The words of a packet, out of a stream of chunks.
pub struct Words<'a, S> {
    pub reader: &'a mut ByteReader<S>,
    pub revision: u64,
}

impl<S: Stream<Item = Result<Bytes>> + Unpin + Send> Words<'_, S> {
    async fn word(&mut self) -> Result<String> {
        self.reader.begin();
        self.reader.string(WORD_BYTES_MAX).await
    }

    async fn skip_word(&mut self) -> Result<()> {
        self.word().await.map(drop)
    }

    async fn number(&mut self) -> Result<u64> {
        self.reader.varuint().await
    }

    async fn skip_bytes(&mut self, bytes: usize) -> Result<()> {
        self.reader.begin();
        self.reader.exact(bytes).await.map(drop)
    }

    fn has(&self, from: u64) -> bool {
        self.revision >= from
    }

    /// The body of the first packet. `revision` is not looked at.
    pub async fn hello(&mut self) -> Result<Hello> {
        let client = self.word().await?;
        let version = (self.number().await?, self.number().await?);
        let revision = self.number().await?;
        let (database, user, password) = (self.word().await?, self.word().await?, self.word().await?);
        Ok(Hello { client, version, revision, database, user, password })
    }

    /// What follows the server's hello; gives the key of the client's quota.
    pub async fn addendum(&mut self) -> Result<String> {
        let quota_key = if self.has(revision::ADDENDUM) { self.word().await? } else { String::new() };
        if self.has(revision::CHUNKED_PACKETS) {
            self.skip_word().await?;
            self.skip_word().await?;
        }
        if self.has(revision::PARALLEL_REPLICAS_VERSION) {
            self.number().await?;
        }
        Ok(quota_key)
    }

    pub async fn query(&mut self) -> Result<Query> {
        let id = self.word().await?;
        let client = match self.has(revision::CLIENT_INFO) {
            true => self.client_info().await.context(|| "in the client info of a query".to_string())?,
            false => Client::default(),
        };
        let settings = self.settings().await.context(|| "in the settings of a query".to_string())?;
        if self.has(revision::ROLES) {
            self.skip_word().await?;
        }
        if self.has(revision::INTERSERVER_SECRET) {
            self.skip_word().await?;
        }
        let stage = self.number().await?;
        let compressed = self.number().await? != 0;
        self.reader.begin();
        let text = self.reader.bytes(QUERY_BYTES_MAX).await?;
        let text = text_of(text);
        let mut parameters = BTreeMap::new();
        if self.has(revision::PARAMETERS) {
            let listed = self.parameters(&mut parameters).await;
            listed.context(|| "in the parameters of a query".to_string())?;
        }
        Ok(Query { id, client, settings, stage, compressed, text: text?, parameters })
    }

    /// Who asks, and for whom: the log tells of the first.
    async fn client_info(&mut self) -> Result<Client> {
        let mut client = Client::default();
        if self.reader.byte().await? == 0 {
            return Ok(client);
        }
        for _ in ["user", "query id", "address"] {
            self.skip_word().await?;
        }
        if self.has(revision::QUERY_START_TIME) {
            self.skip_bytes(8).await?;
        }
        let interface = self.reader.byte().await?;
        client.interface = interface;
        match interface {
            Client::TCP => {
                (client.os_user, client.hostname, client.name) =
                    (self.word().await?, self.word().await?, self.word().await?);
                (client.version.0, client.version.1) = (self.number().await?, self.number().await?);
                client.revision = self.number().await?;
            }
            Client::HTTP => {
                client.http_method = self.reader.byte().await?;
                client.http_user_agent = self.word().await?;
                for (from, words) in [(revision::FORWARDED_FOR, 1), (revision::REFERER, 1), (revision::HTTP_HANDLER, 2)] {
                    for _ in 0..if self.has(from) { words } else { 0 } {
                        self.skip_word().await?;
                    }
                }
            }
            // Other interfaces say nothing of themselves.
            _ => {}
        }
        if self.has(revision::QUOTA_KEY) {
            client.quota_key = self.word().await?;
        }
        if self.has(revision::DISTRIBUTED_DEPTH) {
            self.number().await?;
        }
        if interface == Client::TCP && self.has(revision::VERSION_PATCH) {
            client.version.2 = self.number().await?;
        }
        if self.has(revision::OPENTELEMETRY) && self.reader.byte().await? != 0 {
            // A trace's id comes as two numbers, the higher one first.
            let (high, low) = (self.reader.u64().await?, self.reader.u64().await?);
            let span_id = self.reader.u64().await?;
            let tracestate = self.word().await?;
            let flags = self.reader.byte().await?;
            client.trace = TraceContext::of_ids(u128::from(high) << 64 | u128::from(low), span_id, &tracestate, flags);
        }
        if self.has(revision::PARALLEL_REPLICAS) {
            for _ in 0..3 {
                self.number().await?;
            }
        }
        if self.has(revision::QUERY_LINE_NUMBERS) {
            self.number().await?;
            self.number().await?;
        }
        if self.has(revision::JWT) && self.reader.byte().await? != 0 {
            self.skip_word().await?;
        }
        if self.has(revision::CLIENT_AGENT) {
            self.skip_word().await?;
        }
        if self.has(revision::IS_INTERNAL) {
            self.reader.byte().await?;
        }
        if self.has(revision::CURRENT_ROLES) && self.reader.byte().await? != 0 {
            for _ in 0..bounded(self.number().await?)? {
                self.skip_word().await?;
            }
        }
        Ok(client)
    }

    async fn settings(&mut self) -> Result<Vec<Setting>> {
        if self.has(revision::SETTINGS_AS_STRINGS) {
            return self.list().await;
        }
        let mut all = Vec::new();
        loop {
            let name = self.word().await?;
            if name.is_empty() {
                return Ok(all);
            }
            // A value of unknown make cannot be passed over.
            let encoding = known_settings::encoding(&name)
                .ok_or_else(|| Error::new(ErrorCode::UNKNOWN_SETTING, format!("Unknown setting '{name}'")))?;
            let value = match encoding {
                Encoding::Varuint => self.number().await?.to_string(),
                Encoding::Text => self.word().await?,
            };
            bounded(all.len() as u64)?;
            all.push(Setting { name, value, important: true });
        }
    }

    /// Names, flags and values up to an empty name.
    async fn list(&mut self) -> Result<Vec<Setting>> {
        let mut all = Vec::new();
        loop {
            let name = self.word().await?;
            if name.is_empty() {
                return Ok(all);
            }
            let flags = self.number().await?;
            let value = self.word().await?;
            bounded(all.len() as u64)?;
            all.push(Setting { name, value, important: flags & IMPORTANT != 0 });
        }
    }

    /// Literals, in which any bytes may stand.
    async fn parameters(&mut self, parameters: &mut BTreeMap<String, String>) -> Result<()> {
        loop {
            let name = self.word().await?;
            if name.is_empty() {
                return Ok(());
            }
            self.number().await?;
            self.reader.begin();
            let value = self.reader.bytes(WORD_BYTES_MAX).await?;
            bounded(parameters.len() as u64)?;
            parameters.insert(name, unquoted(&with_escapes(&value)));
        }
    }

    /// Databases and tables that are asked for.
    pub async fn tables_status(&mut self) -> Result<Vec<(String, String)>> {
        let mut tables = Vec::new();
        for _ in 0..bounded(self.number().await?)? {
            tables.push((self.word().await?, self.word().await?));
        }
        Ok(tables)
    }

    /// The body of a packet of data: the name of the table that the block is of, and the block.
    pub async fn data(&mut self, compressed: bool) -> Result<(String, Block)> {
        let name = self.word().await?;
        let revision = Revision(self.revision);
        let ended = || Error::new(ErrorCode::ATTEMPT_TO_READ_AFTER_EOF, "The connection ends within a packet of data");
        if !compressed {
            return Ok((name, read_block(self.reader, revision).await?.ok_or_else(ended)?));
        }
        self.reader.begin();
        let mut inner = ByteReader::new(frames::within(self.reader));
        let block = read_block(&mut inner, revision).await?.ok_or_else(ended)?;
        if !inner.held().is_empty() {
            return Err(incorrect("A compressed block is followed by other bytes in its frame"));
        }
        Ok((name, block))
    }
}

fn bounded(count: u64) -> Result<u64> {
    if count > LIST_MAX as u64 {
        return Err(incorrect(format!("A list of {count} in a packet: {LIST_MAX} are the most")));
    }
    Ok(count)
}

/// The text of a query. Errors: those of `any_bytes::text_of`; SYNTAX_ERROR where rows of a format that is not UTF-8 follow it.
fn text_of(bytes: Vec<u8>) -> Result<String> {
    let has_data = |head: InsertHead| !head.is_values && !bytes[head.data..].trim_ascii().is_empty();
    if str::from_utf8(&bytes).is_err() && insert_head(&bytes, true).is_some_and(has_data) {
        let text = "Syntax error: the data behind the INSERT is not UTF-8: send it as blocks";
        return Err(Error::new(ErrorCode::SYNTAX_ERROR, text));
    }
    any_bytes::text_of(bytes)
}

/// The text that a literal of SQL stands for: parameters are sent as such.
fn unquoted(literal: &str) -> String {
    if literal == "NULL" {
        return "\\N".to_string();
    }
    let Some(inner) = literal.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\'')) else {
        return literal.to_string();
    };
    gristmill_sql::parameters::unescaped(inner)
}
