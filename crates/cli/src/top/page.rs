//! The screen as lines of text, for pipes and scripts: as wide as is asked for and as high as there is something to show.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use unicode_width::UnicodeWidthStr;

use crate::top::screen::{View, draw, height};

/// The whole screen, without the line of keys, which nobody can press here.
pub fn text(view: &View<'_>, width: u16) -> String {
    let area = Rect { x: 0, y: 0, width: width.max(1), height: height(view) };
    let mut buffer = Buffer::empty(area);
    draw(area, &mut buffer, view);
    let mut lines: Vec<String> = (0..area.height.saturating_sub(1)).map(|y| line(&buffer, y)).collect();
    while lines.last().is_some_and(String::is_empty) {
        lines.pop();
    }
    lines.into_iter().map(|line| line + "\n").collect()
}

fn line(buffer: &Buffer, y: u16) -> String {
    let mut text = String::new();
    let mut x = 0;
    while x < buffer.area.width {
        let symbol = buffer.cell((x, y)).map_or(" ", |cell| cell.symbol());
        text.push_str(symbol);
        // A wide sign takes the cells behind it.
        x += symbol.width().max(1) as u16;
    }
    text.trim_end().to_string()
}
