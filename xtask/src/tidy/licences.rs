//! What comes from others: from a registry, under a licence of `deny.toml`, and nothing it bans.

use anyhow::{Context, Result};
use serde::Deserialize;

use super::source::Source;
use crate::run::{command, read};

const LIST: &str = "deny.toml";

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
}

#[derive(Deserialize)]
struct Package {
    name: String,
    license: Option<String>,
    source: Option<String>,
}

pub fn check(sources: &[Source]) -> Vec<String> {
    let Some(list) = sources.iter().find(|source| source.path == LIST) else {
        return vec![format!("{LIST} is missing")];
    };
    let (allowed, banned) = (quoted(&list.text, "allow = ["), quoted(&list.text, "deny = ["));
    match packages() {
        Ok(packages) => packages.iter().filter_map(|package| fault(package, &allowed, &banned)).collect(),
        Err(error) => vec![format!("{error:#}")],
    }
}

fn packages() -> Result<Vec<Package>> {
    let printed = read(&mut command("cargo", &["metadata", "--locked", "--format-version", "1", "--quiet"]))?;
    let metadata: Metadata = serde_json::from_str(&printed).context("failed to read cargo metadata")?;
    Ok(metadata.packages)
}

fn fault(package: &Package, allowed: &[&str], banned: &[&str]) -> Option<String> {
    let Package { name, license, source } = package;
    // Ours have no source.
    let source = source.as_deref()?;
    if !source.starts_with("registry+") {
        return Some(format!("{name}: comes from {source}, not from a registry"));
    }
    if banned.contains(&name.as_str()) {
        return Some(format!("{name}: is banned in {LIST}"));
    }
    let license = license.as_deref().unwrap_or("none");
    (!is_allowed(license, allowed)).then(|| format!("{name}: its licence {license} is not allowed in {LIST}"))
}

/// Whether an SPDX expression leaves a choice that is allowed. `/` is how `OR` was written once; an exception grants more
/// than its licence.
fn is_allowed(expression: &str, allowed: &[&str]) -> bool {
    let spaced = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
    let mut words = spaced.split_whitespace().peekable();
    let result = either(&mut words, allowed);
    result && words.peek().is_none()
}

type Words<'a> = std::iter::Peekable<std::str::SplitWhitespace<'a>>;

fn either(words: &mut Words, allowed: &[&str]) -> bool {
    let mut result = both(words, allowed);
    while words.next_if_eq(&"OR").is_some() {
        result |= both(words, allowed);
    }
    result
}

fn both(words: &mut Words, allowed: &[&str]) -> bool {
    let mut result = one(words, allowed);
    while words.next_if_eq(&"AND").is_some() {
        result &= one(words, allowed);
    }
    result
}

fn one(words: &mut Words, allowed: &[&str]) -> bool {
    if words.next_if_eq(&"(").is_some() {
        let result = either(words, allowed);
        return words.next_if_eq(&")").is_some() && result;
    }
    let result = words.next().is_some_and(|licence| allowed.contains(&licence));
    if words.next_if_eq(&"WITH").is_some() {
        words.next();
    }
    result
}

/// The quoted words between `start` and the next `]`.
fn quoted<'a>(text: &'a str, start: &str) -> Vec<&'a str> {
    let list = text.lines().skip_while(|line| !line.starts_with(start));
    let mut words = Vec::new();
    for line in list {
        words.extend(line.split('"').skip(1).step_by(2));
        if line.ends_with(']') {
            break;
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALLOWED: [&str; 3] = ["MIT", "Apache-2.0", "Unicode-3.0"];

    #[test]
    fn expressions_are_read_as_they_are_written() {
        for expression in [
            "MIT",
            "GPL-3.0 OR MIT",
            "MIT/GPL-3.0",
            "(MIT OR GPL-3.0) AND Unicode-3.0",
            "Apache-2.0 WITH LLVM-exception OR GPL-3.0",
        ] {
            assert!(is_allowed(expression, &ALLOWED), "{expression}");
        }
        for expression in ["GPL-3.0", "MIT AND GPL-3.0", "(MIT OR Apache-2.0) AND GPL-3.0", "none", "(MIT", ""] {
            assert!(!is_allowed(expression, &ALLOWED), "{expression}");
        }
    }

    #[test]
    fn what_is_banned_or_comes_from_elsewhere_is_named() {
        let package = |name: &str, source: &str| Package {
            name: name.to_owned(),
            license: Some("MIT".to_owned()),
            source: Some(source.to_owned()),
        };
        let registry = "registry+https://example.test/index";
        assert_eq!(fault(&package("fine", registry), &ALLOWED, &["bad"]), None);
        assert!(fault(&package("bad", registry), &ALLOWED, &["bad"]).is_some());
        assert!(fault(&package("fine", "git+https://example.test/fine"), &ALLOWED, &["bad"]).is_some());
    }

    #[test]
    fn the_lists_are_read_over_one_line_and_over_several() {
        let text = "[a]\nallow = [\n    \"MIT\",\n    \"ISC\",\n]\ndeny = [{ crate = \"one\" }, { crate = \"two\" }]\n";
        assert_eq!(quoted(text, "allow = ["), ["MIT", "ISC"]);
        assert_eq!(quoted(text, "deny = ["), ["one", "two"]);
    }
}
