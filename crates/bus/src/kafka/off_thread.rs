//! Dropping what blocks.

use std::ops::{Deref, DerefMut};

use tokio::sync::oneshot;

/// Drops its value on a thread of its own: closing a Kafka consumer talks to the broker and blocks meanwhile. Not on
/// the runtime's blocking threads, for the runtime waits for those without limit when the program ends.
pub(crate) struct OffThread<T: Send + 'static>(Option<T>);

impl<T: Send + 'static> OffThread<T> {
    pub(crate) fn new(value: T) -> Self {
        Self(Some(value))
    }

    /// Drops the value and tells when that is done.
    pub(crate) fn close(mut self) -> oneshot::Receiver<()> {
        let (closed, receiver) = oneshot::channel();
        self.drop_value(Some(closed));
        receiver
    }

    fn drop_value(&mut self, closed: Option<oneshot::Sender<()>>) {
        let Some(value) = self.0.take() else { return };
        std::thread::spawn(move || {
            drop(value);
            // Nobody listens when the value was simply dropped.
            closed.map(|closed| closed.send(()))
        });
    }
}

impl<T: Send + 'static> Drop for OffThread<T> {
    fn drop(&mut self) {
        self.drop_value(None);
    }
}

impl<T: Send + 'static> Deref for OffThread<T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.0.as_ref().expect("the value goes only with its owner")
    }
}

impl<T: Send + 'static> DerefMut for OffThread<T> {
    fn deref_mut(&mut self) -> &mut T {
        self.0.as_mut().expect("the value goes only with its owner")
    }
}
