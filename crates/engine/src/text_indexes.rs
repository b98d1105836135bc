//! Indexes of texts with a preprocessor: what it makes of the texts, compiled and checked, and what queries know of it.

use gristmill_base::{Error, ErrorCode, Result};
use gristmill_catalog::{KeyExpression, SkipIndexDefinition, TableDefinition};
use gristmill_functions::Registry;
use gristmill_sql::ast::Node;
use gristmill_sql::sql_text::sql;
use gristmill_sql::text_index::{ONE_TEXT, TextIndex};
use gristmill_types::{Columns, SqlType};

use crate::keys;

/// A table's indexes of texts that have a preprocessor.
pub fn indexed_texts(definition: &TableDefinition) -> Vec<TextIndex> {
    let of_index = |index: &SkipIndexDefinition| TextIndex::parse(&index.name, &index.expression, &index.kind);
    definition.skip_indexes.iter().filter_map(|index| of_index(index).ok().flatten()).collect()
}

fn refused(text: String) -> Error {
    Error::new(ErrorCode::INCORRECT_QUERY, text)
}

/// See `ExpressionCompiler::compile_preprocessed`.
pub fn preprocessed(index: &SkipIndexDefinition, stored: &Columns, registry: &Registry) -> Result<KeyExpression> {
    let Some(texts) = TextIndex::parse(&index.name, &index.expression, &index.kind)? else {
        return Err(Error::logical("An index of texts without the preprocessor that it was found to have"));
    };
    let source = compiled(&texts.source, stored, registry)?;
    let is_array = matches!(source.kind.plain(), SqlType::Array(_));
    let one = match source.kind.plain() {
        SqlType::Array(element) => element.as_ref().clone(),
        _ => source.kind.clone(),
    };
    check(&texts.preprocessor, &Columns::of([(ONE_TEXT.to_string(), one)]), registry)?;
    compiled(&texts.over(&texts.source, is_array), stored, registry)
}

fn compiled(node: &Node, columns: &Columns, registry: &Registry) -> Result<KeyExpression> {
    let mut keys = keys::compile(&[sql(node)], columns, registry, &keys::key_env())?;
    keys.pop().ok_or_else(|| Error::logical("An expression that gives nothing"))
}

/// A preprocessor makes a text of the one text, and of nothing else, always the same.
fn check(preprocessor: &Node, one_text: &Columns, registry: &Registry) -> Result<()> {
    if matches!(preprocessor.bare(), Node::Name(parts) if *parts == [ONE_TEXT]) {
        return Err(refused("The preprocessor must have at least one expression on top of the source column".to_string()));
    }
    if keys::changing(registry, preprocessor).is_some() {
        return Err(refused("The preprocessor expression must not contain non-deterministic functions".to_string()));
    }
    let mut multiplies = false;
    preprocessor.walk(&mut |node| {
        multiplies |= matches!(node, Node::Call(call) if registry.canonical(&call.name) == "arrayJoin");
        !multiplies
    });
    if multiplies {
        return Err(refused("The preprocessor expression must be a function. Got arrayJoin".to_string()));
    }
    let made = compiled(preprocessor, one_text, registry)?;
    if made.logical.column_refs().is_empty() {
        return Err(refused("The preprocessor expression must be a function. Got a constant".to_string()));
    }
    if !made.kind.is_string() {
        let kind = &made.kind;
        return Err(refused(format!(
            "The preprocessor expression should return a column of type with base type of String or FixedString, got: {kind}"
        )));
    }
    Ok(())
}
