//! A session with a server: settings, parameters and the current database on this side, and a connection, which is made
//! when it is needed and made again when it was lost.
//!
//! A server keeps what SET and USE say as long as the connection lasts. The client keeps it too: settings are sent with
//! every query, as clickhouse-client does, and the database with every hello.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use gristmill_base::env::system_env;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_engine::{Engine, EngineConfig, ExternalTable, InputData, StatementText};
use gristmill_introspect::memory::MemoryAccount;
use gristmill_introspect::opentelemetry::TraceContext;
use gristmill_introspect::{QueryContext, Settings, Stage};
use gristmill_sql::statement::Assignments;
use parking_lot::Mutex;
use tokio_util::sync::CancellationToken;

use crate::completions::Completions;
use crate::connection::{Connection, ServerInfo};
use crate::conversation::{Begun, Home, Talk, cancelled};
use crate::endpoint::Endpoint;
use crate::request::QueryToSend;
use crate::source::Source;
use crate::statement::{self, Change};
use crate::told::{EventLines, Events, LogLines, Memory};

/// What a session begins with.
#[derive(Default)]
pub struct ClientOptions {
    pub endpoint: Endpoint,
    /// Where to ask if that server does not answer, in this order.
    pub others: Vec<Endpoint>,
    /// Empty: the user's own.
    pub database: String,
    /// By name, as they are sent; those that this program knows change how results are shown as well.
    pub settings: BTreeMap<String, String>,
    pub parameters: BTreeMap<String, String>,
    /// Of the first statement; empty: a new one.
    pub query_id: String,
    /// Whether dates and times are shown in the zone of this machine and not in the server's.
    pub use_client_time_zone: bool,
    pub logs: Option<LogLines>,
    /// Shows what the server counts of each statement.
    pub events: Option<EventLines>,
    /// Sent along with each statement, for it alone.
    pub external: Vec<ExternalTable>,
    /// The trace that statements belong to.
    pub trace: Option<TraceContext>,
    /// How far the server processes queries.
    pub stage: Stage,
}

/// What SET and USE change.
#[derive(Debug, Default)]
pub(crate) struct State {
    pub sent: BTreeMap<String, String>,
    pub parameters: BTreeMap<String, String>,
    pub database: String,
}

impl State {
    /// Keeps what a statement changed.
    pub fn ended_well(&mut self, change: Option<Change>) {
        match change {
            Some(Change::Settings(assignments)) => self.set(assignments),
            Some(Change::Parameters(parameters, assignments)) => {
                self.parameters.extend(parameters);
                self.set(assignments);
            }
            Some(Change::Database(database)) => self.database = database,
            None => {}
        }
    }

    fn set(&mut self, assignments: Assignments) {
        for (name, value) in assignments {
            match value.as_str() {
                "DEFAULT" => drop(self.sent.remove(&name)),
                // It is many settings, which the server keeps.
                _ if name == "profile" => {}
                _ => drop(self.sent.insert(name, value)),
            }
        }
    }

    /// Those that this program knows: what concerns formats is done here.
    fn known(&self) -> Settings {
        let mut settings = Settings::default();
        for (name, value) in &self.sent {
            // A value that is wrong is the server's to refuse.
            let _ = settings.set(name, value);
        }
        settings
    }
}

/// Whether nobody is there who could answer.
fn is_silent(error: &Error) -> bool {
    matches!(error.code(), ErrorCode::NETWORK_ERROR | ErrorCode::SOCKET_TIMEOUT | ErrorCode::DNS_ERROR)
}

/// A session with a server.
pub struct Client {
    endpoint: Endpoint,
    /// Servers to ask if that one does not answer.
    others: VecDeque<Endpoint>,
    state: Arc<Mutex<State>>,
    home: Home,
    server: Option<Arc<ServerInfo>>,
    query_id: String,
    use_client_time_zone: bool,
    logs: Option<LogLines>,
    events: Option<EventLines>,
    external: Arc<[ExternalTable]>,
    trace: Option<TraceContext>,
    stage: Stage,
    /// Reads data to insert; opened for the first INSERT.
    engine: Option<Arc<Engine>>,
    pub(crate) completions: Completions,
}

impl Client {
    /// A session that is not connected yet.
    pub fn new(options: ClientOptions) -> Client {
        let ClientOptions {
            endpoint,
            others,
            database,
            settings,
            parameters,
            query_id,
            use_client_time_zone,
            logs,
            events,
            external,
            trace,
            stage,
        } = options;
        let state = Arc::new(Mutex::new(State { sent: settings, parameters, database }));
        Client {
            endpoint,
            others: others.into(),
            state,
            home: Home::default(),
            server: None,
            query_id,
            use_client_time_zone,
            logs,
            events,
            external: external.into(),
            trace,
            stage,
            engine: None,
            completions: Completions::default(),
        }
    }

    /// Connects, where there is no connection. Errors: those of connecting, and of who may come in.
    pub async fn connect(&mut self) -> Result<Arc<ServerInfo>> {
        let connection = self.ready().await?;
        let server = connection.server.clone();
        *self.home.lock() = Some(connection);
        Ok(server)
    }

    /// Where it connects to; of several servers, the one that answered last.
    pub fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    /// The current database; empty: the user's own.
    pub fn database(&self) -> String {
        self.state.lock().database.clone()
    }

    /// The id of the next statement; empty: a new one.
    pub fn set_query_id(&mut self, query_id: String) {
        self.query_id = query_id;
    }

    /// A connection that stands before a query.
    async fn ready(&mut self) -> Result<Connection> {
        let kept = self.home.lock().take();
        if let Some(mut connection) = kept
            && connection.is_alive().await
        {
            return Ok(connection);
        }
        let connection = self.open().await?;
        self.server = Some(connection.server.clone());
        Ok(connection)
    }

    /// Connects to the first server that answers; each is asked once. One that answers with a refusal is not passed over. Errors:
    /// those of the last.
    async fn open(&mut self) -> Result<Connection> {
        let database = self.database();
        for _ in 0..self.others.len() {
            match Connection::open(&self.endpoint, &database).await {
                Err(error) if is_silent(&error) => {
                    gristmill_introspect::tracing::warn!("{} does not answer: {error}", self.endpoint.address());
                    if let Some(next) = self.others.pop_front() {
                        self.others.push_back(std::mem::replace(&mut self.endpoint, next));
                    }
                }
                opened => return opened,
            }
        }
        Connection::open(&self.endpoint, &database).await
    }

    /// Sends a statement. `input`: the data of an INSERT that carries none. `interrupted` ends it. Errors: those of
    /// connecting, and of what the statement says of files and formats.
    pub async fn begin(
        &mut self,
        given: &StatementText,
        input: Option<InputData>,
        interrupted: &CancellationToken,
    ) -> Result<Begun> {
        let parameters = self.state.lock().parameters.clone();
        let looked = statement::look(given, &parameters)?;
        if statement::changes_names(&looked.text) {
            self.completions.is_stale = true;
        }
        let connection = tokio::select! {
            biased;
            () = interrupted.cancelled() => return Err(cancelled()),
            connection = self.ready() => connection?,
        };
        let query_id = std::mem::take(&mut self.query_id);
        let context = self.context(&looked.text, &query_id, &looked.settings, &connection.server, interrupted);
        let source = match looked.data {
            Some(data) => Some(Source { data, input, parameters: parameters.clone(), engine: self.engine().await? }),
            None => None,
        };
        let settings = self.state.lock().sent.clone();
        // Behind a statement that takes rows from here stand these rows.
        let external = if source.is_none() { self.external.clone() } else { Arc::default() };
        let query = QueryToSend {
            id: context.query_id.clone(),
            text: looked.text.clone(),
            settings,
            parameters,
            external,
            trace: self.trace.clone(),
            stage: self.stage,
        };
        let packet = connection.dialect.query(&query, &self.endpoint.user, &self.endpoint.quota_key)?;
        connection.out.send(packet).await?;
        let may_send = CancellationToken::new();
        may_send.cancel();
        let timezone = gristmill_engine::engine::timezone(&context.settings).unwrap_or_default();
        let talk = Talk {
            patience: connection.receive_timeout,
            connection,
            context: context.clone(),
            home: self.home.clone(),
            logs: self.logs.clone(),
            events: self.events.clone().map(Events::of),
            timezone,
            memory: Memory::default(),
            late: Arc::default(),
            sends_rows: source.is_some(),
            may_send,
            cancel_told: false,
        };
        Ok(Begun {
            context,
            talk,
            source,
            is_insert: statement::is_insert(&looked.text),
            format: looked.format,
            into_outfile: looked.into_outfile,
            change: looked.change,
            state: self.state.clone(),
        })
    }

    /// What is known here of a statement that runs elsewhere.
    fn context(
        &self,
        text: &str,
        query_id: &str,
        of_statement: &[(String, String)],
        server: &ServerInfo,
        interrupted: &CancellationToken,
    ) -> Arc<QueryContext> {
        let (mut settings, database) = {
            let state = self.state.lock();
            (state.known(), state.database.clone())
        };
        for (name, value) in of_statement {
            let _ = settings.set(name, value);
        }
        // Dates are shown as the server would show them.
        if !self.use_client_time_zone
            && settings.session_timezone.is_empty()
            && server.timezone.parse::<chrono_tz::Tz>().is_ok()
        {
            settings.session_timezone.clone_from(&server.timezone);
        }
        let context = QueryContext::new(text, query_id, &self.endpoint.user, &database, Arc::new(settings), system_env());
        Arc::new(QueryContext {
            memory: Arc::new(MemoryAccount::elsewhere()),
            cancel: interrupted.child_token(),
            ..Arc::unwrap_or_clone(context)
        })
    }

    /// The id that the next statement is to have; empty: a new one.
    pub(crate) fn take_query_id(&mut self) -> String {
        std::mem::take(&mut self.query_id)
    }

    /// Who takes lines of the log.
    pub(crate) fn take_logs(&mut self) -> Option<LogLines> {
        self.logs.take()
    }

    /// What was taken away.
    pub(crate) fn put_back(&mut self, query_id: String, logs: Option<LogLines>) {
        self.query_id = query_id;
        self.logs = logs;
    }

    async fn engine(&mut self) -> Result<Arc<Engine>> {
        if let Some(engine) = &self.engine {
            return Ok(engine.clone());
        }
        let engine = Engine::open(EngineConfig::default()).await?;
        self.engine = Some(engine.clone());
        Ok(engine)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_set_and_use_say_is_kept_for_the_next_connection() {
        let mut state = State::default();
        let set = |name: &str, value: &str| Some(Change::Settings(vec![(name.to_string(), value.to_string())]));
        state.ended_well(set("max_threads", "3"));
        state.ended_well(set("only_the_server_knows", "x"));
        state.ended_well(set("max_block_size", "10"));
        state.ended_well(set("max_block_size", "DEFAULT"));
        state.ended_well(Some(Change::Database("db".to_string())));
        assert_eq!(state.sent.keys().collect::<Vec<_>>(), ["max_threads", "only_the_server_knows"]);
        assert_eq!((state.known().max_threads, state.database.as_str()), (3, "db"));
    }
}
