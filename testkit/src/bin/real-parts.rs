//! Starts PostgreSQL and Apache Kafka for a run of tests, and says where they are in one line of JSON:
//! `{"postgres_url": …, "kafka": …}`. Runs until its standard input is closed, then stops both.

use anyhow::Context;
use secrecy::ExposeSecret;
use tokio::io::AsyncReadExt;
use vitrine_testkit::{Kafka, Postgres};

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let (postgres, kafka) = tokio::try_join!(Postgres::start(), Kafka::start())?;
    let mut kafka = kafka;
    println!(
        "{}",
        serde_json::json!({
            "postgres_url": postgres.superuser_url().expose_secret(),
            "kafka": kafka.bootstrap_servers(),
        })
    );

    tokio::io::stdin().read_to_end(&mut Vec::new()).await.context("failed to wait for the end of standard input")?;
    let (postgres, kafka) = tokio::join!(postgres.stop(), kafka.stop());
    postgres.and(kafka.map(|_| ()))
}
