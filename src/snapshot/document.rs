//! Plain OPA reads: any document below `data`, base and virtual merged.

use serde_json::{Map, Value as Json};

use super::Snapshot;
use crate::rego::{Definition, Document, EvalError, Evaluated, Limits, Value};

impl Snapshot {
    /// The document at `data.<path>`, base and virtual merged, evaluated on this snapshot; `None` when undefined. All of `data`
    /// comes without `system`, as in OPA.
    pub fn document(&self, path: &[String], input: Option<&Value>, limits: &Limits) -> Result<Option<Document>, EvalError> {
        self.evaluate(path, input, limits, false).map(|found| found.document)
    }

    /// Returns the same document with labels, if they are wanted, and whether it met unusual numbers. Fails where the evaluation does.
    pub fn evaluate(
        &self,
        path: &[String],
        input: Option<&Value>,
        limits: &Limits,
        labels: bool,
    ) -> Result<Evaluated, EvalError> {
        let found = self.merged(path, input, limits, labels)?;
        let document = match found.document {
            Some(all) if path.is_empty() && all.is_object() => Some(self.packages().merged(all).without("system")),
            other => other,
        };
        Ok(Evaluated { document, ..found })
    }

    fn merged(&self, path: &[String], input: Option<&Value>, limits: &Limits, labels: bool) -> Result<Evaluated, EvalError> {
        let defined = self.policies.program.defines(path);
        let base = match defined {
            // Rules and data never share a path.
            Definition::Rule => None,
            Definition::Nothing | Definition::Package => self.base(path)?,
        };
        if defined == Definition::Nothing && base.is_some() && !self.policies.program.has_package_below(path) {
            return Ok(Evaluated { document: base, ..Evaluated::default() });
        }
        let found = self.prepared()?.evaluate(path, input, limits, labels)?;
        let document = match (base, found.document) {
            // What policies define may hold parts of the base, never anything else in its place.
            (Some(base), Some(derived)) => Some(base.merged(derived)),
            (base, derived) => derived.or(base),
        };
        Ok(Evaluated { document, ..found })
    }

    /// The replicated document at a path, whatever policies define there.
    pub fn base(&self, path: &[String]) -> Result<Option<Document>, EvalError> {
        let failed = |why: String| EvalError::Failed {
            document: format!("data.{}", path.join(".")),
            message: format!("reading the state: {why}"),
        };
        let Some(text) = self.state.tree.json(path) else { return Ok(None) };
        let value = Value::from_json(&text).map_err(|error| failed(error.to_string()))?;
        value.document(usize::MAX).map(Some).ok_or_else(|| failed("it is nested too deep".to_owned()))
    }

    /// Packages of which nothing is defined are empty objects.
    fn packages(&self) -> Document {
        let mut all = Map::new();
        self.policies.program.packages().for_each(|package| show(package, &mut all));
        Document::from(Json::Object(all))
    }
}

fn show(package: &[String], all: &mut Map<String, Json>) {
    let Some((name, below)) = package.split_first() else { return };
    if let Json::Object(members) = all.entry(name.clone()).or_insert_with(|| Json::Object(Map::new())) {
        show(below, members);
    }
}
