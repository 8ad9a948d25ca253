//! Of our programs only tenant-api writes PostgreSQL.

use super::source::Source;

const WRITING: [&str; 4] = ["INSERT INTO", "UPDATE ", "DELETE FROM", "TRUNCATE"];

pub fn check(sources: &[Source]) -> Vec<String> {
    let mut faults = Vec::new();
    for source in sources.iter().filter(|source| source.path.starts_with("chat-runtime/src/")) {
        for (number, line) in source.lines() {
            if let Some(word) = WRITING.iter().find(|word| line.contains(**word)) {
                faults.push(format!(
                    "{}:{number}: chat-runtime must not write, this says {}",
                    source.path,
                    word.trim()
                ));
            }
        }
    }
    faults
}
