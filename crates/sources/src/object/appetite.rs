//! How much of a source is asked for while a LIMIT may be met any moment.
//!
//! A scan without LIMIT asks for everything that its memory takes. One with a LIMIT begins with little: what is asked for
//! in vain costs requests and money, and the first rows come no sooner for it. Where no condition leaves rows out, files tell
//! how many rows they have, and what is asked for is what the limit needs. Where one does, nobody knows: each piece that
//! ended without meeting the limit allows two others, so that what is in flight doubles every round, as a TCP connection's
//! window does in its slow start (RFC 5681, 3.1), and a search that finds nothing is soon at full width.

/// Pieces that a scan with LIMIT and a condition begins with.
const FIRST_PIECES: usize = 16;

/// How a scan's LIMIT holds it back.
pub struct Appetite {
    /// Rows that the scan gives at most, where no condition stands before them.
    rows_wanted: Option<u64>,
    /// Pieces that may be begun, ever; `None`: any number.
    allowed: Option<usize>,
    begun: usize,
    rows_begun: u64,
    files_opened: u64,
    rows_found: u64,
}

impl Appetite {
    pub fn new(limit: Option<usize>, has_filter: bool) -> Self {
        Appetite {
            rows_wanted: limit.filter(|_| !has_filter).map(|limit| limit as u64),
            allowed: limit.filter(|_| has_filter).map(|_| FIRST_PIECES),
            begun: 0,
            rows_begun: 0,
            files_opened: 0,
            rows_found: 0,
        }
    }

    /// Whether one more file is to be opened beside `opening` others, while `waiting` pieces wait to be begun.
    pub fn opens(&self, opening: usize, waiting: usize) -> bool {
        if let Some(wanted) = self.rows_wanted {
            let missing = wanted.saturating_sub(self.rows_found);
            // Files are taken to be like those seen so far; of the first nothing is known.
            let mean = (self.rows_found / self.files_opened.max(1)).max(1);
            let files = if self.files_opened == 0 { missing.min(1) } else { missing.div_ceil(mean) };
            return (opening as u64) < files;
        }
        self.allowed.is_none_or(|allowed| self.begun + waiting + opening < allowed)
    }

    /// A file was opened, in which so many rows are to be read, in so many pieces.
    pub fn opened(&mut self, rows: u64, pieces: usize) {
        self.files_opened += 1;
        self.rows_found += rows;
        if pieces == 0 {
            self.grow(1);
        }
    }

    /// Whether one more piece is to be begun.
    pub fn begins(&self) -> bool {
        !self.is_met() && self.allowed.is_none_or(|allowed| self.begun < allowed)
    }

    /// A piece of so many rows was begun.
    pub fn began(&mut self, rows: u64) {
        self.begun += 1;
        self.rows_begun += rows;
    }

    /// Whether what was begun has all the rows that are wanted.
    pub fn is_met(&self) -> bool {
        self.rows_wanted.is_some_and(|wanted| self.rows_begun >= wanted)
    }

    /// A piece came to its end, and the limit is not met.
    pub fn ended(&mut self) {
        self.grow(2);
    }

    fn grow(&mut self, pieces: usize) {
        if let Some(allowed) = &mut self.allowed {
            *allowed = allowed.saturating_add(pieces);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_limit_everything_is_asked_for() {
        let appetite = Appetite::new(None, false);
        assert!(appetite.opens(1_000_000, 1_000_000) && appetite.begins());
    }

    #[test]
    fn without_a_condition_as_many_files_are_opened_as_the_limit_needs() {
        let mut appetite = Appetite::new(Some(25), false);
        assert!(appetite.opens(0, 0), "the first");
        assert!(!appetite.opens(1, 0), "the first tells of the others");
        appetite.opened(10, 1);
        assert!(appetite.opens(0, 1) && appetite.opens(1, 1), "two more of ten rows");
        assert!(!appetite.opens(2, 1));
        appetite.opened(20, 1);
        assert!(!appetite.opens(0, 2), "25 rows are among those found");
        appetite.began(10);
        assert!(appetite.begins());
        appetite.began(20);
        assert!(!appetite.begins() && appetite.is_met());
    }

    #[test]
    fn empty_files_do_not_end_the_search() {
        let mut appetite = Appetite::new(Some(5), false);
        appetite.opened(0, 0);
        assert!(appetite.opens(0, 0));
    }

    #[test]
    fn with_a_condition_what_is_in_flight_doubles_every_round() {
        let mut appetite = Appetite::new(Some(1), true);
        let mut rounds = Vec::new();
        for _ in 0..4 {
            let mut round = 0;
            while appetite.opens(0, 0) && appetite.begins() {
                appetite.opened(10, 1);
                appetite.began(10);
                round += 1;
            }
            rounds.push(round);
            (0..round).for_each(|_| appetite.ended());
        }
        assert_eq!(rounds, [16, 32, 64, 128]);
    }

    #[test]
    fn files_that_statistics_leave_out_allow_others() {
        let mut appetite = Appetite::new(Some(1), true);
        for _ in 0..100 {
            assert!(appetite.opens(0, 0));
            appetite.opened(0, 0);
        }
    }
}
