//! The part of YAML that configurations of ClickHouse's programs use: mappings by indentation, lists of mappings or of
//! words, words with or without quotes, comments. A list is, as in ClickHouse, an element that comes several times,
//! `'@replace': 1` an attribute, and `'#text': word` the text beside it.

use gristmill_base::Result;

use crate::config_tree::{Node, invalid};

/// A line that says something.
struct Line<'a> {
    number: usize,
    indent: usize,
    text: &'a str,
}

/// The element that all others are in. Error: INVALID_CONFIG_PARAMETER, with the line.
pub fn parsed(text: &str) -> Result<Node> {
    let mut lines: Vec<Line<'_>> = Vec::new();
    for (at, line) in text.lines().enumerate() {
        let bare = without_comment(line).trim_end();
        let trimmed = bare.trim_start();
        if trimmed.is_empty() || trimmed == "---" {
            continue;
        }
        let indent = bare.len() - trimmed.len();
        if bare[..indent].contains('\t') {
            return Err(invalid(format!("Line {} is indented by a tab: YAML takes spaces", at + 1)));
        }
        // `- name: x` is a list's element whose first line begins behind the dash.
        let mut begin = 0;
        while let Some(rest) = trimmed[begin..].strip_prefix("- ") {
            lines.push(Line { number: at + 1, indent: indent + begin, text: "-" });
            begin = trimmed.len() - rest.trim_start().len();
        }
        lines.push(Line { number: at + 1, indent: indent + begin, text: &trimmed[begin..] });
    }
    let mut root = Node::default();
    let mut rest = lines.as_slice();
    mapping(&mut rest, 0, &mut root, 0)?;
    match rest.first() {
        None => Ok(with_attributes(root)),
        Some(line) => Err(invalid(format!("Line {} is indented less than those it belongs to", line.number))),
    }
}

/// Makes attributes and text of what is named so.
fn with_attributes(mut node: Node) -> Node {
    for child in std::mem::take(&mut node.children) {
        match child.name.strip_prefix('@') {
            Some(attribute) => node.attribute(attribute, &child.text),
            None if child.name == "#text" => node.text = child.text,
            None => node.children.push(with_attributes(child)),
        }
    }
    node
}

/// Elements within elements.
const DEPTH_MAX: usize = 32;

/// Reads lines of one mapping, which are indented by `indent` at least, into a node.
fn mapping(lines: &mut &[Line<'_>], indent: usize, into: &mut Node, depth: usize) -> Result<()> {
    if depth > DEPTH_MAX {
        return Err(invalid(format!("More than {DEPTH_MAX} elements within each other")));
    }
    let Some(own) = lines.first().map(|line| line.indent).filter(|own| *own >= indent) else { return Ok(()) };
    while let Some(line) = lines.first().filter(|line| line.indent == own) {
        let (number, text) = (line.number, line.text);
        let (name, value) = text
            .split_once(':')
            .filter(|(_, value)| value.is_empty() || value.starts_with(' '))
            .ok_or_else(|| invalid(format!("Line {number} is no 'name: value'")))?;
        let name = unquoted(name.trim());
        *lines = &lines[1..];
        let value = value.trim();
        if !value.is_empty() {
            into.children.push(Node { name, text: unquoted(value), ..Node::default() });
            continue;
        }
        let is_list = lines.first().is_some_and(|next| next.text == "-" && next.indent >= own);
        if is_list {
            list(lines, &name, into, depth + 1)?;
        } else {
            let mut node = Node { name, ..Node::default() };
            mapping(lines, own + 1, &mut node, depth + 1)?;
            into.children.push(node);
        }
    }
    match lines.first() {
        Some(line) if line.indent > own => {
            Err(invalid(format!("Line {} is indented more than those beside it", line.number)))
        }
        _ => Ok(()),
    }
}

/// Reads the elements of a list, each of which becomes a node of that name.
fn list(lines: &mut &[Line<'_>], name: &str, into: &mut Node, depth: usize) -> Result<()> {
    let Some(own) = lines.first().map(|line| line.indent) else { return Ok(()) };
    while lines.first().is_some_and(|line| line.text == "-" && line.indent == own) {
        *lines = &lines[1..];
        let mut node = Node { name: name.to_string(), ..Node::default() };
        match lines.first().filter(|line| line.indent > own) {
            Some(line) if !line.text.ends_with(':') && !line.text.contains(": ") => {
                node.text = unquoted(line.text);
                *lines = &lines[1..];
            }
            _ => mapping(lines, own + 1, &mut node, depth)?,
        }
        into.children.push(node);
    }
    Ok(())
}

/// A `#` begins a comment at the start of a line and behind a space, outside of quotes.
fn without_comment(line: &str) -> &str {
    let mut quote = None;
    let mut before = ' ';
    for (at, c) in line.char_indices() {
        match (quote, c) {
            (None, '#') if before.is_whitespace() => return &line[..at],
            // A quote that is doubled goes on.
            (None, '\'' | '"') if before.is_whitespace() || before == c => quote = Some(c),
            (Some(open), c) if c == open => quote = None,
            _ => {}
        }
        before = c;
    }
    line
}

fn unquoted(text: &str) -> String {
    let inner = |quote: char| text.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote));
    match (inner('\''), inner('"')) {
        (Some(inner), _) => inner.replace("''", "'"),
        (_, Some(inner)) => inner.replace("\\\"", "\"").replace("\\\\", "\\"),
        _ => text.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_configuration_is_a_tree() {
        let root = parsed(
            "# a comment\nhost: db.example\nport: 9440\npassword: 'it''s # no comment' # but this\nopenSSL:\n  client:\n    \
             verificationMode: none\nconnections_credentials:\n  connection:\n    - name: one\n      hostname: h1\n    - name: two\n      \
             hostname: h2\n      secure: 1\nprompt: \"x: y\"\n",
        )
        .expect("reads");
        assert_eq!(root.text(&["host"]).as_deref(), Some("db.example"));
        assert_eq!(root.text(&["password"]).as_deref(), Some("it's # no comment"));
        assert_eq!(root.text(&["openSSL", "client", "verificationMode"]).as_deref(), Some("none"));
        let all = root.child("connections_credentials").expect("is there");
        let hosts: Vec<_> = all.children("connection").filter_map(|node| node.text(&["hostname"])).collect();
        assert_eq!(hosts, ["h1", "h2"]);
        assert_eq!(root.text(&["prompt"]).as_deref(), Some("x: y"));
    }

    #[test]
    fn attributes_are_named_with_a_sign() {
        let text = "password:\n  '@from_env': PASSWORD\nurl:\n  '@overridable': 0\n  '#text': http://a\n";
        let root = parsed(text).expect("reads");
        let password = root.child("password").expect("is there");
        assert_eq!((password.from_env.as_deref(), password.children.len()), (Some("PASSWORD"), 0));
        assert_eq!(root.text(&["url"]).as_deref(), Some("http://a"));
        assert_eq!(root.child("url").expect("is there").overridable, Some(false));
    }

    #[test]
    fn mistakes_are_told_with_their_lines() {
        for (text, line) in [("host db", "Line 1"), ("a: 1\n  b: 2", "Line 2"), ("a:\n\tb: 2", "Line 2")] {
            let error = parsed(text).expect_err("a mistake").to_string();
            assert!(error.contains(line), "{error}");
        }
    }
}
