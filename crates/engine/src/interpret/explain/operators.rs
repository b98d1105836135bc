//! A plan's operators as EXPLAIN shows them: a line each, indented or as a tree; what is asked for beside that in lines below.

use std::sync::Arc;

use arrow::datatypes::Field;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::coop::CooperativeExec;
use gristmill_mergetree::read::{ScanExplained, explained};
use gristmill_types::SqlType;

use super::options::Options;
use crate::measured::description;

/// An operator of a plan.
pub(super) struct Operator {
    /// The one that reads it.
    pub parent: Option<usize>,
    pub name: String,
    pub description: String,
    /// Names and types of its columns.
    pub header: Vec<(String, String)>,
    /// By what its rows are ordered.
    pub sorting: Option<String>,
    /// What it computes.
    pub actions: Vec<String>,
    pub streams: usize,
    /// Where it reads a MergeTree table.
    pub scan: Option<ScanExplained>,
}

/// The operators of a plan, each before those it reads.
pub(super) fn operators(plan: &Arc<dyn ExecutionPlan>) -> Vec<Operator> {
    let mut all = Vec::new();
    walk(plan, None, &mut all);
    all
}

/// Puts one above all others: where the rows of the plan go.
pub(super) fn put_above(all: &mut Vec<Operator>, name: &str, description: String) {
    for operator in &mut *all {
        operator.parent = Some(operator.parent.map_or(0, |parent| parent + 1));
    }
    let operator = Operator {
        parent: None,
        name: name.to_string(),
        description,
        header: Vec::new(),
        sorting: None,
        actions: Vec::new(),
        streams: 1,
        scan: None,
    };
    all.insert(0, operator);
}

fn walk(plan: &Arc<dyn ExecutionPlan>, parent: Option<usize>, all: &mut Vec<Operator>) {
    // It hands on what it gets.
    if plan.is::<CooperativeExec>() {
        plan.children().into_iter().for_each(|child| walk(child, parent, all));
        return;
    }
    let mut actions = Vec::new();
    // Nothing in it fails.
    let _ = plan.apply_expressions(&mut |expression| {
        actions.push(expression.to_string());
        Ok(TreeNodeRecursion::Continue)
    });
    let place = all.len();
    all.push(Operator {
        parent,
        name: plan.name().to_string(),
        description: without_name(plan.name(), description(plan)),
        header: plan.schema().fields().iter().map(|field| (field.name().clone(), type_of(field))).collect(),
        sorting: plan.properties().output_ordering().map(ToString::to_string),
        actions,
        streams: plan.properties().partitioning.partition_count(),
        scan: explained(plan),
    });
    plan.children().into_iter().for_each(|child| walk(child, Some(place), all));
}

/// `FilterExec: a > 1` is `a > 1`. (Some operators add to their name: `SortExec(TopK)`.)
pub(super) fn without_name(name: &str, text: String) -> String {
    match text.split_once(": ") {
        Some((head, rest)) if name.starts_with(head) => rest.to_string(),
        _ if text.trim_end_matches(':') == name => String::new(),
        _ => text,
    }
}

fn type_of(field: &Field) -> String {
    SqlType::from_arrow(field).map_or_else(|_| field.data_type().to_string(), |kind| kind.to_string())
}

/// What stands before the lines of an operator.
pub(super) struct Branch {
    /// Before its own.
    pub own: String,
    /// Before those that tell more of it.
    pub below: String,
}

/// `is_drawn`: with lines from one operator to those it reads; else they are only indented.
pub(super) fn branches(parents: &[Option<usize>], is_drawn: bool) -> Vec<Branch> {
    let mut branches: Vec<Branch> = Vec::with_capacity(parents.len());
    // What stands before the children of each.
    let mut bars: Vec<String> = Vec::with_capacity(parents.len());
    for (place, parent) in parents.iter().enumerate() {
        let has_children = parents[place + 1..].contains(&Some(place));
        let (own, bar) = match parent {
            None => (String::new(), String::new()),
            Some(parent) if !is_drawn => (format!("{}  ", bars[*parent]), format!("{}  ", bars[*parent])),
            Some(parent) => {
                let is_last = !parents[place + 1..].contains(&Some(*parent));
                let (corner, bar) = if is_last { ("└─ ", "   ") } else { ("├─ ", "│  ") };
                (format!("{}{corner}", bars[*parent]), format!("{}{bar}", bars[*parent]))
            }
        };
        let below = match (is_drawn, has_children) {
            (true, true) => format!("{bar}│  "),
            (true, false) => format!("{bar}   "),
            (false, _) => format!("{bar}    "),
        };
        branches.push(Branch { own, below });
        bars.push(bar);
    }
    branches
}

pub(super) fn parents(operators: &[Operator]) -> Vec<Option<usize>> {
    operators.iter().map(|operator| operator.parent).collect()
}

/// EXPLAIN PLAN.
pub(super) fn plan_text(operators: &[Operator], options: &Options) -> String {
    let branches = branches(&parents(operators), options.is("pretty"));
    let mut lines = Vec::new();
    for (operator, branch) in operators.iter().zip(branches) {
        lines.push(format!("{}{}", branch.own, titled(&operator.name, operator, options.is("description"))));
        let mut more = |line: String| lines.push(format!("{}{line}", branch.below));
        if options.is("header") {
            header(operator).into_iter().for_each(&mut more);
        }
        if options.is("actions") {
            operator.actions.iter().for_each(|action| more(format!("Action: {action}")));
        }
        if options.is("sorting") {
            operator.sorting.iter().for_each(|sorting| more(format!("Sorting: {sorting}")));
        }
        if let Some(scan) = &operator.scan
            && ["indexes", "indices", "projections"].iter().any(|option| options.is(option))
        {
            scan.lines().into_iter().for_each(&mut more);
        }
    }
    lines.join("\n")
}

/// EXPLAIN PIPELINE.
pub(super) fn pipeline_text(operators: &[Operator], options: &Options) -> String {
    let branches = branches(&parents(operators), false);
    let mut lines = Vec::new();
    for (place, (operator, branch)) in operators.iter().zip(branches).enumerate() {
        let mut title = in_streams(operator);
        let inputs: usize = operators.iter().filter(|input| input.parent == Some(place)).map(|input| input.streams).sum();
        if inputs > 0 && inputs != operator.streams {
            title.push_str(&format!(" {inputs} → {}", operator.streams));
        }
        lines.push(format!("{}{}", branch.own, titled(&title, operator, true)));
        if options.is("header") {
            lines.extend(header(operator).into_iter().map(|line| format!("{}{line}", branch.below)));
        }
    }
    lines.join("\n")
}

/// The name of an operator, with how often it runs.
pub(super) fn in_streams(operator: &Operator) -> String {
    match operator.streams {
        1 => operator.name.clone(),
        streams => format!("{} × {streams}", operator.name),
    }
}

fn titled(name: &str, operator: &Operator, is_described: bool) -> String {
    match is_described && !operator.description.is_empty() {
        true => format!("{name} ({})", operator.description),
        false => name.to_string(),
    }
}

/// `Header: a UInt8`, and the other columns under the first.
fn header(operator: &Operator) -> Vec<String> {
    let columns = operator.header.iter().map(|(name, kind)| format!("{name} {kind}"));
    let lines = columns.enumerate().map(|(place, column)| {
        let before = if place == 0 { "Header: " } else { "        " };
        format!("{before}{column}")
    });
    lines.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_not_said_twice() {
        let without = |name, text: &str| without_name(name, text.to_string());
        assert_eq!(without("FilterExec", "FilterExec: a@0 > 1"), "a@0 > 1");
        assert_eq!(without("SortExec(TopK)", "SortExec: TopK(fetch=3)"), "TopK(fetch=3)");
        assert_eq!(without("CoalescePartitionsExec", "CoalescePartitionsExec"), "");
        assert_eq!(without("SequenceExec", "numbers(0, 9, 1)"), "numbers(0, 9, 1)");
    }

    #[test]
    fn a_tree_is_drawn_from_the_parents_of_its_nodes() {
        let parents = [None, Some(0), Some(1), Some(0), Some(3)];
        let drawn: Vec<String> = branches(&parents, true).iter().map(|branch| format!("{}x", branch.own)).collect();
        assert_eq!(drawn, ["x", "├─ x", "│  └─ x", "└─ x", "   └─ x"]);
        let below: Vec<String> = branches(&parents, true).into_iter().map(|branch| branch.below).collect();
        assert_eq!(below, ["│  ", "│  │  ", "│        ", "   │  ", "         "]);
        let plain: Vec<String> = branches(&parents, false).into_iter().map(|branch| branch.own).collect();
        assert_eq!(plain, ["", "  ", "    ", "  ", "    "]);
    }
}
