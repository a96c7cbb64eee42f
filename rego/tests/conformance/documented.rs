//! Whether `docs/rego.md` says how many cases pass.

use std::path::Path;

use super::judge::Verdict;

/// What stands behind the figures.
const CLAIM: &str = " of OPA 1.22's own conformance cases pass";

/// Says what the document should say, if it says something else; of all cases.
pub(super) fn compare(verdicts: &[Verdict]) -> Option<String> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/rego.md");
    let text = std::fs::read_to_string(file).unwrap();
    let pass = verdicts.iter().filter(|verdict| matches!(verdict, Verdict::Pass)).count();
    wrong(&text, pass, verdicts.len())
}

fn wrong(text: &str, pass: usize, all: usize) -> Option<String> {
    let counted = format!("{} of {}", grouped(pass), grouped(all));
    let Some((before, _)) = text.split_once(CLAIM) else {
        return Some(format!("docs/rego.md: `{counted}{CLAIM}` is missing"));
    };
    let figure = |c: char| c.is_ascii_digit() || c == ',';
    let said = before.rsplit_once(|c: char| !figure(c) && !" of".contains(c)).map_or(before, |(_, said)| said).trim();
    (said != counted).then(|| format!("docs/rego.md says `{said}{CLAIM}`: write `{counted}`"))
}

/// `4082` as `4,082`.
fn grouped(number: usize) -> String {
    match number {
        ..1000 => number.to_string(),
        _ => format!("{},{:03}", grouped(number / 1000), number % 1000),
    }
}

#[test]
fn figures_that_are_not_those_counted_are_found() {
    let text = "**4,082 of 4,419 of OPA 1.22's own conformance cases pass**.";
    assert_eq!(wrong(text, 4082, 4419), None);
    let changed = wrong(text, 1_004_083, 4419).unwrap();
    assert!(changed.contains("says `4,082 of 4,419 of") && changed.contains("write `1,004,083 of 4,419`"), "{changed}");
    assert!(wrong("nothing", 1, 2).unwrap().contains("`1 of 2 of OPA"));
}
