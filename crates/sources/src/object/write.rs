//! Writing into a source: `INSERT INTO FUNCTION s3(…)`, `file(…)`, and the engines.
//!
//! One object, streamed: rows are encoded into the format, compressed, and handed to a multipart upload as they come, so
//! what is held is bounded by its parts in flight. The object becomes visible when the writer commits; until then, and after
//! a failure, there is nothing. An object that exists is refused, replaced, or joined by `name.1.ext`, as the settings say;
//! a file grows where its format can go on behind its end.

use std::sync::Arc;

use arrow::array::RecordBatch;
use async_trait::async_trait;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_catalog::{TableDefinition, TableWriter, WriteLane};
use gristmill_formats::compression::Encoder;
use gristmill_formats::{OutputContext, OutputFormat, ResultSummary, writer};
use gristmill_introspect::QueryContext;
use gristmill_objstore::{Glob, Provider, Store, Upload};
use parking_lot::Mutex;

use super::convert::session_timezone;
use super::source::ObjectSource;

/// Encoded bytes that are handed on at once.
const PIECE_BYTES: usize = 1 << 20;
/// Names that are tried for a new file beside one that exists.
const NAMES_TRIED: usize = 100_000;

pub async fn open(
    source: &Arc<ObjectSource>,
    definition: &Arc<TableDefinition>,
    context: &Arc<QueryContext>,
) -> Result<Arc<dyn TableWriter>> {
    let location = &source.location;
    if !source.format.is_output() {
        return Err(Error::new(
            ErrorCode::BAD_ARGUMENTS,
            format!("Format {} is not suitable for output", source.format.name()),
        ));
    }
    if definition.partition_by.is_some() || location.key.contains("{_partition_id}") {
        return Err(Error::not_implemented("PARTITION BY in an INSERT into files"));
    }
    let glob = Glob::parse(&location.key)?;
    if location.provider != Provider::Http && !glob.is_literal() {
        return Err(Error::new(
            ErrorCode::BAD_ARGUMENTS,
            format!("{} key '{}' contains globs, so the table is in readonly mode", location.provider.name(), location.key),
        ));
    }
    if location.key.is_empty() || location.key.ends_with('/') {
        return Err(Error::new(
            ErrorCode::BAD_ARGUMENTS,
            format!("'{}' names no file to write", location.display(&location.key)),
        ));
    }
    let store = Store::open(location, &source.credentials, &source.headers, &context.settings)?;
    let target = target(source, &store, context).await?;
    let (Target::New(key) | Target::Behind(key)) = &target;
    let output = OutputContext {
        settings: context.settings.clone(),
        timezone: session_timezone(&context.settings),
        terminal: false,
        width: None,
    };
    let level = i32::try_from(context.settings.output_format_compression_level).ok();
    let mut encoding = Encoding {
        format: writer(source.format, &definition.columns, output)?,
        encoder: source.compression_of(key).encoder(level),
        plain: Vec::new(),
        started: false,
    };
    let upload = match &target {
        Target::New(key) => store.upload(context, key),
        Target::Behind(key) => {
            // Its header is there.
            encoding.started = true;
            encoding.format.start(&mut Vec::new())?;
            store.append(context, key)
        }
    };
    Ok(Arc::new(ObjectWriter {
        context: context.clone(),
        state: Arc::new(Mutex::new(Some(State { encoding, upload }))),
        lane_given: Mutex::new(false),
    }))
}

/// Where the rows will be written.
#[derive(Debug, PartialEq)]
enum Target {
    /// An object of its own.
    New(String),
    /// Behind what a file holds.
    Behind(String),
}

/// Where the rows will be written, or why they may not be.
async fn target(source: &ObjectSource, store: &Store, context: &Arc<QueryContext>) -> Result<Target> {
    let key = &source.location.key;
    let settings = &context.settings;
    let (truncate, create_new, truncate_name, create_name) = match source.location.provider {
        // A PUT or POST is all that HTTP knows.
        Provider::Http => return Ok(Target::New(key.clone())),
        Provider::Azure => (
            settings.azure_truncate_on_insert,
            settings.azure_create_new_file_on_insert,
            "azure_truncate_on_insert",
            "azure_create_new_file_on_insert",
        ),
        Provider::File => (
            settings.engine_file_truncate_on_insert,
            settings.engine_file_allow_create_multiple_files,
            "engine_file_truncate_on_insert",
            "engine_file_allow_create_multiple_files",
        ),
        _ => (
            settings.s3_truncate_on_insert,
            settings.s3_create_new_file_on_insert,
            "s3_truncate_on_insert",
            "s3_create_new_file_on_insert",
        ),
    };
    let is_file = source.location.provider == Provider::File;
    if truncate && !is_file {
        return Ok(Target::New(key.clone()));
    }
    match store.head_if_any(context, key).await? {
        None => return Ok(Target::New(key.clone())),
        // A pipe or a device.
        Some(there) if is_file && there.size.is_none() => return Ok(Target::Behind(key.clone())),
        Some(there) if is_file && (truncate || there.size == Some(0)) => return Ok(Target::New(key.clone())),
        Some(_) if is_file && source.format.supports_append() => return Ok(Target::Behind(key.clone())),
        Some(_) if create_new => {}
        Some(_) => {
            let name = source.location.display(key);
            let (code, why) = match is_file {
                true => {
                    let format = source.format.name();
                    let why = format!("File '{name}' already exists, and format {format} does not support appending to it");
                    (ErrorCode::CANNOT_APPEND_TO_FILE, why)
                }
                false => (ErrorCode::BAD_ARGUMENTS, format!("Object '{name}' already exists")),
            };
            return Err(Error::new(
                code,
                format!(
                    "{why}. If you want to overwrite it, enable setting {truncate_name}, if you want to create a new file on \
                     each insert, enable setting {create_name}"
                ),
            ));
        }
    }
    for number in 1..=NAMES_TRIED {
        let name = numbered(key, number);
        if !store.exists(context, &name).await? {
            return Ok(Target::New(name));
        }
    }
    Err(Error::new(
        ErrorCode::BAD_ARGUMENTS,
        format!("'{}' and {NAMES_TRIED} names beside it are taken", source.location.display(key)),
    ))
}

/// `data.csv.gz` → `data.1.csv.gz`: the number goes before the first dot of the name.
fn numbered(key: &str, number: usize) -> String {
    let name_at = key.rfind('/').map_or(0, |slash| slash + 1);
    match key[name_at..].find('.') {
        Some(dot) => format!("{}.{number}{}", &key[..name_at + dot], &key[name_at + dot..]),
        None => format!("{key}.{number}"),
    }
}

struct Encoding {
    format: Box<dyn OutputFormat>,
    encoder: Encoder,
    plain: Vec<u8>,
    started: bool,
}

impl Encoding {
    /// Encodes and compresses; what comes out is appended to `out`.
    fn write(&mut self, batch: Option<&RecordBatch>, out: &mut Vec<u8>) -> Result<()> {
        if !self.started {
            self.started = true;
            self.format.start(&mut self.plain)?;
        }
        match batch {
            Some(batch) => self.format.write(batch, &mut self.plain)?,
            None => self.format.finish(&ResultSummary::default(), &mut self.plain)?,
        }
        self.encoder.write(&self.plain, out)?;
        self.plain.clear();
        if batch.is_none() {
            self.encoder.finish(out)?;
        }
        Ok(())
    }
}

struct State {
    encoding: Encoding,
    upload: Upload,
}

struct ObjectWriter {
    context: Arc<QueryContext>,
    /// Taken by the lane while it writes, and put back when it finished.
    state: Arc<Mutex<Option<State>>>,
    lane_given: Mutex<bool>,
}

#[async_trait]
impl TableWriter for ObjectWriter {
    async fn lane(&self) -> Result<Box<dyn WriteLane>> {
        let mut given = self.lane_given.lock();
        let state = if *given { None } else { self.state.lock().take() };
        *given = true;
        let state = state.ok_or_else(|| Error::logical("A file is written by one lane"))?;
        Ok(Box::new(ObjectLane { context: self.context.clone(), home: self.state.clone(), state, pending: Vec::new() }))
    }

    fn max_lanes(&self) -> usize {
        1
    }

    async fn commit(&self) -> Result<()> {
        let state = self.state.lock().take();
        let mut state = state.ok_or_else(|| Error::logical("A file was committed before its lane finished"))?;
        let mut rest = Vec::new();
        let finished = match state.encoding.write(None, &mut rest) {
            Ok(()) => state.upload.write(rest.into()).await,
            Err(error) => Err(error),
        };
        match finished {
            Ok(()) => state.upload.finish().await.map(|_| ()),
            Err(error) => {
                let _ = state.upload.abort().await;
                Err(error)
            }
        }
    }

    async fn abort(&self) {
        let state = self.state.lock().take();
        if let Some(state) = state {
            let _ = state.upload.abort().await;
        }
    }
}

/// Dropped before `finish`, its upload is aborted by its own drop.
struct ObjectLane {
    context: Arc<QueryContext>,
    home: Arc<Mutex<Option<State>>>,
    state: State,
    pending: Vec<u8>,
}

#[async_trait]
impl WriteLane for ObjectLane {
    async fn write(&mut self, batch: RecordBatch) -> Result<()> {
        self.context.check()?;
        self.state.encoding.write(Some(&batch), &mut self.pending)?;
        if self.pending.len() >= PIECE_BYTES {
            self.state.upload.write(std::mem::take(&mut self.pending).into()).await?;
        }
        Ok(())
    }

    async fn finish(self: Box<Self>) -> Result<()> {
        let ObjectLane { home, mut state, pending, .. } = *self;
        state.upload.write(pending.into()).await?;
        *home.lock() = Some(state);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_file_gets_a_number_before_its_extension() {
        assert_eq!(numbered("a.b/data.csv.gz", 1), "a.b/data.1.csv.gz");
        assert_eq!(numbered("data", 12), "data.12");
    }
}
