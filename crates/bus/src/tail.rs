//! Reading a topic without a group.

use std::pin::Pin;
use std::task::{Context, Poll};

use futures::Stream;
use tokio::sync::mpsc;
use tokio_util::task::AbortOnDropHandle;

use crate::Delivery;

/// Items read ahead of whoever reads the tail. When they are there, reading stops until there is room.
pub(crate) const TAIL_BUFFER_MAX: usize = 1024;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TailItem {
    /// Records of a partition come in order, each once.
    Record(Delivery),
    /// Comes once: everything that was on the bus when the tail began has been handed out.
    CaughtUp,
}

/// A stream of everything on a topic. It ends only with the bus.
pub struct Tail {
    items: mpsc::Receiver<TailItem>,
    _reader: AbortOnDropHandle<()>,
}

impl Tail {
    pub(crate) fn spawn<F, Reader>(reader: F) -> Self
    where
        F: FnOnce(mpsc::Sender<TailItem>) -> Reader,
        Reader: Future<Output = ()> + Send + 'static,
    {
        let (sender, items) = mpsc::channel(TAIL_BUFFER_MAX);
        Self { items, _reader: AbortOnDropHandle::new(tokio::spawn(reader(sender))) }
    }

    /// The next item. Can be dropped and called again without losing one.
    pub async fn next(&mut self) -> Option<TailItem> {
        self.items.recv().await
    }
}

impl Stream for Tail {
    type Item = TailItem;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<TailItem>> {
        self.items.poll_recv(context)
    }
}
