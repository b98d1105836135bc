//! What is told when a name is taken, unknown, or not to be changed.

use gristmill_base::{Error, ErrorCode, Result};
use gristmill_introspect::settings::nearest;
use gristmill_types::sql_type::quote_identifier;

use super::{Database, Slot, State, full_name};

pub(super) fn missing(error: &Error) -> bool {
    matches!(error.code(), ErrorCode::UNKNOWN_TABLE | ErrorCode::UNKNOWN_DATABASE)
}

/// Whether whoever asks may know of a database, or of a table of it: hints name nothing else.
pub type Sees<'a> = &'a dyn Fn(&str, Option<&str>) -> bool;

/// Hints name nothing: for callers that do not know who asks.
pub(super) const NOTHING: Sees<'static> = &|_, _| false;

pub(super) fn find_database<'a>(state: &'a State, name: &str, sees: Sees<'_>) -> Result<&'a Database> {
    state.get(name).ok_or_else(|| {
        let near = nearest(name, state.keys().map(String::as_str).filter(|near| sees(near, None)));
        let hint = near.map_or_else(String::new, |near| format!(". Maybe you meant {}?", quote_identifier(near)));
        Error::new(ErrorCode::UNKNOWN_DATABASE, format!("Database {} does not exist{hint}", quote_identifier(name)))
    })
}

pub(super) fn writable_database<'a>(state: &'a State, name: &str) -> Result<&'a Database> {
    let database = find_database(state, name, NOTHING)?;
    if database.info.system { Err(read_only(name, "changed")) } else { Ok(database) }
}

/// What a name stands for that statements may change. Errors: UNKNOWN_DATABASE, UNKNOWN_TABLE; READONLY for a table that
/// the server makes anew at each start.
pub(super) fn changeable<'a>(state: &'a State, database: &str, name: &str) -> Result<&'a Slot> {
    let found = find_database(state, database, NOTHING)?;
    if found.own.contains(name) {
        let text = format!("Table {} is the server's own and cannot be changed", full_name(database, name));
        return Err(Error::new(ErrorCode::READONLY, text));
    }
    found.tables.get(name).ok_or_else(|| unknown_table(state, database, name, NOTHING))
}

/// Whether a table may get a name in a database: the server's own takes in none but those that were there.
pub(super) fn check_moves(state: &State, from: &str, to: &str) -> Result<()> {
    if from == to { find_database(state, to, NOTHING).map(drop) } else { writable_database(state, to).map(drop) }
}

pub(super) fn read_only(database: &str, what: &str) -> Error {
    Error::new(
        ErrorCode::READONLY,
        format!("Database {} is the server's own and cannot be {what}", quote_identifier(database)),
    )
}

pub(super) fn table_exists(database: &str, name: &str) -> Error {
    Error::new(ErrorCode::TABLE_ALREADY_EXISTS, format!("Table {} already exists", full_name(database, name)))
}

/// As `table_exists`, of what has the name.
pub(super) fn name_is_taken(slot: &Slot, database: &str, name: &str) -> Error {
    let error = table_exists(database, name);
    let Slot::Detached { permanently, .. } = slot else { return error };
    let how = if *permanently { "detached permanently" } else { "detached" };
    let name = full_name(database, name);
    Error::new(error.code(), format!("Table {name} already exists ({how}): ATTACH TABLE {name} brings it back"))
}

/// Names the nearest table of the same database, else a table of that very name elsewhere.
pub(super) fn unknown_table(state: &State, database: &str, name: &str, sees: Sees<'_>) -> Error {
    let here = state.get(database).and_then(|found| {
        let seen = found.tables.keys().map(String::as_str).filter(|near| sees(database, Some(*near)));
        nearest(name, seen).map(|near| full_name(database, near))
    });
    let near = here.filter(|near| *near != full_name(database, name)).or_else(|| {
        let mut others = state.iter().filter(|(other, found)| found.tables.contains_key(name) && sees(other, Some(name)));
        others.next().map(|(other, _)| full_name(other, name))
    });
    let mut hint = near
        .filter(|near| *near != full_name(database, name))
        .map_or_else(String::new, |near| format!(". Maybe you meant {near}?"));
    // It may be the one whose name cannot be read.
    for damaged in state.get(database).filter(|_| sees(database, Some(name))).iter().flat_map(|found| &found.damaged) {
        hint.push_str(&format!(" ({})", damaged.message()));
    }
    Error::new(ErrorCode::UNKNOWN_TABLE, format!("Table {} does not exist{hint}", full_name(database, name)))
}
