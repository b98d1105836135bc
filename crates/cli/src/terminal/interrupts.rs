//! Ctrl-C: the first cancels what runs, a second one (or one while nothing runs) leaves.
//!
//! One task listens for the signal for as long as the process lives. A statement that begins takes a `Watch`; the signal
//! sets the watch's token, and whoever runs the statement ends it by its own means. While no watch is held the signal
//! does what it does to any program.

use std::sync::Arc;

use gristmill_base::runtime::{self, Task};
use parking_lot::Mutex;
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

/// 128 + SIGINT, as shells have it.
const EXIT_INTERRUPTED: i32 = 130;

pub struct Interrupts {
    running: Arc<Mutex<Option<CancellationToken>>>,
    _listening: Task<()>,
}

/// A statement that Ctrl-C cancels while this is held.
pub struct Watch {
    running: Arc<Mutex<Option<CancellationToken>>>,
    /// Set by the first Ctrl-C.
    pub interrupted: CancellationToken,
}

impl Drop for Watch {
    fn drop(&mut self) {
        *self.running.lock() = None;
    }
}

impl Interrupts {
    pub fn listen() -> Interrupts {
        Self::listen_and_say("Cancelling the query.")
    }

    /// `said`: what the first Ctrl-C is answered with.
    pub fn listen_and_say(said: &'static str) -> Interrupts {
        let running: Arc<Mutex<Option<CancellationToken>>> = Arc::default();
        let current = running.clone();
        let listening = Task::on(&runtime::io(), async move {
            let Ok(mut signals) = signal(SignalKind::interrupt()) else { return };
            while signals.recv().await.is_some() {
                let running = current.lock().clone();
                match running {
                    Some(token) if !token.is_cancelled() => {
                        eprint!("\r\x1b[K{said} Press Ctrl-C again to leave.\r\n");
                        token.cancel();
                    }
                    _ => std::process::exit(EXIT_INTERRUPTED),
                }
            }
        });
        Interrupts { running, _listening: listening }
    }

    pub fn watch(&self) -> Watch {
        let interrupted = CancellationToken::new();
        *self.running.lock() = Some(interrupted.clone());
        Watch { running: self.running.clone(), interrupted }
    }
}
