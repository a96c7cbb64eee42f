//! What an expression may call: every function with its signatures. Of what is not declared here, nothing is evaluated.

mod kubernetes;
mod request;
mod standard;

use std::collections::BTreeMap;
use std::sync::LazyLock;

pub(super) use request::{field_of, has_fields, of_variable};

use super::types::{Bindings, Type, fits, with};

/// One line of a declaration: the type that it is called on, or empty; names; arguments; what it gives.
pub(super) type Row = (&'static str, &'static str, &'static str, &'static str);

/// One way to call a function.
struct Overload {
    /// `None` for a function that is called on nothing.
    target: Option<Type>,
    arguments: Vec<Type>,
    gives: Type,
}

static DECLARED: LazyLock<BTreeMap<&'static str, Vec<Overload>>> = LazyLock::new(|| {
    let mut declared = BTreeMap::<_, Vec<Overload>>::new();
    for (target, names, arguments, gives) in rows() {
        for name in names.split_whitespace() {
            declared.entry(name).or_default().extend(overload(target, arguments, gives));
        }
    }
    declared
});

/// Names of types, as expressions write them.
const TYPES: [&str; 14] = [
    "bool",
    "bytes",
    "double",
    "google.protobuf.Duration",
    "google.protobuf.Timestamp",
    "int",
    "list",
    "map",
    "net.CIDR",
    "net.IP",
    "null_type",
    "string",
    "type",
    "uint",
];

fn rows() -> impl Iterator<Item = &'static Row> {
    standard::OPERATORS.iter().chain(functions())
}

/// All but the operators.
pub(super) fn functions() -> impl Iterator<Item = &'static Row> {
    [standard::FUNCTIONS, standard::EXTENSIONS, kubernetes::LIBRARIES].into_iter().flatten()
}

/// `None` when the row is malformed, which a test rules out.
fn overload(target: &'static str, arguments: &'static str, gives: &'static str) -> Option<Overload> {
    let on = if target.is_empty() { None } else { Some(Type::read(target)?) };
    Some(Overload { target: on, arguments: Type::read_all(arguments)?, gives: Type::read(gives)? })
}

/// Whether there is a function of this name, whatever it is called on.
pub(super) fn is_declared(function: &str) -> bool {
    DECLARED.contains_key(function)
}

/// The type of what a call gives; `None` if no signature fits. Where several do, which one is only known later.
pub(super) fn resolve(function: &str, target: Option<&Type>, arguments: &[Type]) -> Option<Type> {
    let overloads = DECLARED.get(function).map(Vec::as_slice).unwrap_or_default();
    let mut found = overloads.iter().filter_map(|overload| overload.resolve(target, arguments));
    let first = found.next()?;
    Some(if found.all(|kind| kind == first) { first } else { Type::Dyn })
}

impl Overload {
    fn resolve(&self, target: Option<&Type>, arguments: &[Type]) -> Option<Type> {
        let mut bound = Bindings::new();
        let on = match (&self.target, target) {
            (None, None) => true,
            (Some(wanted), Some(given)) => fits(wanted, given, &mut bound),
            _ => false,
        };
        let as_many = self.arguments.len() == arguments.len();
        let mut pairs = self.arguments.iter().zip(arguments);
        let matches = on && as_many && pairs.all(|(wanted, given)| fits(wanted, given, &mut bound));
        matches.then(|| with(&self.gives, &bound))
    }
}

/// The type of the name of a type.
pub(super) fn type_of_name(name: &str) -> Option<Type> {
    let known = *TYPES.iter().find(|known| **known == name)?;
    let named = match known {
        "list" => Type::list(Type::Dyn),
        "map" => Type::map(Type::Dyn, Type::Dyn),
        "type" => Type::Meta(Box::new(Type::Dyn)),
        known => Type::read(known)?,
    };
    Some(Type::Meta(Box::new(named)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_well_formed() {
        for row in rows() {
            assert!(overload(row.0, row.2, row.3).is_some() && !row.1.is_empty(), "{row:?}");
        }
        assert!(TYPES.iter().all(|name| type_of_name(name).is_some()));
    }
}
