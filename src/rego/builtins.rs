//! Functions of OPA's that the interpreter lacks or answers differently: our own, as OPA 1.22 defines them (`v1/topdown`).
//!
//! Each topic has its file and a table of [`Builtin`]s; [`install`] makes all of them extensions of an engine. As in OPA an
//! error makes the call undefined, or ends the evaluation when it is [`strictly`] done.

use std::sync::LazyLock;

use regorus::{Engine, Value};

mod arrays;
mod base64s;
mod cidr;
mod deprecated;
mod documents;
mod encoding;
mod error;
mod extremes;
mod format;
mod globs;
mod graph;
mod hashes;
mod json;
mod jwt;
mod keys;
mod notes;
mod operand;
mod pem;
mod random;
mod recent;
mod regexes;
mod semvers;
mod steps;
mod strict;
mod strings;
mod times;
mod units;
mod uri;
mod urlqueries;
mod uuids;
mod x509;
mod yaml;

#[cfg(test)]
mod tests;

use error::BuiltinError;

pub use notes::Notes;
pub(super) use notes::heard;
pub(super) use steps::{OUT_OF_TIME, equal, sized, timed};
pub(super) use strict::{is_strict, strictly};
pub(super) use x509::marshalled;

/// A function: its name, how many operands it takes, and what it does.
#[derive(Clone, Copy, Debug)]
struct Builtin {
    name: &'static str,
    operands: u8,
    call: fn(&[Value]) -> Result<Value, BuiltinError>,
}

const TOPICS: [&[Builtin]; 24] = [
    arrays::BUILTINS,
    base64s::BUILTINS,
    cidr::BUILTINS,
    deprecated::BUILTINS,
    documents::BUILTINS,
    extremes::BUILTINS,
    format::BUILTINS,
    globs::BUILTINS,
    graph::BUILTINS,
    hashes::BUILTINS,
    json::BUILTINS,
    jwt::BUILTINS,
    notes::BUILTINS,
    regexes::BUILTINS,
    random::BUILTINS,
    semvers::BUILTINS,
    strings::BUILTINS,
    times::BUILTINS,
    units::BUILTINS,
    uri::BUILTINS,
    urlqueries::BUILTINS,
    uuids::BUILTINS,
    x509::BUILTINS,
    yaml::BUILTINS,
];

/// By name.
static ALL: LazyLock<std::collections::BTreeMap<&'static str, Builtin>> =
    LazyLock::new(|| TOPICS.into_iter().flatten().map(|builtin| (builtin.name, *builtin)).collect());

/// Adds the functions to an engine; call it once on every new engine, before modules are added.
pub(super) fn install(engine: &mut Engine) {
    for builtin in ALL.values().copied() {
        let call = move |values: Vec<Value>| builtin.answer(&values);
        // Refused only for a second extension of the name, and a map has each once.
        if let Err(error) = engine.add_extension(builtin.name.to_owned(), builtin.operands, Box::new(call)) {
            tracing::error!(%error, name = builtin.name, "builtin is not installed");
        }
    }
}

/// How many operands a function of ours takes.
pub(super) fn operands(name: &str) -> Option<usize> {
    ALL.get(name).map(|builtin| usize::from(builtin.operands))
}

/// What a function of ours answers, whatever it is called as.
pub(super) fn call(name: &str, values: &[Value]) -> anyhow::Result<Value> {
    ALL.get(name).ok_or_else(|| anyhow::anyhow!("there is no {name}"))?.answer(values)
}

/// What puts operands into its result, each maybe several times.
const SHARING: [&str; 2] = ["array.flatten", "json.patch"];

impl Builtin {
    fn measured(&self, value: Value) -> Result<Value, BuiltinError> {
        if SHARING.contains(&self.name) {
            steps::sized([&value])?;
        }
        Ok(value)
    }

    fn answer(&self, values: &[Value]) -> anyhow::Result<Value> {
        match (self.call)(values).and_then(|value| self.measured(value)) {
            Ok(value) => Ok(value),
            Err(BuiltinError::Limit(limit)) => Err(anyhow::anyhow!("limit: {} {limit}", self.name)),
            Err(error) if strict::is_strict() => Err(anyhow::anyhow!("{}: {}: {error}", error.code(), self.name)),
            Err(_) => Ok(Value::Undefined),
        }
    }
}
