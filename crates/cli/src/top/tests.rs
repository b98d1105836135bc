//! The screen on terminals of every size.

use std::time::{Duration, Instant};

use ratatui::Terminal;
use ratatui::backend::TestBackend;

use crate::top::page;
use crate::top::screen::{View, draw};
use crate::top::snapshot::tests::{numbers, snapshot};
use crate::top::snapshot::{Merge, Mutation, Query, Seen, Snapshot};
use crate::top::state::{Over, Sort, State};

fn seen() -> Seen {
    let begin = Instant::now();
    let queries = (0..30).map(|at| Query {
        id: format!("query-{at}"),
        user: "me".into(),
        elapsed_seconds: f64::from(100 - at),
        read_rows: 59_800_000.0,
        total_rows: 119_600_000.0,
        memory_bytes: 1048576.0 * f64::from(at),
        cpu_micros: f64::from(100 - at) * 2e6,
        text: format!("SELECT {at},\n\x1b[2J  '日本'"),
        ..Query::default()
    });
    let merge = Merge { table: "db.t".into(), progress: 0.42, parts: 5.0, bytes: 1e9, ..Merge::default() };
    let mutation =
        Mutation { table: "db.t".into(), id: "m1".into(), command: "DELETE WHERE 1".into(), ..Mutation::default() };
    let before =
        Snapshot { events: Ok(numbers(&[("S3GetObject", 10.0), ("QueryConditionCacheHits", 3.0)])), ..snapshot(begin) };
    let now = Snapshot {
        events: Ok(numbers(&[("S3GetObject", 30.0), ("QueryConditionCacheHits", 6.0), ("QueryConditionCacheMisses", 1.0)])),
        measured: Ok(numbers(&[("MemoryResident", 1073741824.0), ("Uptime", 7385.0)])),
        memory_limit_bytes: Some(4294967296.0),
        queries: Ok(queries.collect()),
        merges: Ok(vec![merge]),
        mutations: Ok(vec![mutation]),
        ..snapshot(begin + Duration::from_secs(2))
    };
    Seen::of(now, Some(&before))
}

fn drawn(width: u16, height: u16, view: &View<'_>) -> String {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).expect("a terminal");
    terminal.draw(|frame| draw(frame.area(), frame.buffer_mut(), view)).expect("draws");
    // A screen without columns cannot be shown as text.
    if width == 0 { String::new() } else { terminal.backend().to_string() }
}

#[test]
fn everything_has_its_place_on_a_usual_terminal() {
    let (seen, state) = (seen(), State::default());
    let screen = drawn(120, 40, &View { seen: Some(&seen), state: &state });
    for wanted in [
        "Gristmill 0.1.0 at localhost:9000, up 2:03:05",
        "Memory 1.00 GiB of 4.00 GiB [#####---------------] 25 %",
        "get 10.0/s",
        "QueryCondition 75 %",
        "Queries: 30",
        "TIME*",
        "59.8M 50%",
        "Merges: 1",
        "[####------] 42%",
        "Mutations: 1",
        "DELETE WHERE 1",
        "q quit",
    ] {
        assert!(screen.contains(wanted), "{wanted} in\n{screen}");
    }
    assert!(!screen.contains('\x1b'), "a query's text must not move the cursor");
}

#[test]
fn the_smaller_the_screen_the_less_is_on_it_down_to_nothing() {
    let (seen, mut state) = (seen(), State::default());
    for over in [None, Some(Over::Help), Some(Over::Kill("query-3".into()))] {
        state.over = over;
        for width in (0..=130).step_by(3) {
            for height in 0..=45 {
                drawn(width, height, &View { seen: Some(&seen), state: &state });
                drawn(width, height, &View { seen: None, state: &state });
            }
        }
    }
    state.over = None;
    let narrow = drawn(30, 8, &View { seen: Some(&seen), state: &state });
    assert!(narrow.contains("TIME*") && narrow.contains("SELECT 0"), "{narrow}");
    assert!(!narrow.contains("USER") && !narrow.contains("Merges"), "{narrow}");
}

#[test]
fn the_chosen_query_is_always_in_sight() {
    let (seen, mut state) = (seen(), State::default());
    state.chosen = Some("query-29".into());
    let view = View { seen: Some(&seen), state: &state };
    assert!(drawn(120, 20, &view).contains("query-29"));
    state.over = Some(Over::Kill("query-29".into()));
    let screen = drawn(120, 20, &View { seen: Some(&seen), state: &state });
    assert!(screen.contains("Kill?") && screen.contains("y kills it"), "{screen}");
}

#[test]
fn a_pane_that_is_refused_says_why_and_so_does_a_connection_that_is_lost() {
    let mut seen = seen();
    seen.now.queries = Err("me: Not enough privileges (ACCESS_DENIED)".into());
    seen.now.events = Err("not yours".into());
    let state = State { lost: Some("Cannot connect to db:9000".into()), ..State::default() };
    let screen = drawn(120, 30, &View { seen: Some(&seen), state: &state });
    for wanted in
        ["Not enough privileges", "system.events: not yours", "No connection, trying again: Cannot connect to db:9000"]
    {
        assert!(screen.contains(wanted), "{wanted} in\n{screen}");
    }
}

#[test]
fn a_page_holds_all_rows_and_no_keys() {
    let (seen, state) = (seen(), State { sort: Sort::Memory, ..State::default() });
    let page = page::text(&View { seen: Some(&seen), state: &state }, 130);
    let at = |text: &str| page.find(text).unwrap_or_else(|| panic!("{text} in\n{page}"));
    assert!(at("query-29") < at("query-0"), "{page}");
    assert!(page.contains("SELECT 7, [2J '日本'\n") && page.contains("MEMORY*") && !page.contains("q quit"), "{page}");
    assert!(page.lines().all(|line| line.trim_end() == line));
}
