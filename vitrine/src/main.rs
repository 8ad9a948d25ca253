//! The program `vitrine`: the whole product in one process, and the command line beside it.

mod compile;
mod database;
mod demo;
mod knowledge;
mod secrets;
mod up;

use anyhow::Result;
use clap::Parser;
use vitrine_service::tls;

/// AI assistants for online shops.
#[derive(Debug, Parser)]
#[command(name = "vitrine", version)]
enum Command {
    /// Run everything in this process: compile, API, background work, answers, and a PostgreSQL of its own
    Up(Box<up::UpArguments>),
    /// Compile a folder of manifests into tenant configs, as the operator does in a cluster
    Compile(compile::CompileArguments),
    /// What chatbots know
    #[command(subcommand)]
    Knowledge(knowledge::KnowledgeCommand),
}

#[tokio::main]
async fn main() -> Result<()> {
    tls::install_provider();
    match Command::parse() {
        Command::Up(arguments) => up::up(*arguments).await,
        Command::Compile(arguments) => compile::compile(arguments).await,
        Command::Knowledge(command) => command.run().await,
    }
}
