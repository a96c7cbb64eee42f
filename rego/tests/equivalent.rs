//! `just mutants` refuses to begin where a mutant that cannot change an answer (`tools/mutants/equivalent.yaml`) is of a line that is no
//! longer there. It runs by hand; this says so earlier.

// Clippy allows `unwrap` below `cfg(test)` only.
#[cfg(test)]
mod equivalent {
    use std::path::Path;

    use serde::Deserialize;

    #[derive(Deserialize)]
    struct Entry {
        file: String,
        function: String,
        old: String,
    }

    #[test]
    fn mutants_that_change_no_answer_are_of_lines_that_are_there() {
        let crate_root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let list = std::fs::read_to_string(crate_root.join("tests/tools/mutants/equivalent.yaml")).unwrap();
        let entries: Vec<Entry> = yaml_serde::from_str(&list).unwrap();
        assert!(entries.len() > 50, "{} entries", entries.len());
        let gone = entries.iter().filter(|entry| {
            let source = std::fs::read_to_string(crate_root.join("src").join(&entry.file)).unwrap_or_default();
            let has_function = source.contains(&format!("fn {}", entry.function));
            !has_function || !unspaced(&source).contains(&unspaced(&entry.old))
        });
        let gone: Vec<_> = gone.map(|entry| format!("{} {}: {}", entry.file, entry.function, entry.old)).collect();
        assert!(gone.is_empty(), "in equivalent.yaml, but no longer in the source:\n{}", gone.join("\n"));
    }

    /// How lines are broken does not matter, as to the mutants themselves.
    fn unspaced(text: &str) -> String {
        text.split_whitespace().collect()
    }
}
