//! Every external dependency of the workspace is declared at the root, below a line that says why it is there, and used.
//! Serde, thiserror and tokio need no reason.

use super::source::Source;

const COMMON: [&str; 5] = ["serde", "serde_json", "thiserror", "tokio", "tracing"];

pub fn check(sources: &[Source]) -> Vec<String> {
    let mut faults = Vec::new();
    for source in sources.iter().filter(|source| source.path.ends_with("Cargo.toml")) {
        if source.path == "Cargo.toml" {
            faults.extend(without_reason(source));
            faults.extend(without_user(source, sources));
        } else {
            faults.extend(declared_here(source));
        }
    }
    faults
}

fn without_reason(root: &Source) -> Vec<String> {
    let mut faults = Vec::new();
    let mut in_dependencies = false;
    // Dependencies that follow one another share the reason above them.
    let mut has_reason = false;
    for (number, line) in root.lines() {
        if line.starts_with('[') {
            in_dependencies = line == "[workspace.dependencies]";
        } else if line.trim().is_empty() {
            has_reason = false;
        } else if line.starts_with('#') {
            has_reason = true;
        } else if in_dependencies && !has_reason && !line.contains("path = ") {
            let name = line.split([' ', '=']).next().unwrap_or_default();
            if !COMMON.contains(&name) {
                faults.push(format!("Cargo.toml:{number}: {name} has no line above it that says why it is there"));
            }
        }
    }
    faults
}

fn without_user(root: &Source, sources: &[Source]) -> Vec<String> {
    let manifests = || sources.iter().filter(|source| source.path.ends_with("/Cargo.toml"));
    let is_used = |name: &str| {
        let inherited = [format!("{name}.workspace"), format!("{name} = {{ workspace")];
        manifests().any(|manifest| inherited.iter().any(|line| manifest.text.lines().any(|own| own.starts_with(line))))
    };
    declared(root)
        .filter(|(_, name)| !is_used(name))
        .map(|(number, name)| format!("Cargo.toml:{number}: nobody uses {name}"))
        .collect()
}

/// The dependencies the root declares, with their lines.
fn declared(root: &Source) -> impl Iterator<Item = (usize, &str)> {
    root.lines()
        .skip_while(|(_, line)| *line != "[workspace.dependencies]")
        .skip(1)
        .take_while(|(_, line)| !line.starts_with('['))
        .filter(|(_, line)| !line.starts_with('#'))
        .filter_map(|(number, line)| Some((number, line.split_once('=')?.0.trim())))
}

fn declared_here(manifest: &Source) -> Vec<String> {
    let mut faults = Vec::new();
    let mut in_dependencies = false;
    for (number, line) in manifest.lines() {
        if line.starts_with('[') {
            in_dependencies = line.ends_with("dependencies]");
        } else if in_dependencies && line.contains('=') && !line.contains("workspace = true") {
            faults.push(format!("{}:{number}: declare dependencies at the root, with a reason", manifest.path));
        }
    }
    faults
}
