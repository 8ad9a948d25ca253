//! Notices when a folder changes.

use std::path::{Path, PathBuf};
use std::time::Duration;

use notify::event::{AccessKind, AccessMode};
use notify::{EventKind, RecommendedWatcher, RecursiveMode, Watcher};
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep_until, timeout_at};

/// A burst of changes is over when nothing changed for this long.
const QUIET: Duration = Duration::from_millis(100);
/// A burst that does not end is looked at after this long all the same.
const BURST_MAX: Duration = Duration::from_secs(1);
/// The folder is looked at this often even if no change is noticed: some file systems do not report them.
const RESYNC: Duration = Duration::from_secs(30);
/// A folder that is not there yet is looked for this often.
const RETRY: Duration = Duration::from_secs(1);

/// A watched folder and everything below it.
pub(crate) struct FolderWatch {
    folder: PathBuf,
    watcher: Option<RecommendedWatcher>,
    is_attached: bool,
    changes: mpsc::Receiver<()>,
}

impl FolderWatch {
    /// Changes made after this returns are noticed. A folder that cannot be watched is looked at in intervals.
    pub(crate) fn new(folder: &Path) -> Self {
        // One waiting note is enough: it means "look again".
        let (note, changes) = mpsc::channel(1);
        let watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
            if event.map_or(true, |event| event.need_rescan() || is_change(event.kind)) {
                // A full channel already says what we want to say.
                let _ = note.try_send(());
            }
        });
        let watcher = watcher
            .inspect_err(|error| {
                tracing::warn!(folder = %folder.display(), %error, "failed to watch a folder; it is read in intervals");
            })
            .ok();
        let mut watch = Self { folder: folder.to_owned(), watcher, is_attached: false, changes };
        watch.attach();
        watch
    }

    /// Waits until the folder changed and came to rest, or until it is time to look anyway.
    pub(crate) async fn changed(&mut self) {
        let interval = if self.is_attached || self.watcher.is_none() { RESYNC } else { RETRY };
        tokio::select! {
            Some(()) = self.changes.recv() => self.come_to_rest().await,
            () = sleep_until(Instant::now() + interval) => self.attach(),
        }
    }

    async fn come_to_rest(&mut self) {
        let latest = Instant::now() + BURST_MAX;
        while let Ok(Some(())) = timeout_at(latest.min(Instant::now() + QUIET), self.changes.recv()).await {}
    }

    /// Also finds a folder again that was replaced by another of the same name.
    fn attach(&mut self) {
        let Some(watcher) = &mut self.watcher else { return };
        let attached = watcher.watch(&self.folder, RecursiveMode::Recursive);
        self.is_attached = attached.is_ok();
        if let Err(error) = attached {
            tracing::debug!(folder = %self.folder.display(), %error, "a folder cannot be watched yet");
        }
    }
}

/// Reading a file is no change, and we read all of them.
fn is_change(kind: EventKind) -> bool {
    !matches!(kind, EventKind::Access(access) if access != AccessKind::Close(AccessMode::Write))
}
