//! The lines of a query's own log (`send_logs_level`) on their way to an HTTP client.
//!
//! The formats that tell how far a query is tell them as they come, among its rows. Of any other answer the head has those
//! that were told before it left, as one array in one header: clients count headers, and most take no more than a hundred.

use gristmill_introspect::query_lines::{LinesHeard, QueryLine, level_name};
use serde_json::json;

/// Bytes of the header: clients take no long heads.
const HEADER_BYTES_MAX: usize = 12 << 10;

/// A line as an object, under the names that `system.text_log` has for its columns.
pub fn object(line: &QueryLine) -> String {
    json!({
        "event_time_microseconds": line.at.as_micros() as u64,
        "thread_id": line.thread_id,
        "level": level_name(line.level),
        "logger_name": line.source,
        "message": line.text,
    })
    .to_string()
}

/// What the head of an answer has of them.
#[derive(Clone, Debug, Default)]
pub struct HeadLines {
    objects: Vec<String>,
    bytes: usize,
    left_out: u64,
}

impl HeadLines {
    pub fn note(&mut self, line: &QueryLine) {
        let object = ascii(&object(line));
        if self.left_out > 0 || self.bytes + object.len() > HEADER_BYTES_MAX {
            self.left_out += 1;
            return;
        }
        self.bytes += object.len() + 1;
        self.objects.push(object);
    }

    /// The lines that are there.
    pub fn note_rest(&mut self, lines: &mut LinesHeard) {
        while let Some(line) = lines.there() {
            self.note(&line);
        }
    }

    /// `None`: no line was told.
    pub fn header(&self) -> Option<String> {
        if self.objects.is_empty() {
            return None;
        }
        let left_out = (self.left_out > 0).then(|| format!("{{\"left_out\":{}}}", self.left_out));
        let all: Vec<&str> = self.objects.iter().chain(&left_out).map(String::as_str).collect();
        Some(format!("[{}]", all.join(",")))
    }
}

/// JSON that has nothing but what a header may have: other letters stand in strings, where they may be escaped.
fn ascii(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for letter in json.chars() {
        match letter {
            ' '..='~' => out.push(letter),
            _ => {
                let mut units = [0; 2];
                letter.encode_utf16(&mut units).iter().for_each(|unit| out.push_str(&format!("\\u{unit:04x}")));
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use gristmill_introspect::tracing::Level;

    use super::*;

    fn line(text: &str) -> QueryLine {
        let at = Duration::from_micros(1_700_000_000_000_001);
        QueryLine { at, thread_id: 7, level: Level::DEBUG, source: "Aggregator", text: text.to_string() }
    }

    #[test]
    fn a_header_is_json_in_plain_letters() {
        let mut lines = HeadLines::default();
        assert_eq!(lines.header(), None);
        lines.note(&line("5 µs of \"x\" 🌾"));
        let header = lines.header().expect("told");
        assert!(header.bytes().all(|byte| (b' '..=b'~').contains(&byte)), "{header}");
        let parsed: serde_json::Value = serde_json::from_str(&header).expect("JSON");
        assert_eq!(parsed[0]["message"], "5 µs of \"x\" 🌾");
        assert_eq!((parsed[0]["level"].as_str(), parsed[0]["logger_name"].as_str()), (Some("Debug"), Some("Aggregator")));
        assert_eq!(parsed[0]["event_time_microseconds"], 1_700_000_000_000_001_u64);
    }

    #[test]
    fn a_head_is_not_too_long() {
        let mut lines = HeadLines::default();
        for _ in 0..1000 {
            lines.note(&line("a line like others"));
        }
        let header = lines.header().expect("told");
        let parsed: Vec<serde_json::Value> = serde_json::from_str(&header).expect("JSON");
        let left_out = parsed.last().expect("some")["left_out"].as_u64().expect("counted");
        assert!(header.len() < HEADER_BYTES_MAX + 100);
        assert_eq!(left_out + parsed.len() as u64 - 1, 1000);
    }
}
