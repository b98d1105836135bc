//! Texts that every match of a regular expression holds, found in its syntax tree: of parts one behind another each one's,
//! of alternatives those of either. What is not certain is left out.

use gristmill_functions::strings::regular_expression;
use regex_syntax::ParserBuilder;
use regex_syntax::hir::{Hir, HirKind};

/// Alternatives that are followed at most; a tree of more says nothing.
const ALTERNATIVES_MAX: usize = 64;

/// The texts of one alternative, all of which a match holds.
pub type Required = Vec<Vec<u8>>;

/// A match holds all texts of one of these alternatives. `None`: nothing is known.
pub fn required(pattern: &[u8]) -> Option<Vec<Required>> {
    let pattern = std::str::from_utf8(pattern).ok()?;
    let pattern = regular_expression(pattern);
    let tree = ParserBuilder::new().utf8(false).dot_matches_new_line(true).build().parse(&pattern).ok()?;
    let alternatives = of(&tree)?;
    alternatives.iter().all(|texts| !texts.is_empty()).then_some(alternatives)
}

fn of(tree: &Hir) -> Option<Vec<Required>> {
    Some(match tree.kind() {
        HirKind::Literal(literal) => vec![vec![literal.0.to_vec()]],
        HirKind::Empty | HirKind::Look(_) | HirKind::Class(_) => vec![Vec::new()],
        HirKind::Capture(capture) => return of(&capture.sub),
        HirKind::Repetition(repetition) if repetition.min > 0 => return of(&repetition.sub),
        HirKind::Repetition(_) => vec![Vec::new()],
        HirKind::Alternation(arms) => {
            let mut all = Vec::new();
            for arm in arms {
                all.extend(of(arm)?);
                if all.len() > ALTERNATIVES_MAX {
                    return None;
                }
            }
            all
        }
        HirKind::Concat(parts) => {
            let mut all: Vec<Required> = vec![Vec::new()];
            for part in parts {
                let next = of(part)?;
                if all.len() * next.len() > ALTERNATIVES_MAX {
                    return None;
                }
                all = all.iter().flat_map(|texts| next.iter().map(move |more| [texts.as_slice(), more].concat())).collect();
            }
            all
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(pattern: &str) -> Option<Vec<Vec<String>>> {
        let text = |text: Vec<u8>| String::from_utf8(text).expect("ASCII");
        required(pattern.as_bytes()).map(|all| all.into_iter().map(|texts| texts.into_iter().map(text).collect()).collect())
    }

    #[test]
    fn only_what_every_match_holds_is_required() {
        assert_eq!(texts("abc"), Some(vec![vec!["abc".into()]]));
        assert_eq!(texts("^ab.*cd$"), Some(vec![vec!["ab".into(), "cd".into()]]));
        assert_eq!(texts("(ab)+c?"), Some(vec![vec!["ab".into()]]));
        assert_eq!(texts("ab|cd"), Some(vec![vec!["ab".into()], vec!["cd".into()]]));
        assert_eq!(texts("a(b|c*)d").map(|all| all.len()), Some(2));
        assert_eq!(texts("\\Qa.b\\E[[]c"), Some(vec![vec!["a.b[c".into()]]), "RE2's dialect");
        for nothing in ["(?i)ab", "ab|.*", "[ab]c*", "(", "x{0,3}"] {
            assert_eq!(texts(nothing), None, "{nothing}");
        }
    }
}
