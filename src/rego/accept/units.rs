//! From the parser's modules to rules.

use regorus::Value;
use regorus::unstable as ast;

use super::lower;
use super::names::Names;
use super::rule::{Head, Import, Rule, Unit};
use super::term::{Body, Kind, Term};
use crate::rego::parse::ParsedModule;

/// The rules and imports of a module.
pub(super) fn unit(index: usize, module: &ParsedModule, names: &mut Names) -> Unit {
    let ast = &module.ast;
    let mut package = vec![Term::string("data", ast.package.span.start)];
    package.extend(constant_path(&ast.package.refr, names));
    let mut unit = Unit { imports: Vec::new(), package, package_at: ast.package.span.start, rules: Vec::new() };
    unit.imports = ast.imports.iter().map(|import| self::import(import, names)).collect();
    for rule in &ast.policy {
        let rules = Lowering { module: index, package: &unit.package, names: &mut *names }.rule(rule);
        unit.rules.extend(rules);
    }
    unit
}

/// A path whose first part is a name like the others.
fn constant_path(expr: &ast::Expr, names: &mut Names) -> Vec<Term> {
    let mut path = lower::path(expr, names);
    if let Some(first) = path.first_mut()
        && let Some(var) = first.as_var()
    {
        *first = Term::string(&names.text(var), first.at);
    }
    path
}

fn import(import: &ast::Import, names: &mut Names) -> Import {
    let path = constant_path(&import.refr, names);
    let text = |term: &Term| match &term.kind {
        Kind::Scalar(Value::String(text)) => Some(text.to_string()),
        _ => None,
    };
    let last = path.last().and_then(text);
    let alias = import.r#as.as_ref().map(|span| span.text().to_string()).or(last);
    Import { at: import.span.start, path, alias }
}

struct Lowering<'l> {
    module: usize,
    package: &'l [Term],
    names: &'l mut Names,
}

/// The parts of a head.
struct HeadParts {
    at: u32,
    path: Vec<Term>,
    args: Vec<Term>,
    head: Head,
}

impl Lowering<'_> {
    fn rule(&mut self, rule: &ast::Rule) -> Vec<Rule> {
        match rule {
            ast::Rule::Default { span, refr, args, value, .. } => {
                let args = args.iter().map(|arg| lower::term(arg, self.names)).collect();
                let head = Head::Value(lower::term(value, self.names));
                let parts = HeadParts { at: span.start, path: constant_path(refr, self.names), args, head };
                let body = lower::always(span.start, self.names);
                vec![Rule { default: true, ..self.definition(parts, body) }]
            }
            ast::Rule::Spec { span, head, bodies } => self.spec(span, head, bodies),
        }
    }

    fn spec(&mut self, span: &ast::Span, head: &ast::RuleHead, bodies: &[ast::RuleBody]) -> Vec<Rule> {
        let Some((first, others)) = bodies.split_first() else {
            let parts = self.head(head, span.start);
            let body = lower::always(span.start, self.names);
            return vec![self.definition(parts, body)];
        };
        let parts = self.head(head, span.start);
        let body = self.body(first);
        let mut rules = vec![self.definition(parts, body)];
        let mut branches = Vec::new();
        for other in others {
            let mut parts = self.head(head, other.span.start);
            if other.is_else {
                let value = other.assign.as_ref().map(|assign| lower::term(&assign.value, self.names));
                parts.head = Head::Value(value.unwrap_or_else(|| truth(other.span.start)));
            }
            let body = self.body(other);
            let rule = self.definition(parts, body);
            if other.is_else { branches.push(rule) } else { rules.push(rule) }
        }
        let chain = branches.into_iter().rev().fold(None, |next, rule| Some(Box::new(Rule { otherwise: next, ..rule })));
        if let Some(rule) = rules.first_mut() {
            rule.otherwise = chain;
        }
        rules
    }

    fn body(&mut self, body: &ast::RuleBody) -> Body {
        if body.query.stmts.is_empty() {
            lower::always(body.span.start, self.names)
        } else {
            lower::body(&body.query, self.names)
        }
    }

    fn definition(&self, parts: HeadParts, body: Body) -> Rule {
        let HeadParts { at, path: own, args, head } = parts;
        let mut path = self.package.to_vec();
        path.extend(own);
        let name_len = self.package.len() + 1;
        Rule { module: self.module, at, path, name_len, args, head, default: false, body, otherwise: None }
    }

    fn head(&mut self, head: &ast::RuleHead, at: u32) -> HeadParts {
        match head {
            ast::RuleHead::Compr { refr, assign, .. } => {
                let head = Head::Value(self.value(assign.as_ref(), at));
                HeadParts { at, path: constant_path(refr, self.names), args: Vec::new(), head }
            }
            ast::RuleHead::Func { refr, args, assign, .. } => {
                let args = args.iter().map(|arg| lower::term(arg, self.names)).collect();
                let head = Head::Value(self.value(assign.as_ref(), at));
                HeadParts { at, path: constant_path(refr, self.names), args, head }
            }
            ast::RuleHead::Set { refr, key, .. } => {
                let mut path = constant_path(refr, self.names);
                let key = key.as_ref().map(|key| lower::term(key, self.names)).or_else(|| path.pop());
                let head = Head::Member(key.unwrap_or_else(|| truth(at)));
                HeadParts { at, path, args: Vec::new(), head }
            }
        }
    }

    fn value(&mut self, assign: Option<&ast::RuleAssign>, at: u32) -> Term {
        assign.map_or_else(|| truth(at), |assign| lower::term(&assign.value, self.names))
    }
}

fn truth(at: u32) -> Term {
    Term { at, kind: Kind::Scalar(Value::from(true)) }
}
