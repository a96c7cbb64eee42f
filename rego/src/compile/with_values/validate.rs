//! What `with` may replace, and by what (`v1/ast/compile.go`, `validateWith`).

use super::Targets;
use crate::builtins::Builtin;
use crate::compile::arity::with_name;
use crate::compile::names::EQUALITY;
use crate::compile::rule_tree::RuleTree;
use crate::compile::terms::requires_eval;
use crate::compile::vars::{DATA, INPUT};
use crate::error::{Code, Error};
use crate::syntax::print;
use crate::syntax::tree::{Kind, Term, With};

impl Targets<'_> {
    /// Whether the value must be evaluated. Names of builtins become references.
    pub(super) fn validate(&self, with: &mut With) -> Result<bool, Error> {
        let With { target, value, .. } = with;
        if self.arity().builtin(value).is_some() {
            as_reference(value);
        }
        let builtin = self.builtin(target)?;
        let root = target.as_ref_parts().and_then(|parts| parts.first()?.as_var());
        if root == Some(&DATA) {
            return Ok(!self.replaces_function(target, value)? && requires_eval(value));
        }
        if root == Some(&INPUT) {
            return Ok(requires_eval(value));
        }
        let Some(builtin) = builtin else {
            let message = "with keyword target must reference existing input, data, or a function";
            return Err(Error::new(Code::Type, target.span, message));
        };
        as_reference(target);
        may_be_replaced(builtin, target)?;
        Ok(!self.is_function(value)? && requires_eval(value))
    }

    /// Whether a target below `data` is a function that is replaced by a function, or the value is one.
    fn replaces_function(&self, target: &Term, value: &Term) -> Result<bool, Error> {
        let parts = target.as_ref_parts().unwrap_or_default();
        let mut node = RuleTree::ROOT;
        let inner = parts.get(1..parts.len().saturating_sub(1)).unwrap_or_default();
        for part in inner {
            let Some(child) = self.rules.child(node, part) else { break };
            if self.rules.node(child).is_some_and(|child| !child.rules().is_empty()) {
                let message = "with keyword cannot partially replace virtual document(s)";
                return Err(Error::new(Code::Compile, target.span, message));
            }
            node = child;
        }
        let last = parts.last().and_then(|last| self.rules.child(node, last));
        if last.and_then(|last| self.rules.node(last)?.arity()).is_some_and(|arity| arity > 0) && self.is_function(value)? {
            return Ok(true);
        }
        let function = value.as_ref_parts().and_then(|parts| self.rules.find(parts)?.arity());
        Ok(function.is_some_and(|arity| arity > 0))
    }

    /// Whether a value names rules or a builtin (`validateWithFunctionValue`).
    fn is_function(&self, value: &Term) -> Result<bool, Error> {
        if value.as_ref_parts().is_some_and(|parts| self.rules.find(parts).is_some()) {
            return Ok(true);
        }
        Ok(self.builtin(value)?.is_some())
    }

    /// The builtin that a term names. Fails when it is refused (`isBuiltinRefOrVar`).
    fn builtin(&self, term: &Term) -> Result<Option<&'static Builtin>, Error> {
        if with_name(term, |name| self.options.refusal(name)).flatten().is_some() {
            let name = print::term(term);
            let message = format!("with keyword replacing built-in function: target must not be unsafe: {name:?}");
            return Err(Error::new(Code::Compile, term.span, message));
        }
        Ok(self.arity().builtin(term))
    }
}

/// A variable that names a builtin becomes a reference.
fn as_reference(term: &mut Term) {
    if let Kind::Var(_) = &term.kind {
        let inner = term.clone();
        term.kind = Kind::Ref(vec![inner]);
    }
}

fn may_be_replaced(builtin: &Builtin, target: &Term) -> Result<(), Error> {
    let name = builtin.name;
    let why = match name {
        "rego.metadata.chain" | "rego.metadata.rule" => format!("replacement of {name:?} invalid"),
        name if name == EQUALITY.as_str() => format!("replacement of {name:?} invalid"),
        name if name.starts_with("internal.") => format!("replacement of internal function {name:?} invalid"),
        _ if builtin.relation => "target must not be a relation".into(),
        _ if builtin.result.is_none() => "target must not be a void function".into(),
        _ => return Ok(()),
    };
    Err(Error::new(Code::Compile, target.span, format!("with keyword replacing built-in function: {why}")))
}
