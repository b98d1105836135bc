//! The rows of an INSERT go to the server, which is heard meanwhile.
//!
//! Both at once: a server tells of each block that it took, and would stop reading if nobody listened. A packet is sent
//! whole or not at all, whatever happens, so that the connection is good for the next statement:
//! rows that cannot be read here, and Ctrl-C, send a cancellation, and the server commits nothing; an exception of the server
//! ends the rows with the empty block that it waits for.

use std::time::Duration;

use datafusion::execution::SendableRecordBatchStream;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use futures::StreamExt;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_formats::native::socket::Output;
use gristmill_types::Columns;
use tokio_util::sync::CancellationToken;

use crate::conversation::{Heard, Talk};
use crate::request::{self, Dialect};
use crate::source::{Batches, Source};

/// A server that failed is given so long to take what was half sent.
const LEAVING_LONGEST: Duration = Duration::from_secs(10);
/// Where rows are sent, silence says nothing: their source may be slow, and so may a commit.
const PATIENCE: Duration = Duration::from_secs(24 * 3600);

/// The work of an INSERT, done while the stream is read; it gives no rows.
pub(crate) fn work(talk: Talk, source: Source, sample: Columns, table: Columns) -> SendableRecordBatchStream {
    let schema = Columns::default().arrow();
    let done = futures::stream::once(insert(talk, source, sample, table));
    let errors = done.filter_map(|done| async move { done.err().map(|error| Err(error.into())) });
    Box::pin(RecordBatchStreamAdapter::new(schema, errors))
}

async fn insert(mut talk: Talk, source: Source, sample: Columns, table: Columns) -> Result<()> {
    talk.patience = PATIENCE;
    talk.may_send = CancellationToken::new();
    let (out, dialect, may_send) = (talk.connection.out.clone(), talk.connection.dialect, talk.may_send.clone());
    let stop = CancellationToken::new();
    let batches = source.batches(sample.clone(), table, talk.context.clone()).await;
    let mut sent: Option<Result<()>> = None;
    let mut is_broken = false;
    let ended = {
        let sending = async {
            let sent = send(&out, dialect, &sample, batches, &stop).await;
            may_send.cancel();
            sent
        };
        let hearing = to_the_end(&mut talk);
        tokio::pin!(sending, hearing);
        let ended = loop {
            tokio::select! {
                biased;
                result = &mut sending, if sent.is_none() => sent = Some(result),
                ended = &mut hearing => break ended,
            }
        };
        if sent.is_none() && ended.is_ok() {
            stop.cancel();
            is_broken = !matches!(tokio::time::timeout(LEAVING_LONGEST, &mut sending).await, Ok(Ok(())));
        }
        ended
    };
    let cancelled = talk.check();
    // What went wrong here is the reason for what the server says then.
    let own = sent.and_then(Result::err).filter(|error| error.code() != ErrorCode::NETWORK_ERROR);
    let outcome = match (own, ended) {
        (Some(own), Ok(_)) => Err(own),
        (Some(own), Err(_)) => return Err(own),
        (None, Ok(outcome)) => cancelled.and(outcome),
        (None, Err(broken)) => return Err(broken),
    };
    if !is_broken {
        talk.release(outcome.is_err());
    }
    outcome
}

/// Sends rows up to the empty block, or a cancellation where they cannot be read.
async fn send(
    out: &Output,
    dialect: Dialect,
    columns: &Columns,
    batches: Result<Batches>,
    stop: &CancellationToken,
) -> Result<()> {
    let rows = async {
        let mut batches = batches?;
        loop {
            let next = tokio::select! {
                biased;
                () = stop.cancelled() => None,
                next = batches.next() => next,
            };
            let Some(batch) = next.transpose()? else { return Ok::<_, Error>(()) };
            if batch.num_rows() > 0 {
                out.send(dialect.block(columns, Some(&batch))?).await?;
            }
        }
    };
    match rows.await {
        Ok(()) => out.send_whole(dialect.block(&Columns::default(), None)?).await,
        Err(error) => {
            let told = out.send_whole(request::cancel()).await;
            told.and(Err(error))
        }
    }
}

/// The server's last word. The outer error: the connection is of no use.
async fn to_the_end(talk: &mut Talk) -> Result<Result<()>> {
    loop {
        match talk.heard().await? {
            Heard::Block(_) | Heard::TableColumns(_) => {}
            Heard::Failed(error) => return Ok(Err(error)),
            Heard::End => return Ok(Ok(())),
        }
    }
}
