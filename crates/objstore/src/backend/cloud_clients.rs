//! The clients of the `object_store` crate for a location: which credentials they sign with, and where they may be shown.
//!
//! Retries are off and time limits are ours (`wire`). The environment's credentials are shown to the provider's own hosts
//! alone.

use std::sync::Arc;
use std::time::Duration;

use gristmill_base::redact::Secret;
use gristmill_base::{Error, ErrorCode, Result};
use http::{HeaderMap, HeaderName, HeaderValue};
use object_store::aws::{AmazonS3, AmazonS3Builder, S3ConditionalPut};
use object_store::azure::{MicrosoftAzure, MicrosoftAzureBuilder};
use object_store::gcp::{GcpCredential, GoogleCloudStorage, GoogleCloudStorageBuilder};
use object_store::list::PaginatedListStore;
use object_store::multipart::MultipartStore;
use object_store::{BackoffConfig, ClientOptions, ObjectStore, RetryConfig, StaticCredentialProvider};

use crate::credentials::Credentials;
use crate::location::{ConnectionString, Location, Provider, azure_account};
use crate::wire::WireConnector;

/// Settings of the HTTP client that are fixed when a store is opened.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct ClientSettings {
    pub connect_timeout_ms: u64,
    pub connections_max: u64,
}

#[derive(Debug)]
pub(super) enum Client {
    S3(AmazonS3),
    Gcs(GoogleCloudStorage),
    Azure(MicrosoftAzure),
}

pub(super) trait CloudClient: ObjectStore + MultipartStore + PaginatedListStore {}
impl<T: ObjectStore + MultipartStore + PaginatedListStore> CloudClient for T {}

impl Client {
    pub(super) fn store(&self) -> &dyn CloudClient {
        match self {
            Client::S3(client) => client,
            Client::Gcs(client) => client,
            Client::Azure(client) => client,
        }
    }

    pub(super) async fn finds_credentials(&self) -> bool {
        let ask = async {
            match self {
                Client::S3(client) => client.credentials().get_credential().await.is_ok(),
                Client::Gcs(client) => client.credentials().get_credential().await.is_ok(),
                Client::Azure(client) => client.credentials().get_credential().await.is_ok(),
            }
        };
        tokio::time::timeout(Duration::from_secs(3), ask).await.unwrap_or(false)
    }
}

pub(crate) fn header_map(headers: &[(String, Secret)]) -> Result<HeaderMap> {
    let mut map = HeaderMap::new();
    for (name, value) in headers {
        let bad = |what: &str| {
            Error::new(
                ErrorCode::BAD_ARGUMENTS,
                format!("The {what} of header '{name}' has characters that HTTP does not allow in headers"),
            )
        };
        let header = HeaderName::from_bytes(name.as_bytes()).map_err(|_| bad("name"))?;
        let mut value = HeaderValue::from_str(value.reveal()).map_err(|_| bad("value"))?;
        value.set_sensitive(true);
        map.insert(header, value);
    }
    Ok(map)
}

pub(super) const USER_AGENT: &str = concat!("gristmill/", env!("CARGO_PKG_VERSION"));

/// What `WireConnector` makes clients by. `headers`: sent by it, and signed by the clients of `object_store`.
pub(crate) fn client_options(settings: ClientSettings, headers: HeaderMap) -> ClientOptions {
    ClientOptions::new()
        .with_allow_http(true)
        // The wire has time limits of its own, for the first byte and between bytes.
        .with_timeout_disabled()
        .with_connect_timeout(Duration::from_millis(settings.connect_timeout_ms.max(1)))
        .with_pool_idle_timeout(Duration::from_secs(60))
        .with_pool_max_idle_per_host(usize::try_from(settings.connections_max).unwrap_or(usize::MAX))
        .with_http1_only()
        .with_user_agent(HeaderValue::from_static(USER_AGENT))
        .with_default_headers(headers)
}

fn no_retries() -> RetryConfig {
    RetryConfig { backoff: BackoffConfig::default(), max_retries: 0, retry_timeout: Duration::ZERO }
}

pub(super) fn is_aws(endpoint: &str) -> bool {
    endpoint.ends_with(".amazonaws.com") || endpoint.ends_with(".amazonaws.com.cn")
}

/// Whether it is one of Azure's own hosts, over TLS: the environment's credentials are shown to no other.
fn is_azure(endpoint: &str) -> bool {
    const CLOUDS: &[&str] = &[
        ".core.windows.net",
        ".core.usgovcloudapi.net",
        ".core.chinacloudapi.cn",
        ".core.cloudapi.de",
        ".fabric.microsoft.com",
    ];
    let Some(rest) = endpoint.strip_prefix("https://") else { return false };
    let host = rest.split(['/', ':']).next().unwrap_or_default().to_ascii_lowercase();
    CLOUDS.iter().any(|cloud| host.ends_with(cloud))
}

/// The client for a location and a region.
pub(super) fn build(
    location: &Location,
    credentials: &Credentials,
    headers: &HeaderMap,
    settings: ClientSettings,
    connector: &WireConnector,
    region: Option<&str>,
) -> Result<Client> {
    let options = client_options(settings, headers.clone());
    let connector = &WireConnector { headers: headers.clone(), settings, ..connector.clone() };
    let unusable = |error: object_store::Error| {
        Error::new(
            ErrorCode::BAD_ARGUMENTS,
            format!(
                "Cannot use {} as {}: {}",
                location.display(""),
                location.provider.name(),
                gristmill_base::redact::url(&error.to_string())
            ),
        )
    };
    match (location.provider, credentials) {
        (Provider::Azure, _) => build_azure(location, credentials, options, connector).map(Client::Azure),
        (Provider::Gcs, Credentials::Keys { .. }) | (Provider::S3, _) => {
            build_s3(location, credentials, options, connector, region).build().map(Client::S3).map_err(unusable)
        }
        (Provider::Gcs, _) => {
            build_gcs(location, credentials, options, connector).build().map(Client::Gcs).map_err(unusable)
        }
        (Provider::Http | Provider::File, _) => Err(Error::logical("HTTP and files are not cloud stores")),
    }
}

fn build_s3(
    location: &Location,
    credentials: &Credentials,
    options: ClientOptions,
    connector: &WireConnector,
    region: Option<&str>,
) -> AmazonS3Builder {
    let mut builder = match credentials {
        Credentials::Environment => AmazonS3Builder::from_env(),
        _ => AmazonS3Builder::new(),
    };
    if let Credentials::Keys { id, secret, token } = credentials {
        builder = builder.with_access_key_id(id).with_secret_access_key(secret.reveal());
        if let Some(token) = token {
            builder = builder.with_token(token.reveal());
        }
    }
    // The instance's credentials are those of AWS: they are neither looked for nor shown to anyone else's endpoint.
    let has_keys = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let nothing_given =
        *credentials == Credentials::Environment && !is_aws(&location.endpoint) && !has_keys("AWS_ACCESS_KEY_ID");
    if nothing_given || *credentials == Credentials::Anonymous {
        builder = builder.with_skip_signature(true).with_access_key_id("-").with_secret_access_key("-");
    }
    let mut endpoint = location.endpoint.clone();
    if let Some(region) = region {
        builder = builder.with_region(region);
        endpoint = endpoint.replace("//s3.amazonaws.com", &format!("//s3.{region}.amazonaws.com"));
    }
    // The bucket's region has a host of its own, whose requests are as much ours.
    let mut connector = connector.clone();
    if endpoint != location.endpoint {
        connector.host = endpoint.split_once("://").map_or("", |(_, host)| host).to_string();
    }
    if location.virtual_hosted {
        endpoint = endpoint.replacen("://", &format!("://{}.", location.bucket), 1);
    }
    builder
        .with_bucket_name(&location.bucket)
        .with_endpoint(endpoint)
        .with_virtual_hosted_style_request(location.virtual_hosted)
        .with_conditional_put(S3ConditionalPut::ETagMatch)
        .with_client_options(options)
        .with_retry(no_retries())
        .with_http_connector(connector)
}

fn build_gcs(
    location: &Location,
    credentials: &Credentials,
    options: ClientOptions,
    connector: &WireConnector,
) -> GoogleCloudStorageBuilder {
    let google = location.endpoint == "https://storage.googleapis.com";
    let mut builder = match credentials {
        Credentials::Environment if google => GoogleCloudStorageBuilder::from_env(),
        _ => GoogleCloudStorageBuilder::new(),
    };
    let bearer = match credentials {
        Credentials::GcsServiceAccount(key) => {
            builder = builder.with_service_account_key(key.reveal());
            None
        }
        Credentials::Bearer(token) => Some(token.reveal().to_string()),
        Credentials::Environment if google => None,
        // Emulators take anything.
        _ => {
            builder = builder.with_skip_signature(true);
            Some(String::new())
        }
    };
    if let Some(bearer) = bearer {
        builder = builder.with_credentials(Arc::new(StaticCredentialProvider::new(GcpCredential { bearer })));
    }
    builder
        .with_bucket_name(&location.bucket)
        .with_base_url(&location.endpoint)
        .with_client_options(options)
        .with_retry(no_retries())
        .with_http_connector(connector.clone())
}

fn build_azure(
    location: &Location,
    credentials: &Credentials,
    options: ClientOptions,
    connector: &WireConnector,
) -> Result<MicrosoftAzure> {
    let mut builder = match credentials {
        Credentials::Environment if is_azure(&location.endpoint) => MicrosoftAzureBuilder::from_env(),
        _ => MicrosoftAzureBuilder::new(),
    };
    let mut account = azure_account(&location.endpoint).to_string();
    match credentials {
        Credentials::AzureKey { account: name, key } => {
            account = name.clone();
            builder = builder.with_access_key(key.reveal());
        }
        Credentials::AzureConnectionString(text) => {
            let parts = ConnectionString::parse(text.reveal())?;
            account = parts.account;
            match (parts.key, parts.sas) {
                (Some(key), _) => builder = builder.with_access_key(key.reveal()),
                (None, Some(sas)) => builder = builder.with_sas_authorization(sas_pairs(&sas)),
                (None, None) => builder = builder.with_skip_signature(true),
            }
        }
        Credentials::AzureSas(sas) => builder = builder.with_sas_authorization(sas_pairs(sas)),
        Credentials::Bearer(token) => builder = builder.with_bearer_token_authorization(token.reveal()),
        Credentials::Environment if is_azure(&location.endpoint) => {}
        _ => builder = builder.with_skip_signature(true),
    }
    builder
        .with_account(account)
        .with_container_name(&location.bucket)
        .with_endpoint(location.endpoint.clone())
        .with_client_options(options)
        .with_retry(no_retries())
        .with_http_connector(connector.clone())
        .build()
        .map_err(|_| {
            Error::new(
                ErrorCode::BAD_ARGUMENTS,
                format!(
                    "Cannot use {} as an Azure container: the endpoint or the credentials are malformed. The account key must be \
                     base64, the endpoint like https://account.blob.core.windows.net",
                    location.display("")
                ),
            )
        })
}

fn sas_pairs(sas: &Secret) -> Vec<(String, String)> {
    url::form_urlencoded::parse(sas.reveal().trim_start_matches('?').as_bytes())
        .map(|(name, value)| (name.into_owned(), value.into_owned()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credentials_of_the_environment_are_for_azure_alone() {
        assert!(is_azure("https://account.blob.core.windows.net"));
        assert!(is_azure("https://account.blob.core.windows.net:443/"));
        for other in [
            "http://account.blob.core.windows.net",
            "https://core.windows.net.example.com",
            "https://example.com/account.blob.core.windows.net",
            "http://127.0.0.1:10000/devstoreaccount1",
        ] {
            assert!(!is_azure(other), "{other}");
        }
    }
}
