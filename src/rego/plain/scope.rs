//! Which names of a rule are its own and which are of the package or imported, with the scopes of OPA.

use std::collections::BTreeSet;

use regorus::unstable::{AssignOp, Expr, Literal, LiteralStmt, Query, Rule, RuleAssign, RuleHead, Span};

/// What a name is there for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// Its value, or it is declared.
    Read,
    /// A function is called.
    Call,
    /// `with` replaces it.
    Target,
}

/// One occurrence of a variable, alone or as the root of a reference.
#[derive(Clone, Copy, Debug)]
pub(super) struct Name<'a> {
    pub(super) root: &'a Span,
    /// The whole reference; none where it is declared by `some` or `every`.
    pub(super) reference: Option<&'a Expr>,
    /// Declared in the rule.
    pub(super) local: bool,
    /// Declared below this place only, so that OPA takes it for another variable, which has no declaration.
    pub(super) later: bool,
    /// How many declarations around it have the same name.
    pub(super) shadows: usize,
    pub(super) role: Role,
}

/// Tells of every name in a rule, but those of its head reference. `is_global` knows what a name that is not declared may stand for.
pub(super) fn names<'a>(rule: &'a Rule, is_global: &dyn Fn(&str) -> bool, see: &mut dyn FnMut(Name<'a>)) {
    let mut undeclared = BTreeSet::new();
    let mut add = |name: Name<'a>| {
        if !name.local && name.role == Role::Read && !is_global(name.root.text()) {
            undeclared.insert(name.root.text().to_owned());
        }
    };
    walk(rule, &BTreeSet::new(), &mut add);
    walk(rule, &undeclared, see);
}

fn walk<'a>(rule: &'a Rule, undeclared: &BTreeSet<String>, see: &mut dyn FnMut(Name<'a>)) {
    let mut walk = Walk { undeclared, scopes: Vec::new(), see };
    match rule {
        Rule::Default { value, .. } => walk.expr(value),
        Rule::Spec { head, bodies, .. } => {
            let mut scope = BTreeSet::new();
            if let RuleHead::Func { args, .. } = head {
                args.iter().for_each(|arg| pattern(arg, &mut scope));
            }
            walk.scopes.push(Scope::whole(scope));
            let main = bodies.iter().filter(|body| !body.is_else).flat_map(|body| declared(&body.query)).collect();
            walk.inside(main, |walk| walk.head(head));
            for body in bodies {
                walk.inside(declared(&body.query), |walk| walk.assign(body.assign.as_ref()));
                walk.query(&body.query, [], |_| {});
            }
        }
    }
}

/// The names that the statements of a body declare, wherever they stand in it.
fn declared(query: &Query) -> BTreeSet<String> {
    let some = query.stmts.iter().filter_map(|stmt| match &stmt.literal {
        Literal::SomeVars { vars, .. } => Some(vars),
        _ => None,
    });
    let mut names = assigned(query);
    names.extend(some.flatten().map(|var| var.text().to_owned()));
    names
}

/// The names that get their values where they are declared.
pub(in crate::rego) fn assigned(query: &Query) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    query.stmts.iter().flat_map(declares).for_each(|expr| pattern(expr, &mut names));
    names
}

/// The patterns whose variables a statement declares with their values.
fn declares(stmt: &LiteralStmt) -> Vec<&Expr> {
    match &stmt.literal {
        Literal::SomeIn { key, value, .. } => key.iter().chain([value]).map(|expr| &**expr).collect(),
        Literal::Expr { expr, .. } => match expr.as_ref() {
            Expr::AssignExpr { op: AssignOp::ColEq, lhs, .. } => vec![lhs],
            _ => Vec::new(),
        },
        Literal::SomeVars { .. } | Literal::NotExpr { .. } | Literal::Every { .. } => Vec::new(),
    }
}

/// The variables of a pattern.
pub(in crate::rego) fn pattern(expr: &Expr, names: &mut BTreeSet<String>) {
    match expr {
        // Each `_` is a variable of its own.
        Expr::Var { span, .. } if span.text() == "_" => {}
        Expr::Var { span, .. } => {
            names.insert(span.text().to_owned());
        }
        Expr::Array { items, .. } => items.iter().for_each(|item| pattern(item, names)),
        Expr::Object { fields, .. } => fields.iter().for_each(|(_, _, value)| pattern(value, names)),
        _ => {}
    }
}

/// What is declared around a place.
#[derive(Default)]
struct Scope {
    /// Somewhere in the statements.
    all: BTreeSet<String>,
    /// Above: until then a name is that of a scope around this one, if one has it.
    above: BTreeSet<String>,
}

impl Scope {
    fn whole(names: BTreeSet<String>) -> Self {
        Self { above: names.clone(), all: names }
    }
}

struct Walk<'a, 's> {
    /// Variables of the rule that are used somewhere without a declaration: as if one were around the rule.
    undeclared: &'s BTreeSet<String>,
    scopes: Vec<Scope>,
    see: &'s mut dyn FnMut(Name<'a>),
}

impl<'a> Walk<'a, '_> {
    fn inside(&mut self, names: BTreeSet<String>, walk: impl FnOnce(&mut Self)) {
        self.within(Scope::whole(names), walk);
    }

    fn within(&mut self, scope: Scope, walk: impl FnOnce(&mut Self)) {
        self.scopes.push(scope);
        walk(self);
        self.scopes.pop();
    }

    /// Which scope a name belongs to: one that declares it above, else one that does so below.
    fn scope_of(&self, name: &str) -> (Option<usize>, bool) {
        let above = self.scopes.iter().rposition(|scope| scope.above.contains(name));
        let scope = above.or_else(|| self.scopes.iter().rposition(|scope| scope.all.contains(name)));
        (scope, above.is_none() && scope.is_some())
    }

    fn name(&mut self, root: &'a Span, reference: Option<&'a Expr>, role: Role) {
        if root.text() == "_" {
            return;
        }
        let (scope, later) = self.scope_of(root.text());
        let local = role != Role::Target && scope.is_some();
        let outer = self.scopes.get(..scope.unwrap_or_default()).unwrap_or_default();
        let declared = outer.iter().filter(|scope| scope.all.contains(root.text())).count();
        let around = declared.saturating_add(usize::from(self.undeclared.contains(root.text())));
        (self.see)(Name { root, reference, local, later, shadows: around, role });
    }

    fn head(&mut self, head: &'a RuleHead) {
        match head {
            RuleHead::Compr { refr, assign, .. } => {
                self.indexes(refr);
                self.assign(assign.as_ref());
            }
            RuleHead::Set { refr, key, .. } => {
                self.indexes(refr);
                key.iter().for_each(|key| self.expr(key));
            }
            RuleHead::Func { args, assign, .. } => {
                args.iter().for_each(|arg| self.expr(arg));
                self.assign(assign.as_ref());
            }
        }
    }

    fn assign(&mut self, assign: Option<&'a RuleAssign>) {
        assign.into_iter().for_each(|assign| self.expr(&assign.value));
    }

    fn query(&mut self, query: &'a Query, more: impl IntoIterator<Item = &'a Span>, before: impl FnOnce(&mut Self)) {
        let above: BTreeSet<_> = more.into_iter().map(|span| span.text().to_owned()).collect();
        let all: BTreeSet<_> = declared(query).into_iter().chain(above.iter().cloned()).collect();
        self.inside(all.clone(), before);
        self.within(Scope { all, above }, |walk| query.stmts.iter().for_each(|stmt| walk.statement(stmt)));
    }

    /// What stands below is declared in the innermost scope.
    fn declare(&mut self, add: impl FnOnce(&mut BTreeSet<String>)) {
        if let Some(scope) = self.scopes.last_mut() {
            add(&mut scope.above);
        }
    }

    fn statement(&mut self, stmt: &'a LiteralStmt) {
        match &stmt.literal {
            Literal::SomeVars { vars, .. } => {
                self.declare(|names| names.extend(vars.iter().map(|var| var.text().to_owned())));
                vars.iter().for_each(|var| self.name(var, None, Role::Read));
            }
            Literal::SomeIn { collection, .. } => self.expr(collection),
            Literal::Expr { expr, .. } => match expr.as_ref() {
                Expr::AssignExpr { op: AssignOp::ColEq, rhs, .. } => self.expr(rhs),
                other => self.expr(other),
            },
            Literal::NotExpr { expr, .. } => self.expr(expr),
            Literal::Every { key, value, domain, query, .. } => {
                self.expr(domain);
                let vars = || key.iter().chain([value]);
                self.query(query, vars(), |walk| vars().for_each(|var| walk.name(var, None, Role::Read)));
            }
        }
        for with in &stmt.with_mods {
            self.reference(&with.refr, Role::Target);
            self.expr(&with.r#as);
        }
        let declares = declares(stmt);
        self.declare(|names| declares.iter().for_each(|expr| pattern(expr, names)));
        declares.into_iter().for_each(|expr| self.expr(expr));
    }

    /// A reference: its root, then the expressions in its brackets.
    fn reference(&mut self, expr: &'a Expr, role: Role) {
        let mut rest = expr;
        while let Expr::RefDot { refr, .. } | Expr::RefBrack { refr, .. } = rest {
            rest = refr;
        }
        match rest {
            Expr::Var { span, .. } => self.name(span, Some(expr), role),
            other => self.expr(other),
        }
        self.indexes(expr);
    }

    fn indexes(&mut self, expr: &'a Expr) {
        let mut rest = expr;
        loop {
            match rest {
                Expr::RefDot { refr, .. } => rest = refr,
                Expr::RefBrack { refr, index, .. } => {
                    self.expr(index);
                    rest = refr;
                }
                _ => return,
            }
        }
    }

    fn expr(&mut self, expr: &'a Expr) {
        match expr {
            Expr::String { .. } | Expr::RawString { .. } | Expr::Number { .. } | Expr::Bool { .. } | Expr::Null { .. } => {}
            Expr::Var { .. } | Expr::RefDot { .. } | Expr::RefBrack { .. } => self.reference(expr, Role::Read),
            Expr::Array { items, .. } | Expr::Set { items, .. } => items.iter().for_each(|item| self.expr(item)),
            Expr::Object { fields, .. } => {
                fields.iter().flat_map(|(_, key, value)| [key, value]).for_each(|expr| self.expr(expr));
            }
            Expr::ArrayCompr { term, query, .. } | Expr::SetCompr { term, query, .. } => {
                self.query(query, [], |walk| walk.expr(term));
            }
            Expr::ObjectCompr { key, value, query, .. } => self.query(query, [], |walk| {
                walk.expr(key);
                walk.expr(value);
            }),
            Expr::Call { fcn, params, .. } => {
                self.reference(fcn, Role::Call);
                params.iter().for_each(|param| self.expr(param));
            }
            Expr::UnaryExpr { expr, .. } => self.expr(expr),
            Expr::BinExpr { lhs, rhs, .. }
            | Expr::BoolExpr { lhs, rhs, .. }
            | Expr::ArithExpr { lhs, rhs, .. }
            | Expr::AssignExpr { lhs, rhs, .. } => [lhs, rhs].into_iter().for_each(|expr| self.expr(expr)),
            Expr::Membership { key, value, collection, .. } => {
                key.iter().chain([value, collection]).for_each(|expr| self.expr(expr));
            }
        }
    }
}
