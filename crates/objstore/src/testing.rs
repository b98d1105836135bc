//! An S3 server in this process, over a folder, for tests and demonstrations: each folder under the root is a bucket.
//! It counts requests by method and stops when it is dropped.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use gristmill_base::runtime::Task;
use gristmill_base::{Error, ErrorCode, Result, ResultExt};
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto::Builder;
use parking_lot::Mutex;
use s3s::auth::SimpleAuth;
use s3s::service::S3ServiceBuilder;
use tokio::net::TcpListener;
use tokio::runtime::Handle;

pub struct TestServer {
    /// `http://127.0.0.1:port`
    pub url: String,
    pub access_key: String,
    pub secret_key: String,
    requests: Arc<Mutex<BTreeMap<String, u64>>>,
    _task: Task<()>,
}

impl TestServer {
    /// Requests so far whose line (`GET /bucket/key?query`) contains a text.
    pub fn requests(&self, containing: &str) -> u64 {
        self.requests.lock().iter().filter(|(line, _)| line.contains(containing)).map(|(_, count)| count).sum()
    }
}

/// Serves a folder on a free port of the loopback interface.
pub async fn s3_server(root: &Path) -> Result<TestServer> {
    let (access_key, secret_key) = ("gristmill".to_string(), "gristmill-secret".to_string());
    let files = s3s_fs::FileSystem::new(root)
        .map_err(|error| Error::new(ErrorCode::CANNOT_OPEN_FILE, format!("Cannot serve {}: {error}", root.display())))?;
    let mut builder = S3ServiceBuilder::new(files);
    builder.set_auth(SimpleAuth::from_single(access_key.clone(), secret_key.clone()));
    let service = builder.build();
    let listener = TcpListener::bind("127.0.0.1:0").await.context(|| "Cannot listen on 127.0.0.1".to_string())?;
    let address = listener.local_addr().map_err(Error::from)?;
    let requests: Arc<Mutex<BTreeMap<String, u64>>> = Arc::default();
    let counts = requests.clone();
    let serve = async move {
        let mut connections = tokio::task::JoinSet::new();
        while let Ok((socket, _)) = listener.accept().await {
            while connections.try_join_next().is_some() {}
            let _ = socket.set_nodelay(true);
            let (service, counts) = (service.clone(), counts.clone());
            connections.spawn(async move {
                let counted = service_fn(move |request: hyper::Request<hyper::body::Incoming>| {
                    *counts.lock().entry(format!("{} {}", request.method(), request.uri())).or_default() += 1;
                    hyper::service::Service::call(&service, request)
                });
                let _ = Builder::new(TokioExecutor::new()).serve_connection(TokioIo::new(socket), counted).await;
            });
        }
    };
    let task = Task::on(&Handle::current(), serve);
    Ok(TestServer { url: format!("http://{address}"), access_key, secret_key, requests, _task: task })
}
