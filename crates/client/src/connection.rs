//! One connection: a socket, TLS where asked for, and the hello of both sides.
//!
//! The socket lives on the I/O runtime and is met at two bounded channels (`gristmill_formats::native::socket`). A
//! connection that is dropped is closed, and its server cancels what ran on it.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::{Duration, Instant};

use gristmill_base::runtime::{self, Task};
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_formats::native::ByteReader;
use gristmill_formats::native::socket::{Chunks, Output, channels};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpSocket, TcpStream};
use tokio_rustls::rustls::pki_types::ServerName;

use crate::endpoint::Endpoint;
use crate::packets::{Packet, Words, unexpected};
use crate::request::{self, Dialect};
use crate::tls;

/// Who is at the other end, as errors call it.
const PEER: &str = "server";
/// A connection that was not used for so long is asked whether it is still there.
const FRESH: Duration = Duration::from_secs(1);
/// For the answer to that.
const PONG_LONGEST: Duration = Duration::from_secs(5);

/// A server that has not taken a piece of what it is sent after so long is gone.
const WRITE_LONGEST: Duration = Duration::from_secs(300);

/// What a server said of itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ServerInfo {
    pub name: String,
    pub display_name: String,
    /// Major, minor, patch.
    pub version: (u64, u64, u64),
    /// The lower of both sides'.
    pub revision: u64,
    /// Empty: not told.
    pub timezone: String,
}

/// A socket, or TLS over one.
trait Wire: AsyncRead + AsyncWrite + Send + Unpin {}
impl<T: AsyncRead + AsyncWrite + Send + Unpin> Wire for T {}

pub struct Connection {
    pub reader: ByteReader<Chunks>,
    pub out: Output,
    pub dialect: Dialect,
    pub server: Arc<ServerInfo>,
    /// `host:port`
    pub address: Arc<str>,
    pub receive_timeout: Duration,
    /// Whether errors of the server are told with its stack.
    pub shows_stacks: bool,
    /// When the last answer ended.
    pub used: Instant,
    /// Whether something went wrong on it, so that it has to show that it still works.
    pub is_doubtful: bool,
    _moving: Task<()>,
}

impl Connection {
    /// Connects and says hello. Errors: NETWORK_ERROR, SOCKET_TIMEOUT, DNS_ERROR, and what the server answers, such as
    /// AUTHENTICATION_FAILED or UNKNOWN_DATABASE.
    pub async fn open(endpoint: &Endpoint, database: &str) -> Result<Connection> {
        let wanted = endpoint.clone();
        let longest = endpoint.connect_timeout;
        let opening = Task::on(&runtime::io(), async move {
            let late = |_| timed_out(&wanted, "connecting");
            tokio::time::timeout(longest, open_wire(&wanted)).await.map_err(late)?
        });
        let wire = opening.join().await??;
        let address: Arc<str> = Arc::from(endpoint.address());
        let greeting = Self::greet(wire, endpoint, database, address.clone());
        let greeted = tokio::time::timeout(endpoint.receive_timeout.max(longest), greeting).await;
        greeted.map_err(|_| timed_out(endpoint, "waiting for the server's hello"))?
    }

    async fn greet(wire: Box<dyn Wire>, endpoint: &Endpoint, database: &str, address: Arc<str>) -> Result<Connection> {
        let (pump, chunks, out) = channels(PEER);
        let (read, write) = tokio::io::split(wire);
        let moving = Task::on(&runtime::io(), pump.run(read, write, WRITE_LONGEST));
        let mut reader = ByteReader::new(chunks);
        out.send_whole(request::hello(endpoint, database)).await?;
        let mut words = Words { reader: &mut reader, revision: 0, compressed: false };
        let server = words.hello().await.map_err(|error| match error.code() {
            ErrorCode::ATTEMPT_TO_READ_AFTER_EOF => {
                let hint = if endpoint.secure { "without --secure it may speak" } else { "with --secure it may speak" };
                Error::new(ErrorCode::NETWORK_ERROR, format!("{address} ended the connection before its hello: {hint}"))
            }
            ErrorCode::CLIENT_HAS_CONNECTED_TO_WRONG_PORT | ErrorCode::UNEXPECTED_PACKET_FROM_SERVER => {
                error.with_context(format!("while connecting to {address}"))
            }
            _ => received(&address, error, None),
        })?;
        let dialect = Dialect { revision: server.revision, compressed: endpoint.compression };
        let addendum = dialect.addendum(&endpoint.quota_key);
        if !addendum.is_empty() {
            out.send_whole(addendum).await?;
        }
        Ok(Connection {
            reader,
            out,
            dialect,
            server: Arc::new(server),
            address,
            receive_timeout: endpoint.receive_timeout,
            shows_stacks: endpoint.shows_stacks,
            used: Instant::now(),
            is_doubtful: false,
            _moving: moving,
        })
    }

    /// The next packet. Must not be given up: the reader would stand within a packet. Errors: those of reading, after which
    /// the connection is of no use; SOCKET_TIMEOUT where nothing comes.
    pub async fn packet(&mut self) -> Result<Packet> {
        let Connection { reader, dialect, address, receive_timeout, .. } = self;
        read_packet(reader, *dialect, address, *receive_timeout).await
    }

    /// Whether it is there and stands between two answers; asked of the server only where there is doubt.
    pub async fn is_alive(&mut self) -> bool {
        if !self.is_doubtful && self.used.elapsed() < FRESH {
            return true;
        }
        let asked = async {
            self.out.send_whole(request::ping()).await?;
            // What a server still had to say of the last query comes before the answer.
            loop {
                match self.packet().await? {
                    Packet::Pong => return Ok::<_, Error>(()),
                    Packet::Data(_) | Packet::Progress(_) | Packet::Log(_) | Packet::ProfileEvents(_) => {}
                    _ => return Err(unexpected(0, "the answer to a ping")),
                }
            }
        };
        let alive = matches!(tokio::time::timeout(PONG_LONGEST, asked).await, Ok(Ok(())));
        self.is_doubtful &= !alive;
        alive
    }
}

/// As `Connection::packet`, with the parts apart.
pub async fn read_packet(
    reader: &mut ByteReader<Chunks>,
    dialect: Dialect,
    address: &str,
    longest: Duration,
) -> Result<Packet> {
    // Only silence is too long: a large block that goes on coming may take its time.
    if reader.held().is_empty() {
        let more = tokio::time::timeout(longest, reader.fill()).await.map_err(|_| {
            let text = format!("{address} said nothing for {} seconds (receive_timeout)", longest.as_secs());
            Error::new(ErrorCode::SOCKET_TIMEOUT, text)
        })??;
        if !more {
            return Err(ended(address));
        }
    }
    let mut words = Words { reader, revision: dialect.revision, compressed: dialect.compressed };
    words.packet().await.map_err(|error| match error.code() {
        ErrorCode::ATTEMPT_TO_READ_AFTER_EOF => ended(address),
        _ => error.with_context(format!("while reading from {address}")),
    })
}

fn ended(address: &str) -> Error {
    Error::new(ErrorCode::NETWORK_ERROR, format!("{address} ended the connection in the middle of an answer"))
}

fn timed_out(endpoint: &Endpoint, what: &str) -> Error {
    Error::new(ErrorCode::SOCKET_TIMEOUT, format!("Timeout exceeded while {what} ({})", endpoint.address()))
}

/// An exception of the server, as clients show it; with the calls that led to it, where they are wanted.
pub fn received(address: &str, error: Error, stack: Option<&str>) -> Error {
    let mut text = format!("Received from {address}. DB::Exception: {}", error.message());
    if let Some(stack) = stack.filter(|stack| !stack.is_empty()) {
        text += &format!(". Stack trace:\n\n{stack}");
    }
    Error::new(error.code(), text)
}

/// `from`: the address of this machine that it begins at.
async fn connect(place: SocketAddr, from: Option<IpAddr>) -> std::io::Result<TcpStream> {
    let Some(from) = from else { return TcpStream::connect(place).await };
    let socket = if place.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
    socket.bind(SocketAddr::new(from, 0))?;
    socket.connect(place).await
}

async fn open_wire(endpoint: &Endpoint) -> Result<Box<dyn Wire>> {
    let address = endpoint.address();
    let host = endpoint.host.as_str();
    let found = tokio::net::lookup_host((host, endpoint.port()))
        .await
        .map_err(|error| Error::new(ErrorCode::DNS_ERROR, format!("Not found address of host: {host}: {error}")))?;
    let mut refused = None;
    let mut socket = None;
    for place in found {
        match connect(place, endpoint.bind_host).await {
            Ok(connected) => {
                socket = Some(connected);
                break;
            }
            Err(error) => refused = Some(error),
        }
    }
    let Some(socket) = socket else {
        let why = refused.map_or_else(|| "it has no address".to_string(), |error| error.to_string());
        return Err(Error::new(ErrorCode::NETWORK_ERROR, format!("Cannot connect to {address}: {why}")));
    };
    // Packets are small and waited for.
    socket.set_nodelay(true).map_err(|error| Error::new(ErrorCode::NETWORK_ERROR, format!("{address}: {error}")))?;
    if !endpoint.secure {
        return Ok(Box::new(socket));
    }
    let wanted = endpoint.certificate_name.as_deref().unwrap_or(host);
    let name = ServerName::try_from(wanted.to_string()).map_err(|_| {
        Error::new(ErrorCode::BAD_ARGUMENTS, format!("'{wanted}' is no name of a host that TLS could check"))
    })?;
    let stream = tls::connector(endpoint)?.connect(name, socket).await.map_err(|error| {
        let text = format!("TLS with {address} failed: {error}. --accept-invalid-certificate takes any certificate");
        Error::new(ErrorCode::NETWORK_ERROR, text)
    })?;
    Ok(Box::new(stream))
}
