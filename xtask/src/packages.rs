//! What the machine must have, and how it gets it: installed by apt as root, named clearly otherwise.

use std::path::Path;
use std::process::Command;

use anyhow::{Result, bail};

use crate::run::{command, run, say};

/// Something needed, how to see that it is there, and the Debian packages that bring it.
struct Need {
    what: &'static str,
    packages: &'static [&'static str],
    is_there: fn() -> bool,
}

const BUILD: &[Need] = &[
    Need {
        what: "a C compiler and make, for librdkafka",
        packages: &["gcc", "make", "libc6-dev"],
        is_there: || has("gcc") && has("make"),
    },
    Need {
        what: "zlib's headers, for librdkafka",
        packages: &["zlib1g-dev"],
        is_there: || Path::new("/usr/include/zlib.h").exists(),
    },
];

const SERVE: &[Need] = &[
    Need { what: "Node.js 20 or newer with npm", packages: &["nodejs", "npm"], is_there: has_node },
    Need { what: "PostgreSQL 15 or newer", packages: &["postgresql"], is_there: has_postgresql },
    Need { what: "setpriv and unshare", packages: &["util-linux"], is_there: || has("setpriv") && has("unshare") },
];

const TEST: &[Need] = &[
    Need { what: "Java 17 or newer, for Apache Kafka", packages: &["default-jre-headless"], is_there: || has("java") },
    Need { what: "Maven, which fetches Apache Kafka", packages: &["maven"], is_there: || has("mvn") },
    Need { what: "Chromium", packages: &["chromium"], is_there: || has("chromium") },
    Need {
        what: "fonts for every script",
        packages: &["fonts-noto-core"],
        is_there: || Path::new("/usr/share/fonts/truetype/noto").exists(),
    },
];

/// What building and serving needs.
pub fn ensure_for_up() -> Result<()> {
    ensure(&[BUILD, SERVE])
}

/// What the tests need, too.
pub fn ensure_for_tests() -> Result<()> {
    ensure(&[BUILD, SERVE, TEST])
}

fn ensure(needs: &[&[Need]]) -> Result<()> {
    let missing: Vec<&Need> = needs.iter().copied().flatten().filter(|need| !(need.is_there)()).collect();
    if missing.is_empty() {
        return Ok(());
    }
    for need in &missing {
        say(&format!("missing: {}", need.what));
    }
    let packages: Vec<&str> = missing.iter().flat_map(|need| need.packages).copied().collect();
    if !is_root() || !has("apt-get") {
        bail!("install what is missing and start again (Debian, as root): apt-get install {}", packages.join(" "));
    }
    run("read the package lists", &mut command("apt-get", &["update", "-qq"]))?;
    let mut install = command("apt-get", &["install", "-y", "-qq", "--no-install-recommends"]);
    run("install packages", install.args(&packages).env("DEBIAN_FRONTEND", "noninteractive"))?;
    if let Some(need) = missing.iter().find(|need| !(need.is_there)()) {
        bail!("{} is still missing after installing {}", need.what, need.packages.join(" "));
    }
    Ok(())
}

fn has(program: &str) -> bool {
    std::env::var_os("PATH")
        .is_some_and(|path| std::env::split_paths(&path).any(|folder| folder.join(program).is_file()))
}

fn has_node() -> bool {
    let version = Command::new("node").arg("--version").output();
    let major = version.ok().and_then(|output| {
        let text = String::from_utf8(output.stdout).ok()?;
        text.trim().strip_prefix('v')?.split('.').next()?.parse::<u32>().ok()
    });
    major.is_some_and(|major| major >= 20) && has("npm")
}

fn has_postgresql() -> bool {
    let installed = std::fs::read_dir("/usr/lib/postgresql")
        .map(|versions| versions.flatten().any(|version| version.path().join("bin/postgres").is_file()));
    installed.unwrap_or(false) || has("postgres") || std::env::var_os("VITRINE_POSTGRES_BIN").is_some()
}

fn is_root() -> bool {
    std::fs::metadata("/proc/self").is_ok_and(|own| std::os::unix::fs::MetadataExt::uid(&own) == 0)
}
