//! What a query's client and the server send each other, as events of the query.
//!
//! The server's events are those of the sockets (`metered`). A query's are what is handed to the socket for it and what comes
//! for it, and the time that the socket took meanwhile; waiting for rows is told by whoever waits (`awaited`). The end of a result leaves
//! when the query is over, so its entry in the log is held back until then.

use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use gristmill_introspect::last_entry::{self, Holding};
use gristmill_introspect::{Counters, Event, QueryContext};
use parking_lot::Mutex;

/// What a connection moved since it began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Moved {
    pub received_bytes: u64,
    pub sent_bytes: u64,
    pub sending_micros: u64,
}

/// One query's part of that.
#[derive(Debug)]
pub struct Traffic {
    counters: Arc<Counters>,
    told: Moved,
    _holding: Holding,
}

impl Traffic {
    /// `before`: what the connection had moved when the query began. Its last entry in the log waits until the answer is dropped.
    pub fn begin(context: &Arc<QueryContext>, before: Moved) -> Traffic {
        Traffic { counters: context.counters.clone(), told: before, _holding: last_entry::hold(context) }
    }

    /// Counts what came since this was said last.
    pub fn moved(&mut self, now: Moved) {
        for (event, now, told) in [
            (Event::NetworkReceiveBytes, now.received_bytes, self.told.received_bytes),
            (Event::NetworkSendBytes, now.sent_bytes, self.told.sent_bytes),
            (Event::NetworkSendElapsedMicroseconds, now.sending_micros, self.told.sending_micros),
        ] {
            if now > told {
                self.counters.add_here(event, now - told);
            }
        }
        self.told = now;
    }

    /// The last byte but those that say that it is the end.
    pub fn end(mut self, now: Moved) {
        self.moved(now);
    }
}

/// Awaits what a client is to send, and tells how long nothing came: what is done with it meanwhile is no waiting.
pub async fn awaited<T>(future: impl Future<Output = T>) -> (T, Duration) {
    let mut future = pin!(future);
    let (mut since, mut waited) = (None::<Instant>, Duration::ZERO);
    let result = std::future::poll_fn(|task| {
        waited += since.take().map_or(Duration::ZERO, |since| since.elapsed());
        let polled = future.as_mut().poll(task);
        since = polled.is_pending().then(Instant::now);
        polled
    })
    .await;
    (result, waited)
}

/// A query waited for its client.
pub fn count_wait(counters: &Counters, waited: Duration) {
    let micros = waited.as_micros() as u64;
    if micros > 0 {
        counters.add(Event::NetworkReceiveElapsedMicroseconds, micros);
    }
}

/// What came of a request's body. The query that it is of may begin when much of it is here.
#[derive(Debug, Default)]
pub struct Received(Mutex<Came>);

#[derive(Debug, Default)]
struct Came {
    query: Option<Arc<Counters>>,
    bytes: u64,
    waited: Duration,
}

impl Came {
    fn tell(&mut self) {
        if let Some(query) = &self.query {
            query.add_here(Event::NetworkReceiveBytes, std::mem::take(&mut self.bytes));
            count_wait(query, std::mem::take(&mut self.waited));
        }
    }
}

impl Received {
    pub fn add(&self, bytes: usize, waited: Duration) {
        let mut came = self.0.lock();
        came.bytes += bytes as u64;
        came.waited += waited;
        came.tell();
    }

    /// It is of this query.
    pub fn is_of(&self, query: Arc<Counters>) {
        let mut came = self.0.lock();
        came.query = Some(query);
        came.tell();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_counts_what_moves_while_it_runs() {
        let context = QueryContext::background("SELECT 'traffic'");
        let before = Moved { received_bytes: 100, sent_bytes: 200, sending_micros: 5 };
        let mut traffic = Traffic::begin(&context, before);
        traffic.moved(Moved { received_bytes: 100, sent_bytes: 250, sending_micros: 5 });
        traffic.end(Moved { received_bytes: 101, sent_bytes: 260, sending_micros: 25 });
        let of_query = [Event::NetworkReceiveBytes, Event::NetworkSendBytes, Event::NetworkSendElapsedMicroseconds]
            .map(|event| context.counters.get(event));
        assert_eq!(of_query, [1, 60, 20]);
    }

    #[test]
    fn a_body_that_came_before_its_query_counts_for_it() {
        let received = Received::default();
        received.add(10, Duration::from_micros(7));
        let context = QueryContext::background("INSERT");
        received.is_of(context.counters.clone());
        received.add(5, Duration::from_micros(3));
        let of_query = [Event::NetworkReceiveBytes, Event::NetworkReceiveElapsedMicroseconds];
        assert_eq!(of_query.map(|event| context.counters.get(event)), [15, 10]);
    }

    #[tokio::test]
    async fn only_waiting_is_waiting() {
        let (_, waited) = awaited(async { std::thread::sleep(Duration::from_millis(20)) }).await;
        assert_eq!(waited, Duration::ZERO);
        let (_, waited) = awaited(tokio::time::sleep(Duration::from_millis(20))).await;
        assert!(waited >= Duration::from_millis(15), "{waited:?}");
    }
}
