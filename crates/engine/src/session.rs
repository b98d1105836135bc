//! A session: settings, current database and query parameters of one connection, or of `gristmill local`.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use gristmill_access::Identity;
use gristmill_access::effective::Effective;
use gristmill_access::entity::Chosen;
use gristmill_access::rights::Object;
use gristmill_access::{Level, Privileges};
use gristmill_base::spending::Wait;
use gristmill_base::{Error, ErrorCode, Result, allocations, redact, units};
use gristmill_catalog::databases::is_of_each_user;
use gristmill_introspect::opentelemetry::QueryTrace;
use gristmill_introspect::{Client, Event, QueryContext, Settings, Use, custom, processes, tell};
use gristmill_sql::access::AccessStatement;
use gristmill_sql::statement::{self, Assignments, Insert, InsertSource, Limits, Outfile, Statement};
use gristmill_sql::{size, user_functions};
use sqlparser::ast::OrderByKind;

use crate::engine::Engine;
use crate::execution::{Brought, Ending, Execution, InputData, IntoOutfile, Watched, from_client};
use crate::external::ExternalTable;
use crate::interpret::{Interpreter, Outcome, check_granted};
use crate::temporary::TemporaryTables;

/// One statement out of a text of several.
#[derive(Clone, Debug, PartialEq)]
pub struct StatementText {
    pub text: String,
    /// The data that follows `INSERT … FORMAT CSV` in the text.
    pub inline_data: Option<Vec<u8>>,
}

#[derive(Clone)]
pub struct Session {
    pub engine: Arc<Engine>,
    pub settings: Settings,
    pub database: String,
    pub user: String,
    /// Who asks, for the log.
    pub client: Arc<Client>,
    /// Those that SET ROLE chose; `None`: the user's default ones.
    pub roles: Option<Chosen>,
    /// Values of `{name:Type}`.
    pub parameters: BTreeMap<String, String>,
    pub temporary: TemporaryTables,
    /// The id of the next statement; empty: a new one.
    pub query_id: String,
}

impl Session {
    pub fn new(engine: Arc<Engine>) -> Session {
        Session {
            engine,
            settings: Settings::of_one_session(),
            database: "default".to_string(),
            user: "default".to_string(),
            client: Arc::new(Client { interface: Client::LOCAL, ..Client::default() }),
            roles: None,
            parameters: BTreeMap::new(),
            temporary: TemporaryTables::default(),
            query_id: String::new(),
        }
    }

    /// Of a user who came in: with the settings of the user's profiles over `settings`.
    pub fn of_user(engine: Arc<Engine>, identity: &Identity, settings: Settings) -> Result<Session> {
        let effective = Effective::of(&engine.access.state(), identity)?;
        let mut session = Session::new(engine);
        session.settings = settings;
        for (name, value) in &effective.settings {
            session.settings.set(name, value)?;
        }
        session.settings.constrain(effective.constraints.clone());
        session.user.clone_from(&identity.user);
        session.roles.clone_from(&identity.roles);
        if !identity.default_database.is_empty() {
            session.database.clone_from(&identity.default_database);
        }
        Ok(session)
    }

    /// What the user may do now: others may have changed it. Error: UNKNOWN_USER where the user was dropped.
    fn access(&self) -> Result<Arc<Effective>> {
        let (user, roles) = (self.user.clone(), self.roles.clone());
        let identity = Identity { user, roles, default_database: String::new(), method: "" };
        Ok(Arc::new(Effective::of(&self.engine.access.state(), &identity)?))
    }

    /// Whether a client may begin in a database: it has to be there. What the user may do in it is asked of each statement, and
    /// of USE. Error: UNKNOWN_DATABASE.
    pub fn check_database(&self, database: &str) -> Result<()> {
        self.engine.databases.database(database).map(drop)
    }

    /// Whether a table is there, as far as the user may know.
    pub fn sees_table(&self, database: &str, table: &str) -> bool {
        let is_seen = |access: Arc<Effective>| {
            let rights = &access.granted.rights;
            rights.has_some(Privileges::grantable_on(Level::Database), &Object::table(database, table))
        };
        let is_visible = is_of_each_user(database) || self.access().is_ok_and(is_seen);
        is_visible && self.engine.databases.table(database, table).is_ok()
    }

    /// Turns roles on, and those that were off. Errors: UNKNOWN_ROLE, SET_NON_GRANTED_ROLE.
    pub fn set_roles(&mut self, roles: Option<Chosen>) -> Result<()> {
        if let Some(chosen) = &roles {
            let state = self.engine.access.state();
            if let Chosen::These(names) | Chosen::AllExcept(names) = chosen {
                names.iter().try_for_each(|name| state.role(name).map(drop))?;
            }
            check_granted(state.user(&self.user)?, chosen)?;
        }
        self.roles = roles;
        Ok(())
    }

    /// Takes a text apart into statements (`;` in strings and comments does not count). A last statement without `;`
    /// counts as whole.
    pub fn split(text: &str) -> Result<Vec<StatementText>> {
        Ok(crate::split::split(text))
    }

    /// Starts one statement. `SET` and `USE` change the session. `input` is the data of an INSERT that carries none.
    pub async fn execute(&mut self, statement: &StatementText, input: Option<InputData>) -> Result<Execution> {
        self.execute_with(statement, input, Brought::default()).await
    }

    /// As `execute`, with tables and blocks of the client.
    pub async fn execute_with(
        &mut self,
        statement: &StatementText,
        input: Option<InputData>,
        brought: Brought,
    ) -> Result<Execution> {
        let now_us = || self.engine.env.now_micros().max(0) as u64;
        let began_us = now_us();
        let parsed = self.parse(&statement.text);
        let parsed_us = now_us();
        let settings = match &parsed {
            Ok(parsed) => self.settings_for(parsed),
            Err(_) => Ok(self.settings.clone()),
        };
        let kind = parsed.as_ref().map_or("", Statement::kind);
        let query_id = std::mem::take(&mut self.query_id);
        let effective = Arc::new(settings.as_ref().cloned().unwrap_or_else(|_| self.settings.clone()));
        let access = self.access()?;
        let context =
            QueryContext::new(&statement.text, &query_id, &self.user, &self.database, effective, self.engine.env.clone());
        let context = context.of_user(access).of_client(self.client.clone());
        let context = match self.temporary.known() {
            Some(databases) => context.with_temporary(databases),
            None => context,
        };
        context.counters.add(Event::QueryParseMicroseconds, parsed_us.saturating_sub(began_us));
        tell_begin(&context, parsed_us.saturating_sub(began_us));
        let flushes_logs = parsed.as_ref().is_ok_and(Statement::flushes_logs);
        let probability = context.settings.opentelemetry_start_trace_probability;
        let trace = QueryTrace::begin(context.client.trace.as_ref(), probability, began_us, parsed_us, context.env.as_ref());
        let mut ending = Ending {
            context: context.clone(),
            kind,
            tables: Vec::new(),
            running: None,
            flushes_logs,
            trace,
            limit: None,
            is_counted: false,
        };
        let tally = context.memory.tally().cloned();
        let begun = self.begin(statement, parsed, settings.map(drop), &mut ending, input, brought);
        match allocations::counted(tally, begun).await {
            Ok((outcome, format, into_outfile)) => {
                let schema = outcome.columns.arrow();
                if let Some(trace) = &mut ending.trace {
                    trace.planned(context.env.now_micros().max(0) as u64);
                }
                Ok(Execution {
                    context,
                    columns: outcome.columns,
                    totals: outcome.totals,
                    format,
                    into_outfile,
                    rows: Box::pin(Watched::new(outcome.rows, schema, ending)),
                })
            }
            Err(error) => {
                let error = error.without_secrets_of(&statement.text);
                ending.ended(Some(&error), true);
                Err(error)
            }
        }
    }

    /// The settings that a statement has, and its FORMAT, as far as it can be read: how its error is to be shown.
    pub fn shown(&self, statement: &StatementText) -> (Settings, Option<String>) {
        let Ok(parsed) = self.parse(&statement.text) else { return (self.settings.clone(), None) };
        let settings = self.settings_for(&parsed).unwrap_or_else(|_| self.settings.clone());
        let (_, format, _) = shown_as(parsed);
        (settings, format)
    }

    fn parse(&self, text: &str) -> Result<Statement> {
        // A statement may allow itself more, but that is known only when it was read.
        if is_too_long(text, &self.settings) && !text.contains("max_query_size") {
            return Err(too_long(self.settings.max_query_size));
        }
        let settings = &self.settings;
        let limits = Limits { depth: settings.max_parser_depth, backtracks: settings.max_parser_backtracks };
        let text = user_functions::expanded(text, &self.engine.user_functions.all())?;
        let parsed = statement::parse_within(&text, &self.parameters, limits);
        let lacks_select = match &parsed {
            Ok(statement) => statement.lists_nothing(),
            Err(error) => error.code() == ErrorCode::SYNTAX_ERROR,
        };
        match settings.implicit_select && lacks_select {
            true => statement::parse_without_select(&text, &self.parameters, limits).or(parsed),
            false => parsed,
        }
    }

    async fn begin(
        &mut self,
        statement: &StatementText,
        parsed: Result<Statement>,
        settings: Result<()>,
        ending: &mut Ending,
        input: Option<InputData>,
        brought: Brought,
    ) -> Result<(Outcome, Option<String>, Option<IntoOutfile>)> {
        let parsed = parsed?;
        settings?;
        redact::masking::check(|| redact::statement(&statement.text))?;
        check_size(&statement.text, &parsed, &ending.context.settings)?;
        allocations::own(brought.external.iter().map(ExternalTable::bytes).sum())?;
        if ending.context.settings.replace_running_query {
            let _waiting = ending.context.waits_for(Wait::Lock);
            processes::end_running(&ending.context.query_id, &ending.context.user).await;
        }
        let kind = if gristmill_sql::makes_room(&statement.text) { processes::MAKES_ROOM } else { ending.kind };
        ending.running = Some(processes::start(&ending.context, kind)?);
        match &parsed {
            Statement::Set(assignments) => self.settings = self.with(&self.settings, assignments)?,
            Statement::SetParameters { parameters, settings } => {
                self.settings = self.with(&self.settings, settings)?;
                self.parameters.extend(parameters.iter().cloned());
            }
            Statement::Access(AccessStatement::SetRole(roles)) => self.set_roles(roles.clone())?,
            _ => {}
        }
        let (parsed, format, outfile) = shown_as(parsed);
        let given = if let Statement::Insert(insert) = &parsed { insert.source.format() } else { None };
        for name in [format.as_deref(), given].into_iter().flatten() {
            ending.context.used.note(Use::Format, name);
        }
        if brought.refuses_outfile && outfile.is_some() {
            return Err(Error::new(
                ErrorCode::INTO_OUTFILE_NOT_ALLOWED,
                "INTO OUTFILE is not allowed: it writes a file of the client's machine. Take the result of the request, or use a client \
                 that writes files",
            ));
        }
        let into_outfile = outfile.map(|file| IntoOutfile {
            path: file.path,
            truncate: file.truncate,
            append: file.append,
            and_stdout: file.and_stdout,
            compression: file.compression,
        });
        let input = match &statement.inline_data {
            Some(data) => {
                let bytes = bytes::Bytes::from(data.clone());
                Some(Box::pin(futures::stream::once(async move { Ok(bytes) })) as InputData)
            }
            None => input.map(|input| from_client(input, &ending.context)),
        };
        let brought = Brought { temporary: self.temporary.clone(), ..brought };
        let interpreter = Interpreter::with(self.engine.clone(), ending.context.clone(), brought);
        let database = if let Statement::Use(database) = &parsed { Some(database.clone()) } else { None };
        let outcome = interpreter.run(parsed, input, ending).await?;
        if let Some(database) = database {
            self.database = database;
        }
        Ok((outcome, format, into_outfile))
    }

    /// Settings with those over them that a statement sets. Errors: UNKNOWN_SETTING, READONLY, SETTING_CONSTRAINT_VIOLATION,
    /// THERE_IS_NO_PROFILE, those of values.
    fn with(&self, settings: &Settings, assignments: &Assignments) -> Result<Settings> {
        let mut changed = settings.clone();
        for (name, value) in assignments {
            if name == PROFILE {
                changed = self.with_profile(&changed, value)?;
            } else if value == "DEFAULT" {
                let nothing = || custom::is_custom(name).then(|| "NULL".to_string());
                let default = Settings::default().get(name).or_else(nothing).unwrap_or_default();
                changed.change(name, &default)?;
                changed.reset(name)?;
            } else {
                changed.change(name, value)?;
            }
        }
        Ok(changed)
    }

    /// Settings with those of a profile over them, as far as the user may have them, and with its constraints beside those that hold.
    /// Errors: as `with`.
    fn with_profile(&self, settings: &Settings, name: &str) -> Result<Settings> {
        let profile = Effective::of_profile(&self.engine.access.state(), name)?;
        let mut changed = settings.clone();
        for (name, value) in &profile.settings {
            // A profile may hold what makes others of its settings readonly: each is asked of what was before.
            settings.clone().change(name, value)?;
            changed.set(name, value)?;
        }
        changed.constrain_further(&profile.constraints);
        Ok(changed)
    }

    /// Sets what a client asks for beside its statement. Errors: as those of SET.
    pub fn set(&mut self, name: &str, value: &str) -> Result<()> {
        if name == PROFILE {
            self.settings = self.with_profile(&self.settings, value)?;
            return Ok(());
        }
        self.settings.change(name, value)
    }

    /// The session's settings with those of the statement over them.
    fn settings_for(&self, statement: &Statement) -> Result<Settings> {
        let mut settings = self.settings.clone();
        match statement {
            Statement::Select(select) => settings = self.with(&settings, &select.settings)?,
            Statement::Insert(insert) => {
                settings = self.with(&settings, &insert.settings)?;
                settings.insert_deduplicate = deduplicates(insert, &settings)?;
            }
            // Settings of the table and of the query stand in one clause.
            Statement::CreateTable(create) => {
                let engine = create.engine.as_ref().map(|(name, _)| name.as_str());
                let of_query = create.settings.iter().filter(|(name, _)| crate::opener::is_query_setting(engine, name));
                settings = self.with(&settings, &of_query.cloned().collect())?;
                settings = self.with(&settings, &create.query_settings)?;
            }
            Statement::Explain { statement, .. } => return self.settings_for(statement),
            Statement::Shown { statement, after } => {
                settings = self.settings_for(statement)?;
                settings = self.with(&settings, &after.settings)?;
            }
            _ => {}
        }
        Ok(settings)
    }
}

/// The first lines of the query's log.
fn tell_begin(context: &QueryContext, parsed_us: u64) {
    let from = || context.client.address.map_or_else(|| "this process".to_string(), |address| address.to_string());
    tell!(context, DEBUG, "executeQuery", "(from {}, user: {}) {}", from(), context.user, context.query);
    if let Some(trace) = &context.client.trace {
        tell!(context, TRACE, "executeQuery", "OpenTelemetry traceparent '{}'", trace.traceparent());
    }
    tell!(context, TRACE, "executeQuery", "Parsed in {}", units::duration(Duration::from_micros(parsed_us)));
}

/// The name by which a profile is taken in the place of a setting.
const PROFILE: &str = "profile";

fn is_too_long(text: &str, settings: &Settings) -> bool {
    settings.max_query_size > 0 && text.len() as u64 > settings.max_query_size
}

fn too_long(most: u64) -> Error {
    Error::new(
        ErrorCode::SYNTAX_ERROR,
        format!(
            "Max query size exceeded (can be increased with the `max_query_size` setting): Syntax error: failed at position {most}"
        ),
    )
}

/// Errors: SYNTAX_ERROR, TOO_DEEP_AST, TOO_BIG_AST.
fn check_size(text: &str, statement: &Statement, settings: &Settings) -> Result<()> {
    if is_too_long(text, settings) {
        return Err(too_long(settings.max_query_size));
    }
    size::check(
        statement,
        size::Most {
            depth: settings.max_ast_depth,
            elements: settings.max_ast_elements,
            subqueries: settings.max_subquery_depth,
        },
    )
}

/// Databases that each user may be in.
pub(crate) fn is_of_everybody(database: &str) -> bool {
    database == "default" || is_of_each_user(database)
}

/// The statement without what says how it is shown, and that.
fn shown_as(statement: Statement) -> (Statement, Option<String>, Option<Outfile>) {
    match statement {
        Statement::Select(select) => {
            let (format, outfile) = (select.format.clone(), select.outfile.clone());
            (Statement::Select(select), format, outfile)
        }
        Statement::Explain { kind, options, statement } => {
            let (mut statement, mut format, outfile) = shown_as(*statement);
            // No data comes with a statement that is only explained: the format is that of the explanation.
            if let Statement::Insert(Insert { source: InsertSource::Query { format: of_data, .. }, .. }) = &mut statement {
                format = format.or(of_data.take());
            }
            (Statement::Explain { kind, options, statement: Box::new(statement) }, format, outfile)
        }
        Statement::Shown { statement, after } => {
            let (statement, format, outfile) = shown_as(*statement);
            (statement, after.format.or(format), after.outfile.or(outfile))
        }
        other => (other, None, None),
    }
}

/// Whether blocks that were inserted before are left out. Errors: DEDUPLICATION_IS_NOT_POSSIBLE where they have to be and a
/// query may give others the next time.
fn deduplicates(insert: &Insert, settings: &Settings) -> Result<bool> {
    let enabled = match settings.deduplicate_insert.as_str() {
        "disable" => false,
        "backward_compatible_choice" => settings.insert_deduplicate,
        _ => true,
    };
    let InsertSource::Query { query, .. } = &insert.source else { return Ok(enabled) };
    // A query gives the same blocks again only where its rows have an order, unless the client vouches for it.
    let all = matches!(&query.order_by, Some(order) if matches!(order.kind, OrderByKind::All(_)));
    let same_again = all || !settings.insert_deduplication_token.is_empty();
    Ok(match settings.deduplicate_insert_select.as_str() {
        "disable" => false,
        "force_enable" if !same_again => {
            let text = "Rows of this query may come in other blocks the next time, and deduplicate_insert_select = 'force_enable'. \
                        Write ORDER BY ALL, or give an insert_deduplication_token";
            return Err(Error::new(ErrorCode::DEDUPLICATION_IS_NOT_POSSIBLE, text));
        }
        "force_enable" => true,
        "enable_even_for_bad_queries" => enabled,
        _ => enabled && same_again,
    })
}

/// Whether a statement waits for data from the client.
pub fn wants_data(statement: &Statement) -> bool {
    matches!(statement, Statement::Insert(insert) if matches!(insert.source, InsertSource::Data { .. }))
}
