//! What is found.

use super::set::{compiled, reads, shown};

#[test]
fn the_policies_of_this_repository() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../policies");
    let mut texts = Vec::new();
    for sub in ["lib", "placement"] {
        for entry in std::fs::read_dir(folder.join(sub)).unwrap() {
            let path = entry.unwrap().path();
            if !path.to_string_lossy().ends_with("_test.rego") {
                texts.push(std::fs::read_to_string(path).unwrap());
            }
        }
    }
    let texts: Vec<_> = texts.iter().map(String::as_str).collect();
    let program = compiled(&texts).unwrap();
    let reads = reads(&program, "data.kubernetes.placement");
    assert_eq!(shown(&reads).join("\n"), "");
}
