//! Which packages' documents read all of the input.

use std::path::PathBuf;

use plimsoll_rego::depend::Root;
use plimsoll_rego::value::Value;

use crate::load::Set;
use crate::run;

/// Of a set, without its tests.
pub(crate) struct Entries {
    /// How many packages there are.
    pub(crate) all: usize,
    /// Those that read all of it, each with the first place that does.
    pub(crate) whole: Vec<String>,
}

pub(crate) fn entries(set: &Set) -> Entries {
    let texts = set.texts.iter().filter(|text| !text.name.ends_with("_test.rego")).cloned().collect();
    let program = run::compile(&Set { texts, data: set.data.clone() }).unwrap_or_else(|refused| panic!("{}", refused.errors));
    let packages = program.packages();
    let reads_all = |package: &Vec<String>| {
        let path: Vec<_> = package.iter().map(|name| Value::from(name.as_str())).collect();
        let reads = program.dependencies().entry(program.policy(), &path);
        let (_, span) = reads.whole.iter().find(|(root, _)| *root == Root::Input)?;
        Some(format!("{} {}", package.join("."), program.sources().location(*span)))
    };
    let whole: Vec<String> = packages.iter().filter_map(reads_all).collect();
    Entries { all: packages.len(), whole }
}

/// Those that are known; with `WHOLE_RECORD=1` those that were found become so.
pub(crate) fn recorded(corpus: &str, found: &Entries) -> Vec<String> {
    let file = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("tests/public/{corpus}.whole.txt"));
    if std::env::var_os("WHOLE_RECORD").is_some() {
        std::fs::write(&file, found.whole.iter().map(|entry| format!("{entry}\n")).collect::<String>()).unwrap();
    }
    std::fs::read_to_string(file).unwrap_or_default().lines().map(str::to_owned).collect()
}
