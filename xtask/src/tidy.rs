//! `cargo xtask tidy`: what a program can check of the project's structure and invariants.

mod banned_text;
mod crate_directions;
mod dependency_reasons;
mod file_sizes;
mod licences;
mod logical_css;
mod one_clock;
mod pure_domain;
mod reading_runtime;
mod source;

use anyhow::{Result, bail};

use crate::run::say;
use source::Source;

/// A check gives one line per fault, which names the place and the rule.
type Check = fn(&[Source]) -> Vec<String>;

const CHECKS: [(&str, Check); 9] = [
    ("crates use only the crates they may", crate_directions::check),
    ("every dependency says why it is there", dependency_reasons::check),
    ("others' work comes from a registry under an allowed licence", licences::check),
    ("no file is too long", file_sizes::check),
    ("domain does no I/O, reads no clock, draws no random number", pure_domain::check),
    ("programs have one clock", one_clock::check),
    ("chat-runtime writes nothing to PostgreSQL", reading_runtime::check),
    ("styles are logical, so that they work right to left", logical_css::check),
    ("nothing unfinished, no registry hosts, no message to any origin", banned_text::check),
];

/// Runs every check and gives their number; fails with all faults.
pub fn tidy() -> Result<usize> {
    let sources = source::tracked()?;
    let mut faults = Vec::new();
    for (rule, check) in CHECKS {
        let found = check(&sources);
        say(&format!("{}: {rule}", if found.is_empty() { "ok" } else { "FAULT" }));
        faults.extend(found);
    }
    if faults.is_empty() {
        return Ok(CHECKS.len());
    }
    for fault in &faults {
        eprintln!("  {fault}");
    }
    bail!("{} faults", faults.len());
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The faults a check finds in a file of this path and text.
    fn faults(check: Check, path: &str, text: &str) -> usize {
        check(&[Source { path: path.to_owned(), text: text.to_owned() }]).len()
    }

    #[test]
    fn each_check_finds_what_it_is_there_for_and_nothing_else() {
        let cases: [(Check, &str, &str, usize); 18] = [
            (dependency_reasons::check, "Cargo.toml", "[workspace.dependencies]\nodd = \"1\"\n", 2),
            (dependency_reasons::check, "Cargo.toml", "[workspace.dependencies]\n# For this.\nodd = \"1\"\n", 1),
            (dependency_reasons::check, "bus/Cargo.toml", "[dependencies]\nodd = \"1\"\n", 1),
            (dependency_reasons::check, "bus/Cargo.toml", "[dependencies]\nodd.workspace = true\n", 0),
            (file_sizes::check, "src/long.rs", &"line\n".repeat(601), 1),
            (file_sizes::check, "src/whole.rs", &"line\n".repeat(600), 0),
            (file_sizes::check, "src/types.gen.ts", &"line\n".repeat(601), 0),
            (pure_domain::check, "crates/domain/src/rule.rs", "let now = Timestamp::now();", 1),
            (pure_domain::check, "crates/bus/src/kafka.rs", "let now = Timestamp::now();", 0),
            (one_clock::check, "vitrine/src/up.rs", "let now = Timestamp::now();", 1),
            (one_clock::check, "vitrine/src/up.rs", "#[cfg(test)]\nlet now = Timestamp::now();", 0),
            (reading_runtime::check, "chat-runtime/src/turn.rs", "\"DELETE FROM turns\"", 1),
            (reading_runtime::check, "tenant-api/src/turn.rs", "\"DELETE FROM turns\"", 0),
            (logical_css::check, "console/src/a.css", "  margin-left: 1px;\n  left: 0;\n", 2),
            (logical_css::check, "console/src/a.css", "  margin-inline-start: 1px;\n  left: 0; /* physical */\n", 0),
            (banned_text::check, "console/src/a.ts", "port.postMessage(hello, '*');", 1),
            (banned_text::check, "console/src/a.ts", "port.postMessage(hello, origin);", 0),
            (banned_text::check, "src/a.rs", concat!("// TO", "DO: finish"), 1),
        ];
        for (number, (check, path, text, expected)) in cases.into_iter().enumerate() {
            assert_eq!(faults(check, path, text), expected, "case {number}: {path}");
        }
    }
}
