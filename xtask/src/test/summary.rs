//! Counting tests in what runners print, and the table at the end.

use std::time::Duration;

/// One part in the table.
pub struct Row {
    pub name: &'static str,
    pub count: usize,
    pub took: Duration,
    pub trouble: Option<String>,
}

/// The number of tests that passed, from the result lines of cargo, vitest and playwright.
pub fn passed(printed: &str) -> usize {
    printed
        .lines()
        .filter_map(|line| from_cargo(line).or_else(|| from_vitest(line)).or_else(|| from_playwright(line)))
        .sum()
}

pub fn print(rows: &[Row]) {
    println!("\n{:<12} {:>7} {:>9}  result", "part", "passed", "seconds");
    for row in rows {
        let result = row.trouble.as_deref().and_then(|trouble| trouble.lines().next()).unwrap_or("ok");
        println!("{:<12} {:>7} {:>9.1}  {result}", row.name, row.count, row.took.as_secs_f64());
    }
    let (count, took) =
        rows.iter().fold((0, Duration::ZERO), |(count, took), row| (count + row.count, took + row.took));
    println!("{:<12} {count:>7} {:>9.1}", "together", took.as_secs_f64());
}

/// `test result: ok. 16 passed; 0 failed; …`
fn from_cargo(line: &str) -> Option<usize> {
    let rest = line.strip_prefix("test result: ")?;
    rest.split([';', '.']).find_map(|part| part.trim().strip_suffix(" passed"))?.trim().parse().ok()
}

/// `      Tests  12 passed (12)`
fn from_vitest(line: &str) -> Option<usize> {
    let rest = line.trim().strip_prefix("Tests ")?;
    let before = rest.split(" passed").next()?;
    before.split_whitespace().last()?.parse().ok()
}

/// `  12 passed (34.5s)`
fn from_playwright(line: &str) -> Option<usize> {
    let (count, _) = line.strip_prefix("  ")?.split_once(" passed (")?;
    count.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::passed;

    #[test]
    fn every_runner_is_counted() {
        let printed = "running 3 tests\ntest result: ok. 3 passed; 0 failed; 0 ignored\n\
                       test result: FAILED. 2 passed; 1 failed\n      Tests  1 failed | 4 passed (5)\n  7 passed (1.2s)\n";
        assert_eq!(passed(printed), 16);
        assert_eq!(passed("nothing passed here"), 0);
    }
}
