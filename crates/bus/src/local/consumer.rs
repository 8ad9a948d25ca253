//! A member of a group within this process.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use crate::Delivery;
use crate::crew::{Change, Crew};
use crate::local::LocalCrew;
use crate::local::shared_log::{Member, SharedLog};
use crate::settle::Settling;

/// Works off the member's partitions until `shutdown`, then finishes what is in flight and leaves.
pub(crate) async fn run(log: SharedLog, settling: Settling, shutdown: CancellationToken) {
    let (topic, group, metrics, settings) =
        (settling.topic, settling.group.clone(), settling.metrics.clone(), settling.settings.clone());
    let mut changes = log.changes();
    let mut reader = Reader { member: log.join(&group), log, crew: Crew::new(settling), cursors: HashMap::new() };

    let mut stopping = false;
    while !(stopping && reader.crew.is_empty()) {
        if !stopping {
            reader.follow_the_group(settings.revoke_grace);
            reader.read();
        }
        metrics.set_lag(topic, &group, reader.lag(&group));
        tokio::select! {
            biased;
            () = shutdown.cancelled(), if !stopping => {
                stopping = true;
                for partition in reader.crew.partitions() {
                    reader.crew.drain(partition, settings.shutdown_grace);
                }
            }
            change = reader.crew.changed() => match change {
                Change::Settled { partition, position: Some(position) } => {
                    reader.log.settle(&group, index(partition), position);
                }
                Change::Settled { position: None, .. } => {}
                Change::Drained { partition } => {
                    reader.cursors.remove(&partition);
                }
            },
            Ok(()) = changes.changed(), if !stopping => {}
        }
    }
}

struct Reader {
    // Dropped in this order: handlers end before the member is gone.
    crew: LocalCrew,
    member: Member,
    log: SharedLog,
    /// By partition: the next offset to read.
    cursors: HashMap<i32, Cursor>,
}

struct Cursor {
    next: i64,
    paused: bool,
}

impl Reader {
    /// Takes the partitions that are due to this member and free; begins to give back those that are due to another.
    fn follow_the_group(&mut self, grace: Duration) {
        let share = self.member.share();
        for partition in self.crew.partitions() {
            if !share.contains(&index(partition)) {
                self.crew.drain(partition, grace);
            }
        }
        for partition in share {
            let Ok(number) = i32::try_from(partition) else { continue };
            if !self.crew.holds(number)
                && let Some((claim, next)) = self.member.claim(partition)
            {
                self.crew.open(number, Arc::new(claim));
                self.cursors.insert(number, Cursor { next, paused: false });
            }
        }
    }

    /// Hands records out as far as there is room.
    fn read(&mut self) {
        for (partition, cursor) in &mut self.cursors {
            if cursor.paused && !self.crew.has_room(*partition) {
                continue;
            }
            cursor.paused = false;
            while !self.crew.is_full(*partition) {
                let Some(record) = self.log.look(|log| log.read(index(*partition), cursor.next).cloned()) else {
                    break;
                };
                self.crew.accept(Delivery { record, partition: *partition, offset: cursor.next, attempt: 1 });
                cursor.next += 1;
            }
            cursor.paused = self.crew.is_full(*partition);
        }
    }

    fn lag(&self, group: &str) -> i64 {
        self.log.look(|log| self.cursors.keys().map(|partition| log.lag(group, index(*partition))).sum())
    }
}

fn index(partition: i32) -> usize {
    usize::try_from(partition).unwrap_or(0)
}
