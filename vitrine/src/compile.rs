//! `vitrine compile`: manifests to tenant configs, for services that run as programs of their own without a cluster.

use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::Args;
use vitrine_domain::AllowedHost;
use vitrine_service::Shutdown;
use vitrine_service::telemetry::{self, TelemetryArguments};
use vitrine_tenant_config::{ManifestDirectory, ManifestDirectorySettings, Plans, Sources};

#[derive(Args, Debug)]
pub struct CompileArguments {
    #[command(flatten)]
    telemetry: TelemetryArguments,
    #[command(flatten)]
    manifests: ManifestArguments,
    /// Folder for what is kept and published: tenants/, status/, ids and keys
    #[arg(long, env = "VITRINE_STATE", default_value = "state")]
    state: PathBuf,
    /// Host of the demo pages, which may always frame a widget
    #[arg(long, env = "VITRINE_DEMO_HOST")]
    demo_host: Option<AllowedHost>,
    /// Go on watching the manifests
    #[arg(long)]
    watch: bool,
}

/// Where resources come from.
#[derive(Args, Clone, Debug)]
pub struct ManifestArguments {
    /// Folder of Merchant and Chatbot manifests
    #[arg(long, env = "VITRINE_MANIFESTS", default_value = "manifests")]
    pub manifests: PathBuf,
    /// File with the plans; without it the built-in ones are used
    #[arg(long, env = "VITRINE_PLANS")]
    pub plans: Option<PathBuf>,
}

impl ManifestArguments {
    /// Opens the folder; what it publishes and keeps goes to `state`.
    pub fn open(self, state: PathBuf, demo_host: Option<AllowedHost>) -> Result<ManifestDirectory> {
        let plans = self.plans.map_or_else(|| Ok(Plans::default()), |path| Plans::read(&path))?;
        let settings = ManifestDirectorySettings { manifests: self.manifests, state, plans, demo_host };
        Ok(ManifestDirectory::open(settings, Sources::system())?)
    }
}

pub async fn compile(arguments: CompileArguments) -> Result<()> {
    let CompileArguments { telemetry, manifests, state, demo_host, watch } = arguments;
    telemetry::init(&telemetry)?;
    let directory = manifests.open(state, demo_host)?;
    for tenant in directory.subscribe().borrow().iter() {
        let keys: Vec<String> =
            tenant.chatbots.iter().map(|chatbot| format!("{} {}", chatbot.name, chatbot.key)).collect();
        println!("{} (sequence {}): {}", tenant.merchant.name, tenant.sequence, keys.join(", "));
    }
    if watch {
        let shutdown = Shutdown::on_signals().context("failed to listen for signals")?;
        directory.run(shutdown.token()).await;
    }
    Ok(())
}
