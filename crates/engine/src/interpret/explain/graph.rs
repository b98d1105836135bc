//! Plans as graphs, in the language DOT: from those who read to those who get.

use std::fmt::Write;

use super::operators::{Operator, in_streams};

/// A rectangle of a graph.
pub(super) struct Shape {
    pub name: String,
    pub label: String,
}

/// From whom rows go to whom.
pub(super) struct Arrow {
    pub from: String,
    pub to: String,
    pub label: String,
}

pub(super) fn graph(shapes: &[Shape], arrows: &[Arrow]) -> String {
    let mut out = "digraph\n{\n  rankdir=\"LR\";\n  { node [shape = rect]\n".to_string();
    for shown in shapes {
        let _ = writeln!(out, "    {} [label=\"{}\"];", shown.name, escaped(&shown.label));
    }
    out.push_str("  }\n");
    for arrow in arrows {
        let _ = match arrow.label.is_empty() {
            true => writeln!(out, "  {} -> {};", arrow.from, arrow.to),
            false => writeln!(out, "  {} -> {} [label=\"{}\"];", arrow.from, arrow.to, escaped(&arrow.label)),
        };
    }
    out.push_str("}\n");
    out
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

/// EXPLAIN PIPELINE. `compact`: a rectangle an operator; else one each of its streams.
pub(super) fn pipeline_graph(operators: &[Operator], compact: bool, with_header: bool) -> String {
    let mut shapes = Vec::new();
    let mut arrows = Vec::new();
    let header = |operator: &Operator| match with_header {
        true => operator.header.iter().map(|(name, kind)| format!("{name} {kind}")).collect::<Vec<_>>().join("\n"),
        false => String::new(),
    };
    for (place, operator) in operators.iter().enumerate() {
        if compact {
            shapes.push(Shape { name: format!("n{place}"), label: in_streams(operator) });
            if let Some(parent) = operator.parent {
                let mut label = header(operator);
                if operator.streams > 1 {
                    label = format!("× {}\n{label}", operator.streams).trim_end().to_string();
                }
                arrows.push(Arrow { from: format!("n{place}"), to: format!("n{parent}"), label });
            }
            continue;
        }
        for stream in 0..operator.streams {
            let name = format!("n{place}_{stream}");
            shapes.push(Shape { name: name.clone(), label: format!("{}_{stream}", operator.name) });
            let Some(parent) = operator.parent else { continue };
            // Streams go on as they are, or all of them into all.
            let to = operators[parent].streams;
            let same = to == operator.streams && operators[parent].name != "RepartitionExec";
            for to in if same { stream..stream + 1 } else { 0..to } {
                arrows.push(Arrow { from: name.clone(), to: format!("n{parent}_{to}"), label: header(operator) });
            }
        }
    }
    graph(&shapes, &arrows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_cannot_end_their_quotes() {
        let shapes = [Shape { name: "n0".to_string(), label: "a \"b\\\nc".to_string() }];
        assert!(graph(&shapes, &[]).contains("n0 [label=\"a \\\"b\\\\\\nc\"];"));
    }
}
