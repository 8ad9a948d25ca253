//! Words that must not stand in the project.

use super::source::Source;

/// The word, the endings of the files it must not stand in, and why. Written in halves, so that this file passes.
const BANNED: [(&[&str], &[&str], &str); 4] = [
    (&["TO", "DO"], &["rs", "ts", "tsx", "sql", "sh", "css"], "finish it, or write it down as an issue"),
    (&["FIX", "ME"], &["rs", "ts", "tsx", "sql", "sh", "css"], "finish it, or write it down as an issue"),
    (
        &["registry.npm", "js.org"],
        &["json", "toml", "lock", "sh", "rs", "ts", "xml", "md"],
        "the machine chooses the registry",
    ),
    (&["repo.maven.", "apache.org"], &["xml", "sh", "rs", "toml", "md"], "the machine chooses the registry"),
];

pub fn check(sources: &[Source]) -> Vec<String> {
    let mut faults = Vec::new();
    for (halves, extensions, why) in BANNED {
        let word = halves.concat();
        for source in sources.iter().filter(|source| source.has_extension(extensions) && !source.is_generated()) {
            for (number, _) in source.lines().filter(|(_, line)| line.contains(&word)) {
                faults.push(format!("{}:{number}: {word}: {why}", source.path));
            }
        }
    }
    faults.extend(messages_to_any_origin(sources));
    faults
}

/// `postMessage(…, "*")` in the console's own code.
fn messages_to_any_origin(sources: &[Source]) -> Vec<String> {
    let code =
        sources.iter().filter(|source| source.path.starts_with("console/src/") && source.has_extension(&["ts", "tsx"]));
    code.flat_map(|source| {
        source
            .lines()
            .filter(|(_, line)| line.contains("postMessage") && (line.contains("\"*\"") || line.contains("'*'")))
            .map(|(number, _)| format!("{}:{number}: a message names the origin it is meant for", source.path))
            .collect::<Vec<_>>()
    })
    .collect()
}
