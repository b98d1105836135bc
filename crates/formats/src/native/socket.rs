//! The socket of a connection, of a server as of a client. It is read and written on the I/O runtime; the conversation
//! itself, which parses, computes and compresses, runs on the CPU runtime and meets it at two channels of bounded bytes.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use futures::Stream;
use gristmill_base::{Error, ErrorCode, Result, allocations};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::sync::mpsc;

/// Bytes that are read at a time.
const READ_BYTES: usize = 64 << 10;
/// Chunks that wait to be looked at: a megabyte.
const READ_CHUNKS: usize = 16;
/// Bytes that are written at a time.
const WRITE_BYTES: usize = 256 << 10;
/// Pieces that wait to be written: two megabytes.
const WRITE_PIECES: usize = 8;
/// What the peer still sends is read for so long after the last word, so that it sees that word.
const LINGER: Duration = Duration::from_millis(500);

/// The peer ended the connection. `peer`: who it is, such as "client".
pub fn gone(peer: &str) -> Error {
    Error::new(ErrorCode::NETWORK_ERROR, format!("The {peer} is gone"))
}

/// Chunks as the socket gives them.
pub struct Chunks(mpsc::Receiver<Result<Bytes>>);

impl Stream for Chunks {
    type Item = Result<Bytes>;

    fn poll_next(mut self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        // The pump allocated it, for nobody.
        self.0.poll_recv(task).map_ok(allocations::adopted)
    }
}

/// Where packets go.
#[derive(Clone)]
pub struct Output {
    pieces: mpsc::Sender<Bytes>,
    peer: &'static str,
    bytes: Arc<AtomicU64>,
}

impl Output {
    /// Bytes that were handed over so far; some may not have left yet.
    pub fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    /// A packet of any size, in pieces.
    pub async fn send(&self, packet: Vec<u8>) -> Result<()> {
        let mut rest = Bytes::from(packet);
        while !rest.is_empty() {
            let piece = rest.split_to(rest.len().min(WRITE_BYTES));
            self.send_piece(piece).await?;
        }
        Ok(())
    }

    /// A small packet, in one piece: it never comes to lie between the pieces of another.
    pub async fn send_whole(&self, packet: Vec<u8>) -> Result<()> {
        self.send_piece(Bytes::from(packet)).await
    }

    async fn send_piece(&self, piece: Bytes) -> Result<()> {
        let bytes = piece.len() as u64;
        self.pieces.send(piece).await.map_err(|_| gone(self.peer))?;
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
        Ok(())
    }
}

/// The ends of the channels on the socket's side.
pub struct Pump {
    received: mpsc::Sender<Result<Bytes>>,
    to_send: mpsc::Receiver<Bytes>,
}

/// The two sides of a socket. `peer`: who is at its other end, for errors.
pub fn channels(peer: &'static str) -> (Pump, Chunks, Output) {
    let (received, chunks) = mpsc::channel(READ_CHUNKS);
    let (pieces, to_send) = mpsc::channel(WRITE_PIECES);
    (Pump { received, to_send }, Chunks(chunks), Output { pieces, peer, bytes: Arc::default() })
}

impl Pump {
    /// Moves bytes until the conversation has said its last word, or the peer is gone, which it is when it has not taken a piece
    /// after `longest`.
    pub async fn run(self, mut read: impl AsyncRead + Unpin, mut write: impl AsyncWrite + Unpin, longest: Duration) {
        let Pump { received, mut to_send } = self;
        let reading = async {
            loop {
                let mut chunk = BytesMut::with_capacity(READ_BYTES);
                let sent = match read.read_buf(&mut chunk).await {
                    Ok(0) => break,
                    Ok(_) => received.send(Ok(chunk.freeze())).await,
                    Err(error) => {
                        let _ = received.send(Err(error.into())).await;
                        break;
                    }
                };
                if sent.is_err() {
                    break;
                }
            }
            drop(received);
            // The conversation sees the end and ends itself.
            std::future::pending::<()>().await;
        };
        let writing = async {
            while let Some(bytes) = to_send.recv().await {
                match tokio::time::timeout(longest, write.write_all(&bytes)).await {
                    Ok(Ok(())) => {}
                    _ => return,
                }
            }
            let _ = write.shutdown().await;
        };
        tokio::select! {
            () = reading => {}
            () = writing => {}
        }
        let mut rest = [0; 4096];
        let draining = async { while matches!(read.read(&mut rest).await, Ok(1..)) {} };
        let _ = tokio::time::timeout(LINGER, draining).await;
    }
}
