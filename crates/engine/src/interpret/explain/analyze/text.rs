//! EXPLAIN ANALYZE for people: a line an operator, as a tree, with its figures in columns.

use std::time::Duration;

use gristmill_base::units;
use gristmill_introspect::operators::OperatorFigures;

use super::super::operators::{branches, without_name};
use super::super::options::Options;
use super::{Analyzed, most};

/// Of an operator's line: what is longer is cut.
const TITLE_CHARACTERS_MAX: usize = 64;
const MARK: &str = "►";

const HEADINGS: [&str; 9] =
    ["  operator", "rows", "bytes", "elapsed", "share", "waits for input", "for output", "at once", ""];

impl Analyzed {
    pub(super) fn text(&self, options: &Options) -> String {
        let total = self.planning + self.running;
        let mut out = vec![format!(
            "{} in all: planning {}, running {}; {} rows; {} of memory; {} threads",
            units::duration(total),
            units::duration(self.planning),
            units::duration(self.running),
            self.rows,
            units::bytes_binary(self.memory_peak as f64),
            self.threads
        )];
        out.extend(self.processor.clone());
        let most = most(&self.plans);
        let mut table = vec![HEADINGS.map(str::to_string).to_vec()];
        // Where a heading of a plan stands, by the line of the table that follows it.
        let mut titles = Vec::new();
        for (plan, figures) in self.plans.iter().enumerate() {
            if self.plans.len() > 1 {
                titles.push((table.len(), format!("{}: {}", self.title(plan), units::duration(figures.wall))));
            }
            let parents: Vec<Option<usize>> = figures.operators.iter().map(|operator| operator.parent).collect();
            for (place, (operator, branch)) in figures.operators.iter().zip(branches(&parents, true)).enumerate() {
                let mark = if most == Some((plan, place)) { MARK } else { " " };
                let title = title(operator, options.is("description"));
                table.push(self.cells(operator, cut(&format!("{mark} {}{title}", branch.own))));
                if options.tells_of_streams() {
                    table.extend(stream_cells(operator, &branch.below));
                }
                if options.is("metrics") {
                    let metrics = operator.metrics.iter().map(|(name, value)| metric_shown(name, *value));
                    table.extend(metrics.map(|metric| vec![format!("  {}  {metric}", branch.below)]));
                }
            }
        }
        for (line, text) in aligned(&table).into_iter().enumerate() {
            out.extend(titles.iter().filter(|(before, _)| *before == line).map(|(_, title)| title.clone()));
            out.push(text);
        }
        out.push(format!("{MARK} computed for the longest. Times are summed over streams."));
        out.join("\n")
    }

    fn cells(&self, operator: &OperatorFigures, title: String) -> Vec<String> {
        let output = operator.output();
        let streams = operator.streams.len();
        vec![
            title,
            output.rows.to_string(),
            units::bytes_binary(output.bytes as f64),
            units::duration(operator.elapsed()),
            format!("{:.1}%", self.share(operator)),
            units::duration(operator.input_wait()),
            units::duration(operator.output_wait()),
            format!("{:.1} of {streams}", operator.parallelism()),
            notes(operator),
        ]
    }
}

fn title(operator: &OperatorFigures, is_described: bool) -> String {
    let description = without_name(&operator.name, operator.description.clone());
    match is_described && !description.is_empty() {
        true => format!("{} ({description})", operator.name),
        false => operator.name.clone(),
    }
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(TITLE_CHARACTERS_MAX) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_string(),
    }
}

/// A line for each stream.
fn stream_cells(operator: &OperatorFigures, below: &str) -> Vec<Vec<String>> {
    let streams = operator.streams.iter().map(|stream| {
        vec![
            format!("  {below}stream {}", stream.partition),
            stream.output.rows.to_string(),
            units::bytes_binary(stream.output.bytes as f64),
            units::duration(stream.elapsed),
            String::new(),
            units::duration(stream.input_wait()),
            units::duration(stream.output_wait),
            String::new(),
            String::new(),
        ]
    });
    streams.collect()
}

/// What not every operator has.
fn notes(operator: &OperatorFigures) -> String {
    let bytes = |bytes: u64| units::bytes_binary(bytes as f64);
    let mut notes = Vec::new();
    if operator.spill.files > 0 {
        notes.push(format!("spilled {} in {} files", bytes(operator.spill.bytes), operator.spill.files));
    }
    if operator.requests() > 0 {
        notes.push(format!("{} requests, {}", operator.requests(), bytes(operator.requested_bytes())));
    }
    if let Some(peak) = operator.memory_peak.filter(|peak| *peak > 0) {
        notes.push(format!("{} of memory", bytes(peak)));
    }
    notes.join("; ")
}

/// Times of DataFusion's are in nanoseconds.
fn metric_shown(name: &str, value: u64) -> String {
    match name.ends_with("_time") || name.ends_with("_compute") || name.starts_with("time_") {
        true => format!("{name} {}", units::duration(Duration::from_nanos(value))),
        false => format!("{name} {value}"),
    }
}

/// Columns under each other: the first and the last begin alike, the others end alike. A line of fewer cells is as it is.
fn aligned(table: &[Vec<String>]) -> Vec<String> {
    let widths: Vec<usize> = (0..HEADINGS.len())
        .map(|column| {
            let cells = table.iter().filter(|line| line.len() == HEADINGS.len()).map(|line| line[column].chars().count());
            cells.max().unwrap_or(0)
        })
        .collect();
    let aligned = table.iter().map(|line| {
        if line.len() < HEADINGS.len() {
            return line.join(" ");
        }
        let cells = line.iter().zip(&widths).enumerate().map(|(column, (cell, width))| match column {
            0 => format!("{cell:<width$}"),
            8 => cell.clone(),
            _ => format!("{cell:>width$}"),
        });
        cells.collect::<Vec<_>>().join("  ").trim_end().to_string()
    });
    aligned.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_have_their_cells_under_each_other() {
        let line = |cells: [&str; 9]| cells.map(str::to_string).to_vec();
        let table = [
            HEADINGS.map(str::to_string).to_vec(),
            line(["► FilterExec", "5", "40.00 B", "1 µs", "50.0%", "2 µs", "3 µs", "1.0 of 1", "2 requests"]),
            vec!["    metric 1".to_string()],
        ];
        let lines = aligned(&table);
        let place = |line: &str, text: &str| line.find(text).map(|at| line[..at + text.len()].chars().count());
        assert_eq!(place(&lines[0], "bytes"), place(&lines[1], "40.00 B"));
        assert_eq!(place(&lines[0], "at once"), place(&lines[1], "1.0 of 1"));
        assert_eq!(lines[2], "    metric 1");
    }
}
