//! What is written by its digits in base 2 and 16: `0b101`, which the tokenizer takes for a zero with an alias, numbers with a
//! point such as `0x1.8p1`, which it takes apart, and the strings `x'4142'` and `b'01000001'`. And names that begin with digits, such
//! as `2024_sales` and `db.2024_sales`, which it takes for numbers with an alias.

use sqlparser::tokenizer::{Span, Token, TokenWithSpan};

/// Works on tokens with their white space: nothing may stand between the parts.
pub(crate) fn rewrite(tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
    let begins = |token: &TokenWithSpan| match &token.token {
        Token::HexStringLiteral(_) => true,
        Token::Word(word) => word.quote_style.is_none() && word.value.starts_with(['b', 'B']),
        _ => false,
    };
    if !tokens.iter().any(begins) && !tokens.windows(2).any(|pair| name(&pair[0].token, &pair[1].token).is_some()) {
        return tokens;
    }
    let mut out: Vec<TokenWithSpan> = Vec::with_capacity(tokens.len());
    let mut at = 0;
    while at < tokens.len() {
        let span = tokens[at].span;
        if let Some((token, end)) = written(&tokens, at) {
            out.push(TokenWithSpan { token, span });
            at = end;
        } else if let Some((is_part, name)) = tokens.get(at + 1).and_then(|next| name(&tokens[at].token, &next.token)) {
            out.extend(is_part.then_some(TokenWithSpan { token: Token::Period, span }));
            out.push(TokenWithSpan { token: name, span });
            at += 2;
        } else {
            out.push(tokens[at].clone());
            at += 1;
        }
    }
    out
}

/// The name that a number and a word are which nothing parts, and whether a point stands before it.
fn name(number: &Token, word: &Token) -> Option<(bool, Token)> {
    let (Token::Number(number, false), Token::Word(word)) = (number, word) else { return None };
    let (is_part, digits) = match number.strip_prefix('.') {
        Some(digits) => (true, digits),
        None => (false, number.as_str()),
    };
    let is_name =
        word.quote_style.is_none() && !digits.is_empty() && digits.bytes().all(|c| c.is_ascii_digit() || c == b'_');
    is_name.then(|| (is_part, super::super::tokens::word(&format!("{digits}{}", word.value))))
}

/// What begins at `at`, and where it ends.
fn written(tokens: &[TokenWithSpan], at: usize) -> Option<(Token, usize)> {
    let next = tokens.get(at + 1).map(|next| &next.token);
    match (&tokens[at].token, next) {
        (Token::Number(zero, false), Some(Token::Word(digits))) if zero == "0" && digits.quote_style.is_none() => {
            let bits = digits.value.strip_prefix(['b', 'B'])?;
            let is_number = !bits.is_empty() && bits.bytes().all(|bit| matches!(bit, b'0' | b'1' | b'_'));
            is_number.then(|| (Token::Number(format!("0b{bits}"), false), at + 2))
        }
        (Token::HexStringLiteral(digits), _) if is_quoted(tokens[at].span, digits) => Some((text(digits, 16)?, at + 1)),
        (Token::HexStringLiteral(digits), _) => fraction(tokens, at, digits),
        (Token::Word(prefix), Some(Token::SingleQuotedString(bits)))
            if prefix.quote_style.is_none() && prefix.value.eq_ignore_ascii_case("b") =>
        {
            Some((text(bits, 2)?, at + 2))
        }
        _ => None,
    }
}

/// `x'41'` is one character longer than `0x41`.
fn is_quoted(span: Span, digits: &str) -> bool {
    span.start.line == span.end.line && span.end.column - span.start.column == digits.chars().count() as u64 + 3
}

/// The string of bytes that digits stand for; the first ones may be short of a byte. `None`: they are no digits of the base.
fn text(digits: &str, base: u32) -> Option<Token> {
    let in_byte = if base == 2 { 8 } else { 2 };
    if !digits.chars().all(|digit| digit.is_digit(base)) {
        return None;
    }
    let missing = digits.len().next_multiple_of(in_byte) - digits.len();
    let digits = "0".repeat(missing) + digits;
    let bytes = (0..digits.len()).step_by(in_byte).map(|at| u8::from_str_radix(&digits[at..at + in_byte], base).ok());
    let bytes: Option<Vec<u8>> = bytes.collect();
    Some(Token::SingleQuotedString(bytes?.iter().map(|byte| format!("\\x{byte:02X}")).collect()))
}

/// Tokens that such a number may be cut into: `1`, `.8`, `p`, `-`, `1`.
const PARTS_MOST: usize = 5;

/// `0x1.8`, `0x1p3`, `0x1.8p-1`: the longest that the tokens make.
fn fraction(tokens: &[TokenWithSpan], at: usize, digits: &str) -> Option<(Token, usize)> {
    let mut written = digits.to_string();
    let mut found = None;
    for (end, token) in tokens.iter().enumerate().skip(at + 1).take(PARTS_MOST) {
        match &token.token {
            Token::Word(word) if word.quote_style.is_none() => written.push_str(&word.value),
            Token::Number(..) | Token::Period => written.push_str(&token.token.to_string()),
            Token::Plus | Token::Minus if written.ends_with(['p', 'P']) => written.push_str(&token.token.to_string()),
            _ => break,
        }
        if let Some(value) = value(&written) {
            found = Some((Token::Number(format!("{value:?}"), false), end + 1));
        }
    }
    found
}

/// Digits in base 16 that a number of 64 bits holds.
const DIGITS_MOST: usize = 15;

/// The value of `digits[.digits][p[sign]digits]` in base 16 with an exponent of 2. `None`: it is no such number, or a whole one.
fn value(written: &str) -> Option<f64> {
    let (mantissa, exponent) = match written.split_once(['p', 'P']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().ok()?),
        None => (written, 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    if whole.is_empty() || mantissa.len() == written.len() && fraction.is_empty() {
        return None;
    }
    let (mut number, mut scale, mut digits) = (0_u64, exponent, 0);
    for (at, digit) in whole.chars().chain(fraction.chars()).enumerate() {
        let digit = digit.to_digit(16)?;
        let is_whole = at < whole.len();
        if digits < DIGITS_MOST {
            number = number * 16 + u64::from(digit);
            digits += usize::from(number > 0);
            scale = scale.saturating_sub(if is_whole { 0 } else { 4 });
        } else {
            scale = scale.saturating_add(if is_whole { 4 } else { 0 });
        }
    }
    Some(number as f64 * 2_f64.powi(scale))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_with_an_exponent_of_two() {
        for (written, expected) in
            [("1p3", Some(8.0)), ("1.8p1", Some(3.0)), ("1.8", Some(1.5)), ("ap-1", Some(5.0)), ("1P+3", Some(8.0))]
        {
            assert_eq!(value(written), expected, "{written}");
        }
        assert_eq!(value("ffffffffffffffffffffp0"), Some(1.208_925_819_614_629_2e24));
        for written in ["1", "1.", "p1", "1p", "1.gp1", "1p1.5", ""] {
            assert_eq!(value(written), None, "{written}");
        }
    }

    #[test]
    fn names_may_begin_with_digits() {
        let dialect = crate::dialect::Dialect { names_begin_with_dollar: true };
        let rewritten = |text: &str| {
            let tokens = sqlparser::tokenizer::Tokenizer::new(&dialect, text).tokenize_with_location().expect("tokens");
            rewrite(tokens).into_iter().map(|token| token.token.to_string()).collect::<Vec<_>>()
        };
        assert_eq!(rewritten("2024_sales"), ["2024_sales"]);
        assert_eq!(rewritten("db.2024_sales.3d"), ["db", ".", "2024_sales", ".", "3d"]);
        assert_eq!(rewritten("1 a"), ["1", " ", "a"]);
        assert_eq!(rewritten("1e5+0b11+1_000"), ["1e5", "+", "0b11", "+", "1_000"]);
    }

    #[test]
    fn bytes_are_filled_up_from_the_left() {
        let raw = |token: Option<Token>| match token {
            Some(Token::SingleQuotedString(raw)) => raw,
            other => format!("{other:?}"),
        };
        assert_eq!((raw(text("4142", 16)), raw(text("414", 16))), ("\\x41\\x42".to_string(), "\\x04\\x14".to_string()));
        assert_eq!((raw(text("01000001", 2)), raw(text("1", 2))), ("\\x41".to_string(), "\\x01".to_string()));
        assert_eq!((text("zz", 16), text("2", 2), raw(text("", 16))), (None, None, String::new()));
    }
}
