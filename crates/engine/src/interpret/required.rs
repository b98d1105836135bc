//! What a user must have been granted to run a statement.
//!
//! Tables that a query reads are asked about where they are found (`resolver`), and their columns where they are read
//! (`granted_columns`): only there is it known which.

use gristmill_access::rights::{Object, denied};
use gristmill_access::{Level, Privileges};
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_catalog::databases::is_of_each_user;
use gristmill_introspect::{QueryContext, Use};
use gristmill_sql::create::CreateTable;
use gristmill_sql::statement::{
    AlterCommand, Checked, InsertSource, ObjectKind, Renamed, Statement, TableExpression, TableName,
};
use gristmill_sql::statistics::StatisticsChange;

use super::Interpreter;
use crate::session::is_of_everybody;
use crate::temporary::TEMPORARY_DATABASE;

/// A privilege by its name.
pub(crate) fn privilege(name: &str) -> Privileges {
    // A name that is none would let everybody in; so it lets in who may do everything.
    Privileges::known(name).unwrap_or_else(Privileges::all)
}

/// System tables that everybody may read: they tell of the dialect, or of nothing but what the reader may see.
const OF_EVERYBODY: &[&str] = &[
    "aggregate_function_combinators",
    "build_options",
    "collations",
    "columns",
    "completions",
    "contributors",
    "current_roles",
    "data_type_families",
    "database_engines",
    "databases",
    "enabled_roles",
    "formats",
    "functions",
    "keywords",
    "licenses",
    "merge_tree_settings",
    "numbers",
    "numbers_mt",
    "one",
    "privileges",
    "processes",
    "quota_usage",
    "settings",
    "table_engines",
    "table_functions",
    "tables",
    "time_zones",
    "user_processes",
    "warnings",
    "zeros",
    "zeros_mt",
];

/// What nobody has to be granted: those tables, `information_schema`, and the names of table engines.
pub(super) fn everybodys() -> Vec<(Privileges, Object)> {
    let select = privilege("SELECT");
    let tables = OF_EVERYBODY.iter().map(|table| (select, Object::table("system", table)));
    let schemas = ["information_schema", "INFORMATION_SCHEMA"].map(|database| (select, Object::database(database)));
    tables.chain(schemas).chain([(privilege("TABLE ENGINE"), Object::Named(None))]).collect()
}

/// Error: ACCESS_DENIED, where nothing of a table may be read. Gives whether all of it may.
pub(crate) fn may_read(context: &QueryContext, database: &str, table: &str) -> Result<bool> {
    if database == TEMPORARY_DATABASE || database.eq_ignore_ascii_case("information_schema") {
        return Ok(true);
    }
    if database == "system" && OF_EVERYBODY.contains(&table) {
        return Ok(true);
    }
    let (select, object) = (privilege("SELECT"), Object::table(database, table));
    if context.rights().has(select, &object) {
        context.used.note(Use::TableAskedAbout, &format!("{database}.{table}"));
        return Ok(true);
    }
    match context.rights().has_some(select, &object) {
        true => Ok(false),
        // The user is not told which columns there are; the log is, if that can be found out.
        false => {
            context.used.note(Use::TableDenied, &format!("{database}.{table}"));
            Err(denied(&context.user, &format!("SELECT ON {object}")))
        }
    }
}

/// Error: ACCESS_DENIED. The query log has what is missing.
pub(crate) fn missing(context: &QueryContext, right: &str) -> Error {
    context.note_right(false, right);
    denied(&context.user, right)
}

/// Whether a user may know of a database, or of a table of it.
pub(crate) fn may_know(context: &QueryContext, database: &str, table: Option<&str>) -> bool {
    let object = match table {
        Some(table) => Object::table(database, table),
        None => Object::database(database),
    };
    database == TEMPORARY_DATABASE
        || (table.is_none() && is_of_everybody(database))
        || is_of_each_user(database)
        || context.rights().has_some(Privileges::grantable_on(Level::Database), &object)
}

/// The privilege of a table function or engine that reads or writes outside of the server; `None`: it does not.
fn source_of(name: &str) -> Option<(&'static str, &'static str)> {
    let name = name.to_ascii_lowercase();
    let of = |names: &[&str]| names.iter().any(|known| name.starts_with(known));
    if of(&["s3", "gcs", "oss", "cosn"]) {
        return Some(("S3", "S3"));
    }
    if of(&["azure"]) {
        return Some(("AZURE", "AZURE"));
    }
    [("url", "URL"), ("file", "FILE"), ("remote", "REMOTE")]
        .into_iter()
        .find(|(known, _)| name.starts_with(known))
        .map(|(_, source)| (source, source))
}

/// Error: ACCESS_DENIED, where a function or engine of this name may not be used. `writes`: data goes there.
pub(crate) fn check_source(context: &QueryContext, name: &str, writes: bool) -> Result<()> {
    let Some((source, of)) = source_of(name) else { return Ok(()) };
    let rights = context.rights();
    let direction = if writes { "WRITE" } else { "READ" };
    let is_granted = rights.has(privilege(source), &Object::EVERYTHING)
        || rights.has(privilege("SOURCES"), &Object::EVERYTHING)
        || rights.has(privilege(direction), &Object::named(of));
    let right = format!("{direction} ON {of}");
    if !is_granted {
        return Err(missing(context, &right));
    }
    context.note_right(true, &right);
    Ok(())
}

/// Error: READONLY, where a function of this name may not be read with `readonly` 1: those that read outside of the server, and others
/// that ClickHouse has no exception for.
pub(crate) fn check_function_in_readonly(context: &QueryContext, name: &str) -> Result<()> {
    let others = ["format", "zeros", "zeros_mt"];
    let is_refused = source_of(name).is_some() || others.iter().any(|other| other.eq_ignore_ascii_case(name));
    if context.settings.readonly == 1 && is_refused { Err(readonly(1)) } else { Ok(()) }
}

/// What the setting `readonly` refuses, by its value. Clients look for the first words.
pub(super) fn readonly(value: u64) -> Error {
    let why = match value {
        2 => "Over HTTP, GET is readonly: send what changes something with POST",
        _ => "The setting readonly is 1, for the user or in the session: SET does not change it",
    };
    Error::new(ErrorCode::READONLY, format!("Cannot execute query in readonly mode. {why}"))
}

impl Interpreter {
    /// Error: ACCESS_DENIED, with what is missing.
    pub(crate) fn check_access(&self, statement: &Statement) -> Result<()> {
        let everywhere = |name: &str| self.context.check_access(privilege(name), &Object::EVERYTHING);
        let database = |name: &str, of: &str| self.context.check_access(privilege(name), &Object::database(of));
        match statement {
            Statement::Insert(insert) => match &insert.target {
                TableExpression::Table(name) => {
                    self.check_insert(name, &insert.column_names())?;
                    match &insert.source {
                        InsertSource::Infile { .. } => check_source(&self.context, "file", false),
                        _ => Ok(()),
                    }
                }
                TableExpression::Function { name, .. } => check_source(&self.context, name, true),
                TableExpression::Query(_) => Ok(()),
            },
            Statement::Explain { statement, .. } | Statement::Shown { statement, .. } => self.check_access(statement),
            Statement::CreateTable(create) => self.check_create(create),
            Statement::CreateDatabase { name, .. } | Statement::AttachDatabase { name, .. } => {
                database("CREATE DATABASE", name)
            }
            Statement::DropDatabase { name, .. } | Statement::DetachDatabase { name, .. } => database("DROP DATABASE", name),
            Statement::RenameDatabase { from, to, .. } => {
                database("DROP DATABASE", from)?;
                database("CREATE DATABASE", to)
            }
            Statement::CreateFunction { .. } => everywhere("CREATE FUNCTION"),
            Statement::DropFunction { .. } => everywhere("DROP FUNCTION"),
            Statement::DropTable { names, views, .. } => {
                let privilege = if *views { "DROP VIEW" } else { "DROP TABLE" };
                names.iter().try_for_each(|name| self.check_table(privilege, name))
            }
            Statement::Truncate { name, .. } | Statement::DropLoadLedger { name, .. } => self.check_table("TRUNCATE", name),
            Statement::TruncateDatabase { name, drops, .. } => {
                database(if *drops { "DROP TABLE" } else { "TRUNCATE" }, name)?;
                if *drops { database("DROP VIEW", name) } else { Ok(()) }
            }
            Statement::Rename { pairs, exchange } => pairs.iter().try_for_each(|Renamed { from, to, .. }| {
                self.check_moves(from, to)?;
                if *exchange { self.check_moves(to, from) } else { Ok(()) }
            }),
            Statement::Describe(TableExpression::Table(name)) | Statement::ShowCreateTable(name) => {
                self.check_sees_columns(name)
            }
            Statement::Describe(TableExpression::Function { name, .. }) => check_source(&self.context, name, false),
            Statement::ShowCreateDatabase(name) | Statement::Use(name) | Statement::ShowOf { database: name, .. } => {
                match is_of_everybody(name) || self.sees(&Object::database(name)) {
                    true => Ok(()),
                    false => database("SHOW DATABASES", name),
                }
            }
            // As SHOW TABLES does; that a database is there is told to who may know of it.
            Statement::Exists { name, kind: ObjectKind::Table | ObjectKind::View } => {
                self.check_table("SHOW TABLES", &self.asked_for(name))
            }
            Statement::Check(Checked::All) => everywhere("CHECK"),
            Statement::Check(Checked::Partition(name, _) | Checked::Part(name, _)) => self.check_table("CHECK", name),
            Statement::Optimize { name, .. } => self.check_table("OPTIMIZE", name),
            Statement::Alter { name, commands } => commands.iter().try_for_each(|command| self.check_alter(name, command)),
            Statement::Delete { name, .. } => self.check_table("ALTER DELETE", name),
            Statement::Update { name, command } => self.check_alter(name, command),
            Statement::Undrop { name, .. } => self.check_table("UNDROP TABLE", name),
            Statement::Detach { name, .. } => self.check_table("DROP TABLE", name),
            Statement::Attach { name, .. } => self.check_table("CREATE TABLE", name),
            // Everybody may end what is theirs, and sees no other.
            Statement::KillQuery { .. } => Ok(()),
            Statement::KillMutation { .. } => everywhere("KILL QUERY"),
            Statement::System(words) => everywhere(&system_privilege(words)),
            Statement::FlushAsyncInserts(_) => everywhere("SYSTEM FLUSH ASYNC INSERT QUEUE"),
            Statement::Merges { name, ttl, .. } => {
                let privilege = if *ttl { "SYSTEM TTL MERGES" } else { "SYSTEM MERGES" };
                name.as_ref().map_or_else(|| everywhere(privilege), |name| self.check_table(privilege, name))
            }
            // What a query reads is checked where it is found; what access statements want, by themselves.
            Statement::Select(_)
            | Statement::Describe(TableExpression::Query(_))
            | Statement::Exists { .. }
            | Statement::ShowTemporaryTables { .. }
            | Statement::Set(_)
            | Statement::SetParameters { .. }
            | Statement::Access(_) => Ok(()),
        }
    }

    /// Whether the user has any right on the object, and so may know of it.
    pub(crate) fn sees(&self, object: &Object) -> bool {
        self.context.rights().has_some(Privileges::grantable_on(Level::Database), object)
    }

    fn check_table(&self, privilege: &str, name: &TableName) -> Result<()> {
        self.check_columns(privilege, name, &[])
    }

    /// `columns`: none for all of them.
    fn check_columns(&self, name: &str, table: &TableName, columns: &[String]) -> Result<()> {
        let (database, table) = self.full(table);
        if database == TEMPORARY_DATABASE {
            return Ok(());
        }
        let (wanted, object, rights) = (privilege(name), Object::table(database, table), self.context.rights());
        let columns_text = if columns.is_empty() { String::new() } else { format!("({})", columns.join(", ")) };
        let right = format!("{wanted}{columns_text} ON {object}");
        // To see is implied by any other right.
        let is_seen = name.starts_with("SHOW ") && self.sees(&object);
        let of_columns =
            !columns.is_empty() && columns.iter().all(|column| rights.has(wanted, &Object::column(database, table, column)));
        if !(is_seen || of_columns || rights.has(wanted, &object)) {
            return Err(missing(&self.context, &right));
        }
        self.context.note_right(true, &right);
        Ok(())
    }

    /// `columns`: none for all that the table has: the log names them. (Whoever may not insert is not told which there are.)
    fn check_insert(&self, name: &TableName, columns: &[String]) -> Result<()> {
        let (database, table) = self.full(name);
        let is_granted = self.context.rights().has(privilege("INSERT"), &Object::table(database, table));
        let all = || Some(self.databases(database).table(database, table).ok()?.definition().columns.names());
        match all().filter(|_| columns.is_empty() && is_granted) {
            Some(all) => self.check_columns("INSERT", name, &all),
            None => self.check_columns("INSERT", name, columns),
        }
    }

    /// Who was granted some columns knows of no others, and the definition has them all.
    fn check_sees_columns(&self, name: &TableName) -> Result<()> {
        self.check_table("SHOW COLUMNS", name)?;
        let (database, table) = self.full(name);
        let Ok(found) = self.engine.databases.table(database, table) else { return Ok(()) };
        let sees = |column: &str| self.sees(&Object::column(database, table, column));
        let is_everybodys = database == TEMPORARY_DATABASE || is_of_each_user(database);
        if is_everybodys || found.definition().columns.iter().all(|column| sees(&column.name)) {
            return Ok(());
        }
        Err(missing(&self.context, &format!("SHOW COLUMNS ON {}", Object::table(database, table))))
    }

    /// A table takes the name of another.
    fn check_moves(&self, from: &TableName, to: &TableName) -> Result<()> {
        self.check_table("SELECT", from)?;
        self.check_table("DROP TABLE", from)?;
        self.check_table("CREATE TABLE", to)?;
        self.check_table("INSERT", to)
    }

    fn check_create(&self, create: &CreateTable) -> Result<()> {
        if let Some((engine, _)) = &create.engine {
            check_source(&self.context, engine, true)?;
            check_source(&self.context, engine, false)?;
        }
        if let Some((function, _)) = &create.as_function {
            check_source(&self.context, function, true)?;
            check_source(&self.context, function, false)?;
        }
        if let Some(like) = &create.like {
            self.check_table("SHOW COLUMNS", like)?;
        }
        // Rows go there for whoever inserts, and are read from there for whoever asks the view.
        if let Some(target) = &create.to {
            self.check_table("SELECT", target)?;
            self.check_table("INSERT", target)?;
        }
        let Some(name) = &create.name else { return Ok(()) };
        let (database, _) = self.full(name);
        if create.temporary || database == TEMPORARY_DATABASE {
            let (temporary, lasting) = match create.view {
                Some(_) => ("CREATE TEMPORARY VIEW", "CREATE VIEW"),
                None => ("CREATE TEMPORARY TABLE", "CREATE TABLE"),
            };
            let (temporary, rights) = (privilege(temporary), self.context.rights());
            // Who may make lasting tables somewhere may make others.
            return match rights.has_some(privilege(lasting), &Object::EVERYTHING) {
                true => Ok(()),
                false => self.context.check_access(temporary, &Object::EVERYTHING),
            };
        }
        if let (true, Some(like)) = (create.clones, &create.like) {
            self.check_table("SELECT", like)?;
            self.check_table("INSERT", name)?;
        }
        let is_view = create.view.is_some();
        self.check_table(if is_view { "CREATE VIEW" } else { "CREATE TABLE" }, name)?;
        if create.or_replace {
            self.check_table(if is_view { "DROP VIEW" } else { "DROP TABLE" }, name)?;
        }
        Ok(())
    }

    fn check_alter(&self, table: &TableName, command: &AlterCommand) -> Result<()> {
        use AlterCommand as C;
        let column = |privilege: &str, name: &str| self.check_columns(privilege, table, &[name.to_string()]);
        let whole = |privilege: &str| self.check_table(privilege, table);
        match command {
            C::AddColumn { column: added, .. } => column("ALTER ADD COLUMN", &added.name),
            C::DropColumn { name, .. } => column("ALTER DROP COLUMN", name),
            C::ClearColumn { name, .. } => column("ALTER CLEAR COLUMN", name),
            C::ModifyColumn { column: modified, .. } => column("ALTER MODIFY COLUMN", &modified.name),
            C::RemoveProperty { name, .. } => column("ALTER MODIFY COLUMN", name),
            C::CommentColumn { name, .. } => column("ALTER COMMENT COLUMN", name),
            C::RenameColumn { from, to, .. } => {
                column("ALTER RENAME COLUMN", from)?;
                column("ALTER RENAME COLUMN", to)
            }
            C::MaterializeColumn { name, .. } => column("ALTER MATERIALIZE COLUMN", name),
            C::AddIndex { .. } => whole("ALTER ADD INDEX"),
            C::DropIndex { .. } => whole("ALTER DROP INDEX"),
            C::ClearIndex { .. } => whole("ALTER CLEAR INDEX"),
            C::MaterializeIndex { .. } => whole("ALTER MATERIALIZE INDEX"),
            C::AddProjection { .. } => whole("ALTER ADD PROJECTION"),
            C::DropProjection { .. } => whole("ALTER DROP PROJECTION"),
            C::ClearProjection { .. } => whole("ALTER CLEAR PROJECTION"),
            C::MaterializeProjection { .. } => whole("ALTER MATERIALIZE PROJECTION"),
            C::AddConstraint { .. } => whole("ALTER ADD CONSTRAINT"),
            C::DropConstraint { .. } => whole("ALTER DROP CONSTRAINT"),
            C::ModifySampleBy(_) | C::RemoveSampleBy => whole("ALTER SAMPLE BY"),
            C::ModifySetting(_) | C::ResetSetting(_) => whole("ALTER SETTINGS"),
            C::ModifyOrderBy { .. } => whole("ALTER ORDER BY"),
            C::ModifyComment(_) => whole("ALTER MODIFY COMMENT"),
            C::ModifyTtl(_) | C::RemoveTtl => whole("ALTER TTL"),
            C::MaterializeTtl { .. } => whole("ALTER MATERIALIZE TTL"),
            C::ModifyQuery { .. } => whole("ALTER VIEW MODIFY QUERY"),
            C::Update { assignments, .. } => {
                let columns: Vec<String> = assignments.iter().map(|(column, _)| column.clone()).collect();
                self.check_columns("ALTER UPDATE", table, &columns)
            }
            C::ApplyPatches { .. } => whole("ALTER UPDATE"),
            C::Delete { .. } | C::ApplyDeletedMask { .. } | C::DropParts { .. } | C::DetachParts(_) => whole("ALTER DELETE"),
            C::AttachParts(_) => whole("INSERT"),
            C::CopyPartition { from, replaces, .. } => {
                self.check_table("SELECT", from)?;
                whole("INSERT")?;
                if *replaces { whole("ALTER DELETE") } else { Ok(()) }
            }
            C::MovePartition { to, .. } => {
                whole("SELECT")?;
                whole("ALTER DELETE")?;
                self.check_table("INSERT", to)
            }
            C::MoveParts { .. } => whole("ALTER MOVE PARTITION"),
            C::RewriteParts { .. } => whole("ALTER REWRITE PARTS"),
            C::ModifyColumnSettings { name, .. } | C::ResetColumnSettings { name, .. } => {
                column("ALTER MODIFY COLUMN", name)
            }
            C::Statistics { change, .. } => whole(match change {
                StatisticsChange::Add => "ALTER ADD STATISTICS",
                StatisticsChange::Modify => "ALTER MODIFY STATISTICS",
                StatisticsChange::Drop | StatisticsChange::Clear => "ALTER DROP STATISTICS",
                StatisticsChange::Materialize => "ALTER MATERIALIZE STATISTICS",
            }),
            C::Freeze { .. } | C::Unfreeze { .. } => whole("ALTER FREEZE PARTITION"),
            C::OfReplicas { fetches: true, .. } => whole("ALTER FETCH PARTITION"),
            C::OfReplicas { fetches: false, .. } => whole("ALTER DELETE"),
        }
    }
}

/// The longest beginning of a SYSTEM statement that names a privilege.
fn system_privilege(words: &[String]) -> String {
    let name = |count: usize| {
        std::iter::once("SYSTEM").chain(words[..count].iter().map(String::as_str)).collect::<Vec<_>>().join(" ")
    };
    let known = (0..=words.len()).rev().map(name).find(|name| Privileges::known(name).is_some());
    known.unwrap_or_else(|| "SYSTEM".to_string())
}
