//! A migration that is added is no change of a source file: without this the compiled list of migrations would lack it.

fn main() {
    println!("cargo:rerun-if-changed=migrations");
}
