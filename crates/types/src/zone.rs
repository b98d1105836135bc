//! Time zones as tables of transitions.
//!
//! `chrono_tz` answers one instant at a time by a search through its spans and does not show them. Columns of times want
//! the spans themselves, so a `Zone` finds each transition between 1900 and 2300 once (probing day by day, then halving
//! to the second) and keeps them for the life of the process. Looking up an offset is then a binary search over a short
//! array, and usually none: `Local` remembers the span it answered from last.
//!
//! Local times that occur twice mean the earlier instant; times that a clock skipped are read with the offset after the
//! skip. Both are ClickHouse's choice.

use std::cell::Cell;
use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex};

use chrono::{DateTime, Offset, TimeZone};
use chrono_tz::Tz;

use crate::calendar::{FIRST_DAY, LAST_DAY, SECONDS_A_DAY};

/// A zone's offsets: span `i` starts at `starts[i]` (UTC seconds) and lies `offsets[i]` seconds east of UTC.
#[derive(Debug)]
struct Spans {
    starts: Vec<i64>,
    offsets: Vec<i64>,
    /// The end of each span in its own local time: never falling, the last is never reached.
    local_ends: Vec<i64>,
}

#[derive(Clone, Debug)]
pub struct Zone {
    tz: Tz,
    spans: Arc<Spans>,
}

static KNOWN: LazyLock<Mutex<HashMap<Tz, Arc<Spans>>>> = LazyLock::new(Mutex::default);

impl Zone {
    pub fn new(tz: Tz) -> Zone {
        let mut known = KNOWN.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let spans = known.entry(tz).or_insert_with(|| Arc::new(Spans::of(tz))).clone();
        Zone { tz, spans }
    }

    pub fn utc() -> Zone {
        Zone::new(Tz::UTC)
    }

    /// The zone that a type names, else the session's.
    pub fn of_type(named: Option<&Arc<str>>, session: Tz) -> Zone {
        Zone::new(named.and_then(|name| name.parse().ok()).unwrap_or(session))
    }

    pub fn tz(&self) -> Tz {
        self.tz
    }

    pub fn name(&self) -> &'static str {
        self.tz.name()
    }

    /// Whether the offset never changes, and so is monotonic and cheap.
    pub fn is_fixed(&self) -> bool {
        self.spans.offsets.len() == 1
    }

    /// Whether the local date never falls while time goes on: no clock is turned back over midnight.
    pub fn keeps_days_in_order(&self) -> bool {
        let spans = &*self.spans;
        spans.starts.iter().enumerate().skip(1).all(|(i, start)| {
            let before = (start - 1 + spans.offsets[i - 1]).div_euclid(SECONDS_A_DAY);
            before <= (start + spans.offsets[i]).div_euclid(SECONDS_A_DAY)
        })
    }

    /// Seconds east of UTC at an instant.
    #[inline]
    pub fn offset_at(&self, utc: i64) -> i64 {
        let spans = &*self.spans;
        if spans.offsets.len() == 1 {
            return spans.offsets[0];
        }
        spans.offsets[spans.at(utc)]
    }

    #[inline]
    pub fn to_local(&self, utc: i64) -> i64 {
        utc.saturating_add(self.offset_at(utc))
    }

    /// The instant of a local time given in seconds as if it were UTC.
    #[inline]
    pub fn to_utc(&self, local: i64) -> i64 {
        let spans = &*self.spans;
        let at = if spans.offsets.len() == 1 {
            0
        } else {
            spans.local_ends.partition_point(|end| *end <= local).min(spans.offsets.len() - 1)
        };
        local.saturating_sub(spans.offsets[at])
    }

    /// A view that remembers the span of the last answer: for loops over columns.
    pub fn cursor(&self) -> Local<'_> {
        let spans = &*self.spans;
        Local { spans, from: Cell::new(i64::MIN), until: Cell::new(spans.end(0)), offset: Cell::new(spans.offsets[0]) }
    }
}

impl PartialEq for Zone {
    fn eq(&self, other: &Zone) -> bool {
        self.tz == other.tz
    }
}

/// See `Zone::cursor`.
pub struct Local<'a> {
    spans: &'a Spans,
    from: Cell<i64>,
    until: Cell<i64>,
    offset: Cell<i64>,
}

impl Local<'_> {
    #[inline]
    pub fn offset_at(&self, utc: i64) -> i64 {
        if utc < self.from.get() || utc >= self.until.get() {
            let at = self.spans.at(utc);
            self.from.set(if at == 0 { i64::MIN } else { self.spans.starts[at] });
            self.until.set(self.spans.end(at));
            self.offset.set(self.spans.offsets[at]);
        }
        self.offset.get()
    }

    #[inline]
    pub fn to_local(&self, utc: i64) -> i64 {
        utc.saturating_add(self.offset_at(utc))
    }
}

impl Spans {
    fn of(tz: Tz) -> Spans {
        let offset = |utc: i64| {
            DateTime::from_timestamp(utc, 0)
                .map_or(0, |at| i64::from(tz.offset_from_utc_datetime(&at.naive_utc()).fix().local_minus_utc()))
        };
        let first = i64::from(FIRST_DAY) * SECONDS_A_DAY;
        let last = (i64::from(LAST_DAY) + 1) * SECONDS_A_DAY;
        let mut starts = vec![first];
        let mut offsets = vec![offset(first)];
        let mut current = offsets[0];
        let mut day = first;
        while day < last && tz != Tz::UTC {
            let next = day + SECONDS_A_DAY;
            let after = offset(next);
            if after != current {
                let (mut low, mut high) = (day, next);
                while high - low > 1 {
                    let middle = low + (high - low) / 2;
                    if offset(middle) == current { low = middle } else { high = middle }
                }
                starts.push(high);
                offsets.push(after);
                current = after;
            }
            day = next;
        }
        let ends = starts.iter().skip(1).copied();
        let mut local_ends: Vec<i64> = ends.zip(&offsets).map(|(end, offset)| end + offset).collect();
        for i in 1..local_ends.len() {
            local_ends[i] = local_ends[i].max(local_ends[i - 1]);
        }
        Spans { starts, offsets, local_ends }
    }

    fn at(&self, utc: i64) -> usize {
        self.starts.partition_point(|start| *start <= utc).saturating_sub(1)
    }

    fn end(&self, at: usize) -> i64 {
        self.starts.get(at + 1).copied().unwrap_or(i64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::calendar::days_from_civil;

    fn local(year: i32, month: u32, day: u32, hour: i64, minute: i64) -> i64 {
        i64::from(days_from_civil(year, month, day)) * SECONDS_A_DAY + hour * 3600 + minute * 60
    }

    #[test]
    fn summer_time_in_new_york() {
        let zone = Zone::new(Tz::America__New_York);
        assert_eq!(zone.offset_at(local(2024, 1, 1, 0, 0)), -5 * 3600);
        assert_eq!(zone.offset_at(local(2024, 7, 1, 0, 0)), -4 * 3600);
        // 01:30 on 3 November occurs twice: the earlier, in summer time, is meant.
        assert_eq!(zone.to_utc(local(2024, 11, 3, 1, 30)), local(2024, 11, 3, 5, 30));
        // 02:30 on 10 March does not exist.
        assert_eq!(zone.to_local(zone.to_utc(local(2024, 3, 10, 2, 30))), local(2024, 3, 10, 1, 30));
    }

    proptest::proptest! {
        #[test]
        fn the_table_says_what_chrono_says(utc in -2_000_000_000i64..4_000_000_000) {
            for tz in [Tz::Europe__Berlin, Tz::Asia__Kolkata, Tz::America__Sao_Paulo, Tz::UTC] {
                let expected = tz.offset_from_utc_datetime(&DateTime::from_timestamp(utc, 0).unwrap_or_default().naive_utc());
                let zone = Zone::new(tz);
                proptest::prop_assert_eq!(zone.offset_at(utc), i64::from(expected.fix().local_minus_utc()));
                proptest::prop_assert_eq!(zone.cursor().offset_at(utc), zone.offset_at(utc));
            }
        }
    }
}
