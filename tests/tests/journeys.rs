//! The shops in a real Chromium: the journeys of `tests/journeys`, through both forms of the product.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use serde_json::Value;
use system_tests::{Settings, Stack};
use tempfile::TempDir;
use tokio::process::Command;
use tokio::sync::Mutex;

/// Slow enough that an answer is still being written when the shopper has gone to the next page.
const WORDS_PER_SECOND: u32 = 12;
/// All journeys through one form.
const JOURNEYS_MAX: Duration = Duration::from_mins(10);
/// A shop's page with the embed code of somebody else.
const STRANGER: &str = r#"<!doctype html>
<html lang="nl"><head><meta charset="utf-8"><title>Een vreemde winkel</title></head>
<body><h1>Niet van Zadelhoek</h1><script async src="{{widget}}/w/{{key:zadelhoek-nl}}.js"></script></body></html>
"#;

/// Two cores carry one browser with one stack.
static BROWSER: Mutex<()> = Mutex::const_new(());

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn through_the_embedded_default() {
    let _alone = BROWSER.lock().await;
    let stranger = stranger().unwrap();
    let stack = Stack::embedded(&settings(stranger.path())).await.unwrap();
    travel(&stack, "embedded").await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn through_separate_programs() {
    let _alone = BROWSER.lock().await;
    let stranger = stranger().unwrap();
    let stack = Stack::separate(&settings(stranger.path())).await.unwrap();
    travel(&stack, "separate").await.unwrap();
}

fn settings(stranger: &Path) -> Settings {
    let sites = vec![("stranger.localhost".to_owned(), stranger.to_owned())];
    Settings { words_per_second: WORDS_PER_SECOND, sites }
}

fn stranger() -> anyhow::Result<TempDir> {
    let folder = TempDir::with_prefix("vitrine-stranger-")?;
    std::fs::write(folder.path().join("index.html"), STRANGER)?;
    Ok(folder)
}

/// Runs all journeys and prints how many there were. Traces and pictures are kept in `target/journeys`.
async fn travel(stack: &Stack, form: &str) -> anyhow::Result<()> {
    let started = Instant::now();
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = here.join("journeys");
    ensure!(
        folder.join("node_modules/@playwright/test").is_dir(),
        "the journeys' packages are not installed: run cargo xtask test journeys, or npm ci in tests/journeys"
    );
    let output = here.join("../target/journeys").join(form);
    let site = &stack.site;
    let mut command = Command::new("npx");
    command
        .args(["--no-install", "playwright", "test"])
        .current_dir(&folder)
        .env("VITRINE_JOURNEY_ZADELHOEK", site.zadelhoek())
        .env("VITRINE_JOURNEY_NEGIN", site.negin())
        .env("VITRINE_JOURNEY_STRANGER", format!("http://stranger.localhost:{}", site.port()))
        .env("VITRINE_JOURNEY_WIDGET", site.widget_origin())
        .env("VITRINE_JOURNEY_MANIFESTS", stack.demo.manifests())
        .env("VITRINE_JOURNEY_OUTPUT", &output)
        .env("VITRINE_JOURNEY_PICTURES", pictures(&output))
        .kill_on_drop(true);
    let status = tokio::time::timeout(JOURNEYS_MAX, command.status())
        .await
        .context("the journeys took too long")?
        .context("failed to run npx: install Node.js")?;

    let report: Value = serde_json::from_slice(&std::fs::read(output.join("report.json"))?)?;
    let count = |name: &str| report["stats"][name].as_u64().unwrap_or_default();
    println!(
        "journeys, {form}: {} passed, {} failed, {} skipped; {:.0} s",
        count("expected"),
        count("unexpected") + count("flaky"),
        count("skipped"),
        started.elapsed().as_secs_f64()
    );
    ensure!(status.success(), "journeys failed; see {}", output.display());
    ensure!(count("expected") > 0 && count("skipped") == 0, "every journey must be travelled");
    Ok(())
}

/// Beside the output, which is emptied at each start.
fn pictures(output: &Path) -> PathBuf {
    output.with_extension("pictures")
}
