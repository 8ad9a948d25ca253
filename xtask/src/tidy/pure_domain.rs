//! `domain` is rules and nothing else.

use super::source::Source;

const IMPURE: [&str; 12] = [
    "std::fs",
    "std::env",
    "std::process",
    "TcpStream",
    "TcpListener",
    "UdpSocket",
    "SystemTime",
    "Instant::now",
    "Timestamp::now",
    "Zoned::now",
    "now_v7",
    "new_v4",
];

pub fn check(sources: &[Source]) -> Vec<String> {
    let mut faults = Vec::new();
    for source in sources.iter().filter(|source| source.path.starts_with("crates/domain/")) {
        for (number, line) in source.lines() {
            if let Some(impure) = IMPURE.iter().find(|impure| line.contains(**impure)) {
                faults.push(format!("{}:{number}: {impure} has no place in domain", source.path));
            }
        }
    }
    faults
}
