//! Rule indices over trees that OPA 1.22 compiled: the candidates are those that OPA looked up.

// Clippy allows `unwrap` below `cfg(test)` only.
#[cfg(test)]
mod rule_index {
    mod tree;

    use plimsoll_rego::compile::rule_index::build;
    use plimsoll_rego::eval::Known;
    use plimsoll_rego::value::Value;
    use serde_json::Value as Json;

    /// Base documents of all lookups.
    const DATA: &str = r#"{"base": {"x": "a", "y": [1, "b"], "coll": ["a", "b"], "obj": {"a": 1, "b": true, "ab": 2}}}"#;

    #[test]
    fn candidates_are_those_of_opa() {
        let file = std::env::var("RULE_INDEX").unwrap();
        let data = tree::value(&serde_json::from_str(DATA).unwrap());
        let (mut wrong, mut lookups, mut dropped) = (Vec::new(), 0, 0);
        for line in std::fs::read_to_string(file).unwrap().lines() {
            let case: Json = serde_json::from_str(line).unwrap();
            let rules = tree::rules(&case["module"]);
            let rules = rules.iter().filter(|rule| rule.head.name == "p" && !rule.default);
            let index = build(rules.map(|rule| (0, rule)), &|path| match path {
                [] => true,
                [package, rest @ ..] => {
                    *package == Value::from("t")
                        && rest.first().is_none_or(|name| *name == "p".into() || *name == "virtual".into())
                }
            });
            for lookup in case["lookups"].as_array().unwrap() {
                let input = tree::value(&lookup["input"]);
                let operands: Vec<Value> = lookup["args"].as_array().into_iter().flatten().map(tree::value).collect();
                let known = Known { input: Some(&input), data: Some(&data), operands: &operands };
                let found = index.lookup(&known, &mut 0);
                let places: Vec<_> = found.iter().map(|entry| [index.entries[entry].rule, index.entries[entry].branch]).collect();
                let wanted: Vec<[usize; 2]> = serde_json::from_value(lookup["want"].clone()).unwrap();
                let exit = lookup["exit"].as_bool().unwrap_or(false);
                lookups += 1;
                dropped += usize::from(places.len() < index.entries.len());
                if (&places, found.early_exit) != (&wanted, exit) {
                    wrong.push(format!("{}\n{lookup}\n{places:?} {}", case["text"].as_str().unwrap(), found.early_exit));
                }
            }
        }
        assert!(wrong.is_empty(), "{} of {lookups} lookups differ, such as\n{}", wrong.len(), wrong[0]);
        assert!(dropped * 4 > lookups, "{dropped} of {lookups}");
    }
}
