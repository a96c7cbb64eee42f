//! How many operands a function takes (`v1/ast/compile.go`, `GetArity`).

use super::options::Options;
use super::rule_tree::RuleTree;
use crate::builtins::Builtin;
use crate::syntax::tree::{Kind, Term};

/// The functions of a set.
#[derive(Clone, Copy, Debug)]
pub struct Arity<'a> {
    options: &'a Options,
    rules: &'a RuleTree,
}

impl<'a> Arity<'a> {
    /// Builtins, and the functions of rules.
    pub fn new(options: &'a Options, rules: &'a RuleTree) -> Self {
        Self { options, rules }
    }

    /// How many operands the function that a reference names takes; `None` without such a function. Rules that are no
    /// functions take none.
    pub fn of(&self, operator: &Term) -> Option<usize> {
        if let Some(builtin) = self.builtin(operator) {
            return Some(builtin.operands.len());
        }
        self.rules.find(operator.as_ref_parts()?)?.arity()
    }

    /// Whether a reference always has a value; see [`RuleTree::is_known_defined`].
    pub fn is_known_defined(&self, path: &[Term]) -> bool {
        self.rules.is_known_defined(path)
    }

    /// The builtin that a reference or a variable names.
    pub fn builtin(&self, operator: &Term) -> Option<&'static Builtin> {
        with_name(operator, |name| self.options.builtin(name)).flatten()
    }
}

/// Calls with the dotted name of a reference or variable, such as `io.jwt.decode`; `None` for what has no such name.
pub(super) fn with_name<T>(operator: &Term, f: impl FnOnce(&str) -> T) -> Option<T> {
    match &operator.kind {
        Kind::Var(name) => Some(f(name)),
        Kind::Ref(parts) => match parts.as_slice() {
            [Term { kind: Kind::Var(name), .. }] => Some(f(name)),
            [Term { kind: Kind::Var(first), .. }, rest @ ..] => {
                let mut name = String::from(first.as_str());
                for part in rest {
                    name.push('.');
                    name.push_str(part.as_str()?);
                }
                Some(f(&name))
            }
            _ => None,
        },
        _ => None,
    }
}
