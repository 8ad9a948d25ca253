//! Free ports for servers that must come back on the same one.

use std::net::{Ipv4Addr, TcpListener};

use anyhow::bail;

/// Below what the kernel gives to outgoing connections: there, a client that knocks at a killed server's port could be
/// given that very port and keep the server from coming back.
const FIRST: u16 = 12_000;
const LAST: u16 = 31_999;
const ATTEMPTS_MAX: u32 = 200;

/// A port of 127.0.0.1 that nobody listens on now.
pub fn free_port() -> anyhow::Result<u16> {
    for _ in 0..ATTEMPTS_MAX {
        let (random, _) = uuid::Uuid::new_v4().as_u64_pair();
        let port = FIRST + u16::try_from(random % u64::from(LAST - FIRST + 1))?;
        if TcpListener::bind((Ipv4Addr::LOCALHOST, port)).is_ok() {
            return Ok(port);
        }
    }
    bail!("failed to find a free port between {FIRST} and {LAST}")
}
