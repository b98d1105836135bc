//! Statements about tables and databases as wholes, and about running queries.

use std::sync::Arc;

use gristmill_base::spending::Wait;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_calibration::Form;
use gristmill_catalog::{BackgroundWork, OptimizeRequest, Table};
use gristmill_functions::strings::Like;
use gristmill_sql::ast::Node;
use gristmill_sql::lower::{Analyzer, ResolvedTables};
use gristmill_sql::statement::{DetachKind, NameFilter, Renamed, Statement};
use uuid::Uuid;

use super::{Interpreter, Outcome};
use crate::async_inserts::Key;
use crate::engine::Engine;
use crate::temporary::TEMPORARY_DATABASE;
use crate::views::Shape;

/// Caches of ClickHouse that are not here: there is nothing to drop.
const NO_SUCH_CACHES: &[&str] = &[
    "COMPILED EXPRESSION CACHE",
    "CONNECTIONS CACHE",
    "DNS CACHE",
    "FILESYSTEM CACHE",
    "FORMAT SCHEMA CACHE",
    "ICEBERG METADATA CACHE",
    "INDEX MARK CACHE",
    "MMAP CACHE",
    "PAGE CACHE",
    "PRIMARY INDEX CACHE",
    "QUERY CACHE",
    "S3 CLIENT CACHE",
    "TEXT INDEX CACHES",
    "VECTOR SIMILARITY INDEX CACHE",
];

/// Work in the background that is not here: it stands still anyway. A table may be named behind it.
const NO_SUCH_JOBS: &[&[&str]] = &[
    &["CLEANUP"],
    &["DISTRIBUTED", "SENDS"],
    &["FETCHES"],
    &["MOVES"],
    &["PULLING", "REPLICATION", "LOG"],
    &["REPLICATED", "SENDS"],
    &["REPLICATED", "VIEW"],
    &["REPLICATION", "QUEUES"],
    &["VIEW"],
    &["VIEWS"],
];

/// First words of ClickHouse's SYSTEM commands.
const SYSTEM_VERBS: &[&str] = &[
    "ALLOCATE",
    "CANCEL",
    "CLEAR",
    "DISABLE",
    "DROP",
    "ENABLE",
    "FLUSH",
    "FREE",
    "INSTRUMENT",
    "JEMALLOC",
    "KILL",
    "LISTEN",
    "LOAD",
    "NOTIFY",
    "PAUSE",
    "PREWARM",
    "RECONNECT",
    "REFRESH",
    "RELOAD",
    "REPLICA",
    "RESET",
    "RESTART",
    "RESTORE",
    "RESUME",
    "SHUTDOWN",
    "START",
    "STOP",
    "SUSPEND",
    "SYNC",
    "TEST",
    "UNFREEZE",
    "UNLOAD",
    "UNLOCK",
    "VIRTUAL",
    "WAIT",
];

fn unknown_command(words: &[String]) -> Error {
    let text = format!("Syntax error: SYSTEM {} is no command", words.join(" "));
    Error::new(ErrorCode::SYNTAX_ERROR, text)
}

/// The copies of all tables are not looked for.
fn unfreezes_one_table(name: &str) -> Error {
    let text = format!(
        "SYSTEM UNFREEZE is disabled: ALTER TABLE t UNFREEZE WITH NAME {name} removes the copy of a table, and is asked of \
         each table that was frozen"
    );
    Error::new(ErrorCode::SUPPORT_IS_DISABLED, text)
}

/// Errors: INCORRECT_QUERY for DETACH of a table as something that it is not.
fn check_kind(table: &Arc<dyn Table>, kind: DetachKind) -> Result<()> {
    let definition = table.definition();
    let what = match kind {
        DetachKind::View if !definition.is_view() => "View",
        DetachKind::Dictionary => "Dictionary",
        DetachKind::Table | DetachKind::View => return Ok(()),
    };
    let text = format!("Table {}.{} is not a {what}", definition.database, definition.name);
    Err(Error::new(ErrorCode::INCORRECT_QUERY, text))
}

fn begins_with(words: &[&str], beginning: &[&str]) -> bool {
    words.get(..beginning.len()) == Some(beginning)
}

impl Interpreter {
    pub(crate) async fn manage(&self, statement: Statement) -> Result<Outcome> {
        let databases = &self.engine.databases;
        match statement {
            Statement::CreateDatabase { name, if_not_exists, comment } => {
                databases.create_database(&name, if_not_exists, &comment).await?;
            }
            Statement::DropDatabase { name, if_exists } => {
                // The table of a view's own is among them.
                let tables = databases.tables(&name).into_iter();
                let mut tables = tables.filter(|table| table.definition().inner_name().is_none());
                tables.try_for_each(|table| self.check_drops_table(&table))?;
                databases.drop_database(&name, if_exists).await?;
            }
            Statement::DropTable { names, if_exists, if_empty, views, sync } => {
                let at_once = sync || self.context.settings.database_atomic_wait_for_drop_and_detach_synchronously;
                for name in &names {
                    let (database, table) = self.full(name);
                    if database == TEMPORARY_DATABASE && !self.temporary.has(table) {
                        if if_exists {
                            continue;
                        }
                        let text = format!("Temporary table {table} does not exist");
                        return Err(Error::new(ErrorCode::UNKNOWN_TABLE, text));
                    }
                    if views && self.databases(database).has_table(database, table) {
                        let definition = self.table(database, table)?.definition();
                        if !definition.is_view() {
                            let text = format!("Table {database}.{table} is not a View");
                            return Err(Error::new(ErrorCode::INCORRECT_QUERY, text));
                        }
                    }
                    if if_empty && self.databases(database).has_table(database, table) {
                        let rows = self.table(database, table)?.total_rows().unwrap_or_default();
                        if rows > 0 {
                            let text =
                                format!("Table {database}.{table} is not empty: it has {rows} rows, leave IF EMPTY out");
                            return Err(Error::new(ErrorCode::TABLE_NOT_EMPTY, text));
                        }
                    }
                    self.check_drops_named(database, table)?;
                    self.check_no_dependents(database, table)?;
                    if self.ignores_drop(database, table).await? {
                        continue;
                    }
                    match at_once {
                        true => self.databases(database).drop_table(database, table, if_exists).await?,
                        false => self.databases(database).drop_table_for_now(database, table, if_exists).await?,
                    }
                }
            }
            Statement::Undrop { name, uuid } => {
                let database = name.database.as_deref().unwrap_or(&self.context.database);
                let uuid = uuid.map(|text| {
                    let unreadable =
                        |_| Error::new(ErrorCode::CANNOT_PARSE_UUID, format!("Cannot parse UUID from '{text}'"));
                    text.parse::<Uuid>().map_err(unreadable)
                });
                databases.undrop_table(database, &name.table, uuid.transpose()?).await?;
            }
            Statement::CreateFunction { name, if_not_exists, or_replace, function } => {
                self.create_function(name, function, if_not_exists, or_replace)?;
            }
            Statement::DropFunction { name, if_exists } => self.drop_function(&name, if_exists)?,
            Statement::Truncate { name, if_exists } => {
                let (database, table) = self.full(&name);
                if if_exists && !self.databases(database).has_table(database, table) {
                    return Ok(Outcome::done());
                }
                let truncated = self.table(database, table)?;
                self.check_drops_table(&truncated)?;
                let definition = truncated.definition();
                // What lies in the target of a view with TO is not the view's.
                if definition.inner_name().is_some() {
                    self.databases(database).stored(database, table)?.truncate(&self.context).await?;
                } else if definition.view_target().is_none() {
                    truncated.truncate(&self.context).await?;
                }
            }
            Statement::TruncateDatabase { name, if_exists, drops, filter } => {
                self.truncate_database(&name, if_exists, drops, filter.as_ref()).await?;
            }
            Statement::Rename { pairs, exchange } => {
                for Renamed { from, to, if_exists } in &pairs {
                    let (from, new) = (self.full(from), self.full(to));
                    if *if_exists && !self.databases(from.0).has_table(from.0, from.1) {
                        continue;
                    }
                    if exchange {
                        self.databases(from.0).exchange_tables(from, new).await?;
                        continue;
                    }
                    self.check_no_dependents(from.0, from.1)?;
                    // A temporary table stays one, and its new name may be that of a table of the catalog.
                    let database = match &to.database {
                        None if from.0 == TEMPORARY_DATABASE => TEMPORARY_DATABASE,
                        None => &self.context.database,
                        Some(database) => database,
                    };
                    self.databases(from.0).rename_table(from, (database, new.1)).await?;
                }
            }
            Statement::RenameDatabase { from, to, if_exists } => {
                databases.rename_database(&from, &to, if_exists).await?;
            }
            Statement::ShowCreateTable(name) => return self.show_create_table(&name),
            Statement::ShowCreateDatabase(name) => {
                let database = databases.database_for(&name, &self.seen())?;
                return Outcome::texts(&["statement"], &[vec![gristmill_catalog::create_database_query(&database)]]);
            }
            Statement::Exists { name, kind } => return self.exists(&name, kind),
            Statement::Check(checked) => return self.check(&checked).await,
            Statement::Optimize { name, partition, to_one_part, deduplicate, cleanup, dry_run } => {
                let (database, table) = self.full(&name);
                let (database, table) = self.rows_of(database, table)?;
                let table = self.table(&database, &table)?;
                let partition = partition.map(|partition| self.one_partition(&table, &partition)).transpose()?;
                let deduplicate_by = self.compared_columns(&table, deduplicate.as_deref().unwrap_or_default())?;
                let deduplicate = deduplicate.is_some();
                if dry_run.is_some() {
                    check_dry_run(table.as_ref(), to_one_part)?;
                }
                let request = OptimizeRequest { partition, to_one_part, deduplicate, deduplicate_by, cleanup, dry_run };
                let context = self.context.clone();
                return Ok(Outcome::work(async move { table.optimize(&context, request).await }));
            }
            Statement::Alter { name, commands } => return self.alter(&name, commands).await,
            Statement::Delete { name, partition, condition } => {
                return self.delete(&name, partition.as_ref(), &condition).await;
            }
            Statement::Update { name, command } => return self.update(&name, &command).await,
            Statement::KillMutation { condition, test } => return self.kill_mutations(&condition, test).await,
            Statement::DetachDatabase { name, if_exists } => databases.detach_database(&name, if_exists).await?,
            Statement::AttachDatabase { name, if_not_exists } => databases.attach_database(&name, if_not_exists).await?,
            Statement::Detach { name, if_exists, kind, permanently } => {
                let (database, table) = self.full(&name);
                let databases = self.databases(database);
                if if_exists && !databases.has_table(database, table) {
                    return Ok(Outcome::done());
                }
                check_kind(&databases.table_for(database, table, &self.seen())?, kind)?;
                databases.detach_table(database, table, permanently).await?;
            }
            Statement::Attach { name, if_not_exists } => {
                let (database, table) = self.full(&name);
                if if_not_exists && self.table(database, table).is_ok() {
                    return Ok(Outcome::done());
                }
                self.databases(database).attach_table(database, table).await?;
            }
            Statement::DropLoadLedger { name, load_id } => {
                let (database, table) = self.full(&name);
                let table = self.databases(database).stored(database, table)?;
                let shape = Shape::of(&self.engine, &self.context, &table).await?;
                crate::views::load::forget(&shape, &self.context, load_id.as_deref()).await?;
            }
            Statement::FlushAsyncInserts(names) => {
                let mut chosen = Vec::with_capacity(names.len());
                for name in &names {
                    let (database, table) = self.full(name);
                    let definition = self.databases(database).stored(database, table)?.definition();
                    chosen.push((definition.database.clone(), definition.name.clone()));
                }
                let is_chosen = |key: &Key| {
                    chosen.is_empty() || chosen.iter().any(|(of, name)| *of == key.database && *name == key.name)
                };
                let _waiting = self.context.waits_for(Wait::Lock);
                let flushed = async {
                    self.engine.async_inserts.flush(is_chosen).await;
                    Ok(())
                };
                self.context.cancellable(flushed).await?;
            }
            Statement::Merges { name, ttl, starts } => {
                let work = if ttl { BackgroundWork::TtlMerges } else { BackgroundWork::Merges };
                match &name {
                    // As in ClickHouse, a table that is not there does nothing anyway.
                    Some(name) => {
                        let (database, table) = self.full(name);
                        if self.databases(database).has_table(database, table) {
                            self.table(database, table)?.set_background(work, starts)?;
                        }
                    }
                    None => {
                        let family = |table: &Arc<dyn Table>| table.definition().engine.name.ends_with("MergeTree");
                        let names = databases.database_names();
                        let tables = names.iter().flat_map(|database| databases.tables(database));
                        for table in tables.filter(family) {
                            table.set_background(work, starts)?;
                        }
                    }
                }
            }
            Statement::KillQuery { condition, test, waits } => return self.kill_queries(&condition, test, waits).await,
            Statement::System(words) => self.system(&words).await?,
            other => return Err(Error::logical(format!("No interpreter for a {} statement", other.kind()))),
        }
        Ok(Outcome::done())
    }

    /// That no materialized view reads a table or writes it, where `check_referential_table_dependencies` asks for that. Error:
    /// HAVE_DEPENDENT_OBJECTS.
    fn check_no_dependents(&self, database: &str, table: &str) -> Result<()> {
        if !self.context.settings.check_referential_table_dependencies {
            return Ok(());
        }
        let databases = &self.engine.databases;
        let reads = databases.views_of(database, table).into_iter();
        let names = databases.database_names();
        let writes = names.iter().flat_map(|name| databases.tables(name)).filter(|view| {
            let definition = view.definition();
            // The table of a view's own goes with the view.
            definition.inner_name().is_none()
                && definition.view_target().is_some_and(|(of, target)| of == database && target == table)
        });
        let dependents: Vec<String> = reads
            .chain(writes)
            .map(|view| {
                let definition = view.definition();
                format!("{}.{}", definition.database, definition.name)
            })
            .collect();
        if dependents.is_empty() {
            return Ok(());
        }
        Err(Error::new(
            ErrorCode::HAVE_DEPENDENT_OBJECTS,
            format!("Cannot drop or rename {database}.{table}, because some tables depend on it: {}", dependents.join(", ")),
        ))
    }

    /// Whether `ignore_drop_queries_probability` has a table stay. One in memory loses its rows.
    async fn ignores_drop(&self, database: &str, table: &str) -> Result<bool> {
        let probability = self.context.settings.ignore_drop_queries_probability;
        if probability <= 0.0 || !self.databases(database).has_table(database, table) {
            return Ok(false);
        }
        let chance = self.engine.env.random_u64() as f64 / u64::MAX as f64;
        if chance > probability {
            return Ok(false);
        }
        let table = self.table(database, table)?;
        if table.definition().engine.name == "Memory" {
            table.truncate(&self.context).await?;
        }
        Ok(true)
    }

    /// Drops the tables of a database, or empties those that have rows; with a filter, those that it names. Errors:
    /// UNKNOWN_DATABASE.
    async fn truncate_database(&self, name: &str, if_exists: bool, drops: bool, filter: Option<&NameFilter>) -> Result<()> {
        let databases = &self.engine.databases;
        if !databases.database_names().iter().any(|known| known == name) {
            let text = format!("Database {name} does not exist");
            return if if_exists { Ok(()) } else { Err(Error::new(ErrorCode::UNKNOWN_DATABASE, text)) };
        }
        let pattern = filter.map(|filter| Like::new(filter.pattern.as_bytes(), filter.any_case)).transpose()?;
        for table in databases.tables(name) {
            let definition = table.definition();
            if let (Some(filter), Some(pattern)) = (filter, &pattern)
                && pattern.matches(definition.name.as_bytes()) == filter.negated
            {
                continue;
            }
            if drops {
                // The table of a view's own goes with the view.
                self.check_drops_table(&table)?;
                databases.drop_table(name, &definition.name, true).await?;
            } else if !definition.is_view() && definition.materialized_view().is_none() {
                self.check_drops_table(&table)?;
                table.truncate(&self.context).await?;
            }
        }
        Ok(())
    }

    /// The columns of DEDUPLICATE BY. Errors: SYNTAX_ERROR; THERE_IS_NO_COLUMN where a pattern fits none.
    fn compared_columns(&self, table: &Arc<dyn Table>, listed: &[Node]) -> Result<Vec<String>> {
        let tables = ResolvedTables::default();
        let analyzer =
            Analyzer::new(&self.engine.registry, Engine::function_env(&self.context), &self.context.settings, &tables);
        let names = analyzer.listed_columns(listed, &table.definition().stored_columns())?;
        if names.is_empty() && !listed.is_empty() {
            return Err(Error::new(ErrorCode::THERE_IS_NO_COLUMN, "DEDUPLICATE BY names no column"));
        }
        Ok(names)
    }

    async fn system(&self, words: &[String]) -> Result<()> {
        let upper: Vec<String> = words.iter().map(|word| word.to_ascii_uppercase()).collect();
        let upper: Vec<&str> = upper.iter().map(String::as_str).collect();
        match &upper[..] {
            ["FLUSH", "LOGS", ..] => {
                let _waiting = self.context.waits_for(Wait::Lock);
                self.context.cancellable(self.engine.flush_logs(&log_names(&words[2..]))).await
            }
            ["CALIBRATE"] => self.engine.calibrate(Form::Full, &self.context).await.map(drop),
            ["CALIBRATE", "QUICK"] => self.engine.calibrate(Form::Quick, &self.context).await.map(drop),
            ["RELOAD", "CONFIG" | "USERS"] => self.engine.reload_config(),
            ["DROP" | "CLEAR", "SCHEMA", ..] | ["DROP" | "CLEAR", "PARQUET", "METADATA", ..] => {
                self.engine.hints.caches.clear();
                Ok(())
            }
            ["DROP" | "CLEAR", "UNCOMPRESSED", "CACHE"] => {
                self.engine.mergetree.granules.clear();
                Ok(())
            }
            // ClickHouse has them among others in the cache that it calls by the second name.
            ["DROP" | "CLEAR", "SKIPPING", "INDEX", "CACHE"] | ["DROP" | "CLEAR", "INDEX", "UNCOMPRESSED", "CACHE"] => {
                self.engine.mergetree.skip_indexes.clear();
                Ok(())
            }
            ["DROP" | "CLEAR", "QUERY", "CONDITION", "CACHE"] => {
                self.engine.mergetree.conditions.clear();
                Ok(())
            }
            ["DROP" | "CLEAR", "MARK", "CACHE"] => {
                self.engine.mergetree.parts.clear();
                Ok(())
            }
            // Running queries may finish, this one among them.
            ["SHUTDOWN"] => self.engine.end(),
            ["DROP" | "CLEAR", cache @ ..] if NO_SUCH_CACHES.contains(&cache.join(" ").as_str()) => Ok(()),
            ["RELOAD", "DICTIONARIES" | "FUNCTIONS"]
            | ["RELOAD", "EMBEDDED", "DICTIONARIES"]
            | ["RELOAD", "ASYNCHRONOUS", "METRICS"]
            | ["SYNC", "FILE", "CACHE"]
            | ["JEMALLOC", "PURGE"] => Ok(()),
            ["STOP" | "START", job @ ..] if NO_SUCH_JOBS.iter().any(|known| begins_with(job, known)) => Ok(()),
            // Marks and keys are read when they are needed; the tables have to be there.
            ["LOAD" | "UNLOAD", "PRIMARY", "KEY"] => Ok(()),
            ["LOAD" | "UNLOAD", "PRIMARY", "KEY", ..]
            | ["WAIT", "LOADING", "PARTS", _, ..]
            | ["PREWARM", "MARK", "CACHE", _, ..] => {
                let name: Vec<String> = words[3..].concat().split('.').map(|part| part.replace(['`', '"'], "")).collect();
                let (database, table) = match &name[..] {
                    [database, table] => (database.as_str(), table.as_str()),
                    _ => (self.context.database.as_str(), name[0].as_str()),
                };
                self.table(database, table).map(drop)
            }
            ["UNFREEZE", "WITH", "NAME", _] => Err(unfreezes_one_table(&words[3])),
            [first, ..] if !SYSTEM_VERBS.contains(first) || upper.len() < 2 => Err(unknown_command(words)),
            [] | ["WAIT", "LOADING", "PARTS"] | ["PREWARM", "MARK", "CACHE"] => Err(unknown_command(words)),
            _ => Err(Error::not_implemented(format!("SYSTEM {}", words.join(" ")))),
        }
    }
}

/// The logs of SYSTEM FLUSH LOGS a, system.b; none: all.
fn log_names(words: &[String]) -> Vec<String> {
    let names = words.split(|word| word == ",").map(<[String]>::concat);
    let names = names.map(|name| name.replace(['`', '"'], "")).filter(|name| !name.is_empty());
    names.map(|name| name.strip_prefix("system.").unwrap_or(&name).to_string()).collect()
}

/// Errors: BAD_ARGUMENTS.
fn check_dry_run(table: &dyn Table, to_one_part: bool) -> Result<()> {
    let wrong = |text: &str| Err(Error::new(ErrorCode::BAD_ARGUMENTS, text));
    if !table.definition().engine.name.ends_with("MergeTree") {
        return wrong(
            "OPTIMIZE DRY RUN is only supported for MergeTree family tables: it merges parts, and throws away what comes out",
        );
    }
    if to_one_part {
        return wrong("OPTIMIZE DRY RUN is incompatible with FINAL: leave FINAL out, the parts that are named become one");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logs_are_named_one_after_the_other() {
        let names = |words: &[&str]| log_names(&words.iter().map(ToString::to_string).collect::<Vec<_>>());
        assert!(names(&[]).is_empty());
        assert_eq!(names(&["query_log", ",", "system", ".", "`part_log`"]), ["query_log", "part_log"]);
    }
}
