//! The directory form of the manifest store: a folder of YAML takes the place of the Kubernetes API.

mod document;
mod files;
mod inventory;
mod reconcile;
mod sources;
mod state;
mod yaml;

use std::panic::resume_unwind;
use std::path::PathBuf;
use std::sync::Arc;
use std::{fs, io};

use tokio::sync::watch;
use tokio::task::{JoinError, spawn_blocking};
use tokio_util::sync::CancellationToken;
use vitrine_domain::AllowedHost;

pub use self::files::ScanError;
pub use self::reconcile::RefreshError;
pub use self::sources::Sources;
pub use self::state::StateError;

use self::reconcile::Reconciler;
use crate::plans::Plans;
use crate::tenants::{Tenants, TenantsReceiver};
use crate::watch_folder::FolderWatch;

/// Where the manifests are and what they are compiled with.
#[derive(Clone, Debug)]
pub struct ManifestDirectorySettings {
    /// Every `*.yaml` and `*.yml` file here and in folders below is read. Created if it is not there.
    pub manifests: PathBuf,
    /// Where ids, the platform key, published configs and statuses are kept. Created if it is not there; it may lie
    /// inside `manifests`.
    pub state: PathBuf,
    pub plans: Plans,
    /// Host of the demo shop pages.
    pub demo_host: Option<AllowedHost>,
}

/// Why a folder of manifests cannot be served.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    #[error("failed to create the folder {path}: {source}")]
    CreateFolder { path: PathBuf, source: io::Error },
    #[error(transparent)]
    State(#[from] StateError),
    #[error("failed to read the manifests: {0}")]
    ReadManifests(#[from] RefreshError),
}

/// A folder of manifests that is compiled, kept and watched.
pub struct ManifestDirectory {
    reconciler: Reconciler,
    watch: FolderWatch,
    publisher: watch::Sender<Arc<Tenants>>,
}

impl ManifestDirectory {
    /// Reads and compiles everything once, so that the tenants are ready when this returns. Blocks the thread.
    pub fn open(settings: ManifestDirectorySettings, sources: Sources) -> Result<Self, OpenError> {
        let settings = ManifestDirectorySettings {
            manifests: create_folder(settings.manifests)?,
            state: create_folder(settings.state)?,
            ..settings
        };
        // Before the first look, so that nothing changes unnoticed in between.
        let watch = FolderWatch::new(&settings.manifests);
        let mut reconciler = Reconciler::open(settings, sources)?;
        reconciler.refresh()?;
        reconciler.take_changed();
        let (publisher, _) = watch::channel(Arc::new(reconciler.tenants()));
        Ok(Self { reconciler, watch, publisher })
    }

    pub fn subscribe(&self) -> TenantsReceiver {
        self.publisher.subscribe()
    }

    /// Follows the folder until `stop`. Whatever goes wrong with a file is logged and written to the statuses; what was
    /// good before stays in force.
    pub async fn run(self, stop: CancellationToken) {
        let Self { mut reconciler, mut watch, publisher } = self;
        while stop.run_until_cancelled(watch.changed()).await.is_some() {
            let looked = spawn_blocking(move || {
                if let Err(error) = reconciler.refresh() {
                    tracing::error!(%error, "the manifests cannot be followed; what is in force stays");
                }
                let changed = reconciler.take_changed();
                (reconciler, changed)
            });
            let (returned, changed) = match looked.await.map_err(JoinError::try_into_panic) {
                Ok(looked) => looked,
                Err(Ok(panic)) => resume_unwind(panic),
                // The runtime is shutting down.
                Err(Err(_)) => return,
            };
            reconciler = returned;
            if let Some(tenants) = changed {
                publisher.send_replace(Arc::new(tenants));
            }
        }
    }
}

/// The folder by its one true path, so that a state folder inside the manifests is recognised.
fn create_folder(path: PathBuf) -> Result<PathBuf, OpenError> {
    fs::create_dir_all(&path)
        .and_then(|()| fs::canonicalize(&path))
        .map_err(|source| OpenError::CreateFolder { path, source })
}
