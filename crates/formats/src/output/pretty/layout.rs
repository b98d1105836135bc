//! The geometry of the Pretty formats: cells in, lines of a table out.
//!
//! Three styles are one model. A row is `left cell separator cell … right`; a cell is a pad, the text aligned to the
//! column's width, and a pad; the pads carry the marks of a value that goes on in the next line (`↴`, `↳`) or was cut
//! (`⋯`). The styles differ in borders and in how the names stand: in the frame (Compact), in a row of their own
//! (Pretty), or above a blank line (Space). Widths are those of a terminal (unicode-width).

use std::borrow::Cow;

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::Look;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Style {
    /// Heavy frame around the names, a line between rows.
    Full,
    /// The names in the frame.
    Compact,
    /// No frame.
    Space,
}

/// One column of a table that is about to be drawn.
pub struct ColumnCells {
    pub name: String,
    /// Numbers and dates stand right.
    pub right: bool,
    /// Groups of three digits are marked in colour.
    pub number: bool,
    pub cells: Vec<Cell>,
}

/// The text of a value; `tip` stands behind the row where it is the last of it.
#[derive(Clone, Default)]
pub struct Cell {
    pub text: Vec<u8>,
    pub tip: Option<String>,
}

/// Rows that are shown: numbers `first..first + head`, then (after a dashed line) the last `tail` of `total`.
#[derive(Clone, Copy)]
pub struct Shown {
    pub head: usize,
    pub tail: usize,
    pub total: usize,
}

struct Grid {
    left: &'static str,
    separator: &'static str,
    right: &'static str,
    continues: &'static str,
    continued: &'static str,
    cut: &'static str,
}

/// A horizontal line: left end, filling, crossing, right end.
type Rule = [&'static str; 4];

impl Grid {
    fn of(style: Style, ascii: bool) -> Grid {
        let (bar, continues, continued, cut) = if ascii { ("|", "\\", ">", "~") } else { ("│", "↴", "↳", "⋯") };
        match style {
            Style::Space => Grid { left: "", separator: " ", right: "", continues, continued, cut },
            _ => Grid { left: bar, separator: bar, right: bar, continues, continued, cut },
        }
    }
}

/// The columns of a terminal that a text takes which starts in that column. A tab goes to the next multiple of eight; other
/// control characters, escape sequences and bytes that are no UTF-8 take none.
fn width_from(start: usize, text: &[u8]) -> usize {
    if text.iter().all(|c| (b' '..0x7f).contains(c)) {
        return text.len();
    }
    let mut at = start;
    for chunk in text.utf8_chunks() {
        let mut chars = chunk.valid().chars();
        while let Some(c) = chars.next() {
            match c {
                '\t' => at = (at / 8 + 1) * 8,
                // Those that set colours end with a letter.
                '\x1b' if chars.next() == Some('[') => {
                    chars.by_ref().find(|c| ('@'..='~').contains(c));
                }
                c => at += c.width().unwrap_or(0),
            }
        }
    }
    at - start
}

fn width(text: &[u8]) -> usize {
    width_from(0, text)
}

/// A long name of an expression loses its middle; a plain identifier stays whole.
pub fn short_name<'a>(name: &'a str, data_width: usize, look: &Look) -> Cow<'a, str> {
    let length = name.chars().count();
    let to = look.name_cut_to.max(data_width);
    let identifier = name.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'_');
    if look.name_cut_to == 0 || identifier || length <= to + look.name_min_cut || to < 3 {
        return Cow::Borrowed(name);
    }
    let head: String = name.chars().take(to / 2).collect();
    let tail: String = name.chars().skip(length - (to - to / 2 - 1)).collect();
    Cow::Owned(format!("{head}{}{tail}", if look.ascii { "~" } else { "⋯" }))
}

/// A drawn column: its name as shown, its width, and its cells.
struct Drawn<'a> {
    name: Cow<'a, str>,
    width: usize,
    right: bool,
    number: bool,
    cells: Vec<Lines<'a>>,
}

/// A value as lines, each with its width.
struct Lines<'a> {
    lines: Vec<(Cow<'a, [u8]>, usize)>,
    was_cut: bool,
    /// A line feed stands at the end, behind which nothing is drawn.
    goes_on: bool,
}

/// All columns of a table.
pub struct Table<'a>(Vec<Drawn<'a>>);

impl Table<'_> {
    /// Of the columns, without what stands between them.
    pub fn width(&self) -> usize {
        self.0.iter().map(|column| column.width).sum()
    }

    /// Whether a value has several lines.
    pub fn has_lines(&self) -> bool {
        self.0.iter().flat_map(|column| &column.cells).any(|cell| cell.lines.len() > 1 || cell.goes_on)
    }

    /// As shown.
    pub fn names(&self) -> impl Iterator<Item = &str> + Clone {
        self.0.iter().map(|column| &*column.name)
    }
}

/// Cuts text after that many characters.
fn cut(text: &[u8], limit: usize) -> Option<&[u8]> {
    if text.len() <= limit || width(text) <= limit {
        return None;
    }
    match std::str::from_utf8(text) {
        Ok(text) => {
            let end = text.char_indices().nth(limit).map_or(text.len(), |(at, _)| at);
            Some(&text.as_bytes()[..end])
        }
        Err(_) => Some(&text[..limit]),
    }
}

/// `start`: the column of the terminal in which its values begin. `first`: that in which those of the first column begin; from
/// there ClickHouse reckons how far a value is to be filled up.
fn drawn_column<'a>(column: &'a ColumnCells, start: usize, first: usize, single: bool, look: &Look) -> Drawn<'a> {
    let mut cells = Vec::with_capacity(column.cells.len());
    let mut data_width = 0;
    for cell in &column.cells {
        let (text, was_cut) = match cut(&cell.text, look.max_value_width) {
            Some(text) if !single || look.cut_single => (text, true),
            _ => (cell.text.as_slice(), false),
        };
        let goes_on = look.multiline && text.last() == Some(&b'\n');
        let texts: Vec<Cow<'a, [u8]>> = if look.multiline {
            text[..text.len() - usize::from(goes_on)].split(|c| *c == b'\n').map(Cow::Borrowed).collect()
        } else {
            let one_line: Vec<u8> =
                text.iter().flat_map(|c| if *c == b'\n' { &b"\\n"[..] } else { std::slice::from_ref(c) }).copied().collect();
            vec![Cow::Owned(one_line)]
        };
        data_width = texts.iter().map(|line| width_from(start, line)).max().unwrap_or(0).max(data_width);
        let lines = texts.into_iter().map(|line| {
            let width = width_from(first, &line);
            (line, width)
        });
        let lines = lines.collect();
        cells.push(Lines { lines, was_cut, goes_on });
    }
    let name = short_name(&column.name, data_width, look);
    let width = data_width.max(name.width()).min(look.max_pad_width);
    Drawn { name, width, right: column.right, number: column.number, cells }
}

/// The columns as they are going to stand.
pub fn drawn<'a>(columns: &'a [ColumnCells], style: Style, shown: Shown, look: &Look) -> Table<'a> {
    let single = columns.len() == 1 && shown.head + shown.tail == 1;
    // Behind the row's number, a bar and a space; ClickHouse reckons with a number where none is shown.
    let first = number_width(shown) + if style == Style::Space { 1 } else { 2 };
    let mut start = first;
    let drawn = columns.iter().map(|column| {
        let drawn = drawn_column(column, start, first, single, look);
        start += drawn.width + 3;
        drawn
    });
    Table(drawn.collect())
}

/// Of the largest number of a row, with a point and a space behind it.
fn number_width(shown: Shown) -> usize {
    shown.total.max(1).to_string().len() + 2
}

/// Draws the table.
pub fn draw(columns: &[ColumnCells], style: Style, shown: Shown, look: &Look, out: &mut Vec<u8>) {
    let rows = shown.head + shown.tail;
    let Table(drawn) = drawn(columns, style, shown, look);
    let number_width = if look.row_numbers { number_width(shown) } else { 0 };
    let footer = look.footer_min_rows.is_some_and(|rows| shown.total >= rows);
    let page = Page { drawn: &drawn, style, look, grid: Grid::of(style, look.ascii), number_width };

    page.top(out);
    for row in 0..rows {
        if row == shown.head {
            page.dashes(out);
            if style == Style::Full {
                page.rule(rules(look.ascii).between, out);
            }
        }
        let number = if row < shown.head { row + 1 } else { shown.total - shown.tail + (row - shown.head) + 1 };
        let tip = columns.last().and_then(|column| column.cells[row].tip.as_deref());
        page.row(row, number, tip, out);
        if style == Style::Full && row + 1 < rows {
            page.rule(rules(look.ascii).between, out);
        }
    }
    page.bottom(footer, out);
}

struct Rules {
    top: Rule,
    below_names: Rule,
    between: Rule,
    bottom: Rule,
    above_footer: Rule,
    below_footer: Rule,
    bar: &'static str,
    compact_top: Rule,
}

fn rules(ascii: bool) -> Rules {
    if ascii {
        let plain = ["+", "-", "+", "+"];
        return Rules {
            top: plain,
            below_names: plain,
            between: plain,
            bottom: plain,
            above_footer: plain,
            below_footer: plain,
            bar: "|",
            compact_top: plain,
        };
    }
    Rules {
        top: ["┏", "━", "┳", "┓"],
        below_names: ["┡", "━", "╇", "┩"],
        between: ["├", "─", "┼", "┤"],
        bottom: ["└", "─", "┴", "┘"],
        above_footer: ["┢", "━", "╈", "┪"],
        below_footer: ["┗", "━", "┻", "┛"],
        bar: "┃",
        compact_top: ["┌", "─", "┬", "┐"],
    }
}

struct Page<'a> {
    drawn: &'a [Drawn<'a>],
    style: Style,
    look: &'a Look,
    grid: Grid,
    number_width: usize,
}

impl Page<'_> {
    fn indent(&self, out: &mut Vec<u8>) {
        spaces(self.number_width, out);
    }

    fn top(&self, out: &mut Vec<u8>) {
        let rules = rules(self.look.ascii);
        match self.style {
            Style::Full => {
                self.rule(rules.top, out);
                self.names(rules.bar, out);
                self.rule(rules.below_names, out);
            }
            Style::Compact => self.names_in_rule(rules.compact_top, out),
            Style::Space => {
                self.names_in_the_open(out);
                out.push(b'\n');
            }
        }
    }

    fn bottom(&self, footer: bool, out: &mut Vec<u8>) {
        let rules = rules(self.look.ascii);
        match self.style {
            Style::Full if footer => {
                self.rule(rules.above_footer, out);
                self.names(rules.bar, out);
                self.rule(rules.below_footer, out);
            }
            Style::Full => self.rule(rules.bottom, out),
            Style::Compact if footer => self.names_in_rule(rules.bottom, out),
            Style::Compact => self.rule(rules.bottom, out),
            Style::Space if footer => {
                out.push(b'\n');
                self.names_in_the_open(out);
                out.push(b'\n');
            }
            Style::Space => {}
        }
    }

    fn rule(&self, [left, fill, crossing, right]: Rule, out: &mut Vec<u8>) {
        self.indent(out);
        for (i, column) in self.drawn.iter().enumerate() {
            text(if i == 0 { left } else { crossing }, out);
            repeat(fill, column.width + 2, out);
        }
        text(right, out);
        out.push(b'\n');
    }

    /// A name between its paddings.
    fn name(&self, column: &Drawn<'_>, fill: &str, out: &mut Vec<u8>) {
        let padding = column.width.saturating_sub(column.name.width());
        if column.right {
            repeat(fill, padding, out);
        }
        self.coloured("\x1b[1m", column.name.as_bytes(), out);
        if !column.right {
            repeat(fill, padding, out);
        }
    }

    fn names(&self, bar: &str, out: &mut Vec<u8>) {
        self.indent(out);
        for column in self.drawn {
            text(bar, out);
            out.push(b' ');
            self.name(column, " ", out);
            out.push(b' ');
        }
        text(bar, out);
        out.push(b'\n');
    }

    fn names_in_rule(&self, [left, fill, crossing, right]: Rule, out: &mut Vec<u8>) {
        self.indent(out);
        for (i, column) in self.drawn.iter().enumerate() {
            text(if i == 0 { left } else { crossing }, out);
            text(fill, out);
            self.name(column, fill, out);
            text(fill, out);
        }
        text(right, out);
        out.push(b'\n');
    }

    fn names_in_the_open(&self, out: &mut Vec<u8>) {
        self.indent(out);
        for (i, column) in self.drawn.iter().enumerate() {
            text(if i == 0 { " " } else { "   " }, out);
            self.name(column, " ", out);
        }
        out.push(b'\n');
    }

    fn dashes(&self, out: &mut Vec<u8>) {
        let widths: usize = self.drawn.iter().map(|column| column.width).sum();
        let total = match self.style {
            Style::Space => widths + 3 * self.drawn.len() - 2,
            _ => widths + 3 * self.drawn.len() + 1,
        };
        self.indent(out);
        for at in 0..total {
            text(
                if at % 2 == 1 {
                    " "
                } else if self.look.ascii {
                    "-"
                } else {
                    "─"
                },
                out,
            );
        }
        out.push(b'\n');
    }

    fn row(&self, row: usize, number: usize, tip: Option<&str>, out: &mut Vec<u8>) {
        let lines = self.drawn.iter().map(|column| column.cells[row].lines.len()).max().unwrap_or(1);
        for line in 0..lines {
            if line > 0 {
                self.indent(out);
            } else if self.number_width > 0 {
                let number = format!("{number}. ");
                spaces(self.number_width.saturating_sub(number.len()), out);
                self.coloured("\x1b[90m", number.as_bytes(), out);
            }
            text(self.grid.left, out);
            for (i, column) in self.drawn.iter().enumerate() {
                if i > 0 {
                    text(self.grid.separator, out);
                }
                self.cell(column, row, line, out);
            }
            text(self.grid.right, out);
            if let (Some(tip), 0) = (tip, line) {
                self.coloured("\x1b[90m", format!(" -- {tip}").as_bytes(), out);
            }
            out.push(b'\n');
        }
    }

    fn cell(&self, column: &Drawn<'_>, row: usize, line: usize, out: &mut Vec<u8>) {
        let Lines { lines, was_cut, goes_on } = &column.cells[row];
        let Some((value, value_width)) = lines.get(line) else {
            spaces(column.width + 2, out);
            return;
        };
        if line > 0 {
            self.coloured("\x1b[90m", self.grid.continued.as_bytes(), out);
        } else {
            out.push(b' ');
        }
        let padding = column.width.saturating_sub(*value_width);
        if column.right {
            spaces(padding, out);
        }
        self.value(column.number, value, out);
        if !column.right {
            spaces(padding, out);
        }
        if line + 1 < lines.len() || *goes_on {
            self.coloured("\x1b[90m", self.grid.continues.as_bytes(), out);
        } else if *was_cut {
            self.coloured("\x1b[31;1m", self.grid.cut.as_bytes(), out);
        } else {
            out.push(b' ');
        }
    }

    fn value(&self, number: bool, value: &[u8], out: &mut Vec<u8>) {
        if self.look.colour && number && self.look.digit_groups {
            return grouped_digits(value, out);
        }
        if self.look.colour && self.look.trailing_spaces {
            return marked_end(value, out);
        }
        out.extend_from_slice(value);
    }

    fn coloured(&self, escape: &str, bytes: &[u8], out: &mut Vec<u8>) {
        if self.look.colour {
            text(escape, out);
            out.extend_from_slice(bytes);
            text("\x1b[0m", out);
        } else {
            out.extend_from_slice(bytes);
        }
    }
}

/// Marks what is blank at the end.
pub fn marked_end(value: &[u8], out: &mut Vec<u8>) {
    let is_blank = |c: &&u8| matches!(**c, b' ' | b'\t' | b'\n' | b'\r' | 0x0B | 0x0C);
    let (visible, blank) = value.split_at(value.len() - value.iter().rev().take_while(is_blank).count());
    out.extend_from_slice(visible);
    if !blank.is_empty() {
        text("\x1b[31m\x1b[4m", out);
        out.extend_from_slice(blank);
        text("\x1b[0m", out);
    }
}

/// Underlines the first digit of each group of three, from five digits on.
pub fn grouped_digits(value: &[u8], out: &mut Vec<u8>) {
    let start = usize::from(value.first() == Some(&b'-'));
    let digits = value[start..].iter().take_while(|c| c.is_ascii_digit()).count();
    if digits < 5 {
        out.extend_from_slice(value);
        return;
    }
    out.extend_from_slice(&value[..start]);
    for (i, digit) in value[start..start + digits].iter().enumerate() {
        let from_right = digits - i;
        if from_right % 3 == 1 && from_right > 1 {
            text("\x1b[4m", out);
            out.push(*digit);
            text("\x1b[0m", out);
        } else {
            out.push(*digit);
        }
    }
    out.extend_from_slice(&value[start + digits..]);
}

fn text(text: &str, out: &mut Vec<u8>) {
    out.extend_from_slice(text.as_bytes());
}

fn repeat(text: &str, times: usize, out: &mut Vec<u8>) {
    for _ in 0..times {
        out.extend_from_slice(text.as_bytes());
    }
}

fn spaces(count: usize, out: &mut Vec<u8>) {
    out.resize(out.len() + count, b' ');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_are_those_of_a_terminal() {
        for (start, text, width) in [
            (0, &b"abc"[..], 3),
            (5, b"a\tb", 4),
            (12, b"c\td", 5),
            (5, "你好\t中".as_bytes(), 13),
            (0, b"\x1b[31;1mred\x1b[0m", 3),
            (0, b"a\xFFb\0\r", 2),
            (0, b"\x1b", 0),
        ] {
            assert_eq!(width_from(start, text), width, "{}", String::from_utf8_lossy(text));
        }
    }
}
