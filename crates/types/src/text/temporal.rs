//! Dates, times and instants as text. Years have four digits: what lies before year 0 or after 9999 is cut to the ends.

use crate::calendar::{EARLIEST_DAY, LATEST_DAY, SECONDS_A_DAY, civil_from_days};

const PAIRS: &[u8; 200] = b"0001020304050607080910111213141516171819\
2021222324252627282930313233343536373839\
4041424344454647484950515253545556575859\
6061626364656667686970717273747576777879\
8081828384858687888990919293949596979899";

fn pair(value: u32) -> [u8; 2] {
    let at = (value as usize % 100) * 2;
    [PAIRS[at], PAIRS[at + 1]]
}

/// `2024-03-15`
pub fn write_date(days: i32, out: &mut Vec<u8>) {
    let (year, month, day) = civil_from_days(days.clamp(EARLIEST_DAY, LATEST_DAY));
    let [y1, y2] = pair(year as u32 / 100);
    let [y3, y4] = pair(year as u32);
    let [m1, m2] = pair(month);
    let [d1, d2] = pair(day);
    out.extend_from_slice(&[y1, y2, y3, y4, b'-', m1, m2, b'-', d1, d2]);
}

/// `2024-03-15 14:30:00`, from local seconds. `separator` stands between date and time.
pub fn write_date_time(local: i64, separator: u8, out: &mut Vec<u8>) {
    let local = local.clamp(i64::from(EARLIEST_DAY) * SECONDS_A_DAY, (i64::from(LATEST_DAY) + 1) * SECONDS_A_DAY - 1);
    write_date(local.div_euclid(SECONDS_A_DAY) as i32, out);
    let second = local.rem_euclid(SECONDS_A_DAY) as u32;
    let [h1, h2] = pair(second / 3600);
    let [m1, m2] = pair(second / 60 % 60);
    let [s1, s2] = pair(second % 60);
    out.extend_from_slice(&[separator, h1, h2, b':', m1, m2, b':', s1, s2]);
}

/// `.123` for 123 of scale 3; nothing for scale 0.
pub(crate) fn write_fraction(fraction: u64, scale: u8, out: &mut Vec<u8>) {
    if scale > 0 {
        out.push(b'.');
        let mut buffer = itoa::Buffer::new();
        let digits = buffer.format(fraction).as_bytes();
        out.extend(std::iter::repeat_n(b'0', usize::from(scale).saturating_sub(digits.len())));
        out.extend_from_slice(digits);
    }
}

/// `-12:34:56.789`: hours may be more than 23, up to 999.
pub fn write_time(ticks: i64, scale: u8, out: &mut Vec<u8>) {
    if ticks < 0 {
        out.push(b'-');
    }
    let unit = 10u64.pow(u32::from(scale));
    let ticks = ticks.unsigned_abs();
    let seconds = ticks / unit;
    let hours = seconds / 3600;
    if hours < 100 {
        out.extend_from_slice(&pair(hours as u32));
    } else {
        out.extend_from_slice(itoa::Buffer::new().format(hours).as_bytes());
    }
    let [m1, m2] = pair((seconds / 60 % 60) as u32);
    let [s1, s2] = pair((seconds % 60) as u32);
    out.extend_from_slice(&[b':', m1, m2, b':', s1, s2]);
    write_fraction(ticks % unit, scale, out);
}
