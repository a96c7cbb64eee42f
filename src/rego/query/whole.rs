//! All of `data` in a query. The interpreter, asked for `data` without a constant name behind it, evaluates every rule, but no
//! default, and loses its place in the query on the way. So the rules are named first, one by one, as for a whole package:
//! `[[1 | data.a.x], [1 | data.b.y], data][2]`. A package without a defined rule is `{}`. As in OPA, `system` is no part of
//! `data` as one document, but found by `data[k]` and `some k, v in data`.
//! Inside a rule the interpreter evaluates nothing else for `data`: such a query runs as one.

use regorus::unstable::{Expr, Literal, LiteralStmt, Span};

use super::PACKAGE;
use crate::rego::Program;
use crate::rego::parse::ParsedModule;
use crate::rego::splice::Splices;
use crate::rego::syntax;
use crate::rego::walk::{self, Visitor};

/// What to write instead of each such `data` of the query, which begins at `start` of the probe.
pub(super) fn spelled(probe: &ParsedModule, start: usize, text: &str, program: &Program) -> Splices {
    let mut roots = Roots { probe, places: Vec::new(), iterated: None };
    probe.ast.policy.iter().for_each(|rule| walk::rule(rule, &mut roots));
    let mut splices = Splices::default();
    if roots.places.is_empty() {
        return splices;
    }
    for Root { at, behind } in roots.places {
        // Inside of a template string the parser's places are those of the template.
        if let Some(at) = at.checked_sub(start)
            && text.get(at..).is_some_and(|rest| rest.starts_with("data"))
        {
            let spelled = match behind {
                Some(behind) => program.packages.all(&behind, &[PACKAGE]),
                None => program.packages.all(&[], &["system", PACKAGE]),
            };
            splices.insert(at, at.saturating_add("data".len()), spelled);
        }
    }
    splices
}

/// One such `data`.
struct Root {
    at: usize,
    /// If its members are asked for by key, the names behind it, none for what is computed.
    behind: Option<Vec<Option<String>>>,
}

struct Roots<'p> {
    probe: &'p ParsedModule,
    places: Vec<Root>,
    /// What the next `some … in` iterates over.
    iterated: Option<u32>,
}

impl Visitor for Roots<'_> {
    fn statement(&mut self, stmt: &LiteralStmt) {
        if let Literal::SomeIn { collection, .. } = &stmt.literal {
            self.iterated = Some(collection.span().start);
        }
    }

    fn expr(&mut self, expr: &Expr) -> bool {
        match expr {
            Expr::Var { span, .. } if span.text() == "data" => {
                let behind = (self.iterated == Some(span.start)).then(|| vec![None]);
                self.places.push(Root { at: self.probe.offset(span.start), behind });
            }
            Expr::RefDot { .. } | Expr::RefBrack { .. } => {
                let Some(root) = root(expr) else { return true };
                if root.text() == "data" && syntax::path(expr).is_some_and(|path| path.names.len() == 1) {
                    self.places.push(Root { at: self.probe.offset(root.start), behind: Some(syntax::behind_prefix(expr)) });
                }
                walk::indexes(expr, self);
                return false;
            }
            _ => {}
        }
        true
    }
}

/// The variable that a reference begins with.
fn root(reference: &Expr) -> Option<&Span> {
    match reference {
        Expr::Var { span, .. } => Some(span),
        Expr::RefDot { refr, .. } | Expr::RefBrack { refr, .. } => root(refr),
        _ => None,
    }
}
