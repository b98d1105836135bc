//! How much a Memory table keeps: with `max_rows_to_keep` or `max_bytes_to_keep` its oldest batches go as new ones come, down to
//! `min_rows_to_keep` and `min_bytes_to_keep` at most.

use arrow::array::RecordBatch;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_introspect::Settings;
use indexmap::IndexMap;

use crate::rows_exec::batch_bytes;

/// Settings of the engine. Rows lie in memory as they are, whatever `compress` says.
const NAMES: &[&str] = &["compress", "min_bytes_to_keep", "max_bytes_to_keep", "min_rows_to_keep", "max_rows_to_keep"];

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Size {
    pub rows: u64,
    pub bytes: u64,
}

impl Size {
    pub fn of(batch: &RecordBatch) -> Size {
        Size { rows: batch.num_rows() as u64, bytes: batch_bytes(batch) }
    }

    pub fn and(self, other: Size) -> Size {
        Size { rows: self.rows + other.rows, bytes: self.bytes + other.bytes }
    }

    fn without(self, other: Size) -> Size {
        Size { rows: self.rows.saturating_sub(other.rows), bytes: self.bytes.saturating_sub(other.bytes) }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bounds {
    least: Size,
    /// 0: any number.
    most: Size,
}

impl Bounds {
    /// Errors: UNKNOWN_SETTING, CANNOT_PARSE_NUMBER, SETTING_CONSTRAINT_VIOLATION.
    pub fn of(settings: &IndexMap<String, String>) -> Result<Bounds> {
        let is_known = |name: &str| NAMES.contains(&name) || Settings::default().get(name).is_some();
        if let Some(unknown) = settings.keys().find(|name| !is_known(name)) {
            let text = format!("Unknown setting '{unknown}': for storage Memory");
            return Err(Error::new(ErrorCode::UNKNOWN_SETTING, text));
        }
        let number = |name: &str| match settings.get(name) {
            None => Ok(0),
            Some(value) => value.trim().parse::<u64>().map_err(|_| {
                let text = format!("Setting {name} takes a number of rows or bytes, not '{value}'");
                Error::new(ErrorCode::CANNOT_PARSE_NUMBER, text)
            }),
        };
        let pair = |least: &str, most: &str| {
            let (low, high) = (number(least)?, number(most)?);
            if low <= high {
                return Ok((low, high));
            }
            let text = format!("Setting `{least}` cannot be higher than the `{most}`. `{least}`: {low}, `{most}`: {high}");
            Err(Error::new(ErrorCode::SETTING_CONSTRAINT_VIOLATION, text))
        };
        let (least_rows, most_rows) = pair("min_rows_to_keep", "max_rows_to_keep")?;
        let (least_bytes, most_bytes) = pair("min_bytes_to_keep", "max_bytes_to_keep")?;
        Ok(Bounds {
            least: Size { rows: least_rows, bytes: least_bytes },
            most: Size { rows: most_rows, bytes: most_bytes },
        })
    }

    pub fn are_set(&self) -> bool {
        self.most != Size::default()
    }

    /// How many of the batches that are held, the oldest first, go for those that come.
    pub fn outdated(&self, held: &[Size], coming: Size) -> usize {
        let exceeds = |size: Size| {
            (self.most.rows > 0 && size.rows > self.most.rows) || (self.most.bytes > 0 && size.bytes > self.most.bytes)
        };
        let mut all = held.iter().fold(coming, |all, size| all.and(*size));
        let mut gone = 0;
        for size in held {
            let left = all.without(*size);
            if !exceeds(all) || left.rows < self.least.rows || left.bytes < self.least.bytes {
                break;
            }
            (all, gone) = (left, gone + 1);
        }
        gone
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bounds(settings: &[(&str, &str)]) -> Result<Bounds> {
        Bounds::of(&settings.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect())
    }

    #[test]
    fn the_oldest_go_until_there_is_room_or_too_few_are_left() {
        let rows = |rows: u64| Size { rows, bytes: rows * 8 };
        let bounds = bounds(&[("min_rows_to_keep", "50"), ("max_rows_to_keep", "100")]).expect("fits");
        assert_eq!(bounds.outdated(&[rows(60)], rows(40)), 0);
        assert_eq!(bounds.outdated(&[rows(60)], rows(60)), 1);
        assert_eq!(bounds.outdated(&[rows(60), rows(10), rows(30)], rows(10)), 1);
        assert_eq!(bounds.outdated(&[rows(80)], rows(30)), 0);
        assert_eq!(bounds.outdated(&[rows(10), rows(10)], rows(1000)), 2);
    }

    #[test]
    fn what_is_wrong_with_settings_is_said() {
        for (settings, code) in [
            (&[("keep", "1")][..], ErrorCode::UNKNOWN_SETTING),
            (&[("max_rows_to_keep", "many")][..], ErrorCode::CANNOT_PARSE_NUMBER),
            (&[("min_bytes_to_keep", "1")][..], ErrorCode::SETTING_CONSTRAINT_VIOLATION),
        ] {
            assert_eq!(bounds(settings).expect_err("wrong").code(), code, "{settings:?}");
        }
        assert!(!bounds(&[("compress", "1")]).expect("fits").are_set());
    }
}
