//! Programs ask one place for the time and for random identifiers. Their tests may ask anybody.

use super::source::Source;

const PROGRAMS: [&str; 3] = ["tenant-api/src/", "chat-runtime/src/", "vitrine/src/"];
const ASKING: [&str; 4] = ["Timestamp::now", "SystemTime::now", "now_v7", "Uuid::new_v4"];

pub fn check(sources: &[Source]) -> Vec<String> {
    let mut faults = Vec::new();
    let ours = |source: &&Source| {
        PROGRAMS.iter().any(|program| source.path.starts_with(program))
            && source.has_extension(&["rs"])
            && !source.path.ends_with("tests.rs")
    };
    for source in sources.iter().filter(ours) {
        let code = source.lines().take_while(|(_, line)| line.trim() != "#[cfg(test)]");
        for (number, line) in code {
            if let Some(asking) = ASKING.iter().find(|asking| line.contains(**asking)) {
                faults.push(format!("{}:{number}: {asking}: ask vitrine_service::clock", source.path));
            }
        }
    }
    faults
}
