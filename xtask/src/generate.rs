//! `cargo xtask generate`: files that are made from code.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use crate::console;
use crate::run::{command, read, run, say};
use crate::stamp;

/// Everything generated, by file or folder.
const GENERATED: [&str; 3] = ["crds/yaml", "docs/openapi.json", "console/src/api/types.gen.ts"];

/// Writes every generated file anew and gives those that changed.
pub fn generate() -> Result<Vec<String>> {
    let before = contents()?;
    // The whole workspace, so that no feature differs from the tests' build.
    run("build the generators", &mut command("cargo", &["build", "--workspace", "--quiet"]))?;
    run("write crds/yaml", &mut command("target/debug/generate-crds", &[]))?;
    say("write docs/openapi.json");
    let document = read(&mut command("target/debug/tenant-api", &["openapi"]))?;
    fs::write("docs/openapi.json", document).context("failed to write docs/openapi.json")?;
    console::install("console")?;
    run("write the console's API types", command("npm", &["run", "--silent", "generate"]).current_dir("console"))?;

    let after = contents()?;
    let changed: Vec<String> = after
        .iter()
        .chain(&before)
        .filter(|entry| !(before.contains(entry) && after.contains(entry)))
        .map(|(file, _)| file.clone())
        .collect::<std::collections::BTreeSet<_>>()
        .into_iter()
        .collect();
    for file in &changed {
        println!("changed: {file}");
    }
    Ok(changed)
}

fn contents() -> Result<Vec<(String, String)>> {
    let there: Vec<&Path> = GENERATED.iter().map(Path::new).filter(|path| path.exists()).collect();
    stamp::files(&there)?.into_iter().map(|file| Ok((file.display().to_string(), stamp::digest(&[&file])?))).collect()
}
