//! One policy set, asked of both; and the smallest part of it that is still answered differently.

use std::sync::Arc;

use plimsoll::rego::{EvalError, Limits, Module, Prepared, Program, RegoVersion, Value};
use plimsoll_contract::policy::Diagnostic;
use serde_json::{Map, Value as Json};

use super::opa::Opa;
use super::policies::{self, Policies};

/// What came of a set.
pub(super) enum Outcome {
    /// So many answers were equal.
    Equal(usize),
    /// OPA or we refuse the policy, or we end by name, and why.
    Refused(String),
    /// Two answers to one input.
    Different { input: Json, opa: String, ours: String },
}

/// What is asked for.
const PACKAGES: [&[&str]; 2] = [&["place"], &["lib", "fleet"]];

/// Sets beside objects among keys that are named (docs/regorus/order-of-sets-and-objects.md), and names of packages: errors by name.
const UNORDERED: [&str; 2] = ["go through them without naming keys", "go through it without naming them"];

/// Asks both.
pub(super) fn set(opa: &Opa, policies: &Policies, data: &Json, inputs: &[Json]) -> Outcome {
    let modules: Vec<_> =
        policies.modules.iter().map(|module| Module { key: format!("{}.rego", module.name), text: module.text() }).collect();
    let program = Program::compile(&modules, if policies.v0 { RegoVersion::V0 } else { RegoVersion::V1 });
    opa.load(data);
    if let Err(error) = load(opa, policies) {
        return Outcome::Refused(format!("OPA: {error}"));
    }
    let prepared = match program {
        Ok(program) => Arc::new(program).prepare(Value::from(data.clone())).unwrap(),
        Err(errors) => {
            let line = |error: &Diagnostic| {
                let module = modules.iter().find(|module| module.key == error.location.file)?;
                module.text.lines().nth(usize::try_from(error.location.row).ok()?.checked_sub(1)?)
            };
            let told = |error: &Diagnostic| format!("{error} ({})", line(error).unwrap_or_default().trim());
            return Outcome::Refused(errors.iter().map(told).collect::<Vec<_>>().join("; "));
        }
    };
    for (input, package) in inputs.iter().flat_map(|input| PACKAGES.map(|package| (input, package))) {
        let (theirs, ours) = (opa.ask(package, input), ask(&prepared, package, input));
        // OPA itself has failed, not the policy.
        if theirs.as_ref().is_err_and(|code| code == "eval_internal_error") {
            continue;
        }
        let theirs = theirs.map(|value| value.as_ref().map(plain));
        if let Err(error) = &ours
            && UNORDERED.iter().any(|told| error.contains(told))
        {
            return Outcome::Refused(error.clone());
        }
        if theirs != ours {
            let (opa, ours) = apart(&theirs, &ours);
            return Outcome::Different { input: input.clone(), opa, ours };
        }
    }
    Outcome::Equal(inputs.len() * PACKAGES.len())
}

type Answer = Result<Option<Json>, String>;

/// The members of two packages that are not equal.
fn apart(theirs: &Answer, ours: &Answer) -> (String, String) {
    let (Ok(Some(Json::Object(opa))), Ok(Some(Json::Object(own)))) = (theirs, ours) else {
        return (format!("{theirs:?}"), format!("{ours:?}"));
    };
    let only = |some: &Map<String, Json>, others: &Map<String, Json>| {
        let differ = |(name, value): &(&String, &Json)| others.get(*name).map(plain) != Some(plain(value));
        Json::Object(some.iter().filter(differ).map(|(name, value)| (name.clone(), value.clone())).collect()).to_string()
    };
    (only(opa, own), only(own, opa))
}

fn ask(prepared: &Prepared, package: &[&str], input: &Json) -> Answer {
    let path: Vec<_> = package.iter().map(|name| (*name).to_owned()).collect();
    let answer = prepared.document(&path, Some(&Value::from(input.clone())), &Limits::default());
    answer.map(|value| value.as_ref().map(plain)).map_err(|error| match error {
        EvalError::Conflict { .. } => "eval_conflict_error".to_owned(),
        other => other.to_string(),
    })
}

/// `2.0` and `2` are one number in Rego, written either way; OPA keeps more digits than a float has (docs/regorus/decimals.md).
fn plain(json: &Json) -> Json {
    match json {
        Json::Number(n) => match n.as_f64() {
            Some(float) if n.is_f64() && float.fract() == 0.0 => serde_json::from_str(&format!("{float:.0}")).unwrap(),
            Some(float) if n.is_f64() => serde_json::from_str(&format!("{float:.14e}")).unwrap(),
            _ => json.clone(),
        },
        Json::Array(items) => items.iter().map(plain).collect(),
        Json::Object(members) => members.iter().map(|(k, v)| (k.clone(), plain(v))).collect(),
        other => other.clone(),
    }
}

/// Modules call each other's functions, which are in their heads.
fn load(opa: &Opa, policies: &Policies) -> Result<(), String> {
    opa.forget();
    policies.modules.iter().try_for_each(|module| opa.accepts(module.name, &module.head))?;
    policies.modules.iter().try_for_each(|module| opa.accepts(module.name, &module.text()))
}

/// The rules that OPA's compiler lets through.
pub(super) fn valid(opa: &Opa, mut policies: Policies) -> Policies {
    opa.forget();
    for module in &policies.modules {
        opa.accepts(module.name, &module.head).unwrap();
    }
    for module in &mut policies.modules {
        let mut kept = policies::Module { rules: Vec::new(), ..module.clone() };
        take(opa, &mut kept, &module.rules);
        opa.accepts(kept.name, &kept.text()).unwrap();
        *module = kept;
    }
    policies
}

/// Takes over all rules, or what goes of either half.
fn take(opa: &Opa, kept: &mut policies::Module, rules: &[String]) {
    let before = kept.rules.len();
    kept.rules.extend_from_slice(rules);
    if opa.accepts(kept.name, &kept.text()).is_err() {
        kept.rules.truncate(before);
        if rules.len() > 1 {
            let (front, back) = rules.split_at(rules.len() / 2);
            take(opa, kept, front);
            take(opa, kept, back);
        }
    }
}

/// Leaves out rules as long as the difference stays; what is left, as text.
pub(super) fn minimal(opa: &Opa, mut policies: Policies, data: &Json, inputs: &[Json]) -> String {
    for module in 0..policies.modules.len() {
        let mut at = 0;
        while at < policies.modules[module].rules.len() {
            let mut fewer = policies.clone();
            fewer.modules[module].rules.remove(at);
            match set(opa, &fewer, data, inputs) {
                Outcome::Different { .. } => policies = fewer,
                _ => at += 1,
            }
        }
    }
    match set(opa, &policies, data, inputs) {
        Outcome::Different { input, opa, ours } => {
            keep(&policies, data, &input);
            let rules: Vec<_> = policies
                .modules
                .iter()
                .flat_map(|module| module.rules.iter().map(|rule| format!("{}: {rule}", module.name)))
                .collect();
            let version = if policies.v0 { "v0" } else { "v1" };
            format!("{version}\n{}\ndata: {data}\ninput: {input}\nOPA:  {opa}\nours: {ours}", rules.join("\n"))
        }
        _ => "the difference went away when asked again".to_owned(),
    }
}

/// Writes what was asked into the directory that `DIFFERENTIAL_KEEP` names, in which both can be asked again.
fn keep(policies: &Policies, data: &Json, input: &Json) {
    let Some(folder) = std::env::var_os("DIFFERENTIAL_KEEP").map(std::path::PathBuf::from) else { return };
    std::fs::create_dir_all(&folder).unwrap();
    for module in &policies.modules {
        std::fs::write(folder.join(format!("{}.rego", module.name)), module.text()).unwrap();
    }
    std::fs::write(folder.join("data.json"), data.to_string()).unwrap();
    std::fs::write(folder.join("input.json"), input.to_string()).unwrap();
}
