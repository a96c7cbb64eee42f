//! Computes terms: calls of builtins, one inside another.

use plimsoll_rego::builtins::context::Kept;
use plimsoll_rego::builtins::{Context, Fault, find};
use plimsoll_rego::limits::{Account, Limits};
use plimsoll_rego::value::Value;

use super::term::Term;

/// January 2027: the certificates are valid.
const NOW: i64 = 1_800_000_000_000_000_000;

/// The value of a term, nothing where it is undefined, or OPA's code and message.
pub(super) fn answer(term: &Term) -> Result<Option<Value>, String> {
    within(Limits::default(), term)
}

/// The same, within limits.
pub(super) fn within(limits: Limits, term: &Term) -> Result<Option<Value>, String> {
    let mut context =
        Context { account: Account::new(limits), now_ns: NOW, runtime: Value::object([]), seed: None, kept: Kept::default() };
    compute(&mut context, term)
}

fn compute(context: &mut Context, term: &Term) -> Result<Option<Value>, String> {
    Ok(Some(match term {
        Term::Word(word) => self::word(word),
        Term::Text(text) => Value::from(text.as_str()),
        Term::Array(items) => return Ok(all(context, items)?.map(Value::array)),
        Term::Set(members) => return Ok(all(context, members)?.map(Value::set)),
        Term::Object(members) => return object(context, members),
        Term::Call(name, operands) => {
            let Some(operands) = all(context, operands)? else { return Ok(None) };
            return call(context, name, &operands);
        }
    }))
}

fn word(word: &str) -> Value {
    match word {
        "null" => Value::Null,
        "true" => Value::True,
        "false" => Value::False,
        number => Value::number(number).unwrap_or_else(|| panic!("no number: {number}")),
    }
}

fn all(context: &mut Context, terms: &[Term]) -> Result<Option<Vec<Value>>, String> {
    terms.iter().map(|term| compute(context, term)).collect()
}

fn object(context: &mut Context, members: &[(Term, Term)]) -> Result<Option<Value>, String> {
    let mut computed = Vec::new();
    for (key, value) in members {
        let (Some(key), Some(value)) = (compute(context, key)?, compute(context, value)?) else { return Ok(None) };
        computed.push((key, value));
    }
    Ok(Some(Value::object(computed)))
}

fn call(context: &mut Context, name: &str, operands: &[Value]) -> Result<Option<Value>, String> {
    match (name, operands) {
        ("count", [Value::Array(items)]) => return Ok(Some(Value::from(items.items().len()))),
        ("object.keys", [Value::Object(object)]) => return Ok(Some(Value::set(object.keys().iter().cloned()))),
        ("subjects", [verified]) => return Ok(Some(subjects(verified))),
        _ => {}
    }
    let builtin = find(name).unwrap_or_else(|| panic!("no builtin: {name}"));
    let function = builtin.function.ok_or_else(|| format!("{name} has no function"))?;
    let operands: Vec<_> = operands.iter().collect();
    function(context, &operands).map_err(|error| match error.fault() {
        Fault::Operand(_) => format!("eval_type_error: {name}: {error}"),
        Fault::Failed(_) => format!("eval_builtin_error: {name}: {error}"),
        Fault::Halt(_) => format!("{name}: {error}"),
    })
}

/// Whether a chain was verified, and the common names in it.
fn subjects(verified: &Value) -> Value {
    let [verified, chain] = verified.as_array().unwrap() else { panic!("two parts expected: {verified}") };
    let member = |of: &Value, name: &str| of.as_object().unwrap().member(name).unwrap().clone();
    let names = chain.as_array().unwrap().iter().map(|c| member(&member(c, "Subject"), "CommonName"));
    Value::array([verified.clone(), Value::array(names)])
}
