//! What stands above the rows of formats whose rows are lists of fields (CSV, TSV, CustomSeparated): lines to leave out, names and
//! types. Where the format does not say whether they are there, the first rows tell.

use gristmill_base::Result;
use gristmill_introspect::Settings;

use super::Rows;
use super::chunked::{RowReader, Step};
use super::fields::{BOM, Mapping, check_types, looks_like_names, looks_like_types};
use crate::Header;

/// How far it was read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Stage {
    /// Lines to leave out.
    Lines(u64),
    Names,
    Types,
    /// The first row, which may turn out to be a header.
    Detect,
    /// The second row, which may hold types.
    DetectTypes,
    Rows,
}

pub(crate) struct Heading {
    stage: Stage,
    /// What follows the lines that are left out.
    after_lines: Stage,
    with_types: bool,
    use_names: bool,
    use_types: bool,
    /// Whether the place of a byte order mark was passed.
    began: bool,
    /// As the names say, or by place.
    pub mapping: Mapping,
}

impl Heading {
    /// `detects`: the first row may be a header where `header` is none; `lines`: are left out above all.
    pub fn new(header: Header, detects: bool, lines: u64, settings: &Settings, rows: &Rows) -> Heading {
        let after_lines = match header {
            Header::None if detects => Stage::Detect,
            Header::None => Stage::Rows,
            _ => Stage::Names,
        };
        Heading {
            stage: if lines == 0 { after_lines } else { Stage::Lines(lines) },
            after_lines,
            with_types: header == Header::NamesAndTypes,
            use_names: settings.input_format_with_names_use_header,
            use_types: settings.input_format_with_types_use_header,
            began: false,
            mapping: Mapping::positional(rows),
        }
    }

    /// What is read next is a row.
    pub fn is_over(&self) -> bool {
        self.stage == Stage::Rows
    }

    /// What is read next is a line to leave out, whatever it holds.
    pub fn is_at_lines(&self) -> bool {
        matches!(self.stage, Stage::Lines(_))
    }

    pub fn is_at_names(&self) -> bool {
        self.stage == Stage::Names
    }

    /// Whether what is read next is part of the header is told by what it holds.
    pub fn is_guessed(&self) -> bool {
        matches!(self.stage, Stage::Detect | Stage::DetectTypes)
    }

    pub fn end(&mut self) {
        (self.stage, self.began) = (Stage::Rows, true);
    }

    /// The step over a byte order mark, where the data begins with one or may.
    pub fn byte_order_mark(&mut self, input: &[u8], last: bool) -> Option<Step> {
        if self.began {
            return None;
        }
        if input.len() < BOM.len() && !last && BOM.starts_with(input) {
            return Some(Step::More);
        }
        self.began = true;
        input.starts_with(BOM).then_some(Step::Skip(BOM.len()))
    }

    /// Goes on behind a line to leave out.
    pub fn line_left_out(&mut self) {
        self.stage = match self.stage {
            Stage::Lines(left) if left > 1 => Stage::Lines(left - 1),
            _ => self.after_lines,
        };
    }

    /// Takes the fields that are read next. Gives whether they are part of the header: else they are the first row. Errors: a
    /// header that does not fit the columns.
    pub fn takes(&mut self, fields: &[Vec<u8>], rows: &Rows) -> Result<bool> {
        self.stage = match self.stage {
            Stage::Names => {
                if self.use_names {
                    self.mapping = Mapping::named(fields, rows)?;
                }
                if self.with_types { Stage::Types } else { Stage::Rows }
            }
            Stage::Types => {
                if self.use_types {
                    check_types(fields, &self.mapping, rows)?;
                }
                Stage::Rows
            }
            Stage::Detect if looks_like_names(fields, rows) => {
                self.mapping = Mapping::named(fields, rows)?;
                Stage::DetectTypes
            }
            Stage::DetectTypes if looks_like_types(fields, &self.mapping, rows) => Stage::Rows,
            _ => {
                self.stage = Stage::Rows;
                return Ok(false);
            }
        };
        Ok(true)
    }
}

/// Reads a heading and the rows below it, of which others may read a part.
pub(crate) trait Headed: RowReader + Sized {
    fn heading(&mut self) -> &mut Heading;

    /// Reads the header of the object that the data is a part of; what comes next are rows.
    fn read_header(&mut self, header: &[u8], rows: &mut Rows) -> Result<()> {
        let mut at = 0;
        while at < header.len() && !self.heading().is_over() {
            match self.step(&header[at..], true, rows)? {
                Step::Skip(bytes) => at += bytes,
                _ => break,
            }
        }
        self.heading().end();
        Ok(())
    }

    /// Bytes up to the first row. `None`: more than these.
    fn header_length(mut self, head: &[u8], mut rows: Rows) -> Result<Option<usize>> {
        let mut at = 0;
        while !self.heading().is_over() || !self.heading().began {
            match self.step(&head[at..], false, &mut rows)? {
                Step::Skip(bytes) => at += bytes,
                Step::More => return Ok(None),
                _ => break,
            }
        }
        Ok(Some(at))
    }
}
