//! Heads of rules (`v1/ast/parser.go`, `parseHead`).

use super::state::{Parser, Tall};
use crate::syntax::print;
use crate::syntax::span::Span;
use crate::syntax::token::Token;
use crate::syntax::tree::{Head, Kind, Term, Var};

impl Parser<'_> {
    /// A head, and whether it is written with `contains`.
    pub(super) fn parse_head(&mut self, default: bool) -> Option<(Tall<Head>, bool)> {
        let begin = self.here();
        let term = self.parse_var();
        let reference = self.finish_head(term);
        let Some(reference) = reference else {
            return self.refuse("expected rule head name");
        };
        let mut head = self.head_of(reference)?;
        let contains = match self.token() {
            Token::Contains => self.head_key(&mut head)?,
            Token::Unify | Token::Assign => self.head_value(&mut head, default)?,
            _ => false,
        };
        let (plain, args) = (head.node.reference.len() != 2, head.node.is_function());
        if head.node.value.is_none() && head.node.key.is_none() && (plain || args) {
            head.node.generated_value = true;
            head.node.value = Some(Term::new(self.span(0, 0), Kind::Bool(true)));
        }
        head.node.span = self.since(begin);
        Some((head, contains))
    }

    fn head_of(&mut self, term: Tall<Term>) -> Option<Tall<Head>> {
        let Tall { node: Term { span, kind }, height } = term;
        let head = match kind {
            Kind::Var(name) => empty(name.clone(), vec![Term::var(span, name)]),
            Kind::Ref(parts) => of_reference(parts),
            Kind::Call(mut terms) => {
                let args = terms.split_off(1.min(terms.len()));
                let operator = terms.pop()?;
                let parts = match operator.kind {
                    Kind::Ref(parts) => parts,
                    kind => vec![Term { kind, ..operator }],
                };
                if parts.first().is_none_or(|first| first.as_var().is_none()) {
                    return self.refuse(format!("rule head ref {} invalid", print::reference(&parts)));
                }
                Head { args: Some(args), ..of_reference(parts) }
            }
            _ => return None,
        };
        Some(Tall { node: head, height })
    }

    fn head_key(&mut self, head: &mut Tall<Head>) -> Option<bool> {
        let name = print::reference(&head.node.reference);
        if head.node.args.is_some() {
            self.illegal(format!(
                "the contains keyword can only be used with multi-value rule definitions (e.g., {name} contains <VALUE> {{ ... }})"
            ));
        }
        self.scan();
        let Some(key) = self.parse_infix() else {
            return self.refuse(format!("expected rule key term (e.g., {name} contains <VALUE> {{ ... }})"));
        };
        head.height = head.height.max(key.height);
        head.node.key = Some(key.node);
        Some(true)
    }

    fn head_value(&mut self, head: &mut Tall<Head>, default: bool) -> Option<bool> {
        head.node.assign = self.is(Token::Assign);
        self.scan();
        let Some(value) = self.parse_infix() else {
            let name = print::reference(&head.node.reference);
            return self.refuse(match head.node.assign {
                false => format!("expected rule value term (e.g., {name}[<nil>] = <VALUE> {{ ... }})"),
                true if head.node.is_function() => {
                    format!("expected function value term (e.g., {name}(...) := <VALUE> {{ ... }})")
                }
                true if default => format!("expected default rule value term (e.g., default {name} := <VALUE>)"),
                true => format!("expected rule value term (e.g., {name} := <VALUE> {{ ... }})"),
            });
        };
        head.height = head.height.max(value.height);
        head.node.value = Some(value.node);
        Some(false)
    }
}

/// A head with a name and nothing else (`v1/ast/policy.go`, `VarHead`).
pub(super) fn empty(name: Var, reference: Vec<Term>) -> Head {
    Head { span: Span::default(), name, reference, args: None, key: None, value: None, assign: false, generated_value: false }
}

/// A head of a reference; it has a name only when that is all it has (`RefHead`).
pub(super) fn of_reference(parts: Vec<Term>) -> Head {
    let name = match parts.as_slice() {
        [only] => only.as_var().cloned().unwrap_or_default(),
        _ => Var::new(),
    };
    empty(name, parts)
}
