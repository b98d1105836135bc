//! `<query_masking_rules>` of the configuration, in ClickHouse's form: what a regular expression finds in statements and lines of
//! the log is shown as another text.

use std::sync::Arc;

use gristmill_base::redact::masking::Rule;
use gristmill_base::{Error, ErrorCode, Result, ResultExt};
use regex::Regex;

use crate::config_tree::{Node, invalid};

/// What stands for a match unless the rule says otherwise.
const REPLACED_BY: &str = "******";

/// What is read of a rule.
const KNOWN: &[&str] = &["name", "regexp", "replace", "throw_on_match"];

/// The rules, in their order. Errors: INVALID_CONFIG_PARAMETER, NO_ELEMENTS_IN_CONFIG, CANNOT_COMPILE_REGEXP.
pub fn read(root: &Node) -> Result<Vec<Rule>> {
    let nodes = root.children("query_masking_rules").flat_map(|all| &all.children);
    let mut rules: Vec<Rule> = Vec::new();
    for (at, node) in nodes.enumerate() {
        if !node.name.starts_with("rule") {
            tracing::warn!("<{}> in <query_masking_rules> means nothing here: rules are", node.name);
            continue;
        }
        let name = node.text(&["name"]).unwrap_or_else(|| format!("rule {}", at + 1));
        if rules.iter().any(|rule| rule.name == name) {
            return Err(invalid(format!("<query_masking_rules> has more than one rule of the name '{name}'")));
        }
        rules.push(rule(node, name.clone()).context(|| format!("in the rule '{name}' of <query_masking_rules>"))?);
    }
    Ok(rules)
}

fn rule(node: &Node, name: String) -> Result<Rule> {
    for unknown in node.children.iter().filter(|child| !KNOWN.contains(&child.name.as_str())) {
        tracing::warn!("<{}> in the rule '{name}' of <query_masking_rules> means nothing here", unknown.name);
    }
    // Blanks of it are meant.
    let text = |name: &str| node.child(name).map(|child| child.text.as_str()).filter(|text| !text.is_empty());
    let Some(regexp) = text("regexp") else {
        return Err(Error::new(ErrorCode::NO_ELEMENTS_IN_CONFIG, "It has no <regexp>, or an empty one"));
    };
    let regexp = Regex::new(regexp).map_err(|error| {
        Error::new(ErrorCode::CANNOT_COMPILE_REGEXP, format!("<regexp>{regexp}</regexp> is no regular expression: {error}"))
    })?;
    let replacement = replacement(node.child("replace").map_or(REPLACED_BY, |child| child.text.as_str()));
    let replace =
        move |text: &str| regexp.is_match(text).then(|| regexp.replace_all(text, replacement.as_str()).into_owned());
    let refuses = match node.text(&["throw_on_match"]).unwrap_or_default().to_ascii_lowercase().as_str() {
        "" | "0" | "false" | "no" | "off" => false,
        "1" | "true" | "yes" | "on" => true,
        other => return Err(invalid(format!("<throw_on_match>{other}</throw_on_match> is neither true nor false"))),
    };
    Ok(Rule { name, replace: Arc::new(replace), refuses })
}

/// In RE2's replacements `\1` is a group, in those of the crate `$1` is.
fn replacement(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut characters = text.chars();
    while let Some(c) = characters.next() {
        match c {
            '$' => out.push_str("$$"),
            '\\' => match characters.next() {
                Some(digit) if digit.is_ascii_digit() => {
                    out.push_str("${");
                    out.push(digit);
                    out.push('}');
                }
                Some(other) => out.push(other),
                None => out.push('\\'),
            },
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config_tree::parsed;

    fn rules(text: &str) -> Result<Vec<Rule>> {
        read(&parsed(&format!("<clickhouse><query_masking_rules>{text}</query_masking_rules></clickhouse>"))?)
    }

    #[test]
    fn matches_are_replaced() {
        let rules = rules(
            "<rule><name>ssn</name><regexp>(?i)\\b\\d{3}-\\d{2}-(\\d{4})\\b</regexp><replace>$-\\1</replace></rule>\
             <rule><regexp>card=\\w+</regexp></rule>",
        )
        .expect("reads");
        assert_eq!((rules[0].replace)("SELECT '123-45-6789'").as_deref(), Some("SELECT '$-6789'"));
        assert_eq!((rules[1].replace)("card=x, card=y").as_deref(), Some("******, ******"));
        assert_eq!((rules[1].replace)("SELECT 1"), None);
        assert!(!rules[0].refuses);
    }

    #[test]
    fn mistakes_are_named() {
        let code = |text: &str| rules(text).expect_err("a mistake").code();
        assert_eq!(code("<rule><name>a</name></rule>"), ErrorCode::NO_ELEMENTS_IN_CONFIG);
        assert_eq!(code("<rule><regexp>(</regexp></rule>"), ErrorCode::CANNOT_COMPILE_REGEXP);
        let throws = |value: &str| {
            rules(&format!("<rule><regexp>a</regexp><throw_on_match>{value}</throw_on_match></rule>"))
                .map(|rules| rules[0].refuses)
        };
        assert_eq!((throws("true").expect("reads"), throws("0").expect("reads")), (true, false));
        assert_eq!(throws("maybe").expect_err("neither").code(), ErrorCode::INVALID_CONFIG_PARAMETER);
        let one = "<rule><name>a</name><regexp>a</regexp></rule>";
        assert_eq!(code(&format!("{one}{one}")), ErrorCode::INVALID_CONFIG_PARAMETER);
    }
}
