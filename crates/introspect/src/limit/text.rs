//! The limit of a query as lines for people.

use std::time::Duration;

use gristmill_base::units;

use super::{Bound, LimitReport, ResourceTime, StageLimit};

/// Changes that are told besides the best one.
const OTHERS_MAX: usize = 3;

/// Seconds, of a stage as of all: so many times nothing says nothing.
const LEAST_TOLD: f64 = 1e-6;

impl LimitReport {
    pub fn lines(&self) -> Vec<String> {
        let mut lines = vec![self.headline()];
        lines.push(String::new());
        lines.extend(table(&STAGE_HEADINGS, &self.stages.iter().map(stage).collect::<Vec<_>>()));
        lines.push(String::new());
        let shown =
            self.resources.iter().filter(|resource| resource.taken > 0.0 || resource.least.is_some_and(|least| least > 0.0));
        lines.extend(table(&RESOURCE_HEADINGS, &shown.map(|shown| resource(shown, self.binds)).collect::<Vec<_>>()));
        lines.extend(self.processor.iter().map(|told| format!("The processor: {told}")));
        lines.push(String::new());
        match self.advice.split_first() {
            Some((best, others)) => {
                lines.push(format!("What would help most, by about {}: {}", seconds(best.gain), best.reason));
                lines.extend(best.change.lines().map(|line| format!("    {line}")));
                for other in others.iter().take(OTHERS_MAX) {
                    lines.push(format!("Also, by about {}: {}", seconds(other.gain), other.reason));
                    lines.extend(other.change.lines().map(|line| format!("    {line}")));
                }
            }
            None => lines.push("No rule knows a change that would help.".to_string()),
        }
        lines.extend(self.unknown.iter().map(|unknown| format!("Not known: {unknown}")));
        lines
    }

    fn headline(&self) -> String {
        let binds = self.binds.name();
        match self.least_by {
            Some(by) if self.least >= LEAST_TOLD => format!(
                "Took {}; this machine needs at least {}, for its {}: {:.1} times as long. Most of the time went to: {binds}.",
                seconds(self.taken),
                seconds(self.least),
                by.name(),
                self.ratio()
            ),
            _ => format!("Took {}. Most of the time went to: {binds}.", seconds(self.taken)),
        }
    }
}

const STAGE_HEADINGS: [&str; 10] =
    ["Stage", "Rows in", "Rows out", "Bytes", "Read", "Requests", "Spilled", "Took", "Least", "Times"];
const RESOURCE_HEADINGS: [&str; 4] = ["Resource", "Took", "Least", ""];

fn stage(stage: &StageLimit) -> [String; 10] {
    let or_nothing = |value: u64, text: String| if value == 0 { String::new() } else { text };
    let bytes = |value: u64| or_nothing(value, units::bytes_decimal(value as f64));
    let count = |value: u64| or_nothing(value, value.to_string());
    [
        stage.name.to_string(),
        count(stage.rows_in),
        count(stage.rows_out),
        bytes(stage.bytes),
        bytes(stage.read_bytes),
        count(stage.requests),
        bytes(stage.spilled_bytes),
        seconds(stage.taken),
        if stage.least >= LEAST_TOLD { seconds(stage.least) } else { String::new() },
        if stage.least >= LEAST_TOLD { format!("{:.1}", stage.ratio()) } else { String::new() },
    ]
}

fn resource(resource: &ResourceTime, binds: Bound) -> [String; 4] {
    let least = match (resource.least, resource.bound) {
        (Some(least), _) => seconds(least),
        (None, Bound::Lock | Bound::Client | Bound::Other) => String::new(),
        (None, _) => "not known".to_string(),
    };
    let note = if resource.bound == binds { "binds" } else { "" };
    [resource.bound.name().to_string(), seconds(resource.taken), least, note.to_string()]
}

fn seconds(seconds: f64) -> String {
    units::duration(Duration::try_from_secs_f64(seconds).unwrap_or_default())
}

/// Columns side by side, names to the left and figures to the right.
fn table<const N: usize>(headings: &[&str; N], rows: &[[String; N]]) -> Vec<String> {
    let letters = |text: &str| text.chars().count();
    let width = |at: usize| rows.iter().map(|row| letters(&row[at])).chain([letters(headings[at])]).max().unwrap_or(0);
    let widths: Vec<usize> = (0..N).map(width).collect();
    let line = |cells: Vec<&str>| {
        let padded = cells.into_iter().zip(&widths).enumerate().map(|(at, (cell, width))| match at {
            0 => format!("{cell:<width$}"),
            _ => format!("{cell:>width$}"),
        });
        padded.collect::<Vec<_>>().join("  ").trim_end().to_string()
    };
    let heading = line(headings.to_vec());
    std::iter::once(heading).chain(rows.iter().map(|row| line(row.iter().map(String::as_str).collect()))).collect()
}

#[cfg(test)]
mod tests {
    use super::super::Advice;
    use super::*;

    #[test]
    fn a_report_is_read_from_top_to_bottom() {
        let report = LimitReport {
            event_time_micros: 0,
            query_id: String::new(),
            user: String::new(),
            query: String::new(),
            normalized_query_hash: 0,
            taken: 1.2,
            least: 0.1,
            least_by: Some(Bound::MemoryBandwidth),
            binds: Bound::Processor,
            resources: vec![
                ResourceTime { bound: Bound::Processor, least: Some(0.05), taken: 1.1 },
                ResourceTime { bound: Bound::Disk, least: None, taken: 0.1 },
                ResourceTime { bound: Bound::Lock, least: None, taken: 0.0 },
            ],
            processor: Some("0.40 instructions per cycle".to_string()),
            stages: vec![
                StageLimit {
                    name: "scan",
                    rows_out: 100,
                    bytes: 5_000_000,
                    taken: 1.0,
                    least: 0.1,
                    ..StageLimit::default()
                },
                StageLimit { name: "output", taken: 3e-4, least: 1e-9, ..StageLimit::default() },
            ],
            advice: vec![Advice {
                rule: "threads",
                reason: "one core of two computes".to_string(),
                change: "SET max_threads = 2".to_string(),
                gain: 0.5,
            }],
            unknown: vec!["the disk".to_string()],
        };
        let lines = report.lines();
        assert_eq!(
            lines.join("\n"),
            "Took 1.20 s; this machine needs at least 100.0 ms, for its memory bandwidth: 12.0 times as long. Most of the time \
             went to: processor.\n\n\
             Stage   Rows in  Rows out    Bytes  Read  Requests  Spilled    Took     Least  Times\n\
             scan                  100  5.00 MB                           1.00 s  100.0 ms   10.0\n\
             output                                                       300 µs\n\n\
             Resource       Took      Least\n\
             processor    1.10 s    50.0 ms  binds\n\
             disk       100.0 ms  not known\n\
             The processor: 0.40 instructions per cycle\n\n\
             What would help most, by about 500.0 ms: one core of two computes\n    SET max_threads = 2\n\
             Not known: the disk"
        );
        let of_nothing = LimitReport { least: 1e-9, ..report };
        assert_eq!(of_nothing.headline(), "Took 1.20 s. Most of the time went to: processor.");
    }
}
