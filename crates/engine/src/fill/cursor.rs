//! Which rows are missing: a cursor over the values of the filled keys.
//!
//! The cursor stands at the last row that is there or was made, on the grid that begins with FROM or with the first row. Towards
//! the next row that is there, `advance` counts like an odometer: the first key whose value is not yet that of the next row, or not
//! yet at its border, takes a step, unless a key behind it still has a border (TO or STALENESS) to count up to; keys behind the one
//! that stepped begin again with their FROM. Rows between two points of the grid stay where they are and do not move it.
//! (As ClickHouse counts: FillingRow.cpp.)

use datafusion::common::Result;
use gristmill_base::{Error, ErrorCode};

use super::values::Value;

/// The value after another.
pub type Next = Box<dyn Fn(Value) -> Result<Value> + Send + Sync>;

/// Steps that are counted between two questions whether anybody still reads.
const STEPS_UNASKED: usize = 1 << 12;

pub struct CursorKey {
    pub from: Option<Value>,
    pub to: Option<Value>,
    pub next: Next,
    /// The number that each step adds, if it does.
    pub adds: Option<Value>,
    /// From a row to the border of what is made behind it.
    pub staleness: Option<Next>,
    pub descending: bool,
    /// The type of the column, and what it holds.
    pub kind: String,
    pub bounds: Option<(i128, i128)>,
}

impl CursorKey {
    fn is_before(&self, a: Value, b: Value) -> bool {
        if self.descending { b < a } else { a < b }
    }

    fn nearer(&self, a: Option<Value>, b: Option<Value>) -> Option<Value> {
        match (a, b) {
            (Some(a), Some(b)) => Some(if self.is_before(a, b) { a } else { b }),
            (a, b) => a.or(b),
        }
    }

    fn step(&self, from: Value) -> Result<Value> {
        let next = (self.next)(from)?;
        if !self.is_before(from, next) {
            return Err(invalid("WITH FILL step does not advance in the sorting direction".to_string()));
        }
        Ok(next)
    }

    fn check(&self, value: Value) -> Result<()> {
        match (value, self.bounds) {
            (Value::Whole(whole), Some((least, greatest))) if !(least..=greatest).contains(&whole) => Err(invalid(format!(
                "WITH FILL generates the value {whole} which is out of range of the ORDER BY column type {}",
                self.kind
            ))),
            _ => Ok(()),
        }
    }

    /// A border that the column's type does not hold lies right behind its last value. Below zero, where there is no sign, nothing
    /// is made at all.
    fn within_type(&self, base: Value, border: Value) -> Value {
        match (border, self.bounds) {
            (Value::Whole(whole), Some((0, _))) if whole < 0 => base,
            (Value::Whole(whole), Some((least, _))) if whole < least => Value::Whole(least.saturating_sub(1)),
            (Value::Whole(whole), Some((_, greatest))) if whole > greatest => Value::Whole(greatest.saturating_add(1)),
            _ => border,
        }
    }
}

fn invalid(text: String) -> datafusion::error::DataFusionError {
    Error::new(ErrorCode::INVALID_WITH_FILL_EXPRESSION, text).into()
}

/// The values of the keys in one row; `None`: NULL, or none that is known.
pub type KeyRow = Vec<Option<Value>>;

pub struct Cursor {
    keys: Vec<CursorKey>,
    pub row: KeyRow,
    /// The row that is there and comes next; nothing behind the last one.
    next: KeyRow,
    borders: KeyRow,
    /// Whether the row at which the cursor stands is given already.
    pub is_given: bool,
}

impl Cursor {
    pub fn new(keys: Vec<CursorKey>) -> Cursor {
        let nothing = vec![None; keys.len()];
        let borders = keys.iter().map(|key| key.to).collect();
        Cursor { row: nothing.clone(), next: nothing, borders, keys, is_given: false }
    }

    pub fn begin_without_rows(&mut self) {
        self.begin_again(0);
        self.is_given = false;
    }

    /// Goes to the beginning of rows that are filled by themselves, of which this is the first. True: the row at which the
    /// cursor stands comes before it.
    pub fn begin(&mut self, first: &KeyRow) -> bool {
        for (i, current) in first.iter().enumerate() {
            let from = self.keys[i].from;
            if let Some(from) = from
                && *current != Some(from)
            {
                self.begin_again(i);
                self.is_given = false;
                return current.is_some_and(|current| self.keys[i].is_before(from, current));
            }
            self.row[i] = *current;
        }
        false
    }

    /// The next row that is there. True: the row at which the cursor stands comes before it and is to be given first.
    pub fn come_to(&mut self, row: &KeyRow) -> bool {
        let was_behind = self.is_before(&self.next, &self.row);
        self.next.clone_from(row);
        was_behind && self.is_before(&self.row, &self.next) && self.is_within_borders()
    }

    /// No row comes any more. `None`: nothing is to be made; else as `come_to`.
    pub fn come_to_end(&mut self) -> Option<bool> {
        let is_null = |row: &KeyRow| row.iter().all(Option::is_none);
        let gives_first =
            (self.is_before(&self.next, &self.row) && !self.is_given) || (is_null(&self.next) && !is_null(&self.row));
        self.next.fill(None);
        let has_borders = self.borders.iter().any(Option::is_some);
        (has_borders && self.is_within_borders()).then_some(gives_first)
    }

    /// Borders of what is made behind a row.
    pub fn limit_staleness(&mut self, row: &KeyRow) -> Result<()> {
        for (i, key) in self.keys.iter().enumerate() {
            let (Some(staleness), Some(base)) = (&key.staleness, row[i]) else { continue };
            let border = staleness(base)?;
            if !key.is_before(base, border) {
                return Err(invalid("WITH FILL STALENESS does not advance in the sorting direction".to_string()));
            }
            self.borders[i] = key.nearer(key.to, Some(key.within_type(base, border)));
        }
        Ok(())
    }

    pub fn has_staleness(&self) -> bool {
        self.keys.iter().any(|key| key.staleness.is_some())
    }

    /// Takes a step towards the next row. True: the cursor stands at a row that is missing. `moved`: it stands elsewhere.
    pub fn advance(&mut self, moved: &mut bool) -> Result<bool> {
        let border = |i: usize| self.keys[i].nearer(self.borders[i], self.next[i]);
        let at = (0..self.keys.len()).find(|i| self.row[*i].is_some() && border(*i).is_some() && border(*i) != self.row[*i]);
        let Some((at, current)) = at.and_then(|at| Some((at, self.row[at]?))) else { return Ok(false) };
        let key = &self.keys[at];
        let is_behind = |limit: Option<Value>, value: Value| limit.is_some_and(|limit| key.is_before(limit, value));
        let is_at = |limit: Option<Value>, value: Value| limit.is_some_and(|limit| !key.is_before(value, limit));
        if !current.is_finite() || self.next[at].is_some_and(|next| !next.is_finite()) {
            return Ok(false);
        }
        if is_behind(self.next[at], current) || is_at(self.borders[at], current) {
            return Ok(false);
        }
        for i in (at + 1..self.keys.len()).rev() {
            let (Some(value), Some(border)) = (self.row[i], self.borders[i]) else { continue };
            let next = self.keys[i].step(value)?;
            if self.keys[i].is_before(next, border) {
                self.keys[i].check(next)?;
                self.row[i] = Some(next);
                self.begin_again(i + 1);
                *moved = true;
                return Ok(true);
            }
        }
        let next = key.step(current)?;
        if is_behind(self.next[at], next) || is_at(self.borders[at], next) {
            return Ok(false);
        }
        key.check(next)?;
        self.row[at] = Some(next);
        *moved = true;
        if self.row[at] == self.next[at] {
            return Ok(self.begin_beside_next(at + 1));
        }
        self.begin_again(at + 1);
        Ok(true)
    }

    /// Behind a gap that STALENESS left: goes to the last point of the grid that is not behind the next row. True: a row is
    /// missing there. Where `is_wanted` says no, asked now and then, nothing is.
    pub fn jump(&mut self, moved: &mut bool, is_wanted: &dyn Fn() -> bool) -> Result<bool> {
        for at in 0..self.keys.len() {
            let (Some(current), Some(next)) = (self.row[at], self.next[at]) else { continue };
            if current == next {
                continue;
            }
            if self.keys[at].is_before(next, current) {
                return Ok(false);
            }
            // Of a gap of any length numbers are divided; steps by a calendar are counted.
            let mut reached = self.keys[at].adds.and_then(|step| current.last_before(next, step)).unwrap_or(current);
            for steps in 1_usize.. {
                if steps.is_multiple_of(STEPS_UNASKED) && !is_wanted() {
                    *moved = false;
                    return Ok(false);
                }
                let further = (self.keys[at].next)(reached)?;
                if !self.keys[at].is_before(reached, further) || self.keys[at].is_before(next, further) {
                    break;
                }
                reached = further;
            }
            self.row[at] = Some(reached);
            if reached == next {
                *moved = true;
                return Ok(self.begin_beside_next(at + 1));
            }
            for i in at + 1..self.keys.len() {
                self.row[i] = self.keys[i].to;
            }
            *moved = false;
            return Ok(false);
        }
        Ok(false)
    }

    /// Keys from `from` on begin where their FROM is, else where the next row is. True: that is before it.
    fn begin_beside_next(&mut self, from: usize) -> bool {
        let mut is_less = false;
        for i in from..self.keys.len() {
            self.row[i] = self.keys[i].from.or(self.next[i]);
            let before = |limit: Option<Value>| match (self.row[i], limit) {
                (_, None) => true,
                (Some(value), Some(limit)) => self.keys[i].is_before(value, limit),
                (None, Some(_)) => true,
            };
            is_less |= before(self.next[i]) && before(self.borders[i]);
        }
        is_less
    }

    fn begin_again(&mut self, from: usize) {
        for i in from..self.keys.len() {
            self.row[i] = self.keys[i].from;
        }
    }

    fn is_before(&self, a: &KeyRow, b: &KeyRow) -> bool {
        let differing = self.keys.iter().zip(a.iter().zip(b)).find_map(|(key, (a, b))| {
            let (a, b) = ((*a)?, (*b)?);
            (a != b).then(|| key.is_before(a, b))
        });
        differing.unwrap_or(false)
    }

    fn is_within_borders(&self) -> bool {
        let first = (0..self.keys.len()).find_map(|i| Some((i, self.row[i]?, self.borders[i]?)));
        first.is_none_or(|(i, value, border)| self.keys[i].is_before(value, border))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(from: Option<i128>, to: Option<i128>) -> CursorKey {
        CursorKey {
            from: from.map(Value::Whole),
            to: to.map(Value::Whole),
            next: Box::new(|value| Ok(value.plus(Value::Whole(1)))),
            adds: Some(Value::Whole(1)),
            staleness: None,
            descending: false,
            kind: "UInt8".to_string(),
            bounds: Some((0, 255)),
        }
    }

    fn missing(cursor: &mut Cursor, row: &[i128]) -> Vec<Vec<i128>> {
        let row: KeyRow = row.iter().map(|value| Some(Value::Whole(*value))).collect();
        let shown = |row: &KeyRow| {
            row.iter().map(|value| if let Some(Value::Whole(value)) = value { *value } else { -1 }).collect::<Vec<_>>()
        };
        let mut out = Vec::new();
        if cursor.come_to(&row) {
            out.push(shown(&cursor.row));
        }
        while cursor.advance(&mut false).unwrap() {
            out.push(shown(&cursor.row));
        }
        out
    }

    #[test]
    fn gaps_between_rows_are_counted_through() {
        let mut cursor = Cursor::new(vec![key(None, None)]);
        cursor.begin(&vec![Some(Value::Whole(3))]);
        assert!(missing(&mut cursor, &[3]).is_empty());
        assert_eq!(missing(&mut cursor, &[6]), [[4], [5]]);
        assert!(missing(&mut cursor, &[6]).is_empty());
    }

    #[test]
    fn keys_behind_count_up_to_their_border_in_each_step() {
        let mut cursor = Cursor::new(vec![key(None, None), key(Some(1), Some(3))]);
        let first = vec![Some(Value::Whole(1)), Some(Value::Whole(1))];
        assert!(!cursor.begin(&first));
        assert!(missing(&mut cursor, &[1, 1]).is_empty());
        assert_eq!(missing(&mut cursor, &[3, 2]), [[1, 2], [2, 1], [2, 2], [3, 1]]);
    }

    #[test]
    fn a_gap_that_staleness_leaves_is_not_counted_through() {
        let staleness: Next = Box::new(|value| Ok(value.plus(Value::Whole(2))));
        let bounds = Some((0, i128::from(u64::MAX)));
        let mut cursor = Cursor::new(vec![CursorKey { staleness: Some(staleness), bounds, ..key(None, None) }]);
        let (first, far) = (vec![Some(Value::Whole(1))], vec![Some(Value::Whole(1_000_000_000_000_000_001))]);
        cursor.begin(&first);
        cursor.limit_staleness(&first).unwrap();
        assert!(missing(&mut cursor, &[1]).is_empty());
        assert_eq!(missing(&mut cursor, &[1_000_000_000_000_000_001]), [[2]]);
        cursor.limit_staleness(&far).unwrap();
        assert!(!cursor.jump(&mut false, &|| true).unwrap());
        assert_eq!(cursor.row, far);
    }

    #[test]
    fn a_gap_of_floats_is_divided_where_it_is_long() {
        let staleness: Next = Box::new(|value| Ok(value.plus(Value::Float(0.5))));
        let next: Next = Box::new(|value| Ok(value.plus(Value::Float(0.25))));
        let adds = Some(Value::Float(0.25));
        let float = CursorKey { staleness: Some(staleness), next, adds, bounds: None, ..key(None, None) };
        let mut cursor = Cursor::new(vec![float]);
        let (first, far) = (vec![Some(Value::Float(1.0))], vec![Some(Value::Float(1e12 + 0.25))]);
        cursor.begin(&first);
        cursor.limit_staleness(&first).unwrap();
        cursor.come_to(&first);
        cursor.come_to(&far);
        cursor.limit_staleness(&far).unwrap();
        cursor.jump(&mut false, &|| false).unwrap();
        assert_eq!(cursor.row, far);
    }

    #[test]
    fn counting_ends_where_nobody_reads() {
        let staleness: Next = Box::new(|value| Ok(value.plus(Value::Whole(2))));
        let bounds = Some((0, i128::from(u64::MAX)));
        let mut cursor = Cursor::new(vec![CursorKey { staleness: Some(staleness), bounds, adds: None, ..key(None, None) }]);
        let (first, far) = (vec![Some(Value::Whole(1))], vec![Some(Value::Whole(1_000_000_000_000_000_001))]);
        cursor.begin(&first);
        cursor.limit_staleness(&first).unwrap();
        cursor.come_to(&first);
        cursor.come_to(&far);
        assert!(!cursor.jump(&mut false, &|| false).unwrap());
    }

    #[test]
    fn what_the_type_does_not_hold_is_an_error() {
        let mut cursor = Cursor::new(vec![key(None, Some(300))]);
        cursor.begin(&vec![Some(Value::Whole(254))]);
        missing(&mut cursor, &[254]);
        cursor.come_to_end();
        assert!(cursor.advance(&mut false).unwrap());
        assert!(cursor.advance(&mut false).unwrap_err().to_string().contains("256"));
    }
}
