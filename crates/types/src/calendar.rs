//! The proleptic Gregorian calendar on days since 1970-01-01.
//!
//! Days and civil dates are turned into one another by Howard Hinnant's arithmetic: years begin in March, so that the leap
//! day is the last of a year and months follow one linear formula; eras of 400 years repeat exactly.

/// 1900-01-01, the zero of Date32, and 2299-12-31: the days whose offsets zones know.
pub const FIRST_DAY: i32 = -25_567;
pub const LAST_DAY: i32 = 120_529;
/// The days that Date32 and DateTime64 hold, those of years of four digits: 0000-01-01 to 9999-12-31.
pub const EARLIEST_DAY: i32 = days_from_civil(0, 1, 1);
pub const LATEST_DAY: i32 = days_from_civil(9999, 12, 31);
/// The last day of `Date`: 2149-06-06.
pub const LAST_DAY_OF_DATE: i32 = 65_535;
/// The last day of which a DateTime holds every second, 2106-02-06.
pub const LAST_DAY_OF_DATETIME: i32 = 49_709;
pub const SECONDS_A_DAY: i64 = 86_400;

/// Days since the epoch of a date; months from 1, days from 1 (a day past its month's end goes on into the next).
pub const fn days_from_civil(year: i32, month: u32, day: u32) -> i32 {
    let y = if month <= 2 { year - 1 } else { year };
    let era = y.div_euclid(400);
    let year_of_era = y.rem_euclid(400) as u32;
    let day_of_year = (153 * (if month > 2 { month - 3 } else { month + 9 }) + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * 146_097 + day_of_era as i32 - 719_468
}

/// Year, month and day.
pub const fn civil_from_days(days: i32) -> (i32, u32, u32) {
    let z = days + 719_468;
    let era = z.div_euclid(146_097);
    let day_of_era = z.rem_euclid(146_097) as u32;
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    let year = year_of_era as i32 + era * 400 + (month <= 2) as i32;
    (year, month, day)
}

pub const fn is_leap(year: i32) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

pub const fn days_in_month(year: i32, month: u32) -> u32 {
    match month {
        2 if is_leap(year) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Monday is 1, Sunday 7.
pub const fn day_of_week(days: i32) -> u32 {
    (days + 3).rem_euclid(7) as u32 + 1
}

/// From 1.
pub const fn day_of_year(days: i32) -> u32 {
    let (year, _, _) = civil_from_days(days);
    (days - days_from_civil(year, 1, 1)) as u32 + 1
}

/// The Monday on or before a day.
pub const fn monday(days: i32) -> i32 {
    days - (days + 3).rem_euclid(7)
}

/// Year and week (from 1) by ISO 8601: a week belongs to the year that has its Thursday.
pub const fn iso_week(days: i32) -> (i32, u32) {
    let (year, _, _) = civil_from_days(monday(days) + 3);
    (year, ((days - first_iso_monday(year)) / 7) as u32 + 1)
}

/// The Monday that starts an ISO year.
pub const fn first_iso_monday(year: i32) -> i32 {
    monday(days_from_civil(year, 1, 4))
}

/// Adds months, staying within the month that is reached (31 January + 1 month is the last of February).
pub const fn add_months(days: i32, months: i64) -> i32 {
    let (year, month, day) = civil_from_days(days);
    let all = (year as i64 * 12 + month as i64 - 1).saturating_add(months);
    // Years beyond what any type holds are cut off here, so that nothing below overflows.
    let year = all.div_euclid(12);
    let year = if year > 20_000 {
        20_000
    } else if year < -20_000 {
        -20_000
    } else {
        year
    } as i32;
    let month = all.rem_euclid(12) as u32 + 1;
    let last = days_in_month(year, month);
    days_from_civil(year, month, if day > last { last } else { day })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_days() {
        assert_eq!(days_from_civil(1970, 1, 1), 0);
        assert_eq!(days_from_civil(1900, 1, 1), FIRST_DAY);
        assert_eq!(days_from_civil(2299, 12, 31), LAST_DAY);
        assert_eq!(civil_from_days(LAST_DAY_OF_DATE), (2149, 6, 6));
        assert_eq!(day_of_week(0), 4);
        assert_eq!(iso_week(days_from_civil(2021, 1, 3)), (2020, 53));
        assert_eq!(iso_week(days_from_civil(2024, 12, 30)), (2025, 1));
        assert_eq!(civil_from_days(add_months(days_from_civil(2024, 1, 31), 1)), (2024, 2, 29));
    }

    proptest::proptest! {
        #[test]
        fn dates_and_days_are_inverse(days in -800_000i32..3_000_000) {
            let (year, month, day) = civil_from_days(days);
            proptest::prop_assert_eq!(days_from_civil(year, month, day), days);
            proptest::prop_assert!(day >= 1 && day <= days_in_month(year, month));
        }
    }
}
