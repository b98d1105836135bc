//! Listening, and ending: no connection is cut off while its query may still finish in time, and nothing that was
//! acknowledged is lost.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use gristmill_base::runtime::{self, Task};
use gristmill_base::{Error, ErrorCode, Result, host};
use gristmill_engine::Engine;
use gristmill_introspect::{Counters, Event, Settings, processes, server_settings};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::core::{Admission, Connections, Core};
use crate::http::Port;
use crate::http::handlers::{Routing, SharedRouting};
use crate::http::prometheus::Prometheus;
use crate::http::sessions::{NamedSessions, Timeouts};
use crate::tls::{Tls, TlsFiles};
use crate::user_sessions::UserSessions;
use crate::{http, native};

/// After queries were cancelled: for them to undo what they began.
const CANCELLED_LONGEST: Duration = Duration::from_secs(5);
/// Before another try, where the system has no file descriptor left for a connection.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// Programs look for `localhost` there as well; a machine may be without it.
const IPV6_LOOPBACK: &str = "::1";

#[derive(Clone, Debug)]
pub struct ServerConfig {
    /// Addresses or names.
    pub listen_hosts: Vec<String>,
    /// 0: any that is free. `None`: no HTTP.
    pub http_port: Option<u16>,
    /// 0: any that is free. `None`: no native protocol.
    pub tcp_port: Option<u16>,
    /// HTTP over TLS; 0: any that is free. `None`: no such port.
    pub https_port: Option<u16>,
    /// The native protocol over TLS; 0: any that is free. `None`: no such port.
    pub tcp_port_secure: Option<u16>,
    /// A port that tells metrics and nothing else. `None`: no such port.
    pub prometheus: Option<Prometheus>,
    /// Certificate and key of those over TLS.
    pub tls: Option<TlsFiles>,
    /// 0: any number.
    pub max_concurrent_queries: usize,
    /// Of those that are INSERTs. 0: any number.
    pub max_concurrent_insert_queries: u64,
    /// Of those that are SELECTs. 0: any number.
    pub max_concurrent_select_queries: u64,
    /// How long running queries may go on when the server is to end.
    pub shutdown_grace: Duration,
    /// Connections that are open at a time; more wait. 0: any number.
    pub max_connections: usize,
    /// How prompts and tools call the server. `None`: as the machine is called.
    pub display_name: Option<String>,
    /// The database of clients that name none.
    pub default_database: String,
    /// How long an HTTP connection waits for the head of a request. Zero: it ends with its answer.
    pub keep_alive: Duration,
    /// What sessions begin with.
    pub settings: Settings,
    /// Whether errors over HTTP come with their stack where the URL asks for it.
    pub http_stacktrace: bool,
    /// Whether the server does without addresses that it cannot listen on, as long as there is one.
    pub listen_try: bool,
    /// Which request over HTTP is answered how.
    pub routing: Routing,
    /// Of sessions over HTTP.
    pub session_timeouts: Timeouts,
}

impl Default for ServerConfig {
    /// For this machine alone.
    fn default() -> Self {
        ServerConfig {
            listen_hosts: vec!["127.0.0.1".to_string(), IPV6_LOOPBACK.to_string()],
            http_port: Some(8123),
            tcp_port: Some(9000),
            https_port: None,
            tcp_port_secure: None,
            prometheus: None,
            tls: None,
            max_concurrent_queries: 100,
            max_concurrent_insert_queries: 0,
            max_concurrent_select_queries: 0,
            max_connections: 4096,
            display_name: None,
            default_database: "default".to_string(),
            keep_alive: Duration::from_secs(30),
            http_stacktrace: true,
            listen_try: false,
            shutdown_grace: Duration::from_secs(10),
            settings: Settings::default(),
            routing: Routing::default(),
            session_timeouts: Timeouts::default(),
        }
    }
}

/// EAFNOSUPPORT: the machine was built without IPv6.
const NO_SUCH_FAMILY: i32 = 97;

/// What of a server may be changed while it runs.
#[derive(Clone)]
pub struct Changeable {
    /// Which request is answered how.
    pub routing: SharedRouting,
    /// Certificate and key can be read again.
    pub tls: Option<Tls>,
    admission: Admission,
}

impl Changeable {
    /// How many queries may run at a time; of them INSERTs and SELECTs. 0: any number.
    pub fn limit_queries(&self, all: usize, inserts: u64, selects: u64) {
        self.admission.limit(all);
        processes::limit_kinds(inserts, selects);
        for (name, most) in [
            ("max_concurrent_queries", all as u64),
            ("max_concurrent_insert_queries", inserts),
            ("max_concurrent_select_queries", selects),
        ] {
            server_settings::set(name, most.to_string());
        }
    }
}

/// A server that listens. Dropping it cuts off everything; `shutdown` is the good end.
pub struct Server {
    pub http_addresses: Vec<SocketAddr>,
    pub tcp_addresses: Vec<SocketAddr>,
    pub https_addresses: Vec<SocketAddr>,
    pub tcp_secure_addresses: Vec<SocketAddr>,
    pub prometheus_addresses: Vec<SocketAddr>,
    changeable: Changeable,
    core: Arc<Core>,
    grace: Duration,
    accepting: Vec<Task<()>>,
}

impl Server {
    /// Errors: NETWORK_ERROR where a port cannot be opened.
    pub async fn start(engine: Arc<Engine>, config: &ServerConfig) -> Result<Server> {
        Self::start_after(engine, config, |_| {}).await
    }

    /// `before` gets what may be changed while the server runs, and ends before anybody can connect.
    pub async fn start_after(engine: Arc<Engine>, config: &ServerConfig, before: impl FnOnce(Changeable)) -> Result<Server> {
        for (name, value) in [
            ("default_database", config.default_database.clone()),
            ("keep_alive_timeout", config.keep_alive.as_secs().to_string()),
            ("max_connections", config.max_connections.to_string()),
            ("enable_http_stacktrace", u8::from(config.http_stacktrace).to_string()),
            ("shutdown_wait_unfinished", config.shutdown_grace.as_secs().to_string()),
            ("default_session_timeout", config.session_timeouts.default.as_secs().to_string()),
            ("max_session_timeout", config.session_timeouts.max.as_secs().to_string()),
            ("listen_try", u8::from(config.listen_try).to_string()),
        ] {
            server_settings::set(name, value);
        }
        if let Some(name) = &config.display_name {
            gristmill_functions::session::is_called(name);
            server_settings::set("display_name", name);
        }
        let core = Arc::new(Core {
            sessions: NamedSessions::new(engine.env.clone(), config.session_timeouts),
            user_sessions: UserSessions::default(),
            engine,
            admission: Admission::new(config.max_concurrent_queries),
            display_name: config.display_name.clone().unwrap_or_else(host_name),
            places: Arc::new(Semaphore::new(most_connections(config.max_connections))),
            connections: Connections::default(),
            settings: config.settings.clone(),
            default_database: config.default_database.clone(),
            keep_alive: config.keep_alive,
            http_stacktrace: config.http_stacktrace,
            routing: SharedRouting::new(config.routing.clone()),
            prometheus: config.prometheus.clone(),
            stopping: CancellationToken::new(),
        });
        let tls = config.tls.clone().map(Tls::open).transpose()?;
        if tls.is_none() && (config.https_port.is_some() || config.tcp_port_secure.is_some()) {
            let text = "A port for TLS wants a certificate and its key: --certificate and --private-key";
            return Err(Error::new(ErrorCode::BAD_ARGUMENTS, text));
        }
        let ports = [
            (Protocol::Http(Port::Queries), config.http_port, None),
            (Protocol::Native, config.tcp_port, None),
            (Protocol::Http(Port::Queries), config.https_port, tls.clone()),
            (Protocol::Native, config.tcp_port_secure, tls.clone()),
            (Protocol::Http(Port::Metrics), config.prometheus.as_ref().map(|prometheus| prometheus.port), None),
        ];
        let changeable = Changeable { routing: core.routing.clone(), tls, admission: core.admission.clone() };
        let (inserts, selects) = (config.max_concurrent_insert_queries, config.max_concurrent_select_queries);
        changeable.limit_queries(config.max_concurrent_queries, inserts, selects);
        before(changeable.clone());
        let (mut addresses, mut accepting) = ([const { Vec::new() }; 5], Vec::new());
        for (at, host) in config.listen_hosts.iter().enumerate() {
            let may_lack = at > 0 && host == IPV6_LOOPBACK;
            for (addresses, (protocol, port, tls)) in addresses.iter_mut().zip(&ports) {
                let Some(port) = *port else { continue };
                let listener = match listen(host, port, may_lack).await {
                    Err(error) if config.listen_try => {
                        tracing::warn!("{error}: the server does without it (listen_try)");
                        continue;
                    }
                    listener => listener?,
                };
                let Some(listener) = listener else { continue };
                addresses.push(listener.local_addr()?);
                accepting.push(Task::on(&runtime::io(), accept(core.clone(), listener, *protocol, tls.clone())));
            }
        }
        if accepting.is_empty() {
            return Err(Error::new(ErrorCode::NETWORK_ERROR, "There is no address and port that the server can listen on"));
        }
        let [http_addresses, tcp_addresses, https_addresses, tcp_secure_addresses, prometheus_addresses] = addresses;
        let listening = [
            ("http_port", &http_addresses),
            ("tcp_port", &tcp_addresses),
            ("https_port", &https_addresses),
            ("tcp_port_secure", &tcp_secure_addresses),
            ("prometheus.port", &prometheus_addresses),
        ];
        for (name, addresses) in listening {
            if let Some(address) = addresses.first() {
                gristmill_functions::session::listens_at(name, address.port());
            }
        }
        if let Some(seconds) = host::process_seconds() {
            Counters::server().add(Event::ServerStartupMilliseconds, (seconds * 1e3) as u64);
        }
        let grace = config.shutdown_grace;
        Ok(Server {
            http_addresses,
            tcp_addresses,
            https_addresses,
            tcp_secure_addresses,
            prometheus_addresses,
            changeable,
            core,
            grace,
            accepting,
        })
    }

    /// What the server is called.
    pub fn display_name(&self) -> &str {
        &self.core.display_name
    }

    /// What may be changed while it runs.
    pub fn changeable(&self) -> Changeable {
        self.changeable.clone()
    }

    /// Takes nothing new, lets running queries finish for the grace period, cancels what is left, and waits for the
    /// connections.
    pub async fn shutdown(self) {
        self.core.stopping.cancel();
        let mut connections = Box::pin(futures::future::join_all(self.accepting.into_iter().map(Task::join)));
        if tokio::time::timeout(self.grace, connections.as_mut()).await.is_ok() {
            return;
        }
        let running = processes::snapshot();
        tracing::warn!("{} queries did not end in {} seconds: they are cancelled", running.len(), self.grace.as_secs());
        for query in running {
            query.cancel.cancel();
        }
        if tokio::time::timeout(CANCELLED_LONGEST, connections).await.is_err() {
            tracing::warn!("Some connections did not end: they are cut off");
        }
    }
}

/// 0: any number.
fn most_connections(configured: usize) -> usize {
    if configured == 0 { Semaphore::MAX_PERMITS } else { configured.min(Semaphore::MAX_PERMITS) }
}

fn host_name() -> String {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    if name.trim().is_empty() { "localhost".to_string() } else { name.trim().to_string() }
}

/// `may_lack`: where the machine has no such address there is nothing to listen on.
async fn listen(host: &str, port: u16, may_lack: bool) -> Result<Option<TcpListener>> {
    let address = (host.to_string(), port);
    let bound = Task::on(&runtime::io(), async move { TcpListener::bind(address).await }).join().await?;
    use std::io::ErrorKind::{AddrNotAvailable, Unsupported};
    if let (Err(error), true) = (&bound, may_lack)
        && (matches!(error.kind(), AddrNotAvailable | Unsupported) || error.raw_os_error() == Some(NO_SUCH_FAMILY))
    {
        tracing::debug!("Not listening on {host}, port {port}: {error}");
        return Ok(None);
    }
    bound.map(Some).map_err(|error| {
        let hint = if error.kind() == std::io::ErrorKind::AddrInUse { ": is another server running?" } else { "" };
        Error::new(ErrorCode::NETWORK_ERROR, format!("Cannot listen on {host}, port {port}: {error}{hint}"))
    })
}

#[derive(Clone, Copy)]
enum Protocol {
    Http(Port),
    Native,
}

/// Takes connections until the server is to end, then waits for those that are left.
async fn accept(core: Arc<Core>, listener: TcpListener, protocol: Protocol, tls: Option<Tls>) {
    // The connections end with the set, and the set with this task.
    let mut connections = JoinSet::new();
    loop {
        let accepted = tokio::select! {
            () = core.stopping.cancelled() => break,
            Some(_) = connections.join_next() => continue,
            accepted = listener.accept() => accepted,
        };
        match accepted {
            Ok((socket, peer)) => {
                // Others wait in the queue of the system meanwhile.
                if core.places.available_permits() == 0 {
                    tracing::warn!("As many connections are open as may be (max_connections): {peer} waits");
                }
                let place = tokio::select! {
                    () = core.stopping.cancelled() => break,
                    place = core.places.clone().acquire_owned() => place,
                };
                let served = serve(core.clone(), socket, peer, protocol, tls.clone());
                connections.spawn(async move {
                    let _place = place;
                    served.await;
                });
            }
            Err(error) => {
                tracing::warn!("Cannot accept a connection: {error}");
                tokio::time::sleep(ACCEPT_PAUSE).await;
            }
        }
    }
    drop(listener);
    while connections.join_next().await.is_some() {}
}

async fn serve(core: Arc<Core>, socket: TcpStream, peer: SocketAddr, protocol: Protocol, tls: Option<Tls>) {
    // Packets are small and wait for one another.
    let _ = socket.set_nodelay(true);
    let Some(tls) = tls else {
        return match protocol {
            Protocol::Http(port) => http::serve_tcp(core, socket, peer, port).await,
            Protocol::Native => native::serve(core, socket, peer, false).await,
        };
    };
    let stopping = core.stopping.clone();
    let accepted = tokio::select! {
        () = stopping.cancelled() => None,
        accepted = tls.accept(socket) => accepted,
    };
    match (accepted, protocol) {
        (None, _) => {}
        (Some(stream), Protocol::Http(port)) => http::serve(core, stream, None, peer, port).await,
        (Some(stream), Protocol::Native) => native::serve(core, stream, peer, true).await,
    }
}
