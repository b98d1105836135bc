//! Values (`(1,'a'),(2,'b')`) and SQLInsert (whole INSERT statements of bounded length).

use arrow::array::RecordBatch;
use gristmill_base::Result;
use gristmill_types::Columns;
use gristmill_types::text::{Escaping, TextOptions, ValueWriter};

use super::{OutputContext, OutputFormat, ResultSummary, text_options, value_writers};

fn tuple(writers: &[ValueWriter], row: usize, separator: &[u8], out: &mut Vec<u8>) {
    out.push(b'(');
    for (i, writer) in writers.iter().enumerate() {
        if i > 0 {
            out.extend_from_slice(separator);
        }
        writer.write(row, out);
    }
    out.push(b')');
}

pub struct Values {
    columns: Columns,
    options: TextOptions,
    first: bool,
}

impl Values {
    pub fn new(columns: Columns, context: &OutputContext) -> Self {
        Values { columns, options: text_options(context, Escaping::Quoted), first: true }
    }
}

impl OutputFormat for Values {
    fn start(&mut self, _out: &mut Vec<u8>) -> Result<()> {
        Ok(())
    }

    fn write(&mut self, batch: &RecordBatch, out: &mut Vec<u8>) -> Result<()> {
        let writers = value_writers(batch, &self.columns, &self.options)?;
        for row in 0..batch.num_rows() {
            if !self.first {
                out.push(b',');
            }
            self.first = false;
            tuple(&writers, row, b",", out);
        }
        Ok(())
    }

    fn finish(&mut self, _summary: &ResultSummary, _out: &mut Vec<u8>) -> Result<()> {
        Ok(())
    }
}

pub struct SqlInsert {
    columns: Columns,
    options: TextOptions,
    /// `INSERT INTO table (…) VALUES `, as the settings have it.
    head: String,
    rows_max: u64,
    /// Rows of the statement that is open.
    rows: u64,
}

impl SqlInsert {
    pub fn new(columns: Columns, context: &OutputContext) -> Self {
        let settings = &context.settings;
        let quoted = |name: &str| format!("`{}`", name.replace('\\', "\\\\").replace('`', "\\`"));
        let names: Vec<String> = columns
            .iter()
            .map(|column| match settings.output_format_sql_insert_quote_names {
                true => quoted(&column.name),
                false => column.name.clone(),
            })
            .collect();
        let names = match settings.output_format_sql_insert_include_column_names {
            true => format!(" ({})", names.join(", ")),
            false => String::new(),
        };
        let verb = if settings.output_format_sql_insert_use_replace { "REPLACE" } else { "INSERT" };
        let table = &settings.output_format_sql_insert_table_name;
        SqlInsert {
            head: format!("{verb} INTO {table}{names} VALUES "),
            rows_max: settings.output_format_sql_insert_max_batch_size.max(1),
            columns,
            options: text_options(context, Escaping::Quoted),
            rows: 0,
        }
    }
}

impl OutputFormat for SqlInsert {
    fn start(&mut self, _out: &mut Vec<u8>) -> Result<()> {
        Ok(())
    }

    fn write(&mut self, batch: &RecordBatch, out: &mut Vec<u8>) -> Result<()> {
        let writers = value_writers(batch, &self.columns, &self.options)?;
        for row in 0..batch.num_rows() {
            if self.rows == self.rows_max {
                out.extend_from_slice(b";\n");
                self.rows = 0;
            }
            out.extend_from_slice(if self.rows == 0 { self.head.as_bytes() } else { b", " });
            self.rows += 1;
            tuple(&writers, row, b", ", out);
        }
        Ok(())
    }

    fn finish(&mut self, _summary: &ResultSummary, out: &mut Vec<u8>) -> Result<()> {
        out.extend_from_slice(b";\n");
        Ok(())
    }
}
