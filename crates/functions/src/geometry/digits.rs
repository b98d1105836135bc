//! Numbers of shapes as texts have them: six digits, as C's `%g` writes them.

const DIGITS: i32 = 6;

/// Appends a number.
pub fn write_number(number: f64, out: &mut String) {
    if number == 0.0 {
        out.push_str(if number.is_sign_negative() { "-0" } else { "0" });
        return;
    }
    let scientific = format!("{:.*e}", DIGITS as usize - 1, number);
    let (digits, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let trimmed = |text: &str| match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_string(),
        false => text.to_string(),
    };
    if (-4..DIGITS).contains(&exponent) {
        out.push_str(&trimmed(&format!("{:.*}", (DIGITS - 1 - exponent) as usize, number)));
    } else {
        let sign = if exponent < 0 { '-' } else { '+' };
        out.push_str(&format!("{}e{sign}{:02}", trimmed(digits), exponent.abs()));
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn numbers_have_six_digits() {
        for (number, expected) in [
            (0.1, "0.1"),
            (1.0 / 3.0, "0.333333"),
            (-0.0, "-0"),
            (100_000.0, "100000"),
            (999_999.5, "1e+06"),
            (123_456.7, "123457"),
            (1e-5, "1e-05"),
            (0.0001, "0.0001"),
            (1.234_567_89e19, "1.23457e+19"),
            (5e-324, "4.94066e-324"),
            (-99_999.5, "-99999.5"),
        ] {
            let mut text = String::new();
            super::write_number(number, &mut text);
            assert_eq!(text, expected);
        }
    }
}
