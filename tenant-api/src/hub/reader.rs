//! One reader of a thread.

use std::sync::Arc;

use vitrine_domain::ThreadId;

use super::Hub;
use super::channel::Channel;
use super::frame::Frame;
use super::log::Lagged;

/// Reads the thread's frames from where it was attached. Dropping it gives its place back.
pub struct Reader {
    hub: Hub,
    thread: ThreadId,
    channel: Arc<Channel>,
    cursor: u64,
}

impl Reader {
    pub(super) fn new(hub: Hub, thread: ThreadId, channel: Arc<Channel>, cursor: u64) -> Self {
        Self { hub, thread, channel, cursor }
    }

    /// The next frames, at least one. Can be dropped and called again without losing any.
    pub async fn next(&mut self) -> Result<Vec<Frame>, Lagged> {
        loop {
            let bell = self.channel.bell();
            let frames = self.channel.lock().read(&mut self.cursor)?;
            if !frames.is_empty() {
                return Ok(frames);
            }
            bell.await;
        }
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        self.channel.lock().detach(self.cursor);
        self.hub.threads().settle(self.thread);
    }
}
