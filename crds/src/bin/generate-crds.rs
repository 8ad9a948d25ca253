//! Writes `crds/yaml/{merchants,chatbots}.yaml` from the types.

use std::path::Path;
use std::{fs, io};

use vitrine_crds::{Kind, definitions};

fn main() -> io::Result<()> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("yaml");
    fs::create_dir_all(&folder)?;
    for kind in Kind::ALL {
        let (name, yaml) = definitions::file(kind);
        fs::write(folder.join(name), yaml)?;
    }
    Ok(())
}
