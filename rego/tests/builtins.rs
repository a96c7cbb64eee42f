//! Builtins against what OPA 1.22 answered, recorded in the text files of the folder `builtins`: one line for each call, apart by tabs: name,
//! operands as JSON (a set is `{"set": […]}`), and `= JSON`, `! kind message` (`! failed`
//! alone: with words of its own), or `undefined`.

// Clippy allows `unwrap` below `cfg(test)` only.
#[cfg(test)]
mod builtins {
    mod limits;
    mod read;

    use plimsoll_rego::builtins::context::Kept;
    use plimsoll_rego::builtins::{Context, Fault, find};
    use plimsoll_rego::limits::{Account, Limits};
    use plimsoll_rego::value::Value;

    fn context() -> Context {
        let (account, kept) = (Account::new(Limits::default()), Kept::default());
        Context { account, now_ns: 0, runtime: Value::Null, seed: Some(1), kept }
    }

    /// What a call says, as the files have it.
    fn answer(name: &str, operands: &[Value]) -> String {
        let Some(function) = find(name).and_then(|builtin| builtin.function) else { return "no function".into() };
        match function(&mut context(), &operands.iter().collect::<Vec<_>>()) {
            Ok(Some(value)) => format!("= {}", shown(&value)),
            Ok(None) => "undefined".into(),
            Err(error) => match error.into_fault() {
                Fault::Operand(message) => format!("! operand {message}"),
                Fault::Failed(message) => format!("! failed {message}"),
                Fault::Halt(halt) => format!("halted: {halt}"),
            },
        }
    }

    /// A value as JSON shows it: bytes that are no UTF-8, kept as private characters, are all alike.
    fn shown(value: &Value) -> Value {
        match value {
            Value::String(text) => {
                let byte = |c| if matches!(c, '\u{10ff80}'..='\u{10ffff}') { char::REPLACEMENT_CHARACTER } else { c };
                Value::from(text.chars().map(byte).collect::<String>())
            }
            Value::Array(array) => Value::array(array.items().iter().map(shown)),
            Value::Object(object) => Value::object(object.iter().map(|(key, value)| (shown(key), shown(value)))),
            other => other.clone(),
        }
    }

    /// The recorded answer, in the same form.
    fn recorded(text: &str) -> String {
        if let Some(json) = text.strip_prefix("= ") {
            return format!("= {}", read::read(json));
        }
        // Words of the YAML library, which are not ours.
        if text == "! failed" {
            return text.into();
        }
        let Some((kind, message)) = text.strip_prefix("! ").and_then(|error| error.split_once(' ')) else { return text.into() };
        format!("! {kind} {}", read::read(message).as_str().unwrap())
    }

    /// Calls each line of a file; fails with the lines whose answers differ.
    fn check(file: &str, lines: &str) {
        let mut wrong = Vec::new();
        for line in lines.lines() {
            let mut columns = line.split('\t');
            let [name, operands, expected] = [(); 3].map(|()| columns.next().unwrap());
            let operands = read::read(operands).as_array().unwrap().to_vec();
            let (got, expected) = (answer(name, &operands), recorded(expected));
            let differs = if expected == "! failed" { !got.starts_with(&expected) } else { got != expected };
            if differs {
                wrong.push(format!(
                    "{name}{operands:?}\n  expected {expected}\n  got      {got}",
                    operands = Value::array(operands).to_string()
                ));
            }
        }
        let total = lines.lines().count();
        assert!(total > 0 && wrong.is_empty(), "{file}: {} of {total} differ\n{}", wrong.len(), wrong.join("\n"));
    }

    macro_rules! recorded {
        ($($topic:ident),*) => {
            $(#[test]
            fn $topic() {
                check(stringify!($topic), include_str!(concat!("builtins/", stringify!($topic), ".txt")));
            })*
        };
    }

    recorded!(encoding, glob, graphql, json, json_schema, regex, rego, semver, sprintf, strings, template, units, uri, yaml);
}
