//! A connection whose bytes are counted: those of all interfaces together, and of each by itself; and the time that writing them takes,
//! which ends with an error where the client takes nothing for too long.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};

use gristmill_introspect::{Counters, Event};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::Sleep;

/// A query that sends hears before its connection ends that the client takes nothing, so that it ends with an error of its own.
const QUERY_FIRST: Duration = Duration::from_millis(500);
/// Ten years.
const FOREVER_MILLIS: u64 = 10 * 365 * 24 * 3600 * 1000;

/// What bytes count as beside `NetworkReceiveBytes` and `NetworkSendBytes`.
#[derive(Clone, Copy, Debug)]
pub struct Interface {
    receives: Event,
    sends: Event,
}

impl Interface {
    pub const HTTP: Interface =
        Interface { receives: Event::InterfaceHTTPReceiveBytes, sends: Event::InterfaceHTTPSendBytes };
    pub const NATIVE: Interface =
        Interface { receives: Event::InterfaceNativeReceiveBytes, sends: Event::InterfaceNativeSendBytes };
}

/// Counts that something ended, when it is dropped.
#[derive(Debug)]
pub struct Ended(Event);

impl Ended {
    /// Something begins.
    pub fn of(begun: Event, ended: Event) -> Ended {
        Counters::server().add(begun, 1);
        Ended(ended)
    }
}

impl Drop for Ended {
    fn drop(&mut self) {
        Counters::server().add(self.0, 1);
    }
}

/// What a socket did since it was opened, and how long its client is waited for.
#[derive(Debug)]
pub struct Meter {
    received_bytes: AtomicU64,
    sending_nanos: AtomicU64,
    opened: Instant,
    /// Since when the client takes nothing: milliseconds from `opened`, and one. 0: it takes what there is.
    blocked_millis: AtomicU64,
    /// How long it may.
    longest_millis: AtomicU64,
}

impl Default for Meter {
    fn default() -> Self {
        Meter {
            received_bytes: AtomicU64::new(0),
            sending_nanos: AtomicU64::new(0),
            opened: Instant::now(),
            blocked_millis: AtomicU64::new(0),
            longest_millis: AtomicU64::new(FOREVER_MILLIS),
        }
    }
}

impl Meter {
    /// A client that takes nothing for so long is gone, from now on.
    pub fn wait(&self, longest: Duration) {
        self.longest_millis.store(longest.as_millis() as u64, Ordering::Relaxed);
    }

    fn longest(&self) -> Duration {
        Duration::from_millis(self.longest_millis.load(Ordering::Relaxed))
    }

    /// Whether the client has taken nothing for too long.
    pub fn is_overdue(&self) -> bool {
        let since = self.blocked_millis.load(Ordering::Relaxed);
        since > 0 && Duration::from_millis(self.now_millis().saturating_sub(since)) >= self.longest()
    }

    fn now_millis(&self) -> u64 {
        self.opened.elapsed().as_millis() as u64 + 1
    }

    fn note(&self, is_blocked: bool) {
        match is_blocked {
            true => {
                // The first time counts.
                let now = self.now_millis();
                let _ = self.blocked_millis.compare_exchange(0, now, Ordering::Relaxed, Ordering::Relaxed);
            }
            false => self.blocked_millis.store(0, Ordering::Relaxed),
        }
    }

    pub fn received_bytes(&self) -> u64 {
        self.received_bytes.load(Ordering::Relaxed)
    }

    /// Time that writing took, waiting for the client included.
    pub fn sending_micros(&self) -> u64 {
        self.sending_nanos.load(Ordering::Relaxed) / 1000
    }

    /// Gives the microseconds that are full by now.
    fn sent_for(&self, time: Duration) -> u64 {
        let nanos = time.as_nanos() as u64;
        let before = self.sending_nanos.fetch_add(nanos, Ordering::Relaxed);
        (before + nanos) / 1000 - before / 1000
    }
}

#[derive(Debug)]
pub struct Metered<S> {
    socket: S,
    interface: Interface,
    counters: Arc<Counters>,
    meter: Arc<Meter>,
    /// Since when the client takes nothing of what is to be written.
    blocked: Option<Instant>,
    /// Until it is waited for.
    patience: Option<Pin<Box<Sleep>>>,
}

impl<S> Metered<S> {
    pub fn of(socket: S, interface: Interface) -> Self {
        let (counters, meter) = (Counters::server(), Arc::default());
        Metered { socket, interface, counters, meter, blocked: None, patience: None }
    }

    /// What it is told by while somebody else has the connection.
    pub fn meter(&self) -> Arc<Meter> {
        self.meter.clone()
    }

    /// Writes, and counts the time from the first try on. Error: TimedOut, where the client takes nothing for too long.
    fn writing<T>(
        &mut self,
        task: &mut Context<'_>,
        write: impl FnOnce(Pin<&mut S>, &mut Context<'_>) -> Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>>
    where
        S: Unpin,
    {
        let begun = self.blocked.take().unwrap_or_else(Instant::now);
        let written = write(Pin::new(&mut self.socket), task);
        self.meter.note(written.is_pending());
        if written.is_pending() {
            self.blocked = Some(begun);
            let longest = self.meter.longest();
            let patience =
                self.patience.get_or_insert_with(|| Box::pin(tokio::time::sleep(longest.saturating_add(QUERY_FIRST))));
            ready!(patience.as_mut().poll(task));
            let late = io::Error::new(io::ErrorKind::TimedOut, "the client takes nothing of what it is sent");
            return Poll::Ready(Err(late));
        }
        self.patience = None;
        let micros = self.meter.sent_for(begun.elapsed());
        if micros > 0 {
            self.counters.add(Event::NetworkSendElapsedMicroseconds, micros);
        }
        written
    }

    fn sent(&self, bytes: usize) {
        self.counters.add(Event::NetworkSendBytes, bytes as u64);
        self.counters.add(self.interface.sends, bytes as u64);
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Metered<S> {
    fn poll_read(mut self: Pin<&mut Self>, task: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.socket).poll_read(task, buffer))?;
        let bytes = (buffer.filled().len() - before) as u64;
        self.meter.received_bytes.fetch_add(bytes, Ordering::Relaxed);
        self.counters.add(Event::NetworkReceiveBytes, bytes);
        self.counters.add(self.interface.receives, bytes);
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Metered<S> {
    fn poll_write(mut self: Pin<&mut Self>, task: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let written = ready!(self.writing(task, |socket, task| socket.poll_write(task, bytes)))?;
        self.sent(written);
        Poll::Ready(Ok(written))
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        task: &mut Context<'_>,
        pieces: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = ready!(self.writing(task, |socket, task| socket.poll_write_vectored(task, pieces)))?;
        self.sent(written);
        Poll::Ready(Ok(written))
    }

    fn is_write_vectored(&self) -> bool {
        self.socket.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.writing(task, |socket, task| socket.poll_flush(task))
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.socket).poll_shutdown(task)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    use super::*;

    #[tokio::test]
    async fn bytes_count_both_ways() {
        let counters = Counters::server();
        let before = [Event::InterfaceNativeReceiveBytes, Event::InterfaceNativeSendBytes].map(|event| counters.get(event));
        let (ours, mut theirs) = tokio::io::duplex(64);
        let mut ours = Metered::of(ours, Interface::NATIVE);
        theirs.write_all(b"12345").await.expect("sent");
        let mut buffer = [0; 5];
        ours.read_exact(&mut buffer).await.expect("received");
        ours.write_all(b"123").await.expect("sent");
        assert!(counters.get(Event::InterfaceNativeReceiveBytes) >= before[0] + 5);
        assert!(counters.get(Event::InterfaceNativeSendBytes) >= before[1] + 3);
        assert_eq!(ours.meter().received_bytes(), 5);
    }

    #[tokio::test]
    async fn a_client_that_takes_nothing_takes_time() {
        let (ours, mut theirs) = tokio::io::duplex(64);
        let mut ours = Metered::of(ours, Interface::NATIVE);
        let meter = ours.meter();
        let reads = async {
            tokio::time::sleep(Duration::from_millis(30)).await;
            theirs.read_exact(&mut [0; 100]).await.expect("received");
        };
        let (sent, ()) = tokio::join!(ours.write_all(&[0; 100]), reads);
        sent.expect("sent");
        assert!(meter.sending_micros() >= 25_000, "{}", meter.sending_micros());
        assert!(!meter.is_overdue());
    }

    #[tokio::test]
    async fn a_client_that_takes_nothing_for_too_long_is_gone() {
        let (ours, _theirs) = tokio::io::duplex(64);
        let mut ours = Metered::of(ours, Interface::NATIVE);
        let meter = ours.meter();
        meter.wait(Duration::from_millis(10));
        assert!(!meter.is_overdue());
        let error = ours.write_all(&[0; 100]).await.expect_err("nobody reads");
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
        assert!(meter.is_overdue());
    }
}
