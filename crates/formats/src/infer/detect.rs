//! Which format data has that nobody tells, by how it begins: as ClickHouse detects the format of a file whose name has no extension.

use gristmill_introspect::Settings;
use serde_json::{Map, Value};

use super::columns;
use crate::Format;
use crate::input::fields::BOM;

/// How files begin that say themselves what they are.
const MARKS: [(&[u8], Format); 4] =
    [(b"PAR1", Format::Parquet), (b"ORC", Format::Orc), (b"ARROW1", Format::Arrow), (b"Obj\x01", Format::Avro)];

/// The format of data that begins with `sample`, decompressed; `complete`: that is all of it. `None`: there is nothing but blanks.
pub fn detected_format(sample: &[u8], complete: bool, settings: &Settings) -> Option<Format> {
    if let Some((_, format)) = MARKS.iter().find(|(mark, _)| sample.starts_with(mark)) {
        return Some(*format);
    }
    let text = sample.strip_prefix(BOM).unwrap_or(sample).trim_ascii();
    let rest = text.get(1..)?.trim_ascii_start();
    let reads = |format: Format| columns(format, sample, complete, settings).is_ok();
    let told = match text.first()? {
        b'{' => Some(json(text, complete)),
        b'[' if rest.first() == Some(&b'{') => Some(Format::JsonEachRow),
        b'(' => Some(Format::Values),
        _ if is_tskv(text) => Some(Format::Tskv),
        _ => None,
    };
    if let Some(format) = told.filter(|format| reads(*format)) {
        return Some(format);
    }
    let width = |format: Format| columns(format, sample, complete, settings).map_or(0, |columns| columns.len());
    Some(if width(Format::Tsv) > width(Format::Csv) { Format::Tsv } else { Format::Csv })
}

/// One object that is the whole of the data may hold columns, or rows by their names; others are rows.
fn json(text: &[u8], complete: bool) -> Format {
    let whole: Option<Map<String, Value>> = complete.then(|| serde_json::from_slice(text).ok()).flatten();
    match whole {
        Some(object) if object.is_empty() => Format::JsonEachRow,
        Some(object) if object.values().all(Value::is_array) => Format::JsonColumns,
        Some(object) if object.contains_key("meta") && object.contains_key("data") => match object["data"].get(0) {
            Some(Value::Array(_)) => Format::JsonCompact,
            _ => Format::Json,
        },
        Some(object) if object.values().all(Value::is_object) => Format::JsonObjectEachRow,
        _ => Format::JsonEachRow,
    }
}

/// Whether all fields of the first line are `name=value`.
fn is_tskv(text: &[u8]) -> bool {
    let line = text.split(|c| *c == b'\n').next().unwrap_or_default();
    line.split(|c| *c == b'\t').all(|field| field.iter().position(|c| *c == b'=').is_some_and(|at| at > 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_tells_its_format() {
        for (sample, wanted) in [
            ("1\t2\n3\t4\n", Format::Tsv),
            ("a,b\n1,x\n", Format::Csv),
            ("abc\ndef\n", Format::Csv),
            ("[1,\"x\"]\n[2,\"y\"]\n", Format::Tsv),
            ("{\"a\":1}\n{\"a\":2}\n", Format::JsonEachRow),
            ("[{\"a\":1},\n{\"a\":2}]", Format::JsonEachRow),
            ("{\"a\":[1,2],\"b\":[3,4]}", Format::JsonColumns),
            ("{\"x\":{\"a\":1},\"y\":{\"a\":2}}", Format::JsonObjectEachRow),
            ("{\"meta\":[{\"name\":\"a\",\"type\":\"UInt8\"}],\"data\":[[1]],\"rows\":1}", Format::JsonCompact),
            ("(1,'x'),(2,'y')", Format::Values),
            ("a=1\tb=2\na=3\tb=4\n", Format::Tskv),
        ] {
            assert_eq!(detected_format(sample.as_bytes(), true, &Settings::default()), Some(wanted), "{sample}");
        }
        assert_eq!(detected_format(b" \n", true, &Settings::default()), None);
    }
}
