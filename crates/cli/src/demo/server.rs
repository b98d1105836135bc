//! The S3 server on a loopback port: hyper in front of `FolderStore`, with keys made for this run, counting every request
//! by class and every byte that leaves.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use gristmill_base::env::Env;
use gristmill_base::runtime::{self, Task};
use gristmill_base::{Result, ResultExt};
use hyper::body::Incoming;
use hyper::service::{Service, service_fn};
use hyper::{Method, Request};
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto::Builder;
use s3s::auth::SimpleAuth;
use s3s::service::S3ServiceBuilder;
use tokio::net::TcpListener;

use crate::demo::store::FolderStore;

/// Requests by the class that a provider bills them in.
#[derive(Debug, Default)]
struct Requests {
    list: AtomicU64,
    head: AtomicU64,
    get: AtomicU64,
    other: AtomicU64,
    bytes: AtomicU64,
}

/// The counts at one moment; subtract two of them for what happened between.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RequestCounts {
    pub list: u64,
    pub head: u64,
    pub get: u64,
    pub other: u64,
    /// Bytes of bodies that were sent.
    pub bytes: u64,
}

impl std::ops::Sub for RequestCounts {
    type Output = RequestCounts;

    fn sub(self, earlier: RequestCounts) -> RequestCounts {
        RequestCounts {
            list: self.list - earlier.list,
            head: self.head - earlier.head,
            get: self.get - earlier.get,
            other: self.other - earlier.other,
            bytes: self.bytes - earlier.bytes,
        }
    }
}

/// A running server; dropping it stops it.
pub struct S3Server {
    pub address: SocketAddr,
    pub access_key: String,
    pub secret_key: String,
    requests: Arc<Requests>,
    _accepting: Task<()>,
}

impl S3Server {
    /// Serves the folders of `root` as buckets.
    pub async fn start(root: &Path, env: &dyn Env) -> Result<S3Server> {
        let access_key = format!("DEMO{:016X}", env.random_u64());
        let secret_key = format!("{:016x}{:016x}", env.random_u64(), env.random_u64());
        let requests = Arc::new(Requests::default());
        let service = {
            let mut builder = S3ServiceBuilder::new(FolderStore::new(root));
            builder.set_auth(SimpleAuth::from_single(access_key.as_str(), secret_key.as_str()));
            builder.build()
        };
        let listener = Task::on(&runtime::io(), TcpListener::bind(("127.0.0.1", 0)));
        let listener = listener.join().await?.context(|| "while opening a port for the S3 server".to_string())?;
        let address = listener.local_addr()?;
        let counted = requests.clone();
        let accepting = Task::on(&runtime::io(), async move {
            // The connections end with the set, and the set with this task.
            let mut connections = tokio::task::JoinSet::new();
            loop {
                let Ok((socket, _)) = listener.accept().await else { continue };
                while connections.try_join_next().is_some() {}
                let (service, counted) = (service.clone(), counted.clone());
                connections.spawn(async move {
                    let counting = service_fn(move |request: Request<Incoming>| {
                        counted.class(&request).fetch_add(1, Ordering::Relaxed);
                        let (answer, counted) = (Service::call(&service, request), counted.clone());
                        async move {
                            let answer = answer.await?;
                            let length = answer.headers().get(hyper::header::CONTENT_LENGTH);
                            let length = length.and_then(|length| length.to_str().ok()?.parse().ok()).unwrap_or(0);
                            counted.bytes.fetch_add(length, Ordering::Relaxed);
                            Ok::<_, s3s::HttpError>(answer)
                        }
                    });
                    // A client that goes away in the middle of an answer is no concern of the server's.
                    let _ = Builder::new(TokioExecutor::new()).serve_connection(TokioIo::new(socket), counting).await;
                });
            }
        });
        Ok(S3Server { address, access_key, secret_key, requests, _accepting: accepting })
    }

    pub fn counts(&self) -> RequestCounts {
        let get = |value: &AtomicU64| value.load(Ordering::Relaxed);
        let Requests { list, head, get: gets, other, bytes } = &*self.requests;
        RequestCounts { list: get(list), head: get(head), get: get(gets), other: get(other), bytes: get(bytes) }
    }
}

impl Requests {
    fn class(&self, request: &Request<Incoming>) -> &AtomicU64 {
        let names_object = request.uri().path().trim_matches('/').contains('/');
        match *request.method() {
            Method::GET if names_object => &self.get,
            Method::GET => &self.list,
            Method::HEAD => &self.head,
            _ => &self.other,
        }
    }
}

#[cfg(test)]
mod tests {
    use futures::TryStreamExt;
    use gristmill_base::env::SystemEnv;
    use object_store::aws::AmazonS3Builder;
    use object_store::{ObjectStore, ObjectStoreExt, path::Path};

    use super::*;

    fn client(server: &S3Server, secret: &str) -> impl ObjectStore {
        AmazonS3Builder::new()
            .with_endpoint(format!("http://{}", server.address))
            .with_allow_http(true)
            .with_bucket_name("bucket")
            .with_access_key_id(&server.access_key)
            .with_secret_access_key(secret)
            .build()
            .expect("builds")
    }

    #[tokio::test]
    async fn objects_are_listed_read_in_ranges_and_counted() {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::create_dir_all(folder.path().join("bucket/a/b")).expect("makes");
        std::fs::write(folder.path().join("bucket/a/b/one"), b"0123456789").expect("writes");
        std::fs::write(folder.path().join("bucket/a/two"), b"").expect("writes");
        let server = S3Server::start(folder.path(), &SystemEnv).await.expect("starts");
        let store = client(&server, &server.secret_key);

        let keys: Vec<_> = store.list(None).map_ok(|object| object.location.to_string()).try_collect().await.expect("lists");
        assert_eq!(keys, ["a/b/one", "a/two"]);
        let level = store.list_with_delimiter(Some(&Path::from("a"))).await.expect("lists");
        assert_eq!((level.objects.len(), level.common_prefixes), (1, vec![Path::from("a/b")]));
        assert_eq!(store.get_range(&Path::from("a/b/one"), 2..5).await.expect("reads").as_ref(), b"234");
        assert_eq!(store.head(&Path::from("a/two")).await.expect("is there").size, 0);
        let counts = server.counts();
        assert_eq!((counts.list, counts.get, counts.head, counts.other), (2, 1, 1, 0));
        assert!(matches!(store.head(&Path::from("a/b")).await, Err(object_store::Error::NotFound { .. })));
    }

    #[tokio::test]
    async fn a_wrong_key_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::create_dir(folder.path().join("bucket")).expect("makes");
        let server = S3Server::start(folder.path(), &SystemEnv).await.expect("starts");
        assert!(client(&server, "wrong").list(None).try_next().await.is_err());
    }
}
