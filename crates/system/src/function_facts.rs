//! What `system.functions` tells of a function beside its name. The facts are lines of `functions.tsv` (`tests/coverage/describe.py` says
//! which columns, and writes it); they are parted once, and unescaped where a function is asked for.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::LazyLock;

static LINES: LazyLock<HashMap<&str, &str>> =
    LazyLock::new(|| include_str!("functions.tsv").lines().filter_map(|line| line.split_once('\t')).collect());

#[derive(Default)]
pub struct Facts {
    pub categories: String,
    pub introduced_in: String,
    pub syntax: String,
    pub description: String,
    pub arguments: String,
    pub parameters: String,
    pub returned_value: String,
    pub examples: String,
}

impl Facts {
    /// Nothing where the function is unknown, and of an alias, as ClickHouse has it.
    pub fn of(name: &str) -> Facts {
        let mut fields = LINES.get(name).into_iter().flat_map(|line| line.split('\t')).map(unescaped);
        let mut next = || fields.next().unwrap_or_default().into_owned();
        Facts {
            categories: next(),
            introduced_in: next(),
            syntax: next(),
            description: next(),
            arguments: next(),
            parameters: next(),
            returned_value: next(),
            examples: example(&next(), &next(), &next()),
        }
    }
}

fn unescaped(field: &str) -> Cow<'_, str> {
    if !field.contains('\\') {
        return Cow::Borrowed(field);
    }
    let mut text = String::with_capacity(field.len());
    let mut characters = field.chars();
    while let Some(character) = characters.next() {
        text.push(match (character, character == '\\') {
            (_, true) => match characters.next() {
                Some('n') => '\n',
                Some('t') => '\t',
                other => other.unwrap_or('\\'),
            },
            (other, false) => other,
        });
    }
    Cow::Owned(text)
}

/// ClickHouse's Markdown.
fn example(title: &str, query: &str, answer: &str) -> String {
    if query.is_empty() {
        return String::new();
    }
    format!("**{title}**\n\n```sql title=Query\n{query}\n```\n\n```response title=Response\n{answer}\n```\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_becomes_facts() {
        let facts = Facts::of("tanh");
        assert_eq!(
            (facts.syntax.as_str(), facts.introduced_in.as_str(), facts.categories.as_str()),
            ("tanh(x)", "20.1.0", "Mathematical")
        );
        assert_eq!(facts.description, "Returns the hyperbolic tangent.");
        assert!(
            facts.examples.starts_with("**Usage example**\n\n```sql title=Query\nSELECT tanh(0)\n```\n"),
            "{}",
            facts.examples
        );
        assert_eq!(Facts::of("no such function").syntax, "");
        assert_eq!(unescaped(r"a\nb\\n\tc"), "a\nb\\n\tc");
    }
}
