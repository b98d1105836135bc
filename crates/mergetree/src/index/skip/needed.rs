//! What conditions need of a unit: terms that have to be there, joined by AND and OR.

use super::text::Dictionary;

#[derive(Debug)]
pub enum Node {
    Unknown,
    Never,
    All(Vec<Node>),
    Any(Vec<Node>),
    /// Of the expression's values, all of one of these sets must be there.
    Holds {
        expression: usize,
        any: Vec<Vec<Term>>,
    },
}

/// What is looked for.
#[derive(Debug)]
pub enum Term {
    /// In filters.
    Hash(u64),
    /// In dictionaries.
    Token(Box<[u8]>),
}

impl Node {
    /// `has`: whether a hash is in a unit's filter of an expression.
    pub fn check(&self, has: &dyn Fn(usize, u64) -> bool) -> bool {
        match self {
            Node::Unknown => true,
            Node::Never => false,
            Node::All(nodes) => nodes.iter().all(|node| node.check(has)),
            Node::Any(nodes) => nodes.iter().any(|node| node.check(has)),
            Node::Holds { expression, any } => {
                let is_there = |term: &Term| match term {
                    Term::Hash(hash) => has(*expression, *hash),
                    Term::Token(_) => true,
                };
                any.iter().any(|all| all.iter().all(is_there))
            }
        }
    }

    /// By unit, whether a row may pass: of units whose tokens are known.
    pub fn units(&self, dictionary: &Dictionary, count: usize) -> Vec<bool> {
        let joined = |nodes: &[Node], first: bool, join: fn(bool, bool) -> bool| {
            nodes.iter().map(|node| node.units(dictionary, count)).fold(vec![first; count], |sofar, units| {
                sofar.into_iter().zip(units).map(|(sofar, unit)| join(sofar, unit)).collect()
            })
        };
        match self {
            Node::Unknown => vec![true; count],
            Node::Never => vec![false; count],
            Node::All(nodes) => joined(nodes, true, |a, b| a && b),
            Node::Any(nodes) => joined(nodes, false, |a, b| a || b),
            Node::Holds { any, .. } => {
                let mut passes = vec![false; count];
                for terms in any {
                    let mut lists = terms.iter().filter_map(|term| match term {
                        Term::Token(token) => Some(dictionary.units(token)),
                        Term::Hash(_) => None,
                    });
                    let Some(first) = lists.next() else { return vec![true; count] };
                    let others: Vec<&[u32]> = lists.collect();
                    for unit in first.iter().filter(|unit| others.iter().all(|list| list.binary_search(unit).is_ok())) {
                        passes[*unit as usize] = true;
                    }
                }
                passes
            }
        }
    }
}

/// What says nothing is left out of a conjunction.
pub fn all(nodes: Vec<Node>) -> Node {
    let mut known: Vec<Node> = nodes.into_iter().filter(|node| !matches!(node, Node::Unknown)).collect();
    match known.len() {
        0 => Node::Unknown,
        1 => known.remove(0),
        _ => Node::All(known),
    }
}

pub fn any(nodes: Vec<Node>) -> Node {
    if nodes.iter().any(|node| matches!(node, Node::Unknown)) { Node::Unknown } else { Node::Any(nodes) }
}

/// One of the alternatives, whole.
pub fn holds(expression: usize, any: Vec<Vec<Term>>) -> Node {
    // An alternative without a term is always there.
    if any.iter().any(Vec::is_empty) { Node::Unknown } else { Node::Holds { expression, any } }
}
