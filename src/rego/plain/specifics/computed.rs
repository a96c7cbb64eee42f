//! `data[name].allow.see.it`: for a package that is computed, the interpreter evaluates what is called so, and nothing above it.

use regorus::unstable::Expr;

use crate::rego::parse::ParsedModule;
use crate::rego::syntax;
use crate::rego::walk::{self, Visitor};

/// Where a module reads so, two names or more behind what is computed.
pub(super) fn places(module: &ParsedModule) -> Vec<u32> {
    let mut computed = Computed { places: Vec::new() };
    module.ast.policy.iter().for_each(|rule| walk::rule(rule, &mut computed));
    computed.places
}

struct Computed {
    places: Vec<u32>,
}

impl Visitor for Computed {
    fn expr(&mut self, expr: &Expr) -> bool {
        let (Expr::RefDot { .. } | Expr::RefBrack { .. }) = expr else { return true };
        let Some(path) = syntax::path(expr) else { return true };
        let mut rest = expr;
        let mut parts = 0_usize;
        while let Expr::RefDot { refr, .. } | Expr::RefBrack { refr, .. } = rest {
            parts = parts.saturating_add(1);
            rest = refr;
        }
        if !path.constant && path.names == ["data"] && parts > 2 {
            self.places.push(rest.span().start);
        }
        walk::indexes(expr, self);
        false
    }
}
