//! `framing_output_format`: a result, and what is told beside it while its query runs, as packets of one stream.
//!
//! The bytes of the result's format go into packets as they are: those of all packets of data, totals and extremes, put
//! together, are what the answer would be without frames. Everything else is JSON. The last packet of a result is one of
//! progress, that of a failure one of the error, so a client knows by it what became of the query.

use std::sync::Arc;
use std::time::Duration;

use arrow::array::RecordBatch;
use base64::Engine as _;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_formats::{Format, OutputContext, OutputFormat, ResultSummary, writer};
use gristmill_introspect::query_lines::QueryLine;
use gristmill_introspect::{QueryContext, Settings};
use gristmill_types::Columns;
use gristmill_types::text::write_json_string;

use crate::native::told::{EventsTold, log_line};

const DATA: &str = "data";
const TOTALS: &str = "totals";
const EXTREMES: &str = "extremes";

/// How packets look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Frames {
    /// Server-sent events, with bytes of the result in base64.
    Events,
    /// An object a line, with bytes of the result in base64.
    Base64,
    /// An object a line, with the result's text as a string.
    Text,
}

impl Frames {
    /// Error: UNKNOWN_FORMAT.
    fn by_name(name: &str) -> Result<Option<Frames>> {
        match name {
            "" | "None" => Ok(None),
            "EventStream" => Ok(Some(Frames::Events)),
            "JSONEachPacketBase64" => Ok(Some(Frames::Base64)),
            "JSONEachPacketString" => Ok(Some(Frames::Text)),
            other => {
                let known = "None, EventStream, JSONEachPacketBase64 and JSONEachPacketString";
                Err(Error::new(ErrorCode::UNKNOWN_FORMAT, format!("Unknown framing format {other}: there are {known}")))
            }
        }
    }

    fn content_type(self) -> &'static str {
        match self {
            Frames::Events => "text/event-stream; charset=UTF-8; payload=base64",
            Frames::Base64 | Frames::Text => "application/x-ndjson; charset=UTF-8",
        }
    }

    /// Bytes of the result as a packet has them.
    fn payload(self, bytes: &[u8]) -> Vec<u8> {
        let mut value = Vec::new();
        match self {
            Frames::Events => base64::engine::general_purpose::STANDARD.encode(bytes).into_bytes(),
            Frames::Base64 => {
                value.push(b'"');
                value.extend_from_slice(base64::engine::general_purpose::STANDARD.encode(bytes).as_bytes());
                value.push(b'"');
                value
            }
            Frames::Text => {
                write_json_string(bytes, false, false, &mut value);
                value
            }
        }
    }

    /// A packet whose `value` has no end of a line in it. `member`: where an object has it.
    fn packet(self, name: &str, member: &str, value: &[u8], out: &mut Vec<u8>) {
        let (before, after) = match self {
            Frames::Events => (format!("event: {name}\ndata: "), "\n\n"),
            Frames::Base64 | Frames::Text => (format!("{{\"packet\":\"{name}\",\"{member}\":"), "}\n"),
        };
        out.extend_from_slice(before.as_bytes());
        out.extend_from_slice(value);
        out.extend_from_slice(after.as_bytes());
    }
}

/// Makes packets of a query's answer.
pub struct Framer {
    frames: Frames,
    /// Of what is told beside the result.
    output: OutputContext,
    host: String,
    events: EventsTold,
    /// When the query was last told of, since its start.
    told: Duration,
    /// Packets that were not handed over yet.
    ready: Vec<u8>,
}

impl Framer {
    /// `None`: the answer has no frames. Error: UNKNOWN_FORMAT.
    pub fn of(settings: &Settings, output: &OutputContext, host: &str) -> Result<Option<Framer>> {
        let Some(frames) = Frames::by_name(&settings.framing_output_format)? else { return Ok(None) };
        let output = OutputContext { settings: Arc::default(), ..output.clone() };
        let (events, told, ready) = (EventsTold::default(), Duration::ZERO, Vec::new());
        Ok(Some(Framer { frames, output, host: host.to_string(), events, told, ready }))
    }

    pub fn content_type(&self) -> &'static str {
        self.frames.content_type()
    }

    /// Error: BAD_ARGUMENTS for a format whose bytes cannot be within frames.
    pub fn check(&self, format: Format) -> Result<()> {
        if format.name().ends_with("WithProgress") {
            let text = format!("Output format {format} is not compatible with framing: it tells progress among its rows");
            return Err(Error::new(ErrorCode::BAD_ARGUMENTS, text));
        }
        let is_raw = format.is_binary() || format.name().starts_with("TabSeparatedRaw") || format == Format::RawBlob;
        if self.frames == Frames::Text && is_raw {
            let text = format!(
                "Output format {format} is not compatible with framing JSONEachPacketString, as its bytes may be no text: \
                 use JSONEachPacketBase64"
            );
            return Err(Error::new(ErrorCode::BAD_ARGUMENTS, text));
        }
        Ok(())
    }

    /// Whether there is anything that `take` would give, beside bytes of the result.
    pub fn has_packets(&self) -> bool {
        !self.ready.is_empty()
    }

    /// Bytes of the result; none are left behind.
    fn payload(&mut self, name: &str, bytes: &mut Vec<u8>) {
        if bytes.is_empty() {
            return;
        }
        let value = self.frames.payload(bytes);
        self.frames.packet(name, DATA, &value, &mut self.ready);
        bytes.clear();
    }

    /// Bytes of the result, which wait as a packet.
    pub fn hold(&mut self, bytes: &mut Vec<u8>) {
        self.payload(DATA, bytes);
    }

    /// Bytes of the result, in the place of which come all packets that there are.
    pub fn take(&mut self, bytes: &mut Vec<u8>) {
        self.payload(DATA, bytes);
        std::mem::swap(bytes, &mut self.ready);
    }

    /// The end of the result: `bytes` were not framed yet, and are none behind it. Totals and extremes have packets of their
    /// own where the format writes them apart from its rows.
    pub fn finish(
        &mut self,
        format: Format,
        formatted: &mut (dyn OutputFormat + 'static),
        mut summary: ResultSummary,
        bytes: &mut Vec<u8>,
    ) -> Result<()> {
        let name = format.name();
        let by_lines = ["CSV", "TabSeparated", "LineAsString"].iter().any(|beginning| name.starts_with(beginning));
        // Rows of it are like any others: without frames it leaves both out.
        let leaves_out = name.starts_with("JSONCompact") && name.contains("EachRow");
        if !by_lines && !leaves_out {
            formatted.finish(&summary, bytes)?;
            self.payload(DATA, bytes);
            return Ok(());
        }
        let (totals, extremes) = (summary.totals.take(), summary.extremes.take());
        formatted.finish(&summary, bytes)?;
        self.payload(DATA, bytes);
        for (packet, rows) in [(TOTALS, totals), (EXTREMES, extremes)] {
            let Some(rows) = rows else { continue };
            if leaves_out {
                formatted.write(&rows, bytes)?;
            } else {
                let of_rows = match packet {
                    TOTALS => ResultSummary { totals: Some(rows), ..ResultSummary::default() },
                    _ => ResultSummary { extremes: Some(rows), ..ResultSummary::default() },
                };
                formatted.finish(&of_rows, bytes)?;
            }
            self.payload(packet, bytes);
        }
        Ok(())
    }

    /// How far the query is and what it counted, where that was not told a moment ago.
    pub fn tick(&mut self, context: &QueryContext) -> Result<()> {
        let elapsed = context.elapsed();
        if elapsed.saturating_sub(self.told) < Duration::from_micros(context.settings.interactive_delay) {
            return Ok(());
        }
        self.told = elapsed;
        self.progress(&progress(context, false));
        self.counted(context)
    }

    fn progress(&mut self, object: &str) {
        self.frames.packet("progress", "progress", object.as_bytes(), &mut self.ready);
    }

    fn counted(&mut self, context: &QueryContext) -> Result<()> {
        if !context.settings.send_profile_events {
            return Ok(());
        }
        let (columns, rows) = self.events.next(&self.host, context)?;
        let objects = self.objects(&columns, &rows)?;
        let array = [&b"["[..], &objects.join(&b',')[..], &b"]"[..]].concat();
        self.frames.packet("profile_events", "profile_events", &array, &mut self.ready);
        Ok(())
    }

    /// A line of the query's log.
    pub fn line(&mut self, query_id: &str, line: &QueryLine) -> Result<()> {
        let (columns, rows) = log_line(&self.host, query_id, line)?;
        for object in self.objects(&columns, &rows)? {
            self.frames.packet("log", "log", &object, &mut self.ready);
        }
        Ok(())
    }

    /// Rows as objects whose values are all strings.
    fn objects(&self, columns: &Columns, rows: &RecordBatch) -> Result<Vec<Vec<u8>>> {
        let mut out = Vec::new();
        writer(Format::JsonStringsEachRow, columns, self.output.clone())?.write(rows, &mut out)?;
        Ok(out.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).map(<[u8]>::to_vec).collect())
    }

    /// The last packets of a query that went well.
    pub fn ended(mut self, context: &QueryContext) -> Result<Vec<u8>> {
        self.counted(context)?;
        self.progress(&progress(context, true));
        Ok(self.ready)
    }

    /// The last packets of a query that failed.
    pub fn failed(mut self, error: &str) -> Vec<u8> {
        let mut text = Vec::new();
        write_json_string(error.as_bytes(), false, true, &mut text);
        let value = match self.frames {
            Frames::Events => [&b"{\"exception\":"[..], &text[..], &b"}"[..]].concat(),
            Frames::Base64 | Frames::Text => text,
        };
        self.frames.packet("exception", "exception", &value, &mut self.ready);
        self.ready
    }
}

/// An object of what is not zero. `ended`: with what is known at the end alone.
fn progress(context: &QueryContext, ended: bool) -> String {
    let now = context.progress.snapshot();
    let at_end = |number: u64| if ended { number } else { 0 };
    let numbers = [
        ("read_rows", now.read_rows),
        ("read_bytes", now.read_bytes),
        ("total_rows_to_read", now.total_rows_to_read),
        ("result_rows", at_end(now.result_rows)),
        ("result_bytes", at_end(now.result_bytes)),
        ("elapsed_ns", context.elapsed().as_nanos() as u64),
        ("memory_usage", at_end(context.memory.peak_bytes())),
    ];
    let members: Vec<String> =
        numbers.iter().filter(|(_, number)| *number > 0).map(|(name, number)| format!("\"{name}\":\"{number}\"")).collect();
    format!("{{{}}}", members.join(","))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn framer(name: &str) -> Result<Option<Framer>> {
        let mut settings = Settings::default();
        settings.set("framing_output_format", name)?;
        let timezone = gristmill_engine::engine::timezone(&settings)?;
        let output = OutputContext { settings: Arc::default(), timezone, terminal: false, width: None };
        Framer::of(&settings, &output, "h")
    }

    #[test]
    fn bytes_are_within_packets() {
        assert!(framer("None").expect("known").is_none());
        assert_eq!(framer("Frames").err().map(|error| error.code()), Some(ErrorCode::UNKNOWN_FORMAT));
        let made = |name: &str| {
            let mut framer = framer(name).expect("known").expect("frames");
            let mut bytes = b"a\n\"b\"\n".to_vec();
            framer.take(&mut bytes);
            bytes.extend(framer.failed("Code: 1. \"x\""));
            String::from_utf8(bytes).expect("text")
        };
        let error = "\"Code: 1. \\\"x\\\"\"";
        assert_eq!(
            made("EventStream"),
            format!("event: data\ndata: YQoiYiIK\n\nevent: exception\ndata: {{\"exception\":{error}}}\n\n")
        );
        assert_eq!(
            made("JSONEachPacketBase64"),
            format!("{{\"packet\":\"data\",\"data\":\"YQoiYiIK\"}}\n{{\"packet\":\"exception\",\"exception\":{error}}}\n")
        );
        assert_eq!(
            made("JSONEachPacketString"),
            format!(
                "{{\"packet\":\"data\",\"data\":\"a\\n\\\"b\\\"\\n\"}}\n{{\"packet\":\"exception\",\"exception\":{error}}}\n"
            )
        );
    }

    #[test]
    fn not_every_format_can_be_within_frames() {
        let text = framer("JSONEachPacketString").expect("known").expect("frames");
        let bytes = framer("EventStream").expect("known").expect("frames");
        assert!(text.check(Format::Native).is_err() && bytes.check(Format::Native).is_ok());
        assert!(text.check(Format::Csv).is_ok());
        assert!(bytes.check(Format::JsonEachRowWithProgress).is_err());
    }
}
