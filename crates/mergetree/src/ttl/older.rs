//! Times of parts that older programs wrote. These computed times of a TTL in the types of the columns, where what is added to a
//! date beyond 2149, or to a time beyond 2106, begins anew at 1970: rows that are to stay for a century counted as expired.
//!
//! Such times say of themselves only that they may be wrong (`TtlRange::wide` is not set). The manifest has the bounds of
//! columns of dates and times; from them the times are computed again, rightly, at both ends. Where these pass what the
//! types of that time held, what is kept counts for nothing: no part is dropped by it, and the part is rewritten
//! once, which looks at its rows and keeps right times.

use std::collections::HashMap;

use arrow::array::{Array, ArrayRef, RecordBatch, new_null_array};
use gristmill_types::SqlType;
use parking_lot::Mutex;
use serde_json::Value;

use super::ranges::TtlRange;
use super::{Rule, seconds};
use crate::located::Located;
use crate::manifest::PartEntry;
use crate::manifest::v1::value;

/// What a DateTime holds, and less than what a Date does.
const NARROW_MAX: i64 = u32::MAX as i64;

/// Where the manifest keeps the bounds of a column.
#[derive(Clone, Debug)]
pub enum Kept {
    /// Among those of the partition key, by place.
    Range(usize),
    /// Among the others, by the column's key.
    Statistics(String),
}

impl Kept {
    fn of_part<'a>(&self, part: &'a PartEntry) -> Option<&'a (Value, Value)> {
        match self {
            Kept::Range(at) => part.ranges.get(*at),
            Kept::Statistics(key) => part.statistics.get(key),
        }
    }
}

/// The columns of dates and times that a rule looks at and whose bounds the manifest keeps.
#[derive(Debug, Default)]
pub struct Sources {
    /// Places, types, and where bounds are.
    columns: Vec<(usize, SqlType, Kept)>,
    /// Which parts were looked at, by their objects, and whether their times are wrong.
    judged: Mutex<HashMap<String, bool>>,
}

impl Sources {
    /// `kept`: by column of the table.
    pub fn of(time: &Located, columns: &gristmill_types::Columns, kept: &[Option<Kept>]) -> Sources {
        let known = time.places.iter().filter_map(|at| {
            let kept = kept.get(*at).cloned().flatten()?;
            Some((*at, columns.0[*at].kind.clone(), kept))
        });
        Sources { columns: known.collect(), judged: Mutex::default() }
    }
}

impl Rule {
    /// What is known of the times of a part's rows. `None`: nothing, or it is wrong.
    pub(super) fn range<'a>(&self, part: &'a PartEntry) -> Option<&'a TtlRange> {
        part.ttl.get(&self.key).filter(|range| range.wide || !self.is_wrong(part, range))
    }

    /// Whether something is kept of the part's times, and is wrong.
    pub(super) fn is_misled(&self, part: &PartEntry) -> bool {
        part.ttl.contains_key(&self.key) && self.range(part).is_none()
    }

    fn is_wrong(&self, part: &PartEntry, range: &TtlRange) -> bool {
        if let Some(known) = self.sources.judged.lock().get(&part.key) {
            return *known;
        }
        let wrong = self.passes_narrow_types(part, range);
        self.sources.judged.lock().insert(part.key.clone(), wrong);
        wrong
    }

    fn passes_narrow_types(&self, part: &PartEntry, range: &TtlRange) -> bool {
        match &self.sources.columns[..] {
            // Of one column the times follow; the greatest of them is that of a row, unless a condition leaves it out.
            [(at, kind, kept)] if self.time.places == [*at] => {
                let times = kept.of_part(part).and_then(|ends| self.times(*at, kind, ends));
                times.is_some_and(|greatest| greatest > NARROW_MAX && range.max.is_none_or(|max| max < greatest))
            }
            // Of several, something is known where times lie before the columns that they are computed from.
            columns => columns.iter().any(|(_, kind, kept)| {
                let least =
                    kept.of_part(part).and_then(|ends| bounds(kind, ends)).and_then(|ends| greatest_of(&ends.slice(0, 1)));
                least.zip(range.min).is_some_and(|(least, min)| min < least)
            }),
        }
    }

    /// The greater of the times of both ends.
    fn times(&self, at: usize, kind: &SqlType, ends: &(Value, Value)) -> Option<i64> {
        let ends = bounds(kind, ends)?;
        let schema = self.schema.clone();
        let column = |(place, field): (usize, &arrow::datatypes::FieldRef)| match place == at {
            true => ends.clone(),
            false => new_null_array(field.data_type(), 2),
        };
        let columns: Vec<ArrayRef> = schema.fields().iter().enumerate().map(column).collect();
        let fields: Vec<_> = schema.fields().iter().map(|field| field.as_ref().clone().with_nullable(true)).collect();
        let batch = RecordBatch::try_new(std::sync::Arc::new(arrow::datatypes::Schema::new(fields)), columns).ok()?;
        greatest_of(&self.time.evaluate(&batch).ok()?)
    }
}

fn bounds(kind: &SqlType, (least, greatest): &(Value, Value)) -> Option<ArrayRef> {
    value::from_json(&kind.arrow(), [least, greatest].into_iter()).ok()
}

/// The greatest of dates or times, in seconds.
fn greatest_of(times: &ArrayRef) -> Option<i64> {
    let times = seconds(times).ok()?;
    (0..times.len()).map(|row| times.value(row)).max()
}
