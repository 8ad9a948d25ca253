//! A tail within this process.

use tokio::sync::mpsc;

use crate::local::log::Log;
use crate::local::shared_log::TailCursor;
use crate::{Delivery, TailItem};

/// Hands out everything from the cursor on. Ends when nobody reads the items any more.
pub(crate) async fn run(cursor: TailCursor, items: mpsc::Sender<TailItem>) {
    let log = cursor.log().clone();
    let mut changes = log.changes();
    let goal = log.look(Log::ends);
    let mut caught_up = false;
    loop {
        let mut has_read = false;
        for partition in 0..goal.len() {
            while let Some((record, offset)) = cursor.read(partition) {
                has_read = true;
                let partition = i32::try_from(partition).unwrap_or(i32::MAX);
                let delivery = Delivery { record, partition, offset, attempt: 1 };
                if items.send(TailItem::Record(delivery)).await.is_err() {
                    return;
                }
            }
        }
        if has_read {
            cursor.announce();
        }
        if !caught_up && cursor.has_reached(&goal) {
            caught_up = true;
            if items.send(TailItem::CaughtUp).await.is_err() {
                return;
            }
        }
        if changes.changed().await.is_err() {
            return;
        }
    }
}
