//! Patterns of `sequenceMatch`: `(?N)` a row that meets condition N, `.*` any rows, `.` one row, `(?t<=60)` a bound on the
//! time between the rows before and after it.
//!
//! A pattern is matched by going back where a choice was wrong. The steps are bounded, as ClickHouse bounds them.

use gristmill_base::{Error, ErrorCode, Result};

use crate::define::bad_argument;

/// More rows looked at than this end with no match.
const STEPS_MAX: usize = 1_000_000;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Part {
    Condition(u32),
    AnyRow,
    AnyRows,
    Time(Compare, i64),
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Compare {
    LessOrEqual,
    Less,
    GreaterOrEqual,
    Greater,
    Equal,
}

#[derive(Debug)]
pub struct Pattern {
    parts: Vec<Part>,
}

impl Pattern {
    /// Errors: BAD_ARGUMENTS where it is no pattern or names a condition beyond `conditions`.
    pub fn parse(name: &str, text: &str, conditions: usize) -> Result<Pattern> {
        let mut parts = Vec::new();
        let mut rest = text.trim();
        while !rest.is_empty() {
            if let Some(after) = rest.strip_prefix(".*") {
                parts.push(Part::AnyRows);
                rest = after;
            } else if let Some(after) = rest.strip_prefix('.') {
                parts.push(Part::AnyRow);
                rest = after;
            } else if let Some((inside, after)) = rest.strip_prefix("(?").and_then(|rest| rest.split_once(')')) {
                parts.push(Self::group(name, inside, conditions)?);
                rest = after;
            } else {
                return Err(bad_argument(name, format!("malformed pattern '{text}' at '{rest}'")));
            }
            rest = rest.trim_start();
        }
        Ok(Pattern { parts })
    }

    fn group(name: &str, inside: &str, conditions: usize) -> Result<Part> {
        if let Some(bound) = inside.strip_prefix('t') {
            let operators = [
                ("<=", Compare::LessOrEqual),
                (">=", Compare::GreaterOrEqual),
                ("==", Compare::Equal),
                ("<", Compare::Less),
                (">", Compare::Greater),
            ];
            for (operator, compare) in operators {
                if let Some(seconds) = bound.strip_prefix(operator).and_then(|seconds| seconds.trim().parse().ok()) {
                    return Ok(Part::Time(compare, seconds));
                }
            }
            return Err(bad_argument(name, format!("malformed bound of time '(?{inside})'")));
        }
        match inside.parse::<u32>() {
            Ok(number) if number >= 1 && number as usize <= conditions => Ok(Part::Condition(number - 1)),
            Ok(number) => Err(Error::new(
                ErrorCode::BAD_ARGUMENTS,
                format!("Event number {number} of {name} is out of range: there are {conditions}"),
            )),
            Err(_) => Err(bad_argument(name, format!("malformed pattern '(?{inside})'"))),
        }
    }

    /// How often the pattern is found in rows in the order of time, without overlaps; or 1 and 0 for whether it is.
    pub fn matches(&self, events: &[(i64, u32)], ticks: i64, counts: bool) -> u64 {
        let (mut found, mut at, mut steps) = (0, 0, 0);
        while at < events.len() {
            match self.end(events, at, ticks, &mut steps) {
                Some(_) if !counts => return 1,
                Some(end) => {
                    found += 1;
                    at = end.max(at + 1);
                }
                None => at += 1,
            }
            if steps > STEPS_MAX {
                break;
            }
        }
        found
    }

    /// The times of the rows that conditions were met by in the first match, or in the longest beginning of one.
    pub fn chain(&self, events: &[(i64, u32)], ticks: i64) -> Vec<i64> {
        let (mut best, mut steps) = (Vec::new(), 0);
        for at in 0..events.len() {
            let mut chain = Vec::new();
            if self.follow(events, at, ticks, &mut steps, |met, row| note(&mut chain, &mut best, met, events, row)).is_some()
            {
                return chain;
            }
            if steps > STEPS_MAX {
                break;
            }
        }
        best
    }

    /// Where a match that begins at `start` ends.
    fn end(&self, events: &[(i64, u32)], start: usize, ticks: i64, steps: &mut usize) -> Option<usize> {
        self.follow(events, start, ticks, steps, |_, _| {})
    }

    /// As `end`. `met` is told of every step how many conditions were met before the part at hand, and by which row the last.
    fn follow(
        &self,
        events: &[(i64, u32)],
        start: usize,
        ticks: i64,
        steps: &mut usize,
        mut met: impl FnMut(usize, usize),
    ) -> Option<usize> {
        // Part, row, the time that a bound counts from, and whether the row before met the condition before.
        let first = events.get(start)?.0;
        let mut todo = vec![(0usize, start, first, false)];
        while let Some((part, row, since, has_met)) = todo.pop() {
            *steps += 1;
            if *steps > STEPS_MAX {
                return None;
            }
            if has_met {
                let conditions = self.parts[..part].iter().filter(|part| matches!(part, Part::Condition(_))).count();
                met(conditions, row - 1);
            }
            let Some(wanted) = self.parts.get(part) else { return Some(row) };
            let event = events.get(row);
            match wanted {
                Part::Condition(number) => {
                    if let Some((time, bits)) = event
                        && bits >> number & 1 == 1
                    {
                        todo.push((part + 1, row + 1, *time, true));
                    }
                }
                Part::AnyRow => {
                    if let Some((time, _)) = event {
                        todo.push((part + 1, row + 1, *time, false));
                    }
                }
                Part::AnyRows => {
                    if event.is_some() {
                        todo.push((part, row + 1, since, false));
                    }
                    todo.push((part + 1, row, since, false));
                }
                Part::Time(compare, seconds) => {
                    // The rows between may be left out where the bound allows it.
                    let Some((time, _)) = event else { continue };
                    let (gap, bound) = (time.saturating_sub(since), seconds.saturating_mul(ticks));
                    let holds = match compare {
                        Compare::LessOrEqual => gap <= bound,
                        Compare::Less => gap < bound,
                        Compare::GreaterOrEqual => gap >= bound,
                        Compare::Greater => gap > bound,
                        Compare::Equal => gap == bound,
                    };
                    let may_come = match compare {
                        Compare::LessOrEqual | Compare::Less => holds,
                        Compare::Equal => gap <= bound,
                        Compare::GreaterOrEqual | Compare::Greater => true,
                    };
                    if may_come {
                        todo.push((part, row + 1, since, false));
                    }
                    if holds {
                        todo.push((part + 1, row, since, false));
                    }
                }
            }
        }
        None
    }
}

/// The times so far: the step that met the condition before takes the place of what was tried after it.
fn note(chain: &mut Vec<i64>, best: &mut Vec<i64>, met: usize, events: &[(i64, u32)], row: usize) {
    chain.truncate(met - 1);
    if let Some((time, _)) = events.get(row) {
        chain.push(*time);
    }
    if chain.len() > best.len() {
        best.clone_from(chain);
    }
}
