//! The structure of a source when nobody gave one: from the insert's target, or from the data.
//!
//! By default the first file that tells a structure tells it for all; with `schema_inference_mode = 'union'` every file is
//! looked at, and columns of the same name must fit together. Structures are remembered by the version of the file and the
//! settings that have a say.

use std::sync::Arc;

use bytes::{Bytes, BytesMut};
use futures::StreamExt;
use futures::stream::BoxStream;
use gristmill_base::{Error, ErrorCode, Result, allocations};
use gristmill_formats::columnar::uuids::schema_with_uuids;
use gristmill_formats::{Compression, Format};
use gristmill_introspect::{Event, Settings};
use gristmill_types::{Column, Columns};

use super::fetch::Fetcher;
use super::file::SourceFile;
use super::files::Files;
use super::source::ObjectSource;
use crate::caches::SchemaKey;

type Chunks = BoxStream<'static, Result<Bytes>>;

/// Bytes at the end of an ORC file that tell where its directory is, and more.
const ORC_END_BYTES_MIN: u64 = 4096;
/// Files looked at together in union mode.
const FILES_AT_ONCE: usize = 32;

/// Infers the structure. `files` are all files of the source.
pub async fn structure(source: &ObjectSource, fetcher: &Fetcher, files: &Files) -> Result<Columns> {
    let settings = &fetcher.context.settings;
    let union = match settings.schema_inference_mode.as_str() {
        "default" | "" => false,
        "union" => true,
        other => {
            return Err(Error::new(
                ErrorCode::BAD_ARGUMENTS,
                format!("schema_inference_mode is 'default' or 'union', and not '{other}'"),
            ));
        }
    };
    if union {
        let mut looks = files
            .stream(&fetcher.context)
            .map(|file| async move { of_file(source, fetcher, files, &file?).await })
            .buffered(FILES_AT_ONCE)
            .boxed();
        let mut columns: Option<Vec<Column>> = None;
        while let Some(found) = looks.next().await {
            if let Some(found) = found? {
                unite(columns.get_or_insert_default(), &found)?;
            }
        }
        return columns.map(Columns::new).ok_or_else(|| nothing_to_look_at(source));
    }
    for file in files.known() {
        if let Some(columns) = of_file(source, fetcher, files, file).await? {
            return Ok(columns);
        }
    }
    Err(nothing_to_look_at(source))
}

/// The format that the first file with anything in it has, where no name tells. `None`: all files are empty.
pub async fn format(source: &ObjectSource, fetcher: &Fetcher, files: &Files) -> Result<Option<Format>> {
    for file in files.known().iter().filter(|file| file.size != Some(0)) {
        let (sample, complete) = sample(source, fetcher, files, file).await?;
        if let Some(format) = gristmill_formats::detected_format(&sample, complete, &fetcher.context.settings) {
            return Ok(Some(format));
        }
    }
    Ok(None)
}

fn nothing_to_look_at(source: &ObjectSource) -> Error {
    let place = match source.engine() {
        "S3" => " in S3 or all files are empty",
        "AzureBlobStorage" => " in AzureBlobStorage or all files are empty",
        _ => " or all files are empty",
    };
    Error::new(
        ErrorCode::CANNOT_EXTRACT_TABLE_STRUCTURE,
        format!(
            "The table structure cannot be extracted from a {} format file, because there are no files with provided path{place}: \
             '{}'. You can specify table structure manually",
            source.format.name(),
            source.location.display(&source.location.key),
        ),
    )
}

/// Adds the columns of another file, in the order they first occur.
fn unite(columns: &mut Vec<Column>, structure: &Columns) -> Result<()> {
    for column in structure.iter() {
        match columns.iter_mut().find(|known| known.name == column.name) {
            None => columns.push(column.clone()),
            Some(known) if known.kind == column.kind => {}
            Some(known) => {
                let both = [known.kind.clone(), column.kind.clone()];
                known.kind = gristmill_types::supertype::least_supertype(&both).map_err(|_| {
                    Error::new(
                        ErrorCode::TYPE_MISMATCH,
                        format!(
                            "Automatically inferred type {} of column '{}' differs from the type in another file: {}. Give \
                             the structure, or set schema_inference_mode = 'default'",
                            column.kind, column.name, known.kind
                        ),
                    )
                })?;
            }
        }
    }
    Ok(())
}

/// The structure of one file; `None`: it is empty.
async fn of_file(
    source: &ObjectSource,
    fetcher: &Fetcher,
    files: &Files,
    file: &Arc<SourceFile>,
) -> Result<Option<Columns>> {
    if file.size == Some(0) {
        return Ok(None);
    }
    let settings = &fetcher.context.settings;
    let key = fetcher.key(file).filter(|_| settings.schema_inference_use_cache_for_s3).map(|file| SchemaKey {
        file,
        format: source.format.name().to_string(),
        settings: settings_that_matter(settings),
    });
    if let Some(columns) = key.as_ref().and_then(|key| fetcher.caches.schema(key)) {
        fetcher.context.counters.add(Event::SchemaInferenceCacheHits, 1);
        return Ok(Some(columns));
    }
    fetcher.context.counters.add(Event::SchemaInferenceCacheMisses, 1);
    let looked = async {
        if source.format == Format::Parquet {
            let opened = files.opening().footer(fetcher, file).await?;
            let columns =
                gristmill_formats::columnar::columns_of_arrow(&schema_with_uuids(&opened.footer.reader), settings)?;
            files.opening().keep(file, opened);
            return Ok(Some(columns));
        }
        let is_plain = source.compression_of(&file.key) == Compression::None;
        let (sample, complete) = match source.format {
            Format::Orc if is_plain => (end_of_orc(fetcher, file).await?, false),
            _ => sample(source, fetcher, files, file).await?,
        };
        if sample.is_empty() {
            return Ok(None);
        }
        gristmill_formats::infer_schema(source.format, &sample, complete, settings, &file.path).map(Some)
    };
    let columns = looked.await.map_err(|error| {
        if error.code() == ErrorCode::CANNOT_EXTRACT_TABLE_STRUCTURE {
            return error;
        }
        error.with_context(format!(
            "(while extracting the structure of the {} file '{}'). You can specify it manually",
            source.format.name(),
            file.path
        ))
    })?;
    if let (Some(key), Some(columns)) = (key, &columns) {
        fetcher.caches.keep_schema(key, columns.clone(), fetcher.context.env.now().as_secs());
    }
    Ok(columns)
}

fn settings_that_matter(settings: &Settings) -> String {
    let relevant = |name: &str| {
        name.starts_with("input_format_")
            || name.starts_with("schema_inference_")
            || name.starts_with("format_")
            || name.starts_with("date_time_")
    };
    settings
        .changed()
        .into_iter()
        .filter(|(name, _)| relevant(name))
        .map(|(name, value)| format!("{name}={value};"))
        .collect()
}

/// The end of a file, from where its directory begins.
async fn end_of_orc(fetcher: &Fetcher, file: &Arc<SourceFile>) -> Result<Bytes> {
    let context = &fetcher.context;
    let bytes = context.settings.footer_fetch_bytes.max(ORC_END_BYTES_MIN);
    let (end, info) = fetcher.store.get_suffix(context, &file.key, bytes, file.size).await?;
    let file = fetcher.told(file, &info)?;
    if end.is_empty() {
        return Ok(end);
    }
    let needed = gristmill_formats::orc::end_bytes(&end)?.min(file.size.unwrap_or(u64::MAX));
    if needed <= end.len() as u64 {
        return Ok(end);
    }
    allocations::check_room(usize::try_from(needed).unwrap_or(usize::MAX))?;
    let (end, info) = fetcher.store.get_suffix(context, &file.key, needed, file.size).await?;
    fetcher.told(&file, &info)?;
    Ok(end)
}

/// The beginning of a file, decompressed, and whether that is all of it.
async fn sample(source: &ObjectSource, fetcher: &Fetcher, files: &Files, file: &SourceFile) -> Result<(Bytes, bool)> {
    let limit = fetcher.context.settings.input_format_max_bytes_to_read_for_schema_inference.max(1) as usize;
    // Arrow files have their structure at the beginning; text is judged by its first rows, so a part of the limit is enough.
    // A column behind the first stands behind all values of those before it.
    let by_columns =
        matches!(source.format, Format::Arrow | Format::Avro | Format::JsonColumns | Format::JsonCompactColumns);
    let limit = match source.format {
        // Its structure is at the end.
        Format::Orc => usize::MAX,
        _ if by_columns => limit,
        _ => limit.min(1 << 20),
    };
    let compression = source.compression_of(&file.key);
    if let Some(size) = file.size.filter(|_| fetcher.store.is_remote()) {
        // One request for as much as is needed, which the scan then does not read again.
        let range = 0..size.min(limit as u64);
        let whole = range.end == size;
        let head = fetcher.store.get_range(&fetcher.context, &file.key, range, file.etag.as_deref()).await?;
        files.opening().keep_head(file, head.clone());
        let raw = futures::stream::once(async move { Ok(head) }).boxed();
        match beginning(compression.decoder(raw), limit).await {
            Ok((sample, complete)) => return Ok((sample, complete && whole)),
            // A compressed file of which only the beginning was read ends in the middle.
            Err((sample, _)) if !whole && !sample.is_empty() => return Ok((sample, false)),
            Err((_, error)) if whole => return Err(error),
            // Not even one block of it was whole.
            Err(_) => {}
        }
    }
    let raw = fetcher.store.get_stream(&fetcher.context, &file.key).await?.bytes;
    beginning(compression.decoder(raw), limit).await.map_err(|(_, error)| error)
}

/// Up to so many bytes of a stream, and whether that is all of it; with an error, what came before it.
async fn beginning(mut stream: Chunks, limit: usize) -> Result<(Bytes, bool), (Bytes, Error)> {
    let mut sample = BytesMut::new();
    while let Some(chunk) = stream.next().await {
        match chunk {
            Ok(chunk) => match allocations::check_room(chunk.len()) {
                Ok(()) => sample.extend_from_slice(&chunk),
                Err(error) => return Err((sample.freeze(), error)),
            },
            Err(error) => return Err((sample.freeze(), error)),
        }
        if sample.len() >= limit {
            return Ok((sample.freeze(), false));
        }
    }
    Ok((sample.freeze(), true))
}
