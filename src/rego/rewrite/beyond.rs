//! Keys of heads with variables that must be others than constants in heads beside them: see `src/rego/plain/specifics.rs`.

use anyhow::anyhow;
use regorus::{Engine, Value};

use super::operators;

/// Makes the function that such keys are written with one of an engine: it gives its first operand, unless the second has it.
pub(super) fn install(engine: &mut Engine) {
    operators::add(engine, "plimsoll__.beyond", 2, Box::new(|values: Vec<Value>| beyond(&values)));
}

fn beyond(values: &[Value]) -> anyhow::Result<Value> {
    let [key, constants] = values else { return Err(anyhow!("a key and constants")) };
    if constants.as_set()?.contains(key) {
        return Err(anyhow!(
            "a head with variables comes to {key}, for which another rule has a head of its own that rules of the same object read: give one of them a name of its own"
        ));
    }
    Ok(key.clone())
}
