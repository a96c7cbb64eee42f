//! `tests/http_cases/*.yaml`: what a client may ask, and what must come back. The same files are asked of a real OPA when
//! `KUBEBUILDER_ASSETS` has one: whatever the two answer differently is in `differences.yaml` with its reason, or fails; and
//! what is listed there and no longer differs fails too.

mod compare;
mod file;
mod judge;
mod opa;
mod play;
mod wire;

use std::collections::BTreeSet;
use std::fs;

use compare::Difference;
use file::File;
use play::check;

macro_rules! files {
    ($($name:ident),* $(,)?) => {
        const FILES: &[&str] = &[$(stringify!($name)),*];

        $(#[test]
        fn $name() {
            let wrong = check(stringify!($name));
            assert!(wrong.is_empty(), "{} steps are wrong:\n{}", wrong.len(), wrong.join("\n"));
        })*
    };
}

files!(
    authz,
    authz_object,
    bad_input,
    bundles,
    config,
    data_read,
    data_write,
    explain,
    health,
    limits,
    numbers,
    policies,
    query,
    rule_labels,
    server,
    sizes
);

#[test]
fn every_file_is_run_and_every_listed_step_exists() {
    let on_disk = fs::read_dir(file::directory()).unwrap();
    let names = on_disk.map(|entry| entry.unwrap().path().file_stem().unwrap().to_str().unwrap().to_owned());
    let mut names: BTreeSet<_> = names.filter(|name| name != "differences").collect();
    let mut steps = BTreeSet::new();
    for name in FILES {
        assert!(names.remove(*name), "{name}.yaml is not there");
        let file: File = file::read(name);
        for case in &file.cases {
            for (label, _) in case.labelled(name) {
                assert!(steps.insert(label), "two cases of {name} are called {}", case.name);
            }
        }
    }
    assert_eq!(names, BTreeSet::new(), "files that nobody runs");
    let listed: Vec<Difference> = file::read("differences");
    let unknown: Vec<_> = listed.iter().flat_map(|difference| &difference.steps).filter(|step| !steps.contains(*step)).collect();
    assert!(unknown.is_empty(), "differences of steps that are not there: {unknown:#?}");
    assert!(listed.iter().all(|difference| !difference.steps.is_empty()), "a difference without steps");
    assert!(steps.len() >= 250, "{} steps", steps.len());
}
