//! SQL: text to statements (`tokens`, `rewrite`, `dialect`, `statement`), statements to one form of expressions (`ast`,
//! `translate`), and queries to typed DataFusion plans (`lower`).

/// Words that mean something in some statement.
pub fn keywords() -> &'static [&'static str] {
    sqlparser::keywords::ALL_KEYWORDS
}

pub mod access;
pub mod alter;
mod alter_commands;
pub mod any_bytes;
pub mod ast;
mod beginnings;
pub(crate) mod chains;
pub mod create;
mod cursor;
pub mod dialect;
mod insert;
pub mod lexer;
pub mod lower;
mod manage;
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
pub mod tokens;
pub mod translate;
pub mod ttl;
