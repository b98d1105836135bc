//! TLS towards a server: whom to trust.

use std::sync::Arc;

use gristmill_base::{Error, ErrorCode, Result};
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls;
use tokio_rustls::rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use tokio_rustls::rustls::client::{WebPkiServerVerifier, verify_server_name};
use tokio_rustls::rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use tokio_rustls::rustls::server::ParsedCertificate;
use tokio_rustls::rustls::{ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme};

use crate::endpoint::Endpoint;

fn failed(text: String) -> Error {
    Error::new(ErrorCode::NETWORK_ERROR, text)
}

/// What begins TLS. Errors: CANNOT_OPEN_FILE where the file of authorities is of no use, NETWORK_ERROR where nobody is trusted.
pub fn connector(endpoint: &Endpoint) -> Result<TlsConnector> {
    let provider = Arc::new(ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider.clone())
        .with_safe_default_protocol_versions()
        .map_err(|error| failed(format!("TLS cannot begin: {error}")))?;
    let check = if endpoint.accept_invalid_certificate {
        Check::Nothing
    } else {
        let trusted = trusted(endpoint)?;
        let known = WebPkiServerVerifier::builder_with_provider(Arc::new(roots(&trusted)?), provider.clone())
            .build()
            .map_err(|error| failed(format!("TLS cannot begin: {error}")))?;
        Check::KnownOrItself { known, trusted }
    };
    let verifier = Arc::new(Verifier { provider, check });
    let config = config.dangerous().with_custom_certificate_verifier(verifier).with_no_client_auth();
    Ok(TlsConnector::from(Arc::new(config)))
}

/// The certificates of the file of authorities and of the machine.
fn trusted(endpoint: &Endpoint) -> Result<Vec<CertificateDer<'static>>> {
    let mut trusted = Vec::new();
    if let Some(file) = &endpoint.authorities {
        let unreadable = |error: rustls::pki_types::pem::Error| {
            Error::new(ErrorCode::CANNOT_OPEN_FILE, format!("Cannot read authorities from {}: {error}", file.display()))
        };
        for certificate in CertificateDer::pem_file_iter(file).map_err(unreadable)? {
            trusted.push(certificate.map_err(unreadable)?);
        }
    }
    trusted.extend(rustls_native_certs::load_native_certs().certs);
    Ok(trusted)
}

fn roots(trusted: &[CertificateDer<'static>]) -> Result<RootCertStore> {
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(trusted.iter().cloned());
    if roots.is_empty() {
        let text = "This machine trusts no authority, so no certificate can be checked: install ca-certificates, set \
             SSL_CERT_FILE, or give --accept-invalid-certificate";
        return Err(failed(text.to_string()));
    }
    Ok(roots)
}

/// Whose certificate is taken.
#[derive(Debug)]
enum Check {
    /// Who is certified by an authority that is trusted; or whose own certificate is trusted, as that of a server that
    /// made it itself, of the right name and time. (Such a one says that it is an authority, which the usual check refuses.)
    KnownOrItself { known: Arc<WebPkiServerVerifier>, trusted: Vec<CertificateDer<'static>> },
    /// Everybody's: the bytes are hidden from who listens, and may go to anybody.
    Nothing,
}

#[derive(Debug)]
struct Verifier {
    provider: Arc<CryptoProvider>,
    check: Check,
}

/// What the check says, behind that of the time, of the certificate of an authority in the place of a server's.
const IS_AUTHORITY: &str = "CaUsedAsEndEntity";

impl ServerCertVerifier for Verifier {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> std::result::Result<ServerCertVerified, rustls::Error> {
        let Check::KnownOrItself { known, trusted } = &self.check else { return Ok(ServerCertVerified::assertion()) };
        match known.verify_server_cert(end_entity, intermediates, server_name, ocsp_response, now) {
            Err(error) if error.to_string().contains(IS_AUTHORITY) && trusted.iter().any(|one| one == end_entity) => {
                verify_server_name(&ParsedCertificate::try_from(end_entity)?, server_name)?;
                Ok(ServerCertVerified::assertion())
            }
            known => known,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> std::result::Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls12_signature(message, cert, signature, &self.provider.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> std::result::Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls13_signature(message, cert, signature, &self.provider.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}
