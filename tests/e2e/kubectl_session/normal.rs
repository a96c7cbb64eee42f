//! Takes out of a text what differs between any two runs: times, ages, identities, versions, addresses, places.

use std::path::Path;

use regex::Regex;

/// What is looked for, and what stands there instead.
const PATTERNS: &[(&str, &str)] = &[
    (r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", "UID"),
    (r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?(Z| [+-]\d{4}|[+-]\d\d:\d\d)", "TIME"),
    (r"[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d [+-]\d{4}", "TIME"),
    (r#"(?i)(resource ?version\\?"?:\s*\\?"?|current: )\d+"#, "${1}VERSION"),
    (r"[EWI]\d{4} \d\d:\d\d:\d\d\.\d+ +\d+ ", "LOG "),
    (r"/tmp/(LIVE|MERGED)-\d+", "/tmp/$1"),
    (r"eyJ[\w-]+\.[\w-]+\.[\w-]+", "TOKEN"),
    (r"\b10\.\d+\.\d+\.\d+\b", "ADDRESS"),
    (r"(^|[\s(])(?:<invalid>|(?:\d+[smhd])+\b)", "${1}AGE"),
    // Columns are as wide as what stands in them.
    (r"(AGE|DURATION|LAST SEEN|CLUSTER-IP|ADDRESS)[ \t]{2,}", "$1  "),
    (r"(?m)[ \t]+$", ""),
];

/// The patterns, and this session's own places.
#[derive(Debug)]
pub(super) struct Normal {
    places: Vec<(String, &'static str)>,
    patterns: Vec<(Regex, &'static str)>,
}

impl Normal {
    pub(super) fn new(url: &str, directory: &Path) -> Self {
        let host = url.trim_start_matches("https://").to_owned();
        let places = vec![(host, "SERVER"), (directory.display().to_string(), "DIRECTORY")];
        let patterns = PATTERNS.iter().map(|(pattern, to)| (Regex::new(pattern).unwrap(), *to)).collect();
        Self { places, patterns }
    }

    pub(super) fn text(&self, text: &str) -> String {
        let text = self.places.iter().fold(text.to_owned(), |text, (place, name)| text.replace(place, name));
        let text = self.patterns.iter().fold(text, |text, (pattern, to)| pattern.replace_all(&text, *to).into_owned());
        in_order(&changes_alone(&text))
    }
}

/// Of a unified diff, what it takes away and adds: a time is of the second, so whether it is a change beside others, and with it what
/// stands around, differs between any two runs.
fn changes_alone(text: &str) -> String {
    if !text.lines().any(|line| line.starts_with("@@ ")) {
        return text.to_owned();
    }
    let is_time = |line: &str| line.get(1..).is_some_and(|line| line.trim() == "time: \"TIME\"");
    let told = |line: &&str| !line.starts_with([' ', '@']) && !is_time(line);
    text.split_inclusive('\n').filter(told).collect()
}

/// Sorts the owners of fields in YAML: an API server orders them by the second in which they wrote.
fn in_order(text: &str) -> String {
    let mut lines = text.split_inclusive('\n').peekable();
    let mut sorted = String::with_capacity(text.len());
    while let Some(line) = lines.next() {
        sorted.push_str(line);
        let Some(indent) = line.trim_end().strip_suffix("managedFields:") else { continue };
        let (item, more) = (format!("{indent}- "), format!("{indent}  "));
        let mut owners: Vec<String> = Vec::new();
        while let Some(line) = lines.next_if(|line| line.starts_with(&item) || line.starts_with(&more)) {
            match owners.last_mut() {
                Some(owner) if line.starts_with(&more) => owner.push_str(line),
                _ => owners.push(line.to_owned()),
            }
        }
        owners.sort();
        sorted.extend(owners);
    }
    sorted
}

#[test]
fn owners_of_fields_are_in_one_order() {
    let text = |first: &str, second: &str| {
        format!("metadata:\n  managedFields:\n  - manager: {first}\n    x: 1\n  - manager: {second}\n    x: 1\n  name: n\n")
    };
    assert_eq!(in_order(&text("b", "a")), text("a", "b"));
    assert_eq!(in_order("- b: 1\n- a: 1\n"), "- b: 1\n- a: 1\n");
}

#[test]
fn a_second_that_passes_makes_no_difference_between_diffs() {
    let diff = |times: &str| {
        format!("--- LIVE\n+++ MERGED\n@@ -1,3 +1,3 @@\n   manager: kubectl\n{times}   name: app\n-replicas: 2\n+replicas: 5\n")
    };
    let passed = diff("-    time: \"TIME\"\n+    time: \"TIME\"\n");
    assert_eq!(changes_alone(&passed), "--- LIVE\n+++ MERGED\n-replicas: 2\n+replicas: 5\n");
    assert_eq!(changes_alone(&passed), changes_alone(&diff("     time: \"TIME\"\n")));
    assert_eq!(changes_alone(" a\n- b\n"), " a\n- b\n", "no diff");
}

#[test]
fn what_differs_between_any_two_runs_is_taken_out() {
    let normal = Normal::new("https://127.0.0.1:4711", Path::new("/tmp/session"));
    let table = [
        ("NAME   AGE     LABELS\na      <invalid>   x\n", "NAME   AGE  LABELS\na      AGE  x\n"),
        ("web    1/1     12m5s   nginx", "web    1/1     AGE  nginx"),
        (r#"  "resourceVersion": "812","#, r#"  "resourceVersion": "VERSION","#),
        ("resourceVersion: \"9\"\n", "resourceVersion: \"VERSION\"\n"),
        ("uid: 0b1c2d3e-0000-4000-8000-00000000000a", "uid: UID"),
        ("at 2026-11-21T10:00:00Z and Sat, 21 Nov 2026 10:00:00 +0000", "at TIME and TIME"),
        ("https://127.0.0.1:4711/api in /tmp/session/work  ", "https://SERVER/api in DIRECTORY/work"),
        ("image: web:2m", "image: web:2m"),
    ];
    for (text, expected) in table {
        assert_eq!(normal.text(text), expected);
    }
}
