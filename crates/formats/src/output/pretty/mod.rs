//! The Pretty formats: a table for people, of which at most `output_format_pretty_max_rows` rows are shown: the first
//! half and, after a dashed line, the last.
//!
//! All variants hold what they show and draw it once, at the end: widths fit every row, and a result of any length needs
//! the memory of what is shown (the tail is a queue of slices). So the MonoBlock variants are the same as the others.

pub mod layout;
mod tuples;

use std::collections::VecDeque;

use arrow::array::RecordBatch;
use gristmill_base::{Result, units};
use gristmill_types::text::{Escaping, TextOptions};
use gristmill_types::{Columns, SqlType};

use super::vertical;
use super::{NULL_FOR_PEOPLE, OutputContext, OutputFormat, ResultSummary, text_options};
use crate::Format;
use layout::{Cell, ColumnCells, Shown, Style, Table, draw, drawn};
use tuples::PrettyValue;

/// How tables look under the settings.
#[derive(Clone)]
pub struct Look {
    pub colour: bool,
    pub ascii: bool,
    pub row_numbers: bool,
    pub max_value_width: usize,
    /// That width holds for a result of a single value too.
    pub cut_single: bool,
    pub max_pad_width: usize,
    pub name_cut_to: usize,
    pub name_min_cut: usize,
    pub multiline: bool,
    pub tuples_as_json: bool,
    pub digit_groups: bool,
    pub trailing_spaces: bool,
    /// Rows from which on the names stand below too.
    pub footer_min_rows: Option<usize>,
    /// 0: no tips.
    pub tip_threshold: u64,
}

impl Look {
    pub fn of(context: &OutputContext, no_escapes: bool) -> Look {
        let settings = &context.settings;
        let colour = match settings.output_format_pretty_color.as_str() {
            "1" | "true" => true,
            "0" | "false" => false,
            _ => context.terminal,
        };
        let footer = settings.output_format_pretty_display_footer_column_names;
        Look {
            colour: colour && !no_escapes,
            ascii: settings.output_format_pretty_grid_charset.eq_ignore_ascii_case("ascii"),
            row_numbers: settings.output_format_pretty_row_numbers,
            max_value_width: settings.output_format_pretty_max_value_width as usize,
            cut_single: settings.output_format_pretty_max_value_width_apply_for_single_value != 0,
            max_pad_width: settings.output_format_pretty_max_column_pad_width as usize,
            name_cut_to: settings.output_format_pretty_max_column_name_width_cut_to as usize,
            name_min_cut: settings.output_format_pretty_max_column_name_width_min_chars_to_cut as usize,
            multiline: settings.output_format_pretty_multiline_fields,
            tuples_as_json: settings.output_format_pretty_named_tuples_as_json,
            digit_groups: settings.output_format_pretty_highlight_digit_groups,
            trailing_spaces: settings.output_format_pretty_highlight_trailing_spaces,
            footer_min_rows: footer.then_some(settings.output_format_pretty_display_footer_column_names_min_rows as usize),
            tip_threshold: settings.output_format_pretty_single_large_number_tip_threshold,
        }
    }

    /// What NULL is shown as.
    pub fn null(&self) -> &'static str {
        if self.ascii { "NULL" } else { NULL_FOR_PEOPLE }
    }
}

/// Whether values of that type stand to the right: numbers, and dates and times.
pub fn stands_right(kind: &SqlType) -> bool {
    let plain = kind.plain();
    (kind.is_number() && *plain != SqlType::Bool)
        || kind.is_date_or_time()
        || matches!(plain, SqlType::Interval(_) | SqlType::Time | SqlType::Time64(_))
}

/// `1.23 million` for a large number. Of the size of 64-bit hashes it is more likely one of them than a quantity.
pub fn tip(kind: &SqlType, value: &[u8], look: &Look) -> Option<String> {
    if look.tip_threshold == 0 || !kind.is_number() || *kind.plain() == SqlType::Bool {
        return None;
    }
    let value: f64 = std::str::from_utf8(value).ok()?.parse().ok()?;
    let large = value.is_finite() && value.abs() > look.tip_threshold as f64;
    let may_be_hash = value.abs() > 1e17 && value.abs() <= u64::MAX as f64;
    (large && !may_be_hash).then(|| {
        let words = units::rows(value);
        // Quantities have two decimals even where they are whole.
        if words.contains('.') { words } else { format!("{value:.2}") }
    })
}

pub struct Pretty {
    columns: Columns,
    style: Style,
    options: TextOptions,
    look: Look,
    /// Rows shown at the start and at the end.
    head_max: usize,
    tail_max: usize,
    /// Rows, columns and characters where a table is shown as Vertical instead.
    vertical: Option<(usize, usize, usize)>,
    head: Vec<RecordBatch>,
    head_rows: usize,
    tail: VecDeque<RecordBatch>,
    tail_rows: usize,
    total: usize,
}

impl Pretty {
    pub fn new(format: Format, columns: Columns, context: &OutputContext) -> Self {
        use Format as F;
        let settings = &context.settings;
        let no_escapes = matches!(
            format,
            F::PrettyNoEscapes
                | F::PrettyNoEscapesMonoBlock
                | F::PrettyCompactNoEscapes
                | F::PrettyCompactNoEscapesMonoBlock
                | F::PrettySpaceNoEscapes
                | F::PrettySpaceNoEscapesMonoBlock
        );
        let style = match format {
            F::Pretty | F::PrettyNoEscapes | F::PrettyMonoBlock | F::PrettyNoEscapesMonoBlock => Style::Full,
            F::PrettySpace | F::PrettySpaceNoEscapes | F::PrettySpaceMonoBlock | F::PrettySpaceNoEscapesMonoBlock => {
                Style::Space
            }
            _ => Style::Compact,
        };
        let look = Look::of(context, no_escapes);
        let mut options = text_options(context, Escaping::Plain);
        options.tsv_null = look.null().into();
        let rows_max = settings.output_format_pretty_max_rows as usize;
        // A table that the terminal holds is never turned.
        let width = settings.output_format_pretty_fallback_to_vertical_min_table_width as usize;
        let width = width.max(context.width.map_or(0, usize::from));
        Pretty {
            columns,
            style,
            options,
            look,
            head_max: rows_max.div_ceil(2),
            tail_max: rows_max / 2,
            vertical: settings.output_format_pretty_fallback_to_vertical.then_some((
                settings.output_format_pretty_fallback_to_vertical_max_rows_per_chunk as usize,
                settings.output_format_pretty_fallback_to_vertical_min_columns as usize,
                width,
            )),
            head: Vec::new(),
            head_rows: 0,
            tail: VecDeque::new(),
            tail_rows: 0,
            total: 0,
        }
    }

    /// The cells of all columns over the rows of those batches.
    fn cells(&self, batches: &[RecordBatch]) -> Result<Vec<ColumnCells>> {
        let rows: usize = batches.iter().map(RecordBatch::num_rows).sum();
        let mut columns: Vec<ColumnCells> = self
            .columns
            .iter()
            .map(|column| ColumnCells {
                name: column.name.clone(),
                right: stands_right(&column.kind),
                number: column.kind.is_number(),
                cells: Vec::with_capacity(rows),
            })
            .collect();
        for batch in batches {
            for ((array, column), cells) in batch.columns().iter().zip(&self.columns).zip(&mut columns) {
                let writer = PrettyValue::new(array, &column.kind, &self.options, self.look.tuples_as_json)?;
                for row in 0..batch.num_rows() {
                    let mut text = Vec::new();
                    writer.write(row, &mut text);
                    let tip = tip(&column.kind, &text, &self.look);
                    cells.cells.push(Cell { text, tip });
                }
            }
        }
        Ok(columns)
    }

    /// Gives whether the rows are shown as Vertical shows them.
    fn table(&self, batches: &[RecordBatch], shown: Shown, out: &mut Vec<u8>) -> Result<bool> {
        let cells = self.cells(batches)?;
        let rows = shown.head + shown.tail;
        if let Some((rows_max, columns_min, width_min)) = self.vertical
            && rows <= rows_max
            && cells.len() >= columns_min
        {
            let drawn = drawn(&cells, self.style, shown, &self.look);
            if drawn.has_lines() || drawn.width() >= width_min {
                self.turned(&cells, &drawn, shown, out);
                return Ok(true);
            }
        }
        draw(&cells, self.style, shown, &self.look, out);
        Ok(false)
    }

    /// The same cells as Vertical shows them.
    fn turned(&self, cells: &[ColumnCells], drawn: &Table<'_>, shown: Shown, out: &mut Vec<u8>) {
        let labels = vertical::labels(drawn.names(), self.look.colour);
        for row in 0..shown.head + shown.tail {
            if row > 0 {
                out.push(b'\n');
            }
            let number = if row < shown.head { row + 1 } else { shown.total - shown.tail + (row - shown.head) + 1 };
            vertical::row_heading(number as u64, out);
            for (label, column) in labels.iter().zip(cells) {
                let cell = &column.cells[row];
                vertical::line(label, &cell.text, column.number, cell.tip.as_deref(), &self.look, out);
            }
        }
    }

    fn extra(&self, title: &str, batch: &RecordBatch, out: &mut Vec<u8>) -> Result<()> {
        out.extend_from_slice(format!("\n{title}:\n").as_bytes());
        let rows = batch.num_rows();
        self.table(std::slice::from_ref(batch), Shown { head: rows, tail: 0, total: rows }, out)?;
        Ok(())
    }
}

impl OutputFormat for Pretty {
    fn start(&mut self, _out: &mut Vec<u8>) -> Result<()> {
        Ok(())
    }

    fn write(&mut self, batch: &RecordBatch, _out: &mut Vec<u8>) -> Result<()> {
        self.total += batch.num_rows();
        let to_head = batch.num_rows().min(self.head_max - self.head_rows);
        if to_head > 0 {
            self.head.push(batch.slice(0, to_head));
            self.head_rows += to_head;
        }
        let rest = batch.num_rows() - to_head;
        if rest > 0 && self.tail_max > 0 {
            self.tail.push_back(batch.slice(to_head, rest));
            self.tail_rows += rest;
            while let Some(first) = self.tail.front()
                && self.tail_rows - first.num_rows() >= self.tail_max
            {
                self.tail_rows -= first.num_rows();
                self.tail.pop_front();
            }
        }
        Ok(())
    }

    fn finish(&mut self, summary: &ResultSummary, out: &mut Vec<u8>) -> Result<()> {
        let mut batches = std::mem::take(&mut self.head);
        // The oldest batch of the tail may hold rows that are not shown.
        let excess = self.tail_rows.saturating_sub(self.tail_max);
        for (i, batch) in std::mem::take(&mut self.tail).into_iter().enumerate() {
            batches.push(if i == 0 { batch.slice(excess, batch.num_rows() - excess) } else { batch });
        }
        let tail = self.tail_rows.min(self.tail_max);
        let cut = self.total > self.head_rows + tail;
        // Without a gap the tail is only the rest of the head.
        let shown = if cut {
            Shown { head: self.head_rows, tail, total: self.total }
        } else {
            Shown { head: self.head_rows + tail, tail: 0, total: self.total }
        };
        let is_turned = shown.head + shown.tail > 0 && self.table(&batches, shown, out)?;
        if let Some(totals) = summary.totals.as_ref().filter(|batch| batch.num_rows() > 0) {
            self.extra("Totals", totals, out)?;
        }
        if let Some(extremes) = summary.extremes.as_ref().filter(|batch| batch.num_rows() > 0) {
            self.extra("Extremes", extremes, out)?;
        }
        // ClickHouse does not tell of rows that are left out of what it shows as Vertical.
        if cut && !is_turned {
            if self.style == Style::Space {
                out.push(b'\n');
            }
            out.extend_from_slice(format!("Showed {} out of {} rows.\n", shown.head + shown.tail, self.total).as_bytes());
        }
        Ok(())
    }
}
