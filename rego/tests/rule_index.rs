//! Rule indices: the candidates of a lookup are those of OPA 1.22, which looked the same inputs up in the indices that its compiler
//! built of the same texts (`rule_index/cases.jsonl`: modules made at random, and some by hand; recorded by `tools/compile/index`).
//!
//! By hand: `RULE_INDEX=file` reads another file of that form.

// Clippy allows `unwrap` below `cfg(test)` only.
#[cfg(test)]
mod rule_index {
    use std::path::Path;

    use plimsoll_rego::compile::Options;
    use plimsoll_rego::eval::Known;
    use plimsoll_rego::ir::RuleIndex;
    use plimsoll_rego::program::{Program, Text};
    use plimsoll_rego::value::Value;
    use serde::Deserialize;
    use serde_json::Value as Json;

    /// Base documents of all lookups.
    const DATA: &str = r#"{"base": {"x": "a", "y": [1, "b"], "coll": ["a", "b"], "obj": {"a": 1, "b": true, "ab": 2}}}"#;

    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Case {
        text: String,
        #[serde(default)]
        prints: bool,
        lookups: Vec<Lookup>,
    }

    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Lookup {
        input: Json,
        #[serde(default)]
        args: Vec<Json>,
        /// Rules of `data.t.p` by number, and their `else` (the rule itself is 0).
        want: Vec<[usize; 2]>,
        /// Whether one that holds is enough.
        #[serde(default)]
        exit: bool,
    }

    impl Case {
        fn compiled(&self) -> Program {
            let text = Text { name: "test.rego".to_owned(), text: self.text.clone(), version: None };
            let options = Options { prints: self.prints, ..Options::default() };
            let compiled = Program::compile(&[text], &options);
            compiled.unwrap_or_else(|refused| panic!("{}\n{:?}", self.text, refused.errors))
        }
    }

    impl Lookup {
        fn found(&self, index: &RuleIndex, data: &Value) -> (Vec<[usize; 2]>, bool) {
            let input = value(&self.input);
            let operands: Vec<Value> = self.args.iter().map(value).collect();
            let known = Known::new(Some(&input), data, &operands);
            let found = index.lookup(&known, &mut 0);
            let place = |entry: usize| [index.entries[entry].rule, index.entries[entry].branch];
            (found.iter().map(place).collect(), found.early_exit)
        }
    }

    fn value(json: &Json) -> Value {
        plimsoll_rego::value::json::read(json.to_string().as_bytes(), 128).unwrap()
    }

    #[test]
    fn candidates_are_those_of_opa() {
        let default = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/rule_index/cases.jsonl");
        let file = std::env::var_os("RULE_INDEX").map_or(default, Into::into);
        let data = value(&serde_json::from_str(DATA).unwrap());
        let (mut wrong, mut lookups, mut passed_over) = (Vec::new(), 0, 0);
        for line in std::fs::read_to_string(file).unwrap().lines() {
            let case: Case = serde_json::from_str(line).unwrap();
            let program = case.compiled();
            let groups = &program.policy().groups;
            let index = &groups.iter().find(|group| &*group.name == "data.t.p").unwrap().index;
            for lookup in &case.lookups {
                let found = lookup.found(index, &data);
                lookups += 1;
                passed_over += usize::from(found.0.len() < index.entries.len());
                if found != (lookup.want.clone(), lookup.exit) {
                    wrong.push(format!("{}{}: {found:?}, not {:?} {}", case.text, lookup.input, lookup.want, lookup.exit));
                }
            }
        }
        assert!(wrong.is_empty(), "{} of {lookups} lookups differ, such as\n{}", wrong.len(), wrong[0]);
        assert!(passed_over * 4 > lookups, "only {passed_over} of {lookups} pass over a rule");
    }
}
