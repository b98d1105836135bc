//! EXPLAIN ANALYZE: a query that is run for what its operators do; its rows are thrown away.
//!
//! Operators are measured (`crate::measured`). Subqueries that a query needs before it is planned, such as the sets of IN, are
//! plans of their own, shown before it. Of an INSERT the query alone is run: nothing is written.
//!
//! Times of operators are summed over their streams. Their shares are those of all that was computed, so that they say where
//! to look first; the operator with the largest is marked. What an operator waited for its inputs is no work of its own, and
//! what it waited for output is the fault of those above.

mod json;
mod text;

use std::time::{Duration, Instant};

use futures::StreamExt;
use gristmill_base::{Result, redact, units};
use gristmill_introspect::operators::{OperatorFigures, PlanFigures};
use gristmill_introspect::processor_told;
use gristmill_sql::statement::Statement;

use super::graph::{Arrow, Shape, graph};
use super::operators::plan_text;
use super::options::Options;
use super::texts;
use crate::interpret::{Interpreter, Outcome};
use crate::plan;

/// What was run.
struct Analyzed {
    planning: Duration,
    running: Duration,
    rows: u64,
    threads: usize,
    memory_peak: u64,
    /// What the processor did, where it was counted.
    processor: Option<String>,
    /// Those of subqueries before that of the query.
    plans: Vec<PlanFigures>,
}

impl Interpreter {
    pub(super) async fn explain_analyze(&self, statement: &Statement, options: Options) -> Result<Outcome> {
        let context = self.context.clone();
        let now = move || context.env.instant();
        let begun: Instant = now();
        self.context.plans.want();
        let explained = self.plan_explained("ANALYZE", statement).await?;
        let is_planned: Instant = now();
        let of_plan = options.tells_of_plan().then(|| plan_text(&explained.operators(), &options));
        let planned = explained.planned;
        let context = self.context.clone();
        let work = async move {
            let mut stream = plan::run(&planned.state, planned.physical, &context)?;
            let mut rows = 0;
            while let Some(batch) = stream.next().await {
                rows += batch?.num_rows() as u64;
            }
            drop(stream);
            context.settle();
            let analyzed = Analyzed {
                planning: is_planned.saturating_duration_since(begun),
                running: now().saturating_duration_since(is_planned),
                rows,
                threads: context.threads(),
                memory_peak: context.memory.peak_bytes(),
                processor: processor_told(&context.counters),
                plans: context.plans.take(),
            };
            Ok(match (options.is("json"), options.is("graph")) {
                (true, _) => vec![redact::statement(&analyzed.json(&options))],
                (_, true) => lines(&analyzed.graph()),
                _ => {
                    let mut shown = lines(&analyzed.text(&options));
                    if let Some(of_plan) = &of_plan {
                        shown.push(String::new());
                        shown.extend(lines(of_plan));
                    }
                    shown
                }
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

    fn graph(&self) -> String {
        let (mut shapes, mut arrows) = (Vec::new(), Vec::new());
        for (plan, figures) in self.plans.iter().enumerate() {
            for (place, operator) in figures.operators.iter().enumerate() {
                let (name, output) = (format!("n{plan}_{place}"), operator.output());
                let label =
                    format!("{}\n{} ({:.1}%)", operator.name, units::duration(operator.elapsed()), self.share(operator));
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

fn micros(time: Duration) -> u64 {
    time.as_micros() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

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
