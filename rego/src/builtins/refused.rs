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

/// What is said of a builtin that is refused; `None` for one that is not.
pub fn refusal(name: &str) -> Option<&'static str> {
    match name {
        "http.send" => Some("built-in function http.send is not available: a decision must not depend on the network"),
        "net.lookup_ip_addr" => {
            Some("built-in function net.lookup_ip_addr is not available: a decision must not depend on the network")
        }
        "providers.aws.sign_req" => {
            Some("built-in function providers.aws.sign_req is not available: requests to providers are not made here")
        }
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
            let said = refusal(builtin.name).filter(|text| text.contains(builtin.name));
            assert_eq!(said.is_some(), listed, "{}", builtin.name);
            assert!(!listed || builtin.function.is_none(), "{}", builtin.name);
        }
    }
}
