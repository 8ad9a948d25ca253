//! What outlives the program: ids, the platform key, accepted manifests, published configs and statuses.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use vitrine_crds::{API_VERSION, Kind};
use vitrine_domain::MerchantId;

use super::document::ResourceName;
use super::sources::Sources;
use crate::config::TenantConfig;
use crate::platform::{PLATFORM_KEY_BYTES, PlatformKey};

const PLATFORM_KEY: &str = "platform-key";
const MERCHANT_IDS: &str = "merchant-ids.json";
const TENANTS: &str = "tenants";
const ACCEPTED: &str = "accepted";
const STATUS: &str = "status";
const FILE_PROBLEMS: &str = "files.yaml";

/// A manifest that kept its kind's rules: the one in force until a better one comes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Accepted {
    /// Where it was declared.
    pub(super) file: String,
    /// When a manifest of this name was first accepted.
    pub(super) created_at: Timestamp,
    pub(super) manifest: Value,
}

/// Why the state cannot be read or kept.
#[derive(Debug, thiserror::Error)]
pub enum StateError {
    #[error("failed to read {path}: {source}")]
    Read { path: PathBuf, source: io::Error },
    #[error("failed to read {path}: {source}")]
    Malformed { path: PathBuf, source: serde_json::Error },
    #[error("failed to read {path}: it has {found} bytes, a platform key has {PLATFORM_KEY_BYTES}")]
    PlatformKeyLength { path: PathBuf, found: usize },
    #[error("failed to make a platform key: {0}")]
    NewPlatformKey(#[source] io::Error),
    #[error("failed to write {path}: {source}")]
    Write { path: PathBuf, source: io::Error },
}

#[derive(Debug)]
pub(super) struct StateFolder {
    folder: PathBuf,
}

impl StateFolder {
    pub(super) fn open(folder: PathBuf) -> Result<Self, StateError> {
        for name in [TENANTS, ACCEPTED, STATUS] {
            let path = folder.join(name);
            fs::create_dir_all(&path).map_err(|source| StateError::Write { path, source })?;
        }
        Ok(Self { folder })
    }

    /// The platform key, made at first use. Only its owner may read it.
    pub(super) fn platform_key(&self, sources: &Sources) -> Result<PlatformKey, StateError> {
        let path = self.folder.join(PLATFORM_KEY);
        let secret = match fs::read(&path) {
            Ok(bytes) => {
                bytes.try_into().map_err(|bytes: Vec<u8>| StateError::PlatformKeyLength { path, found: bytes.len() })?
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let secret = (sources.new_platform_key)().map_err(StateError::NewPlatformKey)?;
                write_durably(&path, &secret, 0o600)?;
                secret
            }
            Err(source) => return Err(StateError::Read { path, source }),
        };
        Ok(PlatformKey::new(secret))
    }

    /// The ids of merchants by their names.
    pub(super) fn merchant_ids(&self) -> Result<BTreeMap<String, MerchantId>, StateError> {
        Ok(read_json(&self.folder.join(MERCHANT_IDS))?.unwrap_or_default())
    }

    pub(super) fn save_merchant_ids(&self, ids: &BTreeMap<String, MerchantId>) -> Result<(), StateError> {
        write_durably(&self.folder.join(MERCHANT_IDS), &json_of(ids), 0o644)
    }

    /// The manifests in force. One that was not written to its end before a crash is as good as none.
    pub(super) fn accepted(&self) -> Result<BTreeMap<ResourceName, Accepted>, StateError> {
        let mut accepted = BTreeMap::new();
        for (path, name) in self.list(ACCEPTED, "json")? {
            let Some(resource) = resource_of(&name) else { continue };
            match read_json(&path) {
                Ok(Some(entry)) => drop(accepted.insert(resource, entry)),
                Ok(None) => {}
                Err(StateError::Malformed { path, source }) => {
                    tracing::warn!(file = %path.display(), error = %source, "a kept manifest cannot be read");
                }
                Err(error) => return Err(error),
            }
        }
        Ok(accepted)
    }

    pub(super) fn save_accepted(&self, resource: &ResourceName, accepted: &Accepted) -> Result<(), StateError> {
        write(&self.accepted_path(resource), &json_of(accepted))
    }

    pub(super) fn remove_accepted(&self, resource: &ResourceName) -> Result<(), StateError> {
        remove(&self.accepted_path(resource))
    }

    /// The bytes of every published config, by the merchant's name.
    pub(super) fn tenants(&self) -> Result<Vec<(String, Vec<u8>)>, StateError> {
        self.list(TENANTS, "json")?
            .into_iter()
            .map(|(path, name)| match fs::read(&path) {
                Ok(bytes) => Ok((name, bytes)),
                Err(source) => Err(StateError::Read { path, source }),
            })
            .collect()
    }

    pub(super) fn save_tenant(&self, config: &TenantConfig) -> Result<(), StateError> {
        write(&self.tenant_path(&config.merchant.name), config.to_json().as_bytes())
    }

    pub(super) fn remove_tenant(&self, merchant: &str) -> Result<(), StateError> {
        remove(&self.tenant_path(merchant))
    }

    /// The status of every resource. One that cannot be read is as good as none: it is written anew.
    pub(super) fn statuses(&self) -> Result<BTreeMap<ResourceName, Value>, StateError> {
        let mut statuses = BTreeMap::new();
        for (path, name) in self.list(STATUS, "yaml")? {
            let Some(resource) = resource_of(&name) else { continue };
            let yaml = fs::read_to_string(&path).map_err(|source| StateError::Read { path, source })?;
            if let Ok(mut written) = serde_saphyr::from_str::<Value>(&yaml) {
                statuses.insert(resource, written["status"].take());
            }
        }
        Ok(statuses)
    }

    /// Written in the form in which `kubectl get -o yaml` shows it.
    pub(super) fn save_status(&self, resource: &ResourceName, status: &Value) -> Result<(), StateError> {
        let document = json!({
            "apiVersion": API_VERSION,
            "kind": resource.kind.as_str(),
            "metadata": {"name": resource.name},
            "status": status,
        });
        write_yaml(&self.status_path(resource), &document)
    }

    pub(super) fn remove_status(&self, resource: &ResourceName) -> Result<(), StateError> {
        remove(&self.status_path(resource))
    }

    /// What is wrong with files as a whole.
    pub(super) fn save_file_problems(&self, problems: &[String]) -> Result<(), StateError> {
        write_yaml(&self.folder.join(STATUS).join(FILE_PROBLEMS), &json!({"problems": problems}))
    }

    fn accepted_path(&self, resource: &ResourceName) -> PathBuf {
        self.folder.join(ACCEPTED).join(format!("{resource}.json"))
    }

    fn tenant_path(&self, merchant: &str) -> PathBuf {
        self.folder.join(TENANTS).join(format!("{merchant}.json"))
    }

    fn status_path(&self, resource: &ResourceName) -> PathBuf {
        self.folder.join(STATUS).join(format!("{resource}.yaml"))
    }

    /// The files of a folder with an extension, and their names without it.
    fn list(&self, folder: &str, extension: &str) -> Result<Vec<(PathBuf, String)>, StateError> {
        let folder = self.folder.join(folder);
        let failed = |source| StateError::Read { path: folder.clone(), source };
        let mut files = Vec::new();
        for entry in fs::read_dir(&folder).map_err(failed)? {
            let path = entry.map_err(failed)?.path();
            let name = path.file_stem().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            if path.extension().is_some_and(|found| found == extension) && !name.starts_with('.') {
                files.push((path, name));
            }
        }
        Ok(files)
    }
}

/// `chatbot-support` as the resource it names.
fn resource_of(file_name: &str) -> Option<ResourceName> {
    let (kind, name) = file_name.split_once('-')?;
    let kind = Kind::ALL.into_iter().find(|known| known.as_str().to_lowercase() == kind)?;
    Some(ResourceName { kind, name: name.to_owned() })
}

fn read_json<T: DeserializeOwned>(path: &Path) -> Result<Option<T>, StateError> {
    match fs::read(path) {
        Ok(bytes) => serde_json::from_slice(&bytes)
            .map(Some)
            .map_err(|source| StateError::Malformed { path: path.to_owned(), source }),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(StateError::Read { path: path.to_owned(), source }),
    }
}

fn json_of<T: Serialize>(value: &T) -> Vec<u8> {
    serde_json::to_vec_pretty(value).expect("the state is JSON")
}

fn write_yaml(path: &Path, value: &Value) -> Result<(), StateError> {
    write(path, serde_saphyr::to_string(value).expect("the state is YAML").as_bytes())
}

/// Readers see the old content or the new, never a part. After a crash of the machine there may be neither: this is for
/// what can be made again.
fn write(path: &Path, content: &[u8]) -> Result<(), StateError> {
    replace(path, content, 0o644, false).map_err(|source| StateError::Write { path: path.to_owned(), source })
}

/// Not even a crash of the machine loses what was written.
fn write_durably(path: &Path, content: &[u8], mode: u32) -> Result<(), StateError> {
    replace(path, content, mode, true).map_err(|source| StateError::Write { path: path.to_owned(), source })
}

fn replace(path: &Path, content: &[u8], mode: u32, is_durable: bool) -> io::Result<()> {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let unfinished = path.with_file_name(format!(".{name}.new"));
    let mut file = OpenOptions::new().write(true).create(true).truncate(true).mode(mode).open(&unfinished)?;
    // A file that a killed predecessor left keeps its mode.
    file.set_permissions(Permissions::from_mode(mode))?;
    file.write_all(content)?;
    if is_durable {
        file.sync_all()?;
    }
    fs::rename(&unfinished, path)?;
    match path.parent() {
        Some(folder) if is_durable => File::open(folder)?.sync_all(),
        _ => Ok(()),
    }
}

fn remove(path: &Path) -> Result<(), StateError> {
    match fs::remove_file(path) {
        Err(source) if source.kind() != io::ErrorKind::NotFound => {
            Err(StateError::Write { path: path.to_owned(), source })
        }
        _ => Ok(()),
    }
}
