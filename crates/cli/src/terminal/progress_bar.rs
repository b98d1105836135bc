//! One line on standard error that tells how far a query is, drawn ten times a second in the form of ClickHouse's client:
//!
//! `↗ Progress: 12.22 million rows, 97.74 MB (11.99 million rows/s., 95.90 MB/s.) (1.9 CPU, 12.34 MiB RAM) ████▋     45%, 3 s left`
//!
//! The line is redrawn in place, cut to the terminal's width, and wiped before anything else is written.

use std::io::Write;
use std::sync::Arc;
use std::time::Duration;

use gristmill_base::runtime::{self, Task};
use gristmill_base::units;
use gristmill_introspect::progress::ProgressSnapshot;
use gristmill_introspect::{Event, QueryContext};
use parking_lot::Mutex;
use unicode_width::UnicodeWidthChar;

use crate::terminal::summary::quantities;
use crate::terminal::width;

const REDRAW: Duration = Duration::from_millis(100);
/// What is over sooner shows no bar.
const FIRST_DRAW: Duration = Duration::from_millis(150);
const SPINNER: [char; 8] = ['→', '↘', '↓', '↙', '←', '↖', '↑', '↗'];
const EIGHTHS: [char; 7] = ['▏', '▎', '▍', '▌', '▋', '▊', '▉'];
const WIDTH_WITHOUT_TERMINAL: usize = 120;

/// A bar that is drawn until it is dropped or cleared.
pub struct ProgressBar {
    /// Whether a line stands on the terminal; `None` once the bar is over.
    drawn: Arc<Mutex<Option<bool>>>,
    _drawing: Task<()>,
}

impl ProgressBar {
    pub fn start(context: Arc<QueryContext>) -> ProgressBar {
        let drawn = Arc::new(Mutex::new(Some(false)));
        let shared = drawn.clone();
        let drawing = Task::on(&runtime::io(), async move {
            tokio::time::sleep(FIRST_DRAW).await;
            let mut ticks = tokio::time::interval(REDRAW);
            for spin in 0.. {
                ticks.tick().await;
                let line = Reading::of(&context).line(spin, width().unwrap_or(WIDTH_WITHOUT_TERMINAL));
                let mut drawn = shared.lock();
                if drawn.is_none() {
                    return;
                }
                // A terminal that went away is noticed where results are written.
                let _ = write!(std::io::stderr(), "\r{line}\x1b[K");
                *drawn = Some(true);
            }
        });
        ProgressBar { drawn, _drawing: drawing }
    }

    /// Wipes the line; nothing is drawn after this.
    pub fn clear(&self) {
        if self.drawn.lock().take() == Some(true) {
            let _ = write!(std::io::stderr(), "\r\x1b[K");
        }
    }
}

impl Drop for ProgressBar {
    fn drop(&mut self) {
        self.clear();
    }
}

/// The numbers that one line is drawn from.
#[derive(Clone, Copy, Debug, Default)]
struct Reading {
    progress: ProgressSnapshot,
    elapsed: Duration,
    cpu: Duration,
    memory_bytes: u64,
}

impl Reading {
    fn of(context: &QueryContext) -> Reading {
        context.settle();
        Reading {
            progress: context.progress.snapshot(),
            elapsed: context.elapsed(),
            cpu: Duration::from_micros(context.counters.get(Event::OSCPUVirtualTimeMicroseconds)),
            memory_bytes: context.memory.held_bytes(),
        }
    }

    fn line(&self, spin: usize, width: usize) -> String {
        let (rows, bytes) = (self.progress.read_rows as f64, self.progress.read_bytes as f64);
        let seconds = self.elapsed.as_secs_f64().max(1e-6);
        let mut line = format!(
            "{} Progress: {} ({})",
            SPINNER[spin % SPINNER.len()],
            quantities(rows, " rows, ", bytes, ""),
            quantities(rows / seconds, " rows/s., ", bytes / seconds, "/s."),
        );
        let memory = units::bytes_binary(self.memory_bytes as f64);
        if self.cpu.is_zero() {
            line.push_str(&format!(" ({memory} RAM)"));
        } else {
            line.push_str(&format!(" ({:.1} CPU, {memory} RAM)", self.cpu.as_secs_f64() / seconds));
        }
        if let Some(share) = self.progress.share() {
            let mut tail = format!(" {:.0}%", share * 100.0);
            if share > 0.01 && seconds > 0.5 {
                let left = seconds / share - seconds;
                tail.push_str(&format!(", {} left", duration(left)));
            }
            let room = width.saturating_sub(columns(&line) + tail.len() + 2);
            if room >= 4 {
                line.push(' ');
                line.push_str(&bar(share, room.min(60)));
            }
            line.push_str(&tail);
        }
        cut(&line, width.saturating_sub(1))
    }
}

/// A bar of `cells` columns, filled by eighths of a column.
fn bar(share: f64, cells: usize) -> String {
    let eighths = (share.clamp(0.0, 1.0) * (cells * 8) as f64).round() as usize;
    let mut text = "█".repeat(eighths / 8);
    if !eighths.is_multiple_of(8) {
        text.push(EIGHTHS[eighths % 8 - 1]);
    }
    let filled = eighths.div_ceil(8);
    text.push_str(&" ".repeat(cells - filled));
    text
}

fn duration(seconds: f64) -> String {
    let seconds = seconds.max(0.0).round() as u64;
    match seconds {
        0..=99 => format!("{seconds} s"),
        100..=5999 => format!("{} min {:02} s", seconds / 60, seconds % 60),
        _ => format!("{} h {:02} min", seconds / 3600, seconds % 3600 / 60),
    }
}

fn columns(text: &str) -> usize {
    text.chars().map(|c| c.width().unwrap_or(0)).sum()
}

fn cut(text: &str, width: usize) -> String {
    let mut left = width;
    text.chars()
        .take_while(|c| {
            let columns = c.width().unwrap_or(0);
            let fits = columns <= left;
            left = left.saturating_sub(columns);
            fits
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reading(share: u64) -> Reading {
        Reading {
            progress: ProgressSnapshot {
                read_rows: 12_220_000,
                read_bytes: 97_740_000,
                total_bytes_to_read: 100,
                file_bytes_read: share,
                ..Default::default()
            },
            elapsed: Duration::from_secs(2),
            cpu: Duration::from_millis(3800),
            memory_bytes: 12 << 20,
        }
    }

    #[test]
    fn the_line_tells_rows_bytes_rates_cpu_memory_share_and_time_left() {
        let line = reading(50).line(7, 200);
        let numbers =
            "↗ Progress: 12.22 million rows, 97.74 MB (6.11 million rows/s., 48.87 MB/s.) (1.9 CPU, 12.00 MiB RAM) ";
        assert!(line.starts_with(numbers), "{line}");
        assert!(line.ends_with(" 50%, 2 s left"), "{line}");
        assert_eq!(line.matches('█').count(), 30);
    }

    #[test]
    fn the_line_never_wraps() {
        for width in [0, 1, 20, 80, 110, 121] {
            assert!(columns(&reading(99).line(0, width)) < width.max(1));
        }
    }

    #[test]
    fn without_a_known_whole_there_is_no_bar() {
        let line = Reading { elapsed: Duration::from_secs(1), ..Default::default() }.line(0, 120);
        assert_eq!(line, "→ Progress: 0.00 rows, 0.00 B (0.00 rows/s., 0.00 B/s.) (0.00 B RAM)");
    }

    #[test]
    fn bars_fill_by_eighths() {
        assert_eq!(bar(0.0, 3), "   ");
        assert_eq!(bar(0.5, 3), "█▌ ");
        assert_eq!(bar(1.0, 3), "███");
    }
}
