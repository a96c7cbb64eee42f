//! A set of texts with data.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::Value as Json;

use plimsoll_rego::program::{Bound, Program, Text};
use plimsoll_rego::syntax::tree::Version;
use plimsoll_rego::testing;
use plimsoll_rego::value::{Value, json};

/// A set of texts, and what is asked of it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Set {
    pub(super) name: String,
    modules: BTreeMap<String, String>,
    #[serde(default)]
    data: Option<Json>,
    /// Old Rego.
    #[serde(default)]
    v0: bool,
    /// A path to ask for, instead of running the tests.
    pub(super) query: Option<String>,
    input: Option<Json>,
}

impl Set {
    pub(super) fn bound(&self) -> Bound {
        let version = Some(if self.v0 { Version::V0 } else { Version::V1 });
        let text = |(name, text): (&String, &String)| Text { name: name.clone(), text: text.clone(), version };
        let texts: Vec<_> = self.modules.iter().map(text).collect();
        let program = Program::compile(&texts, &testing::compile_options(Default::default())).unwrap();
        let data = self.data.as_ref().map_or_else(|| Value::object([]), value);
        Arc::new(program).bind(data)
    }

    pub(super) fn input(&self) -> Option<Value> {
        self.input.as_ref().map(value)
    }
}

fn value(tree: &Json) -> Value {
    json::read(tree.to_string().as_bytes(), 128).unwrap()
}
