//! The command line.

use std::net::SocketAddr;
use std::num::NonZeroU32;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use secrecy::SecretString;
use vitrine_service::ServiceArguments;

use crate::hosts::{PublicOrigin, PublicOrigins, Site};
use crate::limits::{RateSettings, StreamSettings};

/// The tenant API of Vitrine.
#[derive(Parser)]
#[command(name = "tenant-api", version)]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Subcommand)]
pub enum Command {
    /// Serve shoppers, and do the background work unless --without-work is given.
    Serve(Box<ServeArguments>),
    /// Do the background work only: record answers, sweep, publish.
    Work(Box<WorkArguments>),
    /// Bring the schema up to date.
    Migrate(MigrateArguments),
    /// Print the description of the API.
    Openapi,
}

#[derive(Args)]
pub struct ServeArguments {
    #[command(flatten)]
    pub service: ServiceArguments,
    #[command(flatten)]
    pub backends: BackendArguments,
    #[command(flatten)]
    pub http: HttpArguments,

    /// Leave the background work to processes of `tenant-api work`.
    #[arg(long, env = "VITRINE_WITHOUT_WORK")]
    pub without_work: bool,
}

#[derive(Args)]
pub struct WorkArguments {
    #[command(flatten)]
    pub service: ServiceArguments,
    #[command(flatten)]
    pub backends: BackendArguments,
}

#[derive(Args)]
pub struct MigrateArguments {
    /// PostgreSQL as `vitrine_owner`.
    #[arg(long, env = "DATABASE_OWNER_URL", hide_env_values = true, value_name = "URL")]
    pub owner_url: SecretString,
}

/// What the program works on.
#[derive(Args)]
pub struct BackendArguments {
    /// PostgreSQL as `vitrine_api`.
    #[arg(long, env = "DATABASE_API_URL", hide_env_values = true, value_name = "URL")]
    pub api_url: SecretString,

    /// PostgreSQL as `vitrine_worker`.
    #[arg(long, env = "DATABASE_WORKER_URL", hide_env_values = true, value_name = "URL")]
    pub worker_url: SecretString,

    /// Connections for requests.
    #[arg(long, env = "DATABASE_API_CONNECTIONS", default_value_t = 32)]
    pub api_connections_max: u32,

    /// Connections for background work.
    #[arg(long, env = "DATABASE_WORKER_CONNECTIONS", default_value_t = 12)]
    pub worker_connections_max: u32,

    /// Kafka brokers, separated by commas.
    #[arg(long, env = "KAFKA_BOOTSTRAP_SERVERS", value_name = "HOST:PORT,…")]
    pub kafka_bootstrap_servers: String,

    /// Stands before the name of every topic.
    #[arg(long, env = "KAFKA_TOPIC_PREFIX", default_value = "")]
    pub kafka_topic_prefix: String,

    /// Folder of tenant configs, as the operator writes them.
    #[arg(long, env = "VITRINE_TENANTS", value_name = "DIR")]
    pub tenants: PathBuf,
}

/// How HTTP is served.
#[derive(Args)]
pub struct HttpArguments {
    /// Where to listen.
    #[arg(long, env = "VITRINE_ADDRESS", default_value = "127.0.0.1:7400", value_name = "ADDRESS:PORT")]
    pub address: SocketAddr,

    /// Where browsers reach the widget.
    #[arg(long, env = "VITRINE_WIDGET_ORIGIN", default_value = "http://widget.localhost:7400", value_name = "ORIGIN")]
    pub widget_origin: PublicOrigin,

    /// Where browsers reach the console.
    #[arg(
        long,
        env = "VITRINE_CONSOLE_ORIGIN",
        default_value = "http://console.localhost:7400",
        value_name = "ORIGIN"
    )]
    pub console_origin: PublicOrigin,

    /// Where browsers reach uploaded files.
    #[arg(
        long,
        env = "VITRINE_UPLOADS_ORIGIN",
        default_value = "http://uploads.localhost:7400",
        value_name = "ORIGIN"
    )]
    pub uploads_origin: PublicOrigin,

    /// Where browsers reach the demo pages.
    #[arg(long, env = "VITRINE_DEMO_ORIGIN", default_value = "http://shop.localhost:7400", value_name = "ORIGIN")]
    pub demo_origin: PublicOrigin,

    /// A demo shop; can be given more than once.
    #[arg(long = "site", env = "VITRINE_SITES", value_delimiter = ',', value_name = "HOST=DIR")]
    pub sites: Vec<Site>,

    /// The built console.
    #[arg(long, env = "VITRINE_ASSETS", default_value = "console/dist", value_name = "DIR")]
    pub assets: PathBuf,

    /// Signs tokens; 32 bytes or more, the same on every replica.
    #[arg(long, env = "VITRINE_TOKEN_SECRET", hide_env_values = true)]
    pub token_secret: SecretString,

    /// Authorizes platform calls; without one there are none.
    #[arg(long, env = "VITRINE_PLATFORM_TOKEN", hide_env_values = true)]
    pub platform_token: Option<SecretString>,

    /// Proxies of ours in front, whose X-Forwarded-For is believed.
    #[arg(long, env = "VITRINE_PROXIES", default_value_t = 0)]
    pub proxies: usize,

    #[command(flatten)]
    pub limits: LimitArguments,
}

/// Limits of one replica.
#[derive(Args, Debug)]
pub struct LimitArguments {
    /// Calls of one address in a minute.
    #[arg(long, env = "VITRINE_ADDRESS_CALLS_PER_MINUTE", default_value_t = RateSettings::default().address_per_minute)]
    pub address_calls_per_minute: NonZeroU32,

    /// Leads, conversations and messages of one visitor in a minute.
    #[arg(long, env = "VITRINE_VISITOR_WRITES_PER_MINUTE", default_value_t = RateSettings::default().visitor_writes_per_minute)]
    pub visitor_writes_per_minute: NonZeroU32,

    /// Leads, conversations and messages through one chatbot in a minute.
    #[arg(long, env = "VITRINE_CHATBOT_WRITES_PER_MINUTE", default_value_t = RateSettings::default().chatbot_writes_per_minute)]
    pub chatbot_writes_per_minute: NonZeroU32,

    /// Open streams of one visitor.
    #[arg(long, env = "VITRINE_VISITOR_STREAMS_MAX", default_value_t = StreamSettings::default().per_visitor_max)]
    pub visitor_streams_max: u32,

    /// Open streams of one chatbot.
    #[arg(long, env = "VITRINE_CHATBOT_STREAMS_MAX", default_value_t = StreamSettings::default().per_chatbot_max)]
    pub chatbot_streams_max: u32,

    /// Open streams of the process.
    #[arg(long, env = "VITRINE_STREAMS_MAX", default_value_t = StreamSettings::default().per_process_max)]
    pub streams_max: u32,
}

impl HttpArguments {
    pub fn origins(&self) -> PublicOrigins {
        PublicOrigins {
            widget: self.widget_origin.clone(),
            console: self.console_origin.clone(),
            uploads: self.uploads_origin.clone(),
            demo: self.demo_origin.clone(),
        }
    }
}

impl LimitArguments {
    pub fn rates(&self) -> RateSettings {
        RateSettings {
            address_per_minute: self.address_calls_per_minute,
            visitor_writes_per_minute: self.visitor_writes_per_minute,
            chatbot_writes_per_minute: self.chatbot_writes_per_minute,
        }
    }

    pub fn streams(&self) -> StreamSettings {
        StreamSettings {
            per_visitor_max: self.visitor_streams_max,
            per_chatbot_max: self.chatbot_streams_max,
            per_process_max: self.streams_max,
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Arguments::command().debug_assert();
    }
}
