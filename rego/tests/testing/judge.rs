//! Compares what comes of sets with what OPA has said.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value as Json;

use super::set::Set;

/// Asks for each set of a file, of which there are at least so many; what is wanted is in another one. `TESTING` in the environment
/// names one of the sets.
pub(super) fn judge_by(file: &str, wanted: &str, at_least: usize, answer: impl Fn(&Set) -> Json) {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let read = |file: &Path| std::fs::read_to_string(file).unwrap();
    let sets = crates.join("rego/tests/testing").join(file).with_extension("yaml");
    let sets: Vec<Set> = yaml_serde::from_str(&read(&sets)).unwrap();
    let wanted: BTreeMap<String, Json> = serde_json::from_str(&read(&crates.join(wanted).with_extension("json"))).unwrap();
    let unsaid: Vec<_> = sets.iter().map(|set| &set.name).filter(|name| !wanted.contains_key(*name)).collect();
    assert!(unsaid.is_empty(), "nothing is recorded of {unsaid:?}");
    assert!(sets.len() >= at_least && sets.len() == wanted.len(), "{} sets, {} recorded", sets.len(), wanted.len());
    let only = std::env::var("TESTING").unwrap_or_default();
    let differs = |set: &Set| {
        let (found, wanted) = (answer(set), wanted.get(&set.name).unwrap());
        (found != *wanted).then(|| format!("{}:\n{}", set.name, difference("", wanted, &found)))
    };
    let wrong: Vec<_> = sets.iter().filter(|set| set.name.contains(&only)).filter_map(differs).collect();
    assert!(wrong.is_empty(), "{} sets:\n{}", wrong.len(), wrong.join("\n"));
}

/// What OPA has that we have not, and the other way round.
fn difference(path: &str, wanted: &Json, found: &Json) -> String {
    match (wanted, found) {
        (wanted, found) if wanted == found => String::new(),
        (Json::Object(a), Json::Object(b)) => {
            let keys: std::collections::BTreeSet<_> = a.keys().chain(b.keys()).collect();
            let part = |key: &&String| difference(&format!("{path}/{key}"), &wanted[key.as_str()], &found[key.as_str()]);
            keys.iter().map(part).collect()
        }
        (Json::Array(a), Json::Array(b)) => {
            let missing = a.iter().filter(|item| !b.contains(item)).map(|item| format!("  {path} OPA: {item}\n"));
            let more = b.iter().filter(|item| !a.contains(item)).map(|item| format!("  {path} we:  {item}\n"));
            missing.chain(more).collect()
        }
        _ => format!("  {path} OPA: {wanted} we: {found}\n"),
    }
}
