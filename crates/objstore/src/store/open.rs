//! Opening: the same place with the same credentials gives the same store.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};

use gristmill_base::redact::Secret;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_introspect::Settings;
use object_store::client::{HttpClient, HttpConnector};
use parking_lot::Mutex;

use super::{Inner, Store};
use crate::allowed_hosts::{self, authority};
use crate::backend::{
    Backend, ClientSettings, CloudBackend, GcsBackend, HttpBackend, LocalBackend, MemoryBackend, Syncs, basic_auth,
    client_options, header_map, plain_client,
};
use crate::credentials::Credentials;
use crate::endpoint::Endpoint;
use crate::location::{Location, Provider};
use crate::prices::Prices;
use crate::wire::WireConnector;

/// Stores that are kept open.
const STORES_MAX: usize = 256;

#[derive(PartialEq, Eq, Hash)]
struct CacheKey {
    location: Location,
    credentials: Credentials,
    headers: Vec<(String, Secret)>,
    settings: ClientSettings,
}

impl CacheKey {
    fn requests_max(&self) -> usize {
        usize::try_from(self.settings.connections_max).unwrap_or(usize::MAX)
    }
}

static NEXT_ID: AtomicU64 = AtomicU64::new(0);

fn next_id() -> u64 {
    NEXT_ID.fetch_add(1, Ordering::Relaxed)
}

static STORES: LazyLock<Mutex<HashMap<CacheKey, Store>>> = LazyLock::new(Mutex::default);

impl Store {
    /// The store that a location lies in; its key does not matter. No request is sent yet.
    pub fn open(
        location: &Location,
        credentials: &Credentials,
        headers: &[(String, Secret)],
        settings: &Settings,
    ) -> Result<Store> {
        if location.provider == Provider::File {
            return Ok(Store::local(&location.endpoint));
        }
        allowed_hosts::check(authority(&location.endpoint))?;
        Prices::of("", &settings.object_storage_prices)?;
        let key = CacheKey {
            location: location.with_key(""),
            credentials: credentials.clone(),
            headers: headers.to_vec(),
            settings: ClientSettings {
                connect_timeout_ms: settings.s3_connect_timeout_ms,
                connections_max: settings.s3_max_connections.max(1),
            },
        };
        if let Some(store) = STORES.lock().get(&key) {
            // Another store of the same endpoint may have been opened with another cap since.
            Endpoint::of(&location.endpoint, key.requests_max());
            return Ok(store.clone());
        }
        let store = Self::connect(&key)?;
        let mut stores = STORES.lock();
        if stores.len() >= STORES_MAX {
            // Stores in use live on in their queries; the idle ones cost one handshake when they are wanted again.
            stores.retain(|_, store| Arc::strong_count(&store.inner) > 1);
            if stores.len() >= STORES_MAX {
                stores.clear();
            }
        }
        Ok(stores.entry(key).or_insert(store).clone())
    }

    fn connect(key: &CacheKey) -> Result<Store> {
        let location = &key.location;
        let mut headers = header_map(&key.headers)?;
        if let Some(user) = &location.basic_auth {
            headers.insert(http::header::AUTHORIZATION, basic_auth(user)?);
        }
        let host = authority(&location.endpoint);
        let host = host
            .rsplit_once(':')
            .filter(|(_, port)| port.bytes().all(|b| b.is_ascii_digit()))
            .map_or(host, |(host, _)| host);
        let endpoint = Endpoint::of(&location.endpoint, key.requests_max());
        let connector = WireConnector {
            provider: location.provider,
            host: host.to_string(),
            endpoint: endpoint.clone(),
            settings: key.settings,
            headers: http::HeaderMap::new(),
        };
        let backend: Arc<dyn Backend> = if location.provider == Provider::Http {
            if let Credentials::Bearer(token) = &key.credentials {
                headers.extend(header_map(&[(
                    "authorization".to_string(),
                    Secret::new(format!("Bearer {}", token.reveal())),
                )])?);
            }
            let client = connector.over(plain_client(key.settings)?);
            Arc::new(HttpBackend::new(location.endpoint.clone(), headers, client))
        } else {
            let cloud = CloudBackend::open(location, &key.credentials, headers, key.settings, connector.clone())?;
            match (location.provider, &key.credentials) {
                // Its HMAC keys are for its S3 protocol.
                (Provider::Gcs, Credentials::Keys { .. }) => Arc::new(cloud),
                (Provider::Gcs, _) => Arc::new(GcsBackend::new(cloud, client(&connector, key)?)),
                _ => Arc::new(cloud),
            }
        };
        let (location, credentials, host) = (location.clone(), key.credentials.clone(), host.to_string());
        Ok(Store {
            inner: Arc::new(Inner { location, credentials, backend, host, endpoint: Some(endpoint), id: next_id() }),
        })
    }

    fn over(location: Location, credentials: Credentials, backend: Arc<dyn Backend>) -> Store {
        let (host, id) = (String::new(), next_id());
        Store { inner: Arc::new(Inner { location, credentials, backend, host, endpoint: None, id }) }
    }

    fn file_location(endpoint: String) -> Location {
        Location {
            provider: Provider::File,
            endpoint,
            bucket: String::new(),
            key: String::new(),
            region: None,
            virtual_hosted: false,
            version_id: None,
            basic_auth: None,
        }
    }

    /// Files under a folder, which need not exist yet.
    pub fn local(root: impl Into<PathBuf>) -> Store {
        Self::in_folder(root.into(), Syncs::AtOnce)
    }

    /// As `local`, but files outlast a loss of power only after `sync` named them; what `put_if_absent` made does at once.
    pub fn local_synced_when_told(root: impl Into<PathBuf>) -> Store {
        Self::in_folder(root.into(), Syncs::WhenTold)
    }

    fn in_folder(root: PathBuf, syncs: Syncs) -> Store {
        let location = Self::file_location(root.to_string_lossy().into_owned());
        Self::over(location, Credentials::Anonymous, Arc::new(LocalBackend::new(root, syncs)))
    }

    /// Objects in memory, shared by the clones of this store.
    pub fn memory() -> Store {
        Self::over(Self::file_location("memory:".to_string()), Credentials::Anonymous, Arc::new(MemoryBackend::default()))
    }
}

fn client(connector: &WireConnector, key: &CacheKey) -> Result<HttpClient> {
    connector
        .connect(&client_options(key.settings, http::HeaderMap::new()))
        .map_err(|error| Error::new(ErrorCode::NETWORK_ERROR, format!("Cannot set up an HTTP client: {error}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_cap_on_requests_is_that_of_the_latest_caller() {
        let location = Location::parse_s3("http://127.0.0.1:9/capped/").expect("a location");
        let limit = |connections_max: u64| {
            let mut settings = Settings::default();
            settings.s3_max_connections = connections_max;
            let store = Store::open(&location, &Credentials::Anonymous, &[], &settings).expect("a store");
            store.inner.endpoint.as_ref().expect("it is no folder").limiter.limit()
        };
        let free = limit(1024);
        assert_eq!(limit(2), 2);
        assert_eq!(limit(1024), free, "a store that was opened before");
    }
}
