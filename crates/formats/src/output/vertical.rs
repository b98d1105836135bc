//! Vertical: a block of `name: value` lines a row, for a few wide rows.

use std::borrow::Cow;

use arrow::array::RecordBatch;
use gristmill_base::Result;
use gristmill_types::Columns;
use gristmill_types::text::{Escaping, TextOptions};
use unicode_width::UnicodeWidthStr;

use super::pretty::{Look, layout, tip};
use super::{OutputContext, OutputFormat, ResultSummary, text_options, value_writers};

pub struct Vertical {
    columns: Columns,
    /// `name: ` by column, padded to the widest.
    labels: Vec<Vec<u8>>,
    options: TextOptions,
    look: Look,
    rows_max: u64,
    rows: u64,
    value: Vec<u8>,
}

impl Vertical {
    pub fn new(columns: Columns, context: &OutputContext) -> Self {
        let mut options = text_options(context, Escaping::Plain);
        let look = Look::of(context, false);
        options.tsv_null = look.null().into();
        let names: Vec<Cow<'_, str>> = columns.iter().map(|column| layout::short_name(&column.name, 0, &look)).collect();
        Vertical {
            labels: labels(names.iter().map(AsRef::as_ref), look.colour),
            rows_max: context.settings.output_format_pretty_max_rows,
            columns,
            options,
            look,
            rows: 0,
            value: Vec::new(),
        }
    }

    fn block(&mut self, batch: &RecordBatch, row: usize, title: &str, out: &mut Vec<u8>) -> Result<()> {
        let writers = value_writers(batch, &self.columns, &self.options)?;
        heading(title, title.width(), out);
        for ((column, label), writer) in self.columns.iter().zip(&self.labels).zip(&writers) {
            self.value.clear();
            writer.write(row, &mut self.value);
            let tip = if writer.is_null(row) { None } else { tip(&column.kind, &self.value, &self.look) };
            line(label, &self.value, column.kind.is_number(), tip.as_deref(), &self.look, out);
        }
        Ok(())
    }
}

/// A title and a line under it.
fn heading(title: &str, line: usize, out: &mut Vec<u8>) {
    out.extend_from_slice(title.as_bytes());
    out.push(b'\n');
    out.extend_from_slice("─".repeat(line).as_bytes());
    out.push(b'\n');
}

/// `Row 1:`, by a number from 1. The line under it is as long as that of the next row, as in ClickHouse.
pub(super) fn row_heading(number: u64, out: &mut Vec<u8>) {
    heading(&format!("Row {number}:"), format!("Row {}:", number + 1).len(), out);
}

/// Names with a colon, padded so that the values stand under each other.
pub(super) fn labels<'a>(names: impl Iterator<Item = &'a str> + Clone, colour: bool) -> Vec<Vec<u8>> {
    let widest = names.clone().map(|name| name.width()).max().unwrap_or(0);
    names
        .map(|name| {
            let padding = " ".repeat(widest - name.width() + 1);
            if colour { format!("\x1b[1m{name}:\x1b[0m{padding}") } else { format!("{name}:{padding}") }.into_bytes()
        })
        .collect()
}

pub(super) fn line(label: &[u8], value: &[u8], number: bool, tip: Option<&str>, look: &Look, out: &mut Vec<u8>) {
    out.extend_from_slice(label);
    if number && look.colour && look.digit_groups {
        layout::grouped_digits(value, out);
    } else if look.colour && look.trailing_spaces {
        layout::marked_end(value, out);
    } else {
        out.extend_from_slice(value);
    }
    if let Some(tip) = tip {
        let (on, off) = if look.colour { ("\x1b[90m", "\x1b[0m") } else { ("", "") };
        out.extend_from_slice(format!("{on} -- {tip}{off}").as_bytes());
    }
    out.push(b'\n');
}

impl OutputFormat for Vertical {
    fn start(&mut self, _out: &mut Vec<u8>) -> Result<()> {
        Ok(())
    }

    fn write(&mut self, batch: &RecordBatch, out: &mut Vec<u8>) -> Result<()> {
        let shown = (batch.num_rows() as u64).min(self.rows_max.saturating_sub(self.rows)) as usize;
        if shown > 0 {
            let writers = value_writers(batch, &self.columns, &self.options)?;
            for row in 0..shown {
                if self.rows > 0 || row > 0 {
                    out.push(b'\n');
                }
                row_heading(self.rows + row as u64 + 1, out);
                for ((column, label), writer) in self.columns.iter().zip(&self.labels).zip(&writers) {
                    self.value.clear();
                    writer.write(row, &mut self.value);
                    let tip = if writer.is_null(row) { None } else { tip(&column.kind, &self.value, &self.look) };
                    line(label, &self.value, column.kind.is_number(), tip.as_deref(), &self.look, out);
                }
            }
        }
        self.rows += batch.num_rows() as u64;
        Ok(())
    }

    fn finish(&mut self, summary: &ResultSummary, out: &mut Vec<u8>) -> Result<()> {
        if let Some(totals) = summary.totals.as_ref().filter(|batch| batch.num_rows() > 0) {
            out.extend_from_slice(b"\n\n");
            self.block(totals, 0, "Totals:", out)?;
        }
        if let Some(extremes) = summary.extremes.as_ref().filter(|batch| batch.num_rows() > 1) {
            for (row, title) in [(0, "Min:"), (1, "Max:")] {
                out.extend_from_slice(if row == 0 { b"\n\n" } else { b"\n" });
                self.block(extremes, row, title, out)?;
            }
        }
        if self.rows > self.rows_max {
            if self.rows_max > 0 {
                out.push(b'\n');
            }
            out.extend_from_slice(format!("Showed first {}.\n", self.rows_max).as_bytes());
        }
        Ok(())
    }
}
