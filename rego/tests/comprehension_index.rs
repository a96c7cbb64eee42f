//! Comprehensions that are computed once and looked up: answers are those of OPA 1.22 (`comprehension_index/cases.jsonl`: modules made
//! at random, asked for `data.t.p`), with and without the lookup.
//!
//! By hand: `COMPREHENSION_INDEX=file` reads another file of that form.

// Clippy allows `unwrap` below `cfg(test)` only.
#[cfg(test)]
mod comprehension_index {
    use std::path::Path;
    use std::sync::Arc;

    use plimsoll_rego::program::{Program, Request, Text};
    use plimsoll_rego::value::{Value, json};
    use serde::Deserialize;

    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Case {
        text: String,
        /// OPA looks some comprehension up.
        indexed: bool,
        input: serde_json::Value,
        /// As JSON; or `error` and what it says.
        answer: String,
    }

    /// Two values of one key are an error where a comprehension is computed, and none where it is looked up.
    const CONFLICT: &str = "object keys must be unique";

    /// OPA ends so where a comprehension that it looks up calls a builtin with a variable that only stands outside. Here such a
    /// comprehension is computed where it stands.
    const UNBOUND: &str = "that requires evaluation";

    impl Case {
        fn answer(&self, without_indices: bool) -> String {
            let text = Text { name: "test.rego".to_owned(), text: self.text.clone(), version: None };
            let program = Program::compile(&[text], &Default::default());
            let program = program.unwrap_or_else(|refused| panic!("{}\n{:?}", self.text, refused.errors));
            let input = json::read(self.input.to_string().as_bytes(), 128).unwrap();
            let request = Request { input: Some(&input), without_indices, ..Request::default() };
            match Arc::new(program).bind(Value::object([])).document(&["t".into(), "p".into()], &request) {
                Ok(Some(value)) => json::write(&value, 1 << 20).unwrap(),
                Ok(None) => "undefined".to_owned(),
                Err(error) => format!("error {}", error.message),
            }
        }

        fn differs(&self, answer: &str) -> bool {
            if self.answer.contains(UNBOUND) {
                return answer.starts_with("error ");
            }
            match (self.answer.strip_prefix("error "), answer.strip_prefix("error ")) {
                (Some(wanted), Some(found)) => !wanted.contains(found),
                (None, None) => {
                    let read = |text: &str| json::read(text.as_bytes(), 128).ok();
                    read(&self.answer) != read(answer)
                }
                _ => true,
            }
        }
    }

    #[test]
    fn comprehensions_give_what_opa_gives() {
        let default = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/comprehension_index/cases.jsonl");
        let file = std::env::var_os("COMPREHENSION_INDEX").map_or(default, Into::into);
        let (mut wrong, mut cases, mut indexed) = (Vec::new(), 0, 0);
        for line in std::fs::read_to_string(file).unwrap().lines() {
            let case: Case = serde_json::from_str(line).unwrap();
            cases += 1;
            indexed += usize::from(case.indexed);
            for without in [false, true] {
                let answer = case.answer(without);
                if case.differs(&answer) && !(without && answer.contains(CONFLICT)) {
                    wrong.push(format!("{}{}\n{answer}, not {}", case.text, case.input, case.answer));
                }
            }
        }
        assert!(
            wrong.is_empty(),
            "{} of {cases} cases differ, such as\n{}",
            wrong.len(),
            wrong.iter().take(3).cloned().collect::<Vec<_>>().join("\n\n")
        );
        assert!(indexed * 2 > cases, "only {indexed} of {cases} look something up");
    }
}
