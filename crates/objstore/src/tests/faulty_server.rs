//! A server that does to each request what the test says: answers, answers half, resets, stalls.

use std::sync::Arc;
use std::time::Duration;

use gristmill_base::runtime::Task;
use parking_lot::Mutex;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Handle;

#[derive(Clone, Debug)]
pub struct Received {
    pub method: String,
    /// With the query.
    pub path: String,
    head: String,
    pub body: Vec<u8>,
}

impl Received {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().skip(1).find_map(|line| {
            let (key, value) = line.split_once(':')?;
            key.eq_ignore_ascii_case(name).then_some(value.trim())
        })
    }
}

pub enum Action {
    Answer {
        status: u16,
        headers: Vec<(&'static str, String)>,
        body: Vec<u8>,
    },
    /// Says there is more than comes, then closes.
    Cut {
        headers: Vec<(&'static str, String)>,
        status: u16,
        says: usize,
        body: Vec<u8>,
    },
    /// Part of the answer, then nothing more.
    StallAfter {
        headers: Vec<(&'static str, String)>,
        status: u16,
        says: usize,
        body: Vec<u8>,
    },
    Reset,
    Stall,
}

pub fn xml_error(status: u16, code: &str) -> Action {
    let body = format!("<?xml version=\"1.0\"?><Error><Code>{code}</Code><Message>as the test says</Message></Error>");
    Action::Answer { status, headers: vec![], body: body.into_bytes() }
}

/// What a well-behaved server answers to a GET of this object.
pub fn object(request: &Received, bytes: &[u8], etag: &str) -> Action {
    let (status, headers, body) = object_parts(request, bytes, etag);
    Action::Answer { status, headers, body }
}

pub fn object_parts(request: &Received, bytes: &[u8], etag: &str) -> (u16, Vec<(&'static str, String)>, Vec<u8>) {
    if request.header("if-match").is_some_and(|wanted| wanted != etag) {
        return (412, vec![], vec![]);
    }
    let mut headers = vec![("ETag", etag.to_string()), ("Last-Modified", "Sat, 21 Nov 2026 00:00:00 GMT".to_string())];
    let Some(range) = request.header("range").and_then(|range| range.strip_prefix("bytes=")) else {
        return (200, headers, bytes.to_vec());
    };
    let (from, to) = range.split_once('-').expect("a range");
    let (from, to) = match (from.parse::<usize>(), to.parse::<usize>()) {
        (Ok(from), Ok(to)) => (from, (to + 1).min(bytes.len())),
        (Ok(from), Err(_)) => (from, bytes.len()),
        (Err(_), Ok(last)) => (bytes.len().saturating_sub(last), bytes.len()),
        (Err(_), Err(_)) => panic!("no range: {range}"),
    };
    headers.push(("Content-Range", format!("bytes {from}-{}/{}", to - 1, bytes.len())));
    (206, headers, bytes[from..to].to_vec())
}

pub struct FaultyServer {
    /// `http://127.0.0.1:port`
    pub url: String,
    received: Arc<Mutex<Vec<Received>>>,
    _task: Task<()>,
}

impl FaultyServer {
    /// `act` is told the number of the request, from 0, and the request.
    pub async fn start(act: impl Fn(usize, &Received) -> Action + Send + Sync + 'static) -> FaultyServer {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let url = format!("http://{}", listener.local_addr().expect("address"));
        let received: Arc<Mutex<Vec<Received>>> = Arc::default();
        let (log, act) = (received.clone(), Arc::new(act));
        let task = Task::on(&Handle::current(), async move {
            let mut connections = tokio::task::JoinSet::new();
            while let Ok((socket, _)) = listener.accept().await {
                connections.spawn(serve(socket, act.clone(), log.clone()));
            }
        });
        FaultyServer { url, received, _task: task }
    }

    pub fn received(&self) -> Vec<Received> {
        self.received.lock().clone()
    }
}

async fn serve(
    mut socket: TcpStream,
    act: Arc<dyn Fn(usize, &Received) -> Action + Send + Sync>,
    log: Arc<Mutex<Vec<Received>>>,
) {
    let Some(request) = read_request(&mut socket).await else { return };
    let number = {
        let mut log = log.lock();
        log.push(request.clone());
        log.len() - 1
    };
    let head = |status: u16, headers: &[(&str, String)], length: usize| {
        let mut text = format!("HTTP/1.1 {status} x\r\nConnection: close\r\nContent-Length: {length}\r\n");
        headers.iter().for_each(|(name, value)| text.push_str(&format!("{name}: {value}\r\n")));
        text + "\r\n"
    };
    match act(number, &request) {
        Action::Answer { status, headers, body } => {
            let _ = socket.write_all(head(status, &headers, body.len()).as_bytes()).await;
            if request.method != "HEAD" {
                let _ = socket.write_all(&body).await;
            }
            let _ = socket.shutdown().await;
        }
        Action::Cut { headers, status, says, body } => {
            let _ = socket.write_all(head(status, &headers, says).as_bytes()).await;
            let _ = socket.write_all(&body).await;
            let _ = socket.shutdown().await;
        }
        Action::StallAfter { headers, status, says, body } => {
            let _ = socket.write_all(head(status, &headers, says).as_bytes()).await;
            let _ = socket.write_all(&body).await;
            tokio::time::sleep(Duration::from_secs(3600)).await;
        }
        Action::Reset => {
            let _ = socket.set_zero_linger();
        }
        Action::Stall => tokio::time::sleep(Duration::from_secs(3600)).await,
    }
}

async fn read_request(socket: &mut TcpStream) -> Option<Received> {
    let mut bytes = Vec::new();
    let end = loop {
        if let Some(at) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
            break at;
        }
        if socket.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    };
    let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
    let mut words = head.split(' ');
    let (method, path) = (words.next()?.to_string(), words.next()?.to_string());
    let mut request = Received { method, path, head, body: bytes.split_off(end + 4) };
    let length: usize = request.header("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
    while request.body.len() < length {
        if socket.read_buf(&mut request.body).await.ok()? == 0 {
            return None;
        }
    }
    Some(request)
}
