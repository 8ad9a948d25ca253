//! Styles say start and end, not left and right. What is physical by nature is marked `/* physical */`.

use super::source::Source;

const SIDES: [&str; 2] = ["left", "right"];
const PROPERTIES: [&str; 3] = ["margin-", "padding-", "border-"];

pub fn check(sources: &[Source]) -> Vec<String> {
    let mut faults = Vec::new();
    let ours = |source: &&Source| {
        source.has_extension(&["css"]) && (source.path.starts_with("console/") || source.path.starts_with("demo/"))
    };
    for source in sources.iter().filter(ours) {
        for (number, line) in source.lines() {
            let declaration = line.trim_start();
            let is_physical = SIDES.iter().any(|side| {
                declaration.starts_with(&format!("{side}:"))
                    || PROPERTIES.iter().any(|property| declaration.starts_with(&format!("{property}{side}")))
                    || declaration.starts_with(&format!("text-align: {side}"))
                    || declaration.starts_with(&format!("float: {side}"))
            });
            if is_physical && !line.contains("/* physical */") {
                faults.push(format!("{}:{number}: say start or end: {declaration}", source.path));
            }
        }
    }
    faults
}
