//! EXPLAIN ANALYZE as JSON, in the shape of `EXPLAIN json = 1`.

use gristmill_introspect::operators::OperatorFigures;
use serde_json::{Value, json};

use super::super::json as nodes;
use super::super::operators::without_name;
use super::super::options::Options;
use super::{Analyzed, micros, most};

impl Analyzed {
    pub(super) fn json(&self, options: &Options) -> String {
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
        let mut all = json!([{
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
        if let Some(processor) = &self.processor {
            all[0]["Processor"] = json!(processor);
        }
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
        if options.tells_of_streams() {
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
}
