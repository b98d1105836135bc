//! SQL: text to statements (`tokens`, `rewrite`, `dialect`, `statement`), statements to one form of expressions (`ast`,
//! `translate`), and queries to typed DataFusion plans (`lower`).

use std::sync::LazyLock;

pub mod access;
pub mod alter;
mod alter_commands;
mod alter_text;
pub mod any_bytes;
pub mod ast;
mod backtracks;
mod beginnings;
pub(crate) mod chains;
pub mod create;
mod create_keys;
mod cursor;
pub mod dialect;
mod distinct_from;
mod division;
mod explain;
pub mod format_query;
mod in_operator;
mod insert;
mod intervals;
pub mod lexer;
pub mod lower;
mod makes_room;
mod manage;
mod parameter_containers;
pub mod parameters;
mod parse;
mod plain_text;
mod projection;
mod rewrite;
mod select_statement;
mod show;
mod show_columns;
pub mod size;
pub mod sql_text;
pub mod statement;
pub mod statistics;
pub mod syntax_tree;
pub mod text_index;
pub mod tokens;
pub mod translate;
pub mod ttl;
pub mod user_functions;

pub use explain::explained_text;
pub use makes_room::makes_room;
pub use rewrite::explained::VIEW_EXPLAIN;

/// The keywords of ClickHouse 26.9, one a line, some of several words: its own list, since clients compare theirs with it. (That
/// of sqlparser has the words of all dialects.)
pub fn keywords() -> &'static [&'static str] {
    static KEYWORDS: LazyLock<Vec<&str>> = LazyLock::new(|| include_str!("keywords.txt").lines().collect());
    &KEYWORDS
}
