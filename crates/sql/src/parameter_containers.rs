//! Values of `{name:Array(…)}`, `{name:Tuple(…)}` and `{name:Map(…)}` as the literals that ClickHouse names their columns by:
//! `_CAST([1, 2], 'Array(UInt8)')`, a map as the array of its pairs.

use gristmill_types::SqlType;
use sqlparser::tokenizer::Token;

use crate::parameters::number;
use crate::tokens::word;

/// Elements up to which a value is spelled out. A longer one is read as the text that it came as, which is faster.
const ELEMENTS_MAX: usize = 1_000;

/// The words of a container's literal. `None`: it holds what has no literal, or is not well written.
pub(crate) fn literal(value: &str, kind: &SqlType) -> Option<Vec<Token>> {
    let mut reader = Reader { rest: value, elements: 0, out: Vec::new() };
    match kind {
        SqlType::Tuple(parts) if parts.len() == 1 => {
            reader.out.push(word("tuple"));
            reader.tuple(parts)?;
        }
        kind => reader.value(kind)?,
    }
    reader.rest.trim_start().is_empty().then_some(reader.out)
}

struct Reader<'v> {
    rest: &'v str,
    elements: usize,
    out: Vec<Token>,
}

impl<'v> Reader<'v> {
    fn value(&mut self, kind: &SqlType) -> Option<()> {
        self.elements += 1;
        if self.elements > ELEMENTS_MAX {
            return None;
        }
        match kind {
            SqlType::Array(element) => {
                self.eat('[')?;
                self.elements_until(']', |reader| reader.value(element))
            }
            SqlType::Nested(array) => self.value(array),
            SqlType::Map(key, value) => {
                self.eat('{')?;
                self.elements_until('}', |reader| {
                    reader.out.push(Token::LParen);
                    reader.value(key)?;
                    reader.eat(':')?;
                    reader.out.push(Token::Comma);
                    reader.value(value)?;
                    reader.out.push(Token::RParen);
                    Some(())
                })
            }
            // A tuple of one has a name of its own, which stands in no array.
            SqlType::Tuple(parts) if parts.len() > 1 => self.tuple(parts),
            SqlType::Tuple(_) => None,
            kind => self.scalar(kind),
        }
    }

    fn tuple(&mut self, parts: &[(Option<String>, SqlType)]) -> Option<()> {
        self.eat('(')?;
        self.out.push(Token::LParen);
        for (at, (_, kind)) in parts.iter().enumerate() {
            if at > 0 {
                self.eat(',')?;
                self.out.push(Token::Comma);
            }
            self.value(kind)?;
        }
        self.out.push(Token::RParen);
        self.eat(')')
    }

    /// Elements up to the bracket, as an array's.
    fn elements_until(&mut self, end: char, mut element: impl FnMut(&mut Self) -> Option<()>) -> Option<()> {
        self.out.push(Token::LBracket);
        let mut is_first = true;
        while self.eat(end).is_none() {
            if !is_first {
                self.eat(',')?;
                self.out.push(Token::Comma);
            }
            element(self)?;
            is_first = false;
        }
        self.out.push(Token::RBracket);
        Some(())
    }

    fn scalar(&mut self, kind: &SqlType) -> Option<()> {
        let plain = kind.plain();
        if let Some(text) = self.quoted() {
            match plain {
                SqlType::String => self.out.push(Token::SingleQuotedString(text.to_string())),
                SqlType::Uuid if is_uuid(text) => self.out.push(Token::SingleQuotedString(text.to_string())),
                SqlType::Date => self.out.extend(number(text, plain)?),
                _ => return None,
            }
            return Some(());
        }
        let rest = self.rest.trim_start();
        let end = rest.find([',', ':', ')', ']', '}']).unwrap_or(rest.len());
        let digits = rest[..end].trim_end();
        self.rest = &rest[end..];
        match (plain, digits) {
            (_, "NULL") if kind.is_nullable() => self.out.push(word("NULL")),
            (SqlType::Bool, "true" | "1") => self.out.push(Token::Number("1".to_string(), false)),
            (SqlType::Bool, "false" | "0") => self.out.push(Token::Number("0".to_string(), false)),
            // They are texts here.
            (SqlType::Date | SqlType::Enum8(_) | SqlType::Enum16(_), _) => return None,
            // Numbers that are wider than a literal.
            (kind, digits) if is_wide(kind) && is_number(digits) => {
                self.out.push(Token::SingleQuotedString(digits.to_string()));
            }
            (kind, digits) => self.out.extend(number(digits, kind)?),
        }
        Some(())
    }

    /// What stands between single quotes, with its escapes.
    fn quoted(&mut self) -> Option<&'v str> {
        let text = self.rest.trim_start().strip_prefix('\'')?;
        let mut is_escaped = false;
        let end = text.find(|c: char| {
            let ends = c == '\'' && !is_escaped;
            is_escaped = c == '\\' && !is_escaped;
            ends
        })?;
        self.rest = &text[end + 1..];
        Some(&text[..end])
    }

    fn eat(&mut self, wanted: char) -> Option<()> {
        self.rest = self.rest.trim_start().strip_prefix(wanted)?;
        Some(())
    }
}

fn is_wide(kind: &SqlType) -> bool {
    kind.is_decimal() || kind.integer_bits().is_some_and(|(bits, _)| bits > 64)
}

fn is_number(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, "0"));
    [whole, fraction].iter().all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()))
}

fn is_uuid(text: &str) -> bool {
    let lengths = text.split('-').map(str::len);
    lengths.eq([8, 4, 4, 4, 12]) && text.bytes().all(|byte| byte == b'-' || byte.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn containers_are_spelled_out_as_literals() {
        let shown = |value: &str, kind: &str| {
            let kind = kind.parse::<SqlType>().expect("a type");
            literal(value, &kind).map(|tokens| tokens.iter().map(ToString::to_string).collect::<String>())
        };
        for (value, kind, wanted) in [
            ("[1, -2]", "Array(Int8)", Some("[1,-2]")),
            ("[]", "Array(String)", Some("[]")),
            ("['a','b\\'c']", "Array(LowCardinality(String))", Some("['a','b\\'c']")),
            ("[1,NULL]", "Array(Nullable(UInt8))", Some("[1,NULL]")),
            ("[true,false,1]", "Array(Bool)", Some("[1,0,1]")),
            ("[1.5,2]", "Array(Decimal(5, 2))", Some("['1.5','2']")),
            ("['2024-01-01']", "Array(Date)", Some("[19723]")),
            ("(1,'a',[2.5])", "Tuple(a UInt8, b String, c Array(Float64))", Some("(1,'a',[2.5])")),
            ("(1)", "Tuple(UInt8)", Some("tuple(1)")),
            ("{'a':[1],'b':[]}", "Map(String, Array(UInt8))", Some("[('a',[1]),('b',[])]")),
            ("[300]", "Array(UInt8)", None),
            ("[1,2", "Array(UInt8)", None),
            ("[1 2]", "Array(UInt8)", None),
            ("[1]]", "Array(UInt8)", None),
            ("[a]", "Array(Enum8('a' = 1))", None),
            ("['a''b']", "Array(String)", None),
            ("['2024-01-01 00:00:00']", "Array(DateTime)", None),
        ] {
            assert_eq!(shown(value, kind).as_deref(), wanted, "{value} {kind}");
        }
    }
}
