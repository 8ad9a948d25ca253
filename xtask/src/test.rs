//! `cargo xtask test`: every part with its time, count and budget, and one summary at the end.

mod parts;
mod real_parts;
mod summary;

use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use clap::Args;

use crate::packages;
use crate::run::{Failed, say};
use summary::Row;

#[derive(Args, Debug)]
pub struct TestArguments {
    /// One part: tidy, lint, generated, console, rust, system or journeys
    part: Option<String>,
    /// Run the long matrices, too
    #[arg(long)]
    long: bool,
}

/// One part of the tests.
struct Part {
    name: &'static str,
    /// What the machine must have for it; installed if missing.
    needs: fn() -> Result<()>,
    /// A part that takes longer than this has failed.
    budget: Duration,
    run: fn(&Settings) -> Result<usize>,
}

/// What every part is told.
struct Settings {
    long: bool,
}

const PARTS: [Part; 7] = [
    Part { name: "tidy", needs: || Ok(()), budget: Duration::from_mins(1), run: |_| parts::tidy() },
    Part {
        name: "console",
        needs: packages::ensure_for_tests,
        budget: Duration::from_mins(8),
        run: |_| parts::console(),
    },
    Part { name: "lint", needs: packages::ensure_for_up, budget: Duration::from_mins(20), run: |_| parts::lint() },
    Part {
        name: "generated",
        needs: packages::ensure_for_up,
        budget: Duration::from_mins(20),
        run: |_| parts::generated(),
    },
    Part { name: "rust", needs: packages::ensure_for_tests, budget: Duration::from_mins(30), run: parts::rust },
    Part { name: "system", needs: packages::ensure_for_tests, budget: Duration::from_mins(20), run: parts::system },
    Part { name: "journeys", needs: packages::ensure_for_tests, budget: Duration::from_mins(15), run: parts::journeys },
];

/// How much longer a part may take with the long matrices.
const LONG_FACTOR: u32 = 8;

pub fn test(arguments: &TestArguments) -> Result<()> {
    let chosen: Vec<&Part> = match &arguments.part {
        None => PARTS.iter().collect(),
        Some(name) => PARTS.iter().filter(|part| part.name == name).collect(),
    };
    if chosen.is_empty() {
        let names: Vec<&str> = PARTS.iter().map(|part| part.name).collect();
        bail!("no such part: the parts are {}", names.join(", "));
    }
    let settings = Settings { long: arguments.long };
    let rows: Vec<Row> = chosen.into_iter().map(|part| run(part, &settings)).collect();
    summary::print(&rows);
    let failed: Vec<&str> = rows.iter().filter(|row| row.trouble.is_some()).map(|row| row.name).collect();
    if !failed.is_empty() {
        bail!("failed: {}", failed.join(", "));
    }
    Ok(())
}

fn run(part: &Part, settings: &Settings) -> Row {
    say(&format!("part: {}", part.name));
    let started = Instant::now();
    let result = (part.needs)().and_then(|()| (part.run)(settings));
    let took = started.elapsed();
    let budget = if settings.long { part.budget * LONG_FACTOR } else { part.budget };
    let count = match &result {
        Ok(count) => *count,
        Err(error) => error.downcast_ref::<Failed>().map_or(0, |failed| summary::passed(&failed.printed)),
    };
    let trouble = match result {
        Err(error) => {
            eprintln!("{}: {error:#}", part.name);
            Some(format!("{error:#}"))
        }
        Ok(_) if took > budget => Some(format!("took longer than its budget of {} s", budget.as_secs())),
        Ok(_) => None,
    };
    Row { name: part.name, count, took, trouble }
}
