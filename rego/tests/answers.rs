//! Small policies and what OPA 1.22 answers to each: the head of a file has the input, and the document `data.s` or the error, perhaps with
//! its place, and perhaps `strict`, when builtins that fail end in errors.

// Clippy allows `unwrap` below `cfg(test)` only.
#[cfg(test)]
mod answers {
    use std::path::Path;
    use std::sync::Arc;

    use plimsoll_rego::program::{Program, Request, Text};
    use plimsoll_rego::value::{Value, json};

    #[test]
    fn small_policies_answer_as_in_opa() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/answers");
        let mut count = 0;
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let text = std::fs::read_to_string(&path).unwrap();
            let name = path.display().to_string();
            let input = head(&text, "# input: ").unwrap();
            let wanted = head(&text, "# data.s: ").or_else(|| head(&text, "# error: ")).unwrap();
            for without_indices in [false, true] {
                let (answer, place) = answer(&text, input, without_indices);
                assert_eq!(answer, wanted, "{name}, without indices: {without_indices}");
                assert_eq!(head(&text, "# place: ").unwrap_or(&place), place, "{name}");
            }
            count += 1;
        }
        assert!(count > 5, "{count}");
    }

    fn head<'t>(text: &'t str, name: &str) -> Option<&'t str> {
        text.lines().find_map(|line| line.strip_prefix(name))
    }

    /// The document or the error as JSON, and the place of the error.
    fn answer(text: &str, input: &str, without_indices: bool) -> (String, String) {
        let strict_builtin_errors = text.lines().any(|line| line == "# strict");
        let text = Text { name: "policy.rego".to_owned(), text: text.to_owned(), version: None };
        let program = Arc::new(Program::compile(&[text], &Default::default()).map_err(|refused| refused.errors).unwrap());
        let input = (input != "none").then(|| json::read(input.as_bytes(), 128).unwrap());
        let request = Request { input: input.as_ref(), without_indices, strict_builtin_errors, ..Request::default() };
        let (answer, span) = match program.bind(Value::object([])).document(&["s".into()], &request) {
            Ok(answer) => (answer.unwrap(), None),
            Err(error) => (Value::from(error.to_string()), error.span),
        };
        let place = span.map_or_else(String::new, |span| {
            let at = program.sources().get(span.source).unwrap().position(span.start);
            format!("{}:{}", at.row, at.col)
        });
        (json::write(&answer, usize::MAX).unwrap(), place)
    }
}
