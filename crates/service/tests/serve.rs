//! A server as its clients see it, above all while it stops.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::routing::get;
use bytes::Bytes;
use futures::stream;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use vitrine_service::{Limits, serve};

/// What takes a moment on a quiet machine, on a busy one.
const SOON: Duration = Duration::from_secs(5);
/// Long enough that nobody mistakes it for [`SOON`].
const LONG: Duration = Duration::from_mins(5);

struct Running {
    address: SocketAddr,
    shutdown: CancellationToken,
    task: JoinHandle<()>,
}

impl Running {
    async fn start(router: Router, open_streams: CancellationToken, limits: Limits) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("its address");
        let shutdown = CancellationToken::new();
        let task = tokio::spawn(serve(listener, router, shutdown.clone(), open_streams, limits));
        Self { address, shutdown, task }
    }

    async fn connect(&self) -> TcpStream {
        TcpStream::connect(self.address).await.expect("a connection")
    }

    /// Sends a request and gives back the connection.
    async fn request(&self, path: &str) -> TcpStream {
        let mut stream = self.connect().await;
        let request = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n");
        stream.write_all(request.as_bytes()).await.expect("sent");
        stream
    }

    async fn stopped_within(self, limit: Duration) {
        tokio::time::timeout(limit, self.task).await.expect("stopped in time").expect("no panic");
    }
}

async fn read_until(stream: &mut TcpStream, text: &str) -> String {
    let mut read = Vec::new();
    let wait = async {
        while !String::from_utf8_lossy(&read).contains(text) {
            assert_ne!(stream.read_buf(&mut read).await.expect("read"), 0, "the connection ended before {text:?}");
        }
    };
    tokio::time::timeout(SOON, wait).await.expect("read in time");
    String::from_utf8(read).expect("text")
}

async fn read_to_end(stream: &mut TcpStream) -> String {
    let mut read = Vec::new();
    // A cut connection ends with an error; what was read before it counts.
    let _ = tokio::time::timeout(SOON, stream.read_to_end(&mut read)).await.expect("ended in time");
    String::from_utf8(read).expect("text")
}

/// A body that says hello, and then either waits for the token or for nothing at all.
fn open_stream(end: CancellationToken) -> Body {
    let parts = stream::unfold(0, move |part| {
        let end = end.clone();
        async move {
            if part == 0 {
                return Some((Ok::<_, Infallible>(Bytes::from("hello")), 1));
            }
            end.cancelled().await;
            None
        }
    });
    Body::from_stream(parts)
}

fn stream_route(end: &CancellationToken) -> Router {
    let end = end.clone();
    Router::new().route("/stream", get(|| async move { open_stream(end) }))
}

#[tokio::test]
async fn a_stop_ends_open_streams_in_order_and_at_once() {
    let open_streams = CancellationToken::new();
    let limits = Limits { drain_timeout: LONG, ..Limits::default() };
    let server = Running::start(stream_route(&open_streams), open_streams.clone(), limits).await;
    let mut stream = server.request("/stream").await;
    read_until(&mut stream, "hello").await;

    server.shutdown.cancel();
    // The last chunk of a chunked body: the client knows that nothing is missing.
    assert!(read_to_end(&mut stream).await.ends_with("0\r\n\r\n"));
    server.stopped_within(SOON).await;
}

#[tokio::test]
async fn a_stop_cuts_a_stream_that_does_not_end_and_is_over_in_the_stated_time() {
    let drain_timeout = Duration::from_millis(200);
    let limits = Limits { drain_timeout, ..Limits::default() };
    let server = Running::start(stream_route(&CancellationToken::new()), CancellationToken::new(), limits).await;
    let mut stream = server.request("/stream").await;
    read_until(&mut stream, "hello").await;

    let began = Instant::now();
    server.shutdown.cancel();
    assert!(!read_to_end(&mut stream).await.ends_with("0\r\n\r\n"), "a cut stream looked whole");
    assert!(began.elapsed() >= drain_timeout, "cut before the time was over");
    server.stopped_within(SOON).await;
}

#[tokio::test]
async fn a_stop_finishes_an_answer_under_way_and_accepts_nothing_more() {
    let (arrived, go_on) = (std::sync::Arc::new(Notify::new()), std::sync::Arc::new(Notify::new()));
    let handler = {
        let (arrived, go_on) = (arrived.clone(), go_on.clone());
        || async move {
            arrived.notify_one();
            go_on.notified().await;
            "finished"
        }
    };
    let router = Router::new().route("/slow", get(handler));
    let server = Running::start(router, CancellationToken::new(), Limits::default()).await;
    let mut stream = server.request("/slow").await;
    arrived.notified().await;

    server.shutdown.cancel();
    let address = server.address;
    vitrine_testkit::eventually(SOON, "new connections are refused", || async {
        TcpStream::connect(address).await.is_err()
    })
    .await;
    go_on.notify_one();
    assert!(read_to_end(&mut stream).await.ends_with("finished"));
    server.stopped_within(SOON).await;
}

#[tokio::test]
async fn one_connection_above_the_limit_waits_its_turn() {
    let router = Router::new().route("/", get(|| async { "served" }));
    let limits = Limits { connections_max: 1, ..Limits::default() };
    let server = Running::start(router, CancellationToken::new(), limits).await;
    let mut first = server.request("/").await;
    read_until(&mut first, "served").await;
    let mut second = server.request("/").await;

    let early = tokio::time::timeout(Duration::from_millis(100), second.read_u8()).await;
    assert!(early.is_err(), "the second connection was served beside the first");
    drop(first);
    read_until(&mut second, "served").await;
}

#[tokio::test]
async fn a_head_that_never_ends_is_given_up() {
    let limits = Limits { header_read_timeout: Duration::from_millis(100), ..Limits::default() };
    let server = Running::start(Router::new(), CancellationToken::new(), limits).await;
    let mut stream = server.connect().await;
    stream.write_all(b"GET / HTTP/1.1\r\nHost: local").await.expect("sent");
    read_to_end(&mut stream).await;
}

#[tokio::test]
async fn a_handler_is_told_the_address_of_its_peer() {
    let handler = |ConnectInfo(peer): ConnectInfo<SocketAddr>| async move { format!("you are {peer}.") };
    let router = Router::new().route("/", get(handler));
    let server = Running::start(router, CancellationToken::new(), Limits::default()).await;
    let mut stream = server.request("/").await;
    let own = stream.local_addr().expect("its address");
    read_until(&mut stream, &format!("you are {own}.")).await;
}
