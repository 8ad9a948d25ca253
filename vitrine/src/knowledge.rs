//! `vitrine knowledge import`: sends a knowledge folder to a running tenant-api.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use clap::{Args, Subcommand};
use reqwest::StatusCode;
use secrecy::{ExposeSecret, SecretString};
use serde::Deserialize;
use vitrine_knowledge::{ImportReport, KnowledgeImport, read_folder};

/// Training thousands of items takes seconds; more than this is a server that hangs.
const IMPORT_DEADLINE: Duration = Duration::from_mins(2);

#[derive(Debug, Subcommand)]
pub enum KnowledgeCommand {
    /// Make what a merchant's chatbots know equal to a folder; a second time changes only what changed
    Import(ImportArguments),
}

#[derive(Args, Debug)]
pub struct ImportArguments {
    /// Folder with faq.yaml, products.yaml and documents/*.md
    folder: PathBuf,
    /// Name of the Merchant
    #[arg(long)]
    merchant: String,
    /// Where tenant-api answers
    #[arg(long, default_value = "http://127.0.0.1:7400", env = "VITRINE_URL")]
    url: url::Url,
    /// File with the platform token
    #[arg(long, default_value = "state/secrets/platform-token", env = "VITRINE_PLATFORM_TOKEN_FILE")]
    token_file: PathBuf,
}

impl KnowledgeCommand {
    pub async fn run(self) -> Result<()> {
        let Self::Import(ImportArguments { folder, merchant, url, token_file }) = self;
        let token = crate::secrets::read_token(&token_file)?;
        let import = read_folder(&folder)?;
        let report = send(&url, &token, &merchant, &import).await?;
        println!("{merchant}: {}", summary(&report));
        Ok(())
    }
}

/// One line for people.
pub fn summary(report: &ImportReport) -> String {
    let ImportReport { added, changed, unchanged, removed, .. } = report;
    format!("{added} items added, {changed} changed, {removed} removed, {unchanged} as they were")
}

/// Sends an import and gives what it changed.
pub async fn send(
    url: &url::Url,
    token: &SecretString,
    merchant: &str,
    import: &KnowledgeImport,
) -> Result<ImportReport> {
    #[derive(Deserialize)]
    struct Answer {
        data: ImportReport,
    }
    #[derive(Deserialize)]
    struct Problem {
        message: String,
    }

    let address =
        url.join(&format!("/api/platform/merchants/{merchant}/knowledge")).context("failed to build the address")?;
    let response = reqwest::Client::builder()
        .timeout(IMPORT_DEADLINE)
        .build()
        .context("failed to make an HTTP client")?
        .put(address.clone())
        .bearer_auth(token.expose_secret())
        .json(import)
        .send()
        .await
        .with_context(|| format!("failed to reach tenant-api at {url}: is it running?"))?;
    if response.status() == StatusCode::OK {
        return Ok(response.json::<Answer>().await.context("failed to read the answer")?.data);
    }
    let status = response.status();
    match response.json::<Problem>().await {
        Ok(problem) => bail!("the knowledge of {merchant} was not imported: {} ({status})", problem.message),
        Err(_) => bail!("the knowledge of {merchant} was not imported: {address} answered {status}"),
    }
}
