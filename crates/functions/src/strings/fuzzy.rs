//! `multiFuzzyMatchAny`, `multiFuzzyMatchAnyIndex`, `multiFuzzyMatchAllIndices`: regular expressions that match with a few edits.
//!
//! An expression becomes a nondeterministic automaton of bytes. It runs over the text with one number for each of its states: the
//! least edits after which it is there. A byte of the text moves a state on where it fits; where not, or beside that, it costs
//! one edit to take the byte for another (move on), or as one too many (stay). A byte of the expression that the text has not got
//! is skipped, at the same cost, without reading. A match is begun at each place of the text.

use std::sync::Arc;

use SqlType as T;
use arrow::array::{ArrayRef, UInt64Array};
use arrow::datatypes::UInt8Type;
use gristmill_base::allocations::check_wanted;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::SqlType;
use regex_automata::nfa::thompson::{Config, NFA, State, WhichCaptures};
use regex_automata::util::look::Look;
use regex_automata::util::syntax;

use super::pattern::translate;
use super::search::{Wanted, cached, check_expressions, check_limits};
use crate::columns::{Bytes, list, numbers};
use crate::define::{arity, constant_integer, illegal, not_constant, plain};
use crate::registry::Registry;
use crate::scalar::{Argument, Bound, FunctionLimits};

/// Edits that may be asked for.
const EDITS_MAX: i64 = 16;
const AUTOMATON_BYTES_MAX: usize = 8 << 20;
/// Bytes of texts between two looks at whether the query is still wanted.
const UNASKED_BYTES: usize = 1 << 16;
const UNREACHED: u8 = u8::MAX;

pub fn register(registry: &mut Registry) {
    for (name, wanted) in [
        ("multiFuzzyMatchAny", Wanted::Any),
        ("multiFuzzyMatchAnyIndex", Wanted::FirstIndex),
        ("multiFuzzyMatchAllIndices", Wanted::AllPositions),
    ] {
        registry.scalar(name, plain(move |name, arguments, env| bind(name, arguments, wanted, env.limits)));
    }
}

fn bind(name: &str, arguments: &[Argument], wanted: Wanted, limits: FunctionLimits) -> Result<Bound> {
    arity(name, arguments, 3..=3)?;
    if arguments[0].kind != T::String {
        return Err(illegal(name, arguments, 0, "String"));
    }
    if !matches!(arguments[1].kind.integer_bits(), Some((_, false))) {
        return Err(illegal(name, arguments, 1, "a constant unsigned integer"));
    }
    if arguments[2].kind != SqlType::array(T::String) {
        return Err(illegal(name, arguments, 2, "Array(String)"));
    }
    let edits = match &arguments[1].constant {
        Some(_) => constant_integer(&arguments[1]).unwrap_or(i64::MAX),
        None => return Err(not_constant(name, 1)),
    };
    check_expressions(name, &arguments[2], &limits)?;
    let name = name.to_string();
    let result = match wanted {
        Wanted::Any => T::UInt8,
        Wanted::AllPositions => SqlType::array(T::UInt64),
        _ => T::UInt64,
    };
    Ok(Bound::new(result, move |args, rows| {
        let texts = Bytes::of(&args[0])?;
        let (mut known, mut runner, mut unasked) = (None, Runner::default(), 0);
        let (mut indices, mut lengths) = (Vec::new(), Vec::with_capacity(rows));
        for row in 0..rows {
            let automata: &Vec<Automaton> = cached(&mut known, &args[2], row, |patterns| {
                check_limits(&name, patterns.iter().copied(), &limits)?;
                patterns.iter().map(|pattern| Automaton::new(pattern, edits)).collect()
            })?;
            let (text, before) = (texts.get(row), indices.len());
            for (i, automaton) in automata.iter().enumerate() {
                unasked += text.len();
                if unasked >= UNASKED_BYTES {
                    check_wanted()?;
                    unasked = 0;
                }
                if runner.finds(automaton, text) {
                    indices.push(i as u64 + 1);
                    if wanted != Wanted::AllPositions {
                        break;
                    }
                }
            }
            lengths.push(indices.len() - before);
        }
        if wanted == Wanted::AllPositions {
            return list(Arc::new(UInt64Array::from(indices)) as ArrayRef, &lengths);
        }
        // One index where something was found.
        let mut found = indices.into_iter();
        let first: Vec<u64> =
            lengths.iter().map(|length| if *length == 0 { 0 } else { found.next().unwrap_or(0) }).collect();
        match wanted {
            Wanted::Any => numbers::<UInt8Type>(rows, |row| Ok(u8::from(first[row] > 0))),
            _ => Ok(Arc::new(UInt64Array::from(first))),
        }
    }))
}

enum Node {
    /// Ranges of bytes, and where they lead.
    Bytes(Vec<(u8, u8, usize)>),
    /// Without reading.
    Jumps(Vec<usize>),
    /// At the beginning of the text only.
    AtStart(usize),
    AtEnd(usize),
    Border(Look, usize),
    Match,
}

struct Automaton {
    nodes: Vec<Node>,
    start: usize,
    edits: u8,
}

impl Automaton {
    /// Error: BAD_ARGUMENTS.
    fn new(pattern: &[u8], edits: i64) -> Result<Automaton> {
        let shown = String::from_utf8_lossy(pattern);
        let fails = |why: &str| Error::new(ErrorCode::BAD_ARGUMENTS, format!("Pattern '{shown}' failed with error '{why}'"));
        if edits > EDITS_MAX {
            return Err(fails("Edit distance is too big."));
        }
        // The texts are bytes, and so are what edits change.
        let syntax = syntax::Config::new().unicode(false).utf8(false).dot_matches_new_line(true);
        let config = Config::new().utf8(false).which_captures(WhichCaptures::None).nfa_size_limit(Some(AUTOMATON_BYTES_MAX));
        let nfa = NFA::compiler().syntax(syntax).configure(config).build(&translate(&shown));
        let nfa = nfa.map_err(|error| fails(&error.to_string()))?;
        let node = |state: &State| match state {
            State::ByteRange { trans } => Node::Bytes(vec![(trans.start, trans.end, trans.next.as_usize())]),
            State::Sparse(all) => {
                Node::Bytes(all.transitions.iter().map(|one| (one.start, one.end, one.next.as_usize())).collect())
            }
            State::Dense(all) => {
                let of_byte = |byte: u8| all.matches_byte(byte).map(|next| (byte, byte, next.as_usize()));
                Node::Bytes((0..=u8::MAX).filter_map(of_byte).collect())
            }
            State::Union { alternates } => Node::Jumps(alternates.iter().map(|next| next.as_usize()).collect()),
            State::BinaryUnion { alt1, alt2 } => Node::Jumps(vec![alt1.as_usize(), alt2.as_usize()]),
            State::Capture { next, .. } => Node::Jumps(vec![next.as_usize()]),
            State::Look { look: Look::Start, next } => Node::AtStart(next.as_usize()),
            State::Look { look: Look::End, next } => Node::AtEnd(next.as_usize()),
            State::Look { look, next } => Node::Border(*look, next.as_usize()),
            State::Fail => Node::Jumps(Vec::new()),
            State::Match { .. } => Node::Match,
        };
        let nodes: Vec<Node> = nfa.states().iter().map(node).collect();
        let automaton = Automaton { nodes, start: nfa.start_anchored().as_usize(), edits: edits as u8 };
        if edits > 0 {
            if automaton.nodes.iter().any(|node| matches!(node, Node::Border(..))) {
                return Err(fails("Zero-width assertions are disallowed for approximate matching."));
            }
            // What matches nothing with those edits matches everything.
            let mut runner = Runner::default();
            if runner.finds(&automaton, b"") {
                return Err(fails("Approximate matching patterns that reduce to vacuous patterns are disallowed."));
            }
        }
        Ok(automaton)
    }
}

/// The least edits by state, before a byte and after it, and states that are yet to be followed, by their edits.
#[derive(Default)]
struct Runner {
    here: Vec<u8>,
    next: Vec<u8>,
    waiting: Vec<Vec<usize>>,
}

impl Runner {
    fn finds(&mut self, automaton: &Automaton, text: &[u8]) -> bool {
        let states = automaton.nodes.len();
        self.here.clear();
        self.here.resize(states, UNREACHED);
        self.waiting.resize(usize::from(automaton.edits) + 1, Vec::new());
        for place in 0..=text.len() {
            self.here[automaton.start] = 0;
            if self.follow(automaton, text, place) {
                return true;
            }
            let Some(byte) = text.get(place) else { break };
            self.next.clear();
            self.next.resize(states, UNREACHED);
            for (state, node) in automaton.nodes.iter().enumerate() {
                let (Node::Bytes(ranges), edits) = (node, self.here[state]) else { continue };
                if edits == UNREACHED {
                    continue;
                }
                for (low, high, to) in ranges {
                    let cost = edits + u8::from(!(*low..=*high).contains(byte));
                    self.next[*to] = self.next[*to].min(cost);
                }
                self.next[state] = self.next[state].min(edits + 1);
            }
            // A byte too many may also come where only the end is left.
            for (state, node) in automaton.nodes.iter().enumerate() {
                if matches!(node, Node::AtEnd(_)) && self.here[state] != UNREACHED {
                    self.next[state] = self.next[state].min(self.here[state] + 1);
                }
            }
            for edits in &mut self.next {
                if *edits > automaton.edits {
                    *edits = UNREACHED;
                }
            }
            std::mem::swap(&mut self.here, &mut self.next);
        }
        false
    }

    /// Goes on from the states that are reached as far as that goes without reading. Whether that is a match.
    fn follow(&mut self, automaton: &Automaton, text: &[u8], place: usize) -> bool {
        for (state, edits) in self.here.iter().enumerate() {
            if *edits != UNREACHED {
                self.waiting[usize::from(*edits)].push(state);
            }
        }
        let mut found = false;
        for edits in 0..=automaton.edits {
            while let Some(state) = self.waiting[usize::from(edits)].pop() {
                if self.here[state] < edits {
                    continue;
                }
                match &automaton.nodes[state] {
                    Node::Match => found = true,
                    Node::Jumps(all) => all.iter().for_each(|to| self.reach(*to, edits)),
                    Node::AtStart(to) if place == 0 => self.reach(*to, edits),
                    Node::AtEnd(to) if place == text.len() => self.reach(*to, edits),
                    Node::Border(look, to) if is_border(*look, text, place) => self.reach(*to, edits),
                    Node::AtStart(_) | Node::AtEnd(_) | Node::Border(..) => {}
                    Node::Bytes(ranges) if edits < automaton.edits => {
                        ranges.iter().for_each(|(_, _, to)| self.reach(*to, edits + 1));
                    }
                    Node::Bytes(_) => {}
                }
            }
        }
        found
    }

    fn reach(&mut self, state: usize, edits: u8) {
        if self.here[state] > edits {
            self.here[state] = edits;
            self.waiting[usize::from(edits)].push(state);
        }
    }
}

fn is_border(look: Look, text: &[u8], place: usize) -> bool {
    regex_automata::util::look::LookMatcher::new().matches(look, text, place)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn finds(pattern: &str, edits: i64, text: &str) -> bool {
        let automaton = Automaton::new(pattern.as_bytes(), edits).expect("an expression");
        Runner::default().finds(&automaton, text.as_bytes())
    }

    #[test]
    fn edits_replace_insert_and_remove() {
        assert!(finds("^abx$", 1, "abc") && finds("^abcd$", 1, "abc") && finds("^abc$", 1, "abcd"));
        assert!(!finds("^abx$", 1, "abcdef") && !finds("^acbe$", 1, "abce"));
        assert!(finds("^abc", 1, "xabc") && !finds("^abc", 1, "xxabc") && !finds("abc$", 1, "abcde"));
        assert!(finds("a+x+b+", 1, "xxaabbcc") && finds("[a-z]{3}[0-9]+", 1, "ab12"));
    }

    #[test]
    fn what_would_match_everything_is_refused() {
        for (pattern, edits) in [("abc", 3), ("a|bcd", 1), (".*", 1), ("^$", 1), ("abc", 1000), ("(abc", 1), ("c\\b", 1)] {
            assert!(Automaton::new(pattern.as_bytes(), edits).is_err(), "{pattern}");
        }
        assert!(finds("", 0, "abc") && finds("\\babc\\b", 0, "abc") && !finds("\\bbc", 0, "abc"));
    }

    /// Edits between two texts.
    fn distance(a: &[u8], b: &[u8]) -> usize {
        let mut row: Vec<usize> = (0..=b.len()).collect();
        for (i, x) in a.iter().enumerate() {
            let mut before = row[0];
            row[0] = i + 1;
            for (j, y) in b.iter().enumerate() {
                let replaced = before + usize::from(x != y);
                before = row[j + 1];
                row[j + 1] = replaced.min(row[j] + 1).min(before + 1);
            }
        }
        row[b.len()]
    }

    proptest! {
        #[test]
        fn anchored_words_match_within_their_distance(word in "[ab]{5,8}", text in "[abc]{0,9}", edits in 0i64..4) {
            let near = distance(word.as_bytes(), text.as_bytes()) <= edits as usize;
            prop_assert_eq!(finds(&format!("^{word}$"), edits, &text), near);
        }
    }
}
