//! A folder as a read-only S3 bucket: GetObject with ranges, HeadObject, ListObjectsV2.
//!
//! `s3s` speaks the protocol and checks signatures; this answers its calls from files. (`s3s-fs` would do as well and
//! write too, but it hashes the whole file for every range that is asked of it and hands out 4 KiB at a time, so that one
//! would measure the server and not the engine.)

use std::fs::{File, Metadata};
use std::io::ErrorKind;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use bytes::Bytes;
use futures::stream;
use s3s::dto::{
    CommonPrefix, ETag, ETagCondition, GetObjectInput, GetObjectOutput, HeadBucketInput, HeadBucketOutput, HeadObjectInput,
    HeadObjectOutput, ListObjectsV2Input, ListObjectsV2Output, Object, StreamingBlob, Timestamp,
};
use s3s::{S3, S3Request, S3Response, S3Result, s3_error};

/// Bytes that are read from a file and handed to the socket at a time.
const CHUNK_BYTES: u64 = 256 << 10;
const KEYS_PER_PAGE: usize = 1000;

#[derive(Debug)]
pub struct FolderStore {
    /// Its folders are the buckets.
    root: PathBuf,
}

impl FolderStore {
    pub fn new(root: impl Into<PathBuf>) -> Self {
        FolderStore { root: root.into() }
    }

    fn bucket(&self, name: &str) -> S3Result<PathBuf> {
        let path = self.root.join(name);
        if plain(name) && path.is_dir() { Ok(path) } else { Err(s3_error!(NoSuchBucket)) }
    }

    fn open(&self, bucket: &str, key: &str) -> S3Result<(File, Metadata)> {
        let bucket = self.bucket(bucket)?;
        if !plain(key) {
            return Err(s3_error!(NoSuchKey));
        }
        let file = File::open(bucket.join(key)).map_err(|error| match error.kind() {
            ErrorKind::NotFound | ErrorKind::NotADirectory => s3_error!(NoSuchKey),
            _ => s3_error!(error, InternalError),
        })?;
        let metadata = file.metadata().map_err(|error| s3_error!(error, InternalError))?;
        if metadata.is_file() { Ok((file, metadata)) } else { Err(s3_error!(NoSuchKey)) }
    }
}

/// Whether a name stays below the folder it is joined to.
fn plain(name: &str) -> bool {
    Path::new(name).components().all(|part| matches!(part, Component::Normal(_)))
}

/// Changes whenever the file does.
fn etag(metadata: &Metadata) -> ETag {
    let modified = i128::from(metadata.mtime()) * 1_000_000_000 + i128::from(metadata.mtime_nsec());
    ETag::Strong(format!("{:x}-{:x}-{modified:x}", metadata.ino(), metadata.len()))
}

fn modified(metadata: &Metadata) -> Option<Timestamp> {
    metadata.modified().ok().map(Timestamp::from)
}

/// Every file below `folder` as a key, in the order of the bytes of keys.
fn keys(folder: &Path) -> std::io::Result<Vec<(String, Metadata)>> {
    let mut found = Vec::new();
    let mut folders = vec![(folder.to_path_buf(), String::new())];
    while let Some((folder, prefix)) = folders.pop() {
        for entry in std::fs::read_dir(folder)? {
            let entry = entry?;
            let key = format!("{prefix}{}", entry.file_name().to_string_lossy());
            let metadata = entry.metadata()?;
            if metadata.is_dir() {
                folders.push((entry.path(), key + "/"));
            } else {
                found.push((key, metadata));
            }
        }
    }
    found.sort_by(|a, b| a.0.cmp(&b.0));
    Ok(found)
}

#[async_trait::async_trait]
impl S3 for FolderStore {
    async fn get_object(&self, request: S3Request<GetObjectInput>) -> S3Result<S3Response<GetObjectOutput>> {
        let input = request.input;
        let (file, metadata) = self.open(&input.bucket, &input.key)?;
        let tag = etag(&metadata);
        match input.if_match {
            Some(ETagCondition::ETag(wanted)) if wanted != tag => return Err(s3_error!(PreconditionFailed)),
            _ => {}
        }
        let range = match input.range {
            Some(range) => range.check(metadata.len()).map_err(|_| s3_error!(InvalidRange))?,
            None => 0..metadata.len(),
        };
        let mut output = GetObjectOutput {
            content_length: i64::try_from(range.end - range.start).ok(),
            e_tag: Some(tag),
            last_modified: modified(&metadata),
            accept_ranges: Some("bytes".to_string()),
            ..Default::default()
        };
        if input.range.is_some() {
            output.content_range = Some(format!("bytes {}-{}/{}", range.start, range.end - 1, metadata.len()));
        }
        let chunks = stream::try_unfold((Arc::new(file), range), |(file, range)| async move {
            if range.is_empty() {
                return Ok(None);
            }
            let until = range.end.min(range.start + CHUNK_BYTES);
            let reader = file.clone();
            let chunk = tokio::task::spawn_blocking(move || {
                let mut chunk = vec![0; (until - range.start) as usize];
                reader.read_exact_at(&mut chunk, range.start).map(|()| chunk)
            });
            let chunk = chunk.await.map_err(std::io::Error::other)??;
            Ok::<_, std::io::Error>(Some((Bytes::from(chunk), (file, until..range.end))))
        });
        output.body = Some(StreamingBlob::wrap(chunks));
        Ok(S3Response::new(output))
    }

    async fn head_object(&self, request: S3Request<HeadObjectInput>) -> S3Result<S3Response<HeadObjectOutput>> {
        let (_, metadata) = self.open(&request.input.bucket, &request.input.key)?;
        Ok(S3Response::new(HeadObjectOutput {
            content_length: i64::try_from(metadata.len()).ok(),
            e_tag: Some(etag(&metadata)),
            last_modified: modified(&metadata),
            accept_ranges: Some("bytes".to_string()),
            ..Default::default()
        }))
    }

    async fn head_bucket(&self, request: S3Request<HeadBucketInput>) -> S3Result<S3Response<HeadBucketOutput>> {
        self.bucket(&request.input.bucket)?;
        Ok(S3Response::new(HeadBucketOutput::default()))
    }

    async fn list_objects_v2(&self, request: S3Request<ListObjectsV2Input>) -> S3Result<S3Response<ListObjectsV2Output>> {
        let input = request.input;
        let folder = self.bucket(&input.bucket)?;
        let all = tokio::task::spawn_blocking(move || keys(&folder))
            .await
            .map_err(|error| s3_error!(error, InternalError))?
            .map_err(|error| s3_error!(error, InternalError))?;
        let prefix = input.prefix.as_deref().unwrap_or_default();
        let after = input.continuation_token.as_deref().or(input.start_after.as_deref()).unwrap_or_default();
        let limit = input.max_keys.and_then(|keys| usize::try_from(keys).ok()).unwrap_or(KEYS_PER_PAGE).min(KEYS_PER_PAGE);
        let mut contents = Vec::new();
        let mut folders: Vec<CommonPrefix> = Vec::new();
        let mut last = None;
        let mut truncated = false;
        for (key, metadata) in all.iter().filter(|(key, _)| key.starts_with(prefix) && key.as_str() > after) {
            let below = input.delimiter.as_deref().filter(|delimiter| !delimiter.is_empty()).and_then(|delimiter| {
                key[prefix.len()..].find(delimiter).map(|at| key[..prefix.len() + at + delimiter.len()].to_string())
            });
            if below.is_some()
                && (folders.last().is_some_and(|last| last.prefix == below)
                    || below.as_deref().is_some_and(|below| after.starts_with(below)))
            {
                last = Some(key.clone());
                continue;
            }
            if contents.len() + folders.len() == limit {
                truncated = true;
                break;
            }
            last = Some(key.clone());
            match below {
                Some(prefix) => folders.push(CommonPrefix { prefix: Some(prefix) }),
                None => contents.push(Object {
                    key: Some(key.clone()),
                    size: i64::try_from(metadata.len()).ok(),
                    e_tag: Some(etag(metadata)),
                    last_modified: modified(metadata),
                    ..Default::default()
                }),
            }
        }
        Ok(S3Response::new(ListObjectsV2Output {
            key_count: i32::try_from(contents.len() + folders.len()).ok(),
            contents: Some(contents),
            common_prefixes: Some(folders),
            is_truncated: Some(truncated),
            next_continuation_token: last.filter(|_| truncated),
            name: Some(input.bucket),
            prefix: input.prefix,
            delimiter: input.delimiter,
            max_keys: input.max_keys,
            ..Default::default()
        }))
    }
}
