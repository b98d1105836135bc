//! The engine, one a process: what all sessions share.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use gristmill_access::AccessControl;
use gristmill_access::control::State;
use gristmill_access::entity::RoleGranted;
use gristmill_base::env::{Env, system_env};
use gristmill_base::{Error, ErrorCode, Result, ResultExt};
use gristmill_calibration::{Calibrations, keeper};
use gristmill_catalog::metadata_store::make_private;
use gristmill_catalog::{Databases, LogSource, MetadataStore};
use gristmill_functions::user_defined::UserFunctions;
use gristmill_functions::{AddressRules, Asker, FunctionEnv, FunctionLimits, JsonRules, Registry, SessionRoles};
use gristmill_introspect::{QueryContext, Settings, server_settings};
use gristmill_mergetree::{EnvironmentOptions, MergeTreeEnvironment};
use gristmill_sources::SourceHints;
use parking_lot::{Mutex, RwLock};

use crate::async_inserts::AsyncInserts;
use crate::calibration::CalibratingJob;
use crate::compiler::Compiler;
use crate::logs::{Logs, LogsConfig};
use crate::opener::Opener;
use crate::query_functions;
use crate::regressions;
use crate::server_functions::{self, Asked};
use crate::views::gates::Gates;

#[derive(Clone, Debug, Default)]
pub struct EngineConfig {
    /// Where tables last. `None`: a temporary folder that goes with the engine.
    pub data_path: Option<PathBuf>,
    /// Bytes of decoded granules of tables kept in memory. `None`: the default.
    pub uncompressed_cache_size: Option<u64>,
    /// Bytes of what is remembered of conditions that no row of a granule fulfils. `None`: the default.
    pub query_condition_cache_size: Option<u64>,
    /// The only folder whose files statements may read and write; it is made. `None`: all that the process may.
    pub user_files_path: Option<PathBuf>,
    /// Where what was measured of the machine is kept. `None`: in the folder of the tables.
    pub calibration_path: Option<PathBuf>,
}

/// Reads the configuration again.
/// Tells the program that it is to end; it returns at once.
pub type End = Box<dyn Fn() + Send + Sync>;
pub type Reload = Box<dyn Fn() -> Result<()> + Send + Sync>;

/// Databases, functions, caches, background jobs.
pub struct Engine {
    pub databases: Arc<Databases>,
    pub registry: Arc<Registry>,
    /// Those of CREATE FUNCTION.
    pub user_functions: Arc<UserFunctions>,
    /// What every table function and every table of files gets: caches, and the folder that files lie in.
    pub hints: SourceHints,
    pub mergetree: Arc<MergeTreeEnvironment>,
    /// Users, roles and what they may do.
    pub access: Arc<AccessControl>,
    pub env: Arc<dyn Env>,
    pub data_path: PathBuf,
    /// What the machine can do.
    pub calibrations: Arc<Calibrations>,
    pub(crate) opener: Arc<Opener>,
    pub(crate) gates: Gates,
    pub(crate) async_inserts: Arc<AsyncInserts>,
    /// Where a server runs.
    logs: OnceLock<Logs>,
    /// Measures the machine when nothing else is to be done; where a server runs.
    pub(crate) calibrating: Mutex<Option<CalibratingJob>>,
    /// What SYSTEM RELOAD CONFIG does; `None`: there is no configuration.
    reload: RwLock<Option<Reload>>,
    end: RwLock<Option<End>>,
    /// Removed when the engine goes.
    _temporary: Option<TemporaryFolder>,
}

impl std::fmt::Debug for Engine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Engine").field("data_path", &self.data_path).finish_non_exhaustive()
    }
}

struct TemporaryFolder(PathBuf);

impl Drop for TemporaryFolder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The folder, which is made where it is not there, by its real path.
fn made(folder: PathBuf) -> Result<PathBuf> {
    std::fs::create_dir_all(&folder).and_then(|()| folder.canonicalize()).map_err(|error| {
        Error::new(ErrorCode::CANNOT_OPEN_FILE, format!("Cannot make the folder {}: {error}", folder.display()))
    })
}

impl Engine {
    pub async fn open(config: EngineConfig) -> Result<Arc<Engine>> {
        let env = system_env();
        let (data_path, temporary) = match config.data_path {
            Some(path) => (path, None),
            None => {
                let path = std::env::temp_dir().join(format!("gristmill-{}", env.uuid()));
                (path.clone(), Some(TemporaryFolder(path)))
            }
        };
        let not_made = || format!("while making the folder {}", data_path.display());
        make_private(&data_path).context(not_made)?;
        let data_path = made(data_path)?;
        let user_files_path = config.user_files_path.map(made).transpose()?;
        let asked = Arc::new(Asked { databases: OnceLock::new(), data_path: data_path.clone() });
        let mut registry = Registry::standard()?;
        server_functions::register(&mut registry, &asked);
        query_functions::register(&mut registry);
        let registry = Arc::new(registry);
        server_settings::set("path", data_path.display());
        server_settings::set("user_files_path", user_files_path.as_deref().unwrap_or(Path::new("")).display());
        let hints = SourceHints { user_files_path, ..SourceHints::default() };
        let defaults = EnvironmentOptions::default();
        let uncompressed_cache_size = config.uncompressed_cache_size.unwrap_or(defaults.uncompressed_cache_size);
        let query_condition_cache_size = config.query_condition_cache_size.unwrap_or(defaults.query_condition_cache_size);
        server_settings::set("uncompressed_cache_size", uncompressed_cache_size);
        server_settings::set("query_condition_cache_size", query_condition_cache_size);
        let options = EnvironmentOptions { uncompressed_cache_size, query_condition_cache_size, ..defaults };
        let mergetree = MergeTreeEnvironment::new(options, env.clone());
        mergetree.set_compiler(Arc::new(Compiler { registry: registry.clone() }));
        let opener = Opener::new(registry.clone(), hints.clone(), mergetree.clone(), &data_path);
        let store = match &temporary {
            Some(_) => MetadataStore::memory(),
            None => MetadataStore::local(&data_path)?,
        };
        let access = match &temporary {
            Some(_) => AccessControl::new(State::unconfigured()),
            None => AccessControl::open(&data_path, State::unconfigured())?,
        };
        let user_functions = match &temporary {
            Some(_) => UserFunctions::default(),
            None => UserFunctions::open(&data_path)?,
        };
        let databases = Databases::open(store, opener.clone()).await?;
        let calibration_path = config.calibration_path.unwrap_or_else(|| data_path.join(keeper::FOLDER));
        let calibrations = Calibrations::open(calibration_path, &data_path);
        // Nobody else sets it.
        let _ = asked.databases.set(Arc::downgrade(&databases));
        Ok(Arc::new(Engine {
            databases,
            registry,
            user_functions: Arc::new(user_functions),
            hints,
            mergetree,
            access: Arc::new(access),
            env,
            data_path,
            calibrations,
            opener,
            gates: Gates::default(),
            async_inserts: Arc::default(),
            logs: OnceLock::new(),
            calibrating: Mutex::default(),
            reload: RwLock::default(),
            end: RwLock::default(),
            _temporary: temporary,
        }))
    }

    /// Tables of `system` whose rows come from queries.
    pub fn register_computed_tables(self: &Arc<Self>) {
        self.databases.register_system(regressions::table(self));
    }

    /// From now on SYSTEM RELOAD CONFIG does this.
    pub fn on_reload(&self, reload: Reload) {
        *self.reload.write() = Some(reload);
    }

    /// From now on SYSTEM SHUTDOWN does this.
    pub fn on_shutdown(&self, end: End) {
        *self.end.write() = Some(end);
    }

    /// Error: NOT_IMPLEMENTED, where no server runs.
    pub(crate) fn end(&self) -> Result<()> {
        match &*self.end.read() {
            Some(end) => {
                end();
                Ok(())
            }
            None => Err(Error::not_implemented("SYSTEM SHUTDOWN without a server")),
        }
    }

    pub(crate) fn reload_config(&self) -> Result<()> {
        match &*self.reload.read() {
            Some(reload) => reload(),
            None => Ok(()),
        }
    }

    /// From now on logs go to tables of the database `system`; before, and in a process that never calls this, the newest
    /// entries are kept in memory.
    pub fn start_logs(self: &Arc<Self>, sources: Vec<Arc<dyn LogSource>>, config: &LogsConfig) {
        let logs = Logs::start(self, sources, config);
        if self.logs.set(logs).is_err() {
            tracing::warn!("The logs were started before");
        }
    }

    /// Returns when the tables of these logs, or of all, have what happened so far. Errors: BAD_ARGUMENTS.
    pub(crate) async fn flush_logs(&self, names: &[String]) -> Result<()> {
        match self.logs.get() {
            Some(logs) => logs.flush(names).await,
            // In memory they are current, but for what a flush says of itself (`Ending`).
            None => Ok(()),
        }
    }

    /// Writes what waits to be written, and stops background jobs.
    pub async fn shutdown(&self) {
        self.stop_calibrating();
        self.async_inserts.flush(|_| true).await;
        if let Some(logs) = self.logs.get() {
            logs.shutdown().await;
        }
        for database in self.databases.database_names() {
            for table in self.databases.tables(&database) {
                table.shutdown().await;
            }
        }
    }

    /// Words for completion: keywords, functions, databases, tables, columns, settings, formats.
    pub async fn completions(&self, database: &str) -> Vec<String> {
        let mut words: Vec<String> = KEYWORDS.iter().map(ToString::to_string).collect();
        words.extend(
            self.registry
                .names()
                .chain(gristmill_functions::only_with_lambda())
                .chain(gristmill_functions::by_analyser::names())
                .map(str::to_string),
        );
        words.extend(gristmill_sources::table_function_names().iter().map(ToString::to_string));
        words.extend(Settings::declared().iter().map(|info| info.name.to_string()));
        for name in self.databases.database_names() {
            for table in self.databases.tables(&name) {
                let definition = table.definition();
                if name == database {
                    words.push(definition.name.clone());
                    words.extend(definition.columns.names());
                } else {
                    words.push(format!("{name}.{}", definition.name));
                }
            }
            words.push(name);
        }
        words.sort_unstable();
        words.dedup();
        words
    }

    /// What functions know of a query.
    pub(crate) fn function_env(context: &QueryContext) -> FunctionEnv {
        FunctionEnv {
            timezone: Arc::from(timezone_name(&context.settings)),
            database: Arc::from(context.database.as_str()),
            user: Arc::from(context.user.as_str()),
            roles: roles(context),
            query_id: Arc::from(context.query_id.as_str()),
            now_micros: context.start.as_micros() as i64,
            cast_keep_nullable: context.settings.cast_keep_nullable,
            cast_string_to_date_time_mode: Arc::from(context.settings.cast_string_to_date_time_mode.as_str()),
            addresses: AddressRules::of(&context.settings),
            range_elements_max: context.settings.function_range_max_elements_in_block,
            json: json_rules(&context.settings),
            limits: FunctionLimits::of(&context.settings),
            asker: Asker {
                access: context.access.clone(),
                client: context.client.clone(),
                used: context.used.clone(),
                tags: context.tags.clone(),
            },
        }
    }
}

/// What settings say of functions of JSON.
fn json_rules(settings: &Settings) -> JsonRules {
    JsonRules {
        quotes_denormals: settings.output_format_json_quote_denormals,
        value_is_nullable: settings.function_json_value_return_type_allow_nullable,
        value_is_complex: settings.function_json_value_return_type_allow_complex,
    }
}

/// What functions tell of roles.
fn roles(context: &QueryContext) -> Arc<SessionRoles> {
    let access = &context.access;
    if access.enabled_roles.is_empty() && access.default_roles.is_empty() {
        return Arc::default();
    }
    let names = |roles: &[RoleGranted]| roles.iter().map(|granted| granted.role.clone()).collect();
    Arc::new(SessionRoles {
        current: names(&access.current_roles),
        enabled: names(&access.enabled_roles),
        default: access.default_roles.clone(),
    })
}

/// The session's time zone, else the machine's.
pub fn timezone_name(settings: &Settings) -> String {
    if !settings.session_timezone.is_empty() {
        return settings.session_timezone.clone();
    }
    gristmill_functions::text::server_timezone().to_string()
}

/// The session's time zone, parsed. Error: BAD_ARGUMENTS where the setting names none.
pub fn timezone(settings: &Settings) -> Result<chrono_tz::Tz> {
    let name = timezone_name(settings);
    name.parse().map_err(|_| {
        Error::new(
            ErrorCode::BAD_ARGUMENTS,
            format!("Unknown time zone '{name}' in session_timezone: give an IANA name such as Europe/Berlin"),
        )
    })
}

const KEYWORDS: &[&str] = &[
    "ALL",
    "AND",
    "ANTI",
    "ARRAY",
    "AS",
    "ASC",
    "BETWEEN",
    "BY",
    "CASE",
    "CAST",
    "CHECK TABLE",
    "CREATE",
    "CROSS",
    "DATABASE",
    "DATABASES",
    "DEFAULT",
    "DESC",
    "DESCRIBE",
    "DISTINCT",
    "DROP",
    "ELSE",
    "END",
    "ENGINE",
    "EXCEPT",
    "EXISTS",
    "EXPLAIN",
    "FINAL",
    "FORMAT",
    "FROM",
    "FULL",
    "FUNCTION",
    "GROUP",
    "HAVING",
    "ILIKE",
    "IN",
    "INNER",
    "INSERT",
    "INTERSECT",
    "INTERVAL",
    "INTO",
    "IS",
    "JOIN",
    "LEFT",
    "LIKE",
    "LIMIT",
    "MATERIALIZED",
    "MergeTree",
    "Memory",
    "NOT",
    "NULL",
    "Null",
    "OFFSET",
    "ON",
    "OPTIMIZE",
    "OR",
    "ORDER",
    "OUTFILE",
    "OVER",
    "PARTITION",
    "PREWHERE",
    "PRIMARY KEY",
    "RENAME",
    "REPLACE",
    "RIGHT",
    "SELECT",
    "SEMI",
    "SET",
    "SETTINGS",
    "SHOW",
    "TABLE",
    "TABLES",
    "THEN",
    "TO",
    "TRUNCATE",
    "UNION",
    "USE",
    "USING",
    "VALUES",
    "WHEN",
    "WHERE",
    "WITH",
];
