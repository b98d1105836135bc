//! The screen: from what was seen and chosen to cells, whatever their number. Nothing here asks a server or a terminal.
//!
//! The lines of the head give way first where there is little room, then the panes of merges and mutations; queries stay. Of the
//! queries' columns those that matter least are left out of a narrow screen.

use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Rect};
use ratatui::style::{Modifier, Style};
use ratatui::text::Line;
use ratatui::widgets::{Block, Borders, Cell, Clear, Paragraph, Row, StatefulWidget, Table, TableState, Widget, Wrap};

use gristmill_base::units;

use crate::top::head::{self, short, time};
use crate::top::snapshot::{Found, Merge, Mutation, Query, Seen};
use crate::top::state::{Over, Sort, State};

/// Title and names of columns.
const PANE_HEAD: u16 = 2;
const KEYS: &str = "q quit  k kill  arrows choose  s sort  p pause  ? help";
const HELP: [&str; 9] = [
    "q, Esc     quit",
    "up, down   choose a query; so do page up and page down",
    "k          kill the chosen query; asks first",
    "s          sort by the next column (marked with *)",
    "p          pause, and go on",
    "",
    "CPU: cores a query uses. WAIT: threads of it that wait for a core, a disk or a network.",
    "Rates are those since the last look.",
    "Any key closes this.",
];

/// What is to be shown.
pub struct View<'a> {
    pub seen: Option<&'a Seen>,
    pub state: &'a State,
}

/// A column of the queries: its name, its width, the screen's least width that has it, and what sorts by it.
struct Column {
    name: &'static str,
    width: u16,
    from: u16,
    sort: Option<Sort>,
    text: fn(&Query, &Seen) -> String,
}

const COLUMNS: [Column; 8] = [
    Column { name: "ID", width: 12, from: 90, sort: None, text: |query, _| plain(&query.id) },
    Column { name: "USER", width: 10, from: 60, sort: Some(Sort::User), text: |query, _| plain(&query.user) },
    Column { name: "TIME", width: 8, from: 0, sort: Some(Sort::Time), text: |query, _| time(query.elapsed_seconds) },
    Column { name: "ROWS", width: 12, from: 50, sort: Some(Sort::Rows), text: |query, _| rows(query) },
    Column {
        name: "BYTES",
        width: 10,
        from: 80,
        sort: Some(Sort::Bytes),
        text: |query, _| units::bytes_decimal(query.read_bytes),
    },
    Column {
        name: "MEMORY",
        width: 11,
        from: 40,
        sort: Some(Sort::Memory),
        text: |query, _| units::bytes_binary(query.memory_bytes.max(0.0)),
    },
    Column {
        name: "CPU",
        width: 5,
        from: 30,
        sort: Some(Sort::Cpu),
        text: |query, seen| format!("{:.1}", load(query, seen).cores),
    },
    Column {
        name: "WAIT",
        width: 5,
        from: 70,
        sort: Some(Sort::Wait),
        text: |query, seen| format!("{:.1}", load(query, seen).waiting),
    },
];

fn load(query: &Query, seen: &Seen) -> crate::top::snapshot::Load {
    seen.load.get(&query.id).copied().unwrap_or_default()
}

/// Rows read, or written by an INSERT, and the share of all where it is known.
fn rows(query: &Query) -> String {
    let done = query.read_rows.max(query.written_rows);
    let share = (query.total_rows > 0.0).then(|| (query.read_rows / query.total_rows * 100.0).min(100.0));
    share.map_or_else(|| short(done), |share| format!("{} {share:.0}%", short(done)))
}

/// One line without control signs: a query's text must not move the cursor.
fn plain(text: &str) -> String {
    let clean: String = text.chars().map(|sign| if sign.is_control() { ' ' } else { sign }).collect();
    clean.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The least height that shows everything.
pub fn height(view: &View<'_>) -> u16 {
    let Some(seen) = view.seen else { return 3 };
    let rows = |count: usize| u16::try_from(count).unwrap_or(u16::MAX / 8);
    let queries = rows(seen.now.queries.as_ref().map_or(1, Vec::len)).max(1) + PANE_HEAD;
    let head = rows(head::lines(view.seen, view.state).len());
    head + queries + pane_height(&seen.now.merges) + pane_height(&seen.now.mutations) + 1
}

/// 0 of a pane that has nothing to show.
fn pane_height<T>(found: &Found<Vec<T>>) -> u16 {
    match found {
        Ok(rows) if rows.is_empty() => 0,
        Ok(rows) => PANE_HEAD + u16::try_from(rows.len()).unwrap_or(u16::MAX / 8),
        Err(_) => PANE_HEAD,
    }
}

/// Draws the whole screen.
pub fn draw(area: Rect, buffer: &mut Buffer, view: &View<'_>) {
    if area.height == 0 || area.width == 0 {
        return;
    }
    let lines = head::lines(view.seen, view.state);
    // A row of queries with its head, and the line at the bottom.
    let head_height = (lines.len() as u16).min(area.height.saturating_sub(PANE_HEAD + 2)).max(1);
    let foot_height = u16::from(area.height > 4);
    let middle = area.height.saturating_sub(head_height + foot_height);
    Paragraph::new(lines).render(Rect { height: head_height, ..area }, buffer);
    let mut at = area.y + head_height;
    let mut pane = |height: u16| {
        let found = Rect { y: at, height, ..area };
        at += height;
        found
    };
    if let Some(seen) = view.seen {
        // Two thirds at least are for queries.
        let third = if middle >= 12 { middle / 6 } else { 0 };
        let merges_height = enough(pane_height(&seen.now.merges), third.max(PANE_HEAD + 1) * u16::from(third > 0));
        let mutations_height = enough(pane_height(&seen.now.mutations), third.max(PANE_HEAD + 1) * u16::from(third > 0));
        let (merges_height, mutations_height) = match height(view) <= area.height {
            true => (pane_height(&seen.now.merges), pane_height(&seen.now.mutations)),
            false => (merges_height, mutations_height),
        };
        queries(pane(middle.saturating_sub(merges_height + mutations_height)), buffer, view, seen);
        merges(pane(merges_height), buffer, &seen.now.merges);
        mutations(pane(mutations_height), buffer, &seen.now.mutations);
    }
    if foot_height > 0 {
        let foot = Rect { y: area.y + area.height - 1, height: 1, ..area };
        footer(view.state).render(foot, buffer);
    }
    over(area, buffer, view);
}

/// A pane that would have no room for a row is left out.
fn enough(wanted: u16, most: u16) -> u16 {
    match wanted.min(most) {
        height if height >= PANE_HEAD => height,
        _ => 0,
    }
}

fn footer(state: &State) -> Line<'static> {
    let reversed = Style::new().add_modifier(Modifier::REVERSED);
    match (&state.lost, &state.said) {
        (Some(lost), _) => Line::styled(format!("No connection, trying again: {}", plain(lost)), reversed),
        (None, Some(said)) => Line::styled(plain(said), reversed),
        (None, None) => Line::from(KEYS),
    }
}

fn title(text: String) -> Block<'static> {
    Block::new().borders(Borders::TOP).title(text)
}

/// A pane that says why it is empty. Whether it did.
fn empty<T>(area: Rect, buffer: &mut Buffer, name: &str, found: &Found<Vec<T>>) -> bool {
    let Err(why) = found else { return false };
    let pane = Paragraph::new(plain(why)).wrap(Wrap { trim: true }).block(title(format!(" {name} ")));
    pane.render(area, buffer);
    true
}

fn queries(area: Rect, buffer: &mut Buffer, view: &View<'_>, seen: &Seen) {
    if area.height == 0 || empty(area, buffer, "Queries", &seen.now.queries) {
        return;
    }
    let sorted = view.state.sorted(seen);
    let columns: Vec<&Column> = COLUMNS.iter().filter(|column| column.from <= area.width).collect();
    let name = |column: &&Column| match column.sort == Some(view.state.sort) {
        true => format!("{}*", column.name),
        false => column.name.to_string(),
    };
    let heads = columns.iter().map(name).chain(["QUERY".to_string()]);
    let bold = Style::new().add_modifier(Modifier::BOLD);
    let row = |query: &&Query| {
        let text = plain(&query.text);
        let text = if query.is_cancelled { format!("[ending] {text}") } else { text };
        Row::new(columns.iter().map(|column| (column.text)(query, seen)).chain([text]).map(Cell::from))
    };
    let widths = columns.iter().map(|column| Constraint::Length(column.width)).chain([Constraint::Fill(1)]);
    let table = Table::new(sorted.iter().map(row), widths)
        .header(Row::new(heads.map(Cell::from)).style(bold))
        .row_highlight_style(Style::new().add_modifier(Modifier::REVERSED))
        .block(title(format!(" Queries: {} ", sorted.len())));
    let mut state = TableState::default().with_selected(view.state.chosen_at(&sorted));
    StatefulWidget::render(table, area, buffer, &mut state);
}

fn merges(area: Rect, buffer: &mut Buffer, found: &Found<Vec<Merge>>) {
    if area.height == 0 || empty(area, buffer, "Merges", found) {
        return;
    }
    let merges = found.as_deref().unwrap_or_default();
    let row = |merge: &Merge| {
        let done = (merge.progress.clamp(0.0, 1.0) * 10.0).round() as usize;
        let bar = format!("[{}{}] {:.0}%", "#".repeat(done), "-".repeat(10 - done), merge.progress * 100.0);
        let kind = if merge.is_mutation { "mutation" } else { "merge" };
        let parts = format!("{:.0}", merge.parts);
        let texts = [time(merge.elapsed_seconds), bar, kind.to_string(), parts, units::bytes_decimal(merge.bytes)];
        Row::new(texts.into_iter().chain([format!("{} {}", plain(&merge.table), plain(&merge.result))]).map(Cell::from))
    };
    let heads = ["TIME", "PROGRESS", "KIND", "PARTS", "SIZE", "TABLE"];
    let widths = [8, 17, 8, 5, 10].map(Constraint::Length).into_iter().chain([Constraint::Fill(1)]);
    pane(area, buffer, format!(" Merges: {} ", merges.len()), heads, merges.iter().map(row), widths);
}

fn mutations(area: Rect, buffer: &mut Buffer, found: &Found<Vec<Mutation>>) {
    if area.height == 0 || empty(area, buffer, "Mutations", found) {
        return;
    }
    let mutations = found.as_deref().unwrap_or_default();
    let row = |mutation: &Mutation| {
        let text = match mutation.failure.is_empty() {
            true => plain(&mutation.command),
            false => format!("[failed: {}] {}", plain(&mutation.failure), plain(&mutation.command)),
        };
        let texts = [plain(&mutation.table), plain(&mutation.id), format!("{:.0}", mutation.parts_to_do), text];
        Row::new(texts.map(Cell::from))
    };
    let heads = ["TABLE", "ID", "PARTS", "COMMAND"];
    let widths = [Constraint::Max(30), Constraint::Max(24), Constraint::Length(5), Constraint::Fill(1)];
    pane(area, buffer, format!(" Mutations: {} ", mutations.len()), heads, mutations.iter().map(row), widths.into_iter());
}

fn pane<'a, const N: usize>(
    area: Rect,
    buffer: &mut Buffer,
    name: String,
    heads: [&'static str; N],
    rows: impl Iterator<Item = Row<'a>>,
    widths: impl Iterator<Item = Constraint>,
) {
    let bold = Style::new().add_modifier(Modifier::BOLD);
    let table = Table::new(rows, widths).header(Row::new(heads).style(bold)).block(title(name));
    Widget::render(table, area, buffer);
}

/// The question or the help that lies over the rest.
fn over(area: Rect, buffer: &mut Buffer, view: &View<'_>) {
    let (name, lines) = match &view.state.over {
        None => return,
        Some(Over::Help) => (" Keys ", HELP.map(Line::from).to_vec()),
        Some(Over::Kill(id)) => {
            let queries = view.seen.map(|seen| seen.now.queries.as_deref().unwrap_or_default()).unwrap_or_default();
            let text = queries.iter().find(|query| query.id == *id).map(|query| plain(&query.text)).unwrap_or_default();
            (" Kill? ", vec![Line::from(plain(id)), Line::from(text), Line::from("y kills it, any other key does not")])
        }
    };
    let width = area.width.min(lines.iter().map(Line::width).max().unwrap_or(0).min(90) as u16 + 2);
    let height = area.height.min(lines.len() as u16 + 2);
    let place = Rect { x: area.x + (area.width - width) / 2, y: area.y + (area.height - height) / 2, width, height };
    Clear.render(place, buffer);
    Paragraph::new(lines).block(Block::bordered().title(name)).render(place, buffer);
}
