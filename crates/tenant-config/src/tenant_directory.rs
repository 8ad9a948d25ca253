//! The reader for programs that do not compile: a folder of published configs.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read};
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio::sync::watch;
use tokio::task::{JoinError, spawn_blocking};
use tokio_util::sync::CancellationToken;

use crate::config::TenantConfig;
use crate::tenants::{Tenants, TenantsReceiver};
use crate::watch_folder::FolderWatch;

/// Largest config that is read.
const CONFIG_BYTES_MAX: u64 = 4 * 1024 * 1024;

/// A watched folder with one `<merchant>.json` per merchant.
pub struct TenantDirectory {
    reader: Reader,
    watch: FolderWatch,
    publisher: watch::Sender<Arc<Tenants>>,
}

impl TenantDirectory {
    /// Reads everything once. Until the folder is there the tenants are not ready. Blocks the thread.
    pub fn open(folder: PathBuf) -> Self {
        // Before the first look, so that nothing changes unnoticed in between.
        let watch = FolderWatch::new(&folder);
        let mut reader = Reader { folder, is_ready: false, configs: BTreeMap::new() };
        let tenants = reader.refresh().unwrap_or_else(Tenants::starting);
        let (publisher, _) = watch::channel(Arc::new(tenants));
        Self { reader, watch, publisher }
    }

    pub fn subscribe(&self) -> TenantsReceiver {
        self.publisher.subscribe()
    }

    /// Follows the folder until `stop`. A config that cannot be read or does not verify is logged, and the last good one
    /// of that file stays in force.
    pub async fn run(self, stop: CancellationToken) {
        let Self { mut reader, mut watch, publisher } = self;
        while stop.run_until_cancelled(watch.changed()).await.is_some() {
            let looked = spawn_blocking(move || {
                let changed = reader.refresh();
                (reader, changed)
            });
            let (returned, changed) = match looked.await.map_err(JoinError::try_into_panic) {
                Ok(looked) => looked,
                Err(Ok(panic)) => resume_unwind(panic),
                // The runtime is shutting down.
                Err(Err(_)) => return,
            };
            reader = returned;
            if let Some(tenants) = changed {
                publisher.send_replace(Arc::new(tenants));
            }
        }
    }
}

struct Reader {
    folder: PathBuf,
    is_ready: bool,
    /// The last good config of each file, and what the file held when it was last looked at.
    configs: BTreeMap<PathBuf, Seen>,
}

struct Seen {
    content: Vec<u8>,
    last_good: Option<Arc<TenantConfig>>,
}

impl Reader {
    /// The tenants, if they changed.
    fn refresh(&mut self) -> Option<Tenants> {
        match self.read_all() {
            Ok(has_changed) => (has_changed || !self.is_ready).then(|| {
                self.is_ready = true;
                Tenants::new(self.configs.values().filter_map(|seen| seen.last_good.clone()))
            }),
            Err(error) => {
                tracing::warn!(folder = %self.folder.display(), %error, "failed to list the tenant configs; what is in force stays");
                None
            }
        }
    }

    fn read_all(&mut self) -> io::Result<bool> {
        let mut before = std::mem::take(&mut self.configs);
        let paths = match list(&self.folder) {
            Ok(paths) => paths,
            Err(error) => {
                self.configs = before;
                return Err(error);
            }
        };
        let mut has_changed = false;
        for path in paths {
            let seen = before.remove(&path);
            let (seen, is_new) = read_one(&path, seen);
            has_changed |= is_new;
            self.configs.insert(path, seen);
        }
        has_changed |= before.values().any(|seen| seen.last_good.is_some());
        Ok(has_changed)
    }
}

fn list(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let is_hidden = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
        if !is_hidden && path.extension().is_some_and(|extension| extension == "json") {
            paths.push(path);
        }
    }
    Ok(paths)
}

/// What a file holds now, and whether that is a new config in force.
fn read_one(path: &Path, before: Option<Seen>) -> (Seen, bool) {
    let mut content = Vec::new();
    let read = File::open(path).and_then(|file| file.take(CONFIG_BYTES_MAX + 1).read_to_end(&mut content));
    let problem = match (read, before) {
        (Ok(_), Some(before)) if before.content == content => return (before, false),
        (Ok(_), before) if content.len() as u64 <= CONFIG_BYTES_MAX => match TenantConfig::read(&content) {
            Ok(config) => return (Seen { content, last_good: Some(Arc::new(config)) }, true),
            Err(error) => (error.to_string(), before),
        },
        (Ok(_), before) => (format!("the file is larger than {CONFIG_BYTES_MAX} bytes"), before),
        (Err(error), before) => (error.to_string(), before),
    };
    let (problem, before) = problem;
    tracing::warn!(file = %path.display(), problem, "a tenant config is not used; the last good one stays in force");
    (Seen { content, last_good: before.and_then(|seen| seen.last_good) }, false)
}
