//! The demo shops: their sites, and what their chatbots know.

use std::fs;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use secrecy::SecretString;
use tracing::{info, warn};
use vitrine_knowledge::read_folder;
use vitrine_tenant_api::hosts::Site;

use crate::knowledge::{send, summary};

/// A folder with `manifests/`, `knowledge/<merchant>/` and `sites/<merchant>/`.
pub struct Demo {
    folder: PathBuf,
    merchants: Vec<String>,
}

/// The merchant whose site is served on the machine's own address, so that shops on bare addresses are tried, too.
const ON_LOOPBACK: &str = "negin";

impl Demo {
    pub fn open(folder: &Path) -> Result<Self> {
        let sites = folder.join("sites");
        let entries =
            fs::read_dir(&sites).with_context(|| format!("failed to read the demo in {}", sites.display()))?;
        let mut merchants = Vec::new();
        for entry in entries {
            let entry = entry.with_context(|| format!("failed to read {}", sites.display()))?;
            if entry.path().is_dir() {
                merchants.push(entry.file_name().to_string_lossy().into_owned());
            }
        }
        merchants.sort();
        Ok(Self { folder: folder.to_owned(), merchants })
    }

    pub fn manifests(&self) -> PathBuf {
        self.folder.join("manifests")
    }

    pub fn sites(&self) -> Vec<Site> {
        self.merchants
            .iter()
            .map(|merchant| Site { host: host(merchant), folder: self.folder.join("sites").join(merchant) })
            .collect()
    }

    /// Where each shop is, to be opened in a browser.
    pub fn addresses(&self, port: u16) -> Vec<(String, String)> {
        self.merchants.iter().map(|merchant| (merchant.clone(), format!("http://{}:{port}/", host(merchant)))).collect()
    }

    /// Brings what the chatbots know in line with the folder. One merchant's trouble does not stop the others.
    pub async fn teach(&self, address: SocketAddr, token: &SecretString) -> Result<()> {
        let url = format!("http://{address}").parse().context("failed to build the address of this process")?;
        for merchant in &self.merchants {
            let taught = async {
                let import = read_folder(&self.folder.join("knowledge").join(merchant))?;
                send(&url, token, merchant, &import).await
            };
            match taught.await {
                Ok(report) => info!(merchant.name = merchant, "the knowledge is in place: {}", summary(&report)),
                Err(error) => warn!(merchant.name = merchant, "the knowledge was not imported: {error:#}"),
            }
        }
        Ok(())
    }
}

fn host(merchant: &str) -> String {
    if merchant == ON_LOOPBACK { "127.0.0.1".to_owned() } else { format!("{merchant}.localhost") }
}
