//! A file somebody can hold in their head.

use super::source::Source;

const LINES_MAX: usize = 600;

pub fn check(sources: &[Source]) -> Vec<String> {
    sources
        .iter()
        .filter(|source| source.has_extension(&["rs", "ts", "tsx", "css", "sql", "sh"]) && !source.is_generated())
        .filter_map(|source| {
            let lines = source.text.lines().count();
            (lines > LINES_MAX).then(|| format!("{}: {lines} lines, {LINES_MAX} at most", source.path))
        })
        .collect()
}
