//! A setting whose value is a map of texts, written `{'name':'text','other':'text'}`.

use std::iter::Peekable;
use std::str::Chars;

use crate::settings::SettingValue;

/// The pairs, in the order they were written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MapSetting(pub Vec<(String, String)>);

impl From<&str> for MapSetting {
    fn from(text: &str) -> Self {
        MapSetting::parse(text).unwrap_or_default()
    }
}

impl SettingValue for MapSetting {
    const TYPE: &'static str = "Map";

    fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        if text.is_empty() {
            return Some(MapSetting::default());
        }
        let inner = text.strip_prefix('{')?.strip_suffix('}')?.trim();
        let mut pairs = Vec::new();
        let mut rest = inner.chars().peekable();
        while rest.peek().is_some() {
            if !pairs.is_empty() {
                expect(&mut rest, ',')?;
            }
            let name = quoted(&mut rest)?;
            expect(&mut rest, ':')?;
            pairs.push((name, quoted(&mut rest)?));
            blanks(&mut rest);
        }
        Some(MapSetting(pairs))
    }

    fn show(&self) -> String {
        let text = |text: &str| {
            let escaped = text.replace('\\', "\\\\").replace('\'', "\\'").replace('\n', "\\n").replace('\t', "\\t");
            format!("'{escaped}'")
        };
        let pairs: Vec<String> = self.0.iter().map(|(name, value)| format!("{}:{}", text(name), text(value))).collect();
        format!("{{{}}}", pairs.join(","))
    }
}

fn blanks(rest: &mut Peekable<Chars<'_>>) {
    while rest.next_if(|c| c.is_whitespace()).is_some() {}
}

fn expect(rest: &mut Peekable<Chars<'_>>, wanted: char) -> Option<()> {
    blanks(rest);
    rest.next_if_eq(&wanted).map(drop)
}

/// A text in single quotes, without its escapes.
fn quoted(rest: &mut Peekable<Chars<'_>>) -> Option<String> {
    expect(rest, '\'')?;
    let mut out = String::new();
    loop {
        match rest.next()? {
            '\'' if rest.next_if_eq(&'\'').is_some() => out.push('\''),
            '\'' => return Some(out),
            '\\' => out.push(match rest.next()? {
                'n' => '\n',
                't' => '\t',
                'r' => '\r',
                '0' => '\0',
                other => other,
            }),
            c => out.push(c),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn maps_are_read_and_shown() {
        let map = MapSetting::parse(" { 'a' : 'b\\'c' , 'd':'e''f' } ").expect("a map");
        assert_eq!(map.0, [("a".to_string(), "b'c".to_string()), ("d".to_string(), "e'f".to_string())]);
        assert_eq!(map.show(), "{'a':'b\\'c','d':'e\\'f'}");
        assert_eq!(MapSetting::parse("{}").expect("a map").show(), "{}");
        for wrong in ["foo", "{\"a\":\"b\"}", "{'a'}", "{'a':'b' 'c':'d'}", "{'a':'b'", "{'a':1}"] {
            assert_eq!(MapSetting::parse(wrong), None, "{wrong}");
        }
    }
}
