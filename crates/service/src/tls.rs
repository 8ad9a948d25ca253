//! The one TLS provider.

/// Installs *ring* for every TLS client and server of the process. Call it first thing in `main`: clients made before it
/// would find no provider. Calling it again does nothing.
pub fn install_provider() {
    // Refused only when a provider is installed already, and there is no other in our dependencies.
    let _ = rustls::crypto::ring::default_provider().install_default();
}
