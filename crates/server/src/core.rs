//! What all connections of a server share.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use gristmill_access::Identity;
use gristmill_access::control::Credentials;
use gristmill_access::effective::Constraint;
use gristmill_access::entity::Chosen;
use gristmill_base::runtime::{self, Task};
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_engine::split::split_one;
use gristmill_engine::{Engine, Session, StatementText};
use gristmill_functions::session::DIALECT_VERSION;
use gristmill_introspect::{Client, Settings, profiler};
use gristmill_sql::makes_room;
use tokio::sync::{Notify, Semaphore};
use tokio_util::sync::CancellationToken;

use crate::http::handlers::SharedRouting;
use crate::http::prometheus::Prometheus;
use crate::http::sessions::NamedSessions;
use crate::sessions_log::{self, CameIn};
use crate::user_sessions::UserSessions;

pub struct Core {
    pub engine: Arc<Engine>,
    pub admission: Admission,
    pub sessions: NamedSessions,
    pub user_sessions: UserSessions,
    /// How prompts and tools call this server.
    pub display_name: String,
    pub connections: Connections,
    /// Of connections, over all ports.
    pub places: Arc<Semaphore>,
    /// What sessions begin with.
    pub settings: Settings,
    /// Of clients that name none.
    pub default_database: String,
    /// How long an HTTP connection waits for the head of a request. Zero: it ends with its answer.
    pub keep_alive: Duration,
    /// Whether errors over HTTP come with their stack where the URL asks for it.
    pub http_stacktrace: bool,
    pub routing: SharedRouting,
    /// What the port for metrics tells.
    pub prometheus: Option<Prometheus>,
    /// The server takes nothing new.
    pub stopping: CancellationToken,
}

/// Connections that were taken, of both protocols.
#[derive(Debug, Default)]
pub struct Connections {
    taken: AtomicU64,
}

impl Connections {
    /// The number of another connection; the first is 1.
    pub fn number(&self) -> u64 {
        self.taken.fetch_add(1, Ordering::Relaxed) + 1
    }
}

/// One of a number of things, until dropped.
#[derive(Debug)]
pub struct Counted(Arc<AtomicUsize>);

impl Counted {
    pub fn one_of(number: &Arc<AtomicUsize>) -> Counted {
        number.fetch_add(1, Ordering::AcqRel);
        Counted(number.clone())
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

/// How many queries may run at a time. Clones are one.
#[derive(Clone, Debug)]
pub struct Admission {
    running: Arc<AtomicUsize>,
    /// 0: any number.
    most: Arc<AtomicUsize>,
    /// Told of each place that is given back; who waits longest hears it.
    freed: Arc<Notify>,
}

/// The place of a running query, until dropped.
#[derive(Debug)]
pub struct Place {
    counted: Option<Counted>,
    freed: Arc<Notify>,
}

impl Drop for Place {
    fn drop(&mut self) {
        if self.counted.take().is_some() {
            self.freed.notify_one();
        }
    }
}

impl Admission {
    pub fn new(most: usize) -> Admission {
        Admission { running: Arc::default(), most: Arc::new(AtomicUsize::new(most)), freed: Arc::default() }
    }

    /// So many from now on. Those that run go on.
    pub fn limit(&self, most: usize) {
        self.most.store(most, Ordering::Release);
        self.freed.notify_waiters();
    }

    /// A place for a query, until dropped. Error: TOO_MANY_SIMULTANEOUS_QUERIES.
    pub fn enter(&self) -> Result<Place> {
        let mut place = self.place();
        let running = self.running.load(Ordering::Acquire);
        let most = self.most.load(Ordering::Acquire);
        if most > 0 && running > most {
            // It was none: nobody who waits is to hear of it.
            place.counted.take();
            return Err(Error::new(
                ErrorCode::TOO_MANY_SIMULTANEOUS_QUERIES,
                format!(
                    "Too many simultaneous queries. Maximum: {most}. Try again later, wait for a place (queue_max_wait_ms), or \
                     raise --max-concurrent-queries"
                ),
            ));
        }
        Ok(place)
    }

    fn place(&self) -> Place {
        Place { counted: Some(Counted::one_of(&self.running)), freed: self.freed.clone() }
    }

    /// A place that was found, or one beyond the number for what a user needs who wants to make room; else one that is given
    /// back within `longest`. Error: TOO_MANY_SIMULTANEOUS_QUERIES.
    pub async fn or_wait(&self, place: Result<Place>, statement: &str, longest: Duration) -> Result<Place> {
        if place.is_err() && makes_room(statement) {
            return Ok(self.place());
        }
        let deadline = tokio::time::Instant::now() + longest;
        let mut place = place;
        while place.is_err() {
            // Heard of from here on, so that none is missed between the look and the wait.
            let freed = self.freed.notified();
            place = self.enter();
            if place.is_ok() || tokio::time::timeout_at(deadline, freed).await.is_err() {
                break;
            }
        }
        place
    }
}

impl Core {
    /// Who a client is, and its entry in the log of sessions, whose end comes with the value's. `session_id`: what the client calls
    /// its session; empty: nothing. Error: AUTHENTICATION_FAILED.
    pub async fn come_in(&self, credentials: Credentials, session_id: &str, client: Client) -> Result<(Identity, CameIn)> {
        let (access, now) = (self.engine.access.clone(), self.engine.env.now().as_secs() as i64);
        let user = if credentials.user.is_empty() { "default" } else { &credentials.user }.to_string();
        let client = Arc::new(client);
        let known = match access.is_slow(&credentials) {
            true => Task::on(&runtime::cpu(), async move { access.authenticate(&credentials, now) }).join().await?,
            false => access.authenticate(&credentials, now),
        };
        match known {
            Ok(identity) => {
                let came_in = CameIn::of(&self.engine, &identity, session_id, client);
                Ok((identity, came_in))
            }
            Err(error) => {
                sessions_log::refused(&self.engine, &user, &error, client);
                Err(error)
            }
        }
    }

    /// A session of a client who came in.
    pub fn session(&self, identity: &Identity) -> Result<Session> {
        let mut session = Session::of_user(self.engine.clone(), identity, self.settings.clone())?;
        if identity.default_database.is_empty() {
            session.database.clone_from(&self.default_database);
        }
        Ok(session)
    }

    /// Error while the server ends: no query begins then.
    pub fn check_open(&self) -> Result<()> {
        match self.stopping.is_cancelled() {
            true => Err(Error::new(ErrorCode::ABORTED, "The server is shutting down")),
            false => Ok(()),
        }
    }
}

/// The only statement of a text. Errors: SYNTAX_ERROR where there is none, or more than one.
pub fn one_statement(text: &str) -> Result<StatementText> {
    let mut statements = split_one(text);
    match (statements.len(), statements.pop()) {
        (1, Some(statement)) => Ok(statement),
        (0, _) => Err(Error::new(ErrorCode::SYNTAX_ERROR, "Syntax error: Empty query")),
        _ => {
            Err(Error::new(ErrorCode::SYNTAX_ERROR, "Syntax error: Multi-statements are not allowed: send them one by one"))
        }
    }
}

/// The error as clients take it apart: with the version behind it.
pub fn error_text(error: &Error) -> String {
    format!("{error} (version {DIALECT_VERSION} (official build))")
}

/// The error with the calls that led to it, in ClickHouse's form.
pub fn error_text_with_stack(error: &Error) -> String {
    let text = profiler::error_with_stack(error);
    format!("{text} (version {DIALECT_VERSION} (official build))")
}

/// What a statement changed in its session, apart from what the client asked for with this statement alone.
pub struct Before {
    database: String,
    settings: BTreeMap<String, String>,
    constraints: Arc<BTreeMap<String, Constraint>>,
    parameters: BTreeMap<String, String>,
    roles: Option<Chosen>,
}

impl Before {
    pub fn of(session: &Session) -> Before {
        Before {
            database: session.database.clone(),
            settings: session.settings.changed().into_iter().collect(),
            constraints: session.settings.constraints().clone(),
            parameters: session.parameters.clone(),
            roles: session.roles.clone(),
        }
    }

    /// Does to another session what was done to this one: SET and USE last, what came with the statement does not.
    pub fn repeat(&self, changed: &Session, kept: &mut Session) {
        if changed.database != self.database {
            kept.database.clone_from(&changed.database);
        }
        let now: BTreeMap<String, String> = changed.settings.changed().into_iter().collect();
        // What was set by itself goes over what comes with a version.
        let compatibility = now.get("compatibility");
        if compatibility != self.settings.get("compatibility") {
            let _ = kept.settings.set("compatibility", compatibility.map_or("", String::as_str));
        }
        for (name, value) in now.iter().filter(|(name, value)| self.settings.get(*name) != Some(*value)) {
            // It was taken once.
            let _ = kept.settings.set(name, value);
        }
        for name in self.settings.keys().filter(|name| !now.contains_key(*name)) {
            let _ = kept.settings.reset(name);
        }
        // SET profile brings those of the profile.
        if *changed.settings.constraints() != self.constraints {
            kept.settings.constrain_further(changed.settings.constraints());
        }
        if changed.roles != self.roles {
            kept.roles.clone_from(&changed.roles);
        }
        for (name, value) in changed.parameters.iter().filter(|(name, value)| self.parameters.get(*name) != Some(*value)) {
            kept.parameters.insert(name.clone(), value.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn places_are_given_back() {
        let admission = Admission::new(2);
        let first = admission.enter().expect("a place");
        let _second = admission.enter().expect("a place");
        let error = admission.enter().expect_err("full");
        assert_eq!(error.code(), ErrorCode::TOO_MANY_SIMULTANEOUS_QUERIES);
        let kills = admission.or_wait(admission.enter(), "kill query WHERE query_id = 'x'", Duration::ZERO).await;
        assert!(kills.is_ok());
        assert!(admission.or_wait(admission.enter(), "SELECT 1", Duration::ZERO).await.is_err());
        drop((first, kills));
        assert!(admission.enter().is_ok());
    }

    #[tokio::test]
    async fn who_waits_hears_of_another_number() {
        let admission = Admission::new(1);
        let _first = admission.enter().expect("a place");
        let waiting = admission.or_wait(admission.enter(), "SELECT 1", Duration::from_secs(600));
        let raising = async {
            tokio::task::yield_now().await;
            admission.clone().limit(2);
        };
        let (got, ()) = futures::future::join(waiting, raising).await;
        assert!(got.is_ok() && admission.enter().is_err());
        admission.limit(0);
        assert!(admission.enter().is_ok());
    }

    #[tokio::test]
    async fn who_waits_gets_the_place_that_is_given_back() {
        let admission = Admission::new(1);
        let first = admission.enter().expect("a place");
        let long = Duration::from_secs(600);
        let waiting = [(); 3].map(|()| admission.or_wait(admission.enter(), "SELECT 1", long));
        let waiting = async {
            // Each gives its place to the next.
            futures::future::join_all(waiting.into_iter().map(|place| async move { place.await.map(drop) })).await
        };
        let freeing = async {
            tokio::task::yield_now().await;
            drop(first);
        };
        let (got, ()) = futures::future::join(waiting, freeing).await;
        assert!(got.iter().all(Result::is_ok));
    }

    #[test]
    fn a_text_is_one_statement() {
        assert_eq!(one_statement("SELECT 1; -- that is all").expect("one").text, "SELECT 1");
        assert!(one_statement(" -- nothing\n").is_err());
        assert!(one_statement("SELECT 1; SELECT 2").is_err());
    }
}
