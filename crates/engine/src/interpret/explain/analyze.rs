//! EXPLAIN ANALYZE: a query that is run for what its operators do; its rows are thrown away.
//!
//! Operators are measured (`crate::measured`). Subqueries that a query needs before it is planned, such as the sets of IN, are
//! plans of their own, shown before it. Of an INSERT the query alone is run: nothing is written.
//!
//! Times of operators are summed over their streams. Their shares are those of all that was computed, so that they say where
//! to look first; the operator with the largest is marked. What an operator waited for its inputs is no work of its own, and
//! what it waited for output is the fault of those above.

use std::time::{Duration, Instant};

use futures::StreamExt;
use gristmill_base::{Result, redact, units};
use gristmill_introspect::operators::{OperatorFigures, PlanFigures};
use gristmill_sql::statement::Statement;
use serde_json::{Value, json};

use super::graph::{Arrow, Shape, graph};
use super::operators::{branches, without_name};
use super::options::Options;
use super::{json as nodes, texts};
use crate::interpret::{Interpreter, Outcome};
use crate::plan;

/// Of an operator's line: what is longer is cut.
const TITLE_CHARACTERS_MAX: usize = 64;
const MARK: &str = "►";

/// What was run.
struct Analyzed {
    planning: Duration,
    running: Duration,
    rows: u64,
    threads: usize,
    memory_peak: u64,
    /// Those of subqueries before that of the query.
    plans: Vec<PlanFigures>,
}

impl Interpreter {
    pub(super) async fn explain_analyze(&self, statement: &Statement, options: Options) -> Result<Outcome> {
        let context = self.context.clone();
        let now = move || context.env.instant();
        let begun: Instant = now();
        self.context.plans.want();
        let planned = self.plan_explained("ANALYZE", statement).await?.planned;
        let is_planned: Instant = now();
        let context = self.context.clone();
        let work = async move {
            let mut stream = plan::run(&planned.state, planned.physical, &context)?;
            let mut rows = 0;
            while let Some(batch) = stream.next().await {
                rows += batch?.num_rows() as u64;
            }
            let analyzed = Analyzed {
                planning: is_planned.saturating_duration_since(begun),
                running: now().saturating_duration_since(is_planned),
                rows,
                threads: context.threads(),
                memory_peak: context.memory.peak_bytes(),
                plans: context.plans.take(),
            };
            Ok(match (options.is("json"), options.is("graph")) {
                (true, _) => vec![redact::statement(&analyzed.json(&options))],
                (_, true) => lines(&analyzed.graph()),
                _ => lines(&analyzed.text(&options)),
            })
        };
        Ok(texts(work))
    }
}

fn lines(text: &str) -> Vec<String> {
    redact::statement(text).lines().map(str::to_string).collect()
}

/// The operator that computed for the longest: its plan's place, and its own.
fn most(plans: &[PlanFigures]) -> Option<(usize, usize)> {
    let all = plans.iter().enumerate().flat_map(|(plan, figures)| {
        figures.operators.iter().enumerate().map(move |(place, operator)| (operator.elapsed(), (plan, place)))
    });
    all.filter(|(elapsed, _)| !elapsed.is_zero()).max_by_key(|(elapsed, _)| *elapsed).map(|(_, found)| found)
}

impl Analyzed {
    fn computed(&self) -> Duration {
        self.plans.iter().flat_map(|plan| &plan.operators).map(OperatorFigures::elapsed).sum()
    }

    /// In percent of all that was computed.
    fn share(&self, operator: &OperatorFigures) -> f64 {
        match self.computed().as_secs_f64() {
            0.0 => 0.0,
            all => operator.elapsed().as_secs_f64() * 100.0 / all,
        }
    }

    /// The plan's name where there are several.
    fn title(&self, plan: usize) -> String {
        match plan + 1 == self.plans.len() {
            true => "Query".to_string(),
            false => format!("Subquery {}", plan + 1),
        }
    }

    fn text(&self, options: &Options) -> String {
        let total = self.planning + self.running;
        let mut out = vec![format!(
            "{} in all: planning {}, running {}; {} rows; {} of memory; {} threads",
            shown(total),
            shown(self.planning),
            shown(self.running),
            self.rows,
            units::bytes_binary(self.memory_peak as f64),
            self.threads
        )];
        let most = most(&self.plans);
        let mut table = vec![HEADINGS.map(str::to_string).to_vec()];
        // Where a heading of a plan stands, by the line of the table that follows it.
        let mut titles = Vec::new();
        for (plan, figures) in self.plans.iter().enumerate() {
            if self.plans.len() > 1 {
                titles.push((table.len(), format!("{}: {}", self.title(plan), shown(figures.wall))));
            }
            let parents: Vec<Option<usize>> = figures.operators.iter().map(|operator| operator.parent).collect();
            for (place, (operator, branch)) in figures.operators.iter().zip(branches(&parents, true)).enumerate() {
                let mark = if most == Some((plan, place)) { MARK } else { " " };
                let title = title(operator, options.is("description"));
                table.push(self.cells(operator, cut(&format!("{mark} {}{title}", branch.own))));
                if options.is("streams") {
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
            shown(operator.elapsed()),
            format!("{:.1}%", self.share(operator)),
            shown(operator.input_wait()),
            shown(operator.output_wait()),
            format!("{:.1} of {streams}", operator.parallelism()),
            notes(operator),
        ]
    }

    fn json(&self, options: &Options) -> String {
        let plans = self.plans.iter().enumerate().map(|(plan, figures)| {
            let nodes = figures.operators.iter().enumerate().map(|(place, operator)| {
                let mut node = nodes::node(&operator.name, place);
                let Value::Object(figures) = self.operator_json(operator, options) else { return node };
                node.extend(figures);
                node
            });
            let parents: Vec<Option<usize>> = figures.operators.iter().map(|operator| operator.parent).collect();
            json!({"Title": self.title(plan), "Wall Microseconds": micros(figures.wall), "Plan": nodes::nested(nodes.collect(), &parents)})
        });
        let mut plans: Vec<Value> = plans.collect();
        let query = plans.pop().map_or(Value::Null, |query| query["Plan"].clone());
        let most = most(&self.plans).and_then(|(plan, place)| {
            let name = &self.plans.get(plan)?.operators.get(place)?.name;
            Some(format!("{name}_{place}"))
        });
        let all = json!([{
            "Plan": query,
            "Subqueries": plans,
            "Planning Microseconds": micros(self.planning),
            "Running Microseconds": micros(self.running),
            "Total Microseconds": micros(self.planning + self.running),
            "Computed Microseconds": micros(self.computed()),
            "Rows": self.rows,
            "Memory Peak": self.memory_peak,
            "Threads": self.threads,
            "Longest": most,
        }]);
        nodes::pretty(&all)
    }

    fn operator_json(&self, operator: &OperatorFigures, options: &Options) -> Value {
        let output = operator.output();
        let mut shown = json!({
            "Rows": output.rows,
            "Bytes": output.bytes,
            "Batches": output.batches,
            "Input Rows": operator.input.rows,
            "Input Bytes": operator.input.bytes,
            "Elapsed Microseconds": micros(operator.elapsed()),
            "Share": (self.share(operator) * 100.0).round() / 100.0,
            "Input Wait Microseconds": micros(operator.input_wait()),
            "Pending Microseconds": micros(operator.pending()),
            "Output Wait Microseconds": micros(operator.output_wait()),
            "Busy Microseconds": micros(operator.busy),
            "Streams": operator.streams.len(),
            "Parallelism": (operator.parallelism() * 100.0).round() / 100.0,
            "At Once": operator.at_once_max,
            "Spilled Files": operator.spill.files,
            "Spilled Rows": operator.spill.rows,
            "Spilled Bytes": operator.spill.bytes,
            "Requests": operator.requests(),
            "Requested Bytes": operator.requested_bytes(),
        });
        if options.is("description") {
            shown["Description"] = json!(without_name(&operator.name, operator.description.clone()));
        }
        if let Some(peak) = operator.memory_peak {
            shown["Memory Peak"] = json!(peak);
        }
        if options.is("streams") {
            let streams = operator.streams.iter().map(|stream| {
                json!({
                    "Partition": stream.partition,
                    "Rows": stream.output.rows,
                    "Bytes": stream.output.bytes,
                    "Elapsed Microseconds": micros(stream.elapsed),
                    "Input Wait Microseconds": micros(stream.input_wait()),
                    "Output Wait Microseconds": micros(stream.output_wait),
                })
            });
            shown["Of Streams"] = streams.collect();
        }
        if options.is("metrics") {
            let metrics = operator.metrics.iter().map(|(name, value)| (name.clone(), json!(value)));
            shown["Metrics"] = Value::Object(metrics.collect());
        }
        shown
    }

    fn graph(&self) -> String {
        let (mut shapes, mut arrows) = (Vec::new(), Vec::new());
        for (plan, figures) in self.plans.iter().enumerate() {
            for (place, operator) in figures.operators.iter().enumerate() {
                let (name, output) = (format!("n{plan}_{place}"), operator.output());
                let label = format!("{}\n{} ({:.1}%)", operator.name, shown(operator.elapsed()), self.share(operator));
                shapes.push(Shape { name: name.clone(), label });
                if let Some(parent) = operator.parent {
                    let label = format!("{} rows\n{}", output.rows, units::bytes_binary(output.bytes as f64));
                    arrows.push(Arrow { from: name, to: format!("n{plan}_{parent}"), label });
                }
            }
        }
        graph(&shapes, &arrows)
    }
}

const HEADINGS: [&str; 9] =
    ["  operator", "rows", "bytes", "elapsed", "share", "waits for input", "for output", "at once", ""];

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
            shown(stream.elapsed),
            String::new(),
            shown(stream.input_wait()),
            shown(stream.output_wait),
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
        true => format!("{name} {}", shown(Duration::from_nanos(value))),
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

fn micros(time: Duration) -> u64 {
    time.as_micros() as u64
}

/// `1.23 s`, `45.6 ms`, `7 µs`.
fn shown(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    if seconds >= 1.0 {
        format!("{seconds:.2} s")
    } else if seconds >= 0.001 {
        format!("{:.1} ms", seconds * 1e3)
    } else {
        format!("{:.0} µs", seconds * 1e6)
    }
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

    #[test]
    fn the_operator_with_the_most_work_is_found_among_all_plans() {
        use gristmill_introspect::operators::StreamFigures;
        let operator = |millis: u64| OperatorFigures {
            streams: vec![StreamFigures { elapsed: Duration::from_millis(millis), ..StreamFigures::default() }],
            ..OperatorFigures::default()
        };
        let plan = |operators| PlanFigures { operators, ..PlanFigures::default() };
        let plans = [plan(vec![operator(1), operator(7)]), plan(vec![operator(3)])];
        assert_eq!(most(&plans), Some((0, 1)));
        assert_eq!(most(&[plan(vec![operator(0)])]), None);
    }
}
