//! Regular expressions that read a text once from its beginning, without an automaton: `^https?://(?:www\.)?([^/]+)/.*$`.
//!
//! Such an expression is a sequence of literal bytes, of runs of a class that end before what comes next (`[^/]+` before
//! `/`), of optional pieces, and of `.*` at the end. A run that is as long as it can be never has to give a byte back, so
//! only optional pieces are tried twice, as a backtracking matcher would: first with, then without. The groups are those
//! that the `regex` crate finds. It finds them in two searches with a bit kept for every state and byte, which took half of
//! the time of a query over URLs.
//!
//! Anything else is no sequence, and neither is a text that is not UTF-8, whose bytes the crate treats otherwise.

use std::ops::Range;

use regex_syntax::ParserBuilder;
use regex_syntax::hir::{Class, Hir, HirKind, Look};

/// Each doubles the ways in which a text may be tried.
const OPTIONALS_MAX: usize = 4;

#[derive(Debug)]
pub struct Sequence {
    steps: Vec<Step>,
    groups: usize,
}

#[derive(Debug)]
enum Step {
    Literal(Box<[u8]>),
    /// As many bytes of the class as there are, at least so many.
    Run(Box<[bool; 256]>, usize),
    /// As `Run`, of a class of all bytes but one.
    Until(u8, usize),
    /// Goes on with the next step, or at this one.
    Optional(usize),
    /// A group's border: its slot.
    Border(usize),
    /// The rest of the text.
    Rest,
}

/// Where the groups lie; the first is the whole match.
pub type Groups = Vec<Option<Range<usize>>>;

impl Sequence {
    /// `pattern`: as the `regex` crate takes it, where `.` stands for line breaks, too. `None`: it is no sequence.
    pub fn new(pattern: &str) -> Option<Sequence> {
        let hir = ParserBuilder::new().dot_matches_new_line(true).utf8(false).build().parse(pattern).ok()?;
        let mut sequence = Sequence { steps: Vec::new(), groups: hir.properties().explicit_captures_len() + 1 };
        let HirKind::Concat(pieces) = hir.kind() else { return None };
        let [start, pieces @ ..] = pieces.as_slice() else { return None };
        if *start.kind() != HirKind::Look(Look::Start) {
            return None;
        }
        let pieces = match pieces {
            // Behind what takes all the end is always there.
            [before @ .., last] if *last.kind() == HirKind::Look(Look::End) && before.last().is_some_and(is_rest) => before,
            _ => pieces,
        };
        let (pieces, rest) = match pieces {
            [before @ .., last] if is_rest(last) => (before, true),
            _ => (pieces, false),
        };
        pieces.iter().try_for_each(|piece| sequence.add(piece))?;
        if rest {
            sequence.steps.push(Step::Rest);
        }
        let optionals = sequence.steps.iter().filter(|step| matches!(step, Step::Optional(_))).count();
        (optionals <= OPTIONALS_MAX && sequence.runs_end_by_themselves()).then_some(sequence)
    }

    fn add(&mut self, piece: &Hir) -> Option<()> {
        match piece.kind() {
            HirKind::Empty => {}
            HirKind::Literal(literal) => self.steps.push(Step::Literal(literal.0.clone())),
            HirKind::Concat(pieces) => pieces.iter().try_for_each(|piece| self.add(piece))?,
            HirKind::Capture(capture) => {
                let slot = capture.index as usize * 2;
                self.steps.push(Step::Border(slot));
                self.add(&capture.sub)?;
                self.steps.push(Step::Border(slot + 1));
            }
            HirKind::Repetition(repetition) if repetition.greedy => match (repetition.min, repetition.max) {
                // A group that is left out and entered again is more than a border can tell.
                (0, Some(1)) if repetition.sub.properties().explicit_captures_len() == 0 => {
                    let at = self.steps.len();
                    self.steps.push(Step::Optional(0));
                    self.add(&repetition.sub)?;
                    self.steps[at] = Step::Optional(self.steps.len());
                }
                (least @ 0..=1, None) => self.steps.push(run_of(class_bytes(&repetition.sub)?, least as usize)),
                _ => return None,
            },
            _ => return None,
        }
        Some(())
    }

    /// Whether behind every run stands a literal that begins with no byte of the run, or nothing that could need one.
    fn runs_end_by_themselves(&self) -> bool {
        self.steps.iter().enumerate().all(|(at, step)| {
            let takes = |byte: u8| match step {
                Step::Run(class, _) => class[usize::from(byte)],
                Step::Until(other, _) => byte != *other,
                _ => false,
            };
            if !matches!(step, Step::Run(..) | Step::Until(..)) {
                return true;
            }
            match self.steps[at + 1..].iter().find(|step| !matches!(step, Step::Border(_))) {
                // A run in an optional piece may be followed by what stands behind the piece: that is what comes next here, too.
                Some(Step::Literal(literal)) => literal.first().is_some_and(|first| !takes(*first)),
                Some(Step::Rest) | None => true,
                Some(Step::Run(..) | Step::Until(..) | Step::Optional(_) | Step::Border(_)) => false,
            }
        })
    }

    /// The groups of the match; `None`: there is none. `text`: UTF-8.
    pub fn find(&self, text: &[u8], groups: &mut Groups) -> bool {
        groups.clear();
        groups.resize(self.groups, None);
        let Some(end) = self.run(0, 0, text, groups) else { return false };
        groups[0] = Some(0..end);
        true
    }

    /// Where the match ends that goes on so.
    fn run(&self, mut step: usize, mut at: usize, text: &[u8], groups: &mut Groups) -> Option<usize> {
        while let Some(now) = self.steps.get(step) {
            step += 1;
            match now {
                Step::Literal(literal) => {
                    if !begins_with(&text[at..], literal) {
                        return None;
                    }
                    at += literal.len();
                }
                Step::Run(class, least) => {
                    let length = text[at..].iter().take_while(|byte| class[**byte as usize]).count();
                    if length < *least {
                        return None;
                    }
                    at += length;
                }
                Step::Until(other, least) => {
                    let length = memchr::memchr(*other, &text[at..]).unwrap_or(text.len() - at);
                    if length < *least {
                        return None;
                    }
                    at += length;
                }
                Step::Optional(behind) => {
                    if let Some(end) = self.run(step, at, text, groups) {
                        return Some(end);
                    }
                    step = *behind;
                }
                Step::Border(slot) if slot % 2 == 0 => groups[slot / 2] = Some(at..at),
                Step::Border(slot) => {
                    if let Some(group) = &mut groups[slot / 2] {
                        group.end = at;
                    }
                }
                Step::Rest => return Some(text.len()),
            }
        }
        Some(at)
    }
}

/// Byte by byte: literals are short, and most that do not fit differ in their first.
#[inline]
fn begins_with(text: &[u8], literal: &[u8]) -> bool {
    text.len() >= literal.len() && text.iter().zip(literal).all(|(byte, wanted)| byte == wanted)
}

fn run_of(class: Box<[bool; 256]>, least: usize) -> Step {
    let mut others = (0..=u8::MAX).filter(|byte| !class[usize::from(*byte)]);
    match (others.next(), others.next()) {
        (Some(other), None) => Step::Until(other, least),
        _ => Step::Run(class, least),
    }
}

/// Whether a piece is `.*`.
fn is_rest(piece: &Hir) -> bool {
    let HirKind::Repetition(repetition) = piece.kind() else { return false };
    let takes_all = class_bytes(&repetition.sub).is_some_and(|class| class.iter().all(|taken| *taken));
    repetition.greedy && repetition.min == 0 && repetition.max.is_none() && takes_all
}

/// The class as bytes. `None`: it has some but not all characters beyond ASCII.
fn class_bytes(piece: &Hir) -> Option<Box<[bool; 256]>> {
    let mut bytes = Box::new([false; 256]);
    match piece.kind() {
        HirKind::Literal(literal) => match &*literal.0 {
            [one] if one.is_ascii() => bytes[*one as usize] = true,
            _ => return None,
        },
        HirKind::Class(Class::Unicode(class)) => {
            let mut beyond = 0;
            for range in class.ranges() {
                for ascii in range.start() as u32..=(range.end() as u32).min(0x7f) {
                    bytes[ascii as usize] = true;
                }
                let first = (range.start() as u32).max(0x80);
                beyond += (range.end() as u32 + 1).saturating_sub(first);
            }
            match beyond {
                0 => {}
                // All but the surrogates, which may be counted or not.
                0x10_ff80 | 0x10_f780 => bytes[0x80..].fill(true),
                _ => return None,
            }
        }
        _ => return None,
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use regex::bytes::RegexBuilder;

    use super::*;

    const SEQUENCES: [&str; 8] = [
        r"^https?://(?:www\.)?([^/]+)/.*$",
        r"^(?:https?://)?(?:www\.)?([^/]+)",
        r"^([a-z]+)=([^&]*)&.*",
        r"^a?b?(a+)/",
        r"^(ab)([^b]*)(b.*)?x",
        r"^é([^/]+)/.*$",
        r"^(a*)/(a*)/?",
        r"^/.*",
    ];

    #[test]
    fn sequences_are_told_from_others() {
        assert!(Sequence::new(SEQUENCES[0]).is_some() && Sequence::new(SEQUENCES[1]).is_some());
        let others = [
            "https?://([^/]+)/", // anywhere in the text
            "^([^/]+)x/",        // the run would have to give back an x
            "^(a|b)/",
            "^a{2,3}/",
            "^(a+?)/",
            "^([^é]+)/",
            "^a$",
            "^(a?)*/",
            "^[a-z]+(?:a)?/",
            "(?m)^a.*",
            r"^\b[a]+/",
        ];
        for other in others {
            assert!(Sequence::new(other).is_none(), "{other}");
        }
    }

    proptest! {
        #[test]
        fn groups_are_those_of_the_regex_crate(
            pattern in prop::sample::select(SEQUENCES.to_vec()),
            text in "(http|https|é|a|b)?(://|=)?(www\\.)?[ab/wé.&=]{0,8}(/[ab\n]{0,3})?x?",
        ) {
            let Some(sequence) = Sequence::new(pattern) else { return Ok(()) };
            let regex = RegexBuilder::new(pattern).dot_matches_new_line(true).build().expect("a pattern");
            let mut groups = Groups::new();
            let found = sequence.find(text.as_bytes(), &mut groups);
            let expected: Option<Groups> = regex
                .captures(text.as_bytes())
                .map(|found| found.iter().map(|group| group.map(|group| group.range())).collect());
            prop_assert_eq!(found.then_some(groups), expected, "{} in {:?}", pattern, text);
        }
    }
}
