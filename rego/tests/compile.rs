//! What the stages of the compiler make of sets, as OPA 1.22 does: `compile/cases/*.yaml`, recorded by `tools/compile`; `random.yaml` and
//! `random_deep.yaml` have modules made at random.

// Clippy allows `unwrap` below `cfg(test)` only.
#[cfg(test)]
mod compile {
    mod constructs;
    mod shared;
    mod show;
    mod size;
    mod unions;

    use std::path::Path;
    use std::sync::Arc;

    use arcstr::ArcStr;
    use plimsoll_rego::compile::{self, Options};
    use plimsoll_rego::syntax::parse;
    use plimsoll_rego::syntax::source::{Source, Sources};
    use plimsoll_rego::syntax::tree::Version;
    use serde::Deserialize;

    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Case {
        note: String,
        #[serde(default)]
        v0: bool,
        #[serde(default)]
        strict: bool,
        #[serde(default)]
        prints: bool,
        #[serde(default)]
        tests: bool,
        /// Where data is, as `a/b`.
        #[serde(default)]
        data: Vec<String>,
        modules: Vec<String>,
        query: Option<String>,
        /// What OPA made of it.
        #[serde(default)]
        rules: Vec<String>,
        compiled: Option<String>,
        #[serde(default)]
        errors: Vec<String>,
    }

    /// What was made of it.
    #[derive(Debug, Default, PartialEq)]
    struct Answer {
        rules: Vec<String>,
        compiled: Option<String>,
        errors: Vec<String>,
    }

    impl Case {
        fn parse_options(&self) -> parse::Options {
            parse::Options::of(if self.v0 { Version::V0 } else { Version::V1 })
        }

        fn options(&self) -> Options {
            let data = self.data.clone();
            let data_path = Arc::new(move |path: &[ArcStr]| data.contains(&path.join("/")));
            let (strict, prints, test_tracing) = (self.strict, self.prints, self.tests);
            Options { strict, prints, test_tracing, data_path: Some(data_path), ..Options::default() }
        }

        fn answer(&self) -> Answer {
            let mut sources = Sources::default();
            let mut modules = Vec::new();
            for (index, text) in self.modules.iter().enumerate() {
                let id = sources.add(Source::new(&format!("{index}.rego"), text));
                modules.push(parse::parse_module(sources.get(id).unwrap(), id, &self.parse_options()).unwrap());
            }
            let sources = Arc::new(sources);
            let set = match compile::compile(Arc::clone(&sources), modules, &self.options()) {
                Ok(set) => set,
                Err(errors) => return Answer { errors: show::errors(&sources, &errors), ..Answer::default() },
            };
            let rules = set.modules.iter().flat_map(|module| &module.rules).map(|rule| show::rule(&sources, rule));
            let answer = Answer { rules: rules.collect(), ..Answer::default() };
            self.query.as_ref().map_or_else(Answer::default, |query| self.query(&set, query)).with(answer)
        }

        fn query(&self, set: &compile::Compiled, query: &str) -> Answer {
            let mut sources = Sources::default();
            let id = sources.add(Source::new("", query));
            let body = parse::parse_body(sources.get(id).unwrap(), id, &self.parse_options()).unwrap();
            let context = compile::query::Context { strict: self.strict, ..Default::default() };
            match compile::query::compile(set, context, body) {
                Ok(query) => Answer { compiled: Some(show::body(&sources, &query.body)), ..Answer::default() },
                Err(errors) => Answer { errors: show::errors(&sources, &errors), ..Answer::default() },
            }
        }

        fn differs(&self) -> Option<String> {
            let ours = self.answer();
            let same = |ours: &String, opa: &String| match opa.strip_prefix("-: ") {
                Some(words) => ours.ends_with(words),
                None => ours == opa,
            };
            let errors = ours.errors.len() == self.errors.len() && ours.errors.iter().zip(&self.errors).all(|(a, b)| same(a, b));
            let equal = errors && ours.rules == self.rules && ours.compiled == self.compiled;
            let Self { rules, compiled, errors, .. } = self;
            (!equal).then(|| format!("{}\n  {ours:?}\n  {:?}", self.note, (rules, compiled, errors)))
        }
    }

    impl Answer {
        fn with(self, of_set: Self) -> Self {
            Self { rules: of_set.rules, ..self }
        }
    }

    #[test]
    fn stages_make_what_opa_makes() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/compile/cases");
        let mut wrong = Vec::new();
        for entry in std::fs::read_dir(folder).unwrap() {
            let file = entry.unwrap().path();
            let cases: Vec<Case> = yaml_serde::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
            assert!(!cases.is_empty());
            wrong.extend(cases.iter().filter_map(Case::differs));
        }
        assert!(wrong.is_empty(), "{} sets:\n{}", wrong.len(), wrong.join("\n"));
    }
}
