//! Which rows go into which monthly file: 2008-07 to 2024-03, 189 months, each larger than the one before.

use gristmill_base::{Error, ErrorCode, Result};

/// Months from the first post to the last.
pub const MONTHS: usize = 189;
const FIRST_YEAR: i32 = 2008;
const FIRST_MONTH: i32 = 7;

/// One file: a month and the rows in it.
#[derive(Clone, Debug, PartialEq)]
pub struct Month {
    pub year: i32,
    /// 1 to 12
    pub month: i32,
    pub rows: u64,
    /// Ids of the month's posts are `first_id .. first_id + rows`.
    pub first_id: u64,
}

impl Month {
    pub fn file_name(&self) -> String {
        format!("{}-{:02}.parquet", self.year, self.month)
    }

    /// Milliseconds since the Unix epoch of the month's first instant and of the next month's.
    pub fn span_ms(&self) -> (i64, i64) {
        let next = if self.month == 12 { (self.year + 1, 1) } else { (self.year, self.month + 1) };
        (days_from_civil(self.year, self.month, 1) * 86_400_000, days_from_civil(next.0, next.1, 1) * 86_400_000)
    }
}

/// Shares `rows` out over the last `files` months.
pub fn months(rows: u64, files: usize) -> Result<Vec<Month>> {
    if !(1..=MONTHS).contains(&files) || rows < files as u64 {
        return Err(Error::new(
            ErrorCode::BAD_ARGUMENTS,
            format!("Cannot make {files} files of {rows} rows: give 1 to {MONTHS} files and at least one row a file"),
        ));
    }
    let weight = |index: usize| 0.15 + (index + 1) as f64 / MONTHS as f64;
    let first = MONTHS - files;
    let total: f64 = (first..MONTHS).map(weight).sum();
    let spare = rows - files as u64;
    let mut cumulative = 0.0;
    let mut next_id = 1;
    let mut given = 0;
    Ok((first..MONTHS)
        .map(|index| {
            cumulative += weight(index);
            // Rounding the running sum rather than each share makes the shares add up to `spare`.
            let upto = ((cumulative / total) * spare as f64).round() as u64;
            let upto = if index + 1 == MONTHS { spare } else { upto.min(spare) };
            let rows = upto - given + 1;
            given = upto;
            let since = FIRST_MONTH - 1 + index as i32;
            let month = Month { year: FIRST_YEAR + since / 12, month: since % 12 + 1, rows, first_id: next_id };
            next_id += rows;
            month
        })
        .collect())
}

/// Days since 1970-01-01 of a date of the Gregorian calendar (Hinnant's algorithm).
pub fn days_from_civil(year: i32, month: i32, day: i32) -> i64 {
    let year = i64::from(if month <= 2 { year - 1 } else { year });
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * i64::from((month + 9) % 12) + 2) / 5 + i64::from(day) - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * 146_097 + day_of_era - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_has_its_month_and_its_id() {
        for (rows, files) in [(3_000_000, 189), (20_000, 12), (5, 5), (1, 1)] {
            let months = months(rows, files).expect("fits");
            assert_eq!(months.len(), files);
            assert_eq!(months.iter().map(|month| month.rows).sum::<u64>(), rows);
            assert!(months.windows(2).all(|pair| pair[0].first_id + pair[0].rows == pair[1].first_id));
            assert_eq!(months.last().map(Month::file_name).as_deref(), Some("2024-03.parquet"));
        }
        assert_eq!(months(1000, 189).expect("fits")[0].file_name(), "2008-07.parquet");
    }

    #[test]
    fn months_grow_and_meet() {
        let months = months(1_000_000, 189).expect("fits");
        assert!(months[188].rows > 4 * months[0].rows);
        assert!(months.windows(2).all(|pair| pair[0].span_ms().1 == pair[1].span_ms().0));
        assert_eq!(days_from_civil(2024, 3, 1), 19_783);
    }

    #[test]
    fn too_few_rows_are_refused() {
        assert!(months(5, 6).expect_err("too few").message().contains("at least one row a file"));
    }
}
