//! Numbers for people: rows as ClickHouse's client writes them (`59.82 million`), bytes in decimal (`24.03 GB`) for
//! traffic and in binary (`176.74 MiB`) for memory, and times (`45.6 ms`).

use std::time::Duration;

/// Powers of 1000, from the first on.
pub const QUANTITIES: [&str; 22] = [
    "",
    " thousand",
    " million",
    " billion",
    " trillion",
    " quadrillion",
    " quintillion",
    " sextillion",
    " septillion",
    " octillion",
    " nonillion",
    " decillion",
    " undecillion",
    " duodecillion",
    " tredecillion",
    " quattuordecillion",
    " quindecillion",
    " sexdecillion",
    " septendecillion",
    " octodecillion",
    " novemdecillion",
    " vigintillion",
];

/// `842`, `15.30 thousand`, `59.82 million`, …
pub fn rows(value: f64) -> String {
    quantity(value, &QUANTITIES, 1000.0, false)
}

/// Always with two decimals, as messages have it: `5.00`, `59.82 million`.
pub fn rows_with_decimals(value: f64) -> String {
    quantity(value, &QUANTITIES, 1000.0, true)
}

/// With two decimals, and from 60 digits on with an exponent, as ClickHouse has quantities.
pub fn two_decimals(value: f64) -> String {
    if value.abs() < 1e60 { with_decimals(value, 2) } else { format!("{value:e}") }
}

/// With exactly so many decimals: those of the float itself, halves being rounded away from zero, as ClickHouse has them. (The
/// standard library rounds 0.125 to even, 0.12.)
pub fn with_decimals(value: f64, decimals: usize) -> String {
    format!("{:.decimals$}", above_half(value, decimals))
}

/// The float, or the next one from zero where it lies half way between two texts of that many decimals.
fn above_half(value: f64, decimals: usize) -> f64 {
    let halves = value * 2f64.powi(i32::try_from(decimals).unwrap_or(i32::MAX).saturating_add(1));
    let half = halves.fract() == 0.0 && halves % 2.0 != 0.0;
    if half { f64::from_bits(value.to_bits() + 1) } else { value }
}

/// `842.00 B`, `24.03 GB`, … (powers of 1000)
pub fn bytes_decimal(value: f64) -> String {
    quantity(value, &[" B", " KB", " MB", " GB", " TB", " PB", " EB"], 1000.0, true)
}

/// `842.00 B`, `176.74 MiB`, … (powers of 1024)
pub fn bytes_binary(value: f64) -> String {
    quantity(value, &[" B", " KiB", " MiB", " GiB", " TiB", " PiB", " EiB"], 1024.0, true)
}

/// `1.23 s`, `45.6 ms`, `7 µs`
pub fn duration(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    if seconds >= 1.0 {
        format!("{seconds:.2} s")
    } else if seconds >= 0.001 {
        format!("{:.1} ms", seconds * 1e3)
    } else {
        format!("{:.0} µs", seconds * 1e6)
    }
}

fn quantity(mut value: f64, units: &[&str], base: f64, decimals_at_first: bool) -> String {
    let mut unit = 0;
    while value.abs() >= base && unit + 1 < units.len() {
        value /= base;
        unit += 1;
    }
    if unit == 0 && !decimals_at_first && value.fract() == 0.0 {
        format!("{value:.0}{}", units[unit])
    } else {
        format!("{}{}", two_decimals(value), units[unit])
    }
}

/// Parses a size such as `10G`, `512Mi`, `1_000_000` or `2.5KiB` into bytes; `None` where it is no size.
pub fn parse_size(text: &str) -> Option<u64> {
    let text = text.trim().replace('_', "");
    let split = text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len());
    let (number, unit) = text.split_at(split);
    let factor: u64 = match unit.trim().to_ascii_lowercase().as_str() {
        "" | "b" => 1,
        "k" | "kb" => 1000,
        "ki" | "kib" => 1 << 10,
        "m" | "mb" => 1000 * 1000,
        "mi" | "mib" => 1 << 20,
        "g" | "gb" => 1000 * 1000 * 1000,
        "gi" | "gib" => 1 << 30,
        "t" | "tb" => 1000 * 1000 * 1000 * 1000,
        "ti" | "tib" => 1 << 40,
        _ => return None,
    };
    if let Ok(whole) = number.trim().parse::<u64>() {
        return whole.checked_mul(factor);
    }
    let real: f64 = number.trim().parse().ok()?;
    (real >= 0.0 && real.is_finite()).then_some((real * factor as f64) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities_read_as_clickhouse_client_writes_them() {
        assert_eq!(rows(5.0), "5");
        assert_eq!(rows_with_decimals(5.0), "5.00");
        assert_eq!(rows_with_decimals(65_409.0), "65.41 thousand");
        assert_eq!(rows(59_816_000.0), "59.82 million");
        assert_eq!(rows(1e63), "1.00 vigintillion");
        assert_eq!(rows(1e300), "9.999999999999998e236 vigintillion");
        assert_eq!(bytes_decimal(24_030_000_000.0), "24.03 GB");
        assert_eq!(bytes_binary(185_325_322.0), "176.74 MiB");
    }

    #[test]
    fn halves_go_away_from_zero() {
        let told =
            [(0.125, 2), (0.375, 2), (2.5, 0), (-0.125, 2), (1.005, 2), (0.0, 1)].map(|(value, n)| with_decimals(value, n));
        assert_eq!(told, ["0.13", "0.38", "3", "-0.13", "1.00", "0.0"]);
        assert_eq!(with_decimals(f64::INFINITY, 2), "inf");
    }

    #[test]
    fn times_are_told_by_their_size() {
        let told = [1.234, 0.0123, 0.000_087, 0.0].map(|seconds| duration(Duration::from_secs_f64(seconds)));
        assert_eq!(told, ["1.23 s", "12.3 ms", "87 µs", "0 µs"]);
    }

    #[test]
    fn sizes_parse_with_decimal_and_binary_units() {
        assert_eq!(parse_size("10G"), Some(10_000_000_000));
        assert_eq!(parse_size("512Mi"), Some(512 << 20));
        assert_eq!(parse_size("2.5KiB"), Some(2560));
        assert_eq!(parse_size("ten"), None);
    }
}
