//! Whether a server takes connections: said by the server itself, in the first message of its protocol.

use std::net::Ipv4Addr;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

/// How long one question may take.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(2);
/// Version 3.0 of the protocol.
const PROTOCOL: u32 = 3 << 16;
/// "Who are you?" comes only from a server that would let somebody in; one that starts or stops answers an error.
const AUTHENTICATION: u8 = b'R';

/// Asks the server on `port` once.
pub(crate) async fn answers(port: u16) -> bool {
    matches!(timeout(ANSWER_TIMEOUT, first_byte(port)).await, Ok(Ok(AUTHENTICATION)))
}

async fn first_byte(port: u16) -> std::io::Result<u8> {
    let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).await?;
    stream.write_all(&startup_message()).await?;
    stream.read_u8().await
}

/// Length, version, then pairs of names and values, each ended by a zero byte, and one more zero byte.
fn startup_message() -> Vec<u8> {
    let body = b"user\0postgres\0database\0postgres\0\0";
    let length = u32::try_from(body.len() + 8).unwrap_or(u32::MAX);
    [&length.to_be_bytes()[..], &PROTOCOL.to_be_bytes(), body].concat()
}
