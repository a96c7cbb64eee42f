//! The decision from outside: every scenario in `tests/cases`, step by step.
//!
//! Each step changes something (the developer's annotations, the policies, the clusters), decides, checks what is
//! expected, and writes the patch. Whatever is expected, a second decision must write nothing, and an object that is
//! created as the developer wants it must be decided like the one that lives.

#[cfg(test)]
mod scenario;
#[cfg(test)]
mod walk;
#[cfg(test)]
mod world;

use std::path::Path;

use scenario::Scenario;

#[test]
fn scenarios() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let mut files: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "yaml"));
    files.sort();
    assert!(!files.is_empty(), "no scenarios in {}", folder.display());
    for file in files {
        let text = std::fs::read_to_string(&file).unwrap();
        let scenarios: Vec<Scenario> = yaml_serde::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        for scenario in scenarios {
            scenario.run(file.file_name().unwrap().to_str().unwrap());
        }
    }
}
