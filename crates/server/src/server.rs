//! Listening, and ending: no connection is cut off while its query may still finish in time, and nothing that was
//! acknowledged is lost.

use std::future::Future;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use gristmill_base::runtime::{self, Task};
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_engine::Engine;
use gristmill_introspect::{Settings, processes};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::access::Access;
use crate::core::{Admission, Connections, Core};
use crate::http::sessions::NamedSessions;
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
    /// 0: any number.
    pub max_concurrent_queries: usize,
    /// How long running queries may go on when the server is to end.
    pub shutdown_grace: Duration,
    /// What sessions begin with.
    pub settings: Settings,
}

impl Default for ServerConfig {
    /// For this machine alone.
    fn default() -> Self {
        ServerConfig {
            listen_hosts: vec!["127.0.0.1".to_string(), IPV6_LOOPBACK.to_string()],
            http_port: Some(8123),
            tcp_port: Some(9000),
            max_concurrent_queries: 100,
            shutdown_grace: Duration::from_secs(10),
            settings: Settings::default(),
        }
    }
}

/// EAFNOSUPPORT: the machine was built without IPv6.
const NO_SUCH_FAMILY: i32 = 97;

/// A server that listens. Dropping it cuts off everything; `shutdown` is the good end.
pub struct Server {
    pub http_addresses: Vec<SocketAddr>,
    pub tcp_addresses: Vec<SocketAddr>,
    core: Arc<Core>,
    grace: Duration,
    accepting: Vec<Task<()>>,
}

impl Server {
    /// Errors: NETWORK_ERROR where a port cannot be opened.
    pub async fn start(engine: Arc<Engine>, access: Arc<dyn Access>, config: &ServerConfig) -> Result<Server> {
        let core = Arc::new(Core {
            sessions: NamedSessions::new(engine.env.clone()),
            engine,
            access,
            admission: Admission::new(config.max_concurrent_queries),
            display_name: host_name(),
            connections: Connections::default(),
            settings: config.settings.clone(),
            stopping: CancellationToken::new(),
        });
        let (mut http_addresses, mut tcp_addresses, mut accepting) = (Vec::new(), Vec::new(), Vec::new());
        for (at, host) in config.listen_hosts.iter().enumerate() {
            let may_lack = at > 0 && host == IPV6_LOOPBACK;
            if let Some(port) = config.http_port
                && let Some(listener) = listen(host, port, may_lack).await?
            {
                http_addresses.push(listener.local_addr()?);
                accepting.push(Task::on(&runtime::io(), accept(core.clone(), listener, http::serve)));
            }
            if let Some(port) = config.tcp_port
                && let Some(listener) = listen(host, port, may_lack).await?
            {
                tcp_addresses.push(listener.local_addr()?);
                accepting.push(Task::on(&runtime::io(), accept(core.clone(), listener, native::serve)));
            }
        }
        Ok(Server { http_addresses, tcp_addresses, core, grace: config.shutdown_grace, accepting })
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

/// Takes connections until the server is to end, then waits for those that are left.
async fn accept<F>(core: Arc<Core>, listener: TcpListener, serve: fn(Arc<Core>, TcpStream, SocketAddr) -> F)
where
    F: Future<Output = ()> + Send + 'static,
{
    // The connections end with the set, and the set with this task.
    let mut connections = JoinSet::new();
    loop {
        let accepted = tokio::select! {
            () = core.stopping.cancelled() => break,
            Some(_) = connections.join_next() => continue,
            accepted = listener.accept() => accepted,
        };
        match accepted {
            Ok((socket, peer)) => drop(connections.spawn(serve(core.clone(), socket, peer))),
            Err(error) => {
                tracing::warn!("Cannot accept a connection: {error}");
                tokio::time::sleep(ACCEPT_PAUSE).await;
            }
        }
    }
    drop(listener);
    while connections.join_next().await.is_some() {}
}
