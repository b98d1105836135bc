//! TLS for both protocols: the certificate and its key from PEM files, read again when the configuration is.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use gristmill_base::{Error, ErrorCode, Result};
use parking_lot::RwLock;
use tokio::net::TcpStream;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::{self, ServerConfig};
use tokio_rustls::server::TlsStream;

/// A client that does not finish its handshake in time is sent away.
const HANDSHAKE_LONGEST: Duration = Duration::from_secs(30);

/// Where certificate and key lie.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TlsFiles {
    /// The certificate and those that lead to a known authority, in PEM.
    pub certificate: PathBuf,
    pub private_key: PathBuf,
}

/// Takes clients in; a new certificate is for connections that begin after it came.
#[derive(Clone)]
pub struct Tls {
    files: TlsFiles,
    acceptor: Arc<RwLock<TlsAcceptor>>,
}

impl Tls {
    /// Errors: CANNOT_OPEN_FILE, BAD_ARGUMENTS; each names the file.
    pub fn open(files: TlsFiles) -> Result<Tls> {
        let acceptor = Arc::new(RwLock::new(acceptor(&files)?));
        Ok(Tls { files, acceptor })
    }

    /// Reads the files again; where they are of no use, the ones so far stay.
    pub fn reload(&self) -> Result<()> {
        *self.acceptor.write() = acceptor(&self.files)?;
        Ok(())
    }

    /// `None`: the client is no TLS client, or too slow.
    pub async fn accept(&self, socket: TcpStream) -> Option<TlsStream<TcpStream>> {
        let acceptor = self.acceptor.read().clone();
        match tokio::time::timeout(HANDSHAKE_LONGEST, acceptor.accept(socket)).await {
            Ok(Ok(stream)) => Some(stream),
            Ok(Err(error)) => {
                tracing::debug!("A TLS handshake failed: {error}");
                None
            }
            Err(_) => None,
        }
    }
}

fn acceptor(files: &TlsFiles) -> Result<TlsAcceptor> {
    let unreadable = |path: &Path, error: &dyn std::fmt::Display| {
        Error::new(ErrorCode::CANNOT_OPEN_FILE, format!("Cannot read {} for TLS: {error}", path.display()))
    };
    let certificates = CertificateDer::pem_file_iter(&files.certificate)
        .and_then(Iterator::collect::<std::result::Result<Vec<_>, _>>)
        .map_err(|error| unreadable(&files.certificate, &error))?;
    if certificates.is_empty() {
        return Err(unreadable(&files.certificate, &"there is no certificate in it"));
    }
    let key = PrivateKeyDer::from_pem_file(&files.private_key).map_err(|error| unreadable(&files.private_key, &error))?;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let unfit = |error: rustls::Error| {
        let text = format!("The certificate {} is of no use: {error}", files.certificate.display());
        Error::new(ErrorCode::BAD_ARGUMENTS, text)
    };
    let config = ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions().map_err(unfit)?;
    let config = config.with_no_client_auth().with_single_cert(certificates, key).map_err(unfit)?;
    Ok(TlsAcceptor::from(Arc::new(config)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_with_the_files_is_said() {
        let folder = tempfile::tempdir().expect("a folder");
        let (certificate, private_key) = (folder.path().join("server.crt"), folder.path().join("server.key"));
        let open = || Tls::open(TlsFiles { certificate: certificate.clone(), private_key: private_key.clone() }).err();
        assert!(open().expect("no file").to_string().contains("server.crt"));
        std::fs::write(&certificate, "no certificate").expect("writes");
        assert!(open().expect("nothing in it").to_string().contains("there is no certificate in it"));
    }
}
