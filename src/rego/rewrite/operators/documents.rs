//! Functions that are called where templates and whole packages are written out. The built-in ones that they are like may
//! be named like something of a policy, or be replaced by its `with`.

use anyhow::bail;
use regorus::Value;

use crate::rego::builtins;
use crate::rego::rewrite::guards::{interpreters, measured};

/// Name, number of operands, function; its errors end the evaluation.
type Function = (&'static str, u8, fn(&[Value]) -> anyhow::Result<Value>);

pub(super) const DOCUMENTS: [Function; 3] = [
    ("plimsoll__.get", 3, get),
    ("plimsoll__.union", 2, |values| measured("object.union", interpreters("object.union", values)?)),
    ("plimsoll__.template_string", 1, |values| builtins::call("internal.template_string", values)),
];

/// The member of an object, or what shall be there without it.
fn get(values: &[Value]) -> anyhow::Result<Value> {
    let [Value::Object(members), name, default] = values else { bail!("a member is looked up in an object") };
    Ok(members.get(name).unwrap_or(default).clone())
}
