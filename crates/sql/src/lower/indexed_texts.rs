//! Conditions on texts that a table has an index with a `preprocessor` of: under `preprocessor = lower(s)`,
//! `hasAllTokens(s, 'Ab')` in WHERE is asked of `lower(s)`, with `lower('Ab')`, by the index's tokenizer. That is what the
//! preprocessor is for: the condition means so whether a part has the index or not. Elsewhere than in WHERE and PREWHERE
//! the call means what it says.

use gristmill_base::Result;
use gristmill_types::SqlType;
use sqlparser::ast::{JoinOperator, TableFactor, TableWithJoins};

use super::Analyzer;
use super::scope::Context;
use super::tables::TableReference;
use crate::ast::{Call, Literal, Node, PARENTHESES, unescape_identifier};
use crate::text_index::TextIndex;

/// An index of a table of FROM.
struct Indexed<'a> {
    index: &'a TextIndex,
    /// What the table is called.
    qualifier: Option<String>,
    /// Columns may be named without the table.
    is_alone: bool,
}

impl Indexed<'_> {
    /// Whether the index is of these texts.
    fn is_of(&self, texts: &Node) -> bool {
        let mut unqualified = |node: Node| match node {
            Node::Name(parts) if parts.len() > 1 && parts.first() == self.qualifier.as_ref() => {
                Node::Name(parts[1..].to_vec())
            }
            // Of which table it is, it does not say.
            Node::Name(_) if !self.is_alone => Node::Name(Vec::new()),
            other => other,
        };
        texts.rebuilt(&mut unqualified).bare() == self.index.source.bare()
    }
}

impl Analyzer<'_> {
    /// The condition as indexes of texts understand it. `None`: as it is written.
    pub(super) fn asked_as_indexed(
        &self,
        condition: &Node,
        from: &[TableWithJoins],
        context: &Context<'_>,
    ) -> Result<Option<Node>> {
        let indexed = self.indexed_texts(from)?;
        Ok(if indexed.is_empty() { None } else { self.with_indexed(condition, &indexed, context) })
    }

    fn indexed_texts(&self, from: &[TableWithJoins]) -> Result<Vec<Indexed<'_>>> {
        let mut found = Vec::new();
        if !self.settings.use_skip_indexes {
            return Ok(found);
        }
        let mut factors: Vec<&TableFactor> = Vec::new();
        for one in from {
            let is_array =
                |operator: &JoinOperator| matches!(operator, JoinOperator::ArrayJoin | JoinOperator::LeftArrayJoin);
            factors.push(&one.relation);
            factors.extend(one.joins.iter().filter(|join| !is_array(&join.join_operator)).map(|join| &join.relation));
        }
        let ignored = |name: &str| {
            let mut names = self.settings.ignore_data_skipping_indices.split(',');
            names.any(|ignored| ignored.trim().trim_matches('`') == name)
        };
        for factor in &factors {
            let Some(reference) = TableReference::of(factor)? else { continue };
            let Some(table) = self.tables.by_text.get(&reference.key()) else { continue };
            let alias = match factor {
                TableFactor::Table { alias: Some(alias), .. } => Some(unescape_identifier(&alias.name)),
                _ => None,
            };
            let qualifier = alias.or_else(|| table.name.last().cloned());
            for index in table.indexed_texts.iter().filter(|index| !ignored(&index.name)) {
                found.push(Indexed { index, qualifier: qualifier.clone(), is_alone: factors.len() == 1 });
            }
        }
        Ok(found)
    }

    fn with_indexed(&self, node: &Node, indexed: &[Indexed<'_>], context: &Context<'_>) -> Option<Node> {
        match node {
            Node::Aliased(inner, alias) => {
                let inner = self.with_indexed(inner, indexed, context)?;
                Some(Node::Aliased(Box::new(inner), alias.clone()))
            }
            Node::Call(call)
                if call.name == PARENTHESES || matches!(self.registry.canonical(&call.name), "and" | "or" | "not") =>
            {
                let asked: Vec<Option<Node>> =
                    call.arguments.iter().map(|argument| self.with_indexed(argument, indexed, context)).collect();
                if asked.iter().all(Option::is_none) {
                    return None;
                }
                let arguments = asked.into_iter().zip(&call.arguments);
                let arguments = arguments.map(|(asked, written)| asked.unwrap_or_else(|| written.clone())).collect();
                Some(Node::Call(Call { arguments, ..call.clone() }))
            }
            Node::Call(call) => self.call_as_indexed(call, indexed, context),
            _ => None,
        }
    }

    fn call_as_indexed(&self, call: &Call, indexed: &[Indexed<'_>], context: &Context<'_>) -> Option<Node> {
        let [texts, needle, tokenizer @ ..] = &call.arguments[..] else { return None };
        let of_words = match self.registry.canonical(&call.name) {
            "hasToken" => true,
            "hasAllTokens" | "hasAnyTokens" | "hasPhrase" => false,
            _ => return None,
        };
        let index = indexed.iter().find(|indexed| indexed.is_of(texts))?.index;
        let is_asked = match tokenizer {
            [] => !of_words || index.has_words(),
            [Node::Literal(Literal::Text(written))] => {
                !of_words && std::str::from_utf8(written).is_ok_and(|written| index.has_tokenizer(written))
            }
            _ => false,
        };
        if !is_asked {
            return None;
        }
        let is_array = matches!(self.expr(texts, context).ok()?.kind.plain(), SqlType::Array(_));
        // What stands in an array is tokens already.
        let (_, kind) = self.constant_in(needle, context).ok()?;
        let needle = if kind.is_string() { index.over(needle, false) } else { needle.clone() };
        let mut arguments = vec![index.over(texts, is_array), needle];
        if !of_words {
            arguments.push(index.tokenizer_named());
        }
        Some(Node::Call(Call { arguments, ..call.clone() }))
    }
}
