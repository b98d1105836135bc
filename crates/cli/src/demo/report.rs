//! The table at the end of the demonstration, and the line that tells how far the generator is.

use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use gristmill_base::runtime::{self, Task};
use gristmill_base::units;

use crate::demo::generate::Generated;
use crate::demo::server::RequestCounts;

/// What one step took. `None` where a measure does not apply.
#[derive(Clone, Debug)]
pub struct Step {
    pub name: String,
    pub elapsed: Duration,
    pub rows: u64,
    /// Written by the generator, or sent by the S3 server.
    pub bytes: u64,
    pub requests: Option<RequestCounts>,
    pub memory_peak_bytes: Option<u64>,
}

#[derive(Clone, Debug, Default)]
pub struct Report(Vec<Step>);

impl Report {
    pub fn add(&mut self, step: Step) {
        self.0.push(step);
    }

    pub fn print(&self) {
        print!("{}", self.text());
        println!(
            "Most memory this process held, its S3 server included: {}.",
            units::bytes_binary(resident_peak_bytes() as f64)
        );
    }

    fn text(&self) -> String {
        let header = ["Step", "Time", "Rows/s", "Bytes", "Requests", "Peak memory"].map(String::from);
        let lines: Vec<[String; 6]> = std::iter::once(header).chain(self.0.iter().map(Step::cells)).collect();
        let widths: [usize; 6] =
            std::array::from_fn(|column| lines.iter().map(|line| line[column].chars().count()).max().unwrap_or(0));
        let mut text = String::new();
        for (index, line) in lines.iter().enumerate() {
            let cells: Vec<String> = line
                .iter()
                .zip(widths)
                .enumerate()
                // Names to the left, numbers to the right.
                .map(
                    |(column, (cell, width))| {
                        if column == 0 { format!("{cell:<width$}") } else { format!("{cell:>width$}") }
                    },
                )
                .collect();
            text.push_str(cells.join("   ").trim_end());
            text.push('\n');
            if index == 0 {
                text.push_str(&"─".repeat(widths.iter().sum::<usize>() + 15));
                text.push('\n');
            }
        }
        text
    }
}

impl Step {
    fn cells(&self) -> [String; 6] {
        let dash = || "–".to_string();
        let seconds = self.elapsed.as_secs_f64();
        let rate = if self.rows > 0 && seconds > 0.0 { units::rows((self.rows as f64 / seconds).round()) } else { dash() };
        [
            self.name.clone(),
            format!("{seconds:.3} s"),
            rate,
            if self.bytes > 0 { units::bytes_decimal(self.bytes as f64) } else { dash() },
            self.requests.filter(|requests| *requests != RequestCounts::default()).map_or_else(dash, |requests| {
                let RequestCounts { list, head, get, other, .. } = requests;
                let named = [("LIST", list), ("HEAD", head), ("GET", get), ("other", other)];
                let told = named.iter().filter(|(_, count)| *count > 0).map(|(name, count)| format!("{count} {name}"));
                told.collect::<Vec<_>>().join(", ")
            }),
            self.memory_peak_bytes.filter(|bytes| *bytes > 0).map_or_else(dash, |bytes| units::bytes_binary(bytes as f64)),
        ]
    }
}

/// Redraws a line on standard error until dropped. Nothing where that is no terminal.
pub fn draw_generating(rows: u64, done: Arc<Generated>, terminal: bool) -> Option<Task<()>> {
    let started = Instant::now();
    terminal.then(|| {
        Task::on(&runtime::io(), async move {
            let mut ticks = tokio::time::interval(Duration::from_millis(200));
            loop {
                ticks.tick().await;
                let made = done.rows.load(Ordering::Relaxed);
                let bytes = done.memory_bytes.load(Ordering::Relaxed) as f64;
                let line = format!(
                    "{} rows, {} of columns, {}/s, {:.0}%",
                    units::rows(made as f64),
                    units::bytes_decimal(bytes),
                    units::bytes_decimal(bytes / started.elapsed().as_secs_f64().max(1e-3)),
                    made as f64 / rows.max(1) as f64 * 100.0,
                );
                let _ = write!(std::io::stderr(), "\r{line}\x1b[K");
            }
        })
    })
}

pub fn wipe_line(terminal: bool) {
    if terminal {
        let _ = write!(std::io::stderr(), "\r\x1b[K");
    }
}

/// As the kernel counts it, for the whole life of the process.
fn resident_peak_bytes() -> u64 {
    // SAFETY: all-zero is a valid `rusage`, and getrusage writes one behind the pointer.
    let usage = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        libc::getrusage(libc::RUSAGE_SELF, &raw mut usage);
        usage
    };
    let kilobytes = u64::try_from(usage.ru_maxrss).unwrap_or(0);
    // macOS counts bytes, everyone else KiB.
    if cfg!(target_os = "macos") { kilobytes } else { kilobytes * 1024 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_lines_up_and_leaves_out_what_does_not_apply() {
        let mut report = Report::default();
        report.add(Step {
            name: "make 189 files".to_string(),
            elapsed: Duration::from_millis(1500),
            rows: 3_000_000,
            bytes: 1_200_000_000,
            requests: None,
            memory_peak_bytes: None,
        });
        report.add(Step {
            name: "top users".to_string(),
            elapsed: Duration::from_millis(250),
            rows: 500,
            bytes: 0,
            requests: Some(RequestCounts { list: 1, get: 378, ..Default::default() }),
            memory_peak_bytes: Some(185_325_322),
        });
        let expected = [
            "Step                Time         Rows/s     Bytes          Requests   Peak memory",
            "─────────────────────────────────────────────────────────────────────────────────",
            "make 189 files   1.500 s   2.00 million   1.20 GB                 –             –",
            "top users        0.250 s  2.00 thousand         –   1 LIST, 378 GET    176.74 MiB",
        ];
        let squeeze = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
        let text = report.text();
        assert_eq!(text.lines().map(squeeze).collect::<Vec<_>>()[2..], expected.map(squeeze)[2..]);
        let widths: Vec<usize> = text.lines().map(|line| line.chars().count()).collect();
        assert!(widths.windows(2).all(|pair| pair[0] == pair[1]), "{text}");
    }
}
