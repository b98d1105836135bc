//! A connection whose bytes are counted: those of all interfaces together, and of each by itself.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use gristmill_introspect::{Counters, Event};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

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

#[derive(Debug)]
pub struct Metered<S> {
    socket: S,
    interface: Interface,
    counters: Arc<Counters>,
}

impl<S> Metered<S> {
    pub fn of(socket: S, interface: Interface) -> Self {
        Metered { socket, interface, counters: Counters::server() }
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
        self.counters.add(Event::NetworkReceiveBytes, bytes);
        self.counters.add(self.interface.receives, bytes);
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Metered<S> {
    fn poll_write(mut self: Pin<&mut Self>, task: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let written = ready!(Pin::new(&mut self.socket).poll_write(task, bytes))?;
        self.sent(written);
        Poll::Ready(Ok(written))
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        task: &mut Context<'_>,
        pieces: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = ready!(Pin::new(&mut self.socket).poll_write_vectored(task, pieces))?;
        self.sent(written);
        Poll::Ready(Ok(written))
    }

    fn is_write_vectored(&self) -> bool {
        self.socket.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.socket).poll_flush(task)
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
    }
}
