//! `gristmill top`: what a server does now, on a screen that refreshes by itself.
//!
//! A task looks at the server every so often (`source`), over a connection that it makes again when it is lost, and tells what it saw
//! (`snapshot`: numbers, and rates between two looks). A thread reads keys; they change what is chosen (`state`). Whatever comes,
//! the screen is drawn again (`screen`, `head`), of whatever size it is by then. Without a terminal the same is printed once
//! (`page`).

pub mod arguments;
mod head;
mod page;
mod screen;
mod snapshot;
mod source;
mod state;
#[cfg(test)]
mod tests;

use std::io::Write;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use gristmill_base::env::{Env, system_env};
use gristmill_base::runtime::{self, Task};
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_client::Client;
use gristmill_introspect::custom;
use ratatui::crossterm::event::{self, Event};
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::{mpsc, watch};

use crate::arguments::{Given, bad};
use crate::client::session_options;
use crate::terminal::{self, Terminal};
use crate::top::arguments::TopArguments;
use crate::top::screen::View;
use crate::top::snapshot::{Seen, Snapshot};
use crate::top::source::Source;
use crate::top::state::{Act, State};

/// Seconds that a server may say nothing, unless told: the screen is to say so soon.
const RECEIVE_TIMEOUT_SECONDS: f64 = 10.0;
const INTERVAL_SECONDS: std::ops::RangeInclusive<f64> = 0.1..=86_400.0;
/// Of a page that is printed where there is no terminal.
const PAGE_WIDTH: u16 = 160;
/// How often the thread of the keys looks whether it is to end.
const KEYS_WAIT: Duration = Duration::from_millis(100);
/// Keys and news that wait for the screen.
const WAITING_MAX: usize = 16;

/// Runs the command, and gives its exit code.
pub async fn run(arguments: TopArguments, given: Given) -> Result<ExitCode> {
    custom::begin_with(vec![custom::DEFAULT_PREFIX.to_string()]);
    if !INTERVAL_SECONDS.contains(&arguments.interval) {
        return Err(bad(format!("--interval is a number of seconds from 0.1 on, and not {}", arguments.interval)));
    }
    let interval = Duration::from_secs_f64(arguments.interval);
    let mut login = arguments.login.clone();
    login.receive_timeout = login.receive_timeout.or(Some(RECEIVE_TIMEOUT_SECONDS));
    let options = session_options(&login, arguments.host.clone(), arguments.port, None, given)?;
    let env = system_env();
    let mut source = Source::new(Client::new(options), env.clone());
    // A wrong password, or a server that is not there, is told before the screen is taken.
    let first = source.look().await?;
    let state = State { sort: arguments.sort, ..State::default() };
    if arguments.once || !Terminal::of_process().output {
        env.sleep(interval).await;
        let seen = Seen::of(source.look().await?, Some(&first));
        let width = arguments.width.or_else(|| u16::try_from(terminal::width()?).ok()).unwrap_or(PAGE_WIDTH);
        return print(&page::text(&View { seen: Some(&seen), state: &state }, width));
    }
    show(source, first, state, interval, env).await
}

fn print(page: &str) -> Result<ExitCode> {
    match std::io::stdout().write_all(page.as_bytes()) {
        // A reader that went away, as `head` does, has what it wanted.
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => Err(no_terminal(error)),
        _ => Ok(ExitCode::SUCCESS),
    }
}

fn no_terminal(error: std::io::Error) -> Error {
    Error::new(ErrorCode::CANNOT_WRITE_TO_FILE_DESCRIPTOR, format!("Cannot write to the terminal: {error}"))
}

/// What the task that looks has to tell.
enum Told {
    Seen(Box<Seen>),
    Lost(String),
    Said(String),
}

/// Looks at the server until nobody asks any more; orders are ids of queries to kill.
async fn look(
    mut source: Source,
    first: Snapshot,
    interval: Duration,
    env: Arc<dyn Env>,
    mut paused: watch::Receiver<bool>,
    mut orders: mpsc::Receiver<String>,
    told: mpsc::Sender<Told>,
) {
    let mut before = first;
    loop {
        tokio::select! {
            () = env.sleep(interval) => {}
            changed = paused.changed() => if changed.is_err() { return },
            order = orders.recv() => {
                let Some(id) = order else { return };
                let said = match source.kill(&id).await {
                    Ok(Ok(said) | Err(said)) => Told::Said(said),
                    Err(error) => Told::Lost(error.message().to_string()),
                };
                if told.send(said).await.is_err() {
                    return;
                }
            }
        }
        if *paused.borrow() {
            continue;
        }
        let news = match source.look().await {
            Ok(now) => {
                let seen = Seen::of(now.clone(), Some(&before));
                before = now;
                Told::Seen(Box::new(seen))
            }
            Err(error) => Told::Lost(error.message().to_string()),
        };
        if told.send(news).await.is_err() {
            return;
        }
    }
}

/// The terminal in its other screen, until this is dropped.
struct Screen {
    terminal: ratatui::DefaultTerminal,
    left: Arc<AtomicBool>,
}

impl Drop for Screen {
    fn drop(&mut self) {
        self.left.store(true, Ordering::Relaxed);
        ratatui::restore();
    }
}

impl Screen {
    fn draw(&mut self, view: &View<'_>) -> Result<()> {
        let drawn = self.terminal.draw(|frame| screen::draw(frame.area(), frame.buffer_mut(), view));
        drawn.map(drop).map_err(no_terminal)
    }
}

/// Reads keys, on a thread of their own: a read of a terminal cannot be called off.
fn keys(left: Arc<AtomicBool>) -> Result<mpsc::Receiver<Event>> {
    let (sender, receiver) = mpsc::channel(WAITING_MAX);
    let read = move || {
        while !left.load(Ordering::Relaxed) {
            match event::poll(KEYS_WAIT) {
                Ok(false) => {}
                Ok(true) => match event::read() {
                    Ok(event) => {
                        if sender.blocking_send(event).is_err() {
                            return;
                        }
                    }
                    Err(_) => return,
                },
                Err(_) => return,
            }
        }
    };
    let spawned = std::thread::Builder::new().name("keys".to_string()).spawn(read);
    spawned.map_err(|error| Error::new(ErrorCode::STD_EXCEPTION, format!("Cannot start a thread: {error}")))?;
    Ok(receiver)
}

async fn show(source: Source, first: Snapshot, mut state: State, interval: Duration, env: Arc<dyn Env>) -> Result<ExitCode> {
    let mut ended = signal(SignalKind::terminate()).map_err(no_terminal)?;
    let left = Arc::new(AtomicBool::new(false));
    let mut screen = Screen { terminal: ratatui::try_init().map_err(no_terminal)?, left: left.clone() };
    let mut keys = keys(left)?;
    let (pause, paused) = watch::channel(false);
    let (kill, orders) = mpsc::channel(WAITING_MAX);
    let (tell, mut told) = mpsc::channel(WAITING_MAX);
    let mut seen = Seen::of(first.clone(), None);
    let _looking = Task::on(&runtime::cpu(), look(source, first, interval, env, paused, orders, tell));
    loop {
        screen.draw(&View { seen: Some(&seen), state: &state })?;
        tokio::select! {
            biased;
            _ = ended.recv() => return Ok(ExitCode::SUCCESS),
            event = keys.recv() => match event {
                // The terminal went away.
                None => return Ok(ExitCode::SUCCESS),
                Some(Event::Key(key)) => match state.key(key, Some(&seen)) {
                    Act::Quit => return Ok(ExitCode::SUCCESS),
                    Act::Kill(id) => {
                        state.said = Some(format!("Telling query {id} to end"));
                        if kill.try_send(id).is_err() {
                            state.said = Some("The server has not answered the last order yet".to_string());
                        }
                    }
                    Act::Nothing => {
                        pause.send_if_modified(|paused| std::mem::replace(paused, state.is_paused) != state.is_paused);
                    }
                },
                // A new size is found out when it is drawn.
                Some(_) => {}
            },
            news = told.recv() => match news {
                Some(Told::Seen(now)) => {
                    seen = *now;
                    state.lost = None;
                }
                Some(Told::Lost(why)) => state.lost = Some(why),
                Some(Told::Said(said)) => state.said = Some(said),
                None => return Ok(ExitCode::SUCCESS),
            },
        }
    }
}
