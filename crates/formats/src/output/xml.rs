//! XML: one document with the columns' names and types, rows, totals, extremes, counts and statistics.
//!
//! An element is named as its column where that is a name for XML, else `field`. Arrays, tuples and maps are elements within
//! (`XmlValue`, which CustomSeparated with the escaping rule XML writes too).

use arrow::array::{Array, AsArray, RecordBatch};
use arrow::buffer::{NullBuffer, OffsetBuffer};
use gristmill_base::Result;
use gristmill_types::text::{Escaping, TextOptions, ValueWriter, valid_utf8};
use gristmill_types::{Columns, SqlType};

use super::custom::without_words;
use super::{OutputContext, OutputFormat, ResultSummary, text_options};

/// A column, resolved for writing as elements.
pub(super) struct XmlValue {
    nulls: Option<NullBuffer>,
    node: Node,
}

enum Node {
    Leaf(Box<ValueWriter>),
    List(OffsetBuffer<i32>, Box<XmlValue>),
    Tuple(Vec<XmlValue>),
    Map(OffsetBuffer<i32>, Box<XmlValue>, Box<XmlValue>),
}

impl XmlValue {
    /// `options` are those of Plain.
    pub fn new(array: &dyn Array, kind: &SqlType, options: &TextOptions) -> Result<XmlValue> {
        let node = match kind.plain() {
            SqlType::Array(element) => {
                let list = array.as_list::<i32>();
                Node::List(list.offsets().clone(), Box::new(XmlValue::new(list.values(), element, options)?))
            }
            SqlType::Tuple(fields) => {
                let children = array.as_struct().columns().iter().zip(fields);
                Node::Tuple(children.map(|(child, (_, kind))| XmlValue::new(child, kind, options)).collect::<Result<_>>()?)
            }
            SqlType::Map(key, value) => {
                let map = array.as_map();
                Node::Map(
                    map.offsets().clone(),
                    Box::new(XmlValue::new(map.keys(), key, options)?),
                    Box::new(XmlValue::new(map.values(), value, options)?),
                )
            }
            _ => Node::Leaf(Box::new(ValueWriter::new(array, kind, options)?)),
        };
        Ok(XmlValue { nulls: array.nulls().cloned(), node })
    }

    /// Appends the value; `scratch` is for the text of a leaf.
    pub fn write(&self, row: usize, scratch: &mut Vec<u8>, out: &mut Vec<u8>) {
        if let Node::Leaf(writer) = &self.node {
            scratch.clear();
            writer.write(row, scratch);
            return write_xml_text(scratch, out);
        }
        if self.nulls.as_ref().is_some_and(|nulls| nulls.is_null(row)) {
            return out.extend_from_slice(b"\\N");
        }
        let range = |offsets: &OffsetBuffer<i32>| offsets[row] as usize..offsets[row + 1] as usize;
        match &self.node {
            Node::Leaf(_) => {}
            Node::List(offsets, element) => {
                out.extend_from_slice(b"<array>");
                for i in range(offsets) {
                    element.write_in("elem", i, scratch, out);
                }
                out.extend_from_slice(b"</array>");
            }
            Node::Tuple(fields) => {
                out.extend_from_slice(b"<tuple>");
                for field in fields {
                    field.write_in("elem", row, scratch, out);
                }
                out.extend_from_slice(b"</tuple>");
            }
            Node::Map(offsets, keys, values) => {
                out.extend_from_slice(b"<map>");
                for i in range(offsets) {
                    out.extend_from_slice(b"<elem>");
                    keys.write_in("key", i, scratch, out);
                    values.write_in("value", i, scratch, out);
                    out.extend_from_slice(b"</elem>");
                }
                out.extend_from_slice(b"</map>");
            }
        }
    }

    fn write_in(&self, tag: &str, row: usize, scratch: &mut Vec<u8>, out: &mut Vec<u8>) {
        open(tag, out);
        self.write(row, scratch, out);
        close(tag, out);
    }
}

fn open(tag: &str, out: &mut Vec<u8>) {
    out.push(b'<');
    out.extend_from_slice(tag.as_bytes());
    out.push(b'>');
}

fn close(tag: &str, out: &mut Vec<u8>) {
    out.extend_from_slice(b"</");
    out.extend_from_slice(tag.as_bytes());
    out.push(b'>');
}

/// As text between tags. What is not UTF-8 becomes U+FFFD: no XML could hold it.
pub(super) fn write_xml_text(text: &[u8], out: &mut Vec<u8>) {
    let text = valid_utf8(text);
    let mut rest = &text[..];
    while let Some(at) = memchr::memchr2(b'<', b'&', rest) {
        out.extend_from_slice(&rest[..at]);
        out.extend_from_slice(if rest[at] == b'<' { b"&lt;" } else { b"&amp;" });
        rest = &rest[at + 1..];
    }
    out.extend_from_slice(rest);
}

/// The element of a column.
fn tag_of(name: &str) -> &str {
    let fits = name
        .bytes()
        .enumerate()
        .all(|(at, c)| c.is_ascii_alphabetic() || matches!(c, b'_' | b'-' | b'.') || (at > 0 && c.is_ascii_digit()));
    if fits { name } else { "field" }
}

pub struct Xml {
    columns: Columns,
    tags: Vec<String>,
    statistics: bool,
    options: TextOptions,
    scratch: Vec<u8>,
}

impl Xml {
    pub fn new(columns: Columns, context: &OutputContext) -> Self {
        let options = without_words(&text_options(context, Escaping::Plain));
        Xml {
            tags: columns.iter().map(|column| tag_of(&column.name).to_string()).collect(),
            columns,
            statistics: context.settings.output_format_write_statistics,
            options,
            scratch: Vec::new(),
        }
    }

    fn values(&self, batch: &RecordBatch) -> Result<Vec<XmlValue>> {
        let columns = batch.columns().iter().zip(&self.columns);
        columns.map(|(array, column)| XmlValue::new(array, &column.kind, &self.options)).collect()
    }

    /// The fields of a row, a line each, so many tabs deep.
    fn fields(&mut self, values: &[XmlValue], row: usize, tabs: usize, out: &mut Vec<u8>) {
        for (value, tag) in values.iter().zip(&self.tags) {
            out.resize(out.len() + tabs, b'\t');
            value.write_in(tag, row, &mut self.scratch, out);
            out.push(b'\n');
        }
    }

    /// An element of the document's with a number, or a text, in it.
    fn line(tabs: usize, tag: &str, text: &str, out: &mut Vec<u8>) {
        out.resize(out.len() + tabs, b'\t');
        open(tag, out);
        write_xml_text(text.as_bytes(), out);
        close(tag, out);
        out.push(b'\n');
    }

    fn counts(&self, summary: &ResultSummary, out: &mut Vec<u8>) {
        Self::line(1, "rows", &summary.rows.to_string(), out);
        if let Some(rows) = summary.rows_before_limit {
            Self::line(1, "rows_before_limit_at_least", &rows.to_string(), out);
        }
    }
}

impl OutputFormat for Xml {
    fn start(&mut self, out: &mut Vec<u8>) -> Result<()> {
        out.extend_from_slice(b"<?xml version='1.0' encoding='UTF-8' ?>\n<result>\n\t<meta>\n\t\t<columns>\n");
        for column in &self.columns {
            out.extend_from_slice(b"\t\t\t<column>\n");
            Self::line(4, "name", &column.name, out);
            Self::line(4, "type", &column.kind.to_string(), out);
            out.extend_from_slice(b"\t\t\t</column>\n");
        }
        out.extend_from_slice(b"\t\t</columns>\n\t</meta>\n\t<data>\n");
        Ok(())
    }

    fn write(&mut self, batch: &RecordBatch, out: &mut Vec<u8>) -> Result<()> {
        let values = self.values(batch)?;
        for row in 0..batch.num_rows() {
            out.extend_from_slice(b"\t\t<row>\n");
            self.fields(&values, row, 3, out);
            out.extend_from_slice(b"\t\t</row>\n");
        }
        Ok(())
    }

    fn finish(&mut self, summary: &ResultSummary, out: &mut Vec<u8>) -> Result<()> {
        out.extend_from_slice(b"\t</data>\n");
        if let Some(totals) = summary.totals.as_ref().filter(|batch| batch.num_rows() > 0) {
            let values = self.values(totals)?;
            out.extend_from_slice(b"\t<totals>\n");
            self.fields(&values, 0, 2, out);
            out.extend_from_slice(b"\t</totals>\n");
        }
        if let Some(extremes) = summary.extremes.as_ref().filter(|batch| batch.num_rows() > 1) {
            let values = self.values(extremes)?;
            out.extend_from_slice(b"\t<extremes>\n\t\t<min>\n");
            self.fields(&values, 0, 3, out);
            out.extend_from_slice(b"\t\t</min>\n\t\t<max>\n");
            self.fields(&values, 1, 3, out);
            out.extend_from_slice(b"\t\t</max>\n\t</extremes>\n");
        }
        self.counts(summary, out);
        if self.statistics {
            out.extend_from_slice(b"\t<statistics>\n");
            Self::line(2, "elapsed", &summary.elapsed_seconds.to_string(), out);
            Self::line(2, "rows_read", &summary.read_rows.to_string(), out);
            Self::line(2, "bytes_read", &summary.read_bytes.to_string(), out);
            out.extend_from_slice(b"\t</statistics>\n");
        }
        out.extend_from_slice(b"</result>\n");
        Ok(())
    }

    fn fail(&mut self, summary: &ResultSummary, error: &str, out: &mut Vec<u8>) -> Result<bool> {
        out.extend_from_slice(b"\t</data>\n");
        self.counts(summary, out);
        Self::line(1, "exception", error, out);
        out.extend_from_slice(b"</result>\n");
        Ok(true)
    }
}
