//! What the definition of an index of type `text` says with `preprocessor = …`: texts are in the index as that expression
//! makes them, and what is asked of them is made so first.

use gristmill_base::Result;
use gristmill_functions::strings::Tokenizer;

use crate::ast::{Call, Literal, Node, call, text};
use crate::sql_text::sql;
use crate::statement::parse_expression;

/// What a preprocessor calls the text that it is asked of.
pub const ONE_TEXT: &str = "__text_index_x";

/// An index with a preprocessor.
#[derive(Clone, Debug, PartialEq)]
pub struct TextIndex {
    pub name: String,
    /// The indexed expression.
    pub source: Node,
    /// The preprocessor, over `ONE_TEXT`.
    pub preprocessor: Node,
    /// As calls name it: `ngrams(3)`.
    pub tokenizer: String,
}

/// The parameters of a type as it is written, each a comparison with its name. `None`: it is no index of texts.
fn parameters(kind: &str) -> Result<Option<Vec<Node>>> {
    let Some(("text", rest)) = kind.split_once('(') else { return Ok(None) };
    Ok(match parse_expression(&format!("tuple({rest}"))? {
        Node::Call(tuple) => Some(tuple.arguments),
        _ => None,
    })
}

/// What a parameter is called, and its value.
fn named(parameter: &Node) -> Option<(&str, &Node)> {
    let Node::Call(Call { name, arguments, .. }) = parameter else { return None };
    match (name.as_str(), &arguments[..]) {
        ("equals", [Node::Name(parts), value]) => Some((parts.first()?.as_str(), value)),
        _ => None,
    }
}

fn value<'a>(parameters: &'a [Node], wanted: &str) -> Option<&'a Node> {
    parameters.iter().filter_map(named).find(|(name, _)| *name == wanted).map(|(_, value)| value)
}

impl TextIndex {
    /// `None`: the index is another one, or has no preprocessor.
    pub fn parse(name: &str, expression: &str, kind: &str) -> Result<Option<TextIndex>> {
        let Some(parameters) = parameters(kind)? else { return Ok(None) };
        let (Some(tokenizer), Some(preprocessor)) = (value(&parameters, "tokenizer"), value(&parameters, "preprocessor"))
        else {
            return Ok(None);
        };
        let source = parse_expression(expression)?;
        let mut one_text =
            |node: Node| if node.bare() == source.bare() { Node::Name(vec![ONE_TEXT.to_string()]) } else { node };
        let tokenizer = match tokenizer {
            Node::Literal(Literal::Text(name)) => String::from_utf8_lossy(name).into_owned(),
            written => sql(written),
        };
        let preprocessor = preprocessor.rebuilt(&mut one_text);
        Ok(Some(TextIndex { name: name.to_string(), source, preprocessor, tokenizer }))
    }

    /// What the preprocessor makes of a text; of an array, of each of its elements.
    pub fn over(&self, texts: &Node, is_array: bool) -> Node {
        if is_array {
            let each = Node::Lambda { parameters: vec![ONE_TEXT.to_string()], body: Box::new(self.preprocessor.clone()) };
            return call("arrayMap", vec![each, texts.clone()]);
        }
        let mut over =
            |node: Node| if matches!(&node, Node::Name(parts) if *parts == [ONE_TEXT]) { texts.clone() } else { node };
        self.preprocessor.rebuilt(&mut over)
    }

    /// The tokenizer as an argument of a call.
    pub fn tokenizer_named(&self) -> Node {
        text(&self.tokenizer)
    }

    /// Whether a call that names a tokenizer so takes texts apart as the index does.
    pub fn has_tokenizer(&self, written: &str) -> bool {
        let parsed = |written: &str| Tokenizer::parsed("text index", written).ok();
        parsed(written).is_some_and(|tokenizer| Some(tokenizer) == parsed(&self.tokenizer))
    }

    /// Whether tokens are the words that `hasToken` means.
    pub fn has_words(&self) -> bool {
        self.has_tokenizer("splitByNonAlpha")
    }
}

/// The type with another name of a column in its preprocessor. `None`: there is none.
pub fn with_column_renamed(kind: &str, from: &str, to: &str) -> Result<Option<String>> {
    let Some(parameters) = parameters(kind)?.filter(|parameters| value(parameters, "preprocessor").is_some()) else {
        return Ok(None);
    };
    let renamed = parameters.iter().map(|parameter| match named(parameter) {
        Some((name @ "preprocessor", value)) => {
            let value = crate::lower::substituted(value, from, &Node::Name(vec![to.to_string()]));
            format!("{name} = {}", sql(&value))
        }
        _ => sql(parameter),
    });
    Ok(Some(format!("text({})", renamed.collect::<Vec<_>>().join(", "))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_preprocessor_is_over_what_is_indexed() {
        let kind = "text(tokenizer = ngrams(4), preprocessor = concat(lower(s), 'x'))";
        let index = TextIndex::parse("i", "lower(s)", kind).expect("parses").expect("has one");
        assert_eq!(sql(&index.preprocessor), "concat(__text_index_x, 'x')");
        assert_eq!(sql(&index.over(&text("A"), false)), "concat('A', 'x')");
        let each = sql(&index.over(&Node::Name(vec!["a".into()]), true));
        assert_eq!(each, "arrayMap(__text_index_x -> concat(__text_index_x, 'x'), a)");
        assert!(index.has_tokenizer("ngrams(4)") && !index.has_tokenizer("ngrams") && !index.has_words());
        let renamed = with_column_renamed(kind, "s", "z").expect("parses").expect("has one");
        assert_eq!(renamed, "text(tokenizer = ngrams(4), preprocessor = concat(lower(z), 'x'))");
        for other in ["minmax", "set(2)", "text(tokenizer = 'array')"] {
            assert_eq!(TextIndex::parse("i", "s", other).expect("parses"), None, "{other}");
            assert_eq!(with_column_renamed(other, "s", "z").expect("parses"), None, "{other}");
        }
    }
}
