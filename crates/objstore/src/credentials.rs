//! Who asks. Secrets are held in `Secret`, which never prints itself.

use gristmill_base::redact::Secret;

use crate::location::Provider;

/// How requests are signed.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub enum Credentials {
    /// The provider's environment variables, then its chain (web identity, container, instance). Where none of them gives
    /// anything, requests go out unsigned, as public buckets allow.
    #[default]
    Environment,
    /// Unsigned (`NOSIGN`).
    Anonymous,
    /// S3 keys, or HMAC keys of GCS.
    Keys {
        id: String,
        secret: Secret,
        token: Option<Secret>,
    },
    AzureKey {
        account: String,
        key: Secret,
    },
    /// `sv=…&sig=…`, with or without a leading `?`.
    AzureSas(Secret),
    AzureConnectionString(Secret),
    /// The JSON of a service account's key.
    GcsServiceAccount(Secret),
    /// A token as it is, in `Authorization: Bearer …`.
    Bearer(Secret),
}

impl Credentials {
    /// The SAS in an Azure URL, where it has one.
    pub fn azure_sas_of(url: &str) -> Option<Credentials> {
        let (_, query) = url.split_once('?')?;
        query.split('&').any(|pair| pair.starts_with("sig=")).then(|| Credentials::AzureSas(Secret::new(query)))
    }

    /// What to check when the server refuses, for messages.
    pub(crate) fn advice(&self, provider: Provider) -> &'static str {
        match (self, provider) {
            (Credentials::Anonymous, _) => "the request was not signed (NOSIGN): give keys if the object is not public",
            (Credentials::Environment, Provider::S3) => {
                "check AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or give keys in the call, or NOSIGN for a public bucket"
            }
            (Credentials::Environment, Provider::Gcs) => {
                "check GOOGLE_APPLICATION_CREDENTIALS, or give HMAC keys in the call, or NOSIGN for a public bucket"
            }
            (Credentials::Environment, Provider::Azure) => {
                "check AZURE_STORAGE_ACCOUNT_NAME and AZURE_STORAGE_ACCOUNT_KEY, or give the account and its key in the call"
            }
            (_, Provider::Http) => "check the user, password and headers of the URL",
            (_, Provider::File) => "check the permissions of the file and its folders",
            _ => "check the keys and what they are allowed to do",
        }
    }
}
