//! `EXPLAIN json = 1`, in ClickHouse's shape, which programs that draw plans know: `[{"Plan": {"Node Type", …, "Plans": […]}}]`.

use gristmill_mergetree::read::ScanExplained;
use serde_json::{Map, Value, json};

use super::operators::Operator;
use super::options::Options;

/// One node, without what it reads.
pub(super) type Node = Map<String, Value>;

pub(super) fn node(name: &str, place: usize) -> Node {
    let mut node = Node::new();
    node.insert("Node Type".to_string(), json!(name));
    node.insert("Node Id".to_string(), json!(format!("{name}_{place}")));
    node
}

/// The first node, with all others below those that read them.
pub(super) fn nested(nodes: Vec<Node>, parents: &[Option<usize>]) -> Value {
    let mut below: Vec<Vec<Value>> = nodes.iter().map(|_| Vec::new()).collect();
    let mut first = Value::Null;
    // A node stands before those it reads, so from the last on each is whole when it is put into another.
    for (place, mut node) in nodes.into_iter().enumerate().rev() {
        let mut plans = std::mem::take(&mut below[place]);
        plans.reverse();
        if !plans.is_empty() {
            node.insert("Plans".to_string(), Value::Array(plans));
        }
        match parents[place] {
            Some(parent) => below[parent].push(Value::Object(node)),
            None => first = Value::Object(node),
        }
    }
    first
}

pub(super) fn pretty(value: &Value) -> String {
    // Values that came from here can be written.
    serde_json::to_string_pretty(value).unwrap_or_default()
}

/// EXPLAIN PLAN.
pub(super) fn plan_json(operators: &[Operator], options: &Options) -> String {
    let nodes = operators.iter().enumerate().map(|(place, operator)| {
        let mut node = node(&operator.name, place);
        let mut add = |key: &str, value: Value| _ = node.insert(key.to_string(), value);
        if options.is("description") && !operator.description.is_empty() {
            add("Description", json!(operator.description));
        }
        if options.is("header") {
            let columns = operator.header.iter().map(|(name, kind)| json!({"Name": name, "Type": kind}));
            add("Header", columns.collect());
        }
        if options.is("actions") && !operator.actions.is_empty() {
            add("Actions", json!(operator.actions));
        }
        if options.is("sorting")
            && let Some(sorting) = &operator.sorting
        {
            add("Sorting", json!(sorting));
        }
        if let Some(scan) = &operator.scan {
            if options.is("indexes") || options.is("indices") {
                add("Indexes", indexes(scan));
                if !scan.read_types.is_empty() {
                    add("Read Type", json!(scan.read_types.join(", ")));
                }
                if !scan.prewhere.is_empty() {
                    add("Prewhere", json!(scan.prewhere));
                }
            }
            if let (true, Some(projection)) = (options.is("projections"), &scan.projection) {
                add("Projections", json!([{"Name": projection, "Table": scan.table}]));
            }
        }
        node
    });
    let parents: Vec<Option<usize>> = operators.iter().map(|operator| operator.parent).collect();
    pretty(&json!([{"Plan": nested(nodes.collect(), &parents)}]))
}

fn indexes(scan: &ScanExplained) -> Value {
    let indexes = scan.indexes.iter().map(|index| {
        let mut shown = Node::new();
        let mut add = |key: &str, value: Value| _ = shown.insert(key.to_string(), value);
        // In lines it has a hyphen, as in ClickHouse's.
        add("Type", json!(index.kind.replace('-', "")));
        if let Some((name, description)) = &index.index {
            add("Name", json!(name));
            add("Description", json!(description));
        }
        if !index.keys.is_empty() {
            add("Keys", json!(index.keys));
        }
        if let Some(condition) = &index.condition {
            add("Condition", json!(condition));
        }
        add("Initial Parts", json!(index.parts.1));
        add("Selected Parts", json!(index.parts.0));
        add("Initial Granules", json!(index.granules.1));
        add("Selected Granules", json!(index.granules.0));
        Value::Object(shown)
    });
    indexes.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_lie_within_those_that_read_them_in_their_order() {
        let nodes = ["a", "b", "c", "d"].iter().enumerate().map(|(place, name)| node(name, place)).collect();
        let nested = nested(nodes, &[None, Some(0), Some(1), Some(0)]);
        assert_eq!(nested["Node Id"], "a_0");
        assert_eq!(nested["Plans"][0]["Node Type"], "b");
        assert_eq!(nested["Plans"][0]["Plans"][0]["Node Type"], "c");
        assert_eq!(nested["Plans"][1]["Node Type"], "d");
        assert!(nested["Plans"][1].get("Plans").is_none());
    }
}
