//! What is checked in below `deploy/` is what the table of kinds says.

use std::path::{Path, PathBuf};

use plimsoll::cli::manifests;

fn deploy(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("deploy").join(path)
}

#[test]
fn generated_manifests_are_up_to_date() {
    let args = manifests::Args {
        config: Some(deploy("host/sync.yaml")),
        schema: false,
        namespace: "kube-federation-scheduling-policy".into(),
        review_url: "https://plimsoll.kube-federation-scheduling-policy.svc".into(),
        review_ca_file: None,
        controllers: Vec::new(),
        annotation_keys: Vec::new(),
        other_keys: Vec::new(),
        without_admission_policies: false,
        without_flow_schemas: false,
    };
    let mut generated = Vec::new();
    manifests::run(&args, &mut generated).unwrap();
    let checked_in = std::fs::read_to_string(deploy("federation/generated.yaml")).unwrap();
    assert_eq!(checked_in, String::from_utf8(generated).unwrap(), "run `just manifests` and commit what it wrote");
}

#[test]
fn both_sides_name_the_same_namespace() {
    let read = |path: &str| std::fs::read_to_string(deploy(path)).unwrap();
    assert_eq!(read("host/namespace.yaml"), read("federation/namespace.yaml"));
}

/// Names of files in the source mean nothing to who runs the program, and change without notice.
#[test]
fn no_page_names_a_source_file() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let docs = std::fs::read_dir(root.join("docs")).unwrap().map(|entry| entry.unwrap().path());
    let pages = docs.chain([root.join("README.md"), deploy("README.md")]);
    let named: Vec<String> = pages
        .filter(|page| page.extension().is_some_and(|extension| extension == "md"))
        .flat_map(|page| {
            let text = std::fs::read_to_string(&page).unwrap();
            let lines = text.lines().map(str::to_owned).enumerate().collect::<Vec<_>>();
            let found =
                lines.into_iter().filter(|(_, line)| line.contains(".rs`") || line.contains(".rs)") || line.contains(".rs "));
            found.map(move |(row, line)| format!("{}:{}: {line}", page.display(), row + 1)).collect::<Vec<_>>()
        })
        .collect();
    assert!(named.is_empty(), "{}", named.join("\n"));
}
