//! Names of the elements that function `tuple` puts together, where setting `enable_named_columns_in_function_tuple` has it name them.

use crate::ast::Node;

/// Each element's alias, or the name of the column that it is. `None` where one has no name, or none that needs no quotes, or two have
/// the same.
pub(super) fn element_names(elements: &[Node]) -> Option<Vec<String>> {
    let mut names: Vec<String> = Vec::with_capacity(elements.len());
    for element in elements {
        let name = match element {
            Node::Aliased(_, alias) => alias,
            Node::Name(parts) => parts.last()?,
            _ => return None,
        };
        if !is_bare_word(name) || names.contains(name) {
            return None;
        }
        names.push(name.clone());
    }
    (!names.is_empty()).then_some(names)
}

fn is_bare_word(name: &str) -> bool {
    let is_letter = |c: u8| c.is_ascii_alphabetic() || c == b'_';
    name.bytes().next().is_some_and(is_letter) && name.bytes().all(|c| is_letter(c) || c.is_ascii_digit())
}
