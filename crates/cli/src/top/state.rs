//! What the user of the screen has chosen, and what a key changes of it.

use clap::ValueEnum;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

use crate::top::snapshot::{Query, Seen};

/// The column that queries are sorted by: the greatest first, names in their order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Sort {
    #[default]
    Time,
    Cpu,
    Memory,
    Rows,
    Bytes,
    Wait,
    User,
}

impl Sort {
    const ALL: [Sort; 7] = [Sort::Time, Sort::Cpu, Sort::Memory, Sort::Rows, Sort::Bytes, Sort::Wait, Sort::User];

    fn next(self) -> Sort {
        let at = Sort::ALL.iter().position(|sort| *sort == self).unwrap_or(0);
        Sort::ALL[(at + 1) % Sort::ALL.len()]
    }
}

/// What lies over the screen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Over {
    Help,
    /// Whether that query is to be killed.
    Kill(String),
}

/// What a key asks for, beside another look of the screen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Act {
    Nothing,
    Quit,
    Kill(String),
}

#[derive(Clone, Debug, Default)]
pub struct State {
    pub sort: Sort,
    /// The id of the chosen query: it stays chosen wherever it is sorted to.
    pub chosen: Option<String>,
    pub is_paused: bool,
    pub over: Option<Over>,
    /// What was answered last.
    pub said: Option<String>,
    /// Why there is no connection.
    pub lost: Option<String>,
}

impl State {
    /// The running queries, in the order that is asked for.
    pub fn sorted<'a>(&self, seen: &'a Seen) -> Vec<&'a Query> {
        let mut queries: Vec<&Query> = seen.now.queries.as_deref().unwrap_or_default().iter().collect();
        let load = |query: &Query| seen.load.get(&query.id).copied().unwrap_or_default();
        let key = |query: &Query| match self.sort {
            Sort::Time | Sort::User => query.elapsed_seconds,
            Sort::Cpu => load(query).cores,
            Sort::Memory => query.memory_bytes,
            Sort::Rows => query.read_rows.max(query.written_rows),
            Sort::Bytes => query.read_bytes,
            Sort::Wait => load(query).waiting,
        };
        queries.sort_by(|a, b| key(b).total_cmp(&key(a)).then_with(|| a.id.cmp(&b.id)));
        if self.sort == Sort::User {
            queries.sort_by(|a, b| a.user.cmp(&b.user));
        }
        queries
    }

    /// Where the chosen query is in that order.
    pub fn chosen_at(&self, queries: &[&Query]) -> Option<usize> {
        let chosen = self.chosen.as_deref()?;
        queries.iter().position(|query| query.id == chosen)
    }

    /// Takes a key.
    pub fn key(&mut self, key: KeyEvent, seen: Option<&Seen>) -> Act {
        if key.kind == KeyEventKind::Release {
            return Act::Nothing;
        }
        if key.modifiers.contains(KeyModifiers::CONTROL) && key.code == KeyCode::Char('c') {
            return Act::Quit;
        }
        self.said = None;
        match self.over.take() {
            Some(Over::Kill(id)) if matches!(key.code, KeyCode::Char('y' | 'Y')) => return Act::Kill(id),
            Some(_) => return Act::Nothing,
            None => {}
        }
        match key.code {
            KeyCode::Char('q') | KeyCode::Esc => return Act::Quit,
            KeyCode::Char('?' | 'h') => self.over = Some(Over::Help),
            KeyCode::Char('p') => self.is_paused = !self.is_paused,
            KeyCode::Char('s') => self.sort = self.sort.next(),
            KeyCode::Up => self.choose(seen, -1),
            KeyCode::Down => self.choose(seen, 1),
            KeyCode::PageUp => self.choose(seen, -10),
            KeyCode::PageDown => self.choose(seen, 10),
            KeyCode::Char('k') => match self.chosen.clone().filter(|_| self.is_there(seen)) {
                Some(id) => self.over = Some(Over::Kill(id)),
                None => self.said = Some("Choose a query with the arrows first".to_string()),
            },
            _ => {}
        }
        Act::Nothing
    }

    fn is_there(&self, seen: Option<&Seen>) -> bool {
        seen.is_some_and(|seen| self.chosen_at(&self.sorted(seen)).is_some())
    }

    fn choose(&mut self, seen: Option<&Seen>, step: isize) {
        let Some(seen) = seen else { return };
        let queries = self.sorted(seen);
        let last = queries.len().saturating_sub(1);
        let at = match self.chosen_at(&queries) {
            Some(at) => at.saturating_add_signed(step).min(last),
            None if step < 0 => last,
            None => 0,
        };
        self.chosen = queries.get(at).map(|query| query.id.clone());
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;
    use crate::top::snapshot::Snapshot;
    use crate::top::snapshot::tests::snapshot;

    fn seen() -> Seen {
        let query = |id: &str, user: &str, elapsed_seconds, memory_bytes| Query {
            id: id.into(),
            user: user.into(),
            elapsed_seconds,
            memory_bytes,
            ..Query::default()
        };
        let queries = vec![query("a", "z", 1.0, 30.0), query("b", "y", 3.0, 10.0), query("c", "x", 2.0, 20.0)];
        Seen::of(Snapshot { queries: Ok(queries), ..snapshot(Instant::now()) }, None)
    }

    fn press(state: &mut State, code: KeyCode) -> Act {
        state.key(KeyEvent::new(code, KeyModifiers::NONE), Some(&seen()))
    }

    #[test]
    fn queries_are_sorted_by_the_chosen_column() {
        let seen = seen();
        let ids = |sort| {
            let state = State { sort, ..State::default() };
            state.sorted(&seen).iter().map(|query| query.id.as_str()).collect::<String>()
        };
        assert_eq!((ids(Sort::Time).as_str(), ids(Sort::Memory).as_str(), ids(Sort::User).as_str()), ("bca", "acb", "cba"));
    }

    #[test]
    fn killing_asks_first_and_keeps_to_the_query_that_was_chosen() {
        let mut state = State::default();
        assert_eq!(press(&mut state, KeyCode::Char('k')), Act::Nothing);
        assert!(state.said.is_some() && state.over.is_none());
        press(&mut state, KeyCode::Down);
        press(&mut state, KeyCode::Down);
        assert_eq!(state.chosen.as_deref(), Some("c"));
        press(&mut state, KeyCode::Char('s'));
        press(&mut state, KeyCode::Char('s'));
        assert_eq!((state.sort, state.chosen.as_deref()), (Sort::Memory, Some("c")));
        press(&mut state, KeyCode::Char('k'));
        assert_eq!(state.over, Some(Over::Kill("c".into())));
        assert_eq!(press(&mut state, KeyCode::Char('n')), Act::Nothing);
        assert_eq!(state.over, None);
        press(&mut state, KeyCode::Char('k'));
        assert_eq!(press(&mut state, KeyCode::Char('y')), Act::Kill("c".into()));
    }

    #[test]
    fn the_ends_of_the_list_hold_and_q_leaves() {
        let mut state = State::default();
        press(&mut state, KeyCode::PageDown);
        assert_eq!(state.chosen.as_deref(), Some("b"));
        press(&mut state, KeyCode::PageDown);
        assert_eq!(state.chosen.as_deref(), Some("a"));
        press(&mut state, KeyCode::Up);
        assert_eq!(state.chosen.as_deref(), Some("c"));
        press(&mut state, KeyCode::Char('?'));
        assert_eq!(press(&mut state, KeyCode::Char('q')), Act::Nothing, "it closes the help");
        assert_eq!(press(&mut state, KeyCode::Char('q')), Act::Quit);
    }
}
