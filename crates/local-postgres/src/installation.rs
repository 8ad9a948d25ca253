//! Where the programs of PostgreSQL are.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::Error;

/// The programs we call; an installation without one of them is none.
const PROGRAMS: [&str; 3] = ["initdb", "pg_ctl", "postgres"];

/// The programs of one version of PostgreSQL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Installation {
    pub programs: PathBuf,
    /// The major version; data of one can be read by no other.
    pub version: u32,
}

impl Installation {
    /// Finds an installation, of a certain major version if data of it is already there: `VITRINE_POSTGRES_BIN`, then
    /// what Debian installed (the highest version), then `PATH`, then the user's cache.
    pub fn find(version: Option<u32>) -> Result<Self, Error> {
        candidates()
            .iter()
            .filter_map(|programs| Self::at(programs))
            .find(|installation| version.is_none_or(|wanted| wanted == installation.version))
            .ok_or(Error::NotFound { version })
    }

    /// The path of one program.
    pub fn program(&self, name: &str) -> PathBuf {
        self.programs.join(name)
    }

    fn at(programs: &Path) -> Option<Self> {
        if !PROGRAMS.iter().all(|program| programs.join(program).is_file()) {
            return None;
        }
        let output = Command::new(programs.join("postgres")).arg("--version").output().ok()?;
        let version = major_version(&String::from_utf8_lossy(&output.stdout))?;
        Some(Self { programs: programs.to_owned(), version })
    }
}

/// The major version in `postgres (PostgreSQL) 15.18 (Debian …)`.
fn major_version(text: &str) -> Option<u32> {
    let digits = |word: &str| word.chars().take_while(char::is_ascii_digit).collect::<String>();
    text.split_whitespace().find_map(|word| digits(word).parse().ok())
}

fn candidates() -> Vec<PathBuf> {
    // Whoever names a folder wants that one and no other.
    if let Some(folder) = env::var_os("VITRINE_POSTGRES_BIN") {
        return vec![folder.into()];
    }
    let mut candidates = versions_below(Path::new("/usr/lib/postgresql"));
    candidates.extend(env::var_os("PATH").iter().flat_map(env::split_paths));
    let cache = env::var_os("VITRINE_CACHE")
        .map(PathBuf::from)
        .or_else(|| env::home_dir().map(|home| home.join(".cache/vitrine")));
    candidates.extend(cache.into_iter().flat_map(|cache| versions_below(&cache.join("postgres"))));
    candidates
}

/// The `bin` folders of `folder/<version>/bin`, highest version first.
fn versions_below(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut versions: Vec<(u32, PathBuf)> = entries
        .map(|entry| (major_version(&entry.file_name().to_string_lossy()).unwrap_or(0), entry.path().join("bin")))
        .collect();
    versions.sort_by(|one, other| other.cmp(one));
    versions.into_iter().map(|(_, programs)| programs).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_major_version_is_read_from_every_way_it_is_written() {
        assert_eq!(major_version("postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)"), Some(15));
        assert_eq!(major_version("postgres (PostgreSQL) 18beta1"), Some(18));
        assert_eq!(major_version("no version here"), None);
    }

    #[test]
    fn the_highest_version_is_tried_first() {
        let folder = tempfile::tempdir().expect("a folder");
        for version in ["9", "18", "15"] {
            std::fs::create_dir_all(folder.path().join(version).join("bin")).expect("a folder");
        }
        let expected: Vec<_> =
            ["18", "15", "9"].iter().map(|version| folder.path().join(version).join("bin")).collect();
        assert_eq!(versions_below(folder.path()), expected);
    }

    #[test]
    fn data_of_a_version_that_is_not_installed_is_refused_by_name() {
        let error = Installation::find(Some(7)).expect_err("nobody has PostgreSQL 7");
        assert!(error.to_string().contains("PostgreSQL 7, which made the data"), "{error}");
    }
}
