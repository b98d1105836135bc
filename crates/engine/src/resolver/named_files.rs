//! Files in the place of tables: `SELECT * FROM 'hits.csv'`, as clickhouse-local reads them where no table has the name.

use std::path::Path;

use gristmill_formats::Format;
use gristmill_objstore::Glob;
use gristmill_sql::ast::{Node, text};

use crate::engine::Engine;

/// The table function that reads them.
pub const FUNCTION: &str = "file";

/// The database whose names may be those of files.
const DATABASE: &str = "default";

/// The arguments of `file()` for what is no table's name. `None`: it names no file either, or the engine is a server's, where names
/// are those of tables alone.
pub fn arguments(engine: &Engine, database: &str, name: &str) -> Option<[Node; 1]> {
    if engine.hints.user_files_path.is_some() || database != DATABASE || !name.contains(['.', '/']) {
        return None;
    }
    let is_pattern = || Format::by_extension(name).is_some() && Glob::parse(name).is_ok_and(|glob| !glob.is_literal());
    (Path::new(name).is_file() || is_pattern()).then(|| [text(name)])
}
