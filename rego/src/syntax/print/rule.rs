//! Rules and their heads.

use super::{expr, term};
use crate::syntax::tree::{Head, Rule, Version};

/// Writes a rule.
pub(super) fn write(out: &mut String, rule: &Rule, version: Version) {
    out.push_str(if rule.default { "default " } else { "" });
    head(out, &rule.head, version);
    if !rule.default {
        body(out, rule, version);
    }
    let mut branch = rule.otherwise.as_deref();
    while let Some(rule) = branch {
        out.push_str(" else ");
        if let Some(value) = &rule.head.value {
            out.push_str("= ");
            term::write(out, value);
        }
        body(out, rule, version);
        branch = rule.otherwise.as_deref();
    }
}

fn body(out: &mut String, rule: &Rule, version: Version) {
    out.push_str(if version == Version::V0 { " { " } else { " if { " });
    expr::write_body(out, &rule.body);
    out.push_str(" }");
}

fn head(out: &mut String, head: &Head, version: Version) {
    term::write_ref(out, &head.reference);
    let mut contains = false;
    match (&head.args, &head.key) {
        (Some(args), _) if !args.is_empty() => term::enclosed(out, "(", args, ")"),
        (_, Some(key)) if head.reference.len() == 1 => {
            contains = version != Version::V0;
            let (open, close) = if contains { (" contains ", "") } else { ("[", "]") };
            term::enclosed(out, open, std::slice::from_ref(key), close);
        }
        _ => {}
    }
    match (&head.value, &head.key) {
        (Some(value), _) => {
            out.push_str(if head.assign { " := " } else { " = " });
            term::write(out, value);
        }
        (None, Some(key)) if !contains && head.name.is_empty() => {
            out.push_str(" contains ");
            term::write(out, key);
        }
        _ => {}
    }
}
