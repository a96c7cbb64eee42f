//! What builtins declare, as types of inference.

use std::sync::Arc;

use super::declared_names::NAMES;
use super::join::or_all;
use super::lattice::{Dynamic, Function, Type, any};
use crate::builtins::{self, Builtin};
use crate::value::Value;

/// The function that a builtin is.
pub(crate) fn function(builtin: &Builtin) -> Type {
    Type::Function(Arc::new(Function {
        operands: builtin.operands.iter().map(|operand| Some(of(operand))).collect(),
        variadic: builtin.variadic.then(any),
        result: builtin.result.as_ref().map(of),
        builtin: Some(builtin.name),
    }))
}

/// A declared type.
pub(crate) fn of(declared: &builtins::Type) -> Type {
    use builtins::Type as Declared;
    match declared {
        Declared::Any => any(),
        Declared::Null => Type::Null,
        Declared::Boolean => Type::Boolean,
        Declared::Number => Type::Number,
        Declared::String => Type::String,
        Declared::Array(items) => Type::array(Vec::new(), Some(of(items))),
        Declared::Tuple(items) => Type::array(items.iter().map(|item| Some(of(item))).collect(), None),
        Declared::Set(members) => Type::set(Some(of(members))),
        Declared::Object(key, value) => Type::object(Vec::new(), Some(dynamic(key, value))),
        Declared::Record(members, others) => {
            let fixed = members.iter().map(|(key, value)| (Value::from(*key), Some(of(value)))).collect();
            Type::object(fixed, others.map(|(key, value)| dynamic(key, value)))
        }
        Declared::Or(alternatives) => or_all(alternatives.iter().map(|one| Some(of(one)))).unwrap_or_else(any),
    }
}

fn dynamic(key: &builtins::Type, value: &builtins::Type) -> Dynamic {
    Dynamic { key: Some(of(key)), value: Some(of(value)) }
}

/// The name that a builtin gives its operand; the one behind the last operand is the answer's.
pub(crate) fn operand_name(function: &Function, at: usize) -> Option<&'static str> {
    let builtin = function.builtin?;
    let row = NAMES.binary_search_by(|(name, _)| name.cmp(&builtin)).ok().and_then(|at| NAMES.get(at))?;
    row.1.split(',').nth(at).filter(|name| *name != "_")
}

#[cfg(test)]
mod tests {
    use super::super::print;
    use super::{NAMES, function};
    use crate::builtins::table::{all, find};

    #[test]
    fn names_are_of_builtins() {
        assert!(NAMES.is_sorted());
        for (name, operands) in NAMES {
            let builtin = find(name).expect(name);
            assert_eq!(operands.split(',').count(), builtin.operands.len() + 1, "{name}");
        }
    }

    #[test]
    fn prints_as_opa() {
        let shown = |name: &str| function(find(name).unwrap()).to_string();
        assert_eq!(shown("concat"), "(string, any<array[string], set[string]>) => string");
        assert_eq!(shown("print"), "(any...) => ???");
        assert!(all().all(|builtin| function(builtin) == function(builtin)));
        let super::Type::Function(declared) = function(find("concat").unwrap()) else { panic!() };
        assert_eq!(print::operands(&declared, true), "(delimiter: string, collection: any<array[string], set[string]>)");
    }
}
