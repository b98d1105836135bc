//! Texts that every match of a regular expression holds, found in its syntax tree: of parts one behind another each one's,
//! of alternatives those of either. What is not certain is left out.

use gristmill_functions::strings::regular_expression;
use regex_syntax::ParserBuilder;
use regex_syntax::hir::{Hir, HirKind, Look};

use super::terms::Anchored;

/// Alternatives that are followed at most; a tree of more says nothing.
const ALTERNATIVES_MAX: usize = 64;

/// The texts of one alternative, all of which a match holds, each where it has to stand.
pub type Required = Vec<(Vec<u8>, Anchored)>;

/// A match holds all texts of one of these alternatives. `None`: nothing is known.
pub fn required(pattern: &[u8]) -> Option<Vec<Required>> {
    let alternatives = alternatives(pattern)?;
    alternatives.iter().all(|texts| !texts.is_empty()).then_some(alternatives)
}

/// Texts one of which a value begins with that matches. `None`: nothing is known.
pub fn beginnings(pattern: &[u8]) -> Option<Vec<Vec<u8>>> {
    let first = |texts: Required| texts.into_iter().find(|(_, anchored)| anchored.start).map(|(text, _)| text);
    alternatives(pattern)?.into_iter().map(first).collect()
}

fn alternatives(pattern: &[u8]) -> Option<Vec<Required>> {
    let pattern = std::str::from_utf8(pattern).ok()?;
    let pattern = regular_expression(pattern);
    let tree = ParserBuilder::new().utf8(false).dot_matches_new_line(true).build().parse(&pattern).ok()?;
    of(&tree, Anchored::NOWHERE)
}

/// `anchored`: whether a match of the tree is at the value's beginning, at its end.
fn of(tree: &Hir, anchored: Anchored) -> Option<Vec<Required>> {
    Some(match tree.kind() {
        HirKind::Literal(literal) => vec![vec![(literal.0.to_vec(), anchored)]],
        HirKind::Empty | HirKind::Look(_) | HirKind::Class(_) => vec![Vec::new()],
        HirKind::Capture(capture) => return of(&capture.sub, anchored),
        // What is said of the first time may not hold for the last.
        HirKind::Repetition(repetition) if repetition.min > 0 => {
            return of(&repetition.sub, Anchored { end: false, ..anchored });
        }
        HirKind::Repetition(_) => vec![Vec::new()],
        HirKind::Alternation(arms) => {
            let mut all = Vec::new();
            for arm in arms {
                all.extend(of(arm, anchored)?);
                if all.len() > ALTERNATIVES_MAX {
                    return None;
                }
            }
            all
        }
        HirKind::Concat(parts) => {
            let mut all: Vec<Required> = vec![Vec::new()];
            for (at, part) in parts.iter().enumerate() {
                let start = is_at(parts[..at].iter().rev(), Look::Start, anchored.start);
                let end = is_at(parts[at + 1..].iter(), Look::End, anchored.end);
                let next = of(part, Anchored { start, end })?;
                if all.len() * next.len() > ALTERNATIVES_MAX {
                    return None;
                }
                all = all.iter().flat_map(|texts| next.iter().map(move |more| [texts.as_slice(), more].concat())).collect();
            }
            all
        }
    })
}

/// Whether parts on the way from one to the value's end or beginning take no room: the end is asked for, or where they all
/// are, if that is the end.
fn is_at<'h>(parts: impl Iterator<Item = &'h Hir>, end: Look, beyond: bool) -> bool {
    for part in parts {
        match part.kind() {
            HirKind::Look(look) if *look == end => return true,
            HirKind::Look(_) | HirKind::Empty => {}
            _ => return false,
        }
    }
    beyond
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(pattern: &str) -> Option<Vec<Vec<String>>> {
        let text = |(text, _): (Vec<u8>, Anchored)| String::from_utf8(text).expect("ASCII");
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

    #[test]
    fn a_match_begins_with_what_stands_at_its_start() {
        let texts = |pattern: &str| {
            let texts = beginnings(pattern.as_bytes());
            texts.map(|texts| texts.into_iter().map(|text| String::from_utf8(text).expect("ASCII")).collect::<Vec<_>>())
        };
        assert_eq!(texts("^ab"), Some(vec!["ab".into()]));
        assert_eq!(texts("^(ab|cd)e"), Some(vec!["ab".into(), "cd".into()]));
        assert_eq!(texts("^ab|^cd"), Some(vec!["ab".into(), "cd".into()]));
        assert_eq!(texts("^(ab)+c"), Some(vec!["ab".into()]));
        for nothing in ["ab", "^ab|cd", "^.ab", "^(?i)ab", "^a*b", "(?m)^ab"] {
            assert_eq!(texts(nothing), None, "{nothing}");
        }
        let all = required(b"^ab.*cd$").expect("texts");
        assert_eq!(all, [[(b"ab".to_vec(), Anchored::START), (b"cd".to_vec(), Anchored::END)]]);
    }
}
