//! Serving HTTP, with limits, and with a stop that ends although streams are open.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tower::ServiceExt;
use tracing::{debug, warn};

/// Accepting fails when the process has no file left; a connection must end before there is one.
const ACCEPT_RETRY_WAIT: Duration = Duration::from_millis(100);

/// What one server allows.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Open connections; the next one waits in the kernel's queue.
    pub connections_max: usize,
    /// From the first free moment of a connection to the end of a request's head.
    pub header_read_timeout: Duration,
    /// A request's head; also what is buffered of an answer, so it is most of the memory of an idle stream.
    pub buffer_bytes_max: usize,
    /// From the wish to stop until connections still open are cut.
    pub drain_timeout: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connections_max: 10_000,
            header_read_timeout: Duration::from_secs(15),
            buffer_bytes_max: 16 * 1024,
            drain_timeout: Duration::from_secs(10),
        }
    }
}

/// Serves `router` until `shutdown` is cancelled. Then nothing more is accepted and `open_streams` is cancelled: handlers
/// whose answer has no end of its own end it on that token, since no graceful stop ends while one of them is open. Answers
/// under way are finished. Ends when the last connection has, and after [`Limits::drain_timeout`] at the latest.
///
/// Handlers find the peer's address as `ConnectInfo<SocketAddr>`.
pub async fn serve(
    listener: TcpListener,
    router: Router,
    shutdown: CancellationToken,
    open_streams: CancellationToken,
    limits: Limits,
) {
    let connections = TaskTracker::new();
    let permits = Arc::new(Semaphore::new(limits.connections_max));
    let cut = CancellationToken::new();
    loop {
        let accepted = tokio::select! {
            () = shutdown.cancelled() => break,
            accepted = accept(&listener, &permits) => accepted,
        };
        let Some((stream, address, permit)) = accepted else { continue };
        let (router, shutdown, cut) = (router.clone(), shutdown.clone(), cut.clone());
        connections.spawn(async move {
            let _permit = permit;
            tokio::select! {
                () = cut.cancelled() => {}
                () = connection(stream, address, router, shutdown, limits) => {}
            }
        });
    }

    drop(listener);
    open_streams.cancel();
    connections.close();
    if tokio::time::timeout(limits.drain_timeout, connections.wait()).await.is_err() {
        warn!(connections = connections.len(), "cutting connections that are still open");
        cut.cancel();
        connections.wait().await;
    }
}

type Accepted = (TcpStream, SocketAddr, tokio::sync::OwnedSemaphorePermit);

/// The next connection, once there is room for it.
async fn accept(listener: &TcpListener, permits: &Arc<Semaphore>) -> Option<Accepted> {
    let permit = Arc::clone(permits).acquire_owned().await.ok()?;
    match listener.accept().await {
        Ok((stream, address)) => Some((stream, address, permit)),
        Err(error) => {
            warn!(%error, "failed to accept a connection");
            tokio::time::sleep(ACCEPT_RETRY_WAIT).await;
            None
        }
    }
}

async fn connection(
    stream: TcpStream,
    address: SocketAddr,
    router: Router,
    shutdown: CancellationToken,
    limits: Limits,
) {
    // Deltas are small and must not wait for each other.
    if let Err(error) = stream.set_nodelay(true) {
        debug!(%error, "failed to turn off the delay of small packets");
    }
    let service = service_fn(move |request| answer(router.clone(), address, request));
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(limits.header_read_timeout)
        .max_buf_size(limits.buffer_bytes_max)
        .serve_connection(TokioIo::new(stream), service);
    let mut connection = pin!(connection);
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        () = shutdown.cancelled() => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    // Peers come and go as they like; what a handler failed at is logged by the handler.
    if let Err(error) = ended {
        debug!(%error, "a connection ended early");
    }
}

async fn answer(
    router: Router,
    address: SocketAddr,
    mut request: Request<Incoming>,
) -> Result<Response<Body>, Infallible> {
    request.extensions_mut().insert(ConnectInfo(address));
    router.oneshot(request.map(Body::new)).await
}
