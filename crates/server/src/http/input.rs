//! The body of a request: decompressed as it comes, and taken apart into the query's text and the data that follows it.

use std::sync::Arc;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use futures::stream::{BoxStream, StreamExt};
use gristmill_base::{Error, ErrorCode, Result, allocations};
use gristmill_engine::split::insert_head;
use gristmill_engine::{InputData, StatementText};
use gristmill_formats::Compression;
use gristmill_sql::any_bytes;
use http_body_util::BodyDataStream;
use hyper::body::Incoming;
use parking_lot::Mutex;

use crate::core::one_statement;
use crate::traffic::{Received, awaited};
use gristmill_formats::native::frames;

/// Bytes of a query's text.
const QUERY_BYTES_MAX: usize = 64 << 20;
/// Rows behind VALUES up to here may be expressions; longer ones are read as data, as they come.
const VALUES_AS_SQL_BYTES: usize = 256 << 10;

/// A client that sends on although its statement failed is heard for so long, and so much: one that is cut off in its
/// middle often does not see the error.
const DRAIN_LONGEST: Duration = Duration::from_secs(10);
const DRAIN_BYTES_MAX: usize = 256 << 20;

/// What is left of a body when nobody reads it any more.
#[derive(Clone)]
pub struct Rest {
    left: Arc<Mutex<Option<BodyDataStream<Incoming>>>>,
    /// A client that sends nothing of its body for so long is gone.
    longest: Arc<Mutex<Duration>>,
    /// What came of it.
    pub received: Arc<Received>,
}

impl Rest {
    /// Of a body each piece of which is waited for so long, until more is known of who sends it.
    pub fn waiting(longest: Duration) -> Rest {
        Rest { left: Arc::default(), longest: Arc::new(Mutex::new(longest)), received: Arc::default() }
    }

    /// From the next piece on.
    pub fn wait(&self, longest: Duration) {
        *self.longest.lock() = longest;
    }

    /// Reads it to its end, if that is near. False: it is not read.
    pub async fn drain(&self) -> bool {
        let Some(mut chunks) = self.left.lock().take() else { return true };
        let read = async {
            let mut bytes = 0;
            while let Some(Ok(chunk)) = chunks.next().await {
                bytes += chunk.len();
                if bytes > DRAIN_BYTES_MAX {
                    return false;
                }
            }
            true
        };
        tokio::time::timeout(DRAIN_LONGEST, read).await.unwrap_or(false)
    }
}

/// A body that is being read. Dropped in its middle, it leaves the rest.
struct Reading {
    chunks: Option<BodyDataStream<Incoming>>,
    rest: Rest,
}

impl Reading {
    /// Nothing is left of it.
    fn end(&mut self) {
        self.chunks = None;
    }
}

impl Drop for Reading {
    fn drop(&mut self) {
        *self.rest.left.lock() = self.chunks.take();
    }
}

/// The bytes of a body, without its compressions.
pub fn body(incoming: Incoming, rest: &Rest, codec: Compression, framed: bool) -> InputData {
    let chunks = raw(incoming, rest);
    let decoded = codec.decoder(chunks);
    if framed { frames::decoded(decoded) } else { decoded }
}

/// The bytes of a body as they come.
pub fn raw(incoming: Incoming, rest: &Rest) -> BoxStream<'static, Result<Bytes>> {
    let reading = Reading { chunks: Some(BodyDataStream::new(incoming)), rest: rest.clone() };
    futures::stream::try_unfold(reading, |mut reading| async move {
        let Some(chunks) = &mut reading.chunks else { return Ok(None) };
        let longest = *reading.rest.longest.lock();
        let (next, waited) = awaited(tokio::time::timeout(longest, chunks.next())).await;
        let bytes = if let Ok(Some(Ok(chunk))) = &next { chunk.len() } else { 0 };
        reading.rest.received.add(bytes, waited);
        let next = next.map_err(|_| {
            let seconds = longest.as_secs_f64();
            let text = format!("The client sent nothing of its body for {seconds} seconds (http_receive_timeout)");
            Error::new(ErrorCode::SOCKET_TIMEOUT, text)
        })?;
        match next {
            // The connection allocated it, for nobody.
            Some(Ok(chunk)) => Ok(Some((allocations::adopted(chunk), reading))),
            Some(Err(error)) => {
                reading.end();
                Err(Error::new(
                    ErrorCode::CANNOT_READ_ALL_DATA,
                    format!("Cannot read the body of the request to its end: {error}"),
                ))
            }
            None => {
                reading.end();
                Ok(None)
            }
        }
    })
    .boxed()
}

/// A statement, and the data that comes behind it.
pub struct Taken {
    pub statement: StatementText,
    pub data: Option<InputData>,
}

/// Takes text and data apart: `query` is that of the URL, and the body goes on where it ends. Errors: SYNTAX_ERROR,
/// QUERY_IS_TOO_LARGE, those of reading the body.
pub async fn take(query: &[u8], mut body: InputData) -> Result<Taken> {
    let mut text = BytesMut::from(query);
    if !query.is_empty() {
        text.extend_from_slice(b"\n");
    }
    let mut looked_at = 0;
    let mut ended = false;
    loop {
        // Looked at again when it has doubled: each byte is looked at twice at most.
        if ended || text.len() >= looked_at * 2 {
            looked_at = text.len().max(1);
            if let Some(head) = insert_head(&text, ended) {
                let whole = head.is_values && ended && text.len() <= VALUES_AS_SQL_BYTES;
                let goes_on = head.is_values && !ended && text.len() <= VALUES_AS_SQL_BYTES;
                // VALUES without rows is for the parser of data, too.
                let has_rows = !text[head.data..].trim_ascii().is_empty();
                if whole && has_rows {
                    return Ok(Taken { statement: StatementText { text: text_of(&text)?, inline_data: None }, data: None });
                }
                if !goes_on {
                    let statement = text_of(&text[..head.statement])?;
                    let first = text.split_off(head.data).freeze();
                    let data = futures::stream::iter([Ok(first)]).chain(body).boxed();
                    return Ok(Taken { statement: StatementText { text: statement, inline_data: None }, data: Some(data) });
                }
            }
        }
        if ended {
            return plain(&text);
        }
        match body.next().await {
            Some(chunk) => text.extend_from_slice(&chunk?),
            None => ended = true,
        }
        if text.len() > QUERY_BYTES_MAX {
            return Err(Error::new(
                ErrorCode::QUERY_IS_TOO_LARGE,
                format!("The text of the query is longer than {QUERY_BYTES_MAX} bytes"),
            ));
        }
    }
}

/// All of a body. Errors: QUERY_IS_TOO_LARGE, those of reading it.
pub async fn whole(mut body: InputData) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    while let Some(chunk) = body.next().await {
        bytes.extend_from_slice(&chunk?);
        if bytes.len() > QUERY_BYTES_MAX {
            return Err(Error::new(
                ErrorCode::QUERY_IS_TOO_LARGE,
                format!("The body of the request is longer than {QUERY_BYTES_MAX} bytes"),
            ));
        }
    }
    Ok(bytes)
}

/// A text without data. An INSERT that has none in a format finds that out itself.
fn plain(text: &[u8]) -> Result<Taken> {
    let statement = one_statement(&text_of(text)?)?;
    Ok(Taken { statement, data: Some(futures::stream::empty().boxed()) })
}

fn text_of(bytes: &[u8]) -> Result<String> {
    any_bytes::text_of(bytes.to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The statement, and its data where it has any, of a body that comes in chunks of that many bytes.
    fn taken(query: &str, body: &[u8], chunk: usize) -> (String, Vec<u8>) {
        let chunks: Vec<Result<Bytes>> = body.chunks(chunk).map(|chunk| Ok(Bytes::copy_from_slice(chunk))).collect();
        futures::executor::block_on(async {
            let taken = take(query.as_bytes(), futures::stream::iter(chunks).boxed()).await.expect("a statement");
            let mut data = Vec::new();
            if let Some(mut stream) = taken.data {
                while let Some(chunk) = stream.next().await {
                    data.extend_from_slice(&chunk.expect("data"));
                }
            }
            (taken.statement.text, data)
        })
    }

    #[test]
    fn text_and_data_may_be_cut_anywhere() {
        for chunk in [1, 2, 7, 1000] {
            let (text, data) = taken("", b"INSERT INTO t FORMAT Native\n\x01\xff\n", chunk);
            assert_eq!((text.as_str(), data.as_slice()), ("INSERT INTO t FORMAT Native", &b"\x01\xff\n"[..]));
            let (text, data) = taken("INSERT INTO t FORMAT CSV", b"1,2\n3,4\n", chunk);
            assert_eq!((text.as_str(), data.as_slice()), ("INSERT INTO t FORMAT CSV", &b"1,2\n3,4\n"[..]));
            let (text, data) = taken("INSERT INTO t VALUES", b"(1 + 1)", chunk);
            assert_eq!((text.trim(), data.len()), ("INSERT INTO t VALUES\n(1 + 1)", 0));
            let (text, _) = taken("SELECT 1,", b"2;\n", chunk);
            assert_eq!(text, "SELECT 1,\n2");
            let (text, _) = taken("", b"INSERT INTO t VALUES ('\xff')", chunk);
            assert_eq!(text, "INSERT INTO t VALUES ('\\xFF')");
            let (text, _) = taken("", b"SELECT '\xff'", chunk);
            assert_eq!(text, "SELECT '\\xFF'");
        }
    }

    #[test]
    fn many_rows_of_values_are_data() {
        let rows = b"(1),".repeat(100_000);
        let (text, data) = taken("INSERT INTO t VALUES ", &rows, 10_000);
        assert_eq!(text, "INSERT INTO t VALUES");
        assert_eq!(data.trim_ascii(), &rows[..]);
    }
}
