//! What is refused by name: it would leave the process, or only serves to.

use super::signature::Type;
use super::table::{Builtin, Dependence, row};

/// One row each, in the order of their names.
pub(super) const ROWS: &[Builtin] = &[
    row("http.send", &[Type::Object(&Type::String, &Type::Any)], Some(Type::Object(&Type::Any, &Type::Any)))
        .depends(Dependence::Random)
        .nondeterministic(),
    row("net.lookup_ip_addr", &[Type::String], Some(Type::Set(&Type::String))).depends(Dependence::Random).nondeterministic(),
    row(
        "providers.aws.sign_req",
        &[Type::Object(&Type::String, &Type::Any), Type::Object(&Type::String, &Type::Any), Type::Number],
        Some(Type::Object(&Type::Any, &Type::Any)),
    ),
];

/// Why a builtin is refused; `None` for one that is not.
pub fn refusal(name: &str) -> Option<&'static str> {
    match name {
        "http.send" => Some("policies make no requests: what they need is replicated into data"),
        "net.lookup_ip_addr" => Some("policies ask no name servers: what they need is replicated into data"),
        _ if name.starts_with("providers.aws.") => Some("policies make no requests, so none is signed"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_refused_has_a_reason_and_no_function() {
        for builtin in super::super::table::all() {
            let listed = ROWS.iter().any(|row| row.name == builtin.name);
            assert_eq!(refusal(builtin.name).is_some(), listed, "{}", builtin.name);
            assert!(!listed || builtin.function.is_none(), "{}", builtin.name);
        }
    }
}
