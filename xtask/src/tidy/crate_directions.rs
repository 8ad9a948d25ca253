//! Who may use whom. The table is the one of ARCHITECTURE.md; test-only dependencies are free.

use anyhow::{Context, Result};
use serde::Deserialize;

use super::source::Source;
use crate::run::{command, read};

const MAY_USE: &[(&str, &[&str])] = &[
    ("vitrine-domain", &[]),
    ("vitrine-service", &[]),
    ("vitrine-local-postgres", &[]),
    ("xtask", &[]),
    ("vitrine-crds", &["vitrine-domain"]),
    ("vitrine-bus", &["vitrine-domain"]),
    ("vitrine-database", &["vitrine-domain"]),
    ("vitrine-tenant-config", &["vitrine-crds", "vitrine-domain"]),
    ("vitrine-knowledge", &["vitrine-database", "vitrine-domain"]),
    (
        "vitrine-chat-runtime",
        &[
            "vitrine-service",
            "vitrine-bus",
            "vitrine-database",
            "vitrine-knowledge",
            "vitrine-tenant-config",
            "vitrine-domain",
        ],
    ),
    (
        "vitrine-tenant-api",
        &[
            "vitrine-service",
            "vitrine-bus",
            "vitrine-database",
            "vitrine-knowledge",
            "vitrine-tenant-config",
            "vitrine-crds",
            "vitrine-domain",
        ],
    ),
    (
        "vitrine",
        &[
            "vitrine-service",
            "vitrine-bus",
            "vitrine-database",
            "vitrine-knowledge",
            "vitrine-tenant-config",
            "vitrine-crds",
            "vitrine-domain",
            "vitrine-local-postgres",
            "vitrine-tenant-api",
            "vitrine-chat-runtime",
        ],
    ),
    ("vitrine-testkit", &["vitrine-local-postgres", "vitrine-database", "vitrine-domain"]),
    ("system-tests", &["vitrine-testkit", "vitrine-database", "vitrine-service", "vitrine-domain"]),
];

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
}

#[derive(Deserialize)]
struct Package {
    name: String,
    dependencies: Vec<Dependency>,
}

#[derive(Deserialize)]
struct Dependency {
    name: String,
    kind: Option<String>,
    path: Option<String>,
}

pub fn check(_sources: &[Source]) -> Vec<String> {
    wrong_directions().unwrap_or_else(|error| vec![format!("{error:#}")])
}

fn wrong_directions() -> Result<Vec<String>> {
    let printed = read(&mut command("cargo", &["metadata", "--no-deps", "--format-version", "1", "--quiet"]))?;
    let metadata: Metadata = serde_json::from_str(&printed).context("failed to read cargo metadata")?;
    let mut faults = Vec::new();
    for Package { name, dependencies } in &metadata.packages {
        let Some((_, allowed)) = MAY_USE.iter().find(|(package, _)| package == name) else {
            faults.push(format!("{name}: not in the table of crate directions"));
            continue;
        };
        let ours = dependencies.iter().filter(|dependency| dependency.path.is_some() && dependency.kind.is_none());
        for dependency in ours.filter(|dependency| !allowed.contains(&dependency.name.as_str())) {
            faults.push(format!("{name} must not use {}", dependency.name));
        }
    }
    Ok(faults)
}
