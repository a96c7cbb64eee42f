//! Plain OPA reads: any document below `data`, base and virtual merged.

use serde_json::{Map, Value as Json};

use super::Snapshot;
use crate::rego::{Definition, EvalError, Limits, Value};
use crate::state::Found;

impl Snapshot {
    /// The document at `data.<path>`, base and virtual merged, evaluated on this snapshot; `None` when undefined. All of `data`
    /// comes without `system`, as in OPA.
    pub fn document(&self, path: &[String], input: Option<&Value>, limits: &Limits) -> Result<Option<Json>, EvalError> {
        let mut document = self.merged(path, input, limits)?;
        if let (true, Some(Json::Object(all))) = (path.is_empty(), &mut document) {
            self.policies.program.packages().for_each(|package| show(package, all));
            all.remove("system");
        }
        Ok(document)
    }

    fn merged(&self, path: &[String], input: Option<&Value>, limits: &Limits) -> Result<Option<Json>, EvalError> {
        let defined = self.policies.program.defines(path);
        let base = match defined {
            // Rules and data never share a path.
            Definition::Rule => None,
            Definition::Nothing | Definition::Package => self.base(path)?,
        };
        if defined == Definition::Nothing && base.is_some() {
            return Ok(base);
        }
        let derived = self.prepared()?.document(path, input, limits)?;
        Ok(match (base, derived) {
            (Some(base), Some(derived)) => Some(merge(base, derived)),
            (base, derived) => derived.or(base),
        })
    }

    /// The replicated document at a path, whatever policies define there.
    pub fn base(&self, path: &[String]) -> Result<Option<Json>, EvalError> {
        let failed = |e: serde_json::Error| EvalError::Failed {
            document: format!("data.{}", path.join(".")),
            message: format!("reading the state: {e}"),
        };
        if path.is_empty() {
            let root = self.state.tree.root().iter();
            let members = root.map(|(name, node)| Ok((name.to_string(), node.decode().map_err(failed)?)));
            return Ok(Some(Json::Object(members.collect::<Result<_, EvalError>>()?)));
        }
        let Some((found, used)) = self.state.tree.find(path) else { return Ok(None) };
        match found {
            Found::Node(node) => node.decode().map(Some).map_err(failed),
            Found::Inside(leaf) => {
                let rest = path.get(used..).unwrap_or_default();
                Ok(crate::state::inside(leaf.decode().map_err(failed)?, rest))
            }
        }
    }
}

/// A package of which nothing is defined is an empty object.
fn show(package: &[String], all: &mut Map<String, Json>) {
    let Some((name, below)) = package.split_first() else { return };
    if let Json::Object(members) = all.entry(name.clone()).or_insert_with(|| Json::Object(Map::new())) {
        show(below, members);
    }
}

/// Objects are merged, what policies define wins: it may hold parts of the base, never anything else in its place.
fn merge(base: Json, derived: Json) -> Json {
    match (base, derived) {
        (Json::Object(mut base), Json::Object(derived)) => {
            for (name, value) in derived {
                let merged = match base.remove(&name) {
                    Some(old) => merge(old, value),
                    None => value,
                };
                base.insert(name, merged);
            }
            Json::Object(base)
        }
        (_, derived) => derived,
    }
}
